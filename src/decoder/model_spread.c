/* Measures how far the sources' trials lie from references. SPDX-License-Identifier: Apache-2.0 */
#include "decoder/model_spread.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/scalar_math.h"

static const double deviations = 5, of_median = 1.4826, least_deviation = 0.1;

double congru_spread_bound(const double row[CONGRU_SPREAD_COLUMNS])
{
    return congru_scalar_exp(row[0] + deviations * fmax(of_median * row[1], least_deviation));
}

static int by_size(const void *first, const void *second)
{
    const double a = *(const double *)first, b = *(const double *)second;
    return (a > b) - (a < b);
}

static double median_of(size_t count, double *x)
{
    qsort(x, count, sizeof *x, by_size);
    return 0.5 * (x[(count - 1) / 2] + x[count / 2]);
}

/* Median and median absolute deviation of the logarithms of distances (count), which become other numbers. False where fewer
 * are above 0 than a spread can be had of: the one trial of a session is its own reference. */
static bool reckon(size_t count, double *distance, double row[CONGRU_SPREAD_COLUMNS])
{
    size_t used = 0;
    for (size_t i = 0; i < count; i++)
        if (distance[i] > 1e-6)
            distance[used++] = congru_scalar_log(distance[i]);
    if (used < CONGRU_SPREAD_TRIALS_MIN)
        return false;
    row[0] = median_of(used, distance);
    for (size_t i = 0; i < used; i++)
        distance[i] = fabs(distance[i] - row[0]);
    row[1] = median_of(used, distance);
    return true;
}

typedef struct measuring {
    congru_context *context;
    const congru_prepared *prepared;
    congru_trial_list train;
    size_t *first,
        *listed;    /* (domains + 1), (trials): places in `train`, those of one domain after those of another */
    double *trial;  /* (largest domain, d, d) */
    double *others; /* (domains, d, d) references of other subjects */
    double *mean;   /* (d, d) of them */
    double *own, *beyond; /* (trials) distances */
    size_t count, met;    /* of each */
} measuring;

static size_t trials_of(const measuring *m, size_t domain)
{
    return m->first[domain + 1] - m->first[domain];
}

/* Subjects are left out one by one, or, where they are many, in groups: each costs a mean of all the others. */
static size_t group_of(const measuring *m, size_t domain)
{
    const size_t subjects = m->prepared->set->subjects, subject = (size_t)m->prepared->domains->subject[domain];
    return subjects <= CONGRU_SPREAD_GROUPS_MAX ? subject : subject * CONGRU_SPREAD_GROUPS_MAX / subjects;
}

/* The trials of one domain as they were before they were recentred. */
static congru_status gather(const measuring *m, size_t domain)
{
    const congru_prepared *prepared = m->prepared;
    const size_t size = prepared->d * prepared->d, count = trials_of(m, domain);
    const size_t *place = m->listed + m->first[domain];
    for (size_t i = 0; i < count; i++) {
        double *c = m->trial + i * size;
        const size_t *trial = &m->train.trial[place[i]];
        if (prepared->recentring->moment != NULL) {
            const congru_signals one = congru_prepared_signals(prepared, false, trial);
            CONGRU_TRY(prepared->recentring->moment(m->context, &one, c));
        } else {
            memcpy(c, prepared->covariance + *trial * size, size * sizeof *c);
        }
    }
    return CONGRU_OK;
}

/* The reference of all subjects but those of a group; false where there are none. */
static congru_status leave_out(const measuring *m, size_t group, bool *any)
{
    const congru_prepared *prepared = m->prepared;
    const size_t size = prepared->d * prepared->d;
    size_t count = 0;
    for (size_t k = 0; k < prepared->domains->count; k++)
        if (trials_of(m, k) > 0 && group_of(m, k) != group)
            memcpy(m->others + count++ * size, prepared->reference + k * size, size * sizeof *m->others);
    *any = count > 0;
    return count > 0 ? congru_recentre_prior(m->context, count, prepared->d, m->others, m->mean) : CONGRU_OK;
}

static congru_status measure_domain(measuring *m, size_t domain, bool others)
{
    const congru_prepared *prepared = m->prepared;
    const size_t d = prepared->d, count = trials_of(m, domain);
    CONGRU_TRY(gather(m, domain));
    CONGRU_TRY(congru_spd_distance(m->context, CONGRU_METRIC_RIEMANN, count, d, m->trial, 1,
                                   prepared->reference + domain * d * d, m->own + m->count));
    m->count += count;
    if (others)
        CONGRU_TRY(congru_spd_distance(m->context, CONGRU_METRIC_RIEMANN, count, d, m->trial, 1, m->mean,
                                       m->beyond + m->met));
    m->met += others ? count : 0;
    return CONGRU_OK;
}

