/* What tests of results folders run, and what is in their files. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_TESTS_RUN_SAMPLES_H
#define CONGRU_TESTS_RUN_SAMPLES_H

#include "congru/evaluation.h"
#include "set_samples.h"

/* Three subjects and two classes; two pipelines that are fitted at once. */
extern const set_recipe small;
extern const char *const two[2];

/* The first `count` pipelines, into a folder (NULL: none), under the name of a dataset that CSV has to quote. */
congru_evaluation_options options_for(const char *const *pipelines, size_t count, const char *folder);

/* The text of FOLDER/NAME, to be freed. */
char *file_text(const char *folder, const char *name);

/* Checks that a run is refused with these words. */
void expect_refusal(congru_context *context, const congru_set *set, const congru_evaluation_options *options,
                    const char *words);

/* Whether FOLDER/NAME is there; removes it. */
bool is_there(const char *folder, const char *name);
void remove_in(const char *folder, const char *name);

#endif
