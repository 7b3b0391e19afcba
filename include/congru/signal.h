/* Filters, references and rates of multichannel signals. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_SIGNAL_H
#define CONGRU_SIGNAL_H

#include "congru/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Signals are (channels, samples) doubles, one channel after another, changed in place. NaN marks what is
 * missing: each stretch between NaNs is filtered by itself, as if it were the whole; a stretch too short for
 * the filter's padding becomes NaN. An infinite sample counts as missing too. Threads share the channels;
 * results do not depend on how many. Each fails with CONGRU_ERROR_ARGUMENT and a text for an empty signal or an
 * impossible band, order, factor or filter, and with CONGRU_ERROR_CANCELLED, the signal then partly filtered,
 * where the progress callback says so. */

/* Second-order sections of an IIR filter: for each, b0 b1 b2 a0 a1 a2 with a0 = 1, as scipy writes them. */
enum { CONGRU_SECTIONS_MAX = 32 };

typedef struct congru_iir {
    size_t sections;
    double section[CONGRU_SECTIONS_MAX][6];
} congru_iir;

/* Butterworth of the given order between low and high Hz (the band-pass has 2 * order poles, as scipy's
 * butter(order, [low, high], 'bandpass')); low 0 is a low-pass, high 0 or at least rate/2 a high-pass. */
CONGRU_API congru_status congru_iir_butterworth(congru_context *context, int order, double low, double high,
                                                double rate, congru_iir *filter);

/* A notch of quality q at `frequency` and, where harmonics is true, at its multiples below rate/2; as scipy's
 * iirnotch, one section each. */
CONGRU_API congru_status congru_iir_notch(congru_context *context, double frequency, double q, bool harmonics,
                                          double rate, congru_iir *filter);

/* Appends the sections of `more`. */
CONGRU_API congru_status congru_iir_append(congru_context *context, congru_iir *filter, const congru_iir *more);

/* Forward and backward: zero phase, the magnitude squared. Ends are padded as scipy's sosfiltfilt does by
 * default (odd extension, its length, steady-state initial conditions). */
CONGRU_API congru_status congru_signal_filter_zero_phase(congru_context *context, const congru_iir *filter,
                                                         size_t channels, size_t samples, double *signal);

/* Forward only, from rest or from `state` (channels, sections, 2), which is updated so that a stream can be
 * filtered block by block; state NULL starts from zeros and forgets. */
CONGRU_API congru_status congru_signal_filter_causal(congru_context *context, const congru_iir *filter,
                                                     size_t channels, size_t samples, double *signal,
                                                     double *state);

/* A linear-phase FIR band-pass of odd length `taps` (Hamming window; 0: 3.3 rate / transition with a transition
 * of min(max(low/4, 2), low) Hz), its delay removed; edges as for odd extension. */
CONGRU_API congru_status congru_signal_filter_fir(congru_context *context, double low, double high, double rate,
                                                  size_t taps, size_t channels, size_t samples, double *signal);

/* Resamples by up/down with a zero-phase polyphase filter (Kaiser window, beta 5, 10 times max(up, down) taps
 * each side, as scipy's resample_poly). out holds (channels, congru_signal_resampled(samples, up, down)), which
 * is 0 where up or down is 0 or, common divisors removed, above 65536. Output k is at input time k down/up, NaN
 * where that lies in a gap. */
CONGRU_API size_t congru_signal_resampled(size_t samples, size_t up, size_t down);
CONGRU_API congru_status congru_signal_resample(congru_context *context, size_t up, size_t down,
                                                size_t channels, size_t samples, const double *signal,
                                                double *out);

/* Subtracts from each sample the mean over the channels (NaN where any is NaN). */
CONGRU_API congru_status congru_signal_average_reference(congru_context *context, size_t channels,
                                                         size_t samples, double *signal);

#ifdef __cplusplus
}
#endif
#endif
