/* One way of having the trials of a set, and each domain of it recentred once for all folds. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_EVALUATION_PREPARE_H
#define CONGRU_EVALUATION_PREPARE_H

#include "aligner/recentre.h"
#include "dataset/set_products.h"
#include "evaluation/workers.h"
#include "model/trials.h"

/* Trials are recentred by domain: a subject, or one session of a subject. */
typedef struct congru_domains {
    size_t count;
    int32_t *of_trial; /* (trials) from 0 in the order of their first trials */
    int32_t *subject;  /* (count) */
    size_t *trial;     /* (trials): those of one domain after those of another, in the order of the set */
    size_t *first;     /* (count + 1): where in `trial` those of each begin */
} congru_domains;

/* Numbers the domains of a set. */
congru_status congru_domains_find(congru_context *context, const congru_set *set, bool by_session,
                                  congru_domains *domains);
void congru_domains_clear(congru_domains *domains);

/* Lists places by the group that each is of, in the order of the places: those of group k are listed (count) from first[k] up
 * to first[k + 1]. first (groups + 1) is zeros before. */
void congru_list_groups(size_t count, const int32_t *group, size_t groups, size_t *first, size_t *listed);

typedef struct congru_prepared {
    const congru_set *set; /* labels, subjects and names */
    const congru_domains *domains;
    congru_needs needs;
    size_t d;
    const double *covariance; /* (trials, d, d); NULL where signals are what is read */
    congru_signals signals;   /* of all trials; plain is NULL where there are none */

    const congru_recentring *recentring; /* NULL: none is done here */
    congru_metric mean;                  /* that becomes the identity */
    double *reference;                   /* (domains, d, d); NULL without recentring, like the two below */
    double *
        recentred; /* (trials, d, d) covariances, unless there are signals or the set is large (base/mapped_memory.h) */
    double *root;   /* (domains, d, d), the references' inverse roots, otherwise */
    double seconds; /* how long recentring took, all threads' time added */
} congru_prepared;

/* Room for the recentring; then congru_prepare_domain for each domain, in any order. Labels are not looked at. */
congru_status congru_prepare_begin(congru_context *context, congru_prepared *prepared);
congru_status congru_prepare_domain(congru_context *context, const congru_method_options *options,
                                    const congru_prepared *prepared, size_t domain);
void congru_prepared_clear(congru_prepared *prepared);

/* Trials where they are, recentred or not: those in `trial`, or all where it is NULL. */
congru_view congru_prepared_view(const congru_prepared *prepared, bool recentred, const size_t *trial);
congru_signals congru_prepared_signals(const congru_prepared *prepared, bool recentred, const size_t *trial);

#endif
