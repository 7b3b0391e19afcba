/* Bringing trials of different subjects together: recentring, scaling, rotating. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_ALIGNER_PUBLIC_H
#define CONGRU_ALIGNER_PUBLIC_H

#include <stdint.h>

#include "congru/spd.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Those that pipelines are made of, "none", "ra", ..., in the order help lists them; NULL after the last. */
CONGRU_API const char *congru_aligner_name(size_t index);
CONGRU_API const char *congru_aligner_summary(size_t index);

/* Riemannian alignment is the first step, Riemannian Procrustes analysis all three, in this order. Batches, errors and
 * same bits are as in congru/spd.h; outputs may be the inputs. */

/* Recentring: out_i = M^-1/2 C_i M^-1/2 with M the mean, by the metric, of the trials of the same subject: subject (n)
 * 0 to subjects - 1, each with a trial; NULL: all of one. Labels are not needed. The M go to reference (subjects, d, d)
 * unless it is NULL. The affine-invariant mean of each subject's results is the identity to 1e-10, the Euclidean mean
 * exactly that, but for rounding; by the log-Euclidean mean the results are only near it. A mean that does not come
 * nearer than a tangent norm of 1e-7 is CONGRU_ERROR_NOT_CONVERGED. */
CONGRU_API congru_status congru_alignment_recentre(congru_context *context, congru_metric metric, size_t n,
                                                   size_t d, const double *c, size_t subjects,
                                                   const int32_t *subject, double *reference, double *out);

/* The mean squared affine-invariant distance of recentred trials from the identity. */
CONGRU_API congru_status congru_alignment_dispersion(congru_context *context, size_t n, size_t d,
                                                     const double *c, double *dispersion);

/* Scaling: out_i = C_i^factor, the factor being the one that makes the dispersion of the results the one given; 1
 * when that or their own is 0. factor may be NULL. */
CONGRU_API congru_status congru_alignment_scale(congru_context *context, size_t n, size_t d, const double *c,
                                                double dispersion, double *factor, double *out);

/* Rotating: the U in SO(d), rotation (d, d), that minimises the sum over classes of |U^T T_k U - S_k|_F^2, T_k and S_k
 * being the means of the logarithms of the target's and of the source's trials of class k; for
 * congru_spd_congruence(..., rotation, ...) to be used on all of the target's trials. Labels are 0 to classes - 1, or
 * negative for trials that are not to be looked at. Classes that one of the two has no trials of do not count. */
CONGRU_API congru_status congru_alignment_rotation(congru_context *context, size_t d, size_t classes,
                                                   size_t n_source, const double *source,
                                                   const int32_t *source_label, size_t n_target,
                                                   const double *target, const int32_t *target_label,
                                                   uint64_t seed, double *rotation);

#ifdef __cplusplus
}
#endif
#endif
