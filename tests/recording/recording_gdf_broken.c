/* GDF files that lie, end early, or have a wrong byte: an error or a sound reading. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "congru/random.h"
#include "context_main.h"
#include "gdf_cases.h"
#include "harness.h"

enum { TRUNCATIONS = 200, CHANGES = 2000, HEADER_RANGE = 4096 };

static congru_context *context;

/* Offsets in the files of gdf_case_new (three signals) and gdf_case_old (two). */
enum {
    AT_HEADER_LENGTH = 184,
    AT_RECORDS = 236,
    AT_DURATION = 244,
    AT_SIGNALS = 252,
    OLD_PER_RECORD = 256 + 216 * 2,
    NEW_SIGNALS = 3,
    NEW_DIGITAL_MINIMUM = 256 + 120 * NEW_SIGNALS,
    NEW_PER_RECORD = 256 + 216 * NEW_SIGNALS,
    NEW_TYPE = 256 + 220 * NEW_SIGNALS,
    NEW_FIELDS = 256 * (NEW_SIGNALS + 1),
    NEW_TABLE = NEW_FIELDS + 256 + 20 * (5 * 2 + 5 * 4 + 5 * 3)
};

/* Puts an integer into a file and reads it: the status, whose text must name the file. */
static congru_status read_changed(bool new_file, size_t offset, uint64_t value, size_t bytes_changed)
{
    size_t size;
    unsigned char *bytes = new_file ? gdf_case_new(&size) : gdf_case_old(&size);
    for (size_t i = 0; i < bytes_changed; i++)
        bytes[offset + i] = (unsigned char)(value >> (8 * i));
    congru_recording_options options = {0};
    congru_recording *recording;
    congru_status status = gdf_case_read(context, bytes, size, &options, &recording);
    CHECK((status == CONGRU_OK) == (recording != NULL));
    if (status != CONGRU_OK)
        CHECK_SAYING(strncmp(congru_context_error(context), "test.gdf: ", 10) == 0, "the error is \"%s\"",
                     congru_context_error(context));
    congru_recording_destroy(&recording);
    free(bytes);
    return status;
}

