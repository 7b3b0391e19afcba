/* The real EDF+ files of the shared data against MNE's reading. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "congru/context.h"
#include "congru/recording.h"
#include "context_main.h"
#include "harness.h"
#include "recording_damage.h"

static congru_context *context;

/* As tests/oracle/oracle_edf.py has it: all samples are whole microvolts, which a hash stands for. */
static uint64_t hash_samples(const congru_recording *recording)
{
    uint64_t hash = 0xcbf29ce484222325U;
    for (size_t i = 0; i < recording->channels * recording->samples; i++) {
        double whole = rint(recording->data[i]);
        CHECK_NEAR(recording->data[i], whole, 1e-9);
        hash = (hash ^ (uint64_t)(int64_t)whole) * 0x100000001b3U;
    }
    return hash;
}

static void check_channels(const congru_recording *recording, FILE *oracle)
{
    for (size_t i = 0; i < recording->channels; i++) {
        char name[CONGRU_LABEL_SIZE] = "";
        CHECK(fscanf(oracle, "channel %79s ", name) == 1);
        CHECK_SAYING(strcmp(recording->channel[i].name, name) == 0, "channel %zu is '%s', not '%s'", i,
                     recording->channel[i].name, name);
    }
}

static void check_events(const congru_recording *recording, size_t events, FILE *oracle)
{
    CHECK(recording->events == events);
    for (size_t i = 0; i < events; i++) {
        size_t onset = 0, duration = 0;
        char text[16] = "";
        CHECK(fscanf(oracle, "event %zu %zu %15s ", &onset, &duration, text) == 3);
        if (i >= recording->events)
            continue;
        const congru_event *event = &recording->event[i];
        CHECK_SAYING(event->onset == onset && event->duration == duration && event->code == -1 &&
                         event->text != NULL && strcmp(event->text, text) == 0,
                     "event %zu is '%s' at %zu for %zu, not '%s' at %zu for %zu", i,
                     event->text != NULL ? event->text : "(none)", event->onset, event->duration, text, onset,
                     duration);
    }
}

/* The oracle's next file; false at its end, or after a failure that leaves it out of step. */
static bool check_next_file(FILE *oracle)
{
    char name[256];
    double rate;
    size_t channels, samples, events;
    unsigned long long hash;
    if (fscanf(oracle, "file %255s %lf %zu %zu %llx %zu ", name, &rate, &channels, &samples, &hash, &events) !=
        6)
        return false;
    const char *path = damage_data_file(name);
    congru_recording *recording = NULL;
    if (!CHECK_SAYING(path != NULL && congru_recording_read(context, path, NULL, &recording) == CONGRU_OK,
                      "%s: %s", name, congru_context_error(context)))
        return false;
    CHECK(recording->rate == rate && recording->samples == samples && strcmp(recording->format, "EDF+C") == 0);
    CHECK_SAYING(hash_samples(recording) == hash, "%s: samples differ", name);
    bool in_step = CHECK(recording->channels == channels);
    if (in_step) {
        check_channels(recording, oracle);
        check_events(recording, events, oracle);
    }
    congru_recording_destroy(&recording);
    return in_step;
}

TEST(real_files_are_what_mne_reads)
{
    const char *source = getenv("SOURCE");
    char path[1024];
    if (damage_data_file("eegmmidb/original/S001/S001R04.edf") == NULL) {
        SKIP("shared/data/eegmmidb is absent");
        return;
    }
    snprintf(path, sizeof path, "%s/tests/data/edf_mne.txt", source != NULL ? source : ".");
    FILE *oracle = fopen(path, "r");
    if (!CHECK_SAYING(oracle != NULL, "no %s", path))
        return;
    char comment[128];
    CHECK(fgets(comment, sizeof comment, oracle) != NULL && comment[0] == '#');
    size_t files = 0;
    while (check_next_file(oracle))
        files++;
    CHECK_SAYING(files == 10, "%zu files compared", files);
    fclose(oracle);
}

int main(void)
{
    return context_main(&context, &(congru_context_options){.threads = 1});
}
