/* Arrays in NumPy's .npy files. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_NPY_H
#define CONGRU_NPY_H

#include "congru/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { CONGRU_NPY_DIMS_MAX = 8 };

/* A dense array of doubles in C order: the last index moves fastest. */
typedef struct congru_array {
    size_t dims;
    size_t shape[CONGRU_NPY_DIMS_MAX];
    size_t count; /* the product of the shape */
    double *data; /* count doubles, 64-byte aligned; owned by the array */
} congru_array;

/* Reads a .npy file of version 1.0 or 2.0 holding little-endian float64 or float32 (widened), in C or
 * Fortran order (transposed into C order). A header that lies about the size of the file is refused
 * before anything of that size is allocated. On failure *array is emptied. */
CONGRU_API congru_status congru_npy_read(congru_context *context, const char *path, congru_array *array);

/* Writes float64 in C order, version 1.0. The file appears under its name only when it is complete: it is
 * written beside it, flushed and renamed. */
CONGRU_API congru_status congru_npy_write(congru_context *context, const char *path, size_t dims,
                                          const size_t *shape, const double *data);

/* Frees the data and empties the array. */
CONGRU_API void congru_array_clear(congru_array *array);

#ifdef __cplusplus
}
#endif
#endif
