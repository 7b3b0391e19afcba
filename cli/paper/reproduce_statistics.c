/* congru reproduce statistics: the paper's columns of subjects through our statistics. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "paper_tables.h"
#include "reproduce.h"
#include "reproduce_sets.h"
#include "score_list.h"
#include "session.h"
#include "terminal.h"

enum { QUANTITIES = 6, FIRST = 4, P = 2 };

/* gain, d_z, p, fraction improved, ends of the interval: how far apart two may be and count as the same, since the
 * columns are rounded to one or two decimals. */
static const double tolerance[QUANTITIES] = {0.0025, 0.0015, 0.0011, 0.0005, 0.0025, 0.0025};
static const char *const quantity[QUANTITIES] = {"gain", "d_z", "p", "up", "low", "high"};

/* The differences as they are in floating point: the paper's p have the ties of its own columns. */
static int compare(congru_context *context, const congru_scores_list *tables, const paper_row *row,
                   congru_comparison *result)
{
    double a[128], b[128];
    size_t count = score_list_pair(tables, row->field[1], row->field[2], row->field[3], a, b);
    if (congru_paired_compare(context, count, a, b, 0.95, result) != CONGRU_OK)
        return terminal_fail(EXIT_FAILED, "%s", congru_context_error(context));
    return EXIT_DONE;
}

/* What differs from what is printed, into `lines` in full. */
static void add_row(congru_table *table, const paper_row *row, const congru_comparison *result,
                    size_t agree[QUANTITIES], congru_table *lines)
{
    double p = result->count <= 13 ? result->wilcoxon.tied : result->wilcoxon.p;
    double found[QUANTITIES] = {result->gain,     result->effect,      p,
                                result->improved, result->interval[0], result->interval[1]};
    char differ[64] = "";
    for (size_t i = 0; i < QUANTITIES; i++) {
        bool same = fabs(found[i] - strtod(row->field[FIRST + i], NULL)) < tolerance[i];
        size_t used = strlen(differ);
        agree[i] += same;
        if (same)
            continue;
        snprintf(differ + used, sizeof differ - used, "%s%s", used > 0 ? ", " : "", quantity[i]);
        congru_table_format_text(lines, "%s, %s - %s: %s is %.3f, printed %s", row->field[1], row->field[2],
                                 row->field[3], quantity[i], found[i], row->field[FIRST + i]);
    }
    congru_table_format_text(table, "%s", row->field[1]);
    congru_table_format_text(table, "%s - %s", row->field[2], row->field[3]);
    congru_table_format_text(table, "%zu", result->count);
    congru_table_format_text(table, "%s", differ[0] == '\0' ? "all" : "");
    congru_table_format_text(table, "%s", differ);
}

static int print(congru_context *context, const congru_scores_list *aligned,
                 const congru_scores_list *classified)
{
    static const char *const headings[] = {"dataset", "comparison", "n", "same", "differ"};
    congru_table table = {0}, lines = {0};
    size_t rows = 0, agree[QUANTITIES] = {0};
    paper_row row;
    int code = EXIT_DONE;
    congru_table_headings(&table, 5, headings);
    for (; code == EXIT_DONE && paper_row_read("statistics", rows, &row) > 0; rows++) {
        congru_comparison result = {0};
        code = compare(context, strstr(row.field[2], "-e2e") != NULL ? classified : aligned, &row, &result);
        add_row(&table, &row, &result, agree, &lines);
    }
    if (code == EXIT_DONE && lines.failed)
        code = terminal_fail(EXIT_FAILED, "not enough memory for a table");
    if (code == EXIT_DONE) {
        printf("The paper's columns of subjects through our statistics\n\n");
        code = table_show(&table, 0);
        printf("\n");
        for (size_t i = 0; i < lines.cells; i++)
            terminal_wrap(lines.cell[i].text, 0, 2, "");
        printf("\nOf %zu rows come back:", rows);
        for (size_t i = 0; i < QUANTITIES; i++)
            printf("%s %s %zu", i > 0 ? "," : "", quantity[i], agree[i]);
        printf("\n");
    }
    congru_table_clear(&table);
    congru_table_clear(&lines);
    return code;
}

/* Holm's correction of the p the paper prints across subjects. */
static int print_corrected(congru_context *context)
{
    double p[32], corrected[32];
    size_t count = 0, below = 0, still = 0;
    paper_row row;
    for (size_t i = 0; paper_row_read("statistics", i, &row) > 0; i++)
        if (strcmp(row.field[0], "across") == 0 && count < 32)
            p[count++] = strtod(row.field[FIRST + P], NULL);
    if (congru_holm_correct(context, count, p, corrected) != CONGRU_OK)
        return terminal_fail(EXIT_FAILED, "%s", congru_context_error(context));
    for (size_t i = 0; i < count; i++) {
        below += p[i] < 0.05;
        still += corrected[i] < 0.05;
    }
    printf("Across subjects, %zu of %zu printed p are below 0.05; by Holm's correction %zu\n", below, count,
           still);
    return EXIT_DONE;
}

int reproduce_statistics(const arguments *parsed)
{
    (void)parsed;
    congru_context *context = NULL;
    congru_scores_list aligned = {0}, classified = {0};
    int code = session_open(1, &context);
    if (code == EXIT_DONE)
        code = reproduce_sets_printed("subjects-prealigners", &aligned);
    if (code == EXIT_DONE)
        code = reproduce_sets_printed("subjects-classifiers", &classified);
    if (code == EXIT_DONE)
        code = print(context, &aligned, &classified);
    if (code == EXIT_DONE)
        code = print_corrected(context);
    congru_scores_list_clear(&aligned);
    congru_scores_list_clear(&classified);
    congru_context_destroy(&context);
    return code;
}
