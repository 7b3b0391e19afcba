/* Riemannian alignment: references and whitening. SPDX-License-Identifier: Apache-2.0 */
#include "aligner/recentre.h"

#include <stdio.h>
#include <string.h>

#include "base/workspace.h"
#include "spd/view_load.h"

static const double tolerance = 1e-12; /* of the affine-invariant mean */
static const double tolerance_last =
    1e-7; /* what is still taken: trials of condition 1e9 are known no better */

/* Puts whose trials they were before the error text that a batch of them left. */
static congru_status blame(congru_context *context, congru_status status, const char *whose, size_t number)
{
    char said[CONGRU_ERROR_TEXT_SIZE];
    snprintf(said, sizeof said, "%s", context->error);
    return congru_fail(context, status, "%s %zu: %s", whose, number, said);
}

void congru_recentre_begin(size_t d, const double *c, double *out)
{
    double trace = 0.0;
    for (size_t i = 0; i < d; i++)
        trace += c[i * d + i];
    for (size_t i = 0; i < d * d; i++)
        out[i] = 0.5 * c[i];
    for (size_t i = 0; i < d; i++)
        out[i * d + i] += 0.5 * trace / (double)d;
}

static congru_status mean_of(congru_context *context, congru_metric metric, size_t n, size_t d,
                             const congru_view *view, double *out)
{
    const congru_mean_options options = {.tolerance = tolerance};
    congru_mean_info info = {0};
    congru_status status = congru_view_mean(context, metric, n, d, view, &options, out, &info);
    if (status == CONGRU_ERROR_NOT_CONVERGED && info.tangent_norm <= tolerance_last)
        status = congru_check_argument(context, true, "");
    return status;
}

/* out = M^-1/2 C M^-1/2 for n trials; root (d, d) is scratch. */
static congru_status whiten(congru_context *context, size_t n, size_t d, const double *c,
                            const double *reference, double *root, double *out)
{
    CONGRU_TRY(congru_spd_invsqrt(context, 1, d, reference, root));
    return congru_spd_congruence(context, n, d, d, c, root, out);
}

/* ---- Source subjects --------------------------------------------------------------------------- */

/* Trials of one subject, which need not be next to each other, brought together. */
typedef struct gathering {
    size_t size; /* of the largest subject */
    double *c;   /* (size, d, d) */
    double *root;
} gathering;

static void gathering_layout(congru_arena *arena, size_t d, gathering *g)
{
    g->c = congru_arena_take(arena, g->size * d * d, sizeof(double));
    g->root = congru_arena_take(arena, d * d, sizeof(double));
}

static size_t trials_of(const congru_trials *trials, size_t subject)
{
    size_t count = 0;
    for (size_t i = 0; i < trials->count; i++)
        count += (size_t)trials->subject[i] == subject;
    return count;
}

/* size: the trials of the largest subject. */
static congru_status check_trials(congru_context *context, const congru_trials *trials, const void *other,
                                  size_t *size)
{
    CONGRU_TRY(congru_check_shape(context, trials->count, trials->d));
    CONGRU_TRY(congru_check_argument(
        context, congru_trials_view(trials).plain != NULL && trials->subject != NULL && other != NULL,
        "no trials, subjects or references were given"));
    for (size_t i = 0; i < trials->count; i++)
        if (trials->subject[i] < 0 || (size_t)trials->subject[i] >= trials->subjects)
            CONGRU_TRY(congru_fail(context, CONGRU_ERROR_ARGUMENT,
                                   "trial %zu is of subject %d: expected 0 to %zu", i + 1,
                                   (int)trials->subject[i], trials->subjects - 1));
    *size = 0;
    for (size_t s = 0; s < trials->subjects; s++) {
        size_t count = trials_of(trials, s);
        *size = count > *size ? count : *size;
        if (count == 0)
            return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                               "subject %zu of %zu has no trials: leave out subjects without any", s + 1,
                               trials->subjects);
    }
    return CONGRU_OK;
}

