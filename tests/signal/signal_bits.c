/* Filtered bits do not feel gaps, blocks, threads or instruction sets. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>

#include "congru/signal.h"
#include "harness.h"
#include "signal_samples.h"

enum { CHANNELS = 11, SAMPLES = 700, TAPS = 61, BAND_EDGE = 27 };

static congru_context *context;
static congru_iir band;

static void is_ok(congru_status status)
{
    CHECK_SAYING(status == CONGRU_OK, "%s: %s", congru_status_name(status), congru_context_error(context));
}

static congru_context *make_context(const char *cpu, int threads)
{
    congru_context *made = NULL;
    congru_context_options options = {.threads = threads, .cpu = cpu};
    congru_status status = congru_context_create(&made, &options);
    CHECK_SAYING(status == CONGRU_OK, "no context for %s with %d threads", cpu != NULL ? cpu : "this machine",
                 threads);
    return made;
}

/* The ways to filter in place. */
typedef enum way { ZERO_PHASE, CAUSAL, FIR, WAYS } way;

static void filter_by(way by, size_t channels, size_t samples, double *signal)
{
    if (by == ZERO_PHASE)
        is_ok(congru_signal_filter_zero_phase(context, &band, channels, samples, signal));
    else if (by == CAUSAL)
        is_ok(congru_signal_filter_causal(context, &band, channels, samples, signal, NULL));
    else
        is_ok(congru_signal_filter_fir(context, 8, 30, 250, TAPS, channels, samples, signal));
}

/* Gaps that all channels share, then gaps of one or another's own. */
static double *signal_with_gaps(void)
{
    double *signal = samples_signal(21, CHANNELS, SAMPLES);
    for (size_t c = 0; c < CHANNELS; c++) {
        double *x = signal + c * SAMPLES;
        x[0] = NAN;
        x[150] = x[151] = NAN;
        x[300] = INFINITY;
        if (c % 3 == 1)
            x[350 + 10 * c] = NAN;
        if (c == 4)
            x[640] = -INFINITY;
        if (c == 7)
            x[SAMPLES - 1] = NAN;
        for (size_t i = 0; c == 9 && i < SAMPLES; i++)
            x[i] = NAN;
    }
    return signal;
}

/* Each stretch cut out and filtered by itself. */
static void filter_stretches_alone(way by, const double *x, double *out)
{
    for (size_t i = 0; i < SAMPLES;) {
        size_t end = i;
        while (end < SAMPLES && isfinite(x[end]))
            end++;
        if (end > i) {
            memcpy(out + i, x + i, (end - i) * sizeof *out);
            filter_by(by, 1, end - i, out + i);
        } else {
            out[end++] = NAN;
        }
        i = end;
    }
}

TEST(nothing_leaks_across_gaps)
{
    double *gaps = signal_with_gaps(), *alone = malloc(SAMPLES * sizeof *alone);
    for (way by = 0; by < WAYS; by++) {
        double *signal = samples_copy(CHANNELS * SAMPLES, gaps);
        filter_by(by, CHANNELS, SAMPLES, signal);
        for (size_t c = 0; c < CHANNELS; c++) {
            filter_stretches_alone(by, gaps + c * SAMPLES, alone);
            CHECK_SAYING(samples_equal(SAMPLES, signal + c * SAMPLES, alone), "way %d, channel %zu", (int)by,
                         c);
        }
        CHECK(isnan(signal[0]) && isfinite(signal[1]) && isnan(signal[300]) && isfinite(signal[299]));
        free(signal);
    }
    free(gaps);
    free(alone);
}

TEST(short_stretches_are_missing)
{
    const size_t edges[WAYS] = {BAND_EDGE, 0, TAPS / 2};
    for (way by = 0; by < WAYS; by++) {
        double signal[2 * SAMPLES];
        samples_walk(3, 2 * SAMPLES, signal);
        size_t edge = edges[by], at = edge + 1;
        signal[edge] = NAN;          /* a stretch of `edge`: too short where there is padding */
        signal[at + edge + 1] = NAN; /* one sample more: enough */
        filter_by(by, 1, 2 * SAMPLES, signal);
        for (size_t i = 0; i < edge; i++)
            CHECK(isnan(signal[i]));
        for (size_t i = at; i < at + edge + 1; i++)
            CHECK(isfinite(signal[i]));
        CHECK(isfinite(signal[2 * SAMPLES - 1]));
    }
    double one = 5;
    filter_by(ZERO_PHASE, 1, 1, &one);
    CHECK(isnan(one));
}

