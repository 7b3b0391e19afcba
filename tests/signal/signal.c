/* Filters, resampling and references against scipy's values. SPDX-License-Identifier: Apache-2.0 */
#include "congru/signal.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>

#include "base/scalar_math.h"
#include "context_main.h"
#include "harness.h"
#include "signal_samples.h"

static const long double two_pi = 6.28318530717958647692528676655900577L;

/* One record of tests/data/signal.txt. */
typedef struct record {
    char kind[32];
    size_t samples, count;
    double p[4];
    double *values;
} record;

static congru_context *context;
static FILE *oracle;

static bool read_record(record *r)
{
    char line[256];
    do {
        if (fgets(line, sizeof line, oracle) == NULL)
            return false;
    } while (line[0] == '#');
    if (!CHECK(sscanf(line, "%31s %zu %lf %lf %lf %lf %zu", r->kind, &r->samples, &r->p[0], &r->p[1], &r->p[2],
                      &r->p[3], &r->count) == 7))
        return false;
    r->values = malloc(r->count * sizeof *r->values);
    for (size_t i = 0; i < r->count; i++)
        CHECK(fscanf(oracle, "%lf", &r->values[i]) == 1);
    return fgets(line, sizeof line, oracle) != NULL;
}

/* Calls check for every record whose kind begins with the given text. */
static void for_each_record(const char *kind, void (*check)(const record *))
{
    char path[4096];
    const char *source = getenv("SOURCE");
    snprintf(path, sizeof path, "%s/tests/data/signal.txt", source != NULL ? source : ".");
    oracle = fopen(path, "r");
    if (!CHECK_SAYING(oracle != NULL, "%s cannot be opened", path))
        return;
    record r;
    size_t found = 0;
    while (read_record(&r)) {
        if (strncmp(r.kind, kind, strlen(kind)) == 0) {
            found++;
            check(&r);
        }
        free(r.values);
    }
    CHECK_SAYING(found > 0, "no record of %s", kind);
    fclose(oracle);
}

static void is_ok(congru_status status)
{
    CHECK_SAYING(status == CONGRU_OK, "%s: %s", congru_status_name(status), congru_context_error(context));
}

static congru_iir butterworth(const double p[4])
{
    congru_iir filter = {0};
    is_ok(congru_iir_butterworth(context, (int)p[0], p[1], p[2], p[3], &filter));
    return filter;
}

static congru_iir notch(const double p[4])
{
    congru_iir filter = {0};
    is_ok(congru_iir_notch(context, p[0], p[1], p[2] != 0, p[3], &filter));
    return filter;
}

static void check_design(const record *r)
{
    congru_iir filter = r->kind[0] == 'b' ? butterworth(r->p) : notch(r->p);
    if (!CHECK_SAYING(filter.sections * 6 == r->count, "%g %g %g %g: %zu sections", r->p[0], r->p[1], r->p[2],
                      r->p[3], filter.sections))
        return;
    /* scipy's cosine of a quarter turn, at a notch of rate/4, is not quite 0. */
    double zero = r->kind[0] == 'n' ? 2e-16 : 0;
    for (size_t i = 0; i < r->count; i++) {
        double actual = filter.section[i / 6][i % 6];
        CHECK_SAYING(fabs(actual - r->values[i]) <= 1e-12 * fabs(r->values[i]) + zero,
                     "%s %g %g %g %g, section %zu, coefficient %zu: %.17g, not %.17g", r->kind, r->p[0],
                     r->p[1], r->p[2], r->p[3], i / 6, i % 6, actual, r->values[i]);
    }
}

TEST(designs_are_scipys)
{
    for_each_record("butterworth", check_design);
    for_each_record("notch", check_design);
}

static double gain_at(const congru_iir *filter, double frequency, double rate)
{
    double complex delay = cexp(-(double)two_pi * I * frequency / rate), gain = 1;
    for (size_t k = 0; k < filter->sections; k++) {
        const double *c = filter->section[k];
        gain *= (c[0] + delay * (c[1] + delay * c[2])) / (1 + delay * (c[4] + delay * c[5]));
    }
    return cabs(gain);
}

