/* congru compare: is one pipeline better than another, subject by subject? SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "results_show.h"
#include "score_file.h"
#include "session.h"
#include "terminal.h"

static const option options[] = {
    {"a", 'a', "PIPELINE", "The pipeline whose gain is asked for; needs --b."},
    {"b", 'b', "PIPELINE", "The pipeline it is compared with."},
    {"baseline", '\0', "PIPELINE", "Compare every other pipeline with this one."},
    {"csv", '\0', "FILE",
     "Take accuracies in percent from a text file instead: a column 'subject' and one for each pipeline, "
     "or columns dataset, subject, pipeline, accuracy."},
    {"permutation", '\0', NULL,
     "Add 'flips', the p of the mean gain by flipping signs: all of them for up to 20 "
     "subjects, else 100000 draws."},
    TABLE_FORMAT_OPTION,
    {"no-save", '\0', NULL, "Do not write statistics.json into the folder."},
};

/* Everything a comparison is made of. */
typedef struct compare_job {
    const arguments *parsed;
    congru_context *context;
    congru_table_format format;
    congru_scores_list tables;
    size_t names, pairs, rows;
    const char **name;      /* (names) all pipelines, in the order of the folders */
    const char *(*pair)[2]; /* (pairs) */
    congru_pair *row;
} compare_job;

static int check(const arguments *parsed)
{
    const char *a = options_value(parsed, "a"), *b = options_value(parsed, "b");
    if ((parsed->operand_count > 0) == options_given(parsed, "csv"))
        return terminal_fail(EXIT_USAGE, "compare: %s (see 'congru help compare')",
                             !options_given(parsed, "csv") ? "the results folder is missing"
                                                           : "folders and --csv exclude each other");
    if ((a == NULL) != (b == NULL))
        return terminal_fail(EXIT_USAGE, "compare: --a and --b belong together");
    if (a != NULL && strcmp(a, b) == 0)
        return terminal_fail(EXIT_USAGE, "compare: --a and --b are the same pipeline");
    if (a != NULL && options_given(parsed, "baseline"))
        return terminal_fail(EXIT_USAGE, "compare: --a and --baseline exclude each other");
    return EXIT_DONE;
}

/* Two folders of one dataset, such as two seeds, are two tables. Notes are beside the table, which is not of one folder. */
static int read_folder(compare_job *job, const char *folder)
{
    congru_results *results = NULL;
    congru_scores *scores = NULL;
    if (congru_results_read(job->context, folder, &results) != CONGRU_OK)
        return terminal_fail(EXIT_FAILED, "%s", congru_context_error(job->context));
    for (size_t i = 0; i < results->note_count; i++)
        terminal_warn("%s: %s", folder, results->note[i]);
    congru_status status = congru_results_scores(job->context, results, &scores);
    for (size_t t = 0; status == CONGRU_OK && t < job->tables.count; t++)
        if (strcmp(job->tables.item[t]->name, results->dataset) == 0) {
            char *name = strdup(folder);
            free(scores->name);
            scores->name = name;
            status = name != NULL ? CONGRU_OK : CONGRU_ERROR_MEMORY;
            break;
        }
    if (status == CONGRU_OK)
        status = congru_scores_list_append(job->context, &job->tables, &scores);
    congru_scores_destroy(&scores);
    congru_results_destroy(&results);
    return status == CONGRU_OK ? EXIT_DONE : terminal_fail(EXIT_FAILED, "%s: not enough memory", folder);
}

static int read_scores(compare_job *job)
{
    if (options_given(job->parsed, "csv"))
        return score_file_read(options_value(job->parsed, "csv"), &job->tables);
    int code = EXIT_DONE;
    for (size_t i = 0; code == EXIT_DONE && i < job->parsed->operand_count; i++)
        code = read_folder(job, job->parsed->operands[i]);
    return code;
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
        room += job->tables.item[t]->pipelines;
    job->name = calloc(room, sizeof *job->name);
    job->pair = calloc(room * room, sizeof *job->pair);
    if (job->name == NULL || job->pair == NULL)
        return terminal_fail(EXIT_FAILED, "compare: not enough memory");
    for (size_t t = 0; t < job->tables.count; t++)
        for (size_t k = 0; k < job->tables.item[t]->pipelines; k++) {
            size_t i = 0;
            /* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): entries before `names` are columns. */
            while (i < job->names && strcmp(job->name[i], job->tables.item[t]->pipeline[k]) != 0)
                i++;
            job->name[i] = job->tables.item[t]->pipeline[k];
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
    const char *a = options_value(job->parsed, "a"), *b = options_value(job->parsed, "b");
    const char *baseline = options_value(job->parsed, "baseline");
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

/* Pairs of one dataset, or of all together. */
static congru_status compare_group(compare_job *job, const char *name, size_t count,
                                   const congru_scores *const *scores)
{
    congru_status status = CONGRU_OK;
    for (size_t i = 0; status == CONGRU_OK && i < job->pairs; i++) {
        congru_pair *row = &job->row[job->rows];
        *row = (congru_pair){.dataset = name, .a = job->pair[i][0], .b = job->pair[i][1]};
        status = congru_scores_compare(job->context, count, scores, row->a, row->b, &row->result);
        job->rows += row->result.count > 0;
    }
    return status;
}

static int compare(compare_job *job)
{
    const size_t groups = job->tables.count + (job->tables.count > 1);
    job->row = calloc(groups * job->pairs + 1, sizeof *job->row);
    if (job->row == NULL)
        return terminal_fail(EXIT_FAILED, "compare: not enough memory");
    const congru_scores *const *scores = (const congru_scores *const *)job->tables.item;
    congru_status status = CONGRU_OK;
    for (size_t t = 0; status == CONGRU_OK && t < job->tables.count; t++)
        status = compare_group(job, scores[t]->name, 1, scores + t);
    if (status == CONGRU_OK && job->tables.count > 1)
        status = compare_group(job, "all", job->tables.count, scores);
    if (status == CONGRU_OK && job->rows == 0)
        return terminal_fail(EXIT_FAILED, "compare: no subject has results of both pipelines");
    if (status == CONGRU_OK)
        status = congru_pairs_correct(job->context, job->rows, job->row);
    return status == CONGRU_OK ? EXIT_DONE
                               : terminal_fail(EXIT_FAILED, "%s", congru_context_error(job->context));
}

static int deliver(const compare_job *job)
{
    const arguments *parsed = job->parsed;
    const bool permutation = options_given(parsed, "permutation");
    if (parsed->operand_count == 1 && !options_given(parsed, "no-save") &&
        congru_pairs_write(job->context, job->rows, job->row, permutation, parsed->operands[0]) != CONGRU_OK)
        return terminal_fail(EXIT_FAILED, "%s", congru_context_error(job->context));
    return pairs_show(job->context, job->rows, job->row, permutation, job->format);
}

static int run(const arguments *parsed)
{
    compare_job job = {.parsed = parsed};
    int code = check(parsed);
    if (code == EXIT_DONE)
        code = table_format_parse(parsed, &job.format);
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
    congru_scores_list_clear(&job.tables);
    free(job.name);
    free(job.pair);
    free(job.row);
    congru_context_destroy(&job.context);
    return code;
}

static const char *const examples[] = {
    "congru compare 2a-loso --a ddct-unet-e2e --b ra+tslr",
    "congru compare 2a-loso 2b-loso --baseline ra+tslr --permutation",
    "congru compare --csv accuracies.csv --format markdown",
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
    .options = {OPTION_ROWS(options)},
    .examples = examples,
    .run = run,
};
