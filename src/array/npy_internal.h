/* The parts that readers and writers of .npy and .npz share. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_ARRAY_NPY_INTERNAL_H
#define CONGRU_ARRAY_NPY_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

#include "array/npz.h"
#include "congru/npy.h"

/* ---- The header ------------------------------------------------------------------------------------ */

/* Which values a reader takes: '<f8' and '<f4' alone; or floats of 2, 4 and 8 bytes, integers of 1 to 8, bool,
 * '<U' and '|S'. */
typedef enum congru_npy_accept { CONGRU_NPY_FLOATS, CONGRU_NPY_VALUES } congru_npy_accept;

/* What the dictionary at the head of a file says. */
typedef struct congru_npy_header {
    bool fortran_order;
    char type;        /* NumPy's letter: f i u b U S */
    size_t item_size; /* bytes of one value; never 0 */
    size_t dims;
    size_t shape[CONGRU_NPY_DIMS_MAX];
    size_t count; /* the product of the shape; `count` doubles, and `count` items, fit the address space */
} congru_npy_header;

/* Reads the dictionary: `size` bytes of text that need not end in a zero. `name` is the file, for the error
 * text. CONGRU_ERROR_FORMAT for text that is not such a dictionary, CONGRU_ERROR_UNSUPPORTED for one that
 * describes other values than those accepted or too many dimensions. */
congru_status congru_npy_header_parse(congru_context *context, const char *name, const char *text, size_t size,
                                      congru_npy_accept accept, congru_npy_header *header);

/* The product of a shape, or false where that many doubles do not fit the address space. As in NumPy, a zero
 * does not excuse its neighbours: (0, 2^63) is refused. */
bool congru_npy_shape_count(size_t dims, const size_t *shape, size_t *count);

/* Room for the header of any shape that congru_npy_shape_count allows, in any type. */
enum { CONGRU_NPY_HEADER_SIZE = 384 };

/* Fills `header` as NumPy does, version 1.0 and C order, and returns its size, a multiple of 64: values that
 * follow can be mapped. `descr` is at most 23 characters. */
size_t congru_npy_compose_header(const char *descr, size_t dims, const size_t *shape,
                                 char header[CONGRU_NPY_HEADER_SIZE]);

/* ---- Reading --------------------------------------------------------------------------------------- */

/* The bytes of one .npy, taken in order. */
typedef struct congru_npy_stream {
    congru_context *context;
    const char *name; /* for error texts */
    /* Up to `size` bytes, fewer only at the end; a failure sets its own error text. */
    congru_status (*take)(struct congru_npy_stream *stream, void *into, size_t size, size_t *taken);
    void *user;
    bool size_known; /* false for a pipe */
    size_t size;
    size_t position; /* bytes taken so far; kept by congru_npy_take */
} congru_npy_stream;

congru_status congru_npy_take(congru_npy_stream *stream, void *into, size_t size, size_t *taken);

/* Takes the magic string, version and dictionary, and compares the size they promise with the size there is,
 * where that is known. What follows in the stream are the values. */
congru_status congru_npy_take_header(congru_npy_stream *stream, congru_npy_accept accept,
                                     congru_npy_header *header);

/* CONGRU_ERROR_FORMAT unless the stream ends here. */
congru_status congru_npy_take_end(congru_npy_stream *stream);

/* CONGRU_ERROR_FORMAT: the values end before `expected` bytes. */
congru_status congru_npy_fail_truncated(congru_npy_stream *stream, size_t expected);

congru_status congru_npy_fail_memory(congru_npy_stream *stream, size_t count);

/* Room for `count` values of 8 bytes, 64-byte aligned; congru_memory_give (base/cache.h) it. NULL when there is none. */
void *congru_npy_allocate(size_t count);

/* From Fortran order, the first index fastest, into C order: `count` items of `item` bytes each. */
void congru_npy_transpose(size_t dims, const size_t *shape, size_t count, size_t item, const void *fortran,
                          void *c);

/* congru_npy_read from memory: the whole file is `size` bytes. */
congru_status congru_npy_parse(congru_context *context, const char *name, const unsigned char *bytes,
                               size_t size, congru_array *array);

/* The values of a stream of known size. On failure *values is emptied. */
congru_status congru_values_take(congru_npy_stream *stream, congru_values *values);

/* The same in two steps: the header, and what it says of the values; then the values, which must be those described. */
congru_status congru_values_describe(congru_npy_stream *stream, congru_npy_header *header,
                                     congru_values *values);
congru_status congru_values_fill(congru_npy_stream *stream, const congru_npy_header *header,
                                 congru_values *values);

/* The same from memory. */
congru_status congru_values_parse(congru_context *context, const char *name, const unsigned char *bytes,
                                  size_t size, congru_values *values);

/* A stream over memory; `bytes` points at the variable that holds the address, and both must stay. */
congru_npy_stream congru_npy_memory_stream(congru_context *context, const char *name,
                                           const unsigned char **bytes, size_t size);

#endif
