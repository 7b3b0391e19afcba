/* Opens and flushes files though signals come. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "base/descriptor.h"

#include <errno.h>
#include <unistd.h>

int congru_descriptor_open(const char *path, int flags, mode_t mode)
{
    int descriptor;
    do
        descriptor = open(path, flags | O_CLOEXEC, mode);
    while (descriptor < 0 && errno == EINTR);
    return descriptor;
}

int congru_descriptor_sync(int descriptor)
{
    int result;
    do
        result = fsync(descriptor);
    while (result != 0 && errno == EINTR);
    return result;
}
