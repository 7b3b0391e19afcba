/* What the command tells of long work, and what of a name reaches a terminal. SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "harness.h"
#include "terminal.h"

/* Work that began so long ago that what passes meanwhile does not matter. */
static const double long_ago = 1e6;

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* What a call prints on standard error, which is not a terminal then. */
static const char *told(terminal_work *work, size_t done, size_t total)
{
    static char text[256];
    FILE *file = tmpfile();
    int kept = dup(STDERR_FILENO);
    text[0] = '\0';
    if (!CHECK(file != NULL && kept >= 0 && dup2(fileno(file), STDERR_FILENO) >= 0))
        return text;
    terminal_progress_timed(work, done, total, "folds");
    fflush(stderr);
    dup2(kept, STDERR_FILENO);
    close(kept);
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

static void says(size_t done, size_t total, const char *expected)
{
    double now = seconds_now();
    terminal_work work = {.started = now - long_ago, .told = now - long_ago};
    const char *text = told(&work, done, total);
    CHECK_SAYING(strcmp(text, expected) == 0, "%zu of %zu: '%s'", done, total, text);
    CHECK(work.told >= now);
    CHECK(told(&work, done, total)[0] == '\0'); /* not again so soon */
}

/* A million seconds for `done` folds, and at that pace for the others. */
TEST(the_rest_is_told_at_the_pace_so_far)
{
    says(100, 101, "100 of 101 folds, 2 h 46 min left\n");
    says(10000, 10001, "10000 of 10001 folds, 1 min 40 s left\n");
    says(100000, 100001, "100000 of 100001 folds, 10 s left\n");
    says(100000, 100006, "100000 of 100006 folds, 1 min 0 s left\n");
    says(1000, 1036, "1000 of 1036 folds, 10 h 0 min left\n");
}

/* What was there from before is not counted. */
TEST(work_that_is_taken_up_again_has_its_own_pace)
{
    double now = seconds_now();
    terminal_work work = {.started = now - long_ago, .told = now - long_ago, .at_start = 50};
    const char *text = told(&work, 10050, 10051);
    CHECK_SAYING(strcmp(text, "10050 of 10051 folds, 1 min 40 s left\n") == 0, "'%s'", text);
}

/* Of half of the work a million seconds are gone: as much is left, whatever the count of folds. */
TEST(a_known_part_tells_the_rest)
{
    double now = seconds_now();
    terminal_work work = {.started = now - long_ago, .told = now - long_ago, .part = 0.5};
    const char *text = told(&work, 0, 3);
    CHECK_SAYING(strcmp(text, "0 of 3 folds, 277 h 46 min left\n") == 0, "'%s'", text);
}

TEST(nothing_is_told_before_anything_is_done)
{
    terminal_work work = {0};
    CHECK(told(&work, 3, 10)[0] == '\0');
    CHECK(work.started > 0 && work.at_start == 3);
    work.started = work.told = seconds_now() - long_ago;
    CHECK(told(&work, 3, 10)[0] == '\0');
}

/* What is drawn on a terminal of so many columns. */
static const char *drawn(unsigned short columns, const char *what)
{
    static char text[512];
    int screen = posix_openpt(O_RDWR | O_NOCTTY), kept = dup(STDERR_FILENO);
    text[0] = '\0';
    if (!CHECK(screen >= 0 && kept >= 0 && grantpt(screen) == 0 && unlockpt(screen) == 0))
        return text;
    int terminal = open(ptsname(screen), O_RDWR | O_NOCTTY);
    const double now = seconds_now();
    terminal_work work = {.started = now - 600, .part = 0.5};
    CHECK(terminal >= 0 &&
          ioctl(terminal, TIOCSWINSZ, &(struct winsize){.ws_row = 24, .ws_col = columns}) == 0);
    dup2(terminal, STDERR_FILENO);
    terminal_progress_timed(&work, 13, 26, what);
    dup2(kept, STDERR_FILENO);
    ssize_t got = read(screen, text, sizeof text - 1);
    text[got > 0 ? got : 0] = '\0';
    close(terminal);
    close(screen);
    close(kept);
    return strncmp(text, "\r\033[K", 4) == 0 ? text + 4 : text;
}

/* A line that wraps is not drawn over by the next. */
TEST(progress_is_one_line_of_any_terminal)
{
    static const char what[] = "folds, ddct-unet-e2e step 40 of 200";
    const struct {
        unsigned short columns;
        const char *line;
    } cases[] = {
        {100, "[###############...............] 13 of 26 folds, ddct-unet-e2e step 40 of 200, 10 min 0 s left"},
        {80, "13 of 26 folds, ddct-unet-e2e step 40 of 200, 10 min 0 s left"},
        {40, "13 of 26 folds, 10 min 0 s left"},
        {32, "13 of 26 folds, 10 min 0 s left"},
        {31, "13 of 26 folds"},
        {30, "13 of 26 folds"},
    };
    setenv("COLUMNS", "0", 1);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *line = drawn(cases[i].columns, what);
        CHECK_SAYING(strcmp(line, cases[i].line) == 0, "%d columns: '%s'", (int)cases[i].columns, line);
    }
    unsetenv("COLUMNS");
}