static congru_status measure_group(measuring *m, size_t group)
{
    const size_t domains = m->prepared->domains->count;
    bool others = false, asked = false;
    for (size_t k = 0; k < domains; k++) {
        if (trials_of(m, k) == 0 || group_of(m, k) != group)
            continue;
        if (!asked)
            CONGRU_TRY(leave_out(m, group, &others));
        asked = true;
        CONGRU_TRY(measure_domain(m, k, others));
    }
    return CONGRU_OK;
}

static congru_status measure(measuring *m)
{
    const congru_prepared *prepared = m->prepared;
    const size_t size = prepared->d * prepared->d, domains = prepared->domains->count,
                 subjects = prepared->set->subjects, n = m->train.count;
    static const char what[] = "a model";
    int32_t *domain;
    size_t most = 0;
    CONGRU_TRY(congru_allocate(m->context, &m->first, domains + 1, sizeof *m->first, what));
    CONGRU_TRY(congru_allocate(m->context, &m->listed, n, sizeof *m->listed, what));
    CONGRU_TRY(congru_allocate(m->context, &domain, n, sizeof *domain, what));
    for (size_t i = 0; i < n; i++)
        domain[i] = prepared->domains->of_trial[m->train.trial[i]];
    congru_list_groups(n, domain, domains, m->first, m->listed);
    free(domain);
    for (size_t k = 0; k < domains; k++)
        most = trials_of(m, k) > most ? trials_of(m, k) : most;
    CONGRU_TRY(congru_take(m->context, &m->trial, most * size, sizeof(double), what));
    CONGRU_TRY(congru_take(m->context, &m->others, domains * size, sizeof(double), what));
    CONGRU_TRY(congru_allocate(m->context, &m->mean, size, sizeof(double), what));
    CONGRU_TRY(congru_allocate(m->context, &m->own, n, sizeof(double), what));
    CONGRU_TRY(congru_allocate(m->context, &m->beyond, n, sizeof(double), what));
    for (size_t g = 0; g < CONGRU_SPREAD_GROUPS_MAX && g < subjects; g++)
        CONGRU_TRY(measure_group(m, g));
    return CONGRU_OK;
}

/* Whether there are so many subjects that how far they lie from each other says how far a new one may. */
static bool has_subjects(const measuring *m)
{
    int32_t seen[CONGRU_SPREAD_SUBJECTS_MIN];
    size_t count = 0;
    for (size_t k = 0; count < CONGRU_SPREAD_SUBJECTS_MIN && k < m->prepared->domains->count; k++) {
        const int32_t subject = m->prepared->domains->subject[k];
        bool is_new = trials_of(m, k) > 0;
        for (size_t i = 0; i < count; i++)
            is_new = is_new && seen[i] != subject;
        if (is_new)
            seen[count++] = subject;
    }
    return count == CONGRU_SPREAD_SUBJECTS_MIN;
}

congru_status congru_spread_measure(congru_context *context, const congru_prepared *prepared,
                                    congru_trial_list train,
                                    double spread[CONGRU_SPREAD_ROWS * CONGRU_SPREAD_COLUMNS], size_t *rows)
{
    measuring m = {.context = context, .prepared = prepared, .train = train};
    *rows = 0;
    if (prepared->recentring == NULL || prepared->reference == NULL)
        return CONGRU_OK;
    congru_status status = measure(&m);
    if (status == CONGRU_OK && reckon(m.count, m.own, spread)) {
        *rows = 1;
        *rows += has_subjects(&m) && reckon(m.met, m.beyond, spread + CONGRU_SPREAD_COLUMNS);
    } else if (status == CONGRU_ERROR_NOT_POSITIVE || status == CONGRU_ERROR_NOT_CONVERGED) {
        status = CONGRU_OK; /* trials of low rank, which nothing is near to */
    }
    free(m.first);
    free(m.listed);
    free(m.mean);
    free(m.own);
    free(m.beyond);
    congru_memory_give(m.trial);
    congru_memory_give(m.others);
    return status;
}

congru_status congru_spread_find(congru_context *context, const congru_tensors *tensors, const char *name,
                                 const double **spread, size_t *rows)
{
    size_t shape[2] = {0, CONGRU_SPREAD_COLUMNS};
    *spread = NULL;
    *rows = 0;
    if (congru_tensors_find(tensors, name) == NULL)
        return CONGRU_OK;
    CONGRU_TRY(congru_tensors_expect(context, tensors, name, 2, shape, spread));
    bool possible = shape[0] <= CONGRU_SPREAD_ROWS;
    for (size_t i = 0; possible && i < shape[0]; i++)
        possible = fabs((*spread)[2 * i]) < 50 && (*spread)[2 * i + 1] >= 0 && (*spread)[2 * i + 1] < 20;
    if (!possible)
        return congru_fail(context, CONGRU_ERROR_FORMAT, "its tensor %s is no spread of distances", name);
    *rows = shape[0];
    return CONGRU_OK;
}
