/* Runs and prints learning curves. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "calibration_curve.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

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
        if (i == CALIBRATIONS_MAX)
            code = terminal_fail(EXIT_USAGE, "%s: at most %d numbers", what, (int)CALIBRATIONS_MAX);
        else
            code = options_parse_integer(what, words.item[i], 0, NUMBER_MAX, &list->number[i]);
        if (code == EXIT_DONE && i > 0 && list->number[i] <= list->number[i - 1])
            code = terminal_fail(EXIT_USAGE, "%s wants ascending numbers, not '%s'", what, text);
        list->count = i + 1;
    }
    text_list_clear(&words);
    return code;
}

/* The accuracies of one number of trials; the first run says which pipelines there are. */
static int run_number(run_state *run, const char *parent, int number, congru_scores **scores)
{
    char folder[PATH_SIZE];
    congru_results *results = NULL;
    snprintf(folder, sizeof folder, "%s/calibration-%d", parent, number);
    run->options.folder = folder;
    run->options.calibration = number;
    int code = evaluation_call(run, &results);
    if (code == EXIT_DONE && congru_results_scores(run->context, results, scores) != CONGRU_OK)
        code = terminal_fail(EXIT_FAILED, "%s", congru_context_error(run->context));
    congru_results_destroy(&results);
    run->options.folder = parent;
    return code;
}

static void fill(congru_table *table, const calibration_list *list, congru_scores *const *scores)
{
    congru_table_column_text(table, "pipeline", NULL);
    for (size_t i = 0; i < list->count; i++) {
        char heading[32], deviation[48];
        snprintf(heading, sizeof heading, "%d", list->number[i]);
        snprintf(deviation, sizeof deviation, "%d_deviation", list->number[i]);
        congru_table_column_number(table, heading, heading, 100, 2);
        congru_table_column_number(table, deviation, "", 100, 2);
        congru_table_join(table);
    }
    for (size_t p = 0; p < scores[0]->pipelines; p++) {
        congru_table_text(table, scores[0]->pipeline[p]);
        for (size_t i = 0; i < list->count; i++) {
            const size_t place = congru_scores_find(scores[i], scores[0]->pipeline[p]);
            const congru_interval accuracy = congru_scores_mean(scores[i], place, CONGRU_SCORE_ACCURACY);
            congru_table_number(table, accuracy.mean);
            congru_table_number(table, accuracy.deviation);
        }
    }
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
    congru_scores *scores[CALIBRATIONS_MAX] = {0};
    congru_table table = {.title = "Accuracy by labelled target trials of each class"};
    int code = EXIT_DONE;
    if (strlen(parent) + 64 > PATH_SIZE)
        return terminal_fail(EXIT_FAILED, "%s: too long a name", parent);
    if (mkdir(parent, 0777) != 0 && errno != EEXIST)
        return terminal_fail(EXIT_FAILED, "%s: cannot make the folder: %s", parent, strerror(errno));
    run->options.calibration_most = list->number[list->count - 1];
    for (size_t i = 0; code == EXIT_DONE && i < list->count; i++)
        code = run_number(run, parent, list->number[i], &scores[i]);
    if (code == EXIT_DONE) {
        fill(&table, list, scores);
        printf("%s: accuracy %% by the number of labelled target trials of each class, the first in the set;\n"
               "scored on the target's trials behind the first %d of each class\n\n",
               run->dataset, run->options.calibration_most);
        code = table_show(&table, 0);
    }
    if (code == EXIT_DONE && process_group_leads())
        code = save(run, &table, parent);
    if (code == EXIT_DONE)
        printf("\nResults in %s\n", parent);
    for (size_t i = 0; i < list->count; i++)
        congru_scores_destroy(&scores[i]);
    congru_table_clear(&table);
    return code;
}
