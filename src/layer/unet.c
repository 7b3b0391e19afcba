/* DDCT-UNet: what its layers are, and a chunk's way through them and back. SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "layer/training.h"
#include "layer/unet_layer.h"

/* Layers of the second half are merged, the last with the network's input; a layer in the middle of an odd
 * number of
 * them is not. Without merges the network is a plain stack. */
static congru_status plan(congru_training *t)
{
    congru_status status = congru_stack_plan(t, true);
    if (status != CONGRU_OK)
        return status;
    const size_t merges = t->layers / 2;
    for (size_t l = 0; l < t->layers; l++) {
        congru_unet_layer *layer = &t->part.unet.layer[l];
        *layer = (congru_unet_layer){.in = t->width[l], .out = t->width[l + 1], .last = l + 1 == t->layers};
        layer->merged = l >= t->layers - merges;
        layer->logged = layer->merged || (l + 1 < merges);
        layer->skip = layer->merged ? t->layers - 1 - l : 0;
        layer->wide = layer->merged && layer->out > layer->in;
        layer->core = layer->wide ? layer->in : layer->out;
    }
    return CONGRU_OK;
}

static void layout(congru_arena *arena, congru_training *t)
{
    congru_stack_layout(arena, t);
    t->part.unet.scratch = congru_arena_take(arena, 2 * t->largest * t->largest, sizeof(double));
    for (size_t l = 0; l < t->layers; l++) {
        congru_unet_layer *layer = &t->part.unet.layer[l];
        const size_t in = layer->in, out = layer->out, core = layer->core;
        const bool raised = layer->merged && (!layer->last || t->needs_out);
        layer->n = congru_training_lanes(arena, t, layer->wide ? in * in : in * out);
        layer->part = congru_training_partials(arena, t, CONGRU_PHASE_BACKWARD, in * out);
        if (layer->wide) {
            layer->q = congru_arena_take(arena, out * in, sizeof(double));
            layer->r = congru_arena_take(arena, in * in, sizeof(double));
            layer->part_core = congru_training_partials(arena, t, CONGRU_PHASE_BACKWARD, in * in);
        }
        if (layer->logged) {
            layer->values = congru_training_lanes(arena, t, core);
            layer->z = congru_training_lanes(arena, t, core * core);
        }
        if (raised) {
            layer->m_values = congru_training_lanes(arena, t, out);
            layer->m_z = congru_training_lanes(arena, t, out * out);
        }
        if (!layer->last)
            layer->next = congru_training_lanes(arena, t, out * out);
    }
}

static void prepare(congru_training *t)
{
    for (size_t l = 0; l < t->layers; l++) {
        if (t->part.unet.layer[l].wide)
            congru_unet_factor(t, l);
    }
}

/* log of the input of layer `skip`: the logarithm of the trial, or of the output of the layer before. */
static void skip_log(const congru_step_chunk *chunk, const congru_step_work *work, size_t skip, double *out)
{
    congru_training *t = chunk->training;
    const congru_kernel *kernel = t->kernel;
    if (skip == 0) {
        kernel->gather(chunk->vectors, t->stride, t->start_row, t->index + chunk->first, work->row);
        kernel->untriangle(chunk->vectors, t->d, t->stride, work->row, out);
        return;
    }
    const congru_unet_layer *from = &t->part.unet.layer[skip - 1];
    congru_spectral_forward(kernel, chunk->vectors, from->out,
                            (congru_function){CONGRU_FUNCTION_LOG, 0.0, t->options.floor},
                            congru_step_lanes(chunk, from->values, from->core),
                            congru_step_lanes(chunk, from->z, from->core * from->core), out, &work->spectral);
}

/* M and, where needed, exp(M). m[0] = log Y on entry; M of the last layer is left there. */
static void merge_forward(const congru_step_chunk *chunk, const congru_step_work *work, size_t l)
{
    congru_training *t = chunk->training;
    congru_unet_layer *layer = &t->part.unet.layer[l];
    const congru_kernel *kernel = t->kernel;
    const size_t out = layer->out, vectors = chunk->vectors;
    const size_t count = congru_lane_doubles(kernel, vectors, out * out);
    skip_log(chunk, work, layer->skip, work->m[1]);
    kernel->combine(count, 0.5, work->m[1], 0.5, work->m[0]);
    if (layer->m_z == NULL)
        return;
    double *values = congru_step_lanes(chunk, layer->m_values, out),
           *z = congru_step_lanes(chunk, layer->m_z, out * out);
    double *raised = congru_step_lanes(chunk, layer->last ? t->c_out : layer->next, out * out);
    memcpy(work->m[1], work->m[0], count * sizeof(double));
    congru_step_eigen(chunk, work, l + 1, out, work->m[1], values, z);
    congru_step_watch(chunk, out, values, true);
    congru_spectral_forward(kernel, vectors, out, (congru_function){CONGRU_FUNCTION_EXP, 1.0, 0.0}, values, z,
                            raised, &work->spectral);
}

