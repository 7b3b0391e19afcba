/* Writes arrays of doubles as .npy files. SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "dataset/file_write.h"
#include "dataset/npy_internal.h"

enum {
    PREAMBLE_SIZE = 10, /* magic, version 1.0, two bytes of header length */
    ALIGNMENT = 64, /* the values begin at a multiple of this, as NumPy has it, so that they can be mapped */
    HEADER_SIZE_MAX = 320
};

/* 21 characters for each length: 19 digits and ", "; 64 for the rest of the dictionary. */
_Static_assert(PREAMBLE_SIZE + 64 + 21 * CONGRU_NPY_DIMS_MAX + ALIGNMENT <= HEADER_SIZE_MAX,
               "header buffer too small");

/* Fills `header` and returns its size, a multiple of ALIGNMENT. */
static size_t compose_header(size_t dims, const size_t *shape, char header[HEADER_SIZE_MAX])
{
    size_t end = PREAMBLE_SIZE;
    end += (size_t)sprintf(header + end, "{'descr': '<f8', 'fortran_order': False, 'shape': (");
    for (size_t i = 0; i < dims; i++)
        end += (size_t)sprintf(header + end, i == 0 ? "%zu," : i == 1 ? " %zu" : ", %zu", shape[i]);
    end += (size_t)sprintf(header + end, "), }");
    size_t size = (end + 1 + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    memset(header + end, ' ', size - end);
    header[size - 1] = '\n';
    memcpy(header, "\x93NUMPY\x01\x00", 8);
    header[8] = (char)((size - PREAMBLE_SIZE) & 0xff);
    header[9] = (char)((size - PREAMBLE_SIZE) >> 8);
    return size;
}

congru_status congru_npy_write(congru_context *context, const char *path, size_t dims, const size_t *shape,
                               const double *data)
{
    if (path == NULL || (dims > 0 && shape == NULL))
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "congru_npy_write: path and shape must not be NULL");
    size_t count;
    if (dims > CONGRU_NPY_DIMS_MAX || !congru_npy_shape_count(dims, shape, &count))
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "%s: cannot write: a shape of %zu dimensions (at most %d) or too many values", path,
                           dims, (int)CONGRU_NPY_DIMS_MAX);
    if (data == NULL && count > 0)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "congru_npy_write: data must not be NULL");
    char header[HEADER_SIZE_MAX];
    congru_file_piece pieces[2] = {
        {.data = header, .size = compose_header(dims, shape, header)},
        {.data = data, .size = count * sizeof *data},
    };
    return congru_file_write(context, path, pieces, 2);
}
