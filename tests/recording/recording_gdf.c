/* GDF files of every kind: samples, scaling, rates, events. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "context_main.h"
#include "gdf_cases.h"
#include "harness.h"

static congru_context *context;

static bool error_has(const char *text)
{
    bool found = strstr(congru_context_error(context), text) != NULL;
    if (!found)
        printf("# the error is \"%s\"\n", congru_context_error(context));
    return found;
}

/* ---- Samples --------------------------------------------------------------------------------------------- */

/* Values for one signal, from an array. */
static double array_sample(void *user, size_t signal, size_t index)
{
    (void)signal;
    return ((const double *)user)[index];
}

TEST(every_sample_type)
{
    static const struct {
        unsigned type;
        double minimum, maximum, value[4]; /* what is stored is inside the limits */
    } types[] = {
        {1, -128, 127, {-127, -1, 0, 126}},
        {2, 0, 255, {1, 127, 128, 254}},
        {3, -32768, 32767, {-32767, -1, 300, 32766}},
        {4, 0, 65535, {1, 32768, 300, 65534}},
        {279, -8388608, 8388607, {-8388607, -1, 70000, 8388606}},
        {535, 0, 16777215, {1, 8388608, 70000, 16777214}},
        {5, -2147483648., 2147483647, {-2147483647, -1, 1e9, 2147483646}},
        {6, 0, 4294967295., {1, 2147483648., 3e9, 4294967294.}},
        {7, -9e18, 9e18, {-8e18, -1, 123456789012345, 8e18}},
        {8, 0, 9.1e18, {1, 5e18, 123456789012345, 9e18}},
        {16, -1e6, 1e6, {-1e6, -0.125, 3.5, 1e6}},
        {17, -1e6, 1e6, {-1e6, -0.1, 1e-30, 1e6}},
    };
    static const unsigned versions[] = {125, 193, 200, 220, 221, 251};
    for (size_t v = 0; v < sizeof versions / sizeof versions[0]; v++)
        for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
            gdf_signal signal = {"Cz", "uV", GDF_UNIT_MICROVOLT, types[i].type,   2,
                                 -300, 500,  types[i].minimum,   types[i].maximum};
            double value[4];
            memcpy(value, types[i].value, sizeof value);
            gdf_file file = {.version = versions[v],
                             .signals = 1,
                             .signal = &signal,
                             .records = 2,
                             .seconds = {2, 500},
                             .sample = array_sample,
                             .user = value};
            congru_recording *recording = gdf_case_load(context, &file, NULL);
            if (!CHECK_SAYING(recording != NULL, "version %u, type %u", versions[v], types[i].type))
                continue;
            CHECK(recording->samples == 4 && recording->channels == 1 && recording->rate == 500);
            for (size_t k = 0; k < 4; k++) {
                double part = (value[k] - types[i].minimum) / (types[i].maximum - types[i].minimum);
                CHECK_NEAR(recording->data[k], -300 + 800 * part, 1e-9);
            }
            congru_recording_destroy(&recording);
        }
}

TEST(version_and_header_are_told)
{
    size_t size;
    unsigned char *bytes = gdf_case_new(&size);
    congru_recording *recording;
    congru_recording_options options = {.header_only = true};
    CHECK(gdf_case_read(context, bytes, size, &options, &recording) == CONGRU_OK);
    CHECK(strcmp(recording->format, "GDF 2.51") == 0);
    CHECK(recording->data == NULL && recording->samples == 100 && recording->channels == 3);
    CHECK(recording->rate == 250 && recording->events == 4);
    CHECK(strcmp(recording->channel[0].name, "EEG-C3") == 0 && strcmp(recording->channel[0].unit, "uV") == 0);
    CHECK(strcmp(recording->channel[1].name, "Cz") == 0 && strcmp(recording->channel[1].unit, "mV") == 0);
    CHECK(recording->channel[0].type == CONGRU_CHANNEL_EEG && recording->channel[2].type == CONGRU_CHANNEL_EOG);
    CHECK(recording->channel[0].rate == 250);
    congru_recording_destroy(&recording);
    free(bytes);
    bytes = gdf_case_old(&size);
    CHECK(gdf_case_read(context, bytes, size, &options, &recording) == CONGRU_OK);
    CHECK(strcmp(recording->format, "GDF 1.25") == 0 && recording->rate == 200 && recording->samples == 80);
    CHECK(strcmp(recording->channel[0].unit, "\xc2\xb5V") == 0);
    congru_recording_destroy(&recording);
    free(bytes);
}

