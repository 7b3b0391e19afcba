/* Layers of symmetric matrices: congruences, functions of eigenvalues, means, blocks, rows; and covariances. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "base/scalar_math.h"
#include "network/layers/layers.h"

/* ---- Congruence: Y = W^T X W + eps I ----------------------------------------------------------------- */

void congru_congruence_forward(const congru_call *call, const double *w)
{
    const size_t in = call->node->in[0].rows, out = call->node->out.rows;
    congru_spectral_congruence(call->kernel, call->vectors, in, out, call->x[0], congru_shared(w, out), call->y,
                               call->saved[0]);
}

void congru_congruence_backward(const congru_call *call, const double *w)
{
    const congru_kernel *kernel = call->kernel;
    const size_t in = call->node->in[0].rows, out = call->node->out.rows;
    double *product = call->work.lanes[0];
    congru_call_sum(call, 0, in, out, out, congru_per_lane(call->saved[0], out),
                    congru_per_lane(call->d_y, out));
    if (call->d_x[0] == NULL)
        return;
    kernel->product(call->vectors, in, out, out, congru_shared(w, out), congru_per_lane(call->d_y, out),
                    CONGRU_PRODUCT_SET, product);
    kernel->product(call->vectors, in, in, out, congru_per_lane(product, out), congru_shared_transposed(w, out),
                    CONGRU_PRODUCT_SYMMETRIC, call->d_x[0]);
}

static void congruence_plan(congru_node *node)
{
    node->saved_size[0] = node->sum_size[0] = node->need.lanes[0] = node->need.chains[0] =
        node->in[0].rows * node->out.rows;
}

static void congruence_forward(const congru_call *call)
{
    congru_congruence_forward(call, call->weight[0]);
    call->kernel->add_diagonal(call->vectors, call->node->out.rows, call->node->number[0], call->y);
}

static void congruence_backward(const congru_call *call)
{
    congru_congruence_backward(call, call->weight[0]);
}

static congru_status congruence_finish(congru_node *node)
{
    congru_node_add_sums(node, 0, 2.0, congru_node_gradient(node, 0));
    return CONGRU_OK;
}

const congru_layer congru_layer_congruence = {
    .name = "congruence",
    .plan = congruence_plan,
    .trials = {congruence_forward, congruence_backward},
    .finish = congruence_finish,
};

/* ---- A chain of congruences as the one affine congruence it is: Y = T^T X T + K ---------------------- */

static const congru_segment *link_of(const congru_node *node, size_t l)
{
    return &node->graph->parameters->segment[((const congru_affine *)node->state)->weight[l - 1]];
}

/* T_l = W_1 ... W_l and K_l = W_l^T K_(l-1) W_l + eps I, so that layer l's output is T_l^T X T_l + K_l. */
static void affine_plan(congru_node *node)
{
    congru_affine *a = node->state;
    const size_t d = node->in[0].rows, out = node->out.rows;
    double **matrices[] = {&a->d_t, &a->d_k, &a->next_d_t, &a->next_d_k, &a->product, &a->transposed};
    node->saved_size[0] = node->sum_size[0] = node->need.chains[0] = d * out;
    node->sum_size[1] = node->need.chains[1] = out * out;
    a->largest = out;
    for (size_t l = 1; l <= a->layers; l++) {
        const congru_segment *w = link_of(node, l);
        a->largest = w->rows > a->largest ? w->rows : a->largest;
        a->t[l] = congru_take_doubles(node, d * w->cols);
        a->k[l] = congru_take_doubles(node, w->cols * w->cols);
    }
    for (size_t k = 0; k < sizeof matrices / sizeof matrices[0]; k++)
        *matrices[k] = congru_take_doubles(node, a->largest * a->largest);
}

/* T and K of every depth. */
static congru_status affine_prepare(congru_node *node)
{
    congru_affine *a = node->state;
    const congru_kernel *kernel = node->graph->context->kernel;
    const size_t d = node->in[0].rows;
    for (size_t l = 1; l <= a->layers; l++) {
        const size_t in = link_of(node, l)->rows, out = link_of(node, l)->cols;
        const double *w = link_of(node, l)->value;
        if (l > 1) {
            kernel->dense(d, out, in, congru_shared(a->t[l - 1], in), w, false, a->t[l]);
            kernel->dense(in, out, in, congru_shared(a->k[l - 1], in), w, false, a->product);
            kernel->dense(out, out, in, congru_shared_transposed(w, out), a->product, false, a->k[l]);
        } else {
            memcpy(a->t[1], w, d * out * sizeof(double));
            memset(a->k[1], 0, out * out * sizeof(double));
        }
        for (size_t i = 0; i < out; i++)
            a->k[l][i * (out + 1)] += node->number[0];
    }
    return CONGRU_OK;
}

