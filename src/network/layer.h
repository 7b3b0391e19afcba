/* What a layer is: one constant table, and the arguments its functions are called with. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_NETWORK_LAYER_H
#define CONGRU_NETWORK_LAYER_H

#include "base/arena.h"
#include "network/activation.h"
#include "spd/spectral.h"

enum {
    CONGRU_INPUTS_MAX = 2,
    CONGRU_WEIGHTS_MAX = 3,
    CONGRU_SAVED_MAX = 3,
    CONGRU_LANES_MAX = 6,
    CONGRU_PLAIN_MAX = 3
};

struct congru_graph;
struct congru_node;

/* What a layer asks for, for one chunk of trials: laid out before each call, so that layers do not allocate. */
typedef struct congru_need {
    size_t spectral;                   /* dimension of decompositions; 0: none */
    size_t lanes[CONGRU_LANES_MAX];    /* elements per trial */
    size_t chains[CONGRU_WEIGHTS_MAX]; /* elements of sums over trials */
    size_t plain[CONGRU_PLAIN_MAX];    /* reals, for all trials together */
} congru_need;

typedef struct congru_work {
    congru_spectral_work spectral;
    double *lanes[CONGRU_LANES_MAX];
    double *chains[CONGRU_WEIGHTS_MAX]; /* (CONGRU_GROUP, elements) */
    congru_real *plain[CONGRU_PLAIN_MAX];
} congru_work;

/* Run twice over an arena: measure, then place. */
void congru_work_layout(congru_arena *arena, const congru_kernel *kernel, size_t vectors,
                        const congru_need *need, congru_work *work);

/* What a chunk met: eigenvalues that could not be had, and the extremes of those that were. */
typedef struct congru_marks {
    size_t depth;    /* of the layer that failed, from 1; 0: none did */
    size_t position; /* of its trial in the batch */
    double low, high;
} congru_marks;

static inline void congru_marks_widen(congru_marks *marks, double low, double high)
{
    marks->low = low < marks->low ? low : marks->low;
    marks->high = high > marks->high ? high : marks->high;
}

/* The arguments of a layer for `count` consecutive trials of a batch, `first` being the place of their first. Arrays in
 * lanes hold `vectors` vectors. The adjoint of x is d_x. */
typedef struct congru_call {
    const congru_kernel *kernel;
    const struct congru_node *node; /* shapes, numbers and state */
    const congru_batch *batch;
    size_t block, first, count, vectors;
    const double *x[CONGRU_INPUTS_MAX];       /* lanes of in[k].size; NULL where it is not in lanes */
    double *y;                                /* lanes of out.size; in backward, of layers that read it */
    const double *d_y;                        /* given to backward */
    double *d_x[CONGRU_INPUTS_MAX];           /* set by backward; NULL: not wanted; never d_y */
    const double *weight[CONGRU_WEIGHTS_MAX]; /* the parameters, plain */
    double *saved[CONGRU_SAVED_MAX];          /* lanes of saved[k], from forward to backward */
    double *sum[CONGRU_WEIGHTS_MAX];          /* set by backward: sums over the chunk */
    double *scalar;                           /* (count): one number per trial, where the node has it */
    bool watched;                             /* extremes of eigenvalues are wanted */
    size_t step;                              /* of training */
    bool resting; /* a graph that predicts, or validates: nothing is drawn, and no statistics of the batch */
    congru_marks *marks;
    congru_work work;
} congru_call;

typedef enum congru_trait {
    CONGRU_TRAIT_LATE = 1,    /* forward comes after meet */
    CONGRU_TRAIT_READS_X = 2, /* backward reads x */
    CONGRU_TRAIT_LOSS = 4,    /* gives nothing on */
    CONGRU_TRAIT_WEIGHTS =
        8, /* has weights that others read in its state: wanted by itself, and finishes last */
    CONGRU_TRAIT_READS_Y = 16 /* backward reads y */
} congru_trait;

