/* Class probabilities of scores. SPDX-License-Identifier: Apache-2.0 */
#include "network/layers/softmax_layer.h"

#include <math.h>
#include <string.h>

#include "base/scalar_math.h"
#include "network/graph.h"

/* y_k = exp(x_k) / sum exp(x), over the classes there are. */
static void forward(const congru_call *call)
{
    const congru_softmax *softmax = call->node->state;
    const size_t classes = call->node->out.rows, width = call->kernel->width;
    for (size_t m = 0; m < call->vectors * width; m++) {
        const double *x = call->x[0] + m / width * classes * width + m % width;
        double *y = call->y + m / width * classes * width + m % width, largest = -INFINITY, total = 0.0;
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
static void backward(const congru_call *call)
{
    const size_t classes = call->node->out.rows, width = call->kernel->width;
    for (size_t m = 0; m < call->vectors * width && call->d_x[0] != NULL; m++) {
        const size_t from = m / width * classes * width + m % width;
        const double *y = call->saved[0] + from, *d_y = call->d_y + from;
        double sum = 0.0;
        for (size_t k = 0; k < classes; k++)
            sum += y[k * width] * d_y[k * width];
        for (size_t k = 0; k < classes; k++)
            call->d_x[0][from + k * width] = y[k * width] * (d_y[k * width] - sum);
    }
}

static void plan(congru_graph *graph, congru_node *node)
{
    (void)graph;
    node->saved_size[0] = node->out.size;
}

const congru_layer congru_layer_softmax = {
    .name = "softmax",
    .plan = plan,
    .state = {.bytes = sizeof(congru_softmax)},
    .trials = {forward, backward},
};
