/* `bins`: logistic regression of the signal itself, averaged over short bins of time. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "classifier/feature_method.h"

static const double bin_seconds = 0.05;

/* The samples of a bin; what a rate has not enough samples for, one. 0 when the rate is unknown. */
static size_t bin_samples(const congru_signals *signals)
{
    const double samples = floor(bin_seconds * signals->rate + 1e-9);
    return signals->rate > 0 ? (samples >= 1 ? (size_t)samples : 1) : 0;
}

/* Samples past the last whole bin are left out; a signal shorter than one is a bin. */
static size_t bins_of(const congru_signals *signals)
{
    const size_t width = bin_samples(signals), bins = width > 0 ? signals->samples / width : 0;
    return bins > 0 ? bins : 1;
}

static size_t bin_count(const congru_target_trials *trials, const congru_method_options *options)
{
    (void)options;
    return trials->signals != NULL ? trials->signals->channels * bins_of(trials->signals) : 0;
}

static size_t bin_cells(const congru_signals *signals, double *seconds)
{
    const size_t width = bin_samples(signals) < signals->samples ? bin_samples(signals) : signals->samples;
    *seconds = signals->rate > 0 ? (double)width / signals->rate : NAN;
    return bins_of(signals);
}

/* The features of a trial, by channel, then by time. */
static void average(const congru_signals *signals, const double *trial, double *x)
{
    const size_t bins = bins_of(signals), samples = signals->samples;
    const size_t width = bin_samples(signals) < samples ? bin_samples(signals) : samples;
    for (size_t a = 0; a < signals->channels; a++)
        for (size_t b = 0; b < bins; b++) {
            double sum = 0.0;
            for (size_t t = b * width; t < (b + 1) * width; t++)
                sum += trial[a * samples + t];
            x[a * bins + b] = sum / (double)width;
        }
}

static congru_status bin_rows(congru_context *context, const congru_target_trials *trials,
                              const congru_method_options *options, size_t stride, double *x)
{
    (void)options;
    const congru_signals *signals = trials->signals;
    if (signals == NULL || signals->plain == NULL || signals->samples == 0)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "bins of time need signals: none were given");
    if (!(signals->rate > 0))
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "bins of time need the rate of the signals, which is not known (import the set with "
                           "--rate)");
    double *trial = congru_memory_take(signals->channels * signals->samples * sizeof *trial);
    if (trial == NULL)
        return congru_fail_memory(context, "a trial of %zu channels and %zu samples", signals->channels,
                                  signals->samples);
    for (size_t i = 0; i < trials->count; i++) {
        congru_signals_read(signals, i, trial);
        average(signals, trial, x + i * stride);
    }
    congru_memory_give(trial);
    return CONGRU_OK;
}

const congru_classifier congru_classifier_bins = {
    .name = "bins",
    .summary =
        "logistic regression of the signal itself in bins of 50 ms, all folds at once (--C, which is felt in the unit of signals behind none)",
    .needs = CONGRU_NEEDS_SIGNALS,
    .fit = congru_feature_fit,
    .predict = congru_feature_predict,
    .feature_count = bin_count,
    .features = bin_rows,
    .linear = true,
    .cells = bin_cells,
    .fit_folds = congru_feature_folds,
};
