/* Named arrays of numbers. SPDX-License-Identifier: Apache-2.0 */
#include "model/tensors.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"

/* The product of the shape, or SIZE_MAX when it overflows. */
static size_t element_count(size_t dims, const size_t *shape)
{
    size_t count = 1;
    for (size_t i = 0; i < dims; i++)
        if (shape[i] > 0 && __builtin_mul_overflow(count, shape[i], &count))
            return SIZE_MAX;
    for (size_t i = 0; i < dims; i++)
        count = shape[i] == 0 ? 0 : count;
    return count;
}

congru_status congru_tensors_add(congru_context *context, congru_tensors *tensors, const char *name,
                                 size_t dims, const size_t *shape, double **data)
{
    *data = NULL;
    if (dims > CONGRU_TENSOR_DIMS_MAX || strlen(name) >= CONGRU_TENSOR_NAME_SIZE)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "tensor %s: too many dimensions or too long a name",
                           name);
    if (congru_tensors_find(tensors, name) != NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "tensor %s: there already", name);
    CONGRU_TRY(congru_grow(context, &tensors->tensor, &tensors->room, tensors->count + 1,
                           sizeof *tensors->tensor, "the tensors of a model"));
    size_t count = element_count(dims, shape);
    size_t bytes;
    void *memory = NULL;
    if (__builtin_mul_overflow(count > 0 ? count : 1, sizeof(double), &bytes) ||
        bytes > SIZE_MAX - CONGRU_ARENA_ALIGNMENT ||
        (memory = aligned_alloc(CONGRU_ARENA_ALIGNMENT, (bytes + CONGRU_ARENA_ALIGNMENT - 1) /
                                                            CONGRU_ARENA_ALIGNMENT * CONGRU_ARENA_ALIGNMENT)) ==
            NULL)
        return congru_fail_memory(context, "tensor %s", name);
    memset(memory, 0, bytes);
    congru_tensor *tensor = &tensors->tensor[tensors->count++];
    memset(tensor, 0, sizeof *tensor);
    strcpy(tensor->name, name);
    tensor->dims = dims;
    for (size_t i = 0; i < dims; i++)
        tensor->shape[i] = shape[i];
    tensor->data = memory;
    *data = memory;
    return CONGRU_OK;
}

congru_status congru_tensors_add_copy(congru_context *context, congru_tensors *tensors, const char *name,
                                      size_t dims, const size_t *shape, const double *data)
{
    double *own;
    CONGRU_TRY(congru_tensors_add(context, tensors, name, dims, shape, &own));
    memcpy(own, data, element_count(dims, shape) * sizeof *own);
    return CONGRU_OK;
}

congru_status congru_tensors_add_number(congru_context *context, congru_tensors *tensors, const char *name,
                                        double number)
{
    return congru_tensors_add_copy(context, tensors, name, 0, NULL, &number);
}

congru_status congru_tensors_add_all(congru_context *context, congru_tensors *tensors, const char *prefix,
                                     const congru_tensors *from)
{
    for (size_t i = 0; i < from->count; i++) {
        const congru_tensor *own = &from->tensor[i];
        char name[CONGRU_TENSOR_NAME_SIZE];
        snprintf(name, sizeof name, "%s%.50s", prefix, own->name);
        CONGRU_TRY(congru_tensors_add_copy(context, tensors, name, own->dims, own->shape, own->data));
    }
    return CONGRU_OK;
}

const congru_tensor *congru_tensors_find(const congru_tensors *tensors, const char *name)
{
    for (size_t i = 0; i < tensors->count; i++)
        if (strcmp(tensors->tensor[i].name, name) == 0)
            return &tensors->tensor[i];
    return NULL;
}

congru_status congru_tensors_expect(congru_context *context, const congru_tensors *tensors, const char *name,
                                    size_t dims, size_t *shape, const double **data)
{
    const congru_tensor *tensor = congru_tensors_find(tensors, name);
    if (tensor == NULL)
        return congru_fail(context, CONGRU_ERROR_FORMAT, "tensor %s: missing from the model", name);
    if (tensor->dims != dims)
        return congru_fail(context, CONGRU_ERROR_FORMAT, "tensor %s: has %s, expected %zu", name,
                           congru_count(tensor->dims, "dimension").text, dims);
    for (size_t i = 0; i < dims; i++) {
        if (shape[i] != 0 && tensor->shape[i] != shape[i])
            return congru_fail(context, CONGRU_ERROR_FORMAT, "tensor %s: dimension %zu is %zu, expected %zu",
                               name, i, tensor->shape[i], shape[i]);
        shape[i] = tensor->shape[i];
    }
    size_t count = element_count(dims, shape);
    for (size_t i = 0; i < count; i++)
        if (!isfinite(tensor->data[i]))
            return congru_fail(context, CONGRU_ERROR_FORMAT, "tensor %s: element %zu is not a finite number",
                               name, i);
    *data = tensor->data;
    return CONGRU_OK;
}

congru_status congru_tensors_expect_number(congru_context *context, const congru_tensors *tensors,
                                           const char *name, double least, double most, double *number)
{
    const double *data;
    CONGRU_TRY(congru_tensors_expect(context, tensors, name, 0, NULL, &data));
    if (data[0] < least || data[0] > most)
        return congru_fail(context, CONGRU_ERROR_FORMAT, "tensor %s: is %g, expected %g to %g", name, data[0],
                           least, most);
    *number = data[0];
    return CONGRU_OK;
}

void congru_tensors_clear(congru_tensors *tensors)
{
    for (size_t i = 0; i < tensors->count; i++)
        free(tensors->tensor[i].data);
    free(tensors->tensor);
    *tensors = (congru_tensors){0};
}
