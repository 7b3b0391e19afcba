/* BrainVision: sample types, orientations, headers, markers, damage. SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "congru/context.h"
#include "harness.h"
#include "recording/brainvision.h"
#include "recording_damage.h"
#include "scratch.h"

enum { TEXT_SIZE = 4096, CHANNELS = 3, SAMPLES = 50, DATA_SIZE = 1 << 22 };

static congru_context *context;
static char header_text[TEXT_SIZE], marker_text[TEXT_SIZE];
static unsigned char data[DATA_SIZE];
static size_t data_size;

/* ---- Writing -------------------------------------------------------------------------------------- */

static const char *const formats[3] = {"INT_16", "INT_32", "IEEE_FLOAT_32"};
static const char *const orientations[2] = {"MULTIPLEXED", "VECTORIZED"};
static const double scales[CHANNELS] = {0.1, 0.0488281, 1000}; /* of the channels below, in microvolts */

#define CHANNEL_LINES "Ch1=C\\13,,0.1,\xc2\xb5V\r\nCh2=Cz,ref,0.0488281\r\nCh3=EOG,,1,mV\r\n"

static void compose_header(const char *format, const char *orientation, const char *channels)
{
    snprintf(
        header_text, sizeof header_text,
        "Brain Vision Data Exchange Header File Version 1.0\r\n; a comment=1\r\n\r\n[Common Infos]\r\n"
        "Codepage=UTF-8\r\nDataFile=$b.eeg\r\nMarkerFile=$b.vmrk\r\nDataFormat=BINARY\r\nDataOrientation=%s\r\n"
        "NumberOfChannels=3\r\nSamplingInterval=4000\r\n\r\n[Binary Infos]\r\nBinaryFormat=%s\r\n\r\n"
        "[Channel Infos]\r\n%s\r\n[Comment]\r\n[Common Infos]\r\nDataFormat=ASCII\r\n",
        orientation, format, channels);
}

static void compose_markers(void)
{
    strcpy(marker_text,
           "Brain Vision Data Exchange Marker File, Version 1.0\r\n[Common Infos]\r\nDataFile=x.eeg\r\n"
           "[Marker Infos]\r\nMk1=New Segment,,1,1,0,20090812161500000000\r\n"
           "Mk2=Stimulus,S  7,11,1,0\r\nMk3=Response,R  2,12,3,0\r\nMk4=Comment,eyes\\1 shut,30,0,0\r\n"
           "Mk5=Stimulus,S255,50,1,0\r\nMk6=Stimulus,S  1,51,1,0\r\nMk7=Stimulus,S  1,0,1,0\r\n"
           "Mk8=Stimulus,go,3\r\n");
}

static double stored(size_t channel, size_t sample)
{
    return (double)((int)(channel * 1000 + sample * 13) % 2001 - 1000);
}

static void put_sample(size_t index, int type, double value)
{
    size_t bytes = type == 0 ? 2 : 4;
    uint32_t word = (uint32_t)(int32_t)value;
    float real = (float)value / 4;
    if (type == 2)
        memcpy(&word, &real, sizeof word);
    for (size_t i = 0; i < bytes; i++)
        data[index * bytes + i] = (unsigned char)(word >> 8 * i & 0xff);
}

static void compose_data(int type, bool vectorized, size_t samples)
{
    for (size_t channel = 0; channel < CHANNELS; channel++)
        for (size_t i = 0; i < samples; i++)
            put_sample(vectorized ? channel * samples + i : i * CHANNELS + channel, type, stored(channel, i));
    data_size = CHANNELS * samples * (type == 0 ? 2 : 4);
}

static void compose(void)
{
    compose_header("INT_16", "MULTIPLEXED", CHANNEL_LINES);
    compose_markers();
    compose_data(0, false, SAMPLES);
}

/* ---- Reading -------------------------------------------------------------------------------------- */

