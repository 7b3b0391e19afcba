/* Tables that are written as text, Markdown, CSV, LaTeX, HTML or JSON. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_TABLE_H
#define CONGRU_TABLE_H

#include "congru/status.h"
#include "congru/text.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum congru_table_format {
    CONGRU_TABLE_CSV,      /* numbers with all their digits */
    CONGRU_TABLE_LATEX,    /* rounded, for \input; needs the package booktabs */
    CONGRU_TABLE_HTML,     /* rounded, a table element */
    CONGRU_TABLE_TEXT,     /* rounded, in columns, numbers in line by their decimal points; notes below */
    CONGRU_TABLE_MARKDOWN, /* rounded */
    CONGRU_TABLE_JSON /* numbers with all their digits: {"title", "rows": [{HEADING: VALUE, ...}, ...], "notes"} */
} congru_table_format;

enum { CONGRU_HEADING_SIZE = 96 };

typedef struct congru_column {
    char heading[CONGRU_HEADING_SIZE]; /* in CSV and JSON */
    char title[CONGRU_HEADING_SIZE];   /* elsewhere */
    int decimals;                      /* of the rounded form */
    double scale;                      /* from the number to the rounded form: 100 for per cent */
    bool is_text;
    bool is_p;  /* rounded as congru_p_text does */
    bool signs; /* the rounded form has its sign, '+' too */
    bool joins; /* in the rounded form, written behind the column before it, after a plus-minus sign */
} congru_column;

typedef struct congru_cell {
    char *text; /* NULL: the number */
    bool marked;
    double number;
} congru_cell;

/* {0} is empty; title may be NULL. Columns first, then cells row by row. A failed allocation stays in `failed`, and is
 * said when the table is printed. Freed by congru_table_clear. */
typedef struct congru_table {
    const char *title;
    size_t columns, cells, column_room, cell_room;
    congru_column *column;
    congru_cell *cell;
    size_t notes;
    char **note;   /* (notes) lines below the table */
    size_t strong; /* the row, counted from 1, that stands out; 0: none */
    bool failed;
} congru_table;

/* Columns of names, of numbers, of p-values; with NULL the title is the heading. A column of text whose cells are all numbers is written as one of numbers. */
CONGRU_API void congru_table_column_text(congru_table *table, const char *heading, const char *title);
CONGRU_API void congru_table_headings(congru_table *table, size_t count,
                                      const char *const *heading); /* so many of text */
CONGRU_API void congru_table_column_number(congru_table *table, const char *heading, const char *title,
                                           double scale, int decimals);
CONGRU_API void congru_table_column_p(congru_table *table, const char *heading, const char *title);
CONGRU_API void congru_table_join(congru_table *table);  /* the last column joins the one before it */
CONGRU_API void congru_table_signs(congru_table *table); /* numbers of the last column have their sign */

/* The next cell: a text, one that is formatted, a number (NaN: none). Text may stand in a column of numbers. */
CONGRU_API void congru_table_text(congru_table *table, const char *text);
CONGRU_API void congru_table_format_text(congru_table *table, const char *format, ...) CONGRU_PRINTF(2, 3);
CONGRU_API void congru_table_number(congru_table *table, double number);
CONGRU_API void congru_table_mark(congru_table *table); /* the last cell, with '*' where it is for readers */

CONGRU_API void congru_table_note(congru_table *table, const char *text);
CONGRU_API void congru_table_clear(congru_table *table);

/* How a table is written as text; {0}: in columns, however wide. */
typedef struct congru_table_layout {
    size_t
        width; /* a wider table is written as a list, each row as its first cell with the others under it; 0: never */
    size_t indent; /* blanks before each line */
    bool bold;     /* the strong row by the codes of a terminal */
} congru_table_layout;

/* The table as text that ends with '\0' and is freed by congru_report_text_destroy. layout may be NULL. Control characters
 * that names hold become '?', but in JSON, which has a form for them. CONGRU_ERROR_ARGUMENT for a table whose last row is not whole. */
CONGRU_API congru_status congru_table_print(congru_context *context, const congru_table *table,
                                            congru_table_format format, const congru_table_layout *layout,
                                            char **text);

#ifdef __cplusplus
}
#endif
#endif
