/* Tables of results on standard output. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLI_RESULTS_SHOW_H
#define CONGRU_CLI_RESULTS_SHOW_H

#include "table_show.h"

/* The metrics of a table. */
typedef struct metric_list {
    size_t count;
    congru_score metric[CONGRU_SCORE_KINDS];
    double trial; /* seconds; 0: not known */
} metric_list;

/* Accuracy, kappa, seconds. */
extern const metric_list metrics_default;

/* A row for each pipeline, or, of the first metric, one for each subject; what is missing of the results and whom to
 * mistrust below. Each returns EXIT_DONE, or prints one line and returns EXIT_FAILED. */
int results_show_scores(congru_context *context, const congru_results *results, const metric_list *list,
                        bool by_subject, congru_table_format format);

/* One table for each pipeline, under a line that says what it is; `before` other tables were printed. */
int results_show_classes(congru_context *context, const congru_results *results, const char *what, int before,
                         congru_status (*fill)(congru_context *, const congru_results *, size_t,
                                               congru_table *),
                         congru_table_format format);

/* Comparisons; as text, a table for each dataset under its name. */
int pairs_show(congru_context *context, size_t count, const congru_pair *pair, bool permutation,
               congru_table_format format);

#endif
