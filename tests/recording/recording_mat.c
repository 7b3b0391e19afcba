/* MATLAB files of BNCI Horizon 2020 as recordings. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "congru/random.h"
#include "context_main.h"
#include "harness.h"
#include "mat_writer.h"
#include "recording/reader.h"

static congru_context *context;
static mat_writer file;

static congru_status read_file(const congru_recording_options *options, congru_recording **recording)
{
    static const congru_recording_options defaults = {0};
    congru_source source = congru_source_memory("in.mat", file.bytes, file.size);
    return congru_reader_mat.read(context, "in.mat", &source, options != NULL ? options : &defaults, recording);
}

static congru_recording *read_whole(const congru_recording_options *options)
{
    congru_recording *recording = NULL;
    congru_status status = read_file(options, &recording);
    CHECK_SAYING(status == CONGRU_OK, "%s", congru_context_error(context));
    return recording;
}

static void check_refused(congru_status expected, const char *words)
{
    congru_recording *recording = NULL;
    congru_status status = read_file(NULL, &recording);
    const char *error = congru_context_error(context);
    CHECK_SAYING(status == expected, "status %d, not %d, for: %s", (int)status, (int)expected, words);
    CHECK(recording == NULL);
    CHECK_SAYING(strncmp(error, "in.mat: ", 8) == 0 && strstr(error, words) != NULL, "no '%s' in: %s", words,
                 error);
    congru_recording_destroy(&recording);
    mat_end(&file);
}

/* ---- Reading ------------------------------------------------------------------------------------- */

static bool is_event(const congru_event *event, size_t onset, int32_t code, const char *text)
{
    return event->onset == onset && event->code == code && event->duration == 0 &&
           (text == NULL ? event->text == NULL : event->text != NULL && strcmp(event->text, text) == 0);
}

TEST(joins_runs_with_a_gap)
{
    for (int form = 0; form < 4; form++) {
        mat_begin(&file, false);
        mat_bnci(&file, 3, 40, 4, 3, form & 1);
        if (form & 2)
            mat_compress(&file, 128);
        congru_recording *recording = read_whole(NULL);
        mat_end(&file);
        if (!CHECK(recording != NULL))
            continue;
        CHECK(recording->samples == 3 * 40 + 2 && recording->channels == 4 && recording->rate == 250);
        CHECK(strcmp(recording->format, "MAT") == 0);
        for (size_t k = 0; k < 4; k++)
            for (size_t i = 0; i < recording->samples; i++) {
                double value = recording->data[k * recording->samples + i];
                double expected = 10000.0 * (double)(i / 41) + 100.0 * (double)k + (double)(i % 41);
                CHECK(i % 41 == 40 ? isnan(value) : value == expected);
            }
        CHECK(strcmp(recording->channel[0].name, "1") == 0 && strcmp(recording->channel[3].name, "4") == 0);
        CHECK(recording->channel[3].type == CONGRU_CHANNEL_EEG &&
              strcmp(recording->channel[0].unit, "uV") == 0);
        CHECK(recording->events == 3 * 5);
        const congru_event *event = recording->event + 5; /* of the second run */
        CHECK(is_event(&event[0], 41, 32766, NULL));
        CHECK(is_event(&event[1], 41, 1, "left hand"));
        CHECK(is_event(&event[2], 51, 2, "right hand"));
        CHECK(is_event(&event[3], 61, 1, "left hand"));
        CHECK(is_event(&event[4], 61, 1023, NULL));
        congru_recording_destroy(&recording);
    }
}

TEST(reads_one_run_without_trials)
{
    mat_begin(&file, false);
    mat_bnci(&file, 1, 40, 6, 0, false);
    congru_recording *recording = read_whole(NULL);
    if (CHECK(recording != NULL)) {
        CHECK(recording->samples == 40 && recording->events == 0 && recording->data[41] == 101);
        /* 6 channels at 250 Hz and 2 classes are those of BCI Competition IV 2b, the last three of them EOG */
        CHECK(recording->channel[2].type == CONGRU_CHANNEL_EEG &&
              recording->channel[3].type == CONGRU_CHANNEL_EOG);
    }
    congru_recording_destroy(&recording);
    mat_end(&file);
}