static double one(void *user, size_t signal, size_t index)
{
    (void)user, (void)signal, (void)index;
    return 1;
}

TEST(units_and_limits_scale)
{
    gdf_signal signal[] = {
        {"microvolts", "", GDF_UNIT_MICROVOLT, 3, 1, -10, 10, -10, 10},
        {"millivolts", "", GDF_UNIT_MILLIVOLT, 3, 1, -10, 10, -10, 10},
        {"volts", "", 4256, 3, 1, -10, 10, -10, 10},
        {"nanovolts", "", 4276, 3, 1, -10, 10, -10, 10},
        {"no code", "mV", 0, 3, 1, -10, 10, -10, 10},
        {"no unit", "", 0, 3, 1, -10, 10, -10, 10},
        {"temperature", "", GDF_UNIT_CELSIUS, 3, 1, 20, 40, -10, 10},
        {"upside down", "", GDF_UNIT_MICROVOLT, 3, 1, 10, -10, -10, 10},
        {"infinite", "", GDF_UNIT_MICROVOLT, 17, 1, -INFINITY, INFINITY, -INFINITY, INFINITY},
        {"offset", "", GDF_UNIT_MILLIVOLT, 3, 1, 0, 20, -10, 10},
    };
    static const double expected[] = {1, 1e3, 1e6, 1e-3, 1e3, 1, 31, -1, 1, 11e3};
    gdf_file file = {
        .version = 210, .signals = 10, .signal = signal, .records = 1, .seconds = {1, 1}, .sample = one};
    congru_recording *recording = gdf_case_load(context, &file, NULL);
    if (!CHECK(recording != NULL))
        return;
    for (size_t i = 0; i < 10; i++)
        CHECK_SAYING(fabs(recording->data[i] - expected[i]) <= 1e-9 * fabs(expected[i]), "%s: %g",
                     signal[i].label, recording->data[i]);
    CHECK(strcmp(recording->channel[1].unit, "mV") == 0 && strcmp(recording->channel[6].unit, "degC") == 0);
    CHECK(recording->channel[6].type == CONGRU_CHANNEL_OTHER &&
          recording->channel[5].type == CONGRU_CHANNEL_EEG);
    congru_recording_destroy(&recording);
    gdf_signal old[] = {{"a", "\xb5V", 0, 3, 1, -10, 10, -10, 10}, {"b", "mV", 0, 3, 1, -10, 10, -10, 10}};
    file =
        (gdf_file){.version = 125, .signals = 2, .signal = old, .records = 1, .seconds = {1, 1}, .sample = one};
    recording = gdf_case_load(context, &file, NULL);
    CHECK(recording != NULL && recording->data[0] == 1 && recording->data[1] == 1000);
    congru_recording_destroy(&recording);
}

static double over_range_sample(void *user, size_t signal, size_t index)
{
    static const double values[][5] = {
        {-32768, -32767, 0, 32766, 32767}, /* at the limits of the type */
        {-2001, -2000, -1999, 1999, 2000}, /* limits of the amplifier inside those of the type */
        {-1.5, -1, 1, 1.5, 0},             /* floats */
        {NAN, 0.5, INFINITY, -INFINITY, 0},
        {0, 255, 0, 1, 2}, /* a trigger line */
        {INFINITY, -INFINITY, 1e305, 1, 0},
    };
    (void)user;
    return values[signal][index];
}

