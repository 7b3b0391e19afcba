/* Signals of made-up sets, and the way through EDF files back to covariances. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "congru/congru.h"
#include "context_main.h"
#include "harness.h"
#include "scratch.h"

static congru_context *context;

static congru_set *make(congru_synth_stage stage, size_t samples, double rate)
{
    congru_synth_options options;
    congru_synth_options_init(&options);
    options.stage = stage;
    options.subjects = 2;
    options.trials = 3;
    options.samples = samples;
    options.rate = rate;
    congru_set *set = NULL;
    CHECK_SAYING(congru_synth(context, &options, &set) == CONGRU_OK, "%s", congru_context_error(context));
    return set;
}

/* The largest difference of covariances, relative to the deviations of the two channels. */
static double relative_difference(const congru_set *set, const double *other)
{
    const size_t d = set->dimension;
    double most = 0.0;
    for (size_t t = 0; t < set->count; t++)
        for (size_t i = 0; i < d; i++)
            for (size_t j = 0; j < d; j++) {
                const double *a = set->covariance + t * d * d, *b = other + t * d * d;
                double size = sqrt(a[i * (d + 1)] * a[j * (d + 1)]);
                most = fmax(most, fabs(a[i * d + j] - b[i * d + j]) / size);
            }
    return most;
}

TEST(signals_have_their_covariance)
{
    static const size_t lengths[] = {21, 24, 40, 750};
    for (size_t k = 0; k < sizeof lengths / sizeof lengths[0]; k++) {
        congru_set *set = make(CONGRU_SYNTH_FUSION, lengths[k], 250.0);
        if (set == NULL)
            continue;
        const size_t d = set->dimension;
        CHECK(set->samples == lengths[k] && set->rate == 250.0);
        double *estimate = malloc(set->count * d * d * sizeof *estimate);
        CHECK(congru_covariance(context, CONGRU_ESTIMATOR_SCM, false, set->count, d, set->samples, set->signals,
                                estimate) == CONGRU_OK);
        /* With one sample more than channels the noise itself is nearly singular, and whitening costs
         * digits. */
        CHECK_NEAR(relative_difference(set, estimate), 0.0, lengths[k] == 21 ? 1e-9 : 1e-12);
        for (size_t row = 0; row < set->count * d; row++) {
            double sum = 0.0;
            for (size_t t = 0; t < set->samples; t++)
                sum += set->signals[row * set->samples + t];
            CHECK_NEAR(sum / (double)set->samples, 0.0, 1e-12);
        }
        free(estimate);
        congru_set_destroy(&set);
    }
}

/* ---- EDF ----------------------------------------------------------------------------------------------- */

static congru_set *read_back(const congru_set *set, double first, double last)
{
    static const congru_event_class events[] = {
        {-1, "c1", "c1"}, {-1, "c2", "c2"}, {-1, "c3", "c3"}, {-1, "c4", "c4"}};
    const congru_epochs_options cut = {.events = events,
                                       .event_count = 4,
                                       .window = {first, last},
                                       .rest_window = {-last, -first},
                                       .check_rest = true};
    const congru_set_options options = {.estimator = CONGRU_ESTIMATOR_SCM, .trace_normalise = true};
    congru_set *back = NULL;
    for (size_t i = 0; i < set->subjects; i++) {
        char name[CONGRU_LABEL_SIZE + 8];
        congru_recording *recording = NULL;
        congru_epochs *epochs = NULL;
        congru_epochs_report report = {0};
        snprintf(name, sizeof name, "%s.edf", set->subject_name[i]);
        congru_status status = congru_recording_read(context, path_in(name), NULL, &recording);
        if (status == CONGRU_OK) {
            CHECK(strcmp(recording->format, "EDF+C") == 0 && recording->channels == set->dimension);
            CHECK(recording->rate == set->rate);
            status = congru_epochs_cut(context, recording, &cut, &epochs, &report);
        }
        if (status == CONGRU_OK)
            status = congru_set_append(context, &back, epochs, set->subject_name[i], &options);
        CHECK_SAYING(status == CONGRU_OK, "%s", congru_context_error(context));
        CHECK(report.found == report.kept && report.kept == set->count / set->subjects);
        congru_epochs_destroy(&epochs);
        congru_recording_destroy(&recording);
    }
    return back;
}

