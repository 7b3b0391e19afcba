/* Standard output through one function that writes all or knows why not. SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* fopencookie */
#include "standard_files.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "terminal.h"

static int output_error;

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
static ssize_t print(void *user, const char *bytes, size_t size)
{
    (void)user;
    if (standard_files_write(STDOUT_FILENO, bytes, size))
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

/* Opened the other way round, so that reading from or writing to it fails as it would if it were closed. */
static void hold_place(int descriptor, int mode)
{
    if (fcntl(descriptor, F_GETFD) < 0 && errno == EBADF) {
        int opened = open("/dev/null", mode);
        if (opened >= 0 && opened != descriptor) {
            dup2(opened, descriptor);
            close(opened);
        }
    }
}

void standard_files_begin(void)
{
    /* A reader that has gone, or a file that may not grow, is an error to report and clean up after, not a
     * reason to die midway. */
    signal(SIGPIPE, SIG_IGN);
#ifdef SIGXFSZ
    signal(SIGXFSZ, SIG_IGN);
#endif
    hold_place(STDIN_FILENO, O_WRONLY);
    hold_place(STDOUT_FILENO, O_RDONLY);
    hold_place(STDERR_FILENO, O_RDONLY);
    take_over_output();
}

int standard_files_end(int code)
{
    if (fflush(stdout) != 0 && output_error == 0)
        output_error = errno;
    if ((output_error != 0 || ferror(stdout)) && code == EXIT_DONE)
        return terminal_fail(EXIT_FAILED, "standard output: cannot write: %s",
                             strerror(output_error != 0 ? output_error : EIO));
    return code;
}
