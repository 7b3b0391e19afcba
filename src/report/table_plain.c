/* Tables as plain text and as Markdown. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number_text.h"
#include "report/table_write.h"

enum { GAP = 2, STACK_INDENT = 2, SIGN = 3 };

void congru_table_round(const congru_column *column, const congru_cell *cell, char rounded[CONGRU_ROUNDED_SIZE])
{
    const double number = cell->number * column->scale;
    if (!isfinite(number))
        strcpy(rounded, "-");
    else if (column->is_p)
        congru_p_text(number, rounded);
    else
        congru_format(rounded, CONGRU_ROUNDED_SIZE, column->signs ? "%+.*f" : "%.*f", column->decimals,
                      congru_plain_zero(number, column->decimals));
}

static bool is_number(const char *text)
{
    return strspn(text, "0123456789.e+-") == strlen(text);
}

bool congru_table_is_text(const congru_table *table, size_t column)
{
    if (!table->column[column].is_text)
        return false;
    for (size_t i = column; i < table->cells; i += table->columns)
        if (table->cell[i].text != NULL && !is_number(table->cell[i].text))
            return true;
    return table->cells == 0;
}

/* ---- Characters ---- */

/* Adds text without control characters; returns the columns it takes, one for each character. */
static size_t add_clean(congru_text *text, const char *string)
{
    size_t columns = 0, left = strlen(string);
    for (; left > 0; columns++) {
        uint32_t number = 0;
        const size_t size = congru_utf8_decode(string, left, &number), step = size > 0 ? size : 1;
        if (size == 0 || congru_utf8_is_control(number))
            congru_text_add(text, "?");
        else
            congru_text_add_bytes(text, string, size);
        string += step;
        left -= step;
    }
    return columns;
}

static size_t columns_of(const char *string)
{
    size_t columns = 0, left = strlen(string);
    for (; left > 0; columns++) {
        uint32_t number;
        const size_t size = congru_utf8_decode(string, left, &number), step = size > 0 ? size : 1;
        string += step;
        left -= step;
    }
    return columns;
}

static void add_blanks(congru_text *text, size_t count)
{
    congru_text_add(text, "%*s", (int)count, "");
}

/* ---- Cells ---- */

/* A cell as it is read, with its mark, into `out`, which is freed by the caller. */
static void make_cell(const congru_table *table, size_t index, congru_text *out)
{
    const congru_cell *cell = &table->cell[index];
    char rounded[CONGRU_ROUNDED_SIZE];
    congru_table_round(&table->column[index % table->columns], cell, rounded);
    add_clean(out, cell->text != NULL ? cell->text : rounded);
    congru_text_add(out, cell->marked ? " *" : "");
}

/* The columns before and from the decimal point on, of a number; all before of anything else. */
static void split_number(const char *text, size_t *before, size_t *behind)
{
    const size_t digits = strspn(text, "+-0123456789"), all = columns_of(text);
    const bool decimal = digits > 0 && (text[digits] == '.' || text[digits] == 'e');
    *before = decimal ? digits : all;
    *behind = all - *before;
}

typedef struct plain_column {
    bool words;
    size_t before, behind; /* the most of its numbers */
    size_t width;
} plain_column;

typedef struct plain_table {
    const congru_table *table;
    congru_text *cell; /* (cells) */
    plain_column *column;
} plain_table;

static bool is_joined(const congru_table *table, size_t column)
{
    return column + 1 < table->columns && table->column[column + 1].joins;
}

/* Both columns and the sign between them are under one heading. */
static void widen_joined(const congru_table *table, plain_column *column)
{
    for (size_t c = 0; c < table->columns; c++)
        if (is_joined(table, c)) {
            const size_t heading = columns_of(table->column[c].title);
            const size_t both = column[c].width + SIGN + column[c + 1].width;
            column[c].width += heading > both ? heading - both : 0;
        }
}

static bool measure(plain_table *plain)
{
    const congru_table *table = plain->table;
    bool failed = false;
    for (size_t i = 0; i < table->cells; i++) {
        make_cell(table, i, &plain->cell[i]);
        congru_text_add(&plain->cell[i], "%s", "");
        failed = failed || plain->cell[i].failed || plain->cell[i].data == NULL;
    }
    for (size_t c = 0; !failed && c < table->columns; c++) {
        plain_column *column = &plain->column[c];
        const bool alone = !table->column[c].joins && !is_joined(table, c);
        size_t whole = alone ? columns_of(table->column[c].title) : 0;
        column->words = congru_table_is_text(table, c);
        for (size_t i = c; i < table->cells; i += table->columns) {
            size_t before, behind, all = columns_of(plain->cell[i].data);
            split_number(plain->cell[i].data, &before, &behind);
            if (!column->words && behind > 0) {
                column->before = before > column->before ? before : column->before;
                column->behind = behind > column->behind ? behind : column->behind;
            }
            whole = all > whole ? all : whole;
        }
        column->width = column->before + column->behind > whole ? column->before + column->behind : whole;
    }
    widen_joined(table, plain->column);
    return !failed;
}

