/* What a trained network makes of trials, layer by layer as the paper has it. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/bank.h"
#include "base/scalar_math.h"
#include "base/workspace.h"
#include "layer/trained.h"

enum { BLOCK = 256 }; /* trials at a time: bounds the memory */

congru_status congru_trained_norms(congru_context *context, const congru_trained *n, size_t count,
                                   const double *covariance, double *norm)
{
    double *values = congru_memory_take(BLOCK * n->d * sizeof(double));
    if (values == NULL)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "not enough memory for eigenvalues");
    congru_status status = CONGRU_OK;
    for (size_t first = 0; status == CONGRU_OK && first < count; first += BLOCK) {
        const size_t block = count - first < BLOCK ? count - first : BLOCK;
        status = congru_spd_eigen(context, block, n->d, covariance + first * n->d * n->d, values, NULL);
        for (size_t i = 0; status == CONGRU_OK && i < block; i++) {
            norm[first + i] = 0.0;
            for (size_t k = 0; k < n->d; k++) {
                double x = values[i * n->d + k], y = congru_scalar_log(x > n->floor ? x : n->floor);
                norm[first + i] += y * y;
            }
        }
    }
    congru_memory_give(values);
    return status;
}

/* Arrays of one block: the input or output of each layer, logarithms, and spectra by dimension. */
typedef struct block_work {
    double *feature[CONGRU_LAYERS_MAX];
    double *first, *second;
    congru_spectrum *spectrum;
    size_t spectrum_count, spectrum_d;
} block_work;

static void layout(congru_arena *arena, const congru_trained *n, block_work *w)
{
    size_t largest = n->d;
    for (size_t l = 1; l <= n->layers; l++) {
        largest = n->width[l] > largest ? n->width[l] : largest;
        w->feature[l] = congru_arena_take(arena, BLOCK * n->width[l] * n->width[l], sizeof(double));
    }
    w->first = congru_arena_take(arena, BLOCK * largest * largest, sizeof(double));
    w->second = congru_arena_take(arena, BLOCK * largest * largest, sizeof(double));
}

/* log(max(C, floor)) */
static congru_status floored_log(congru_context *context, const congru_trained *n, block_work *w, size_t count,
                                 size_t d, double jitter, const double *c, double *out)
{
    congru_status status = CONGRU_OK;
    if (w->spectrum_d != d || w->spectrum_count != count) {
        congru_spectrum_destroy(&w->spectrum);
        status = congru_spectrum_create(context, count, d, &w->spectrum);
        w->spectrum_count = count;
        w->spectrum_d = status == CONGRU_OK ? d : 0;
    }
    return status == CONGRU_OK
               ? congru_spd_log_forward(context, count, d, c, jitter, n->floor, out, w->spectrum)
               : status;
}

static congru_status rotated_block(congru_context *context, const congru_trained *n, block_work *w,
                                   size_t count, const double *c, const double *dispersion, double *c_out,
                                   double *log_out)
{
    const size_t d = n->d;
    congru_status status = floored_log(context, n, w, count, d, 0.0, c, w->first);
    for (size_t i = 0; status == CONGRU_OK && i < count; i++) {
        const double scale = n->gamma / (dispersion != NULL ? dispersion[i] : 1.0);
        for (size_t e = 0; e < d * d; e++)
            w->first[i * d * d + e] *= scale;
    }
    if (status == CONGRU_OK)
        status = congru_spd_congruence(context, count, d, d, w->first, n->rotation, w->second);
    if (status == CONGRU_OK && log_out != NULL)
        memcpy(log_out, w->second, count * d * d * sizeof(double));
    return status == CONGRU_OK && c_out != NULL ? congru_spd_exp(context, count, d, w->second, c_out) : status;
}

/* feature[l + 1] of feature[l]; where it is merged, its logarithm is left in `second`. */
static congru_status stack_layer(congru_context *context, const congru_trained *n, block_work *w, size_t count,
                                 size_t l, const double *c)
{
    const size_t out = n->width[l + 1], merges = n->merged ? n->layers / 2 : 0, skip = n->layers - 1 - l;
    const double *x = l == 0 ? c : w->feature[l], *other = skip == 0 ? c : w->feature[skip];
    congru_status status = congru_spd_congruence_forward(context, count, n->width[l], out, x, n->w[l],
                                                         n->layer_jitter, w->feature[l + 1]);
    if (status != CONGRU_OK || l + merges < n->layers)
        return status;
    status = floored_log(context, n, w, count, out, 0.0, w->feature[l + 1], w->first);
    if (status == CONGRU_OK)
        status = floored_log(context, n, w, count, out, 0.0, other, w->second);
    for (size_t e = 0; status == CONGRU_OK && e < count * out * out; e++)
        w->second[e] = 0.5 * (w->first[e] + w->second[e]);
    return status == CONGRU_OK ? congru_spd_exp(context, count, out, w->second, w->feature[l + 1]) : status;
}

