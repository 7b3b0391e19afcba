/* Tables as CSV, LaTeX and HTML. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "report/table_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number_text.h"

static report_column *add_column(report_table *table, const char *heading, const char *title)
{
    if (table->columns == table->column_room) {
        size_t room = table->column_room > 0 ? 2 * table->column_room : 16;
        report_column *grown = realloc(table->column, room * sizeof *grown);
        if (grown == NULL) {
            table->failed = true;
            return NULL;
        }
        table->column = grown;
        table->column_room = room;
    }
    report_column *column = &table->column[table->columns++];
    *column = (report_column){.scale = 1};
    snprintf(column->heading, sizeof column->heading, "%s", heading);
    snprintf(column->title, sizeof column->title, "%s", title);
    return column;
}

void congru_table_column_text(report_table *table, const char *heading, const char *title)
{
    report_column *column = add_column(table, heading, title);
    if (column != NULL)
        column->is_text = true;
}

void congru_table_column_number(report_table *table, const char *heading, const char *title, double scale,
                                int decimals)
{
    report_column *column = add_column(table, heading, title);
    if (column != NULL) {
        column->scale = scale;
        column->decimals = decimals;
    }
}

void congru_table_join(report_table *table)
{
    if (table->columns > 0)
        table->column[table->columns - 1].joins = true;
}

static report_cell *add_cell(report_table *table)
{
    if (table->cells == table->cell_room) {
        size_t room = table->cell_room > 0 ? 2 * table->cell_room : 256;
        report_cell *grown = realloc(table->cell, room * sizeof *grown);
        if (grown == NULL) {
            table->failed = true;
            return NULL;
        }
        table->cell = grown;
        table->cell_room = room;
    }
    report_cell *cell = &table->cell[table->cells++];
    *cell = (report_cell){.number = NAN};
    return cell;
}

void congru_table_text(report_table *table, const char *text)
{
    report_cell *cell = add_cell(table);
    if (cell != NULL && (cell->text = strdup(text)) == NULL)
        table->failed = true;
}

void congru_table_number(report_table *table, double number)
{
    report_cell *cell = add_cell(table);
    if (cell != NULL)
        cell->number = number;
}

void congru_table_mark(report_table *table)
{
    if (table->cells > 0)
        table->cell[table->cells - 1].marked = true;
}

void congru_table_clear(report_table *table)
{
    for (size_t i = 0; i < table->cells; i++)
        free(table->cell[i].text);
    free(table->cell);
    free(table->column);
    *table = (report_table){0};
}

/* ---- CSV ---- */

/* The shortest form that reads back as the same number. */
static void add_exact(congru_text *text, double number)
{
    char digits[40];
    for (int precision = 15; precision <= 17; precision++) {
        congru_format(digits, sizeof digits, "%.*g", precision, number);
        if (congru_number_read(digits, NULL) == number)
            break;
    }
    congru_text_add(text, "%s", digits);
}

static void write_csv(congru_text *text, const report_table *table)
{
    for (size_t c = 0; c < table->columns; c++) {
        congru_text_add(text, c > 0 ? "," : "");
        congru_text_add_csv(text, table->column[c].heading);
    }
    for (size_t i = 0, c = 0; i < table->cells; i++, c = c + 1 < table->columns ? c + 1 : 0) {
        congru_text_add(text, c > 0 ? "," : "\n");
        if (table->column[c].is_text)
            congru_text_add_csv(text, table->cell[i].text != NULL ? table->cell[i].text : "");
        else if (isfinite(table->cell[i].number))
            add_exact(text, table->cell[i].number);
    }
    congru_text_add(text, "\n");
}

/* ---- LaTeX ---- */

static void add_latex(congru_text *text, const char *string)
{
    static const char special[] = "\\{}$&#_%^~<>";
    static const char *const written[] = {"\\textbackslash{}",
                                          "\\{",
                                          "\\}",
                                          "\\$",
                                          "\\&",
                                          "\\#",
                                          "\\_",
                                          "\\%",
                                          "\\textasciicircum{}",
                                          "\\textasciitilde{}",
                                          "\\textless{}",
                                          "\\textgreater{}"};
    for (; *string != '\0'; string++) {
        const char *found = strchr(special, *string);
        if (found != NULL)
            congru_text_add(text, "%s", written[found - special]);
        else
            congru_text_add(text, "%c", (unsigned char)*string < ' ' ? ' ' : *string);
    }
}

