/* Named tensors and texts as a .safetensors file. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_MODEL_SAFETENSORS_H
#define CONGRU_MODEL_SAFETENSORS_H

#include "model/tensors.h"

/* The format: 8 bytes, little-endian, the size of the header; the header, a JSON object of tensors with their type,
 * shape and place, and of "__metadata__", texts by name; the numbers. Tensors here are float64 ("F64"). */
enum {
    CONGRU_SAFETENSORS_HEADER_MAX = 1 << 24, /* bytes; models have a few thousand */
    CONGRU_SAFETENSORS_TENSORS_MAX = 4096,
    CONGRU_SAFETENSORS_TEXTS_MAX = 1024
};

/* {0} is empty. Texts by name; freed by congru_texts_clear. */
typedef struct congru_texts {
    size_t count, room;
    struct congru_texts_entry {
        char *name, *text;
    } * entry;
} congru_texts;

/* CONGRU_ERROR_MEMORY, or CONGRU_ERROR_ARGUMENT for a name that is there already. */
congru_status congru_texts_add(congru_context *context, congru_texts *texts, const char *name,
                               const char *text);

/* NULL when there is none of the name. */
const char *congru_texts_find(const congru_texts *texts, const char *name);
void congru_texts_clear(congru_texts *texts);

/* The file is under its name whole or not at all. */
congru_status congru_safetensors_write(congru_context *context, const char *path, const congru_tensors *tensors,
                                       const congru_texts *texts);

/* The bytes of such a file in memory: *size of them, written where `bytes` is not NULL and has room for them. */
congru_status congru_safetensors_pack(congru_context *context, const congru_tensors *tensors,
                                      const congru_texts *texts, void *bytes, size_t room, size_t *size);

/* Refuses with CONGRU_ERROR_FORMAT, and a text that names the file and what is wrong, before anything is allocated
 * that the file only claims: a header that is too long or not JSON, a tensor of another type, whose size is not that
 * of its shape, that overlaps another or leaves bytes unused, a number that is not finite, a file that is shorter or
 * longer than its tensors. Both are empty after a failure. */
congru_status congru_safetensors_read(congru_context *context, const char *path, congru_tensors *tensors,
                                      congru_texts *texts);

/* The same for bytes in memory. */
congru_status congru_safetensors_parse(congru_context *context, const char *name, const void *bytes,
                                       size_t size, congru_tensors *tensors, congru_texts *texts);

/* Whether the first bytes are those of such a file. */
bool congru_safetensors_recognises(const unsigned char *bytes, size_t size);

#endif
