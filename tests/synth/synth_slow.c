/* Made-up sets whose classes differ in slow potentials alone: the truth, who decodes it, the bits. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "congru/congru.h"
#include "context_main.h"
#include "harness.h"
#include "scratch.h"

enum { SUBJECTS = 5, EACH = 20, CHANNELS = 8, RATE = 100, SAMPLES = 300, LEAD = 50 };

static congru_context *context;

static congru_synth_options usual_options(void)
{
    congru_synth_options options;
    congru_synth_options_init(&options);
    options.subjects = SUBJECTS;
    options.trials = EACH;
    options.channels = CHANNELS;
    options.samples = SAMPLES;
    options.rate = RATE;
    options.slow = 0.3;
    return options;
}

static congru_set *make(congru_context *with, const congru_synth_options *options)
{
    congru_set *set = NULL;
    CHECK_SAYING(congru_synth(with, options, &set) == CONGRU_OK, "%s", congru_context_error(with));
    return set;
}

/* ---- Truth ---------------------------------------------------------------------------------------------- */

TEST(courses_are_slow_and_orthogonal)
{
    for (size_t c = 0; c < CONGRU_SYNTH_CLASSES; c++)
        for (size_t j = 0; j < CONGRU_SYNTH_SOURCES; j++) {
            double mean = 0.0, peak = 0.0;
            for (size_t k = 0; k < CONGRU_SYNTH_SOURCES; k++) {
                double product = 0.0;
                for (int t = -LEAD; t < SAMPLES - LEAD; t++)
                    product += congru_synth_slow_course(c, j, (double)t / RATE) *
                               congru_synth_slow_course(c, k, (double)t / RATE);
                CHECK_NEAR(product, j == k ? 75.0 : 0.0, 1e-11);
            }
            for (int t = -LEAD; t < SAMPLES - LEAD; t++) {
                double value = congru_synth_slow_course(c, j, (double)t / RATE);
                mean += value;
                peak = fmax(peak, fabs(value));
                CHECK((t > 0 && t < 150) || value == 0.0);
            }
            CHECK_NEAR(mean, 0.0, 1e-12);
            CHECK(peak > 0.99 && peak <= 1.0);
        }
    CHECK(strcmp(congru_synth_slow_channel(0), "Fz") == 0 && congru_synth_slow_channel(3) == NULL);
    CHECK(congru_synth_slow_course(4, 0, 0.3) == 0.0 && congru_synth_slow_course(0, 3, 0.3) == 0.0);
    CHECK(congru_synth_slow_course(0, 0, (double)NAN) == 0.0);
}

TEST(sets_tell_the_truth)
{
    congru_synth_options options = usual_options();
    congru_set *set = make(context, &options), *back = NULL;
    CHECK(congru_set_write(context, path_in("slow.npz"), set) == CONGRU_OK);
    CHECK_SAYING(congru_set_read(context, path_in("slow.npz"), &back) == CONGRU_OK, "%s",
                 congru_context_error(context));
    if (back != NULL) {
        CHECK(back->samples == SAMPLES && back->rate == RATE && back->start == -0.5);
        CHECK(strcmp(back->channel_name[0], "Fz") == 0 && strcmp(back->channel_name[1], "C3") == 0);
        CHECK(strcmp(back->channel_name[2], "C4") == 0 && strcmp(back->channel_name[3], "X04") == 0);
        CHECK_SAYING(strstr(back->meta, "\"slow\": 0.3, \"slow-channels\": [\"Fz\", \"C3\", \"C4\"], "
                                        "\"slow-periods\": [1, 2, 3], \"slow-window\": [0, 1.5], "
                                        "\"slow-signs\": {\"c1\": [1, 1, 1], \"c2\": [1, -1, -1], "
                                        "\"c3\": [-1, 1, -1], \"c4\": [-1, -1, 1]}}") != NULL,
                     "%s", back->meta);
        double *estimate = malloc(set->count * CHANNELS * CHANNELS * sizeof *estimate), most = 0.0;
        CHECK(congru_covariance(context, CONGRU_ESTIMATOR_SCM, false, set->count, CHANNELS, SAMPLES,
                                set->signals, estimate) == CONGRU_OK);
        for (size_t i = 0; i < set->count * CHANNELS * CHANNELS; i++)
            most = fmax(most, fabs(estimate[i] - set->covariance[i]));
        CHECK_NEAR(most, 0.0, 1e-13);
        free(estimate);
    }
    congru_set_destroy(&back);
    congru_set_destroy(&set);
    options.slow = 0.0;
    set = make(context, &options);
    CHECK(set != NULL && isnan(set->start) && strcmp(set->channel_name[0], "X01") == 0);
    CHECK(set != NULL && strstr(set->meta, "slow-channels") == NULL);
    congru_set_destroy(&set);
}

