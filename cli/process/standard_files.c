/* Standard output through one function that writes all or knows why not. SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* fopencookie */
#include "terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PIECE_SIZE = 4096, CHARACTER_SIZE = 4 };

static int output_error;
static bool output_closed, as_is;
static char held[CHARACTER_SIZE]; /* the begin of a character whose other bytes come with the next write */
static size_t held_size;

bool standard_files_write(int descriptor, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t written = write(descriptor, bytes, size);
        if (written < 0 && errno != EINTR)
            return false;
        if (written > 0) {
            bytes += written;
            size -= (size_t)written;
        }
    }
    return true;
}

/* The C library gives up at EINTR, and forgets the reason of a failure before the last. */
#ifdef __linux__
/* How many of the last bytes begin a character that goes on after them. */
static size_t unfinished(const char *bytes, size_t size)
{
    for (size_t back = 1; back < CHARACTER_SIZE && back <= size; back++) {
        const unsigned char c = (unsigned char)bytes[size - back];
        size_t whole = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc0 ? 2 : 1;
        if ((c & 0xc0) != 0x80)
            return whole > back ? back : 0;
    }
    return 0;
}

/* Names in files may hold what a terminal obeys; of that, only the two codes of the command's own tables pass. */
static bool write_clean(char *text, size_t size)
{
    static const char *const codes[] = {"\033[1m", "\033[0m"};
    while (size > 0) {
        size_t part = size, code = 0;
        for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
            const char *found = memmem(text, part, codes[i], strlen(codes[i]));
            if (found != NULL) {
                part = (size_t)(found - text);
                code = strlen(codes[i]);
            }
        }
        if (!standard_files_write(STDOUT_FILENO, text, terminal_clean_bytes(text, part, "\n\t")) ||
            !standard_files_write(STDOUT_FILENO, text + part, code))
            return false;
        text += part + code;
        size -= part + code;
    }
    return true;
}

static bool write_text(const char *bytes, size_t size)
{
    while (size > 0) {
        char text[CHARACTER_SIZE + PIECE_SIZE];
        size_t piece = size < PIECE_SIZE ? size : PIECE_SIZE, all = held_size + piece;
        memcpy(text, held, held_size);
        memcpy(text + held_size, bytes, piece);
        held_size = unfinished(text, all);
        memcpy(held, text + all - held_size, held_size);
        if (!write_clean(text, all - held_size))
            return false;
        bytes += piece;
        size -= piece;
    }
    return true;
}

static ssize_t print(void *user, const char *bytes, size_t size)
{
    (void)user;
    errno = EBADF;
    if (!output_closed && (as_is ? standard_files_write(STDOUT_FILENO, bytes, size) : write_text(bytes, size)))
        return (ssize_t)size;
    output_error = errno;
    return 0;
}

static void take_over_output(void)
{
    FILE *output = fopencookie(NULL, "w", (cookie_io_functions_t){.write = print});
    if (output == NULL)
        return;
    setvbuf(output, NULL, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF, BUFSIZ);
    stdout = output;
}
#else
static void take_over_output(void)
{
}
#endif

/* With a socket that leads nowhere: reading and writing fail, as does opening it by another name (/dev/stdout). */
static bool hold_place(int descriptor)
{
    if (fcntl(descriptor, F_GETFD) >= 0 || errno != EBADF)
        return false;
    int opened = socket(AF_UNIX, SOCK_STREAM, 0);
    if (opened >= 0 && opened != descriptor) {
        dup2(opened, descriptor);
        close(opened);
    }
    return true;
}

void standard_files_begin(void)
{
    /* A reader that has gone, or a file that may not grow, is an error to report and clean up after, not a
     * reason to die midway. */
    signal(SIGPIPE, SIG_IGN);
#ifdef SIGXFSZ
    signal(SIGXFSZ, SIG_IGN);
#endif
    hold_place(STDIN_FILENO);
    output_closed = hold_place(STDOUT_FILENO);
    hold_place(STDERR_FILENO);
    take_over_output();
}

void standard_files_as_is(void)
{
    fflush(stdout);
    as_is = !terminal_is(STDOUT_FILENO);
}

bool standard_files_silence(void)
{
    int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere < 0 || dup2(nowhere, STDOUT_FILENO) < 0)
        return false;
    close(nowhere);
    return true;
}

int standard_files_end(int code)
{
    if (fflush(stdout) != 0 && output_error == 0)
        output_error = errno;
    if (output_error == EPIPE && code != EXIT_USAGE) /* the reader has what it wanted, as in "| head" */
        return 128 + SIGPIPE;
    if ((output_error != 0 || ferror(stdout)) && code == EXIT_DONE)
        return terminal_fail(EXIT_FAILED, "standard output: cannot write: %s",
                             strerror(output_error != 0 ? output_error : EIO));
    return code;
}
