/* Aligners, classifiers and pipelines as terms for help; pipelines of a file. SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"

#include <stdio.h>
#include <string.h>

#include "options.h"
#include "session.h"
#include "terminal.h"

enum { TEXT_SIZE = 8192, SEEN_SIZE = 1024 };

static const option file_option[] = {
    {"pipeline-file", '\0', "FILE",
     "Pipelines of your own, by name for --pipelines: lines of KEY = VALUE as 'congru help pipelines' shows "
     "them. Default: none."},
};

const option_table pipeline_option_table = {
    .options = file_option, .count = 1, .title = "Pipelines", .more = &method_option_table};

static definition pipeline_definition(size_t index)
{
    static const definition builtin[] = {
        {"motor", "several views of oscillations, for sets that hold signals (see 'congru help pipelines')"},
        {"slow", "slow potentials after the cue, which gaze and evoked responses may drive; likewise"},
        {"motor+slow", "both together; likewise"},
        {NULL, NULL},
    };
    size_t aligners = 0, classifiers = 0;
    while (congru_aligner_name(aligners) != NULL)
        aligners++;
    while (congru_classifier_name(classifiers) != NULL)
        classifiers++;
    if (index < aligners)
        return (definition){congru_aligner_name(index), congru_aligner_summary(index)};
    index -= aligners;
    if (index < classifiers)
        return (definition){congru_classifier_name(index), congru_classifier_summary(index)};
    return builtin[index - classifiers];
}

const definition_list pipeline_definitions = {"Aligners and classifiers", pipeline_definition};

int pipeline_file_read(congru_context *context, const arguments *parsed)
{
    const char *path = options_value(parsed, "pipeline-file");
    congru_status status = path != NULL ? congru_pipeline_read(context, path) : CONGRU_OK;
    if (status == CONGRU_ERROR_ARGUMENT)
        return terminal_fail(EXIT_USAGE, "%s: %s", parsed->command, congru_context_error(context));
    return status == CONGRU_OK ? EXIT_DONE : terminal_fail(EXIT_FAILED, "%s", congru_context_error(context));
}

int pipeline_signals_print(congru_context *context, const congru_set *set,
                           const congru_evaluation_options *options)
{
    char seen[SEEN_SIZE], line[SEEN_SIZE + 64];
    if (congru_evaluation_signals(context, set, options, seen, sizeof seen) != CONGRU_OK)
        return terminal_fail(EXIT_FAILED, "%s", congru_context_error(context));
    if (seen[0] == '\0')
        return EXIT_DONE;
    snprintf(line, sizeof line, "signals of %s (see --signal-band, --signal-window)", seen);
    terminal_clean(line);
    terminal_wrap(line, 0, 2, "");
    return EXIT_DONE;
}

int pipeline_help_print(void)
{
    congru_context *context = NULL;
    char name[CONGRU_PIPELINE_SIZE], text[TEXT_SIZE];
    int code = session_open(1, &context);
    if (code != EXIT_DONE)
        return code;
    terminal_wrap(
        "A pipeline is ALIGNER+CLASSIFIER, an end-to-end model, or one of several branches, each with its "
        "own bands and windows, whose log-probabilities are added up. Pipelines of branches need a set that "
        "holds signals (import --band off --keep-signals).",
        0, 0, "");
    for (size_t i = 0; code == EXIT_DONE && congru_pipeline_defined(context, i, name); i++) {
        if (congru_pipeline_explain(context, name, text, sizeof text) != CONGRU_OK) {
            code = terminal_fail(EXIT_FAILED, "%s", congru_context_error(context));
            continue;
        }
        printf("\n%s\n", name);
        for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
            printf("  ");
            terminal_wrap(line, 2, 4, "");
        }
    }
    printf("\n");
    terminal_wrap(
        "Your own are lines in a file for --pipeline-file; keys above the first branch hold for all branches. "
        "A list of bands and of windows makes a grid of blocks. C and weights are chosen by leaving out "
        "groups of source subjects; constants otherwise.",
        0, 0, "");
    fputs("\n  # a comment\n  pipeline = mine\n  title = what it is, in a line\n  choose = C, weights\n"
          "  windows = inside\n  shrinkage = 0.01\n  method = ra+ridge\n  branch = mu\n  band = 8:13\n"
          "  window = 0.5:2.5, 1.5:3.5\n  C = 0.01\n  branch = beta\n  band = 13:30\n  window = 0.5:2.5\n  C = "
          "0.01\n"
          "  branches = slow\n\n",
          stdout);
    terminal_wrap(
        "Keys are the options of preprocessing and of methods, and: 'method'; 'weight' (1), where none is "
        "learned; 'windows', which 'inside' moves inside what the trials hold; 'branches', which copies "
        "those of other pipelines; 'choose' (C, weights, nothing).",
        0, 0, "");
    congru_context_destroy(&context);
    return code;
}