/* found (CHANNELS, SOURCES): what the signals of all subjects, each whitened by its mean covariance, hold of each course, per
 * trial and as a part of its size. */
static void find_courses(const congru_set *set, double *found)
{
    enum { D = CHANNELS, TRIALS = EACH * CONGRU_SYNTH_CLASSES };
    memset(found, 0, sizeof(double) * D * CONGRU_SYNTH_SOURCES);
    for (size_t s = 0; s < SUBJECTS; s++) {
        double mean[D * D] = {0};
        for (size_t i = 0; i < (size_t)TRIALS * D * D; i++)
            mean[i % (D * D)] += set->covariance[s * TRIALS * D * D + i] / TRIALS;
        CHECK(congru_spd_invsqrt(context, 1, D, mean, mean) == CONGRU_OK);
        for (size_t i = s * TRIALS; i < (s + 1) * TRIALS; i++)
            for (size_t c = 0; c < D; c++)
                for (size_t t = 0; t < SAMPLES; t++) {
                    double value = 0.0;
                    for (size_t k = 0; k < D; k++)
                        value += mean[c * D + k] * set->signals[(i * D + k) * SAMPLES + t];
                    for (size_t j = 0; j < CONGRU_SYNTH_SOURCES; j++)
                        found[c * CONGRU_SYNTH_SOURCES + j] +=
                            value *
                            congru_synth_slow_course((size_t)set->label[i], j, ((double)t - LEAD) / RATE) /
                            75.0 / (double)set->count;
                }
    }
}

/* Each course is at its own channel, and nowhere else. Its size is a little below the option's, as the whitening takes in
 * its own variance: 0.3 / sqrt(1 + 0.3^2 / 4). */
TEST(potentials_are_where_they_were_put)
{
    const congru_synth_options options = usual_options();
    congru_set *set = make(context, &options);
    double found[CHANNELS * CONGRU_SYNTH_SOURCES];
    if (set != NULL)
        find_courses(set, found);
    for (size_t c = 0; set != NULL && c < CHANNELS; c++)
        for (size_t j = 0; j < CONGRU_SYNTH_SOURCES; j++)
            CHECK_NEAR(found[c * CONGRU_SYNTH_SOURCES + j], c == j ? 0.297 : 0.0, 0.03);
    congru_set_destroy(&set);
}

/* ---- Decoding ------------------------------------------------------------------------------------------- */

static void score(const congru_synth_options *options, double accuracy[2])
{
    static const char *const pipelines[] = {"slow", "ra+tslr"};
    congru_set *set = make(context, options);
    congru_preprocessing band;
    congru_evaluation_options run;
    congru_results *results = NULL;
    congru_summary summary[2];
    congru_preprocessing_init(&band);
    congru_evaluation_options_init(&run);
    band.notch = 0.0;
    band.band[0] = 8.0;
    band.band[1] = 30.0;
    band.window[0] = 0.5;
    band.window[1] = 2.5;
    run.pipelines = pipelines;
    run.pipeline_count = 2;
    accuracy[0] = accuracy[1] = (double)NAN;
    congru_status status = congru_set_estimate(context, set, &band);
    if (status == CONGRU_OK)
        status = congru_evaluate(context, set, &run, &results);
    CHECK_SAYING(status == CONGRU_OK, "%s", congru_context_error(context));
    if (results != NULL && congru_results_summarise(context, results, summary) == CONGRU_OK)
        for (size_t p = 0; p < 2; p++)
            accuracy[strcmp(results->pipeline[p], "slow") == 0 ? 0 : 1] = summary[p].mean;
    printf("# slow %.4f, ra+tslr %.4f\n", accuracy[0], accuracy[1]);
    congru_results_destroy(&results);
    congru_preprocessing_clear(&band);
    congru_set_destroy(&set);
}

/* Of four classes a quarter is chance; its deviation is 0.022 for 400 trials. */
TEST(only_slow_decodes_them)
{
    congru_synth_options options = usual_options();
    options.slow = 0.15;
    double accuracy[2];
    score(&options, accuracy);
    CHECK(accuracy[0] > 0.7 && fabs(accuracy[1] - 0.25) < 0.07);
    options.stage = CONGRU_SYNTH_FUSION;
    score(&options, accuracy);
    CHECK(accuracy[0] > 0.7 && fabs(accuracy[1] - 0.25) < 0.07);
}

