/* Recentres each domain of a set, once for all folds. SPDX-License-Identifier: Apache-2.0 */
#include "evaluation/prepare.h"

#include <stdlib.h>
#include <string.h>

#include "base/mapped_memory.h"
#include "congru/spd.h"

/* ---- Domains ------------------------------------------------------------------------------------------- */

void congru_domains_clear(congru_domains *domains)
{
    free(domains->of_trial);
    free(domains->subject);
    free(domains->trial);
    free(domains->first);
    *domains = (congru_domains){0};
}

typedef struct member {
    int32_t subject, session, trial;
} member;

static int by_domain(const void *a, const void *b)
{
    const member *x = a, *y = b;
    if (x->subject != y->subject)
        return x->subject < y->subject ? -1 : 1;
    if (x->session != y->session)
        return x->session < y->session ? -1 : 1;
    return (x->trial > y->trial) - (x->trial < y->trial);
}

/* Numbers the domains in the order of their first trials, by sorting: there may be as many as trials. */
static void number_domains(const congru_set *set, bool by_session, member *sorted, congru_domains *domains)
{
    for (size_t i = 0; i < set->count; i++)
        sorted[i] = (member){set->subject[i], by_session ? set->session[i] : 0, (int32_t)i};
    qsort(sorted, set->count, sizeof *sorted, by_domain);
    for (size_t i = 0, leader = 0; i < set->count; i++) {
        if (sorted[i].subject != sorted[leader].subject || sorted[i].session != sorted[leader].session)
            leader = i;
        domains->of_trial[sorted[i].trial] = sorted[leader].trial;
    }
    for (size_t i = 0; i < set->count; i++) {
        const size_t leader = (size_t)domains->of_trial[i];
        if (leader == i)
            domains->subject[domains->count] = set->subject[i];
        domains->of_trial[i] = leader == i ? (int32_t)domains->count++ : domains->of_trial[leader];
    }
}

void congru_list_groups(size_t count, const int32_t *group, size_t groups, size_t *first, size_t *listed)
{
    for (size_t i = 0; i < count; i++)
        first[group[i] + 1]++;
    for (size_t k = 0; k < groups; k++)
        first[k + 1] += first[k];
    for (size_t i = 0; i < count; i++)
        listed[first[group[i]]++] = i;
    for (size_t k = groups; k > 0; k--) /* each has moved to the end of its own */
        first[k] = first[k - 1];
    first[0] = 0;
}

congru_status congru_domains_find(congru_context *context, const congru_set *set, bool by_session,
                                  congru_domains *domains)
{
    *domains = (congru_domains){.of_trial = calloc(set->count, sizeof *domains->of_trial),
                                .subject = calloc(set->count, sizeof *domains->subject),
                                .trial = calloc(set->count, sizeof *domains->trial),
                                .first = calloc(set->count + 1, sizeof *domains->first)};
    member *sorted = malloc(set->count * sizeof *sorted);
    congru_status status = CONGRU_OK;
    if (domains->of_trial == NULL || domains->subject == NULL || domains->trial == NULL ||
        domains->first == NULL || sorted == NULL) {
        status = congru_fail(context, CONGRU_ERROR_MEMORY, "not enough memory for %zu trials", set->count);
    } else {
        number_domains(set, by_session, sorted, domains);
        congru_list_groups(set->count, domains->of_trial, domains->count, domains->first, domains->trial);
    }
    free(sorted);
    return status;
}

/* ---- Recentring ---------------------------------------------------------------------------------------- */

void congru_prepared_clear(congru_prepared *prepared)
{
    free(prepared->reference);
    free(prepared->recentred);
    free(prepared->root);
    *prepared = (congru_prepared){0};
}

congru_view congru_prepared_view(const congru_prepared *prepared, bool recentred, const size_t *trial)
{
    if (recentred && prepared->recentred != NULL)
        return (congru_view){.plain = prepared->recentred, .place = trial};
    return (congru_view){.plain = prepared->covariance,
                         .place = trial,
                         .root = recentred ? prepared->root : NULL,
                         .owner = prepared->domains->of_trial};
}

