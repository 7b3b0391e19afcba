/* A GDF file in the shape of BCI Competition IV 2a, with known power. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "congru/context.h"
#include "congru/recording.h"
#include "gdf_writer.h"
#include "harness.h"

static congru_context *context;
static char directory[] = "/tmp/congru-gdf-XXXXXX";

/* The amplitude of a frequency in the 3 s from 0.5 s after a cue on. */
static double amplitude_at(const double *data, double hertz)
{
    double real = 0, imaginary = 0;
    for (size_t i = 0; i < 750; i++) {
        real += data[i] * cos(2 * acos(-1) * hertz * (double)i / GDF_BCI2A_RATE);
        imaginary += data[i] * sin(2 * acos(-1) * hertz * (double)i / GDF_BCI2A_RATE);
    }
    return hypot(real, imaginary) * 2 / 750;
}

static void check_bci2a_trials(const congru_recording *recording, const gdf_bci2a *truth)
{
    size_t trial = 0, runs = 0, rejected = 0, starts = 0, expected_rejected = 0;
    for (size_t i = 0; i < recording->events; i++) {
        const congru_event *event = &recording->event[i];
        runs += event->code == 32766;
        rejected += event->code == 1023;
        starts += event->code == 768;
        if (event->code < 769 || event->code > 772 || trial == GDF_BCI2A_TRIALS)
            continue;
        CHECK(event->onset == truth->cue[trial] && event->code == 769 + truth->label[trial]);
        for (size_t c = 0; c < GDF_BCI2A_EEG; c++)
            CHECK_NEAR(amplitude_at(recording->data + c * recording->samples + event->onset + 125,
                                    (36 + (double)c) / 3),
                       gdf_bci2a_amplitude(truth->label[trial], c), 0.3);
        expected_rejected += truth->rejected[trial];
        trial++;
    }
    CHECK(trial == GDF_BCI2A_TRIALS && starts == trial && runs == GDF_BCI2A_RUNS &&
          rejected == expected_rejected);
    CHECK(rejected > 0);
}

TEST(file_like_bci_iv_2a)
{
    char path[64];
    snprintf(path, sizeof path, "%s/A01T.gdf", directory);
    gdf_bci2a truth;
    gdf_bci2a_truth(1, &truth);
    CHECK(gdf_writer_bci2a(path, 1));
    CHECK(congru_recording_recognises(path));
    congru_recording *recording;
    if (!CHECK(congru_recording_read(context, path, NULL, &recording) == CONGRU_OK))
        return;
    CHECK(recording->channels == 25 && recording->samples == truth.samples && recording->rate == 250);
    CHECK(strcmp(recording->channel[0].name, "EEG-Fz") == 0 &&
          strcmp(recording->channel[1].name, "EEG-0") == 0);
    CHECK(strcmp(recording->channel[21].name, "EEG-16") == 0);
    size_t wrong = 0;
    for (size_t i = 0; i < 25 * truth.samples; i++) {
        double value = gdf_bci2a_value(&truth, i / truth.samples, i % truth.samples);
        bool right = isnan(value) ? isnan(recording->data[i]) : fabs(recording->data[i] - value) < 0.0016;
        wrong += !right;
    }
    CHECK_SAYING(wrong == 0, "%zu samples are wrong", wrong);
    check_bci2a_trials(recording, &truth);
    congru_recording_destroy(&recording);
    congru_recording_options options = {.eeg_only = true, .header_only = true};
    CHECK(congru_recording_read(context, path, &options, &recording) == CONGRU_OK);
    CHECK(recording != NULL && recording->channels == 22);
    congru_recording_destroy(&recording);
    unlink(path);
}

int main(void)
{
    if (congru_context_create(&context, &(congru_context_options){.threads = 1}) != CONGRU_OK ||
        mkdtemp(directory) == NULL)
        return 1;
    harness_run_all();
    rmdir(directory);
    congru_context_destroy(&context);
    return harness_end();
}