TEST(over_range_is_missing)
{
    static const bool missing[][5] = {{true, false, false, false, true},   {true, true, false, false, true},
                                      {true, false, false, true, false},   {true, false, true, true, false},
                                      {false, false, false, false, false}, {true, true, true, false, false}};
    gdf_signal signal[] = {
        {"Fz", "uV", GDF_UNIT_MICROVOLT, 3, 5, -100, 100, -32768, 32767},
        {"Cz", "uV", GDF_UNIT_MICROVOLT, 3, 5, -100, 100, -2000, 2000},
        {"Pz", "uV", GDF_UNIT_MICROVOLT, 16, 5, -1, 1, -1, 1},
        {"Oz", "uV", GDF_UNIT_MICROVOLT, 17, 5, -1, 1, -1, 1},
        {"Status", "", 0, 2, 5, 0, 255, 0, 255},
        {"P3", "V", 4256, 17, 5, -INFINITY, INFINITY, -INFINITY, INFINITY},
    };
    gdf_file file = {.version = 251,
                     .signals = 6,
                     .signal = signal,
                     .records = 1,
                     .seconds = {1, 1},
                     .sample = over_range_sample};
    congru_recording *recording = gdf_case_load(context, &file, NULL);
    if (!CHECK(recording != NULL))
        return;
    for (size_t i = 0; i < 30; i++)
        CHECK_SAYING(isnan(recording->data[i]) == missing[i / 5][i % 5], "%s, sample %zu: %g",
                     signal[i / 5].label, i % 5, recording->data[i]);
    CHECK(recording->data[21] == 255);
    congru_recording_destroy(&recording);
}

/* ---- Records --------------------------------------------------------------------------------------------- */

static double mixed(void *user, size_t signal, size_t index)
{
    (void)user;
    return (double)((signal * 1000003 + index * 7919) % 30011);
}

TEST(rates_may_differ_between_channels)
{
    gdf_signal signal[] = {
        {"Fz", "uV", GDF_UNIT_MICROVOLT, 3, 10, -1, 1, -32768, 32767},
        {"slow", "uV", GDF_UNIT_MICROVOLT, 5, 2, -32768, 32767, -32768, 32767},
        {"sparse", "uV", GDF_UNIT_MICROVOLT, 3, 0, -1, 1, -32768, 32767},
        {"Cz", "uV", GDF_UNIT_MICROVOLT, 279, 10, -32768, 32767, -32768, 32767},
    };
    gdf_mark mark[] = {{21, 769, 0, 30}};
    gdf_file file = {.version = 220,
                     .signals = 4,
                     .signal = signal,
                     .records = 7,
                     .seconds = {1, 10},
                     .sample = mixed,
                     .mode = 3,
                     .mark_rate = 100,
                     .marks = 1,
                     .mark = mark};
    CHECK(gdf_case_load(context, &file, NULL) == NULL);
    CHECK(error_has("test.gdf: its channels differ in rate: Fz at 100 Hz, slow at 20 Hz"));
    const char *slow[] = {"slow"}, *fast[] = {"Cz", "Fz"}, *sparse[] = {"sparse"};
    congru_recording_options options = {.channels = slow, .channel_count = 1};
    congru_recording *recording = gdf_case_load(context, &file, &options);
    CHECK(recording != NULL && recording->rate == 20 && recording->samples == 14);
    for (size_t i = 0; i < 14; i++)
        CHECK_NEAR(recording->data[i], mixed(NULL, 1, i), 1e-9);
    CHECK(recording->events == 1 && recording->event[0].onset == 4 && recording->event[0].duration == 6);
    congru_recording_destroy(&recording);
    options = (congru_recording_options){.channels = fast, .channel_count = 2};
    recording = gdf_case_load(context, &file, &options);
    CHECK(recording != NULL && recording->rate == 100 && recording->samples == 70);
    for (size_t i = 0; i < 70; i++)
        CHECK_NEAR(recording->data[i], mixed(NULL, 3, i), 1e-9);
    CHECK(recording->event[0].onset == 20 && recording->event[0].duration == 30);
    congru_recording_destroy(&recording);
    options = (congru_recording_options){.channels = sparse, .channel_count = 1};
    CHECK(gdf_case_load(context, &file, &options) == NULL);
    CHECK(error_has("'sparse' is not sampled at even intervals"));
    options = (congru_recording_options){.header_only = true};
    recording = gdf_case_load(context, &file, &options);
    CHECK(recording != NULL && recording->channels == 3 && recording->rate == 100 && recording->samples == 70);
    congru_recording_destroy(&recording);
}

