/* Reads .npy files, from a path or from memory. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "dataset/npy_internal.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the .npy reader copies little-endian values as they are"
#endif

enum {
    ALIGNMENT = 64,
    PREAMBLE_SIZE = 8,         /* the magic string and two bytes of version */
    HEADER_SIZE_MAX = 1 << 20, /* NumPy's own are under 200 bytes; a lying length must not cost memory */
    READ_SIZE_MAX = 1 << 30,   /* read() takes no more than 2 GiB at once */
    GROWTH_START = 1 << 16,    /* values to make room for at first where the size of the file is unknown */
    WIDEN_VALUES = 4096
};

static const unsigned char magic[6] = {0x93, 'N', 'U', 'M', 'P', 'Y'};

/* Where bytes come from: a descriptor, or memory when that is negative. */
typedef struct source {
    congru_context *context;
    const char *name;
    int descriptor;
    const unsigned char *bytes;
    bool size_known; /* false for a pipe */
    size_t size;
    size_t position; /* bytes taken so far */
} source;

/* Takes up to `size` bytes, fewer only at the end of the file. */
static congru_status source_take(source *from, void *into, size_t size, size_t *taken)
{
    *taken = 0;
    if (from->descriptor < 0) {
        *taken = size < from->size - from->position ? size : from->size - from->position;
        if (*taken > 0)
            memcpy(into, from->bytes + from->position, *taken);
        from->position += *taken;
        return CONGRU_OK;
    }
    while (*taken < size) {
        size_t wanted = size - *taken < READ_SIZE_MAX ? size - *taken : READ_SIZE_MAX;
        ssize_t got = read(from->descriptor, (unsigned char *)into + *taken, wanted);
        if (got == 0)
            break;
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return congru_fail(from->context, CONGRU_ERROR_IO, "%s: cannot read: %s", from->name,
                               strerror(errno));
        *taken += (size_t)got;
        from->position += (size_t)got;
    }
    return CONGRU_OK;
}

/* Takes `size` bytes of `part`, or fails. */
static congru_status source_take_all(source *from, void *into, size_t size, const char *part)
{
    size_t taken, expected = from->position + size;
    congru_status status = source_take(from, into, size, &taken);
    if (status == CONGRU_OK && taken < size)
        return congru_fail(
            from->context, CONGRU_ERROR_FORMAT,
            "%s: truncated in %s: expected at least %zu bytes, found %zu (copy or write the file again)",
            from->name, part, expected, from->position);
    return status;
}

static congru_status fail_memory(source *from, size_t count)
{
    return congru_fail(from->context, CONGRU_ERROR_MEMORY, "%s: not enough memory for %zu values", from->name,
                       count);
}

static congru_status read_preamble(source *from, unsigned *version)
{
    unsigned char bytes[PREAMBLE_SIZE];
    size_t taken;
    congru_status status = source_take(from, bytes, sizeof bytes, &taken);
    if (status != CONGRU_OK)
        return status;
    if (taken == 0)
        return congru_fail(from->context, CONGRU_ERROR_FORMAT, "%s: empty file (expected a .npy array)",
                           from->name);
    if (taken >= 2 && memcmp(bytes, "PK", 2) == 0)
        return congru_fail(from->context, CONGRU_ERROR_FORMAT,
                           "%s: a zip or .npz archive, not a .npy file (save one array with numpy.save)",
                           from->name);
    if (memcmp(bytes, magic, taken < sizeof magic ? taken : sizeof magic) != 0)
        return congru_fail(
            from->context, CONGRU_ERROR_FORMAT,
            "%s: not a .npy file: it does not begin with \\x93NUMPY (save the array with numpy.save)",
            from->name);
    if (taken < sizeof bytes)
        return congru_fail(from->context, CONGRU_ERROR_FORMAT,
                           "%s: truncated in its first bytes: expected at least %zu bytes, found %zu (copy or "
                           "write the file again)",
                           from->name, sizeof bytes, taken);
    if ((bytes[6] != 1 && bytes[6] != 2) || bytes[7] != 0)
        return congru_fail(
            from->context, CONGRU_ERROR_UNSUPPORTED,
            "%s: .npy version %u.%u; 1.0 and 2.0 are read (save a plain float array with numpy.save)",
            from->name, bytes[6], bytes[7]);
    *version = bytes[6];
    return CONGRU_OK;
}

