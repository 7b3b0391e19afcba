/* What a classifier is: one constant table, one line in the registry. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLASSIFIER_CLASSIFIER_H
#define CONGRU_CLASSIFIER_CLASSIFIER_H

#include "model/tensors.h"
#include "model/trials.h"
#include "network/network.h"

typedef struct congru_classifier {
    const char *name;
    const char *summary; /* one line, for help */
    congru_needs needs;
    const congru_network *network; /* what it trains by gradient descent; NULL: nothing, and fitting is quick */
    bool end_to_end;               /* stands alone, behind `aligner`: the name of a pipeline is its name */
    const char *aligner;           /* which the end-to-end classifier stands behind; NULL: "ra" */
    bool views;                    /* fits on trials where they are (congru_trials.view) as well */

    /* Whether it can be fitted on signals of this shape, before anything is computed: CONGRU_ERROR_ARGUMENT. NULL: on any. */
    congru_status (*suits)(const struct congru_classifier *self, congru_context *context,
                           const congru_method_options *options, const congru_signals *shape);

    /* Learns from the source subjects' trials, as the aligner left them, and adds its tensors to `model`. A class
     * without a trial gets probability 0 in every prediction, with a note (congru_note). Fewer than two classes with
     * trials: CONGRU_ERROR_ARGUMENT. `record` may be NULL. */
    congru_status (*fit)(const struct congru_classifier *self, congru_context *context,
                         const congru_trials *trials, const congru_method_options *options,
                         congru_tensors *model, congru_record *record);

    /* probability (count, classes), rows adding up to 1. */
    congru_status (*predict)(const struct congru_classifier *self, congru_context *context,
                             const congru_tensors *model, const congru_target_trials *target,
                             double *probability);

    /* How many classes a fitted one tells apart; an error when it lacks a tensor. NULL: the weights of its features tell, or
     * asking it about the identity. */
    congru_status (*count_classes)(const struct congru_classifier *self, congru_context *context,
                                   const congru_tensors *model, size_t *classes);

    /* Where the network inside an end-to-end classifier puts trials before its head: out (count, d, d), which may be the
     * trials' own covariances. NULL where there is no such place. Of several networks the first. */
    congru_status (*embed_sources)(const struct congru_classifier *self, congru_context *context,
                                   const congru_tensors *model, const congru_trials *trials, double *out);
    congru_status (*embed_target)(const struct congru_classifier *self, congru_context *context,
                                  const congru_tensors *model, const congru_target_trials *target, double *out);

    /* Features: numbers that a trial has by itself once it is recentred, whatever is fitted on. They are made once per
     * run, and all folds share them; several bands and windows are joined side by side. A classifier that has them fits
     * on congru_trials.features, and predicts from congru_target_trials.features; these are then there, and the trials are not.
     *
     * feature_count: how many of them trials of this shape have (of `trials`: d, and the shape of the signals).
     * features: x (count, stride), of which each row's first feature_count are written. */
    size_t (*feature_count)(const congru_target_trials *trials, const congru_method_options *options);
    congru_status (*features)(congru_context *context, const congru_target_trials *trials,
                              const congru_method_options *options, size_t stride, double *x);

    /* Log-probabilities are, but for a term that all classes share, linear in numbers that a trial has: tangent vectors,
     * logarithms of variances, means over time. */
    bool linear;

    /* Of classifiers with features of signals: into how many cells of time the features divide a trial of this shape, and how
     * long each lasts. Features are by channel, then by cell: feature j is of cell j % cells. NULL: the whole window is one. */
    size_t (*cells)(const congru_signals *signals, double *seconds);

    /* With features: fits several folds at once on rows of one matrix, each with every one of `count` C. used (folds,
     * trials->count): which trials a fold is fitted on. The numbers of a fold depend neither on other folds nor on labels of
     * trials that it does not use. Either may be NULL: model (count, folds), as fit would make it; log_probability, for each
     * C, fold by fold, (trials left out, classes). */
    congru_status (*fit_folds)(const struct congru_classifier *self, congru_context *context,
                               const congru_trials *trials, size_t count, const double *c, size_t folds,
                               const bool *used, double *log_probability, congru_tensors *model);
} congru_classifier;

/* In mdm.c, csp_lda.c and bins.c; in tangent_methods.c. */
extern const congru_classifier congru_classifier_mdm, congru_classifier_csp_lda, congru_classifier_bins;
extern const congru_classifier congru_classifier_tslr, congru_classifier_tsa_lda, congru_classifier_lda_tslr,
    congru_classifier_lda_tsa_lda, congru_classifier_ridge;

/* In networks.c, one for each network; for those that give matrices with a head behind them, named -e2e. */
#define CONGRU_DECLARE_CLASSIFIER_CLASSES(id) extern const congru_classifier congru_classifier_##id;
#define CONGRU_DECLARE_CLASSIFIER_MATRICES(id) extern const congru_classifier congru_classifier_##id##_e2e;
#define CONGRU_DECLARE_CLASSIFIER(id, title, reads, gives, words) CONGRU_DECLARE_CLASSIFIER_##gives(id)
CONGRU_NETWORKS(CONGRU_DECLARE_CLASSIFIER)

/* NULL when there is none of the name; in the order of help until NULL. */
const congru_classifier *congru_classifier_find(const char *name);
const congru_classifier *congru_classifier_at(size_t index);

#endif