/* Saves N = X T. */
static void affine_forward(const congru_call *call)
{
    const congru_affine *a = call->node->state;
    const congru_kernel *kernel = call->kernel;
    const size_t d = call->node->in[0].rows, out = call->node->out.rows;
    const double *t = a->t[a->layers];
    kernel->product(call->vectors, d, out, d, congru_per_lane(call->x[0], d), congru_shared(t, out),
                    CONGRU_PRODUCT_SET, call->saved[0]);
    kernel->spread(call->vectors, out * out, a->k[a->layers], call->y);
    kernel->product(call->vectors, out, out, d, congru_shared_transposed(t, out),
                    congru_per_lane(call->saved[0], out), CONGRU_PRODUCT_SYMMETRIC_ADD, call->y);
}

/* dT = 2 N dY, dK = dY. */
static void affine_backward(const congru_call *call)
{
    const size_t d = call->node->in[0].rows, out = call->node->out.rows;
    congru_call_sum(call, 0, d, out, out, congru_per_lane(call->saved[0], out),
                    congru_per_lane(call->d_y, out));
    call->kernel->add_lanes(call->vectors, out * out, call->d_y, congru_call_chains(call, 1));
    congru_call_fold(call, 1);
}

/* Back through T_l = T_(l-1) W_l and K_l = W_l^T K_(l-1) W_l + eps I: d_t and d_k become those of depth l - 1. */
static void chain_backward(const congru_node *node, size_t l)
{
    congru_affine *a = node->state;
    const congru_kernel *kernel = node->graph->context->kernel;
    const congru_segment *segment = link_of(node, l);
    const size_t d = node->in[0].rows, in = segment->rows, out = segment->cols;
    const double *w = segment->value;
    double *d_w = node->graph->parameters->gradient + segment->offset, *swap;
    /* W dK, which both derivatives have */
    kernel->dense(in, out, out, congru_shared(w, out), a->d_k, false, a->product);
    kernel->dense(in, out, in, congru_shared(a->k[l - 1], in), a->product, false, d_w);
    for (size_t e = 0; e < in * out; e++)
        d_w[e] *= 2.0;
    kernel->dense(in, out, d, congru_shared_transposed(a->t[l - 1], in), a->d_t, true, d_w);
    for (size_t e = 0; e < in * out; e++)
        a->transposed[e % out * in + e / out] = w[e];
    kernel->dense(in, in, out, congru_shared(a->product, out), a->transposed, false, a->next_d_k);
    kernel->dense(d, in, out, congru_shared(a->d_t, out), a->transposed, false, a->next_d_t);
    swap = a->d_k, a->d_k = a->next_d_k, a->next_d_k = swap;
    swap = a->d_t, a->d_t = a->next_d_t, a->next_d_t = swap;
}

static congru_status affine_finish(congru_node *node)
{
    congru_affine *a = node->state;
    const congru_segment *first = link_of(node, 1);
    memset(a->d_t, 0, node->sum_size[0] * sizeof(double));
    memset(a->d_k, 0, node->sum_size[1] * sizeof(double));
    congru_node_add_sums(node, 0, 2.0, a->d_t);
    congru_node_add_sums(node, 1, 1.0, a->d_k);
    for (size_t l = a->layers; l > 1; l--)
        chain_backward(node, l);
    memcpy(node->graph->parameters->gradient + first->offset, a->d_t,
           first->rows * first->cols * sizeof(double));
    return CONGRU_OK;
}

const congru_layer congru_layer_affine = {
    .name = "affine congruence",
    .state = sizeof(congru_affine),
    .plan = affine_plan,
    .prepare = affine_prepare,
    .trials = {affine_forward, affine_backward},
    .finish = affine_finish,
};

/* ---- Functions of eigenvalues ------------------------------------------------------------------------ */

static void function_plan(congru_node *node)
{
    const size_t d = node->in[0].rows;
    node->saved_size[0] = d;
    node->saved_size[1] = node->need.lanes[0] = d * d;
    node->need.spectral = d;
}

static congru_function function_of(const congru_node *node)
{
    return (congru_function){node->layer->function, node->number[0], node->number[1]};
}

