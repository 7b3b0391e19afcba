/* What stays constant in training: trials, their logarithms, had once. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_NETWORK_CONSTANTS_H
#define CONGRU_NETWORK_CONSTANTS_H

#include "base/arena.h"
#include "congru/method.h"
#include "kernel/real.h"
#include "model/trials.h"

/* Of all trials. L' is the logarithm, floored; for DCT over its subject's dispersion. */
typedef struct congru_constants {
    const congru_trials *trials;
    size_t out, stride; /* dimension of the output, and d(d+1)/2 of it rounded up */
    bool by_log;        /* DCT: matrices and spectra of L' are kept */
    bool by_subject;    /* L' is over its subject's dispersion */
    double floor;
    double *covariance;       /* (trials, d, d), symmetric; NULL for DCT */
    double *row;              /* (trials, stride): L', or its leading block where widths differ */
    double *mask;             /* (stride): 1 within that block, where the output is larger; else NULL */
    double *root;             /* (trials, m, m): inverse roots of leading blocks, affine reconstruction */
    double *logarithm;        /* DCT: (trials, d, d) */
    double *values, *vectors; /* (trials, d), (trials, d, d): its eigenpairs */
    double *norm;             /* (trials): its squared norm; DCT */
    double *dispersion;       /* (subjects): what L' was divided by */
    size_t taps;              /* of the filters whose windows' moments are constant and wanted; 0: none */
    bool signals;             /* of networks on signals: these are read, and no covariances */
    bool zscore;              /* of networks on signals: channels of trials are */
    congru_real *signal;      /* (trials, samples, channels), of networks on signals; else NULL */
    double *moment;           /* (trials, moments of windows): congru_window_moments */
    double *present;          /* (classes): 1 where there are trials, else 0 */
    size_t present_count;
} congru_constants;

/* Run twice. `roots`: for affine reconstruction. */
void congru_constants_layout(congru_arena *arena, bool roots, congru_constants *constants);

congru_status congru_constants_fill(congru_context *context, congru_constants *constants);

/* The root of the mean of a subject's squared norms, 1 where that is 0: (subjects). */
void congru_dispersions(const congru_trials *trials, const double *norm, double *dispersion);

/* x (samples, channels) = W signal of one trial, as reals, with `zscore` each channel less its mean and over its standard
 * deviation (0 where it is constant); whether all are finite. `scratch`: (channels, samples). */
bool congru_signal_reals(const congru_signals *signals, size_t index, bool zscore, double *scratch,
                         congru_real *x);

/* Adds sums over all windows of `taps` samples of all channels of x, whose samples are `step` apart, with zeros beyond the
 * ends, (taps - 1) / 2 of them on the left; there are at least as many samples as taps. out: the products of each two places
 * in the window, those of lag 0, of lag 1, ...; then the places themselves. `scratch`: (samples). */
size_t congru_moment_count(size_t taps);
void congru_window_moments(size_t taps, size_t samples, size_t channels, size_t step, const congru_real *x,
                           double *scratch, double *out);

#endif
