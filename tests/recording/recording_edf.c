/* EDF, EDF+, BDF, BDF+: samples, annotations, gaps, triggers, headers. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "congru/context.h"
#include "edf_writer.h"
#include "harness.h"
#include "recording/reader.h"

static congru_context *context;
static edf_writer file;

static congru_recording *read_with(const congru_recording_options *options)
{
    congru_source source = congru_source_memory("test.edf", file.bytes, file.size);
    congru_recording *recording = NULL;
    congru_status status = congru_reader_edf.read(context, "test.edf", &source, options, &recording);
    CHECK_SAYING(status == CONGRU_OK, "not read: %s", congru_context_error(context));
    CHECK((status == CONGRU_OK) == (recording != NULL));
    return recording;
}

static void check_event(const congru_recording *recording, size_t index, size_t onset, size_t duration,
                        int code, const char *text)
{
    if (!CHECK_SAYING(index < recording->events, "no event %zu", index))
        return;
    const congru_event *event = &recording->event[index];
    CHECK_SAYING(event->onset == onset && event->duration == duration && event->code == code,
                 "event %zu is at %zu for %zu, code %d", index, event->onset, event->duration,
                 (int)event->code);
    CHECK_SAYING(text == NULL ? event->text == NULL : event->text != NULL && strcmp(event->text, text) == 0,
                 "event %zu is '%s', not '%s'", index, event->text != NULL ? event->text : "(none)", text);
}

/* Physical values by the definition of the format, at `place` of the recording for sample 0 of the file. */
static void check_samples(const congru_recording *recording, size_t channel, size_t signal,
                          const double range[4], size_t from, size_t count, size_t place)
{
    for (size_t i = 0; i < count; i++) {
        double digital = edf_digital(file.bdf, signal, from + i);
        double expected = range[0] + (digital - range[2]) * (range[1] - range[0]) / (range[3] - range[2]);
        CHECK_NEAR(recording->data[channel * recording->samples + place + i], expected, 1e-9);
    }
}

static const double ranges[3][4] = {
    {-3276.8, 3276.7, -32768, 32767}, {100, -100, -2048, 2047}, {-1500, 1500, -32768, 32767}};
static const double biosemi[4] = {-262144, 262143, -8388608, 8388607};

TEST(edf_gives_scaled_samples)
{
    edf_example(&file, EDF_PLAIN);
    congru_recording *recording = read_with(NULL);
    if (recording == NULL)
        return;
    CHECK(strcmp(recording->format, "EDF") == 0);
    CHECK(recording->rate == 64 && recording->samples == 100 && recording->channels == 3);
    CHECK(recording->events == 0);
    CHECK(strcmp(recording->channel[0].name, "Fc5.") == 0 && recording->channel[0].rate == 64);
    CHECK(strcmp(recording->channel[2].unit, "mV") == 0);
    CHECK(recording->channel[1].type == CONGRU_CHANNEL_EEG && recording->channel[2].type == CONGRU_CHANNEL_EOG);
    for (size_t i = 0; i < 3; i++)
        check_samples(recording, i, i, ranges[i], 0, 100, 0);
    congru_recording_destroy(&recording);
}

TEST(chosen_channels_come_in_the_order_asked_for)
{
    const char *const names[2] = {"eog LEFT", "FC5"};
    edf_example(&file, EDF_PLUS);
    congru_recording *recording = read_with(&(congru_recording_options){.channels = names, .channel_count = 2});
    if (recording == NULL)
        return;
    CHECK(recording->channels == 2 && strcmp(recording->channel[1].name, "Fc5.") == 0);
    check_samples(recording, 0, 2, ranges[2], 0, 100, 0);
    check_samples(recording, 1, 0, ranges[0], 0, 100, 0);
    CHECK(recording->events == 5);
    congru_recording_destroy(&recording);
}

/* Time 0 is that of the first record, which begins half a second after the second of the header. */
TEST(annotations_are_events)
{
    edf_example(&file, EDF_PLUS);
    congru_recording *recording = read_with(NULL);
    if (recording == NULL)
        return;
    CHECK(strcmp(recording->format, "EDF+C") == 0 && recording->channels == 3 && recording->rate == 20);
    check_samples(recording, 1, 1, ranges[1], 0, 100, 0);
    CHECK(recording->events == 5);
    check_event(recording, 0, 0, 82, -1, "T0");
    check_event(recording, 1, 10, 20, -1, "\xc3\xa4ugen zu");
    check_event(recording, 2, 31, 0, -1, "T1");
    check_event(recording, 3, 31, 0, -1, "left");
    check_event(recording, 4, 54, 0, -1, "\xc3\xa4ugen auf");
    congru_recording_destroy(&recording);
}