/* What a Butterworth filter is, with no word from scipy. */
TEST(edges_are_at_half_power)
{
    const double rates[] = {160, 250, 512, 2048};
    for (size_t i = 0; i < 4; i++) {
        for (int order = 1; order <= 10; order++) {
            double rate = rates[i], low = 0.03 * rate, high = 0.21 * rate;
            congru_iir band = butterworth((double[]){order, low, high, rate});
            congru_iir below = butterworth((double[]){order, 0, high, rate});
            congru_iir above = butterworth((double[]){order, low, 2 * rate, rate});
            CHECK_NEAR(gain_at(&band, low, rate), sqrt(0.5), 1e-9);
            CHECK_NEAR(gain_at(&band, high, rate), sqrt(0.5), 1e-9);
            CHECK_NEAR(gain_at(&below, high, rate), sqrt(0.5), 1e-9);
            CHECK_NEAR(gain_at(&below, 0, rate), 1, 1e-9);
            CHECK_NEAR(gain_at(&above, low, rate), sqrt(0.5), 1e-9);
            CHECK_NEAR(gain_at(&above, 0.5 * rate, rate), 1, 1e-9);
            CHECK(gain_at(&band, 0, rate) < 1e-9 && gain_at(&band, 0.5 * rate, rate) < 1e-9);
        }
    }
    congru_iir mains = notch((double[]){50, 30, 1, 512});
    CHECK(mains.sections == 5);
    for (int k = 1; k <= 5; k++)
        CHECK(gain_at(&mains, 50 * k, 512) < 1e-9);
}

/* The oracle's channel as every one of several, with strangers between. */
static void check_signal(const record *r)
{
    enum { CHANNELS = 9 };
    const size_t results =
        r->kind[0] == 'r' ? congru_signal_resampled(r->samples, (size_t)r->p[0], (size_t)r->p[1]) : r->samples;
    if (!CHECK(results == r->count))
        return;
    double *signal = samples_signal(1, CHANNELS, r->samples), *out = malloc(CHANNELS * results * sizeof *out);
    memcpy(signal + 5 * r->samples, signal, r->samples * sizeof *signal);
    memcpy(signal + 8 * r->samples, signal, r->samples * sizeof *signal);
    congru_iir filter = {0};
    if (r->kind[0] == 'z' || r->kind[0] == 'c')
        filter = strcmp(r->kind, "zero_notch") == 0 ? notch(r->p) : butterworth(r->p);
    if (strcmp(r->kind, "zero_both") == 0) {
        congru_iir mains = notch((double[]){50, 30, 0, 250});
        is_ok(congru_iir_append(context, &filter, &mains));
    }
    if (r->kind[0] == 'z')
        is_ok(congru_signal_filter_zero_phase(context, &filter, CHANNELS, r->samples, signal));
    else if (r->kind[0] == 'c')
        is_ok(congru_signal_filter_causal(context, &filter, CHANNELS, r->samples, signal, NULL));
    else if (r->kind[0] == 'f')
        is_ok(congru_signal_filter_fir(context, r->p[0], r->p[1], r->p[2], (size_t)r->p[3], CHANNELS,
                                       r->samples, signal));
    else
        is_ok(congru_signal_resample(context, (size_t)r->p[0], (size_t)r->p[1], CHANNELS, r->samples, signal,
                                     out));
    const double *found = r->kind[0] == 'r' ? out : signal;
    double worst = 0, largest = 0;
    for (size_t i = 0; i < results; i++) {
        worst = fmax(worst, fabs(found[i] - r->values[i]));
        largest = fmax(largest, fabs(r->values[i]));
        CHECK(!isnan(found[i]));
    }
    CHECK_SAYING(worst <= 1e-11 * largest, "%s %g %g %g %g: off by %g of %g", r->kind, r->p[0], r->p[1],
                 r->p[2], r->p[3], worst, largest);
    CHECK(samples_equal(results, found, found + 5 * results) &&
          samples_equal(results, found, found + 8 * results));
    free(signal);
    free(out);
}

TEST(zero_phase_is_scipys)
{
    for_each_record("zero", check_signal);
}

TEST(causal_is_scipys)
{
    for_each_record("causal", check_signal);
}

TEST(fir_is_scipys)
{
    for_each_record("fir", check_signal);
}

