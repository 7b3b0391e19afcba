/* Made-up covariance sets whose subjects differ in known ways. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_SYNTH_H
#define CONGRU_SYNTH_H

#include "congru/dataset.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The paper's five stages. Each adds one way in which subjects differ to those before it; the subjects,
 * trials and noise drawn are otherwise the same. */
typedef enum congru_synth_stage {
    CONGRU_SYNTH_SHIFT,       /* C = G^alpha exp(U diag(mu) U^T + V diag(b) V^T) G^alpha */
    CONGRU_SYNTH_DISPERSION,  /* mu becomes d o mu + noise */
    CONGRU_SYNTH_ORIENTATION, /* U becomes U R */
    CONGRU_SYNTH_DISTORTION,  /* with L = log C: exp(L + gamma1 (S L + L S) + gamma2 L^2) */
    CONGRU_SYNTH_FUSION,      /* G^rho exp(L1 + L2 + delta (L1 + L2)^2) G^rho of two distorted branches */
    CONGRU_SYNTH_STAGES
} congru_synth_stage;

/* "shift", "dispersion", "orientation", "distortion", "fusion"; NULL from CONGRU_SYNTH_STAGES on. */
CONGRU_API const char *congru_synth_stage_name(congru_synth_stage stage);

/* The classes are the corners of a tetrahedron in log-variances of a signal subspace. */
enum { CONGRU_SYNTH_CLASSES = 4, CONGRU_SYNTH_SOURCES = 3 };

/* Subject i has a warp G = exp(warp A) and a distortion S = B, with A and B symmetric Gaussian matrices
 * whose squared norm is d on average; dispersions d = exp(dispersion z); and a rotation R = exp(rotation (Z
 * - Z^T)), with Z strictly upper triangular; z and Z standard normal. docs/synthetic.md says why the
 * defaults are these. */
typedef struct congru_synth_options {
    congru_synth_stage stage;
    uint64_t seed;   /* 50 */
    size_t subjects; /* 9 */
    size_t trials;   /* of each class and subject, 40 */
    size_t channels; /* 20; more than CONGRU_SYNTH_SOURCES */

    double separation;     /* length of mu, in log-variance */
    double background;     /* b is uniform in [-background, background], for everyone the same */
    double shift_noise;    /* standard deviation of noise on mu in stage CONGRU_SYNTH_SHIFT */
    double noise;          /* the same from stage CONGRU_SYNTH_DISPERSION on */
    double warp, alpha;    /* G, and its exponent */
    double dispersion;     /* d */
    double rotation;       /* R, in radians */
    double gamma1, gamma2; /* of CONGRU_SYNTH_DISTORTION, and in the branches of CONGRU_SYNTH_FUSION */
    double delta, rho;     /* of CONGRU_SYNTH_FUSION */
    double jitter;         /* added to the diagonal before each matrix is divided by its trace, 1e-5 */

    size_t
        samples; /* of signals whose sample covariance is the trial's; 0: no signals; else more than channels */
    double rate; /* of those, 250 */

    /* 0, or the peak of slow potentials by which classes then differ, in deviations of the noise before a subject mixes it.
     * Needs signals of 2 s or more, sampled at 10 Hz or more; `separation` does not matter then. */
    double slow;
} congru_synth_options;

/* Where slow potentials are: "Fz", "C3", "C4" for source 0, 1, 2, the first channels of such a set; NULL from
 * CONGRU_SYNTH_SOURCES on. */
CONGRU_API const char *congru_synth_slow_channel(size_t source);

/* The potential of a class at a source, of peak 1, `seconds` after the cue: source + 1 periods of a sine in 1.5 s, at most
 * 2 Hz, up or down as the class's corner of the tetrahedron has it; 0 before and after, and for a class or source that does
 * not exist. The courses of different sources are orthogonal and have no mean, so that classes do not differ in covariance. */
CONGRU_API double congru_synth_slow_course(size_t class_index, size_t source, double seconds);

CONGRU_API void congru_synth_options_init(congru_synth_options *options);

/* Makes a set: subjects "S01", ..., classes "c1" to "c4" in turn, channels "X01", ..., `meta` telling the
 * options. With `slow`, the first channels are those of congru_synth_slow_channel, signals begin half a second before the
 * cue (`start`), and `meta` tells the truth of the potentials, too. CONGRU_ERROR_ARGUMENT for an option out of range;
 * CONGRU_ERROR_NOT_FINITE or _NOT_POSITIVE where options are so large that a matrix leaves the range of a double. Free with
 * congru_set_destroy. */
CONGRU_API congru_status congru_synth(congru_context *context, const congru_synth_options *options,
                                      congru_set **set);

/* Writes each subject of a set with signals as FOLDER/NAME.edf, in EDF+ that congru_recording_read reads:
 * noise, and a trial every few seconds, annotated with its class at the cue: where the set's `start` says, at most a minute
 * from the signal's beginning; or half a second before the signal when `start` is unknown.
 * Signals are scaled alike, to 10 microvolts in the mean, and stored in 16 bits. The rate must be a whole
 * number. */
CONGRU_API congru_status congru_synth_write_edf(congru_context *context, const congru_set *set,
                                                const char *folder);

#ifdef __cplusplus
}
#endif
#endif
