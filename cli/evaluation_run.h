/* What 'congru loso' and 'congru within' share: pipelines, subjects, the run, its table. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLI_EVALUATION_RUN_H
#define CONGRU_CLI_EVALUATION_RUN_H

#include "congru/congru.h"
#include "options.h"

/* The first options of both commands, in this order. */
enum { RUN_PIPELINES, RUN_SUBJECTS, RUN_TARGET, RUN_ALIGN_BY, RUN_DATASET, RUN_JOBS, RUN_OUTPUT, RUN_OPTIONS };

#define RUN_OPTION_TABLE \
    [RUN_PIPELINES] = \
        {"pipelines", 'p', "P,...", \
         "ALIGNER+CLASSIFIER or the name of an end-to-end model, with commas between; 'classical' for " \
         "all without a network, 'all' for all. Default: ra in front of each classifier."}, \
    [RUN_SUBJECTS] = {"subjects", '\0', "A,B,...", "Score these subjects alone. Default: all."}, \
    [RUN_TARGET] = \
        {"target", '\0', "MODE", \
         "How much of the new person's unlabelled trials may be seen: 'full', '50p' or '20p' (the first " \
         "half or fifth), 'none', or 'online' (each trial with those before it). Default: full."}, \
    [RUN_ALIGN_BY] = {"align-by", '\0', "NAME", \
                      "Align each 'subject', or each 'session' of a subject by itself. Default: subject."}, \
    [RUN_DATASET] = {"dataset", '\0', "NAME", "The set's name in results. Default: its file's name."}, \
    [RUN_JOBS] = \
        {"jobs", 'j', "N", \
         "How many folds to run at a time; the numbers are the same with any. Default: 0, one for each " \
         "processor."}, \
    [RUN_OUTPUT] = { \
        "output", 'o', "DIR", \
        "The folder of results; a run that was interrupted is taken up where it stood. Default: the " \
        "set's name and the command's, NAME-loso."}

/* Parses what both share, loads the set, runs, prints the table. `folds` is for CONGRU_PROTOCOL_FOLDS; the set's
 * options begin at `first`. Returns the exit code. */
int evaluation_run(const arguments *parsed, congru_protocol protocol, int folds, size_t first);

#endif
