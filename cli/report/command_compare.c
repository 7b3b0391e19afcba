/* congru compare: is one pipeline better than another, subject by subject? SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "paired_rows.h"
#include "session.h"
#include "terminal.h"

enum { A, B, BASELINE, CSV, PERMUTATION, MARKDOWN, LATEX, NO_SAVE, OPTIONS };

static const option options[OPTIONS] = {
    [A] = {"a", 'a', "PIPELINE", "The pipeline whose gain is asked for; needs --b."},
    [B] = {"b", 'b', "PIPELINE", "The pipeline it is compared with."},
    [BASELINE] = {"baseline", '\0', "PIPELINE", "Compare every other pipeline with this one."},
    [CSV] =
        {"csv", '\0', "FILE",
         "Take accuracies in percent from a text file instead: a column 'subject' and one for each pipeline, "
         "or columns dataset, subject, pipeline, accuracy."},
    [PERMUTATION] = {"permutation", '\0', NULL,
                     "Add 'flips', the p of the mean gain by flipping signs: all of them for up to 20 "
                     "subjects, else 100000 draws."},
    [MARKDOWN] = {"markdown", '\0', NULL, "Print the table as Markdown."},
    [LATEX] = {"latex", '\0', NULL, "Print the table as LaTeX, for the package booktabs."},
    [NO_SAVE] = {"no-save", '\0', NULL, "Do not write statistics.json into the folder."},
};

/* Everything a comparison is made of. */
typedef struct compare_job {
    const arguments *parsed;
    congru_context *context;
    score_tables tables;
    size_t names, pairs, rows;
    const char **name;      /* (names) all pipelines, in the order of the folders */
    const char *(*pair)[2]; /* (pairs) */
    paired_row *row;
} compare_job;

static int check(const arguments *parsed)
{
    const char *const *value = parsed->values;
    if ((parsed->operand_count == 0) == (value[CSV] == NULL))
        return terminal_fail(EXIT_USAGE, "compare: %s (see 'congru help compare')",
                             value[CSV] == NULL ? "the results folder is missing"
                                                : "folders and --csv exclude each other");
    if ((value[A] == NULL) != (value[B] == NULL))
        return terminal_fail(EXIT_USAGE, "compare: --a and --b belong together");
    if (value[A] != NULL && strcmp(value[A], value[B]) == 0)
        return terminal_fail(EXIT_USAGE, "compare: --a and --b are the same pipeline");
    if (value[A] != NULL && value[BASELINE] != NULL)
        return terminal_fail(EXIT_USAGE, "compare: --a and --baseline exclude each other");
    if (value[MARKDOWN] != NULL && value[LATEX] != NULL)
        return terminal_fail(EXIT_USAGE, "compare: --markdown and --latex exclude each other");
    return EXIT_DONE;
}

static int read_scores(compare_job *job)
{
    if (job->parsed->values[CSV] != NULL)
        return score_tables_read_csv(&job->tables, job->parsed->values[CSV]);
    for (size_t i = 0; i < job->parsed->operand_count; i++) {
        congru_results *results = NULL;
        const char *folder = job->parsed->operands[i];
        if (congru_results_read(job->context, folder, &results) != CONGRU_OK)
            return terminal_fail(EXIT_FAILED, "%s", congru_context_error(job->context));
        /* Two folders of one dataset, such as two seeds, are two tables. */
        const char *name = results->dataset;
        for (size_t t = 0; t < job->tables.count; t++)
            name = strcmp(job->tables.table[t].name, results->dataset) == 0 ? folder : name;
        bool added = score_tables_add_results(&job->tables, name, results);
        results_print_notes(results, folder, TABLE_MARKDOWN); /* beside the table, which is not of one folder */
        congru_results_destroy(&results);
        if (!added)
            return terminal_fail(EXIT_FAILED, "%s: not enough memory", folder);
    }
    return EXIT_DONE;
}

static const char *name_at(size_t index, const void *user)
{
    const compare_job *job = user;
    return index < job->names ? job->name[index] : NULL;
}

static int list_names(compare_job *job)
{
    size_t room = 1;
    for (size_t t = 0; t < job->tables.count; t++)
        room += job->tables.table[t].columns;
    job->name = calloc(room, sizeof *job->name);
    job->pair = calloc(room * room, sizeof *job->pair);
    if (job->name == NULL || job->pair == NULL)
        return terminal_fail(EXIT_FAILED, "compare: not enough memory");
    for (size_t t = 0; t < job->tables.count; t++)
        for (size_t k = 0; k < job->tables.table[t].columns; k++) {
            size_t i = 0;
            /* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): entries before `names` are columns. */
            while (i < job->names && strcmp(job->name[i], job->tables.table[t].column[k]) != 0)
                i++;
            job->name[i] = job->tables.table[t].column[k];
            job->names += i == job->names;
        }
    return EXIT_DONE;
}

