/* Recentring: the trials of a domain, whitened by their mean. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_ALIGNER_RECENTRE_H
#define CONGRU_ALIGNER_RECENTRE_H

#include "model/tensors.h"
#include "model/trials.h"

/* The mean (d, d) of the trials, also of a view, of each of the subjects 0 to subjects - 1: reference (subjects, d, d). Labels are not
 * looked at. The affine-invariant mean is taken to a tangent norm of 1e-12 so that the mean of what comes out is the
 * identity to 1e-10; when it cannot be had that near, to 1e-7, and else CONGRU_ERROR_NOT_CONVERGED names the subject.
 * A subject without trials is CONGRU_ERROR_ARGUMENT. */
congru_status congru_recentre_references(congru_context *context, congru_metric mean,
                                         const congru_trials *trials, double *reference);

/* out_i = M^-1/2 C_i M^-1/2 with the M of the trial's subject. out may be trials->covariance. */
congru_status congru_recentre_sources(congru_context *context, const congru_trials *trials,
                                      const double *reference, double *out);

/* The same for a target subject, by what may be seen of them. `prior` (d, d) is the log-Euclidean mean of the source
 * subjects' references, used where nothing may be seen; elsewhere it may be NULL. Online: the reference of trial 0 is
 * that trial, halfway shrunk to its own trace/d I; for trial t = 1, 2, ... the reference first moves to it along the
 * geodesic of the metric, by 1 / (t + 1), and then whitens it. The mean of one visible trial is that trial shrunk
 * likewise: whitened by itself it would be the identity, whatever it was. */
congru_status congru_recentre_target(congru_context *context, congru_metric mean,
                                     const congru_target_trials *target, const double *prior, double *out);

/* The reference that a first trial c (d, d) gives, halfway between it and its own trace/d I. */
void congru_recentre_begin(size_t d, const double *c, double *out);

/* The log-Euclidean mean of references (count, d, d). */
congru_status congru_recentre_prior(congru_context *context, size_t count, size_t d, const double *reference,
                                    double *prior);

/* What an aligner does to each domain by itself, a subject or a session of one, without labels. All of them whiten: a
 * reference M (d, d) is found, and with W = M^-1/2 a covariance becomes W C W, a signal W x. Sources are whitened by
 * congru_recentre_sources or where they are read (congru_view, congru_signals), the prior is that of congru_recentre_prior. */
typedef struct congru_recentring {
    congru_needs of; /* what is whitened */

    /* The reference of each of the subjects 0 to subjects - 1 of `trials`, as congru_recentre_references. */
    congru_status (*references)(congru_context *context, const congru_method_options *options,
                                const congru_trials *trials, double *reference);

    /* The target subject's trials whitened by what may be seen of them, as congru_recentre_target: out (count, d, d), or
     * (count, channels, samples), which is not where the signals are. */
    congru_status (*target)(congru_context *context, const congru_method_options *options,
                            const congru_target_trials *target, const double *prior, double *out);

    /* Each of `count` references moved the part 0 to 1 of the way to one more trial's covariance, for a stream: out
     * (count, d, d), which is not `reference`. */
    congru_status (*move)(congru_context *context, const congru_method_options *options, size_t count, size_t d,
                          const double *reference, const double *covariance, double part, double *out);

    /* What stands for a trial's covariance there, of the first of these signals as they are: (d, d). NULL: it is the
     * covariance itself. */
    congru_status (*moment)(congru_context *context, const congru_signals *signals, double *out);
} congru_recentring;

/* Riemannian alignment: covariances, by the mean of --ra-mean. */
extern const congru_recentring congru_recentring_ra;

/* Euclidean alignment (He and Wu, 2020): signals, by the mean of X X^T / T over trials, drawn towards a multiple of the
 * identity by 1 %. */
extern const congru_recentring congru_recentring_ea;

#endif
