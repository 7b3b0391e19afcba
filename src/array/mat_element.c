/* Elements of a MATLAB file: tags, numbers of every storage type, characters. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "array/mat_internal.h"
#include "base/mapped_memory.h"
#include "base/memory.h"
#include "base/utf8.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the MATLAB reader swaps the values of big-endian files"
#endif

enum { CHUNK = 4096 /* bytes converted at once; a multiple of every width */ };

static const size_t widths[] = {
    [CONGRU_MI_INT8] = 1,  [CONGRU_MI_UINT8] = 1,  [CONGRU_MI_INT16] = 2,  [CONGRU_MI_UINT16] = 2,
    [CONGRU_MI_INT32] = 4, [CONGRU_MI_UINT32] = 4, [CONGRU_MI_SINGLE] = 4, [CONGRU_MI_DOUBLE] = 8,
    [CONGRU_MI_INT64] = 8, [CONGRU_MI_UINT64] = 8, [CONGRU_MI_UTF8] = 1,   [CONGRU_MI_UTF16] = 2,
    [CONGRU_MI_UTF32] = 4,
};

/* 0 for what has no width: matrices, compressed data, types there are not. */
static size_t width_of(uint32_t type)
{
    return type < sizeof widths / sizeof widths[0] ? widths[type] : 0;
}

uint32_t congru_mat_uint32(const congru_mat_stream *stream, const unsigned char *bytes)
{
    uint32_t value;
    memcpy(&value, bytes, sizeof value);
    return congru_mat_swaps(stream) ? __builtin_bswap32(value) : value;
}

congru_status congru_mat_take_tag(congru_mat_stream *stream, uint64_t limit, congru_mat_tag *tag)
{
    unsigned char bytes[8];
    uint64_t position = congru_mat_position(stream);
    if (limit - position < sizeof bytes)
        return congru_mat_fail(stream, CONGRU_ERROR_FORMAT,
                               "expected another element, found the end of the array");
    CONGRU_TRY(congru_mat_take(stream, bytes, sizeof bytes));
    uint32_t first = congru_mat_uint32(stream, bytes);
    tag->small = first >> 16 != 0;
    if (tag->small) {
        tag->type = first & 0xffff;
        tag->size = first >> 16;
        memcpy(tag->inside, bytes + 4, sizeof tag->inside);
        if (tag->size > sizeof tag->inside)
            return congru_mat_fail(stream, CONGRU_ERROR_FORMAT,
                                   "a small element of %u bytes: expected at most 4", (unsigned)tag->size);
        return CONGRU_OK;
    }
    tag->type = first;
    tag->size = congru_mat_uint32(stream, bytes + 4);
    if (tag->size > limit - position - sizeof bytes)
        return congru_mat_fail(stream, CONGRU_ERROR_FORMAT, "an element of %u bytes where %llu are left",
                               (unsigned)tag->size, (unsigned long long)(limit - position - sizeof bytes));
    return CONGRU_OK;
}

/* Data begin at multiples of eight. */
static congru_status take_padding(congru_mat_stream *stream, uint64_t limit, const congru_mat_tag *tag)
{
    unsigned char padding[8];
    uint64_t left = limit - congru_mat_position(stream);
    size_t size = tag->small ? 0 : (8 - tag->size % 8) % 8;
    return congru_mat_take(stream, padding, size < left ? size : (size_t)left);
}

/* Data that are not wanted, and the padding after it. */
static congru_status pass_data(congru_mat_stream *stream, uint64_t limit, const congru_mat_tag *tag)
{
    CONGRU_TRY(tag->small ? CONGRU_OK : congru_mat_pass(stream, tag->size));
    return take_padding(stream, limit, tag);
}

congru_status congru_mat_take_data(congru_mat_stream *stream, uint64_t limit, const congru_mat_tag *tag,
                                   void *into, size_t room)
{
    if (tag->size > room)
        return congru_mat_fail(stream, CONGRU_ERROR_UNSUPPORTED,
                               "an element of %u bytes; at most %zu are read here", (unsigned)tag->size, room);
    if (tag->small) {
        memcpy(into, tag->inside, tag->size);
        return CONGRU_OK;
    }
    CONGRU_TRY(congru_mat_take(stream, into, tag->size));
    return take_padding(stream, limit, tag);
}

/* ---- Numbers ------------------------------------------------------------------------------------- */

static void swap_bytes(unsigned char *bytes, size_t size, size_t width)
{
    for (size_t i = 0; i < size; i += width)
        for (size_t k = 0; k < width / 2; k++) {
            unsigned char byte = bytes[i + k];
            bytes[i + k] = bytes[i + width - 1 - k];
            bytes[i + width - 1 - k] = byte;
        }
}

#define CONVERT(storage) \
    do { \
        for (size_t i = 0; i < count; i++) { \
            storage value; \
            memcpy(&value, bytes + i * sizeof value, sizeof value); \
            number[i] = (double)value; \
        } \
    } while (0)

