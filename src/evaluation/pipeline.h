/* Where an aligner and a classifier meet. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_EVALUATION_PIPELINE_H
#define CONGRU_EVALUATION_PIPELINE_H

#include "aligner/aligner.h"
#include "classifier/classifier.h"
#include "congru/evaluation.h"

typedef struct congru_pipeline {
    const congru_aligner *aligner;
    const congru_classifier *classifier;
    bool trains_network; /* in either of the two */
} congru_pipeline;

/* "ALIGNER+CLASSIFIER", or the name of an end-to-end classifier, which stands behind `ra`. */
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
