/* Error lines, wrapped text and guesses at what was meant. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "terminal.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "congru/option.h"
#include "congru/text.h"

enum { WIDTH_DEFAULT = 80, WIDTH_MIN = 20, WIDTH_MAX = 100, INDENT_NARROW = 6, TEXT_WIDTH_MIN = 24 };

enum { ERROR_SIZE = 8192, NAMES_MAX = 256 };

enum { BAR_SIZE = 30, PLAIN_SECONDS = 10, LINE_SIZE = 512 };

static const double part_known = 0.005; /* of less no time is told */

static bool bar_drawn, muted;
static char last_error[ERROR_SIZE];

int terminal_fail(int exit_code, const char *format, ...)
{
    static const char prefix[] = "congru: ";
    char line[sizeof prefix + ERROR_SIZE + 1], *text = line + sizeof prefix - 1;
    va_list arguments;
    memcpy(line, prefix, sizeof prefix);
    va_start(arguments, format);
    vsnprintf(text, ERROR_SIZE, format, arguments);
    va_end(arguments);
    terminal_clean(text);
    terminal_progress_end();
    memcpy(last_error, text, strlen(text) + 1);
    if (muted)
        return exit_code;
    size_t size = strlen(line);
    line[size++] = '\n';
    standard_files_write(STDERR_FILENO, line, size);
    return exit_code;
}

const char *terminal_nearest(const char *name, const char *(*candidate)(size_t, const void *), const void *user)
{
    const char *names[NAMES_MAX];
    size_t count = 0;
    while (count < NAMES_MAX && (names[count] = candidate(count, user)) != NULL)
        count++;
    return congru_nearest(name, count, names);
}

int terminal_refusal(congru_status status)
{
    return status == CONGRU_ERROR_MEMORY ? EXIT_FAILED : EXIT_USAGE;
}

int terminal_fail_unknown(const char *what, const char *name, const char *(*candidate)(size_t, const void *),
                          const void *user, const char *hint)
{
    const char *meant = terminal_nearest(name, candidate, user);
    if (meant != NULL)
        return terminal_fail(EXIT_USAGE, "%s '%s' (did you mean '%s'?)", what, name, meant);
    return terminal_fail(EXIT_USAGE, "%s '%s' (%s)", what, name, hint);
}

