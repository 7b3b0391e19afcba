/* Batch normalisation: each channel by its mean and variance over the batch, then a gain and a bias. SPDX-License-Identifier: Apache-2.0 */
#include "network/layers/normalise_layer.h"

#include <math.h>
#include <string.h>

/* Two nodes. `statistics` sums each channel over its trials, chunk by chunk; `normalise` meets, when all sums are there, and
 * goes on. On the way back it is the same in reverse: what each number has done to mean and variance is one number a
 * channel times it, and another, which `statistics` adds.
 *
 * Weights of normalise: gain, bias, and (mean; variance) of training, which prediction uses. */
typedef struct statistics {
    double *tally; /* (chunks, 2, step): sums of x and of x^2 */
    const congru_normalisation *of;
} statistics;

/* ---- Statistics -------------------------------------------------------------------------------------- */

static void tally_layout(congru_arena *arena, congru_graph *graph, congru_node *node)
{
    statistics *s = node->state;
    const size_t size = 2 * congru_extent_step(&node->in[0]);
    if (graph->batch == NULL)
        return;
    s->tally = congru_arena_take(arena, congru_graph_chunks(graph) * size, sizeof(double));
    congru_graph_share(graph, node->stage, s->tally, size * sizeof(double));
}

/* sum (2, step): of a, and of a b, in double precision. */
static void add_up(const congru_call *call, const double *a, const double *b, double *sum)
{
    const congru_extent *in = &call->node->in[0];
    const size_t step = congru_extent_step(in);
    memset(sum, 0, 2 * step * sizeof(double));
    call->kernel->real->tally(call->count * in->rows, step, congru_trial_reals(a, in, 0),
                              congru_trial_reals(b, in, 0), sum, sum + step);
}

static void tally_forward(const congru_call *call)
{
    const statistics *s = call->node->state;
    if (!call->resting)
        add_up(call, call->x[0], call->x[0],
               s->tally + call->block * 2 * congru_extent_step(&call->node->in[0]));
}

/* dx = slope x + offset */
static void tally_backward(const congru_call *call)
{
    const statistics *s = call->node->state;
    const congru_extent *in = &call->node->in[0];
    if (call->d_x[0] != NULL && call->resting)
        memset(call->d_x[0], 0, call->count * in->size * sizeof(double));
    else if (call->d_x[0] != NULL)
        call->kernel->real->stretch(call->count * in->rows, congru_extent_step(in), s->of->slope, s->of->offset,
                                    congru_trial_reals(call->x[0], in, 0),
                                    congru_trial_reals(call->d_x[0], in, 0));
}

const congru_layer congru_layer_statistics = {
    .name = "statistics",
    .traits = CONGRU_TRAIT_READS_X,
    .state = {.bytes = sizeof(statistics), .layout = tally_layout},
    .trials = {tally_forward, tally_backward},
};

/* ---- Normalise --------------------------------------------------------------------------------------- */

static void plan(congru_graph *graph, congru_node *node)
{
    (void)graph;
    node->sum_size[0] = 2 * congru_extent_step(&node->out);
}

static void layout(congru_arena *arena, congru_graph *graph, congru_node *node)
{
    congru_normalisation *n = node->state;
    double **arrays[] = {&n->mean, &n->variance, &n->d_gain, &n->d_bias};
    congru_real **rows[] = {&n->scale, &n->shift, &n->slope, &n->offset};
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++)
        *arrays[k] = congru_arena_take(arena, node->out.cols, sizeof(double));
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++)
        *rows[k] = congru_arena_take(arena, congru_extent_step(&node->out), sizeof(congru_real));
    ((statistics *)congru_graph_source(graph, node, 1)->state)->of = n;
}

/* y = scale x + shift with the mean and variance of the moment. */
static void set_scale(const congru_graph *graph, const congru_node *node)
{
    const congru_normalisation *n = node->state;
    const double *gain = congru_graph_value(graph, node, 0), *bias = congru_graph_value(graph, node, 1);
    memset(n->scale, 0, congru_extent_step(&node->out) * sizeof(congru_real));
    memset(n->shift, 0, congru_extent_step(&node->out) * sizeof(congru_real));
    for (size_t c = 0; c < node->out.cols; c++) {
        const double scale = gain[c] / sqrt(n->variance[c] + node->number[0]);
        n->scale[c] = (congru_real)scale;
        n->shift[c] = (congru_real)(bias[c] - scale * n->mean[c]);
    }
}

/* What training has kept. */
static congru_status prepare(congru_graph *graph, congru_node *node)
{
    const congru_normalisation *n = node->state;
    const double *kept = congru_graph_value(graph, node, 2);
    const size_t cols = node->out.cols;
    memset(n->slope, 0, congru_extent_step(&node->out) * sizeof(congru_real));
    memset(n->offset, 0, congru_extent_step(&node->out) * sizeof(congru_real));
    memcpy(n->mean, kept, cols * sizeof(double));
    memcpy(n->variance, kept + cols, cols * sizeof(double));
    set_scale(graph, node);
    return CONGRU_OK;
}

