/* What the descent over rotations and its starts share. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_ALIGNER_PROCRUSTES_INTERNAL_H
#define CONGRU_ALIGNER_PROCRUSTES_INTERNAL_H

#include "base/arena.h"
#include "congru/context.h"
#include "kernel/kernel.h"

enum { CONGRU_PROCRUSTES_HISTORY = 10, CONGRU_PROCRUSTES_FINALISTS = 3 };

/* The classes of one problem are the lanes of the kernels. Of class k only sqrt(weight) target and sqrt(weight)
 * source are kept, which makes the sum one of plain squares. */
typedef struct congru_procrustes_work {
    const congru_kernel *kernel;
    size_t classes, vectors, d;
    double scale; /* the sum of the squared norms of all of them */

    double *target, *source; /* (classes, d, d) plain */
    double *source_lanes;    /* (vectors, d, d) */
    double *moved, *next;    /* (vectors, d, d): U^T target U where the descent is, and where it tries to go */
    double *lanes, *sums;    /* scratch: (vectors, d, d), (vectors) */
    double *plain;           /* scratch: (classes, d, d) */
    double *finalist;        /* (finalists, d, d) */
    double *u, *best;        /* (d, d) */
    double *step, *turn;     /* (d, d): a generator and its rotation */
    double *gradient, *before;       /* (d, d) skew */
    double *scratch;                 /* (d, d) */
    double *step_kept, *change_kept; /* (history, d, d) */

    double *matched[2], *values; /* starts: (d, d) eigenvectors, (d) */
    double *sign;                /* (d) */
    double *coupling;            /* (d, d) */
} congru_procrustes_work;

/* out = a b, or a^T b; plain (d, d). */
void congru_procrustes_product(size_t d, const double *a, bool transposed, const double *b, double *out);

/* Writes U = V_target D V_source^T into w->u: the eigenvectors of the sums of coefficient_k target_k and of
 * coefficient_k source_k, in order of their eigenvalues, and signs D that fit the single classes best. They are
 * sought from those nearest to the identity or, when `spectral`, from the leading eigenvector of what couples them. */
congru_status congru_procrustes_match(congru_context *context, congru_procrustes_work *w,
                                      const double *coefficient, bool spectral);

#endif
