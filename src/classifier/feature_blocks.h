/* Feature vectors with trials in the lanes: how the kernels want them. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLASSIFIER_FEATURE_BLOCKS_H
#define CONGRU_CLASSIFIER_FEATURE_BLOCKS_H

#include "kernel/kernel.h"

/* Trials of a block: with the 253 tangent coordinates of 22 channels it stays in the second cache. */
enum { CONGRU_FEATURE_BLOCK = 128 };

/* Blocks of CONGRU_FEATURE_BLOCK trials, (blocks, rows, CONGRU_FEATURE_BLOCK): a row is a feature. Zeros where the
 * trials do not fill the last block. */
static inline size_t congru_feature_block_count(size_t n)
{
    return (n + CONGRU_FEATURE_BLOCK - 1) / CONGRU_FEATURE_BLOCK;
}

/* What is done to features on the way into blocks. All may be NULL or 0. */
typedef struct congru_feature_change {
    const size_t *order;  /* (n), which trials */
    const double *shift;  /* (features), subtracted */
    const double *divide; /* (features), then divided by */
    size_t ones;          /* rows of ones after the features */
} congru_feature_change;

/* x (any, features) -> blocks of n trials, features + ones rows. */
void congru_feature_blocks_fill(size_t n, size_t features, const double *x, const congru_feature_change *change,
                                double *blocks);

/* out (rows, congru_dense_stride(rows)) += factor times the sum over trials of the products of features, in full; `part`
 * (rows, rows) is scratch. */
void congru_feature_blocks_gram(const congru_kernel *kernel, size_t blocks, size_t rows, const double *x,
                                double factor, double *part, double *out);

#endif
