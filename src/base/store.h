/* Arrays too large for memory: kept in files, of which a bounded part is resident. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_BASE_STORE_H
#define CONGRU_BASE_STORE_H

#include <stdbool.h>
#include <stddef.h>

/* A region is either a part of a file, mapped for reading, or a temporary file without a name in $TMPDIR (/var/tmp where
 * that is not set), mapped for reading and writing. Both are mapped shared, so that their pages can be given back to the
 * system at any time, by any thread, and come again from the file with what was written: nothing is lost, and nothing
 * else sees it. Those who walk through large arrays say how far they came (congru_store_pass), and each time that adds
 * up to the limit, all pages of all regions are given back. Results do not depend on when.
 *
 * Everything here may be called by any thread. */

/* Bytes above which an array is kept in a file: CONGRU_LARGE of the environment, in megabytes, or 64 MB. */
size_t congru_store_limit(void);

/* For tests: the limit from now on; 0: as the environment says. */
void congru_store_set_limit(size_t bytes);

/* `size` bytes of a temporary file, zeros, aligned to a page. The room on the disk is had here, not when it is written
 * to. NULL on failure, with the reason kept for congru_store_reason. */
void *congru_store_take(size_t size);

/* `size` bytes at `offset` of an open file, which may be closed afterwards; writing to them is a fault. The file must
 * have that many; a file that is cut short later makes reading a fault too. NULL when it cannot be mapped. */
void *congru_store_map(int descriptor, size_t offset, size_t size);

/* The region made larger, of a temporary file: what is in it stays, the address changes. NULL as with
 * congru_store_take, and when the memory is none of a temporary file; it is then as it was. */
void *congru_store_grow(void *memory, size_t size);

/* Gives a region back; false when the memory is none. */
bool congru_store_give(void *memory);

/* The memory is a region that may not be written to. */
bool congru_store_is_mapped(const void *memory);

/* So many bytes of what may be regions were walked through. Nearly free when there are none. */
void congru_store_pass(size_t bytes);

/* Why this thread's last congru_store_take or congru_store_grow failed, "" if it did not; forgotten once asked for. */
const char *congru_store_reason(void);

#endif
