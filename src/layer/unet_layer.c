/* A congruence layer and the logarithm of its output, narrow and wide, with their adjoints. SPDX-License-Identifier: Apache-2.0 */
#include "layer/unet_layer.h"

#include <math.h>
#include <string.h>

#include "base/scalar_math.h"

static congru_function logarithm(const congru_training *t)
{
    return (congru_function){CONGRU_FUNCTION_LOG, 0.0, t->options.floor};
}

/* ---- As it stands -------------------------------------------------------------------------------- */

void congru_unet_layer_forward(const congru_step_chunk *chunk, const congru_step_work *work, size_t l,
                               const double *x)
{
    congru_training *t = chunk->training;
    const congru_kernel *kernel = t->kernel;
    congru_unet_layer *layer = &t->part.unet.layer[l];
    const size_t in = layer->in, out = layer->out, vectors = chunk->vectors;
    const double *w = congru_training_parameter(t, l);
    double *n = congru_step_lanes(chunk, layer->n, in * out);
    double *y = layer->merged ? work->m[1] : congru_step_lanes(chunk, layer->next, out * out);
    kernel->product(vectors, in, out, in, congru_per_lane(x, in), congru_shared(w, out), CONGRU_PRODUCT_SET, n);
    kernel->product(vectors, out, out, in, congru_shared_transposed(w, out), congru_per_lane(n, out),
                    CONGRU_PRODUCT_SYMMETRIC, y);
    kernel->add_diagonal(vectors, out, t->options.layer_jitter, y);
    if (!layer->logged)
        return;
    double *values = congru_step_lanes(chunk, layer->values, out),
           *z = congru_step_lanes(chunk, layer->z, out * out);
    if (!layer->merged) {
        memcpy(work->m[1], y, congru_lane_doubles(kernel, vectors, out * out) * sizeof(double));
        y = work->m[1];
    }
    congru_step_eigen(chunk, work, l + 1, out, y, values, z);
    congru_step_watch(chunk, out, values, false);
    if (layer->merged)
        congru_spectral_forward(kernel, vectors, out, logarithm(t), values, z, work->m[0], &work->spectral);
}

/* dW = 2 X W dY, dX = W dY W^T. */
void congru_unet_layer_backward(const congru_step_chunk *chunk, const congru_step_work *work, size_t l,
                                const double *d_log, const double *d_y, double *d_x)
{
    congru_training *t = chunk->training;
    const congru_kernel *kernel = t->kernel;
    congru_unet_layer *layer = &t->part.unet.layer[l];
    const size_t in = layer->in, out = layer->out, vectors = chunk->vectors;
    const double *total = d_y;
    if (d_log != NULL) {
        congru_spectral_backward(
            kernel, vectors, out, logarithm(t), congru_step_lanes(chunk, layer->values, out),
            congru_step_lanes(chunk, layer->z, out * out), d_log, work->m[1], &work->spectral);
        if (d_y != NULL)
            kernel->combine(congru_lane_doubles(kernel, vectors, out * out), 1.0, d_y, 1.0, work->m[1]);
        total = work->m[1];
    }
    double *chains = congru_step_chains(chunk, in * out);
    kernel->add_product(vectors, in, out, out,
                        congru_per_lane(congru_step_lanes(chunk, layer->n, in * out), out),
                        congru_per_lane(total, out), chains);
    kernel->fold(in * out, chains, layer->part + chunk->block * in * out);
    if (l == 0)
        return;
    const double *w = congru_training_parameter(t, l);
    kernel->product(vectors, in, out, out, congru_shared(w, out), congru_per_lane(total, out),
                    CONGRU_PRODUCT_SET, work->m[2]);
    kernel->product(vectors, in, in, out, congru_per_lane(work->m[2], out), congru_shared_transposed(w, out),
                    CONGRU_PRODUCT_SYMMETRIC, d_x);
}

/* ---- Wide ---------------------------------------------------------------------------------------- */

/* Column k of a (rows, cols), from row k on, becomes its reflector, which is applied to the columns after it;
 * the
 * diagonal of R is returned. The reflector is scaled so that H = I - v v^T. */
