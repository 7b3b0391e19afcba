/* Layers whose outputs are sums of all that goes in, and softmax. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "base/scalar_math.h"
#include "network/layers/layers.h"

/* ---- Of a vector: y = W x + b, one number for each class --------------------------------------------- */

/* The weights as padded rows; behind a rotation (below), which turns them, what that takes. */
typedef struct dense {
    double *weight;      /* (classes, stride) */
    double *rows;        /* lanes of classes (stride) */
    double *matrices[4]; /* lanes of classes (d, d) */
    double *chains;      /* (CONGRU_GROUP, d, d), and behind it (d, d) */
} dense;

static void dense_plan(congru_node *node)
{
    const size_t classes = node->out.rows, stride = node->in[0].size;
    node->sum_size[0] = node->need.chains[0] = classes * stride;
    node->sum_size[1] = node->need.chains[1] = classes;
    ((dense *)node->state)->weight = congru_take_doubles(node, classes * stride);
}

/* padded (classes, stride) = rows (classes, features), zeros behind each. */
static void pad_rows(const congru_node *node, const double *rows, double *padded)
{
    const size_t features = node->in[0].rows, stride = node->in[0].size;
    memset(padded, 0, node->out.rows * stride * sizeof(double));
    for (size_t k = 0; k < node->out.rows; k++)
        memcpy(padded + k * stride, rows + k * features, features * sizeof(double));
}

static congru_status dense_prepare(congru_node *node)
{
    pad_rows(node, congru_node_value(node, 0), ((const dense *)node->state)->weight);
    return CONGRU_OK;
}

static void dense_forward(const congru_call *call)
{
    const dense *own = call->node->state;
    const size_t classes = call->node->out.rows, stride = call->node->in[0].size;
    call->kernel->spread(call->vectors, classes, call->weight[1], call->y);
    call->kernel->product(call->vectors, classes, 1, stride, congru_shared(own->weight, stride),
                          congru_per_lane(call->x[0], 1), CONGRU_PRODUCT_ADD, call->y);
}

/* dW = sum dy x^T, db = sum dy, dx = W^T dy. */
static void dense_backward(const congru_call *call)
{
    const dense *own = call->node->state;
    const size_t classes = call->node->out.rows, stride = call->node->in[0].size;
    congru_call_sum(call, 0, classes, stride, 1, congru_per_lane(call->d_y, 1),
                    congru_per_lane(call->x[0], stride));
    call->kernel->add_lanes(call->vectors, classes, call->d_y, congru_call_chains(call, 1));
    congru_call_fold(call, 1);
    if (call->d_x[0] != NULL)
        call->kernel->product(call->vectors, stride, 1, classes, congru_shared_transposed(own->weight, stride),
                              congru_per_lane(call->d_y, 1), CONGRU_PRODUCT_SET, call->d_x[0]);
}

static congru_status dense_finish(congru_node *node)
{
    congru_node_add_rows(node, 0, node->in[0].rows, node->in[0].size, congru_node_gradient(node, 0));
    congru_node_add_sums(node, 1, 1.0, congru_node_gradient(node, 1));
    return CONGRU_OK;
}

const congru_layer congru_layer_dense = {
    .name = "dense",
    .traits = CONGRU_TRAIT_READS_X,
    .state = sizeof(dense),
    .plan = dense_plan,
    .prepare = dense_prepare,
    .trials = {dense_forward, dense_backward},
    .finish = dense_finish,
};

/* ---- ... of the triangle of a matrix that is still to be rotated: y = <R W R^T, X> + b --------------- */

static size_t dimension(const congru_node *node)
{
    return node->graph->node[node->graph->rotation].out.rows;
}

static size_t class_vectors(const congru_node *node)
{
    return congru_kernel_vectors(node->graph->context->kernel, node->out.rows);
}

