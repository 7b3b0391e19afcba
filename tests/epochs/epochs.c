/* Cutting epochs: which samples, which trials, which labels. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mapped_memory.h"
#include "congru/signal.h"
#include "context_main.h"
#include "epochs/epochs_internal.h"
#include "harness.h"

enum { CHANNELS = 2, SAMPLES = 4000, EVENTS_MAX = 64 };

static congru_context *context;

/* A recording at 250 Hz whose sample i of channel k is 10000 k + i. */
static double samples[CHANNELS * SAMPLES];
static congru_channel channels[CHANNELS] = {{.name = "C3", .rate = 250}, {.name = "C4", .rate = 250}};
static congru_event events[EVENTS_MAX];
static congru_recording recording;

static void begin(double rate)
{
    for (size_t k = 0; k < CHANNELS; k++)
        for (size_t i = 0; i < SAMPLES; i++)
            samples[k * SAMPLES + i] = 10000.0 * (double)k + (double)i;
    recording = (congru_recording){.format = "test",
                                   .rate = rate,
                                   .samples = SAMPLES,
                                   .channels = CHANNELS,
                                   .channel = channels,
                                   .data = samples,
                                   .event = events};
}

static void event(size_t onset, int32_t code, const char *text)
{
    events[recording.events++] = (congru_event){.onset = onset, .code = code, .text = text};
}

static const congru_event_class hands[] = {{769, NULL, "left"}, {770, NULL, "right"}};

static congru_epochs_options paper_options(void)
{
    return (congru_epochs_options){.events = hands,
                                   .event_count = 2,
                                   .window = {0.5, 3.5},
                                   .rest_window = {-3.5, -0.5},
                                   .check_rest = true};
}

static congru_epochs *cut(const congru_epochs_options *options, congru_epochs_report *report)
{
    congru_epochs *epochs = NULL;
    congru_status status = congru_epochs_cut(context, &recording, options, &epochs, report);
    CHECK_SAYING(status == CONGRU_OK, "%s", congru_context_error(context));
    return epochs;
}

static void check_refused(const congru_epochs_options *options, congru_status expected, const char *words)
{
    congru_epochs *epochs = NULL;
    congru_status status = congru_epochs_cut(context, &recording, options, &epochs, NULL);
    const char *error = congru_context_error(context);
    CHECK_SAYING(status == expected, "status %d, not %d, for: %s", (int)status, (int)expected, words);
    CHECK_SAYING(strstr(error, words) != NULL && strchr(error, '\n') == NULL, "no '%s' in: %s", words, error);
    CHECK(epochs == NULL);
    congru_epochs_destroy(&epochs);
}

/* ---- Windows ------------------------------------------------------------------------------------- */

/* Counted from 1 the paper wants onset + floor(-3.5 * 250) >= 1 and onset + floor(3.5 * 250) - 1 <= 4000: the
 * first cue that will do is sample 876, the last is 3126. From 0 these are 875 and 3125. */
TEST(boundaries_are_those_of_the_paper)
{
    congru_epochs_options options = paper_options();
    congru_epochs_report report;
    begin(250);
    event(874, 769, NULL);
    event(875, 770, NULL);
    event(3125, 769, NULL);
    event(3126, 770, NULL);
    congru_epochs *epochs = cut(&options, &report);
    CHECK(report.found == 4 && report.kept == 2 && report.outside == 2 && report.gap == 0 &&
          report.rejected == 0);
    if (CHECK(epochs != NULL && epochs->count == 2 && epochs->channels == 2 && epochs->samples == 750)) {
        CHECK(epochs->label[0] == 1 && epochs->label[1] == 0 && epochs->rate == 250 && epochs->start == 0.5);
        CHECK(epochs->data[0] == 875 + 125 && epochs->data[749] == 875 + 874);
        CHECK(epochs->data[750] == 10000 + 875 + 125);
        CHECK(epochs->data[2 * 750 + 2 * 750 - 1] == 10000 + 3999);
        CHECK(strcmp(epochs->channel_name[1], "C4") == 0);
        CHECK(epochs->classes == 2 && strcmp(epochs->class_name[0], "left") == 0);
    }
    congru_epochs_destroy(&epochs);
    options.check_rest = false;
    epochs = cut(&options, &report);
    CHECK(report.kept == 3 && report.outside == 1 && epochs != NULL && epochs->data[0] == 874 + 125);
    congru_epochs_destroy(&epochs);
    CHECK(epochs == NULL);
}

