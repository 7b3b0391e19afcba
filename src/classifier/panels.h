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

static inline size_t congru_panels_size(size_t rows, size_t cols)
{
    return congru_panels_count(cols) * CONGRU_PANEL * rows;
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

/* Below, a context whose thread pool is to work, or `alone` true: the calling thread does all, as it must inside a task. The bits
 * are the same. */

/* m = the matrix (rows, cols) that the operand says. */
void congru_panels_fill(congru_context *context, congru_operand from, congru_panels *m);

/* c (rows, cols of b), a row every `stride` doubles, which is at least the columns of whole panels: = A b, or += or -=. */
void congru_panels_product(congru_context *context, bool alone, size_t rows, congru_operand a,
                           const congru_panels *b, congru_panel_mode mode, double *c, size_t stride);

/* m (n, n) = X X^T for X (n, inner), a row every `stride` doubles. work: (congru_thread_pool_threads, CONGRU_PANELS_WORK). */
enum { CONGRU_PANELS_DEPTH = 256, CONGRU_PANELS_WIDE = 4, CONGRU_PANELS_WORK = 256 * 4 * CONGRU_PANEL };
void congru_panels_gram(congru_context *context, size_t inner, const double *x, size_t stride, double *work,
                        congru_panels *m);

/* Copies what is below the diagonal above it, and makes the columns past the last zero. */
void congru_panels_mirror(congru_context *context, bool alone, congru_panels *m);

/* m (n, n), symmetric and positive definite, becomes its inverse, by sweeping blocks of columns. work:
 * congru_panels_inverse_work(n) doubles, aligned. False where a pivot was not positive. */
size_t congru_panels_inverse_work(size_t n);
bool congru_panels_invert(congru_context *context, bool alone, congru_panels *m, double *work);

#endif
