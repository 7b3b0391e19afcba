/* What the command prints: error lines, text wrapped to the terminal, and files that tell what became of it. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLI_TERMINAL_H
#define CONGRU_CLI_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "congru/status.h"

/* What the command exits with. */
enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

/* Prints "congru: ", the text and a newline to standard error, and returns `exit_code`. It stays one line
 * whatever a file is called: control characters come out as '?'. */
int terminal_fail(int exit_code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The exit code of a call that refuses words of the command line: EXIT_USAGE, but where memory ran out. */
int terminal_refusal(congru_status status);

/* The candidate that `name` is most likely meant to be, or NULL; candidate(i, user) is NULL after the last. */
const char *terminal_nearest(const char *name, const char *(*candidate)(size_t, const void *),
                             const void *user);

/* EXIT_USAGE for a name that is none of the candidates: "WHAT 'NAME' (did you mean 'OTHER'?)", or the hint in brackets. */
int terminal_fail_unknown(const char *what, const char *name, const char *(*candidate)(size_t, const void *),
                          const void *user, const char *hint);

/* The same for what does not end the command: "congru: warning: ". */
void terminal_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* From now on error lines and progress are kept to itself: another process speaks for this one. */
void terminal_mute(void);

/* The text of the last error line, printed or not; "" before the first. */
const char *terminal_last_error(void);

/* The number of columns to write in: the environment's COLUMNS, else that of the terminal, else 80; kept
 * between 20 and 100, where text can be read. */
size_t terminal_width(void);

/* Prints words to standard output, breaking lines at spaces: the first line begins at column `column`, where
 * the cursor is already, the others are indented by `indent`. `joint` ends each broken line ("" or " \\"). A
 * word longer than a line is left whole. */
void terminal_wrap(const char *text, size_t column, size_t indent, const char *joint);

/* Prints `term` and its explanation: beside it from column `indent` on where there is room for both, under it
 * in a narrow terminal. */
void terminal_define(const char *term, const char *text, size_t indent);

/* Whether mpirun, srun or the like has started this process. */
bool terminal_is_launched(void);

/* Whether a file is a terminal that someone looks at: mpirun gives its processes one of their own, and passes on what they
 * write to wherever its output goes. */
bool terminal_is(int descriptor);

/* Whether standard output is a terminal that may be coloured: the environment's NO_COLOR is honoured. */
bool terminal_colours(void);

/* How many columns UTF-8 text takes, one for each character. */
size_t terminal_columns(const char *text);

/* Makes control characters, which names in files may hold, into '?': those of ASCII, U+0080 to U+009F, what changes
 * the direction of text or ends a line, and bytes that are not UTF-8. It may get shorter. */
void terminal_clean(char *text);

/* The same for bytes, of which the characters in `kept` are left as they are; returns the new size. */
size_t terminal_clean_bytes(char *text, size_t size, const char *kept);

/* Makes "-0.00", which a small negative number is rounded to, "0.00", or "+0.00" where numbers have their `sign`. */
void terminal_plain_zero(char *text, bool sign);

/* A bar on standard error for `done` of `total`, drawn over the last one; nothing when that is not a terminal.
 * An error line or terminal_progress_end wipes it away. */
void terminal_progress(size_t done, size_t total, const char *what);

/* The same for long work, with the time that remains; where standard error is not a terminal, a plain line every ten
 * seconds or more. {0} begins. */
typedef struct terminal_work {
    double started, told;
    size_t at_start;
    double
        part; /* how much of the work since the start is done, 0 to 1, where it is known better than by counting */
} terminal_work;
void terminal_progress_timed(terminal_work *work, size_t done, size_t total, const char *what);
void terminal_progress_end(void);

/* To be called first. From then on what is printed is written whole, however short or interrupted the writes
 * are, and the reason why it cannot be is remembered; and no file that is opened takes the place of a
 * standard one that was closed, which prints would then go to. */
void standard_files_begin(void);

/* Whether all that was printed has arrived; prints a line if not, unless `code` says that one was printed. */
int standard_files_end(int code);

/* What is printed is text for readers, and passes through terminal_clean_bytes: a name in a file cannot command the
 * terminal, now or when what was redirected is looked at. After this call it is a file in itself, such as a figure,
 * whose bytes are left as they are unless they go to a terminal. */
void standard_files_as_is(void);

/* From now on what is printed goes nowhere; false with errno set. */
bool standard_files_silence(void);

/* Writes all of it, whatever interrupts; false with errno set. */
bool standard_files_write(int descriptor, const char *bytes, size_t size);

#endif
