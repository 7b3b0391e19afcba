/* Named arrays of numbers. SPDX-License-Identifier: Apache-2.0 */
#include "model/tensors.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"

enum { ROOM_FIRST = 16 };

static congru_status make_room(congru_context *context, congru_tensors *tensors)
{
    if (tensors->count < tensors->room)
        return CONGRU_OK;
    size_t room = tensors->room > 0 ? 2 * tensors->room : ROOM_FIRST;
    congru_tensor *grown = realloc(tensors->tensor, room * sizeof *grown);
    if (grown == NULL)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "not enough memory for a model of %zu tensors", room);
    tensors->tensor = grown;
    tensors->room = room;
    return CONGRU_OK;
}

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
    congru_status status = make_room(context, tensors);
    if (status != CONGRU_OK)
        return status;
    size_t count = element_count(dims, shape);
    size_t bytes;
    void *memory = NULL;
    if (__builtin_mul_overflow(count > 0 ? count : 1, sizeof(double), &bytes) ||
        bytes > SIZE_MAX - CONGRU_ARENA_ALIGNMENT ||
        (memory = aligned_alloc(CONGRU_ARENA_ALIGNMENT, (bytes + CONGRU_ARENA_ALIGNMENT - 1) /
                                                            CONGRU_ARENA_ALIGNMENT * CONGRU_ARENA_ALIGNMENT)) ==
            NULL)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "not enough memory for tensor %s", name);
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
    congru_status status = congru_tensors_add(context, tensors, name, dims, shape, &own);
    if (status == CONGRU_OK)
        memcpy(own, data, element_count(dims, shape) * sizeof *own);
    return status;
}

congru_status congru_tensors_add_number(congru_context *context, congru_tensors *tensors, const char *name,
                                        double number)
{
    return congru_tensors_add_copy(context, tensors, name, 0, NULL, &number);
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
    congru_status status = congru_tensors_expect(context, tensors, name, 0, NULL, &data);
    if (status != CONGRU_OK)
        return status;
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