/* Saves the eigenvalues and the eigenvectors. */
static void function_forward(const congru_call *call)
{
    const size_t d = call->node->in[0].rows;
    const congru_function function = function_of(call->node);
    double *a = call->node->spends ? (double *)call->x[0] : call->work.lanes[0];
    if (!call->node->spends)
        memcpy(a, call->x[0], congru_call_doubles(call, d * d) * sizeof(double));
    congru_call_eigen(call, d, a, call->saved[0], call->saved[1]);
    congru_call_watch(call, d, call->saved[0], function.kind == CONGRU_FUNCTION_EXP);
    congru_spectral_forward(call->kernel, call->vectors, d, function, call->saved[0], call->saved[1], call->y,
                            &call->work.spectral);
}

static void function_backward(const congru_call *call)
{
    congru_spectral_backward(call->kernel, call->vectors, call->node->in[0].rows, function_of(call->node),
                             call->saved[0], call->saved[1], call->d_y, call->d_x[0], &call->work.spectral);
}

/* Y = log(max(X + jitter I, floor)), exp(number[0] X), and ReEig: eigenvalues below the floor become it. */
const congru_layer congru_layer_logarithm = {.name = "logarithm",
                                             .function = CONGRU_FUNCTION_LOG,
                                             .plan = function_plan,
                                             .trials = {function_forward, function_backward}};
const congru_layer congru_layer_exponential = {.name = "exponential",
                                               .function = CONGRU_FUNCTION_EXP,
                                               .plan = function_plan,
                                               .trials = {function_forward, function_backward}};
const congru_layer congru_layer_rectify = {.name = "rectification",
                                           .function = CONGRU_FUNCTION_RECTIFY,
                                           .plan = function_plan,
                                           .trials = {function_forward, function_backward}};

/* ---- The logarithm of a congruence that widens, by a decomposition of the narrow side ---------------- */

/* With W^T = Q R, Q (out, in) and R (in, in), Y = W^T X W + eps I has the eigenvalues of B = R X R^T + eps I, and eps
 * beside them: log Y = Q (log B - log eps I) Q^T + log eps I. */
typedef struct wide {
    double *q, *r;
    double *scratch; /* 2 (out, out) */
} wide;

static congru_function wide_function(const congru_node *node)
{
    return (congru_function){CONGRU_FUNCTION_LOG, 0.0, node->number[1]};
}

static void wide_plan(congru_node *node)
{
    wide *w = node->state;
    const size_t in = node->in[0].rows, out = node->out.rows;
    node->saved_size[0] = in;
    node->saved_size[1] = node->saved_size[2] = in * in;
    node->sum_size[0] = node->need.chains[0] = in * out;
    node->sum_size[1] = node->need.chains[1] = in * in;
    node->need.spectral = in + 1; /* divided differences are taken with one value beyond those of the matrix */
    for (size_t k = 0; k < 5; k++)
        node->need.lanes[k] = in * out;
    node->need.lanes[5] = in + 1;
    w->q = congru_take_doubles(node, out * in);
    w->r = congru_take_doubles(node, in * in);
    w->scratch = congru_take_doubles(node, 2 * out * out);
}

/* Column j of b (rows, cols), from row k on, less the reflector v in column k of a times its product with v. */
static void reflect_column(size_t rows, size_t cols, size_t k, const double *a, size_t j, double *b)
{
    double dot = 0.0;
    for (size_t i = k; i < rows; i++)
        dot += a[i * cols + k] * b[i * cols + j];
    for (size_t i = k; i < rows; i++)
        b[i * cols + j] -= dot * a[i * cols + k];
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
    for (size_t j = k + 1; j < cols; j++)
        reflect_column(rows, cols, k, a, j, a);
    return diagonal;
}

/* W^T = Q R by Householder's reflections: orthonormal whatever the rank of W. */
static congru_status wide_prepare(congru_node *node)
{
    const wide *own = node->state;
    const size_t rows = node->out.rows, cols = node->in[0].rows;
    const double *w = congru_node_value(node, 0);
    double *a = own->scratch, *q = own->q, *r = own->r;
    for (size_t e = 0; e < rows * cols; e++)
        a[e] = w[e % cols * rows + e / cols];
    memset(r, 0, cols * cols * sizeof(double));
    for (size_t k = 0; k < cols; k++) {
        r[k * cols + k] = reflect(rows, cols, k, a);
        for (size_t j = k + 1; j < cols; j++)
            r[k * cols + j] = a[k * cols + j];
    }
    memset(q, 0, rows * cols * sizeof(double));
    for (size_t k = cols; k-- > 0;) {
        q[k * cols + k] = 1.0;
        for (size_t j = k; j < cols && r[k * cols + k] != 0.0; j++)
            reflect_column(rows, cols, k, a, j, q);
    }
    return CONGRU_OK;
}

