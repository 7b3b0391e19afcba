/* What a network is: its row, its design, and the layers that it is put together of. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_NETWORK_MODEL_H
#define CONGRU_NETWORK_MODEL_H

#include "network/graph.h"
#include "network/network.h"

/* A network to be built: one to be trained, from options, or one that was, from its tensors. */
typedef struct congru_design {
    size_t d, layers, width[CONGRU_LAYERS_MAX]; /* widths 0 to layers; of DCT d and d */
    congru_merges merges;                       /* DDCT-UNet's */
    congru_merge_mean merge_mean;
    bool trained;     /* at rest: statistics, and of DCT R and gamma, are given and not learned; no losses */
    bool trace;       /* trials are divided by their trace first */
    size_t rotations; /* of DCT: the factors of R */
    bool learns_gamma;
    double layer_jitter, head_jitter, floor;
    bool at_identity; /* the head's reference is the identity */
    size_t classes;   /* of its head; 0: it has none */
    bool pool_mean;   /* of an image the mean over its pixels is read, not all of it */
    size_t samples;   /* of networks on signals: what the network sees of a trial, */
    size_t whole;     /* and what a trial has; more where it is cropped */
    size_t crops;     /* over which a prediction is averaged; 1 where trials are not cropped */
    bool zscore;      /* channels of a trial are */
    double rate;      /* samples per second */
    double dropout;   /* share */
    uint64_t seed;    /* of dropout and crops */
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
    /* Of networks that give matrices: the losses on them, of which `rows` is the node of triangles of logarithms. NULL: it
     * ends in a head of its own, whose scores are trained by cross-entropy. */
    void (*objective)(congru_graph *graph, int rows);
    /* Networks on signals: the fewest samples that leave a number at the end. */
    size_t (*least_samples)(const congru_design *design);
    size_t (*taps)(const congru_design *design); /* of filters whose windows' moments are wanted; NULL: none */
    /* The nodes from the input to graph->output[CONGRU_OUTPUT_MATRIX], or to the scores in [CONGRU_OUTPUT_PROBABILITY]. */
    void (*build)(congru_graph *graph, const congru_design *design);
} congru_network_model;

#define CONGRU_DECLARE_MODEL(id, ...) extern const congru_network_model congru_model_##id;
CONGRU_NETWORKS(CONGRU_DECLARE_MODEL)

/* The design of options, with what a recipe makes of them, end to end with a head; CONGRU_ERROR_ARGUMENT for widths that make
 * no network. */
congru_status congru_design_make(congru_context *context, const congru_network *network, bool end_to_end,
                                 const congru_trials *trials, const congru_network_options *options,
                                 congru_design *design);

/* The part of a design that signals give, with crops of so many seconds (0: none): CONGRU_ERROR_ARGUMENT where they are
 * too short. */
congru_status congru_design_signals(congru_context *context, const congru_network *network,
                                    const congru_signals *signals, double seconds, congru_design *design);

/* Tensors of a network are PREFIX.NAME. */
typedef struct congru_tensor_name {
    char text[CONGRU_TENSOR_NAME_SIZE];
} congru_tensor_name;
congru_tensor_name congru_name_in(const char *prefix, const char *name);

/* A design as the tensors PREFIX.design and, where it has any, PREFIX.widths; found again, at rest. */
congru_status congru_design_save(congru_context *context, const congru_network *network,
                                 const congru_design *design, const char *prefix, congru_tensors *model);
congru_status congru_design_find(congru_context *context, const congru_network *network,
                                 const congru_tensors *model, const char *prefix, congru_design *design);

/* First values of a stack's weights; of those of all other networks. */
congru_status congru_design_initial(congru_context *context, const congru_design *design,
                                    const double *covariance, size_t count, congru_initial initial,
                                    uint64_t seed, congru_parameters *parameters);
void congru_parts_first(uint64_t seed, congru_parameters *parameters);

/* Whether trials of these, either of which may be NULL, are of the kind that the model reads; CONGRU_ERROR_ARGUMENT. */
congru_status congru_model_reads(congru_context *context, const congru_network *network,
                                 const double *covariance, const congru_signals *signals);

/* ---- Graphs of designs ------------------------------------------------------------------------------- */

/* The network's nodes, its head where the design has one and, for training, its losses, in an empty graph. */
void congru_network_build(const congru_network *network, const congru_design *design, congru_graph *graph);

/* The paper's stacks on a matrix that comes from elsewhere, and their objective: what of a trial can be had back, and the
 * scatters. */
void congru_dldct_on(congru_graph *graph, const congru_design *design, int x);
void congru_ddct_unet_on(congru_graph *graph, const congru_design *design, int x);
void congru_stack_objective(congru_graph *graph, int rows);

