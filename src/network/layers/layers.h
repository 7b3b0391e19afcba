/* What layers are written with, and the states of those that others fill in or read. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_NETWORK_LAYERS_H
#define CONGRU_NETWORK_LAYERS_H

#include <string.h>

#include "network/graph.h"

/* ---- Trials of a call -------------------------------------------------------------------------------- */

/* Plain activations: the reals of trial m of the first input, of the output, and of their derivatives. */
static inline congru_real *congru_call_x(const congru_call *call, size_t m)
{
    return congru_trial_reals(call->x[0], &call->node->in[0], m);
}

static inline congru_real *congru_call_d_x(const congru_call *call, size_t m)
{
    return congru_trial_reals(call->d_x[0], &call->node->in[0], m);
}

static inline congru_real *congru_call_y(const congru_call *call, size_t m)
{
    return congru_trial_reals(call->y, &call->node->out, m);
}

static inline congru_real *congru_call_d_y(const congru_call *call, size_t m)
{
    return congru_trial_reals(call->d_y, &call->node->out, m);
}

/* Reals of all trials of the call, and their samples, of the output. */
static inline size_t congru_call_reals(const congru_call *call)
{
    return call->count * congru_extent_reals(&call->node->out);
}

static inline size_t congru_call_samples(const congru_call *call)
{
    return call->count * call->node->out.rows;
}

/* Where lane m begins in lanes of `size` elements; its elements are kernel->width apart. */
static inline size_t congru_call_lane(const congru_call *call, size_t size, size_t m)
{
    const size_t width = call->kernel->width;
    return m / width * size * width + m % width;
}

/* Room for doubles in the scratch for reals; and for reals, those of trial m, in what is saved. */
static inline double *congru_call_room(const congru_call *call, size_t k)
{
    /* cppcheck-suppress invalidPointerCast ; a workspace is storage, which holds either */
    return (double *)call->work.plain[k];
}

static inline congru_real *congru_call_saved(const congru_call *call, size_t k, size_t m)
{
    /* cppcheck-suppress invalidPointerCast ; the array is storage, which holds either */
    return (congru_real *)(call->saved[k] + m * call->node->saved_size[k]);
}

/* out (rows, cols) = the sum over inner of a(row, inner) b (inner, cols): rows of b and of out are `step` apart. */
static inline void congru_call_product(const congru_call *call, size_t rows, size_t cols, size_t inner,
                                       congru_window a, const congru_real *b, size_t step, congru_real *out)
{
    call->kernel->real->product(rows, cols, 1, inner, a, (congru_window){b, 0, 0, step}, false, out, step);
}

/* out (rows, step) = sum_k x[row + k] w[k], by channel, for w (taps, step). */
static inline void congru_call_filter(const congru_call *call, size_t rows, size_t taps, const congru_real *x,
                                      const congru_real *w, size_t step, congru_real *out)
{
    call->kernel->real->by_channel(rows, step, taps, (congru_window){x, step, 0, step},
                                   (congru_window){w, 0, 0, step}, out, step);
}

/* ---- Numbers as reals, and between zeros ------------------------------------------------------------- */

/* to (rows, step) = w (rows, cols), zeros behind each row. */
static inline void congru_reals_set(size_t rows, size_t cols, size_t step, const double *w, congru_real *to)
{
    memset(to, 0, rows * step * sizeof(congru_real));
    for (size_t r = 0; r < rows; r++) {
        for (size_t c = 0; c < cols; c++)
            to[r * step + c] = (congru_real)w[r * cols + c];
    }
}

/* to (taps, lines, step) = w (taps, rows, cols) with the taps in reverse, each of them transposed; cols <= lines. */
static inline void congru_reals_flip(size_t taps, size_t rows, size_t cols, const double *w, size_t lines,
                                     size_t step, congru_real *to)
{
    memset(to, 0, taps * lines * step * sizeof(congru_real));
    for (size_t k = 0; k < taps; k++) {
        for (size_t r = 0; r < rows; r++) {
            for (size_t c = 0; c < cols; c++)
                to[((taps - 1 - k) * lines + c) * step + r] = (congru_real)w[(k * rows + r) * cols + c];
        }
    }
}

/* The rows of x (rows, step) in reverse. */
static inline void congru_reals_reverse(size_t rows, size_t step, const congru_real *x, congru_real *to)
{
    for (size_t r = 0; r < rows; r++)
        memcpy(to + (rows - 1 - r) * step, x + r * step, step * sizeof(congru_real));
}

/* to = x (count) with so many zeros before it and behind it. */
static inline void congru_reals_pad(const congru_real *x, size_t before, size_t count, size_t behind,
                                    congru_real *to)
{
    memset(to, 0, before * sizeof(congru_real));
    memcpy(to + before, x, count * sizeof(congru_real));
    memset(to + before + count, 0, behind * sizeof(congru_real));
}

/* ---- Matrices ---------------------------------------------------------------------------------------- */

