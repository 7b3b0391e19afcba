/* The description of preprocessing, and its executor on every kind of data. SPDX-License-Identifier: Apache-2.0 */
#include "congru/congru.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "context_main.h"
#include "harness.h"
#include "preprocess/preprocessing.h"

enum { CHANNELS = 4, RATE = 100, TRIALS = 8, WINDOW = 200 };

static congru_context *context;

static bool error_has(const char *text)
{
    return strstr(congru_context_error(context), text) != NULL;
}

/* ---- Words ---------------------------------------------------------------------------------------------- */

/* Of each option, a value that is not the default. */
static const char *const values[CONGRU_PREPROCESSING_OPTIONS] = {
    "C3,Cz", "V",   "average", "4:40", "3",   "fir",    "",       "60",   "",    "1:45",
    "128",   "0:2", "oas",     "on",   "0.1", "-0.5:0", "inside", "drop", "150", "EOG1,EOG2"};

TEST(every_option_can_be_set)
{
    congru_preprocessing p;
    congru_preprocessing_init(&p);
    for (size_t i = 0; i < CONGRU_PREPROCESSING_OPTIONS; i++) {
        CHECK(congru_preprocessing_set(context, &p, NULL, congru_preprocessing_options[i].name, values[i]) ==
              CONGRU_OK);
        CHECK(congru_preprocessing_options[i].help[0] != '\0');
    }
    CHECK(p.channels == 2 && p.scale == 1e6 && p.average_reference && p.band[1] == 40 && p.order == 3 && p.fir);
    CHECK(p.causal && p.notch == 60 && p.harmonics && p.filtered[0] == 1 && p.resample == 128);
    CHECK(p.window[1] == 2 && p.estimator == CONGRU_ESTIMATOR_OAS && p.trace_normalise && p.rest_inside);
    CHECK(strcmp(p.regress, "EOG1,EOG2") == 0);
    CHECK(p.drop_rejected && p.reject == 150 && p.shrinkage == 0.1 && p.baseline[0] == -0.5 &&
          !p.baseline_whole);
    CHECK(congru_preprocessing_set(context, &p, NULL, "shrinkage", "1.5") == CONGRU_ERROR_ARGUMENT);
    CHECK(congru_preprocessing_check(context, &p) == CONGRU_ERROR_ARGUMENT && error_has("--causal"));
    congru_preprocessing_clear(&p);
}

/* What folds share is found by it: an option that it did not look at would give a pipeline the trials of another one. */
TEST(descriptions_are_the_same_by_value)
{
    congru_preprocessing init, other, copy;
    congru_preprocessing_init(&init);
    for (size_t i = 0; i < CONGRU_PREPROCESSING_OPTIONS; i++) {
        congru_preprocessing_init(&other);
        CHECK(congru_preprocessing_same(&init, &other));
        CHECK(congru_preprocessing_set(context, &other, NULL, congru_preprocessing_options[i].name,
                                       values[i]) == CONGRU_OK);
        CHECK(!congru_preprocessing_same(&init, &other) && !congru_preprocessing_same(&other, &init));
        CHECK(congru_preprocessing_copy(context, &other, &copy) == CONGRU_OK);
        CHECK(congru_preprocessing_same(&other, &copy));
        congru_preprocessing_clear(&other);
        congru_preprocessing_clear(&copy);
    }
    other = init;
    other.whole = true;
    CHECK(!congru_preprocessing_same(&init, &other));
    other = init;
    other.rest = true;
    CHECK(!congru_preprocessing_same(&init, &other));
    other = init;
    other.rate = 250; /* says what trials are, not what is done to them */
    CHECK(congru_preprocessing_same(&init, &other));
    congru_preprocessing_clear(&init);
}

TEST(wrong_values_are_told)
{
    congru_preprocessing p;
    congru_preprocessing_init(&p);
    CHECK(congru_preprocessing_set(context, &p, NULL, "band", "35:8") == CONGRU_ERROR_ARGUMENT);
    CHECK(error_has("--band is 35:8; the second number must be the larger"));
    CHECK(congru_preprocessing_set(context, &p, "here", "unit", "kV") == CONGRU_ERROR_ARGUMENT);
    CHECK(error_has("here is uV, mV or V, not 'kV'"));
    CHECK(congru_preprocessing_set(context, &p, NULL, "channels", "C3,c3") == CONGRU_ERROR_ARGUMENT);
    CHECK(congru_preprocessing_set(context, &p, NULL, "channels", "C3,,C4") == CONGRU_ERROR_ARGUMENT);
    CHECK(congru_preprocessing_set(context, &p, NULL, "colour", "red") == CONGRU_ERROR_ARGUMENT);
    CHECK(p.band[0] == 8 && p.scale == 1);
    congru_preprocessing_clear(&p);
}