static void turned_plan(congru_node *node)
{
    dense *own = node->state;
    congru_arena *arena = node->graph->arena;
    const congru_kernel *kernel = node->graph->context->kernel;
    const size_t d = dimension(node), vectors = class_vectors(node);
    dense_plan(node);
    for (int k = 0; k < 4; k++)
        own->matrices[k] = congru_take_lanes(arena, kernel, vectors, d * d);
    own->rows = congru_take_lanes(arena, kernel, vectors, node->in[0].size);
    own->chains = congru_take_doubles(node, (CONGRU_GROUP + 1) * d * d);
}

/* Matrices of the padded rows, in lanes, those beyond the classes zero; and rows of matrices. */
static void to_matrices(const congru_node *node, double *matrices)
{
    const dense *own = node->state;
    const congru_kernel *kernel = node->graph->context->kernel;
    const size_t vectors = class_vectors(node), stride = node->in[0].size;
    kernel->pack(vectors, node->out.rows, stride, 1, own->weight, own->rows);
    kernel->untriangle(vectors, dimension(node), stride, own->rows, matrices);
}

static void to_rows(const congru_node *node, const double *matrices)
{
    const dense *own = node->state;
    const congru_kernel *kernel = node->graph->context->kernel;
    const size_t vectors = class_vectors(node), stride = node->in[0].size;
    kernel->triangle(vectors, dimension(node), stride, matrices, own->rows);
    kernel->unpack(vectors, node->out.rows, stride, 1, own->rows, own->weight);
}

/* R W R^T */
static congru_status turned_prepare(congru_node *node)
{
    const dense *own = node->state;
    const size_t d = dimension(node);
    const double *r = congru_rotation_of(node->graph)->r;
    dense_prepare(node);
    to_matrices(node, own->matrices[0]);
    congru_spectral_congruence(node->graph->context->kernel, class_vectors(node), d, d, own->matrices[0],
                               congru_shared_transposed(r, d), own->matrices[1], own->matrices[2]);
    to_rows(node, own->matrices[1]);
    return CONGRU_OK;
}

/* The gradient of the sums is by R W R^T. */
static congru_status turned_finish(congru_node *node)
{
    const dense *own = node->state;
    const congru_kernel *kernel = node->graph->context->kernel;
    const congru_rotation *rotation = congru_rotation_of(node->graph);
    const size_t d = dimension(node), vectors = class_vectors(node), features = node->in[0].rows;
    double *gradient = congru_node_gradient(node, 0), *plain = own->chains + CONGRU_GROUP * d * d;
    double *w = own->matrices[0], *d_turned = own->matrices[1], *d_w = own->matrices[2];
    dense_finish(node);
    pad_rows(node, gradient, own->weight);
    to_matrices(node, d_turned);
    congru_spectral_congruence(kernel, vectors, d, d, d_turned, congru_shared(rotation->r, d), d_w,
                               own->matrices[3]);
    /* dR = 2 sum (dW' R) W, the first factor being what the congruence left behind */
    memset(own->chains, 0, CONGRU_GROUP * d * d * sizeof(double));
    kernel->add_product(vectors, d, d, d, congru_per_lane(own->matrices[3], d), congru_per_lane(w, d),
                        own->chains);
    kernel->fold(d * d, own->chains, plain);
    for (size_t e = 0; e < d * d; e++)
        rotation->d_r[e] += 2.0 * plain[e];
    to_rows(node, d_w);
    for (size_t k = 0; k < node->out.rows; k++)
        memcpy(gradient + k * features, own->weight + k * node->in[0].size, features * sizeof(double));
    return CONGRU_OK;
}

const congru_layer congru_layer_turned_dense = {
    .name = "dense behind a rotation",
    .traits = CONGRU_TRAIT_READS_X,
    .state = sizeof(dense),
    .plan = turned_plan,
    .prepare = turned_prepare,
    .trials = {dense_forward, dense_backward},
    .finish = turned_finish,
};