static void cleans(const char *text, const char *expected)
{
    char copy[64];
    snprintf(copy, sizeof copy, "%s", text);
    terminal_clean(copy);
    CHECK_SAYING(strcmp(copy, expected) == 0, "'%s'", copy);
}

/* CSI as one character of Latin-1 and of UTF-8, DEL, overrides and isolates of direction, separators of lines. */
TEST(what_a_terminal_obeys_becomes_a_question_mark)
{
    cleans("plain, \xc3\xa9, \xe2\x82\xac, \xf0\x9f\x98\x80",
           "plain, \xc3\xa9, \xe2\x82\xac, \xf0\x9f\x98\x80");
    cleans("a\033[31mb\nc\x7f", "a?[31mb?c?");
    cleans("a\xc2\x9b"
           "31mb",
           "a?31mb");
    cleans("a\x9b"
           "31mb",
           "a?31mb");
    cleans("a\xc2\xa0"
           "b",
           "a\xc2\xa0"
           "b");
    cleans("a\xe2\x80\xae"
           "b\xe2\x81\xa6"
           "c\xe2\x80\xa8"
           "d\xd8\x9c",
           "a?b?c?d?");
    cleans("\xc0\x9b\xe0\x82\x9b", "?????"); /* not the shortest form of U+009B */
    cleans("\xe2\x80", "??");
}

static void rounded(const char *text, bool sign, const char *expected)
{
    char copy[64];
    snprintf(copy, sizeof copy, "%s", text);
    terminal_plain_zero(copy, sign);
    CHECK_SAYING(strcmp(copy, expected) == 0, "'%s'", copy);
}

TEST(zero_has_no_minus)
{
    rounded("-0.000", true, "+0.000");
    rounded("-0.00", false, "0.00");
    rounded("[-0.00, -0.01]", false, "[0.00, -0.01]");
    rounded("-0.001", true, "-0.001");
    rounded("-0e-05 1e-00", false, "-0e-05 1e-00");
}

/* Bytes that go to standard output in two writes are one character. */
TEST(output_is_cleaned_whatever_the_writes)
{
    char text[64] = "";
    FILE *file = tmpfile();
    int kept = dup(STDOUT_FILENO);
    if (!CHECK(file != NULL && kept >= 0))
        return;
    fflush(stdout);
    FILE *before = stdout;
    dup2(fileno(file), STDOUT_FILENO);
    standard_files_begin();
    fputs("a\xc2", stdout);
    fflush(stdout);
    fputs("\x9b"
          "b\xe2\x82",
          stdout);
    fflush(stdout);
    fputs("\xac\t\033[1mc\033[0m\033[2J\n", stdout);
    fflush(stdout);
    dup2(kept, STDOUT_FILENO);
    close(kept);
    stdout = before;
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    CHECK_SAYING(strcmp(text, "a?b\xe2\x82\xac\t\033[1mc\033[0m?[2J\n") == 0, "'%s'", text);
}

int main(void)
{
    harness_run_all();
    return harness_end();
}
