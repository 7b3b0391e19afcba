/* A network as a list of nodes with their inputs: planned, laid out, run forward and backward. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_NETWORK_GRAPH_H
#define CONGRU_NETWORK_GRAPH_H

#include "congru/method.h"
#include "network/layer.h"
#include "network/record.h"
#include "network/rows.h"

/* A step
 *
 * The batch is taken in chunks of CONGRU_STEP_CHUNK trials by the thread pool. A layer that looks at the whole batch (`meet`)
 * cuts the list into stages: the nodes before it run on all chunks, then it meets, then the rest run. The way back is
 * the same in reverse. The last stage, when nothing meets behind it, turns: each chunk goes forward and at once back.
 * Sums over trials run over fixed chains in a chunk, then over chunks in order, so that no bit depends on the threads.
 *
 * What backward needs is kept for the whole batch in the graph's arena; everything else is in the slots of a worker,
 * used again as soon as it has been read. */
enum {
    CONGRU_STEP_CHUNK = 32,
    CONGRU_NODES_MAX = 128,
    CONGRU_SLOTS_MAX = 2 * CONGRU_NODES_MAX,
    CONGRU_SHARES_MAX = 320,
    CONGRU_SEGMENTS_MAX = 128
};

/* What is kept of a part of the parameters by every step. */
typedef enum congru_constraint {
    CONGRU_FREE,
    CONGRU_STIEFEL,  /* orthonormal columns: the gradient is projected, the result retracted */
    CONGRU_ROW_NORM, /* each row of a norm of `limit` at most */
    CONGRU_STATISTIC /* not learned: the layer itself sets it */
} congru_constraint;

/* A part of the parameters: (rows, cols). */
typedef struct congru_segment {
    char name[16];
    size_t rows, cols, offset;
    bool head; /* of the softmax head: decays */
    congru_constraint constraint;
    double limit;
    double spread; /* first values, of networks that decide by themselves: uniform from -spread to spread */
    unsigned ones; /* ... plus 1 in row r where bit r is set */
    const double *value; /* in the vector of parameters from `offset` on, or in a model's tensor */
} congru_segment;

typedef struct congru_parameters {
    size_t segments, size;
    congru_segment segment[CONGRU_SEGMENTS_MAX];
    double *value, *gradient; /* (size); NULL in a graph that only runs forward */
} congru_parameters;

/* Where an array of a node is: for the whole batch, or (NULL) among a worker's own. */
typedef struct congru_place {
    double *batch;
    size_t local;
} congru_place;

typedef struct congru_node {
    struct congru_graph *graph;
    const congru_layer *layer;
    size_t inputs;
    int input[CONGRU_INPUTS_MAX];
    congru_extent in[CONGRU_INPUTS_MAX], out;
    int weight[CONGRU_WEIGHTS_MAX]; /* segments of the parameters; -1: none */
    double number[4];               /* jitter and floor, ... */
    size_t depth;                   /* for messages: how many layers with weights lead here */
    void *state;
    size_t saved_size[CONGRU_SAVED_MAX], sum_size[CONGRU_WEIGHTS_MAX];
    congru_need need;
    size_t stage;
    bool learns;  /* weights here or before: derivatives are wanted */
    bool wanted;  /* something reads it */
    bool lanes;   /* ... in lanes */
    bool watched; /* its eigenvalues are */
    bool spends;  /* it is the last to read its first input, which it may destroy */
    congru_place value, derivative, saved[CONGRU_SAVED_MAX];
    double *sum[CONGRU_WEIGHTS_MAX]; /* (chunks, sum_size) */
    double *scalar;                  /* (batch), where the layer has one: set by plan to non-NULL */
    bool has_scalar;
    congru_rows *rows; /* where the whole batch is looked at */
} congru_node;

/* An array of which each chunk writes its part in a phase, and that is read as a whole after it: what processes that
 * share a step exchange. Phase s is the way forward through stage s, phase CONGRU_NODES_MAX + s the way back. */
typedef struct congru_share {
    size_t phase;
    void *data;
    size_t part, whole; /* bytes: of each chunk but perhaps the last, and of all */
} congru_share;

