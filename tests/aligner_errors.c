/* Aligners given what they cannot align. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "aligner/procrustes.h"
#include "aligner/recentre.h"
#include "harness.h"

static congru_context *context;

static void check_error(congru_status status, congru_status expected, const char *words)
{
    const char *error = congru_context_error(context);
    CHECK_SAYING(status == expected && strstr(error, words) != NULL, "status %d, not %d with '%s': %s",
                 (int)status, (int)expected, words, error);
}

/* The mean of what overflowed. */
static void class_means_must_be_finite(void)
{
    const double target[8] = {1, 0, 0, 1, 2, 0, 0, INFINITY}, source[8] = {1, 0, 0, 1, 1, 0, 0, 1};
    const double both[2] = {1, 1}, first[2] = {1, 0};
    double rotation[4], misfit = -1;
    check_error(congru_procrustes(context, 2, 2, target, source, both, 1, rotation, &misfit),
                CONGRU_ERROR_NOT_FINITE, "a class mean holds a number that is not finite");
    /* A class without weight does not count. */
    CHECK(congru_procrustes(context, 2, 2, target, source, first, 1, rotation, &misfit) == CONGRU_OK);
    CHECK_NEAR(misfit, 0.0, 1e-12);
}

static void trials_that_cannot_be_whitened_are_blamed_on_their_subject(void)
{
    const double reference[8] = {1, 0, 0, 1, 1, 0, 0, 1};
    const int32_t subject[4] = {0, 1, 0, 1};
    double c[16] = {1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, NAN}, out[16];
    const congru_trials trials = {.count = 4, .d = 2, .subjects = 2, .covariance = c, .subject = subject};
    check_error(congru_recentre_sources(context, &trials, reference, out), CONGRU_ERROR_NOT_FINITE,
                "among the trials of subject 1: matrix 1 of 2");
    c[15] = 4;
    CHECK(congru_recentre_sources(context, &trials, reference, out) == CONGRU_OK && out[15] == 4);
}

int main(void)
{
    if (congru_context_create(&context, NULL) != CONGRU_OK)
        return 1;
    RUN(class_means_must_be_finite);
    RUN(trials_that_cannot_be_whitened_are_blamed_on_their_subject);
    congru_context_destroy(&context);
    return harness_end();
}