/* A cell in its column. Blanks are owed, and are paid only before text, so that no line ends with any. */
static void add_cell(congru_text *text, const plain_column *column, const char *cell, size_t *owed)
{
    size_t before, behind, pad = column->width - columns_of(cell);
    split_number(cell, &before, &behind);
    /* A number without decimals ends where the others have their point. */
    size_t after = column->words ? pad : column->behind > behind ? column->behind - behind : 0;
    after = after > pad ? pad : after;
    *owed += pad - after;
    if (*cell != '\0') {
        add_blanks(text, *owed);
        congru_text_add(text, "%s", cell);
        *owed = 0;
    }
    *owed += after + GAP;
}

static void add_heading(congru_text *text, const plain_table *plain, size_t c, size_t *owed)
{
    const congru_table *table = plain->table;
    congru_text title = {0};
    size_t width = plain->column[c].width;
    if (table->column[c].joins)
        return;
    if (is_joined(table, c))
        width += SIGN + plain->column[c + 1].width;
    add_clean(&title, table->column[c].title);
    congru_text_add(&title, "%s", "");
    const size_t own = title.data != NULL ? columns_of(title.data) : 0, pad = width > own ? width - own : 0;
    *owed += plain->column[c].words ? 0 : pad;
    if (own > 0) {
        add_blanks(text, *owed);
        congru_text_add(text, "%s", title.data);
        *owed = 0;
    }
    *owed += (plain->column[c].words ? pad : 0) + GAP;
    text->failed = text->failed || title.failed;
    congru_text_clear(&title);
}

static void write_columns(congru_text *text, const plain_table *plain, const congru_table_layout *layout)
{
    const congru_table *table = plain->table;
    size_t owed = layout->indent;
    for (size_t c = 0; c < table->columns; c++)
        add_heading(text, plain, c, &owed);
    congru_text_add(text, "\n");
    for (size_t i = 0; i < table->cells; i += table->columns) {
        const bool strong = layout->bold && table->strong > 0 && i / table->columns + 1 == table->strong;
        congru_text_add(text, strong ? "\033[1m" : "");
        owed = layout->indent;
        for (size_t c = 0; c < table->columns; c++) {
            const bool none = table->cell[i + c].text == NULL && !isfinite(table->cell[i + c].number);
            if (table->column[c].joins && none) {
                owed += plain->column[c].width + SIGN;
                continue;
            }
            if (table->column[c].joins) { /* one blank, the sign and another in the place of the gap */
                add_blanks(text, owed - GAP + 1);
                congru_text_add(text, "±");
                owed = 1;
            }
            add_cell(text, &plain->column[c], plain->cell[i + c].data, &owed);
        }
        congru_text_add(text, strong ? "\033[0m\n" : "\n");
    }
}

/* Words, with lines broken at blanks; the cursor is at `column`. */
static void add_wrapped(congru_text *text, const char *string, size_t column, size_t indent, size_t width)
{
    bool empty = true;
    while (*string != '\0') {
        const size_t bytes = strcspn(string, " ");
        congru_text word = {0};
        congru_text_add_bytes(&word, string, bytes);
        congru_text_add(&word, "%s", "");
        const size_t own = word.data != NULL ? columns_of(word.data) : 0;
        if (!empty && width > 0 && column + 1 + own > width) {
            congru_text_add(text, "\n");
            add_blanks(text, indent);
            column = indent;
        } else if (!empty) {
            congru_text_add(text, " ");
            column++;
        }
        congru_text_add_bytes(text, string, bytes);
        text->failed = text->failed || word.failed;
        congru_text_clear(&word);
        column += own;
        empty = false;
        string += bytes + (string[bytes] != '\0');
    }
    congru_text_add(text, "\n");
}

