/* The inside of a model. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_DECODER_MODEL_INTERNAL_H
#define CONGRU_DECODER_MODEL_INTERNAL_H

#include "base/error.h"
#include "congru/model.h"
#include "evaluation/pipeline.h"
#include "model/safetensors.h"
#include "preprocess/preprocessing.h"

enum { CONGRU_MODEL_FORMAT = 1, CONGRU_MODEL_CLASSES_MAX = 1024 };

struct congru_model {
    char name[CONGRU_PIPELINE_SIZE];
    congru_pipeline pipeline;
    congru_preprocessing preprocessing; /* channel names owned */
    size_t classes;
    char (*class_name)[CONGRU_LABEL_SIZE]; /* owned */
    congru_method_options method;          /* that it was fitted with */
    congru_tensors tensors;
    congru_texts texts; /* what is saved beside them */
};

/* The tensor (d, d) that stands for a subject of whom nothing is known; NULL when the pipeline does not recentre. */
#define CONGRU_MODEL_PRIOR "recentre.prior"
const double *congru_model_prior(const congru_model *model);

/* The text that says "yes" where the filters of branches were made causal; else there is none. */
#define CONGRU_MODEL_CAUSAL "causal"

/* The text that says what was chosen on the subjects it was fitted on, "C 0.1, lambda-sub 0.05"; else there is none. */
#define CONGRU_MODEL_CHOSEN "chosen"

/* The weights of the branches of a model of branches. */
#define CONGRU_MODEL_WEIGHTS "branches.weight"

/* Whether the model can read the set as it is: what congru_model_prepare has nothing to do to. */
congru_status congru_model_fits(congru_context *context, const congru_model *model, const congru_set *set,
                                bool *fits);

/* The factor that would bring samples of covariances of trace `trace` to the scale of those of trace `own`, where one is
 * 1e4 times the other or more: volts taken for microvolts. 1 otherwise, and where one is not positive. */
double congru_model_factor(double own, double trace);

/* The same for covariances of this mean trace and what the model was fitted on; 1 where the model does not know. */
double congru_model_scale(const congru_model *model, double trace);

/* Reads everything but the tensors out of the texts, and then asks the pipeline once: a model that has passed lacks no
 * tensor and answers with as many probabilities as it has classes. */
congru_status congru_model_interpret(congru_context *context, congru_model *model);

/* Asks a pipeline with these tensors about the identity: CONGRU_ERROR_FORMAT unless as many probabilities come of it as the
 * model has classes. */
congru_status congru_model_ask_identity(congru_context *context, const congru_model *model,
                                        const congru_pipeline *pipeline, const congru_tensors *tensors);

/* CONGRU_ERROR_FORMAT unless the tensors tell the model's classes apart. */
congru_status congru_model_check_classes(congru_context *context, const congru_model *model, size_t classes);

#endif
