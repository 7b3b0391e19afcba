/* The logarithm of a congruence that widens, by a decomposition of the narrow side. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/scalar_math.h"
#include "network/graph.h"

/* With W^T = Q R, Q (out, in) and R (in, in), Y = W^T X W + eps I has the eigenvalues of B = R X R^T + eps I, and eps
 * beside them: log Y = Q (log B - log eps I) Q^T + log eps I. */
typedef struct wide {
    double *q, *r;
    double *scratch; /* 2 (out, out) */
} wide;

static congru_function logarithm(const congru_node *node)
{
    return (congru_function){CONGRU_FUNCTION_LOG, 0.0, node->number[1]};
}

static void plan(congru_graph *graph, congru_node *node)
{
    (void)graph;
    const size_t in = node->in[0].rows, out = node->out.rows;
    node->saved_size[0] = in;
    node->saved_size[1] = node->saved_size[2] = in * in;
    node->sum_size[0] = node->need.chains[0] = in * out;
    node->sum_size[1] = node->need.chains[1] = in * in;
    node->need.spectral = in + 1; /* divided differences are taken with one value beyond those of the matrix */
    for (size_t k = 0; k < 5; k++)
        node->need.lanes[k] = in * out;
    node->need.lanes[5] = in + 1;
}

static void layout(congru_arena *arena, congru_graph *graph, congru_node *node)
{
    (void)graph;
    wide *w = node->state;
    const size_t in = node->in[0].rows, out = node->out.rows;
    w->q = congru_arena_take(arena, out * in, sizeof(double));
    w->r = congru_arena_take(arena, in * in, sizeof(double));
    w->scratch = congru_arena_take(arena, 2 * out * out, sizeof(double));
}

/* Column k of a (rows, cols), from row k on, becomes its reflector, which is applied to the columns after it; the
 * diagonal of R is returned. The reflector is scaled so that H = I - v v^T. */
static double reflect(size_t rows, size_t cols, size_t k, double *a)
{
    double square = 0.0;
    for (size_t i = k; i < rows; i++)
        square += a[i * cols + k] * a[i * cols + k];
    if (square == 0.0)
        return 0.0;
    const double head = a[k * cols + k], norm = sqrt(square), diagonal = head > 0.0 ? -norm : norm;
    const double scale = 1.0 / sqrt(square - head * diagonal);
    a[k * cols + k] = head - diagonal;
    for (size_t i = k; i < rows; i++)
        a[i * cols + k] *= scale;
    for (size_t j = k + 1; j < cols; j++) {
        double dot = 0.0;
        for (size_t i = k; i < rows; i++)
            dot += a[i * cols + k] * a[i * cols + j];
        for (size_t i = k; i < rows; i++)
            a[i * cols + j] -= dot * a[i * cols + k];
    }
    return diagonal;
}

/* W^T = Q R by Householder's reflections: orthonormal whatever the rank of W. */
static congru_status prepare(congru_graph *graph, congru_node *node)
{
    const wide *own = node->state;
    const size_t rows = node->out.rows, cols = node->in[0].rows;
    const double *w = congru_graph_value(graph, node, 0);
    double *a = own->scratch, *q = own->q, *r = own->r;
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < cols; j++)
            a[i * cols + j] = w[j * rows + i];
    }
    memset(r, 0, cols * cols * sizeof(double));
    for (size_t k = 0; k < cols; k++) {
        r[k * cols + k] = reflect(rows, cols, k, a);
        for (size_t j = k + 1; j < cols; j++)
            r[k * cols + j] = a[k * cols + j];
    }
    memset(q, 0, rows * cols * sizeof(double));
    for (size_t k = cols; k-- > 0;) {
        q[k * cols + k] = 1.0;
        const bool none = r[k * cols + k] == 0.0;
        for (size_t j = k; j < cols && !none; j++) {
            double dot = 0.0;
            for (size_t i = k; i < rows; i++)
                dot += a[i * cols + k] * q[i * cols + j];
            for (size_t i = k; i < rows; i++)
                q[i * cols + j] -= dot * a[i * cols + k];
        }
    }
    return CONGRU_OK;
}

/* Saves the eigenvalues of B, its eigenvectors, and N = X R^T. */
static void forward(const congru_call *call)
{
    const congru_kernel *kernel = call->kernel;
    const wide *w = call->node->state;
    const size_t in = call->node->in[0].rows, out = call->node->out.rows, vectors = call->vectors;
    const double jitter = call->node->number[0], floor = call->node->number[1];
    const double constant = congru_scalar_log(jitter > floor ? jitter : floor);
    double *values = call->saved[0], *z = call->saved[1], *n = call->saved[2], *b = call->work.lanes[0];
    kernel->product(vectors, in, in, in, congru_per_lane(call->x[0], in), congru_shared_transposed(w->r, in),
                    CONGRU_PRODUCT_SET, n);
    kernel->product(vectors, in, in, in, congru_shared(w->r, in), congru_per_lane(n, in),
                    CONGRU_PRODUCT_SYMMETRIC, b);
    kernel->add_diagonal(vectors, in, jitter, b);
    congru_call_eigen(call, in, b, values, z);
    congru_call_watch(call, in, values, false);
    congru_spectral_forward(kernel, vectors, in, logarithm(call->node), values, z, b, &call->work.spectral);
    kernel->add_diagonal(vectors, in, -constant, b);
    kernel->product(vectors, out, in, in, congru_shared(w->q, in), congru_per_lane(b, in), CONGRU_PRODUCT_SET,
                    call->work.lanes[1]);
    kernel->product(vectors, out, out, in, congru_per_lane(call->work.lanes[1], in),
                    congru_shared_transposed(w->q, in), CONGRU_PRODUCT_SYMMETRIC, call->y);
    kernel->add_diagonal(vectors, out, constant, call->y);
}

