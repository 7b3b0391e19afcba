/* What the readers and makers of sets share. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_DATASET_SET_INTERNAL_H
#define CONGRU_DATASET_SET_INTERNAL_H

#include "array/npz.h"
#include "congru/dataset.h"

/* congru_set_read from memory: the whole file is `size` bytes. */
congru_status congru_set_parse(congru_context *context, const char *name, const void *bytes, size_t size,
                               congru_set **set);

/* The shapes of y, subject, session and run, where they are there, held against the number of trials: before anything
 * of the file is read. */
congru_status congru_set_check_columns(congru_context *context, const char *file, congru_npz *npz,
                                       size_t count);

/* Reads y and, where present, classes into label, classes and class_name; subject into subject, subjects and
 * subject_name; and session and run (zeros where absent). set->count is known by then. */
congru_status congru_set_read_labels(congru_context *context, const char *file, congru_npz *npz,
                                     congru_set *set);

/* Copies a name into a table; CONGRU_ERROR_UNSUPPORTED, saying `what` it is the name of, if it is too long. */
congru_status congru_set_copy_name(congru_context *context, const char *file, const char *what,
                                   const char *name, char entry[CONGRU_LABEL_SIZE]);

/* CONGRU_ERROR_FORMAT unless the array is one line of `count` values. */
congru_status congru_set_check_length(congru_context *context, const char *file, const char *array,
                                      const congru_values *values, size_t count, const char *of_what);

/* "(288, 22, 22)" for an error text; cut short where it does not fit. */
enum { CONGRU_SHAPE_TEXT_SIZE = 96 };
void congru_set_shape_text(const congru_values *values, char text[CONGRU_SHAPE_TEXT_SIZE]);

#endif
