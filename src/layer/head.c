/* The tangent head in lanes: reference, whitened logarithm, softmax, and their adjoints. SPDX-License-Identifier: Apache-2.0 */
#include "layer/head.h"

#include <math.h>
#include <string.h>

#include "base/scalar_math.h"
#include "layer/training.h"

void congru_head_plan(congru_training *t)
{
    t->head.weights = congru_training_segment(t, "head", t->classes, t->features, true);
    t->head.bias = congru_training_segment(t, "bias", 1, t->classes, true);
    t->head.at_identity = t->options.recipe == CONGRU_RECIPE_AUTHORS && t->backbone == CONGRU_BACKBONE_DLDCT;
}

void congru_head_layout(congru_arena *arena, congru_training *t)
{
    congru_head *h = &t->head;
    const size_t matrix = t->out * t->out;
    h->weight = congru_arena_take(arena, t->classes * t->stride, sizeof(double));
    h->reference = congru_arena_take(arena, matrix, sizeof(double));
    h->mean = congru_arena_take(arena, matrix, sizeof(double));
    h->plain = congru_arena_take(arena, matrix, sizeof(double));
    h->d_mean = congru_arena_take(arena, t->stride, sizeof(double));
    h->values = congru_take_lanes(arena, t->kernel, 1, t->out);
    h->vectors = congru_take_lanes(arena, t->kernel, 1, matrix);
    for (int k = 0; k < 4; k++)
        h->scratch[k] = congru_take_lanes(arena, t->kernel, 1, matrix);
    h->small = congru_take_lanes(arena, t->kernel, 1, 3 * t->out);
    h->eigen = congru_arena_take(arena, t->kernel->eigen_work(t->out), sizeof(double));
    /* The reference's derivative is wanted before the way back; the rest at its end, where dct's head is part of it. */
    h->d_weight = congru_training_partials(arena, t, CONGRU_PHASE_BACKWARD, t->classes * t->stride);
    h->d_bias = congru_training_partials(arena, t, CONGRU_PHASE_BACKWARD, t->classes);
    h->d_reference = congru_training_partials(arena, t, CONGRU_PHASE_HEAD, matrix);
    h->loss = congru_arena_take(arena, t->chunks * CONGRU_STEP_CHUNK, sizeof(double));
    congru_training_share(t, CONGRU_PHASE_BACKWARD, h->loss, 1, t->chunks * CONGRU_STEP_CHUNK);
}

void congru_head_prepare(congru_training *t)
{
    const double *weights = congru_training_parameter(t, t->head.weights);
    memset(t->head.weight, 0, t->classes * t->stride * sizeof(double));
    for (size_t k = 0; k < t->classes; k++)
        memcpy(t->head.weight + k * t->stride, weights + k * t->features, t->features * sizeof(double));
}

/* ---- Reference ----------------------------------------------------------------------------------- */

static congru_spectral_work reference_work(const congru_head *h)
{
    return (congru_spectral_work){.first = h->scratch[0], .second = h->scratch[1], .row = h->small};
}

void congru_head_reference_forward(congru_training *t, const double *mean_row, double scale)
{
    congru_head *h = &t->head;
    const size_t d = t->out;
    const double half = sqrt(0.5);
    for (size_t i = 0, e = 0; i < d; i++) {
        h->mean[i * d + i] = mean_row[e++];
        for (size_t j = i + 1; j < d; j++)
            h->mean[i * d + j] = h->mean[j * d + i] = mean_row[e++] * half;
    }
    t->kernel->pack(1, 1, d, d, h->mean, h->scratch[2]);
    t->kernel->eigen(1, d, h->scratch[2], h->values, h->vectors, h->eigen);
    const congru_spectral_work work = reference_work(h);
    congru_spectral_forward(t->kernel, 1, d, (congru_function){CONGRU_FUNCTION_EXP, scale, 0.0}, h->values,
                            h->vectors, h->scratch[2], &work);
    t->kernel->unpack(1, 1, d, d, h->scratch[2], h->reference);
}

void congru_head_reference_backward(congru_training *t, double scale)
{
    congru_head *h = &t->head;
    const size_t d = t->out;
    memset(h->plain, 0, d * d * sizeof(double));
    congru_training_add_partials(t, d * d, h->d_reference, h->plain);
    for (size_t i = 0; i < d; i++) {
        for (size_t j = 0; j <= i; j++) {
            double sum = h->plain[i * d + j] + h->plain[j * d + i];
            h->plain[i * d + j] = h->plain[j * d + i] = sum;
        }
    }
    double *d_reference = h->scratch[2];
    t->kernel->pack(1, 1, d, d, h->plain, d_reference);
    const congru_spectral_work work = reference_work(h);
    congru_spectral_backward(t->kernel, 1, d, (congru_function){CONGRU_FUNCTION_EXP, scale, 0.0}, h->values,
                             h->vectors, d_reference, h->scratch[3], &work);
    t->kernel->unpack(1, 1, d, d, h->scratch[3], h->plain);
    memset(h->d_mean, 0, t->stride * sizeof(double));
    const double root = sqrt(2.0);
    for (size_t i = 0, e = 0; i < d; i++) {
        h->d_mean[e++] = h->plain[i * d + i];
        for (size_t j = i + 1; j < d; j++)
            h->d_mean[e++] = h->plain[i * d + j] * root;
    }
}

/* ---- Softmax ------------------------------------------------------------------------------------- */

/* Loss of one trial from its logits; they become the derivative by them. All `step` doubles apart. The target
 * is the
 * label, smoothed: a share of its weight goes to all classes alike. */
