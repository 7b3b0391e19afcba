/* Bytes for the MATLAB reader: a libFuzzer target. SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "array/mat.h"
#include "recording/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* Everything that is said to be there must be there: a sanitizer sees what is touched. */
static void touch(const congru_mat_value *value, int depth)
{
    if (depth > 17 || value->dims > CONGRU_MAT_DIMS_MAX)
        abort();
    size_t elements = value->kind == CONGRU_MAT_STRUCT ? value->count * value->fields : value->count;
    double sum = 0;
    for (size_t i = 0; value->kind == CONGRU_MAT_NUMERIC && i < value->count; i++)
        sum += value->number[i];
    volatile size_t seen = (size_t)(sum == 0) + (value->kind == CONGRU_MAT_TEXT ? strlen(value->text) : 0);
    (void)seen;
    for (size_t i = 0; value->kind >= CONGRU_MAT_CELL && i < elements; i++)
        touch(&value->element[i], depth + 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    congru_source source = congru_source_memory("fuzz", bytes, size);
    congru_mat *mat = NULL;
    congru_status status = congru_mat_read(NULL, &source, NULL, NULL, &mat);
    if ((status == CONGRU_OK) != (mat != NULL))
        abort();
    for (size_t i = 0; status == CONGRU_OK && congru_mat_variable(mat, i) != NULL; i++)
        touch(congru_mat_find(mat, congru_mat_variable(mat, i)), 0);
    congru_mat_free(&mat);

    static const congru_recording_options options = {0};
    congru_recording *recording = NULL;
    status = congru_reader_mat.read(NULL, "fuzz", &source, &options, &recording);
    if ((status == CONGRU_OK) != (recording != NULL))
        abort();
    for (size_t i = 0; status == CONGRU_OK && i < recording->events; i++)
        if (recording->event[i].onset >= recording->samples)
            abort();
    congru_recording_destroy(&recording);
    return 0;
}