static void convert(uint32_t type, const unsigned char *bytes, size_t count, double *number)
{
    switch (type) {
    case CONGRU_MI_INT8:
        CONVERT(int8_t);
        break;
    case CONGRU_MI_UINT8:
        CONVERT(uint8_t);
        break;
    case CONGRU_MI_INT16:
        CONVERT(int16_t);
        break;
    case CONGRU_MI_UINT16:
        CONVERT(uint16_t);
        break;
    case CONGRU_MI_INT32:
        CONVERT(int32_t);
        break;
    case CONGRU_MI_UINT32:
        CONVERT(uint32_t);
        break;
    case CONGRU_MI_SINGLE:
        CONVERT(float);
        break;
    case CONGRU_MI_INT64:
        CONVERT(int64_t);
        break;
    case CONGRU_MI_UINT64:
        CONVERT(uint64_t);
        break;
    default:
        CONVERT(double);
    }
}

/* MATLAB stores an array in the narrowest type that holds its values, whatever its class; a value that its
 * class could not have is a damaged file. Singles stored as doubles are rounded as the class would. */
static bool fit_class(uint32_t class_number, double *number, size_t count)
{
    static const struct {
        double least, most;
    } range[] = {
        [CONGRU_MX_INT8] = {-128, 127},
        [CONGRU_MX_UINT8] = {0, 255},
        [CONGRU_MX_INT16] = {-32768, 32767},
        [CONGRU_MX_UINT16] = {0, 65535},
        [CONGRU_MX_INT32] = {-2147483648.0, 2147483647.0},
        [CONGRU_MX_UINT32] = {0, 4294967295.0},
        [CONGRU_MX_INT64] = {-9223372036854775808.0, 9223372036854775808.0},
        [CONGRU_MX_UINT64] = {0, 18446744073709551616.0},
    };
    if (class_number == CONGRU_MX_SINGLE)
        for (size_t i = 0; i < count; i++)
            number[i] = (double)(float)number[i];
    if (class_number < CONGRU_MX_INT8 || class_number > CONGRU_MX_UINT64)
        return true;
    for (size_t i = 0; i < count; i++)
        if (!(number[i] >= range[class_number].least && number[i] <= range[class_number].most) ||
            floor(number[i]) != number[i])
            return false;
    return true;
}

congru_status congru_mat_take_numbers(congru_mat_stream *stream, uint64_t limit, uint32_t class_number,
                                      size_t count, double **number)
{
    congru_mat_tag tag;
    congru_status status = congru_mat_take_tag(stream, limit, &tag);
    if (status != CONGRU_OK)
        return status;
    size_t width = width_of(tag.type);
    if (width == 0 || tag.type >= CONGRU_MI_UTF8)
        return congru_mat_fail(stream, CONGRU_ERROR_FORMAT, "expected numbers, found an element of type %u",
                               (unsigned)tag.type);
    if (tag.size / width != count || tag.size % width != 0)
        return congru_mat_fail(stream, CONGRU_ERROR_FORMAT, "expected %zu values of %zu bytes, found %u bytes",
                               count, width, (unsigned)tag.size);
    if (number == NULL)
        return pass_data(stream, limit, &tag);
    *number = congru_memory_take(count * sizeof **number);
    if (*number == NULL)
        return congru_mat_fail(stream, CONGRU_ERROR_MEMORY, "not enough memory for %zu values", count);
    for (size_t done = 0; done < count && status == CONGRU_OK;) {
        unsigned char bytes[CHUNK];
        size_t piece = count - done < CHUNK / width ? count - done : CHUNK / width;
        if (tag.small)
            memcpy(bytes, tag.inside, piece * width);
        else
            status = congru_mat_take(stream, bytes, piece * width);
        if (status != CONGRU_OK)
            break;
        if (congru_mat_swaps(stream))
            swap_bytes(bytes, piece * width, width);
        convert(tag.type, bytes, piece, *number + done);
        if (!fit_class(class_number, *number + done, piece))
            status = congru_mat_fail(stream, CONGRU_ERROR_FORMAT, "a value that its integer class cannot hold");
        done += piece;
        congru_mapped_pass(piece * sizeof **number);
    }
    return status == CONGRU_OK ? take_padding(stream, limit, &tag) : status;
}

/* ---- Text ---------------------------------------------------------------------------------------- */

static char *put_utf8(char *place, uint32_t point)
{
    if (point == 0)
        point = ' '; /* rows of a character matrix may be padded with zeros */
    size_t size = congru_utf8_encode(point, place);
    return place + (size > 0 ? size : congru_utf8_encode(CONGRU_UTF8_REPLACEMENT, place));
}