TEST(windows_before_the_cue_stay_inside)
{
    congru_epochs_options options = paper_options();
    congru_epochs_report report;
    options.check_rest = false;
    options.window[0] = -0.1;
    options.window[1] = 0.1;
    begin(250);
    event(24, 769, NULL);
    event(25, 769, NULL);
    event(SAMPLES - 25, 769, NULL);
    event(SAMPLES - 24, 769, NULL);
    congru_epochs *epochs = cut(&options, &report);
    CHECK(report.kept == 2 && report.outside == 2 && epochs != NULL && epochs->samples == 50);
    CHECK(epochs != NULL && epochs->data[0] == 0 && epochs->data[2 * 50 + 49] == SAMPLES - 1 &&
          epochs->start == -0.1);
    congru_epochs_destroy(&epochs);
}

/* 0.29 * 100 is 28.999999999999996 in binary and means 29; 0.295 * 100 is floored, also below zero. */
TEST(seconds_become_samples_by_floor)
{
    static const struct {
        double window[2];
        double first, last;
    } cases[] = {{{0.29, 0.58}, 1029, 1057}, {{0.295, 0.589}, 1029, 1057}, {{-0.295, 0.01}, 970, 1000},
                 {{-0.29, 0}, 971, 999},     {{0, 0.07}, 1000, 1006},      {{1.1, 1.15}, 1110, 1114}};
    congru_epochs_options options = paper_options();
    congru_epochs_report report;
    options.check_rest = false;
    begin(100);
    event(1000, 769, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        memcpy(options.window, cases[i].window, sizeof options.window);
        congru_epochs *epochs = cut(&options, &report);
        if (CHECK(epochs != NULL && epochs->count == 1))
            CHECK_SAYING(epochs->data[0] == cases[i].first &&
                             epochs->data[epochs->samples - 1] == cases[i].last,
                         "case %zu: %g to %g", i, epochs->data[0], epochs->data[epochs->samples - 1]);
        congru_epochs_destroy(&epochs);
    }
}

TEST(rest_is_cut_before_the_cue)
{
    congru_epochs_options options = paper_options();
    congru_epochs_report report;
    options.as_rest = true;
    begin(250);
    event(874, 769, NULL);
    event(1000, 770, NULL);
    event(3126, 769, NULL); /* its rest window is inside, its active window is not */
    congru_epochs *epochs = cut(&options, &report);
    CHECK(report.found == 3 && report.kept == 1 && report.outside == 2);
    if (CHECK(epochs != NULL && epochs->count == 1 && epochs->samples == 750)) {
        CHECK(epochs->data[0] == 125 && epochs->data[749] == 874 && epochs->start == -3.5);
        CHECK(epochs->classes == 1 && strcmp(epochs->class_name[0], "rest") == 0 && epochs->label[0] == 0);
    }
    congru_epochs_destroy(&epochs);
    options.check_rest = false;
    epochs = cut(&options, &report);
    CHECK(report.kept == 2 && report.outside == 1);
    congru_epochs_destroy(&epochs);
}

TEST(gaps_are_counted)
{
    congru_epochs_options options = paper_options();
    congru_epochs_report report;
    begin(250);
    event(1000, 769, NULL);
    event(2000, 770, NULL);
    samples[SAMPLES + 1125] = (double)NAN;
    samples[2000 + 124] = (double)NAN; /* just before a window, and just behind one */
    samples[2000 + 875] = (double)NAN;
    congru_epochs *epochs = cut(&options, &report);
    CHECK(report.found == 2 && report.gap == 1 && report.kept == 1 && epochs != NULL && epochs->label[0] == 1);
    congru_epochs_destroy(&epochs);
    samples[2000 + 874] = (double)NAN;
    epochs = cut(&options, &report);
    CHECK(report.gap == 2 && report.kept == 0 && epochs != NULL && epochs->count == 0 &&
          epochs->samples == 750);
    congru_epochs_destroy(&epochs);
}

