/* Prints tables of results. SPDX-License-Identifier: Apache-2.0 */
#include "results_print.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "table_print.h"
#include "terminal.h"

static int fail_memory(void)
{
    return terminal_fail(EXIT_FAILED, "not enough memory for a table");
}

/* Whether scores of subjects with few trials are in the pipeline's mean. */
static bool has_few(const congru_results *results, size_t pipeline)
{
    for (size_t i = 0; i < results->folds; i++)
        if (results->fold[i].pipeline == pipeline && results->subject_few[results->fold[i].subject])
            return true;
    return false;
}

static void add_row(text_table *table, const congru_results *results, size_t pipeline,
                    const congru_summary *row, table_format format)
{
    const char *between = format == TABLE_LATEX ? "$\\pm$" : "±";
    text_table_add(table, "%s", results->pipeline[pipeline]);
    text_table_add(table, "%zu%s", row->subjects, has_few(results, pipeline) ? " *" : "");
    if (isnan(row->deviation))
        text_table_add(table, "%.2f", 100 * row->mean);
    else
        text_table_add(table, "%5.2f %s %5.2f", 100 * row->mean, between, 100 * row->deviation);
    if (isnan(row->z))
        text_table_add(table, "-");
    else
        text_table_add(table, "%+.3f", row->z);
    text_table_add(table, "%.3f", row->kappa);
    text_table_add(table, row->seconds < 10 ? "%.3f" : "%.1f", row->seconds);
}

int results_print_summary(congru_context *context, const congru_results *results, table_format format)
{
    static const char *const headings[] = {"pipeline", "subjects", "accuracy %", "z", "kappa", "s/subject"};
    congru_summary *summary = calloc(results->pipelines + 1, sizeof *summary);
    text_table table = {.columns = sizeof headings / sizeof headings[0]};
    if (summary == NULL)
        return fail_memory();
    int code = EXIT_DONE;
    if (congru_results_summarise(context, results, summary) != CONGRU_OK)
        code = terminal_fail(EXIT_FAILED, "%s", congru_context_error(context));
    for (size_t i = 0; i < table.columns; i++)
        text_table_add(&table, "%s", headings[i]);
    size_t best = 0;
    for (size_t i = 0; i < results->pipelines; i++) {
        best = summary[i].mean > summary[best].mean ? i : best;
        add_row(&table, results, i, &summary[i], format);
    }
    table.strong = results->pipelines > 1 ? best + 1 : 0;
    if (code == EXIT_DONE)
        code = table_print(&table, format);
    text_table_clear(&table);
    free(summary);
    return code;
}

void results_print_notes(const congru_results *results, const char *folder, table_format format)
{
    for (size_t i = 0; i < results->note_count; i++) {
        char line[CONGRU_NOTE_SIZE + 512];
        snprintf(line, sizeof line, "%.500s%s%s", folder != NULL ? folder : "", folder != NULL ? ": " : "",
                 results->note[i]);
        if (format != TABLE_TEXT) {
            terminal_warn("%s", line);
            continue;
        }
        terminal_clean(line);
        printf(i == 0 ? "\n" : "");
        terminal_wrap(line, 0, 2, "");
    }
}

int results_print_subjects(const congru_results *results, table_format format)
{
    text_table table = {.columns = results->pipelines + 1};
    double *score = calloc(results->subjects * results->pipelines + 1, sizeof *score);
    size_t *folds = calloc(results->subjects * results->pipelines + 1, sizeof *folds);
    if (score == NULL || folds == NULL) {
        free(score);
        free(folds);
        return fail_memory();
    }
    for (size_t i = 0; i < results->folds; i++) {
        size_t place = (size_t)results->fold[i].subject * results->pipelines + results->fold[i].pipeline;
        score[place] += results->fold[i].accuracy;
        folds[place]++;
    }
    text_table_add(&table, "subject");
    for (size_t p = 0; p < results->pipelines; p++)
        text_table_add(&table, "%s", results->pipeline[p]);
    for (size_t s = 0; s < results->subjects; s++) {
        text_table_add(&table, "%s%s", results->subject_name[s], results->subject_few[s] ? " *" : "");
        for (size_t p = 0; p < results->pipelines; p++) {
            size_t place = s * results->pipelines + p;
            if (folds[place] > 0)
                text_table_add(&table, "%.2f", 100 * score[place] / (double)folds[place]);
            else
                text_table_add(&table, "-");
        }
    }
    int code = table_print(&table, format);
    text_table_clear(&table);
    free(score);
    free(folds);
    return code;
}

static int print_confusion(const congru_results *results, const size_t *confusion, table_format format)
{
    text_table table = {.columns = results->classes + 2};
    text_table_add(&table, "truth");
    for (size_t k = 0; k < results->classes; k++)
        text_table_add(&table, "%s", results->class_name[k]);
    text_table_add(&table, "trials");
    for (size_t i = 0; i < results->classes; i++) {
        size_t all = 0;
        for (size_t k = 0; k < results->classes; k++)
            all += confusion[i * results->classes + k];
        text_table_add(&table, "%s", results->class_name[i]);
        for (size_t k = 0; k < results->classes; k++)
            text_table_add(&table, "%.1f",
                           all > 0 ? 100.0 * (double)confusion[i * results->classes + k] / (double)all : 0.0);
        text_table_add(&table, "%zu", all);
    }
    int code = table_print(&table, format);
    text_table_clear(&table);
    return code;
}

int results_print_confusion(congru_context *context, const congru_results *results, table_format format)
{
    if (results->classes == 0)
        return terminal_fail(EXIT_FAILED, "the folder holds no predictions.csv, which --confusion needs");
    size_t *confusion = calloc(results->classes * results->classes, sizeof *confusion);
    if (confusion == NULL)
        return fail_memory();
    int code = EXIT_DONE;
    for (size_t p = 0; code == EXIT_DONE && p < results->pipelines; p++) {
        if (congru_results_confusion(context, results, p, -1, confusion) != CONGRU_OK) {
            code = terminal_fail(EXIT_FAILED, "%s", congru_context_error(context));
            break;
        }
        printf("%s%s: answers in %% of each class\n%s", p > 0 ? "\n" : "", results->pipeline[p],
               format != TABLE_TEXT ? "\n" : "");
        code = print_confusion(results, confusion, format);
    }
    free(confusion);
    return code;
}