static double reflect(size_t rows, size_t cols, size_t k, double *a)
{
    double square = 0.0;
    for (size_t i = k; i < rows; i++)
        square += a[i * cols + k] * a[i * cols + k];
    if (square == 0.0)
        return 0.0;
    const double head = a[k * cols + k], norm = sqrt(square), diagonal = head > 0.0 ? -norm : norm;
    const double scale = 1.0 / sqrt(square - head * diagonal);
    a[k * cols + k] = head - diagonal;
    for (size_t i = k; i < rows; i++)
        a[i * cols + k] *= scale;
    for (size_t j = k + 1; j < cols; j++) {
        double dot = 0.0;
        for (size_t i = k; i < rows; i++)
            dot += a[i * cols + k] * a[i * cols + j];
        for (size_t i = k; i < rows; i++)
            a[i * cols + j] -= dot * a[i * cols + k];
    }
    return diagonal;
}

/* W^T = Q R by Householder's reflections: orthonormal whatever the rank of W. */
void congru_unet_factor(congru_training *t, size_t l)
{
    congru_unet_layer *layer = &t->part.unet.layer[l];
    const size_t rows = layer->out, cols = layer->in;
    const double *w = congru_training_parameter(t, l);
    double *a = t->part.unet.scratch, *q = layer->q, *r = layer->r;
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < cols; j++)
            a[i * cols + j] = w[j * rows + i];
    }
    memset(r, 0, cols * cols * sizeof(double));
    for (size_t k = 0; k < cols; k++) {
        r[k * cols + k] = reflect(rows, cols, k, a);
        for (size_t j = k + 1; j < cols; j++)
            r[k * cols + j] = a[k * cols + j];
    }
    memset(q, 0, rows * cols * sizeof(double));
    for (size_t k = cols; k-- > 0;) {
        q[k * cols + k] = 1.0;
        const bool none = r[k * cols + k] == 0.0;
        for (size_t j = k; j < cols && !none; j++) {
            double dot = 0.0;
            for (size_t i = k; i < rows; i++)
                dot += a[i * cols + k] * q[i * cols + j];
            for (size_t i = k; i < rows; i++)
                q[i * cols + j] -= dot * a[i * cols + k];
        }
    }
}

void congru_unet_wide_forward(const congru_step_chunk *chunk, const congru_step_work *work, size_t l,
                              const double *x)
{
    congru_training *t = chunk->training;
    const congru_kernel *kernel = t->kernel;
    congru_unet_layer *layer = &t->part.unet.layer[l];
    const size_t in = layer->in, out = layer->out, vectors = chunk->vectors;
    const double jitter = t->options.layer_jitter;
    const double constant = congru_scalar_log(jitter > t->options.floor ? jitter : t->options.floor);
    double *n = congru_step_lanes(chunk, layer->n, in * in), *b = work->m[1];
    double *values = congru_step_lanes(chunk, layer->values, in),
           *z = congru_step_lanes(chunk, layer->z, in * in);
    kernel->product(vectors, in, in, in, congru_per_lane(x, in), congru_shared_transposed(layer->r, in),
                    CONGRU_PRODUCT_SET, n);
    kernel->product(vectors, in, in, in, congru_shared(layer->r, in), congru_per_lane(n, in),
                    CONGRU_PRODUCT_SYMMETRIC, b);
    kernel->add_diagonal(vectors, in, jitter, b);
    congru_step_eigen(chunk, work, l + 1, in, b, values, z);
    congru_step_watch(chunk, in, values, false);
    congru_spectral_forward(kernel, vectors, in, logarithm(t), values, z, b, &work->spectral);
    kernel->add_diagonal(vectors, in, -constant, b);
    kernel->product(vectors, out, in, in, congru_shared(layer->q, in), congru_per_lane(b, in),
                    CONGRU_PRODUCT_SET, work->m[3]);
    kernel->product(vectors, out, out, in, congru_per_lane(work->m[3], in),
                    congru_shared_transposed(layer->q, in), CONGRU_PRODUCT_SYMMETRIC, work->m[0]);
    kernel->add_diagonal(vectors, out, constant, work->m[0]);
}

/* loewner (core + 1, core + 1) of the eigenvalues and eps; its core part times s. */
static void wide_differences(const congru_training *t, size_t vectors, size_t core, const double *values,
                             double *value, double *loewner, double *s, double *row)
{
    const congru_kernel *kernel = t->kernel;
    const size_t width = kernel->width, one = core + 1;
    for (size_t v = 0; v < vectors; v++) {
        memcpy(value + v * one * width, values + v * core * width, core * width * sizeof(double));
        for (size_t lane = 0; lane < width; lane++)
            value[(v * one + core) * width + lane] = t->options.layer_jitter;
    }
    kernel->loewner(logarithm(t), vectors, one, value, loewner, row);
    for (size_t v = 0; v < vectors; v++) {
        for (size_t i = 0; i < core; i++)
            kernel->multiply(core * width, loewner + (v * one + i) * one * width,
                             s + (v * core + i) * core * width);
    }
}

