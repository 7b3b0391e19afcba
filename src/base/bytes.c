/* Messages between processes, as bytes. SPDX-License-Identifier: Apache-2.0 */
#include "base/bytes.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM_LEAST = 256 };

static bool make_room(congru_bytes *bytes, size_t size)
{
    size_t room = bytes->room > 0 ? bytes->room : ROOM_LEAST;
    if (bytes->failed || size > SIZE_MAX / 4)
        return false;
    while (room < bytes->size + size)
        room *= 2;
    if (room == bytes->room)
        return true;
    unsigned char *larger = realloc(bytes->data, room);
    if (larger == NULL)
        return false;
    bytes->data = larger;
    bytes->room = room;
    return true;
}

void congru_bytes_add(congru_bytes *bytes, const void *data, size_t size)
{
    if (!make_room(bytes, size)) {
        bytes->failed = true;
        return;
    }
    if (size > 0)
        memcpy(bytes->data + bytes->size, data, size);
    bytes->size += size;
}

void congru_bytes_add_count(congru_bytes *bytes, size_t count)
{
    uint64_t number = count;
    congru_bytes_add(bytes, &number, sizeof number);
}

void congru_bytes_add_text(congru_bytes *bytes, const char *text)
{
    congru_bytes_add(bytes, text, strlen(text) + 1);
}

void congru_bytes_clear(congru_bytes *bytes)
{
    free(bytes->data);
    *bytes = (congru_bytes){0};
}

void congru_parcel_take(congru_parcel *parcel, void *data, size_t size)
{
    if (parcel->failed || size > parcel->size) {
        parcel->failed = true;
        memset(data, 0, size);
        return;
    }
    if (size > 0)
        memcpy(data, parcel->data, size);
    parcel->data += size;
    parcel->size -= size;
}

size_t congru_parcel_count(congru_parcel *parcel)
{
    uint64_t number;
    congru_parcel_take(parcel, &number, sizeof number);
    return (size_t)number;
}

const char *congru_parcel_text(congru_parcel *parcel)
{
    const unsigned char *end = parcel->failed ? NULL : memchr(parcel->data, '\0', parcel->size);
    const char *text = (const char *)parcel->data;
    if (end == NULL) {
        parcel->failed = true;
        return "";
    }
    parcel->size -= (size_t)(end + 1 - parcel->data);
    parcel->data = end + 1;
    return text;
}
