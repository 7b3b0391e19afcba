/* Judges an adjoint by differences of the map it belongs to. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_TESTS_ADJOINT_JUDGE_H
#define CONGRU_TESTS_ADJOINT_JUDGE_H

#include <stdbool.h>
#include <stddef.h>

#include "congru/random.h"
#include "congru/spd.h"

/* A map under test: y (y_count) of x (x_count), with its options and spectra. */
typedef struct map {
    const char *name;
    size_t n, d, d_out;  /* batch, input and output dimension */
    size_t x_count, x_d; /* x is symmetric blocks of x_d, or dense (W, or A of a rotation) when x_d is 0 */
    size_t y_count;
    double jitter, floor, scale, p, epsilon;
    double *fixed;  /* what the map also depends on and is not differentiated by: C, W or B */
    bool second;    /* x is the second of two inputs */
    double *middle; /* what a chain hands from its first map to its second */
    double through; /* the size of what a chain's adjoint passes on; rounding is relative to this too */
    congru_spectrum *spectra[3];
    congru_status (*forward)(struct map *map, const double *x, double *y);
    congru_status (*backward)(struct map *map, const double *x, const double *dy, double *dx);
} map;

/* The context everything is computed in; the test program creates and destroys it. */
extern congru_context *judge_context;

/* Checks a status, with the map's name and the error text in the message. */
void judge_ok(const map *m, congru_status status);

/* dX of one functional dY, from zero; checks that it is finite, symmetric where x is, and added to what is
 * there before. */
void judge_adjoint(map *m, const double *x, const double *dy, double *dx);

/* Directions: symmetric blocks of norm about 1 (or a dense one), or each x_i's own congruence C^1/2 S C^1/2,
 * which moves every eigenvalue in proportion to itself and so judges those parts of dX too that belong to
 * large ones. */
typedef enum judge_directions { JUDGE_PLAIN, JUDGE_PROPORTIONAL } judge_directions;

/* <Df(x)[e], dY> by 4-point differences of step h against <e, dX> by the adjoint, over several directions e and
 * non-symmetric functionals dY: the difference test and the inner-product identity at once. The error is
 * relative to the whole table of these numbers, so that no accidentally small one decides. */
#define JUDGE(m, x, h, directions, tolerance) \
    judge((m), (x), (h), (directions), (tolerance), __FILE__, __LINE__)
void judge(map *m, const double *x, double h, judge_directions directions, double tolerance, const char *file,
           int line);

/* How near is near enough: at well-separated eigenvalues, and anywhere else. */
#define JUDGE_SEPARATED 1e-7
#define JUDGE_HARD 1e-6

extern const size_t JUDGE_DIMENSIONS[]; /* to try everything in */
enum { JUDGE_DIMENSION_COUNT = 6 };

/* Kinds of spectrum. All lie within [0.2, 5], so one step of differences serves: with 0.2 the smallest, its
 * truncation is (h/0.2)^4 and its rounding 25 eps/h. GAPS are 1e-12, 1e-10, ... 1e-4, in turn. The last two
 * are diagonal matrices, so that their eigenvalues repeat to the last bit and not only up to rounding. */
typedef enum spectrum_kind { SPACED, REPEATED, GAPS, IDENTITY, DIAGONAL_REPEATED, KINDS } spectrum_kind;
#define JUDGE_STEP 4e-4

/* n matrices with that kind of spectrum, in random orientations. */
void judge_batch(congru_random *random, size_t n, size_t d, spectrum_kind kind, double *c);

/* Fills in the sizes (x and y are n symmetric blocks of d unless set before) and makes `spectra` spectra of
 * (n, spectra_d). */
void judge_open(map *m, size_t n, size_t d, size_t spectra, size_t spectra_d);

/* Frees the spectra, `fixed` and `middle`. */
void judge_close(map *m);

#endif
