/* Loss and gradient of a stack of congruence layers, phase by phase. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bank.h"
#include "base/store.h"
#include "layer/reconstruction.h"
#include "layer/training.h"

void congru_stack_layout(congru_arena *arena, congru_training *t)
{
    const size_t count = t->trials->count, block = t->out < t->d ? t->out : t->d;
    t->covariance = congru_arena_take(arena, count * t->d * t->d, sizeof(double));
    t->row = congru_arena_take(arena, t->capacity * t->stride, sizeof(double));
    t->norm = congru_arena_take(arena, t->chunks * CONGRU_STEP_CHUNK, sizeof(double));
    t->distance = congru_arena_take(arena, t->chunks * CONGRU_STEP_CHUNK, sizeof(double));
    congru_training_share(t, CONGRU_PHASE_FORWARD, t->row, t->stride, t->capacity);
    congru_training_share(t, CONGRU_PHASE_FORWARD, t->norm, 1, t->chunks * CONGRU_STEP_CHUNK);
    congru_training_share(t, t->options.affine_reconstruction ? CONGRU_PHASE_BACKWARD : CONGRU_PHASE_FORWARD,
                          t->distance, 1, t->chunks * CONGRU_STEP_CHUNK);
    t->mask = t->out > t->d ? congru_arena_take(arena, t->stride, sizeof(double)) : NULL;
    if (t->needs_out) {
        t->c_out = congru_training_lanes(arena, t, t->out * t->out);
        t->d_c_out = congru_training_lanes(arena, t, t->out * t->out);
    }
    if (t->options.affine_reconstruction)
        t->root = congru_arena_take(arena, count * block * block, sizeof(double));
}

/* The leading block of L' as a row of the output's dimension, zeros beyond it. */
static void start_row(const congru_training *t, const double *logarithm, double *row)
{
    const size_t d = t->d;
    size_t e = 0;
    for (size_t i = 0; i < t->out; i++) {
        for (size_t j = i; j < t->out; j++, e++) {
            double x = i < d && j < d ? logarithm[i * d + j] : 0.0;
            row[e] = i == j ? x : x * sqrt(2.0);
        }
    }
    for (; e < t->stride; e++)
        row[e] = 0.0;
}

congru_status congru_stack_start(congru_training *t)
{
    const size_t d = t->d, count = t->trials->count;
    double *logarithm = congru_memory_take(count * d * d * sizeof(double));
    if (logarithm == NULL)
        return congru_fail(t->context, CONGRU_ERROR_MEMORY, "not enough memory for %zu logarithms", count);
    congru_status status = congru_training_logarithms(t, logarithm, NULL, NULL);
    for (size_t i = 0; status == CONGRU_OK && i < count; i++) {
        start_row(t, logarithm + i * d * d, t->start_row + i * t->stride);
        const double *c = t->trials->covariance + i * d * d;
        congru_store_pass(4 * d * d * sizeof(double));
        for (size_t r = 0; r < d; r++) {
            for (size_t s = 0; s < d; s++)
                t->covariance[(i * d + r) * d + s] = 0.5 * (c[r * d + s] + c[s * d + r]);
        }
    }
    congru_memory_give(logarithm);
    if (t->mask != NULL) {
        size_t e = 0;
        memset(t->mask, 0, t->stride * sizeof(double));
        for (size_t i = 0; i < t->out; i++) {
            for (size_t j = i; j < t->out; j++)
                t->mask[e++] = j < d ? 1.0 : 0.0;
        }
    }
    if (status == CONGRU_OK && t->options.affine_reconstruction)
        status = congru_reconstruction_start(t);
    return status == CONGRU_OK ? congru_stack_initial(t) : status;
}

/* ---- Phases -------------------------------------------------------------------------------------- */

static void forward_task(const congru_step_chunk *chunk)
{
    congru_training *t = chunk->training;
    const congru_kernel *kernel = t->kernel;
    const size_t d = t->out, vectors = chunk->vectors;
    congru_step_work work;
    congru_step_work_layout(chunk->arena, t, vectors, &work);
    t->stack->forward(chunk, &work);
    kernel->sum_squares(vectors, d * d, work.m[0], t->norm + chunk->first);
    kernel->triangle(vectors, d, t->stride, work.m[0], work.row);
    kernel->unpack(vectors, chunk->count, t->stride, 1, work.row, t->row + chunk->first * t->stride);
    if (!t->options.affine_reconstruction)
        congru_reconstruction_forward(chunk, &work);
}

static void head_task(const congru_step_chunk *chunk)
{
    congru_step_work work;
    congru_step_work_layout(chunk->arena, chunk->training, chunk->vectors, &work);
    congru_head_chunk(chunk, &work);
}

/* The derivative by the chunk's rows: scatters, reconstruction, and the head's reference. */
static void row_backward(const congru_step_chunk *chunk, double *plain)
{
    congru_training *t = chunk->training;
    const congru_kernel *kernel = t->kernel;
    const size_t stride = t->stride;
    const double weight =
        t->options.affine_reconstruction ? 0.0 : 2.0 * t->options.reconstruction / (double)t->count;
    for (size_t m = 0; m < chunk->count; m++) {
        const size_t i = chunk->first + m;
        const double *x = t->row + i * stride, *start = t->start_row + t->index[i] * stride;
        double *out = plain + m * stride;
        memcpy(out, t->action.offset + (size_t)t->label[i] * stride, stride * sizeof(double));
        kernel->combine(stride, 1.0, t->by_subject.offset + (size_t)t->subject[i] * stride, 1.0, out);
        if (t->mask == NULL) {
            kernel->combine(stride, t->own + weight, x, 1.0, out);
            kernel->combine(stride, -weight, start, 1.0, out);
        } else {
            kernel->combine(stride, t->own, x, 1.0, out);
            for (size_t e = 0; e < stride; e++)
                out[e] += weight * t->mask[e] * (x[e] - start[e]);
        }
    }
}

