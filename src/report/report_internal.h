/* The inside of a report. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_REPORT_INTERNAL_H
#define CONGRU_REPORT_INTERNAL_H

#include "base/text.h"
#include "congru/explain.h"
#include "congru/report.h"
#include "report/json_tree.h"
#include "report/known_columns.h"

/* The series of training: those of the files, and two ratios made of them. */
enum { REPORT_SERIES_FILE = 11, REPORT_SERIES = 13, REPORT_POINTS_MAX = 101 };

/* The training of one pipeline over subjects, at points of its steps. */
typedef struct report_curves {
    char pipeline[CONGRU_PIPELINE_SIZE];
    size_t subjects, points, steps;
    double best_step; /* mean over subjects */
    size_t *step;     /* (points) */
    double *mean[REPORT_SERIES], *low[REPORT_SERIES],
        *high[REPORT_SERIES]; /* (points); NaN where there is none */
} report_curves;

typedef struct report_run {
    char *given; /* as the caller named the folder */
    char *
        folder; /* what is read: that, or the first of its learning curve where it holds no results of its own */
    char *label; /* tells folders apart */
    congru_results *results;
    congru_curve *curve; /* NULL where the folder has none */
    congru_scores *scores;
    const double *accuracy; /* (pipelines, subjects) of the scores */
    double *z;              /* (pipelines) */
    congru_interval *mean;  /* (pipelines) of the accuracy */
    size_t *order;          /* (pipelines) those that looked at fewer labels first, then the best */
    known_columns known;    /* of all runs of the report */
    /* Every two pipelines in the order of the report, 0 with 1, 0 with 2, ...: the tests of congru_pairs_compare; NaN without a
     * subject in common. */
    double *pair_p, *pair_holm;
    double chance; /* 1/classes; NaN when the classes are not known */
    congru_json_file *run, *geometry, *patterns, *ablation, *statistics; /* NULL where the folder has none */
    congru_patterns *looks;                                              /* patterns.csv; NULL likewise */
    size_t curve_count;
    report_curves *curves;
} report_run;

/* A pipeline in another run than the first, on the subjects that all runs with that pipeline have. */
typedef struct report_comparison {
    size_t run;                    /* not 0 */
    size_t pipeline, own_pipeline; /* by index in the first run, and in this one */
    bool seen;                     /* the two were not let see the same of the target */
    bool other_trials;             /* nor are they scored on the same trials, in their own runs */
    size_t trials
        [2]; /* that the comparison is of, in this run and in the first: the same ones where both are of one set */
    congru_interval first, own; /* accuracy in the first run and in this one */
    congru_gain pair;           /* this one less the first */
    double p, p_holm;           /* Wilcoxon's signed-rank test; corrected over all comparisons */
} report_comparison;

struct congru_report {
    size_t runs;
    report_run *run;
    size_t comparisons;
    report_comparison *comparison; /* pipelines in the order of the first run, then runs */
};

/* ---- report.c ---- */
double congru_report_mean(const report_run *run, size_t pipeline, congru_score metric); /* over subjects */

/* ---- comparison.c ---- */
congru_status congru_report_compare(congru_context *context, congru_report *report);
congru_status congru_report_test_pairs(congru_context *context, report_run *run);

/* ---- training.c ---- */
const char *congru_report_series(size_t index);       /* "loss", ... "action_ratio", "subject_ratio" */
const char *congru_report_series_title(size_t index); /* for readers */
congru_status congru_report_training(congru_context *context, report_run *run);
void congru_report_curves_clear(report_run *run);

/* ---- optional_files.c ---- */
congru_status congru_report_optional(congru_context *context, report_run *run);

/* ---- paper_times.c ---- */
/* Seconds per subject the paper gives for this pipeline on this set: alignment and classifier added; NaN when
 * none. */
double congru_report_paper_seconds(const char *dataset, const char *pipeline);

/* ---- montage.c ---- */
bool congru_report_electrode(const char *channel, double place[2]);

enum { REPORT_GRID = 56 };

/* Values at electrodes (count, 2) spread over a square grid of the disc of the head and one cell more, rows from the front;
 * NaN outside. false when it cannot be done: fewer than 4 electrodes, or all on a line. */
bool congru_report_scalp(size_t count, const double *place, const double *value, double *grid);

/* ---- report_json.c ---- */
void congru_report_add_json(congru_text *text, const congru_report *report);

/* ---- tables.c ---- */
/* A table of a run by its name, but the comparison, which is of all runs; false when they do not hold what it takes. */
bool congru_report_fill(const report_run *run, const char *name, size_t pipeline, congru_table *table);
bool congru_report_fill_comparison(const congru_report *report, congru_table *table);

/* ---- choice.c ---- */
/* The pipelines meant by a choice, by index in the run. */
congru_status congru_report_choose(congru_context *context, const report_run *run,
                                   const congru_report_choice *choice, size_t *pipeline, size_t *other);

/* What the text holds becomes *out, and the text is emptied; CONGRU_ERROR_MEMORY when it failed. */
congru_status congru_report_hand_over(congru_context *context, congru_text *text, char **out);

/* Text in HTML or XML; control characters become '?'. */
void congru_report_add_markup(congru_text *text, const char *string);

#endif