TEST(gaps_are_missing_samples)
{
    static const size_t places[EDF_EXAMPLE_RECORDS] = {0, 20, 80, 100, 180};
    edf_example(&file, EDF_GAPS);
    congru_recording *recording = read_with(NULL);
    if (recording == NULL)
        return;
    CHECK(strcmp(recording->format, "EDF+D") == 0 && recording->samples == 200 && recording->channels == 3);
    size_t missing = 0;
    for (size_t channel = 0; channel < 3; channel++) {
        for (size_t i = 0; i < EDF_EXAMPLE_RECORDS; i++)
            check_samples(recording, channel, channel, ranges[channel], 20 * i, 20, places[i]);
        for (size_t i = 0; i < 200; i++)
            missing += isnan(recording->data[channel * 200 + i]) ? 1 : 0;
    }
    CHECK(missing == 300 && isnan(recording->data[40]) && isnan(recording->data[2 * 200 + 179]));
    CHECK(recording->events == 1);
    check_event(recording, 0, 52, 0, -1, "gap");
    congru_recording_destroy(&recording);
}

/* Times that are printed with too few digits do not tear a signal apart. */
TEST(times_off_by_a_sample_are_no_gap)
{
    static const char *const times[2] = {"+1.45\x14\x14", "+1.549\x14\x14"};
    for (size_t i = 0; i < 2; i++) {
        edf_example(&file, EDF_GAPS);
        size_t record = (3 * EDF_EXAMPLE_SAMPLES + 40) * 2,
               text = 256 * 5 + record + 3 * EDF_EXAMPLE_SAMPLES * 2;
        memset(file.bytes + text, 0, 80);
        memcpy(file.bytes + text, times[i], strlen(times[i]));
        congru_recording *recording = read_with(NULL);
        if (recording == NULL)
            continue;
        CHECK(recording->samples == 200 && !isnan(recording->data[39]) && isnan(recording->data[40]));
        check_samples(recording, 0, 0, ranges[0], 0, 40, 0);
        congru_recording_destroy(&recording);
    }
}

TEST(bdf_gives_samples_and_triggers)
{
    edf_example(&file, BDF_PLAIN);
    congru_recording *recording = read_with(NULL);
    if (recording == NULL)
        return;
    CHECK(strcmp(recording->format, "BDF") == 0 && recording->channels == 3 && recording->samples == 100);
    check_samples(recording, 0, 0, biosemi, 0, 100, 0);
    check_samples(recording, 1, 1, biosemi, 0, 100, 0);
    CHECK(recording->data[3] == -262144 && recording->data[4] == 262143);
    CHECK(recording->channel[2].type == CONGRU_CHANNEL_STIMULUS);
    CHECK(recording->data[2 * 100 + 7] == 0x100005 && recording->data[2 * 100 + 8] == -0x800000 + 5);
    CHECK(recording->events == 3);
    check_event(recording, 0, 30, 0, 1, NULL);
    check_event(recording, 1, 34, 0, 2, NULL);
    check_event(recording, 2, 60, 0, 65535, NULL);
    congru_recording_destroy(&recording);
}

TEST(bdf_plus_gives_annotations_too)
{
    const char *const names[1] = {"A2"};
    edf_example(&file, BDF_PLUS);
    congru_recording *recording = read_with(&(congru_recording_options){.channels = names, .channel_count = 1});
    if (recording == NULL)
        return;
    CHECK(strcmp(recording->format, "BDF+C") == 0 && recording->channels == 1);
    check_samples(recording, 0, 1, biosemi, 0, 100, 0);
    CHECK(recording->events == 6);
    check_event(recording, 0, 0, 82, -1, "T0");
    check_event(recording, 1, 30, 0, 1, NULL);
    check_event(recording, 2, 31, 0, -1, "T1");
    check_event(recording, 3, 31, 0, -1, "left");
    check_event(recording, 4, 34, 0, 2, NULL);
    congru_recording_destroy(&recording);
}

