/* Reads the variables of a MATLAB level 5 file. SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array/mat_internal.h"
#include "base/memory.h"

/* A reader of our own: libmatio, the usual one, believes the sizes in a file (with four bytes changed, one of
 * 1346 bytes keeps version 1.5.23 busy for more than twenty seconds). Files come from strangers: every size is
 * held against the bytes that are there before it is used. */

enum { FILE_HEADER_SIZE = 128 };

typedef struct mat_variable {
    char name[CONGRU_MAT_NAME_SIZE];
    congru_mat_value value;
} mat_variable;

struct congru_mat {
    size_t count;
    mat_variable *variable;
    congru_mat_choice choice;
};

/* ---- The file ------------------------------------------------------------------------------------ */

static congru_status add_variable(congru_mat *mat, congru_mat_stream *stream, mat_variable **added)
{
    if ((mat->count & (mat->count - 1)) == 0) { /* a power of two is full */
        mat_variable *grown = realloc(mat->variable, (mat->count > 0 ? 2 * mat->count : 1) * sizeof *grown);
        if (grown == NULL)
            return congru_mat_fail(stream, CONGRU_ERROR_MEMORY, "not enough memory for another variable");
        mat->variable = grown;
    }
    *added = &mat->variable[mat->count++];
    memset(*added, 0, sizeof **added);
    return CONGRU_OK;
}

/* The variable whose array ends at `limit`. */
static congru_status read_variable(congru_mat *mat, congru_mat_stream *stream, uint64_t limit)
{
    mat_variable *variable = NULL;
    congru_status status = add_variable(mat, stream, &variable);
    bool whole = true;
    if (status == CONGRU_OK)
        status =
            congru_mat_take_variable(stream, limit, &mat->choice, variable->name, &variable->value, &whole);
    if (status == CONGRU_OK && variable->name[0] == '\0') /* where MATLAB keeps the insides of objects */
        mat->count--;
    return status == CONGRU_OK && whole ? congru_mat_stream_end(stream) : status;
}

/* The array inside compressed data, which begins with its own tag. */
static congru_status read_compressed(congru_mat *mat, congru_mat_stream *stream, uint32_t compressed_size)
{
    congru_mat_tag tag;
    uint64_t most = (uint64_t)compressed_size * CONGRU_MAT_EXPANSION_MAX;
    CONGRU_TRY(congru_mat_take_tag(stream, most, &tag));
    if (tag.type != CONGRU_MI_MATRIX || tag.small)
        return congru_mat_fail(stream, CONGRU_ERROR_FORMAT,
                               "expected a compressed array, found an element of type %u", (unsigned)tag.type);
    return read_variable(mat, stream, congru_mat_position(stream) + tag.size);
}

/* One element at *offset, which moves behind it. */
static congru_status read_element(congru_mat *mat, congru_mat_stream *stream, uint64_t size, uint64_t *offset)
{
    congru_mat_tag tag;
    CONGRU_TRY(congru_mat_stream_begin(stream, *offset, size - *offset, false));
    CONGRU_TRY(congru_mat_take_tag(stream, size - *offset, &tag));
    if ((tag.type != CONGRU_MI_MATRIX && tag.type != CONGRU_MI_COMPRESSED) || tag.small)
        return congru_mat_fail(stream, CONGRU_ERROR_FORMAT, "expected a variable, found an element of type %u",
                               (unsigned)tag.type);
    bool compressed = tag.type == CONGRU_MI_COMPRESSED;
    congru_status status = congru_mat_stream_begin(stream, *offset + 8, tag.size, compressed);
    *offset += 8 + (uint64_t)tag.size;
    if (status != CONGRU_OK)
        return status;
    return compressed ? read_compressed(mat, stream, tag.size) : read_variable(mat, stream, tag.size);
}

/* Level 4 files have no header: they begin with a number of four decimal digits, the first at most 4. */
static bool is_level_4(const unsigned char *bytes)
{
    uint32_t number;
    memcpy(&number, bytes, sizeof number);
    return (number <= 4052 || __builtin_bswap32(number) <= 4052) && memchr(bytes, 0, 4) != NULL;
}