/* Saves the eigenvalues of B, its eigenvectors, and N = X R^T. */
static void wide_forward(const congru_call *call)
{
    const congru_kernel *kernel = call->kernel;
    const wide *w = call->node->state;
    const size_t in = call->node->in[0].rows, out = call->node->out.rows, vectors = call->vectors;
    const double jitter = call->node->number[0], floor = call->node->number[1];
    const double constant = congru_scalar_log(jitter > floor ? jitter : floor);
    double *values = call->saved[0], *z = call->saved[1], *b = call->work.lanes[0];
    congru_spectral_congruence(kernel, vectors, in, in, call->x[0], congru_shared_transposed(w->r, in), b,
                               call->saved[2]);
    kernel->add_diagonal(vectors, in, jitter, b);
    congru_call_eigen(call, in, b, values, z);
    congru_call_watch(call, in, values, false);
    congru_spectral_forward(kernel, vectors, in, wide_function(call->node), values, z, b, &call->work.spectral);
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
    kernel->loewner(wide_function(call->node), call->vectors, one, value, loewner, call->work.spectral.row);
    for (size_t v = 0; v < call->vectors; v++) {
        for (size_t i = 0; i < core; i++)
            kernel->multiply(core * width, loewner + (v * one + i) * one * width,
                             s + (v * core + i) * core * width);
    }
}

/* F = Q^T dL and S = F Q; f becomes F - S Q^T. */
static void wide_project(const congru_call *call, double *f, double *s, double *scratch)
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
static void wide_backward(const congru_call *call)
{
    const congru_kernel *kernel = call->kernel;
    const wide *w = call->node->state;
    const size_t in = call->node->in[0].rows, out = call->node->out.rows, vectors = call->vectors;
    const size_t width = kernel->width;
    const double *z = call->saved[1], *n = call->saved[2];
    double *const *m = call->work.lanes, *f = m[0], *s = m[1], *turned = m[2], *scratch = m[3], *d_b = m[4];
    double *loewner = call->work.spectral.second;
    wide_project(call, f, s, scratch);
    congru_spectral_congruence(kernel, vectors, in, in, s, congru_per_lane(z, in), turned, scratch);
    wide_differences(call, in, loewner, turned);
    congru_spectral_congruence(kernel, vectors, in, in, turned, congru_per_lane_transposed(z, in), d_b,
                               scratch);
    congru_call_sum(call, 1, in, in, in, congru_per_lane(n, in), congru_per_lane(d_b, in));
    /* N V k, then times V^T f */
    kernel->product(vectors, in, in, in, congru_per_lane(n, in), congru_per_lane(z, in), CONGRU_PRODUCT_SET,
                    turned);
    for (size_t v = 0; v < vectors; v++)
        memcpy(m[5] + v * in * width, loewner + (v * (in + 1) + in) * (in + 1) * width,
               in * width * sizeof(double));
    kernel->scale_columns(vectors, in, turned, m[5], s);
    kernel->product(vectors, in, out, in, congru_per_lane_transposed(z, in), congru_per_lane(f, out),
                    CONGRU_PRODUCT_SET, turned);
    congru_call_sum(call, 0, in, out, in, congru_per_lane(s, in), congru_per_lane(turned, out));
    if (call->d_x[0] != NULL)
        congru_spectral_congruence(kernel, vectors, in, in, d_b, congru_shared(w->r, in), call->d_x[0],
                                   scratch);
}

static congru_status wide_finish(congru_node *node)
{
    const wide *w = node->state;
    const size_t in = node->in[0].rows, out = node->out.rows;
    double *d_w = congru_node_gradient(node, 0), *core = w->scratch, *q_t = core + in * in;
    memset(core, 0, in * in * sizeof(double));
    congru_node_add_sums(node, 1, 2.0, core);
    for (size_t e = 0; e < in * out; e++)
        q_t[e] = w->q[e % out * in + e / out];
    node->graph->context->kernel->dense(in, out, in, congru_shared(core, in), q_t, false, d_w);
    congru_node_add_sums(node, 0, 2.0, d_w);
    return CONGRU_OK;
}