/* That these are CONGRU_ERROR_FORMAT, not _MEMORY, shows that the lie was found before memory was asked for. */
TEST(lying_headers_are_found)
{
    static const struct {
        bool new_file;
        size_t offset;
        uint64_t value;
        size_t bytes;
        congru_status expected;
        const char *says;
    } lies[] = {
        {true, 4, '3', 1, CONGRU_ERROR_UNSUPPORTED, "GDF version 3.51"},
        {true, 5, ',', 1, CONGRU_ERROR_FORMAT, "not a GDF file"},
        {true, AT_HEADER_LENGTH, 3, 2, CONGRU_ERROR_FORMAT, "expected at least 1024 bytes for 3 channels"},
        {true, AT_HEADER_LENGTH, 65535, 2, CONGRU_ERROR_FORMAT, "ends inside its header"},
        {false, AT_HEADER_LENGTH, UINT64_MAX, 8, CONGRU_ERROR_FORMAT, "ends inside its header"},
        {false, AT_HEADER_LENGTH, 0, 8, CONGRU_ERROR_FORMAT, "expected at least 768 bytes for 2 channels"},
        {true, AT_SIGNALS, 0, 2, CONGRU_ERROR_FORMAT, "no channels"},
        {true, AT_SIGNALS, 65535, 2, CONGRU_ERROR_FORMAT, "for 65535 channels"},
        {false, AT_SIGNALS, UINT32_MAX, 4, CONGRU_ERROR_FORMAT, "for 4294967295 channels"},
        {true, AT_RECORDS, 21, 8, CONGRU_ERROR_FORMAT, NULL}, /* the event table is not where it should be */
        {true, AT_RECORDS, 1000, 8, CONGRU_ERROR_FORMAT, "truncated: expected 1000 records of 45 bytes"},
        {true, AT_RECORDS, INT64_MAX, 8, CONGRU_ERROR_FORMAT, "truncated"},
        {false, AT_RECORDS, (uint64_t)INT64_MAX / 5, 8, CONGRU_ERROR_FORMAT, "truncated"},
        {true, AT_RECORDS, (uint64_t)-2, 8, CONGRU_ERROR_FORMAT, "number of records at offset 236, found -2"},
        {true, AT_RECORDS, 0, 8, CONGRU_ERROR_FORMAT, "no samples in it"},
        {true, AT_DURATION, 0, 8, CONGRU_ERROR_FORMAT, "seconds of a record at offset 244, found 0"},
        {true, AT_DURATION, UINT64_C(0x7ff8000000000000), 8, CONGRU_ERROR_FORMAT, "seconds of a record"},
        {true, AT_DURATION, 1, 8, CONGRU_ERROR_FORMAT, "seconds of a record"}, /* 1/it is infinite */
        {false, AT_DURATION + 4, 0, 4, CONGRU_ERROR_FORMAT, "seconds of a record at offset 244, found inf"},
        {true, NEW_PER_RECORD, UINT32_MAX, 4, CONGRU_ERROR_FORMAT, "4294967295 samples in each"},
        {true, NEW_PER_RECORD + 4, 1000, 4, CONGRU_ERROR_FORMAT, "channel 'Cz' alone has 1000 samples"},
        {false, OLD_PER_RECORD, 0, 8, CONGRU_ERROR_UNSUPPORTED, "no channel is sampled at even intervals"},
        {true, NEW_TYPE, 0, 4, CONGRU_ERROR_UNSUPPORTED, "channel 'EEG-C3' are of type 0"},
        {true, NEW_TYPE, 18, 4, CONGRU_ERROR_UNSUPPORTED, "type 18"},
        {true, NEW_TYPE, 255 + 12, 4, CONGRU_ERROR_UNSUPPORTED, "type 267"},
        {true, NEW_DIGITAL_MINIMUM + 6, 0x7fff, 2, CONGRU_ERROR_FORMAT, "expected a lower and a higher limit"},
        {true, NEW_DIGITAL_MINIMUM, UINT64_C(0x40e3880000000000), 8, CONGRU_ERROR_FORMAT, "from 40000..32767"},
        {true, NEW_FIELDS + 1, 0xffff, 3, CONGRU_ERROR_FORMAT, "the field with tag 3 at offset 1024 has 65535"},
        {true, NEW_TABLE, 2, 1, CONGRU_ERROR_FORMAT, "expected mode 1, 3 or 7 at offset 2180, found 2"},
        {true, NEW_TABLE + 1, 0xffffff, 3, CONGRU_ERROR_FORMAT,
         "truncated event table: expected 16777215 events"},
        {true, NEW_TABLE + 1, 5, 3, CONGRU_ERROR_FORMAT, "truncated event table: expected 5 events"},
        {true, NEW_TABLE + 1, 4, 3, CONGRU_OK, NULL},
    };
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        congru_status status = read_changed(lies[i].new_file, lies[i].offset, lies[i].value, lies[i].bytes);
        CHECK_SAYING(status == lies[i].expected, "lie %zu: %s: %s", i, congru_status_name(status),
                     congru_context_error(context));
        CHECK_SAYING(lies[i].says == NULL || strstr(congru_context_error(context), lies[i].says) != NULL,
                     "lie %zu: \"%s\" where \"%s\" is expected", i, congru_context_error(context),
                     lies[i].says);
    }
}

/* A channel of all-equal limits is an error only for who wants the channel. */
TEST(broken_channels_can_be_left_out)
{
    size_t size;
    unsigned char *bytes = gdf_case_new(&size);
    memcpy(bytes + NEW_DIGITAL_MINIMUM, bytes + NEW_DIGITAL_MINIMUM + 8 * NEW_SIGNALS, 8);
    congru_recording_options options = {0};
    congru_recording *recording;
    CHECK(gdf_case_read(context, bytes, size, &options, &recording) == CONGRU_ERROR_FORMAT);
    CHECK(strstr(congru_context_error(context), "channel 'EEG-C3' goes from 32767..32767") != NULL);
    const char *names[] = {"Cz"};
    options = (congru_recording_options){.channels = names, .channel_count = 1};
    CHECK(gdf_case_read(context, bytes, size, &options, &recording) == CONGRU_OK);
    congru_recording_destroy(&recording);
    free(bytes);
}

