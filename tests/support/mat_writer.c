/* Puts MATLAB level 5 files together in memory. SPDX-License-Identifier: Apache-2.0 */
#include "mat_writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum {
    MI_INT8 = 1,
    MI_UINT16 = 4,
    MI_INT32 = 5,
    MI_UINT32 = 6,
    MI_DOUBLE = 9,
    MI_MATRIX = 14,
    MI_COMPRESSED = 15
};
enum { MX_CELL = 1, MX_STRUCT = 2, MX_CHAR = 4, MX_DOUBLE = 6, MX_UINT8 = 9, MX_INT16 = 10 };

static void append(mat_writer *writer, const void *data, size_t size)
{
    while (writer->size + size > writer->room) {
        writer->room = 2 * writer->room + 4096;
        writer->bytes = realloc(writer->bytes, writer->room);
        if (writer->bytes == NULL)
            abort();
    }
    if (size > 0)
        memcpy(writer->bytes + writer->size, data, size);
    writer->size += size;
}

/* Values of `width` bytes in the order of the file. */
static void append_values(mat_writer *writer, const void *data, size_t size, size_t width)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i += width)
        for (size_t k = 0; k < width; k++)
            append(writer, &bytes[writer->big_endian ? i + width - 1 - k : i + k], 1);
}

void mat_begin(mat_writer *writer, bool big_endian)
{
    char header[129];
    snprintf(header, sizeof header, "%-124s%s", "MATLAB 5.0 MAT-file, written by a test",
             big_endian ? "\x01\x01MI" : "\x01\x01IM");
    header[big_endian ? 125 : 124] = 0;
    *writer = (mat_writer){.big_endian = big_endian};
    append(writer, header, 128);
}

void mat_end(mat_writer *writer)
{
    free(writer->bytes);
    *writer = (mat_writer){0};
}

void mat_element(mat_writer *writer, uint32_t type, const void *data, size_t size, size_t width, bool small)
{
    static const unsigned char zeros[8] = {0};
    small = small && size > 0 && size <= 4;
    uint32_t tag[2] = {small ? (uint32_t)(size << 16) | type : type, (uint32_t)size};
    append_values(writer, tag, small ? 4 : 8, 4);
    append_values(writer, data, size, width);
    append(writer, zeros, small ? 4 - size : (8 - size % 8) % 8);
}

size_t mat_open(mat_writer *writer, uint32_t class_and_flags, size_t dims, const size_t *shape,
                const char *name)
{
    size_t start = writer->size;
    uint32_t tag[2] = {MI_MATRIX, 0}, flags[2] = {class_and_flags, 0};
    int32_t lengths[32];
    append_values(writer, tag, sizeof tag, 4);
    mat_element(writer, MI_UINT32, flags, sizeof flags, 4, false);
    for (size_t k = 0; k < dims; k++)
        lengths[k] = (int32_t)shape[k];
    mat_element(writer, MI_INT32, lengths, dims * sizeof lengths[0], 4, false);
    mat_element(writer, MI_INT8, name, strlen(name), 1, true);
    return start;
}

void mat_close(mat_writer *writer, size_t start)
{
    uint32_t size = (uint32_t)(writer->size - start - 8);
    size_t end = writer->size;
    writer->size = start + 4;
    append_values(writer, &size, sizeof size, 4);
    writer->size = end;
}

void mat_compress(mat_writer *writer, size_t start)
{
    size_t size = writer->size - start;
    uLongf packed_size = compressBound((uLong)size);
    unsigned char *packed = malloc(packed_size);
    if (packed == NULL || compress(packed, &packed_size, writer->bytes + start, (uLong)size) != Z_OK)
        abort();
    uint32_t tag[2] = {MI_COMPRESSED, (uint32_t)packed_size};
    writer->size = start;
    append_values(writer, tag, sizeof tag, 4);
    append(writer, packed, packed_size);
    free(packed);
}

#define STORE(storage) \
    do { \
        storage *typed = (storage *)stored; /* NOLINT(bugprone-macro-parentheses): a type */ \
        width = sizeof *typed; \
        for (size_t i = 0; i < count; i++) \
            typed[i] = (storage)value[i]; \
    } while (0)

void mat_numbers(mat_writer *writer, const char *name, uint32_t class_and_flags, uint32_t type, size_t dims,
                 const size_t *shape, const double *value)
{
    size_t count = 1, width = 1;
    for (size_t k = 0; k < dims; k++)
        count *= shape[k];
    void *stored = malloc(8 * count + 8);
    if (stored == NULL)
        abort();
    switch (type) {
    case 1:
        STORE(int8_t);
        break;
    case 2:
        STORE(uint8_t);
        break;
    case 3:
        STORE(int16_t);
        break;
    case 4:
        STORE(uint16_t);
        break;
    case 5:
        STORE(int32_t);
        break;
    case 6:
        STORE(uint32_t);
        break;
    case 7:
        STORE(float);
        break;
    case 12:
        STORE(int64_t);
        break;
    case 13:
        STORE(uint64_t);
        break;
    default:
        STORE(double);
    }
    size_t start = mat_open(writer, class_and_flags, dims, shape, name);
    mat_element(writer, type, stored, count * width, width, true);
    mat_close(writer, start);
    free(stored);
}