TEST(header_alone_has_events_and_no_samples)
{
    for (int kind = 0; kind < EDF_KINDS; kind++) {
        edf_example(&file, (edf_kind)kind);
        congru_recording *whole = read_with(NULL);
        congru_recording *header = read_with(&(congru_recording_options){.header_only = true});
        if (whole != NULL && header != NULL) {
            CHECK(header->data == NULL && header->samples == whole->samples && header->rate == whole->rate);
            CHECK(header->channels == whole->channels && header->events == whole->events);
            for (size_t i = 0; i < whole->events; i++)
                check_event(header, i, whole->event[i].onset, whole->event[i].duration, whole->event[i].code,
                            whole->event[i].text);
        }
        congru_recording_destroy(&whole);
        congru_recording_destroy(&header);
    }
}

/* ---- Headers as they are -------------------------------------------------------------------------- */

/* Each is still the same 100 samples. */
TEST(loose_headers_are_read)
{
    static const struct {
        size_t offset, width;
        const char *text;
    } fields[] = {
        {184, 8, ""},            /* size of the header: blank */
        {184, 8, "768"},         /* wrong, but the rest fits exactly */
        {236, 8, "-1"},          /* records: stopped without warning */
        {236, 8, "0"},           /* the same, of other programs */
        {236, 8, ""},            /* and others */
        {236, 8, "3"},           /* fewer than there are */
        {244, 8, "0,3125"},      /* a comma for a point */
        {244, 8, "3.125E-1"},    /* an exponent */
        {244, 8, "  .3125 "},    /* blanks before, no leading 0 */
        {252, 4, "  3"},         /* right-aligned */
        {192, 44, "anything"},   /* reserved */
        {168, 16, "99.99.9999"}, /* the date */
    };
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        edf_example(&file, EDF_PLAIN);
        edf_overwrite(&file, fields[i].offset, fields[i].width, fields[i].text);
        congru_recording *recording = read_with(NULL);
        if (!CHECK_SAYING(recording != NULL && recording->samples == 100 && recording->rate == 64, "case %zu",
                          i))
            continue;
        check_samples(recording, 0, 0, ranges[0], 0, 100, 0);
        congru_recording_destroy(&recording);
    }
}

TEST(fields_filled_with_nul_are_read)
{
    edf_example(&file, EDF_PLAIN);
    for (size_t i = 0; i < 256 * 4; i++)
        if (file.bytes[i] == ' ')
            file.bytes[i] = '\0';
    congru_recording *recording = read_with(NULL);
    if (recording == NULL)
        return;
    check_samples(recording, 2, 2, ranges[2], 0, 100, 0);
    congru_recording_destroy(&recording);
}

TEST(a_header_longer_than_needed_is_believed_when_it_fits)
{
    edf_example(&file, EDF_PLAIN);
    memmove(file.bytes + 1536, file.bytes + 1024, file.size - 1024);
    memset(file.bytes + 1024, 'x', 512);
    file.size += 512;
    edf_overwrite(&file, 184, 8, "1536");
    congru_recording *recording = read_with(NULL);
    if (recording == NULL)
        return;
    check_samples(recording, 0, 0, ranges[0], 0, 100, 0);
    congru_recording_destroy(&recording);
}

TEST(last_record_that_is_not_whole_is_left_out)
{
    edf_example(&file, EDF_PLAIN);
    edf_overwrite(&file, 236, 8, "-1");
    file.size -= 7;
    congru_recording *recording = read_with(NULL);
    if (recording == NULL)
        return;
    CHECK(recording->samples == 80);
    check_samples(recording, 1, 1, ranges[1], 0, 80, 0);
    congru_recording_destroy(&recording);
}

/* ---- Rates and sizes ------------------------------------------------------------------------------ */

/* Two channels at 100 and 40 Hz, a status line at 100 Hz. */
static void compose_two_rates(void)
{
    edf_begin(&file, true, "", "2", "0.5");
    edf_signal(&file, (edf_field_set){"slow", "uV", "-100", "100", "-100", "100", 20});
    edf_signal(&file, (edf_field_set){"fast", "uV", "-100", "100", "-100", "100", 50});
    edf_signal(&file, (edf_field_set){"status", "", "-100", "100", "-100", "100", 50});
    edf_end_header(&file);
    for (int32_t record = 0; record < 2; record++) {
        for (int32_t i = 0; i < 20; i++)
            edf_sample(&file, -(record * 20 + i));
        for (int32_t i = 0; i < 50; i++)
            edf_sample(&file, record * 50 + i);
        for (int32_t i = 0; i < 50; i++)
            edf_sample(&file, record == 1 && i == 25 ? 9 : 0);
    }
}

