/* A chain of congruences as the one affine congruence it is: Y = T^T X T + K. SPDX-License-Identifier: Apache-2.0 */
#include "network/layers/affine_layer.h"

#include <string.h>

/* T_l = W_1 ... W_l and K_l = W_l^T K_(l-1) W_l + eps I, so that layer l's output is T_l^T X T_l + K_l. */
static void plan(congru_graph *graph, congru_node *node)
{
    congru_affine *a = node->state;
    const congru_parameters *p = graph->parameters;
    a->largest = node->out.rows;
    for (size_t l = 0; l < a->layers; l++)
        a->largest = p->segment[a->weight[l]].rows > a->largest ? p->segment[a->weight[l]].rows : a->largest;
    const size_t d = node->in[0].rows, out = node->out.rows;
    node->saved_size[0] = node->sum_size[0] = node->need.chains[0] = d * out;
    node->sum_size[1] = node->need.chains[1] = out * out;
}

static void layout(congru_arena *arena, congru_graph *graph, congru_node *node)
{
    congru_affine *a = node->state;
    for (size_t l = 1; l <= a->layers; l++) {
        const size_t width = graph->parameters->segment[a->weight[l - 1]].cols;
        a->t[l] = congru_arena_take(arena, node->in[0].rows * width, sizeof(double));
        a->k[l] = congru_arena_take(arena, width * width, sizeof(double));
    }
    double **matrices[] = {&a->d_t, &a->d_k, &a->next_d_t, &a->next_d_k, &a->product, &a->transposed};
    for (size_t k = 0; k < sizeof matrices / sizeof matrices[0]; k++)
        *matrices[k] = congru_arena_take(arena, a->largest * a->largest, sizeof(double));
}

/* T and K of every depth. */
static congru_status prepare(congru_graph *graph, congru_node *node)
{
    congru_affine *a = node->state;
    const congru_kernel *kernel = graph->context->kernel;
    const size_t d = node->in[0].rows;
    for (size_t l = 1; l <= a->layers; l++) {
        const congru_segment *segment = &graph->parameters->segment[a->weight[l - 1]];
        const size_t in = segment->rows, out = segment->cols;
        const double *w = segment->value;
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
static void forward(const congru_call *call)
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
static void backward(const congru_call *call)
{
    const congru_kernel *kernel = call->kernel;
    const size_t d = call->node->in[0].rows, out = call->node->out.rows;
    memset(call->work.chains[0], 0, CONGRU_GROUP * d * out * sizeof(double));
    memset(call->work.chains[1], 0, CONGRU_GROUP * out * out * sizeof(double));
    kernel->add_product(call->vectors, d, out, out, congru_per_lane(call->saved[0], out),
                        congru_per_lane(call->d_y, out), call->work.chains[0]);
    kernel->add_lanes(call->vectors, out * out, call->d_y, call->work.chains[1]);
    congru_call_fold(call, 0);
    congru_call_fold(call, 1);
}

static void transpose(size_t rows, size_t cols, const double *a, double *b)
{
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < cols; j++)
            b[j * rows + i] = a[i * cols + j];
    }
}

/* Back through T_l = T_(l-1) W_l and K_l = W_l^T K_(l-1) W_l + eps I: d_t and d_k become those of depth l - 1. */
static void chain_backward(const congru_graph *graph, const congru_node *node, size_t l)
{
    congru_affine *a = node->state;
    const congru_kernel *kernel = graph->context->kernel;
    const congru_segment *segment = &graph->parameters->segment[a->weight[l - 1]];
    const size_t d = node->in[0].rows, in = segment->rows, out = segment->cols;
    const double *w = segment->value;
    double *d_w = graph->parameters->gradient + segment->offset, *swap;
    /* W dK, which both derivatives have */
    kernel->dense(in, out, out, congru_shared(w, out), a->d_k, false, a->product);
    kernel->dense(in, out, in, congru_shared(a->k[l - 1], in), a->product, false, d_w);
    for (size_t e = 0; e < in * out; e++)
        d_w[e] *= 2.0;
    kernel->dense(in, out, d, congru_shared_transposed(a->t[l - 1], in), a->d_t, true, d_w);
    transpose(in, out, w, a->transposed);
    kernel->dense(in, in, out, congru_shared(a->product, out), a->transposed, false, a->next_d_k);
    kernel->dense(d, in, out, congru_shared(a->d_t, out), a->transposed, false, a->next_d_t);
    swap = a->d_k, a->d_k = a->next_d_k, a->next_d_k = swap;
    swap = a->d_t, a->d_t = a->next_d_t, a->next_d_t = swap;
}

static congru_status finish(congru_graph *graph, congru_node *node)
{
    congru_affine *a = node->state;
    const size_t d = node->in[0].rows, out = node->out.rows;
    const congru_segment *first = &graph->parameters->segment[a->weight[0]];
    memset(a->d_t, 0, d * out * sizeof(double));
    memset(a->d_k, 0, out * out * sizeof(double));
    congru_graph_add_sums(graph, d * out, node->sum[0], a->d_t);
    congru_graph_add_sums(graph, out * out, node->sum[1], a->d_k);
    for (size_t e = 0; e < d * out; e++)
        a->d_t[e] *= 2.0;
    for (size_t l = a->layers; l > 1; l--)
        chain_backward(graph, node, l);
    memcpy(graph->parameters->gradient + first->offset, a->d_t, d * first->cols * sizeof(double));
    return CONGRU_OK;
}

const congru_layer congru_layer_affine = {
    .name = "affine congruence",
    .plan = plan,
    .state = {sizeof(congru_affine), layout, prepare},
    .trials = {forward, backward},
    .finish = finish,
};
