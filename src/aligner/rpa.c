/* Riemannian Procrustes analysis: scaling and rotating recentred trials. SPDX-License-Identifier: Apache-2.0 */
#include "aligner/rpa.h"

#include <math.h>
#include <string.h>

#include "aligner/procrustes.h"
#include "base/workspace.h"
#include "spd/batch.h"

static double squared_norm(size_t count, const double *x)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++)
        sum += x[i] * x[i];
    return sum;
}

double congru_rpa_dispersion(size_t n, size_t d, const double *log)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++)
        sum += squared_norm(d * d, log + i * d * d);
    return sum / (double)n;
}

double congru_rpa_factor(double wanted, double found)
{
    return wanted > 0.0 && found > 0.0 ? sqrt(wanted / found) : 1.0;
}

/* ---- Sources ----------------------------------------------------------------------------------- */

static congru_status learn(congru_context *context, const congru_trials *trials, uint64_t seed,
                           const double *log, congru_tensors *model)
{
    const size_t shape[3] = {trials->classes, trials->d, trials->d}, halves = 2;
    const double seed_halves[2] = {(double)(seed >> 32), (double)(seed & 0xffffffffu)};
    double *mean, *count;
    CONGRU_TRY(congru_tensors_add(context, model, "rpa.mean", 3, shape, &mean));
    CONGRU_TRY(congru_tensors_add(context, model, "rpa.trials", 1, shape, &count));
    CONGRU_TRY(congru_procrustes_means(context, trials->count, trials->d, log, trials->label, trials->classes,
                                       mean, count));
    CONGRU_TRY(congru_tensors_add_number(context, model, "rpa.dispersion",
                                         congru_rpa_dispersion(trials->count, trials->d, log)));
    return congru_tensors_add_copy(context, model, "rpa.seed", 1, &halves, seed_halves);
}

static congru_status rpa_fit(const congru_aligner *self, congru_context *context, const congru_trials *trials,
                             const congru_method_options *options, congru_tensors *model, congru_record *record)
{
    (void)self;
    (void)record;
    CONGRU_TRY(congru_check_shape(context, trials->count, trials->d));
    CONGRU_TRY(congru_check_argument(context,
                                     trials->covariance != NULL && trials->label != NULL && trials->classes > 0,
                                     "rpa learns from labelled trials, and none were given"));
    congru_arena arena = {0};
    if (congru_arena_reserve(&arena, trials->count * trials->d * trials->d * sizeof(double)) != CONGRU_OK)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "no memory for the logarithms of %zu trials",
                           trials->count);
    double *log = congru_arena_take(&arena, trials->count * trials->d * trials->d, sizeof(double));
    congru_status status = congru_spd_log(context, trials->count, trials->d, trials->covariance, log);
    if (status == CONGRU_OK)
        status = learn(context, trials, options->seed, log, model);
    return congru_workspace_free(context, &arena, status);
}

/* ---- A target subject -------------------------------------------------------------------------------- */

/* What was learned, and room to apply it. */
typedef struct rpa_work {
    size_t classes, d;
    const double *mean, *trials;
    double dispersion;
    uint64_t seed;

    double *log;      /* (count, d, d) */
    double *labelled; /* (calibration, d, d) */
    double *target;   /* (classes, d, d) */
    double *weight;   /* (classes) */
    double *rotation; /* (d, d) */
} rpa_work;

static void rpa_layout(congru_arena *arena, const congru_target_trials *target, rpa_work *w)
{
    const size_t size = w->d * w->d;
    w->log = congru_arena_take(arena, target->count * size, sizeof(double));
    w->labelled = congru_arena_take(arena, target->calibration * size, sizeof(double));
    w->target = congru_arena_take(arena, w->classes * size, sizeof(double));
    w->weight = congru_arena_take(arena, w->classes, sizeof(double));
    w->rotation = congru_arena_take(arena, size, sizeof(double));
}

static congru_status read_model(congru_context *context, const congru_tensors *model, size_t d, rpa_work *w)
{
    size_t shape[3] = {0, d, d}, halves = 2;
    const double *seed;
    w->d = d;
    CONGRU_TRY(congru_tensors_expect(context, model, "rpa.mean", 3, shape, &w->mean));
    CONGRU_TRY(congru_tensors_expect(context, model, "rpa.trials", 1, shape, &w->trials));
    CONGRU_TRY(congru_tensors_expect_number(context, model, "rpa.dispersion", 0.0, INFINITY, &w->dispersion));
    CONGRU_TRY(congru_tensors_expect(context, model, "rpa.seed", 1, &halves, &seed));
    for (size_t i = 0; i < 2; i++)
        if (!(seed[i] >= 0.0 && seed[i] < 0x1p32))
            return congru_fail(context, CONGRU_ERROR_FORMAT, "tensor rpa.seed: %g is not half of a seed",
                               seed[i]);
    w->classes = shape[0];
    w->seed = ((uint64_t)seed[0] << 32) + (uint64_t)seed[1];
    return CONGRU_OK;
}

