/* Pipelines run on the sets of a command line, for experiments by dataset. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLI_REPRODUCE_SETS_H
#define CONGRU_CLI_REPRODUCE_SETS_H

#include "evaluation_run.h"
#include "score_table.h"

/* {0} is empty. Datasets have the paper's names where they are the paper's, else their own. */
typedef struct reproduce_sets {
    congru_context *context;
    score_tables scores, seconds; /* percent; seconds per subject */
} reproduce_sets;

/* Runs the pipelines, with commas between, or those of --pipelines, on each set; results of set NAME go to and come
 * from the folder NAME and `suffix`. Returns EXIT_DONE, or prints one line. */
int reproduce_sets_run(reproduce_sets *sets, const arguments *parsed, const char *pipelines,
                       congru_protocol protocol, const char *suffix);

/* For every dataset of the paper, and then for others: a row for each pipeline, as the paper's file has it and as it
 * came out; or that its data is not given. */
int reproduce_sets_print(const reproduce_sets *sets, const char *file, const char *pipelines);

/* Opens the set at `path` for a run; `chosen` is where its arguments live. */
int reproduce_sets_open(run_state *run, arguments *chosen, const arguments *parsed, size_t which,
                        const char *pipelines);

/* Calls `one` for each set of the command line, an empty line between; says that the paper's data is not given when
 * there is none. */
int reproduce_sets_each(const arguments *parsed, int (*one)(const arguments *parsed, size_t which));

/* The paper's name of a run's dataset, or its own. */
const char *reproduce_sets_name(const run_state *run);

void reproduce_sets_clear(reproduce_sets *sets);

#endif
