/* The reader of .safetensors files. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "array/source.h"
#include "base/error.h"
#include "base/json_scan.h"
#include "model/safetensors.h"

enum { SIZE_BYTES = 8, TYPE_SIZE = 16 };

/* A tensor as the header describes it. */
typedef struct described {
    char name[CONGRU_TENSOR_NAME_SIZE];
    size_t dims;
    size_t shape[CONGRU_TENSOR_DIMS_MAX];
    uint64_t begin, end; /* in the numbers */
} described;

typedef struct safetensors_reader {
    congru_context *context;
    const congru_source *source;
    char *header;
    size_t header_size;
    uint64_t data_size;
    described *tensor; /* by place in the file */
    size_t count, room;
    congru_texts *texts;
} safetensors_reader;

static congru_status fail_header(const safetensors_reader *r, const char *what)
{
    return congru_fail(r->context, CONGRU_ERROR_FORMAT, "%s: its header %s", r->source->name, what);
}

static congru_status read_header(safetensors_reader *r)
{
    unsigned char bytes[SIZE_BYTES];
    uint64_t size = 0;
    if (r->source->size < SIZE_BYTES)
        return congru_fail(r->context, CONGRU_ERROR_FORMAT,
                           "%s: %llu bytes are too few for a .safetensors file", r->source->name,
                           (unsigned long long)r->source->size);
    congru_status status = congru_source_read(r->context, r->source, 0, sizeof bytes, bytes);
    for (size_t i = SIZE_BYTES; i-- > 0;)
        size = size << 8 | bytes[i];
    if (status != CONGRU_OK)
        return status;
    if (size > CONGRU_SAFETENSORS_HEADER_MAX)
        return congru_fail(r->context, CONGRU_ERROR_FORMAT,
                           "%s: not a .safetensors file, or damaged: its header would take %llu bytes, "
                           "expected at most %d",
                           r->source->name, (unsigned long long)size, (int)CONGRU_SAFETENSORS_HEADER_MAX);
    if (size > r->source->size - SIZE_BYTES)
        return congru_fail(r->context, CONGRU_ERROR_FORMAT,
                           "%s: its header takes %llu bytes, but the file has only %llu (truncated?)",
                           r->source->name, (unsigned long long)size, (unsigned long long)r->source->size);
    r->header_size = (size_t)size;
    r->data_size = r->source->size - SIZE_BYTES - size;
    r->header = malloc(r->header_size + 1);
    if (r->header == NULL)
        return congru_fail(r->context, CONGRU_ERROR_MEMORY, "%s: not enough memory", r->source->name);
    return congru_source_read(r->context, r->source, SIZE_BYTES, r->header_size, r->header);
}

/* ---- The header ---------------------------------------------------------------------------------------- */

static congru_status read_texts(safetensors_reader *r, congru_scan *json)
{
    congru_status status = CONGRU_OK;
    char name[CONGRU_TENSOR_NAME_SIZE];
    bool first = congru_scan_object(json);
    while (status == CONGRU_OK && congru_scan_member(json, &first, name, sizeof name)) {
        congru_text text = {0};
        if (!congru_scan_string_add(json, &text))
            status = fail_header(r, "is damaged: __metadata__ holds what is not a text");
        else if (text.failed)
            status = congru_fail(r->context, CONGRU_ERROR_MEMORY, "%s: not enough memory", r->source->name);
        else if (r->texts->count == CONGRU_SAFETENSORS_TEXTS_MAX)
            status = fail_header(r, "holds too many texts");
        else if (congru_texts_find(r->texts, name) != NULL)
            status = fail_header(r, "names a text twice");
        else
            status = congru_texts_add(r->context, r->texts, name, text.data);
        congru_text_clear(&text);
    }
    return status;
}

