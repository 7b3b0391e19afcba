/* Where an aligner and a classifier meet. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_EVALUATION_PIPELINE_H
#define CONGRU_EVALUATION_PIPELINE_H

#include "aligner/aligner.h"
#include "classifier/classifier.h"
#include "congru/evaluation.h"

enum { CONGRU_BRANCHES_MAX = 8, CONGRU_BLOCKS_MAX = 64 };

/* A branch is a preprocessing, an aligner and a classifier. Of several blocks, bands or windows, the features are joined. */
typedef struct congru_branch {
    char name[CONGRU_LABEL_SIZE]; /* within its pipeline; "" where there is no other */
    const congru_aligner *aligner;
    const congru_classifier *classifier;
    size_t blocks;               /* 0: trials as the set has them */
    congru_preprocessing *block; /* (blocks), owned */
    bool inside;                 /* windows are moved inside what the trials hold */
    double c;                    /* the classifier's C; negative: the run's */
    size_t material;             /* what it reads, in the run's list (evaluation/materials.h) */
    double weight;               /* of its log-probabilities; negative: learned from the sources */
} congru_branch;

/* Whether two branches fit in the same way, apart from what they read; the options a branch fits with: `options` comes
 * in as the run's. */
bool congru_branch_same_method(const congru_branch *a, const congru_branch *b);
void congru_branch_options(const congru_branch *branch, congru_method_options *options);

/* One branch or several, whose log-probabilities are added with their weights. */
typedef struct congru_pipeline {
    const congru_aligner *aligner;       /* of the first branch */
    const congru_classifier *classifier; /* likewise */
    size_t branches;
    congru_branch branch[CONGRU_BRANCHES_MAX];
} congru_pipeline;

void congru_pipeline_clear(congru_pipeline *pipeline);

/* Whether it trains a network, in either of the two. */
bool congru_pipeline_trains(const congru_pipeline *pipeline);

/* "ALIGNER+CLASSIFIER", or the name of an end-to-end classifier, which stands behind its own aligner. The caller clears
 * the pipeline, after a failure too. */
congru_status congru_pipeline_parse(congru_context *context, const char *name, congru_pipeline *pipeline);

/* Fits the aligner and maps the trials in `covariance` (which trials->covariance points to) in place. Trials are
 * recentred already if the aligner wants them so. */
congru_status congru_pipeline_align(congru_context *context, const congru_aligner *aligner,
                                    const congru_trials *trials, double *covariance,
                                    const congru_method_options *options, congru_tensors *model,
                                    congru_record *record);

/* Maps the newcomer's trials in `covariance` (which newcomer->covariance points to) in place. */
congru_status congru_pipeline_map(congru_context *context, const congru_aligner *aligner,
                                  const congru_tensors *model, const congru_newcomer *newcomer,
                                  double *covariance);

/* congru_pipeline_map, then the classifier's probabilities (count, classes). */
congru_status congru_pipeline_predict(congru_context *context, const congru_pipeline *pipeline,
                                      const congru_tensors *model, const congru_newcomer *newcomer,
                                      double *covariance, double *probability);

/* Training steps; 0 where no network is trained. */
size_t congru_pipeline_steps(const congru_pipeline *pipeline, const congru_method_options *options);

/* How long a fit takes, roughly, in units of a small classical one: for the order of jobs alone. */
double congru_pipeline_cost(const congru_pipeline *pipeline, const congru_method_options *options);

#endif