/* ---- Of an image or a signal: y = W x + b ------------------------------------------------------------ */

/* The weights with zeros where x has its border and padding: (classes, reals of x). */
typedef struct readout {
    congru_real *weight;
} readout;

static void readout_plan(congru_node *node)
{
    const size_t classes = node->out.rows, reals = congru_extent_reals(&node->in[0]);
    node->sum_size[0] = classes * reals;
    node->sum_size[1] = node->need.lanes[0] = classes;
    node->need.plain[0] = CONGRU_STEP_CHUNK * classes;
    ((readout *)node->state)->weight = congru_take_reals(node, classes * reals);
}

static void set_class(void *user, size_t k, int worker)
{
    (void)worker;
    const congru_node *node = user;
    const congru_extent *in = &node->in[0];
    const size_t reals = congru_extent_reals(in), places = congru_extent_places(in);
    const double *w = congru_node_value(node, 0) + k * places * in->cols;
    congru_real *own = ((const readout *)node->state)->weight + k * reals;
    memset(own, 0, reals * sizeof(congru_real));
    for (size_t p = 0; p < places; p++) {
        congru_real *to = own + congru_extent_place(in, p);
        for (size_t c = 0; c < in->cols; c++)
            to[c] = (congru_real)*w++;
    }
}

static congru_status readout_prepare(congru_node *node)
{
    congru_blocks_run(node->graph->context, node->sum_size[0], node->out.rows, set_class, node);
    return CONGRU_OK;
}

static void readout_forward(const congru_call *call)
{
    const readout *r = call->node->state;
    const size_t classes = call->node->out.rows, reals = congru_extent_reals(&call->node->in[0]);
    double *scores = call->work.lanes[0];
    call->kernel->real->dots(call->count, classes, reals, congru_call_x(call, 0), reals, r->weight, scores);
    for (size_t e = 0; e < call->count * classes; e++)
        scores[e] += call->weight[1][e % classes];
    call->kernel->pack(call->vectors, call->count, classes, 1, scores, call->y);
}

/* dW = sum dy x^T, db = sum dy, dx = W^T dy. */
static void readout_backward(const congru_call *call)
{
    const readout *r = call->node->state;
    const size_t classes = call->node->out.rows, reals = congru_extent_reals(&call->node->in[0]);
    double *d_y = call->work.lanes[0];
    congru_real *d_real = call->work.plain[0];
    memset(call->sum[1], 0, classes * sizeof(double));
    call->kernel->unpack(call->vectors, call->count, classes, 1, call->d_y, d_y);
    call->kernel->real->outer(call->count, classes, reals, congru_call_x(call, 0), reals, d_y, call->sum[0]);
    for (size_t e = 0; e < call->count * classes; e++) {
        call->sum[1][e % classes] += d_y[e];
        d_real[e] = (congru_real)d_y[e];
    }
    if (call->d_x[0] != NULL)
        congru_call_product(call, call->count, reals, classes, (congru_window){d_real, classes, 0, 1},
                            r->weight, reals, congru_call_d_x(call, 0));
}

static void finish_class(void *user, size_t k, int worker)
{
    (void)worker;
    const congru_node *node = user;
    const congru_extent *in = &node->in[0];
    const size_t reals = congru_extent_reals(in), places = congru_extent_places(in);
    for (size_t chunk = 0; chunk < congru_graph_used_chunks(node->graph); chunk++) {
        double *d_w = congru_node_gradient(node, 0) + k * places * in->cols;
        const double *sum = node->sum[0] + chunk * node->sum_size[0] + k * reals;
        for (size_t p = 0; p < places; p++) {
            const double *from = sum + congru_extent_place(in, p);
            for (size_t c = 0; c < in->cols; c++)
                *d_w++ += from[c];
        }
    }
}

