/* Every function and adjoint of spd.h under one signature. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_TESTS_OPERATION_TABLE_H
#define CONGRU_TESTS_OPERATION_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "congru/random.h"
#include "congru/spd.h"

/* Arguments of all operations: n of each kind, and some that all share. m = d/2 + 1 is another dimension. */
typedef struct operands {
    size_t n, d;
    double *a, *b;   /* (n, d, d) positive definite */
    double *s;       /* (n, d, d) symmetric */
    double *dy, *dz; /* (n, d, d) and (n, m, m): derivatives, not symmetric */
    double *vectors; /* (n, d (d + 1) / 2) */
    double *weights; /* (n) */
    double *shared;  /* (2, d, d): bases */
    double *w;       /* (d, m) */
} operands;

/* Easy matrices (condition numbers of 10 to 1e4), or hard ones in turn: condition 1e8, diagonal, the identity,
 * scales of 1e-100 and 1e100, repeated eigenvalues, and zero where a symmetric matrix will do. */
operands operands_make(congru_random *random, size_t n, size_t d, bool hard);

/* The operands numbered order[0], order[1], ... order[count - 1] of `from`; what is shared is copied. */
operands operands_gather(const operands *from, size_t count, const size_t *order);

void operands_free(operands *in);

/* An operation writes up to three arrays. For one that treats each matrix by itself, out[k] holds n blocks of
 * operation_size(k) doubles; otherwise what it holds concerns the batch as a whole. */
enum { OPERATION_OUTPUTS = 3 };

typedef enum output_size { NONE, ONE, TWO, VALUES, SQUARE, OTHER_SQUARE, TANGENT, WEIGHT } output_size;

typedef struct operation {
    const char *name;
    bool batch; /* its results depend on the whole batch: means, dW, whitening */
    output_size sizes[OPERATION_OUTPUTS];
    congru_status (*run)(congru_context *context, const operands *in, double *const out[OPERATION_OUTPUTS]);
} operation;

extern const operation OPERATIONS[];
extern const size_t OPERATION_COUNT;

size_t operation_size(const operation *op, size_t output, size_t d);

/* Runs it into fresh, zeroed arrays of n blocks each. An iteration that stops at its limit counts as done. */
congru_status operation_run(const operation *op, congru_context *context, const operands *in,
                            double *out[OPERATION_OUTPUTS]);

void operation_free(double *out[OPERATION_OUTPUTS]);

#endif