/* Records of a few bytes, many to the reader's buffer, and one that is larger than it. */
TEST(records_of_any_size)
{
    static const struct {
        uint32_t per_record;
        size_t records;
    } sizes[] = {{1, 50000}, {3, 30000}, {1000, 40}, {40000, 3}, {70000, 2}};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        gdf_signal signal[] = {
            {"Fz", "uV", GDF_UNIT_MICROVOLT, 3, sizes[s].per_record, -32768, 32767, -32768, 32767},
            {"Cz", "uV", GDF_UNIT_MICROVOLT, 17, sizes[s].per_record, -32768, 32767, -32768, 32767},
            {"Pz", "uV", GDF_UNIT_MICROVOLT, 535, sizes[s].per_record, 0, 65535, 0, 65535},
        };
        gdf_file file = {.version = 251,
                         .signals = 3,
                         .signal = signal,
                         .records = sizes[s].records,
                         .seconds = {sizes[s].per_record, 250},
                         .sample = mixed};
        congru_recording *recording = gdf_case_load(context, &file, NULL);
        if (!CHECK(recording != NULL))
            continue;
        CHECK(recording->samples == sizes[s].records * sizes[s].per_record && recording->rate == 250);
        size_t wrong = 0;
        for (size_t i = 0; i < 3 * recording->samples; i++) {
            double stored = mixed(NULL, i / recording->samples, i % recording->samples);
            bool cut = i >= 2 * recording->samples && stored == 0; /* at the limit of the unsigned one */
            wrong += (size_t)(cut ? !isnan(recording->data[i]) : fabs(recording->data[i] - stored) > 1e-9);
        }
        CHECK_SAYING(wrong == 0, "%zu of %zu samples are wrong", wrong, 3 * recording->samples);
        congru_recording_destroy(&recording);
    }
}

TEST(records_may_be_unknown)
{
    gdf_signal signal[] = {{"Fz", "uV", GDF_UNIT_MICROVOLT, 3, 5, -32768, 32767, -32768, 32767},
                           {"Cz", "uV", GDF_UNIT_MICROVOLT, 3, 5, -32768, 32767, -32768, 32767}};
    for (unsigned version = 125; version <= 251; version += 126) {
        gdf_file file = {.version = version,
                         .signals = 2,
                         .signal = signal,
                         .records = 9,
                         .records_unknown = true,
                         .seconds = {1, 50},
                         .sample = mixed};
        size_t size;
        unsigned char *bytes = gdf_writer_make(&file, &size);
        congru_recording_options options = {0};
        for (size_t cut = 0; cut < 20; cut += 19) { /* the last record may be a part of one */
            congru_recording *recording;
            CHECK(gdf_case_read(context, bytes, size - cut, &options, &recording) == CONGRU_OK);
            CHECK(recording != NULL && recording->samples == (cut == 0 ? 45 : 40) && recording->events == 0);
            CHECK(recording != NULL && recording->data[recording->samples] == mixed(NULL, 1, 0));
            congru_recording_destroy(&recording);
        }
        free(bytes);
    }
}

/* ---- Events ---------------------------------------------------------------------------------------------- */

static bool event_is(const congru_recording *recording, size_t index, size_t onset, size_t duration, int code,
                     const char *text)
{
    const congru_event *event = &recording->event[index];
    bool right = index < recording->events && event->onset == onset && event->duration == duration &&
                 event->code == code && (text == NULL) == (event->text == NULL) &&
                 (text == NULL || strcmp(text, event->text) == 0);
    if (!right && index < recording->events)
        printf("# event %zu: %zu %zu %d %s\n", index, event->onset, event->duration, event->code,
               event->text != NULL ? event->text : "-");
    return right;
}

