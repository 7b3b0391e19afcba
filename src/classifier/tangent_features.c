/* Tangent vectors at the mean of a set. SPDX-License-Identifier: Apache-2.0 */
#include "classifier/tangent_features.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/mapped_memory.h"
#include "base/workspace.h"
#include "classifier/class_table.h"
#include "classifier/linear.h"
#include "spd/view_load.h"

static const double mean_tolerance = 1e-8;

/* reference (d, d) = the exponential of the mean of tangent vectors at the identity: the log-Euclidean mean. The mean
 * vector's norm is returned; it is also the distance of the affine-invariant mean from the identity, to first order. */
static congru_status log_euclidean(congru_context *context, size_t n, size_t d, const double *vectors,
                                   double *reference, double *norm)
{
    const size_t size = congru_spd_tangent_size(d);
    double squares = 0.0;
    memset(reference, 0, size * sizeof(double));
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < size; j++)
            reference[j] += vectors[i * size + j];
        congru_mapped_pass(size * sizeof(double));
    }
    for (size_t j = 0; j < size; j++) {
        reference[j] /= (double)n;
        squares += reference[j] * reference[j];
    }
    *norm = sqrt(squares);
    if (congru_arena_reserve(&context->composed, size * sizeof(double)) != CONGRU_OK)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "no memory for a tangent vector of %zu numbers", size);
    double *mean = congru_arena_take(&context->composed, size, sizeof(double));
    congru_status status = congru_workspace_check(context, &context->composed);
    if (status != CONGRU_OK)
        return status;
    memcpy(mean, reference, size * sizeof(double));
    return congru_spd_untangent(context, 1, d, NULL, mean, reference);
}

congru_status congru_tangent_features(congru_context *context, congru_metric metric, size_t n, size_t d,
                                      const congru_view *view, double *reference, double *vectors)
{
    congru_status status = CONGRU_OK;
    double norm = INFINITY;
    if (metric < CONGRU_METRIC_RIEMANN || metric > CONGRU_METRIC_EUCLID)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "metric %d is not one of congru_metric",
                           (int)metric);
    if (metric == CONGRU_METRIC_EUCLID) {
        status = congru_view_mean(context, metric, n, d, view, NULL, reference, NULL);
    } else {
        status = congru_view_tangent(context, n, d, NULL, view, vectors);
        if (status == CONGRU_OK)
            status = log_euclidean(context, n, d, vectors, reference, &norm);
    }
    if (status != CONGRU_OK)
        return status;
    if (norm <= mean_tolerance) {
        memset(reference, 0, d * d * sizeof(double));
        for (size_t i = 0; i < d; i++)
            reference[i * (d + 1)] = 1.0;
        return CONGRU_OK;
    }
    const congru_mean_options options = {.start = reference, .tolerance = mean_tolerance};
    if (metric == CONGRU_METRIC_RIEMANN)
        status = congru_view_mean(context, metric, n, d, view, &options, reference, NULL);
    return status == CONGRU_OK ? congru_view_tangent(context, n, d, reference, view, vectors) : status;
}

static bool is_identity(size_t d, const double *a)
{
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j < d; j++)
            if (a[i * d + j] != (i == j ? 1.0 : 0.0))
                return false;
    return true;
}

congru_status congru_tangent_sources(congru_context *context, const congru_trials *trials, congru_metric metric,
                                     congru_tensors *model, const char *prefix, congru_arena *arena,
                                     double **vectors)
{
    const size_t features = congru_spd_tangent_size(trials->d), shape[] = {trials->d, trials->d};
    char name[CONGRU_TENSOR_NAME_SIZE];
    double *reference;
    congru_status status = congru_check_shape(context, trials->count, trials->d);
    if (status != CONGRU_OK)
        return status;
    congru_classes_note(context, trials, 1, NULL);
    if (congru_arena_reserve(arena, trials->count * features * sizeof(double)) != CONGRU_OK)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "no memory for %zu tangent vectors of %zu numbers",
                           trials->count, features);
    *vectors = congru_arena_take(arena, trials->count * features, sizeof(double));
    snprintf(name, sizeof name, "%s.reference", prefix);
    status = congru_tensors_add(context, model, name, 2, shape, &reference);
    const congru_view view = congru_trials_view(trials);
    return status == CONGRU_OK
               ? congru_tangent_features(context, metric, trials->count, trials->d, &view, reference, *vectors)
               : status;
}

congru_status congru_tangent_predict(const congru_classifier *self, congru_context *context,
                                     const congru_tensors *model, const congru_target_trials *target,
                                     double *probability)
{
    const size_t n = target->count, d = target->d, features = congru_spd_tangent_size(d);
    size_t shape[] = {d, d}, bytes;
    char name[CONGRU_TENSOR_NAME_SIZE];
    const double *reference;
    snprintf(name, sizeof name, "%s.reference", self->name);
    congru_status status = congru_tensors_expect(context, model, name, 2, shape, &reference);
    if (status != CONGRU_OK || n == 0)
        return status;
    if (__builtin_mul_overflow(n, features * sizeof(double), &bytes) ||
        congru_arena_reserve(&context->composed, bytes) != CONGRU_OK)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "no memory for %zu tangent vectors of %zu numbers", n,
                           features);
    double *vectors = congru_arena_take(&context->composed, n * features, sizeof(double));
    status = congru_workspace_check(context, &context->composed);
    if (status == CONGRU_OK)
        status = congru_spd_tangent(context, n, d, is_identity(d, reference) ? NULL : reference,
                                    target->covariance, vectors);
    return status == CONGRU_OK
               ? congru_linear_predict(context, model, self->name, n, features, vectors, probability)
               : status;
}
