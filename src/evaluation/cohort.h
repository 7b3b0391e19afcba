/* Which subjects a run scores, and which have few trials. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_EVALUATION_COHORT_H
#define CONGRU_EVALUATION_COHORT_H

#include "base/text.h"
#include "congru/evaluation.h"

/* One subject of the set. */
typedef struct congru_member {
    size_t trials, classes; /* how many trials, and of how many classes */
    bool scored;            /* asked for, and there are trials to fit on and to score */
    bool asked;
} congru_member;

/* member (set->subjects), freed with free. Notes name those with few trials, and those that are asked for and cannot be
 * scored; CONGRU_ERROR_ARGUMENT when that is everybody. */
congru_status congru_cohort_make(congru_context *context, const congru_set *set,
                                 const congru_evaluation_options *options, congru_member **member);

/* Members of run.json: "scored": the names, "few_trials": what is known of those marked. */
void congru_cohort_text(const congru_set *set, const congru_member *member, congru_text *text);

/* Whether scores say little: fewer trials than classes, or a class without any. */
bool congru_few_trials(size_t trials, size_t classes_present, size_t classes);

/* Sets results->subject_few from the scored trials. */
void congru_results_mark(congru_results *results);

#endif
