/* Results folders as a page to look at, as tables and as figures. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_REPORT_H
#define CONGRU_REPORT_H

#include <stdint.h>

#include "congru/evaluation.h"
#include "congru/explain.h"
#include "congru/statistics.h"
#include "congru/table.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What one or several results folders hold, read once and summed up. */
typedef struct congru_report congru_report;

/* Reads the folders (count, at least 1). Each needs results.csv; predictions.csv, run.json, training/,
 * geometry.json, patterns.json, ablation.json and statistics.json are used where they are (docs/report.md
 * tells what they hold). CONGRU_ERROR_IO for a folder that is missing or holds a run that was not finished,
 * CONGRU_ERROR_FORMAT for a file that is not what it should be. *report is NULL on failure. */
CONGRU_API congru_status congru_report_create(congru_context *context, const char *const *folders, size_t count,
                                              congru_report **report);
CONGRU_API void congru_report_destroy(congru_report **report);

/* Texts below end with '\0', hold no other, and are freed by this. */
CONGRU_API void congru_report_text_destroy(char **text);

/* The whole report as one HTML page that needs nothing else and asks for nothing: figures, tables and text of every folder. */
CONGRU_API congru_status congru_report_page(congru_context *context, const congru_report *report, char **text);

/* What the report holds as JSON. */
CONGRU_API congru_status congru_report_json(congru_context *context, const congru_report *report, char **text);

/* The first of a run's pipelines that has a network and can show where it puts trials; NULL: none. */
CONGRU_API const char *congru_diagnostics_pipeline(congru_context *context,
                                                   const congru_evaluation_options *options);

/* Writes geometry.json and patterns.json into the run's folder: how that pipeline moves the source trials while it is
 * trained without the first subject that is scored, and scalp maps of what it and CSP find. */
CONGRU_API congru_status congru_diagnostics_write(congru_context *context, const congru_set *set,
                                                  const congru_evaluation_options *options);

/* geometry.json alone, of what congru_geometry_follow has found. */
CONGRU_API congru_status congru_diagnostics_geometry(congru_context *context, const congru_set *set,
                                                     const congru_evaluation_options *options,
                                                     const char *pipeline, int32_t left_out,
                                                     const congru_geometry *geometry);

/* Which part of a report, where one figure or table is wanted. {0} is the default of each. */
typedef struct congru_report_choice {
    const char *pipeline;        /* NULL: the best */
    const char *other;           /* for a comparison of two; NULL: the runner-up */
    const char *series;          /* of training, as named in its files; NULL: "loss" */
    const char *const *subjects; /* (subject_count) those whose trials "evolution" shows */
    size_t subject_count;        /* 0: the first four that have trials */
} congru_report_choice;

/* The tables and figures by name: index 0, 1, ... until NULL; *about becomes one line on what it shows. */
CONGRU_API const char *congru_report_table_name(size_t index, const char **about);
CONGRU_API const char *congru_report_figure_name(size_t index, const char **about);

/* One table. Of several folders it has the rows of all, with a first column that names them.
 * "comparison" is of all together: the same pipelines in the first folder and in the others.
 * CONGRU_ERROR_ARGUMENT for a name that is none, CONGRU_ERROR_FORMAT when the folders do not hold what it
 * takes. */
CONGRU_API congru_status congru_report_table(congru_context *context, const congru_report *report,
                                             const char *name, const congru_report_choice *choice,
                                             congru_table_format format, char **text);

/* A figure as shapes, drawn in their order. Lengths are in points of 1/72 inch, y downwards; colours
 * 0xRRGGBBAA, and one of alpha 0 is not drawn. */
typedef enum congru_shape_kind {
    CONGRU_SHAPE_LINE,    /* through (count) points: x y x y ... */
    CONGRU_SHAPE_POLYGON, /* the same, closed */
    CONGRU_SHAPE_ELLIPSE, /* about (x, y) with half axes (width, height), turned by `angle` degrees */
    CONGRU_SHAPE_BOX,     /* from (x, y), of (width, height) */
    CONGRU_SHAPE_TEXT,    /* at (x, y), on its base line, of the size `width`, turned by `angle` degrees */
    CONGRU_SHAPE_SURFACE /* a disc about (x, y) of radius `width` on a grid of (count, count) colours: rows from above in
                             `point`, -1 (blue) to 1 (orange), NaN outside */
} congru_shape_kind;

typedef struct congru_shape {
    congru_shape_kind kind;
    double x, y, width, height, angle;
    uint32_t fill, stroke;
    double stroke_width;
    int anchor; /* of text: -1 begins at x, 0 is centred there, 1 ends there */
    bool bold, dashed;
    size_t count;
    double *point; /* (count, 2); of a surface (count, count) */
    char *text;
    char *about, *subject; /* what a mark stands for, and whose it is; NULL */
} congru_shape;

typedef struct congru_drawing {
    double width, height;
    char *title; /* a sentence for those who cannot see it */
    size_t count;
    congru_shape *shape;
} congru_drawing;