/* Each row as its first cell, the others under it by their headings. */
static void write_list(congru_text *text, const plain_table *plain, const congru_table_layout *layout)
{
    const congru_table *table = plain->table;
    const size_t deep = layout->indent + STACK_INDENT;
    for (size_t i = 0; i < table->cells; i += table->columns) {
        add_blanks(text, layout->indent);
        add_wrapped(text, plain->cell[i].data, layout->indent, deep, layout->width);
        for (size_t c = 1; c < table->columns; c++) {
            congru_text line = {0};
            if (table->column[c].joins || plain->cell[i + c].data[0] == '\0')
                continue;
            add_clean(&line, table->column[c].title);
            congru_text_add(&line, ": %s", plain->cell[i + c].data);
            if (c + 1 < table->columns && table->column[c + 1].joins && isfinite(table->cell[i + c + 1].number))
                congru_text_add(&line, " ± %s", plain->cell[i + c + 1].data);
            add_blanks(text, deep);
            if (line.data != NULL)
                add_wrapped(text, line.data, deep, deep + STACK_INDENT, layout->width);
            text->failed = text->failed || line.failed;
            congru_text_clear(&line);
        }
    }
}

void congru_table_write_plain(congru_text *text, const congru_table *table, const congru_table_layout *layout)
{
    const congru_table_layout any = {0};
    plain_table plain = {.table = table,
                         .cell = calloc(table->cells + 1, sizeof *plain.cell),
                         .column = calloc(table->columns + 1, sizeof *plain.column)};
    layout = layout != NULL ? layout : &any;
    size_t total = layout->indent;
    text->failed = text->failed || plain.cell == NULL || plain.column == NULL || !measure(&plain);
    for (size_t c = 0; !text->failed && c < table->columns; c++)
        total += plain.column[c].width + (c > 0 ? GAP : 0) + table->column[c].joins;
    if (!text->failed && (layout->width == 0 || total <= layout->width))
        write_columns(text, &plain, layout);
    else if (!text->failed)
        write_list(text, &plain, layout);
    for (size_t i = 0; !text->failed && i < table->notes; i++) {
        congru_text note = {0};
        congru_text_add(text, i == 0 ? "\n" : "");
        add_clean(&note, table->note[i]);
        congru_text_add(&note, "%s", "");
        add_blanks(text, layout->indent);
        add_wrapped(text, note.data != NULL ? note.data : "", layout->indent, layout->indent + STACK_INDENT,
                    layout->width);
        text->failed = text->failed || note.failed;
        congru_text_clear(&note);
    }
    for (size_t i = 0; plain.cell != NULL && i < table->cells; i++)
        congru_text_clear(&plain.cell[i]);
    free(plain.cell);
    free(plain.column);
}

/* ---- Markdown ---- */

static void add_markdown(congru_text *text, const char *string)
{
    for (; *string != '\0'; string++)
        congru_text_add(text, strchr("|\\`*_<>[]", *string) != NULL ? "\\%c" : "%c",
                        (unsigned char)*string < ' ' || *string == 0x7f ? '?' : *string);
}

void congru_table_write_markdown(congru_text *text, const congru_table *table)
{
    congru_text_add(text, "|");
    for (size_t c = 0; c < table->columns; c++) {
        if (table->column[c].joins)
            continue;
        congru_text_add(text, " ");
        add_markdown(text, table->column[c].title);
        congru_text_add(text, " |");
    }
    congru_text_add(text, "\n|");
    for (size_t c = 0; c < table->columns; c++)
        congru_text_add(text, table->column[c].joins           ? ""
                              : congru_table_is_text(table, c) ? " --- |"
                                                               : " ---: |");
    for (size_t i = 0; i < table->cells; i++) {
        const size_t c = i % table->columns;
        const congru_cell *cell = &table->cell[i];
        char rounded[CONGRU_ROUNDED_SIZE];
        congru_table_round(&table->column[c], cell, rounded);
        if (table->column[c].joins && cell->text == NULL && !isfinite(cell->number)) {
            congru_text_add(text, c + 1 == table->columns ? " |" : "");
            continue;
        }
        congru_text_add(text, c == 0 ? "\n| " : table->column[c].joins ? " ± " : " | ");
        add_markdown(text, cell->text != NULL ? cell->text : rounded);
        congru_text_add(text, cell->marked ? " \\*" : "");
        congru_text_add(text, c + 1 == table->columns ? " |" : "");
    }
    congru_text_add(text, "\n");
    for (size_t i = 0; i < table->notes; i++) {
        congru_text_add(text, "\n");
        add_markdown(text, table->note[i]);
        congru_text_add(text, "\n");
    }
}
