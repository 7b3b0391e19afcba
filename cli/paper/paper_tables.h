/* What the paper prints, from share/paper, compiled in. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLI_PAPER_TABLES_H
#define CONGRU_CLI_PAPER_TABLES_H

#include <stdbool.h>
#include <stddef.h>

/* A file's lines, ended by NULL; the first are the headings. */
typedef struct paper_file {
    const char *name; /* "synthetic" */
    const char *const *line;
} paper_file;

/* Ended by a NULL name; made by tools/embed-paper.sh. */
extern const paper_file paper_files[];

enum { PAPER_LINE_SIZE = 256, PAPER_FIELDS_MAX = 16 };

/* One line of a file, cut into fields. */
typedef struct paper_row {
    size_t count;
    char text[PAPER_LINE_SIZE];
    char *field[PAPER_FIELDS_MAX];
} paper_row;

/* Row 0, 1, ... below the headings; 0 fields after the last. Returns the number of fields. */
size_t paper_row_read(const char *file, size_t index, paper_row *row);

/* The number under `column` in the row that begins with these fields; NaN where there is none. `second` may be
 * NULL. */
double paper_number(const char *file, const char *column, const char *first, const char *second);

/* The name the paper's files have for a dataset that a file is called after, "2a" for one; NULL: it is none of the
 * paper's. Datasets by index, NULL after the last. */
const char *paper_dataset(const char *name);
const char *paper_dataset_at(size_t index);

/* What the paper has of a dataset: trials are of one subject, fewest and most. */
typedef struct paper_set {
    size_t subjects, classes, channels, trials_least, trials_most;
} paper_set;

/* By the paper's name; false when it is none of the paper's. */
bool paper_set_read(const char *dataset, paper_set *about);

#endif