static congru_status readout_finish(congru_node *node)
{
    congru_blocks_run(node->graph->context, node->sum_size[0], node->out.rows, finish_class, node);
    congru_node_add_sums(node, 1, 1.0, congru_node_gradient(node, 1));
    return CONGRU_OK;
}

const congru_layer congru_layer_readout = {
    .name = "readout",
    .traits = CONGRU_TRAIT_READS_X,
    .state = sizeof(readout),
    .plan = readout_plan,
    .prepare = readout_prepare,
    .trials = {readout_forward, readout_backward},
    .finish = readout_finish,
};

/* ---- Of the samples of a signal, each by itself or several joined: y = x W + b ----------------------- */

/* Weights (joined channels, out) and (1, out): in.rows / out.rows samples are joined into one. Rows of all trials of a chunk
 * follow each other without a gap, so that each of the three products is one for the whole chunk. */
typedef struct linear {
    size_t joined;
    congru_real *weight; /* (joined, channels, step of the output) */
    congru_real *turned; /* (out, joined, step of the input) */
    congru_real *bias;   /* (step of the output) */
} linear;

static void linear_plan(congru_node *node)
{
    linear *l = node->state;
    const congru_extent *in = &node->in[0], *out = &node->out;
    l->joined = in->rows / out->rows;
    node->sum_size[0] = l->joined * in->cols * out->cols;
    node->sum_size[1] = out->cols;
    node->need.plain[0] = in->cols * out->step;
    node->need.plain[1] = l->joined > 1 ? out->cols * sizeof(double) / sizeof(congru_real) : 0;
    l->weight = congru_take_reals(node, l->joined * in->cols * out->step);
    l->turned = congru_take_reals(node, l->joined * out->cols * in->step);
    l->bias = congru_take_reals(node, out->step);
}

static congru_status linear_prepare(congru_node *node)
{
    const linear *l = node->state;
    const size_t in = node->in[0].cols, out = node->out.cols, rows = l->joined * in;
    const double *w = congru_node_value(node, 0);
    congru_reals_set(rows, out, node->out.step, w, l->weight);
    congru_reals_set(1, out, node->out.step, congru_node_value(node, 1), l->bias);
    memset(l->turned, 0, l->joined * out * node->in[0].step * sizeof(congru_real));
    for (size_t r = 0; r < rows; r++) {
        for (size_t o = 0; o < out; o++)
            l->turned[(o * l->joined + r / in) * node->in[0].step + r % in] = (congru_real)w[r * out + o];
    }
    return CONGRU_OK;
}

/* Sums over many samples, in the chains of `dots`: one chain would lose a digit. */
static void joined_forward(const congru_call *call)
{
    const linear *l = call->node->state;
    const congru_extent *in = &call->node->in[0], *out = &call->node->out;
    const size_t size = l->joined * in->step, cols = out->step;
    double *sum = congru_call_room(call, 1);
    congru_real *y = congru_call_y(call, 0);
    for (size_t r = 0; r < congru_call_samples(call); r++, y += cols) {
        call->kernel->real->dots(1, out->cols, size, congru_call_x(call, 0) + r * size, size, l->turned, sum);
        memset(y, 0, cols * sizeof(congru_real));
        for (size_t o = 0; o < out->cols; o++)
            y[o] = (congru_real)(sum[o] + (double)l->bias[o]);
    }
}

static void linear_forward(const congru_call *call)
{
    const linear *l = call->node->state;
    const congru_extent *in = &call->node->in[0], *out = &call->node->out;
    const size_t cols = out->step, rows = congru_call_samples(call);
    if (l->joined > 1) {
        joined_forward(call);
        return;
    }
    congru_call_product(call, rows, out->cols, in->cols,
                        (congru_window){congru_call_x(call, 0), in->step, 0, 1}, l->weight, cols,
                        congru_call_y(call, 0));
    call->kernel->real->shift(rows, cols, l->bias, congru_call_y(call, 0));
}

