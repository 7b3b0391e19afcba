/* What a network of the paper is: its widths, and how its layers are put together. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_NETWORK_MODEL_H
#define CONGRU_NETWORK_MODEL_H

#include "network/graph.h"
#include "network/network.h"

/* A network to be built: one to be trained, from options, or one that was, from its tensors. */
typedef struct congru_design {
    size_t d, layers, width[CONGRU_LAYERS_MAX]; /* widths 0 to layers; of DCT d and d */
    congru_merges merges;                       /* DDCT-UNet's */
    congru_merge_mean merge_mean;
    bool trained;     /* DCT: R and gamma are given, not what they come of */
    size_t rotations; /* of DCT: the factors of R */
    bool learns_gamma;
    double layer_jitter, head_jitter, floor;
    bool at_identity; /* the head's reference is the identity */
    size_t classes;
    bool pool_mean; /* of an image the mean over its pixels is read, not all of it */
    size_t samples; /* of networks on signals: what the network sees of a trial, */
    size_t whole;   /* and what a trial has; more where it is cropped */
    size_t crops;   /* over which a prediction is averaged; 1 where trials are not cropped */
    bool zscore;    /* channels of a trial are */
    double rate;    /* samples per second */
    double dropout; /* share */
    uint64_t seed;  /* of dropout and crops */
} congru_design;

/* How its authors train a network: what options are that are not given (CONGRU_OWN). */
typedef struct congru_own_training {
    int steps, batch, batch_subjects;
    double rate, decay, clip, dropout;
    congru_initial initial;               /* where the first weights are chosen by network */
    congru_head_reference head_reference; /* and where the head's reference is */
} congru_own_training;

/* The paper's networks. */
#define CONGRU_OWN_CONGRUENCES .steps = 1000, .batch = 256, .rate = 1e-3, .decay = 1e-5, .clip = 5.0

/* What a row of the registry (network/network.h) points to. */
typedef struct congru_network_model {
    congru_own_training own;
    /* The model's own widths for d channels, with a square bottleneck or not: how many there are. NULL: it has none. */
    size_t (*widths)(size_t d, bool square, size_t *width);
    size_t least_widths;
    bool rotates; /* widths that are all d make a product of rotations of it; others are not for it */
    bool merges;  /* has merges, which need widths that mirror each other */
    /* The losses on what it gives, of which `rows` is the node of triangles of logarithms. NULL: it ends in a head of its
     * own, whose scores are trained by cross-entropy. */
    void (*objective)(congru_graph *graph, int rows);
    /* Networks on signals: the fewest samples that leave a number at the end. */
    size_t (*least_samples)(const congru_design *design);
    size_t (*taps)(const congru_design *design); /* of filters whose windows' moments are wanted; NULL: none */
    /* The nodes from the input to graph->output[CONGRU_OUTPUT_MATRIX], or to the scores in [CONGRU_OUTPUT_PROBABILITY]. */
    void (*build)(congru_graph *graph, const congru_design *design);
} congru_network_model;

#define CONGRU_DECLARE_MODEL(id, ...) extern const congru_network_model congru_model_##id;
CONGRU_ALIGNING_NETWORKS(CONGRU_DECLARE_MODEL)
CONGRU_DECIDING_NETWORKS(CONGRU_DECLARE_MODEL)

/* The paper's stacks on a matrix that comes from elsewhere. */
void congru_dldct_on(congru_graph *graph, const congru_design *design, int x);
void congru_ddct_unet_on(congru_graph *graph, const congru_design *design, int x);

/* An empty graph, then the model's. */
void congru_design_build(const congru_network_model *model, const congru_design *design, congru_graph *graph);

/* The design of options, with what a recipe makes of them; CONGRU_ERROR_ARGUMENT for widths that make no network. */
congru_status congru_design_make(congru_context *context, const congru_network *network, bool end_to_end,
                                 const congru_trials *trials, const congru_network_options *options,
                                 congru_design *design);

/* Whether trials of these, either of which may be NULL, are of the kind that the model reads; CONGRU_ERROR_ARGUMENT. */
congru_status congru_model_reads(congru_context *context, const congru_network *network,
                                 const double *covariance, const congru_signals *signals);

/* The part of a design that signals give, with crops of so many seconds (0: none): CONGRU_ERROR_ARGUMENT where they are
 * too short. */
congru_status congru_design_signals(congru_context *context, const congru_network *network,
                                    const congru_signals *signals, double seconds, congru_design *design);

/* Recentring by the batch, the logarithm, its triangle and scores: the node of the scores. Without `rows` the reference
 * is given to the layer. */
int congru_design_head(const congru_design *design, congru_graph *graph, int x, int rows);

/* A loss of one or two nodes, -1 where it is of one. */
void congru_design_loss(congru_graph *graph, const congru_layer *loss, int first, int second);

/* The objective of stacks of congruences: what of a trial can be had back, and the scatters. */
void congru_stack_objective(congru_graph *graph, int rows);

/* The losses of training behind a model, and the head where it is end to end. */
void congru_design_objective(const congru_network_model *model, const congru_design *design,
                             congru_graph *graph, bool end_to_end);

/* First values of a stack's weights. */
congru_status congru_design_initial(congru_context *context, const congru_design *design,
                                    const double *covariance, size_t count, congru_initial initial,
                                    uint64_t seed, congru_parameters *parameters);

#endif
