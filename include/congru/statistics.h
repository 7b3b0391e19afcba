/* Is one method better than another, and what do many points look like? SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_STATISTICS_H
#define CONGRU_STATISTICS_H

#include <stdint.h>

#include "congru/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Two methods on the same subjects ------------------------------------------------------------------ */

typedef struct congru_wilcoxon {
    double statistic; /* the smaller of the sums of ranks of gains and of losses */
    double p;         /* two-sided */
    size_t used;      /* pairs that differ */
    bool exact;       /* by the exact distribution rather than the normal one */
    double tied; /* p by the exact distribution of the ranks there are, ties and all; NaN for more than 50 */
} congru_wilcoxon;

/* Wilcoxon's signed-rank test of the differences a - b of n pairs, as scipy.stats.wilcoxon does it by
 * default (1.10): exact for up to 50 pairs none of which is equal; otherwise equal pairs are left out and
 * the distribution is normal, corrected for ties. Where all pairs are equal p is 1 (scipy refuses). */
CONGRU_API congru_status congru_wilcoxon_test(congru_context *context, size_t n, const double *a,
                                              const double *b, congru_wilcoxon *result);

/* The probability that the mean of a - b would be at least as far from 0, either way, if each difference had
 * its sign by chance: over all signs for up to 20 pairs, else over 100000 draws (and the signs there are). */
CONGRU_API congru_status congru_permutation_test(congru_context *context, uint64_t seed, size_t n,
                                                 const double *a, const double *b, double *p);

/* A method against a baseline, subject by subject. */
typedef struct congru_comparison {
    size_t count;
    double gain;        /* mean of a - b */
    double deviation;   /* of a - b, n - 1; NaN for one pair */
    double effect;      /* Cohen's d_z: gain over deviation; NaN where that is 0 or NaN */
    double interval[2]; /* of the gain, by Student's t; NaN for one pair */
    double improved;    /* the fraction of pairs with a above b */
    congru_wilcoxon wilcoxon;
    double permutation; /* p of congru_permutation_test, seed 50 */
} congru_comparison;

/* confidence is that of the interval, between 0 and 1: 0.95. */
CONGRU_API congru_status congru_paired_compare(congru_context *context, size_t n, const double *a,
                                               const double *b, double confidence,
                                               congru_comparison *comparison);

/* Holm's correction of n p-values for there being n: adjusted[i] belongs to p[i], and may be the same array. */
CONGRU_API congru_status congru_holm_correct(congru_context *context, size_t n, const double *p,
                                             double *adjusted);

/* scores (subjects, methods) -> z (methods): each subject's scores standardised over methods (dividing by
 * n), then averaged over subjects. A subject on which all methods are equal counts as 0. */
CONGRU_API congru_status congru_scores_normalise(congru_context *context, size_t subjects, size_t methods,
                                                 const double *scores, double *z);

/* Student's t with any number of degrees of freedom above 0: the probability of a value up to t, and the
 * value that has it; NaN where there is none. To 1e-12, relative to the smaller tail and to the value, for
 * up to 10000 degrees of freedom. */
CONGRU_API double congru_student_cdf(double t, double freedom);
CONGRU_API double congru_student_quantile(double p, double freedom);

/* ---- Points -------------------------------------------------------------------------------------------- */

/* How much nearer each of n points (n, d) is to those of its own label than to those of the nearest other
 * one, from -1 to 1, in Euclidean distance: samples (n), or NULL, and their mean, or NULL. Labels are any
 * numbers, of at least two kinds; a point alone with its label has 0. */
CONGRU_API congru_status congru_silhouette(congru_context *context, size_t n, size_t d, const double *points,
                                           const int32_t *label, double *samples, double *mean);

typedef struct congru_tsne_options {
    double perplexity;   /* 30; at least 1, below the number of other points */
    int iterations;      /* 1000, of which */
    int exaggerated;     /* the first 250 with attractions */
    double exaggeration; /* 12 times as strong, and momentum 0.5 rather than 0.8 */
    double rate;         /* 0: n / exaggeration / 4, at least 50 */
    double least;        /* stop where the norm of the gradient is below this, 1e-7 */
    uint64_t seed;       /* 50, of the start where none is given */
} congru_tsne_options;

CONGRU_API void congru_tsne_options_init(congru_tsne_options *options);

/* t-SNE in the plane, exact: positions (n, 2) such that near points are near. Either `points` (n, d) or
 * `distances` (n, n), symmetric and not negative, is given, the other NULL; d counts with points only.
 * `start` (n, 2), which may be `positions`, is where to begin, for example the result for an earlier stage
 * of the same points; NULL: near 0, by the seed. *divergence, or NULL, is Kullback and Leibler's at the end.
 * The same bits for any number of threads. */
CONGRU_API congru_status congru_tsne(congru_context *context, const congru_tsne_options *options, size_t n,
                                     size_t d, const double *points, const double *distances,
                                     const double *start, double *positions, double *divergence);

/* The divergence of given positions, and its gradient (n, 2) unless NULL: what congru_tsne makes small. */
CONGRU_API congru_status congru_tsne_divergence(congru_context *context, double perplexity, size_t n, size_t d,
                                                const double *points, const double *distances,
                                                const double *positions, double *divergence, double *gradient);

#ifdef __cplusplus
}
#endif
#endif
