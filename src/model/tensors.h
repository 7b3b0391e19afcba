/* A fitted method as named arrays of numbers: one form for using, saving and loading. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_MODEL_TENSORS_H
#define CONGRU_MODEL_TENSORS_H

#include "congru/status.h"

enum { CONGRU_TENSOR_NAME_SIZE = 64, CONGRU_TENSOR_DIMS_MAX = 4 };

typedef struct congru_tensor {
    char name[CONGRU_TENSOR_NAME_SIZE];
    size_t dims;
    size_t shape[CONGRU_TENSOR_DIMS_MAX];
    double *data; /* owned, 64-byte aligned */
} congru_tensor;

/* {0} is empty. What a fit function learned, and all that its predict function needs: numbers such as a metric or
 * a width are tensors of one element. A method prefixes its names with its own ("mdm.mean"), so that an aligner and
 * a classifier share one set. */
typedef struct congru_tensors {
    size_t count;
    size_t room;
    congru_tensor *tensor;
} congru_tensors;

/* Adds a tensor, zeroed, and gives its data to fill in; CONGRU_ERROR_MEMORY, or CONGRU_ERROR_ARGUMENT for a name
 * that is there already. */
congru_status congru_tensors_add(congru_context *context, congru_tensors *tensors, const char *name,
                                 size_t dims, const size_t *shape, double **data);

/* The same with the data copied in; a single number. */
congru_status congru_tensors_add_copy(congru_context *context, congru_tensors *tensors, const char *name,
                                      size_t dims, const size_t *shape, const double *data);
congru_status congru_tensors_add_number(congru_context *context, congru_tensors *tensors, const char *name,
                                        double number);

/* Copies of all of another set, the prefix before each name. */
congru_status congru_tensors_add_all(congru_context *context, congru_tensors *tensors, const char *prefix,
                                     const congru_tensors *from);

/* NULL when there is none of the name. */
const congru_tensor *congru_tensors_find(const congru_tensors *tensors, const char *name);

/* Finds a tensor that must be there with this shape (a 0 in `shape` stands for any size, which is filled in), with
 * finite numbers: else CONGRU_ERROR_FORMAT, for models that come from files. */
congru_status congru_tensors_expect(congru_context *context, const congru_tensors *tensors, const char *name,
                                    size_t dims, size_t *shape, const double **data);
congru_status congru_tensors_expect_number(congru_context *context, const congru_tensors *tensors,
                                           const char *name, double least, double most, double *number);

/* Frees all of them and empties the set. */
void congru_tensors_clear(congru_tensors *tensors);

#endif
