/* Riemannian Procrustes analysis, step by step. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_ALIGNER_RPA_H
#define CONGRU_ALIGNER_RPA_H

#include "aligner/aligner.h"

/* Learns "rpa.dispersion", the mean squared distance of all source trials from the identity; "rpa.mean" (classes, d, d)
 * of their logarithms by class, with "rpa.trials" (classes), how many each is of; "rpa.seed" (2), its halves. Sources
 * stay as they are. A target subject's logarithms L become U^T (rho L) U:
 *
 * rho is the root of the source dispersion over the target subject's, of what is visible: one number for all trials;
 * online, of the trials so far; 1 where nothing may be seen, or where either dispersion is 0.
 *
 * U minimises the distance between class means, those of the target subject being of the calibration trials, each as scaled;
 * classes without a source or a calibration trial do not count. Without calibration trials there is no U. Calibration
 * comes before use: its trials may be looked at in every mode. */
extern const congru_aligner congru_aligner_rpa;

/* The mean squared norm of logarithms (n, d, d), which is the distance from the identity. */
double congru_rpa_dispersion(size_t n, size_t d, const double *log);

/* The factor that takes one dispersion to the other; 1 when one of them is 0. */
double congru_rpa_factor(double wanted, double found);

#endif
