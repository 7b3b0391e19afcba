/* The covariance of the last samples of a stream, kept up to date sample by sample. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_DECODER_WINDOW_H
#define CONGRU_DECODER_WINDOW_H

#include <stdint.h>

#include "base/arena.h"
#include "congru/dataset.h"

/* Sums of products are kept for segments of the stream, and a window's are those of its segments added up: nothing is
 * ever subtracted, so that a large artefact is gone without a trace once it has left the window, and nothing drifts
 * over days. A segment begins at a multiple of its length; of one that lies in a window in part, the samples are summed
 * again. Several windows of one stream, some of which end before its last sample, share all of it. */
typedef struct congru_window {
    size_t d, samples;    /* channels; samples that are kept, which all windows lie within */
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

/* c (d, d) of the `length` samples that end `delay` samples before the last, all of them kept, full and whole. */
void congru_window_covariance(const congru_window *window, size_t delay, size_t length,
                              congru_estimator estimator, bool trace_normalise, double *c);

#endif
