/* Texts by name, and the writer of .safetensors files. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "array/file_write.h"
#include "base/error.h"
#include "base/text.h"
#include "model/safetensors.h"

congru_status congru_texts_add(congru_context *context, congru_texts *texts, const char *name, const char *text)
{
    if (congru_texts_find(texts, name) != NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "text %.60s: there already", name);
    CONGRU_TRY(congru_grow(context, &texts->entry, &texts->room, texts->count + 1, sizeof *texts->entry,
                           "the texts of a model"));
    struct congru_texts_entry made = {strdup(name), strdup(text)};
    if (made.name == NULL || made.text == NULL) {
        free(made.name);
        free(made.text);
        return congru_fail_memory(context, "text %.60s", name);
    }
    texts->entry[texts->count++] = made;
    return CONGRU_OK;
}

const char *congru_texts_find(const congru_texts *texts, const char *name)
{
    for (size_t i = 0; i < texts->count; i++)
        if (strcmp(texts->entry[i].name, name) == 0)
            return texts->entry[i].text;
    return NULL;
}

void congru_texts_clear(congru_texts *texts)
{
    for (size_t i = 0; i < texts->count; i++) {
        free(texts->entry[i].name);
        free(texts->entry[i].text);
    }
    free(texts->entry);
    *texts = (congru_texts){0};
}

static size_t tensor_bytes(const congru_tensor *tensor)
{
    size_t bytes = sizeof(double);
    for (size_t i = 0; i < tensor->dims; i++)
        bytes *= tensor->shape[i];
    return bytes;
}

static void add_header(congru_text *header, const congru_tensors *tensors, const congru_texts *texts)
{
    size_t offset = 0;
    congru_text_add(header, "{\"__metadata__\":{");
    for (size_t i = 0; i < texts->count; i++) {
        congru_text_add(header, i > 0 ? "," : "");
        congru_text_add_json(header, texts->entry[i].name);
        congru_text_add(header, ":");
        congru_text_add_json(header, texts->entry[i].text);
    }
    congru_text_add(header, "}");
    for (size_t i = 0; i < tensors->count; i++) {
        const congru_tensor *tensor = &tensors->tensor[i];
        congru_text_add(header, ",");
        congru_text_add_json(header, tensor->name);
        congru_text_add(header, ":{\"dtype\":\"F64\",\"shape\":[");
        for (size_t k = 0; k < tensor->dims; k++)
            congru_text_add(header, "%s%zu", k > 0 ? "," : "", tensor->shape[k]);
        congru_text_add(header, "],\"data_offsets\":[%zu,%zu]}", offset, offset + tensor_bytes(tensor));
        offset += tensor_bytes(tensor);
    }
    congru_text_add(header, "}");
    while (!header->failed && header->size % 8 != 0) /* the numbers begin aligned */
        congru_text_add(header, " ");
}

/* What a file is made of. The pieces point to the header, its size and the tensors. */
typedef struct file_parts {
    congru_text header;
    uint64_t header_size;
    congru_file_piece *piece;
    size_t count;
} file_parts;

static void clear_parts(file_parts *parts)
{
    free(parts->piece);
    congru_text_clear(&parts->header);
}

/* `name` is that of the file in error texts. */
static congru_status make_parts(congru_context *context, const char *name, const congru_tensors *tensors,
                                const congru_texts *texts, file_parts *parts)
{
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "numbers are written as they are in memory, which must be little-endian"
#endif
    *parts = (file_parts){.count = tensors->count + 2};
    parts->piece = calloc(parts->count, sizeof *parts->piece);
    add_header(&parts->header, tensors, texts);
    parts->header_size = parts->header.size;
    if (parts->piece == NULL || parts->header.failed)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "%s: not enough memory for its header", name);
    if (parts->header.size > CONGRU_SAFETENSORS_HEADER_MAX)
        return congru_fail(context, CONGRU_ERROR_UNSUPPORTED, "%s: its header would take %zu bytes", name,
                           parts->header.size);
    parts->piece[0] = (congru_file_piece){&parts->header_size, sizeof parts->header_size};
    parts->piece[1] = (congru_file_piece){parts->header.data, parts->header.size};
    for (size_t i = 0; i < tensors->count; i++)
        parts->piece[2 + i] = (congru_file_piece){tensors->tensor[i].data, tensor_bytes(&tensors->tensor[i])};
    return CONGRU_OK;
}

congru_status congru_safetensors_write(congru_context *context, const char *path, const congru_tensors *tensors,
                                       const congru_texts *texts)
{
    file_parts parts;
    congru_status status = make_parts(context, path, tensors, texts, &parts);
    if (status == CONGRU_OK)
        status = congru_file_write(context, path, parts.piece, parts.count);
    clear_parts(&parts);
    return status;
}

congru_status congru_safetensors_pack(congru_context *context, const congru_tensors *tensors,
                                      const congru_texts *texts, void *bytes, size_t room, size_t *size)
{
    file_parts parts;
    congru_status status = make_parts(context, "model", tensors, texts, &parts);
    *size = 0;
    for (size_t i = 0; status == CONGRU_OK && i < parts.count; i++)
        *size += parts.piece[i].size;
    if (status == CONGRU_OK && bytes != NULL && *size > room)
        status = congru_fail(context, CONGRU_ERROR_ARGUMENT, "a model of %zu bytes where there is room for %zu",
                             *size, room);
    unsigned char *to = bytes;
    for (size_t i = 0; status == CONGRU_OK && bytes != NULL && i < parts.count; i++) {
        memcpy(to, parts.piece[i].data, parts.piece[i].size);
        to += parts.piece[i].size;
    }
    clear_parts(&parts);
    return status;
}
