/* Reads .npy files of floats, from a path or from memory. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "array/npy_internal.h"
#include "base/descriptor.h"
#include "base/error.h"
#include "base/memory.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the .npy reader copies little-endian values as they are"
#endif

enum {
    READ_SIZE_MAX = 1 << 30, /* read() takes no more than 2 GiB at once */
    GROWTH_START = 1 << 16,  /* values to make room for at first where the size of the file is unknown */
    WIDEN_VALUES = 4096
};

static congru_status take_descriptor(congru_npy_stream *stream, void *into, size_t size, size_t *taken)
{
    const int *descriptor = stream->user;
    *taken = 0;
    while (*taken < size) {
        size_t wanted = size - *taken < READ_SIZE_MAX ? size - *taken : READ_SIZE_MAX;
        ssize_t got = read(*descriptor, (unsigned char *)into + *taken, wanted);
        if (got == 0)
            break;
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return congru_fail(stream->context, CONGRU_ERROR_IO, "%s: cannot read: %s", stream->name,
                               strerror(errno));
        *taken += (size_t)got;
    }
    return CONGRU_OK;
}

/* Makes room for `capacity` values, keeping those the array has. */
static congru_status grow_values(congru_npy_stream *stream, congru_array *array, size_t capacity)
{
    double *data = congru_npy_allocate(capacity);
    if (data == NULL)
        return congru_npy_fail_memory(stream, capacity);
    if (array->count > 0)
        memcpy(data, array->data, array->count * sizeof *data);
    congru_memory_give(array->data);
    array->data = data;
    return CONGRU_OK;
}

/* Appends up to `room` values; fewer only at the end of the file. */
static congru_status take_values(congru_npy_stream *stream, const congru_npy_header *header, size_t room,
                                 congru_array *array, size_t *values)
{
    double *into = array->data + array->count;
    size_t bytes;
    congru_status status;
    if (header->item_size == sizeof(double)) {
        status = congru_npy_take(stream, into, room * sizeof(double), &bytes);
    } else {
        float narrow[WIDEN_VALUES];
        size_t wanted = room < WIDEN_VALUES ? room : WIDEN_VALUES;
        status = congru_npy_take(stream, narrow, wanted * sizeof(float), &bytes);
        for (size_t i = 0; i < bytes / sizeof(float); i++)
            into[i] = (double)narrow[i];
    }
    *values = bytes / header->item_size;
    array->count += *values;
    return status;
}

/* Fills the array in the order of the file. Memory is taken as bytes really arrive where the header's word is
 * all there is. */
static congru_status read_values(congru_npy_stream *stream, const congru_npy_header *header,
                                 congru_array *array)
{
    size_t expected = stream->position + header->count * header->item_size;
    size_t capacity = stream->size_known || header->count < GROWTH_START ? header->count : GROWTH_START;
    congru_status status = grow_values(stream, array, capacity);
    while (status == CONGRU_OK && array->count < header->count) {
        if (array->count == capacity) {
            capacity = header->count - capacity > capacity ? 2 * capacity : header->count;
            status = grow_values(stream, array, capacity);
            continue;
        }
        size_t values;
        status = take_values(stream, header, capacity - array->count, array, &values);
        if (status == CONGRU_OK && values == 0) {
            stream->size_known = false; /* it shrank: say what was really found */
            return congru_npy_fail_truncated(stream, expected);
        }
    }
    return status == CONGRU_OK ? congru_npy_take_end(stream) : status;
}

static congru_status transpose_values(congru_npy_stream *stream, congru_array *array)
{
    if (array->dims < 2 || array->count == 0)
        return CONGRU_OK;
    double *data = congru_npy_allocate(array->count);
    if (data == NULL)
        return congru_npy_fail_memory(stream, array->count);
    congru_npy_transpose(array->dims, array->shape, array->count, sizeof *data, array->data, data);
    congru_memory_give(array->data);
    array->data = data;
    return CONGRU_OK;
}

static congru_status read_array(congru_npy_stream *stream, congru_array *array)
{
    congru_npy_header header;
    congru_status status = congru_npy_take_header(stream, CONGRU_NPY_FLOATS, &header);
    if (status == CONGRU_OK)
        status = read_values(stream, &header, array);
    if (status == CONGRU_OK) {
        array->dims = header.dims;
        memcpy(array->shape, header.shape, sizeof array->shape);
        status = header.fortran_order ? transpose_values(stream, array) : CONGRU_OK;
    }
    if (status != CONGRU_OK)
        congru_array_clear(array);
    return status;
}

congru_status congru_npy_parse(congru_context *context, const char *name, const unsigned char *bytes,
                               size_t size, congru_array *array)
{
    congru_npy_stream stream = congru_npy_memory_stream(context, name, &bytes, size);
    *array = (congru_array){0};
    return read_array(&stream, array);
}

static congru_status check_unchanged(congru_context *context, const char *path, int descriptor,
                                     const struct stat *about)
{
    const congru_source source = {.name = path,
                                  .descriptor = descriptor,
                                  .size = (uint64_t)about->st_size,
                                  .seconds = about->st_mtim.tv_sec,
                                  .nanoseconds = about->st_mtim.tv_nsec};
    return congru_source_check(context, &source);
}

congru_status congru_npy_read(congru_context *context, const char *path, congru_array *array)
{
    if (path == NULL || array == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "congru_npy_read: path and array must not be NULL");
    *array = (congru_array){0};
    int descriptor = congru_descriptor_open(path, O_RDONLY, 0);
    if (descriptor < 0)
        return congru_fail(context, CONGRU_ERROR_IO, "%s: cannot open: %s", path, strerror(errno));
    congru_npy_stream stream = {.context = context, .name = path, .take = take_descriptor, .user = &descriptor};
    struct stat about;
    congru_status status;
    if (fstat(descriptor, &about) != 0) {
        status = congru_fail(context, CONGRU_ERROR_IO, "%s: cannot read: %s", path, strerror(errno));
    } else {
        /* Files under /proc say they are regular and of size 0, so an empty one is read like a pipe. */
        stream.size_known = S_ISREG(about.st_mode) && about.st_size > 0;
        stream.size = stream.size_known ? (size_t)about.st_size : 0;
        status = read_array(&stream, array);
        if (status == CONGRU_OK && stream.size_known)
            status = check_unchanged(context, path, descriptor, &about);
        if (status != CONGRU_OK)
            congru_array_clear(array);
    }
    close(descriptor);
    return status;
}

void congru_array_clear(congru_array *array)
{
    if (array == NULL)
        return;
    congru_memory_give(array->data);
    *array = (congru_array){0};
}
