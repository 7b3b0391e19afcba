/* What all folds share: each person's trials, recentred once. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_EVALUATION_PREPARE_H
#define CONGRU_EVALUATION_PREPARE_H

#include "evaluation/workers.h"
#include "model/trials.h"

/* Trials are recentred by domain: a subject, or one session of a subject. */
typedef struct congru_prepared {
    const congru_set *set;
    size_t domains;
    int32_t *domain;         /* (count) of each trial, from 0 in the order of their first trials */
    int32_t *domain_subject; /* (domains) */
    double *reference;       /* (domains, d, d); NULL when no pipeline wants recentred trials */
    double *recentred;       /* (count, d, d); likewise, and NULL when the set is large (base/store.h) */
    double *root;            /* (domains, d, d), the references' inverse roots, when it is */
    double seconds;          /* how long recentring took, all threads' time added */
} congru_prepared;

/* The domains of a set's trials, numbered in the order of their first trials: domain (count), and subject (count), of which
 * as many are filled in as there are domains. Returns how many. */
size_t congru_prepare_domains(const congru_set *set, bool by_session, int32_t *domain, int32_t *subject);

/* Labels are not looked at. */
congru_status congru_prepare(congru_context *context, const congru_workers *workers, const congru_set *set,
                             bool by_session, bool recentre, congru_metric mean, congru_prepared *prepared);

/* Trials of the set where they are, recentred or not: those in `trial`, or all where it is NULL. */
congru_view congru_prepared_view(const congru_prepared *prepared, bool recentred, const size_t *trial);
void congru_prepared_clear(congru_prepared *prepared);

#endif
