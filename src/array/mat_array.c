/* Arrays of a MATLAB file: flags, dimensions, name, and what is inside, to a limited depth. SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "array/mat_internal.h"

enum { COMPLEX_FLAG = 0x800 };

typedef struct array_header {
    uint32_t class_number;
    bool complex_numbers;
} array_header;

static const char *class_text(uint32_t class_number)
{
    switch (class_number) {
    case CONGRU_MX_OBJECT:
    case CONGRU_MX_OPAQUE:
        return "an object (such as a table, a string or a date)";
    case CONGRU_MX_SPARSE:
        return "a sparse matrix";
    case CONGRU_MX_FUNCTION:
        return "a function handle";
    default:
        return NULL;
    }
}

static congru_status take_flags(congru_mat_stream *stream, uint64_t limit, array_header *header)
{
    congru_mat_tag tag;
    unsigned char bytes[8];
    CONGRU_TRY(congru_mat_take_tag(stream, limit, &tag));
    if (tag.type != CONGRU_MI_UINT32 || tag.size != sizeof bytes)
        return congru_mat_fail(stream, CONGRU_ERROR_FORMAT,
                               "expected the flags of an array, found an element of type %u and %u bytes",
                               (unsigned)tag.type, (unsigned)tag.size);
    CONGRU_TRY(congru_mat_take_data(stream, limit, &tag, bytes, sizeof bytes));
    uint32_t flags = congru_mat_uint32(stream, bytes);
    header->class_number = flags & 0xff;
    header->complex_numbers = (flags & COMPLEX_FLAG) != 0;
    return CONGRU_OK;
}

/* As many values as doubles must fit the address space, even where another dimension is zero. */
static bool multiply_shape(congru_mat_value *value)
{
    size_t product = 1;
    value->count = 1;
    for (size_t k = 0; k < value->dims; k++) {
        size_t length = value->shape[k] > 0 ? value->shape[k] : 1;
        if (__builtin_mul_overflow(product, length, &product) || product > PTRDIFF_MAX / sizeof(double))
            return false;
        value->count *= value->shape[k];
    }
    return true;
}

static congru_status take_shape(congru_mat_stream *stream, uint64_t limit, congru_mat_value *value)
{
    congru_mat_tag tag;
    unsigned char bytes[4 * CONGRU_MAT_DIMS_MAX];
    CONGRU_TRY(congru_mat_take_tag(stream, limit, &tag));
    if (tag.type != CONGRU_MI_INT32 || tag.size % 4 != 0 || tag.size < 8)
        return congru_mat_fail(stream, CONGRU_ERROR_FORMAT,
                               "expected the dimensions of an array, found an element of type %u and %u bytes",
                               (unsigned)tag.type, (unsigned)tag.size);
    if (tag.size > sizeof bytes)
        return congru_mat_fail(stream, CONGRU_ERROR_UNSUPPORTED,
                               "an array of %u dimensions; at most %d are read", (unsigned)tag.size / 4,
                               (int)CONGRU_MAT_DIMS_MAX);
    CONGRU_TRY(congru_mat_take_data(stream, limit, &tag, bytes, sizeof bytes));
    value->dims = tag.size / 4;
    for (size_t k = 0; k < value->dims; k++) {
        uint32_t length = congru_mat_uint32(stream, bytes + 4 * k);
        if (length > INT32_MAX)
            return congru_mat_fail(stream, CONGRU_ERROR_FORMAT, "a dimension of negative length");
        value->shape[k] = length;
    }
    if (!multiply_shape(value))
        return congru_mat_fail(stream, CONGRU_ERROR_FORMAT, "dimensions too large for any file");
    return CONGRU_OK;
}

/* Up to a NUL; whatever is not printable ASCII would spoil error texts and becomes a question mark. */
static void copy_name(char *name, const unsigned char *bytes, size_t size)
{
    size_t length = 0;
    for (; length < size && length < CONGRU_MAT_NAME_SIZE - 1 && bytes[length] != '\0'; length++)
        name[length] = bytes[length] > ' ' && bytes[length] < 0x7f ? (char)bytes[length] : '?';
    name[length] = '\0';
}

