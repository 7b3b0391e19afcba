/* EEGLAB, FIF and XDF files of tests/data/readers against what MNE and pyxdf's algorithm find in them. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "congru/epochs.h"
#include "context_main.h"
#include "harness.h"
#include "recording_damage.h"

static congru_context *context;

/* A file of the folder; valid until the next call but one. */
static const char *data_path(const char *name, const char *ending)
{
    static char path[2][1024];
    static int turn;
    const char *source = getenv("SOURCE");
    turn = 1 - turn;
    snprintf(path[turn], sizeof path[turn], "%s/tests/data/readers/%s%s", source != NULL ? source : ".", name,
             ending);
    return path[turn];
}

static FILE *open_oracle(const char *name)
{
    FILE *oracle = fopen(data_path(name, ".txt"), "r");
    CHECK_SAYING(oracle != NULL, "no oracle for %s", name);
    return oracle;
}

/* "channel TYPE NAME": the name may hold blanks. */
static void check_channel(FILE *oracle, const char *name, congru_channel_type type)
{
    static const char *const types[] = {"eeg", "eog", "emg", "ecg", "stim", "other"};
    char kind[16] = "", expected[CONGRU_LABEL_SIZE] = "";
    CHECK(fscanf(oracle, " channel %15s %79[^\n]", kind, expected) == 2);
    CHECK_SAYING(strcmp(name, expected) == 0, "channel '%s', not '%s'", name, expected);
    CHECK_SAYING(strcmp(types[type], kind) == 0, "channel '%s' is %s, not %s", name, types[type], kind);
}

/* A row of numbers: MNE multiplies in another order, so that the last digits differ. */
static void check_row(FILE *oracle, const double *data, size_t samples, size_t row)
{
    size_t wrong = 0, first = 0;
    CHECK(fscanf(oracle, " row") == 0);
    for (size_t i = 0; i < samples; i++) {
        double expected = 0;
        bool read = fscanf(oracle, "%lf", &expected) == 1;
        bool same = isnan(expected) ? isnan(data[i]) : fabs(data[i] - expected) <= 1e-12 * (fabs(expected) + 1);
        if ((!read || !same) && wrong++ == 0)
            first = i;
    }
    CHECK_SAYING(wrong == 0, "row %zu: %zu samples differ, the first is %zu: %.17g", row, wrong, first,
                 data[first]);
}

static void check_recording(const char *name, const char *ending, const char *format)
{
    FILE *oracle = open_oracle(name);
    congru_recording *recording = NULL, *header = NULL;
    const char *path = data_path(name, ending);
    double rate = 0;
    size_t channels = 0, samples = 0, events = 0;
    if (oracle == NULL)
        return;
    CHECK(fscanf(oracle, "recording %lf %zu %zu %zu", &rate, &channels, &samples, &events) == 4);
    CHECK(congru_recording_recognises(path));
    if (CHECK_SAYING(congru_recording_read(context, path, NULL, &recording) == CONGRU_OK, "%s",
                     congru_context_error(context)) &&
        CHECK_SAYING(recording->channels == channels && recording->samples == samples,
                     "%s: %zu channels of %zu samples, not %zu of %zu", name, recording->channels,
                     recording->samples, channels, samples)) {
        CHECK(recording->rate == rate && strcmp(recording->format, format) == 0);
        for (size_t k = 0; k < channels; k++)
            check_channel(oracle, recording->channel[k].name, recording->channel[k].type);
        for (size_t k = 0; k < channels; k++)
            check_row(oracle, recording->data + k * samples, samples, k);
        CHECK_SAYING(recording->events == events, "%s: %zu events, not %zu", name, recording->events, events);
        for (size_t i = 0; i < events && i < recording->events; i++) {
            const congru_event *event = &recording->event[i];
            size_t onset = 0, duration = 0;
            char text[80] = "";
            CHECK(fscanf(oracle, " event %zu %zu %79[^\n]", &onset, &duration, text) == 3);
            CHECK_SAYING(event->onset == onset && event->duration == duration && strcmp(event->text, text) == 0,
                         "%s: event %zu is '%s' at %zu for %zu, not '%s' at %zu for %zu", name, i, event->text,
                         event->onset, event->duration, text, onset, duration);
            CHECK(event->code == (text[0] >= '0' && text[0] <= '9' ? atoi(text) : -1));
        }
    }
    CHECK(congru_recording_read(context, path, &(congru_recording_options){.header_only = true}, &header) ==
              CONGRU_OK &&
          header->samples == samples && header->events == events && header->data == NULL);
    congru_recording_destroy(&recording);
    congru_recording_destroy(&header);
    fclose(oracle);
}

