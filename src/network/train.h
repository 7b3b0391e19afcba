/* Training: parameters, batches, a graph with its losses, and the loop over steps. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_NETWORK_TRAIN_H
#define CONGRU_NETWORK_TRAIN_H

#include "network/adam.h"
#include "network/batches.h"
#include "network/constants.h"
#include "network/models/model.h"
#include "network/rewrite.h"
#include "network/watch.h"

typedef struct congru_training {
    congru_context *context;
    const congru_trials *trials;
    bool end_to_end;
    uint64_t seed;
    congru_network_options options; /* with what `unconstrained` and choices by model make of them */
    const congru_network *network;
    congru_design design;
    congru_constants constants;
    congru_parameters parameters;
    congru_batches batches;
    congru_batch batch;
    congru_graph graph;
    congru_adam adam;
    congru_watch watch;
    size_t step;
    size_t told;   /* steps that progress is told of: those of the options, also where epochs are given */
    size_t waited; /* validations since the best one */
    bool stops;    /* progress has said so, which all that share a step must hear of */
    double series[CONGRU_SERIES_COUNT]; /* of the last evaluation */
    congru_arena arena;
} congru_training;

/* The trials stay the caller's and must outlive the training. Frees with destroy, also after a failure. */
congru_status congru_training_create(congru_context *context, const congru_network *network, bool end_to_end,
                                     const congru_trials *trials, const congru_method_options *options,
                                     congru_training **training);
void congru_training_destroy(congru_training **training);

/* The same with a graph rewritten by these rules alone (rewrite.h); 0: as the paper has it. */
congru_status congru_training_create_rewritten(congru_context *context, const congru_network *network,
                                               bool end_to_end, const congru_trials *trials,
                                               const congru_method_options *options, unsigned rewritings,
                                               congru_training **training);

/* CONGRU_ERROR_ARGUMENT for trials or options no network can be trained with. */
congru_status congru_training_check(congru_context *context, bool end_to_end, const congru_trials *trials,
                                    const congru_network_options *options);

/* Takes these trials as the batch; or draws those of the training's step; or takes those of one subject. */
void congru_training_take(congru_training *training, size_t count, const size_t *index);
void congru_training_draw(congru_training *training);
void congru_training_take_subject(congru_training *training, size_t subject);

/* Loss terms (series) and gradient at the parameters. CONGRU_ERROR_NOT_FINITE names trial, layer and step. */
congru_status congru_training_evaluate(congru_training *training);

/* To the next step, by Adam. */
void congru_training_update(congru_training *training);

/* All steps; at the end the parameters of the least loss, or of the last step of networks that decide by themselves: the
 * loss of a small batch says little. `record` may be NULL. */
congru_status congru_training_loop(congru_training *training, congru_record *record);

static inline double *congru_training_parameter(const congru_training *t, size_t segment)
{
    return t->parameters.value + t->parameters.segment[segment].offset;
}
static inline double *congru_training_gradient(const congru_training *t, size_t segment)
{
    return t->parameters.gradient + t->parameters.segment[segment].offset;
}

#endif
