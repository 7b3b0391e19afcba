/* What all readers of recordings share: labels, units, kinds of channel, choosing, events. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text_set.h"
#include "context_main.h"
#include "harness.h"
#include "recording/header_text.h"
#include "recording/reader.h"

static congru_context *context;

static bool label_is(const void *field, size_t size, size_t room, const char *expected)
{
    char label[CONGRU_LABEL_SIZE];
    memset(label, '#', sizeof label);
    congru_reader_copy_label(label, room, field, size);
    bool equal = strcmp(label, expected) == 0;
    if (!equal)
        printf("# \"%s\" where \"%s\" is expected\n", label, expected);
    return equal && (room >= sizeof label || label[room] == '#');
}

TEST(labels_are_trimmed_utf8)
{
    CHECK(label_is("  Fc5.  \t", 9, 80, "Fc5."));
    CHECK(label_is("Cz\0garbage", 10, 80, "Cz"));
    CHECK(label_is("", 0, 80, ""));
    CHECK(label_is("    ", 4, 80, ""));
    CHECK(label_is("no end, 16 bytes", 16, 80, "no end, 16 bytes"));
    CHECK(label_is("\xb5V", 2, 80, "\xc2\xb5V"));                       /* Latin-1 */
    CHECK(label_is("\xc2\xb5V", 3, 80, "\xc2\xb5V"));                   /* UTF-8 already */
    CHECK(label_is("\xe9\xc2\xb5", 3, 80, "\xc3\xa9\xc3\x82\xc2\xb5")); /* one bad byte: all Latin-1 */
    CHECK(label_is("\xc0\xaf", 2, 80, "\xc3\x80\xc2\xaf"));             /* overlong */
    CHECK(label_is("\xe0\x80\xaf", 3, 80, "\xc3\xa0\xc2\x80\xc2\xaf"));
    CHECK(label_is("\xed\xa0\x80", 3, 80, "\xc3\xad\xc2\xa0\xc2\x80")); /* a surrogate */
    CHECK(label_is("\xf0\x9f\xa7\xa0", 4, 80, "\xf0\x9f\xa7\xa0"));
    CHECK(label_is("\xf4\x90\x80\x80", 4, 80, "\xc3\xb4\xc2\x90\xc2\x80\xc2\x80")); /* past the last */
    CHECK(label_is("a\nb\x7f"
                   "c",
                   5, 80, "a b c"));
    CHECK(label_is("abcdef", 6, 4, "abc"));
    CHECK(label_is("ab\xc3\xa9", 4, 4, "ab")); /* no half characters */
    CHECK(label_is("ab\xe9", 3, 4, "ab"));
    CHECK(label_is("ab\xe9", 3, 5, "ab\xc3\xa9"));
}

TEST(units_are_known)
{
    static const struct {
        const char *unit;
        double microvolts;
    } units[] = {
        {"uV", 1},         {"\xc2\xb5V", 1}, {"\xce\xbcV", 1},
        {"\xb5V", 1},      {"UV", 1},        {" uV ", 1},
        {"microvolts", 1}, {"mV", 1e3},      {"mv", 1e3},
        {"V", 1e6},        {"v", 1e6},       {"Volt", 1e6},
        {"nV", 1e-3},      {"NV", 1e-3},     {"", 1},
        {"degC", 1},       {"-", 1},         {"%", 1},
        {"Ohm", 1},        {"m/s^2", 1},     {"uVolts and much more than any unit has", 1},
    };
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        CHECK_SAYING(congru_reader_microvolts(units[i].unit) == units[i].microvolts, "'%s' is %g",
                     units[i].unit, congru_reader_microvolts(units[i].unit));
}

