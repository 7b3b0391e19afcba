/* The classifier bins: means of the signal over 50 ms, and a multinomial ridge. SPDX-License-Identifier: Apache-2.0 */
#include "base/bank.h"
#include "base/error.h"
#include "classifier/ridge_rows.h"

static const double bin_seconds = 0.05;

/* Whole bins of a trial; samples that are left at its end are not looked at. */
static size_t count_bins(const congru_signals *signals, size_t *width)
{
    *width = (size_t)(bin_seconds * signals->rate + 1e-9);
    *width = *width > 0 ? *width : 1;
    *width = *width < signals->samples ? *width : signals->samples;
    return signals->samples / *width;
}

static size_t count_features(const congru_newcomer *trials, const congru_method_options *options)
{
    size_t width;
    (void)options;
    return trials->signals->channels * count_bins(trials->signals, &width);
}

/* Channel by channel, from the first bin to the last. */
static congru_status make_features(congru_context *context, const congru_newcomer *trials,
                                   const congru_method_options *options, size_t stride, double *x)
{
    const congru_signals *signals = trials->signals;
    const size_t channels = signals->channels, samples = signals->samples;
    size_t width, bins = count_bins(signals, &width);
    double *one = congru_memory_take(channels * samples * sizeof *one);
    (void)options;
    if (one == NULL)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "no memory for a trial of %zu samples", samples);
    for (size_t i = 0; i < trials->count; i++) {
        congru_signals_read(signals, i, one);
        for (size_t k = 0; k < channels * bins; k++) {
            const double *from = one + k / bins * samples + k % bins * width;
            double sum = 0;
            for (size_t t = 0; t < width; t++)
                sum += from[t];
            x[i * stride + k] = sum / (double)width;
        }
    }
    congru_memory_give(one);
    return CONGRU_OK;
}

static congru_status fit(congru_context *context, const congru_trials *trials,
                         const congru_method_options *options, congru_tensors *model, congru_record *record)
{
    (void)record;
    return congru_ridge_rows_fit(context, "bins", trials, options, model);
}

static congru_status predict(congru_context *context, const congru_tensors *model,
                             const congru_newcomer *newcomer, double *probability)
{
    return congru_ridge_rows_predict(context, "bins", model, newcomer, probability);
}

static congru_status fit_folds(congru_context *context, const congru_trials *trials,
                               const congru_method_options *options, size_t count, const double *c,
                               size_t folds, const bool *used, double *log_probability, congru_tensors *model)
{
    (void)options;
    return congru_ridge_rows_folds(context, "bins", trials, count, c, folds, used, log_probability, model);
}

const congru_classifier congru_classifier_bins = {
    .name = "bins",
    .summary = "multinomial ridge of the signal itself, in means over 50 ms (--C)",
    .needs = CONGRU_NEEDS_SIGNALS,
    .fit = fit,
    .predict = predict,
    .feature_count = count_features,
    .features = make_features,
    .fit_folds = fit_folds,
};
