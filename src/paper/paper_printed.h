/* Titles and marks as the paper prints them. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_PAPER_PAPER_PRINTED_H
#define CONGRU_PAPER_PAPER_PRINTED_H

#include "paper/paper_job.h"

enum { CONGRU_PAPER_MARK_SIZE = 8 };

/* A line such as "Table 3, again table 10: ..." of aligners, with the title; `again` may be NULL. */
congru_status congru_paper_title(const congru_paper_job *job, const char *number, const char *again);

/* How the paper sets a cell, in letters: b bold, u underlined, i italic; arrows are themselves. */
void congru_paper_mark(const char *words, char mark[CONGRU_PAPER_MARK_SIZE]);

/* The next cell: the mark that `column` of a file has, as congru_paper_field finds it. */
void congru_paper_cell_mark(congru_table *table, const char *file, const char *column, const char *first,
                            const char *second);

/* A text with what the letters are, and what they mean in these tables. */
congru_status congru_paper_tell_marks(const congru_paper_job *job, const char *meaning);

#endif
