/* Where trials come in: as they are, as their logarithms, which are had once before training, or as signals. SPDX-License-Identifier: Apache-2.0 */
#include "congru/random.h"
#include "network/constants.h"
#include "network/layers/layers.h"

/* ---- Matrices ---------------------------------------------------------------------------------------- */

static void gather(const congru_call *call, size_t size, const double *table, double *to)
{
    call->kernel->gather(call->vectors, size, table, call->batch->index + call->first, to);
}

/* y = the trials of the batch. In a graph without constants they are there already. */
static void input_forward(const congru_call *call)
{
    const congru_constants *c = call->node->graph->constants;
    if (c != NULL)
        gather(call, call->node->out.size, c->covariance != NULL ? c->covariance : c->trials->covariance,
               call->y);
}

const congru_layer congru_layer_input = {.name = "input", .trials = {.forward = input_forward}};

/* y = the logarithms L' of the batch, from their rows where nothing reads the matrices themselves. */
static void constant_plan(congru_node *node)
{
    node->need.lanes[0] = congru_vector(congru_spd_tangent_size(node->out.rows)).size;
}

static void constant_forward(const congru_call *call)
{
    const congru_constants *c = call->node->graph->constants;
    const size_t stride = call->node->need.lanes[0];
    if (c->by_log) {
        gather(call, call->node->out.size, c->logarithm, call->y);
        return;
    }
    gather(call, stride, c->row, call->work.lanes[0]);
    call->kernel->untriangle(call->vectors, call->node->out.rows, stride, call->work.lanes[0], call->y);
}

const congru_layer congru_layer_constant = {
    .name = "constant logarithm",
    .plan = constant_plan,
    .trials = {.forward = constant_forward},
};

/* Its rows, which losses look at: nothing to do for a trial. */
static void rows_plan(congru_node *node)
{
    node->out = congru_vector(node->out.rows);
    if (node->rows == NULL)
        return;
    node->rows->constant = true;
    node->rows->data = node->graph->constants->row;
    node->rows->norm = node->graph->constants->norm;
}

const congru_layer congru_layer_constant_rows = {.name = "constant rows", .plan = rows_plan};

/* ---- Signals, or crops of them ----------------------------------------------------------------------- */

enum { STREAM_CROP = 0x6208 };

/* number[0]: samples reflected at either end; then samples of a trial, crops of a prediction, the name of what is drawn. */
void congru_signal_input_crop(congru_node *node, size_t whole, size_t crops, uint64_t seed)
{
    node->number[1] = (double)whole;
    node->number[2] = (double)crops;
    node->number[3] = (double)(seed * UINT64_C(0x9E3779B97F4A7C15) >> 11); /* a double holds 53 bits */
}

static void signal_plan(congru_node *node)
{
    if (node->graph->constants != NULL)
        ((congru_signal_input *)node->state)->table = node->graph->constants->signal;
}

/* Where the crop of a trial begins, which may leave `room` samples out. */
static size_t crop_begins(const congru_call *call, size_t trial, size_t room)
{
    const congru_signal_input *in = call->node->state;
    if (room == 0)
        return 0;
    if (!call->resting) {
        congru_random random = congru_random_stream((uint64_t)call->node->number[3], STREAM_CROP,
                                                    (uint32_t)call->step, (uint32_t)trial);
        return congru_random_index(&random, room + 1);
    }
    const size_t crops = (size_t)call->node->number[2], crop = in->crop > 0 ? in->crop - 1 : trial % crops;
    return crops > 1 ? crop * room / (crops - 1) : room / 2;
}

/* y = the trials of the batch, with number[0] samples more at either end: x[-t] = x[t], as in a mirror. */
static void signal_forward(const congru_call *call)
{
    const congru_signal_input *in = call->node->state;
    const congru_extent *out = &call->node->out;
    const size_t step = out->step, edge = (size_t)call->node->number[0], samples = out->rows - 2 * edge,
                 whole = (size_t)call->node->number[1];
    for (size_t m = 0; m < call->count; m++) {
        const size_t trial =
            call->batch != NULL ? congru_batch_trial(call->batch, call->first + m) : call->first + m;
        const congru_real *x =
            in->table + (trial * whole + crop_begins(call, trial, whole - samples)) * out->cols;
        congru_real *y = congru_call_y(call, m);
        memset(y, 0, out->size * sizeof(double));
        for (size_t t = 0; t < out->rows; t++) {
            const size_t last = edge + samples - 1;
            const size_t from = t < edge ? edge - t : t > last ? 2 * last - t - edge : t - edge;
            memcpy(y + t * step, x + from * out->cols, out->cols * sizeof(congru_real));
        }
    }
}

const congru_layer congru_layer_signal = {
    .name = "signal",
    .state = sizeof(congru_signal_input),
    .plan = signal_plan,
    .trials = {.forward = signal_forward},
};
