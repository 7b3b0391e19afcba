/* What stays constant in training: trials, their logarithms, had once. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_NETWORK_CONSTANTS_H
#define CONGRU_NETWORK_CONSTANTS_H

#include "base/arena.h"
#include "congru/method.h"
#include "model/trials.h"

/* Of all trials. L' is the logarithm, floored; for DCT over its subject's dispersion. */
typedef struct congru_constants {
    const congru_trials *trials;
    size_t out, stride; /* dimension of the output, and d(d+1)/2 of it rounded up */
    bool by_log;        /* DCT: matrices and spectra of L' are kept */
    bool by_subject;    /* L' is over its subject's dispersion */
    double floor;
    double *covariance;       /* (trials, d, d), symmetric; NULL for DCT */
    double *row;              /* (trials, stride): L', or its leading block where widths differ */
    double *mask;             /* (stride): 1 within that block, where the output is larger; else NULL */
    double *root;             /* (trials, m, m): inverse roots of leading blocks, affine reconstruction */
    double *logarithm;        /* DCT: (trials, d, d) */
    double *values, *vectors; /* (trials, d), (trials, d, d): its eigenpairs */
    double *norm;             /* (trials): its squared norm; DCT */
    double *dispersion;       /* (subjects): what L' was divided by */
    double *present;          /* (classes): 1 where there are trials, else 0 */
    size_t present_count;
} congru_constants;

/* Run twice. `roots`: for affine reconstruction. */
void congru_constants_layout(congru_arena *arena, bool roots, congru_constants *constants);

congru_status congru_constants_fill(congru_context *context, congru_constants *constants);

/* The root of the mean of a subject's squared norms, 1 where that is 0: (subjects). */
void congru_dispersions(const congru_trials *trials, const double *norm, double *dispersion);

/* Of an input node: which table it reads. */
typedef struct congru_input {
    const double *table; /* (trials, size); NULL: given in lanes */
    const double *row;   /* (trials, stride), where matrices come of rows */
} congru_input;

#endif
