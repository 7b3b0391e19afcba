/* EDF and BDF files that are wrong, damaged, or lie about their size. SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "congru/context.h"
#include "edf_writer.h"
#include "harness.h"
#include "recording/reader.h"
#include "recording_damage.h"
#include "scratch.h"

static congru_context *context;
static edf_writer file;

static congru_status read_bytes(congru_context *with, void *user, const unsigned char *bytes, size_t size,
                                congru_recording **recording)
{
    congru_source source = congru_source_memory("test.edf", bytes, size);
    return congru_reader_edf.read(with, "test.edf", &source, user, recording);
}

static void check_refused(congru_status expected, const char *words, const congru_recording_options *options)
{
    congru_recording *recording = NULL;
    congru_status status = read_bytes(context, (void *)options, file.bytes, file.size, &recording);
    const char *error = congru_context_error(context);
    CHECK_SAYING(status == expected && recording == NULL, "status %d, not %d, for '%s': %s", (int)status,
                 (int)expected, words, error);
    CHECK_SAYING(strstr(error, words) != NULL, "no '%s' in: %s", words, error);
    CHECK_SAYING(strncmp(error, "test.edf: ", 10) == 0 && strpbrk(error, "\n\r") == NULL, "text: %s", error);
    congru_recording_destroy(&recording);
}

TEST(broken_fields_are_named)
{
    enum { SIGNALS = 256 }; /* where the fields of the signals begin */
    static const struct {
        size_t offset, width;
        const char *text, *words;
    } fields[] = {
        {252, 4, "0", "number of signals"},
        {252, 4, "-3", "number of signals"},
        {252, 4, "3.5", "number of signals"},
        {252, 4, "abc", "at byte 252, found 'abc'"},
        {252, 4, "9999", "truncated in the header"},
        {184, 8, "512", "the size of the header, 1024 for 3 signals,"},
        {184, 8, "99999999", "the size of the header"},
        {236, 8, "5 5", "number of records"},
        {236, 8, "6", "truncated: expected 6 records of 120 bytes from byte 1024, found 5"},
        {244, 8, "0", "duration of a record"},
        {244, 8, "", "duration of a record"},
        {244, 8, "-1", "duration of a record"},
        {244, 8, "inf", "at byte 244, found 'inf'"},
        {SIGNALS + 216 * 3 + 8, 8, "0", "the number of samples in a record"},
        {SIGNALS + 216 * 3 + 8, 8, "9e14", "the number of samples in a record"},
        {SIGNALS + 216 * 3 + 8, 8, "99999999", "truncated"},
        {SIGNALS + 104 * 3 + 8, 8, "", "physical minimum of channel C3 at byte 576"},
        {SIGNALS + 112 * 3, 8, "1.2.3", "physical maximum of channel Fc5."},
        {SIGNALS + 120 * 3 + 16, 8, "0x10", "digital minimum of channel EOG left"},
        {SIGNALS + 128 * 3 + 16, 8, "-32768", "channel EOG left has no scale"},
    };
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        edf_example(&file, EDF_PLAIN);
        edf_overwrite(&file, fields[i].offset, fields[i].width, fields[i].text);
        /* Of what fits exactly, a wrong size of the header is forgiven. */
        file.size += fields[i].offset == 184 ? 1 : 0;
        check_refused(CONGRU_ERROR_FORMAT, fields[i].words, NULL);
    }
}

/* A channel without a scale stands in nobody's way who does not ask for it. */
TEST(unwanted_channels_may_be_broken)
{
    const char *const names[2] = {"Fc5", "C3"};
    edf_example(&file, EDF_PLAIN);
    edf_overwrite(&file, 256 + 120 * 3 + 16, 8, "nonsense");
    congru_recording *recording = NULL;
    congru_recording_options options = {.channels = names, .channel_count = 2};
    CHECK(read_bytes(context, &options, file.bytes, file.size, &recording) == CONGRU_OK);
    congru_recording_destroy(&recording);
    options = (congru_recording_options){.header_only = true};
    CHECK(read_bytes(context, &options, file.bytes, file.size, &recording) == CONGRU_OK);
    congru_recording_destroy(&recording);
}

/* Puts a text into the annotations of a record of EDF_PLUS or EDF_GAPS. */
static void annotate(size_t record, const char *text, size_t size)
{
    size_t record_bytes = 0, offset = 0;
    for (size_t i = 0; i < file.signals; i++) {
        offset = i == 3 ? record_bytes : offset;
        record_bytes += file.signal[i].samples * 2;
    }
    offset += 256 * (file.signals + 1) + record * record_bytes;
    memset(file.bytes + offset, 0, file.signal[3].samples * 2);
    memcpy(file.bytes + offset, text, size);
}

