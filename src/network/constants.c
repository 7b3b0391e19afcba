/* Trials made symmetric, logarithms of all of them, dispersions. SPDX-License-Identifier: Apache-2.0 */
#include "network/constants.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mapped_memory.h"
#include "base/memory.h"
#include "base/scalar_math.h"
#include "network/rows.h"

void congru_constants_layout(congru_arena *arena, bool roots, congru_constants *c)
{
    const size_t count = c->trials->count, d = c->trials->d, block = c->out < d ? c->out : d;
    c->present = congru_arena_take(arena, c->trials->classes, sizeof(double));
    if (c->signals) {
        congru_signals_layout(arena, c);
        return;
    }
    c->row = congru_arena_take(arena, count * c->stride, sizeof(double));
    if (c->by_log) {
        c->logarithm = congru_arena_take(arena, count * d * d, sizeof(double));
        c->values = congru_arena_take(arena, count * d, sizeof(double));
        c->vectors = congru_arena_take(arena, count * d * d, sizeof(double));
        c->norm = congru_arena_take(arena, count, sizeof(double));
        c->dispersion = congru_arena_take(arena, c->trials->subjects, sizeof(double));
        return;
    }
    c->covariance = congru_arena_take(arena, count * d * d, sizeof(double));
    c->mask = c->out > d ? congru_arena_take(arena, c->stride, sizeof(double)) : NULL;
    c->root = roots ? congru_arena_take(arena, count * block * block, sizeof(double)) : NULL;
}

/* z f z^T of one trial. */
static void rebuild(size_t d, const double *values, const double *z, double *out)
{
    for (size_t i = 0; i < d; i++) {
        for (size_t j = 0; j <= i; j++) {
            double sum = 0.0;
            for (size_t k = 0; k < d; k++)
                sum += z[i * d + k] * values[k] * z[j * d + k];
            out[i * d + j] = out[j * d + i] = sum;
        }
    }
}

/* Logarithms of all trials, floored: (count, d, d); their eigenpairs too where not NULL. */
static congru_status logarithms(congru_context *context, const congru_constants *c, double *logarithm,
                                double *values, double *vectors)
{
    enum { BLOCK = 256 };
    const size_t d = c->trials->d, size = d * d, count = c->trials->count;
    const bool own = values == NULL;
    double *scratch = own ? malloc(BLOCK * (size + d) * sizeof(double)) : NULL;
    if (own && scratch == NULL)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "not enough memory for %zu logarithms", count);
    congru_status status = CONGRU_OK;
    for (size_t first = 0; status == CONGRU_OK && first < count; first += BLOCK) {
        const size_t n = count - first < BLOCK ? count - first : BLOCK;
        double *w = own ? scratch : values + first * d, *z = own ? scratch + BLOCK * d : vectors + first * size;
        status = congru_spd_eigen(context, n, d, c->trials->covariance + first * size, w, z);
        for (size_t i = 0; status == CONGRU_OK && i < n; i++) {
            for (size_t k = 0; k < d; k++) {
                double x = w[i * d + k] > c->floor ? w[i * d + k] : c->floor;
                w[i * d + k] = congru_scalar_log(x);
                if (!isfinite(w[i * d + k]))
                    status =
                        congru_fail(context, CONGRU_ERROR_NOT_POSITIVE,
                                    "trial %zu has an eigenvalue of %g: its logarithm needs a floor above 0",
                                    first + i + 1, x);
            }
            congru_mapped_pass(2 * size * sizeof(double));
            rebuild(d, w + i * d, z + i * size, logarithm + (first + i) * size);
        }
    }
    free(scratch);
    return status;
}

/* The leading block of a logarithm as a row of the output's dimension, zeros beyond it. */
static void make_row(const congru_constants *c, const double *logarithm, double *row)
{
    const size_t d = c->trials->d;
    size_t e = 0;
    for (size_t i = 0; i < c->out; i++) {
        for (size_t j = i; j < c->out; j++, e++) {
            double x = i < d && j < d ? logarithm[i * d + j] : 0.0;
            row[e] = i == j ? x : x * sqrt(2.0);
        }
    }
    for (; e < c->stride; e++)
        row[e] = 0.0;
}

/* ---- DCT --------------------------------------------------------------------------------------------- */

