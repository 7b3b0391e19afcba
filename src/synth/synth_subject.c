/* Draws the common basis, and what is particular to a subject. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/scalar_math.h"
#include "congru/spd.h"
#include "synth/synth_internal.h"

/* Takes from column `j` what lies along the columns before it, twice, as once leaves rounding behind. */
static void orthogonalise(size_t d, double *basis, size_t j)
{
    for (int pass = 0; pass < 2; pass++)
        for (size_t k = 0; k < j; k++) {
            double along = 0.0;
            for (size_t i = 0; i < d; i++)
                along += basis[i * d + k] * basis[i * d + j];
            for (size_t i = 0; i < d; i++)
                basis[i * d + j] -= along * basis[i * d + k];
        }
    double square = 0.0;
    for (size_t i = 0; i < d; i++)
        square += basis[i * d + j] * basis[i * d + j];
    for (size_t i = 0; i < d; i++)
        basis[i * d + j] /= sqrt(square);
}

void congru_synth_draw_basis(const congru_synth_options *options, double *basis, double *background)
{
    const size_t d = options->channels;
    congru_random random = congru_random_stream(options->seed, SYNTH_BASIS, 0, 0);
    for (size_t i = 0; i < d * d; i++)
        basis[i] = congru_random_normal(&random);
    for (size_t j = 0; j < d; j++)
        orthogonalise(d, basis, j);
    random = congru_random_stream(options->seed, SYNTH_BACKGROUND, 0, 0);
    for (size_t j = 0; j + CONGRU_SYNTH_SOURCES < d; j++)
        background[j] = options->background * (2.0 * congru_random_uniform(&random) - 1.0);
}

/* Symmetric, its squared Frobenius norm d on average: variance 1/(d + 1) off the diagonal and twice that on
 * it. */
static void draw_symmetric(congru_random random, size_t d, double *out)
{
    const double off = sqrt(1.0 / (double)(d + 1)), on = sqrt(2.0 / (double)(d + 1));
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j <= i; j++)
            out[i * d + j] = out[j * d + i] = (i == j ? on : off) * congru_random_normal(&random);
}

/* The first columns of the frame turn by R; the others stay. */
static congru_status turn(congru_context *context, congru_random random, double angle, size_t d, double *frame)
{
    enum { N = CONGRU_SYNTH_SOURCES };
    double generator[N * N] = {0}, rotation[N * N];
    for (size_t i = 0; i < N; i++)
        for (size_t j = i + 1; j < N; j++)
            generator[i * N + j] = angle * congru_random_normal(&random);
    congru_status status = congru_rotation_forward(context, N, generator, rotation);
    for (size_t i = 0; i < d && status == CONGRU_OK; i++) {
        double row[N] = {0};
        for (size_t k = 0; k < N; k++)
            for (size_t j = 0; j < N; j++)
                row[j] += frame[i * d + k] * rotation[k * N + j];
        memcpy(frame + i * d, row, sizeof row);
    }
    return status;
}

congru_status congru_synth_draw_subject(congru_context *context, const congru_synth_options *options,
                                        size_t index, size_t branch, const double *basis,
                                        congru_synth_subject *subject, double *work)
{
    const size_t d = options->channels;
    const uint32_t who = (uint32_t)index, which = (uint32_t)(branch * SYNTH_BRANCH_STRIDE);
    const bool fused = options->stage == CONGRU_SYNTH_FUSION;
    congru_random random = congru_random_stream(options->seed, SYNTH_DISPERSE, who, 0);
    for (size_t k = 0; k < CONGRU_SYNTH_SOURCES; k++) {
        double scale = congru_scalar_exp(options->dispersion * congru_random_normal(&random));
        subject->scale[k] = options->stage >= CONGRU_SYNTH_DISPERSION ? scale : 1.0;
    }
    draw_symmetric(congru_random_stream(options->seed, SYNTH_DISTORT + which, who, 0), d, subject->distortion);
    draw_symmetric(congru_random_stream(options->seed, SYNTH_WARP, who, 0), d, work);
    for (size_t i = 0; i < d * d; i++)
        work[i] *= options->warp * (fused ? options->rho : options->alpha);
    congru_status status = congru_spd_exp(context, 1, d, work, subject->warp);
    memcpy(subject->frame, basis, d * d * sizeof *basis);
    if (status == CONGRU_OK && options->stage >= CONGRU_SYNTH_ORIENTATION)
        status = turn(context, congru_random_stream(options->seed, SYNTH_ROTATE + which, who, 0),
                      options->rotation, d, subject->frame);
    return status;
}
