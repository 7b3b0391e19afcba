/* congru compare: is one pipeline better than another, subject by subject? SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "session.h"
#include "table_show.h"
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
    size_t pairs;
    congru_pair *pair;
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
        return congru_scores_read(job->context, options_value(job->parsed, "csv"), &job->tables) == CONGRU_OK
                   ? EXIT_DONE
                   : terminal_fail(EXIT_FAILED, "%s", congru_context_error(job->context));
    int code = EXIT_DONE;
    for (size_t i = 0; code == EXIT_DONE && i < job->parsed->operand_count; i++)
        code = read_folder(job, job->parsed->operands[i]);
    return code;
}

static int compare(compare_job *job)
{
    const congru_pair_choice choice = {.a = options_value(job->parsed, "a"),
                                       .b = options_value(job->parsed, "b"),
                                       .baseline = options_value(job->parsed, "baseline")};
    if (congru_pairs_compare(job->context, &job->tables, &choice, &job->pairs, &job->pair) == CONGRU_OK)
        return EXIT_DONE;
    return terminal_fail(EXIT_FAILED, "compare: %s", congru_context_error(job->context));
}

static int deliver(const compare_job *job)
{
    const arguments *parsed = job->parsed;
    const bool permutation = options_given(parsed, "permutation");
    const int code = pairs_show(job->context, job->pairs, job->pair, permutation, job->format);
    if (code != EXIT_DONE || parsed->operand_count != 1 || options_given(parsed, "no-save"))
        return code;
    const char *folder = parsed->operands[0];
    /* The table is what was asked for; a folder of somebody else's is no reason to fail. */
    if (access(folder, W_OK) != 0 && (errno == EACCES || errno == EPERM || errno == EROFS))
        terminal_warn("%s: statistics.json is not kept there: %s (--no-save leaves it out)", folder,
                      strerror(errno));
    else if (congru_pairs_write(job->context, job->pairs, job->pair, permutation, folder) != CONGRU_OK)
        return terminal_fail(EXIT_FAILED, "%s", congru_context_error(job->context));
    return code;
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
        code = compare(&job);
    if (code == EXIT_DONE)
        code = deliver(&job);
    congru_scores_list_clear(&job.tables);
    free(job.pair);
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
