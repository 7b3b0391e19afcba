/* Prints tables of the library, and those of results. SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "table_show.h"
#include "terminal.h"

int table_show_as(const congru_table *table, congru_table_format format, size_t indent)
{
    const congru_table_layout layout = {.width = terminal_is(STDOUT_FILENO) ? terminal_width() : 0,
                                        .indent = indent,
                                        .bold = terminal_colours()};
    char *text = NULL;
    congru_status status = congru_table_print(NULL, table, format, &layout, &text);
    if (status != CONGRU_OK)
        return terminal_fail(EXIT_FAILED, "not enough memory for a table");
    fputs(text, stdout);
    congru_report_text_destroy(&text);
    return EXIT_DONE;
}

int table_show(const congru_table *table, size_t indent)
{
    return table_show_as(table, CONGRU_TABLE_TEXT, indent);
}

int table_format_parse(const arguments *parsed, congru_table_format *format)
{
    static const char *const names[] = {"csv", "latex", "html", "text", "markdown", "json", NULL};
    size_t chosen = CONGRU_TABLE_TEXT;
    int code = options_choice(parsed, "format", names, &chosen);
    *format = (congru_table_format)chosen;
    return code;
}

const metric_list metrics_default = {
    .count = 3, .metric = {CONGRU_SCORE_ACCURACY, CONGRU_SCORE_KAPPA, CONGRU_SCORE_SECONDS}};

static int fail(congru_context *context)
{
    return terminal_fail(EXIT_FAILED, "%s", congru_context_error(context));
}

int results_show_scores(congru_context *context, const congru_results *results, const metric_list *list,
                        bool by_subject, congru_table_format format)
{
    congru_table table = {.title = by_subject ? "Scores by subject" : "Scores by pipeline"};
    congru_scores *scores = NULL;
    congru_status status = congru_results_scores(context, results, &scores);
    if (status == CONGRU_OK)
        status = by_subject ? congru_table_of_subjects(context, scores, list->metric[0], &table)
                            : congru_table_of_scores(context, scores, list->count, list->metric, true, &table);
    for (size_t i = 0; i < results->note_count; i++)
        congru_table_note(&table, results->note[i]);
    int code = status == CONGRU_OK ? table_show_as(&table, format, 0) : fail(context);
    congru_table_clear(&table);
    congru_scores_destroy(&scores);
    return code;
}

int results_show_classes(congru_context *context, const congru_results *results, const char *what, int before,
                         congru_status (*fill)(congru_context *, const congru_results *, size_t,
                                               congru_table *),
                         congru_table_format format)
{
    int code = EXIT_DONE;
    for (size_t p = 0; code == EXIT_DONE && p < results->pipelines; p++) {
        char title[CONGRU_PIPELINE_SIZE + 64];
        snprintf(title, sizeof title, "%s: %s", results->pipeline[p], what);
        congru_table table = {.title = title};
        if (fill(context, results, p, &table) != CONGRU_OK)
            code = fail(context);
        if (code == EXIT_DONE && (format == CONGRU_TABLE_TEXT || format == CONGRU_TABLE_MARKDOWN))
            printf("%s%s\n%s", before > 0 || p > 0 ? "\n" : "", title, format == CONGRU_TABLE_TEXT ? "" : "\n");
        for (size_t i = 0; p + 1 == results->pipelines && i < results->note_count; i++)
            congru_table_note(&table, results->note[i]);
        if (code == EXIT_DONE)
            code = table_show_as(&table, format, 0);
        congru_table_clear(&table);
    }
    return code;
}

static int show_pairs(congru_context *context, size_t count, const congru_pair *pair, bool permutation,
                      congru_table_format format)
{
    congru_table table = {.title = "Pipelines compared, subject by subject"};
    int code = congru_table_of_pairs(context, count, pair, permutation, &table) == CONGRU_OK
                   ? table_show_as(&table, format, 0)
                   : fail(context);
    congru_table_clear(&table);
    return code;
}

int pairs_show(congru_context *context, size_t count, const congru_pair *pair, bool permutation,
               congru_table_format format)
{
    int code = EXIT_DONE;
    if (strcmp(pair[0].dataset, pair[count - 1].dataset) == 0 || format != CONGRU_TABLE_TEXT)
        return show_pairs(context, count, pair, permutation, format);
    for (size_t first = 0, end; code == EXIT_DONE && first < count; first = end) {
        for (end = first; end < count && strcmp(pair[end].dataset, pair[first].dataset) == 0; end++)
            ;
        printf("%s%s:\n", first > 0 ? "\n" : "", pair[first].dataset);
        code = show_pairs(context, end - first, pair + first, permutation, format);
    }
    return code;
}
