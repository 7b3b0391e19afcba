/* What 'congru loso' and 'congru within' share: pipelines, subjects, the run, its table. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLI_EVALUATION_RUN_H
#define CONGRU_CLI_EVALUATION_RUN_H

#include "congru/congru.h"
#include "options.h"
#include "terminal.h"

/* Rows that both commands have. */
#define RUN_OPTION_TABLE \
    RUN_PIPELINES_OPTION, \
        RUN_OTHER_OPTIONS( \
            "The folder of results; a run that was interrupted is taken up where it stood. Default: the " \
            "set's name and the command's, NAME-loso.")

#define RUN_PIPELINES_OPTION \
    { \
        "pipelines", 'p', "P,...", \
            "ALIGNER+CLASSIFIER, the name of an end-to-end model or of a pipeline of branches, with commas " \
            "between; 'classical' for " \
            "all of covariances without a network, 'all' for all of covariances. Default: ra in front of " \
            "each " \
            "classifier, and in loso motor where the set holds signals." \
    }

/* For commands that choose pipelines themselves. */
#define RUN_OTHER_OPTIONS(output) \
    {"subjects", '\0', "A,B,...", "Score these subjects alone. Default: all."}, \
        {"target", '\0', "MODE", \
         "How much of the target subject's unlabelled trials may be seen: 'full', '50p' or '20p' (the first " \
         "half or fifth), 'none', or 'online' (each trial with those before it). Default: full."}, \
        {"align-by", '\0', "NAME", \
         "Align each 'subject', or each 'session' of a subject by itself. Default: subject."}, \
        {"dataset", '\0', "NAME", "The set's name in results. Default: its file's name."}, \
        {"jobs", 'j', "N", \
         "How many folds to run at a time; the numbers are the same with any. Default: 0, one for each " \
         "processor."}, \
        {"data-parallel", '\0', NULL, \
         "Under mpirun: all processes train each network together, sharing every batch, instead of folds; " \
         "for sets that outgrow a machine. The numbers are the same."}, \
    { \
        "output", 'o', "DIR", output \
    }

enum { RUN_NAME_SIZE = 256, RUN_COMMAND_SIZE = 4096, RUN_PATH_SIZE = 1280 };

/* Everything a run is made of; {.parsed = ...} begins one. */
typedef struct run_state {
    const arguments *parsed;
    congru_context *context;
    congru_set *set;
    congru_evaluation_options options;
    text_list pipelines;
    char (*pipeline)[CONGRU_PIPELINE_SIZE];
    const char **pipeline_name;
    int32_t *subject;
    char dataset[RUN_NAME_SIZE], folder[RUN_NAME_SIZE + 16], command[RUN_COMMAND_SIZE];
    terminal_work work;
    char doing[128];           /* "folds, dct-e2e step 40 of 200" */
    char where[RUN_PATH_SIZE]; /* the folder of the last evaluation; "" before the first */
    size_t done, total;        /* folds of it */
    bool counts_folds;         /* other calls of the library have progress of their own, which is not shown */
    bool told;                 /* that it was interrupted */
    bool diagnostics;          /* geometry.json is wanted */
    bool motor;                /* is among the default pipelines of a set that holds signals */
} run_state;

/* Parses the options of methods and modes, and opens the context; for a set that the caller makes. Each
 * returns EXIT_DONE, or prints one line and returns another code. */
int evaluation_settle(run_state *run);

/* The same, and makes the pipelines of --pipeline-file known and reads --pipelines, where it is given: its names are then
 * the options', and else there are none. */
int evaluation_choose(run_state *run);

/* The same, and pipelines, the set of the first operand, subjects, the names of dataset and folder. */
int evaluation_open(run_state *run);

/* congru_evaluate as the run's options are now; an interrupt ends it with a line that says how to go on. */
int evaluation_call(run_state *run, congru_results **results);

/* congru_curve_evaluate, likewise. */
int evaluation_call_curve(run_state *run, size_t count, const int *number, congru_curve **curve);

/* What these are made of, for other calls of the library that evaluate. From the first on, interrupts end calls
 * instead of the process; the second is told the folder of each evaluation before it, and NULL behind it; the third makes an
 * exit code of what a call returned, and prints the line about it. */
void evaluation_catch_interrupts(run_state *run);
void evaluation_running(run_state *run, const char *folder);
int evaluation_end(run_state *run, congru_status status);

void evaluation_close(run_state *run);

/* What the commands differ in. */
typedef struct run_choice {
    congru_protocol protocol;
    int folds;               /* of CONGRU_PROTOCOL_FOLDS */
    bool contiguous;         /* likewise */
    bool diagnostics;        /* the folder gets geometry.json */
    bool groups;             /* --groups is an option */
    const char *calibration; /* numbers of labelled target trials of each class, with commas between; or NULL */
} run_choice;

/* Parses what both share, loads the set, runs, prints the table; a curve where there are several numbers of calibration
 * trials. Returns the exit code. */
int evaluation_run(const arguments *parsed, const run_choice *choice);

#endif
