/* A table in the making, and how it is written. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_REPORT_TABLE_TEXT_H
#define CONGRU_REPORT_TABLE_TEXT_H

#include "report/report_internal.h"

typedef struct report_column {
    char heading[CONGRU_LABEL_SIZE + 32]; /* in CSV */
    char title[CONGRU_LABEL_SIZE + 32];   /* for people */
    int decimals;                         /* of the rounded form */
    double scale;                         /* from the number to the rounded form: 100 for per cent */
    bool is_text;
    bool joins; /* in the rounded form, written behind the column before it, after a plus-minus sign */
} report_column;

typedef struct report_cell {
    char *text; /* owned; of a column of text */
    bool marked;
    double number;
} report_cell;

/* {0} is empty. Columns first, then cells row by row. A failed allocation stays in `failed`. */
typedef struct report_table {
    const char *title;
    size_t columns, cells, column_room, cell_room;
    report_column *column;
    report_cell *cell;
    bool failed;
} report_table;

void congru_table_column_text(report_table *table, const char *heading, const char *title);
void congru_table_column_number(report_table *table, const char *heading, const char *title, double scale,
                                int decimals);
void congru_table_join(report_table *table); /* the last column joins the one before it */
void congru_table_text(report_table *table, const char *text);
void congru_table_number(report_table *table, double number);
void congru_table_mark(report_table *table); /* the last cell, of text: with '*' where it is for people */
void congru_table_clear(report_table *table);

void congru_table_write(congru_text *text, const report_table *table, congru_table_format format);

#endif
