/* The paper's experiments: each prints its table beside ours, and judges its claims. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLI_REPRODUCE_H
#define CONGRU_CLI_REPRODUCE_H

#include "evaluation_run.h"
#include "score_list.h"
#include "table_show.h"

/* The options of 'congru reproduce': those of a run, then these, then those of sets and methods. */

/* One experiment. The operands are those after its name. Returns the exit code. */
int reproduce_synthetic(const arguments *parsed);
int reproduce_table_prealigners(const arguments *parsed);
int reproduce_table_e2e(const arguments *parsed);
int reproduce_ablation(const arguments *parsed);
int reproduce_runtime(const arguments *parsed);
int reproduce_statistics(const arguments *parsed);
int reproduce_silhouette(const arguments *parsed);
int reproduce_gap(const arguments *parsed);
int reproduce_comparison(const arguments *parsed);
int reproduce_geometry(const arguments *parsed);
int reproduce_recipes(const arguments *parsed);

/* Makes FOLDER and FOLDER/NAME, and gives the latter. Returns EXIT_DONE, or prints one line. */
int reproduce_folder(const arguments *parsed, const char *name, char *path, size_t size);

/* "52.43", or "-" where it is NaN; with the deviation where that is known; ours less theirs. */
void reproduce_add_number(congru_table *table, double mean, double deviation);
void reproduce_add_difference(congru_table *table, double ours, double paper);

#endif
