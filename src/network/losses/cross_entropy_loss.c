/* Softmax cross-entropy of scores with the labels. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/scalar_math.h"
#include "network/constants.h"
#include "network/graph.h"

typedef struct cross_entropy {
    const double *present; /* (classes) */
    double present_count, smoothing, weight;
} cross_entropy;

static void plan(congru_graph *graph, congru_node *node)
{
    cross_entropy *c = node->state;
    c->smoothing = graph->options->label_smoothing;
    c->weight = graph->options->cross_entropy;
    node->saved_size[0] = node->in[0].size;
    node->has_scalar = true;
}

static congru_status prepare(congru_graph *graph, congru_node *node)
{
    cross_entropy *c = node->state;
    c->present = graph->constants->present;
    c->present_count = (double)graph->constants->present_count;
    return CONGRU_OK;
}

/* Loss of one trial from its scores; they become the derivative by them. All `step` doubles apart. The target is the
 * label, smoothed: a share of its weight goes to all classes alike. */
static double one_trial(const cross_entropy *c, size_t classes, size_t label, double scale, size_t step,
                        double *score)
{
    const double share = c->smoothing / c->present_count;
    double largest = -INFINITY, sum = 0.0, expected = 0.0;
    for (size_t k = 0; k < classes; k++) {
        if (c->present[k] != 0.0 && score[k * step] > largest)
            largest = score[k * step];
    }
    for (size_t k = 0; k < classes; k++) {
        const double target = (c->present[k] != 0.0 ? share : 0.0) + (k == label ? 1.0 - c->smoothing : 0.0);
        expected += target * (score[k * step] - largest);
        score[k * step] = c->present[k] != 0.0 ? congru_scalar_exp(score[k * step] - largest) : 0.0;
        sum += score[k * step];
    }
    for (size_t k = 0; k < classes; k++) {
        const double target = (c->present[k] != 0.0 ? share : 0.0) + (k == label ? 1.0 - c->smoothing : 0.0);
        score[k * step] = scale * (score[k * step] / sum - target);
    }
    return congru_scalar_log(sum) - expected;
}

/* Saves the derivative. */
static void forward(const congru_call *call)
{
    const cross_entropy *c = call->node->state;
    const size_t classes = call->node->in[0].rows, width = call->kernel->width;
    const double scale = c->weight / (double)call->batch->count;
    memcpy(call->saved[0], call->x[0], congru_call_doubles(call, classes) * sizeof(double));
    for (size_t m = 0; m < call->vectors * width; m++) {
        double *own = call->saved[0] + m / width * classes * width + m % width;
        if (m < call->count) {
            const size_t label = (size_t)call->batch->label[call->first + m];
            call->scalar[m] = one_trial(c, classes, label, scale, width, own);
        } else {
            for (size_t k = 0; k < classes; k++)
                own[k * width] = 0.0;
        }
    }
}

static void backward(const congru_call *call)
{
    if (call->d_x[0] != NULL)
        memcpy(call->d_x[0], call->saved[0],
               congru_call_doubles(call, call->node->in[0].size) * sizeof(double));
}

static congru_status finish(congru_graph *graph, congru_node *node)
{
    const cross_entropy *c = node->state;
    double sum = 0.0;
    for (size_t i = 0; i < graph->batch->count; i++)
        sum += node->scalar[i];
    graph->series[CONGRU_SERIES_CROSS_ENTROPY] = sum / (double)graph->batch->count;
    graph->series[CONGRU_SERIES_LOSS] += c->weight * graph->series[CONGRU_SERIES_CROSS_ENTROPY];
    return CONGRU_OK;
}

const congru_layer congru_loss_cross_entropy = {
    .name = "cross-entropy",
    .traits = CONGRU_TRAIT_LOSS,
    .plan = plan,
    .state = {.bytes = sizeof(cross_entropy), .prepare = prepare},
    .trials = {forward, backward},
    .finish = finish,
};