TEST(one_line_says_it_all)
{
    char line[CONGRU_PREPROCESSING_LINE_SIZE];
    congru_preprocessing p;
    congru_preprocessing_init(&p);
    congru_preprocessing_print(&p, line);
    CHECK(strcmp(line,
                 "8 to 35 Hz (Butterworth of order 4, zero phase), notch 50 Hz, 0.5 to 3.5 s after the cue, "
                 "scm") == 0);
    congru_preprocessing_init_raw(&p);
    p.filtered[0] = 8;
    p.filtered[1] = 30;
    congru_preprocessing_print(&p, line);
    CHECK(strcmp(line, "filtered elsewhere 8 to 30 Hz, whole trials, scm") == 0);
}

TEST(differences_are_listed)
{
    char text[400];
    congru_preprocessing a, b;
    congru_preprocessing_init(&a);
    congru_preprocessing_init(&b);
    a.known = b.known = true;
    CHECK(!congru_preprocessing_differs(&a, "the model", &b, text, sizeof text) && text[0] == '\0');
    b.band[1] = 30;
    b.notch = 0;
    CHECK(congru_preprocessing_differs(&a, "the model", &b, text, sizeof text));
    CHECK(strcmp(text,
                 "band 8 to 30 Hz where the model has 8 to 35 Hz; notch none where the model has 50 Hz") == 0);
}

/* ---- Data ----------------------------------------------------------------------------------------------- */

/* Noise that is the same every time, as `scale` of microvolts. */
static double *make_noise(size_t count, double scale)
{
    double *noise = malloc(count * sizeof *noise);
    CHECK(noise != NULL);
    congru_random random = congru_random_stream(1, 2, 3, 4);
    for (size_t i = 0; i < count; i++)
        noise[i] = 10 * scale * congru_random_normal(&random);
    return noise;
}

static const char names[CHANNELS][CONGRU_LABEL_SIZE] = {"C3", "Cz", "C4", "Pz"};

/* Trials of noise as a set of signals, the channels in the order given. */
static congru_set *make_signals(const size_t *order, double scale)
{
    double *noise = make_noise(TRIALS * CHANNELS * WINDOW, scale),
           *placed = malloc(TRIALS * CHANNELS * WINDOW * 8);
    char channel[CHANNELS][CONGRU_LABEL_SIZE], class_name[2][CONGRU_LABEL_SIZE] = {"a", "b"},
                                               subject_name[1][CONGRU_LABEL_SIZE] = {"s"};
    int32_t label[TRIALS], subject[TRIALS] = {0};
    CHECK(placed != NULL);
    for (size_t c = 0; c < CHANNELS; c++) {
        memcpy(channel[c], names[order[c]], CONGRU_LABEL_SIZE);
        for (size_t i = 0; i < TRIALS; i++)
            memcpy(placed + (i * CHANNELS + c) * WINDOW, noise + (i * CHANNELS + order[c]) * WINDOW,
                   WINDOW * sizeof *placed);
    }
    for (size_t i = 0; i < TRIALS; i++)
        label[i] = (int32_t)(i % 2);
    congru_set from = {.count = TRIALS,
                       .dimension = CHANNELS,
                       .samples = WINDOW,
                       .signals = placed,
                       .label = label,
                       .subject = subject,
                       .classes = 2,
                       .subjects = 1,
                       .class_name = class_name,
                       .subject_name = subject_name,
                       .channel_name = channel,
                       .rate = RATE,
                       .start = 0},
               *set = NULL;
    CHECK(congru_set_create_copying(context, &from, &set) == CONGRU_OK);
    free(placed);
    free(noise);
    return set;
}

static const size_t in_order[CHANNELS] = {0, 1, 2, 3}, turned[CHANNELS] = {3, 1, 0, 2};

