/* A digest of bytes, by which files and settings are told apart. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_BASE_DIGEST_H
#define CONGRU_BASE_DIGEST_H

#include <stddef.h>
#include <stdint.h>

/* Mixes the bytes, 64 bits at a time, into a digest, which begins as any number; mapped memory is walked through page by page.
 * No protection against forgery is meant. */
uint64_t congru_digest(uint64_t digest, const void *data, size_t bytes);

#endif
