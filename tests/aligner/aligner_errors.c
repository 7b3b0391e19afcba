/* Aligners given what they cannot align. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "aligner/procrustes.h"
#include "aligner/recentre.h"
#include "congru/random.h"
#include "context_main.h"
#include "harness.h"
#include "refusal.h"

static congru_context *context;

/* The mean of what overflowed. */
TEST(class_means_must_be_finite)
{
    const double target[8] = {1, 0, 0, 1, 2, 0, 0, INFINITY}, source[8] = {1, 0, 0, 1, 1, 0, 0, 1};
    const double both[2] = {1, 1}, first[2] = {1, 0};
    double rotation[4], misfit = -1;
    check_error(context, congru_procrustes(context, 2, 2, target, source, both, 1, rotation, &misfit),
                CONGRU_ERROR_NOT_FINITE, "a class mean holds a number that is not finite");
    /* A class without weight does not count. */
    CHECK(congru_procrustes(context, 2, 2, target, source, first, 1, rotation, &misfit) == CONGRU_OK);
    CHECK_NEAR(misfit, 0.0, 1e-12);
}

/* Numbers whose squares are below the smallest normal double: nothing is gained by any step, and what comes out is a
 * rotation all the same, no worse than none. */
TEST(tiny_class_means_are_rotated)
{
    enum { D = 4, DD = D * D, CLASSES = 3 };
    const double weight[CLASSES] = {1, 1, 1};
    for (uint32_t seed = 0; seed < 10; seed++) {
        double target[CLASSES * DD], source[CLASSES * DD], rotation[DD], misfit = -1, before = 0;
        congru_random random = congru_random_stream(seed, 1, 0, 0);
        for (size_t k = 0; k < CLASSES; k++)
            for (size_t i = 0; i < D; i++)
                for (size_t j = 0; j <= i; j++) {
                    const size_t here = k * DD + i * D + j, there = k * DD + j * D + i;
                    target[here] = target[there] = 1e-155 * congru_random_normal(&random);
                    source[here] = source[there] = 1e-155 * congru_random_normal(&random);
                }
        for (size_t e = 0; e < CLASSES * DD; e++)
            before += (target[e] - source[e]) * (target[e] - source[e]);
        CHECK(congru_procrustes(context, CLASSES, D, target, source, weight, 1, rotation, &misfit) ==
              CONGRU_OK);
        CHECK(misfit >= 0.0 && misfit <= before * (1 + 1e-6));
        for (size_t e = 0; e < DD; e++) {
            double product = 0.0;
            for (size_t k = 0; k < D; k++)
                product += rotation[e / D * D + k] * rotation[e % D * D + k];
            CHECK_NEAR(product, e / D == e % D ? 1.0 : 0.0, 1e-12);
        }
    }
}

TEST(trials_that_cannot_be_whitened_are_blamed_on_their_subject)
{
    const double reference[8] = {1, 0, 0, 1, 1, 0, 0, 1};
    const int32_t subject[4] = {0, 1, 0, 1};
    const double broken[16] = {1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, NAN};
    const double whole[16] = {1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 4};
    double out[16];
    congru_trials trials = {.count = 4, .d = 2, .subjects = 2, .covariance = broken, .subject = subject};
    check_error(context, congru_recentre_sources(context, &trials, reference, out), CONGRU_ERROR_NOT_FINITE,
                "among the trials of subject 1: matrix 2 of 2");
    trials.covariance = whole;
    CHECK(congru_recentre_sources(context, &trials, reference, out) == CONGRU_OK && out[15] == 4);
}

int main(void)
{
    return context_main(&context, NULL);
}