/* ---- Events -------------------------------------------------------------------------------------- */

/* As in BCI Competition IV 2a: 768 starts a trial, 1023 at the same sample rejects it, the cue follows after 2
 * s. The mark of the second trial lies between the cues of the first and the second. */
TEST(marks_reject_the_trial_they_start)
{
    congru_epochs_options options = paper_options();
    congru_epochs_report report;
    options.window[1] = 1;
    options.check_rest = false;
    begin(250);
    event(0, 32766, NULL);
    for (size_t i = 0; i < 4; i++) {
        event(100 + 900 * i, 768, NULL);
        if (i == 1 || i == 3)
            event(100 + 900 * i, 1023, NULL);
        event(600 + 900 * i, i == 1 || i == 3 ? 770 : 769, NULL);
    }
    congru_epochs *epochs = cut(&options, &report);
    CHECK(report.found == 4 && report.kept == 4 && report.rejected == 2);
    congru_epochs_destroy(&epochs);
    options.drop_rejected = true;
    epochs = cut(&options, &report);
    CHECK(report.kept == 2 && report.rejected == 2 && report.found == 4);
    CHECK(epochs != NULL && epochs->count == 2 && epochs->data[0] == 725 && epochs->label[1] == 0);
    CHECK(epochs != NULL && epochs->data[2 * 125] == 600 + 1800 + 125);
    congru_epochs_destroy(&epochs);
    options.event_count = 1; /* only the left hand: the marks of the right one change nothing */
    epochs = cut(&options, &report);
    CHECK(report.found == 2 && report.kept == 2 && report.rejected == 0);
    congru_epochs_destroy(&epochs);
}

/* A cue without a start of its own begins its trial: the mark before it is about the trial before. Marks at one onset
 * count as one, and a cue behind the last sample is outside. */
TEST(odd_events_are_counted)
{
    congru_epochs_options options = paper_options();
    congru_epochs_report report;
    options.window[1] = 1;
    options.check_rest = false;
    options.drop_rejected = true;
    begin(250);
    event(100, 768, NULL);
    event(600, 769, NULL);
    event(1900, 1023, NULL);
    event(2000, 770, NULL);
    event(SAMPLES + 5, 769, NULL);
    congru_epochs *epochs = cut(&options, &report);
    CHECK(report.found == 3 && report.rejected == 1 && report.outside == 1 && report.kept == 1);
    CHECK(epochs != NULL && epochs->count == 1 && epochs->data[0] == 2000 + 125);
    congru_epochs_destroy(&epochs);
    begin(250);
    event(1000, 769, NULL);
    for (int i = 0; i < 3; i++)
        event(2000, 1023, NULL);
    event(2000, 770, NULL);
    epochs = cut(&options, &report);
    CHECK(report.found == 2 && report.rejected == 1 && report.kept == 1 && epochs->data[0] == 1000 + 125);
    congru_epochs_destroy(&epochs);
}