TEST(events_of_all_modes)
{
    static const unsigned versions[] = {125, 193, 194, 200, 251}, modes[] = {1, 3, 7};
    gdf_signal signal = {"Cz", "uV", GDF_UNIT_MICROVOLT, 3, 1, -1, 1, -32768, 32767};
    /* Out of order, before the first, the last, past the end, a value of an uneven channel, user codes. */
    gdf_mark mark[] = {{500, 769, 0, 10},   {1, 768, 3, 7},    {0, 1, 0, 0},
                       {1000, 32766, 0, 0}, {1001, 772, 0, 0}, {40, 32767, 1, 9},
                       {250, 2, 0, 400},    {500, 1023, 0, 0}, {250, 3, 0, 0}};
    static const char names[] = "\0rest\0left hand\0";
    for (size_t v = 0; v < sizeof versions / sizeof versions[0]; v++)
        for (size_t m = 0; m < sizeof modes / sizeof modes[0]; m++) {
            bool fields = versions[v] >= 210, lengths = modes[m] > 1;
            gdf_file file = {.version = versions[v],
                             .signals = 1,
                             .signal = &signal,
                             .records = 1000,
                             .seconds = {1, 250},
                             .sample = mixed,
                             .mode = modes[m],
                             .mark_rate = 250,
                             .marks = 9,
                             .mark = mark,
                             .names = fields ? names : NULL,
                             .names_size = sizeof names};
            congru_recording *recording = gdf_case_load(context, &file, NULL);
            if (!CHECK_SAYING(recording != NULL, "version %u mode %u", versions[v], modes[m]))
                continue;
            CHECK(recording->events == 7);
            CHECK(event_is(recording, 0, 0, lengths ? 7 : 0, 768, NULL));
            CHECK(event_is(recording, 1, 0, 0, 1, fields ? "rest" : NULL));
            CHECK(event_is(recording, 2, 249, lengths ? 400 : 0, 2, fields ? "left hand" : NULL));
            CHECK(event_is(recording, 3, 249, 0, 3, NULL));
            CHECK(event_is(recording, 4, 499, lengths ? 10 : 0, 769, NULL));
            CHECK(event_is(recording, 5, 499, 0, 1023, NULL));
            CHECK(event_is(recording, 6, 999, 0, 32766, NULL));
            congru_recording_destroy(&recording);
        }
}

TEST(names_of_event_types)
{
    gdf_signal signal = {"Cz", "uV", GDF_UNIT_MICROVOLT, 3, 1, -1, 1, -32768, 32767};
    gdf_mark mark[] = {{1, 1, 0, 0}, {2, 2, 0, 0}, {3, 3, 0, 0}, {4, 0, 0, 0}};
    static const char empty_ends[] = "\0\0left", unended[] = "\0a\0b", first_is_zero[] = "none\0a\0b\0c\0";
    static char longest[702];
    memset(longest + 1, 'x', 600);
    memset(longest + 602, 'y', 99);
    static const char *const expected[][4] = {
        {NULL, NULL, NULL, NULL}, {"a", "b", NULL, NULL}, {"a", "b", "c", NULL}, {"xxx", "yyy", NULL, NULL}};
    const char *const names[] = {empty_ends, unended, first_is_zero, longest};
    const size_t sizes[] = {6, 4, sizeof first_is_zero, sizeof longest};
    for (size_t n = 0; n < 4; n++) {
        gdf_file file = {.version = 210,
                         .signals = 1,
                         .signal = &signal,
                         .records = 10,
                         .seconds = {1, 250},
                         .sample = mixed,
                         .mode = 1,
                         .marks = 4,
                         .mark = mark,
                         .names = names[n],
                         .names_size = sizes[n]};
        congru_recording *recording = gdf_case_load(context, &file, NULL);
        if (!CHECK(recording != NULL) || !CHECK(recording->events == 4))
            continue;
        for (size_t i = 0; i < 4; i++) {
            const char *text = recording->event[i].text, *wanted = expected[n][i];
            CHECK_SAYING((text == NULL) == (wanted == NULL), "names %zu, event %zu: %s", n, i, text);
            if (text != NULL && wanted != NULL)
                CHECK(n < 3 ? strcmp(text, wanted) == 0 : strncmp(text, wanted, 3) == 0);
        }
        if (n == 3)
            CHECK(strlen(recording->event[0].text) == 255 && strlen(recording->event[1].text) == 99);
        congru_recording_destroy(&recording);
    }
}