static congru_status read_parts(const char *text, size_t text_size, const char *markers, size_t markers_size,
                                size_t size, const congru_recording_options *options,
                                congru_recording **recording)
{
    static const congru_recording_options all = {0};
    congru_brainvision_header header;
    congru_source data_source = congru_source_memory("test.eeg", data, size);
    congru_source marker_source = congru_source_memory("test.vmrk", markers, markers_size);
    congru_status status = congru_brainvision_header_parse(context, "test.vhdr", text, text_size, &header);
    if (status == CONGRU_OK)
        status = congru_brainvision_read(context, "test.vhdr", &header, &data_source,
                                         header.marker_file[0] != '\0' ? &marker_source : NULL,
                                         options != NULL ? options : &all, recording);
    congru_brainvision_header_clear(&header);
    return status;
}

static congru_recording *read_with(const congru_recording_options *options)
{
    congru_recording *recording = NULL;
    congru_status status = read_parts(header_text, strlen(header_text), marker_text, strlen(marker_text),
                                      data_size, options, &recording);
    CHECK_SAYING(status == CONGRU_OK && recording != NULL, "not read: %s", congru_context_error(context));
    return recording;
}

static void check_refused(congru_status expected, const char *words)
{
    congru_recording *recording = NULL;
    congru_status status = read_parts(header_text, strlen(header_text), marker_text, strlen(marker_text),
                                      data_size, NULL, &recording);
    const char *error = congru_context_error(context);
    CHECK_SAYING(status == expected && recording == NULL, "status %d, not %d, for '%s': %s", (int)status,
                 (int)expected, words, error);
    CHECK_SAYING(strstr(error, words) != NULL, "no '%s' in: %s", words, error);
    CHECK_SAYING(strncmp(error, "test.", 5) == 0 && strpbrk(error, "\n\r") == NULL, "text: %s", error);
    congru_recording_destroy(&recording);
}

