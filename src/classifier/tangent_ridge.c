/* The classifier ridge: tangent vectors at the identity, which folds share, and a multinomial ridge. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "base/bank.h"
#include "base/error.h"
#include "classifier/ridge_rows.h"

static size_t count_features(const congru_newcomer *trials, const congru_method_options *options)
{
    (void)options;
    return congru_spd_tangent_size(trials->d);
}

/* The logarithm's upper triangle row by row, off the diagonal times the root of 2. */
static congru_status make_features(congru_context *context, const congru_newcomer *trials,
                                   const congru_method_options *options, size_t stride, double *x)
{
    (void)options;
    const size_t d = trials->d;
    double *log = congru_memory_take((trials->count * d * d + 1) * sizeof *log);
    if (log == NULL)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "no memory for the logarithms of %zu trials",
                           trials->count);
    congru_status status = congru_spd_log(context, trials->count, d, trials->covariance, log);
    for (size_t i = 0; status == CONGRU_OK && i < trials->count; i++)
        for (size_t a = 0, k = 0; a < d; a++)
            for (size_t b = a; b < d; b++)
                x[i * stride + k++] = log[(i * d + a) * d + b] * (a == b ? 1.0 : sqrt(2.0));
    congru_memory_give(log);
    return status;
}

static congru_status fit(congru_context *context, const congru_trials *trials,
                         const congru_method_options *options, congru_tensors *model, congru_record *record)
{
    (void)record;
    return congru_ridge_rows_fit(context, "ridge", trials, options, model);
}

static congru_status predict(congru_context *context, const congru_tensors *model,
                             const congru_newcomer *newcomer, double *probability)
{
    return congru_ridge_rows_predict(context, "ridge", model, newcomer, probability);
}

static congru_status fit_folds(congru_context *context, const congru_trials *trials,
                               const congru_method_options *options, size_t count, const double *c,
                               size_t folds, const bool *used, double *log_probability, congru_tensors *model)
{
    (void)options;
    return congru_ridge_rows_folds(context, "ridge", trials, count, c, folds, used, log_probability, model);
}

const congru_classifier congru_classifier_ridge = {
    .name = "ridge",
    .summary = "multinomial ridge of logarithms, at the identity: bands and windows are joined (--C)",
    .fit = fit,
    .predict = predict,
    .feature_count = count_features,
    .features = make_features,
    .fit_folds = fit_folds,
};
