/* Means and tests over subjects, metrics of predictions, scores, pictures of many points. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_STATISTICS_H
#define CONGRU_STATISTICS_H

#include <stdint.h>

#include "congru/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- A mean over subjects ------------------------------------------------------------------------------ */

/* A mean and the interval it lies in by Student's t: all NaN for no value, but count; all but the mean for one. */
typedef struct congru_interval {
    size_t count; /* values that are not NaN, which are left out */
    double mean;
    double deviation; /* n - 1 */
    double low, high;
} congru_interval;

/* confidence is between 0 and 1: 0.95. */
CONGRU_API congru_interval congru_interval_of(size_t n, const double *value, double confidence);

/* Student's t with any number of degrees of freedom above 0: the probability of a value up to t, and the
 * value that has it; NaN where there is none. To 1e-12, relative to the smaller tail and to the value, for
 * up to 10000 degrees of freedom. */
CONGRU_API double congru_student_cdf(double t, double freedom);
CONGRU_API double congru_student_quantile(double p, double freedom);

/* Of n trials that each succeed with `probability`, the probability that at least k do; the smallest k that at most so many
 * do with probability p, as scipy.stats.binom.ppf has it. To 1e-11 for up to 100000 trials; NaN where there is none. */
CONGRU_API double congru_binomial_tail(size_t k, size_t n, double probability);
CONGRU_API double congru_binomial_quantile(double p, size_t n, double probability);

/* The accuracy, 0 to 1, that guessing among equally frequent classes exceeds with a probability of at most 1 - confidence in n
 * trials. NaN for no trials, or fewer than two classes. */
CONGRU_API double congru_chance_level(size_t n, size_t classes, double confidence);

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

/* The p to report of a test: `tied` for up to 13 pairs that differ, where the normal distribution is a poor likeness of ranks
 * with ties (scipy from 1.13 on does the same), and p beyond. */
CONGRU_API double congru_wilcoxon_p(const congru_wilcoxon *result);

/* The probability that the mean of a - b would be at least as far from 0, either way, if each difference had
 * its sign by chance: over all signs for up to 20 pairs, else over 100000 draws (and the signs there are). */
CONGRU_API congru_status congru_permutation_test(congru_context *context, uint64_t seed, size_t n,
                                                 const double *a, const double *b, double *p);

/* One method less another on the subjects that have both: neither number is NaN. */
typedef struct congru_gain {
    congru_interval interval; /* of a - b */
    double effect;            /* Cohen's d_z: mean over deviation; NaN where that is 0 or NaN */
    size_t wins, losses;      /* pairs with a above b, below b */
} congru_gain;

CONGRU_API congru_gain congru_gain_of(size_t n, const double *a, const double *b, double confidence);

/* A method against a baseline, subject by subject. */
typedef struct congru_comparison {
    size_t count;
    double gain;        /* mean of a - b */
    double deviation;   /* of a - b, n - 1; NaN for one pair */
    double effect;      /* Cohen's d_z: gain over deviation; NaN where that is 0 or NaN */
    double interval[2]; /* of the gain, by Student's t; NaN for one pair */
    double improved;    /* the fraction of pairs with a above b */
    congru_wilcoxon wilcoxon;
    double p;           /* congru_wilcoxon_p */
    double holm;        /* the same, until congru_pairs_correct */
    double permutation; /* p of congru_permutation_test, seed 50 */

    /* Of congru_scores_compare, else 0: */
    size_t trials;    /* that both are scored on; 0 where it is not known */
    size_t left_out;  /* of those that one is scored on and the other is not */
    size_t labels[2]; /* labelled trials of a target subject that either looked at, at most */
} congru_comparison;

/* confidence is that of the interval, between 0 and 1: 0.95. */
CONGRU_API congru_status congru_paired_compare(congru_context *context, size_t n, const double *a,
                                               const double *b, double confidence,
                                               congru_comparison *comparison);

/* Holm's correction of n p-values for there being n: adjusted[i] belongs to p[i], and may be the same array. */
CONGRU_API congru_status congru_holm_correct(congru_context *context, size_t n, const double *p,
                                             double *adjusted);

enum { CONGRU_P_TEXT_SIZE = 16 };

/* p as every table prints it: three decimals, its power of ten below 0.0005, "-" for NaN. */
CONGRU_API void congru_p_text(double p, char text[CONGRU_P_TEXT_SIZE]);

/* scores (subjects, methods) -> z (methods): each subject's scores standardised over methods (dividing by
 * n), then averaged over subjects. A subject on which all methods are equal, but for rounding, counts as 0; one that lacks a
 * score (NaN) is left out, and z is NaN where that is all of them. */
CONGRU_API congru_status congru_scores_normalise(congru_context *context, size_t subjects, size_t methods,
                                                 const double *scores, double *z);