static congru_status check_target(congru_context *context, const congru_target_trials *target,
                                  const double *out)
{
    CONGRU_TRY(congru_check_shape(context, target->count, target->d));
    CONGRU_TRY(congru_check_argument(
        context, target->covariance != NULL && out != NULL && target->visible <= target->count,
        "no trials of the target subject, no output, or more visible trials than trials"));
    if (target->calibration > 0)
        CONGRU_TRY(congru_check_argument(context,
                                         target->calibration_trial != NULL && target->calibration_label != NULL,
                                         "no calibration trials or labels were given"));
    for (size_t i = 0; i < target->calibration; i++)
        if (target->calibration_trial[i] >= target->count || target->calibration_label[i] < 0)
            CONGRU_TRY(congru_fail(context, CONGRU_ERROR_ARGUMENT,
                                   "calibration trial %zu is number %zu of %zu trials, with label %d", i + 1,
                                   target->calibration_trial[i] + 1, target->count,
                                   (int)target->calibration_label[i]));
    return CONGRU_OK;
}

/* rho of the next trial of a subject that is followed; 1 before any counts. */
static congru_status follow(congru_context *context, congru_following *following, const rpa_work *w,
                            double *rho)
{
    double *number = congru_following_take(following, 2);
    if (number == NULL)
        return congru_fail_memory(context, "a dispersion");
    if (!following->before && number[0] > 0.0)
        *rho = congru_rpa_factor(w->dispersion, number[1] / number[0]);
    number[1] += squared_norm(w->d * w->d, w->log);
    congru_following_count(following, 1, number);
    if (following->before)
        *rho = congru_rpa_factor(w->dispersion, number[1] / number[0]);
    return CONGRU_OK;
}

/* log *= rho */
static congru_status scale(congru_context *context, const congru_target_trials *target, const rpa_work *w)
{
    const size_t size = w->d * w->d;
    double rho = 1.0, sum = 0.0;
    congru_status status = target->following != NULL ? follow(context, target->following, w, &rho) : CONGRU_OK;
    if (target->visible > 0 && !target->online)
        rho = congru_rpa_factor(w->dispersion, congru_rpa_dispersion(target->visible, w->d, w->log));
    for (size_t i = 0; status == CONGRU_OK && i < target->count; i++) {
        if (target->online) {
            sum += squared_norm(size, w->log + i * size);
            rho = congru_rpa_factor(w->dispersion, sum / (double)(i + 1));
        }
        for (size_t j = 0; j < size; j++)
            w->log[i * size + j] *= rho;
    }
    return status;
}

/* The rotation, from scaled logarithms of the calibration trials. */
static congru_status find_rotation(congru_context *context, const congru_target_trials *target, rpa_work *w)
{
    const size_t size = w->d * w->d;
    for (size_t i = 0; i < target->calibration; i++)
        memcpy(w->labelled + i * size, w->log + target->calibration_trial[i] * size, size * sizeof(double));
    CONGRU_TRY(congru_procrustes_means(context, target->calibration, w->d, w->labelled,
                                       target->calibration_label, w->classes, w->target, w->weight));
    for (size_t k = 0; k < w->classes; k++)
        w->weight[k] = w->weight[k] > 0.0 && w->trials[k] > 0.0 ? 1.0 : 0.0;
    return congru_procrustes(context, w->classes, w->d, w->target, w->mean, w->weight, w->seed, w->rotation,
                             NULL);
}

static congru_status apply(congru_context *context, const congru_target_trials *target, rpa_work *w,
                           double *out)
{
    const size_t n = target->count, d = w->d;
    if (target->visible == 0 && !target->online && target->following == NULL && target->calibration == 0) {
        memmove(out, target->covariance, n * d * d * sizeof(double)); /* not through a logarithm, to the bit */
        return CONGRU_OK;
    }
    CONGRU_TRY(congru_spd_log(context, n, d, target->covariance, w->log));
    CONGRU_TRY(scale(context, target, w));
    if (target->calibration == 0)
        return congru_spd_exp(context, n, d, w->log, out);
    CONGRU_TRY(find_rotation(context, target, w));
    CONGRU_TRY(congru_spd_exp(context, n, d, w->log, out));
    return congru_spd_congruence(context, n, d, d, out, w->rotation, out);
}

static congru_status rpa_map_target(const congru_aligner *self, congru_context *context,
                                    const congru_tensors *model, const congru_target_trials *target,
                                    double *out)
{
    (void)self;
    rpa_work w;
    CONGRU_TRY(check_target(context, target, out));
    CONGRU_TRY(read_model(context, model, target->d, &w));
    congru_arena measure = {0}, arena = {0};
    rpa_layout(&measure, target, &w);
    if (congru_arena_reserve(&arena, measure.used) != CONGRU_OK)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "no memory for the logarithms of %zu trials",
                           target->count);
    rpa_layout(&arena, target, &w);
    congru_status status = apply(context, target, &w, out);
    return congru_workspace_free(context, &arena, status);
}

const congru_aligner congru_aligner_rpa = {
    .name = "rpa",
    .summary = "recentred, scaled and rotated to the others' class means (--rpa-labels)",
    .labels = true,
    .recentring = &congru_recentring_ra,
    .fit = rpa_fit,
    .map_target = rpa_map_target,
};