TEST(chooses_channels)
{
    static const char *const wanted[] = {"3", "1"};
    mat_begin(&file, false);
    mat_bnci(&file, 2, 40, 6, 1, true);
    congru_recording *recording =
        read_whole(&(congru_recording_options){.channels = wanted, .channel_count = 2});
    if (CHECK(recording != NULL && recording->channels == 2)) {
        CHECK(recording->data[0] == 200 && recording->data[81] == 0 && recording->data[81 + 41] == 10000);
        CHECK(strcmp(recording->channel[0].name, "3") == 0);
    }
    congru_recording_destroy(&recording);
    recording = read_whole(&(congru_recording_options){.eeg_only = true, .header_only = true});
    CHECK(recording != NULL && recording->channels == 3 && recording->data == NULL &&
          recording->samples == 81 && recording->events == 4);
    congru_recording_destroy(&recording);
    static const char *const unknown[] = {"Cz"};
    CHECK(read_file(&(congru_recording_options){.channels = unknown, .channel_count = 1}, &recording) ==
          CONGRU_ERROR_FORMAT);
    CHECK(recording == NULL && strstr(congru_context_error(context), "no channel 'Cz'") != NULL);
    mat_end(&file);
}

/* A single struct with what is optional in other ways: names of channels, no y, a value that is not finite. */
TEST(reads_names_and_unlabelled_trials)
{
    static const char *const field[] = {"X", "trial", "fs", "channels"}, *const names[] = {"C3", "EOG left"};
    const double x[6] = {1, INFINITY, 3, 4, 5, 6}, trial = 2;
    mat_begin(&file, true);
    size_t start = mat_open_struct(&file, "recorded", 1, field, 4);
    mat_matrix(&file, "", 3, 2, x);
    mat_matrix(&file, "", 1, 1, &trial);
    mat_number(&file, "", 512);
    mat_texts(&file, "", names, 2);
    mat_close(&file, start);
    congru_recording *recording = read_whole(NULL);
    mat_end(&file);
    if (!CHECK(recording != NULL))
        return;
    CHECK(strcmp(recording->channel[1].name, "EOG left") == 0 &&
          recording->channel[1].type == CONGRU_CHANNEL_EOG);
    CHECK(recording->rate == 512 && recording->data[0] == 1 && isnan(recording->data[1]) &&
          recording->data[3] == 4);
    CHECK(recording->events == 1 && is_event(&recording->event[0], 1, 783, NULL));
    congru_recording_destroy(&recording);
}

/* Rows of text, as MATLAB has them column by column: one name to a row. */
static void mat_rows(mat_writer *writer, const char *const *row, size_t rows, size_t columns)
{
    uint16_t letters[64];
    for (size_t i = 0; i < rows * columns; i++)
        letters[i] = (uint16_t)row[i % rows][i / rows];
    size_t start = mat_open(writer, 4, 2, (const size_t[]){rows, columns}, "");
    mat_element(writer, 4, letters, rows * columns * 2, 2, true);
    mat_close(writer, start);
}

/* Names of channels as rows of text or as what is no text at all, and classes that are no cell. */
TEST(reads_names_in_other_forms)
{
    static const char *const field[] = {"X", "trial", "y", "fs", "classes", "clab"};
    static const char *const rows[] = {"Cz  ", "EOG1"};
    const double x[6] = {1, 2, 3, 4, 5, 6}, trial = 2, label = 1, numbers[2] = {7, 8};
    for (int form = 0; form < 2; form++) {
        mat_begin(&file, false);
        size_t start = mat_open_struct(&file, "data", 1, field, 6);
        mat_matrix(&file, "", 3, 2, x);
        mat_matrix(&file, "", 1, 1, &trial);
        mat_matrix(&file, "", 1, 1, &label);
        mat_number(&file, "", 250);
        mat_text(&file, "", "no cell");
        if (form == 0)
            mat_rows(&file, rows, 2, 4);
        else
            mat_matrix(&file, "", 1, 2, numbers);
        mat_close(&file, start);
        congru_recording *recording = read_whole(NULL);
        mat_end(&file);
        if (!CHECK(recording != NULL))
            continue;
        CHECK(strcmp(recording->channel[0].name, form == 0 ? "Cz" : "1") == 0);
        CHECK(strcmp(recording->channel[1].name, form == 0 ? "EOG1" : "2") == 0);
        CHECK(recording->channel[1].type == (form == 0 ? CONGRU_CHANNEL_EOG : CONGRU_CHANNEL_EEG));
        CHECK(recording->events == 1 && is_event(&recording->event[0], 1, 1, NULL));
        congru_recording_destroy(&recording);
    }
}

