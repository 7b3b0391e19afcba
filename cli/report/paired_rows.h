/* Paired comparisons of pipelines, with what many of them take from each. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLI_PAIRED_ROWS_H
#define CONGRU_CLI_PAIRED_ROWS_H

#include "results_print.h"
#include "score_table.h"

/* a - b over the subjects of one dataset, or of all together. */
typedef struct paired_row {
    const char *dataset, *a, *b;
    congru_comparison result;
    double p;    /* Wilcoxon's: paired_p */
    double holm; /* corrected for the other pairs of the same dataset */
} paired_row;

/* The exact p, whatever ties there are, for up to 13 pairs that differ, and the library's beyond. */
double paired_p(const congru_comparison *result);

/* Compares two pipelines in one table, or in all with NULL. Differences are rounded at 1e-9, so that those which are
 * equal in counts of trials are ties. *row has count 0 where no subject has both. Returns EXIT_DONE, or prints one
 * line and returns EXIT_FAILED. */
int paired_row_make(congru_context *context, const score_tables *tables, const score_table *table,
                    const char *a, const char *b, paired_row *row);

/* Fills in `holm` of rows that follow each other and have the same dataset. */
int paired_rows_correct(congru_context *context, size_t count, paired_row *rows);

/* p to three decimals, or its power of ten where it is below. */
void paired_p_text(double p, char text[16]);

int paired_rows_print(const paired_row *rows, size_t count, bool permutation, table_format format);

/* FOLDER/statistics.json, which the report reads. */
int paired_rows_save(const paired_row *rows, size_t count, bool permutation, const char *folder);

#endif