/* Sums over some trials in single precision are added to those of the chunk. */
static void linear_backward(const congru_call *call)
{
    const linear *l = call->node->state;
    const congru_real_kernel *real = call->kernel->real;
    const congru_extent *in = &call->node->in[0], *out = &call->node->out;
    congru_real *own = call->work.plain[0];
    congru_call_clear(call);
    for (size_t m = 0; m < call->count; m += CONGRU_GROUP) {
        const size_t trials = call->count - m < CONGRU_GROUP ? call->count - m : CONGRU_GROUP,
                     rows = trials * out->rows;
        const congru_real *d_y = congru_call_d_y(call, m);
        for (size_t k = 0; k < l->joined; k++) {
            congru_call_product(
                call, in->cols, out->cols, rows,
                (congru_window){congru_call_x(call, m) + k * in->step, 1, 0, l->joined * in->step}, d_y,
                out->step, own);
            real->collect(in->cols, out->cols, own, out->step, call->sum[0] + k * in->cols * out->cols);
        }
        for (size_t r = 0; r < rows; r++)
            real->collect(1, out->cols, d_y + r * out->step, out->step, call->sum[1]);
    }
    for (size_t k = 0; k < l->joined && call->d_x[0] != NULL; k++)
        congru_call_product(call, congru_call_samples(call), in->cols, out->cols,
                            (congru_window){congru_call_d_y(call, 0), out->step, 0, 1},
                            l->turned + k * in->step, l->joined * in->step,
                            congru_call_d_x(call, 0) + k * in->step);
}

const congru_layer congru_layer_linear = {
    .name = "linear",
    .traits = CONGRU_TRAIT_READS_X,
    .state = sizeof(linear),
    .plan = linear_plan,
    .prepare = linear_prepare,
    .trials = {linear_forward, linear_backward},
    .finish = congru_node_sum_gradients,
};

/* ---- Class probabilities of scores: y_k = exp(x_k) / sum exp(x), over the classes there are ---------- */

static void softmax_plan(congru_node *node)
{
    node->saved_size[0] = node->out.size;
}

static void softmax_forward(const congru_call *call)
{
    const congru_softmax *softmax = call->node->state;
    const size_t classes = call->node->out.rows, width = call->kernel->width;
    for (size_t m = 0; m < call->vectors * width; m++) {
        const size_t from = congru_call_lane(call, classes, m);
        const double *x = call->x[0] + from;
        double *y = call->y + from, largest = -INFINITY, total = 0.0;
        for (size_t k = 0; k < classes; k++)
            if (softmax->present[k] != 0.0 && x[k * width] > largest)
                largest = x[k * width];
        for (size_t k = 0; k < classes; k++) {
            y[k * width] = softmax->present[k] != 0.0 ? congru_scalar_exp(x[k * width] - largest) : 0.0;
            total += y[k * width];
        }
        for (size_t k = 0; k < classes; k++)
            y[k * width] /= total;
    }
    memcpy(call->saved[0], call->y, congru_call_doubles(call, classes) * sizeof(double));
}

/* dx_k = y_k (dy_k - sum y dy) */
static void softmax_backward(const congru_call *call)
{
    const size_t classes = call->node->out.rows, width = call->kernel->width;
    for (size_t m = 0; m < call->vectors * width; m++) {
        const size_t from = congru_call_lane(call, classes, m);
        const double *y = call->saved[0] + from, *d_y = call->d_y + from;
        double sum = 0.0;
        for (size_t k = 0; k < classes; k++)
            sum += y[k * width] * d_y[k * width];
        for (size_t k = 0; k < classes; k++)
            call->d_x[0][from + k * width] = y[k * width] * (d_y[k * width] - sum);
    }
}

const congru_layer congru_layer_softmax = {
    .name = "softmax",
    .state = sizeof(congru_softmax),
    .plan = softmax_plan,
    .trials = {softmax_forward, softmax_backward},
};
