/* The values of a .npy: floats, integers and texts of every width. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "array/npy_internal.h"
#include "base/error.h"
#include "base/mapped_memory.h"
#include "base/memory.h"
#include "base/utf8.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "little-endian values are copied as they are"
#endif

enum { CHUNK_SIZE = 1 << 15 }; /* bytes converted at a time; a multiple of every item size but those of texts */

/* ---- One number ------------------------------------------------------------------------------------ */

/* Exact: every half is a double. */
static double widen_half(uint16_t half)
{
    uint64_t sign = (uint64_t)(half >> 15) << 63, exponent = half >> 10 & 31, fraction = half & 1023;
    if (exponent == 0) {
        double size = (double)fraction * 0x1p-24;
        return sign != 0 ? -size : size;
    }
    uint64_t bits = sign | (exponent == 31 ? UINT64_C(2047) : exponent + 1008) << 52 | fraction << 42;
    double wide;
    memcpy(&wide, &bits, sizeof wide);
    return wide;
}

/* A number of 2 or 4 bytes. */
static double load_real(const unsigned char *bytes, size_t size)
{
    uint16_t half;
    float narrow;
    if (size == sizeof half) {
        memcpy(&half, bytes, sizeof half);
        return widen_half(half);
    }
    memcpy(&narrow, bytes, sizeof narrow);
    return (double)narrow;
}

/* The value, its sign spread over 64 bits. One past INT64_MAX becomes negative: the caller looks. */
static int64_t load_integer(const unsigned char *bytes, size_t size, bool is_signed)
{
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++)
        value |= (uint64_t)bytes[i] << 8 * i;
    if (is_signed && size < 8 && (value >> (8 * size - 1)) != 0)
        value |= UINT64_MAX << 8 * size;
    int64_t wide;
    memcpy(&wide, &value, sizeof wide);
    return wide;
}

static congru_status convert_chunk(congru_npy_stream *stream, const congru_npy_header *header,
                                   const unsigned char *bytes, size_t first, size_t count,
                                   congru_values *values)
{
    const size_t size = header->item_size;
    if (size == 8 && header->type != 'u') {
        void *into = header->type == 'f' ? (void *)(values->real + first) : (void *)(values->integer + first);
        memcpy(into, bytes, count * size);
        return CONGRU_OK;
    }
    if (values->kind == CONGRU_VALUES_REAL) {
        for (size_t i = 0; i < count; i++)
            values->real[first + i] = load_real(bytes + i * size, size);
        return CONGRU_OK;
    }
    for (size_t i = 0; i < count; i++) {
        int64_t value = load_integer(bytes + i * size, size, header->type == 'i');
        if (value < 0 && header->type == 'u')
            return congru_fail(
                stream->context, CONGRU_ERROR_UNSUPPORTED,
                "%s: the unsigned value at index %zu does not fit 64 bits with a sign (convert with "
                ".astype('<i8'))",
                stream->name, first + i);
        values->integer[first + i] = value;
    }
    return CONGRU_OK;
}

static congru_status take_numbers(congru_npy_stream *stream, const congru_npy_header *header,
                                  congru_values *values)
{
    unsigned char chunk[CHUNK_SIZE];
    const size_t most = CHUNK_SIZE / header->item_size;
    size_t expected = stream->position + header->count * header->item_size;
    for (size_t done = 0; done < header->count;) {
        size_t count = header->count - done < most ? header->count - done : most, taken;
        congru_status status = congru_npy_take(stream, chunk, count * header->item_size, &taken);
        if (status != CONGRU_OK)
            return status;
        if (taken < count * header->item_size)
            return congru_npy_fail_truncated(stream, expected);
        status = convert_chunk(stream, header, chunk, done, count, values);
        if (status != CONGRU_OK)
            return status;
        done += count;
        congru_mapped_pass(count * sizeof(double));
    }
    return CONGRU_OK;
}

/* ---- Texts ----------------------------------------------------------------------------------------- */

