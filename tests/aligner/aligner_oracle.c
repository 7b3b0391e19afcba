/* Recentring and scaling against stored values of SciPy. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aligner/recentre.h"
#include "congru/aligner.h"
#include "context_main.h"
#include "harness.h"
#include "spd_samples.h"

enum { N = 12, D = 5, DD = D * D, SAMPLES = 40, CASES = 11 };

static congru_context *context;
static double trials[N * DD], references[2 * DD], recentred[N * DD], result[N * DD];
static int32_t subject[N];

#define OK(call) spd_expect(context, (call), CONGRU_OK, __FILE__, __LINE__)

/* As in tests/oracle/oracle_aligners.py: sums of products of halves of integers, which are exact. */
static void make_trials(void)
{
    uint64_t state = 1;
    double u[D * SAMPLES], x[D * SAMPLES];
    for (size_t m = 0; m < N; m++) {
        for (size_t i = 0; i < D * SAMPLES; i++) {
            state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            u[i] = (double)((state >> 33) % 1001) - 500;
        }
        for (size_t i = 0; i < D; i++)
            for (size_t t = 0; t < SAMPLES; t++)
                x[i * SAMPLES + t] =
                    u[i * SAMPLES + t] * (double)(1 + m % 2 * i) + u[(i + 1) % D * SAMPLES + t] / 2;
        for (size_t i = 0; i < D; i++)
            for (size_t j = 0; j < D; j++)
                trials[m * DD + i * D + j] = dense_dot(SAMPLES, x + i * SAMPLES, x + j * SAMPLES);
        subject[m] = (int32_t)(m % 2);
    }
}

/* What the case asks for, in `result`, by the functions under test; how many matrices. */
static void compute(congru_metric metric, const char *what)
{
    const congru_target_trials target = {.count = N, .d = D, .covariance = trials, .online = true};
    OK(congru_alignment_recentre(context, metric, N, D, trials, 2, subject, references, recentred));
    if (strcmp(what, "references") == 0) {
        memcpy(result, references, sizeof references);
    } else if (strcmp(what, "recentred") == 0) {
        memcpy(result, recentred, sizeof recentred);
    } else if (strcmp(what, "online") == 0) {
        OK(congru_recentre_target(context, metric, &target, NULL, result));
    } else {
        double half[2][N / 2 * DD], dispersion, factor;
        for (size_t m = 0; m < N; m++)
            memcpy(half[m % 2] + m / 2 * DD, recentred + m * DD, DD * sizeof(double));
        OK(congru_alignment_dispersion(context, N / 2, D, half[0], &dispersion));
        OK(congru_alignment_scale(context, N / 2, D, half[1], dispersion, &factor, result));
        if (strcmp(what, "factor") == 0)
            result[0] = factor;
    }
}

static void check_case(FILE *file, const char *metric, const char *what, size_t n, size_t d)
{
    compute(strcmp(metric, "riemann") == 0     ? CONGRU_METRIC_RIEMANN
            : strcmp(metric, "logeuclid") == 0 ? CONGRU_METRIC_LOGEUCLID
                                               : CONGRU_METRIC_EUCLID,
            what);
    for (size_t m = 0; m < n; m++) {
        double scale = dense_norm(d * d, result + m * d * d), expected;
        for (size_t i = 0; i < d; i++) {
            for (size_t j = 0; j <= i; j++) {
                if (!CHECK(fscanf(file, "%lf", &expected) == 1))
                    return;
                CHECK_SAYING(fabs(result[(m * d + i) * d + j] - expected) <= 1e-12 * scale,
                             "%s %s, matrix %zu: %.17g, not %.17g", metric, what, m,
                             result[(m * d + i) * d + j], expected);
            }
        }
    }
}

TEST(values_agree_with_scipy)
{
    char path[512], line[256], metric[16], what[16];
    const char *source = getenv("SOURCE");
    size_t n, d, cases = 0;
    snprintf(path, sizeof path, "%s/tests/data/aligners.txt", source != NULL ? source : ".");
    FILE *file = fopen(path, "r");
    if (!CHECK_SAYING(file != NULL && fgets(line, sizeof line, file) != NULL, "%s cannot be read", path))
        return;
    make_trials();
    for (; fscanf(file, "%15s %15s %zu %zu", metric, what, &n, &d) == 4; cases++)
        check_case(file, metric, what, n, d);
    fclose(file);
    CHECK(cases == CASES);
}

int main(void)
{
    return context_main(&context, NULL);
}
