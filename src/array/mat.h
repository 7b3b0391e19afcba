/* MATLAB level 5 files: a strict reader. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_ARRAY_MAT_H
#define CONGRU_ARRAY_MAT_H

#include "array/source.h"

typedef enum congru_mat_kind {
    CONGRU_MAT_NUMERIC,
    CONGRU_MAT_TEXT,
    CONGRU_MAT_CELL,
    CONGRU_MAT_STRUCT
} congru_mat_kind;

enum { CONGRU_MAT_DIMS_MAX = 8 };

/* A value and everything inside it, in the column-major order of MATLAB. */
typedef struct congru_mat_value {
    congru_mat_kind kind;
    size_t dims;
    size_t shape[CONGRU_MAT_DIMS_MAX];
    size_t count;
    double *number; /* numeric and logical (count); NULL where it was not wanted */
    char *text; /* UTF-8, terminated; a newline between the rows of a matrix; NULL where it was not wanted */
    struct congru_mat_value
        *element; /* cells (count), or structs (count * fields, fields of one element together) */
    size_t fields;
    char (*field)[64]; /* struct field names */
} congru_mat_value;

typedef struct congru_mat congru_mat;

/* Whether the numbers or characters of an array are wanted: `name` is that of the variable, or of the field of a struct,
 * or of what the cell is that it is in; the value has its kind and shape. */
typedef bool (*congru_mat_wanted)(const char *name, const congru_mat_value *value, const void *user);
bool congru_mat_outline(const char *name, const congru_mat_value *value, const void *user); /* none are */

/* Reads all variables, with the contents of those arrays that are wanted (NULL: all). A file of a few bytes can hold
 * arrays of billions: so readers look at the shapes first, with congru_mat_outline, and then want what they have use
 * for. Compressed elements are inflated with zlib to no more than their own size says, which is checked against a limit
 * of 1032 times the compressed size; nesting is limited. Version 7.3 (HDF5), big-endian level 5, sparse, objects and
 * function handles: read where simple, else CONGRU_ERROR_UNSUPPORTED saying so. */
enum { CONGRU_MAT_TEXT_WANTED = 1 << 16 }; /* characters of one text that is a name, or some rows of names */
congru_status congru_mat_read(congru_context *context, const congru_source *source, congru_mat_wanted wanted,
                              const void *user, congru_mat **mat);

/* The same, but what is sparse, complex, an object or a function handle is an empty array, and not refused: for files of
 * which only some variables are wanted, which are plain. */
congru_status congru_mat_read_plain(congru_context *context, const congru_source *source,
                                    congru_mat_wanted wanted, const void *user, congru_mat **mat);

const congru_mat_value *congru_mat_find(const congru_mat *mat, const char *variable); /* or NULL */
/* The name and value of variable 0, 1, ...; NULL past the last. */
const char *congru_mat_variable(const congru_mat *mat, size_t index);
const congru_mat_value *congru_mat_value_at(const congru_mat *mat, size_t index);
const congru_mat_value *congru_mat_field(const congru_mat_value *value, size_t element, const char *field);
/* The numbers of a value, which are then the caller's, who frees them with congru_memory_give (base/cache.h); the value
 * keeps its shape. */
double *congru_mat_detach(congru_mat *mat, const congru_mat_value *value);
void congru_mat_free(congru_mat **mat);

#endif