/* ---- What predictions are worth ------------------------------------------------------------------------ */

/* Numbers of one run of predictions, in the order of tables. */
typedef enum congru_score {
    CONGRU_SCORE_ACCURACY,
    CONGRU_SCORE_KAPPA,    /* Cohen's */
    CONGRU_SCORE_BALANCED, /* mean of the classes' recalls, over classes that have trials */
    CONGRU_SCORE_AUC, /* under the ROC curve: of the second of two classes, as MOABB has it; of more than two, the mean
                                over classes of each against the rest; NaN without probabilities or with one class */
    CONGRU_SCORE_PRECISION, /* mean over the classes that occur among truth or predictions, 0 for one never predicted */
    CONGRU_SCORE_RECALL, /* likewise, 0 for one without trials */
    CONGRU_SCORE_F1,     /* mean of the classes' F1, likewise */
    CONGRU_SCORE_BITS, /* information transfer by Wolpaw's formula, bits a trial; 0 at and below chance. Of congru_scores
                           * whose trials have a known length: bits a minute */
    CONGRU_SCORE_CHANCE,  /* congru_chance_level of the number of trials, 0.95 */
    CONGRU_SCORE_ABOVE,   /* 1 where the accuracy is above that level, else 0 */
    CONGRU_SCORE_TRIALS,  /* that were scored */
    CONGRU_SCORE_SECONDS, /* fitting and predicting; NaN where it is not known */
    CONGRU_SCORE_KINDS
} congru_score;

/* How a metric is called and printed. */
typedef struct congru_score_about {
    const char *name;  /* "auc" */
    const char *title; /* "AUC" */
    const char *text;  /* one line on what it is */
    double scale;      /* 100 for per cent */
    int decimals;
} congru_score_about;

/* By metric; NULL for CONGRU_SCORE_KINDS and beyond. */
CONGRU_API const congru_score_about *congru_score_describe(size_t metric);

/* One class against the others. */
typedef struct congru_class_metrics {
    size_t trials, predicted, right;
    double precision, recall, f1, auc; /* 0 for none predicted, for no trials, for both; auc NaN */
} congru_class_metrics;

/* n trials: truth and prediction (n), 0 to classes - 1; probability (n, classes), or NULL. value[CONGRU_SCORE_SECONDS] is
 * NaN. by_class (classes), or NULL. */
CONGRU_API congru_status congru_metrics_measure(congru_context *context, size_t n, size_t classes,
                                                const int32_t *truth, const int32_t *prediction,
                                                const double *probability, double value[CONGRU_SCORE_KINDS],
                                                congru_class_metrics *by_class);

/* The area under the ROC curve of n scores, equal ones counted half: that a score of a positive trial is above one of a
 * negative trial. NaN without both kinds. CONGRU_ERROR_NOT_FINITE for a score that is NaN. */
CONGRU_API congru_status congru_roc_auc(congru_context *context, size_t n, const bool *positive,
                                        const double *score, double *auc);

/* Wolpaw's bits a trial of an accuracy among so many classes; 0 at and below chance. Bits a minute are 60 times these over
 * the seconds that a trial takes. */
CONGRU_API double congru_transfer_bits(double accuracy, size_t classes);

/* ---- Scores by pipeline and subject -------------------------------------------------------------------- */

enum { CONGRU_SCORE_NAME_SIZE = 64, CONGRU_TRANSFER_SIZE = 64, CONGRU_MARK_SIZE = 32 };

/* What tables, comparisons and reports read: each metric of each subject under each pipeline, over the subject's folds.
 * congru_results_scores makes it of results. */
typedef struct congru_scores {
    char *name; /* of the data set */
    size_t pipelines, subjects;
    size_t classes;       /* 0 where they are not known */
    double trial_seconds; /* congru_scores_trial; 0 where it is not known */
    char
        transfer[CONGRU_TRANSFER_SIZE]; /* what its information transfer is: "... in bits/min, trials of 4 s" */
    char (*pipeline)[CONGRU_SCORE_NAME_SIZE];
    char (*subject)[CONGRU_SCORE_NAME_SIZE];
    bool *few;                         /* (subjects) too few trials for scores to say much */
    size_t *folds;                     /* (pipelines, subjects) that were added */
    double *value[CONGRU_SCORE_KINDS]; /* (pipelines, subjects) each; NaN where there is none */
    double *sum[CONGRU_SCORE_KINDS];   /* likewise, of what was added; 0 where nothing was */
    size_t *labels; /* (pipelines) labelled trials of a target subject that it looked at, at most; 0: none */

    /* Where pipelines are not scored on the same trials, else NULL: (pipelines, pipelines + 1, subjects), a pipeline on the
     * trials that it shares with another and, last, with all that have the subject. congru_results_scores makes them when
     * all is added: another pipeline or subject drops them. */
    double *common; /* the accuracy; NaN where none is shared */
    size_t *shared; /* how many trials */
} congru_scores;