static void backward_task(const congru_step_chunk *chunk)
{
    congru_training *t = chunk->training;
    const congru_kernel *kernel = t->kernel;
    congru_step_work work;
    congru_step_work_layout(chunk->arena, t, chunk->vectors, &work);
    row_backward(chunk, work.other_row);
    kernel->pack(chunk->vectors, chunk->count, t->stride, 1, work.other_row, work.row);
    if (t->options.affine_reconstruction)
        congru_reconstruction_affine(chunk, &work);
    kernel->untriangle(chunk->vectors, t->out, t->stride, work.row, work.m[0]);
    t->stack->backward(chunk, &work);
}

/* Sums by action and by subject, a stretch of the rows at a time. */
enum { STRETCH = 64 };

static void sum_block(void *user, size_t block, int worker)
{
    (void)worker;
    congru_training *t = user;
    const size_t first = block * STRETCH, left = t->stride - first;
    const size_t length = left < STRETCH ? left : STRETCH;
    congru_scatter_sum(t->kernel, &t->action, t->count, t->label, t->row, NULL, first, length);
    congru_scatter_sum(t->kernel, &t->by_subject, t->count, t->subject, t->row, NULL, first, length);
}

static double sum(size_t count, const double *x)
{
    double all = 0.0;
    for (size_t i = 0; i < count; i++)
        all += x[i];
    return all;
}

static void scatters(congru_training *t)
{
    const congru_network_options *o = &t->options;
    const double square = sum(t->count, t->norm), scale = 1.0 / (double)t->features;
    congru_team_run(t->context->team, (t->stride + STRETCH - 1) / STRETCH, sum_block, t);
    congru_scatter_mean(&t->action, t->count, t->mean_row);
    congru_scatter_forward(&t->action, t->count, t->label, t->mean_row, square, scale);
    congru_scatter_forward(&t->by_subject, t->count, t->subject, t->mean_row, square, scale);
    t->own = 0.0;
    congru_scatter_backward(&t->action, t->count, t->mean_row, scale, o->action * o->within,
                            -o->action * o->between, &t->own);
    congru_scatter_backward(&t->by_subject, t->count, t->mean_row, scale, -o->subject * o->within,
                            o->subject * o->between, &t->own);
}

/* The reference depends on every trial alike: its derivative is a share of each row's. */
static void spread_reference(congru_training *t)
{
    congru_head_reference_backward(t, -0.5);
    for (size_t k = 0; k < t->classes; k++) {
        for (size_t e = 0; e < t->stride; e++)
            t->action.offset[k * t->stride + e] += t->head.d_mean[e] / (double)t->count;
    }
}

static congru_status head_phase(congru_training *t)
{
    congru_head_prepare(t);
    if (t->head.at_identity) {
        memset(t->head.reference, 0, t->out * t->out * sizeof(double));
        for (size_t i = 0; i < t->out; i++)
            t->head.reference[i * (t->out + 1)] = 1.0;
    } else {
        congru_head_reference_forward(t, t->mean_row, -0.5);
    }
    congru_status status = congru_training_run(t, CONGRU_PHASE_HEAD, head_task);
    if (status == CONGRU_OK && !t->head.at_identity)
        spread_reference(t);
    return status;
}

static void total(congru_training *t)
{
    const congru_network_options *o = &t->options;
    double *series = t->series;
    series[CONGRU_SERIES_WITHIN_ACTION] = t->action.within;
    series[CONGRU_SERIES_BETWEEN_ACTION] = t->action.between;
    series[CONGRU_SERIES_WITHIN_SUBJECT] = t->by_subject.within;
    series[CONGRU_SERIES_BETWEEN_SUBJECT] = t->by_subject.between;
    series[CONGRU_SERIES_RECONSTRUCTION] = sum(t->count, t->distance) / (double)t->count;
    double loss = o->action * (o->within * t->action.within - o->between * t->action.between) +
                  o->subject * (o->between * t->by_subject.between - o->within * t->by_subject.within) +
                  o->reconstruction * series[CONGRU_SERIES_RECONSTRUCTION];
    if (t->end_to_end) {
        series[CONGRU_SERIES_CROSS_ENTROPY] = congru_head_finish(t);
        loss += o->cross_entropy * series[CONGRU_SERIES_CROSS_ENTROPY];
    }
    series[CONGRU_SERIES_LOSS] = loss;
}

congru_status congru_stack_evaluate(congru_training *t, const congru_stack *stack)
{
    t->stack = stack;
    stack->prepare(t);
    congru_status status = congru_training_run(t, CONGRU_PHASE_FORWARD, forward_task);
    if (status != CONGRU_OK)
        return status;
    scatters(t);
    if (t->end_to_end)
        status = head_phase(t);
    if (status == CONGRU_OK)
        status = congru_training_run(t, CONGRU_PHASE_BACKWARD, backward_task);
    if (status != CONGRU_OK)
        return status;
    stack->finish(t);
    total(t);
    return CONGRU_OK;
}
