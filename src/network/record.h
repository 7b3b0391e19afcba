/* What a training run leaves behind beside its weights, step by step. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_NETWORK_RECORD_H
#define CONGRU_NETWORK_RECORD_H

#include "congru/context.h"

/* One number per step for each of these. NaN where the model has no such term. */
typedef enum congru_series {
    CONGRU_SERIES_LOSS,
    CONGRU_SERIES_CROSS_ENTROPY,
    CONGRU_SERIES_RECONSTRUCTION,
    CONGRU_SERIES_WITHIN_ACTION,   /* W_A */
    CONGRU_SERIES_BETWEEN_ACTION,  /* B_A */
    CONGRU_SERIES_WITHIN_SUBJECT,  /* W_S */
    CONGRU_SERIES_BETWEEN_SUBJECT, /* B_S */
    CONGRU_SERIES_GRADIENT_NORM,   /* before clipping */
    CONGRU_SERIES_EIGEN_LEAST,     /* of all layers' outputs in the batch */
    CONGRU_SERIES_EIGEN_LARGEST,
    CONGRU_SERIES_RANK, /* of W^T V, V the leading class-discriminative subspace; every 100th step, NaN between */
    CONGRU_SERIES_COUNT
} congru_series;

/* The name of a series in files: "loss", "cross_entropy", ... */
const char *congru_series_name(congru_series series);

/* {0} is empty. */
typedef struct congru_record {
    size_t steps;
    double *value[CONGRU_SERIES_COUNT]; /* (steps) each, owned; NULL until a network fills them in */
    size_t best_step;                   /* whose parameters were kept */
} congru_record;

congru_status congru_record_start(congru_context *context, congru_record *record, size_t steps);
void congru_record_clear(congru_record *record);

/* `to` is cleared first; nothing is done where both are one. */
congru_status congru_record_copy(congru_context *context, const congru_record *from, congru_record *to);

#endif
