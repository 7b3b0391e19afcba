/* The tangent head: a batch whitened by its log-Euclidean mean, its logarithm, softmax. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_LAYER_HEAD_H
#define CONGRU_LAYER_HEAD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

struct congru_training;
struct congru_step_chunk;
struct congru_step_work;

typedef struct congru_head {
    size_t weights, bias;     /* segments */
    bool at_identity;         /* the reference is the identity */
    double *weight;           /* (classes, stride): the weights, or what stands for them in a rotated basis */
    double *reference;        /* (out, out): exp(-mean/2) */
    double *mean;             /* (out, out): mean logarithm */
    double *d_mean;           /* (stride): derivative by the mean logarithm, as a row */
    double *values, *vectors; /* of the mean, one vector in lanes */
    double *scratch[4];       /* (out, out), one vector in lanes */
    double *small;            /* 3 out, one vector in lanes */
    double *eigen;            /* scratch of the decomposition */
    double *plain;            /* (out, out) */
    double *d_weight;         /* partials (classes, stride) */
    double *d_bias;           /* partials (classes) */
    double *d_reference;      /* partials (out, out) */
    double *loss;             /* (capacity) */
} congru_head;

void congru_head_plan(struct congru_training *training);
void congru_head_layout(congru_arena *arena, struct congru_training *training);

/* The weights as padded rows. */
void congru_head_prepare(struct congru_training *training);

/* The reference exp(scale * mean logarithm) of the batch from its mean row, scale being -1/2 times what
 * multiplies the
 * rows; and the derivative by the mean from that by the reference. */
void congru_head_reference_forward(struct congru_training *training, const double *mean_row, double scale);
void congru_head_reference_backward(struct congru_training *training, double scale);

/* Probabilities of a chunk from its features (vectors, stride) in work->row: fills in losses, partial
 * derivatives by
 * weights and bias, and overwrites work->row with the derivative by the features. */
void congru_head_softmax(const struct congru_step_chunk *chunk, const struct congru_step_work *work);

/* Of a chunk: from c_out to the loss and back to d_c_out. */
void congru_head_chunk(const struct congru_step_chunk *chunk, const struct congru_step_work *work);

/* Cross-entropy of the batch; derivatives by weights and bias into the gradient. */
double congru_head_finish(struct congru_training *training);

#endif
