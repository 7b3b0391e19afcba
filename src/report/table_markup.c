/* Tables as CSV, JSON, LaTeX and HTML. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/number_text.h"
#include "report/table_write.h"

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

/* Blanks in front line numbers up in print, and a dash says that there is none: neither is data. */
static const char *plain_cell(const char *cell)
{
    cell += strspn(cell, " ");
    return strcmp(cell, "-") == 0 ? "" : cell;
}

static void write_csv(congru_text *text, const congru_table *table)
{
    for (size_t c = 0; c < table->columns; c++) {
        congru_text_add(text, c > 0 ? "," : "");
        congru_text_add_csv(text, table->column[c].heading);
    }
    for (size_t i = 0, c = 0; i < table->cells; i++, c = c + 1 < table->columns ? c + 1 : 0) {
        congru_text_add(text, c > 0 ? "," : "\n");
        if (table->cell[i].text != NULL)
            congru_text_add_csv(text, plain_cell(table->cell[i].text));
        else if (isfinite(table->cell[i].number))
            add_exact(text, table->cell[i].number);
    }
    congru_text_add(text, "\n");
}

/* ---- JSON ---- */

static void write_json(congru_text *text, const congru_table *table)
{
    congru_text_add(text, "{\"title\": ");
    congru_text_add_json(text, table->title != NULL ? table->title : "");
    congru_text_add(text, ", \"rows\": [");
    for (size_t i = 0, c = 0; i < table->cells; i++, c = c + 1 < table->columns ? c + 1 : 0) {
        congru_text_add(text, c > 0 ? ", " : i > 0 ? ",\n{" : "\n{");
        congru_text_add_json(text, table->column[c].heading);
        congru_text_add(text, ": ");
        if (table->cell[i].text != NULL && strcmp(table->cell[i].text, "-") == 0)
            congru_text_add(text, "null");
        else if (table->cell[i].text != NULL)
            congru_text_add_json(text, plain_cell(table->cell[i].text));
        else
            congru_text_add_number(text, table->cell[i].number, 17);
        congru_text_add(text, c + 1 == table->columns ? "}" : "");
    }
    congru_text_add(text, "\n], \"notes\": [");
    for (size_t i = 0; i < table->notes; i++) {
        congru_text_add(text, i > 0 ? ", " : "");
        congru_text_add_json(text, table->note[i]);
    }
    congru_text_add(text, "]}\n");
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
    static const char *const signs[][2] = {
        {"±", "$\\pm$"}, {"↑", "$\\uparrow$"}, {"↓", "$\\downarrow$"}, {"–", "--"}};
    while (*string != '\0') {
        const char *found = strchr(special, *string);
        size_t sign = 0;
        while (sign < 4 && strncmp(string, signs[sign][0], strlen(signs[sign][0])) != 0)
            sign++;
        if (sign < 4)
            congru_text_add(text, "%s", signs[sign][1]);
        else if (found != NULL)
            congru_text_add(text, "%s", written[found - special]);
        else
            congru_text_add(text, "%c", (unsigned char)*string < ' ' ? ' ' : *string);
        string += sign < 4 ? strlen(signs[sign][0]) : 1;
    }
}

static void add_latex_cell(congru_text *text, const congru_column *column, const congru_cell *cell)
{
    char rounded[CONGRU_ROUNDED_SIZE];
    if (cell->text != NULL) {
        add_latex(text, cell->text);
        congru_text_add(text, cell->marked ? "$^*$" : "");
    } else if (isfinite(cell->number)) {
        congru_table_round(column, cell, rounded);
        congru_text_add(text, "%s%s%s", column->joins ? " $\\pm$ " : "", rounded[0] == '-' ? "$-$" : "",
                        rounded + (rounded[0] == '-'));
    } else if (!column->joins) {
        congru_text_add(text, "--");
    }
}

static void write_latex(congru_text *text, const congru_table *table)
{
    congru_text_add(text, "%% %s; needs \\usepackage{booktabs}\n\\begin{tabular}{",
                    table->title != NULL ? table->title : "A table");
    for (size_t c = 0; c < table->columns; c++)
        congru_text_add(text, table->column[c].joins ? "" : congru_table_is_text(table, c) ? "l" : "r");
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
        add_latex_cell(text, &table->column[c], &table->cell[i]);
        congru_text_add(text, c + 1 == table->columns ? " \\\\\n" : "");
    }
    congru_text_add(text, "\\bottomrule\n\\end{tabular}\n");
    for (size_t i = 0; i < table->notes; i++) {
        congru_text_add(text, "%% ");
        add_latex(text, table->note[i]);
        congru_text_add(text, "\n");
    }
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

static void add_html_cell(congru_text *text, const congru_column *column, const congru_cell *cell, bool first)
{
    char rounded[CONGRU_ROUNDED_SIZE];
    if (cell->text != NULL || column->is_text) {
        congru_text_add(text, first ? "<th scope=\"row\">" : "<td>");
        congru_report_add_markup(text, cell->text != NULL ? cell->text : "");
        congru_text_add(text, cell->marked ? " *" : "");
        return;
    }
    if (!column->joins)
        congru_text_add(text, "<td class=\"number\">");
    congru_table_round(column, cell, rounded);
    if (isfinite(cell->number))
        congru_text_add(text, "%s%s", column->joins ? " ± " : "", rounded);
    else if (!column->joins)
        congru_text_add(text, "–");
}

static void write_html(congru_text *text, const congru_table *table)
{
    congru_text_add(text, "<table><caption>");
    congru_report_add_markup(text, table->title != NULL ? table->title : "");
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
    for (size_t i = 0; i < table->notes; i++) {
        congru_text_add(text, "<p class=\"note\">");
        congru_report_add_markup(text, table->note[i]);
        congru_text_add(text, "</p>\n");
    }
}

void congru_table_write(congru_text *text, const congru_table *table, congru_table_format format,
                        const congru_table_layout *layout)
{
    text->failed = text->failed || table->failed;
    switch (format) {
    case CONGRU_TABLE_CSV:
        write_csv(text, table);
        break;
    case CONGRU_TABLE_LATEX:
        write_latex(text, table);
        break;
    case CONGRU_TABLE_HTML:
        write_html(text, table);
        break;
    case CONGRU_TABLE_TEXT:
        congru_table_write_plain(text, table, layout);
        break;
    case CONGRU_TABLE_MARKDOWN:
        congru_table_write_markdown(text, table);
        break;
    case CONGRU_TABLE_JSON:
        write_json(text, table);
        break;
    }
}

congru_status congru_table_print(congru_context *context, const congru_table *table, congru_table_format format,
                                 const congru_table_layout *layout, char **text)
{
    if (table == NULL || text == NULL || (unsigned)format > CONGRU_TABLE_JSON)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "congru_table_print: no table, no place for the text, or a format that is none");
    *text = NULL;
    if (!table->failed && (table->columns == 0 || table->cells % table->columns != 0))
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "congru_table_print: %zu cells are no rows of %zu",
                           table->cells, table->columns);
    congru_text made = {0};
    congru_table_write(&made, table, format, layout);
    return congru_report_hand_over(context, &made, text);
}
