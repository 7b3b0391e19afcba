/* Reads the first bytes of a file. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "file_beginning.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

int file_beginning(const char *path, size_t size, char *bytes, size_t *taken)
{
    struct stat about;
    *taken = 0;
    /* A pipe without a writer must not hold the open up. */
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (descriptor < 0)
        return errno;
    int cause = fstat(descriptor, &about) != 0 ? errno : 0;
    while (cause == 0 && S_ISREG(about.st_mode) && *taken < size) {
        ssize_t got = read(descriptor, bytes + *taken, size - *taken);
        if (got == 0)
            break;
        if (got > 0)
            *taken += (size_t)got;
        else if (errno != EINTR)
            cause = errno;
    }
    close(descriptor);
    return cause;
}