/* One figure, of the first folder; training curves are of all of them. Fails as congru_report_table does. */
CONGRU_API congru_status congru_report_figure(congru_context *context, const congru_report *report,
                                              const char *name, const congru_report_choice *choice,
                                              congru_drawing **drawing);
CONGRU_API void congru_drawing_destroy(congru_drawing **drawing);

/* The colour of a number from -1 to 1, as surfaces have it. */
CONGRU_API uint32_t congru_surface_colour(double part);

CONGRU_API congru_status congru_drawing_svg(congru_context *context, const congru_drawing *drawing,
                                            char **text);

/* The training of a pipeline in folder `run`, the mean over subjects of one series, named as in the files: at most 101
 * points from the first step to the last. Returns how many, 0 when there is none; step and mean (points) belong to the
 * report. */
CONGRU_API size_t congru_report_curve(const congru_report *report, size_t run, const char *pipeline,
                                      const char *series, const size_t **step, const double **mean);

/* Writes bytes to a file so that it is under its name whole or not at all. */
CONGRU_API congru_status congru_report_write(congru_context *context, const char *path, const void *bytes,
                                             size_t size);

/* ---- Tables of scores: columns and rows are added to `table`, which the caller clears ------------------- */

/* A row for each pipeline: subjects ('*' where some have few trials), then the mean over subjects of each metric (count), the
 * accuracy with its deviation and, with_z, z behind it. The best pipeline is strong. */
CONGRU_API congru_status congru_table_of_scores(congru_context *context, const congru_scores *scores,
                                                size_t count, const congru_score *metric, bool with_z,
                                                congru_table *table);

/* A row for each subject, a column for each pipeline. */
CONGRU_API congru_status congru_table_of_subjects(congru_context *context, const congru_scores *scores,
                                                  congru_score metric, congru_table *table);

/* A row for each fold for which something was chosen on source subjects; CONGRU_ERROR_FORMAT where there is none. */
CONGRU_API congru_status congru_table_of_choices(congru_context *context, const congru_results *results,
                                                 congru_table *table);

/* The confusion matrix of a pipeline over all subjects, in shares of the truth; precision, recall, F1 and AUC of each class,
 * over all predictions. CONGRU_ERROR_FORMAT for results without predictions. */
CONGRU_API congru_status congru_table_of_confusion(congru_context *context, const congru_results *results,
                                                   size_t pipeline, congru_table *table);
CONGRU_API congru_status congru_table_of_classes(congru_context *context, const congru_results *results,
                                                 size_t pipeline, congru_table *table);

/* A row for each pipeline of the first number, with its accuracy and deviation at each number of labelled target trials. */
CONGRU_API congru_status congru_table_of_curve(congru_context *context, const congru_curve *curve,
                                               congru_table *table);

/* A comparison with names, which belong to the caller. */
typedef struct congru_pair {
    const char *dataset, *a, *b;
    congru_comparison result; /* as of congru_scores_compare */
} congru_pair;

/* Which pipelines are compared: `a` with `b`; else every other with `baseline`; else, where all are NULL, every two, the later
 * with the earlier. */
typedef struct congru_pair_choice {
    const char *a, *b, *baseline;
} congru_pair_choice;

/* Comparisons in each data set and, of several, over the subjects of all together, under the name "all"; those without a
 * subject in common are left out. *pair (*count), to be freed; names in it are the list's. CONGRU_ERROR_ARGUMENT for a
 * pipeline that there are no results of, or where nothing is left. */
CONGRU_API congru_status congru_pairs_compare(congru_context *context, const congru_scores_list *list,
                                              const congru_pair_choice *choice, size_t *count,
                                              congru_pair **pair);

/* Sets `holm` of each, corrected for the others that stand together with it under the same dataset. */
CONGRU_API congru_status congru_pairs_correct(congru_context *context, size_t count, congru_pair *pair);

CONGRU_API congru_status congru_table_of_pairs(congru_context *context, size_t count, const congru_pair *pair,
                                               bool permutation, congru_table *table);

/* FOLDER/statistics.json, which the report shows. */
CONGRU_API congru_status congru_pairs_write(congru_context *context, size_t count, const congru_pair *pair,
                                            bool permutation, const char *folder);

/* ---- Tables of patterns ---------------------------------------------------------------------------------- */

/* How a branch's weight is divided over time (windows of cells, quarters of a second where there are many) and bands, in per
 * cent; no columns are added where there is one of each. And the strongest channels of each class, with the value of the cell
 * where each is largest. Columns and rows are added to `table`, which the caller clears. */
CONGRU_API congru_status congru_table_of_shares(congru_context *context, const congru_patterns *patterns,
                                                size_t index, congru_table *table);
CONGRU_API congru_status congru_table_of_strongest(congru_context *context, const congru_patterns *patterns,
                                                   size_t index, congru_table *table);

/* What these tables and the sentences say of the first `count` patterns as JSON, to be freed. */
CONGRU_API congru_status congru_patterns_json(congru_context *context, const congru_patterns *patterns,
                                              size_t count, char **text);

#ifdef __cplusplus
}
#endif
#endif