/* One reading of a changed file: an error with a text, or a recording that keeps its promises. */
static bool reads_soundly(const unsigned char *bytes, size_t size, const congru_recording_options *options,
                          congru_status *status)
{
    congru_recording *recording;
    *status = gdf_case_read(context, bytes, size, options, &recording);
    if (*status != CONGRU_OK)
        return recording == NULL && *status != CONGRU_ERROR_MEMORY &&
               strncmp(congru_context_error(context), "test.gdf: ", 10) == 0;
    bool sound = gdf_case_is_sound(recording, size);
    congru_recording_destroy(&recording);
    return sound;
}

/* `names` limits the work on the large files. */
static void break_file(unsigned char *bytes, size_t size, const char *const *names, size_t name_count)
{
    congru_recording_options options = {.channels = names, .channel_count = name_count};
    congru_random random = congru_random_stream(3, 1, 2, (uint32_t)size);
    congru_status status;
    CHECK(reads_soundly(bytes, size, &options, &status) && status == CONGRU_OK);
    for (size_t i = 0; i < TRUNCATIONS; i++) {
        size_t cut = congru_random_index(&random, size);
        unsigned char *copy = malloc(cut + 1); /* of its own, so that a sanitizer sees a byte too many */
        memcpy(copy, bytes, cut);
        CHECK_SAYING(reads_soundly(copy, cut, &options, &status), "cut at %zu: %s", cut,
                     congru_context_error(context));
        CHECK_SAYING(status != CONGRU_OK, "cut at %zu was not noticed", cut);
        free(copy);
    }
    for (size_t i = 0; i < CHANGES; i++) {
        /* Half of them where it matters most: in the header, and in the event table at the end. */
        size_t range = size < HEADER_RANGE ? size : HEADER_RANGE, at = congru_random_index(&random, size);
        if (i % 4 == 1)
            at = congru_random_index(&random, range);
        else if (i % 4 == 3)
            at = size - 1 - congru_random_index(&random, range);
        unsigned char before = bytes[at];
        bytes[at] = (unsigned char)(before + 1 + congru_random_index(&random, 255));
        CHECK_SAYING(reads_soundly(bytes, size, &options, &status), "byte %zu from %d to %d: %s", at, before,
                     bytes[at], congru_context_error(context));
        bytes[at] = before;
    }
}

TEST(small_files_broken_anywhere)
{
    size_t size;
    unsigned char *bytes = gdf_case_new(&size);
    break_file(bytes, size, NULL, 0);
    free(bytes);
    bytes = gdf_case_old(&size);
    break_file(bytes, size, NULL, 0);
    free(bytes);
}

/* Every length, not a random choice. */
TEST(small_files_cut_anywhere)
{
    for (int new_file = 0; new_file < 2; new_file++) {
        size_t size, table;
        unsigned char *bytes = new_file ? gdf_case_new(&size) : gdf_case_old(&size);
        table = new_file ? (size_t)NEW_TABLE : 768 + 40 * (2 * 4 + 2 * 1);
        congru_recording_options options = {0};
        for (size_t cut = 0; cut < size; cut++) {
            unsigned char *copy = malloc(cut + 1);
            memcpy(copy, bytes, cut);
            congru_status status;
            CHECK(reads_soundly(copy, cut, &options, &status));
            /* Where the events should begin, a file without any could end. */
            CHECK_SAYING((status == CONGRU_OK) == (cut == table), "cut at %zu of %zu", cut, size);
            free(copy);
        }
        free(bytes);
    }
}

TEST(real_old_file_broken_anywhere)
{
    size_t size;
    unsigned char *bytes = gdf_case_real("biosig_erds_sample.gdf", &size);
    if (bytes == NULL) {
        SKIP("biosig_erds_sample.gdf is absent");
        return;
    }
    static const char *const names[] = {"Channel 3"};
    break_file(bytes, size, names, 1);
    free(bytes);
}

TEST(real_new_file_broken_anywhere)
{
    size_t size;
    unsigned char *bytes = gdf_case_real("S007R04_converted_gdf2.51.gdf", &size);
    if (bytes == NULL) {
        SKIP("S007R04_converted_gdf2.51.gdf is absent");
        return;
    }
    static const char *const names[] = {"Cz", "C4"};
    break_file(bytes, size, names, 2);
    free(bytes);
}

int main(void)
{
    return context_main(&context, &(congru_context_options){.threads = 1});
}
