/* Samples as text: fields, columns, events, rates, and files that were cut or changed. SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "context_main.h"
#include "epochs/epochs_internal.h"
#include "harness.h"
#include "recording/reader.h"
#include "recording/sample_text.h"
#include "recording_damage.h"

static congru_context *context;

static congru_status read_text(congru_context *in, const char *text, size_t size,
                               const congru_recording_options *options, congru_recording **recording)
{
    congru_source source = congru_source_memory("in.csv", text, size);
    *recording = NULL;
    return congru_reader_text.read(in, "in.csv", &source, options, recording);
}

TEST(fields_are_cut_and_unquoted)
{
    char line[] = " a ,\"b, \"\"c\"\"\" ,,\td";
    char *rest = line;
    CHECK(strcmp(congru_sample_field(&rest, ','), "a") == 0);
    CHECK(strcmp(congru_sample_field(&rest, ','), "b, \"c\"") == 0);
    CHECK(strcmp(congru_sample_field(&rest, ','), "") == 0);
    CHECK(strcmp(congru_sample_field(&rest, ','), "d") == 0);
    CHECK(rest == NULL);
    char open[] = "\"a,b";
    rest = open;
    CHECK(strcmp(congru_sample_field(&rest, ','), "a,b") == 0);
    CHECK(rest == NULL);
    CHECK(congru_sample_separator("a;b,c") == ';' && congru_sample_separator("a\t\"b;\"") == '\t' &&
          congru_sample_separator("\"a;b\",c") == ',' && congru_sample_separator(" 1 ,\t2 , 3") == ',' &&
          congru_sample_separator("1,5\t2,5") == '\t');
}

TEST(headings_are_told_from_frames)
{
    CHECK(congru_sample_is_heading("C3,Cz", ','));
    CHECK(congru_sample_is_heading(",C3,Cz", ','));
    CHECK(congru_sample_is_heading("\"1\"x,Cz", ','));
    CHECK(!congru_sample_is_heading("1,2", ','));
    CHECK(!congru_sample_is_heading(",2,x", ','));
    CHECK(!congru_sample_is_heading("1,5;2", ';'));
    CHECK(!congru_sample_is_heading(",,", ','));
}

TEST(events_are_found_in_full_by_wildcards_and_by_tags)
{
    static const congru_event_class events[] = {
        {.code = -1, .text = "left*", .class_name = "l"},
        {.code = -1, .text = "left/2", .class_name = "two"},
        {.code = -1, .text = "a\\*b\\,\\=\\\\", .class_name = "letters"},
        {.code = 7, .text = NULL, .class_name = "seven"},
        {.code = -1, .text = "b/a", .class_name = "tags"},
        {.code = -1, .text = "*x*y*", .class_name = "stars"},
    };
    enum { COUNT = sizeof events / sizeof events[0] };
    static const struct {
        const char *text;
        int32_t code;
        size_t found;
    } cases[] = {{"left", -1, 0},        {"left/1", -1, 0},     {"left/2", -1, 1}, {"a*b,=\\", -1, 2},
                 {"azb,=\\", -1, COUNT}, {NULL, 7, 3},          {NULL, 8, COUNT},  {NULL, -1, COUNT},
                 {"a/c/b", -1, 4},       {"a/c", -1, COUNT},    {"xxyxy", -1, 5},  {"xy", -1, 5},
                 {"yx", -1, COUNT},      {"right/left", -1, 0}, {"", -1, COUNT},   {"b/a", -1, 4}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        CHECK_SAYING(congru_event_find(events, COUNT, cases[i].code, cases[i].text) == cases[i].found,
                     "case %zu", i);
}

TEST(columns_are_channels_times_and_events)
{
    static const char text[] =
        "time;C3 (mV);\"Cz\";label;when\n0;1,5;;0;a\n0,01;2;3;left;b\n0,02;-1e-1;4;left;c\n"
        "\n0,03;nan;inf;2.0;d\n";
    static const char *const cz[] = {"cz"};
    static const congru_recording_options all = {0}, one = {.channels = cz, .channel_count = 1};
    congru_recording *r = NULL;
    if (!CHECK_SAYING(read_text(context, text, strlen(text), &all, &r) == CONGRU_OK, "%s",
                      congru_context_error(context)))
        return;
    CHECK(r->rate == 100 && r->samples == 4 && r->channels == 2 && r->events == 2);
    CHECK(strcmp(r->format, "CSV") == 0);
    CHECK(strcmp(r->channel[0].name, "C3") == 0);
    CHECK(strcmp(r->channel[0].unit, "mV") == 0);
    CHECK(r->data[0] == 1500 && r->data[2] == -100 && isnan(r->data[3]) && isnan(r->data[4]) &&
          r->data[5] == 3 && isnan(r->data[7]));
    CHECK(strcmp(r->event[0].text, "left") == 0);
    CHECK(r->event[0].onset == 1 && r->event[0].duration == 2 && r->event[1].code == 2 &&
          r->event[1].onset == 3);
    congru_recording_destroy(&r);
    CHECK(read_text(context, text, strlen(text), &one, &r) == CONGRU_OK && r->channels == 1 && r->data[2] == 4);
    congru_recording_destroy(&r);
}

static congru_status read_damaged(congru_context *in, void *user, const unsigned char *bytes, size_t size,
                                  congru_recording **recording)
{
    static const congru_recording_options options = {.rate = 100};
    (void)user;
    congru_status status = read_text(in, (const char *)bytes, size, &options, recording);
    /* A number that was changed can be none that is finite. */
    if (status == CONGRU_OK && damage_unsound(*recording) != NULL &&
        strcmp(damage_unsound(*recording), "all samples are missing") == 0) {
        congru_recording_destroy(recording);
        return congru_fail(in, CONGRU_ERROR_FORMAT, "in.csv: all samples are missing");
    }
    return status;
}