/* Puts one text in place of another, which must be there. */
static void change(char *text, const char *from, const char *to)
{
    char changed[TEXT_SIZE];
    char *at = strstr(text, from);
    if (!CHECK_SAYING(at != NULL, "no '%s' to change", from))
        return;
    snprintf(changed, sizeof changed, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    strcpy(text, changed);
}

static void check_samples(const congru_recording *recording, size_t channel, size_t of, double factor)
{
    size_t wrong = 0;
    for (size_t i = 0; i < recording->samples; i++)
        wrong += !(fabs(recording->data[channel * recording->samples + i] - stored(of, i) * factor) <= 1e-9);
    CHECK_SAYING(wrong == 0, "%zu of %zu samples are wrong", wrong, recording->samples);
}

/* ---- What is read --------------------------------------------------------------------------------- */

TEST(every_type_and_orientation_gives_the_samples)
{
    const char *const names[2] = {"eog", "C,3"};
    congru_recording_options two = {.channels = names, .channel_count = 2};
    for (int type = 0; type < 3; type++)
        for (int vectorized = 0; vectorized < 2; vectorized++)
            for (size_t samples = SAMPLES; samples < 300000;
                 samples += 269983) { /* a few blocks of a megabyte */
                compose_header(formats[type], orientations[vectorized], CHANNEL_LINES);
                compose_markers();
                compose_data(type, vectorized == 1, samples);
                congru_recording *recording = read_with(NULL), *chosen = read_with(&two);
                if (recording == NULL || chosen == NULL)
                    continue;
                CHECK(recording->channels == 3 && recording->samples == samples && recording->rate == 250);
                for (size_t i = 0; i < 3; i++)
                    check_samples(recording, i, i, scales[i] / (type == 2 ? 4 : 1));
                CHECK(chosen->channels == 2 && chosen->samples == samples);
                check_samples(chosen, 0, 2, scales[2] / (type == 2 ? 4 : 1));
                check_samples(chosen, 1, 0, scales[0] / (type == 2 ? 4 : 1));
                congru_recording_destroy(&recording);
                congru_recording_destroy(&chosen);
            }
}

TEST(channels_have_names_units_and_types)
{
    compose();
    congru_recording *recording = read_with(NULL);
    if (recording == NULL)
        return;
    CHECK(strcmp(recording->format, "BrainVision") == 0);
    CHECK(strcmp(recording->channel[0].name, "C,3") == 0 &&
          strcmp(recording->channel[0].unit, "\xc2\xb5V") == 0);
    CHECK(strcmp(recording->channel[1].name, "Cz") == 0 &&
          strcmp(recording->channel[1].unit, "\xc2\xb5V") == 0);
    CHECK(strcmp(recording->channel[2].unit, "mV") == 0 && recording->channel[2].type == CONGRU_CHANNEL_EOG);
    CHECK(recording->channel[2].rate == 250);
    congru_recording_destroy(&recording);
}

TEST(markers_are_events)
{
    static const congru_event expected[] = {{0, 1, -1, "New Segment"}, {2, 0, -1, "go"},
                                            {10, 1, 7, "S  7"},        {11, 3, -1, "R  2"},
                                            {29, 0, -1, "eyes, shut"}, {49, 1, 255, "S255"}};
    compose();
    congru_recording *recording = read_with(&(congru_recording_options){.header_only = true});
    if (recording == NULL)
        return;
    CHECK(recording->data == NULL && recording->samples == SAMPLES);
    CHECK(recording->events == sizeof expected / sizeof expected[0]);
    for (size_t i = 0; i < recording->events; i++) {
        const congru_event *event = &recording->event[i];
        CHECK_SAYING(event->onset == expected[i].onset && event->duration == expected[i].duration &&
                         event->code == expected[i].code && strcmp(event->text, expected[i].text) == 0,
                     "event %zu is '%s' at %zu for %zu, code %d", i, event->text, event->onset, event->duration,
                     (int)event->code);
    }
    congru_recording_destroy(&recording);
}

/* Each still gives the same samples. */
TEST(loose_headers_are_read)
{
    static const char *const changes[][2] = {
        {"Brain Vision Data Exchange Header File Version 1.0",
         "BrainVision Data Exchange Header File Version 2.0"},
        {"Brain Vision Data Exchange Header File Version 1.0",
         "Brain Vision V-Amp Data Header File Version 1.0"},
        {"Brain Vision", "\xef\xbb\xbf"
                         "Brain Vision"},
        {"Codepage=UTF-8\r\n", ""},
        {"DataOrientation=MULTIPLEXED\r\n", ""},
        {"BinaryFormat=INT_16\r\n", ""},
        {"DataOrientation=MULTIPLEXED", "dataorientation = multiplexed "},
        {"SamplingInterval=4000", "SamplingInterval=4000.0"},
        {"SamplingInterval=4000", "SamplingInterval=4e3"},
        {"NumberOfChannels=3", "NumberOfChannels=3\r\nDataPoints=50\r\nDataType=TIMEDOMAIN"},
        {",\xc2\xb5V", ",\xb5V"}, /* Latin-1 */
        {",\xc2\xb5V", ",uV"},
        {",\xc2\xb5V", ""},
        {"BinaryFormat=INT_16", "BinaryFormat=INT_16\r\nUseBigEndianOrder=NO"},
        {"[Channel Infos]", "[Channel Infos]\r\n; Ch1=X,,5\r\nno sign here\r\nOther=1"},
    };
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        compose();
        change(header_text, changes[i][0], changes[i][1]);
        congru_recording *recording = read_with(NULL);
        if (recording == NULL)
            continue;
        CHECK(recording->samples == SAMPLES && recording->rate == 250);
        check_samples(recording, 0, 0, scales[0]);
        congru_recording_destroy(&recording);
    }
}

/* And a last frame that is not whole is left out. */
TEST(lines_may_end_in_newlines_alone)
{
    compose();
    for (char *text = header_text, *copy = header_text; (*copy = *text) != '\0'; text++)
        copy += *copy == '\r' ? 0 : 1;
    data_size -= 1;
    congru_recording *recording = read_with(NULL);
    if (recording == NULL)
        return;
    CHECK(recording->samples == SAMPLES - 1);
    check_samples(recording, 2, 2, scales[2]);
    congru_recording_destroy(&recording);
}

TEST(what_is_not_stated_is_one_microvolt)
{
    compose();
    change(header_text, "Ch1=C\\13,,0.1,\xc2\xb5V", "Ch1=C3");
    change(header_text, "Ch3=EOG,,1,mV", "Ch3=EOG,,,");
    change(header_text, "MarkerFile=$b.vmrk\r\n", "");
    congru_recording *recording = read_with(NULL);
    if (recording == NULL)
        return;
    check_samples(recording, 0, 0, 1);
    check_samples(recording, 2, 2, 1);
    CHECK(recording->events == 0);
    congru_recording_destroy(&recording);
}

