/* Recentres each person's trials, once for all folds. SPDX-License-Identifier: Apache-2.0 */
#include "evaluation/prepare.h"

#include <stdlib.h>
#include <string.h>

#include "aligner/recentre.h"
#include "base/store.h"
#include "congru/spd.h"

void congru_prepared_clear(congru_prepared *prepared)
{
    free(prepared->domain);
    free(prepared->domain_subject);
    free(prepared->reference);
    free(prepared->recentred);
    free(prepared->root);
    *prepared = (congru_prepared){0};
}

congru_view congru_prepared_view(const congru_prepared *prepared, bool recentred, const size_t *trial)
{
    if (recentred && prepared->recentred != NULL)
        return (congru_view){.plain = prepared->recentred, .place = trial};
    return (congru_view){.plain = prepared->set->covariance,
                         .place = trial,
                         .root = recentred ? prepared->root : NULL,
                         .owner = prepared->domain};
}

size_t congru_prepare_domains(const congru_set *set, bool by_session, int32_t *domain, int32_t *subject)
{
    int32_t *first = subject; /* the domain's first trial, until all are known */
    size_t domains = 0;
    for (size_t i = 0; i < set->count; i++) {
        size_t found = domains;
        for (size_t k = domains; found == domains && k-- > 0;)
            if (set->subject[first[k]] == set->subject[i] &&
                (!by_session || set->session[first[k]] == set->session[i]))
                found = k;
        if (found == domains)
            first[domains++] = (int32_t)i;
        domain[i] = (int32_t)found;
    }
    for (size_t k = 0; k < domains; k++)
        subject[k] = set->subject[first[k]];
    return domains;
}

typedef struct recentre_job {
    congru_prepared *prepared;
    congru_metric mean;
    double *seconds; /* (domains) */
} recentre_job;

/* Puts the trials of a domain, recentred, where they are in the set; or keeps what recentres them. */
static congru_status whiten_domain(congru_context *context, const congru_prepared *prepared, size_t domain,
                                   size_t count, const size_t *place)
{
    const size_t d = prepared->set->dimension, size = d * d;
    const double *reference = prepared->reference + domain * size;
    if (prepared->root != NULL)
        return congru_spd_invsqrt(context, 1, d, reference, prepared->root + domain * size);
    double *own = malloc((count + 1) * size * sizeof *own);
    if (own == NULL)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "not enough memory to recentre %zu trials", count);
    double *root = own + count * size;
    for (size_t k = 0; k < count; k++)
        memcpy(own + k * size, prepared->set->covariance + place[k] * size, size * sizeof *own);
    congru_status status = congru_spd_invsqrt(context, 1, d, reference, root);
    if (status == CONGRU_OK)
        status = congru_spd_congruence(context, count, d, d, own, root, own);
    for (size_t k = 0; status == CONGRU_OK && k < count; k++)
        memcpy(prepared->recentred + place[k] * size, own + k * size, size * sizeof *own);
    free(own);
    return status;
}

static congru_status recentre_domain(void *user, size_t domain, congru_context *context)
{
    const recentre_job *job = user;
    congru_prepared *prepared = job->prepared;
    const congru_set *set = prepared->set;
    size_t size = set->dimension * set->dimension, count = 0;
    double start = congru_seconds();
    for (size_t i = 0; i < set->count; i++)
        count += prepared->domain[i] == (int32_t)domain;
    size_t *place = malloc(count * sizeof *place);
    int32_t *subject = calloc(count, sizeof *subject);
    congru_status status = CONGRU_OK;
    if (place == NULL || subject == NULL)
        status = congru_fail(context, CONGRU_ERROR_MEMORY, "not enough memory to recentre %zu trials", count);
    for (size_t i = 0, k = 0; status == CONGRU_OK && i < set->count; i++)
        if (prepared->domain[i] == (int32_t)domain)
            place[k++] = i;
    const congru_view view = {.plain = set->covariance, .place = place};
    const congru_trials trials = {
        .count = count, .d = set->dimension, .view = &view, .subject = subject, .subjects = 1};
    if (status == CONGRU_OK) {
        status = congru_recentre_references(context, job->mean, &trials, prepared->reference + domain * size);
        if (status == CONGRU_OK)
            status = whiten_domain(context, prepared, domain, count, place);
        if (status != CONGRU_OK) {
            char text[CONGRU_ERROR_TEXT_SIZE];
            strcpy(text, congru_context_error(context));
            congru_fail(context, status, "subject '%s': %.900s",
                        set->subject_name[prepared->domain_subject[domain]], text);
        }
    }
    free(place);
    free(subject);
    job->seconds[domain] = congru_seconds() - start;
    return status;
}

static congru_status recentre_all(congru_context *context, const congru_workers *workers, congru_metric mean,
                                  congru_prepared *prepared)
{
    const congru_set *set = prepared->set;
    size_t size = set->dimension * set->dimension;
    double *seconds = calloc(prepared->domains, sizeof *seconds);
    prepared->reference = malloc(prepared->domains * size * sizeof(double));
    bool large = set->count * size * sizeof(double) > congru_store_limit();
    double **kept = large ? &prepared->root : &prepared->recentred;
    *kept = malloc((large ? prepared->domains : set->count) * size * sizeof(double));
    congru_status status = CONGRU_OK;
    if (seconds == NULL || prepared->reference == NULL || *kept == NULL)
        status =
            congru_fail(context, CONGRU_ERROR_MEMORY, "not enough memory to recentre %zu trials", set->count);
    recentre_job job = {prepared, mean, seconds};
    if (status == CONGRU_OK)
        status = congru_workers_run(workers, prepared->domains, recentre_domain, &job);
    for (size_t k = 0; status == CONGRU_OK && k < prepared->domains; k++)
        prepared->seconds += seconds[k];
    free(seconds);
    return status;
}

congru_status congru_prepare(congru_context *context, const congru_workers *workers, const congru_set *set,
                             bool by_session, bool recentre, congru_metric mean, congru_prepared *prepared)
{
    *prepared = (congru_prepared){.set = set};
    prepared->domain = calloc(set->count, sizeof *prepared->domain);
    prepared->domain_subject = calloc(set->count, sizeof *prepared->domain_subject);
    congru_status status = CONGRU_OK;
    if (prepared->domain == NULL || prepared->domain_subject == NULL)
        status = congru_fail(context, CONGRU_ERROR_MEMORY, "not enough memory for %zu trials", set->count);
    else
        prepared->domains = congru_prepare_domains(set, by_session, prepared->domain, prepared->domain_subject);
    if (status == CONGRU_OK && recentre)
        status = recentre_all(context, workers, mean, prepared);
    if (status != CONGRU_OK)
        congru_prepared_clear(prepared);
    return status;
}