TEST(channels_of_one_rate_are_read_from_a_file_of_several)
{
    static const char *const names[2] = {"slow", "fast"};
    static const size_t onsets[2] = {30, 75};
    compose_two_rates();
    for (size_t i = 0; i < 2; i++) {
        congru_recording *recording =
            read_with(&(congru_recording_options){.channels = &names[i], .channel_count = 1});
        if (recording == NULL)
            continue;
        CHECK(recording->rate == (i == 0 ? 40 : 100) && recording->samples == (i == 0 ? 40 : 100));
        for (size_t k = 0; k < recording->samples; k++)
            CHECK(recording->data[k] == (i == 0 ? -(double)k : (double)k));
        CHECK(recording->events == 1);
        check_event(recording, 0, onsets[i], 0, 9, NULL);
        congru_recording_destroy(&recording);
    }
    congru_recording *header = read_with(&(congru_recording_options){.header_only = true});
    CHECK(header != NULL && header->channels == 3 && header->rate == 100 && header->samples == 100);
    congru_recording_destroy(&header);
}

/* Records larger than the reader's buffer come in pieces, text in one; a few channels of large records come
 * alone. */
TEST(large_records_are_read_in_pieces)
{
    enum { SAMPLES = 700001, TEXT = 600001 };
    const char *const names[1] = {"b"};
    edf_begin(&file, false, "EDF+C", "2", "7");
    edf_signal(&file, (edf_field_set){"a", "uV", "-32768", "32767", "-32768", "32767", SAMPLES});
    edf_signal(&file, (edf_field_set){"b", "uV", "-32768", "32767", "-32768", "32767", SAMPLES});
    edf_signal(&file, (edf_field_set){"EDF Annotations", "", "-1", "1", "-32768", "32767", TEXT});
    edf_end_header(&file);
    for (size_t record = 0; record < 2; record++) {
        for (size_t signal = 0; signal < 2; signal++)
            for (size_t i = 0; i < SAMPLES; i++)
                edf_sample(&file, edf_digital(false, signal, record * SAMPLES + i));
        edf_text(&file, 2, EDF_TEXT("+0\x14\x14\0"));
        memcpy(file.bytes + file.size - 8,
               "+7\x14"
               "end\x14",
               7);
    }
    congru_recording *both = read_with(NULL);
    congru_recording *one = read_with(&(congru_recording_options){.channels = names, .channel_count = 1});
    size_t wrong = 0;
    if (both != NULL && one != NULL) {
        CHECK(both->samples == 2 * SAMPLES && one->samples == 2 * SAMPLES);
        for (size_t i = 0; i < 2 * SAMPLES; i++)
            wrong += both->data[i] != edf_digital(false, 0, i) ||
                     both->data[2 * SAMPLES + i] != edf_digital(false, 1, i) ||
                     one->data[i] != edf_digital(false, 1, i);
        CHECK_SAYING(wrong == 0, "%zu samples are wrong", wrong);
        CHECK(both->events == 2 && one->events == 2);
        check_event(both, 1, SAMPLES, 0, -1, "end");
    }
    congru_recording_destroy(&both);
    congru_recording_destroy(&one);
}

TEST(first_bytes_tell_the_format)
{
    static const struct {
        const char *bytes;
        size_t size;
        bool known;
    } cases[] = {{EDF_TEXT("0       X"), true},
                 {EDF_TEXT("0\0\0\0\0\0\0\0"), true},
                 {EDF_TEXT("\xff"
                           "BIOSEMI"),
                  true},
                 {EDF_TEXT("0      "), false},
                 {EDF_TEXT("GDF 2.51"), false},
                 {EDF_TEXT("00000000"), false},
                 {EDF_TEXT(""), false},
                 {EDF_TEXT("MATLAB 5.0"), false},
                 {EDF_TEXT("\xff"
                           "BIOSEMX"),
                  false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        CHECK_SAYING(congru_reader_edf.recognises((const unsigned char *)cases[i].bytes, cases[i].size) ==
                         cases[i].known,
                     "case %zu", i);
}

int main(void)
{
    if (congru_context_create(&context, &(congru_context_options){.threads = 1}) != CONGRU_OK)
        return 1;
    harness_run_all();
    edf_free(&file);
    congru_context_destroy(&context);
    return harness_end();
}
