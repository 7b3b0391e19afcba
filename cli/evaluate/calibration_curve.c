/* Runs and prints learning curves. SPDX-License-Identifier: Apache-2.0 */
#include "calibration_curve.h"

#include <stdio.h>
#include <string.h>

#include "session.h"
#include "table_show.h"

enum { PATH_SIZE = 1024, NUMBER_MAX = 100000 };

int calibration_parse(const arguments *parsed, const char *text, calibration_list *list)
{
    text_list words = {0};
    char what[64];
    if (text == NULL)
        return EXIT_DONE;
    snprintf(what, sizeof what, "%s: --calibration", parsed->command);
    int code = text_list_split(&words, what, text);
    for (size_t i = 0; code == EXIT_DONE && i < words.count; i++) {
        if (i == CONGRU_CURVE_MAX)
            code = terminal_fail(EXIT_USAGE, "%s: at most %d numbers", what, (int)CONGRU_CURVE_MAX);
        else
            code = options_parse_integer(what, words.item[i], 0, NUMBER_MAX, &list->number[i]);
        if (code == EXIT_DONE && i > 0 && list->number[i] <= list->number[i - 1])
            code = terminal_fail(EXIT_USAGE, "%s wants ascending numbers, not '%s'", what, text);
        list->count = i + 1;
    }
    text_list_clear(&words);
    return code;
}

static int save(run_state *run, const congru_table *table, const char *parent)
{
    char path[PATH_SIZE], *text = NULL;
    snprintf(path, sizeof path, "%s/curve.csv", parent);
    congru_status status = congru_table_print(run->context, table, CONGRU_TABLE_CSV, NULL, &text);
    if (status == CONGRU_OK)
        status = congru_report_write(run->context, path, text, strlen(text));
    congru_report_text_destroy(&text);
    return status == CONGRU_OK ? EXIT_DONE
                               : terminal_fail(EXIT_FAILED, "%s", congru_context_error(run->context));
}

int calibration_curve(run_state *run, const calibration_list *list)
{
    const char *parent = run->options.folder;
    congru_curve *curve = NULL;
    congru_table table = {.title = "Accuracy by labelled target trials of each class"};
    int code = evaluation_call_curve(run, list->count, list->number, &curve);
    if (code == EXIT_DONE && congru_table_of_curve(run->context, curve, &table) != CONGRU_OK)
        code = terminal_fail(EXIT_FAILED, "%s", congru_context_error(run->context));
    if (code == EXIT_DONE) {
        printf("%s: accuracy %% by the number of labelled target trials of each class, the first in the set;\n"
               "scored on the target's trials behind the first %d of each class\n\n",
               run->dataset, list->number[list->count - 1]);
        code = table_show(&table, 0);
    }
    if (code == EXIT_DONE && process_group_leads())
        code = save(run, &table, parent);
    if (code == EXIT_DONE)
        printf("\nResults in %s\n", parent);
    congru_curve_destroy(&curve);
    congru_table_clear(&table);
    return code;
}
