/* What kind of file it is, by its first bytes. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLI_FILE_BEGINNING_H
#define CONGRU_CLI_FILE_BEGINNING_H

#include <stddef.h>

/* Up to `size` of its first bytes, and how many there are in *taken: none of what is not a regular file, which
 * its reader explains. Returns 0, or why it cannot be read, as errno has it. */
int file_beginning(const char *path, size_t size, char *bytes, size_t *taken);

#endif
