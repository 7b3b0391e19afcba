/* Filters in time, normalised by the mean and variance that moments of windows give. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_NETWORK_WINDOW_FILTERS_H
#define CONGRU_NETWORK_WINDOW_FILTERS_H

#include "network/graph.h"

/* Each of F filters is applied to every channel, with zeros beyond the ends, and normalised by its mean and variance over
 * batch, channels and time. These are m . w and w' M w - mean^2 with the moments m and M of all windows, constants that
 * each trial has once: what comes out of a filter is not looked at. The node's second input is the statistics of windows,
 * which may be of more taps: shorter windows lie in the middle of longer ones.
 *
 * Weights of the node: [0] time (taps, F); [1] gain, bias and statistics together, (4, F). number[0] is added to variances,
 * of what prediction uses the share number[1] is renewed. */
enum { CONGRU_FILTER_GAIN, CONGRU_FILTER_BIAS, CONGRU_FILTER_MEAN, CONGRU_FILTER_VARIANCE, CONGRU_FILTER_ROWS };

/* Makes what forward multiplies with, at the mean and variance of the moment. */
typedef void (*congru_filters_set)(const congru_graph *graph, const congru_node *node);

typedef struct congru_window_filters {
    size_t taps, count, most; /* taps of the filters; filters; taps of the moments */
    double *moment; /* of the batch: congru_moment_count(most), divided by how many windows there are */
    double *mean, *variance; /* (F) */
    double *product;         /* M w of one filter (taps) */
    congru_filters_set set;
} congru_window_filters;

/* Zeros on the left of a signal. */
static inline size_t congru_filters_left(const congru_window_filters *f)
{
    return (f->taps - 1) / 2;
}

/* In plan and layout (run twice) of a node. */
void congru_filters_plan(congru_graph *graph, const congru_node *node, congru_window_filters *f,
                         congru_filters_set set);
void congru_filters_layout(congru_arena *arena, congru_window_filters *f);

/* The prepare and meet of a layer whose state begins with its filters: set at the mean and variance of what was learnt, and
 * of the batch. */
congru_status congru_filters_prepare(congru_graph *graph, congru_node *node);
congru_status congru_filters_meet(congru_graph *graph, congru_node *node);

/* What comes out of filter k is `scale` times the filtered signal, plus `shift`. */
double congru_filters_scale(const congru_graph *graph, const congru_node *node, const congru_window_filters *f,
                            size_t k);
double congru_filters_shift(const congru_graph *graph, const congru_node *node, const congru_window_filters *f,
                            size_t k);

/* In finish: the gradient by time, gain and bias of filter k from the derivatives by scale times time, `stride` apart, and
 * by the shift; and, unless the graph rests, its statistics for prediction. */
void congru_filters_finish(congru_graph *graph, const congru_node *node, const congru_window_filters *f,
                           size_t k, const double *d_time, size_t stride, double d_shift);

#endif