/* In blocks of any sizes, with gaps across their borders, the stream is what the whole would have been. */
TEST(blocks_join_without_a_seam)
{
    const size_t sizes[] = {1, 149, 1, 2, 7, 64, 128, 3, 300, 45};
    double *gaps = signal_with_gaps(), *whole = samples_copy(CHANNELS * SAMPLES, gaps);
    double state[CHANNELS * 4 * 2] = {0}, end[CHANNELS * 4 * 2] = {0};
    is_ok(congru_signal_filter_causal(context, &band, CHANNELS, SAMPLES, whole, end));
    size_t done = 0;
    for (size_t b = 0; b < sizeof sizes / sizeof *sizes; b++) {
        double block[CHANNELS * 300];
        for (size_t c = 0; c < CHANNELS; c++)
            memcpy(block + c * sizes[b], gaps + c * SAMPLES + done, sizes[b] * sizeof *block);
        is_ok(congru_signal_filter_causal(context, &band, CHANNELS, sizes[b], block, state));
        for (size_t c = 0; c < CHANNELS; c++)
            CHECK_SAYING(samples_equal(sizes[b], block + c * sizes[b], whole + c * SAMPLES + done),
                         "channel %zu, block %zu", c, b);
        done += sizes[b];
    }
    CHECK(done == SAMPLES && samples_equal(CHANNELS * 4 * 2, state, end));
    CHECK(state[0] != 0 && state[7 * 8] == 0); /* channel 7 ends in a gap */
    free(gaps);
    free(whole);
}

static double *resampled(size_t up, size_t down, size_t channels, size_t samples, const double *signal)
{
    double *out = malloc(channels * congru_signal_resampled(samples, up, down) * sizeof *out);
    is_ok(congru_signal_resample(context, up, down, channels, samples, signal, out));
    return out;
}

TEST(resampling_keeps_to_stretches)
{
    enum { UP = 25, DOWN = 16, FIRST = 2 * DOWN, COUNT = 10 * DOWN + 5 };
    double *signal = samples_signal(31, CHANNELS, SAMPLES);
    for (size_t c = 0; c < CHANNELS; c++) {
        double *x = signal + c * SAMPLES;
        for (size_t i = 0; i < SAMPLES; i++)
            x[i] = i >= FIRST && i < FIRST + COUNT ? x[i] : i % 50 == 0 ? INFINITY : NAN;
        if (c == 5)
            x[FIRST + 80] = NAN;
    }
    double *out = resampled(UP, DOWN, CHANNELS, SAMPLES, signal);
    size_t length = congru_signal_resampled(SAMPLES, UP, DOWN), own = congru_signal_resampled(COUNT, UP, DOWN);
    for (size_t c = 0; c < CHANNELS; c++) {
        if (c == 5)
            continue;
        double *alone = resampled(UP, DOWN, 1, COUNT, signal + c * SAMPLES + FIRST), *x = out + c * length;
        for (size_t k = 0; k < length; k++)
            CHECK(isnan(x[k]) == (k < 2 * UP || k >= 2 * UP + own));
        CHECK_SAYING(samples_equal(own, x + 2 * UP, alone), "channel %zu", c);
        free(alone);
    }
    double *x = out + 5 * length, *head = resampled(UP, DOWN, 1, 80, signal + 5 * SAMPLES + FIRST);
    CHECK(samples_equal(congru_signal_resampled(80, UP, DOWN), x + 2 * UP, head));
    free(head);
    free(signal);
    free(out);
}

TEST(same_rate_is_the_same_signal)
{
    double *signal = samples_signal(41, 3, 100), *out = resampled(7, 7, 3, 100, signal);
    CHECK(samples_equal(300, signal, out));
    free(signal);
    free(out);
}

static uint64_t hash_doubles(uint64_t hash, size_t count, const double *x)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t bits = 0;
        if (!isnan(x[i]))
            memcpy(&bits, &x[i], sizeof bits);
        hash = (hash ^ bits) * UINT64_C(0x100000001b3);
        hash ^= hash >> 29;
    }
    return hash;
}