/* Epochs in memory, and a set of the same signals: to the bit. */
TEST(epochs_and_sets_agree)
{
    congru_preprocessing p;
    congru_epochs_report report;
    congru_set *set = make_signals(in_order, 1);
    double covariance[TRIALS * CHANNELS * CHANNELS], *data = make_noise(TRIALS * CHANNELS * WINDOW, 1);
    int32_t zero[TRIALS] = {0};
    congru_preprocessing_init(&p);
    CHECK(congru_preprocessing_set(context, &p, NULL, "window", "0.5:1.5") == CONGRU_OK);
    CHECK(congru_preprocessing_set(context, &p, NULL, "notch", "off") == CONGRU_OK);
    congru_epochs epochs = {.count = TRIALS,
                            .channels = CHANNELS,
                            .samples = WINDOW,
                            .rate = RATE,
                            .data = data,
                            .label = zero,
                            .run = zero,
                            .session = zero,
                            .channel_name = set->channel_name};
    CHECK(congru_preprocess_epochs(context, &p, NULL, &epochs, &report) == CONGRU_OK);
    CHECK(report.kept == TRIALS && epochs.samples == RATE && epochs.start == 0.5);
    CHECK(congru_covariance(context, CONGRU_ESTIMATOR_SCM, false, TRIALS, CHANNELS, epochs.samples, epochs.data,
                            covariance) == CONGRU_OK);
    CHECK(congru_set_preprocess(context, set, &p) == CONGRU_OK);
    CHECK(set->samples == RATE && memcmp(set->covariance, covariance, sizeof covariance) == 0);
    congru_preprocessing back;
    CHECK(congru_set_preprocessing(context, set, &back) == CONGRU_OK);
    CHECK(back.known && back.band[0] == 8 && back.band[1] == 35 && back.window[0] == 0.5 &&
          back.window[1] == 1.5);
    congru_preprocessing_clear(&back);
    congru_set_destroy(&set);
    free(data);
}

/* What is left of what a model's data went through is done, channels in another order and volts included. */
TEST(a_set_is_treated_like_another)
{
    congru_preprocessing p, wanted;
    congru_set *first = make_signals(in_order, 1), *second = make_signals(turned, 1e-6);
    congru_preprocessing_init(&p);
    p.whole = true;
    p.window[0] = p.window[1] = 0;
    p.notch = 0;
    CHECK(congru_set_preprocess(context, first, &p) == CONGRU_OK);
    CHECK(congru_set_preprocessing(context, first, &wanted) == CONGRU_OK);
    CHECK(congru_set_preprocess_like(context, second, &wanted, "the model", 1e6) == CONGRU_OK);
    double worst = 0;
    for (size_t i = 0; i < TRIALS * CHANNELS * CHANNELS; i++)
        worst = fmax(worst, fabs(second->covariance[i] - first->covariance[i]) / 100);
    CHECK(worst < 1e-9);
    /* Once more there is nothing left to do; what went through something else is refused. */
    wanted.band[1] = 30;
    CHECK(congru_set_preprocess_like(context, second, &wanted, "the model", 1) == CONGRU_ERROR_ARGUMENT);
    CHECK(error_has("band 8 to 35 Hz where the model has 8 to 30 Hz"));
    congru_preprocessing_clear(&wanted);
    congru_set_destroy(&first);
    congru_set_destroy(&second);
}

TEST(a_notch_beyond_half_the_rate_is_left_out_and_told)
{
    congru_iir filter;
    bool left_out;
    congru_preprocessing p;
    congru_preprocessing_init_raw(&p);
    for (double notch = 40; notch <= 60; notch += 10) {
        p.notch = notch;
        CHECK(congru_preprocess_design(context, &p, RATE, &filter, &left_out) == CONGRU_OK);
        CHECK(left_out == (notch >= 50) && filter.sections == (notch >= 50 ? 0 : 1));
    }
    p.band[0] = 8;
    p.band[1] = 50;
    CHECK(congru_preprocess_design(context, &p, RATE, &filter, NULL) == CONGRU_ERROR_ARGUMENT);
    CHECK(error_has("needs a rate above"));
}

/* ---- Sets of arrays ------------------------------------------------------------------------------------- */

TEST(borrowed_arrays_stay_as_they_are)
{
    congru_preprocessing p;
    congru_set *owner = make_signals(in_order, 1), *set = NULL;
    double *copy = make_noise(TRIALS * CHANNELS * WINDOW, 1);
    CHECK(congru_set_create_borrowing(context, owner, &set) == CONGRU_OK && set->signals == owner->signals);
    congru_preprocessing_init(&p);
    p.whole = true;
    CHECK(congru_set_preprocess(context, set, &p) == CONGRU_OK && set->covariance != NULL);
    CHECK(memcmp(owner->signals, copy, TRIALS * CHANNELS * WINDOW * sizeof *copy) == 0);
    congru_set_destroy(&set);
    congru_set_destroy(&owner);
    free(copy);
}