/* loewner (core + 1, core + 1) of the eigenvalues and eps; its core part times s. */
static void wide_differences(const congru_call *call, size_t core, double *loewner, double *s)
{
    const congru_kernel *kernel = call->kernel;
    const size_t width = kernel->width, one = core + 1;
    double *value = call->work.lanes[5];
    for (size_t v = 0; v < call->vectors; v++) {
        memcpy(value + v * one * width, call->saved[0] + v * core * width, core * width * sizeof(double));
        for (size_t lane = 0; lane < width; lane++)
            value[(v * one + core) * width + lane] = call->node->number[0];
    }
    kernel->loewner(logarithm(call->node), call->vectors, one, value, loewner, call->work.spectral.row);
    for (size_t v = 0; v < call->vectors; v++) {
        for (size_t i = 0; i < core; i++)
            kernel->multiply(core * width, loewner + (v * one + i) * one * width,
                             s + (v * core + i) * core * width);
    }
}

/* F = Q^T dL and S = F Q; f becomes F - S Q^T. */
static void project(const congru_call *call, double *f, double *s, double *scratch)
{
    const congru_kernel *kernel = call->kernel;
    const wide *w = call->node->state;
    const size_t in = call->node->in[0].rows, out = call->node->out.rows, vectors = call->vectors;
    const congru_operand q = congru_shared(w->q, in), q_t = congru_shared_transposed(w->q, in);
    kernel->product(vectors, in, out, out, q_t, congru_per_lane(call->d_y, out), CONGRU_PRODUCT_SET, f);
    kernel->product(vectors, in, in, out, congru_per_lane(f, out), q, CONGRU_PRODUCT_SYMMETRIC, s);
    memset(scratch, 0, congru_call_doubles(call, in * in) * sizeof(double));
    kernel->combine(congru_call_doubles(call, in * in), -1.0, s, 1.0, scratch);
    kernel->product(vectors, in, out, in, congru_per_lane(scratch, in), q_t, CONGRU_PRODUCT_ADD, f);
}

/* With dL the derivative by log Y, F = Q^T dL, S = F Q and dB = D log(B)* S:
 * dX = R^T dB R, and dW = 2 X W dY = 2 X R^T (dB Q^T + H (F - S Q^T)), where H = V k V^T has for k the divided
 * differences of each eigenvalue of B with eps: the directions outside of Q's all have that one. */
static void backward(const congru_call *call)
{
    const congru_kernel *kernel = call->kernel;
    const wide *w = call->node->state;
    const size_t in = call->node->in[0].rows, out = call->node->out.rows, vectors = call->vectors;
    const size_t width = kernel->width;
    const double *z = call->saved[1], *n = call->saved[2];
    double *const *m = call->work.lanes, *f = m[0], *s = m[1], *turned = m[2], *scratch = m[3], *d_b = m[4];
    double *loewner = call->work.spectral.second;
    project(call, f, s, scratch);
    congru_spectral_congruence(kernel, vectors, in, in, s, congru_per_lane(z, in), turned, scratch);
    wide_differences(call, in, loewner, turned);
    congru_spectral_congruence(kernel, vectors, in, in, turned, congru_per_lane_transposed(z, in), d_b,
                               scratch);
    memset(call->work.chains[0], 0, CONGRU_GROUP * in * out * sizeof(double));
    memset(call->work.chains[1], 0, CONGRU_GROUP * in * in * sizeof(double));
    kernel->add_product(vectors, in, in, in, congru_per_lane(n, in), congru_per_lane(d_b, in),
                        call->work.chains[1]);
    congru_call_fold(call, 1);
    /* N V k, then times V^T f */
    kernel->product(vectors, in, in, in, congru_per_lane(n, in), congru_per_lane(z, in), CONGRU_PRODUCT_SET,
                    turned);
    for (size_t v = 0; v < vectors; v++)
        memcpy(m[5] + v * in * width, loewner + (v * (in + 1) + in) * (in + 1) * width,
               in * width * sizeof(double));
    kernel->scale_columns(vectors, in, turned, m[5], s);
    kernel->product(vectors, in, out, in, congru_per_lane_transposed(z, in), congru_per_lane(f, out),
                    CONGRU_PRODUCT_SET, turned);
    kernel->add_product(vectors, in, out, in, congru_per_lane(s, in), congru_per_lane(turned, out),
                        call->work.chains[0]);
    congru_call_fold(call, 0);
    if (call->d_x[0] != NULL)
        congru_spectral_congruence(kernel, vectors, in, in, d_b, congru_shared(w->r, in), call->d_x[0],
                                   scratch);
}

static congru_status finish(congru_graph *graph, congru_node *node)
{
    const wide *w = node->state;
    const size_t in = node->in[0].rows, out = node->out.rows;
    double *d_w = congru_graph_gradient(graph, node, 0), *core = w->scratch, *q_t = core + in * in;
    memset(core, 0, in * in * sizeof(double));
    congru_graph_add_sums(graph, in * in, node->sum[1], core);
    for (size_t i = 0; i < in; i++) {
        for (size_t j = 0; j < out; j++)
            q_t[i * out + j] = w->q[j * in + i];
    }
    graph->context->kernel->dense(in, out, in, congru_shared(core, in), q_t, false, d_w);
    congru_graph_add_sums(graph, in * out, node->sum[0], d_w);
    for (size_t e = 0; e < in * out; e++)
        d_w[e] *= 2.0;
    return CONGRU_OK;
}

const congru_layer congru_layer_wide_logarithm = {
    .name = "logarithm of a widening congruence",
    .plan = plan,
    .state = {sizeof(wide), layout, prepare},
    .trials = {forward, backward},
    .finish = finish,
};