/* ---- Refusals ------------------------------------------------------------------------------------ */

typedef struct bad_run {
    size_t rows, columns;
    double trial, y, fs;
    size_t trials, labels;
    congru_status status;
    const char *words;
} bad_run;

TEST(refuses_broken_runs)
{
    static const bad_run cases[] = {
        {4, 2, 5, 1, 250, 1, 1, CONGRU_ERROR_FORMAT, "run 1 of 'data': trial 1 begins at sample 5: expected"},
        {4, 2, 0, 1, 250, 1, 1, CONGRU_ERROR_FORMAT, "begins at sample 0"},
        {4, 2, 1.5, 1, 250, 1, 1, CONGRU_ERROR_FORMAT, "begins at sample 1.5"},
        {4, 2, NAN, 1, 250, 1, 1, CONGRU_ERROR_FORMAT, "begins at sample"},
        {4, 2, 1, 3, 250, 1, 1, CONGRU_ERROR_FORMAT,
         "trial 1 has class 3: expected a whole number from 1 to 2"},
        {4, 2, 1, 0, 250, 1, 1, CONGRU_ERROR_FORMAT, "has class 0"},
        {4, 2, 1, 1, 0, 1, 1, CONGRU_ERROR_FORMAT, "sampling rate"},
        {4, 2, 1, 1, INFINITY, 1, 1, CONGRU_ERROR_FORMAT, "sampling rate"},
        {4, 2, 1, 1, 250, 1, 2, CONGRU_ERROR_FORMAT, "2 labels in y for 1 trial"},
        {0, 2, 1, 1, 250, 1, 1, CONGRU_ERROR_FORMAT, "expected a matrix X"},
        {1, 5000, 1, 1, 250, 1, 1, CONGRU_ERROR_UNSUPPORTED, "5000 channels"},
    };
    static const char *const field[] = {"X", "trial", "y", "fs", "classes"}, *const names[] = {"a", "b"};
    static const double x[5000] = {0};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        mat_begin(&file, false);
        size_t start = mat_open_struct(&file, "data", 1, field, 5);
        mat_matrix(&file, "", cases[i].rows, cases[i].columns, x);
        mat_matrix(&file, "", 1, cases[i].trials, (const double[]){cases[i].trial, 1});
        mat_matrix(&file, "", 1, cases[i].labels, (const double[]){cases[i].y, 1});
        mat_number(&file, "", cases[i].fs);
        mat_texts(&file, "", names, 2);
        mat_close(&file, start);
        check_refused(cases[i].status, cases[i].words);
    }
}

TEST(refuses_artifacts_of_other_trials)
{
    static const char *const field[] = {"X", "trial", "y", "fs", "artifacts"};
    const double x[6] = {1, 2, 3, 4, 5, 6}, trial = 2, label = 1, artifacts[2] = {0, 1};
    mat_begin(&file, false);
    size_t start = mat_open_struct(&file, "data", 1, field, 5);
    mat_matrix(&file, "", 3, 2, x);
    mat_matrix(&file, "", 1, 1, &trial);
    mat_matrix(&file, "", 1, 1, &label);
    mat_number(&file, "", 250);
    mat_matrix(&file, "", 1, 2, artifacts);
    mat_close(&file, start);
    check_refused(CONGRU_ERROR_FORMAT, "run 1 of 'data': 2 artifacts for 1 trial");
}

