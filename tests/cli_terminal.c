/* The time that remains, as the command tells it of long work. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/terminal.h"
#include "harness.h"

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
static void the_rest_is_told_at_the_pace_so_far(void)
{
    says(100, 101, "100 of 101 folds, 2 h 46 min left\n");
    says(10000, 10001, "10000 of 10001 folds, 1 min 40 s left\n");
    says(100000, 100001, "100000 of 100001 folds, 10 s left\n");
    says(100000, 100006, "100000 of 100006 folds, 1 min 0 s left\n");
    says(1000, 1036, "1000 of 1036 folds, 10 h 0 min left\n");
}

/* What was there from before is not counted. */
static void work_that_is_taken_up_again_has_its_own_pace(void)
{
    double now = seconds_now();
    terminal_work work = {.started = now - long_ago, .told = now - long_ago, .at_start = 50};
    const char *text = told(&work, 10050, 10051);
    CHECK_SAYING(strcmp(text, "10050 of 10051 folds, 1 min 40 s left\n") == 0, "'%s'", text);
}

static void nothing_is_told_before_anything_is_done(void)
{
    terminal_work work = {0};
    CHECK(told(&work, 3, 10)[0] == '\0');
    CHECK(work.started > 0 && work.at_start == 3);
    work.started = work.told = seconds_now() - long_ago;
    CHECK(told(&work, 3, 10)[0] == '\0');
}

int main(void)
{
    RUN(the_rest_is_told_at_the_pace_so_far);
    RUN(work_that_is_taken_up_again_has_its_own_pace);
    RUN(nothing_is_told_before_anything_is_done);
    return harness_end();
}