TEST(samples_that_are_no_numbers_are_missing)
{
    static const unsigned char infinite[4] = {0, 0, 0x80, 0x7f}, not_a_number[4] = {0, 0, 0xc0, 0x7f};
    compose_header("IEEE_FLOAT_32", "MULTIPLEXED", CHANNEL_LINES);
    compose_data(2, false, SAMPLES);
    memcpy(data, infinite, 4);
    memcpy(data + 4 * CHANNELS, not_a_number, 4);
    congru_recording *recording = read_with(NULL);
    if (recording == NULL)
        return;
    CHECK(isnan(recording->data[0]) && isnan(recording->data[1]) &&
          recording->data[2] == stored(0, 2) * 0.1 / 4);
    congru_recording_destroy(&recording);
}

/* ---- What is refused ------------------------------------------------------------------------------ */

TEST(broken_headers_are_errors)
{
    static const struct {
        const char *from, *to;
        congru_status status;
        const char *words;
    } cases[] = {
        {"Header File", "Marker File", CONGRU_ERROR_FORMAT, "Header File' in the first line"},
        {"DataFile=$b.eeg\r\n", "", CONGRU_ERROR_FORMAT, "expected DataFile under [Common Infos]"},
        {"DataFile=$b.eeg", "DataFile=", CONGRU_ERROR_FORMAT, "expected DataFile"},
        {"DataFile=$b.eeg", "DataFile=../x.eeg", CONGRU_ERROR_FORMAT,
         "without a folder, found 'DataFile=../x.eeg'"},
        {"DataFile=$b.eeg", "DataFile=C:\\x.eeg", CONGRU_ERROR_FORMAT, "without a folder"},
        {"DataFile=$b.eeg", "DataFile=..", CONGRU_ERROR_FORMAT, "a file beside the header"},
        {"MarkerFile=$b.vmrk", "MarkerFile=/etc/x", CONGRU_ERROR_FORMAT, "line 7: expected the name of a file"},
        {"BINARY", "ASCII", CONGRU_ERROR_UNSUPPORTED, "expected DataFormat=BINARY, found 'DataFormat=ASCII'"},
        {"MULTIPLEXED", "DIAGONAL", CONGRU_ERROR_UNSUPPORTED, "MULTIPLEXED or VECTORIZED"},
        {"NumberOfChannels=3", "DataType=FREQUENCYDOMAIN", CONGRU_ERROR_UNSUPPORTED, "DataType=TIMEDOMAIN"},
        {"NumberOfChannels=3\r\n", "", CONGRU_ERROR_FORMAT, "expected NumberOfChannels"},
        {"NumberOfChannels=3", "NumberOfChannels=0", CONGRU_ERROR_FORMAT, "a number of channels"},
        {"NumberOfChannels=3", "NumberOfChannels=x", CONGRU_ERROR_FORMAT, "a number of channels"},
        {"NumberOfChannels=3", "NumberOfChannels=4", CONGRU_ERROR_FORMAT, "found no Ch4"},
        {"NumberOfChannels=3", "NumberOfChannels=2", CONGRU_ERROR_FORMAT,
         "as many channels as NumberOfChannels"},
        {"NumberOfChannels=3", "NumberOfChannels=99999999", CONGRU_ERROR_FORMAT, "no more channels than"},
        {"SamplingInterval=4000\r\n", "", CONGRU_ERROR_FORMAT, "expected SamplingInterval"},
        {"SamplingInterval=4000", "SamplingInterval=0", CONGRU_ERROR_FORMAT, "an interval between samples"},
        {"SamplingInterval=4000", "SamplingInterval=-4", CONGRU_ERROR_FORMAT, "an interval between samples"},
        {"INT_16", "UINT_16", CONGRU_ERROR_UNSUPPORTED, "found 'BinaryFormat=UINT_16'"},
        {"INT_16", "INT_16\r\nUseBigEndianOrder=YES", CONGRU_ERROR_UNSUPPORTED, "UseBigEndianOrder=NO"},
        {"INT_16", "INT_16\r\nDataOffset=12", CONGRU_ERROR_UNSUPPORTED, "samples and nothing else"},
        {"Ch2=", "Ch1=", CONGRU_ERROR_FORMAT, "each channel once"},
        {"Ch2=", "Ch9=", CONGRU_ERROR_FORMAT, "as many channels as"},
        {"0.0488281", "abc", CONGRU_ERROR_FORMAT, "a resolution"},
        {"0.0488281", "0", CONGRU_ERROR_FORMAT, "a resolution"},
        {"NumberOfChannels=3", "NumberOfChannels=3\r\nDataPoints=all", CONGRU_ERROR_FORMAT,
         "a number of data points, found 'DataPoints=all'"},
        {"NumberOfChannels=3", "NumberOfChannels=3\r\nDataPoints=51", CONGRU_ERROR_FORMAT,
         "truncated: expected 51"},
        {"[Comment]", "[Common Infos]\r\nNumberOfChannels=9\r\n[Comment]", CONGRU_ERROR_FORMAT,
         "before the channels"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        compose();
        change(header_text, cases[i].from, cases[i].to);
        check_refused(cases[i].status, cases[i].words);
    }
    char name[400] = "DataFile=";
    memset(name + 9, 'n', 256);
    compose();
    change(header_text, "DataFile=$b.eeg", name);
    check_refused(CONGRU_ERROR_FORMAT, "the name of a file, of at most 255 bytes, found 'DataFile=nnn");
}

TEST(broken_markers_are_errors)
{
    static const char *const cases[][3] = {
        {"Marker File", "Header File", "Marker File' in the first line"},
        {"11,1,0", "x,1,0", "line 6: expected a type, a description and a position"},
        {"11,1,0", "-1,1,0", "a position"},
        {"S  7,11,1,0", "S  7", "a position"},
        {"11,1,0", "11,x,0", "a size in data points"},
        {"11,1,0", "11,-1,0", "a size in data points"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        compose();
        change(marker_text, cases[i][0], cases[i][1]);
        check_refused(CONGRU_ERROR_FORMAT, cases[i][2]);
    }
}

TEST(cut_data_is_an_error)
{
    compose();
    data_size = 5;
    check_refused(CONGRU_ERROR_FORMAT, "test.eeg: truncated");
    compose_header("INT_16", "VECTORIZED", CHANNEL_LINES);
    compose_data(0, true, SAMPLES);
    data_size -= 2;
    check_refused(CONGRU_ERROR_FORMAT, "a multiple of 6 bytes for 3 vectorized channels");
}

/* ---- Files ---------------------------------------------------------------------------------------- */

static void store(const char *path, const void *bytes, size_t size)
{
    FILE *stream = fopen(path, "wb");
    CHECK(stream != NULL && fwrite(bytes, 1, size, stream) == size && fclose(stream) == 0);
}

TEST(files_are_found_beside_the_header)
{
    char folder[] = "/tmp/congru-brainvision-XXXXXX", path[3][64];
    static const char *const names[3] = {"a.b.vhdr", "a.b.eeg", "a.b.vmrk"};
    compose();
    if (!CHECK(mkdtemp(folder) != NULL))
        return;
    for (size_t i = 0; i < 3; i++)
        snprintf(path[i], sizeof path[i], "%s/%s", folder, names[i]);
    store(path[0], header_text, strlen(header_text));
    congru_recording *recording = NULL;
    CHECK(congru_recording_read(context, path[0], NULL, &recording) == CONGRU_ERROR_IO && recording == NULL);
    CHECK(strstr(congru_context_error(context), "expected its DataFile 'a.b.eeg' beside it") != NULL);
    store(path[1], data, data_size);
    CHECK(congru_recording_read(context, path[0], NULL, &recording) == CONGRU_ERROR_IO && recording == NULL);
    CHECK(strstr(congru_context_error(context), "expected its MarkerFile 'a.b.vmrk' beside it") != NULL);
    store(path[2], marker_text, strlen(marker_text));
    CHECK(congru_recording_recognises(path[0]) && !congru_recording_recognises(path[2]));
    if (CHECK(congru_recording_read(context, path[0], NULL, &recording) == CONGRU_OK)) {
        CHECK(recording->samples == SAMPLES && recording->events == 6);
        check_samples(recording, 1, 1, scales[1]);
    }
    congru_recording_destroy(&recording);
    /* A file of holes, as large as no list of markers. */
    CHECK(truncate(path[2], (off_t)1 << 29) == 0);
    CHECK(congru_recording_read(context, path[0], NULL, &recording) == CONGRU_ERROR_FORMAT &&
          recording == NULL);
    CHECK(strstr(congru_context_error(context), "a.b.vmrk: expected a text of at most 268435456 bytes, found "
                                                "536870912 (is it the right file?)") != NULL);
    for (size_t i = 0; i < 3; i++)
        unlink(path[i]);
    rmdir(folder);
}

/* ---- Damage --------------------------------------------------------------------------------------- */

typedef enum part { PART_HEADER, PART_MARKERS, PART_DATA } part;

static congru_status read_damaged(congru_context *with, void *user, const unsigned char *bytes, size_t size,
                                  congru_recording **recording)
{
    part damaged = *(part *)user;
    (void)with;
    if (damaged == PART_HEADER)
        return read_parts((const char *)bytes, size, marker_text, strlen(marker_text), data_size, NULL,
                          recording);
    if (damaged == PART_MARKERS)
        return read_parts(header_text, strlen(header_text), (const char *)bytes, size, data_size, NULL,
                          recording);
    return read_parts(header_text, strlen(header_text), marker_text, strlen(marker_text), size, NULL,
                      recording);
}

TEST(damaged_files_are_errors_or_sound)
{
    for (int vectorized = 0; vectorized < 2; vectorized++)
        for (int type = 0; type < 3; type += 2) {
            part damaged = PART_HEADER;
            compose();
            compose_header(formats[type], orientations[vectorized], CHANNEL_LINES);
            compose_data(type, vectorized == 1, SAMPLES);
            damage_all(context, read_damaged, &damaged, (unsigned char *)header_text, strlen(header_text));
            damaged = PART_MARKERS;
            damage_all(context, read_damaged, &damaged, (unsigned char *)marker_text, strlen(marker_text));
            damaged = PART_DATA;
            damage_all(context, read_damaged, &damaged, data, data_size);
        }
}

TEST(lying_headers_cost_no_memory)
{
    static const char *const lies[][2] = {
        {"NumberOfChannels=3", "NumberOfChannels=99999"},
        {"NumberOfChannels=3", "NumberOfChannels=999999999999"},
        {"NumberOfChannels=3", "NumberOfChannels=3\r\nDataPoints=99999999999"},
        {"MULTIPLEXED", "VECTORIZED\r\nDataPoints=99999999999"},
    };
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        compose();
        change(header_text, lies[i][0], lies[i][1]);
        if (!damage_limit(16 << 20)) {
            SKIP("memory cannot be limited here");
            return;
        }
        congru_recording *recording = NULL;
        congru_status status = read_parts(header_text, strlen(header_text), marker_text, strlen(marker_text),
                                          data_size, NULL, &recording);
        damage_unlimit();
        CHECK_SAYING(status == CONGRU_ERROR_FORMAT && recording == NULL, "lie %zu: status %d, %s", i,
                     (int)status, congru_context_error(context));
        congru_recording_destroy(&recording);
    }
}

/* Inputs of fuzz_brainvision, which says what they look like. */
static void write_corpus(void)
{
    for (int type = 0; type < 3; type++)
        for (int vectorized = 0; vectorized < 2; vectorized++) {
            char name[100];
            snprintf(name, sizeof name, "example-%s-%s", formats[type], orientations[vectorized]);
            compose();
            compose_header(formats[type], orientations[vectorized], CHANNEL_LINES);
            compose_data(type, vectorized == 1, 10);
            FILE *stream = corpus_file(name);
            if (stream != NULL && (fprintf(stream, "%s%c%s%c", header_text, 0, marker_text, 0) < 0 ||
                                   fwrite(data, 1, data_size, stream) != data_size || fclose(stream) != 0))
                perror(name);
        }
}

int main(void)
{
    if (congru_context_create(&context, &(congru_context_options){.threads = 1}) != CONGRU_OK)
        return 1;
    write_corpus();
    harness_run_all();
    congru_context_destroy(&context);
    return harness_end();
}
