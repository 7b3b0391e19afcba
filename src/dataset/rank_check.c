/* Finds covariances without full rank and names the channels to blame. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "congru/dataset.h"
#include "congru/spd.h"
#include "spd/batch.h"

#include "base/number_text.h"

static const double default_tolerance = 1e-10;

/* A channel is part of a combination when its weight is above this fraction of the largest. */
static const double weight_shown = 0.05;

enum { WORDS_SIZE = 640, NAMED_MAX = 8 };

/* One covariance that lacks rank. */
typedef struct suspect {
    congru_context *context;
    size_t d, rank;
    size_t number;        /* of the trial, from 1 */
    char of[32];          /* " of 288" */
    size_t samples;       /* of a trial; 0 when unknown */
    double least, most;   /* eigenvalues */
    const double *c;      // (d, d)
    const double *vector; // (d): of the smallest eigenvalue
    double negligible;    /* a variance below this counts as none */
    const char (*name)[CONGRU_LABEL_SIZE];
} suspect;

/* Text being put together, cut short where it is full. */
typedef struct words {
    char text[WORDS_SIZE];
    size_t size;
} words;

__attribute__((format(printf, 2, 3))) static void say(words *w, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = congru_format_list(w->text + w->size, sizeof w->text - w->size, format, arguments);
    va_end(arguments);
    size_t left = sizeof w->text - w->size - 1;
    w->size += length < 0 ? 0 : (size_t)length < left ? (size_t)length : left;
}

static void say_channel(words *w, const suspect *s, size_t channel)
{
    if (s->name != NULL && s->name[channel][0] != '\0')
        say(w, "%.*s", CONGRU_LABEL_SIZE - 1, s->name[channel]);
    else
        say(w, "channel %zu", channel + 1);
}

static congru_status fail_because(const suspect *s, const words *why, const char *remedy)
{
    return congru_fail(s->context, CONGRU_ERROR_NOT_POSITIVE,
                       "trial %zu%s: its covariance has rank %zu of %zu: %s (%s)", s->number, s->of, s->rank,
                       s->d, why->text, remedy);
}

/* "Cz is flat", "Cz and C4 are flat". */
static bool find_flat(const suspect *s, words *w)
{
    size_t found = 0;
    for (size_t i = 0; i < s->d; i++)
        found += fabs(s->c[i * (s->d + 1)]) < s->negligible;
    if (found == 0)
        return false;
    size_t said = 0;
    for (size_t i = 0; i < s->d && said < NAMED_MAX; i++) {
        if (!(fabs(s->c[i * (s->d + 1)]) < s->negligible))
            continue;
        say(w, said == 0 ? "" : said + 1 == found ? " and " : ", ");
        say_channel(w, s, i);
        said++;
    }
    if (said < found)
        say(w, " and %zu more", found - said);
    say(w, found == 1 ? " is flat" : " are flat");
    return true;
}

/* Two channels whose difference, or sum, has no variance. The eigenvector's norm is 1: (1, -1)/sqrt 2 has half
 * the variance of the difference. */
static bool find_equal(const suspect *s, words *w)
{
    const size_t d = s->d;
    for (size_t i = 0; i < d; i++) {
        for (size_t j = i + 1; j < d; j++) {
            double own = s->c[i * (d + 1)] + s->c[j * (d + 1)], both = 2.0 * s->c[i * d + j];
            bool equal = own - both < 2.0 * s->negligible, opposite = own + both < 2.0 * s->negligible;
            if (!equal && !opposite)
                continue;
            say_channel(w, s, i);
            say(w, " and ");
            say_channel(w, s, j);
            say(w, equal ? " are equal" : " are each other's opposite");
            return true;
        }
    }
    return false;
}

static bool adds_up_to_zero(const suspect *s)
{
    double sum = 0.0;
    for (size_t i = 0; i < s->d * s->d; i++)
        sum += s->c[i];
    return fabs(sum) < s->negligible * (double)s->d;
}

/* "0.71 C3 - 0.5 Cz - 0.5 C4 has no variance", largest weights first. */
static void say_combination(const suspect *s, words *w)
{
    bool named[CONGRU_DIMENSION_MAX] = {false};
    double largest = 0.0;
    size_t part = 0;
    for (size_t i = 0; i < s->d; i++)
        largest = fabs(s->vector[i]) > largest ? fabs(s->vector[i]) : largest;
    for (size_t i = 0; i < s->d; i++)
        part += fabs(s->vector[i]) > weight_shown * largest;
    size_t most = part < NAMED_MAX ? part : NAMED_MAX;
    for (size_t said = 0; said < most; said++) {
        size_t next = s->d;
        for (size_t i = 0; i < s->d; i++)
            if (!named[i] && (next == s->d || fabs(s->vector[i]) > fabs(s->vector[next])))
                next = i;
        named[next] = true;
        double weight = s->vector[next];
        say(w, said == 0 ? "%s%.3g " : " %s %.3g ", weight < 0.0 ? "-" : said == 0 ? "" : "+", fabs(weight));
        say_channel(w, s, next);
    }
    if (part > most)
        say(w, " and %s", congru_count(part - most, "more channel").text);
    say(w, " has no variance");
}

/* Windows of T samples have rank T - 1 at the most; where T is not known, a rank that lacks more than one says it. */
static bool find_short(const suspect *s, words *w)
{
    if (s->samples > 0 && s->samples <= s->d)
        say(w, "%zu samples for %zu channels", s->samples, s->d);
    else if (s->samples == 0 && s->rank + 1 < s->d)
        say(w, "%zu combinations of channels have no variance, as in windows of %zu samples", s->d - s->rank,
            s->rank + 1);
    return w->size > 0;
}

