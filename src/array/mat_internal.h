/* What the parts of the MATLAB reader share: a stream of bytes, and elements in it. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_ARRAY_MAT_INTERNAL_H
#define CONGRU_ARRAY_MAT_INTERNAL_H

#include "array/mat.h"

enum {
    CONGRU_MAT_NAME_SIZE = 64,
    CONGRU_MAT_DEPTH_MAX = 16, /* of cells and structs within each other */
    CONGRU_MAT_VALUES_MAX =
        1 << 20, /* cells and fields in one file: each costs memory that its bytes do not show */
    CONGRU_MAT_EXPANSION_MAX = 1032 /* deflate cannot make more of one byte */
};

/* Types of stored data, numbered as in the file. */
enum {
    CONGRU_MI_INT8 = 1,
    CONGRU_MI_UINT8 = 2,
    CONGRU_MI_INT16 = 3,
    CONGRU_MI_UINT16 = 4,
    CONGRU_MI_INT32 = 5,
    CONGRU_MI_UINT32 = 6,
    CONGRU_MI_SINGLE = 7,
    CONGRU_MI_DOUBLE = 9,
    CONGRU_MI_INT64 = 12,
    CONGRU_MI_UINT64 = 13,
    CONGRU_MI_MATRIX = 14,
    CONGRU_MI_COMPRESSED = 15,
    CONGRU_MI_UTF8 = 16,
    CONGRU_MI_UTF16 = 17,
    CONGRU_MI_UTF32 = 18
};

/* Classes of arrays, numbered as in the file. */
enum {
    CONGRU_MX_CELL = 1,
    CONGRU_MX_STRUCT = 2,
    CONGRU_MX_OBJECT = 3,
    CONGRU_MX_CHAR = 4,
    CONGRU_MX_SPARSE = 5,
    CONGRU_MX_DOUBLE = 6,
    CONGRU_MX_SINGLE = 7,
    CONGRU_MX_INT8 = 8,
    CONGRU_MX_UINT8 = 9,
    CONGRU_MX_INT16 = 10,
    CONGRU_MX_UINT16 = 11,
    CONGRU_MX_INT32 = 12,
    CONGRU_MX_UINT32 = 13,
    CONGRU_MX_INT64 = 14,
    CONGRU_MX_UINT64 = 15,
    CONGRU_MX_FUNCTION = 16,
    CONGRU_MX_OPAQUE = 17
};

/* ---- mat_inflate.c: the bytes of one variable, compressed or not, taken from first to last ---------- */

typedef struct congru_mat_stream congru_mat_stream;

/* `passes`: what is no plain array is passed over, not refused. */
congru_status congru_mat_stream_create(congru_context *context, const congru_source *source, bool swap,
                                       bool passes, congru_mat_stream **stream);
void congru_mat_stream_destroy(congru_mat_stream **stream);

/* Goes to the `size` bytes at `offset` of the file, to be inflated or taken as they are. */
congru_status congru_mat_stream_begin(congru_mat_stream *stream, uint64_t offset, uint64_t size, bool inflates);

/* The variable being read, for error texts; copied. */
void congru_mat_stream_name(congru_mat_stream *stream, const char *variable);

/* Exactly `size` bytes; CONGRU_ERROR_FORMAT where there are fewer or they cannot be inflated. */
congru_status congru_mat_take(congru_mat_stream *stream, void *into, size_t size);

/* Nothing may be left of the bytes begun with; a compressed variable's checksum must be right. */
congru_status congru_mat_stream_end(congru_mat_stream *stream);

/* `size` bytes that are not wanted. */
congru_status congru_mat_pass(congru_mat_stream *stream, uint64_t size);

uint64_t congru_mat_position(const congru_mat_stream *stream); /* bytes taken since begin */
bool congru_mat_swaps(const congru_mat_stream *stream);        /* the file is big-endian */
bool congru_mat_passes(const congru_mat_stream *stream);       /* as it was created */

/* "FILE: variable 'x': WORDS (byte N of ...)". */
congru_status congru_mat_fail(const congru_mat_stream *stream, congru_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- mat_element.c: tags, and the data behind them ------------------------------------------------ */

typedef struct congru_mat_tag {
    uint32_t type;
    uint32_t size; /* of the data, in bytes */
    bool small;    /* the data are in `inside` and already taken */
    unsigned char inside[4];
} congru_mat_tag;

/* A tag whose data end at `limit` or before. */
congru_status congru_mat_take_tag(congru_mat_stream *stream, uint64_t limit, congru_mat_tag *tag);

/* All data of a tag, at most `room` bytes, and the padding after it; little-endian files and bytes only as they
 * are, see congru_mat_uint32. */
congru_status congru_mat_take_data(congru_mat_stream *stream, uint64_t limit, const congru_mat_tag *tag,
                                   void *into, size_t room);

/* Four bytes in the order of the file. */
uint32_t congru_mat_uint32(const congru_mat_stream *stream, const unsigned char *bytes);

/* `count` numbers of an array of a numeric class, allocated once the file is known to hold them; `number` NULL: passed
 * over. */
congru_status congru_mat_take_numbers(congru_mat_stream *stream, uint64_t limit, uint32_t class_number,
                                      size_t count, double **number);

/* The characters of an array of `rows` rows and `count` characters, as congru_mat_value.text; `text` NULL: passed over. */
congru_status congru_mat_take_text(congru_mat_stream *stream, uint64_t limit, size_t rows, size_t count,
                                   char **text);

/* ---- mat_array.c: arrays, with those inside them -------------------------------------------------- */

typedef struct congru_mat_choice {
    congru_mat_wanted wanted;
    const void *user;
    size_t values; /* cells and fields of the whole file, which are limited */
} congru_mat_choice;

/* The variable that ends at `limit`; one without a name is passed over. *whole is false where it was left before its end,
 * not being wanted. After a failure the caller frees what `value` has. */
congru_status congru_mat_take_variable(congru_mat_stream *stream, uint64_t limit, congru_mat_choice *choice,
                                       char *name, congru_mat_value *value, bool *whole);

#endif