static int find(const compare_job *job, const char *name)
{
    for (size_t i = 0; i < job->names; i++)
        if (strcmp(job->name[i], name) == 0) /* NOLINT(clang-analyzer-core.NonNullParamChecker): as above */
            return EXIT_DONE;
    const char *meant = terminal_nearest(name, name_at, job);
    if (meant != NULL)
        return terminal_fail(EXIT_FAILED, "compare: there are no results of '%s' (did you mean '%s'?)", name,
                             meant);
    return terminal_fail(EXIT_FAILED, "compare: there are no results of '%s' (the first there are: '%s')", name,
                         job->name[0]);
}

/* One pair, all against one, or all; the later name minus the earlier, since baselines come first. */
static int list_pairs(compare_job *job)
{
    const char *a = job->parsed->values[A], *b = job->parsed->values[B];
    const char *baseline = job->parsed->values[BASELINE];
    int code = a != NULL ? find(job, a) : EXIT_DONE;
    if (code == EXIT_DONE && b != NULL)
        code = find(job, b);
    if (code == EXIT_DONE && baseline != NULL)
        code = find(job, baseline);
    if (code != EXIT_DONE)
        return code;
    for (size_t i = 0; i < job->names; i++)
        for (size_t k = 0; k < job->names; k++) {
            const char *first = job->name[k], *second = job->name[i];
            bool wanted = a != NULL          ? strcmp(first, a) == 0 && strcmp(second, b) == 0
                          : baseline != NULL ? strcmp(second, baseline) == 0 && k != i
                                             : i < k;
            if (wanted) {
                job->pair[job->pairs][0] = first;
                job->pair[job->pairs++][1] = second;
            }
        }
    if (job->pairs == 0)
        return terminal_fail(
            EXIT_FAILED, "compare: there is only one pipeline, '%s'; nothing to compare it with", job->name[0]);
    return EXIT_DONE;
}

static int compare(compare_job *job)
{
    size_t groups = job->tables.count + (job->tables.count > 1);
    job->row = calloc(groups * job->pairs + 1, sizeof *job->row);
    if (job->row == NULL)
        return terminal_fail(EXIT_FAILED, "compare: not enough memory");
    int code = EXIT_DONE;
    for (size_t g = 0; g < groups; g++)
        for (size_t i = 0; code == EXIT_DONE && i < job->pairs; i++) {
            const score_table *table = g < job->tables.count ? &job->tables.table[g] : NULL;
            code = paired_row_make(job->context, &job->tables, table, job->pair[i][0], job->pair[i][1],
                                   &job->row[job->rows]);
            job->rows += job->row[job->rows].result.count > 0;
        }
    if (code == EXIT_DONE && job->rows == 0)
        code = terminal_fail(EXIT_FAILED, "compare: no subject has results of both pipelines");
    return code == EXIT_DONE ? paired_rows_correct(job->context, job->rows, job->row) : code;
}

static int deliver(const compare_job *job)
{
    const char *const *value = job->parsed->values;
    bool permutation = value[PERMUTATION] != NULL;
    table_format format = value[MARKDOWN] != NULL ? TABLE_MARKDOWN
                          : value[LATEX] != NULL  ? TABLE_LATEX
                                                  : TABLE_TEXT;
    int code = EXIT_DONE;
    if (job->parsed->operand_count == 1 && value[NO_SAVE] == NULL)
        code = paired_rows_save(job->row, job->rows, permutation, job->parsed->operands[0]);
    return code == EXIT_DONE ? paired_rows_print(job->row, job->rows, permutation, format) : code;
}

static int run(const arguments *parsed)
{
    compare_job job = {.parsed = parsed};
    int code = check(parsed);
    if (code == EXIT_DONE)
        code = session_open(1, &job.context);
    if (code == EXIT_DONE)
        code = read_scores(&job);
    if (code == EXIT_DONE)
        code = list_names(&job);
    if (code == EXIT_DONE)
        code = list_pairs(&job);
    if (code == EXIT_DONE)
        code = compare(&job);
    if (code == EXIT_DONE)
        code = deliver(&job);
    score_tables_clear(&job.tables);
    free(job.name);
    free(job.pair);
    free(job.row);
    congru_context_destroy(&job.context);
    return code;
}

static const char *const examples[] = {
    "congru compare 2a-loso --a ddct-unet-e2e --b ra+tslr",
    "congru compare 2a-loso 2b-loso --baseline ra+tslr --permutation",
    "congru compare --csv accuracies.csv --markdown",
    NULL,
};

const command command_compare = {
    .name = "compare",
    .summary = "Test whether pipelines differ, subject by subject",
    .usage = "DIR... [OPTION...]",
    .description =
        "Compares pipelines of results folders on the subjects both have: the mean gain in points, Cohen's "
        "d_z, its 95 % interval by Student's t, the p of Wilcoxon's signed-rank test, two-sided, and the "
        "share of subjects that go up. p is exact, ties included, for up to 13 subjects that differ, and "
        "beyond that what scipy gives. With several pairs, 'Holm' is p corrected for their number. With "
        "several folders there are rows for each dataset, and for the subjects of all together. Without an "
        "option that names pipelines every pair is compared. The numbers of a single folder are also kept "
        "in it, as statistics.json.",
    .options = {.options = options, .count = OPTIONS},
    .examples = examples,
    .run = run,
};