TEST(resampling_is_scipys)
{
    for_each_record("resample", check_signal);
}

static void check_reference(const record *r)
{
    const size_t channels = (size_t)r->p[0];
    double *signal = samples_signal(1, channels, r->samples);
    is_ok(congru_signal_average_reference(context, channels, r->samples, signal));
    for (size_t i = 0; i < r->count; i++)
        CHECK_NEAR(signal[i], r->values[i], 1e-13);
    free(signal);
}

TEST(average_reference_is_numpys)
{
    for_each_record("reference", check_reference);
    double gap[] = {1, 2, NAN, 4, INFINITY, 6, 3, 4, 5, 6, 7, -INFINITY};
    is_ok(congru_signal_average_reference(context, 2, 6, gap));
    CHECK(gap[0] == -1 && gap[6] == 1 && gap[1] == -1 && gap[7] == 1 && gap[3] == -1 && gap[9] == 1);
    for (size_t i = 0; i < 12; i++)
        CHECK(isnan(gap[i]) == (i % 6 == 2 || i % 6 == 4 || i % 6 == 5));
}

TEST(circular_functions)
{
    double worst_sine = 0, worst_tangent = 0;
    for (int i = 0; i <= 100000; i++) {
        double u = i / 100000.0;
        long double sine = sinl(two_pi * (long double)u);
        worst_sine = fmax(worst_sine, (double)fabsl((long double)congru_scalar_sin_2pi(u) - sine));
        if (i > 0 && i < 25000) {
            /* Near the pole the argument's own rounding would count: reflect there. */
            long double tangent =
                i < 12500 ? tanl(two_pi * (long double)u) : 1 / tanl(two_pi * (0.25L - (long double)u));
            worst_tangent =
                fmax(worst_tangent, (double)fabsl(((long double)congru_scalar_tan_2pi(u) - tangent) / tangent));
        }
    }
    CHECK_SAYING(worst_sine < 2.3e-16, "sine: %g", worst_sine);
    CHECK_SAYING(worst_tangent < 6e-16, "tangent: %g", worst_tangent);
    CHECK(congru_scalar_sin_2pi(0) == 0 && congru_scalar_sin_2pi(0.25) == 1 && congru_scalar_sin_2pi(0.5) == 0);
    CHECK(congru_scalar_sin_2pi(0.75) == -1 && congru_scalar_sin_2pi(1) == 0);
}

TEST(filters_join)
{
    congru_iir filter = {0}, more = butterworth((double[]){10, 8, 30, 250});
    double signal[] = {1, 2, 3}, same[] = {1, 2, 3};
    is_ok(congru_signal_filter_zero_phase(context, &filter, 1, 3, signal));
    is_ok(congru_signal_filter_causal(context, &filter, 1, 3, signal, NULL));
    CHECK(samples_equal(3, signal, same)); /* no sections change nothing */
    for (int i = 0; i < 3; i++)
        is_ok(congru_iir_append(context, &filter, &more));
    CHECK(filter.sections == 30 && memcmp(filter.section[20], more.section, 10 * sizeof more.section[0]) == 0);
    CHECK(congru_iir_append(context, &filter, &more) == CONGRU_ERROR_ARGUMENT && filter.sections == 30);
}

static void check_refused(congru_status status, const char *words)
{
    CHECK_SAYING(status == CONGRU_ERROR_ARGUMENT && strstr(congru_context_error(context), words) != NULL, "%s",
                 congru_context_error(context));
}

TEST(rates_and_widths_that_cannot_be_are_refused)
{
    congru_iir filter = {0};
    double signal[64] = {0};
    check_refused(congru_iir_notch(context, 50, 30, false, NAN, &filter),
                  "a sampling rate of nan Hz: expected a positive number");
    check_refused(congru_iir_notch(context, 50, 1e18, false, 250, &filter),
                  "a notch of quality 1e+18 at 50 Hz is too narrow at 250 samples per second");
    CHECK(filter.sections == 0);
    check_refused(congru_signal_filter_fir(context, 8, 30, 0, 0, 1, 64, signal),
                  "a sampling rate of 0 Hz: expected a positive number");
}

int main(void)
{
    return context_main(&context, NULL);
}