TEST(ends_become_durations)
{
    gdf_signal signal = {"Cz", "uV", GDF_UNIT_MICROVOLT, 3, 1, -1, 1, -32768, 32767};
    gdf_mark mark[] = {{10, 0x8300, 0, 0}, {20, 0x300, 0, 0},  {30, 0x301, 0, 0}, {50, 0x8301, 0, 0},
                       {60, 0x302, 0, 0},  {90, 0x8300, 0, 0}, {95, 0x8300, 0, 0}};
    gdf_file file = {.version = 210,
                     .signals = 1,
                     .signal = &signal,
                     .records = 100,
                     .seconds = {1, 250},
                     .sample = mixed,
                     .mode = 1,
                     .mark_rate = 250,
                     .marks = 7,
                     .mark = mark};
    congru_recording *recording = gdf_case_load(context, &file, NULL);
    if (!CHECK(recording != NULL))
        return;
    CHECK(recording->events == 5);
    CHECK(event_is(recording, 0, 9, 0, 0x8300, NULL)); /* ends nothing */
    CHECK(event_is(recording, 1, 19, 70, 0x300, NULL));
    CHECK(event_is(recording, 2, 29, 20, 0x301, NULL));
    CHECK(event_is(recording, 3, 59, 0, 0x302, NULL)); /* never ends */
    CHECK(event_is(recording, 4, 94, 0, 0x8300, NULL));
    congru_recording_destroy(&recording);
}

TEST(events_have_a_rate_of_their_own)
{
    gdf_signal signal = {"Cz", "uV", GDF_UNIT_MICROVOLT, 3, 1, -1, 1, -32768, 32767};
    gdf_mark mark[] = {{1, 1, 0, 1000}, {1001, 2, 0, 6}, {1007, 3, 0, 0}, {3999, 4, 0, 4000000000}};
    static const struct {
        unsigned version;
        double rate;
        size_t onset[4], duration[2];
    } cases[] = {
        {125, 1000, {0, 250, 252, 1000}, {250, 2}}, /* 251.5 goes up */
        {200, 1000, {0, 250, 252, 1000}, {250, 2}},   {200, 125, {0, 2000, 2012, 7996}, {2000, 12}},
        {200, 0, {0, 1000, 1006, 3998}, {1000, 6}},   {125, 0, {0, 1000, 1006, 3998}, {1000, 6}},
        {200, NAN, {0, 1000, 1006, 3998}, {1000, 6}}, {251, 250.0001, {0, 1000, 1006, 3998}, {1000, 6}},
    };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        gdf_file file = {.version = cases[c].version,
                         .signals = 1,
                         .signal = &signal,
                         .records = 8000,
                         .seconds = {1, 250},
                         .sample = mixed,
                         .mode = 3,
                         .mark_rate = cases[c].rate,
                         .marks = 4,
                         .mark = mark};
        congru_recording *recording = gdf_case_load(context, &file, NULL);
        if (!CHECK(recording != NULL) || !CHECK(recording->events == 4))
            continue;
        for (size_t i = 0; i < 4; i++)
            CHECK_SAYING(recording->event[i].onset == cases[c].onset[i], "version %u rate %g event %zu: at %zu",
                         cases[c].version, cases[c].rate, i, recording->event[i].onset);
        CHECK(recording->event[0].duration == cases[c].duration[0]);
        CHECK(recording->event[1].duration == cases[c].duration[1]);
        CHECK(recording->event[3].duration == 8000); /* no longer than the recording */
        congru_recording_destroy(&recording);
    }
}

int main(void)
{
    return context_main(&context, &(congru_context_options){.threads = 1});
}
