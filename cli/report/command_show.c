/* congru show: the tables of a results folder. SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "commands.h"
#include "results_print.h"
#include "session.h"
#include "terminal.h"

enum { PER_SUBJECT, CONFUSION, MARKDOWN, LATEX, OPTIONS };

static const option options[OPTIONS] = {
    [PER_SUBJECT] = {"per-subject", '\0', NULL, "A row for each subject, a column for each pipeline."},
    [CONFUSION] = {"confusion", '\0', NULL, "For each pipeline, what the trials of each class were taken for."},
    [MARKDOWN] = {"markdown", '\0', NULL, "Print tables as Markdown."},
    [LATEX] = {"latex", '\0', NULL, "Print tables as LaTeX, for the package booktabs."},
};

static int print(congru_context *context, const arguments *parsed, const congru_results *results)
{
    table_format format = parsed->values[MARKDOWN] != NULL ? TABLE_MARKDOWN
                          : parsed->values[LATEX] != NULL  ? TABLE_LATEX
                                                           : TABLE_TEXT;
    bool subjects = parsed->values[PER_SUBJECT] != NULL, confusion = parsed->values[CONFUSION] != NULL;
    int code = EXIT_DONE;
    if (!subjects && !confusion)
        code = results_print_summary(context, results, format);
    if (subjects)
        code = results_print_subjects(results, format);
    if (code == EXIT_DONE && confusion) {
        printf(subjects ? "\n" : "");
        code = results_print_confusion(context, results, format);
    }
    if (code == EXIT_DONE)
        results_print_notes(results, NULL, format);
    return code;
}

static int run(const arguments *parsed)
{
    if (parsed->operand_count != 1)
        return terminal_fail(EXIT_USAGE, "show: %s (see 'congru help show')",
                             parsed->operand_count == 0 ? "the results folder is missing"
                                                        : "one folder at a time");
    if (parsed->values[MARKDOWN] != NULL && parsed->values[LATEX] != NULL)
        return terminal_fail(EXIT_USAGE, "show: --markdown and --latex exclude each other");
    congru_context *context;
    congru_results *results = NULL;
    int code = session_open(1, &context);
    if (code != EXIT_DONE)
        return code;
    if (congru_results_read(context, parsed->operands[0], &results) != CONGRU_OK)
        code = terminal_fail(EXIT_FAILED, "%s", congru_context_error(context));
    else
        code = print(context, parsed, results);
    congru_results_destroy(&results);
    congru_context_destroy(&context);
    return code;
}

static const char *const examples[] = {
    "congru show 2a-loso",
    "congru show 2a-loso --per-subject --markdown",
    NULL,
};

const command command_show = {
    .name = "show",
    .summary = "Print the tables of a results folder",
    .usage = "DIR [OPTION...]",
    .description =
        "Prints again what 'congru loso' or 'congru within' found: by default the table of pipelines, the "
        "best of them bold on a terminal. Of a run that was interrupted it shows the folds that are finished, "
        "and "
        "says which are missing.",
    .options = {.options = options, .count = OPTIONS},
    .examples = examples,
    .run = run,
};
