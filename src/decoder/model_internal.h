/* The inside of a model. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_DECODER_MODEL_INTERNAL_H
#define CONGRU_DECODER_MODEL_INTERNAL_H

#include "base/error.h"
#include "congru/model.h"
#include "evaluation/pipeline.h"
#include "model/safetensors.h"
#include "preprocess/preprocessing.h"

enum { CONGRU_MODEL_FORMAT = 2, CONGRU_MODEL_CLASSES_MAX = 1024 };

/* A fitted branch, found in the tensors of its model, whose names have "b0.", "b1.", ... before those of methods: "b0.prior.3"
 * is the reference of a subject of whom nothing is known, for the fourth block, and "b0.spread.3" how far trials lie from such
 * (decoder/model_spread.h). */
typedef struct congru_model_branch {
    congru_tensors tensors; /* without the prefix; the numbers are the model's */
    size_t blocks;
    const double *prior[CONGRU_BLOCKS_MAX]; /* (d, d); NULL where the aligner does not recentre */
    const double *spread[CONGRU_BLOCKS_MAX];
    size_t spread_rows[CONGRU_BLOCKS_MAX];
} congru_model_branch;

struct congru_model {
    char name[CONGRU_PIPELINE_SIZE];
    congru_pipeline pipeline;
    congru_preprocessing preprocessing; /* channel names owned */
    size_t classes;
    char (*class_name)[CONGRU_LABEL_SIZE]; /* owned */
    congru_method_options method;          /* that it was fitted with */
    congru_tensors tensors;
    congru_texts texts; /* what is saved beside them */
    congru_model_branch branch[CONGRU_BRANCHES_MAX];
    const double *weight; /* (branches) of log-probabilities; NULL where there is one branch */
};

/* The number of blocks of a branch, and the weights of several branches. */
#define CONGRU_MODEL_BLOCKS "blocks"
#define CONGRU_MODEL_WEIGHTS "branches.weight"

/* The text that says "yes" where the filters of branches were made causal; else there is none. */
#define CONGRU_MODEL_CAUSAL "causal"

/* The text that says what was chosen on the subjects it was fitted on, "C 0.1, lambda-sub 0.05"; else there is none. */
#define CONGRU_MODEL_CHOSEN "chosen"

/* Whether the model can read the set as it is: what congru_model_prepare has nothing to do to. */
congru_status congru_model_fits(congru_context *context, const congru_model *model, const congru_set *set,
                                bool *fits);

/* The factor that would bring samples of covariances of trace `trace` to the scale of those of trace `own`, where one is
 * 1e4 times the other or more: volts taken for microvolts. 1 otherwise, and where one is not positive. */
double congru_model_factor(double own, double trace);

/* Reads everything but the tensors out of the texts, finds the branches, and asks each once: a model that has passed lacks no
 * tensor and answers with as many probabilities as it has classes. */
congru_status congru_model_interpret(congru_context *context, congru_model *model);

#endif
