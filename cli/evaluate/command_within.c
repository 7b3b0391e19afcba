/* congru within: decoders on the people they were fitted on. SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"
#include "evaluation_run.h"
#include "pipeline_list.h"
#include "set_load.h"
#include "terminal.h"

enum { FOLDS = RUN_OPTIONS, SESSIONS, OPTIONS };

static const option options[OPTIONS] = {
    RUN_OPTION_TABLE,
    [FOLDS] = {"folds", '\0', "K", "Parts of each subject's trials, each left out in turn. Default: 5."},
    [SESSIONS] = {"sessions", '\0', NULL, "Instead, fit on the first session and score the others."},
};

static int run(const arguments *parsed)
{
    int folds = 5;
    int code = options_integer(parsed, FOLDS, 5, 2, 1000000, &folds);
    if (code != EXIT_DONE)
        return code;
    if (parsed->values[FOLDS] != NULL && parsed->values[SESSIONS] != NULL)
        return terminal_fail(EXIT_USAGE, "within: --folds and --sessions exclude each other");
    return evaluation_run(parsed,
                          parsed->values[SESSIONS] != NULL ? CONGRU_PROTOCOL_SESSIONS : CONGRU_PROTOCOL_FOLDS,
                          folds, false);
}

static const char *const examples[] = {
    "congru within 2a.npz --folds 10",
    "congru within 2a.npz --sessions --pipelines ra+tslr",
    NULL,
};

const command command_within = {
    .name = "within",
    .summary = "Score decoders inside each subject",
    .usage = "SET.npz [OPTION...]",
    .description = "Fits and scores each subject alone: in K parts, each of which is left out in turn, with "
                   "equal shares of each "
                   "class; or from the first session to the others. In parts, nothing of the part left out is "
                   "seen when a trial "
                   "is decided about. Prints and keeps what 'congru loso' does.",
    .definitions = pipeline_definition,
    .definitions_title = "Aligners and classifiers",
    .options = {.options = options, .count = OPTIONS, .more = &set_option_table},
    .examples = examples,
    .shares = true,
    .run = run,
};
