/* Clocks of XDF streams on both sides of every limit that pyxdf documents. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "context_main.h"
#include "harness.h"
#include "recording/xdf.h"

enum { OFFSETS = 40, RESET = 20, TIMES = 3000 };

static congru_context *context;

/* Noise between -1 and 1 that is the same everywhere. */
static double noise(size_t i)
{
    return (double)((i * i * 313 + i * 1237 + 104729) % 2003) / 1001 - 1;
}

/* Clock offsets every 5 s with `jitter` seconds of noise; from RESET on `late` seconds later and `change` seconds more.
 * Returns how far the last offset's time is from where a line through the second half alone puts it: about 0 where the
 * clock was found to be reset, and far from 0 where one line goes through all. */
static double miss(double jitter, double late, double change)
{
    double offset[2 * OFFSETS], second[2 * (OFFSETS - RESET)], time[2] = {0};
    for (size_t i = 0; i < OFFSETS; i++) {
        offset[2 * i] = 1000 + 5 * (double)i + jitter * noise(i) + (i >= RESET ? late : 0);
        offset[2 * i + 1] = 3 + jitter * noise(i + 500) + (i >= RESET ? change : 0);
    }
    memcpy(second, offset + 2 * (size_t)RESET, sizeof second);
    /* The first time is of the first part, and a jump leads to the second. */
    time[0] = offset[0];
    time[1] = offset[2 * (OFFSETS - 1)];
    double alone = time[1];
    congru_xdf_stream all = {.offset = offset, .offsets = OFFSETS};
    congru_xdf_stream part = {.offset = second, .offsets = OFFSETS - RESET};
    CHECK(congru_xdf_synchronise(context, &all, time, 2) == CONGRU_OK);
    CHECK(congru_xdf_synchronise(context, &part, &alone, 1) == CONGRU_OK);
    return fabs(time[1] - alone);
}

/* Where the noise is small, seconds decide. */
TEST(a_reset_is_5_seconds_late_and_1_second_off)
{
    CHECK(miss(1e-3, 5.1, 1.1) < 1e-12);
    CHECK(miss(1e-3, 5.1, -1.1) < 1e-12);
    CHECK(miss(1e-3, 4.9, 1.1) > 1e-3);
    CHECK(miss(1e-3, 5.1, 0.9) > 1e-3);
}

/* Where it is large, median deviations do: 1.25 s of intervals and of steps for 2 s of noise. At RESET the noise makes
 * the interval 1.25 s shorter than usual. */
TEST(a_reset_is_5_deviations_late_and_10_off)
{
    CHECK(miss(2, 8.2, 60) < 1e-12);
    CHECK(miss(2, 6.9, 60) > 1e-3);
    CHECK(miss(2, 60, 13.5) < 1e-12);
    CHECK(miss(2, 60, -13.5) < 1e-12);
    CHECK(miss(2, 60, 11.5) > 1e-3);
}

/* A clock never goes back, so that one that does is another clock, however alike its offsets. */
TEST(a_clock_that_goes_back_was_reset)
{
    CHECK(miss(1e-3, -200, 2e-2) < 1e-12);
    CHECK(miss(1e-3, -6, 2e-2) < 1e-12);
}

/* At the least sum of Huber's loss the residuals, cut off at the limit, add up to 0, and so do their moments. */
TEST(outliers_count_up_to_the_limit)
{
    static const double limit = 1e-4;
    double offset[2 * OFFSETS], line[2] = {0, 0}, sum = 0, moment = 0;
    for (size_t i = 0; i < OFFSETS; i++) {
        offset[2 * i] = 5 * (double)i;
        offset[2 * i + 1] = 7 + 2e-5 * (double)i + 3e-5 * noise(i) + (i % 9 == 4 ? 0.02 * (2 + noise(i)) : 0);
    }
    double at[2] = {0, 195};
    congru_xdf_stream stream = {.offset = offset, .offsets = OFFSETS};
    CHECK(congru_xdf_synchronise(context, &stream, at, 2) == CONGRU_OK);
    line[0] = at[0];
    line[1] = (at[1] - 195 - at[0]) / 195;
    for (size_t i = 0; i < OFFSETS; i++) {
        double rest = offset[2 * i + 1] - line[0] - line[1] * offset[2 * i];
        rest = rest > limit ? limit : rest < -limit ? -limit : rest;
        sum += rest / limit;
        moment += rest / limit * (double)i / OFFSETS;
    }
    CHECK_NEAR(sum, 0, 1e-6);
    CHECK_NEAR(moment, 0, 1e-6);
}

/* An outlet that closes before its inlet leaves a last offset of anything at all. */
TEST(a_last_offset_of_rubbish_moves_nothing)
{
    static const double rubbish[][2] = {{1195, 1e7}, {1195, -1e7}, {0, 3}, {0, -1e6}, {1e7, 1e7}, {1e7, 3}};
    for (size_t k = 0; k < sizeof rubbish / sizeof *rubbish; k++) {
        double offset[2 * OFFSETS], time[2] = {1000, 1200};
        for (size_t i = 0; i < OFFSETS; i++) {
            offset[2 * i] = 1000 + 5 * (double)i;
            offset[2 * i + 1] = 3 + 2e-5 * noise(i);
        }
        memcpy(offset + 2 * (OFFSETS - 1), rubbish[k], sizeof rubbish[k]);
        congru_xdf_stream stream = {.offset = offset, .offsets = OFFSETS};
        CHECK(congru_xdf_synchronise(context, &stream, time, 2) == CONGRU_OK);
        CHECK_SAYING(fabs(time[0] - 1003) < 1e-4, "case %zu: %.9f", k, time[0]);
        CHECK_SAYING(fabs(time[1] - 1203) < 1e-4, "case %zu: %.9f", k, time[1]);
    }
}

/* Parts that times of one jump fall into. */
static size_t parts(double rate, double jump)
{
    static double time[TIMES];
    congru_xdf_segment *segment = NULL;
    size_t segments = 0;
    for (size_t i = 0; i < TIMES; i++)
        time[i] = 50 + ((double)i + 0.3 * noise(i)) / rate + (i >= TIMES / 2 ? jump : 0);
    CHECK(congru_xdf_dejitter(context, time, TIMES, rate, &segment, &segments) == CONGRU_OK);
    free(segment);
    return segments;
}

TEST(a_break_is_1_second_and_500_samples)
{
    CHECK(parts(100, 4.9) == 1 && parts(100, 5.1) == 2); /* 500 samples */
    CHECK(parts(2000, 0.95) == 1 && parts(2000, 1.05) == 2);
    CHECK(parts(100, -4.9) == 1 && parts(100, -5.1) == 2); /* back as well as on */
}

int main(void)
{
    return context_main(&context, &(congru_context_options){.threads = 1});
}
