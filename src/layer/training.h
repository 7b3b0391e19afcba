/* One step of training at a time: parameters, batch, loss, gradient. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_LAYER_TRAINING_H
#define CONGRU_LAYER_TRAINING_H

#include "base/arena.h"
#include "layer/affine.h"
#include "layer/head.h"
#include "layer/network.h"
#include "layer/rotated.h"
#include "layer/scatter.h"
#include "layer/unet.h"
#include "spd/spectral.h"

/* A step
 *
 * The batch is B trials by index. Each model turns them into the logarithm of its output, kept as rows (B,
 * stride):
 * the upper triangle with off-diagonals times sqrt 2, so that the Euclidean geometry of rows is the Frobenius
 * geometry of matrices. The batch is taken in chunks of CONGRU_STEP_CHUNK trials by the team; between the
 * phases
 * lie the sums over the whole batch: means by action and subject, and the head's reference. Sums over trials
 * run
 * over fixed chains in a chunk, then over chunks in order, so that no bit depends on the threads. */
enum { CONGRU_STEP_CHUNK = 32, CONGRU_SEGMENTS_MAX = CONGRU_LAYERS_MAX + 4 };

/* The phases of a step, after each of which what chunks left behind is summed up over the batch. Where processes share
 * a step, each has some of the chunks and then hears of the others what they left. */
typedef enum congru_step_phase {
    CONGRU_PHASE_FORWARD,
    CONGRU_PHASE_HEAD, /* of stacks, end to end */
    CONGRU_PHASE_BACKWARD
} congru_step_phase;

/* An array of which each chunk writes its part in a phase and that is read as a whole after it. */
typedef struct congru_step_share {
    congru_step_phase phase;
    void *data;
    size_t part, whole; /* bytes: of each chunk but perhaps the last, and of all */
} congru_step_share;
enum { CONGRU_SHARES_MAX = 2 * CONGRU_LAYERS_MAX + 16 };

/* A part of the parameters: (rows, cols) from `offset` on. */
typedef struct congru_segment {
    char name[16];
    size_t rows, cols, offset;
    bool head; /* of the softmax head: decays */
} congru_segment;

typedef struct congru_training congru_training;

/* Some consecutive trials of the batch, as a phase sees them. */
typedef struct congru_step_chunk {
    congru_training *training;
    size_t block, first, count, vectors;
    congru_arena *arena;
} congru_step_chunk;

typedef struct congru_step_work congru_step_work;
typedef void (*congru_step_task)(const congru_step_chunk *chunk);

/* A model: what it is made of, and its loss and gradient. */
typedef struct congru_step_model {
    congru_status (*plan)(congru_training *training);               /* widths and segments */
    void (*layout)(congru_arena *arena, congru_training *training); /* run twice */
    congru_status (*start)(congru_training *training);              /* what stays constant; first parameters */
    congru_status (*evaluate)(congru_training *training);           /* loss terms and gradient of the batch */
} congru_step_model;

/* Scratch of one task: matrices (vectors, size, size) of the largest width, and what decompositions need. */
enum { CONGRU_STEP_MATRICES = 6 };
struct congru_step_work {
    congru_spectral_work spectral;
    double *m[CONGRU_STEP_MATRICES];
    double *row, *other_row; /* (vectors, stride) */
    double *value;           /* (vectors, size + 1) */
};

/* What the watch for degeneracy keeps (watch.h). */
typedef struct congru_watch {
    size_t rank;        /* r */
    double *directions; /* (d, r) */
    double *scratch[3];
    bool told_rank, told_eigenvalues, told_gradient;
} congru_watch;

/* What stopped a step: eigenvalues that could not be had. */
typedef struct congru_step_failure {
    size_t layer;    /* from 1; 0: none */
    size_t position; /* in the batch */
} congru_step_failure;

/* Loss and gradient of a stack of congruences from what the functions give: forward leaves the logarithm of
 * the output in
 * work->m[0] (and the output in c_out), backward is given the derivatives there (and in d_c_out). */
