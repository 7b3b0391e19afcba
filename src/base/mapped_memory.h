/* Arrays too large for memory: kept in files, of which a bounded part is resident. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_BASE_MAPPED_MEMORY_H
#define CONGRU_BASE_MAPPED_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* A region is a temporary file without a name in $TMPDIR (/var/tmp where that is not set), mapped for reading and writing.
 * It is mapped shared, so that its pages can be given back to the system at any time, by any thread, and come again from
 * the file with what was written: nothing is lost. No other process has the file, so none can cut it short or change it.
 * That is why inputs are copied into regions and never mapped where they are. Those who walk through large arrays say how
 * far they came (congru_mapped_pass), and each time that adds up to the limit, all pages of all regions are given back.
 * Results do not depend on when.
 *
 * Regions are taken and freed through congru_memory_take and congru_memory_give (base/cache.h), which know what is a
 * region and what is not. Everything here may be called by any thread. */

/* Bytes above which an array is kept in a file: CONGRU_LARGE of the environment, in megabytes, or a 32nd of the
 * machine's memory, and 64 MB at least. */
size_t congru_mapped_limit(void);

/* For tests: the limit from now on; 0: as the environment says. */
void congru_mapped_set_limit(size_t bytes);

/* `size` bytes of a temporary file, zeros, aligned to a page. The room on the disk is had here, not when it is written
 * to. NULL on failure, with the reason kept for congru_mapped_reason. */
void *congru_mapped_take(size_t size);

/* The region made larger: what is in it stays, the address changes. NULL as with congru_mapped_take, and when the memory
 * is no region; it is then as it was. */
void *congru_mapped_grow(void *memory, size_t size);

/* Gives a region back; false when the memory is none. */
bool congru_mapped_give(void *memory);

/* So many bytes of what may be regions were walked through. Nearly free when there are none. */
void congru_mapped_pass(size_t bytes);

/* Why this thread's last congru_mapped_take or congru_mapped_grow failed, "" if it did not; forgotten once asked for. */
const char *congru_mapped_reason(void);

#endif
