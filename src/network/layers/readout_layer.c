/* One number for each class from all of an image or a signal: y = W x + b. SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "network/graph.h"

/* The weights with zeros where x has its border and padding: (classes, reals of x). */
typedef struct readout {
    congru_real *weight;
} readout;

static void plan(congru_graph *graph, congru_node *node)
{
    (void)graph;
    const size_t classes = node->out.rows;
    node->sum_size[0] = classes * congru_extent_reals(&node->in[0]);
    node->sum_size[1] = classes;
    node->need.lanes[0] = classes;
    node->need.plain[0] = CONGRU_STEP_CHUNK * classes;
}

static void layout(congru_arena *arena, congru_graph *graph, congru_node *node)
{
    (void)graph;
    readout *r = node->state;
    r->weight =
        congru_arena_take(arena, node->out.rows * congru_extent_reals(&node->in[0]), sizeof(congru_real));
}

/* What is done for each class apart. */
typedef struct job {
    const congru_graph *graph;
    const congru_node *node;
} job;

static void prepare_class(void *user, size_t k, int worker)
{
    (void)worker;
    const job *j = user;
    const readout *r = j->node->state;
    const congru_extent *in = &j->node->in[0];
    const size_t reals = congru_extent_reals(in), places = congru_extent_places(in);
    const double *w = congru_graph_value(j->graph, j->node, 0) + k * places * in->cols;
    memset(r->weight + k * reals, 0, reals * sizeof(congru_real));
    for (size_t p = 0; p < places; p++) {
        congru_real *to = r->weight + k * reals + congru_extent_place(in, p);
        for (size_t c = 0; c < in->cols; c++)
            to[c] = (congru_real)*w++;
    }
}

static congru_status prepare(congru_graph *graph, congru_node *node)
{
    job j = {graph, node};
    congru_blocks_run(graph->context, node->sum_size[0], node->out.rows, prepare_class, &j);
    return CONGRU_OK;
}

static void forward(const congru_call *call)
{
    const readout *r = call->node->state;
    const congru_extent *in = &call->node->in[0];
    const size_t classes = call->node->out.rows, reals = congru_extent_reals(in);
    double *scores = call->work.lanes[0];
    call->kernel->real->dots(call->count, classes, reals, congru_trial_reals(call->x[0], in, 0), reals,
                             r->weight, scores);
    for (size_t e = 0; e < call->count * classes; e++)
        scores[e] += call->weight[1][e % classes];
    call->kernel->pack(call->vectors, call->count, classes, 1, scores, call->y);
}

/* dW = sum dy x^T, db = sum dy, dx = W^T dy. */
static void backward(const congru_call *call)
{
    const readout *r = call->node->state;
    const congru_extent *in = &call->node->in[0];
    const size_t classes = call->node->out.rows, reals = congru_extent_reals(in);
    double *d_y = call->work.lanes[0];
    congru_real *d_real = call->work.plain[0];
    memset(call->sum[1], 0, classes * sizeof(double));
    call->kernel->unpack(call->vectors, call->count, classes, 1, call->d_y, d_y);
    call->kernel->real->outer(call->count, classes, reals, congru_trial_reals(call->x[0], in, 0), reals, d_y,
                              call->sum[0]);
    for (size_t e = 0; e < call->count * classes; e++) {
        call->sum[1][e % classes] += d_y[e];
        d_real[e] = (congru_real)d_y[e];
    }
    if (call->d_x[0] != NULL)
        call->kernel->real->product(call->count, reals, 1, classes, (congru_window){d_real, classes, 0, 1},
                                    (congru_window){r->weight, 0, 0, reals}, false,
                                    congru_trial_reals(call->d_x[0], in, 0), reals);
}

static void finish_class(void *user, size_t k, int worker)
{
    (void)worker;
    const job *j = user;
    const congru_extent *in = &j->node->in[0];
    const size_t reals = congru_extent_reals(in), places = congru_extent_places(in);
    for (size_t chunk = 0; chunk < congru_graph_used_chunks(j->graph); chunk++) {
        double *d_w = congru_graph_gradient(j->graph, j->node, 0) + k * places * in->cols;
        const double *sum = j->node->sum[0] + chunk * j->node->sum_size[0] + k * reals;
        for (size_t p = 0; p < places; p++) {
            const double *from = sum + congru_extent_place(in, p);
            for (size_t c = 0; c < in->cols; c++)
                *d_w++ += from[c];
        }
    }
}

static congru_status finish(congru_graph *graph, congru_node *node)
{
    job j = {graph, node};
    congru_blocks_run(graph->context, node->sum_size[0], node->out.rows, finish_class, &j);
    congru_graph_add_sums(graph, node->out.rows, node->sum[1], congru_graph_gradient(graph, node, 1));
    return CONGRU_OK;
}

const congru_layer congru_layer_readout = {
    .name = "readout",
    .traits = CONGRU_TRAIT_READS_X,
    .plan = plan,
    .state = {sizeof(readout), layout, prepare},
    .trials = {forward, backward},
    .finish = finish,
};
