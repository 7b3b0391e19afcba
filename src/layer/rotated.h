/* DCT: log-covariances scaled and turned. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_LAYER_ROTATED_H
#define CONGRU_LAYER_ROTATED_H

#include <stdbool.h>
#include <stddef.h>

#include "layer/scatter.h"

/* L = gamma R^T L' R with R = exp(A - A^T), gamma = exp(g); L' over its subject's dispersion. */
typedef struct congru_rotated {
    size_t generator, scale; /* segments; scale only where gamma is learned */
    bool learns_gamma, axis, log_ratio;
    double gamma, beta;
    double *r, *d_r;          /* (d, d) */
    double *start_log;        /* (trials, d, d): L' */
    double *vectors, *values; /* (trials, d, d), (trials, d): its eigenpairs, end to end */
    double *norm;             /* (trials): squared, of L' */
    double *low, *high;       /* (trials): least and largest eigenvalue of L' */
    double *dispersion;       /* (subjects): what L' was divided by */
    size_t z_stride;          /* d rounded up */
    double *p;                /* lanes (d, d): L' R */
    double *z;                /* (capacity, z_stride): the diagonal of R^T L' R */
    double *z_mean;           /* (z_stride) */
    congru_scatter z_action, z_subject;
    double *part_r;         /* partials (d, d) */
    double *slope;          /* (capacity): what each trial adds to the derivative by gamma */
    double *class_lanes[4]; /* lanes of classes (d, d) */
    double *class_chains;   /* (CONGRU_GROUP, d, d) */
    double *class_rows;     /* (classes, stride) */
} congru_rotated;

#endif