congru_signals congru_prepared_signals(const congru_prepared *prepared, bool recentred, const size_t *trial)
{
    congru_signals signals = prepared->signals;
    signals.place = trial;
    signals.root = recentred ? prepared->root : NULL;
    signals.owner = prepared->domains->of_trial;
    return signals;
}

congru_status congru_prepare_begin(congru_context *context, congru_prepared *prepared)
{
    const size_t size = prepared->d * prepared->d, trials = prepared->set->count;
    bool copies = prepared->signals.plain == NULL && trials * size * sizeof(double) <= congru_mapped_limit();
    double **kept = copies ? &prepared->recentred : &prepared->root;
    prepared->reference = malloc(prepared->domains->count * size * sizeof(double));
    *kept = malloc((copies ? trials : prepared->domains->count) * size * sizeof(double));
    if (prepared->reference == NULL || *kept == NULL)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "not enough memory to recentre %zu trials", trials);
    return CONGRU_OK;
}

/* Puts the trials of a domain, recentred, where they are in the set; or keeps what recentres them. */
static congru_status whiten_domain(congru_context *context, const congru_prepared *prepared, size_t domain,
                                   size_t count, const size_t *place)
{
    const size_t d = prepared->d, size = d * d;
    const double *reference = prepared->reference + domain * size;
    if (prepared->root != NULL)
        return congru_spd_invsqrt(context, 1, d, reference, prepared->root + domain * size);
    double *own = malloc((count + 1) * size * sizeof *own);
    if (own == NULL)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "not enough memory to recentre %zu trials", count);
    double *root = own + count * size;
    for (size_t k = 0; k < count; k++)
        memcpy(own + k * size, prepared->covariance + place[k] * size, size * sizeof *own);
    congru_status status = congru_spd_invsqrt(context, 1, d, reference, root);
    if (status == CONGRU_OK)
        status = congru_spd_congruence(context, count, d, d, own, root, own);
    for (size_t k = 0; status == CONGRU_OK && k < count; k++)
        memcpy(prepared->recentred + place[k] * size, own + k * size, size * sizeof *own);
    free(own);
    return status;
}

/* The reference of a domain's trials, and what it does to them. */
static congru_status recentre(congru_context *context, const congru_method_options *options,
                              const congru_prepared *prepared, size_t domain, size_t count, const size_t *place,
                              const int32_t *subject)
{
    const congru_view view = {.plain = prepared->covariance, .place = place};
    const congru_signals signals = congru_prepared_signals(prepared, false, place);
    const congru_trials trials = {.count = count,
                                  .d = prepared->d,
                                  .view = signals.plain == NULL ? &view : NULL,
                                  .signals = signals.plain != NULL ? &signals : NULL,
                                  .subject = subject,
                                  .subjects = 1};
    congru_status status = prepared->recentring->references(
        context, options, &trials, prepared->reference + domain * prepared->d * prepared->d);
    return status == CONGRU_OK ? whiten_domain(context, prepared, domain, count, place) : status;
}

congru_status congru_prepare_domain(congru_context *context, const congru_method_options *options,
                                    const congru_prepared *prepared, size_t domain)
{
    const congru_set *set = prepared->set;
    const size_t first = prepared->domains->first[domain];
    const size_t count = prepared->domains->first[domain + 1] - first;
    const size_t *place = prepared->domains->trial + first;
    int32_t *subject = calloc(count, sizeof *subject);
    congru_status status = CONGRU_OK;
    if (subject == NULL)
        status = congru_fail(context, CONGRU_ERROR_MEMORY, "not enough memory to recentre %zu trials", count);
    if (status == CONGRU_OK) {
        status = recentre(context, options, prepared, domain, count, place, subject);
        if (status != CONGRU_OK) {
            char text[CONGRU_ERROR_TEXT_SIZE];
            strcpy(text, congru_context_error(context));
            congru_fail(context, status, "subject '%s': %.900s",
                        set->subject_name[prepared->domains->subject[domain]], text);
        }
    }
    free(subject);
    return status;
}