void terminal_warn(const char *format, ...)
{
    char line[ERROR_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    terminal_fail(EXIT_DONE, "warning: %s", line);
}

void terminal_mute(void)
{
    muted = true;
}

const char *terminal_last_error(void)
{
    return last_error;
}

size_t terminal_clean_bytes(char *text, size_t size, const char *kept)
{
    size_t used = 0;
    for (size_t at = 0, step; at < size; at += step) {
        uint32_t number = 0;
        step = congru_utf8_decode(text + at, size - at, &number);
        if (step == 1 && number != 0 && strchr(kept, (int)number) != NULL) {
            text[used++] = text[at];
        } else if (step == 0 || congru_utf8_is_control(number)) {
            text[used++] = '?';
            step += step == 0;
        } else {
            memmove(text + used, text + at, step);
            used += step;
        }
    }
    return used;
}

void terminal_plain_zero(char *text, bool sign)
{
    for (char *c = text; (c = strchr(c, '-')) != NULL; c++) {
        bool alone = c == text || strchr(" [(", c[-1]) != NULL;
        if (!alone || c[1] != '0' || isalnum((unsigned char)c[1 + strspn(c + 1, "0.")]))
            continue;
        if (sign)
            *c = '+';
        else
            memmove(c, c + 1, strlen(c));
    }
}

void terminal_clean(char *text)
{
    text[terminal_clean_bytes(text, strlen(text), "")] = '\0';
}

/* What Open MPI's mpirun, Slurm's srun and MPICH's launchers tell the processes they start. */
bool terminal_is_launched(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (getenv(names[i]) != NULL)
            return true;
    return false;
}

bool terminal_is(int descriptor)
{
    return isatty(descriptor) && !terminal_is_launched();
}

size_t terminal_columns(const char *text)
{
    size_t columns = 0;
    for (; *text != '\0'; text++)
        columns += ((unsigned char)*text & 0xc0) != 0x80; /* not within a character */
    return columns;
}

static size_t width_of(int descriptor)
{
    long width = 0;
    struct winsize window;
    const char *columns = getenv("COLUMNS");
    if (columns != NULL)
        width = strtol(columns, NULL, 10);
    if (width <= 0 && terminal_is(descriptor) && ioctl(descriptor, TIOCGWINSZ, &window) == 0)
        width = window.ws_col;
    if (width <= 0)
        width = WIDTH_DEFAULT;
    return (size_t)(width < WIDTH_MIN ? WIDTH_MIN : width > WIDTH_MAX ? WIDTH_MAX : width);
}

/* The first of these that fits: "[###...] 2 of 9 folds, dct-e2e step 3 of 8, 1 min 0 s left", without the bar, without
 * what is done at the moment (`what` from its first comma on), without the time. A longer line would wrap, and the next
 * would not be drawn over it. */
static void draw_progress(size_t done, size_t total, const char *what, const char *rest)
{
    char line[LINE_SIZE], bar[BAR_SIZE + 1];
    const size_t room = width_of(STDERR_FILENO) - 1;
    const int brief = (int)strcspn(what, ","), whole = (int)strlen(what);
    const char *const comma = rest[0] != '\0' ? ", " : "";
    memset(bar, '.', BAR_SIZE);
    memset(bar, '#', (size_t)((double)done / (double)total * BAR_SIZE));
    bar[BAR_SIZE] = '\0';
    snprintf(line, sizeof line, "[%s] %zu of %zu %s%s%s", bar, done, total, what, comma, rest);
    for (int step = 0; terminal_columns(line) > room && step < 3; step++)
        snprintf(line, sizeof line, "%zu of %zu %.*s%s%s", done, total, step == 0 ? whole : brief, what,
                 step < 2 ? comma : "", step < 2 ? rest : "");
    while (terminal_columns(line) > room)
        line[strlen(line) - 1] = '\0';
    fprintf(stderr, "\r\033[K%s", line);
    fflush(stderr);
    bar_drawn = true;
}

void terminal_progress(size_t done, size_t total, const char *what)
{
    if (!muted && terminal_is(STDERR_FILENO) && total > 0)
        draw_progress(done, total, what, "");
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void describe_rest(double seconds, char *text, size_t size)
{
    long rest = (long)(seconds + 0.5);
    if (rest >= 3600)
        snprintf(text, size, "%ld h %ld min left", rest / 3600, rest % 3600 / 60);
    else if (rest >= 60)
        snprintf(text, size, "%ld min %ld s left", rest / 60, rest % 60);
    else
        snprintf(text, size, "%ld s left", rest);
}

void terminal_progress_timed(terminal_work *work, size_t done, size_t total, const char *what)
{
    char rest[64] = "";
    double now = seconds_now();
    if (work->started == 0) {
        *work = (terminal_work){now, now, done, 0};
        return;
    }
    bool begun = done > work->at_start || work->part > 0;
    if (work->part > part_known)
        describe_rest((now - work->started) * (1 - work->part) / work->part, rest, sizeof rest);
    else if (done > work->at_start)
        describe_rest((now - work->started) * (double)(total - done) / (double)(done - work->at_start), rest,
                      sizeof rest);
    if (!muted && terminal_is(STDERR_FILENO) && total > 0) {
        draw_progress(done, total, what, rest);
    } else if (!muted && begun && now - work->told >= PLAIN_SECONDS) {
        work->told = now;
        fprintf(stderr, "%zu of %zu %s%s%s\n", done, total, what, rest[0] != '\0' ? ", " : "", rest);
    }
}

bool terminal_colours(void)
{
    const char *no_colour = getenv("NO_COLOR"), *term = getenv("TERM");
    return terminal_is(STDOUT_FILENO) && (no_colour == NULL || *no_colour == '\0') &&
           (term == NULL || strcmp(term, "dumb") != 0);
}

void terminal_progress_end(void)
{
    if (bar_drawn)
        fputs("\r\033[K", stderr);
    bar_drawn = false;
}

size_t terminal_width(void)
{
    return width_of(STDOUT_FILENO);
}

void terminal_wrap(const char *text, size_t column, size_t indent, const char *joint)
{
    size_t width = terminal_width() - strlen(joint), at = column;
    bool line_empty = true;
    while (*text != '\0') {
        size_t word = strcspn(text, " ");
        size_t gap = line_empty ? 0 : 1;
        if (!line_empty && at + gap + word > width) {
            printf("%s\n%*s", joint, (int)indent, "");
            at = indent;
            gap = 0;
        }
        printf("%s%.*s", gap > 0 ? " " : "", (int)word, text);
        at += gap + word;
        line_empty = false;
        text += word;
        text += *text != '\0';
    }
    printf("\n");
}

void terminal_define(const char *term, const char *text, size_t indent)
{
    bool narrow = terminal_width() < indent + TEXT_WIDTH_MIN;
    size_t column = 2 + strlen(term);
    printf("  %s", term);
    if (narrow)
        indent = INDENT_NARROW;
    if (narrow || column + 2 > indent)
        printf("\n%*s", (int)indent, "");
    else
        printf("%*s", (int)(indent - column), "");
    terminal_wrap(text, indent, indent, "");
}
