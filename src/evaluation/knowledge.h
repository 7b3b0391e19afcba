/* What pipelines were let see of the target subjects. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_EVALUATION_KNOWLEDGE_H
#define CONGRU_EVALUATION_KNOWLEDGE_H

#include "base/text.h"
#include "congru/evaluation.h"

/* What the settings of a run let all pipelines see. */
typedef struct congru_seen {
    bool known; /* false: there are no settings */
    congru_protocol protocol;
    congru_target target;
    bool balance;
} congru_seen;

/* The results' `knowledge`, made anew of the settings and of the folds. */
congru_status congru_knowledge_find(congru_context *context, const congru_seen *seen, congru_results *results);

/* One line about pipelines that looked at labels, or are not scored on the trials of others; nothing where there are none. */
void congru_knowledge_note(const congru_results *results, congru_text *line);

/* ---- shared_trials.c ---- */

/* Scores of pipelines that are not scored on the same trials, on those that they share. */
congru_status congru_scores_share(congru_context *context, const congru_results *results,
                                  congru_scores *scores);

/* A subject under a pipeline, by index in results. */
typedef struct congru_scored {
    const congru_results *results;
    size_t pipeline, subject;
} congru_scored;

/* The accuracy of each of `count` results of one set on the trials that all of them are scored on, and how many these are; NaN
 * and 0 where they have none in common. */
congru_status congru_scored_common(congru_context *context, size_t count, const congru_scored *scored,
                                   double *accuracy, size_t *trials);

#endif