/* y (out, out) = w^T x w for a plain w (in, out); saves N = x w. Half of dw is the sum of N dY, dX is w dY w^T. */
void congru_congruence_forward(const congru_call *call, const double *w);
void congru_congruence_backward(const congru_call *call, const double *w);

/* The leading block (m, m) of a (d, d), and back into zeros, in lanes. */
void congru_block_take(const congru_call *call, size_t d, size_t m, const double *a, double *block);
void congru_block_give(const congru_call *call, size_t d, size_t m, const double *block, double *a);

/* A plain matrix (d, d) of its row (spd_layers.c, triangle), and the derivative by the row of that by the matrix, over
 * `count`, with zeros to the end of `stride`. */
void congru_row_to_matrix(size_t d, const double *row, double *matrix);
void congru_row_of_matrix(size_t d, size_t stride, const double *matrix, double count, double *row);

/* y = each trial of x times a number: that of lane m. */
typedef double (*congru_lane_factor)(const congru_call *call, size_t m);
void congru_call_scale(const congru_call *call, congru_lane_factor factor, const double *x, double *y);

/* A chain of congruences as one, which a rewriting makes. */
typedef struct congru_affine {
    size_t layers;
    int weight[CONGRU_LAYERS_MAX]; /* segments, from the input on */
    size_t largest;                /* width */
    double *t[CONGRU_LAYERS_MAX];  /* [l] (d, width l), from l = 1 on */
    double *k[CONGRU_LAYERS_MAX];  /* [l] (width l, width l) */
    double *d_t, *d_k;             /* of the last, and of those before it in turn */
    double *next_d_t, *next_d_k;
    double *product, *transposed; /* scratch, (largest, largest) */
} congru_affine;

/* What the states of a recentring and of a scale by domain begin with: the references, or the numbers 1 / sqrt(v + eps), that a
 * graph without a batch is given, one for all trials or one for each. */
typedef struct congru_given_values {
    const double *value; /* NULL: the batch's own */
    size_t count;
} congru_given_values;

/* ---- DCT --------------------------------------------------------------------------------------------- */

/* R, the product of exp(A - A^T) for each A of the weights. Without weights, r is the caller's. */
typedef struct congru_rotation {
    double *r, *d_r; /* (d, d) */
    double *factor;  /* of more than one: congru_rotations_work numbers */
} congru_rotation;

/* gamma = exp(g), or 1 where it is not learned; divisor: of each trial, or NULL. */
typedef struct congru_scaling {
    double gamma, d_gamma;
    const double *divisor;    /* (count), by place */
    const double *dispersion; /* (subjects), in training */
} congru_scaling;

int congru_graph_dispersion(congru_graph *graph, int x, bool learns);
int congru_graph_rotation(congru_graph *graph, int x);

/* The numbers of workspace that products of `count` rotations take, 0 for one; and the product for a (count, d, d). */
size_t congru_rotations_work(size_t count, size_t d);
congru_status congru_rotations_forward(congru_context *context, size_t count, size_t d, const double *a,
                                       double *work, double *r);

/* The states are there once the graph has been planned. */
static inline congru_rotation *congru_rotation_of(const congru_graph *graph)
{
    return graph->node[graph->rotation].state;
}

static inline congru_scaling *congru_scaling_of(const congru_graph *graph)
{
    return graph->node[graph->dispersion].state;
}

/* ---- Signals, and scores ----------------------------------------------------------------------------- */

/* A trial may have more samples than the node gives on: a crop of it is read. Training draws where it begins, by seed, step
 * and trial and nothing else. At rest it is one of those that a prediction is averaged over, evenly spaced from the first
 * samples to the last. */
typedef struct congru_signal_input {
    const congru_real *table; /* (trials, samples of a trial, channels); the caller's where there is no batch */
    size_t crop;              /* at rest, which crop of every trial, from 1; 0: each trial takes the next one */
} congru_signal_input;

/* Of a node that has been added: samples of a trial, crops of a prediction, and the seed. */
void congru_signal_input_crop(congru_node *node, size_t whole, size_t crops, uint64_t seed);

/* Dropout leaves out a share of the numbers; the others are scaled up. What is left out depends on the share, the name of the
 * layer, which has the seed in it, the step and the trial, and on nothing else. The name of the layer that is added next: */
double congru_dropout_name(const congru_graph *graph, uint64_t seed);

static inline bool congru_dropout_rests(const congru_call *call, double share)
{
    return call->resting || share <= 0.0;
}

/* mask (count): what is drawn for the trial at place m of the call, from number `first` on, both multiples of
 * CONGRU_REAL_STEP: 0, or 1 / (1 - share). */
void congru_dropout_draw(const congru_call *call, double share, double name, size_t m, size_t first,
                         size_t count, congru_real *mask);

typedef struct congru_softmax {
    const double *present; /* (classes): 0 for those that are never the prediction; the caller's */
} congru_softmax;

#endif