static congru_status take_name(congru_mat_stream *stream, uint64_t limit, char *name)
{
    congru_mat_tag tag;
    unsigned char bytes[CONGRU_MAT_NAME_SIZE];
    CONGRU_TRY(congru_mat_take_tag(stream, limit, &tag));
    if (tag.type != CONGRU_MI_INT8 && tag.type != CONGRU_MI_UINT8 && tag.type != CONGRU_MI_UTF8)
        return congru_mat_fail(stream, CONGRU_ERROR_FORMAT,
                               "expected the name of an array, found an element of type %u",
                               (unsigned)tag.type);
    congru_status status = congru_mat_take_data(stream, limit, &tag, bytes, sizeof bytes - 1);
    if (status == CONGRU_OK)
        copy_name(name, bytes, tag.size);
    return status;
}

static congru_status take_array(congru_mat_choice *choice, congru_mat_stream *stream, uint64_t limit, int depth,
                                const char *name, congru_mat_value *value);

/* Makes room for `count` arrays, each of which takes at least a tag of what is left, and reads them. */
static congru_status take_elements(congru_mat_choice *choice, congru_mat_stream *stream, uint64_t limit,
                                   int depth, size_t count, const char *name, congru_mat_value *value)
{
    uint64_t left = limit - congru_mat_position(stream);
    if (count > left / 8)
        return congru_mat_fail(stream, CONGRU_ERROR_FORMAT, "expected %zu arrays inside, found room for %llu",
                               count, (unsigned long long)(left / 8));
    if (count > CONGRU_MAT_VALUES_MAX - choice->values)
        return congru_mat_fail(stream, CONGRU_ERROR_UNSUPPORTED, "more than %d cells and fields in one file",
                               (int)CONGRU_MAT_VALUES_MAX);
    choice->values += count;
    if (count == 0)
        return CONGRU_OK;
    value->element = calloc(count, sizeof *value->element);
    if (value->element == NULL)
        return congru_mat_fail(stream, CONGRU_ERROR_MEMORY, "not enough memory for %zu cells or fields", count);
    congru_status status = CONGRU_OK;
    for (size_t i = 0; i < count && status == CONGRU_OK; i++) {
        congru_mat_tag tag;
        status = congru_mat_take_tag(stream, limit, &tag);
        if (status == CONGRU_OK && (tag.type != CONGRU_MI_MATRIX || tag.small))
            status =
                congru_mat_fail(stream, CONGRU_ERROR_FORMAT,
                                "expected an array inside, found an element of type %u", (unsigned)tag.type);
        if (status == CONGRU_OK)
            status = take_array(choice, stream, congru_mat_position(stream) + tag.size, depth,
                                value->fields > 0 ? value->field[i % value->fields] : name, &value->element[i]);
    }
    return status;
}

/* The length that every field's name has in the file, which need not be the one of congru_mat_value. */
static congru_status take_field_length(congru_mat_stream *stream, uint64_t limit, uint32_t *length)
{
    congru_mat_tag tag;
    unsigned char bytes[4];
    CONGRU_TRY(congru_mat_take_tag(stream, limit, &tag));
    if (tag.type != CONGRU_MI_INT32 || tag.size != 4)
        return congru_mat_fail(stream, CONGRU_ERROR_FORMAT,
                               "expected the length of field names, found an element of type %u and %u bytes",
                               (unsigned)tag.type, (unsigned)tag.size);
    CONGRU_TRY(congru_mat_take_data(stream, limit, &tag, bytes, sizeof bytes));
    *length = congru_mat_uint32(stream, bytes);
    if (*length == 0 || *length > CONGRU_MAT_NAME_SIZE)
        return congru_mat_fail(stream, CONGRU_ERROR_FORMAT, "field names of %u bytes: expected 1 to %d",
                               (unsigned)*length, (int)CONGRU_MAT_NAME_SIZE);
    return CONGRU_OK;
}