static uint32_t load_code(const unsigned char *bytes)
{
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

/* Writes one item as UTF-8 with its zero. NumPy fills items up with zeros; one inside a text would cut it
 * short, so it is refused, as is what is no character. Bytes ('S') that are not UTF-8 are taken for Latin-1. */
static bool convert_text(const congru_npy_header *header, const unsigned char *item, char **into)
{
    size_t width = header->type == 'U' ? 4 : 1, length = header->item_size / width;
    if (width == 4)
        while (length > 0 && load_code(item + 4 * (length - 1)) == 0)
            length--;
    else
        while (length > 0 && item[length - 1] == 0)
            length--;
    size_t bytes;
    bool plain = width == 1 && congru_utf8_valid(item, length);
    for (size_t i = 0; i < length; i++) {
        uint32_t code = width == 4 ? load_code(item + 4 * i) : item[i];
        if (code == 0)
            return false;
        if (plain)
            *(*into)++ = (char)code;
        else if ((bytes = congru_utf8_encode(code, *into)) == 0)
            return false;
        else
            *into += bytes;
    }
    *(*into)++ = '\0';
    return true;
}

/* Fills the pointers and the characters behind them, item by item. */
static congru_status convert_texts(congru_npy_stream *stream, const congru_npy_header *header,
                                   unsigned char *item, congru_values *values)
{
    char *into = (char *)(values->text + header->count);
    size_t expected = stream->position + header->count * header->item_size;
    for (size_t i = 0; i < header->count; i++) {
        size_t taken;
        congru_status status = congru_npy_take(stream, item, header->item_size, &taken);
        if (status != CONGRU_OK)
            return status;
        if (taken < header->item_size)
            return congru_npy_fail_truncated(stream, expected);
        values->text[i] = into;
        if (!convert_text(header, item, &into))
            return congru_fail(
                stream->context, CONGRU_ERROR_FORMAT,
                "%s: the text at index %zu holds a zero or what is no character (write it again as "
                "plain strings)",
                stream->name, i);
    }
    return CONGRU_OK;
}

static congru_status take_texts(congru_npy_stream *stream, const congru_npy_header *header,
                                congru_values *values)
{
    /* A Latin-1 byte may need two of UTF-8; four bytes of '<U' never need more than four. */
    size_t characters = header->type == 'U' ? header->item_size : 2 * header->item_size;
    size_t each = sizeof(char *) + characters + 1;
    if (header->count > (PTRDIFF_MAX - 1) / each)
        return congru_npy_fail_memory(stream, header->count);
    values->text = malloc(header->count * each + 1);
    unsigned char *item = header->count > 0 ? malloc(header->item_size) : NULL;
    congru_status status = CONGRU_OK;
    if (values->text == NULL || (header->count > 0 && item == NULL))
        status = congru_npy_fail_memory(stream, header->count);
    else
        status = convert_texts(stream, header, item, values);
    free(item);
    return status;
}

/* ---- All values ------------------------------------------------------------------------------------ */

static congru_status reorder(congru_npy_stream *stream, congru_values *values)
{
    if (values->dims < 2 || values->count == 0)
        return CONGRU_OK;
    if (values->kind == CONGRU_VALUES_TEXT) {
        /* The characters stay where they are; the pointers in front of them are put in order. */
        size_t size = values->count * sizeof *values->text;
        char **order = malloc(size);
        if (order == NULL)
            return congru_npy_fail_memory(stream, values->count);
        congru_npy_transpose(values->dims, values->shape, values->count, sizeof *order, values->text, order);
        memcpy(values->text, order, size);
        free(order);
        return CONGRU_OK;
    }
    void *data = congru_npy_allocate(values->count);
    if (data == NULL)
        return congru_npy_fail_memory(stream, values->count);
    if (values->kind == CONGRU_VALUES_REAL) {
        congru_npy_transpose(values->dims, values->shape, values->count, sizeof(double), values->real, data);
        congru_memory_give(values->real);
        values->real = data;
    } else {
        congru_npy_transpose(values->dims, values->shape, values->count, sizeof(int64_t), values->integer,
                             data);
        congru_memory_give(values->integer);
        values->integer = data;
    }
    return CONGRU_OK;
}

congru_status congru_values_describe(congru_npy_stream *stream, congru_npy_header *header,
                                     congru_values *values)
{
    *values = (congru_values){0};
    CONGRU_TRY(congru_npy_take_header(stream, CONGRU_NPY_VALUES, header));
    values->dims = header->dims;
    memcpy(values->shape, header->shape, sizeof values->shape);
    values->count = header->count;
    if (header->type == 'U' || header->type == 'S') {
        values->kind = CONGRU_VALUES_TEXT;
        values->text_bytes = header->item_size;
    } else if (header->type != 'f') {
        values->kind = CONGRU_VALUES_INTEGER;
        values->integer_bytes = (int)header->item_size;
    }
    return CONGRU_OK;
}

/* Takes the values, and what is behind them: nothing. */
static congru_status take_items(congru_npy_stream *stream, const congru_npy_header *header,
                                congru_values *values)
{
    congru_status status;
    if (values->kind == CONGRU_VALUES_TEXT) {
        status = take_texts(stream, header, values);
    } else {
        void *data = congru_npy_allocate(header->count);
        if (data == NULL)
            return congru_npy_fail_memory(stream, header->count);
        if (values->kind == CONGRU_VALUES_REAL)
            values->real = data;
        else
            values->integer = data;
        status = take_numbers(stream, header, values);
    }
    return status == CONGRU_OK ? congru_npy_take_end(stream) : status;
}

congru_status congru_values_fill(congru_npy_stream *stream, const congru_npy_header *header,
                                 congru_values *values)
{
    congru_status status = take_items(stream, header, values);
    if (status == CONGRU_OK && header->fortran_order)
        status = reorder(stream, values);
    if (status != CONGRU_OK)
        congru_values_clear(values);
    return status;
}

congru_status congru_values_take(congru_npy_stream *stream, congru_values *values)
{
    congru_npy_header header;
    CONGRU_TRY(congru_values_describe(stream, &header, values));
    return congru_values_fill(stream, &header, values);
}

congru_status congru_values_parse(congru_context *context, const char *name, const unsigned char *bytes,
                                  size_t size, congru_values *values)
{
    congru_npy_stream stream = congru_npy_memory_stream(context, name, &bytes, size);
    return congru_values_take(&stream, values);
}

void congru_values_clear(congru_values *values)
{
    if (values == NULL)
        return;
    congru_memory_give(values->real);
    congru_memory_give(values->integer);
    free(values->text);
    *values = (congru_values){0};
}

congru_status congru_values_make_integers(congru_context *context, const char *file, const char *array,
                                          congru_values *values)
{
    _Static_assert(sizeof(double) == sizeof(int64_t), "integers take the place of the floats");
    if (values->kind != CONGRU_VALUES_REAL)
        return CONGRU_OK;
    void *place = values->real;
    for (size_t i = 0; i < values->count; i++) {
        double x = values->real[i];
        if (!(fabs(x) <= 0x1p53) || floor(x) != x)
            return congru_fail(context, CONGRU_ERROR_FORMAT,
                               "%s: %s: expected integers or strings, found %g at trial %zu", file, array, x,
                               i + 1);
        int64_t whole = (int64_t)x;
        memcpy((char *)place + i * sizeof whole, &whole, sizeof whole);
    }
    values->integer = place;
    values->real = NULL;
    values->kind = CONGRU_VALUES_INTEGER;
    return CONGRU_OK;
}
