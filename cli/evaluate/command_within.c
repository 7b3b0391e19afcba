/* congru within: decoders on the subjects they were fitted on. SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"
#include "evaluation_run.h"
#include "set_load.h"
#include "terminal.h"

static const option options[] = {
    RUN_OPTION_TABLE,
    {"folds", '\0', "K", "Parts of each subject's trials, each left out in turn. Default: 5."},
    {"folds-contiguous", '\0', NULL,
     "Parts are blocks of trials in the order of the set, so that trials that follow each other are not on "
     "both sides; else trials are shuffled by --seed, with equal shares of each class."},
    {"sessions", '\0', NULL, "Instead, fit on the first session and score the others."},
    {"session-out", '\0', NULL,
     "Instead, leave out each session in turn, fitted on the subject's other sessions."},
};

static int run(const arguments *parsed)
{
    int folds = 5;
    int code = options_integer(parsed, "folds", 5, 2, 1000000, &folds);
    if (code != EXIT_DONE)
        return code;
    const bool parts = options_given(parsed, "folds") || options_given(parsed, "folds-contiguous");
    const bool first = options_given(parsed, "sessions"), each = options_given(parsed, "session-out");
    if (parts && (first || each))
        return terminal_fail(EXIT_USAGE, "within: --%s and --%s exclude each other",
                             options_given(parsed, "folds") ? "folds" : "folds-contiguous",
                             first ? "sessions" : "session-out");
    if (first && each)
        return terminal_fail(EXIT_USAGE, "within: --sessions and --session-out exclude each other");
    const run_choice choice = {.protocol = first  ? CONGRU_PROTOCOL_SESSIONS
                                           : each ? CONGRU_PROTOCOL_SESSION_OUT
                                                  : CONGRU_PROTOCOL_FOLDS,
                               .folds = folds,
                               .contiguous = options_given(parsed, "folds-contiguous")};
    return evaluation_run(parsed, &choice);
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
                   "equal shares of each class; or from the first session to the others, or each session in "
                   "turn. In parts, nothing of the part left out is seen when a trial is decided about. Prints "
                   "and keeps what 'congru loso' does.",
    .definitions = &pipeline_definitions,
    .options = {OPTION_ROWS(options), .more = &set_option_table},
    .examples = examples,
    .shares = true,
    .run = run,
};