static congru_status gathering_begin(congru_context *context, const congru_trials *trials, const void *other,
                                     congru_arena *arena, gathering *g)
{
    CONGRU_TRY(check_trials(context, trials, other, &g->size));
    CONGRU_TRY(congru_check_argument(context, trials->covariance != NULL, "the trials are not in one place"));
    congru_arena measure = {0};
    gathering_layout(&measure, trials->d, g);
    if (congru_arena_reserve(arena, measure.used) != CONGRU_OK)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "no memory for %zu trials of one subject", g->size);
    gathering_layout(arena, trials->d, g);
    return CONGRU_OK;
}

static size_t gather(const congru_trials *trials, size_t subject, double *c)
{
    const size_t size = trials->d * trials->d;
    size_t count = 0;
    for (size_t i = 0; i < trials->count; i++)
        if ((size_t)trials->subject[i] == subject)
            memcpy(c + count++ * size, trials->covariance + i * size, size * sizeof(double));
    return count;
}

static void scatter(const congru_trials *trials, size_t subject, const double *c, double *out)
{
    const size_t size = trials->d * trials->d;
    size_t count = 0;
    for (size_t i = 0; i < trials->count; i++)
        if ((size_t)trials->subject[i] == subject)
            memcpy(out + i * size, c + count++ * size, size * sizeof(double));
}

congru_status congru_recentre_references(congru_context *context, congru_metric mean,
                                         const congru_trials *trials, double *reference)
{
    congru_arena arena = {0};
    congru_view view = congru_trials_view(trials);
    const size_t *from = view.place;
    size_t size;
    congru_status status = check_trials(context, trials, reference, &size);
    if (status == CONGRU_OK && congru_arena_reserve(&arena, size * sizeof(size_t)) != CONGRU_OK)
        status = congru_fail(context, CONGRU_ERROR_MEMORY, "no memory for %zu trials of one subject", size);
    size_t *place = status == CONGRU_OK ? congru_arena_take(&arena, size, sizeof(size_t)) : NULL;
    view.place = place;
    for (size_t s = 0; status == CONGRU_OK && s < trials->subjects; s++) {
        size_t count = 0;
        for (size_t i = 0; i < trials->count; i++)
            if ((size_t)trials->subject[i] == s)
                place[count++] = from != NULL ? from[i] : i;
        status = mean_of(context, mean, count, trials->d, &view, reference + s * trials->d * trials->d);
        if (status != CONGRU_OK)
            status = blame(context, status, "among the trials of subject", s);
    }
    return congru_workspace_free(context, &arena, status);
}

congru_status congru_recentre_sources(congru_context *context, const congru_trials *trials,
                                      const double *reference, double *out)
{
    congru_arena arena = {0};
    gathering g;
    congru_status status = gathering_begin(context, trials, reference, &arena, &g);
    if (status == CONGRU_OK)
        status = congru_check_argument(context, out != NULL, "no output was given");
    for (size_t s = 0; status == CONGRU_OK && s < trials->subjects; s++) {
        const size_t d = trials->d, count = gather(trials, s, g.c);
        status = whiten(context, count, d, g.c, reference + s * d * d, g.root, g.c);
        if (status != CONGRU_OK)
            status = blame(context, status, "among the trials of subject", s);
        else
            scatter(trials, s, g.c, out);
    }
    return congru_workspace_free(context, &arena, status);
}

congru_status congru_recentre_prior(congru_context *context, size_t count, size_t d, const double *reference,
                                    double *prior)
{
    return congru_spd_mean(context, CONGRU_METRIC_LOGEUCLID, count, d, reference, NULL, prior, NULL);
}

/* ---- A target subject -------------------------------------------------------------------------------- */

typedef struct target_work {
    double *reference, *root; /* (d, d) */
} target_work;

/* Trials `first` on, `count` of them, by a reference: signals where there are some, else covariances. */
static congru_status whiten_target(congru_context *context, const congru_target_trials *target, size_t first,
                                   size_t count, const double *reference, const target_work *w, double *out)
{
    const size_t size = target->d * target->d;
    if (target->signals == NULL)
        return whiten(context, count, target->d, target->covariance + first * size, reference, w->root,
                      out + first * size);
    congru_status status = congru_spd_invsqrt(context, 1, target->d, reference, w->root);
    congru_signals signals = *target->signals;
    const size_t length = signals.channels * signals.samples;
    for (size_t i = first; status == CONGRU_OK && i < first + count; i++) {
        const size_t place = signals.place != NULL ? signals.place[i] : i;
        const congru_signals one = {.plain = signals.plain + place * length,
                                    .channels = signals.channels,
                                    .samples = signals.samples,
                                    .root = w->root,
                                    .owner = &(const int32_t){0}};
        congru_signals_read(&one, 0, out + i * length);
    }
    return status;
}

