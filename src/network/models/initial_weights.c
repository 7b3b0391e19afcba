/* First weights: of a stack of congruence layers, and of networks whose segments say how theirs are drawn. SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "base/mapped_memory.h"
#include "congru/random.h"
#include "network/models/model.h"
#include "network/train.h"

enum { STREAM_WEIGHTS = 0x6202, STREAM_FIRST = 0x6205 };

/* ---- A stack ----------------------------------------------------------------------------------------- */

/* U~_in^T U~_out, each U repeated and cut to its width: U itself cancels. */
static void lifted(size_t d, size_t in, size_t out, double *w)
{
    const double copies_in = (double)((in + d - 1) / d), copies_out = (double)((out + d - 1) / d);
    const double value = 1.0 / sqrt(copies_in * copies_out);
    for (size_t i = 0; i < in; i++) {
        for (size_t j = 0; j < out; j++)
            w[i * out + j] = i % d == j % d ? value : 0.0;
    }
}

/* Columns of U, repeated where it widens; its rows likewise where it narrows from beyond d. */
static void eigenvectors(size_t d, const double *u, size_t in, size_t out, double *w)
{
    const bool beyond = in > d;
    const double copies_in = beyond ? (double)((in + d - 1) / d) : 1.0,
                 copies_out = (double)((out + d - 1) / d);
    const double value = 1.0 / sqrt(copies_in * copies_out);
    for (size_t i = 0; i < in; i++) {
        for (size_t j = 0; j < out; j++) {
            if (beyond && in == out)
                w[i * out + j] = i == j ? 1.0 : 0.0;
            else
                w[i * out + j] = value * u[i % d * d + (d - 1 - j % d)];
        }
    }
}

/* The eigenvectors of the mean of all trials, by ascending eigenvalue. */
static congru_status mean_vectors(congru_context *context, size_t d, const double *covariance, size_t count,
                                  double *u)
{
    const size_t size = d * d;
    double *mean;
    CONGRU_TRY(congru_allocate(context, &mean, size + d, sizeof *mean, "the first weights"));
    for (size_t i = 0; i < count; i++) {
        congru_mapped_pass(size * sizeof(double));
        for (size_t e = 0; e < size; e++)
            mean[e] += covariance[i * size + e];
    }
    for (size_t e = 0; e < size; e++)
        mean[e] /= (double)count;
    congru_status status = congru_spd_eigen(context, 1, d, mean, mean + size, u);
    free(mean);
    return status;
}

congru_status congru_design_initial(congru_context *context, const congru_design *design,
                                    const double *covariance, size_t count, congru_initial initial,
                                    uint64_t seed, congru_parameters *parameters)
{
    const size_t d = design->d;
    double *u;
    CONGRU_TRY(congru_allocate(context, &u, d * d, sizeof *u, "the first weights"));
    congru_status status = CONGRU_OK;
    if (initial == CONGRU_INITIAL_EIGEN)
        CONGRU_TRY_TO(done, mean_vectors(context, d, covariance, count, u));
    for (size_t l = 0; l < design->layers; l++) {
        const size_t in = design->width[l], out = design->width[l + 1];
        double *w = parameters->value + parameters->segment[l].offset;
        if (initial == CONGRU_INITIAL_LIFTED)
            lifted(d, in, out, w);
        else if (initial == CONGRU_INITIAL_EIGEN)
            eigenvectors(d, u, in, out, w);
        congru_random random = congru_random_stream(seed, STREAM_WEIGHTS, (uint32_t)l, 0);
        for (size_t e = 0; e < in * out && initial == CONGRU_INITIAL_RANDOM; e++)
            w[e] = congru_random_normal(&random) / sqrt((double)in);
    }
done:
    free(u);
    return status;
}

/* ---- Segments by themselves -------------------------------------------------------------------------- */

/* 1 in the rows that begin at it; of the many rows of weights none does. */
static double first_of_row(const congru_segment *segment, size_t row)
{
    return row < CHAR_BIT * sizeof segment->ones ? (double)(segment->ones >> row & 1) : 0;
}

void congru_parts_first(uint64_t seed, congru_parameters *p)
{
    for (size_t s = 0; s < p->segments; s++) {
        const congru_segment *segment = &p->segment[s];
        congru_random random = congru_random_stream(seed, STREAM_FIRST, (uint32_t)s, 0);
        for (size_t e = 0; e < segment->rows * segment->cols; e++)
            p->value[segment->offset + e] = first_of_row(segment, e / segment->cols) +
                                            segment->spread * (2.0 * congru_random_uniform(&random) - 1.0);
    }
    congru_constraints_retract(p);
}