typedef struct congru_stack {
    void (*prepare)(congru_training *training);
    void (*forward)(const congru_step_chunk *chunk, const congru_step_work *work);
    void (*backward)(const congru_step_chunk *chunk, const congru_step_work *work);
    void (*finish)(congru_training *training);
} congru_stack;

struct congru_training {
    congru_context *context;
    const congru_kernel *kernel;
    const congru_step_model *model;
    const congru_stack *stack;
    congru_backbone backbone;
    bool end_to_end;
    uint64_t seed;
    congru_network_options options; /* with what the recipe and `unconstrained` make of them */

    const congru_trials *trials;
    size_t d, classes, subjects;
    bool *present; /* (classes): has trials */
    size_t present_count;

    size_t layers, width[CONGRU_LAYERS_MAX]; /* widths 0 to layers */
    size_t out, features, stride;            /* of the output: dimension, d(d+1)/2, and that rounded up */
    size_t largest;                          /* width */
    bool needs_out;                          /* the output itself, beside its logarithm */

    size_t segments, size; /* parameters */
    congru_segment segment[CONGRU_SEGMENTS_MAX];
    double *parameter, *gradient; /* (size) */
    double *first_moment, *second_moment, *best;
    double *aside;    /* (size): scratch */
    double *averaged; /* (size): the moving average of the parameters, times what its weights add up to */
    double best_loss;
    size_t best_step, step;

    size_t capacity, chunks; /* of the batch */
    size_t count;            /* trials in this one */
    size_t *index;           /* (capacity, rounded up to chunks): those beyond count repeat the first */
    int32_t *label, *subject;
    size_t *by_subject_order;     /* (trials): their indices, subject by subject */
    size_t *subject_start;        /* (subjects + 1): where each begins */
    size_t *pool;                 /* (subjects): those a batch is drawn of */
    bool *held_out;               /* (subjects): for validation */
    congru_step_failure *failure; /* (chunks) */
    size_t shares;
    congru_step_share share[CONGRU_SHARES_MAX];
    bool stops; /* progress has said so, which all that share a step must hear of */

    double *covariance; /* (trials, d, d), symmetric; NULL for DCT */
    double *start_row;  /* (trials, stride): L', or its leading block where widths differ */
    double *mask;       /* (stride): 1 within that block, where the output is larger; else NULL */

    double *c_out;      /* lanes (out, out), where needed */
    double *d_c_out;    /* lanes (out, out), likewise */
    double *row;        /* (capacity, stride) of the logarithm of the output */
    double *norm;       /* (capacity): squared, of a row */
    double *distance;   /* (capacity): the reconstruction's */
    double *mean_row;   /* (stride) */
    double *low, *high; /* (chunks): eigenvalues */
    double *root;       /* (trials, m, m): inverse roots of leading blocks, affine reconstruction */
    double own;         /* the part of a row's derivative that is in its own direction */
    congru_scatter action, by_subject;
    congru_head head;
    union {
        congru_affine affine;
        congru_unet unet;
        congru_rotated rotated;
    } part;

    congru_watch watch;
    bool watched;                       /* eigenvalues are looked at in this step */
    double series[CONGRU_SERIES_COUNT]; /* of the last evaluation */
    congru_arena arena;
};

/* The trials stay the caller's and must outlive the training. Frees with destroy, also after a failure. */
congru_status congru_training_create(congru_context *context, congru_backbone backbone, bool end_to_end,
                                     const congru_trials *trials, const congru_method_options *options,
                                     congru_training **training);
void congru_training_destroy(congru_training **training);

/* Takes these trials as the batch; or draws those of the training's step; or takes those of one subject,
 * spread over
 * them where they are more than a batch. */
void congru_training_take(congru_training *training, size_t count, const size_t *index);
void congru_training_draw(congru_training *training);
void congru_training_take_subject(congru_training *training, size_t subject);

/* Loss terms (series) and gradient at the parameters. CONGRU_ERROR_NOT_FINITE names trial, layer and step. */
congru_status congru_training_evaluate(congru_training *training);

/* Clips, decays, and moves by Adam to the next step; the moving average follows. */
void congru_training_update(congru_training *training);