/* The covariances that the set itself holds are of all frequencies, and tell nothing either; without the option they do. */
TEST(stored_covariances_tell_nothing)
{
    static const char *const pipelines[] = {"ra+tslr"};
    const double slow[] = {0.3, 0.0};
    for (size_t k = 0; k < 2; k++) {
        congru_synth_options options = usual_options();
        options.slow = slow[k];
        congru_set *set = make(context, &options);
        congru_evaluation_options run;
        congru_results *results = NULL;
        congru_summary summary = {.mean = (double)NAN};
        congru_evaluation_options_init(&run);
        run.pipelines = pipelines;
        run.pipeline_count = 1;
        CHECK(congru_evaluate(context, set, &run, &results) == CONGRU_OK);
        CHECK(results != NULL && congru_results_summarise(context, results, &summary) == CONGRU_OK);
        CHECK_SAYING(k == 0 ? fabs(summary.mean - 0.25) < 0.07 : summary.mean > 0.9, "slow %g: %g", slow[k],
                     summary.mean);
        congru_results_destroy(&results);
        congru_set_destroy(&set);
    }
}

/* ---- Bits, files, refusals ------------------------------------------------------------------------------ */

TEST(threads_do_not_matter)
{
    const congru_synth_options options = usual_options();
    congru_set *first = make(context, &options);
    for (int threads = 1; threads <= 3; threads++) {
        congru_context *other = NULL;
        const congru_context_options with = {.threads = threads, .cpu = threads == 3 ? "base" : NULL};
        CHECK(congru_context_create(&other, &with) == CONGRU_OK);
        congru_set *again = make(other, &options);
        CHECK(first != NULL && again != NULL &&
              memcmp(first->signals, again->signals,
                     first->count * CHANNELS * SAMPLES * sizeof *first->signals) == 0);
        congru_set_destroy(&again);
        congru_context_destroy(&other);
    }
    congru_set_destroy(&first);
}

/* The cue of a recording is where the set has it: cut around it, the signals come back but for their scale and 16 bits. */
TEST(recordings_have_the_cue_inside)
{
    static const congru_event_class events[] = {
        {-1, "c1", "c1"}, {-1, "c2", "c2"}, {-1, "c3", "c3"}, {-1, "c4", "c4"}};
    const congru_epochs_options cut = {.events = events, .event_count = 4, .window = {-0.5, 2.5}};
    congru_synth_options options = usual_options();
    options.subjects = 1;
    options.trials = 2;
    congru_set *set = make(context, &options);
    congru_recording *recording = NULL;
    congru_epochs *epochs = NULL;
    congru_epochs_report report = {0};
    CHECK(congru_synth_write_edf(context, set, scratch_folder()) == CONGRU_OK);
    CHECK(congru_recording_read(context, path_in("S01.edf"), NULL, &recording) == CONGRU_OK);
    CHECK_SAYING(recording != NULL &&
                     congru_epochs_cut(context, recording, &cut, &epochs, &report) == CONGRU_OK,
                 "%s", congru_context_error(context));
    if (CHECK(epochs != NULL && epochs->count == 8 && epochs->samples == SAMPLES)) {
        double same = 0.0, ours = 0.0, theirs = 0.0;
        for (size_t i = 0; i < (size_t)8 * CHANNELS * SAMPLES; i++) {
            same += set->signals[i] * epochs->data[i];
            ours += set->signals[i] * set->signals[i];
            theirs += epochs->data[i] * epochs->data[i];
        }
        CHECK_NEAR(same / sqrt(ours * theirs), 1.0, 1e-6);
    }
    congru_epochs_destroy(&epochs);
    congru_recording_destroy(&recording);
    set->start = -61.0;
    CHECK(congru_synth_write_edf(context, set, scratch_folder()) == CONGRU_ERROR_ARGUMENT);
    CHECK(strstr(congru_context_error(context), "the signals begin -61 s from the cue") != NULL);
    congru_set_destroy(&set);
}

static void check_refused(congru_synth_options options, const char *words)
{
    congru_set *set = NULL;
    CHECK_SAYING(congru_synth(context, &options, &set) == CONGRU_ERROR_ARGUMENT && set == NULL &&
                     strstr(congru_context_error(context), words) != NULL,
                 "%s", congru_context_error(context));
}

TEST(wrong_options_are_refused)
{
    congru_synth_options options = usual_options();
    options.samples = 0;
    check_refused(options, "slow potentials need signals");
    options.samples = 199;
    check_refused(options,
                  "signals of 199 samples are too short for slow potentials, which need 200 at a rate of 100");
    options.samples = 200;
    congru_set *set = make(context, &options);
    CHECK(set != NULL);
    congru_set_destroy(&set);
    options.rate = 9.0;
    check_refused(options, "a rate of 9; slow potentials need 10 or more");
    options = usual_options();
    options.slow = -0.1;
    check_refused(options, "slow is -0.1");
}

int main(void)
{
    return scratch_main(&context, NULL);
}
