/* Executes a description on samples: scale, reference, filters, rate. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "base/error.h"
#include "preprocess/preprocessing.h"

/* A notch as narrow as mains need and no narrower: its ringing fades within a trial. */
static const double notch_quality = 30;

enum { RATIO_MAX = 10000, RATIO_STEPS = 32 };

/* The order of filters in meta data that does not state it. */
enum { ORDER_UNSTATED = 4 };

static congru_status check_band(congru_context *context, const congru_preprocessing *p, double rate)
{
    if (p->band[1] > 0 && p->band[1] >= rate / 2)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "a band up to %g Hz needs a rate above %g Hz, found %g (lower the end of --band)",
                           p->band[1], 2 * p->band[1], rate);
    return CONGRU_OK;
}

congru_status congru_preprocess_design(congru_context *context, const congru_preprocessing *p, double rate,
                                       congru_iir *filter, bool *notch_left_out)
{
    if (p == NULL || filter == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "congru_preprocess_design: p and filter must not be NULL");
    congru_iir notch;
    bool beyond = p->notch > 0 && p->notch >= rate / 2;
    *filter = (congru_iir){0};
    if (notch_left_out != NULL)
        *notch_left_out = beyond;
    congru_status status = check_band(context, p, rate);
    if (status == CONGRU_OK && p->band[1] > 0 && !p->fir)
        status = congru_iir_butterworth(context, p->order > 0 ? p->order : ORDER_UNSTATED, p->band[0],
                                        p->band[1], rate, filter);
    if (status != CONGRU_OK || p->notch <= 0 || beyond)
        return status;
    status = congru_iir_notch(context, p->notch, notch_quality, p->harmonics, rate, &notch);
    return status == CONGRU_OK ? congru_iir_append(context, filter, &notch) : status;
}

static congru_status scale_and_reference(congru_context *context, const congru_preprocessing *p, size_t trials,
                                         size_t channels, size_t samples, double *signal)
{
    congru_status status = CONGRU_OK;
    if (p->scale != 1)
        for (size_t i = 0; i < trials * channels * samples; i++)
            signal[i] *= p->scale;
    for (size_t i = 0; p->average_reference && status == CONGRU_OK && i < trials; i++)
        status = congru_signal_average_reference(context, channels, samples, signal + i * channels * samples);
    return status;
}

congru_status congru_preprocess_samples(congru_context *context, const congru_preprocessing *p, double rate,
                                        size_t trials, size_t channels, size_t samples, double *signal)
{
    if (p == NULL || signal == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "congru_preprocess_samples: p and signal must not be NULL");
    congru_iir filter;
    bool left_out;
    if ((p->band[1] > 0 || p->notch > 0) && !(rate > 0))
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "the sampling rate, which filters need, is not known");
    CONGRU_TRY(congru_check_count(context, trials, channels));
    CONGRU_TRY(congru_check_count(context, trials * channels, samples));
    CONGRU_TRY(check_band(context, p, rate));
    CONGRU_TRY(scale_and_reference(context, p, trials, channels, samples, signal));
    if (p->band[1] > 0 && p->fir)
        CONGRU_TRY(congru_signal_filter_fir(context, p->band[0], p->band[1], rate, 0, trials * channels,
                                            samples, signal));
    CONGRU_TRY(congru_preprocess_design(context, p, rate, &filter, &left_out));
    if (left_out)
        congru_note(context, "the notch at %g Hz is left out: signals of %g Hz hold nothing there", p->notch,
                    rate);
    if (filter.sections == 0)
        return CONGRU_OK;
    return p->causal ? congru_signal_filter_causal(context, &filter, trials * channels, samples, signal, NULL)
                     : congru_signal_filter_zero_phase(context, &filter, trials * channels, samples, signal);
}

/* The fraction nearest to wanted/rate with small terms: the convergents of its continued fraction. */
congru_status congru_preprocess_ratio(congru_context *context, const congru_preprocessing *p, double rate,
                                      size_t *up, size_t *down)
{
    if (p == NULL || up == NULL || down == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "congru_preprocess_ratio: p, up and down must not be NULL");
    *up = *down = 1;
    if (p->resample <= 0 || fabs(p->resample - rate) <= 1e-9 * rate)
        return CONGRU_OK;
    double wanted = p->resample / rate, rest = wanted;
    double num[2] = {1, 0}, den[2] = {0, 1}; /* the convergent, and the one before it */
    for (int step = 0; step < RATIO_STEPS; step++) {
        double whole = floor(rest), next_num = whole * num[0] + num[1], next_den = whole * den[0] + den[1];
        if (next_num > RATIO_MAX || next_den > RATIO_MAX)
            break;
        num[1] = num[0];
        den[1] = den[0];
        num[0] = next_num;
        den[0] = next_den;
        if (num[0] > 0 && fabs(num[0] / den[0] - wanted) <= 1e-9 * wanted) {
            *up = (size_t)num[0];
            *down = (size_t)den[0];
            congru_note(context, "signals of %g Hz are resampled to %g Hz", rate, p->resample);
            return CONGRU_OK;
        }
        rest = 1 / (rest - whole);
    }
    return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                       "%g Hz cannot be made %g Hz by a ratio of whole numbers up to %d (choose another "
                       "--resample)",
                       rate, p->resample, (int)RATIO_MAX);
}
