/* Tables of results, for people, Markdown and LaTeX. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLI_RESULTS_PRINT_H
#define CONGRU_CLI_RESULTS_PRINT_H

#include "congru/congru.h"

typedef enum table_format { TABLE_TEXT, TABLE_MARKDOWN, TABLE_LATEX } table_format;

/* The paper's table: a row per pipeline with mean and standard deviation over subjects, z-score, kappa and seconds per
 * subject; '*' where subjects with few trials are among them. Each returns EXIT_DONE, or prints one line and returns EXIT_FAILED. */
int results_print_summary(congru_context *context, const congru_results *results, table_format format);

/* What is missing of the results and whom to mistrust: below a table for people, as warnings beside one for a file. With
 * `folder` each begins with it. */
void results_print_notes(const congru_results *results, const char *folder, table_format format);

/* A row per subject, a column per pipeline; subjects with few trials are marked with '*'. */
int results_print_subjects(const congru_results *results, table_format format);

/* For each pipeline, truth by answer over all subjects, in percent of the truth. */
int results_print_confusion(congru_context *context, const congru_results *results, table_format format);

#endif