/* A layer, or a loss. Functions that a layer does not have are NULL. Those of calls run side by side on chunks of the
 * batch; those of nodes run once a step, alone. */
typedef struct congru_layer {
    const char *name;
    unsigned traits;
    congru_function_kind function; /* of eigenvalues: of layers that are no more than one */
    size_t state;                  /* bytes of the node's state, zeroed */
    /* Output shape, what is saved and summed, what calls need, from the shapes of the inputs; and arrays of the state
     * (congru_take_doubles). Run again each time that the graph is laid out. */
    void (*plan)(struct congru_node *node);
    /* What a step's calls share, from the weights. */
    congru_status (*prepare)(struct congru_node *node);
    /* Trials of a chunk, and the adjoint. Of a layer of one input and no weights d_x[0] is always wanted. */
    struct {
        void (*forward)(const congru_call *call);
        void (*backward)(const congru_call *call);
    } trials;
    /* When the whole batch has passed the inputs; and its adjoint, before they go back. */
    struct {
        congru_status (*meet)(struct congru_node *node);
        void (*part)(struct congru_node *node);
    } batch;
    /* The gradient by the weights from the sums of all chunks; or the loss. */
    congru_status (*finish)(struct congru_node *node);
} congru_layer;

/* Eigenvalues and vectors of the symmetric `a`, which is destroyed; marks what fails, and extremes where wanted. */
void congru_call_eigen(const congru_call *call, size_t d, double *a, double *values, double *z);

/* Marks extremes of eigenvalues (d per trial), or of their exponentials, where they are wanted. */
void congru_call_watch(const congru_call *call, size_t d, const double *values, bool exponential);

/* Zeroes the sums of this chunk, for a backward that adds to them. */
void congru_call_clear(const congru_call *call);

/* work.chains[k], zeroed; sum[k] of this chunk = what has been added to it, folded. */
double *congru_call_chains(const congru_call *call, size_t k);
void congru_call_fold(const congru_call *call, size_t k);

/* sum[k] (rows, cols) = the sum over the chunk's trials of a b, in lanes. */
void congru_call_sum(const congru_call *call, size_t k, size_t rows, size_t cols, size_t inner,
                     congru_operand a, congru_operand b);

/* Doubles in lanes of `size` elements per trial. */
static inline size_t congru_call_doubles(const congru_call *call, size_t size)
{
    return congru_lane_doubles(call->kernel, call->vectors, size);
}

extern const congru_layer congru_layer_input, congru_layer_constant, congru_layer_constant_rows,
    congru_layer_congruence, congru_layer_affine, congru_layer_wide_logarithm, congru_layer_logarithm,
    congru_layer_exponential, congru_layer_merge, congru_layer_block, congru_layer_rotation,
    congru_layer_dispersion, congru_layer_recentre, congru_layer_triangle, congru_layer_diagonal,
    congru_layer_dense, congru_layer_softmax, congru_layer_turned_diagonal, congru_layer_turned_recentre,
    congru_layer_turned_dense, congru_layer_rectify, congru_layer_image, congru_layer_image_convolution,
    congru_layer_image_mean, congru_layer_readout, congru_layer_signal, congru_layer_convolution,
    congru_layer_time_space, congru_layer_depthwise, congru_layer_statistics, congru_layer_normalise,
    congru_layer_elu, congru_layer_square, congru_layer_safe_logarithm, congru_layer_mean_pool,
    congru_layer_max_pool, congru_layer_dropout, congru_layer_window_statistics, congru_layer_filter_bank,
    congru_layer_gelu, congru_layer_linear, congru_layer_layer_normalise, congru_layer_attention,
    congru_layer_addition, congru_layer_beside, congru_layer_pad, congru_layer_filter_unit,
    congru_layer_covariance, congru_layer_domain_centre, congru_layer_domain_mean, congru_layer_domain_scale;
extern const congru_layer congru_loss_cross_entropy, congru_loss_scatters, congru_loss_reconstruction,
    congru_loss_affine_reconstruction, congru_loss_fisher_ratio;

#endif