/* 16 bits of a range of a dozen deviations: an error of a 10000th of a deviation in a sample. */
TEST(edf_files_give_the_covariances_back)
{
    static const struct {
        size_t samples;
        double rate, last;
    } cases[] = {{750, 250.0, 3.5}, {100, 80.0, 1.75}, {333, 111.0, 56.0 / 111.0 + 3.0}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        congru_set *set = make(CONGRU_SYNTH_ORIENTATION, cases[k].samples, cases[k].rate);
        if (!CHECK(set != NULL && congru_synth_write_edf(context, set, scratch_folder()) == CONGRU_OK))
            continue;
        CHECK(files_in_directory() == 2);
        double first = ceil(cases[k].rate / 2.0) / cases[k].rate;
        congru_set *back = read_back(set, first, cases[k].last);
        if (CHECK(back != NULL && back->count == set->count && back->samples == set->samples)) {
            CHECK(memcmp(back->label, set->label, set->count * sizeof *set->label) == 0);
            CHECK(memcmp(back->subject, set->subject, set->count * sizeof *set->subject) == 0);
            CHECK(strcmp(back->channel_name[19], "X20") == 0);
            CHECK_NEAR(relative_difference(set, back->covariance), 0.0, 1e-4);
        }
        congru_set_destroy(&back);
        congru_set_destroy(&set);
    }
}

static void check_refused(const congru_set *set, const char *folder, congru_status expected, const char *words)
{
    congru_status status = congru_synth_write_edf(context, set, folder);
    CHECK_SAYING(status == expected && strstr(congru_context_error(context), words) != NULL, "status %d: %s",
                 (int)status, congru_context_error(context));
}

TEST(wrong_sets_are_refused)
{
    congru_set *bare = make(CONGRU_SYNTH_SHIFT, 0, 250.0), *odd = make(CONGRU_SYNTH_SHIFT, 30, 128.5);
    check_refused(bare, scratch_folder(), CONGRU_ERROR_ARGUMENT, "no signals");
    check_refused(odd, scratch_folder(), CONGRU_ERROR_ARGUMENT, "128.5");
    odd->rate = 128.0;
    check_refused(odd, "/dev/null/all", CONGRU_ERROR_IO, "/dev/null/all/S01.edf");
    char *folder = malloc(5001);
    memset(folder, 'f', 5000);
    folder[5000] = '\0';
    check_refused(odd, folder, CONGRU_ERROR_ARGUMENT, "ffff...: the path is too long");
    free(folder);
    int32_t *label = odd->label;
    odd->label = NULL;
    check_refused(odd, scratch_folder(), CONGRU_ERROR_ARGUMENT,
                  "the set lacks labels or names to write as EDF");
    odd->label = label;
    CHECK(congru_synth_write_edf(context, NULL, "x") == CONGRU_ERROR_ARGUMENT);
    CHECK(congru_synth_write_edf(context, odd, NULL) == CONGRU_ERROR_ARGUMENT);
    congru_set_destroy(&bare);
    congru_set_destroy(&odd);
}

/* One sample that is far above the mean: a range of five digits, which leaves no room for decimals. */
TEST(large_ranges_fit_their_field)
{
    enum { LONG = 1500000, RATE = 10000 };
    char name[1][CONGRU_LABEL_SIZE] = {"only"};
    int32_t zero = 0;
    double *signal = calloc(LONG, sizeof *signal);
    congru_recording *recording = NULL;
    const congru_set set = {.count = 1,
                            .dimension = 1,
                            .samples = LONG,
                            .rate = RATE,
                            .signals = signal,
                            .label = &zero,
                            .subject = &zero,
                            .session = &zero,
                            .run = &zero,
                            .classes = 1,
                            .subjects = 1,
                            .class_name = name,
                            .subject_name = name,
                            .channel_name = name};
    signal[70] = 3.0;
    CHECK(congru_synth_write_edf(context, &set, scratch_folder()) == CONGRU_OK);
    CHECK(congru_recording_read(context, path_in("only.edf"), NULL, &recording) == CONGRU_OK);
    double largest = 0.0;
    for (size_t i = 0; recording != NULL && i < recording->samples; i++)
        largest = fmax(largest, recording->data[i]);
    /* 10 microvolts in the mean square, all of it in one sample of so many; 16 bits of a range of 2 x 12248. */
    CHECK_NEAR(largest, 10.0 * sqrt(LONG), 2.0 * 12248 / 65535);
    congru_recording_destroy(&recording);
    free(signal);
}

int main(void)
{
    return scratch_main(&context, NULL);
}
