/* What the paper prints, from share/paper, compiled in. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_PAPER_PAPER_TABLES_H
#define CONGRU_PAPER_PAPER_TABLES_H

#include <stdbool.h>
#include <stddef.h>

/* A file's lines, ended by NULL; the first are the headings. */
typedef struct congru_paper_file {
    const char *name; /* "synthetic" */
    const char *const *line;
} congru_paper_file;

/* Ended by a NULL name; made by tools/embed-paper.sh. */
extern const congru_paper_file congru_paper_files[];

enum { CONGRU_PAPER_LINE_SIZE = 1024, CONGRU_PAPER_FIELDS_MAX = 16 };

/* One line of a file, cut into fields. */
typedef struct congru_paper_row {
    size_t count;
    char text[CONGRU_PAPER_LINE_SIZE];
    char *field[CONGRU_PAPER_FIELDS_MAX];
} congru_paper_row;

/* Cuts a line at its commas, but for those between quotes. Returns the number of fields. */
size_t congru_paper_row_split(const char *line, congru_paper_row *row);

/* Row 0, 1, ... below the headings; 0 fields after the last. Returns the number of fields. */
size_t congru_paper_row_read(const char *file, size_t index, congru_paper_row *row);

/* The text under `column` in the row that begins with these fields, kept in `row`; "" where there is none. `second` may be
 * NULL. */
const char *congru_paper_field(const char *file, const char *column, const char *first, const char *second,
                               congru_paper_row *row);

/* The number under `column` in the row that begins with these fields; NaN where there is none. `second` may be
 * NULL. */
double congru_paper_number(const char *file, const char *column, const char *first, const char *second);

/* The name the paper's files have for a dataset that a file is called after, "2a" for one; NULL: it is none of the
 * paper's. Datasets by index, NULL after the last. */
const char *congru_paper_dataset(const char *name);
const char *congru_paper_dataset_at(size_t index);

/* What the paper has of a dataset: trials are of one subject, fewest and most. */
typedef struct congru_paper_facts {
    size_t subjects, classes, channels, trials_least, trials_most;
} congru_paper_facts;

enum { CONGRU_PAPER_OTHER_NAMES = 3 };

/* What a dataset is also called, by index up to CONGRU_PAPER_OTHER_NAMES, its own name first; NULL where it has fewer. */
const char *congru_paper_dataset_name(const char *dataset, size_t index);

/* By the paper's name; false when it is none of the paper's. */
bool congru_paper_facts_read(const char *dataset, congru_paper_facts *about);

#endif
