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

/* Columns of a panel of a large matrix: a multiple of every tile. */
enum { CONGRU_PANEL = 24 };

typedef enum congru_panel_mode { CONGRU_PANEL_SET, CONGRU_PANEL_ADD, CONGRU_PANEL_SUBTRACT } congru_panel_mode;

/* slope = factor gradient + decay value; first = momentum first + (1 - momentum) slope; second = memory second + (1 - memory)
 * slope^2; value -= rate first / (sqrt(second) / correction + least). */
typedef struct congru_adam_move {
    double factor, decay, momentum, memory, rate, correction, least;
} congru_adam_move;

typedef struct congru_kernel {
    const char *name;
    size_t width;
#define KERNEL(type, name, arguments) type(*name) arguments;
#include "kernel/kernels.h"
#undef KERNEL

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
