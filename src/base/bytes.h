/* Messages between processes, as bytes that grow and bytes that are taken. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_BASE_BYTES_H
#define CONGRU_BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>

/* {0} is empty. After a failed allocation everything added is dropped and `failed` stays set. Numbers are as they are in
 * memory: the processes of a process group run the same program on the same kind of machine. */
typedef struct congru_bytes {
    unsigned char *data;
    size_t size, room;
    bool failed;
} congru_bytes;

void congru_bytes_add(congru_bytes *bytes, const void *data, size_t size);
void congru_bytes_add_count(congru_bytes *bytes, size_t count);
void congru_bytes_add_text(congru_bytes *bytes, const char *text);
void congru_bytes_clear(congru_bytes *bytes);

/* What was received, taken from the front. Taking more than there is sets `failed`, and gives zeros. */
typedef struct congru_parcel {
    const unsigned char *data;
    size_t size;
    bool failed;
} congru_parcel;

void congru_parcel_take(congru_parcel *parcel, void *data, size_t size);
size_t congru_parcel_count(congru_parcel *parcel);

/* Points into the parcel; "" when there is none. */
const char *congru_parcel_text(congru_parcel *parcel);

#endif