static congru_status read_header(source *from, congru_npy_header *header)
{
    unsigned version = 0;
    congru_status status = read_preamble(from, &version);
    if (status != CONGRU_OK)
        return status;
    unsigned char length[4] = {0}; /* little-endian: 2 bytes in version 1, 4 in version 2 */
    status = source_take_all(from, length, version == 1 ? 2 : 4, "the length of the header");
    if (status != CONGRU_OK)
        return status;
    uint32_t size =
        length[0] | (uint32_t)length[1] << 8 | (uint32_t)length[2] << 16 | (uint32_t)length[3] << 24;
    if (size > HEADER_SIZE_MAX)
        return congru_fail(from->context, CONGRU_ERROR_FORMAT,
                           "%s: broken .npy header: a length of %lu bytes; at most %d are read (write the file "
                           "again with numpy.save)",
                           from->name, (unsigned long)size, (int)HEADER_SIZE_MAX);
    char *text = malloc((size_t)size + 1);
    if (text == NULL)
        return fail_memory(from, size);
    status = source_take_all(from, text, size, "the header");
    if (status == CONGRU_OK)
        status = congru_npy_header_parse(from->context, from->name, text, size, header);
    free(text);
    return status;
}

/* Compares the size the header promises with the size the file has, where that is known beforehand. */
static congru_status check_size(source *from, const congru_npy_header *header)
{
    if (!from->size_known)
        return CONGRU_OK;
    size_t expected = from->position + header->count * header->item_size;
    if (from->size < expected)
        return congru_fail(from->context, CONGRU_ERROR_FORMAT,
                           "%s: truncated: expected %zu bytes, found %zu (copy or write the file again)",
                           from->name, expected, from->size);
    if (from->size > expected)
        return congru_fail(from->context, CONGRU_ERROR_FORMAT,
                           "%s: trailing bytes: expected %zu bytes, found %zu (one array to a file)",
                           from->name, expected, from->size);
    return CONGRU_OK;
}

