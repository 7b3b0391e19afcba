/* The kernels: small symmetric matrices, or signals, one per SIMD lane. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_KERNEL_H
#define CONGRU_KERNEL_H

#include <stdbool.h>
#include <stddef.h>

#include "kernel/real.h"

/* Layout
 *
 * `width` matrices share a vector: the matrix (rows, cols) of doubles becomes (rows, cols, width), lane j
 * holding matrix j. A batch is such vectors one after another, 64-byte aligned. Kernels work on `vectors` of
 * them and never allocate; a lane's result does not depend on the other lanes. Where n matrices do not fill the
 * last vector, its padding lanes hold the identity (or zeros where it is not square).
 *
 * GROUP matrices are the unit in which work is divided and sums over matrices are ordered: it is a multiple
 * of every width, so neither depends on the instruction set. */
enum { CONGRU_GROUP = 8 };

/* How an operand of a product is stored: one matrix per lane, or one plain matrix that all lanes share. */
typedef struct congru_operand {
    const double *data;
    size_t row_stride, column_stride; /* in elements; swapped for the transpose */
    bool shared;
} congru_operand;

typedef enum congru_product_mode {
    CONGRU_PRODUCT_SET,       /* C = A B */
    CONGRU_PRODUCT_ADD,       /* C += A B */
    CONGRU_PRODUCT_SYMMETRIC, /* C = A B, known to be symmetric: half is computed, and mirrored */
    CONGRU_PRODUCT_SYMMETRIC_ADD
} congru_product_mode;

typedef enum congru_function_kind {
    CONGRU_FUNCTION_LOG,     /* log(max(x + jitter, floor)); floor 0: log(x + jitter) */
    CONGRU_FUNCTION_EXP,     /* exp(scale x) */
    CONGRU_FUNCTION_SQRT,    /* x^1/2 */
    CONGRU_FUNCTION_INVSQRT, /* x^-1/2 */
    CONGRU_FUNCTION_POWER,   /* x^p */
    CONGRU_FUNCTION_RECTIFY  /* max(x, floor) */
} congru_function_kind;

/* A function of an eigenvalue, with its parameters. */
typedef struct congru_function {
    congru_function_kind kind;
    double a; /* jitter, scale or p */
    double b; /* floor */
} congru_function;

/* Trials of a block of logistic regression: with the 253 tangent coordinates of 22 channels it stays in the second
 * cache between the logits and the derivative. */
enum { CONGRU_LOGISTIC_BLOCK = 128 };

typedef struct congru_logistic_block {
    size_t features, rows;
    bool reference;      /* there is one more class, with logit 0, which no row stands for */
    const double *x;     /* (features, CONGRU_LOGISTIC_BLOCK), aligned */
    const double *label; /* (CONGRU_LOGISTIC_BLOCK), the row of the trial's class; -1 for the reference class */
    const double *weight; /* (CONGRU_LOGISTIC_BLOCK), 0 for a trial that does not count */
} congru_logistic_block;