static void forward(const congru_step_chunk *chunk, const congru_step_work *work)
{
    congru_training *t = chunk->training;
    t->kernel->gather(chunk->vectors, t->d * t->d, t->covariance, t->index + chunk->first, work->m[2]);
    const double *x = work->m[2];
    for (size_t l = 0; l < t->layers; l++) {
        congru_unet_layer *layer = &t->part.unet.layer[l];
        if (layer->wide)
            congru_unet_wide_forward(chunk, work, l, x);
        else
            congru_unet_layer_forward(chunk, work, l, x);
        if (layer->merged)
            merge_forward(chunk, work, l);
        x = layer->last ? NULL : congru_step_lanes(chunk, layer->next, layer->out * layer->out);
    }
}

/* Scratch of the way back: the derivative by each layer's logarithm. */
typedef struct back {
    double *d_log[CONGRU_LAYERS_MAX]; /* of encoder layers whose logarithm a merge took */
    double *d_x;                      /* by the input of the layer above */
} back;

/* From the derivative by exp(M), in d_x, or by M itself in m[0], to those by both logarithms: half of it each,
 * in m[0]. */
static void merge_backward(const congru_step_chunk *chunk, const congru_step_work *work, size_t l, back *b)
{
    congru_training *t = chunk->training;
    congru_unet_layer *layer = &t->part.unet.layer[l];
    const congru_kernel *kernel = t->kernel;
    const size_t out = layer->out, vectors = chunk->vectors;
    const size_t count = congru_lane_doubles(kernel, vectors, out * out);
    if (layer->m_z != NULL) {
        const double *d_raised = layer->last ? congru_step_lanes(chunk, t->d_c_out, out * out) : b->d_x;
        congru_spectral_backward(kernel, vectors, out, (congru_function){CONGRU_FUNCTION_EXP, 1.0, 0.0},
                                 congru_step_lanes(chunk, layer->m_values, out),
                                 congru_step_lanes(chunk, layer->m_z, out * out), d_raised, work->m[1],
                                 &work->spectral);
        if (!layer->last)
            memset(work->m[0], 0, count * sizeof(double));
        kernel->combine(count, 0.5, work->m[1], 0.5, work->m[0]);
    } else {
        kernel->combine(count, 0.0, work->m[0], 0.5, work->m[0]);
    }
    if (layer->skip > 0)
        memcpy(b->d_log[layer->skip - 1], work->m[0], count * sizeof(double));
}

static void backward(const congru_step_chunk *chunk, const congru_step_work *work)
{
    congru_training *t = chunk->training;
    back b = {0};
    for (size_t l = 0; l < t->layers; l++) {
        const congru_unet_layer *layer = &t->part.unet.layer[l];
        if (layer->logged && !layer->merged)
            b.d_log[l] = congru_take_lanes(chunk->arena, t->kernel, chunk->vectors, layer->out * layer->out);
    }
    b.d_x = congru_take_lanes(chunk->arena, t->kernel, chunk->vectors, t->largest * t->largest);
    for (size_t l = t->layers; l-- > 0;) {
        const congru_unet_layer *layer = &t->part.unet.layer[l];
        if (layer->merged)
            merge_backward(chunk, work, l, &b);
        if (layer->wide)
            congru_unet_wide_backward(chunk, work, l, work->m[0], b.d_x);
        else
            congru_unet_layer_backward(chunk, work, l, layer->merged ? work->m[0] : b.d_log[l],
                                       layer->merged ? NULL : b.d_x, b.d_x);
    }
}

static void finish(congru_training *t)
{
    for (size_t l = 0; l < t->layers; l++)
        congru_unet_layer_finish(t, l);
}

static const congru_stack unet_stack = {prepare, forward, backward, finish};

static congru_status evaluate(congru_training *t)
{
    return congru_stack_evaluate(t, &unet_stack);
}

const congru_step_model congru_unet_model = {plan, layout, congru_stack_start, evaluate};