/* As in a BNCI .mat, without start events: the mark is at the cue, or up to 3 s before it, or in the trial. */
TEST(marks_without_start_events)
{
    static const struct {
        size_t mark;
        int rejected; /* which trial, -1 for none */
    } cases[] = {{1000, 0}, {3000, 2}, {250, 0},  {249, -1}, {2000, -1}, {1001, 1},
                 {1400, 1}, {1500, 1}, {2249, 1}, {2250, 2}, {2900, 2},  {3999, 2}};
    congru_epochs_options options = paper_options();
    options.window[1] = 1;
    options.check_rest = false;
    options.drop_rejected = true;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        static const size_t cue[3] = {1000, 1500, 3000};
        congru_epochs_report report;
        begin(250);
        for (size_t k = 0; k < 5; k++) {
            size_t onset = k < 2 ? cue[k] : k == 2 ? 2000 : k == 3 ? cue[2] : 3999;
            if (onset >= cases[i].mark &&
                (recording.events == 0 || events[recording.events - 1].onset < cases[i].mark))
                event(cases[i].mark, 1023, NULL);
            if (k < 4)
                event(onset, k == 2 ? 771 : 769, NULL); /* 771 is a trial of a class that is not asked for */
        }
        congru_epochs *epochs = cut(&options, &report);
        CHECK_SAYING(report.rejected == (size_t)(cases[i].rejected >= 0), "%zu rejected by a mark at %zu",
                     report.rejected, cases[i].mark);
        for (size_t k = 0, kept = 0; epochs != NULL && k < 3; k++)
            if ((int)k != cases[i].rejected && CHECK(kept < epochs->count))
                CHECK_SAYING(epochs->data[kept++ * 2 * 125] == (double)cue[k] + 125, "mark at %zu",
                             cases[i].mark);
        congru_epochs_destroy(&epochs);
    }
}

TEST(texts_and_codes_name_classes)
{
    static const congru_event_class classes[] = {
        {0, "T2", "feet"}, {769, NULL, "left"}, {0, "both feet", "feet"}, {7, NULL, "left"}};
    congru_epochs_options options = paper_options();
    congru_epochs_report report;
    options.events = classes;
    options.event_count = 4;
    options.window[1] = 1;
    options.check_rest = false;
    begin(250);
    event(100, -1, "T1");
    event(400, -1, "T2");
    event(800, 769, NULL);
    event(1200, 0, NULL); /* the code of an entry that has a text means nothing */
    event(1600, 3, "both feet");
    event(2000, 7, "T2");
    event(2400, -1, "t2");
    congru_epochs *epochs = cut(&options, &report);
    CHECK(report.found == 4 && report.kept == 4);
    if (CHECK(epochs != NULL && epochs->count == 4 && epochs->classes == 2)) {
        CHECK(strcmp(epochs->class_name[0], "feet") == 0 && strcmp(epochs->class_name[1], "left") == 0);
        CHECK(epochs->label[0] == 0 && epochs->label[1] == 1 && epochs->label[2] == 0 && epochs->label[3] == 0);
    }
    congru_epochs_destroy(&epochs);
    options.events = (const congru_event_class[]){{-1, NULL, "texts have the code -1, which is no code"}};
    options.event_count = 1;
    check_refused(&options, CONGRU_ERROR_FORMAT, "no event -1");
}

TEST(the_same_cue_twice_is_one_trial)
{
    congru_epochs_options options = paper_options();
    congru_epochs_report report;
    begin(250);
    event(1000, 769, NULL);
    event(1000, 781, NULL);
    event(1000, 769, "again");
    congru_epochs *epochs = cut(&options, &report);
    CHECK(report.found == 1 && report.kept == 1 && epochs != NULL && epochs->count == 1);
    congru_epochs_destroy(&epochs);
    event(1000, 770, NULL);
    check_refused(&options, CONGRU_ERROR_FORMAT, "two cues at sample 1000, of the classes 'left' and 'right'");
}

TEST(runs_are_numbered)
{
    congru_epochs_options options = paper_options();
    congru_epochs_report report;
    options.window[1] = 1;
    options.check_rest = false;
    for (int first = 0; first < 2; first++) {
        begin(250);
        if (first == 0)
            event(0, 32766, NULL);
        event(100, 769, NULL);
        event(1000, 32766, NULL);
        event(1000, 769, NULL);
        event(1500, 770, NULL);
        event(2000, 32766, NULL);
        event(2500, 770, NULL);
        congru_epochs *epochs = cut(&options, &report);
        if (CHECK(epochs != NULL && epochs->count == 4))
            CHECK(epochs->run[0] == 0 && epochs->run[1] == 1 && epochs->run[2] == 1 && epochs->run[3] == 2 &&
                  epochs->session[3] == 0);
        congru_epochs_destroy(&epochs);
    }
}

