/* MATLAB level 5 files put together in memory, for tests: right ones, and wrong ones. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_TESTS_MAT_WRITER_H
#define CONGRU_TESTS_MAT_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A file being written. Begin with mat_begin, free with mat_end. */
typedef struct mat_writer {
    unsigned char *bytes;
    size_t size, room;
    bool big_endian;
} mat_writer;

enum { MAT_COMPLEX = 0x800, MAT_LOGICAL = 0x200 };

void mat_begin(mat_writer *writer, bool big_endian); /* the header of 128 bytes */
void mat_end(mat_writer *writer);

/* An element: its tag, its data, its padding; in the small form where the data are 1 to 4 bytes and `small`.
 * `width` is of the values in the data, which are given in this machine's order. */
void mat_element(mat_writer *writer, uint32_t type, const void *data, size_t size, size_t width, bool small);

/* Opens an array with its flags, dimensions and name, and returns where it began, for mat_close, which writes
 * its size. */
size_t mat_open(mat_writer *writer, uint32_t class_and_flags, size_t dims, const size_t *shape,
                const char *name);
void mat_close(mat_writer *writer, size_t start);

/* Compresses the variable that began at `start` and was the last to be closed. */
void mat_compress(mat_writer *writer, size_t start);

/* Whole arrays, within open cells and structs or by themselves. Numbers are stored as `type`. */
void mat_numbers(mat_writer *writer, const char *name, uint32_t class_and_flags, uint32_t type, size_t dims,
                 const size_t *shape, const double *value);
void mat_matrix(mat_writer *writer, const char *name, size_t rows, size_t columns, const double *value);
void mat_number(mat_writer *writer, const char *name, double value);
void mat_text(mat_writer *writer, const char *name, const char *text); /* ASCII, as UTF-16 */

/* The cell of `count` ASCII texts. */
void mat_texts(mat_writer *writer, const char *name, const char *const *text, size_t count);

/* Opens a struct array of 1 x count with these fields; the arrays follow, fields of one element together. */
size_t mat_open_struct(mat_writer *writer, const char *name, size_t count, const char *const *field,
                       size_t fields);

/* A small file of every kind of array, for tests that damage it. */
void mat_sample(mat_writer *writer, bool compressed, bool big_endian);

/* A recording in the layout of BNCI Horizon 2020: `runs` runs, each of `samples` x `channels`, whose value at
 * run r, sample i, channel k is 10000 r + 100 k + i, with trials at samples 1, 11, 21, ... of classes 1, 2, 1,
 * 2, ... and every third marked as an artifact. As a cell, or as an array of structs. */
void mat_bnci(mat_writer *writer, size_t runs, size_t samples, size_t channels, size_t trials, bool cell);

#endif
