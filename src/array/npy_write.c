/* Writes arrays of doubles as .npy files. SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "array/file_write.h"
#include "array/npy_internal.h"
#include "base/error.h"

enum {
    PREAMBLE_SIZE = 10, /* magic, version 1.0, two bytes of header length */
    ALIGNMENT = 64 /* the values begin at a multiple of this, as NumPy has it, so that they can be mapped */
};

/* 21 characters for each length: 19 digits and ", "; 96 for the rest of the dictionary. */
_Static_assert(PREAMBLE_SIZE + 96 + 21 * CONGRU_NPY_DIMS_MAX + ALIGNMENT <= CONGRU_NPY_HEADER_SIZE,
               "header buffer too small");

size_t congru_npy_compose_header(const char *descr, size_t dims, const size_t *shape,
                                 char header[CONGRU_NPY_HEADER_SIZE])
{
    size_t end = PREAMBLE_SIZE;
    end += (size_t)sprintf(header + end, "{'descr': '%.23s', 'fortran_order': False, 'shape': (", descr);
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
    char header[CONGRU_NPY_HEADER_SIZE];
    congru_file_piece pieces[2] = {
        {.data = header, .size = congru_npy_compose_header("<f8", dims, shape, header)},
        {.data = data, .size = count * sizeof *data},
    };
    return congru_file_write(context, path, pieces, 2);
}
