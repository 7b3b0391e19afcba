/* The parts of the .npy reader that its fuzz target calls. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_DATASET_NPY_INTERNAL_H
#define CONGRU_DATASET_NPY_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

#include "congru/npy.h"

/* What the dictionary at the head of a file says. */
typedef struct congru_npy_header {
    bool fortran_order;
    size_t item_size; /* 8 for '<f8', 4 for '<f4' */
    size_t dims;
    size_t shape[CONGRU_NPY_DIMS_MAX];
    size_t count; /* the product of the shape; `count` doubles fit the address space */
} congru_npy_header;

/* Reads the dictionary: `size` bytes of text that need not end in a zero. `name` is the file, for the error
 * text. CONGRU_ERROR_FORMAT for text that is not such a dictionary, CONGRU_ERROR_UNSUPPORTED for one that
 * describes other values than little-endian floats or too many dimensions. */
congru_status congru_npy_header_parse(congru_context *context, const char *name, const char *text, size_t size,
                                      congru_npy_header *header);

/* The product of a shape, or false where that many doubles do not fit the address space. As in NumPy, a zero
 * does not excuse its neighbours: (0, 2^63) is refused. */
bool congru_npy_shape_count(size_t dims, const size_t *shape, size_t *count);

/* congru_npy_read from memory: the whole file is `size` bytes. */
congru_status congru_npy_parse(congru_context *context, const char *name, const unsigned char *bytes,
                               size_t size, congru_array *array);

#endif