TEST(wrong_arrays_are_refused)
{
    congru_set *set = make_signals(in_order, 1), *made = NULL;
    set->label[2] = 7;
    CHECK(congru_set_create_copying(context, set, &made) == CONGRU_ERROR_ARGUMENT && made == NULL);
    CHECK(error_has("label 7 of trial 3: there are 2"));
    set->label[2] = 0;
    set->signals[CHANNELS * WINDOW] = (double)NAN;
    CHECK(congru_set_create_copying(context, set, &made) == CONGRU_ERROR_NOT_FINITE && error_has("trial 2"));
    CHECK(congru_set_create_copying(context, &(congru_set){0}, &made) == CONGRU_ERROR_ARGUMENT);
    congru_set_destroy(&set);
}

TEST(sets_are_joined_by_names)
{
    congru_set *set = make_signals(in_order, 1), *other = make_signals(in_order, 1),
               *far = make_signals(turned, 1);
    snprintf(other->class_name[1], CONGRU_LABEL_SIZE, "rest");
    snprintf(other->subject_name[0], CONGRU_LABEL_SIZE, "t");
    CHECK(congru_set_join(context, set, other) == CONGRU_OK);
    CHECK(set->count == 2 * TRIALS && set->classes == 3 && set->subjects == 2);
    CHECK(set->label[TRIALS] == 0 && set->label[TRIALS + 1] == 2 && set->subject[TRIALS] == 1);
    CHECK(memcmp(set->signals + TRIALS * CHANNELS * WINDOW, other->signals, CHANNELS * WINDOW * 8) == 0);
    CHECK(congru_set_join(context, set, set) == CONGRU_ERROR_ARGUMENT && error_has("not joined to itself"));
    CHECK(congru_set_join(context, set, far) == CONGRU_ERROR_ARGUMENT && error_has("channel 1"));
    congru_set_destroy(&set);
    congru_set_destroy(&other);
    congru_set_destroy(&far);
}

/* Covariances of a band and window, with the signals left as they are: the same bits as when these are changed. */
TEST(covariances_apart_from_signals)
{
    static const size_t order[CHANNELS] = {0, 1, 2, 3};
    congru_set *apart = make_signals(order, 1), *changed = make_signals(order, 1),
               *wide = make_signals(order, 1);
    congru_preprocessing p, of_apart, of_changed;
    char text[400];
    congru_preprocessing_init_raw(&p);
    CHECK(congru_preprocessing_set(context, &p, NULL, "band", "8:30") == CONGRU_OK);
    CHECK(congru_preprocessing_set(context, &p, NULL, "window", "0.5:1.5") == CONGRU_OK);
    CHECK(congru_preprocessing_set(context, &p, NULL, "shrinkage", "0.25") == CONGRU_OK);
    CHECK(congru_preprocessing_set(context, &p, NULL, "baseline", "all") == CONGRU_OK);
    CHECK(congru_set_estimate(context, apart, &p) == CONGRU_OK);
    CHECK(congru_set_preprocess(context, changed, &p) == CONGRU_OK);
    CHECK(changed->samples == RATE && apart->samples == WINDOW && apart->signals_meta != NULL);
    CHECK(memcmp(apart->covariance, changed->covariance, TRIALS * CHANNELS * CHANNELS * sizeof(double)) == 0);
    CHECK(memcmp(apart->signals, wide->signals, TRIALS * CHANNELS * WINDOW * sizeof(double)) == 0);
    CHECK(congru_set_preprocessing(context, apart, &of_apart) == CONGRU_OK);
    CHECK(congru_set_preprocessing(context, changed, &of_changed) == CONGRU_OK);
    CHECK(of_apart.samples == RATE && of_apart.shrinkage == 0.25 && of_apart.baseline_whole);
    CHECK(!congru_preprocessing_differs(&of_apart, "it", &of_changed, text, sizeof text));
    congru_preprocessing_clear(&of_apart);
    congru_preprocessing_clear(&of_changed);
    CHECK(congru_preprocessing_set(context, &p, NULL, "window", "1.5:2.5") == CONGRU_OK);
    CHECK(congru_set_estimate(context, apart, &p) == CONGRU_ERROR_ARGUMENT);
    CHECK(error_has("the window 1.5:2.5 s leaves its trials, which last from 0 to 2 s after the cue"));
    congru_set_destroy(&apart);
    congru_set_destroy(&changed);
    congru_set_destroy(&wide);
    congru_preprocessing_clear(&p);
}

