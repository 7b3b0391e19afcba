/* Gradients projected and weights retracted, after every step. SPDX-License-Identifier: Apache-2.0 */
#include "network/constraint.h"

#include <math.h>

/* The inner product of columns i and j of a and b, (rows, cols) both. */
static double column_product(size_t rows, size_t cols, const double *a, size_t i, const double *b, size_t j)
{
    double sum = 0.0;
    for (size_t r = 0; r < rows; r++)
        sum += a[r * cols + i] * b[r * cols + j];
    return sum;
}

/* g -= W sym(W^T g). Column j of the product needs row j of the symmetric matrix, which needs all of g as it was: entries
 * of a pair (i, j) are taken before either column changes, since W's columns are orthonormal. */
static void project(size_t rows, size_t cols, const double *w, double *g)
{
    for (size_t i = 0; i < cols; i++) {
        for (size_t j = i; j < cols; j++) {
            const double s =
                0.5 * (column_product(rows, cols, w, i, g, j) + column_product(rows, cols, w, j, g, i));
            for (size_t r = 0; r < rows; r++) {
                g[r * cols + j] -= s * w[r * cols + i];
                if (i != j)
                    g[r * cols + i] -= s * w[r * cols + j];
            }
        }
    }
}

/* Gram and Schmidt's, each column twice: the second time takes out what rounding left. */
static void retract(size_t rows, size_t cols, double *w)
{
    for (size_t j = 0; j < cols; j++) {
        for (int time = 0; time < 2; time++) {
            for (size_t i = 0; i < j; i++) {
                const double s = column_product(rows, cols, w, i, w, j);
                for (size_t r = 0; r < rows; r++)
                    w[r * cols + j] -= s * w[r * cols + i];
            }
            const double norm = sqrt(column_product(rows, cols, w, j, w, j));
            for (size_t r = 0; r < rows; r++)
                w[r * cols + j] /= norm;
        }
    }
}

static void shorten(size_t rows, size_t cols, double limit, double *w)
{
    for (size_t r = 0; r < rows; r++, w += cols) {
        const double norm = sqrt(congru_squared_norm(cols, w)), scale = limit / (norm + 1e-7);
        for (size_t c = 0; c < cols && norm > limit; c++)
            w[c] *= scale;
    }
}

void congru_constraints_project(congru_parameters *p)
{
    for (size_t s = 0; s < p->segments; s++) {
        const congru_segment *segment = &p->segment[s];
        if (segment->constraint == CONGRU_STIEFEL)
            project(segment->rows, segment->cols, p->value + segment->offset, p->gradient + segment->offset);
    }
}

void congru_constraints_retract(congru_parameters *p)
{
    for (size_t s = 0; s < p->segments; s++) {
        const congru_segment *segment = &p->segment[s];
        double *w = p->value + segment->offset;
        if (segment->constraint == CONGRU_STIEFEL)
            retract(segment->rows, segment->cols, w);
        if (segment->constraint == CONGRU_ROW_NORM)
            shorten(segment->rows, segment->cols, segment->limit, w);
    }
}