static void add_latex_cell(congru_text *text, const report_column *column, const report_cell *cell, bool joins)
{
    if (column->is_text) {
        add_latex(text, cell->text != NULL ? cell->text : "");
        congru_text_add(text, cell->marked ? "$^*$" : "");
    } else if (isfinite(cell->number))
        congru_text_add(text, "%s%s%.*f", joins ? " $\\pm$ " : "",
                        !joins && congru_plain_zero(cell->number * column->scale, column->decimals) < 0 ? "$-$"
                                                                                                        : "",
                        column->decimals, fabs(cell->number * column->scale));
    else if (!joins)
        congru_text_add(text, "--");
}

static void write_latex(congru_text *text, const report_table *table)
{
    congru_text_add(text, "%% %s; needs \\usepackage{booktabs}\n\\begin{tabular}{", table->title);
    for (size_t c = 0; c < table->columns; c++)
        congru_text_add(text, table->column[c].joins ? "" : table->column[c].is_text ? "l" : "r");
    congru_text_add(text, "}\n\\toprule\n");
    for (size_t c = 0; c < table->columns; c++) {
        if (table->column[c].joins)
            continue;
        congru_text_add(text, c > 0 ? " & " : "");
        add_latex(text, table->column[c].title);
    }
    congru_text_add(text, " \\\\\n\\midrule\n");
    for (size_t i = 0, c = 0; i < table->cells; i++, c = c + 1 < table->columns ? c + 1 : 0) {
        bool joins = table->column[c].joins;
        congru_text_add(text, c > 0 && !joins ? " & " : "");
        add_latex_cell(text, &table->column[c], &table->cell[i], joins);
        congru_text_add(text, c + 1 == table->columns ? " \\\\\n" : "");
    }
    congru_text_add(text, "\\bottomrule\n\\end{tabular}\n");
}

/* ---- HTML ---- */

void congru_report_add_markup(congru_text *text, const char *string)
{
    static const char special[] = "<>&\"'";
    static const char *const written[] = {"&lt;", "&gt;", "&amp;", "&quot;", "&#39;"};
    for (; *string != '\0'; string++) {
        const char *found = strchr(special, *string);
        if (found != NULL)
            congru_text_add(text, "%s", written[found - special]);
        else
            congru_text_add(text, "%c", (unsigned char)*string < ' ' || *string == 0x7f ? '?' : *string);
    }
}

static void add_html_cell(congru_text *text, const report_column *column, const report_cell *cell, bool first)
{
    if (column->is_text) {
        congru_text_add(text, first ? "<th scope=\"row\">" : "<td>");
        congru_report_add_markup(text, cell->text != NULL ? cell->text : "");
        congru_text_add(text, cell->marked ? " *" : "");
        return;
    }
    if (!column->joins)
        congru_text_add(text, "<td class=\"number\">");
    if (isfinite(cell->number))
        congru_text_add(text, "%s%.*f", column->joins ? " ± " : "", column->decimals,
                        congru_plain_zero(cell->number * column->scale, column->decimals));
    else if (!column->joins)
        congru_text_add(text, "–");
}

static void write_html(congru_text *text, const report_table *table)
{
    congru_text_add(text, "<table><caption>");
    congru_report_add_markup(text, table->title);
    congru_text_add(text, "</caption><thead><tr>");
    for (size_t c = 0; c < table->columns; c++) {
        if (table->column[c].joins)
            continue;
        congru_text_add(text, table->column[c].is_text ? "<th scope=\"col\">"
                                                       : "<th scope=\"col\" class=\"number\">");
        congru_report_add_markup(text, table->column[c].title);
        congru_text_add(text, "</th>");
    }
    congru_text_add(text, "</tr></thead>\n<tbody>");
    for (size_t i = 0, c = 0; i < table->cells; i++, c = c + 1 < table->columns ? c + 1 : 0) {
        congru_text_add(text, c == 0 ? "<tr>" : "");
        add_html_cell(text, &table->column[c], &table->cell[i], c == 0);
        if (c + 1 == table->columns || !table->column[c + 1].joins)
            congru_text_add(text, c == 0 && table->column[0].is_text ? "</th>" : "</td>");
        congru_text_add(text, c + 1 == table->columns ? "</tr>\n" : "");
    }
    congru_text_add(text, "</tbody></table>\n");
}

void congru_table_write(congru_text *text, const report_table *table, congru_table_format format)
{
    text->failed = text->failed || table->failed;
    if (format == CONGRU_TABLE_CSV)
        write_csv(text, table);
    else if (format == CONGRU_TABLE_LATEX)
        write_latex(text, table);
    else
        write_html(text, table);
}