TEST(damaged_text_is_refused_or_sound)
{
    enum { SIZE = 1 << 14 };
    static char text[SIZE];
    static const char *const headings[] = {
        "time,C3,Cz,label\n", "", "%OpenBCI Raw EEG Data\n%Sample Rate = 250.0 Hz\n",
        ("%OpenBCI Raw EXG Data\n%Number of channels = 2\n%Sample Rate = 250 Hz\nSample Index, EXG Channel 0, EXG "
         "Channel 1, Marker Channel\n")};
    for (size_t k = 0; k < sizeof headings / sizeof headings[0]; k++) {
        size_t used = (size_t)snprintf(text, SIZE, "%s", headings[k]);
        for (int i = 0; i < 60; i++)
            used += (size_t)snprintf(text + used, SIZE - used, "%d.%02d,%d,%d.5,%s\n", i / 100, i % 100,
                                     i * i % 17, i * i % 23, i % 20 == 7 ? "1.0" : "0");
        damage_all(context, read_damaged, NULL, (unsigned char *)text, used);
    }
}

/* A file that is cheap costs no more than its size: no line, no field and no event makes more of it. */
TEST(hostile_text_costs_what_it_is_long)
{
    enum { SIZE = 1 << 22 };
    char *text = malloc(SIZE);
    static const congru_recording_options options = {.rate = 100};
    congru_recording *r = NULL;
    CHECK(text != NULL);
    if (text == NULL)
        return;
    memset(text, ',', SIZE); /* columns without names and numbers, in one line */
    CHECK(read_text(context, text, SIZE, &options, &r) == CONGRU_ERROR_FORMAT && r == NULL);
    memset(text, '\n', SIZE);
    CHECK(read_text(context, text, SIZE, &options, &r) == CONGRU_ERROR_FORMAT && r == NULL);
    size_t used = (size_t)snprintf(text, SIZE, "marker,C3\n");
    for (size_t i = 0; used + 32 < SIZE; i++) /* an event in every line */
        used += (size_t)snprintf(text + used, SIZE - used, "m%zu,1\n", i);
    CHECK(read_text(context, text, used, &options, &r) == CONGRU_OK && r->events == r->samples);
    congru_recording_destroy(&r);
    free(text);
}

