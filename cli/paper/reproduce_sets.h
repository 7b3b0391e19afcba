/* Pipelines run on the sets of a command line, for experiments by dataset. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLI_REPRODUCE_SETS_H
#define CONGRU_CLI_REPRODUCE_SETS_H

#include "evaluation_run.h"
#include "score_list.h"
#include "table_show.h"

/* {0} is empty. Datasets have the paper's names where they are the paper's, else their own. */
typedef struct reproduce_sets {
    congru_context *context;
    congru_scores_list scores;                        /* percent */
    congru_scores_list aligning, fitting, predicting; /* seconds per subject */
    congru_table remarks;                             /* how sets differ from the paper's */
} reproduce_sets;

/* Runs the pipelines, with commas between, or those of --pipelines, on each set; results of set NAME go to and come
 * from the folder NAME and `suffix`. Of `pipelines` those that do not exist, or want signals of a set that has none, are
 * passed over. Returns EXIT_DONE, or prints one line. */
int reproduce_sets_run(reproduce_sets *sets, const arguments *parsed, const char *pipelines,
                       congru_protocol protocol, const char *suffix);

/* For every dataset of the paper, and then for others: a row for each pipeline, as the paper's file has it and as it
 * came out; or that its data is not given. */
int reproduce_sets_print(const reproduce_sets *sets, const char *file, const char *pipelines);

/* Whether a pipeline of this name exists. */
bool reproduce_sets_exists(const reproduce_sets *sets, const char *pipeline);

/* Whether scores of this dataset are there. */
bool reproduce_sets_given(const reproduce_sets *sets, const char *dataset);

/* Opens the set at `which` for a run; `chosen` is where its arguments live. */
int reproduce_sets_open(run_state *run, arguments *chosen, const arguments *parsed, size_t which,
                        const char *pipelines);

/* Calls `one` for each set of the command line, an empty line between; says that the paper's data is not given when
 * there is none. */
int reproduce_sets_each(const arguments *parsed, int (*one)(const arguments *parsed, size_t which));

/* The paper's name of a run's dataset; its own when it is none of the paper's; or "bnci2015-004 (2 classes)" when the
 * paper's has another number of classes, so that nothing is compared with it. */
void reproduce_sets_name(const run_state *run, char name[RUN_NAME_SIZE]);

/* How the set differs from the paper's of that name; "" where it does not, or where there is none. */
enum { REMARK_SIZE = RUN_NAME_SIZE + 640 };
void reproduce_sets_remark(const run_state *run, char remark[REMARK_SIZE]);

/* One line: that a set of the paper is not there, and where it is to be had. */
void reproduce_sets_absent(const char *dataset);

/* Prints the remark about a run's set, or those about all sets that were run, with an empty line after each. */
void reproduce_sets_print_remark(const run_state *run);
void reproduce_sets_print_remarks(const reproduce_sets *sets);

/* Adds the paper's columns of subjects, of one of its files. Returns EXIT_DONE, or prints one line. */
int reproduce_sets_printed(const char *file, congru_scores_list *tables);

void reproduce_sets_clear(reproduce_sets *sets);

#endif