static double softmax_one(const congru_training *t, size_t label, size_t step, double *logit)
{
    const double share = t->options.label_smoothing / (double)t->present_count;
    double largest = -INFINITY, sum = 0.0, expected = 0.0;
    for (size_t k = 0; k < t->classes; k++) {
        if (t->present[k] && logit[k * step] > largest)
            largest = logit[k * step];
    }
    for (size_t k = 0; k < t->classes; k++) {
        const double target =
            (t->present[k] ? share : 0.0) + (k == label ? 1.0 - t->options.label_smoothing : 0.0);
        expected += target * (logit[k * step] - largest);
        logit[k * step] = t->present[k] ? congru_scalar_exp(logit[k * step] - largest) : 0.0;
        sum += logit[k * step];
    }
    const double scale = t->options.cross_entropy / (double)t->count;
    for (size_t k = 0; k < t->classes; k++) {
        const double target =
            (t->present[k] ? share : 0.0) + (k == label ? 1.0 - t->options.label_smoothing : 0.0);
        logit[k * step] = scale * (logit[k * step] / sum - target);
    }
    return congru_scalar_log(sum) - expected;
}

void congru_head_softmax(const congru_step_chunk *chunk, const congru_step_work *work)
{
    congru_training *t = chunk->training;
    const congru_kernel *kernel = t->kernel;
    const size_t width = kernel->width, classes = t->classes, stride = t->stride;
    double *logit = congru_take_lanes(chunk->arena, kernel, chunk->vectors, classes);
    const double *bias = congru_training_parameter(t, t->head.bias);
    kernel->spread(chunk->vectors, classes, bias, logit);
    kernel->product(chunk->vectors, classes, 1, stride, congru_shared(t->head.weight, stride),
                    congru_per_lane(work->row, 1), CONGRU_PRODUCT_ADD, logit);
    for (size_t m = 0; m < chunk->vectors * width; m++) {
        double *own = logit + (m / width) * classes * width + m % width;
        if (m < chunk->count) {
            size_t label = (size_t)t->label[chunk->first + m];
            t->head.loss[chunk->first + m] = softmax_one(t, label, width, own);
        } else {
            for (size_t k = 0; k < classes; k++)
                own[k * width] = 0.0;
        }
    }
    double *chains = congru_step_chains(chunk, classes * (stride + 1));
    double *bias_chains = chains + CONGRU_GROUP * classes * stride;
    kernel->add_product(chunk->vectors, classes, stride, 1, congru_per_lane(logit, 1),
                        congru_per_lane(work->row, stride), chains);
    kernel->add_lanes(chunk->vectors, classes, logit, bias_chains);
    kernel->fold(classes * stride, chains, t->head.d_weight + chunk->block * classes * stride);
    kernel->fold(classes, bias_chains, t->head.d_bias + chunk->block * classes);
    kernel->product(chunk->vectors, stride, 1, classes, congru_shared_transposed(t->head.weight, stride),
                    congru_per_lane(logit, 1), CONGRU_PRODUCT_SET, work->row);
}

/* ---- A chunk ------------------------------------------------------------------------------------- */

void congru_head_chunk(const congru_step_chunk *chunk, const congru_step_work *work)
{
    congru_training *t = chunk->training;
    const congru_kernel *kernel = t->kernel;
    const size_t d = t->out, vectors = chunk->vectors;
    const congru_function function = {CONGRU_FUNCTION_LOG, t->options.head_jitter, t->options.floor};
    const congru_operand reference = congru_shared(t->head.reference, d);
    double *const *m = work->m, *half = m[0], *y = m[1], *z = m[2], *d_y = m[3];
    const double *c = congru_step_lanes(chunk, t->c_out, d * d);
    /* Y = P C P, Z = log Y */
    kernel->product(vectors, d, d, d, congru_per_lane(c, d), reference, CONGRU_PRODUCT_SET, half);
    kernel->product(vectors, d, d, d, reference, congru_per_lane(half, d), CONGRU_PRODUCT_SYMMETRIC, y);
    congru_step_eigen(chunk, work, t->layers + 1, d, y, work->value, z);
    congru_spectral_forward(kernel, vectors, d, function, work->value, z, y, &work->spectral);
    kernel->triangle(vectors, d, t->stride, y, work->row);
    congru_head_softmax(chunk, work);
    kernel->untriangle(vectors, d, t->stride, work->row, y);
    congru_spectral_backward(kernel, vectors, d, function, work->value, z, y, d_y, &work->spectral);
    /* dC = P dY P, dP = C P dY + its transpose */
    congru_spectral_congruence(kernel, vectors, d, d, d_y, reference,
                               congru_step_lanes(chunk, t->d_c_out, d * d), y);
    double *chains = congru_step_chains(chunk, d * d);
    kernel->add_product(vectors, d, d, d, congru_per_lane(half, d), congru_per_lane(d_y, d), chains);
    kernel->fold(d * d, chains, t->head.d_reference + chunk->block * d * d);
}

double congru_head_finish(congru_training *t)
{
    double *d_weights = congru_training_gradient(t, t->head.weights);
    const size_t size = t->classes * t->stride;
    const double *partial = t->head.d_weight;
    for (size_t chunk = 0; chunk * CONGRU_STEP_CHUNK < t->count; chunk++) {
        for (size_t k = 0; k < t->classes; k++) {
            for (size_t e = 0; e < t->features; e++)
                d_weights[k * t->features + e] += partial[chunk * size + k * t->stride + e];
        }
    }
    congru_training_add_partials(t, t->classes, t->head.d_bias, congru_training_gradient(t, t->head.bias));
    double sum = 0.0;
    for (size_t i = 0; i < t->count; i++)
        sum += t->head.loss[i];
    return sum / (double)t->count;
}
