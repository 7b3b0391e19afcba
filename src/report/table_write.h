/* How a table is written, inside the library. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_REPORT_TABLE_WRITE_H
#define CONGRU_REPORT_TABLE_WRITE_H

#include "congru/table.h"
#include "report/report_internal.h"

enum { CONGRU_ROUNDED_SIZE = 48 };

/* The number of a cell as subjects read it; "-" where there is none. */
void congru_table_round(const congru_column *column, const congru_cell *cell,
                        char rounded[CONGRU_ROUNDED_SIZE]);

/* Whether a column is of words: one of text in which not all cells are numbers. */
bool congru_table_is_text(const congru_table *table, size_t column);

/* In any format; layout may be NULL. */
void congru_table_write(congru_text *text, const congru_table *table, congru_table_format format,
                        const congru_table_layout *layout);
void congru_table_write_plain(congru_text *text, const congru_table *table, const congru_table_layout *layout);
void congru_table_write_markdown(congru_text *text, const congru_table *table);

#endif
