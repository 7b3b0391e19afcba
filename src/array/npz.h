/* Arrays of several types, and the .npz (zip of .npy) that holds them. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_ARRAY_NPZ_H
#define CONGRU_ARRAY_NPZ_H

#include <stdint.h>

#include "array/source.h"
#include "congru/npy.h"

/* A typed array in C order: one of the pointers is set, by kind. Owned; free with congru_values_clear, or numbers
 * alone with congru_memory_give (base/cache.h), for large arrays are files. */
typedef enum congru_values_kind {
    CONGRU_VALUES_REAL,
    CONGRU_VALUES_INTEGER,
    CONGRU_VALUES_TEXT
} congru_values_kind;

typedef struct congru_values {
    congru_values_kind kind;
    size_t dims;
    size_t shape[CONGRU_NPY_DIMS_MAX];
    size_t count;
    double *real;      /* from floats of any width */
    int64_t *integer;  /* from integers of any width and bool */
    char **text;       /* (count) UTF-8, from '<U' and '|S'; one allocation */
    int integer_bytes; /* of the file's type, 0 otherwise: int16 is 2 */
    size_t text_bytes; /* of each text in the file, 0 otherwise */
} congru_values;

void congru_values_clear(congru_values *values);

/* Numbers as integers: floats that are whole, as MATLAB and pandas leave them, are changed where they are.
 * CONGRU_ERROR_FORMAT for others, naming `file`, `array` and the trial. */
congru_status congru_values_make_integers(congru_context *context, const char *file, const char *array,
                                          congru_values *values);

typedef struct congru_npz congru_npz;

/* Opens with libzip, read-only. Every size in the directory is checked against the file before it is believed;
 * a member that inflates past what its own header says, encrypted members, and members over the limits are
 * errors. */
congru_status congru_npz_open(congru_context *context, const char *path, congru_npz **npz);
congru_status congru_npz_open_memory(congru_context *context, const char *name, const void *bytes, size_t size,
                                     congru_npz **npz);
bool congru_npz_has(const congru_npz *npz, const char *array); /* without .npy */

/* A few bytes of deflated zeros stand for gigabytes, so a file's shapes are looked at before its values: kind, dims,
 * shape, count, integer_bytes and text_bytes of an array as its header has them, without values; nothing to clear. */
congru_status congru_npz_describe(congru_context *context, congru_npz *npz, const char *array,
                                  congru_values *values);

/* The values of an array that was described; CONGRU_ERROR_FORMAT where its header is another now. They outlive the npz
 * and the file. On failure *values is emptied. */
congru_status congru_npz_fill(congru_context *context, congru_npz *npz, const char *array,
                              congru_values *values);

/* CONGRU_ERROR_FORMAT where a text that is to be a name takes more bytes in the file than any name does. */
congru_status congru_npz_check_names(congru_context *context, const congru_npz *npz, const char *array,
                                     const congru_values *values);

/* CONGRU_ERROR_IO where the file was changed since it was opened; to be asked when all is read. */
congru_status congru_npz_check(congru_context *context, const congru_npz *npz);

/* Both, for what may be of any shape. */
congru_status congru_npz_read(congru_context *context, congru_npz *npz, const char *array,
                              congru_values *values);
void congru_npz_close(congru_npz **npz);

/* Writing: add arrays in order, then commit, which makes the file appear whole under its name and frees the
 * writer, whether it succeeds or not; or abandon. The `data` of congru_npz_add_real are read by the commit and
 * must stay until then; integers and texts are copied. Members up to the first deflated one have their data
 * 64-byte aligned in the file. The same arrays give the same bytes. */
typedef struct congru_npz_writer congru_npz_writer;
congru_status congru_npz_create(congru_context *context, const char *path, congru_npz_writer **writer);
congru_status congru_npz_add_real(congru_context *context, congru_npz_writer *writer, const char *array,
                                  size_t dims, const size_t *shape, const double *data, bool deflate);
congru_status congru_npz_add_integer(congru_context *context, congru_npz_writer *writer, const char *array,
                                     size_t dims, const size_t *shape, const int64_t *data);
congru_status congru_npz_add_text(congru_context *context, congru_npz_writer *writer, const char *array,
                                  size_t dims, const size_t *shape, const char *const *data);
congru_status congru_npz_commit(congru_context *context, congru_npz_writer **writer);
void congru_npz_abandon(congru_npz_writer **writer);

#endif