static congru_status stack_block(congru_context *context, const congru_trained *n, block_work *w, size_t count,
                                 const double *c, double *c_out, double *log_out)
{
    const size_t size = n->out * n->out;
    congru_status status = CONGRU_OK;
    for (size_t l = 0; status == CONGRU_OK && l < n->layers; l++)
        status = stack_layer(context, n, w, count, l, c);
    const double *output = w->feature[n->layers];
    if (status == CONGRU_OK && c_out != NULL)
        /* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): every feature is laid out that a layer makes. */
        memcpy(c_out, output, count * size * sizeof(double));
    if (status != CONGRU_OK || log_out == NULL)
        return status;
    if (!n->merged)
        return floored_log(context, n, w, count, n->out, 0.0, output, log_out);
    memcpy(log_out, w->second, count * size * sizeof(double));
    return CONGRU_OK;
}

congru_status congru_trained_outputs(congru_context *context, const congru_trained *n, size_t count,
                                     const double *covariance, const double *dispersion, double *c_out,
                                     double *log_out)
{
    block_work w = {0};
    congru_arena arena = {0}, measure = {0};
    layout(&measure, n, &w);
    if (congru_arena_reserve(&arena, measure.used) != CONGRU_OK)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "not enough memory to apply the network: %zu bytes",
                           measure.used);
    layout(&arena, n, &w);
    congru_status status = CONGRU_OK;
    const size_t in = n->d * n->d, out = n->out * n->out;
    for (size_t first = 0; status == CONGRU_OK && first < count; first += BLOCK) {
        const size_t block = count - first < BLOCK ? count - first : BLOCK;
        double *c_part = c_out != NULL ? c_out + first * out : NULL;
        double *log_part = log_out != NULL ? log_out + first * out : NULL;
        if (n->backbone == CONGRU_BACKBONE_DCT)
            status = rotated_block(context, n, &w, block, covariance + first * in,
                                   dispersion != NULL ? dispersion + first : NULL, c_part, log_part);
        else
            status = stack_block(context, n, &w, block, covariance + first * in, c_part, log_part);
    }
    congru_spectrum_destroy(&w.spectrum);
    return congru_workspace_free(context, &arena, status);
}

/* ---- Head ---------------------------------------------------------------------------------------- */

static void softmax(const congru_trained *n, const double *z, double *probability)
{
    const size_t d = n->out, features = congru_spd_tangent_size(d);
    double largest = -INFINITY, total = 0.0;
    for (size_t k = 0; k < n->classes; k++) {
        const double *weight = n->weights + k * features;
        double sum = n->bias[k];
        size_t e = 0;
        for (size_t i = 0; i < d; i++) {
            sum += weight[e++] * z[i * d + i];
            for (size_t j = i + 1; j < d; j++)
                sum += weight[e++] * (z[i * d + j] * sqrt(2.0));
        }
        probability[k] = sum;
        largest = n->present[k] != 0.0 && sum > largest ? sum : largest;
    }
    for (size_t k = 0; k < n->classes; k++) {
        probability[k] = n->present[k] != 0.0 ? congru_scalar_exp(probability[k] - largest) : 0.0;
        total += probability[k];
    }
    for (size_t k = 0; k < n->classes; k++)
        probability[k] /= total;
}

congru_status congru_trained_probabilities(congru_context *context, const congru_trained *n, size_t count,
                                           const double *c_out, size_t references, const double *reference,
                                           double *probability)
{
    const size_t d = n->out, size = d * d;
    block_work w = {0};
    double *p = congru_memory_take((references + 2 * BLOCK) * size * sizeof(double));
    if (p == NULL)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "not enough memory for %zu references", references);
    double *y = p + references * size, *z = y + BLOCK * size;
    for (size_t e = 0; e < references * size; e++)
        p[e] = -0.5 * reference[e];
    congru_status status = congru_spd_exp(context, references, d, p, p);
    for (size_t first = 0; status == CONGRU_OK && first < count; first += BLOCK) {
        const size_t block = count - first < BLOCK ? count - first : BLOCK;
        const double *c = c_out + first * size;
        if (references == 1)
            status = congru_spd_congruence(context, block, d, d, c, p, y);
        for (size_t i = 0; status == CONGRU_OK && references > 1 && i < block; i++)
            status =
                congru_spd_congruence(context, 1, d, d, c + i * size, p + (first + i) * size, y + i * size);
        if (status == CONGRU_OK)
            status = floored_log(context, n, &w, block, d, n->head_jitter, y, z);
        for (size_t i = 0; status == CONGRU_OK && i < block; i++)
            softmax(n, z + i * size, probability + (first + i) * n->classes);
    }
    congru_spectrum_destroy(&w.spectrum);
    congru_memory_give(p);
    return status;
}