/* aligned_alloc wants a multiple of the alignment; an empty array still gets a pointer of its own. */
static double *allocate_values(size_t count)
{
    if (count > (PTRDIFF_MAX - ALIGNMENT) / sizeof(double))
        return NULL;
    size_t size = (count * sizeof(double) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return aligned_alloc(ALIGNMENT, size > 0 ? size : ALIGNMENT);
}

/* Makes room for `capacity` values, keeping those the array has. */
static congru_status grow_values(source *from, congru_array *array, size_t capacity)
{
    double *data = allocate_values(capacity);
    if (data == NULL)
        return fail_memory(from, capacity);
    if (array->count > 0)
        memcpy(data, array->data, array->count * sizeof *data);
    free(array->data);
    array->data = data;
    return CONGRU_OK;
}

/* Appends up to `room` values; fewer only at the end of the file. */
static congru_status take_values(source *from, const congru_npy_header *header, size_t room,
                                 congru_array *array, size_t *values)
{
    double *into = array->data + array->count;
    size_t bytes;
    congru_status status;
    if (header->item_size == sizeof(double)) {
        status = source_take(from, into, room * sizeof(double), &bytes);
    } else {
        float narrow[WIDEN_VALUES];
        status = source_take(from, narrow, (room < WIDEN_VALUES ? room : WIDEN_VALUES) * sizeof(float), &bytes);
        for (size_t i = 0; i < bytes / sizeof(float); i++)
            into[i] = (double)narrow[i];
    }
    *values = bytes / header->item_size;
    array->count += *values;
    return status;
}

/* Fills the array in the order of the file. Memory is taken as bytes really arrive where the header's word is
 * all there is. */
static congru_status read_values(source *from, const congru_npy_header *header, congru_array *array)
{
    size_t expected = from->position + header->count * header->item_size;
    size_t capacity = from->size_known || header->count < GROWTH_START ? header->count : GROWTH_START;
    congru_status status = grow_values(from, array, capacity);
    while (status == CONGRU_OK && array->count < header->count) {
        if (array->count == capacity) {
            capacity = header->count - capacity > capacity ? 2 * capacity : header->count;
            status = grow_values(from, array, capacity);
            continue;
        }
        size_t values;
        status = take_values(from, header, capacity - array->count, array, &values);
        if (status == CONGRU_OK && values == 0)
            return congru_fail(from->context, CONGRU_ERROR_FORMAT,
                               "%s: truncated: expected %zu bytes, found %zu (copy or write the file again)",
                               from->name, expected, from->position);
    }
    if (status != CONGRU_OK)
        return status;
    unsigned char extra;
    size_t taken;
    status = source_take(from, &extra, 1, &taken);
    if (status == CONGRU_OK && taken > 0)
        return congru_fail(from->context, CONGRU_ERROR_FORMAT,
                           "%s: trailing bytes after the %zu expected (one array to a file)", from->name,
                           expected);
    return status;
}

/* From Fortran order, the first index fastest, into C order. Walks the result in its own order, keeping the
 * place in the file's order as an odometer. */
static congru_status transpose_values(source *from, congru_array *array)
{
    if (array->dims < 2 || array->count == 0)
        return CONGRU_OK;
    double *data = allocate_values(array->count);
    if (data == NULL)
        return fail_memory(from, array->count);
    size_t stride[CONGRU_NPY_DIMS_MAX], index[CONGRU_NPY_DIMS_MAX] = {0}, place = 0;
    stride[0] = 1;
    for (size_t k = 1; k < array->dims; k++)
        stride[k] = stride[k - 1] * array->shape[k - 1];
    for (size_t i = 0; i < array->count; i++) {
        data[i] = array->data[place];
        for (size_t k = array->dims; k-- > 0;) {
            place += stride[k];
            if (++index[k] < array->shape[k])
                break;
            place -= stride[k] * array->shape[k];
            index[k] = 0;
        }
    }
    free(array->data);
    array->data = data;
    return CONGRU_OK;
}

static congru_status read_array(source *from, congru_array *array)
{
    congru_npy_header header;
    congru_status status = read_header(from, &header);
    if (status == CONGRU_OK)
        status = check_size(from, &header);
    if (status == CONGRU_OK)
        status = read_values(from, &header, array);
    if (status == CONGRU_OK) {
        array->dims = header.dims;
        memcpy(array->shape, header.shape, sizeof array->shape);
        status = header.fortran_order ? transpose_values(from, array) : CONGRU_OK;
    }
    if (status != CONGRU_OK)
        congru_array_clear(array);
    return status;
}

congru_status congru_npy_parse(congru_context *context, const char *name, const unsigned char *bytes,
                               size_t size, congru_array *array)
{
    source from = {
        .context = context, .name = name, .descriptor = -1, .bytes = bytes, .size_known = true, .size = size};
    *array = (congru_array){0};
    return read_array(&from, array);
}

congru_status congru_npy_read(congru_context *context, const char *path, congru_array *array)
{
    if (path == NULL || array == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "congru_npy_read: path and array must not be NULL");
    *array = (congru_array){0};
    source from = {.context = context, .name = path};
    from.descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (from.descriptor < 0)
        return congru_fail(context, CONGRU_ERROR_IO, "%s: cannot open: %s", path, strerror(errno));
    struct stat about;
    congru_status status;
    if (fstat(from.descriptor, &about) != 0) {
        status = congru_fail(context, CONGRU_ERROR_IO, "%s: cannot read: %s", path, strerror(errno));
    } else {
        /* Files under /proc say they are regular and of size 0, so an empty one is read like a pipe. */
        from.size_known = S_ISREG(about.st_mode) && about.st_size > 0;
        from.size = from.size_known ? (size_t)about.st_size : 0;
        status = read_array(&from, array);
    }
    close(from.descriptor);
    return status;
}

void congru_array_clear(congru_array *array)
{
    if (array == NULL)
        return;
    free(array->data);
    *array = (congru_array){0};
}
