/* The rotation that brings a subject's class means onto those of others. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_ALIGNER_PROCRUSTES_H
#define CONGRU_ALIGNER_PROCRUSTES_H

#include <stdint.h>

#include "congru/context.h"

/* U in SO(d) that minimises the sum over k of weight_k |U^T target_k U - source_k|_F^2, both (classes, d, d)
 * symmetric: rotation (d, d), and the sum itself in *misfit, which may be NULL. Classes of weight 0 are not looked at;
 * when all are, U is the identity.
 *
 * The sum has many local minima: with one class every choice of signs of the eigenvectors is a global one. The
 * descent therefore begins at the identity, at matched eigenvectors of each class mean and of random combinations of
 * them, and at random rotations; the least is kept. Of equals that is the earliest, so that a rotation which the
 * classes do not determine stays near the identity. The same seed gives the same bits. */
congru_status congru_procrustes(congru_context *context, size_t classes, size_t d, const double *target,
                                const double *source, const double *weight, uint64_t seed, double *rotation,
                                double *misfit);

/* The mean over the trials of each class of matrices (n, d, d): mean (classes, d, d), zero for a class without any,
 * and how many there are, trials (classes). Labels below 0 are passed over; above classes - 1: CONGRU_ERROR_ARGUMENT. */
congru_status congru_procrustes_means(congru_context *context, size_t n, size_t d, const double *matrices,
                                      const int32_t *label, size_t classes, double *mean, double *trials);

#endif