static congru_status report(const suspect *s)
{
    words w = {.size = 0};
    static const char longer[] = "take longer windows, fewer channels, or estimate with oas or lwf";
    if (s->least < -s->negligible)
        return congru_fail(
            s->context, CONGRU_ERROR_NOT_POSITIVE,
            "trial %zu%s: not a covariance: its eigenvalues go from %.3g to %.3g, and none may be "
            "negative (leave the trial out, or make the covariances again)",
            s->number, s->of, s->least, s->most);
    if (s->samples > 0 && find_short(s, &w))
        return fail_because(s, &w, longer);
    if (find_flat(s, &w))
        return fail_because(s, &w, "leave flat channels out");
    if (find_equal(s, &w))
        return fail_because(s, &w, "leave one of the two out");
    if (adds_up_to_zero(s)) {
        say(&w, "the channels add up to zero: average reference");
        return fail_because(s, &w, "leave one channel out, or estimate with oas or lwf");
    }
    if (find_short(s, &w))
        return fail_because(s, &w, longer);
    say_combination(s, &w);
    return fail_because(s, &w,
                        "leave one of these channels out, take longer windows, or estimate with oas or lwf");
}

/* The first covariance whose smallest eigenvalue is below the tolerance; `count` when there is none. */
static size_t find_suspect(size_t count, size_t d, const double *values, double tolerance)
{
    for (size_t m = 0; m < count; m++) {
        const double *own = values + m * d;
        if (!(own[0] > 0.0 && own[0] >= tolerance * own[d - 1]))
            return m;
    }
    return count;
}

/* What is checked. */
typedef struct rank_job {
    congru_context *context;
    size_t count, d, samples;
    const double *covariance; // (count, d, d)
    double tolerance;
    const char (*name)[CONGRU_LABEL_SIZE];
    const size_t *number; /* (count), or NULL */
} rank_job;

/* Decomposes the suspect, this time with vectors. `work` has room for d + 2 d^2 numbers. */
static congru_status examine(const rank_job *job, size_t trial, double *work)
{
    const size_t d = job->d;
    double *values = work, *vectors = work + d, *vector = vectors + d * d;
    const double *c = job->covariance + trial * d * d;
    CONGRU_TRY(congru_spd_eigen(job->context, 1, d, c, values, vectors));
    double largest = fabs(values[0]) > fabs(values[d - 1]) ? fabs(values[0]) : fabs(values[d - 1]);
    suspect s = {.context = job->context, .d = d, .c = c, .vector = vector, .name = job->name};
    s.number = job->number != NULL ? job->number[trial] : trial + 1;
    if (job->number == NULL)
        snprintf(s.of, sizeof s.of, " of %zu", job->count);
    s.samples = job->samples;
    s.least = values[0];
    s.most = values[d - 1];
    /* A matrix of zeros has every channel flat. */
    s.negligible = largest > 0.0 ? job->tolerance * largest : 1.0;
    for (size_t i = 0; i < d; i++) {
        vector[i] = vectors[i * d];
        s.rank += values[i] > 0.0 && values[i] >= job->tolerance * largest;
    }
    return report(&s);
}

static congru_status check(const rank_job *job)
{
    const size_t count = job->count, d = job->d;
    size_t work_size = count * d > d + 2 * d * d ? count * d : d + 2 * d * d;
    double *work = malloc(work_size * sizeof *work);
    if (work == NULL)
        return congru_fail(job->context, CONGRU_ERROR_MEMORY, "no memory for %zu eigenvalues", count * d);
    congru_status status = congru_spd_eigen(job->context, count, d, job->covariance, work, NULL);
    if (status == CONGRU_OK) {
        size_t trial = find_suspect(count, d, work, job->tolerance);
        if (trial < count)
            status = examine(job, trial, work);
    }
    free(work);
    return status;
}

congru_status congru_covariance_check_rank(congru_context *context, size_t count, size_t d,
                                           const double *covariance, double tolerance,
                                           const char (*channel_name)[CONGRU_LABEL_SIZE])
{
    CONGRU_TRY(congru_check_shape(context, count, d));
    if (covariance == NULL || !(tolerance >= 0.0 && tolerance < 1.0))
        return congru_fail(
            context, CONGRU_ERROR_ARGUMENT,
            "congru_covariance_check_rank: covariance is NULL, or the tolerance is not in [0, 1)");
    return check(&(rank_job){.context = context,
                             .count = count,
                             .d = d,
                             .covariance = covariance,
                             .tolerance = tolerance > 0.0 ? tolerance : default_tolerance,
                             .name = channel_name});
}

congru_status congru_set_check_rank(congru_context *context, const congru_set *set, size_t first,
                                    const congru_epochs *epochs)
{
    if (context == NULL || set == NULL || set->covariance == NULL || first >= set->count ||
        (epochs != NULL && epochs->count != set->count - first))
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "congru_set_check_rank: no covariances from there on, or not those of the epochs");
    CONGRU_TRY(congru_check_shape(context, set->count - first, set->dimension));
    return check(&(rank_job){.context = context,
                             .count = set->count - first,
                             .d = set->dimension,
                             .samples = set->samples,
                             .covariance = set->covariance + first * set->dimension * set->dimension,
                             .tolerance = default_tolerance,
                             .name = (const char(*)[CONGRU_LABEL_SIZE])set->channel_name,
                             .number = epochs != NULL ? epochs->number : NULL});
}
