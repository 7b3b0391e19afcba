/* The two sides of a fold, which a saved model sees on different days. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_EVALUATION_FOLD_PARTS_H
#define CONGRU_EVALUATION_FOLD_PARTS_H

#include "evaluation/pipeline.h"
#include "evaluation/prepare.h"

/* What both look at. Of the options: the protocol and the target. */
typedef struct congru_fold_setting {
    congru_context *context;
    const congru_prepared *prepared;
    const congru_evaluation_options *options;
    const congru_method_options *method;
    const congru_aligner *aligner;
    bool views; /* all classifiers behind it take trials where they are */
} congru_fold_setting;

/* The trials fitted on, as the aligner leaves them for classifiers. */
typedef struct congru_fold_sources {
    double *covariance; /* (count, d, d); NULL where nothing but a view of the set is needed */
    congru_view view;
    congru_signals signals; /* where these are what is read */
    double *root; /* (d, d) and (trials of the set): of signals whitened by this fold's own reference */
    int32_t *owner;
    int32_t *label, *subject;
    congru_trials trials;
} congru_fold_sources;

/* The labels and subjects of `count` trials of the set, ascending; neither covariances nor signals. The caller clears the
 * sources, after a failure too. */
congru_status congru_fold_sources_list(const congru_fold_setting *setting, size_t count, const size_t *trial,
                                       congru_fold_sources *sources);

/* The same with the trials, whose list must stay as long as the sources: recentred; the aligner is fitted, which adds its
 * tensors to `model`, and maps them. prior (d, d) becomes the mean of their references; it is left alone when the aligner
 * does not recentre. `record` may be NULL. */
congru_status congru_fold_sources_align(const congru_fold_setting *setting, size_t count, const size_t *trial,
                                        congru_tensors *model, double *prior, congru_record *record,
                                        congru_fold_sources *sources);

/* The mean of the references that `count` trials were recentred by, all trials of their domains being seen. */
congru_status congru_fold_prior(const congru_fold_setting *setting, size_t count, const size_t *trial,
                                double *prior);
void congru_fold_sources_clear(congru_fold_sources *sources);

/* The trials of one subject asked about, as the aligner leaves them for classifiers. */
typedef struct congru_fold_target {
    double *covariance; /* (count, d, d); NULL for signals */
    double *signal;     /* (count, d, samples); NULL where they are read where they are */
    congru_signals signals;
    bool *calibrated; /* (count): the trial is used with its label, and not to be scored */
    size_t *place;    /* of the calibration trials */
    int32_t *label;   /* likewise */
    congru_target_trials target;
} congru_fold_target;

/* How much of the target subject may be seen in this protocol. */
congru_target congru_fold_target_mode(const congru_fold_setting *setting);

/* Gathers `count` trials of one subject, ascending, whose list must stay as long as the target, recentres and maps them.
 * `labelled`: labels may be used by an aligner that asks for some. The caller clears the target, after a failure too. */
congru_status congru_fold_target_align(const congru_fold_setting *setting, size_t count, const size_t *trial,
                                       bool labelled, const congru_tensors *model, const double *prior,
                                       congru_fold_target *target);
void congru_fold_target_clear(congru_fold_target *target);

#endif