void mat_matrix(mat_writer *writer, const char *name, size_t rows, size_t columns, const double *value)
{
    mat_numbers(writer, name, MX_DOUBLE, MI_DOUBLE, 2, (const size_t[]){rows, columns}, value);
}

void mat_number(mat_writer *writer, const char *name, double value)
{
    mat_matrix(writer, name, 1, 1, &value);
}

void mat_text(mat_writer *writer, const char *name, const char *text)
{
    uint16_t unit[256];
    size_t length = strlen(text);
    for (size_t i = 0; i < length; i++)
        unit[i] = (unsigned char)text[i];
    size_t start = mat_open(writer, MX_CHAR, 2, (const size_t[]){1, length}, name);
    mat_element(writer, MI_UINT16, unit, 2 * length, 2, true);
    mat_close(writer, start);
}

void mat_texts(mat_writer *writer, const char *name, const char *const *text, size_t count)
{
    size_t start = mat_open(writer, MX_CELL, 2, (const size_t[]){1, count}, name);
    for (size_t i = 0; i < count; i++)
        mat_text(writer, "", text[i]);
    mat_close(writer, start);
}

size_t mat_open_struct(mat_writer *writer, const char *name, size_t count, const char *const *field,
                       size_t fields)
{
    char names[32 * 16] = {0};
    int32_t length = 32;
    size_t start = mat_open(writer, MX_STRUCT, 2, (const size_t[]){1, count}, name);
    mat_element(writer, MI_INT32, &length, sizeof length, 4, true);
    for (size_t i = 0; i < fields; i++)
        snprintf(names + 32 * i, 32, "%s", field[i]);
    mat_element(writer, MI_INT8, names, 32 * fields, 1, false);
    return start;
}

void mat_sample(mat_writer *writer, bool compressed, bool big_endian)
{
    static const double value[12] = {1, -2, 3, -4, 5, -6, 7, -8, 9, -10, 11, -12};
    static const char *const field[] = {"X", "name"}, *const text[] = {"left hand", "feet"};
    mat_begin(writer, big_endian);
    for (int i = 0; i < 4; i++) {
        size_t start = writer->size;
        if (i == 0) {
            mat_numbers(writer, "numbers", MX_INT16, 1, 3, (const size_t[]){2, 3, 2}, value);
        } else if (i == 1) {
            mat_texts(writer, "texts", text, 2);
        } else if (i == 2) {
            mat_matrix(writer, "matrix", 3, 4, value);
        } else {
            mat_open_struct(writer, "structs", 2, field, 2);
            for (size_t k = 0; k < 2; k++) {
                mat_matrix(writer, "", 2, 2, value + k);
                mat_text(writer, "", text[k]);
            }
            mat_close(writer, start);
        }
        if (compressed)
            mat_compress(writer, start);
    }
}

static void write_run(mat_writer *writer, size_t run, size_t samples, size_t channels, size_t trials)
{
    static const char *const text[] = {"left hand", "right hand"};
    double *x = malloc((samples * channels + 1) * sizeof *x), *list = malloc((trials + 1) * sizeof *list);
    if (x == NULL || list == NULL)
        abort();
    for (size_t k = 0; k < channels; k++)
        for (size_t i = 0; i < samples; i++)
            x[k * samples + i] = 10000.0 * (double)run + 100.0 * (double)k + (double)i;
    mat_matrix(writer, "", samples, channels, x);
    for (size_t i = 0; i < trials; i++)
        list[i] = 1 + 10 * (double)i;
    mat_numbers(writer, "", MX_DOUBLE, 4, 2, (const size_t[]){1, trials}, list);
    for (size_t i = 0; i < trials; i++)
        list[i] = 1 + (double)(i % 2);
    mat_numbers(writer, "", MX_DOUBLE, 2, 2, (const size_t[]){1, trials}, list);
    mat_number(writer, "", 250);
    mat_texts(writer, "", text, 2);
    for (size_t i = 0; i < trials; i++)
        list[i] = i % 3 == 2;
    mat_numbers(writer, "", MX_UINT8 | MAT_LOGICAL, 2, 2, (const size_t[]){1, trials}, list);
    free(x);
    free(list);
}

void mat_bnci(mat_writer *writer, size_t runs, size_t samples, size_t channels, size_t trials, bool cell)
{
    static const char *const field[] = {"X", "trial", "y", "fs", "classes", "artifacts"};
    size_t start = cell ? mat_open(writer, MX_CELL, 2, (const size_t[]){1, runs}, "data")
                        : mat_open_struct(writer, "data", runs, field, 6);
    for (size_t run = 0; run < runs; run++) {
        size_t inner = cell ? mat_open_struct(writer, "", 1, field, 6) : 0;
        write_run(writer, run, samples, channels, trials);
        if (cell)
            mat_close(writer, inner);
    }
    mat_close(writer, start);
}
