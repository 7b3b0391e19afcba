/* SPD batch normalisation by domain: the mean of each subject's matrices, and how far they are from it. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_NETWORK_DOMAIN_LAYER_H
#define CONGRU_NETWORK_DOMAIN_LAYER_H

#include "network/graph.h"

/* Kobler et al. 2022, with subjects for domains. Of the matrices X_i of a subject in the batch
 *
 *     E = the mean,  M = the mean of log(E^-1/2 X_i E^-1/2),  B = E^1/2 exp(M) E^1/2
 *
 * is one step to their Frechet mean. G goes the share g of the way from where it was to B, along the geodesic, and the
 * dispersion v, the mean of ||L_i||^2 with L_i = log(G^-1/2 X_i G^-1/2), likewise. What comes out is the logarithm of
 * the normalised matrix, (spread / sqrt(v + eps)) L_i. Derivatives go through all of it but the G and v of earlier steps.
 *
 * Three layers, each behind a meeting of the batch: domain_centre gives E^-1/2 X E^-1/2, domain_mean G^-1/2 X G^-1/2, and
 * domain_scale the last line. They share one state, that of domain_mean. Matrices of the subjects in the batch are in lanes,
 * one subject in each. */
typedef struct congru_eigenpairs {
    double *values, *vectors; /* in lanes */
} congru_eigenpairs;

/* G as its roots, and v, of every subject: (subjects, d, d) twice, (subjects). */
typedef struct congru_domain_past {
    double *root, *inverse, *v;
} congru_domain_past;

typedef struct congru_domains {
    size_t d, subjects, most;                   /* most: subjects that a batch can have */
    size_t count, vectors, *domain;             /* those of this batch, ascending: (most) */
    double share;                               /* g of this step */
    congru_eigenpairs mean, move, between, now; /* of E, M, O^-1/2 B O^-1/2 with O the former G, and G */
    double *root, *moved, *d_root;              /* in lanes: E^1/2, exp(M), the derivative by E^1/2 */
    double *old_root, *old_inverse;             /* in lanes: O^1/2, O^-1/2 */
    double *lanes[4];
    congru_spectral_work work;
    double *plain;                  /* (most, d, d) */
    double *inverse[2];             /* (subjects, d, d): E^-1/2 and G^-1/2 */
    double *slope[2];               /* (subjects, row): derivatives by the means of rows */
    congru_domain_past kept, fresh; /* of earlier steps, and as this step leaves it */
    bool *is_fresh;                 /* (subjects) */
    size_t step;                    /* of what is fresh */
} congru_domains;

/* What scales each L: one number by subject; or, in a graph without a batch, one for all or one for each trial. */
typedef struct congru_domain_scale {
    congru_domains *domains;
    double *factor, *inverse, *slope; /* (subjects): spread / sqrt(v + eps), 1 / sqrt(v + eps), of rows */
    double d_spread;
    const double *given; /* (factors) of 1 / sqrt(v + eps) */
    size_t factors;
} congru_domain_scale;

void congru_domains_layout(congru_arena *arena, const congru_graph *graph, size_t d, congru_domains *domains);

/* The share of this step: 1 at first, falling to `least` over 5/6 of the steps. */
double congru_domains_share(const congru_graph *graph, double least);

/* What the last step has left becomes what is kept, once a step. */
void congru_domains_settle(const congru_graph *graph, congru_domains *domains);

/* The subjects of the batch, E and its roots from the means of rows of X; G and its roots from those of the logarithms. */
congru_status congru_domains_centre(const congru_graph *graph, const congru_rows *rows,
                                    congru_domains *domains);
congru_status congru_domains_mean(const congru_graph *graph, const congru_rows *rows, congru_domains *domains);

/* Their adjoints, from the sums (chunks, subjects, d, d) of X P dY, P being the inverse root: adds terms to the rows. */
void congru_domains_mean_backward(const congru_graph *graph, const double *sums, congru_rows *rows,
                                  congru_domains *domains);
void congru_domains_centre_backward(const congru_graph *graph, const double *sums, congru_rows *rows,
                                    congru_domains *domains);

#endif
