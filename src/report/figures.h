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
} figure_input;

/* Draws it; a canvas without a drawing when the run does not hold what it takes. */
typedef canvas congru_figure(const figure_input *in);

congru_figure congru_figure_accuracy, congru_figure_paired, congru_figure_forest, congru_figure_confusion,
    congru_figure_speed, congru_figure_ablation, congru_figure_training, congru_figure_evolution,
    congru_figure_scatters, congru_figure_ellipses, congru_figure_patterns;

#endif