static double numbers(const congru_graph *graph, const congru_node *node)
{
    return (double)(graph->batch->count * node->in[0].rows);
}

/* The batch's own. */
static congru_status meet(congru_graph *graph, congru_node *node)
{
    const congru_normalisation *n = node->state;
    const statistics *s = congru_graph_source(graph, node, 1)->state;
    const size_t cols = node->out.cols, step = congru_extent_step(&node->out);
    if (graph->resting)
        return CONGRU_OK;
    memset(n->mean, 0, cols * sizeof(double));
    memset(n->variance, 0, cols * sizeof(double));
    for (size_t chunk = 0; chunk < congru_graph_used_chunks(graph); chunk++) {
        for (size_t c = 0; c < cols; c++) {
            n->mean[c] += s->tally[chunk * 2 * step + c];
            n->variance[c] += s->tally[(chunk * 2 + 1) * step + c];
        }
    }
    for (size_t c = 0; c < cols; c++) {
        n->mean[c] /= numbers(graph, node);
        n->variance[c] = n->variance[c] / numbers(graph, node) - n->mean[c] * n->mean[c];
        n->variance[c] = n->variance[c] > 0.0 ? n->variance[c] : 0.0;
    }
    set_scale(graph, node);
    return CONGRU_OK;
}

static void forward(const congru_call *call)
{
    const congru_normalisation *n = call->node->state;
    const congru_extent *in = &call->node->in[0];
    call->kernel->real->stretch(call->count * in->rows, congru_extent_step(in), n->scale, n->shift,
                                congru_trial_reals(call->x[0], in, 0), congru_trial_reals(call->y, in, 0));
}

/* dx = scale dy, as long as mean and variance stay; sums of dy and of dy x. */
static void backward(const congru_call *call)
{
    const congru_normalisation *n = call->node->state;
    const congru_extent *in = &call->node->in[0];
    add_up(call, call->d_y, call->x[0], call->sum[0]);
    if (call->d_x[0] != NULL)
        call->kernel->real->stretch(call->count * in->rows, congru_extent_step(in), n->scale, NULL,
                                    congru_trial_reals(call->d_y, in, 0),
                                    congru_trial_reals(call->d_x[0], in, 0));
}

/* With S the sum of dy and P that of dy (x - mean): mean and variance take -gain/sigma S and -gain/(2 sigma^3) P, and pass
 * on a share of it to every number. */
static void part(congru_graph *graph, congru_node *node)
{
    const congru_normalisation *n = node->state;
    const size_t cols = node->out.cols, step = congru_extent_step(&node->out);
    const double *gain = congru_graph_value(graph, node, 0), count = numbers(graph, node);
    memset(n->d_bias, 0, cols * sizeof(double));
    memset(n->d_gain, 0, cols * sizeof(double));
    for (size_t chunk = 0; chunk < congru_graph_used_chunks(graph); chunk++) {
        for (size_t c = 0; c < cols; c++) {
            n->d_bias[c] += node->sum[0][chunk * 2 * step + c];
            n->d_gain[c] += node->sum[0][(chunk * 2 + 1) * step + c];
        }
    }
    for (size_t c = 0; c < cols; c++) {
        const double inverse = 1.0 / sqrt(n->variance[c] + node->number[0]);
        const double product = n->d_gain[c] - n->mean[c] * n->d_bias[c];
        const double slope = -gain[c] * inverse * inverse * inverse * product / count;
        n->slope[c] = (congru_real)slope;
        n->offset[c] = (congru_real)(-gain[c] * inverse * n->d_bias[c] / count - slope * n->mean[c]);
        n->d_gain[c] = product * inverse;
    }
}

/* The gradient; and what prediction will use follows by a share of number[1]. */
static congru_status finish(congru_graph *graph, congru_node *node)
{
    const congru_normalisation *n = node->state;
    const size_t cols = node->out.cols;
    const double share = node->number[1], count = numbers(graph, node);
    double *kept = graph->parameters->value + graph->parameters->segment[node->weight[2]].offset;
    memcpy(congru_graph_gradient(graph, node, 0), n->d_gain, cols * sizeof(double));
    memcpy(congru_graph_gradient(graph, node, 1), n->d_bias, cols * sizeof(double));
    for (size_t c = 0; c < cols && !graph->resting; c++) {
        const double unbiased = count > 1.0 ? n->variance[c] * count / (count - 1.0) : n->variance[c];
        kept[c] += share * (n->mean[c] - kept[c]);
        kept[cols + c] += share * (unbiased - kept[cols + c]);
    }
    return CONGRU_OK;
}

const congru_layer congru_layer_normalise = {
    .name = "normalisation",
    .traits = CONGRU_TRAIT_LATE | CONGRU_TRAIT_READS_X,
    .plan = plan,
    .state = {sizeof(congru_normalisation), layout, prepare},
    .trials = {forward, backward},
    .batch = {meet, part},
    .finish = finish,
};
