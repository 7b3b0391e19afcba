/* Training: parameters, batches, a graph with its losses, and the loop over steps. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_NETWORK_TRAIN_H
#define CONGRU_NETWORK_TRAIN_H

#include "network/constants.h"
#include "network/models/model.h"

/* Of which trials batches are drawn. */
typedef struct congru_batches {
    size_t *order;  /* (trials): their indices, subject by subject */
    size_t *start;  /* (subjects + 1): where each subject begins */
    size_t *pool;   /* (subjects): those a batch is drawn of */
    bool *held_out; /* (subjects): for validation */
    size_t *pass;   /* (trials): those of an epoch, in its order */
} congru_batches;

/* What moves the parameters. */
typedef struct congru_adam {
    double rate, clip, decay; /* decay of the softmax head's weights */
    double kept;              /* decay of the moving average; 0: none */
    double *first_moment, *second_moment;
    double *averaged; /* the moving average of the parameters, times what its weights add up to */
    double *best, *aside;
    double best_loss;
    size_t best_step, steps; /* steps made */
} congru_adam;

/* Signs of a network that degenerates. */
enum { CONGRU_WATCH_EVERY = 100 }; /* steps between two looks at the rank */

typedef struct congru_watch {
    const congru_design *design;
    struct congru_application *applied; /* the network, to be put to the mean of the trials; NULL for DCT */
    size_t rank;                        /* r: one less than the classes there are */
    double
        *directions; /* (d, r): the leading eigenvectors of the sum over classes of (mean of class - mean)^2 */
    double *mean;    /* (d, d) of the trials that the network sees */
    double *scratch[4];
    bool told_rank, told_eigenvalues, told_jitter, told_gradient;
} congru_watch;

typedef struct congru_training {
    congru_context *context;
    const congru_trials *trials;
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

/* The same with a graph rewritten by these rules alone (congru_rewriting); 0: as the paper has it. */
congru_status congru_training_create_rewritten(congru_context *context, const congru_network *network,
                                               bool end_to_end, const congru_trials *trials,
                                               const congru_method_options *options, unsigned rewritings,
                                               congru_training **training);

/* Takes these trials (NULL: the first) as the batch; or draws those of the training's step; or takes those of one subject,
 * spread over them where they are more than a batch. */
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

/* ---- Parts ------------------------------------------------------------------------------------------- */

/* Run twice; sorts trials by subject and chooses whom to hold out; steps of an epoch, whole batches of the trials that are not
 * held out or one of all of them. */
void congru_batches_layout(congru_arena *arena, congru_training *training);
void congru_batches_start(congru_training *training);
size_t congru_batches_epoch(const congru_training *training);

/* Run twice. */
void congru_adam_layout(congru_arena *arena, const congru_parameters *parameters, congru_adam *adam);

/* Clips a gradient of this norm, decays, moves; the moving average follows. */
void congru_adam_update(congru_context *context, congru_adam *adam, congru_parameters *parameters, double norm);

/* Keeps a copy of the parameters of this loss, if it is the least so far. */
void congru_adam_keep_best(congru_adam *adam, const congru_parameters *parameters, double loss, size_t step);

/* The moving average of this many steps becomes the parameters, which go aside. */
void congru_adam_use_average(congru_adam *adam, congru_parameters *parameters);

/* The gradient's part in the tangent space, G - W sym(W^T G), of weights with orthonormal columns. */
void congru_constraints_project(congru_parameters *parameters);

/* After a step: W becomes Q of W = Q R, with R's diagonal positive; rows that are too long are shortened. */
void congru_constraints_retract(congru_parameters *parameters);

void congru_watch_layout(congru_arena *arena, congru_watch *watch);
/* The trials that the network sees, of which `present` classes have some; weights are those of `parameters`. */
congru_status congru_watch_start(congru_context *context, const congru_trials *trials, size_t present,
                                 const congru_network *network, const congru_parameters *parameters,
                                 congru_watch *watch);
void congru_watch_end(congru_watch *watch);

/* After an evaluation of the graph: extremes of eigenvalues and, now and then, the rank of W^T V, W being the product of
 * the weights down to the narrowest layer (of a plain stack: of all), into the series; a note on the first sign of trouble
 * of each kind. */
congru_status congru_watch_step(congru_watch *watch, congru_graph *graph);

#endif