static void target_layout(congru_arena *arena, size_t d, target_work *w)
{
    w->reference = congru_arena_take(arena, d * d, sizeof(double));
    w->root = congru_arena_take(arena, d * d, sizeof(double));
}

/* Trial by trial, each one seen before it is overwritten. */
static congru_status recentre_online(congru_context *context, congru_metric metric,
                                     const congru_target_trials *target, const target_work *w, double *out)
{
    const size_t d = target->d, size = d * d;
    congru_status status = CONGRU_OK;
    congru_recentre_begin(d, target->covariance, w->reference);
    for (size_t t = 0; status == CONGRU_OK && t < target->count; t++) {
        const double *c = target->covariance + t * size;
        if (t > 0)
            status = congru_spd_geodesic(context, metric, 1, d, w->reference, 1, c, 1.0 / (double)(t + 1),
                                         w->reference);
        if (status == CONGRU_OK)
            status = whiten_target(context, target, t, 1, w->reference, w, out);
        if (status != CONGRU_OK)
            status = blame(context, status, "the target subject's trial", t);
    }
    return status;
}

static congru_status recentre_at_once(congru_context *context, congru_metric metric,
                                      const congru_target_trials *target, const double *prior,
                                      const target_work *w, double *out)
{
    const size_t d = target->d;
    congru_status status = CONGRU_OK;
    if (target->visible > 1) {
        status = mean_of(context, metric, target->visible, d, &(congru_view){.plain = target->covariance},
                         w->reference);
        prior = w->reference;
    } else if (target->visible == 1) {
        congru_recentre_begin(d, target->covariance, w->reference);
        prior = w->reference;
    }
    if (status == CONGRU_OK)
        status = congru_check_argument(
            context, prior != NULL,
            "nothing may be seen of the target subject, and no prior reference was given");
    return status == CONGRU_OK ? whiten_target(context, target, 0, target->count, prior, w, out) : status;
}

congru_status congru_recentre_target(congru_context *context, congru_metric mean,
                                     const congru_target_trials *target, const double *prior, double *out)
{
    CONGRU_TRY(congru_check_shape(context, target->count, target->d));
    CONGRU_TRY(congru_check_argument(context, target->covariance != NULL && out != NULL,
                                     "no trials of the target subject or no output was given"));
    CONGRU_TRY(congru_check_argument(context, target->visible <= target->count,
                                     "more trials of the target subject are visible than there are"));
    congru_arena measure = {0}, arena = {0};
    target_work w;
    target_layout(&measure, target->d, &w);
    if (congru_arena_reserve(&arena, measure.used) != CONGRU_OK)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "no memory for a reference of %zu x %zu", target->d,
                           target->d);
    target_layout(&arena, target->d, &w);
    congru_status status = target->online ? recentre_online(context, mean, target, &w, out)
                                          : recentre_at_once(context, mean, target, prior, &w, out);
    return congru_workspace_free(context, &arena, status);
}

/* ---- As part of an aligner's table ------------------------------------------------------------- */

static congru_status ra_references(congru_context *context, const congru_method_options *options,
                                   const congru_trials *trials, double *reference)
{
    return congru_recentre_references(context, options->alignment_mean, trials, reference);
}

static congru_status ra_target(congru_context *context, const congru_method_options *options,
                               const congru_target_trials *target, const double *prior, double *out)
{
    return congru_recentre_target(context, options->alignment_mean, target, prior, out);
}

static congru_status ra_move(congru_context *context, const congru_method_options *options, size_t count,
                             size_t d, const double *reference, const double *covariance, double part,
                             double *out)
{
    return congru_spd_geodesic(context, options->alignment_mean, count, d, reference, count, covariance, part,
                               out);
}

const congru_recentring congru_recentring_ra = {
    .of = CONGRU_NEEDS_COVARIANCES,
    .references = ra_references,
    .target = ra_target,
    .move = ra_move,
};