TEST(refuses_runs_that_differ)
{
    static const char *const field[] = {"X", "fs"};
    static const double x[8] = {0};
    for (int i = 0; i < 3; i++) {
        mat_begin(&file, false);
        size_t start = mat_open_struct(&file, "data", 2, field, 2);
        for (size_t run = 0; run < 2; run++) {
            mat_matrix(&file, "", 4, i == 0 ? 2 - run : 2, x);
            mat_number(&file, "", i == 1 ? 250 + (double)run : 250);
        }
        mat_close(&file, start);
        if (i < 2) {
            check_refused(CONGRU_ERROR_FORMAT, "run 2 of 'data' has");
            continue;
        }
        congru_recording *recording = read_whole(NULL);
        CHECK(recording != NULL && recording->samples == 9);
        congru_recording_destroy(&recording);
        mat_end(&file);
    }
}

TEST(refuses_what_is_no_recording)
{
    static const double value[12] = {0};
    mat_begin(&file, false);
    mat_numbers(&file, "data", 6, 9, 3, (const size_t[]){3, 2, 2}, value);
    mat_matrix(&file, "label", 2, 1, value);
    check_refused(CONGRU_ERROR_KIND, "holds trials, not a recording");
    static const char *const field[] = {"data", "labels"};
    mat_begin(&file, false);
    size_t start = mat_open_struct(&file, "s", 1, field, 2);
    mat_numbers(&file, "", 6, 9, 3, (const size_t[]){3, 2, 2}, value);
    mat_matrix(&file, "", 2, 1, value);
    mat_close(&file, start);
    check_refused(CONGRU_ERROR_KIND, "holds trials, not a recording");
    mat_begin(&file, false);
    mat_number(&file, "a", 1);
    mat_text(&file, "b", "text");
    check_refused(CONGRU_ERROR_KIND, "found a, b");
    mat_begin(&file, false);
    check_refused(CONGRU_ERROR_KIND, "found no variable");
    mat_begin(&file, false);
    start = mat_open(&file, 1, 2, (const size_t[]){1, 2}, "data");
    static const char *const run_field[] = {"X", "fs"};
    size_t inner = mat_open_struct(&file, "", 1, run_field, 2);
    mat_matrix(&file, "", 3, 2, value);
    mat_number(&file, "", 250);
    mat_close(&file, inner);
    mat_number(&file, "", 1);
    mat_close(&file, start);
    check_refused(CONGRU_ERROR_FORMAT, "run 2 of 'data': expected one struct");
}

TEST(recognises_matlab_files)
{
    mat_begin(&file, false);
    CHECK(congru_reader_mat.recognises(file.bytes, file.size));
    CHECK(!congru_reader_mat.recognises(file.bytes, 10) && !congru_reader_mat.recognises(file.bytes, 0));
    memcpy(file.bytes, "MATLAB 7.3", 10); /* so that reading can say what to do */
    CHECK(congru_reader_mat.recognises(file.bytes, file.size));
    memcpy(file.bytes, "GDF 2.51", 8);
    CHECK(!congru_reader_mat.recognises(file.bytes, file.size));
    mat_end(&file);
}

/* An error in one line, or a recording whose events are inside it. */
TEST(survives_changed_bytes)
{
    congru_random random = congru_random_stream(4, 0, 0, 0);
    size_t read = 0, refused = 0;
    for (int trial = 0; trial < 2000; trial++) {
        mat_begin(&file, trial & 1);
        mat_bnci(&file, 2, 21, 2, 2, trial & 2);
        file.bytes[128 + congru_random_index(&random, file.size - 128)] ^=
            (unsigned char)(1 + congru_random_index(&random, 255));
        congru_recording *recording = NULL;
        if (read_file(NULL, &recording) == CONGRU_OK) {
            read++;
            for (size_t i = 0; i < recording->events; i++)
                CHECK(recording->event[i].onset < recording->samples);
            CHECK(recording->samples <= 43 && recording->channels <= 42);
        } else {
            refused++;
            const char *error = congru_context_error(context);
            CHECK_SAYING(strncmp(error, "in.mat: ", 8) == 0 && strchr(error, '\n') == NULL, "%s", error);
        }
        congru_recording_destroy(&recording);
        mat_end(&file);
    }
    CHECK_SAYING(read > 200 && refused > 200, "%zu read, %zu refused", read, refused);
}

int main(void)
{
    return context_main(&context, NULL);
}