/* One character of UTF-8 units (bytes) that start at `unit`; how many it takes. Broken ones count singly. */
static size_t decode_utf8(const uint32_t *unit, size_t left, uint32_t *point)
{
    char bytes[4];
    size_t count = left < sizeof bytes ? left : sizeof bytes;
    for (size_t i = 0; i < count; i++)
        bytes[i] = unit[i] < 0x100 ? (char)unit[i] : '\0';
    size_t size = congru_utf8_decode(bytes, count, point);
    if (size > 0)
        return size;
    *point = CONGRU_UTF8_REPLACEMENT;
    return 1;
}

static size_t decode_utf16(const uint32_t *unit, size_t left, uint32_t *point)
{
    *point = unit[0];
    if (left < 2 || unit[0] < 0xd800 || unit[0] >= 0xdc00 || unit[1] < 0xdc00 || unit[1] >= 0xe000)
        return 1;
    *point = 0x10000 + ((unit[0] - 0xd800) << 10) + (unit[1] - 0xdc00);
    return 2;
}

/* From characters column by column to rows of UTF-8 with a newline between. Bytes (types int8 and uint8) are
 * Latin-1; 16-bit units, whatever they call themselves, are UTF-16. */
static char *encode_text(uint32_t type, const uint32_t *unit, size_t rows, size_t columns)
{
    char *text = malloc(4 * rows * columns + rows + 1), *place = text;
    uint32_t *row = malloc((columns > 0 ? columns : 1) * sizeof *row);
    for (size_t i = 0; i < rows && text != NULL && row != NULL; i++) {
        for (size_t k = 0; k < columns; k++)
            row[k] = unit[i + k * rows];
        for (size_t k = 0; k < columns;) {
            uint32_t point = row[k];
            if (type == CONGRU_MI_UTF8)
                k += decode_utf8(row + k, columns - k, &point);
            else if (type == CONGRU_MI_UTF16 || type == CONGRU_MI_UINT16)
                k += decode_utf16(row + k, columns - k, &point);
            else
                k++;
            place = put_utf8(place, point);
        }
        if (i + 1 < rows)
            *place++ = '\n';
    }
    if (text != NULL)
        *place = '\0';
    if (row == NULL) {
        free(text);
        text = NULL;
    }
    free(row);
    return text;
}

static congru_status take_units(congru_mat_stream *stream, uint64_t limit, const congru_mat_tag *tag,
                                size_t width, uint32_t *unit)
{
    unsigned char *bytes = (unsigned char *)unit; /* widened in place, from the last to the first */
    CONGRU_TRY(congru_mat_take_data(stream, limit, tag, bytes, tag->size));
    if (congru_mat_swaps(stream))
        swap_bytes(bytes, tag->size, width);
    for (size_t i = tag->size / width; i-- > 0;) {
        uint32_t value = 0;
        memcpy(&value, bytes + i * width, width);
        unit[i] = value;
    }
    return CONGRU_OK;
}

congru_status congru_mat_take_text(congru_mat_stream *stream, uint64_t limit, size_t rows, size_t count,
                                   char **text)
{
    congru_mat_tag tag;
    congru_status status = congru_mat_take_tag(stream, limit, &tag);
    if (status != CONGRU_OK)
        return status;
    size_t width = width_of(tag.type), units = width > 0 ? tag.size / width : 0;
    bool known = tag.type == CONGRU_MI_INT8 || tag.type == CONGRU_MI_UINT8 || tag.type == CONGRU_MI_UINT16 ||
                 tag.type == CONGRU_MI_UTF8 || tag.type == CONGRU_MI_UTF16 || tag.type == CONGRU_MI_UTF32;
    if (!known || width == 0)
        return congru_mat_fail(stream, CONGRU_ERROR_FORMAT, "expected characters, found an element of type %u",
                               (unsigned)tag.type);
    /* Some writers count characters of UTF-8, some its bytes; of one row it does not matter. */
    bool counted = units == count && tag.size % width == 0;
    if (!counted && !(tag.type == CONGRU_MI_UTF8 && rows == 1 && units >= count))
        return congru_mat_fail(stream, CONGRU_ERROR_FORMAT,
                               "expected %zu characters of %zu bytes, found %u bytes", count, width,
                               (unsigned)tag.size);
    if (text == NULL)
        return pass_data(stream, limit, &tag);
    uint32_t *unit = malloc(units > 0 ? units * sizeof *unit : sizeof *unit);
    if (unit != NULL)
        status = take_units(stream, limit, &tag, width, unit);
    if (unit != NULL && status == CONGRU_OK)
        *text = encode_text(tag.type, unit, units > 0 ? rows : 0, units > 0 ? units / rows : 0);
    if (status == CONGRU_OK && (unit == NULL || *text == NULL))
        status = congru_mat_fail(stream, CONGRU_ERROR_MEMORY, "not enough memory for %zu characters", units);
    free(unit);
    return status;
}
