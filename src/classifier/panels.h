/* Large matrices in panels of columns: products, Gram matrices and inverses by the thread pool. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLASSIFIER_PANELS_H
#define CONGRU_CLASSIFIER_PANELS_H

#include "base/error.h"
#include "kernel/kernel.h"

/* A matrix (rows, cols) as the panels of CONGRU_PANEL columns that the kernel multiplies by: panel p holds the columns
 * CONGRU_PANEL p on, row after row, and zeros beyond the last column. The memory is the caller's, aligned. */
typedef struct congru_panels {
    size_t rows, cols;
    double *data; /* congru_panels_size(rows, cols) */
} congru_panels;

static inline size_t congru_panels_count(size_t cols)
{
    return (cols + CONGRU_PANEL - 1) / CONGRU_PANEL;
}

/* Columns of whole panels. */
static inline size_t congru_panels_padded(size_t cols)
{
    return congru_panels_count(cols) * CONGRU_PANEL;
}

static inline size_t congru_panels_size(size_t rows, size_t cols)
{
    return congru_panels_padded(cols) * rows;
}

/* Where panel p begins. */
static inline double *congru_panels_at(const congru_panels *m, size_t panel)
{
    return m->data + panel * m->rows * CONGRU_PANEL;
}

/* The entry (i, j). */
static inline double *congru_panels_entry(const congru_panels *m, size_t i, size_t j)
{
    return m->data + ((j / CONGRU_PANEL) * m->rows + i) * CONGRU_PANEL + j % CONGRU_PANEL;
}

/* m = X^T for x (cols, rows), less mean (rows): a panel is CONGRU_PANEL rows of x. */
void congru_panels_fill(congru_context *context, const double *x, const double *mean, congru_panels *m);

/* c (rows, padded cols of b) = a b for a (rows, rows of b). A row of a and of c every `a_stride` and `stride` doubles. */
void congru_panels_product(congru_context *context, size_t rows, const double *a, size_t a_stride,
                           const congru_panels *b, double *c, size_t stride);

/* c (rows, rows of b) = r b^T for r (rows, padded cols of b), aligned. */
void congru_panels_product_transposed(congru_context *context, size_t rows, const double *r, size_t r_stride,
                                      const congru_panels *b, double *c, size_t stride);

/* m (x->cols, x->cols) = X^T X, or with `rows` m (x->rows, x->rows) = X X^T. work: for each thread CONGRU_PANELS_WORK. */
enum { CONGRU_PANELS_DEPTH = 240, CONGRU_PANELS_WIDE = 4, CONGRU_PANELS_WORK = 240 * 4 * CONGRU_PANEL };
void congru_panels_gram(congru_context *context, const congru_panels *x, bool rows, double *work,
                        congru_panels *m);

/* m (n, n), symmetric and positive definite, becomes its inverse, by sweeping blocks of columns. work:
 * congru_panels_inverse_work(n) doubles, aligned. False where a pivot was not positive. */
size_t congru_panels_inverse_work(size_t n);
bool congru_panels_invert(congru_context *context, congru_panels *m, double *work);

#endif
