/* Fitted decoders: trained on some subjects, saved, loaded, asked about others. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_MODEL_H
#define CONGRU_MODEL_H

#include "congru/evaluation.h"
#include "congru/explain.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A pipeline fitted on the trials of some subjects. It does not change once it is made: several threads may use one, each
 * with a context of its own. */
typedef struct congru_model congru_model;

typedef struct congru_model_options {
    const char *pipeline;   /* "ra+mdm", "ddct-unet-e2e" */
    const int32_t *without; /* (without_count) subjects left out, by index in the set; NULL: none */
    size_t without_count;
    bool align_by_session; /* recentre each session of a subject by itself */
    bool causal;           /* filters of branches run forward only, for streams (congru_evaluation_options) */
    congru_method_options method;

    /* Called before each call of the context's progress while networks are trained, from the calling thread; may be NULL. `part`
     * is how much is done, 0 to 1: `step` of `steps` of all networks together, those included that weights are chosen by. */
    void (*watch)(void *user, double part, const char *pipeline, size_t step, size_t steps);
    void *watch_user;
} congru_model_options;

CONGRU_API void congru_model_options_init(congru_model_options *options);

/* Fits on the labelled trials of a set: the same numbers as the fold of congru_evaluate that leaves out the same
 * subject. The model remembers the set's channels, rate and meta data. */
CONGRU_API congru_status congru_model_fit(congru_context *context, const congru_set *set,
                                          const congru_model_options *options, congru_model **model);

/* A .safetensors file: every number by name, everything else as texts in its metadata. It is under its name whole or not
 * at all. */
CONGRU_API congru_status congru_model_save(congru_context *context, const congru_model *model,
                                           const char *path);

/* Refuses, with a text that says why, a file that is damaged, lies about itself, lacks a tensor, holds NaN, or is of a
 * format this version does not read. What was loaded predicts as what was saved, to the bit. */
CONGRU_API congru_status congru_model_load(congru_context *context, const char *path, congru_model **model);

/* The same for bytes in memory, where others keep them. *size becomes how many a model takes; they are written to `bytes`,
 * which has room for `room`, when it is not NULL: CONGRU_ERROR_ARGUMENT where that is too little. `name` begins the line
 * that says what is wrong with bytes that are read. */
CONGRU_API congru_status congru_model_pack(congru_context *context, const congru_model *model, void *bytes,
                                           size_t room, size_t *size);
CONGRU_API congru_status congru_model_parse(congru_context *context, const char *name, const void *bytes,
                                            size_t size, congru_model **model);

/* Sets *model to NULL; NULL is allowed. */
CONGRU_API void congru_model_destroy(congru_model **model);

/* Whether the first bytes of the file are those of a .safetensors file; false with errno set when it cannot be read, with
 * errno 0 when it is something else. */
CONGRU_API bool congru_model_recognises(const char *path);

/* ---- What it is -------------------------------------------------------------------------------- */

CONGRU_API const char *congru_model_pipeline(const congru_model *model);

/* What the signals it was fitted on went through: other signals are brought there, other covariances refused. */
CONGRU_API const congru_preprocessing *congru_model_preprocessing(const congru_model *model);
CONGRU_API size_t congru_model_classes(const congru_model *model);

/* Whether live decisions are about cues alone (congru/decoder.h): a branch reads the signal itself, or what a trial's
 * filters cannot give as samples flow. */
CONGRU_API bool congru_model_needs_cues(const congru_model *model);

/* Whether its filters run forward only, as in a stream: those of its set, and of its branches. */
CONGRU_API bool congru_model_is_causal(const congru_model *model);

/* Whether it has branches, which make what they read of signals: covariances alone are not enough then. */
CONGRU_API bool congru_model_needs_signals(const congru_model *model);

/* NULL from congru_model_classes() on. */
CONGRU_API const char *congru_model_class(const congru_model *model, size_t index);

/* The texts it carries beside its numbers, such as "version", "seed", "subjects", "settings": index 0, 1, ... false after
 * the last. */
CONGRU_API bool congru_model_text(const congru_model *model, size_t index, const char **name,
                                  const char **text);

/* The tensors: name, shape (dims) and numbers; false after the last. */
typedef struct congru_model_tensor {
    const char *name;
    size_t dims;
    const size_t *shape;
    const double *data;
} congru_model_tensor;
CONGRU_API bool congru_model_tensor_at(const congru_model *model, size_t index, congru_model_tensor *tensor);

/* What its branches look at: means over the subjects it was fitted on. CONGRU_ERROR_ARGUMENT for a model that is not linear,
 * or of a version that did not keep patterns. */
CONGRU_API congru_status congru_model_patterns(congru_context *context, const congru_model *model,
                                               congru_patterns **patterns);

/* ---- Asking it --------------------------------------------------------------------------------- */

/* Does to the signals of a set what is left so that they have gone through what the model's did, and makes their covariances;
 * a set that fits already stays as it is. `scale` makes microvolts of the samples. CONGRU_ERROR_ARGUMENT with what differs where
 * that is not possible; the set is then not to be used. */
CONGRU_API congru_status congru_model_prepare(congru_context *context, const congru_model *model,
                                              congru_set *set, double scale);

typedef struct congru_prediction_options {
    const int32_t
        *subjects; /* (subject_count) by index in the set, each taken as a subject of its own; NULL: all */
    size_t subject_count;
    congru_target target;  /* how much of their unlabelled trials may be seen */
    bool align_by_session; /* recentre each session of a subject by itself */
    bool ignore_labels;    /* do not use labels even where the model was made to take a few (rpa_labels) */
    bool keep_aligned;     /* fill in `aligned` */
} congru_prediction_options;

/* Predictions about trials, by subject in the order asked, then as in the set. */
typedef struct congru_predictions {
    size_t count, classes, dimension;
    size_t *trial;       /* (count) index in the set */
    int32_t *prediction; /* (count) class of the model */
    int32_t *truth;      /* (count) the set's label as a class of the model; -1 when it is none of them */
    double *probability; /* (count, classes) */
    double *
        aligned; /* (count, dimension, dimension): the trials as the aligner left them; NULL unless asked for */
    size_t calibration; /* trials used with their labels, which are not among these */
} congru_predictions;

/* Covariances must be what the model was made for, and signals in microvolts are brought there in a copy, as by
 * congru_model_prepare: CONGRU_ERROR_ARGUMENT with all that differs otherwise. Labels are not needed; those there are serve as `truth`, and rpa uses as many of them as it was made with (rpa_labels), unless told not to. */
CONGRU_API congru_status congru_model_predict(congru_context *context, const congru_model *model,
                                              const congru_set *set, const congru_prediction_options *options,
                                              congru_predictions **predictions);
CONGRU_API void congru_predictions_destroy(congru_predictions **predictions);

/* The columns of predictions.csv in a results folder: dataset (empty where NULL), subject, trial, pipeline, y_true (empty where the label is
 * no class of the model), y_pred, p_CLASS, ..., fold (0) */
CONGRU_API congru_status congru_predictions_write(congru_context *context,
                                                  const congru_predictions *predictions,
                                                  const congru_model *model, const congru_set *set,
                                                  const char *dataset, const char *path);

#ifdef __cplusplus
}
#endif
#endif
