/* The beginning and the end of a .npy, and the order of its values. SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array/npy_internal.h"
#include "base/error.h"
#include "base/mapped_memory.h"
#include "base/memory.h"

enum {
    PREAMBLE_SIZE = 8,         /* the magic string and two bytes of version */
    HEADER_SIZE_MAX = 1 << 20, /* NumPy's own are under 200 bytes; a lying length must not cost memory */
    PASSED = 4096              /* items between two calls of mapped memory */
};

static const unsigned char magic[6] = {0x93, 'N', 'U', 'M', 'P', 'Y'};

congru_status congru_npy_take(congru_npy_stream *stream, void *into, size_t size, size_t *taken)
{
    congru_status status = stream->take(stream, into, size, taken);
    stream->position += *taken;
    return status;
}

static congru_status take_memory(congru_npy_stream *stream, void *into, size_t size, size_t *taken)
{
    const unsigned char *const *bytes = stream->user;
    *taken = size < stream->size - stream->position ? size : stream->size - stream->position;
    if (*taken > 0)
        memcpy(into, *bytes + stream->position, *taken);
    return CONGRU_OK;
}

congru_npy_stream congru_npy_memory_stream(congru_context *context, const char *name,
                                           const unsigned char **bytes, size_t size)
{
    return (congru_npy_stream){
        .context = context, .name = name, .take = take_memory, .user = bytes, .size_known = true, .size = size};
}

congru_status congru_npy_fail_memory(congru_npy_stream *stream, size_t count)
{
    return congru_fail(stream->context, CONGRU_ERROR_MEMORY, "%s: not enough memory for %zu values",
                       stream->name, count);
}

congru_status congru_npy_fail_truncated(congru_npy_stream *stream, size_t expected)
{
    return congru_fail(stream->context, CONGRU_ERROR_FORMAT,
                       "%s: truncated: expected %zu bytes, found %zu (copy or write the file again)",
                       stream->name, expected, stream->size_known ? stream->size : stream->position);
}

/* Takes `size` bytes of `part`, or fails. */
static congru_status take_all(congru_npy_stream *stream, void *into, size_t size, const char *part)
{
    size_t taken, expected = stream->position + size;
    congru_status status = congru_npy_take(stream, into, size, &taken);
    if (status == CONGRU_OK && taken < size)
        return congru_fail(
            stream->context, CONGRU_ERROR_FORMAT,
            "%s: truncated in %s: expected at least %zu bytes, found %zu (copy or write the file again)",
            stream->name, part, expected, stream->position);
    return status;
}

static congru_status take_preamble(congru_npy_stream *stream, unsigned *version)
{
    unsigned char bytes[PREAMBLE_SIZE];
    size_t taken;
    CONGRU_TRY(congru_npy_take(stream, bytes, sizeof bytes, &taken));
    if (taken == 0)
        return congru_fail(stream->context, CONGRU_ERROR_FORMAT, "%s: empty file (expected a .npy array)",
                           stream->name);
    if (taken >= 2 && memcmp(bytes, "PK", 2) == 0)
        return congru_fail(stream->context, CONGRU_ERROR_FORMAT,
                           "%s: a zip or .npz archive, not a .npy file (save one array with numpy.save)",
                           stream->name);
    if (memcmp(bytes, magic, taken < sizeof magic ? taken : sizeof magic) != 0)
        return congru_fail(
            stream->context, CONGRU_ERROR_FORMAT,
            "%s: not a .npy file: it does not begin with \\x93NUMPY (save the array with numpy.save)",
            stream->name);
    if (taken < sizeof bytes)
        return congru_fail(stream->context, CONGRU_ERROR_FORMAT,
                           "%s: truncated in its first bytes: expected at least %zu bytes, found %zu (copy or "
                           "write the file again)",
                           stream->name, sizeof bytes, taken);
    if ((bytes[6] != 1 && bytes[6] != 2) || bytes[7] != 0)
        return congru_fail(
            stream->context, CONGRU_ERROR_UNSUPPORTED,
            "%s: .npy version %u.%u; 1.0 and 2.0 are read (save a plain float array with numpy.save)",
            stream->name, bytes[6], bytes[7]);
    *version = bytes[6];
    return CONGRU_OK;
}

static congru_status take_dictionary(congru_npy_stream *stream, congru_npy_accept accept,
                                     congru_npy_header *header)
{
    unsigned version = 0;
    CONGRU_TRY(take_preamble(stream, &version));
    unsigned char length[4] = {0}; /* little-endian: 2 bytes in version 1, 4 in version 2 */
    CONGRU_TRY(take_all(stream, length, version == 1 ? 2 : 4, "the length of the header"));
    uint32_t size =
        length[0] | (uint32_t)length[1] << 8 | (uint32_t)length[2] << 16 | (uint32_t)length[3] << 24;
    if (size > HEADER_SIZE_MAX)
        return congru_fail(stream->context, CONGRU_ERROR_FORMAT,
                           "%s: broken .npy header: a length of %lu bytes; at most %d are read (write the file "
                           "again with numpy.save)",
                           stream->name, (unsigned long)size, (int)HEADER_SIZE_MAX);
    char *text = malloc((size_t)size + 1);
    if (text == NULL)
        return congru_npy_fail_memory(stream, size);
    congru_status status = take_all(stream, text, size, "the header");
    if (status == CONGRU_OK)
        status = congru_npy_header_parse(stream->context, stream->name, text, size, accept, header);
    free(text);
    return status;
}

congru_status congru_npy_take_header(congru_npy_stream *stream, congru_npy_accept accept,
                                     congru_npy_header *header)
{
    congru_status status = take_dictionary(stream, accept, header);
    if (status != CONGRU_OK || !stream->size_known)
        return status;
    size_t expected = stream->position + header->count * header->item_size;
    if (stream->size < expected)
        return congru_npy_fail_truncated(stream, expected);
    if (stream->size > expected)
        return congru_fail(stream->context, CONGRU_ERROR_FORMAT,
                           "%s: trailing bytes: expected %zu bytes, found %zu (one array to a file)",
                           stream->name, expected, stream->size);
    return CONGRU_OK;
}

congru_status congru_npy_take_end(congru_npy_stream *stream)
{
    unsigned char extra;
    size_t taken, expected = stream->position;
    congru_status status = congru_npy_take(stream, &extra, 1, &taken);
    if (status == CONGRU_OK && taken > 0)
        return congru_fail(stream->context, CONGRU_ERROR_FORMAT,
                           "%s: trailing bytes after the %zu expected (one array to a file)", stream->name,
                           expected);
    return status;
}

void *congru_npy_allocate(size_t count)
{
    return count > PTRDIFF_MAX / 8 ? NULL : congru_memory_take(count * 8);
}

/* Walks the result in its own order, keeping the place in the file's order as an odometer. */
void congru_npy_transpose(size_t dims, const size_t *shape, size_t count, size_t item, const void *fortran,
                          void *c)
{
    size_t stride[CONGRU_NPY_DIMS_MAX] = {1}, index[CONGRU_NPY_DIMS_MAX] = {0}, place = 0;
    for (size_t k = 1; k < dims; k++)
        stride[k] = stride[k - 1] * shape[k - 1];
    for (size_t i = 0; i < count; i++) {
        memcpy((char *)c + item * i, (const char *)fortran + item * place, item);
        if (i % PASSED == PASSED - 1)
            congru_mapped_pass(2 * PASSED * item);
        for (size_t k = dims; k-- > 0;) {
            place += stride[k];
            if (++index[k] < shape[k])
                break;
            place -= stride[k] * shape[k];
            index[k] = 0;
        }
    }
}
