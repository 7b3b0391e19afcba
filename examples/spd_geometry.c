/* Makes a set of EEG-like covariance matrices and measures it. SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>

#include "congru/congru.h"

/* One subject's session of the motor-imagery set 2a of the fourth BCI competition has this shape. */
enum { TRIALS = 288, CHANNELS = 22, MATRIX = CHANNELS * CHANNELS };

/* What a stream of random numbers is for; part of its name. */
enum { PURPOSE_TRIALS = 1, PURPOSE_MIXING = 2 };

/* Symmetric matrices of normal numbers: with the exponential, trials scattered around the identity. */
static void fill_symmetric(uint64_t seed, double spread, double *matrices)
{
    for (uint32_t trial = 0; trial < TRIALS; trial++) {
        congru_random random = congru_random_stream(seed, PURPOSE_TRIALS, trial, 0);
        double *m = matrices + (size_t)trial * MATRIX;
        for (size_t i = 0; i < CHANNELS; i++)
            for (size_t j = 0; j <= i; j++)
                m[i * CHANNELS + j] = m[j * CHANNELS + i] = spread * congru_random_normal(&random);
    }
}

/* The mixing of sources into channels: neighbours share most of their signal, as electrodes on a scalp do. */
static void fill_mixing(uint64_t seed, double *mixing)
{
    congru_random random = congru_random_stream(seed, PURPOSE_MIXING, 0, 0);

    for (size_t i = 0; i < CHANNELS; i++) {
        for (size_t j = 0; j < CHANNELS; j++) {
            double distance = i > j ? (double)(i - j) : (double)(j - i);
            mixing[i * CHANNELS + j] = 1.0 / (1.0 + distance) + 0.05 * congru_random_normal(&random);
        }
    }
}

static congru_status make_and_measure(congru_context *context, const char *path, double *matrices)
{
    const size_t shape[3] = {TRIALS, CHANNELS, CHANNELS};
    double mixing[MATRIX], mean[MATRIX];
    congru_mean_info info;
    congru_status status;

    fill_symmetric(50, 0.15, matrices);
    fill_mixing(50, mixing);
    status = congru_spd_exp(context, TRIALS, CHANNELS, matrices, matrices);
    if (status == CONGRU_OK)
        status = congru_spd_congruence(context, TRIALS, CHANNELS, CHANNELS, matrices, mixing, matrices);
    if (status == CONGRU_OK)
        status = congru_npy_write(context, path, 3, shape, matrices);
    if (status == CONGRU_OK)
        status = congru_spd_mean(context, CONGRU_METRIC_RIEMANN, TRIALS, CHANNELS, matrices, NULL, mean, &info);
    if (status == CONGRU_OK)
        printf("%s: %d matrices of %d x %d; their affine-invariant mean took %d passes\n", path, TRIALS,
               CHANNELS, CHANNELS, info.iterations);
    return status;
}

int main(int argc, char **argv)
{
    congru_context *context = NULL;

    if (argc != 2) {
        fprintf(stderr, "usage: %s OUTPUT.npy\n", argv[0]);
        return 2;
    }
    double *matrices = malloc((size_t)TRIALS * MATRIX * sizeof *matrices);
    congru_status status = matrices != NULL ? congru_context_create(&context, NULL) : CONGRU_ERROR_MEMORY;
    if (status == CONGRU_OK)
        status = make_and_measure(context, argv[1], matrices);
    if (status != CONGRU_OK)
        fprintf(stderr, "%s: %s\n", argv[0],
                context != NULL ? congru_context_error(context) : congru_status_text(status));
    congru_context_destroy(&context);
    free(matrices);
    return status == CONGRU_OK ? 0 : 1;
}