const congru_layer congru_layer_wide_logarithm = {
    .name = "logarithm of a widening congruence",
    .state = sizeof(wide),
    .plan = wide_plan,
    .prepare = wide_prepare,
    .trials = {wide_forward, wide_backward},
    .finish = wide_finish,
};

/* ---- The mean of two: Y = (A + B) / 2 ---------------------------------------------------------------- */

static void merge_forward(const congru_call *call)
{
    const size_t count = congru_call_doubles(call, call->node->out.size);
    memcpy(call->y, call->x[0], count * sizeof(double));
    call->kernel->combine(count, 0.5, call->x[1], 0.5, call->y);
}

static void merge_backward(const congru_call *call)
{
    const size_t count = congru_call_doubles(call, call->node->out.size);
    for (size_t k = 0; k < 2; k++) {
        if (call->d_x[k] == NULL)
            continue;
        memset(call->d_x[k], 0, count * sizeof(double));
        call->kernel->combine(count, 0.5, call->d_y, 1.0, call->d_x[k]);
    }
}

const congru_layer congru_layer_merge = {.name = "merge", .trials = {merge_forward, merge_backward}};

/* ---- The leading principal block: Y = X[1:m, 1:m] ---------------------------------------------------- */

void congru_block_take(const congru_call *call, size_t d, size_t m, const double *a, double *block)
{
    const size_t width = call->kernel->width, row = m * width;
    for (size_t line = 0; line < call->vectors * m; line++)
        memcpy(block + line * row, a + (line / m * d + line % m) * d * width, row * sizeof(double));
}

void congru_block_give(const congru_call *call, size_t d, size_t m, const double *block, double *a)
{
    const size_t width = call->kernel->width, row = m * width;
    memset(a, 0, congru_call_doubles(call, d * d) * sizeof(double));
    for (size_t line = 0; line < call->vectors * m; line++)
        memcpy(a + (line / m * d + line % m) * d * width, block + line * row, row * sizeof(double));
}

static void block_forward(const congru_call *call)
{
    congru_block_take(call, call->node->in[0].rows, call->node->out.rows, call->x[0], call->y);
}

static void block_backward(const congru_call *call)
{
    congru_block_give(call, call->node->in[0].rows, call->node->out.rows, call->d_y, call->d_x[0]);
}

const congru_layer congru_layer_block = {.name = "block", .trials = {block_forward, block_backward}};

/* ---- The upper triangle as a vector ------------------------------------------------------------------ */

/* Row by row, off-diagonals times sqrt 2: the Euclidean geometry of vectors is the Frobenius geometry of matrices. */
void congru_row_to_matrix(size_t d, const double *row, double *matrix)
{
    const double half = sqrt(0.5);
    for (size_t i = 0; i < d; i++) {
        matrix[i * (d + 1)] = *row++;
        for (size_t j = i + 1; j < d; j++)
            matrix[i * d + j] = matrix[j * d + i] = half * *row++;
    }
}

void congru_row_of_matrix(size_t d, size_t stride, const double *matrix, double count, double *row)
{
    const double both = sqrt(2.0);
    memset(row, 0, stride * sizeof(double));
    for (size_t i = 0; i < d; i++) {
        *row++ = matrix[i * (d + 1)] / count;
        for (size_t j = i + 1; j < d; j++)
            *row++ = both * matrix[i * d + j] / count;
    }
}

static void triangle_plan(congru_node *node)
{
    node->out = congru_vector(congru_spd_tangent_size(node->in[0].rows));
}

static void triangle_forward(const congru_call *call)
{
    const congru_node *node = call->node;
    if (node->rows != NULL)
        call->kernel->sum_squares(call->vectors, node->in[0].size, call->x[0], node->rows->norm + call->first);
    call->kernel->triangle(call->vectors, node->in[0].rows, node->out.size, call->x[0], call->y);
}

static void triangle_backward(const congru_call *call)
{
    call->kernel->untriangle(call->vectors, call->node->in[0].rows, call->node->out.size, call->d_y,
                             call->d_x[0]);
}

const congru_layer congru_layer_triangle = {
    .name = "triangle",
    .plan = triangle_plan,
    .trials = {triangle_forward, triangle_backward},
};

/* ---- The covariance of a signal ---------------------------------------------------------------------- */

/* C = X^T X / (T - 1) of its channels about their means; number[0] is the shrinkage a, number[1] the jitter:
 * Y = (1 - a) C + (a tr C / d + jitter) I. The signal is of reals; its products are summed in double precision, one sum in
 * ascending order of time for each entry. Rows of doubles are padded with zeros to whole vectors. */