static congru_status take_field_names(congru_mat_stream *stream, uint64_t limit, congru_mat_value *value)
{
    congru_mat_tag tag;
    uint32_t length = 0;
    congru_status status = take_field_length(stream, limit, &length);
    if (status == CONGRU_OK)
        status = congru_mat_take_tag(stream, limit, &tag);
    if (status != CONGRU_OK)
        return status;
    if (tag.type != CONGRU_MI_INT8 || tag.size % length != 0 || tag.size / length > CONGRU_MAT_VALUES_MAX)
        return congru_mat_fail(
            stream, CONGRU_ERROR_FORMAT,
            "expected field names of %u bytes each, found an element of type %u and %u bytes", (unsigned)length,
            (unsigned)tag.type, (unsigned)tag.size);
    value->fields = tag.size / length;
    unsigned char *bytes = malloc((size_t)tag.size + 1);
    value->field = calloc(value->fields + 1, sizeof *value->field);
    if (bytes == NULL || value->field == NULL)
        status = congru_mat_fail(stream, CONGRU_ERROR_MEMORY, "not enough memory for field names");
    else
        status = congru_mat_take_data(stream, limit, &tag, bytes, tag.size);
    for (size_t i = 0; i < value->fields && status == CONGRU_OK; i++)
        copy_name(value->field[i], bytes + i * length, length);
    free(bytes);
    return status;
}

static congru_status take_struct(congru_mat_choice *choice, congru_mat_stream *stream, uint64_t limit,
                                 int depth, congru_mat_value *value)
{
    CONGRU_TRY(take_field_names(stream, limit, value));
    size_t count = 0;
    if (__builtin_mul_overflow(value->count, value->fields, &count))
        CONGRU_TRY(congru_mat_fail(stream, CONGRU_ERROR_FORMAT, "dimensions too large for any file"));
    return take_elements(choice, stream, limit, depth + 1, count, "", value);
}

static congru_mat_kind kind_of(uint32_t class_number)
{
    switch (class_number) {
    case CONGRU_MX_CELL:
        return CONGRU_MAT_CELL;
    case CONGRU_MX_STRUCT:
        return CONGRU_MAT_STRUCT;
    case CONGRU_MX_CHAR:
        return CONGRU_MAT_TEXT;
    default:
        return CONGRU_MAT_NUMERIC;
    }
}

bool congru_mat_outline(const char *name, const congru_mat_value *value, const void *user)
{
    (void)name, (void)value, (void)user;
    return false;
}

static bool is_wanted(const congru_mat_choice *choice, const char *name, const congru_mat_value *value)
{
    return choice->wanted == NULL || choice->wanted(name, value, choice->user);
}

static congru_status take_contents(congru_mat_choice *choice, congru_mat_stream *stream, uint64_t limit,
                                   int depth, const array_header *header, const char *name,
                                   congru_mat_value *value)
{
    if (header->complex_numbers)
        return congru_mat_fail(stream, CONGRU_ERROR_UNSUPPORTED,
                               "complex numbers (save real(x) and imag(x) instead)");
    if (depth > CONGRU_MAT_DEPTH_MAX)
        return congru_mat_fail(stream, CONGRU_ERROR_UNSUPPORTED, "cells and structs nested more than %d deep",
                               (int)CONGRU_MAT_DEPTH_MAX);
    value->kind = kind_of(header->class_number);
    if (value->kind == CONGRU_MAT_CELL)
        return take_elements(choice, stream, limit, depth + 1, value->count, name, value);
    if (value->kind == CONGRU_MAT_STRUCT)
        return take_struct(choice, stream, limit, depth, value);
    bool wanted = is_wanted(choice, name, value);
    if (value->kind == CONGRU_MAT_TEXT)
        return congru_mat_take_text(stream, limit, value->shape[0], value->count, wanted ? &value->text : NULL);
    return congru_mat_take_numbers(stream, limit, header->class_number, value->count,
                                   wanted ? &value->number : NULL);
}

