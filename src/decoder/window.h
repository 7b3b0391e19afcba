/* The covariance of the last samples of a stream, kept up to date sample by sample. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_DECODER_WINDOW_H
#define CONGRU_DECODER_WINDOW_H

#include <stdint.h>

#include "base/arena.h"
#include "congru/dataset.h"

/* Sums of products are kept for segments of the stream, and the window's are those of its segments added up: nothing is
 * ever subtracted, so that a large artefact is gone without a trace once it has left the window, and nothing drifts
 * over days. A segment begins at a multiple of its length; of the one that the window has partly left, the samples are
 * summed again. */
typedef struct congru_window {
    size_t d, samples;
    bool centred;         /* whether a constant may be taken off: the estimator takes the mean off anyway */
    size_t segment;       /* samples */
    size_t segments;      /* kept */
    uint64_t count;       /* samples so far */
    uint64_t missing_end; /* one past the last sample that was missing; 0: none was */
    bool started;         /* a sample that was not missing has been seen */
    double *ring;         /* (samples, d) */
    double *product;      /* (segments, d (d + 1) / 2): lower triangle, row by row */
    double *sum;          /* (segments, d) */
    double *offset;       /* (d): the first sample, which large constants disappear with */
    double *total;        /* (d (d + 1) / 2) + (d), for reading */
} congru_window;

/* Run twice over an arena: measure, then place; then congru_window_reset. */
void congru_window_layout(congru_arena *arena, congru_window *window);
void congru_window_reset(congru_window *window);

/* x (d): a sample of each channel; one that is not finite makes the sample a missing one. */
void congru_window_push(congru_window *window, const double *x);

/* Whether there are as many samples as it takes, and none of them is missing. */
bool congru_window_full(const congru_window *window);
bool congru_window_whole(const congru_window *window);

/* c (d, d) of a full and whole window. */
void congru_window_covariance(const congru_window *window, congru_estimator estimator, bool trace_normalise,
                              double *c);

#endif