static void check_epochs(const char *name, const char *ending)
{
    FILE *oracle = open_oracle(name);
    congru_epochs *epochs = NULL;
    congru_recording *recording = NULL;
    const char *path = data_path(name, ending);
    double rate = 0, start = 0;
    size_t count = 0, channels = 0, samples = 0, classes = 0;
    if (oracle == NULL)
        return;
    CHECK(fscanf(oracle, "epochs %lf %lf %zu %zu %zu %zu", &rate, &start, &count, &channels, &samples,
                 &classes) == 6);
    CHECK(congru_epochs_recognises(path));
    CHECK(congru_recording_read(context, path, NULL, &recording) == CONGRU_ERROR_KIND &&
          strstr(congru_context_error(context), "holds trials, not a recording") != NULL);
    if (CHECK_SAYING(congru_epochs_read(context, path, &epochs) == CONGRU_OK, "%s",
                     congru_context_error(context)) &&
        CHECK(epochs->count == count && epochs->channels == channels && epochs->samples == samples)) {
        CHECK(epochs->rate == rate && fabs(epochs->start - start) < 1e-12 && epochs->classes == classes);
        for (size_t k = 0; k < channels; k++)
            check_channel(oracle, epochs->channel_name[k], CONGRU_CHANNEL_EEG);
        for (size_t k = 0; k < count * channels; k++)
            check_row(oracle, epochs->data + k * samples, samples, k);
        for (size_t i = 0; i < count; i++) {
            char label[80] = "";
            CHECK(fscanf(oracle, " label %79[^\n]", label) == 1);
            CHECK_SAYING(strcmp(epochs->class_name[epochs->label[i]], label) == 0, "trial %zu: '%s', not '%s'",
                         i, epochs->class_name[epochs->label[i]], label);
        }
    }
    congru_epochs_destroy(&epochs);
    fclose(oracle);
}

TEST(fif_raw_data_is_what_mne_reads)
{
    static const char *const names[] = {"single_raw", "double_raw", "int_raw",
                                        "short_raw",  "joined_raw", "skip_raw"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        check_recording(names[i], ".fif", "FIF");
}

TEST(fif_epochs_are_what_mne_reads)
{
    check_epochs("single-epo", ".fif");
    check_epochs("double-epo", ".fif");
}

TEST(eeglab_recordings_are_what_mne_reads)
{
    check_recording("inside", ".set", "EEGLAB");
    check_recording("beside", ".set", "EEGLAB");
    check_recording("legacy", ".set", "EEGLAB");
}

TEST(eeglab_epochs_are_what_mne_reads)
{
    check_epochs("epochs_inside", ".set");
    check_epochs("epochs_beside", ".set");
}

TEST(xdf_is_what_the_documented_algorithm_finds)
{
    check_recording("even", ".xdf", "XDF");
    check_recording("gap", ".xdf", "XDF");
    check_recording("integers", ".xdf", "XDF");
    check_recording("reset", ".xdf", "XDF");
}

/* ---- Refusals ------------------------------------------------------------------------------------ */

static void check_refused(const char *name, const congru_recording_options *options, congru_status expected,
                          const char *words)
{
    congru_recording *recording = NULL;
    congru_status status = congru_recording_read(context, data_path(name, ""), options, &recording);
    const char *error = congru_context_error(context);
    CHECK_SAYING(status == expected && recording == NULL, "%s: status %d", name, (int)status);
    CHECK_SAYING(strstr(error, words) != NULL && strchr(error, '\n') == NULL, "no '%s' in: %s", words, error);
    congru_recording_destroy(&recording);
}

TEST(what_is_refused_says_what_to_do)
{
    congru_epochs *epochs = NULL;
    check_refused("evoked-ave.fif", NULL, CONGRU_ERROR_UNSUPPORTED, "in MNE save raw data or epochs");
    check_refused("slow.xdf", NULL, CONGRU_ERROR_UNSUPPORTED,
                  "stream 'slow' says 100 Hz, but its samples come at 50 Hz");
    check_refused("two.xdf", NULL, CONGRU_ERROR_FORMAT,
                  "which stream is the EEG? It has 'left cap' (EEG, 1 channel at 10 Hz), 'right cap'");
    check_refused("two.xdf", &(congru_recording_options){.stream = "cap"}, CONGRU_ERROR_FORMAT,
                  "0 streams of signals are named 'cap': it has 'left cap'");
    CHECK(congru_epochs_read(context, data_path("complex-epo.fif", ""), &epochs) == CONGRU_ERROR_UNSUPPORTED &&
          strstr(congru_context_error(context), "complex numbers; real ones are read (in MNE") != NULL);
    CHECK(congru_epochs_read(context, data_path("single_raw.fif", ""), &epochs) == CONGRU_ERROR_KIND &&
          strstr(congru_context_error(context), "holds a recording, not trials") != NULL);
    CHECK(congru_epochs_read(context, data_path("inside.set", ""), &epochs) == CONGRU_ERROR_KIND &&
          strstr(congru_context_error(context), "holds a recording, not trials") != NULL);
    CHECK(congru_epochs_read(context, data_path("epochs_unlabelled.set", ""), &epochs) == CONGRU_ERROR_FORMAT &&
          strstr(congru_context_error(context), "trial 4 has no event at its time 0") != NULL);
    CHECK(epochs == NULL);
}

TEST(a_stream_is_chosen_by_name_or_by_channels)
{
    static const char *const wanted[] = {"C4"};
    const congru_recording_options by_channel = {.channels = wanted, .channel_count = 1};
    const congru_recording_options by_name = {.stream = "right cap"};
    for (int form = 0; form < 2; form++) {
        congru_recording *recording = NULL;
        CHECK(congru_recording_read(context, data_path("two.xdf", ""), form == 0 ? &by_channel : &by_name,
                                    &recording) == CONGRU_OK);
        CHECK(recording != NULL && strcmp(recording->channel[0].name, "C4") == 0 && recording->data[2] == 2);
        congru_recording_destroy(&recording);
    }
}

int main(void)
{
    return context_main(&context, &(congru_context_options){.threads = 1});
}