TEST(refuses_with_what_there_is)
{
    congru_epochs_options options = paper_options();
    begin(250);
    check_refused(&options, CONGRU_ERROR_FORMAT, "no event 769, 770: the recording has no events");
    event(100, 768, NULL);
    event(200, 768, NULL);
    event(300, -1, "T0");
    event(400, 3, "feet");
    check_refused(&options, CONGRU_ERROR_FORMAT, "768 (2 times), 'T0' (1 times), 3 'feet' (1 times)");
    for (int32_t code = 1; code < 40; code++)
        event(1000, 1000 + code, NULL);
    check_refused(&options, CONGRU_ERROR_FORMAT, "and 26 others");
    options.events = (const congru_event_class[]){{769, NULL, "a"}, {769, NULL, "b"}};
    check_refused(&options, CONGRU_ERROR_ARGUMENT, "name two classes, 'a' and 'b'");
    options.events = (const congru_event_class[]){{769, NULL, "a"}, {770, NULL, ""}};
    check_refused(&options, CONGRU_ERROR_ARGUMENT, "event 2 of 2 names no class");
    options.event_count = 0;
    check_refused(&options, CONGRU_ERROR_ARGUMENT, "no event is named");
    static const double windows[][2] = {{1, 1}, {2, 1}, {NAN, 1}, {0, INFINITY}, {0, 0.001}, {0, 1e300}};
    for (size_t i = 0; i < sizeof windows / sizeof windows[0]; i++) {
        options = paper_options();
        memcpy(options.window, windows[i], sizeof options.window);
        check_refused(&options, CONGRU_ERROR_ARGUMENT, "is not a window");
    }
    options = paper_options();
    recording.data = NULL;
    check_refused(&options, CONGRU_ERROR_ARGUMENT, "was only its header read?");
    congru_epochs *epochs;
    CHECK(congru_epochs_cut(context, NULL, &options, &epochs, NULL) == CONGRU_ERROR_ARGUMENT);
    CHECK(congru_epochs_cut(context, &recording, NULL, &epochs, NULL) == CONGRU_ERROR_ARGUMENT);
    CHECK(congru_epochs_cut(NULL, &recording, &options, NULL, NULL) == CONGRU_ERROR_ARGUMENT);
    congru_epochs_destroy(NULL);
}

/* ---- Cropping ------------------------------------------------------------------------------------ */

TEST(crops_as_if_cut_so)
{
    congru_epochs_options options = paper_options();
    congru_epochs_report report;
    options.check_rest = false;
    begin(250);
    event(1000, 769, NULL);
    event(2000, 770, NULL);
    options.window[0] = -1;
    options.window[1] = 4;
    congru_epochs *wide = cut(&options, &report);
    options.window[0] = 0.501;
    options.window[1] = 3.4;
    congru_epochs *narrow = cut(&options, &report);
    if (CHECK(wide != NULL && narrow != NULL)) {
        CHECK(congru_epochs_crop(context, wide, 0.501, 3.4) == CONGRU_OK);
        CHECK(wide->samples == narrow->samples && wide->start == narrow->start && wide->count == 2);
        CHECK(memcmp(wide->data, narrow->data, 2 * CHANNELS * narrow->samples * sizeof(double)) == 0);
        CHECK(congru_epochs_crop(context, wide, 0.5, 3.4) == CONGRU_OK); /* sample 125 again */
        CHECK(wide->samples == narrow->samples);
        static const double outside[][2] = {{0.4, 3}, {1, 3.5}, {2, 2}, {3, 2}, {NAN, 2}, {1, INFINITY}};
        for (size_t i = 0; i < sizeof outside / sizeof outside[0]; i++)
            CHECK(congru_epochs_crop(context, wide, outside[i][0], outside[i][1]) == CONGRU_ERROR_ARGUMENT);
        CHECK(wide->samples == narrow->samples);
    }
    congru_epochs_destroy(&wide);
    congru_epochs_destroy(&narrow);
    CHECK(congru_epochs_crop(context, NULL, 0, 1) == CONGRU_ERROR_ARGUMENT);
}

