/* Standard output through one function that writes all or knows why not. SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* fopencookie */
#include "standard_files.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "terminal.h"

static int output_error;
static bool output_closed;

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
    errno = EBADF;
    if (!output_closed && standard_files_write(STDOUT_FILENO, bytes, size))
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
    if ((output_error != 0 || ferror(stdout)) && code == EXIT_DONE)
        return terminal_fail(EXIT_FAILED, "standard output: cannot write: %s",
                             strerror(output_error != 0 ? output_error : EIO));
    return code;
}