/* A quarter of the multiple of the identity that has the covariance's trace; a baseline without which a mean stays. */
TEST(shrinkage_and_baseline)
{
    static const size_t order[CHANNELS] = {0, 1, 2, 3};
    congru_set *plain = make_signals(order, 1), *shrunk = make_signals(order, 1);
    congru_preprocessing p;
    congru_preprocessing_init_raw(&p);
    CHECK(congru_set_preprocess(context, plain, &p) == CONGRU_OK);
    p.shrinkage = 0.25;
    p.baseline[0] = 0.5;
    p.baseline[1] = 1;
    CHECK(congru_set_preprocess(context, shrunk, &p) == CONGRU_OK);
    for (size_t i = 0; i < TRIALS; i++) {
        const double *c = plain->covariance + i * CHANNELS * CHANNELS;
        double trace = c[0] + c[5] + c[10] + c[15];
        for (size_t k = 0; k < CHANNELS * CHANNELS; k++)
            CHECK_NEAR(shrunk->covariance[i * CHANNELS * CHANNELS + k],
                       0.75 * c[k] + (k % 5 == 0 ? 0.25 * trace / 4 : 0), 1e-9 * trace);
        for (size_t k = 0; k < CHANNELS; k++) {
            double sum = 0;
            for (size_t t = RATE / 2; t < RATE; t++)
                sum += shrunk->signals[(i * CHANNELS + k) * WINDOW + t];
            CHECK_NEAR(sum, 0, 1e-9);
        }
    }
    congru_set_destroy(&plain);
    congru_set_destroy(&shrunk);
}

/* Two channels are a constant and a multiple of the third, another for each of two subjects: the constant is left. */
TEST(eyes_are_regressed_out)
{
    enum { COUNT = 4, WIDTH = 3, SAMPLES = 50 };
    static const double factor[2][2] = {{0.5, -2}, {3, 0.25}};
    double data[COUNT * WIDTH * SAMPLES];
    int32_t label[COUNT] = {0}, run[COUNT] = {0}, session[COUNT] = {0}, subject[COUNT] = {0, 1, 0, 1};
    char channel_name[WIDTH][CONGRU_LABEL_SIZE] = {"C3", "EOG", "C4"}, class_name[1][CONGRU_LABEL_SIZE] = {"a"},
         subject_name[2][CONGRU_LABEL_SIZE] = {"S1", "S2"};
    for (size_t i = 0; i < COUNT; i++)
        for (size_t t = 0; t < SAMPLES; t++) {
            double *x = data + i * WIDTH * SAMPLES + t, eye = sin(0.3 * (double)((i + 1) * t)) + (double)i;
            x[SAMPLES] = eye;
            x[0] = 7 + factor[subject[i]][0] * eye;
            x[2 * SAMPLES] = -1 + factor[subject[i]][1] * eye;
        }
    congru_epochs epochs = {.count = COUNT,
                            .channels = WIDTH,
                            .samples = SAMPLES,
                            .rate = 100,
                            .data = data,
                            .label = label,
                            .run = run,
                            .session = session,
                            .channel_name = channel_name,
                            .classes = 1,
                            .class_name = class_name,
                            .subject = subject,
                            .subjects = 2,
                            .subject_name = subject_name};
    congru_preprocessing p;
    congru_epochs_report report;
    congru_preprocessing_init_raw(&p);
    CHECK(congru_preprocessing_set(context, &p, NULL, "regress", "EOG1") == CONGRU_OK);
    CHECK(congru_preprocess_epochs(context, &p, NULL, &epochs, &report) == CONGRU_ERROR_ARGUMENT);
    CHECK(error_has("no channel 'EOG1' to regress out"));
    CHECK(congru_preprocessing_set(context, &p, NULL, "regress", "eog") == CONGRU_OK);
    CHECK(congru_preprocess_epochs(context, &p, NULL, &epochs, &report) == CONGRU_OK);
    CHECK(epochs.channels == 2 && strcmp(epochs.channel_name[1], "C4") == 0);
    double worst = 0;
    for (size_t i = 0; i < (size_t)COUNT * 2 * SAMPLES; i++)
        worst = fmax(worst, fabs(data[i] - (i / SAMPLES % 2 == 0 ? 7 : -1)));
    CHECK(worst < 1e-12);
    congru_preprocessing_clear(&p);
}

int main(void)
{
    return context_main(&context, NULL);
}