/* Columns cost what they are many, and so do channels of many units; beyond a limit they are refused. */
TEST(columns_have_a_limit)
{
    enum { MOST = 10000, SIZE = 1 << 20 };
    static char text[SIZE];
    static const congru_recording_options options = {.rate = 100};
    for (int beyond = 0; beyond < 2; beyond++) {
        size_t used = 0;
        for (int line = 0; line < 2; line++)
            for (int i = 0; i < MOST + beyond; i++)
                used += (size_t)snprintf(text + used, SIZE - used, "%d%c", i % 10,
                                         i + 1 < MOST + beyond ? ',' : '\n');
        congru_recording *r = NULL;
        congru_status status = read_text(context, text, used, &options, &r);
        CHECK(status == (beyond ? CONGRU_ERROR_UNSUPPORTED : CONGRU_OK));
        CHECK(beyond ? r == NULL &&
                           strstr(congru_context_error(context), "10001 columns, where 10000 are the most") != NULL
                     : r != NULL && r->channels == MOST && r->samples == 2);
        congru_recording_destroy(&r);
    }
}

TEST(impossible_rates_are_refused)
{
    static const char *const steps[] = {"5e-324", "1e-300", "1e-10", "1e10", "1e300"};
    static const congru_recording_options options[] = {{.header_only = true}, {.header_only = false}};
    for (size_t k = 0; k < sizeof steps / sizeof steps[0]; k++)
        for (int whole = 0; whole < 2; whole++) {
            char text[256];
            int size = snprintf(text, sizeof text, "time,C3,C4\n0,1,2\n%s,3,4\n", steps[k]);
            congru_recording *r = NULL;
            CHECK(read_text(context, text, (size_t)size, &options[whole], &r) == CONGRU_ERROR_FORMAT &&
                  r == NULL);
            CHECK(strstr(congru_context_error(context), "samples a second are not possible") != NULL);
            congru_recording_destroy(&r);
        }
}

/* Lines are counted before they are kept. Another process gives them more fields, and fewer, in between. */
TEST(text_that_changes_meanwhile_is_refused_or_sound)
{
    enum { LINES = 2000, WIDTH = 16, SIZE = LINES * WIDTH };
    static char content[2][SIZE];
    for (size_t i = 0; i < LINES; i++) {
        memcpy(content[0] + i * WIDTH, "1,2            \n", WIDTH);
        memcpy(content[1] + i * WIDTH, i % 2 == 0 ? "1,2,,,,,,,,,,,,\n" : "               \n", WIDTH);
    }
    char *shared = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(shared != MAP_FAILED);
    if (shared == MAP_FAILED)
        return;
    memcpy(shared, content[0], SIZE);
    pid_t other = fork();
    if (other == 0)
        for (size_t i = 1;; i++)
            memcpy(shared, content[i % 2], SIZE);
    static const congru_recording_options options = {.rate = 100};
    int sound = 0;
    for (int i = 0; i < 300; i++) {
        congru_recording *r = NULL;
        congru_status status = read_text(context, shared, SIZE, &options, &r);
        sound += status == CONGRU_OK
                     ? damage_unsound(r) == NULL
                     : r == NULL && (status == CONGRU_ERROR_FORMAT || status == CONGRU_ERROR_IO);
        congru_recording_destroy(&r);
    }
    CHECK(sound == 300);
    kill(other, SIGKILL);
    waitpid(other, NULL, 0);
    munmap(shared, SIZE);
}

TEST(events_of_an_unknown_rate_have_no_seconds)
{
    static const char text[] = "C3,label\n1,0\n1,a\n1,a\n1,0\n1,b\n";
    static const congru_recording_options options = {.header_only = true};
    congru_recording *r = NULL;
    congru_event_kind *kinds = NULL;
    size_t count = 0;
    CHECK(read_text(context, text, strlen(text), &options, &r) == CONGRU_OK);
    CHECK(r != NULL && congru_event_kinds(r, &kinds, &count) && count == 2 && isnan(kinds[0].seconds) &&
          isnan(kinds[1].seconds));
    free(kinds);
    congru_recording_destroy(&r);
}

int main(void)
{
    return context_main(&context, &(congru_context_options){.threads = 1});
}
