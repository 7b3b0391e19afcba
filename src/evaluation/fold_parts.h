/* The two halves of a fold, which a saved model goes through on different days. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_EVALUATION_FOLD_PARTS_H
#define CONGRU_EVALUATION_FOLD_PARTS_H

#include "evaluation/pipeline.h"
#include "evaluation/prepare.h"

/* What both halves look at. Of the options: the protocol, the target and the method. */
typedef struct congru_fold_setting {
    congru_context *context;
    const congru_prepared *prepared;
    const congru_evaluation_options *options;
    const congru_pipeline *pipeline;
} congru_fold_setting;

/* Fits on `count` trials of the set, ascending, and adds the tensors to `model`. prior (d, d) is the mean of the
 * references of those trials; left alone when the pipeline does not recentre. `record` may be NULL. */
congru_status congru_fold_fit(const congru_fold_setting *setting, size_t count, const size_t *trial,
                              congru_tensors *model, double *prior, congru_record *record);

/* What was answered about one person. */
typedef struct congru_fold_answers {
    double *covariance;  /* (count, d, d): the trials as the classifier got them */
    double *probability; /* (count, classes) */
    bool *calibrated;    /* (count): the trial was used with its label, and is not to be scored */
    size_t calibration;  /* how many */
} congru_fold_answers;

/* Asks about `count` trials of one person, ascending. `labelled`: their labels may be used by a method that asks for
 * some. The caller frees the answers. */
congru_status congru_fold_ask(const congru_fold_setting *setting, size_t count, const size_t *trial,
                              bool labelled, const congru_tensors *model, const double *prior,
                              congru_fold_answers *answers);
void congru_fold_answers_clear(congru_fold_answers *answers);

#endif