/* Whether an array that is not plain is to be passed over. */
static bool is_passed(const congru_mat_stream *stream, const array_header *header)
{
    return congru_mat_passes(stream) && (class_text(header->class_number) != NULL || header->complex_numbers);
}

/* Flags, dimensions and name of the array that ends at `limit`. An outermost one's name goes to the stream. */
static congru_status take_header(congru_mat_stream *stream, uint64_t limit, bool outermost,
                                 array_header *header, char *name, congru_mat_value *value)
{
    congru_status status = take_flags(stream, limit, header);
    if (status != CONGRU_OK)
        return status;
    const char *unread = class_text(header->class_number);
    /* Objects have a name and no dimensions. */
    if (header->class_number != CONGRU_MX_OPAQUE)
        status = take_shape(stream, limit, value);
    if (status == CONGRU_OK)
        status = take_name(stream, limit, name);
    if (status != CONGRU_OK)
        return status;
    if (outermost)
        congru_mat_stream_name(stream, name);
    if (outermost && name[0] == '\0')
        return CONGRU_OK;
    if (is_passed(stream, header))
        return CONGRU_OK;
    if (unread != NULL)
        return congru_mat_fail(stream, CONGRU_ERROR_UNSUPPORTED, "%s (save plain arrays, cells and structs)",
                               unread);
    if (header->class_number < CONGRU_MX_CELL || header->class_number > CONGRU_MX_UINT64)
        return congru_mat_fail(stream, CONGRU_ERROR_FORMAT, "an array of unknown class %u",
                               (unsigned)header->class_number);
    return CONGRU_OK;
}

static congru_status check_filled(congru_mat_stream *stream, uint64_t limit)
{
    uint64_t left = limit - congru_mat_position(stream);
    if (left > 0)
        return congru_mat_fail(stream, CONGRU_ERROR_FORMAT, "%llu bytes are left over in an array",
                               (unsigned long long)left);
    return CONGRU_OK;
}

/* An array inside another. One of no bytes at all is MATLAB's []. */
static congru_status take_array(congru_mat_choice *choice, congru_mat_stream *stream, uint64_t limit, int depth,
                                const char *name, congru_mat_value *value)
{
    array_header header;
    char own_name[CONGRU_MAT_NAME_SIZE]; /* which those inside others have not */
    value->dims = 2;
    if (congru_mat_position(stream) == limit)
        return CONGRU_OK;
    congru_status status = take_header(stream, limit, false, &header, own_name, value);
    if (status == CONGRU_OK && is_passed(stream, &header)) {
        *value = (congru_mat_value){.dims = 2};
        return congru_mat_pass(stream, limit - congru_mat_position(stream));
    }
    if (status == CONGRU_OK)
        status = take_contents(choice, stream, limit, depth, &header, name, value);
    return status == CONGRU_OK ? check_filled(stream, limit) : status;
}

congru_status congru_mat_take_variable(congru_mat_stream *stream, uint64_t limit, congru_mat_choice *choice,
                                       char *name, congru_mat_value *value, bool *whole)
{
    array_header header;
    *whole = true;
    CONGRU_TRY(take_header(stream, limit, true, &header, name, value));
    if (name[0] == '\0') /* it must nevertheless be whole, or its name might be the damage */
        return congru_mat_pass(stream, limit - congru_mat_position(stream));
    if (is_passed(stream, &header)) {
        *value = (congru_mat_value){.dims = 2};
        *whole = false;
        return CONGRU_OK;
    }
    value->kind = kind_of(header.class_number);
    bool plain = value->kind == CONGRU_MAT_NUMERIC || value->kind == CONGRU_MAT_TEXT;
    if (plain && !header.complex_numbers && !is_wanted(choice, name, value)) {
        *whole = false; /* not one byte more is inflated */
        return CONGRU_OK;
    }
    CONGRU_TRY(take_contents(choice, stream, limit, 0, &header, name, value));
    return check_filled(stream, limit);
}