/* The members of one tensor, each once; false for what a tensor has not, or has not in this file. */
static bool read_members(congru_scan *json, described *tensor, char type[TYPE_SIZE])
{
    char key[TYPE_SIZE];
    uint64_t number, *offset[] = {&tensor->begin, &tensor->end};
    bool has_type = false, has_shape = false, has_place = false;
    for (bool first = congru_scan_object(json); congru_scan_member(json, &first, key, sizeof key);) {
        bool inner = true;
        size_t count = 0;
        if (strcmp(key, "dtype") == 0 && !has_type) {
            has_type = congru_scan_string(json, type, TYPE_SIZE);
        } else if (strcmp(key, "shape") == 0 && !has_shape) {
            for (congru_scan_array(json); congru_scan_element(json, &inner);
                 tensor->shape[count++] = (size_t)number)
                if (!congru_scan_count(json, &number) || count == CONGRU_TENSOR_DIMS_MAX)
                    return false;
            tensor->dims = count;
            has_shape = true;
        } else if (strcmp(key, "data_offsets") == 0 && !has_place) {
            for (congru_scan_array(json); congru_scan_element(json, &inner); count++)
                if (count == 2 || !congru_scan_count(json, offset[count]))
                    return false;
            has_place = count == 2;
        } else {
            return false;
        }
    }
    return !json->failed && has_type && has_shape && has_place;
}

static congru_status check_tensor(const safetensors_reader *r, const described *tensor, const char *type)
{
    uint64_t bytes = sizeof(double);
    bool overflow = false;
    for (size_t i = 0; i < tensor->dims; i++)
        overflow = overflow || __builtin_mul_overflow(bytes, tensor->shape[i], &bytes);
    if (strcmp(type, "F64") != 0)
        return congru_fail(r->context, CONGRU_ERROR_UNSUPPORTED,
                           "%s: tensor %s is of type %s, expected F64 (was it written by congru?)",
                           r->source->name, tensor->name, type);
    if (tensor->begin > tensor->end || tensor->end > r->data_size)
        return congru_fail(r->context, CONGRU_ERROR_FORMAT,
                           "%s: tensor %s is at bytes %llu to %llu of %llu (truncated?)", r->source->name,
                           tensor->name, (unsigned long long)tensor->begin, (unsigned long long)tensor->end,
                           (unsigned long long)r->data_size);
    if (overflow || bytes != tensor->end - tensor->begin)
        return congru_fail(r->context, CONGRU_ERROR_FORMAT,
                           "%s: tensor %s has %llu bytes, which is not the size of its shape", r->source->name,
                           tensor->name, (unsigned long long)(tensor->end - tensor->begin));
    return CONGRU_OK;
}

/* Room for one more tensor; its place is r->count. */
static congru_status make_room(safetensors_reader *r)
{
    if (r->count == CONGRU_SAFETENSORS_TENSORS_MAX)
        return fail_header(r, "describes too many tensors");
    return congru_grow(r->context, &r->tensor, &r->room, r->count + 1, sizeof *r->tensor, r->source->name);
}

static congru_status read_tensor(safetensors_reader *r, congru_scan *json, const char *name)
{
    char type[TYPE_SIZE] = "";
    CONGRU_TRY(make_room(r));
    described *tensor = &r->tensor[r->count];
    *tensor = (described){.begin = 0};
    strcpy(tensor->name, name);
    if (!read_members(json, tensor, type) || name[0] == '\0')
        return congru_fail(r->context, CONGRU_ERROR_FORMAT,
                           "%s: tensor '%s': expected its dtype, a shape of at most %d numbers and two "
                           "data_offsets",
                           r->source->name, name, (int)CONGRU_TENSOR_DIMS_MAX);
    r->count++;
    return check_tensor(r, tensor, type);
}

static int compare_places(const void *a, const void *b)
{
    const described *left = a, *right = b;
    if (left->begin != right->begin)
        return left->begin < right->begin ? -1 : 1;
    return left->end < right->end ? -1 : left->end > right->end;
}

/* One after another from the first byte to the last: what a reader could be fooled by is not there. */
static congru_status check_places(safetensors_reader *r)
{
    uint64_t at = 0;
    if (r->count > 0)
        qsort(r->tensor, r->count, sizeof *r->tensor, compare_places);
    for (size_t i = 0; i < r->count; i++) {
        const described *tensor = &r->tensor[i];
        if (tensor->begin < at)
            return congru_fail(r->context, CONGRU_ERROR_FORMAT, "%s: tensors %s and %s overlap",
                               r->source->name, r->tensor[i - 1].name, tensor->name);
        if (tensor->begin > at)
            return congru_fail(r->context, CONGRU_ERROR_FORMAT,
                               "%s: %llu bytes before tensor %s belong to none", r->source->name,
                               (unsigned long long)(tensor->begin - at), tensor->name);
        at = tensor->end;
    }
    if (at != r->data_size)
        return congru_fail(r->context, CONGRU_ERROR_FORMAT,
                           "%s: its tensors take %llu bytes, but the file has %llu (another file's end?)",
                           r->source->name, (unsigned long long)at, (unsigned long long)r->data_size);
    return CONGRU_OK;
}

