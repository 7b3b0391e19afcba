/* Feature vectors with trials in the lanes. SPDX-License-Identifier: Apache-2.0 */
#include "classifier/feature_blocks.h"

#include <string.h>

#include "base/mapped_memory.h"
#include "classifier/dense_factor.h"

enum { SIDE = CONGRU_FEATURE_BLOCK };

/* Trials `first` to first + 7 of the change, into lanes `lane` on of a block. */
static void fill_group(size_t first, size_t count, size_t features, const double *x,
                       const congru_feature_change *change, double *lanes)
{
    const double *row[CONGRU_GROUP];
    for (size_t t = 0; t < count; t++)
        row[t] = x + (change->order != NULL ? change->order[first + t] : first + t) * features;
    for (size_t j = 0; j < features; j++) {
        const double shift = change->shift != NULL ? change->shift[j] : 0.0;
        const double divide = change->divide != NULL ? change->divide[j] : 1.0;
        for (size_t t = 0; t < count; t++)
            lanes[j * SIDE + t] = (row[t][j] - shift) / divide;
    }
    for (size_t j = features; j < features + change->ones; j++)
        for (size_t t = 0; t < count; t++)
            lanes[j * SIDE + t] = 1.0;
}

void congru_feature_blocks_fill(size_t n, size_t features, const double *x, const congru_feature_change *change,
                                double *blocks)
{
    const size_t rows = features + change->ones;
    for (size_t first = 0; first < n; first += CONGRU_GROUP) {
        const size_t block = first / SIDE, count = n - first < CONGRU_GROUP ? n - first : CONGRU_GROUP;
        if (first % SIDE == 0 && n - first < SIDE)
            memset(blocks + block * rows * SIDE, 0, rows * SIDE * sizeof(double));
        fill_group(first, count, features, x, change, blocks + block * rows * SIDE + first % SIDE);
        congru_mapped_pass(2 * count * rows * sizeof(double));
    }
}

void congru_feature_blocks_gram(const congru_kernel *kernel, size_t blocks, size_t rows, const double *x,
                                double factor, double *part, double *out)
{
    const size_t stride = congru_dense_stride(rows);
    for (size_t block = 0; block < blocks; block++, x += rows * SIDE) {
        kernel->gram(rows, SIDE, x, part);
        congru_mapped_pass(rows * SIDE * sizeof(double));
        for (size_t i = 0; i < rows; i++)
            for (size_t j = 0; j < rows; j++)
                out[i * stride + j] += factor * part[i * rows + j];
    }
}
