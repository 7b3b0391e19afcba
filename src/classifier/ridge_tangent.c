/* `ridge`: logistic regression of the tangent vectors of recentred covariances, of one band and window or of many. SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/workspace.h"
#include "classifier/ridge_method.h"
#include "congru/spd.h"

static size_t tangent_count(const congru_target_trials *trials, const congru_method_options *options)
{
    (void)options;
    return congru_spd_tangent_size(trials->d);
}

/* Made one after another and then moved to where they are side by side with those of other bands and windows. */
static congru_status tangent_rows(congru_context *context, const congru_target_trials *trials,
                                  const congru_method_options *options, size_t stride, double *x)
{
    (void)options;
    const size_t size = congru_spd_tangent_size(trials->d);
    size_t bytes;
    if (trials->covariance == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "tangent vectors need covariances: none were given");
    if (trials->count == 0)
        return CONGRU_OK;
    if (__builtin_mul_overflow(trials->count, size * sizeof(double), &bytes) ||
        congru_arena_reserve(&context->composed, bytes) != CONGRU_OK)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "no memory for %zu tangent vectors of %zu numbers",
                           trials->count, size);
    double *vectors = congru_arena_take(&context->composed, trials->count * size, sizeof(double));
    congru_status status = congru_workspace_check(context, &context->composed);
    if (status == CONGRU_OK)
        status = congru_spd_tangent(context, trials->count, trials->d, NULL, trials->covariance, vectors);
    for (size_t i = 0; status == CONGRU_OK && i < trials->count; i++)
        memcpy(x + i * stride, vectors + i * size, size * sizeof *x);
    return status;
}

const congru_classifier congru_classifier_ridge = {
    .name = "ridge",
    .summary = "logistic regression of tangent vectors at the identity, all folds at once (--C)",
    .needs = CONGRU_NEEDS_COVARIANCES,
    .fit = congru_ridge_method_fit,
    .predict = congru_ridge_method_predict,
    .feature_count = tangent_count,
    .features = tangent_rows,
    .linear = true,
    .fit_folds = congru_ridge_method_folds,
};