/* A worker's arrays, in doubles per trial: how many slots, where each begins and the last ends, and what it saves. */
typedef struct congru_slots {
    size_t count, saved;
    size_t size[CONGRU_SLOTS_MAX], start[CONGRU_SLOTS_MAX + 1];
} congru_slots;

typedef struct congru_constants congru_constants;

/* What a network gives. */
typedef enum congru_output {
    CONGRU_OUTPUT_MATRIX,      /* C_out (out, out) */
    CONGRU_OUTPUT_LOGARITHM,   /* of it */
    CONGRU_OUTPUT_PROBABILITY, /* (classes); while a network that decides by itself is built, its scores */
    CONGRU_OUTPUT_COUNT
} congru_output;

typedef struct congru_graph {
    congru_context *context;
    congru_arena *arena; /* while it is planned and laid out */
    const congru_network_options *options;
    const congru_constants *constants; /* NULL where trials are not known beforehand */
    congru_parameters *parameters;
    congru_batch *batch;
    size_t capacity, classes, subjects;
    size_t count, first; /* nodes; the first that runs forward alone begin with */
    bool full;           /* more nodes or weights were added than there is room for: planning fails */
    int output[CONGRU_OUTPUT_COUNT]; /* nodes; -1: none */
    int rotation, dispersion;        /* DCT's, likewise */
    size_t stages;
    bool turns;   /* the last stage */
    bool watched; /* eigenvalues are looked at in this step */
    bool *stops;  /* told to the processes that share a step; NULL: alone */
    bool resting; /* layers do as in prediction: nothing is drawn, and no statistics of the batch */
    congru_slots own;
    congru_marks *marks; /* (chunks) */
    double *series;      /* (CONGRU_SERIES_COUNT) of the last step */
    size_t step;
    size_t shares;
    congru_node node[CONGRU_NODES_MAX]; /* filled in as they are added, like shares */
    congru_share share[CONGRU_SHARES_MAX];
} congru_graph;

void congru_graph_clear(congru_graph *graph);

/* ---- Putting one together ---------------------------------------------------------------------------- */

/* Adds a node and returns its number. `second` is -1 for layers of one input. Beyond CONGRU_NODES_MAX the last is
 * overwritten, and congru_graph_plan says so. */
int congru_graph_add(congru_graph *graph, const congru_layer *layer, int first, int second, congru_extent out,
                     double jitter, double floor);

int congru_graph_input(congru_graph *graph, size_t d);
int congru_graph_congruence(congru_graph *graph, int x, size_t width, double jitter);
int congru_graph_logarithm(congru_graph *graph, int x, double jitter, double floor);
int congru_graph_exponential(congru_graph *graph, int x);

/* exp((log a + log b) / 2). */
int congru_graph_merge(congru_graph *graph, int a, int b, double floor);

/* (a + b) / 2. */
int congru_graph_euclidean_merge(congru_graph *graph, int a, int b);

/* The leading principal block (width, width) of x. */
int congru_graph_block(congru_graph *graph, int x, size_t width);

/* A node of one input with up to two segments of weights of its own, given as congru_graph_weights returns them; -1: none. */
int congru_graph_layer(congru_graph *graph, const congru_layer *layer, int x, congru_extent out, int first,
                       int second);

/* Adds a segment of parameters. */
int congru_graph_weights(congru_graph *graph, const char *name, size_t rows, size_t cols, bool head);

/* A node of matrices becomes the input: what it stands on is left out. */
void congru_graph_begin_at(congru_graph *graph, int node);

/* Algebra that keeps what the network gives, up to rounding, and saves work. */
typedef enum congru_rewriting {
    CONGRU_REWRITE_LOG_OF_EXP = 1, /* log(exp(L)) is L */
    CONGRU_REWRITE_CHAIN = 2,      /* congruences all the way from input to output are one affine congruence */
    CONGRU_REWRITE_WIDE = 4,       /* the logarithm of a congruence that widens, by QR of its weights */
    CONGRU_REWRITE_CONSTANT = 8,   /* logarithms of the trials are had once */
    CONGRU_REWRITE_ROTATION = 16,  /* behind a rotation of constants nothing is turned but weights and axes */
    CONGRU_REWRITE_SPACE = 32, /* a congruence of the covariance of filtered signals is one of their filters */
    CONGRU_REWRITE_ALL = 63
} congru_rewriting;

