/* The figures of a report, one function each. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_REPORT_FIGURES_H
#define CONGRU_REPORT_FIGURES_H

#include "report/canvas.h"

/* What a figure is made of. */
typedef struct figure_input {
    const congru_report *report;
    const report_run *run; /* the first */
    size_t pipeline, other;
    size_t series;
    const congru_report_choice *choice; /* or NULL */

    /* In the page, which has titles of its own: */
    bool page;
    bool narrow;  /* for the width of a telephone */
    size_t stage; /* of "evolution", counted from 1: that one alone, of all subjects; 0: all stages */
} figure_input;

/* How wide the plot is beside names, and a name that takes no more than its share of a narrow drawing. */
double congru_figure_plot_width(const figure_input *in);
const char *congru_figure_brief(const figure_input *in, char *name);

/* Values at electrodes whose places are known: place (known, 2), value (known). */
typedef struct report_scalp {
    size_t known;
    double *place, *value;
    double largest;
} report_scalp;

/* A head seen from above about (x, y), coloured by value over the largest; and from the least to the largest colour about x,
 * what they stand for. */
void congru_figure_head(canvas *on, const report_scalp *s, double x, double y, double radius);
void congru_figure_colours(canvas *on, double x, double y, double width, double largest);

/* Draws it; a canvas without a drawing when the run does not hold what it takes. */
typedef canvas congru_figure(const figure_input *in);

congru_figure congru_figure_accuracy, congru_figure_paired, congru_figure_forest, congru_figure_confusion,
    congru_figure_speed, congru_figure_ablation, congru_figure_training, congru_figure_evolution,
    congru_figure_scatters, congru_figure_ellipses, congru_figure_patterns, congru_figure_looks,
    congru_figure_curve, congru_figure_electrodes, congru_figure_means, congru_figure_changes;

/* Of a run: unconstrained trainings blue and the others orange where a report has both, as in the paper; else by its place. */
uint32_t congru_figure_run_colour(const congru_report *report, size_t run);

#endif