void congru_dispersions(const congru_trials *trials, const double *norm, double *dispersion)
{
    for (size_t s = 0; s < trials->subjects; s++) {
        double sum = 0.0, count = 0.0;
        for (size_t i = 0; i < trials->count; i++) {
            sum += trials->subject[i] == (int32_t)s ? norm[i] : 0.0;
            count += trials->subject[i] == (int32_t)s ? 1.0 : 0.0;
        }
        dispersion[s] = sum > 0.0 ? sqrt(sum / count) : 1.0;
    }
}

static congru_status fill_logarithms(congru_context *context, congru_constants *c)
{
    const size_t d = c->trials->d;
    congru_status status = logarithms(context, c, c->logarithm, c->values, c->vectors);
    if (status != CONGRU_OK)
        return status;
    for (size_t i = 0; i < c->trials->count; i++)
        c->norm[i] = congru_squared_norm(d, c->values + i * d);
    for (size_t s = 0; s < c->trials->subjects; s++)
        c->dispersion[s] = 1.0;
    if (c->by_subject)
        congru_dispersions(c->trials, c->norm, c->dispersion);
    for (size_t i = 0; i < c->trials->count; i++) {
        const double dispersion = c->dispersion[c->trials->subject[i]];
        double *logarithm = c->logarithm + i * d * d, *values = c->values + i * d;
        for (size_t e = 0; e < d * d; e++)
            logarithm[e] /= dispersion;
        for (size_t k = 0; k < d; k++)
            values[k] /= dispersion;
        c->norm[i] = congru_squared_norm(d, values);
        make_row(c, logarithm, c->row + i * c->stride);
        congru_mapped_pass(2 * d * d * sizeof(double));
    }
    return CONGRU_OK;
}

/* ---- Stacks of congruences --------------------------------------------------------------------------- */

static congru_status fill_roots(congru_context *context, congru_constants *c)
{
    const size_t d = c->trials->d, m = c->out < d ? c->out : d;
    for (size_t i = 0; i < c->trials->count; i++) {
        congru_mapped_pass((m * m + d * d) * sizeof(double));
        for (size_t r = 0; r < m; r++)
            memcpy(c->root + (i * m + r) * m, c->covariance + (i * d + r) * d, m * sizeof(double));
    }
    return congru_spd_invsqrt(context, c->trials->count, m, c->root, c->root);
}

static congru_status fill_covariances(congru_context *context, congru_constants *c)
{
    const size_t d = c->trials->d, count = c->trials->count;
    double *logarithm = congru_memory_take(count * d * d * sizeof(double));
    if (logarithm == NULL)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "not enough memory for %zu logarithms", count);
    congru_status status = logarithms(context, c, logarithm, NULL, NULL);
    for (size_t i = 0; status == CONGRU_OK && i < count; i++) {
        make_row(c, logarithm + i * d * d, c->row + i * c->stride);
        const double *x = c->trials->covariance + i * d * d;
        congru_mapped_pass(4 * d * d * sizeof(double));
        for (size_t r = 0; r < d; r++) {
            for (size_t s = 0; s < d; s++)
                c->covariance[(i * d + r) * d + s] = 0.5 * (x[r * d + s] + x[s * d + r]);
        }
    }
    congru_memory_give(logarithm);
    for (size_t i = 0, e = 0; i < c->out && c->mask != NULL; i++) {
        for (size_t j = i; j < c->out; j++)
            c->mask[e++] = j < d ? 1.0 : 0.0;
    }
    for (size_t e = c->out * (c->out + 1) / 2; e < c->stride && c->mask != NULL; e++)
        c->mask[e] = 0.0;
    return status == CONGRU_OK && c->root != NULL ? fill_roots(context, c) : status;
}

congru_status congru_constants_fill(congru_context *context, congru_constants *c)
{
    memset(c->present, 0, c->trials->classes * sizeof(double));
    for (size_t i = 0; i < c->trials->count; i++)
        c->present[c->trials->label[i]] = 1.0;
    c->present_count = 0;
    for (size_t k = 0; k < c->trials->classes; k++)
        c->present_count += c->present[k] != 0.0;
    if (c->signals)
        return congru_signals_fill(context, c);
    return c->by_log ? fill_logarithms(context, c) : fill_covariances(context, c);
}