static size_t padded(size_t d)
{
    return (d + CONGRU_GROUP - 1) / CONGRU_GROUP * CONGRU_GROUP;
}

static void covariance_plan(congru_node *node)
{
    const congru_extent *in = &node->in[0];
    /* cppcheck-suppress duplicateExpression ; reals may be doubles */
    const size_t room = padded(in->cols) * (sizeof(double) / sizeof(congru_real));
    node->out = congru_matrix(in->cols);
    node->need.lanes[0] = in->cols * in->cols;
    node->need.plain[0] = node->need.plain[1] = in->rows * room;
    node->need.plain[2] = in->cols * room;
}

/* x (samples, padded channels) of one trial about its means. */
static void centre(const congru_extent *in, const congru_real *signal, double *x)
{
    const size_t d = in->cols, step = in->step, line = padded(d);
    memset(x, 0, in->rows * line * sizeof(double));
    for (size_t c = 0; c < d; c++) {
        double mean = 0.0;
        for (size_t t = 0; t < in->rows; t++)
            mean += (double)signal[t * step + c];
        mean /= (double)in->rows;
        for (size_t t = 0; t < in->rows; t++)
            x[t * line + c] = (double)signal[t * step + c] - mean;
    }
}

/* c (d, d) = (scale (1 - a)) c + (a scale tr c / d) I, scale being over T - 1: shrinkage, which is its own adjoint. */
static void shrink(const congru_node *node, double scale, double *c)
{
    const size_t d = node->in[0].cols, rows = node->in[0].rows;
    const double a = node->number[0];
    double trace = 0.0;
    scale *= 1.0 / (double)(rows > 1 ? rows - 1 : 1);
    for (size_t i = 0; i < d; i++)
        trace += c[i * (d + 1)];
    for (size_t e = 0; e < d * d; e++)
        c[e] *= scale * (1.0 - a);
    for (size_t i = 0; i < d; i++)
        c[i * (d + 1)] += scale * a * trace / (double)d;
}

static void covariance_forward(const congru_call *call)
{
    const congru_extent *in = &call->node->in[0];
    const size_t d = in->cols, line = padded(d);
    double *x = congru_call_room(call, 0), *product = congru_call_room(call, 2), *c = call->work.lanes[0];
    for (size_t m = 0; m < call->count; m++, c += d * d) {
        centre(in, congru_call_x(call, m), x);
        call->kernel->dense(d, line, in->rows, congru_shared_transposed(x, line), x, false, product);
        for (size_t i = 0; i < d; i++)
            memcpy(c + i * d, product + i * line, d * sizeof(double));
        shrink(call->node, 1.0, c);
    }
    call->kernel->pack(call->vectors, call->count, d, d, call->work.lanes[0], call->y);
    call->kernel->add_diagonal(call->vectors, d, call->node->number[1], call->y);
}

/* dX = 2 (X - mean) dC; its mean over time is zero, as the means of X ask for. */
static void covariance_backward(const congru_call *call)
{
    const congru_extent *in = &call->node->in[0];
    const size_t d = in->cols, step = in->step, line = padded(d);
    double *x = congru_call_room(call, 0), *g = congru_call_room(call, 1), *slope = congru_call_room(call, 2),
           *c = call->work.lanes[0];
    call->kernel->unpack(call->vectors, call->count, d, d, call->d_y, c);
    for (size_t m = 0; m < call->count; m++, c += d * d) {
        congru_real *d_x = congru_call_d_x(call, m);
        shrink(call->node, 2.0, c);
        memset(slope, 0, d * line * sizeof(double));
        for (size_t i = 0; i < d; i++)
            memcpy(slope + i * line, c + i * d, d * sizeof(double));
        centre(in, congru_call_x(call, m), x);
        call->kernel->dense(in->rows, line, d, congru_shared(x, line), slope, false, g);
        memset(d_x, 0, in->size * sizeof(double));
        for (size_t t = 0; t < in->rows; t++) {
            for (size_t k = 0; k < d; k++)
                d_x[t * step + k] = (congru_real)g[t * line + k];
        }
    }
}

const congru_layer congru_layer_covariance = {
    .name = "covariance",
    .traits = CONGRU_TRAIT_READS_X,
    .plan = covariance_plan,
    .trials = {covariance_forward, covariance_backward},
};