TEST(broken_annotations_are_errors)
{
    static const struct {
        const char *text;
        size_t size;
        const char *words;
    } cases[] = {
        {EDF_TEXT("x\x14T0\x14"), "an onset in seconds at byte 2216, found 'x?T0?'"},
        {EDF_TEXT("+1"), "an onset in seconds"},
        {EDF_TEXT("+1\x14\x14\0+1.2.3\x14T0\x14"), "an onset in seconds"},
        {EDF_TEXT("+1\x15T\x14T0\x14"), "a duration in seconds"},
        {EDF_TEXT("+1\x15"
                  "1"),
         "a duration in seconds"},
        {EDF_TEXT("+1\x14T0"), "a text with its end"},
        {EDF_TEXT("+1\x14T0\0\x14"), "a text with its end"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        edf_example(&file, EDF_PLUS);
        annotate(2, cases[i].text, cases[i].size);
        check_refused(CONGRU_ERROR_FORMAT, cases[i].words, NULL);
    }
}

/* One that fills its room to the last byte, and a duration below zero, which counts as none. */
TEST(odd_annotations_are_read)
{
    char full[80];
    memset(full, 'f', sizeof full);
    memcpy(full, "+2\x14", 3);
    full[sizeof full - 1] = '\x14';
    for (int negative = 0; negative < 2; negative++) {
        congru_recording *recording = NULL;
        edf_example(&file, EDF_PLUS);
        CHECK(file.signal[3].samples * 2 == sizeof full);
        if (negative)
            annotate(2, EDF_TEXT("+2\x15-1.5\x14moved\x14"));
        else
            annotate(2, full, sizeof full);
        CHECK_SAYING(read_bytes(context, NULL, file.bytes, file.size, &recording) == CONGRU_OK, "%s",
                     congru_context_error(context));
        size_t found = 0;
        for (size_t i = 0; recording != NULL && i < recording->events; i++) {
            const congru_event *event = &recording->event[i];
            if (event->text == NULL || strncmp(event->text, negative ? "moved" : "ffff", 4) != 0)
                continue;
            found++;
            CHECK(event->onset == 30 && event->duration == 0); /* 2 s, of a recording from 0.5 s on at 20 Hz */
            CHECK(strlen(event->text) == (negative ? 5 : sizeof full - 4));
        }
        CHECK(found == 1);
        congru_recording_destroy(&recording);
    }
}

TEST(impossible_times_of_records_are_errors)
{
    static const struct {
        const char *text;
        size_t size;
        congru_status status;
        const char *words;
    } cases[] = {
        {EDF_TEXT("+1.4\x14\x14"), CONGRU_ERROR_FORMAT, "records overlap: expected record 1 at 1.5 s or later"},
        {EDF_TEXT("-3\x14\x14"), CONGRU_ERROR_FORMAT, "found -3 s"},
        {EDF_TEXT("+200\x14\x14"), CONGRU_ERROR_UNSUPPORTED, "gaps are too long"},
        {EDF_TEXT("+1e60\x14\x14"), CONGRU_ERROR_UNSUPPORTED, "gaps are too long"},
        {EDF_TEXT("+1.5\x14T0\x14"), CONGRU_ERROR_FORMAT, "the time of the record"},
        {EDF_TEXT(""), CONGRU_ERROR_FORMAT, "the time of the record"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        edf_example(&file, EDF_GAPS);
        annotate(1, cases[i].text, cases[i].size);
        check_refused(cases[i].status, cases[i].words, NULL);
        check_refused(cases[i].status, cases[i].words, &(congru_recording_options){.header_only = true});
    }
    edf_example(&file, EDF_PLAIN);
    edf_overwrite(&file, 192, 44, "EDF+D");
    check_refused(CONGRU_ERROR_FORMAT, "EDF+D without the times of its records", NULL);
}

TEST(nothing_but_annotations_is_an_error)
{
    edf_begin(&file, false, "EDF+C", "1", "0");
    edf_signal(&file, (edf_field_set){"EDF Annotations", "", "-1", "1", "-32768", "32767", 10});
    edf_end_header(&file);
    edf_text(&file, 0, EDF_TEXT("+0\x14\x14"));
    check_refused(CONGRU_ERROR_UNSUPPORTED, "nothing but annotations", NULL);
}

TEST(files_without_records_are_errors)
{
    edf_example(&file, EDF_PLAIN);
    edf_overwrite(&file, 236, 8, "-1");
    file.size = 1024 + 119;
    check_refused(CONGRU_ERROR_FORMAT, "no data", NULL);
    file.size = 100;
    check_refused(CONGRU_ERROR_FORMAT, "ends at byte 100", NULL);
}

TEST(different_rates_are_refused)
{
    edf_begin(&file, false, "", "1", "1");
    edf_signal(&file, (edf_field_set){"fast", "uV", "-1", "1", "-100", "100", 50});
    edf_signal(&file, (edf_field_set){"slow", "uV", "-1", "1", "-100", "100", 20});
    edf_end_header(&file);
    for (int i = 0; i < 70; i++)
        edf_sample(&file, i);
    check_refused(CONGRU_ERROR_UNSUPPORTED, "differ in rate", NULL);
}

/* ---- Damage --------------------------------------------------------------------------------------- */

TEST(damaged_examples_are_errors_or_sound)
{
    congru_recording_options header_only = {.header_only = true};
    for (int kind = 0; kind < EDF_KINDS; kind++) {
        edf_example(&file, (edf_kind)kind);
        damage_all(context, read_bytes, NULL, file.bytes, file.size);
        damage_all(context, read_bytes, &header_only, file.bytes, file.size);
    }
}

TEST(damaged_real_file_is_an_error_or_sound)
{
    const char *const names[3] = {"C3", "Cz", "C4"};
    congru_recording_options options = {.channels = names, .channel_count = 3};
    const char *path = damage_data_file("eegmmidb/original/S001/S001R04.edf");
    if (path == NULL) {
        SKIP("shared/data/eegmmidb is absent");
        return;
    }
    edf_begin(&file, false, "", "", "");
    FILE *stream = fopen(path, "rb");
    file.size = stream != NULL ? fread(file.bytes, 1, EDF_FILE_MAX, stream) : 0;
    CHECK(file.size > 1000000 && fclose(stream) == 0);
    damage_all(context, read_bytes, &options, file.bytes, file.size);
}

/* With 16 MiB to spend, of which the reader's buffer takes one, a header that promises more must be seen
 * through before anything is allocated for it: otherwise it ends as CONGRU_ERROR_MEMORY. */
TEST(lying_headers_cost_no_memory)
{
    static const struct {
        edf_kind kind;
        size_t offset, width;
        const char *text;
    } lies[] = {
        {EDF_PLAIN, 236, 8, "99999999"},
        {EDF_PLAIN, 252, 4, "9999"},
        {EDF_PLAIN, 256 + 216 * 3, 8, "99999999"},
        {BDF_PLAIN, 256 + 216 * 3, 8, "99999999"},
        {EDF_PLUS, 256 + 216 * 5 + 24, 8, "99999999"},
        {EDF_GAPS, 236, 8, "99999999"},
        {EDF_GAPS, 244, 8, "1e-9"},
        {EDF_GAPS, 244, 8, "1e-60"},
    };
    if (!damage_limit(16 << 20)) {
        SKIP("memory cannot be limited here");
        return;
    }
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        congru_recording *recording = NULL;
        edf_example(&file, lies[i].kind);
        edf_overwrite(&file, lies[i].offset, lies[i].width, lies[i].text);
        congru_status status = read_bytes(context, NULL, file.bytes, file.size, &recording);
        CHECK_SAYING(status == CONGRU_ERROR_FORMAT || status == CONGRU_ERROR_UNSUPPORTED,
                     "lie %zu: status %d, %s", i, (int)status, congru_context_error(context));
        congru_recording_destroy(&recording);
    }
    damage_unlimit();
}

static void write_corpus(void)
{
    for (int kind = 0; kind < EDF_KINDS; kind++) {
        char name[100];
        snprintf(name, sizeof name, "example-%d", kind);
        edf_example(&file, (edf_kind)kind);
        FILE *stream = corpus_file(name);
        if (stream != NULL && (fwrite(file.bytes, 1, file.size, stream) != file.size || fclose(stream) != 0))
            perror(name);
    }
}

int main(void)
{
    if (congru_context_create(&context, &(congru_context_options){.threads = 1}) != CONGRU_OK)
        return 1;
    write_corpus();
    harness_run_all();
    edf_free(&file);
    congru_context_destroy(&context);
    return harness_end();
}
