/* Reads the files of congru spd and says which of them is at fault. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spd_job.h"
#include "terminal.h"

enum { SHAPE_TEXT_SIZE = 24 * CONGRU_NPY_DIMS_MAX, ERROR_SIZE = 1024 };

/* As Python prints a tuple: (), (3,), (3, 4). */
static void shape_text(const congru_array *array, char text[SHAPE_TEXT_SIZE])
{
    size_t used = (size_t)snprintf(text, SHAPE_TEXT_SIZE, "(");
    for (size_t i = 0; i < array->dims; i++)
        used +=
            (size_t)snprintf(text + used, SHAPE_TEXT_SIZE - used, i == 0 ? "%zu" : ", %zu", array->shape[i]);
    snprintf(text + used, SHAPE_TEXT_SIZE - used, array->dims == 1 ? ",)" : ")");
}

static int fail_shape(const char *file, const congru_array *array, const char *expected)
{
    char text[SHAPE_TEXT_SIZE];
    shape_text(array, text);
    return terminal_fail(EXIT_FAILED, "%s: its shape is %s; expected %s", file, text, expected);
}

static int check_matrices(matrix_set *set)
{
    const congru_array *array = &set->array;
    if (array->dims != 2 && array->dims != 3)
        return fail_shape(set->file, array, "matrices (n, d, d) or one matrix (d, d)");
    set->single = array->dims == 2;
    set->n = set->single ? 1 : array->shape[0];
    set->d = array->shape[array->dims - 1];
    if (array->shape[array->dims - 2] != set->d)
        return fail_shape(set->file, array, "square matrices, (n, d, d) or (d, d)");
    if (set->n == 0)
        return fail_shape(set->file, array, "at least one matrix");
    if (set->d == 0)
        return fail_shape(set->file, array, "matrices of at least 1 x 1");
    if (set->d > CONGRU_DIMENSION_MAX)
        return terminal_fail(EXIT_FAILED, "%s: matrices of %zu x %zu; at most %d x %d are handled", set->file,
                             set->d, set->d, (int)CONGRU_DIMENSION_MAX, (int)CONGRU_DIMENSION_MAX);
    return EXIT_DONE;
}

static int check_vectors(matrix_set *set)
{
    const congru_array *array = &set->array;
    if (array->dims != 1 && array->dims != 2)
        return fail_shape(set->file, array, "tangent vectors (n, m) or one (m,)");
    set->single = array->dims == 1;
    set->n = set->single ? 1 : array->shape[0];
    size_t m = array->shape[array->dims - 1];
    if (set->n == 0)
        return fail_shape(set->file, array, "at least one tangent vector");
    set->d = 1;
    while (set->d < CONGRU_DIMENSION_MAX && congru_spd_tangent_size(set->d) < m)
        set->d++;
    if (congru_spd_tangent_size(set->d) != m)
        return fail_shape(set->file, array, "vectors of d (d + 1) / 2 entries: 1, 3, 6, 10, 15, ...");
    return EXIT_DONE;
}

static int read_array(congru_context *context, const char *file, congru_array *array)
{
    if (congru_npy_read(context, file, array) == CONGRU_OK)
        return EXIT_DONE;
    return terminal_fail(EXIT_FAILED, "%s", congru_context_error(context));
}

int spd_set_read(congru_context *context, const char *file, set_role role, matrix_set *set)
{
    *set = (matrix_set){.file = file, .role = role};
    int code = read_array(context, file, &set->array);
    if (code != EXIT_DONE)
        return code;
    return role == ROLE_VECTORS ? check_vectors(set) : check_matrices(set);
}

int spd_base_read(spd_job *job, const char *file)
{
    int code = spd_set_read(job->context, file, ROLE_POSITIVE, &job->base);
    if (code != EXIT_DONE)
        return code;
    if (job->base.n != 1)
        return fail_shape(file, &job->base.array, "one matrix (d, d)");
    if (job->base.d != job->inputs[0].d)
        return terminal_fail(EXIT_FAILED, "%s: a matrix of %zu x %zu, but those of %s are %zu x %zu", file,
                             job->base.d, job->base.d, job->inputs[0].file, job->inputs[0].d, job->inputs[0].d);
    return EXIT_DONE;
}

int spd_weights_read(spd_job *job, const char *file)
{
    job->weights_file = file;
    int code = read_array(job->context, file, &job->weights);
    if (code != EXIT_DONE)
        return code;
    size_t n = job->inputs[0].n;
    if (job->weights.dims != 1 || job->weights.count != n) {
        char expected[64];
        snprintf(expected, sizeof expected, "(%zu,), one weight for each matrix", n);
        return fail_shape(file, &job->weights, expected);
    }
    bool all_zero = true;
    for (size_t i = 0; i < n; i++) {
        double weight = job->weights.data[i];
        if (!isfinite(weight) || weight < 0)
            return terminal_fail(EXIT_FAILED,
                                 "%s: weight %zu of %zu is %g; expected a finite number of 0 or more", file, i,
                                 n, weight);
        all_zero = all_zero && weight == 0;
    }
    if (all_zero)
        return terminal_fail(EXIT_FAILED, "%s: all %zu weights are 0", file, n);
    return EXIT_DONE;
}

/* What the library says of one set alone. */
static congru_status examine(congru_context *context, const matrix_set *set)
{
    if (set->role == ROLE_VECTORS) {
        for (size_t i = 0; i < set->array.count; i++)
            if (!isfinite(set->array.data[i]))
                return CONGRU_ERROR_NOT_FINITE;
        return CONGRU_OK;
    }
    double *scratch = calloc(set->array.count, sizeof *scratch);
    if (scratch == NULL)
        return CONGRU_ERROR_MEMORY;
    congru_status status = set->role == ROLE_POSITIVE
                               ? congru_spd_log(context, set->n, set->d, set->array.data, scratch)
                               : congru_spd_eigen(context, set->n, set->d, set->array.data, scratch, NULL);
    free(scratch);
    return status;
}

/* The library names a matrix by its index, but not which of two or three inputs it is in. Each set that fails
 * by itself in the same way is at fault; the first one is named, in the words for it alone. */
int spd_job_fail(spd_job *job, congru_status status)
{
    char error[ERROR_SIZE];
    const char *said = congru_context_error(job->context);
    snprintf(error, sizeof error, "%s", said[0] != '\0' ? said : congru_status_text(status));
    const matrix_set *sets[] = {&job->inputs[0], &job->inputs[1], &job->base};
    bool several = job->inputs[1].file != NULL || job->base.file != NULL;
    for (size_t i = 0; several && i < sizeof sets / sizeof sets[0]; i++) {
        if (sets[i]->file == NULL || examine(job->context, sets[i]) != status)
            continue;
        bool explained = sets[i]->role != ROLE_VECTORS && congru_context_error(job->context)[0] != '\0';
        return terminal_fail(EXIT_FAILED, "%s: %s", sets[i]->file,
                             explained ? congru_context_error(job->context) : error);
    }
    return terminal_fail(EXIT_FAILED, "%s: %s", job->inputs[0].file, error);
}

void spd_job_clear(spd_job *job)
{
    for (size_t i = 0; i < INPUTS_MAX; i++)
        congru_array_clear(&job->inputs[i].array);
    congru_array_clear(&job->base.array);
    congru_array_clear(&job->weights);
    free(job->result);
    job->result = NULL;
}
