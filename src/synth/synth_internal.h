/* What the parts of the generator share. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_SYNTH_INTERNAL_H
#define CONGRU_SYNTH_INTERNAL_H

#include "base/error.h"
#include "congru/random.h"
#include "congru/synth.h"

/* What a stream of random numbers is for; the others of its names are the subject and the trial. Streams do not
 * depend on the stage, so that stages differ by what they add and nothing else. */
enum {
    SYNTH_BASIS = 1,
    SYNTH_BACKGROUND,
    SYNTH_WARP,
    SYNTH_DISPERSE,
    SYNTH_ROTATE,
    SYNTH_DISTORT,
    SYNTH_NOISE
};
enum {
    SYNTH_SIGNAL = 100,
    SYNTH_REST
}; /* apart, since the above are drawn once for each branch: + 10 branch */
enum { SYNTH_BRANCHES = 2, SYNTH_BRANCH_STRIDE = 10 };

/* The corners of a tetrahedron, by class. */
extern const double congru_synth_corner[CONGRU_SYNTH_CLASSES][CONGRU_SYNTH_SOURCES];

/* Signals with slow potentials begin so long before the cue, and the potentials take so long after it. */
enum { SYNTH_SLOW_LEAD_MS = 500, SYNTH_SLOW_MS = 1500 };

/* Samples before the cue in signals with slow potentials. */
size_t congru_synth_slow_lead(double rate);

/* One subject, or one branch of one: what is done to every trial. */
typedef struct congru_synth_subject {
    double *frame;      /* (d, d) columns U R and V; or U and V before CONGRU_SYNTH_ORIENTATION */
    double *warp;       /* (d, d) G^alpha, or G^rho */
    double *distortion; /* (d, d) S */
    double scale[CONGRU_SYNTH_SOURCES]; /* d; or ones before CONGRU_SYNTH_DISPERSION */
} congru_synth_subject;

/* basis (d, d): orthonormal columns, the first CONGRU_SYNTH_SOURCES of them U; background (d - SOURCES). */
void congru_synth_draw_basis(const congru_synth_options *options, double *basis, double *background);

/* Fills in the arrays of `subject`. `work` (d, d) is scratch. */
congru_status congru_synth_draw_subject(congru_context *context, const congru_synth_options *options,
                                        size_t index, size_t branch, const double *basis,
                                        congru_synth_subject *subject, double *work);

/* The matrices of one subject: out (trials of all classes, d, d), class by class in turn. */
congru_status congru_synth_make_trials(congru_context *context, const congru_synth_options *options,
                                       size_t index, const double *basis, const double *background,
                                       double *out);

/* Signals (count, d, samples) of one subject whose sample covariances are the given matrices: noise, and the slow potentials
 * of the options, before both are mixed. */
congru_status congru_synth_make_signals(congru_context *context, const congru_synth_options *options,
                                        size_t index, size_t count, const double *covariance, double *signals);

#endif