TEST(crops_nothing_where_the_start_is_unknown)
{
    congru_epochs_options options = paper_options();
    congru_epochs_report report;
    begin(250);
    event(1000, 769, NULL);
    congru_epochs *epochs = cut(&options, &report);
    if (!CHECK(epochs != NULL))
        return;
    epochs->start = (double)NAN;
    CHECK(congru_epochs_crop(context, epochs, 0, 3) == CONGRU_OK && epochs->samples == 750);
    CHECK(congru_epochs_crop(context, epochs, 0.5, 3) == CONGRU_ERROR_ARGUMENT);
    CHECK(strstr(congru_context_error(context), "do not say when they begin") != NULL);
    epochs->rate = (double)NAN;
    CHECK(congru_epochs_crop(context, epochs, 0, 3) == CONGRU_ERROR_ARGUMENT);
    CHECK(strstr(congru_context_error(context), "sampling rate") != NULL);
    congru_epochs_destroy(&epochs);
}

/* Trials in a temporary file are cropped and resampled as those in memory are, to the bit. */
TEST(large_trials_are_resampled_alike)
{
    enum { COUNT = 3, LENGTH = 400 };
    congru_epochs *epochs[2] = {NULL, NULL};
    for (int k = 0; k < 2; k++) {
        congru_mapped_set_limit(k == 0 ? 0 : 64);
        CHECK(congru_epochs_create(context, NULL, COUNT, CHANNELS, LENGTH, &epochs[k]) == CONGRU_OK);
        epochs[k]->data = congru_epochs_allocate(COUNT, CHANNELS, LENGTH);
        if (!CHECK(epochs[k]->data != NULL))
            return;
        CHECK((congru_mapped_grow(epochs[k]->data, 1) != NULL) == (k == 1));
        for (size_t i = 0; i < COUNT * CHANNELS * LENGTH; i++)
            epochs[k]->data[i] = (double)(i * i % 101) - 50.0;
        epochs[k]->rate = 200;
        epochs[k]->start = 0;
        CHECK(congru_epochs_crop(context, epochs[k], 0.5, 1.5) == CONGRU_OK);
        CHECK(congru_epochs_resample(context, epochs[k], 1, 2) == CONGRU_OK);
        CHECK(epochs[k]->samples == 100 && epochs[k]->rate == 100);
    }
    CHECK(memcmp(epochs[0]->data, epochs[1]->data, COUNT * CHANNELS * 100 * sizeof(double)) == 0);
    double whole[COUNT * CHANNELS * 200], out[COUNT * CHANNELS * 100];
    for (size_t i = 0; i < COUNT * CHANNELS; i++)
        for (size_t s = 0; s < 200; s++)
            whole[i * 200 + s] = (double)((i * LENGTH + 100 + s) * (i * LENGTH + 100 + s) % 101) - 50.0;
    CHECK(congru_signal_resample(context, 1, 2, COUNT * CHANNELS, 200, whole, out) == CONGRU_OK);
    CHECK(memcmp(epochs[0]->data, out, sizeof out) == 0);
    CHECK(congru_epochs_resample(context, epochs[0], 0, 2) == CONGRU_ERROR_ARGUMENT);
    CHECK(congru_epochs_resample(context, NULL, 1, 2) == CONGRU_ERROR_ARGUMENT);
    CHECK(congru_epochs_resample(context, epochs[0], 65537, 65536) != CONGRU_OK && epochs[0]->samples == 100);
    congru_epochs_destroy(&epochs[0]);
    congru_epochs_destroy(&epochs[1]);
    congru_mapped_set_limit(0);
}

int main(void)
{
    return context_main(&context, NULL);
}
