/* Opening and flushing that a signal does not end. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_BASE_DESCRIPTOR_H
#define CONGRU_BASE_DESCRIPTOR_H

#include <fcntl.h>

/* open() with O_CLOEXEC, begun again when a signal comes between, as file systems on a network let it; -1 with errno set. */
int congru_descriptor_open(const char *path, int flags, mode_t mode);

/* fsync(), begun again likewise; 0, or -1 with errno set. */
int congru_descriptor_sync(int descriptor);

#endif