typedef struct congru_kernel {
    const char *name;
    size_t width;

    /* (n, rows, cols) plain -> vectors, and back. n is at most vectors * width. */
    void (*pack)(size_t vectors, size_t n, size_t rows, size_t cols, const double *plain, double *lanes);
    void (*unpack)(size_t vectors, size_t n, size_t rows, size_t cols, const double *lanes, double *plain);

    /* Averages each matrix with its transpose. For each of the vectors * width lanes: largest |entry| (NaN
     * where
     * an entry is not finite) and largest |a_ij - a_ji|. */
    void (*symmetrise)(size_t vectors, size_t d, double *a, double *largest, double *asymmetry);

    /* Eigen-decomposition of symmetric matrices, the lower triangle being read: values (d), unordered, and
     * eigenvectors (d, d) in the columns of `z`, or values alone when z is NULL. `a` is destroyed. `work` holds
     * eigen_work(d) doubles. Returns false when a lane did not converge, as happens with NaN. */
    bool (*eigen)(size_t vectors, size_t d, double *a, double *values, double *z, double *work);
    size_t (*eigen_work)(size_t d);

    /* C (rows, cols) = A (rows, inner) B (inner, cols). C is not A or B. */
    void (*product)(size_t vectors, size_t rows, size_t cols, size_t inner, congru_operand a, congru_operand b,
                    congru_product_mode mode, double *c);

    /* Lower Cholesky factor, in place, zeros above the diagonal; NaN from the first pivot that is not
     * positive. */
    void (*cholesky)(size_t vectors, size_t d, double *a);

    /* X = L^-1 B for lower triangular L and B (d, cols), in place. Shared L: one plain factor for all lanes. */
    void (*solve_lower)(size_t vectors, size_t d, size_t cols, congru_operand l, double *b);

    /* out[i] = f(in[i]) over `count` doubles, a multiple of width. */
    void (*map)(congru_function function, size_t count, const double *in, double *out);

    /* scaled (d, d) = z with column k times values[k]. */
    void (*scale_columns)(size_t vectors, size_t d, const double *z, const double *values, double *scaled);

    /* loewner (d, d): the divided differences (f(x_i) - f(x_j))/(x_i - x_j), f'(x_i) where equal, accurate for
     * equal, nearly equal and clamped eigenvalues alike. `work` holds 3 * d * width doubles. */
    void (*loewner)(congru_function function, size_t vectors, size_t d, const double *values, double *loewner,
                    double *work);

    /* y[i] *= x[i]; y[i] = alpha x[i] + beta y[i]; over `count` doubles, a multiple of width. */
    void (*multiply)(size_t count, const double *x, double *y);
    void (*combine)(size_t count, double alpha, const double *x, double beta, double *y);

    /* Adds a number to the diagonal of each (d, d). */
    void (*add_diagonal)(size_t vectors, size_t d, double number, double *a);

    /* For each lane, the sum of squares of `count` elements per matrix: out (vectors, width). */
    void (*sum_squares)(size_t vectors, size_t count, const double *x, double *out);

    /* Second-order sections (b0 b1 b2 a0 a1 a2, a0 = 1) over `rows` signals of `samples`, at most width of
     * them,
     * plain and in place, from the first sample to the last or backward. state (sections, 2, width), aligned,
     * is
     * what the sections remember, and goes on where it was. Per section, with each fma and product rounded
     * once:
     * y = fma(b0, x, s1), s1 = fma(-a1, y, fma(b1, x, s2)), s2 = fma(-a2, y, b2 x). */
    void (*filter)(size_t sections, const double (*section)[6], size_t rows, double *const *row, size_t samples,
                   bool backward, double *state);

    /* out (width) = the sum over t of weights[t] times lanes (taps, width): four chains of fma, tap t in chain
     * t % 4, then added as (0 + 1) + (2 + 3). */
    void (*weigh)(size_t taps, const double *weights, const double *lanes, double *out);

    /* Signals with time in the lanes. Rows of `stride` samples, a multiple of CONGRU_GROUP, aligned, zeros at
     * their
     * end; sums over time are 8 chains, sample t in chain t % 8, added as ((0+4)+(2+6))+((1+5)+(3+7)).
     * centre: out (rows, stride) is plain (rows, samples), each row less its mean where `subtract`.
     * gram: out (rows, rows) = X X^T. power_squares: the sum over time of (the sum over rows of x^2)^2. */
    void (*centre)(size_t rows, size_t samples, size_t stride, bool subtract, const double *plain, double *out);
    void (*gram)(size_t rows, size_t stride, const double *x, double *out);
    double (*power_squares)(size_t rows, size_t stride, const double *x);

    /* lanes (vectors, size): the plain matrices of `size` doubles with these vectors * width indices. */
    void (*gather)(size_t vectors, size_t size, const double *plain, const size_t *index, double *lanes);

    /* Every lane the same: lanes (vectors, size) of plain (size). */
    void (*spread)(size_t vectors, size_t size, const double *plain, double *lanes);

    /* row (vectors, stride): the upper triangle of the symmetric s (d, d), row by row, off-diagonals times
     * sqrt 2,
     * and zeros to its end; and its inverse, which is its adjoint. */
    void (*triangle)(size_t vectors, size_t d, size_t stride, const double *s, double *row);
    void (*untriangle)(size_t vectors, size_t d, size_t stride, const double *row, double *s);

    /* For each lane the inner product of `count` elements: out (vectors, width). Of each column of x (rows,
     * cols)
     * with that of the plain w: out (vectors, cols). */
    void (*dots)(size_t vectors, size_t count, const double *x, const double *y, double *out);
    void (*column_dots)(size_t vectors, size_t rows, size_t cols, const double *w, const double *x,
                        double *out);

    /* Sums over matrices in CONGRU_GROUP chains (CONGRU_GROUP / width vectors), matrix m in chain m %
     * CONGRU_GROUP:
     * of x (rows, cols) with column a times g[a], of products per lane, of x (size) itself. fold adds the
     * chains as
     * ((0+4)+(2+6))+((1+5)+(3+7)): sum (size), plain. */
    void (*add_columns)(size_t vectors, size_t rows, size_t cols, const double *x, const double *g,
                        double *chains);
    void (*add_product)(size_t vectors, size_t rows, size_t cols, size_t inner, congru_operand a,
                        congru_operand b, double *chains);
    void (*add_lanes)(size_t vectors, size_t size, const double *x, double *chains);
    void (*fold)(size_t size, const double *chains, double *sum);

    /* Plain c (rows, cols) = A b, or += where `add`: A (rows, inner) as its strides say, b (inner, cols)
     * row-major; c is
     * neither. Each entry is one sum over the inner index in ascending order. */
    void (*dense)(size_t rows, size_t cols, size_t inner, congru_operand a, const double *b, bool add,
                  double *c);

    /* The weighted softmax cross-entropy of a block with the weights w (rows, features), returned; its derivative
     * is added to gradient (rows, features). Sums over trials as in gram. `work`: (rows, CONGRU_LOGISTIC_BLOCK). */
    double (*logistic)(const congru_logistic_block *block, const double *w, double *work, double *gradient);

    const congru_real_kernel *real; /* of convolutional networks */
} congru_kernel;

/* The kernel called `name`, or the best for this machine when NULL; NULL when unknown or not available. */
const congru_kernel *congru_kernel_find(const char *name);

/* Doubles per matrix lane-vector batch: how many vectors hold n matrices. */
static inline size_t congru_kernel_vectors(const congru_kernel *kernel, size_t n)
{
    return (n + kernel->width - 1) / kernel->width;
}

/* One matrix per lane, or its transpose: (rows, cols) stored row-major. */
static inline congru_operand congru_per_lane(const double *data, size_t cols)
{
    return (congru_operand){data, cols, 1, false};
}
static inline congru_operand congru_per_lane_transposed(const double *data, size_t cols)
{
    return (congru_operand){data, 1, cols, false};
}

/* One plain row-major matrix for all lanes, or its transpose. */
static inline congru_operand congru_shared(const double *data, size_t cols)
{
    return (congru_operand){data, cols, 1, true};
}
static inline congru_operand congru_shared_transposed(const double *data, size_t cols)
{
    return (congru_operand){data, 1, cols, true};
}

#endif