/* Without pipelines and subjects. */
CONGRU_API congru_status congru_scores_create(congru_context *context, const char *name, size_t classes,
                                              congru_scores **scores);
CONGRU_API void congru_scores_destroy(congru_scores **scores);

/* How long a trial takes, before the first fold is added: the information transfer is then in bits a minute. Nothing is done
 * where `seconds` is not positive. */
CONGRU_API void congru_scores_trial(congru_scores *scores, double seconds);

/* congru_score_describe, with the name, title and text of the unit that these scores have. */
CONGRU_API congru_score_about congru_scores_describe(const congru_scores *scores, congru_score metric);

/* The place of a pipeline or subject by name, which is added where it is new: cut to CONGRU_SCORE_NAME_SIZE - 1 bytes. */
CONGRU_API congru_status congru_scores_pipeline(congru_context *context, congru_scores *scores,
                                                const char *name, size_t *place);
CONGRU_API congru_status congru_scores_subject(congru_context *context, congru_scores *scores, const char *name,
                                               size_t *place);

/* Adds one fold, of which NaN are not known. Folds are averaged, trials and seconds summed up; bits, chance and above follow
 * from the subject's accuracy and number of trials. */
CONGRU_API void congru_scores_add(congru_scores *scores, size_t pipeline, size_t subject,
                                  const double value[CONGRU_SCORE_KINDS]);

/* The place of a pipeline by name; SIZE_MAX where there is none. */
CONGRU_API size_t congru_scores_find(const congru_scores *scores, const char *pipeline);

/* One number; NaN where there is none. */
CONGRU_API double congru_scores_at(const congru_scores *scores, congru_score metric, size_t pipeline,
                                   size_t subject);

/* The accuracy of a pipeline on the trials of a subject that `other` is scored on too, or, where that is no pipeline, all that
 * have the subject; and how many trials of the subjects that both have these are, 0 where it is not known. Where all are scored
 * on the same trials the accuracy is congru_scores_at. */
CONGRU_API double congru_scores_common(const congru_scores *scores, size_t pipeline, size_t other,
                                       size_t subject);
CONGRU_API size_t congru_scores_shared(const congru_scores *scores, size_t pipeline, size_t other);

/* What tells a pipeline from others in a table or figure: "20 labels" for one that looked at so many of a target subject; ""
 * for others. */
CONGRU_API void congru_scores_mark(const congru_scores *scores, size_t pipeline, char text[CONGRU_MARK_SIZE]);

/* Whether `a` stands before `b` among results: one that looked at fewer labels first, then the better one. */
CONGRU_API bool congru_scores_before(const congru_scores *scores, size_t a, size_t b);

/* Of one pipeline over subjects, with a confidence of 0.95. */
CONGRU_API congru_interval congru_scores_mean(const congru_scores *scores, size_t pipeline,
                                              congru_score metric);

/* z (pipelines): congru_scores_normalise of the accuracies on common trials; NaN for fewer than two pipelines. */
CONGRU_API congru_status congru_scores_z(congru_context *context, const congru_scores *scores, double *z);

/* Pipeline `a` less `b` on the trials that both are scored on. */
CONGRU_API congru_gain congru_scores_gain(const congru_scores *scores, size_t a, size_t b, double confidence);

/* Accuracies of pipeline `a` against `b` on the trials that both are scored on, in points of per cent, over the subjects that
 * have both in any of `count` tables.
 * Differences are rounded at 1e-9, so that those which are equal in counts of trials are ties. comparison->count is 0 where
 * no subject has both. */
CONGRU_API congru_status congru_scores_compare(congru_context *context, size_t count,
                                               const congru_scores *const *scores, const char *a, const char *b,
                                               congru_comparison *comparison);

/* Scores of several data sets; {0} is empty. Freed by congru_scores_list_clear. */
typedef struct congru_scores_list {
    size_t count;
    congru_scores **item;
} congru_scores_list;

/* Those of this name, which are added where there are none. */
CONGRU_API congru_status congru_scores_list_find(congru_context *context, congru_scores_list *list,
                                                 const char *name, size_t classes, congru_scores **scores);
/* Takes over *scores, which becomes NULL. */
CONGRU_API congru_status congru_scores_list_append(congru_context *context, congru_scores_list *list,
                                                   congru_scores **scores);

/* Adds one number, as the accuracy of a fold, to the scores of this name; finds or adds the subject and the pipeline. */
CONGRU_API congru_status congru_scores_list_add(congru_context *context, congru_scores_list *list,
                                                const char *name, const char *subject, const char *pipeline,
                                                double accuracy);

CONGRU_API void congru_scores_list_clear(congru_scores_list *list);

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