/* Before planning. Those for constants need graph->constants. */
congru_status congru_graph_rewrite(congru_graph *graph, unsigned rewritings);

/* ---- Running ----------------------------------------------------------------------------------------- */

/* Stages, what is kept and what is not; CONGRU_ERROR_MEMORY when a state cannot be had. After rewriting. */
congru_status congru_graph_plan(congru_graph *graph);

/* The arrays of a batch of `capacity` trials; run twice over an arena. */
void congru_graph_layout(congru_arena *arena, congru_graph *graph);

/* Loss (series) and gradient of the batch at the parameters. CONGRU_ERROR_NOT_FINITE names trial, layer and step. */
congru_status congru_graph_step(congru_graph *graph);

/* Forward alone, of plain symmetric matrices x (count, d, d), or of the signals that the first node has been given (NULL), in a
 * graph without a batch: fills in the outputs that are not NULL, plain. Everything is in a worker's own arrays. */
congru_status congru_graph_apply(congru_graph *graph, size_t count, const double *x,
                                 double *const out[CONGRU_OUTPUT_COUNT]);

/* ---- For layers -------------------------------------------------------------------------------------- */

/* The node that is its k-th input; its k-th weights, their value and gradient. */
static inline congru_node *congru_node_source(const congru_node *node, size_t k)
{
    return &node->graph->node[node->input[k]];
}

static inline const congru_segment *congru_node_segment(const congru_node *node, size_t k)
{
    return &node->graph->parameters->segment[node->weight[k]];
}

static inline const double *congru_node_value(const congru_node *node, size_t k)
{
    return congru_node_segment(node, k)->value;
}

static inline double *congru_node_gradient(const congru_node *node, size_t k)
{
    return node->graph->parameters->gradient + congru_node_segment(node, k)->offset;
}

/* In plan: an array of the state. */
double *congru_take_doubles(const congru_node *node, size_t count);
congru_real *congru_take_reals(const congru_node *node, size_t count);

/* In plan: says that an array of `size` bytes per chunk is read as a whole after a phase. */
void congru_graph_share(congru_graph *graph, size_t phase, void *data, size_t size);

/* A task for each block, by the threads where there is enough to do for them: `elements` numbers in all. */
void congru_blocks_run(congru_context *context, size_t elements, size_t blocks, congru_thread_pool_task task,
                       void *user);

/* sum (size) += factor times the sums of the chunks in use, in order; those of a node's k-th array, also of rows of it
 * that are padded: sum (rows, cols) of (chunks, rows, step). */
void congru_graph_add_sums(const congru_graph *graph, size_t size, double factor, const double *sums,
                           double *sum);
void congru_node_add_rows(const congru_node *node, size_t k, size_t cols, size_t step, double *sum);

static inline void congru_node_add_sums(const congru_node *node, size_t k, double factor, double *sum)
{
    congru_graph_add_sums(node->graph, node->sum_size[k], factor, node->sum[k], sum);
}

/* The finish of a layer whose k-th sums are the gradient by its k-th weight. */
congru_status congru_node_sum_gradients(congru_node *node);

/* The chunks in use that are a process's own: from *first to before *end. */
void congru_graph_own_chunks(const congru_graph *graph, int rank, size_t *first, size_t *end);

/* Sends what this process's chunks left behind in a phase and receives what those of others did. */
congru_status congru_graph_exchange(congru_graph *graph, size_t phase);

static inline size_t congru_graph_chunks(const congru_graph *graph)
{
    return (graph->capacity + CONGRU_STEP_CHUNK - 1) / CONGRU_STEP_CHUNK;
}

static inline size_t congru_graph_used_chunks(const congru_graph *graph)
{
    return (graph->batch->count + CONGRU_STEP_CHUNK - 1) / CONGRU_STEP_CHUNK;
}

#endif