/* Recentring by the batch, the logarithm, its triangle and scores: the node of the scores. Without `rows` the reference
 * is given to the layer. */
int congru_design_head(const congru_design *design, congru_graph *graph, int x, int rows);

/* A loss of one or two nodes, -1 where it is of one. */
void congru_design_loss(congru_graph *graph, const congru_layer *loss, int first, int second);

/* ---- Layers with their weights ----------------------------------------------------------------------- */

/* Each returns the node; names of weights are numbered in the order they are added ("w1", "b2", ...). First values are
 * uniform: within 1 / sqrt(numbers that go into one) for images, as PyTorch has it, and Glorot's for signals. */

/* A 3x3 convolution to so many channels, and ReLU. */
int congru_part_image_convolution(congru_graph *graph, int x, size_t channels);

/* X -> W^T X W with W on the Stiefel manifold; then eigenvalues below `floor` become it. */
int congru_part_bimap(congru_graph *graph, int x, size_t width);
int congru_part_rectify(congru_graph *graph, int x, double floor);

/* The covariance of a signal's channels, shrunk by a share, plus a jitter. */
int congru_part_covariance(congru_graph *graph, int x, double shrinkage, double jitter);

/* SPD batch normalisation by subject: in training by the batch's means and dispersions and those of earlier steps, of which
 * `least` is renewed at the end; in prediction by what the layers are given (statistics.h). */
int congru_part_domain_normalise(congru_graph *graph, int x, bool trained, double least);

/* The upper triangle of a symmetric matrix as a vector. */
int congru_part_triangle(congru_graph *graph, int x);

/* Signals as they come in, with `edge` samples reflected at either end. */
int congru_part_signal(congru_graph *graph, size_t samples, size_t channels, size_t edge);

/* A temporal convolution of `filters` and a spatial one to `channels`, nothing between them; a convolution in time over
 * all channels; one for each channel, whose output is as long as its input. Without biases: normalisation follows. */
int congru_part_time_space(congru_graph *graph, int x, size_t filters, size_t channels, size_t taps);
int congru_part_convolution(congru_graph *graph, int x, size_t channels, size_t taps);
int congru_part_depthwise(congru_graph *graph, int x, size_t taps);

/* `filters` in time, batch normalisation of each, and `depth` filters in space for each of them, of a norm of 1 at most. */
int congru_part_filter_bank(congru_graph *graph, int x, size_t filters, size_t depth, size_t taps,
                            double epsilon, double share);

/* The same with ELU and dropout before the filters in space; `windows`: the statistics of windows of as many taps or more. */
int congru_part_window_statistics(congru_graph *graph, int x, size_t taps);
int congru_part_filter_unit(congru_graph *graph, int x, int windows, size_t filters, size_t depth, size_t taps,
                            double epsilon, double share, double dropout, uint64_t seed);

/* Batch normalisation; of what prediction uses a share is renewed in each step. */
int congru_part_normalise(congru_graph *graph, int x, double epsilon, double share);

/* Dense with a bias on each sample, or on `joined` samples at a time; first values as for images. Normalisation of each
 * sample over its channels. Attention of the samples to each other, with a share of its weights left out, of queries, keys and
 * values beside each other in x. */
int congru_part_linear(congru_graph *graph, int x, size_t joined, size_t channels);
int congru_part_layer_normalise(congru_graph *graph, int x, double epsilon);
int congru_part_attention(congru_graph *graph, int x, size_t heads, double dropout, uint64_t seed);

/* Of two signals the sum, or the channels beside each other; zeros before and behind a signal. */
int congru_part_add(congru_graph *graph, int a, int b);
int congru_part_beside(congru_graph *graph, int a, int b);
int congru_part_pad(congru_graph *graph, int x, size_t before, size_t behind);

/* The first values of a node's weights become those for images: within 1 / sqrt(numbers that go into one). */
void congru_part_spread(congru_graph *graph, int node, int weight, size_t inputs);

/* ELU, GELU, the square, the logarithm of what is at least 1e-6. */
int congru_part_elu(congru_graph *graph, int x);
int congru_part_gelu(congru_graph *graph, int x);
int congru_part_square(congru_graph *graph, int x);
int congru_part_logarithm(congru_graph *graph, int x);

/* The mean or the largest of windows. */
int congru_part_mean_pool(congru_graph *graph, int x, size_t window, size_t stride);
int congru_part_max_pool(congru_graph *graph, int x, size_t window, size_t stride);

/* Leaves out a share of the numbers in training; the seed and the place in the graph name what is drawn. */
int congru_part_dropout(congru_graph *graph, int x, double share, uint64_t seed);

/* Scores: of a vector, or of all of an image or a signal. They are what the graph gives. */
int congru_part_scores(congru_graph *graph, int x, size_t classes);

#endif