static uint64_t hash_everything(void)
{
    uint64_t hash = 1;
    for (int order = 1; order <= 10; order++) {
        congru_iir filter = {0};
        is_ok(congru_iir_butterworth(context, order, 7, 33, 250, &filter));
        double *signal = signal_with_gaps();
        is_ok(congru_signal_filter_zero_phase(context, &filter, CHANNELS, SAMPLES, signal));
        hash = hash_doubles(hash, CHANNELS * SAMPLES, signal);
        free(signal);
    }
    double *gaps = signal_with_gaps(), *out = resampled(25, 16, CHANNELS, SAMPLES, gaps);
    hash = hash_doubles(hash, CHANNELS * congru_signal_resampled(SAMPLES, 25, 16), out);
    filter_by(FIR, CHANNELS, SAMPLES, gaps);
    hash = hash_doubles(hash, CHANNELS * SAMPLES, gaps);
    free(gaps);
    free(out);
    double *plain = samples_signal(51, CHANNELS, SAMPLES);
    is_ok(congru_signal_average_reference(context, CHANNELS, SAMPLES, plain));
    filter_by(CAUSAL, CHANNELS, SAMPLES, plain);
    hash = hash_doubles(hash, CHANNELS * SAMPLES, plain);
    free(plain);
    return hash;
}

TEST(bits_are_the_same_everywhere)
{
    const int threads[] = {1, 2, 3, 7};
    congru_context *kept = context;
    uint64_t first = 0;
    for (size_t i = 0; congru_cpu_name(i) != NULL; i++) {
        for (size_t t = 0; t < 4 && congru_cpu_available(congru_cpu_name(i)); t++) {
            context = make_context(congru_cpu_name(i), threads[t]);
            uint64_t hash = hash_everything();
            first = i == 0 && t == 0 ? hash : first;
            CHECK_SAYING(hash == first, "%s, %d threads", congru_cpu_name(i), threads[t]);
            congru_context_destroy(&context);
        }
    }
    /* What every compiler and machine has given: another number is a promise broken. */
    CHECK_SAYING(first == UINT64_C(0x81e27596cdf29b20), "the bits are 0x%016llx", (unsigned long long)first);
    context = kept;
}

static void refuse(congru_status status, const char *part)
{
    CHECK_SAYING(status == CONGRU_ERROR_ARGUMENT, "%s instead of an error about: %s",
                 congru_status_name(status), part);
    CHECK_SAYING(strstr(congru_context_error(context), part) != NULL, "\"%s\" lacks \"%s\"",
                 congru_context_error(context), part);
}

TEST(bad_designs_are_refused)
{
    congru_iir filter = {0};
    refuse(congru_iir_butterworth(context, 0, 8, 35, 250, &filter), "order 0");
    refuse(congru_iir_butterworth(context, 11, 8, 35, 250, &filter), "1 to 10");
    refuse(congru_iir_butterworth(context, 4, 35, 8, 250, &filter), "35 to 8");
    refuse(congru_iir_butterworth(context, 4, 8, 8, 250, &filter), "below its high");
    refuse(congru_iir_butterworth(context, 4, 125, 0, 250, &filter), "below 125 Hz");
    refuse(congru_iir_butterworth(context, 4, 130, 140, 250, &filter), "below 125 Hz");
    refuse(congru_iir_butterworth(context, 4, 0, 125, 250, &filter), "nothing to filter");
    refuse(congru_iir_butterworth(context, 4, 0, 0, 250, &filter), "nothing to filter");
    refuse(congru_iir_butterworth(context, 4, -1, 30, 250, &filter), "-1 to 30");
    refuse(congru_iir_butterworth(context, 4, NAN, 30, 250, &filter), "band");
    refuse(congru_iir_butterworth(context, 4, 8, 35, 0, &filter), "rate of 0");
    refuse(congru_iir_butterworth(context, 4, 8, 35, INFINITY, &filter), "rate");
    refuse(congru_iir_butterworth(context, 4, 1e-9, 2e-9, 250, &filter), "too narrow");
    refuse(congru_iir_butterworth(context, 3, 0, 1e-300, 250, &filter), "too narrow");
    refuse(congru_iir_butterworth(context, 4, 8, nextafter(8, 9), 250, &filter), "too narrow");
    refuse(congru_iir_butterworth(context, 4, 8, nextafter(125, 0), 250, &filter), "too narrow");
    refuse(congru_iir_butterworth(context, 4, 8, 35, 250, NULL), "no filter");
    refuse(congru_iir_notch(context, 125, 30, false, 250, &filter), "below 125 Hz");
    refuse(congru_iir_notch(context, 0, 30, false, 250, &filter), "at 0 Hz");
    refuse(congru_iir_notch(context, 50, 0, false, 250, &filter), "quality 0");
    refuse(congru_iir_notch(context, 50, 0.3, false, 250, &filter), "width");
    refuse(congru_iir_notch(context, 1, 30, true, 250, &filter), "multiples");
    CHECK(filter.sections == 0); /* left as it was */
    CHECK(congru_iir_butterworth(NULL, 4, 8, 35, 250, &filter) == CONGRU_ERROR_ARGUMENT);
}

