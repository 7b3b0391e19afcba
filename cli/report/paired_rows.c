/* Compares pipelines pair by pair, prints and saves. SPDX-License-Identifier: Apache-2.0 */
#include "paired_rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session.h"
#include "table_print.h"
#include "terminal.h"

static const double GRID = 1073741824.0; /* 2^30: differences are multiples of its inverse */
enum { EXACT_MAX = 13 };

double paired_p(const congru_comparison *result)
{
    const congru_wilcoxon *test = &result->wilcoxon;
    return test->used <= EXACT_MAX && !isnan(test->tied) ? test->tied : test->p;
}

int paired_row_make(congru_context *context, const score_tables *tables, const score_table *table,
                    const char *a, const char *b, paired_row *row)
{
    size_t room = score_tables_subjects(tables) + 1;
    double *score = calloc(2 * room, sizeof *score);
    if (score == NULL)
        return terminal_fail(EXIT_FAILED, "not enough memory for %zu subjects", room);
    *row = (paired_row){.dataset = table != NULL ? table->name : "all", .a = a, .b = b};
    size_t count = score_tables_pair(tables, table, a, b, score, score + room);
    for (size_t i = 0; i < count; i++) {
        score[i] = round((score[i] - score[room + i]) * GRID) / GRID;
        score[room + i] = 0;
    }
    int code = EXIT_DONE;
    if (count > 0) {
        if (congru_paired_compare(context, count, score, score + room, 0.95, &row->result) != CONGRU_OK)
            code = terminal_fail(EXIT_FAILED, "%s", congru_context_error(context));
        row->p = row->holm = paired_p(&row->result);
    }
    free(score);
    return code;
}

int paired_rows_correct(congru_context *context, size_t count, paired_row *rows)
{
    double *p = calloc(count + 1, sizeof *p);
    if (p == NULL)
        return terminal_fail(EXIT_FAILED, "not enough memory for %zu comparisons", count);
    int code = EXIT_DONE;
    for (size_t first = 0, end; code == EXIT_DONE && first < count; first = end) {
        for (end = first; end < count && strcmp(rows[end].dataset, rows[first].dataset) == 0; end++)
            p[end] = rows[end].p;
        if (congru_holm_correct(context, end - first, p + first, p + first) != CONGRU_OK)
            code = terminal_fail(EXIT_FAILED, "%s", congru_context_error(context));
        for (size_t i = first; i < end; i++)
            rows[i].holm = p[i];
    }
    free(p);
    return code;
}

void paired_p_text(double p, char text[16])
{
    snprintf(text, 16, p < 0.0005 ? "%.0e" : "%.3f", p);
}

static void add_number(text_table *table, const char *format, double number)
{
    char text[32];
    snprintf(text, sizeof text, format, number);
    terminal_plain_zero(text, strstr(format, "%+") != NULL);
    text_table_add(table, "%s", isnan(number) ? "-" : text);
}

static void add_row(text_table *table, const paired_row *row, bool datasets, bool several, bool permutation)
{
    char p[16];
    const congru_comparison *result = &row->result;
    if (datasets)
        text_table_add(table, "%s", row->dataset);
    text_table_add(table, "%s", row->a);
    text_table_add(table, "%s", row->b);
    text_table_add(table, "%zu", result->count);
    add_number(table, "%+.2f", result->gain);
    add_number(table, "%+.3f", result->effect);
    if (isnan(result->interval[0]))
        text_table_add(table, "-");
    else
        text_table_add(table, "[%.2f, %.2f]", result->interval[0], result->interval[1]);
    paired_p_text(row->p, p);
    text_table_add(table, "%s", p);
    paired_p_text(row->holm, p);
    if (several)
        text_table_add(table, "%s", p);
    paired_p_text(result->permutation, p);
    if (permutation)
        text_table_add(table, "%s", p);
    text_table_add(table, "%.2f", result->improved);
}

static int print_rows(const paired_row *rows, size_t count, bool datasets, bool permutation,
                      table_format format)
{
    enum { DATASET, HOLM = 8, FLIPS, HEADINGS = 11 };
    static const char *const headings[HEADINGS] = {
        "dataset", "pipeline", "against", "n", "gain", "d_z", "95 % interval", "p", "Holm", "flips", "up"};
    bool several = false;
    for (size_t i = 1; i < count; i++)
        several |= strcmp(rows[i].dataset, rows[i - 1].dataset) == 0;
    text_table table = {.columns = (size_t)(HEADINGS - !datasets - !several - !permutation)};
    for (size_t i = datasets ? DATASET : 1; i < HEADINGS; i++)
        if ((i != HOLM || several) && (i != FLIPS || permutation))
            text_table_add(&table, "%s", headings[i]);
    for (size_t i = 0; i < count; i++)
        add_row(&table, &rows[i], datasets, several, permutation);
    int code = table_print(&table, format);
    text_table_clear(&table);
    return code;
}

int paired_rows_print(const paired_row *rows, size_t count, bool permutation, table_format format)
{
    bool datasets = count > 0 && strcmp(rows[0].dataset, rows[count - 1].dataset) != 0;
    int code = EXIT_DONE;
    if (!datasets || format != TABLE_TEXT)
        return print_rows(rows, count, datasets, permutation, format);
    for (size_t first = 0, end; code == EXIT_DONE && first < count; first = end) {
        for (end = first; end < count && strcmp(rows[end].dataset, rows[first].dataset) == 0; end++)
            ;
        printf("%s%s:\n", first > 0 ? "\n" : "", rows[first].dataset);
        code = print_rows(rows + first, end - first, false, permutation, format);
    }
    return code;
}

int paired_rows_save(const paired_row *rows, size_t count, bool permutation, const char *folder)
{
    congru_text text = {0};
    congru_text_add(&text, "{\n  \"comparisons\": [");
    for (size_t i = 0; i < count; i++) {
        const congru_comparison *result = &rows[i].result;
        const struct {
            const char *name;
            double value;
        } numbers[] = {{"n", (double)result->count},
                       {"mean_gain", result->gain / 100}, /* the report wants parts of 1 */
                       {"d_z", result->effect},
                       {"p", rows[i].p},
                       {"p_holm", rows[i].holm},
                       {"low", result->interval[0] / 100},
                       {"high", result->interval[1] / 100},
                       {"fraction", result->improved},
                       {"p_permutation", result->permutation}};
        congru_text_add(&text, "%s\n    {\"a\": ", i > 0 ? "," : "");
        congru_text_add_json(&text, rows[i].a);
        congru_text_add(&text, ", \"b\": ");
        congru_text_add_json(&text, rows[i].b);
        for (size_t j = 0; j < sizeof numbers / sizeof numbers[0] - !permutation; j++) {
            congru_text_add(&text, ", \"%s\": ", numbers[j].name);
            congru_text_add_number(&text, numbers[j].value, 17);
        }
        congru_text_add(&text, "}");
    }
    congru_text_add(&text, "\n  ]\n}\n");
    return session_save(folder, "statistics.json", &text);
}