/* With dL the derivative by log Y, F = Q^T dL, S = F Q and dB = D log(B)* S:
 * dX = R^T dB R, and dW = 2 X W dY = 2 X R^T (dB Q^T + H (F - S Q^T)), where H = V k V^T has for k the divided
 * differences of each eigenvalue of B with eps: the directions outside of Q's all have that one. */
void congru_unet_wide_backward(const congru_step_chunk *chunk, const congru_step_work *work, size_t l,
                               const double *d_log, double *d_x)
{
    congru_training *t = chunk->training;
    const congru_kernel *kernel = t->kernel;
    congru_unet_layer *layer = &t->part.unet.layer[l];
    const size_t in = layer->in, out = layer->out, vectors = chunk->vectors, width = kernel->width;
    const congru_operand q = congru_shared(layer->q, in), q_t = congru_shared_transposed(layer->q, in);
    const double *z = congru_step_lanes(chunk, layer->z, in * in),
                 *n = congru_step_lanes(chunk, layer->n, in * in);
    double *f = work->m[1], *s = work->m[2], *turned = work->m[3], *scratch = work->m[4], *d_b = work->m[5];
    double *loewner = work->spectral.second;
    kernel->product(vectors, in, out, out, q_t, congru_per_lane(d_log, out), CONGRU_PRODUCT_SET, f);
    kernel->product(vectors, in, in, out, congru_per_lane(f, out), q, CONGRU_PRODUCT_SYMMETRIC, s);
    /* F - S Q^T in f */
    memset(scratch, 0, congru_lane_doubles(kernel, vectors, in * in) * sizeof(double));
    kernel->combine(congru_lane_doubles(kernel, vectors, in * in), -1.0, s, 1.0, scratch);
    kernel->product(vectors, in, out, in, congru_per_lane(scratch, in), q_t, CONGRU_PRODUCT_ADD, f);
    congru_spectral_congruence(kernel, vectors, in, in, s, congru_per_lane(z, in), turned, scratch);
    wide_differences(t, vectors, in, congru_step_lanes(chunk, layer->values, in), work->value, loewner, turned,
                     work->spectral.row);
    congru_spectral_congruence(kernel, vectors, in, in, turned, congru_per_lane_transposed(z, in), d_b,
                               scratch);
    double *chains = congru_step_chains(chunk, in * in);
    kernel->add_product(vectors, in, in, in, congru_per_lane(n, in), congru_per_lane(d_b, in), chains);
    kernel->fold(in * in, chains, layer->part_core + chunk->block * in * in);
    /* N V k, then times V^T f */
    kernel->product(vectors, in, in, in, congru_per_lane(n, in), congru_per_lane(z, in), CONGRU_PRODUCT_SET,
                    turned);
    for (size_t v = 0; v < vectors; v++)
        memcpy(work->value + v * in * width, loewner + (v * (in + 1) + in) * (in + 1) * width,
               in * width * sizeof(double));
    kernel->scale_columns(vectors, in, turned, work->value, s);
    kernel->product(vectors, in, out, in, congru_per_lane_transposed(z, in), congru_per_lane(f, out),
                    CONGRU_PRODUCT_SET, turned);
    chains = congru_step_chains(chunk, in * out);
    kernel->add_product(vectors, in, out, in, congru_per_lane(s, in), congru_per_lane(turned, out), chains);
    kernel->fold(in * out, chains, layer->part + chunk->block * in * out);
    congru_spectral_congruence(kernel, vectors, in, in, d_b, congru_shared(layer->r, in), d_x, scratch);
}

void congru_unet_layer_finish(congru_training *t, size_t l)
{
    congru_unet_layer *layer = &t->part.unet.layer[l];
    const size_t in = layer->in, out = layer->out;
    double *d_w = congru_training_gradient(t, l);
    if (layer->wide) {
        double *core = t->part.unet.scratch, *q_t = core + in * in;
        memset(core, 0, in * in * sizeof(double));
        congru_training_add_partials(t, in * in, layer->part_core, core);
        for (size_t i = 0; i < in; i++) {
            for (size_t j = 0; j < out; j++)
                q_t[i * out + j] = layer->q[j * in + i];
        }
        t->kernel->dense(in, out, in, congru_shared(core, in), q_t, false, d_w);
    }
    congru_training_add_partials(t, in * out, layer->part, d_w);
    for (size_t e = 0; e < in * out; e++)
        d_w[e] *= 2.0;
}
