/* A table in the making. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "congru/table.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/number_text.h"

static congru_column *add_column(congru_table *table, const char *heading, const char *title)
{
    if (table == NULL || heading == NULL)
        return NULL;
    if (table->columns == table->column_room) {
        size_t room = table->column_room > 0 ? 2 * table->column_room : 16;
        congru_column *grown = realloc(table->column, room * sizeof *grown);
        if (grown == NULL) {
            table->failed = true;
            return NULL;
        }
        table->column = grown;
        table->column_room = room;
    }
    congru_column *column = &table->column[table->columns++];
    *column = (congru_column){.scale = 1};
    congru_format(column->heading, sizeof column->heading, "%s", heading);
    congru_format(column->title, sizeof column->title, "%s", title != NULL ? title : heading);
    return column;
}

void congru_table_column_text(congru_table *table, const char *heading, const char *title)
{
    congru_column *column = add_column(table, heading, title);
    if (column != NULL)
        column->is_text = true;
}

void congru_table_headings(congru_table *table, size_t count, const char *const *heading)
{
    for (size_t i = 0; heading != NULL && i < count; i++)
        congru_table_column_text(table, heading[i], NULL);
}

void congru_table_column_number(congru_table *table, const char *heading, const char *title, double scale,
                                int decimals)
{
    congru_column *column = add_column(table, heading, title);
    if (column != NULL) {
        column->scale = scale;
        column->decimals = decimals;
    }
}

void congru_table_column_p(congru_table *table, const char *heading, const char *title)
{
    congru_column *column = add_column(table, heading, title);
    if (column != NULL)
        column->is_p = true;
}

void congru_table_signs(congru_table *table)
{
    if (table != NULL && table->columns > 0)
        table->column[table->columns - 1].signs = true;
}

void congru_table_join(congru_table *table)
{
    if (table != NULL && table->columns > 0)
        table->column[table->columns - 1].joins = true;
}

static congru_cell *add_cell(congru_table *table)
{
    if (table == NULL)
        return NULL;
    if (table->cells == table->cell_room) {
        size_t room = table->cell_room > 0 ? 2 * table->cell_room : 256;
        congru_cell *grown = realloc(table->cell, room * sizeof *grown);
        if (grown == NULL) {
            table->failed = true;
            return NULL;
        }
        table->cell = grown;
        table->cell_room = room;
    }
    congru_cell *cell = &table->cell[table->cells++];
    *cell = (congru_cell){.number = NAN};
    return cell;
}

void congru_table_text(congru_table *table, const char *text)
{
    congru_cell *cell = text != NULL ? add_cell(table) : NULL;
    if (cell != NULL && (cell->text = strdup(text)) == NULL)
        table->failed = true;
}

/* Makes "-0.00", which a small negative number is rounded to, "0.00", or "+0.00" where numbers have their sign. */
static void drop_minus(char *text, bool sign)
{
    for (char *c = text; (c = strchr(c, '-')) != NULL; c++) {
        const char behind = c[1 + strspn(c + 1, "0.")];
        const bool alone = c == text || strchr(" [(", c[-1]) != NULL;
        const bool more = (behind >= '1' && behind <= '9') || (behind >= 'a' && behind <= 'z');
        if (!alone || c[1] != '0' || more)
            continue;
        if (sign)
            *c = '+';
        else
            memmove(c, c + 1, strlen(c));
    }
}

void congru_table_format_text(congru_table *table, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    if (format == NULL)
        return;
    va_start(arguments, format);
    congru_format_list(text, sizeof text, format, arguments);
    va_end(arguments);
    if (strstr(format, "%s") == NULL) /* numbers alone: a name may be "-0" */
        drop_minus(text, strstr(format, "%+") != NULL);
    congru_table_text(table, text);
}

void congru_table_number(congru_table *table, double number)
{
    congru_cell *cell = add_cell(table);
    if (cell != NULL)
        cell->number = number;
}

void congru_table_mark(congru_table *table)
{
    if (table != NULL && table->cells > 0)
        table->cell[table->cells - 1].marked = true;
}

void congru_table_note(congru_table *table, const char *text)
{
    if (table == NULL || text == NULL)
        return;
    char **grown = realloc(table->note, (table->notes + 1) * sizeof *grown);
    if (grown != NULL) {
        table->note = grown;
        grown[table->notes] = strdup(text);
    }
    if (grown == NULL || grown[table->notes] == NULL)
        table->failed = true;
    else
        table->notes++;
}

void congru_table_clear(congru_table *table)
{
    if (table == NULL)
        return;
    for (size_t i = 0; i < table->cells; i++)
        free(table->cell[i].text);
    for (size_t i = 0; i < table->notes; i++)
        free(table->note[i]);
    free(table->note);
    free(table->cell);
    free(table->column);
    *table = (congru_table){0};
}