static congru_status read_description(safetensors_reader *r)
{
    congru_scan json = congru_scan_start(r->header, r->header_size);
    char name[CONGRU_TENSOR_NAME_SIZE];
    congru_status status = CONGRU_OK;
    bool first = congru_scan_object(&json), texts = false;
    while (status == CONGRU_OK && congru_scan_member(&json, &first, name, sizeof name)) {
        if (strcmp(name, "__metadata__") != 0) {
            status = read_tensor(r, &json, name);
        } else if (!texts) {
            texts = true;
            status = read_texts(r, &json);
        } else {
            status = fail_header(r, "holds __metadata__ twice");
        }
    }
    if (status == CONGRU_OK && !congru_scan_end(&json))
        status = congru_fail(r->context, CONGRU_ERROR_FORMAT,
                             "%s: not a .safetensors file: its header is not JSON at byte %zu: %s",
                             r->source->name, SIZE_BYTES + (size_t)(json.at - r->header), json.wrong);
    return status == CONGRU_OK ? check_places(r) : status;
}

/* ---- The numbers --------------------------------------------------------------------------------------- */

static congru_status read_numbers(safetensors_reader *r, congru_tensors *tensors)
{
    congru_status status = CONGRU_OK;
    for (size_t i = 0; status == CONGRU_OK && i < r->count; i++) {
        const described *tensor = &r->tensor[i];
        size_t bytes = (size_t)(tensor->end - tensor->begin);
        double *data;
        if (congru_tensors_find(tensors, tensor->name) != NULL)
            return congru_fail(r->context, CONGRU_ERROR_FORMAT, "%s: tensor %s is there twice", r->source->name,
                               tensor->name);
        status = congru_tensors_add(r->context, tensors, tensor->name, tensor->dims, tensor->shape, &data);
        if (status == CONGRU_OK)
            status = congru_source_read(r->context, r->source, SIZE_BYTES + r->header_size + tensor->begin,
                                        bytes, data);
        for (size_t k = 0; status == CONGRU_OK && k < bytes / sizeof *data; k++)
            if (!isfinite(data[k]))
                status = congru_fail(r->context, CONGRU_ERROR_NOT_FINITE,
                                     "%s: tensor %s: number %zu is NaN or infinite (was the training "
                                     "successful?)",
                                     r->source->name, tensor->name, k);
    }
    return status;
}

static void clear(congru_tensors *tensors, congru_texts *texts)
{
    congru_tensors_clear(tensors);
    congru_texts_clear(texts);
}

static congru_status read_source(congru_context *context, const congru_source *source, congru_tensors *tensors,
                                 congru_texts *texts)
{
    safetensors_reader r = {.context = context, .source = source, .texts = texts};
    *tensors = (congru_tensors){0};
    *texts = (congru_texts){0};
    congru_status status = read_header(&r);
    if (status == CONGRU_OK)
        status = read_description(&r);
    if (status == CONGRU_OK)
        status = read_numbers(&r, tensors);
    free(r.header);
    free(r.tensor);
    if (status != CONGRU_OK)
        clear(tensors, texts);
    return status;
}

congru_status congru_safetensors_parse(congru_context *context, const char *name, const void *bytes,
                                       size_t size, congru_tensors *tensors, congru_texts *texts)
{
    congru_source source = congru_source_memory(name, bytes, size);
    return read_source(context, &source, tensors, texts);
}

congru_status congru_safetensors_read(congru_context *context, const char *path, congru_tensors *tensors,
                                      congru_texts *texts)
{
    congru_source source;
    *tensors = (congru_tensors){0};
    *texts = (congru_texts){0};
    CONGRU_TRY(congru_source_open(context, path, &source));
    congru_status status = read_source(context, &source, tensors, texts);
    if (status == CONGRU_OK)
        status = congru_source_check(context, &source);
    if (status != CONGRU_OK)
        clear(tensors, texts);
    congru_source_close(&source);
    return status;
}

bool congru_safetensors_recognises(const unsigned char *bytes, size_t size)
{
    return size > SIZE_BYTES && bytes[SIZE_BYTES] == '{' && bytes[4] == 0 && bytes[5] == 0 && bytes[6] == 0 &&
           bytes[7] == 0;
}
