/* From a GDF file in the shape of BCI Competition IV 2a to covariances of known power. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "congru/congru.h"
#include "context_main.h"
#include "gdf_writer.h"
#include "harness.h"

static congru_context *context;

/* The file, read without its EOG, between 8 and 35 Hz. */
static congru_recording *read_filtered(uint64_t seed)
{
    char folder[] = "/tmp/congru-chain-XXXXXX", path[64];
    congru_recording *recording = NULL;
    congru_iir filter;
    if (!CHECK(mkdtemp(folder) != NULL))
        return NULL;
    snprintf(path, sizeof path, "%s/A01T.gdf", folder);
    CHECK(gdf_writer_bci2a(path, seed));
    congru_recording_options options = {.eeg_only = true};
    CHECK(congru_recording_read(context, path, &options, &recording) == CONGRU_OK);
    unlink(path);
    rmdir(folder);
    CHECK(congru_iir_butterworth(context, 4, 8, 35, GDF_BCI2A_RATE, &filter) == CONGRU_OK);
    CHECK(recording != NULL &&
          congru_signal_filter_zero_phase(context, &filter, recording->channels, recording->samples,
                                          recording->data) == CONGRU_OK);
    return recording;
}

static const congru_event_class events[] = {
    {769, NULL, "left"}, {770, NULL, "right"}, {771, NULL, "feet"}, {772, NULL, "tongue"}};

/* Each channel is a sine of a known amplitude A by class, at right angles to the others over the 3 s of the window:
 * the covariance is diagonal with A^2/2. The steps of amplitude at the cue ring on a little. */
static void check_covariances(const congru_epochs *epochs, const gdf_bci2a *truth)
{
    const size_t d = GDF_BCI2A_EEG;
    congru_set *set = NULL;
    const congru_set_options options = {.estimator = CONGRU_ESTIMATOR_SCM};
    CHECK(congru_set_append(context, &set, epochs, "A01", &options) == CONGRU_OK);
    if (!CHECK(set != NULL && set->count == GDF_BCI2A_TRIALS && set->dimension == d && set->classes == 4))
        return;
    for (size_t m = 0; m < set->count; m++) {
        CHECK(set->label[m] == truth->label[m]);
        for (size_t i = 0; i < d; i++) {
            double amplitude = gdf_bci2a_amplitude(truth->label[m], i), expected = amplitude * amplitude / 2;
            const double *row = set->covariance + (m * d + i) * d;
            CHECK_NEAR(row[i], expected, 0.03 * expected);
            for (size_t j = 0; j < i; j++)
                CHECK_NEAR(row[j], 0, 0.03 * expected + 0.03 * set->covariance[(m * d + j) * d + j]);
        }
    }
    congru_set_destroy(&set);
}

TEST(trials_labels_and_covariances_are_recovered)
{
    gdf_bci2a truth;
    congru_epochs *epochs = NULL;
    congru_epochs_report report;
    congru_recording *recording = read_filtered(1);
    gdf_bci2a_truth(1, &truth);
    congru_epochs_options options = {
        .events = events, .event_count = 4, .window = {0.5, 3.5}, .rest_window = {-3.5, -0.5}};
    CHECK(congru_epochs_cut(context, recording, &options, &epochs, &report) == CONGRU_OK);
    CHECK(report.found == GDF_BCI2A_TRIALS && report.kept == GDF_BCI2A_TRIALS && report.named == 0);
    if (CHECK(epochs != NULL && epochs->samples == 750 && epochs->channels == GDF_BCI2A_EEG))
        check_covariances(epochs, &truth);
    congru_epochs_destroy(&epochs);

    options.drop_rejected = true;
    CHECK(congru_epochs_cut(context, recording, &options, &epochs, &report) == CONGRU_OK);
    size_t named = 0;
    for (size_t m = 0; m < GDF_BCI2A_TRIALS; m++) {
        if (truth.rejected[m] && CHECK(named < report.named)) {
            CHECK(report.dropped[named].trial == m + 1);
            CHECK(report.dropped[named++].reason == CONGRU_DROPPED_REJECTED);
        }
    }
    CHECK(named > 0 && named == report.named && report.kept == GDF_BCI2A_TRIALS - named);
    congru_epochs_destroy(&epochs);
    congru_recording_destroy(&recording);
}

int main(void)
{
    return context_main(&context, NULL);
}