static congru_status check_header(congru_context *context, const congru_source *source, bool *swap)
{
    unsigned char bytes[FILE_HEADER_SIZE] = {0};
    size_t size = source->size < sizeof bytes ? (size_t)source->size : sizeof bytes;
    CONGRU_TRY(congru_source_read(context, source, 0, size, bytes));
    if (memcmp(bytes, "MATLAB 7.3", 10) == 0 || memcmp(bytes, "\x89HDF", 4) == 0)
        return congru_fail(
            context, CONGRU_ERROR_UNSUPPORTED,
            "%s: a MATLAB 7.3 file, which is HDF5; level 5 is read (save with -v7; from EEGLAB with "
            "pop_saveset(..., 'version', '6'))",
            source->name);
    if (size >= 20 && is_level_4(bytes))
        return congru_fail(context, CONGRU_ERROR_UNSUPPORTED,
                           "%s: a MATLAB level 4 file, or none; level 5 is read (save with -v7)", source->name);
    if (size < sizeof bytes)
        return congru_fail(context, CONGRU_ERROR_FORMAT,
                           "%s: truncated in its first bytes: expected at least %zu bytes, found %zu",
                           source->name, sizeof bytes, size);
    bool little = bytes[126] == 'I' && bytes[127] == 'M', big = bytes[126] == 'M' && bytes[127] == 'I';
    if (!little && !big)
        return congru_fail(context, CONGRU_ERROR_FORMAT,
                           "%s: not a MATLAB file: expected IM or MI at byte 126 (save with -v7)",
                           source->name);
    unsigned major = little ? bytes[125] : bytes[124];
    if (major != 1)
        return congru_fail(context, CONGRU_ERROR_UNSUPPORTED,
                           "%s: a MATLAB file of version %u; version 1 (level 5) is read (save with -v7)",
                           source->name, major);
    *swap = big;
    return CONGRU_OK;
}

static congru_status read_file(congru_context *context, const congru_source *source, bool passes,
                               congru_mat_wanted wanted, const void *user, congru_mat **mat)
{
    bool swap = false;
    congru_mat_stream *stream = NULL;
    *mat = NULL;
    congru_status status = check_header(context, source, &swap);
    if (status == CONGRU_OK)
        status = congru_mat_stream_create(context, source, swap, passes, &stream);
    if (status != CONGRU_OK)
        return status;
    *mat = calloc(1, sizeof **mat);
    if (*mat == NULL)
        status = congru_fail(context, CONGRU_ERROR_MEMORY, "%s: not enough memory", source->name);
    else
        (*mat)->choice = (congru_mat_choice){.wanted = wanted, .user = user};
    for (uint64_t offset = FILE_HEADER_SIZE; offset < source->size && status == CONGRU_OK;)
        status = read_element(*mat, stream, source->size, &offset);
    congru_mat_stream_destroy(&stream);
    if (status != CONGRU_OK)
        congru_mat_free(mat);
    return status;
}

congru_status congru_mat_read(congru_context *context, const congru_source *source, congru_mat_wanted wanted,
                              const void *user, congru_mat **mat)
{
    return read_file(context, source, false, wanted, user, mat);
}

congru_status congru_mat_read_plain(congru_context *context, const congru_source *source,
                                    congru_mat_wanted wanted, const void *user, congru_mat **mat)
{
    return read_file(context, source, true, wanted, user, mat);
}

/* ---- What was read ------------------------------------------------------------------------------- */

const congru_mat_value *congru_mat_find(const congru_mat *mat, const char *variable)
{
    for (size_t i = 0; i < mat->count; i++)
        if (strcmp(mat->variable[i].name, variable) == 0)
            return &mat->variable[i].value;
    return NULL;
}

const char *congru_mat_variable(const congru_mat *mat, size_t index)
{
    return index < mat->count ? mat->variable[index].name : NULL;
}

const congru_mat_value *congru_mat_value_at(const congru_mat *mat, size_t index)
{
    return index < mat->count ? &mat->variable[index].value : NULL;
}

const congru_mat_value *congru_mat_field(const congru_mat_value *value, size_t element, const char *field)
{
    if (value == NULL || value->kind != CONGRU_MAT_STRUCT || element >= value->count)
        return NULL;
    for (size_t i = 0; i < value->fields; i++)
        if (strcmp(value->field[i], field) == 0)
            return &value->element[element * value->fields + i];
    return NULL;
}

double *congru_mat_detach(congru_mat *mat, const congru_mat_value *value)
{
    (void)mat; /* its holder may change its values, which were given out as constant */
    congru_mat_value *mine = (congru_mat_value *)value;
    double *number = mine->number;
    mine->number = NULL;
    return number;
}

/* As deep as reading went. */
static void clear_value(congru_mat_value *value)
{
    size_t elements = value->kind == CONGRU_MAT_STRUCT ? value->count * value->fields : value->count;
    for (size_t i = 0; i < elements && value->element != NULL; i++)
        clear_value(&value->element[i]);
    free(value->element);
    congru_memory_give(value->number);
    free(value->text);
    free(value->field);
}

void congru_mat_free(congru_mat **mat)
{
    if (mat == NULL || *mat == NULL)
        return;
    for (size_t i = 0; i < (*mat)->count; i++)
        clear_value(&(*mat)->variable[i].value);
    free((*mat)->variable);
    free(*mat);
    *mat = NULL;
}
