/* The accuracy of every subject under every pipeline, in percent. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLI_SCORE_TABLE_H
#define CONGRU_CLI_SCORE_TABLE_H

#include "congru/congru.h"

enum { SCORE_NAME_SIZE = 64, CSV_FIELDS_MAX = 64 };

/* Cuts a line at its commas; returns how many fields there are, at most CSV_FIELDS_MAX. No field is in quotes. */
size_t csv_split(char *line, char *field[CSV_FIELDS_MAX]);

typedef struct score_cell {
    size_t row, column;
    double sum; /* of the folds of a subject */
    size_t count;
} score_cell;

typedef struct score_table {
    char name[SCORE_NAME_SIZE]; /* of the dataset */
    size_t rows, columns, cells, cell_room;
    char (*row)[SCORE_NAME_SIZE], (*column)[SCORE_NAME_SIZE];
    score_cell *cell;
} score_table;

/* One table for each dataset; {0} is empty. Freed by score_tables_clear. */
typedef struct score_tables {
    size_t count;
    score_table *table;
} score_tables;

/* Adds a score; those of the same subject and pipeline are averaged. False where memory ends. */
bool score_tables_add(score_tables *tables, const char *dataset, const char *subject, const char *pipeline,
                      double percent);

/* Adds those of results, under a dataset name of the caller's (NULL: the results' own). */
bool score_tables_add_results(score_tables *tables, const char *dataset, const congru_results *results);

/* Adds those of a file: columns subject,PIPELINE,... with a row for each subject and percents in it, or columns
 * dataset,subject,pipeline,accuracy. Returns EXIT_DONE, or prints one line and returns EXIT_FAILED. */
int score_tables_read_csv(score_tables *tables, const char *path);

/* NaN where there is none. */
double score_table_value(const score_table *table, size_t row, const char *pipeline);

/* Subjects that both pipelines have a score of, into a and b; in one table, or in all with NULL. Returns how many. */
size_t score_tables_pair(const score_tables *tables, const score_table *table, const char *pipeline_a,
                         const char *pipeline_b, double *a, double *b);

/* The mean of a pipeline's scores on a dataset, of the subjects whose names begin with `prefix` (NULL: all); NaN where
 * there are none. *deviation, or NULL: n - 1, NaN for one. */
double score_tables_mean(const score_tables *tables, const char *dataset, const char *pipeline,
                         const char *prefix, double *deviation);

size_t score_tables_subjects(const score_tables *tables);
void score_tables_clear(score_tables *tables);

#endif