/* Keeps a copy of the parameters of this loss, if it is the least so far; puts that copy back. */
void congru_training_keep_best(congru_training *training, double loss);
void congru_training_restore_best(congru_training *training);

/* The moving average becomes the parameters, which go where `aside` (size) says unless it is NULL. */
void congru_training_use_average(congru_training *training, double *aside);

/* ---- For the models ---------------------------------------------------------------------------- */

extern const congru_step_model congru_rotated_model, congru_affine_model, congru_unet_model;

/* gamma of DCT at the parameters: 1 where it is not learned. */
double congru_rotated_gamma(const congru_training *training);

/* Sorts trials by subject and chooses whom to hold out. */
void congru_training_start_batches(congru_training *training);

/* Adds a segment of parameters and returns its index. */
size_t congru_training_segment(congru_training *training, const char *name, size_t rows, size_t cols,
                               bool head);

/* Runs a phase over the batch; CONGRU_ERROR_NOT_FINITE when a chunk failed. */
congru_status congru_training_run(congru_training *training, congru_step_phase which, congru_step_task task);

/* The chunks that are a process's own of `used`: from *first to before *end. */
void congru_training_own_chunks(const congru_training *training, int rank, size_t used, size_t *first,
                                size_t *end);

/* Sends what this process's chunks left behind in a phase and receives what those of others did. */
congru_status congru_training_exchange(congru_training *training, congru_step_phase phase, size_t used);

/* In a layout: says that an array of `size` doubles per trial, of `trials` in all, is read as a whole after a phase. */
void congru_training_share(congru_training *training, congru_step_phase phase, void *data, size_t size,
                           size_t trials);

/* The scratch of a chunk, taken from its arena; how much that is. */
void congru_step_work_layout(congru_arena *arena, const congru_training *training, size_t vectors,
                             congru_step_work *work);

/* Eigenvalues and vectors of `a`, which is destroyed; notes extremes and failures under the layer's number. */
void congru_step_eigen(const congru_step_chunk *chunk, const congru_step_work *work, size_t layer, size_t d,
                       double *a, double *values, double *z);

/* Notes the extremes of eigenvalues (d per trial), or of their exponentials, where the step is watched. */
void congru_step_watch(const congru_step_chunk *chunk, size_t d, const double *values, bool exponential);

/* The part of a lane array of `size` elements per trial that belongs to the chunk. */
static inline double *congru_step_lanes(const congru_step_chunk *chunk, double *lanes, size_t size)
{
    return lanes + chunk->first * size;
}

/* Lanes of `size` elements for the whole batch; partial sums of `size` elements for each chunk, which a phase leaves. */
double *congru_training_lanes(congru_arena *arena, const congru_training *training, size_t size);
double *congru_training_partials(congru_arena *arena, congru_training *training, congru_step_phase phase,
                                 size_t size);

/* sum (size) += the partial sums of the chunks in use, in order. */
void congru_training_add_partials(const congru_training *training, size_t size, const double *partial,
                                  double *sum);

/* Chains for the sums of one chunk, zeroed: (CONGRU_GROUP, size). */
double *congru_step_chains(const congru_step_chunk *chunk, size_t size);

static inline double *congru_training_parameter(const congru_training *training, size_t segment)
{
    return training->parameter + training->segment[segment].offset;
}
static inline double *congru_training_gradient(const congru_training *training, size_t segment)
{
    return training->gradient + training->segment[segment].offset;
}

/* The model's widths from the options, or its own; segments w1, w2, ... ; their first values. */
congru_status congru_stack_plan(congru_training *training, bool merges);
congru_status congru_stack_initial(congru_training *training);

void congru_stack_layout(congru_arena *arena, congru_training *training);
/* Logarithms of all trials, floored: (count, d, d); their eigenpairs too where not NULL. */
congru_status congru_training_logarithms(congru_training *training, double *logarithm, double *values,
                                         double *vectors);
congru_status congru_stack_start(congru_training *training);
congru_status congru_stack_evaluate(congru_training *training, const congru_stack *stack);

#endif