TEST(kinds_are_guessed)
{
    static const struct {
        const char *name;
        congru_channel_type type;
    } names[] = {
        {"Fz", CONGRU_CHANNEL_EEG},
        {"EEG-C3", CONGRU_CHANNEL_EEG},
        {"Fc5.", CONGRU_CHANNEL_EEG},
        {"EOG-left", CONGRU_CHANNEL_EOG},
        {"HEOG", CONGRU_CHANNEL_EOG},
        {"veog", CONGRU_CHANNEL_EOG},
        {"HEOL", CONGRU_CHANNEL_EOG},
        {"EMG chin", CONGRU_CHANNEL_EMG},
        {"ECG", CONGRU_CHANNEL_ECG},
        {"ekg2", CONGRU_CHANNEL_ECG},
        {"Status", CONGRU_CHANNEL_STIMULUS},
        {"STI 014", CONGRU_CHANNEL_STIMULUS},
        {"Trigger", CONGRU_CHANNEL_STIMULUS},
        {"Resp nasal", CONGRU_CHANNEL_OTHER},
        {"Temp rectal", CONGRU_CHANNEL_OTHER},
        {"T7", CONGRU_CHANNEL_EEG},
        {"A1", CONGRU_CHANNEL_EEG},
        {"", CONGRU_CHANNEL_EEG},
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        CHECK_SAYING(congru_reader_guess_type(names[i].name) == names[i].type, "'%s' is %d", names[i].name,
                     (int)congru_reader_guess_type(names[i].name));
}

TEST(names_match_electrodes)
{
    CHECK(congru_channel_matches("Fc5.", "FC5"));
    CHECK(congru_channel_matches("C3..", "c3"));
    CHECK(congru_channel_matches("EEG:C3", "C3"));
    CHECK(congru_channel_matches("EEG-C3", "C3"));
    CHECK(congru_channel_matches("EEG C3", "C3"));
    CHECK(congru_channel_matches("EEG:  C3", "C3"));
    CHECK(congru_channel_matches("C3", "EEG-C3"));
    CHECK(congru_channel_matches("EEG-C3", "EEG:C3"));
    CHECK(congru_channel_matches(" C 3 ", "C3"));
    CHECK(congru_channel_matches("EEG-0", "EEG-0"));
    CHECK(congru_channel_matches("EEG", "eeg"));
    CHECK(!congru_channel_matches("C3", "C4"));
    CHECK(!congru_channel_matches("C3", "C31"));
    CHECK(!congru_channel_matches("EOG-left", "left"));
    CHECK(!congru_channel_matches("EEGC3", "C3"));
    CHECK(!congru_channel_matches("", ""));
    CHECK(!congru_channel_matches("...", "."));
    CHECK(!congru_channel_matches(NULL, "C3"));
}

static congru_channel make_channel(const char *name, double rate)
{
    congru_channel channel = {.rate = rate, .type = congru_reader_guess_type(name)};
    snprintf(channel.name, sizeof channel.name, "%s", name);
    return channel;
}

static congru_status choose(const congru_channel *channel, size_t count,
                            const congru_recording_options *options, size_t *chosen, size_t *taken,
                            double *rate)
{
    return congru_reader_choose(context, "file", channel, count, options, chosen, taken, rate);
}

static bool error_has(const char *text)
{
    bool found = strstr(congru_context_error(context), text) != NULL;
    if (!found)
        printf("# the error is \"%s\"\n", congru_context_error(context));
    return found;
}

TEST(channels_are_chosen_by_name)
{
    congru_channel channel[] = {make_channel("EEG-Fz", 250),   make_channel("C3..", 250),
                                make_channel("C3-0", 250),     make_channel("EEG:Cz", 250),
                                make_channel("EOG-left", 250), make_channel("Cz", 250)};
    size_t chosen[8], taken;
    double rate;
    const char *names[] = {"EOG-left", "c3", "FZ"};
    congru_recording_options options = {.channels = names, .channel_count = 3};
    CHECK(choose(channel, 6, &options, chosen, &taken, &rate) == CONGRU_OK);
    CHECK(taken == 3 && chosen[0] == 4 && chosen[1] == 1 && chosen[2] == 0 && rate == 250);
    const char *written[] = {"Cz", "EEG:Cz"}; /* each means both, and is one of them as written */
    options = (congru_recording_options){.channels = written, .channel_count = 2};
    CHECK(choose(channel, 6, &options, chosen, &taken, &rate) == CONGRU_OK);
    CHECK(taken == 2 && chosen[0] == 5 && chosen[1] == 3);
    const char *unclear[] = {"CZ"};
    options = (congru_recording_options){.channels = unclear, .channel_count = 1};
    CHECK(choose(channel, 6, &options, chosen, &taken, &rate) == CONGRU_ERROR_FORMAT);
    CHECK(error_has("file: 'CZ' is the name of 2 channels"));
    const char *unknown[] = {"C3", "Pz"};
    options = (congru_recording_options){.channels = unknown, .channel_count = 2};
    CHECK(choose(channel, 6, &options, chosen, &taken, &rate) == CONGRU_ERROR_FORMAT);
    CHECK(error_has(
        "file: no channel 'Pz': it has EEG-Fz, C3.., C3-0, EEG:Cz, EOG-left, Cz (name one of these)"));
    const char *twice[] = {"C3", "Fz", "C3."};
    options = (congru_recording_options){.channels = twice, .channel_count = 3};
    CHECK(choose(channel, 6, &options, chosen, &taken, &rate) == CONGRU_ERROR_ARGUMENT);
    CHECK(error_has("'C3..' is asked for twice"));
}

TEST(all_channels_are_chosen)
{
    congru_channel channel[] = {make_channel("Fz", 250), make_channel("EOG", 250), make_channel("C3", 250),
                                make_channel("sparse", 0)};
    size_t chosen[4], taken;
    double rate;
    congru_recording_options options = {0};
    CHECK(choose(channel, 4, &options, chosen, &taken, &rate) == CONGRU_OK);
    CHECK(taken == 3 && chosen[0] == 0 && chosen[1] == 1 && chosen[2] == 2 && rate == 250);
    options.eeg_only = true;
    CHECK(choose(channel, 4, &options, chosen, &taken, &rate) == CONGRU_OK);
    CHECK(taken == 2 && chosen[0] == 0 && chosen[1] == 2);
    CHECK(choose(channel + 1, 1, &options, chosen, &taken, &rate) == CONGRU_ERROR_FORMAT);
    CHECK(error_has("file: no EEG channel: it has EOG"));
    CHECK(choose(channel, 0, &options, chosen, &taken, &rate) == CONGRU_ERROR_FORMAT);
    const char *names[] = {"sparse"};
    options = (congru_recording_options){.channels = names, .channel_count = 1};
    CHECK(choose(channel, 4, &options, chosen, &taken, &rate) == CONGRU_ERROR_UNSUPPORTED);
    CHECK(error_has("'sparse' is not sampled at even intervals"));
}

TEST(rates_must_agree)
{
    congru_channel channel[] = {make_channel("Fz", 250), make_channel("EOG", 50), make_channel("C3", 250)};
    size_t chosen[3], taken;
    double rate;
    congru_recording_options options = {0};
    CHECK(choose(channel, 3, &options, chosen, &taken, &rate) == CONGRU_ERROR_UNSUPPORTED);
    CHECK(error_has("file: its channels differ in rate: Fz at 250 Hz, EOG at 50 Hz (name channels"));
    options.eeg_only = true;
    CHECK(choose(channel, 3, &options, chosen, &taken, &rate) == CONGRU_OK && taken == 2 && rate == 250);
    const char *names[] = {"EOG"};
    options = (congru_recording_options){.channels = names, .channel_count = 1};
    CHECK(choose(channel, 3, &options, chosen, &taken, &rate) == CONGRU_OK && rate == 50);
    options = (congru_recording_options){.header_only = true};
    CHECK(choose(channel, 3, &options, chosen, &taken, &rate) == CONGRU_OK && taken == 3 && rate == 250);
}

TEST(long_lists_are_cut)
{
    enum { COUNT = 300 };
    static congru_channel channel[COUNT];
    static size_t chosen[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        char name[16];
        snprintf(name, sizeof name, "electrode%zu", i);
        channel[i] = make_channel(name, 1);
    }
    const char *names[] = {"x"};
    congru_recording_options options = {.channels = names, .channel_count = 1};
    size_t taken;
    double rate;
    CHECK(choose(channel, COUNT, &options, chosen, &taken, &rate) == CONGRU_ERROR_FORMAT);
    CHECK(error_has("electrode0, electrode1") && error_has(" more (name one of these)"));
}

TEST(names_become_distinct)
{
    congru_channel channel[] = {make_channel("EEG-Fz", 1), make_channel("EEG", 1), make_channel("", 1),
                                make_channel("EEG", 1),    make_channel("Cz", 1),  make_channel("EEG", 1)};
    static const char *const expected[] = {"EEG-Fz", "EEG-0", "Ch3", "EEG-1", "Cz", "EEG-2"};
    CHECK(congru_reader_distinguish(context, "file", channel, 6) == CONGRU_OK);
    for (size_t i = 0; i < 6; i++)
        CHECK_SAYING(strcmp(channel[i].name, expected[i]) == 0, "'%s', not '%s'", channel[i].name, expected[i]);
    congru_channel longest[2] = {0};
    for (size_t i = 0; i < 2; i++) {
        memset(longest[i].name, 'a', CONGRU_LABEL_SIZE - 4);
        memcpy(longest[i].name + CONGRU_LABEL_SIZE - 4, "\xc3\xa9", 3);
    }
    CHECK(congru_reader_distinguish(context, "file", longest, 2) == CONGRU_OK);
    CHECK(strcmp(longest[1].name + CONGRU_LABEL_SIZE - 5, "a-1") == 0);
}

/* A number that is given is no other channel's name, whatever the names are. */
TEST(numbered_names_do_not_collide)
{
    static const char *const given[] = {"A", "A", "A-0", "A-2", "Ch6", "", "A"};
    static const char *const expected[] = {"A-1", "A-3", "A-0", "A-2", "Ch6-0", "Ch6-1", "A-4"};
    congru_channel channel[7];
    for (size_t i = 0; i < 7; i++)
        channel[i] = make_channel(given[i], 1);
    CHECK(congru_reader_distinguish(context, "file", channel, 7) == CONGRU_OK);
    for (size_t i = 0; i < 7; i++)
        CHECK_SAYING(strcmp(channel[i].name, expected[i]) == 0, "'%s', not '%s'", channel[i].name, expected[i]);
    enum { MANY = 20000 }; /* pairs of long names, which lose what tells the pairs apart */
    congru_channel *many = calloc(MANY, sizeof *many);
    for (size_t i = 0; i < MANY; i++)
        snprintf(many[i].name, CONGRU_LABEL_SIZE, "%070d%09zu", 0, i / 2);
    clock_t start = clock();
    CHECK(congru_reader_distinguish(context, "file", many, MANY) == CONGRU_OK);
    CHECK_SAYING((double)(clock() - start) < 2.0 * CLOCKS_PER_SEC, "%g s for 20000 names",
                 (double)(clock() - start) / CLOCKS_PER_SEC);
    congru_text_set names = {0};
    for (size_t i = 0; i < MANY; i++)
        congru_text_set_add(&names, many[i].name);
    CHECK(names.count == MANY);
    congru_text_set_clear(&names);
    free(many);
}

/* Texts whose sums by FNV-1a, which used to find them, lie side by side in its table: 40,000 took 6 s. */
enum { TEXTS = 40000 };

/* Processor seconds of events with these texts. */
static double seconds_of_events(char (*text)[24])
{
    congru_recording *recording;
    CHECK(congru_recording_create(context, "file", 1, 1000, true, &recording) == CONGRU_OK);
    clock_t start = clock();
    for (size_t i = 0; i < TEXTS; i++)
        CHECK(congru_recording_add_event(context, recording, 0, 0, -1, text[i], strlen(text[i])) == CONGRU_OK);
    const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    congru_recording_destroy(&recording);
    return seconds;
}

/* Against others of the same length, whatever else the machine does: texts that collide cost hundreds of times as much. */
TEST(chosen_texts_cost_no_more)
{
    enum { ROOM = 1 << 17 };
    static char chosen[TEXTS][24], other[TEXTS][24];
    for (size_t i = 0, count = 0; count < TEXTS; i++) {
        int length = snprintf(chosen[count], sizeof chosen[count], "%zx", i);
        uint64_t hash = 14695981039346656037U;
        for (int k = 0; k < length; k++)
            hash = (hash ^ (unsigned char)chosen[count][k]) * 1099511628211U;
        if (((hash ^ hash >> 32) & (ROOM - 1)) >= ROOM / 64)
            continue;
        snprintf(other[count], sizeof other[count], "%0*zx", length, count);
        count++;
    }
    const double usual = seconds_of_events(other), seconds = seconds_of_events(chosen);
    CHECK_SAYING(seconds < 10 * usual + 0.1, "%g s, others %g s", seconds, usual);
}

TEST(events_are_kept_and_ordered)
{
    congru_recording *recording;
    CHECK(congru_recording_create(context, "file", 2, 1000, false, &recording) == CONGRU_OK);
    CHECK(recording->channels == 2 && recording->samples == 1000 && recording->data != NULL);
    CHECK(recording->events == 0);
    char text[] = "T\xe9";
    for (size_t i = 0; i < 500; i++) {
        size_t onset = i * 7919 % 997;
        CHECK(congru_recording_add_event(context, recording, onset, i, (int32_t)i, text, 2) == CONGRU_OK);
        CHECK(congru_recording_add_event(context, recording, onset, i, (int32_t)(i + 1000), NULL, 0) ==
              CONGRU_OK);
        char own[16];
        int length = snprintf(own, sizeof own, "text %zu", i);
        CHECK(congru_recording_add_event(context, recording, onset, 0, -1, own, (size_t)length) == CONGRU_OK);
    }
    text[0] = '?'; /* the recording has its own */
    CHECK(congru_recording_add_event(context, recording, 1000, 0, 5, NULL, 0) == CONGRU_OK); /* past the end */
    CHECK(recording->events == 1500);
    congru_recording_sort_events(recording);
    const char *first_text = NULL;
    for (size_t i = 0; i < recording->events; i++) {
        const congru_event *event = &recording->event[i];
        CHECK(i == 0 || event[-1].onset <= event->onset);
        if (event->text != NULL && event->code >= 0) {
            CHECK(strcmp(event->text, "T\xc3\xa9") == 0);
            CHECK(first_text == NULL || first_text == event->text); /* kept once */
            first_text = event->text;
            CHECK(event[1].code == event->code + 1000 && event[1].text == NULL); /* stable */
            CHECK(event[2].code == -1 && (size_t)atoi(event[2].text + 5) == event->duration);
        }
    }
    congru_recording_destroy(&recording);
    CHECK(recording == NULL);
    congru_recording_destroy(&recording);
    congru_recording_destroy(NULL);
}

TEST(numbers_and_quotes_may_be_long)
{
    double value = 0;
    CHECK(congru_header_number(" 123456789012345678901234 ", 26, &value));
    CHECK_NEAR(value, 123456789012345678901234.0, 1e-15 * 123456789012345678901234.0);
    CHECK(congru_header_number("-0.48828125000000000000000000001", 32, &value) && value == -0.48828125);
    char quote[CONGRU_HEADER_QUOTE + 1], text[CONGRU_HEADER_QUOTE + 1];
    memset(text, 'a', sizeof text);
    CHECK(strlen(congru_header_quote(quote, text, CONGRU_HEADER_QUOTE)) == CONGRU_HEADER_QUOTE &&
          strchr(quote, '.') == NULL);
    CHECK(strlen(congru_header_quote(quote, text, sizeof text)) == CONGRU_HEADER_QUOTE);
    CHECK(strcmp(quote + CONGRU_HEADER_QUOTE - 5, "aa...") == 0);
}

TEST(impossible_sizes_are_refused)
{
    congru_recording *recording = (congru_recording *)&recording;
    CHECK(congru_recording_create(context, "file", SIZE_MAX / 8, 16, false, &recording) == CONGRU_ERROR_MEMORY);
    CHECK(recording == NULL && error_has("file: not enough memory"));
    CHECK(congru_recording_create(context, "file", 1, SIZE_MAX, false, &recording) == CONGRU_ERROR_MEMORY);
    CHECK(congru_recording_create(context, "file", 3, 5, true, &recording) == CONGRU_OK);
    CHECK(recording->data == NULL && recording->samples == 5);
    congru_recording_destroy(&recording);
}

TEST(unknown_files_are_refused)
{
    char path[] = "/tmp/congru-recording-XXXXXX";
    int descriptor = mkstemp(path);
    CHECK(descriptor >= 0);
    congru_recording *recording;
    CHECK(congru_recording_read(context, path, NULL, &recording) == CONGRU_ERROR_FORMAT);
    CHECK(recording == NULL && error_has(path) && error_has("empty file"));
    CHECK(!congru_recording_recognises(path));
    CHECK(write(descriptor, "no recording", 12) == 12);
    CHECK(congru_recording_read(context, path, NULL, &recording) == CONGRU_ERROR_UNSUPPORTED);
    CHECK(error_has("not a recording of a known format"));
    CHECK(!congru_recording_recognises(path));
    close(descriptor);
    unlink(path);
    CHECK(congru_recording_read(context, path, NULL, &recording) == CONGRU_ERROR_IO);
    CHECK(error_has(path) && recording == NULL);
    CHECK(!congru_recording_recognises(path));
    CHECK(congru_recording_read(context, "/tmp", NULL, &recording) == CONGRU_ERROR_IO);
    CHECK(congru_recording_read(context, NULL, NULL, &recording) == CONGRU_ERROR_ARGUMENT);
    congru_recording_options none = {.channels = (const char *const[]){"x"}, .channel_count = 0};
    CHECK(congru_recording_read(context, path, &none, &recording) == CONGRU_ERROR_ARGUMENT);
}

int main(void)
{
    return context_main(&context, &(congru_context_options){.threads = 1});
}