TEST(bad_calls_are_refused)
{
    double x[64] = {0}, out[64];
    congru_iir broken = {.sections = 33}, circling = {.sections = 1, .section = {{1, 0, 0, 1, 0.5, 1}}};
    congru_iir drifting = {.sections = 1, .section = {{1, 0, 0, 1, -1.5, 0.5}}}; /* a pole at 1 */
    congru_iir scaled = {.sections = 1, .section = {{1, 0, 0, 2, 0, 0}}};
    congru_iir lost = {.sections = 1, .section = {{NAN, 0, 0, 1, 0, 0}}};
    refuse(congru_signal_filter_zero_phase(context, &broken, 1, 64, x), "33 sections");
    refuse(congru_signal_filter_zero_phase(context, &circling, 1, 64, x), "not stable");
    refuse(congru_signal_filter_zero_phase(context, &drifting, 1, 64, x), "not stable");
    refuse(congru_signal_filter_causal(context, &scaled, 1, 64, x, NULL), "a0 = 2");
    refuse(congru_signal_filter_causal(context, &lost, 1, 64, x, NULL), "not finite");
    refuse(congru_signal_filter_zero_phase(context, NULL, 1, 64, x), "filter");
    refuse(congru_signal_filter_zero_phase(context, &band, 0, 64, x), "empty");
    refuse(congru_signal_filter_zero_phase(context, &band, SIZE_MAX / 2, 64, x), "memory");
    refuse(congru_signal_filter_causal(context, &band, 1, 64, NULL, NULL), "missing");
    refuse(congru_signal_filter_fir(context, 0, 30, 250, 11, 1, 64, x), "0 to 30");
    refuse(congru_signal_filter_fir(context, 8, 125, 250, 11, 1, 64, x), "below 125 Hz");
    refuse(congru_signal_filter_fir(context, 8, 30, 250, 12, 1, 64, x), "12 taps");
    refuse(congru_signal_filter_fir(context, 8, 30, 250, 1, 1, 64, x), "1 taps");
    refuse(congru_signal_filter_fir(context, 1e-6, 30, 250, 0, 1, 64, x), "more than");
    refuse(congru_signal_resample(context, 0, 1, 1, 64, x, out), "0/1");
    refuse(congru_signal_resample(context, 1, 0, 1, 64, x, out), "1/0");
    refuse(congru_signal_resample(context, 65537, 65536, 1, 64, x, out), "common");
    refuse(congru_signal_resample(context, 1, 1, 1, 64, x, NULL), "no place");
    refuse(congru_signal_average_reference(context, 1, 0, x), "empty");
    CHECK(congru_signal_resampled(64, 0, 1) == 0 && congru_signal_resampled(64, 131072, 65536) == 128);
}

static bool stop(void *user, size_t done, size_t total)
{
    (void)user;
    return done > total;
}

TEST(progress_can_stop)
{
    congru_context *stopping = NULL;
    congru_context_options options = {.threads = 1, .progress = stop};
    CHECK(congru_context_create(&stopping, &options) == CONGRU_OK);
    double *signal = samples_signal(1, CHANNELS, SAMPLES);
    CHECK(congru_signal_filter_zero_phase(stopping, &band, CHANNELS, SAMPLES, signal) ==
          CONGRU_ERROR_CANCELLED);
    congru_context_destroy(&stopping);
    free(signal);
}

int main(void)
{
    context = make_context(NULL, 2);
    if (context == NULL || congru_iir_butterworth(context, 4, 8, 30, 250, &band) != CONGRU_OK)
        return 1;
    harness_run_all();
    congru_context_destroy(&context);
    return harness_end();
}
