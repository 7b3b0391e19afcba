/* Writes arrays into an .npz that appears whole under its name. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zip.h>

#include "array/file_write.h"
#include "array/npy_internal.h"
#include "base/mapped_memory.h"
#include "congru/text.h"

enum {
    ARRAY_NAME_MAX = 200,
    ALIGNMENT = 64,
    LOCAL_HEADER_SIZE = 30,   /* of a zip member, before its name */
    EXTRA_HEADER_SIZE = 4,    /* of a field in it: identifier and length */
    ALIGNMENT_FIELD = 0xd935, /* the identifier that Android's zipalign uses for padding */
    DATE_1980 = 1 << 5 | 1,   /* the first date a zip can have: a file holds the same bytes whenever written */
    OWNED_GROWTH = 8
};

/* Past this libzip adds a field of its own to the header of a member, with its two sizes. */
static const uint64_t zip32_size_max = UINT32_MAX - 1;
enum { ZIP64_FIELD_SIZE = EXTRA_HEADER_SIZE + 16 };

struct congru_npz_writer {
    congru_file_draft *draft;
    zip_t *archive;
    uint64_t position; /* of libzip in the draft */
    uint64_t size;     /* of the draft */
    zip_error_t error; /* what libzip asks for after a failed write */
    bool offset_known; /* false once a member's size depends on how well it deflates */
    uint64_t offset;   /* of the next member in the file */
    void **owned;      /* buffers libzip reads in the commit */
    size_t owned_count;
};

/* ---- The draft, as libzip wants it ----------------------------------------------------------------- */

static zip_int64_t draft_write(congru_npz_writer *writer, const void *data, zip_uint64_t size)
{
    zip_uint64_t written = 0;
    while (written < size) {
        ssize_t got = pwrite(congru_file_descriptor(writer->draft), (const char *)data + written,
                             (size_t)(size - written), (off_t)(writer->position + written));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            zip_error_set(&writer->error, ZIP_ER_WRITE, got < 0 ? errno : ENOSPC);
            return -1;
        }
        written += (zip_uint64_t)got;
    }
    congru_mapped_pass((size_t)size);
    writer->position += size;
    writer->size = writer->position > writer->size ? writer->position : writer->size;
    return (zip_int64_t)size;
}

static zip_int64_t draft_seek(congru_npz_writer *writer, void *data, zip_uint64_t size)
{
    zip_int64_t position =
        zip_source_seek_compute_offset(writer->position, writer->size, data, size, &writer->error);
    if (position < 0)
        return -1;
    writer->position = (uint64_t)position;
    return 0;
}

/* An archive that is empty to begin with and is never read back. */
static zip_int64_t serve(void *user, void *data, zip_uint64_t size, zip_source_cmd_t command)
{
    congru_npz_writer *writer = user;
    switch (command) {
    case ZIP_SOURCE_WRITE:
        return draft_write(writer, data, size);
    case ZIP_SOURCE_SEEK_WRITE:
    case ZIP_SOURCE_SEEK:
        return draft_seek(writer, data, size);
    case ZIP_SOURCE_TELL_WRITE:
    case ZIP_SOURCE_TELL:
        return (zip_int64_t)writer->position;
    case ZIP_SOURCE_STAT: {
        zip_stat_t *about = data;
        zip_stat_init(about);
        about->size = 0;
        about->valid |= ZIP_STAT_SIZE;
        return sizeof *about;
    }
    case ZIP_SOURCE_ERROR:
        return zip_error_to_data(&writer->error, data, size);
    case ZIP_SOURCE_OPEN:
    case ZIP_SOURCE_READ:
    case ZIP_SOURCE_CLOSE:
    case ZIP_SOURCE_FREE:
    case ZIP_SOURCE_BEGIN_WRITE:
    case ZIP_SOURCE_COMMIT_WRITE:
    case ZIP_SOURCE_ROLLBACK_WRITE:
    case ZIP_SOURCE_REMOVE:
        return 0;
    case ZIP_SOURCE_SUPPORTS:
        return ZIP_SOURCE_SUPPORTS_WRITABLE;
    default:
        zip_error_set(&writer->error, ZIP_ER_OPNOTSUPP, 0);
        return -1;
    }
}

/* ---- The writer ------------------------------------------------------------------------------------ */

static congru_status fail_memory(congru_context *context, const char *path)
{
    return congru_fail(context, CONGRU_ERROR_MEMORY, "%s: cannot write: not enough memory", path);
}

/* The system's word where a write failed. libzip's own failures are failed allocations, whether it says so
 * or not. */
static congru_status fail_zip(congru_context *context, const congru_npz_writer *writer, zip_error_t *error)
{
    const char *path = congru_file_path(writer->draft);
    int cause = zip_error_code_system(&writer->error), code = zip_error_code_zip(error);
    if (cause != 0)
        return congru_fail(context, CONGRU_ERROR_IO, "%s: cannot write: %s", path, strerror(cause));
    if (code == ZIP_ER_MEMORY || code == ZIP_ER_OK || errno == ENOMEM)
        return fail_memory(context, path);
    return congru_fail(context, CONGRU_ERROR_IO, "%s: cannot write: %s", path, zip_error_strerror(error));
}

void congru_npz_abandon(congru_npz_writer **writer)
{
    if (writer == NULL || *writer == NULL)
        return;
    if ((*writer)->archive != NULL)
        zip_discard((*writer)->archive);
    for (size_t i = 0; i < (*writer)->owned_count; i++)
        free((*writer)->owned[i]);
    free((*writer)->owned);
    zip_error_fini(&(*writer)->error);
    congru_file_abandon(&(*writer)->draft);
    free(*writer);
    *writer = NULL;
}

congru_status congru_npz_create(congru_context *context, const char *path, congru_npz_writer **writer)
{
    *writer = calloc(1, sizeof **writer);
    if (*writer == NULL)
        return fail_memory(context, path);
    zip_error_init(&(*writer)->error);
    (*writer)->offset_known = true;
    congru_status status = congru_file_begin(context, path, &(*writer)->draft);
    if (status == CONGRU_OK) {
        zip_error_t error;
        zip_error_init(&error);
        errno = 0;
        zip_source_t *source = zip_source_function_create(serve, *writer, &error);
        if (source != NULL)
            (*writer)->archive = zip_open_from_source(source, ZIP_CREATE | ZIP_TRUNCATE, &error);
        if (source != NULL && (*writer)->archive == NULL)
            zip_source_free(source);
        if ((*writer)->archive == NULL)
            status = fail_zip(context, *writer, &error);
        zip_error_fini(&error);
    }
    if (status != CONGRU_OK)
        congru_npz_abandon(writer);
    return status;
}

/* Keeps a buffer until the writer is gone; frees it where that fails, or where it is NULL. */
static bool own(congru_npz_writer *writer, void *buffer)
{
    if (buffer != NULL && writer->owned_count % OWNED_GROWTH == 0) {
        void **larger = realloc(writer->owned, (writer->owned_count + OWNED_GROWTH) * sizeof *larger);
        if (larger == NULL) {
            free(buffer);
            return false;
        }
        writer->owned = larger;
    }
    if (buffer != NULL)
        writer->owned[writer->owned_count++] = buffer;
    return buffer != NULL;
}

/* Pads the header of the member, which libzip is going to write at writer->offset, so that its data are
 * aligned; the .npy's own header keeps them so. */
static bool align_member(congru_npz_writer *writer, zip_uint64_t index, size_t name_size, uint64_t size)
{
    static const zip_uint8_t alignment[2 + ALIGNMENT] = {ALIGNMENT}; /* the alignment, then zeros */
    if (!writer->offset_known)
        return true;
    uint64_t begin = writer->offset + LOCAL_HEADER_SIZE + name_size + EXTRA_HEADER_SIZE + 2 +
                     (size > zip32_size_max ? ZIP64_FIELD_SIZE : 0);
    zip_uint16_t padding = (zip_uint16_t)((ALIGNMENT - begin % ALIGNMENT) % ALIGNMENT);
    writer->offset = begin + padding + size;
    return zip_file_extra_field_set(writer->archive, index, ALIGNMENT_FIELD, ZIP_EXTRA_FIELD_NEW, alignment,
                                    (zip_uint16_t)(2 + padding), ZIP_FL_LOCAL) == 0;
}

/* Adds the array `array`, a header and the bytes of its values, both of which stay until the commit. */
static congru_status add_member(congru_context *context, congru_npz_writer *writer, const char *array,
                                const zip_buffer_fragment_t pieces[2], bool deflate)
{
    char name[ARRAY_NAME_MAX + 5];
    if (strlen(array) > ARRAY_NAME_MAX)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "%s: cannot write: an array name of %zu bytes",
                           congru_file_path(writer->draft), strlen(array));
    snprintf(name, sizeof name, "%s.npy", array);
    errno = 0;
    zip_source_t *source = zip_source_buffer_fragment(writer->archive, pieces, pieces[1].length > 0 ? 2 : 1, 0);
    zip_int64_t index = source == NULL ? -1 : zip_file_add(writer->archive, name, source, ZIP_FL_ENC_GUESS);
    if (index < 0 && source != NULL)
        zip_source_free(source);
    bool added = index >= 0 &&
                 zip_file_set_dostime(writer->archive, (zip_uint64_t)index, 0, DATE_1980, 0) == 0 &&
                 zip_set_file_compression(writer->archive, (zip_uint64_t)index,
                                          deflate ? ZIP_CM_DEFLATE : ZIP_CM_STORE, 0) == 0;
    if (added && deflate)
        writer->offset_known = false;
    if (added && !deflate)
        added = align_member(writer, (zip_uint64_t)index, strlen(name), pieces[0].length + pieces[1].length);
    int code = zip_error_code_zip(zip_get_error(writer->archive));
    if (!added && code == ZIP_ER_EXISTS)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "%s: cannot write array %s: there is one already",
                           congru_file_path(writer->draft), array);
    if (!added)
        return fail_zip(context, writer, zip_get_error(writer->archive));
    return CONGRU_OK;
}

/* Composes the .npy header and adds the member. `data` stays until the commit. */
static congru_status add_array(congru_context *context, congru_npz_writer *writer, const char *array,
                               const char *descr, size_t dims, const size_t *shape, const void *data,
                               size_t size, bool deflate)
{
    char *header = malloc(CONGRU_NPY_HEADER_SIZE);
    if (!own(writer, header))
        return fail_memory(context, congru_file_path(writer->draft));
    size_t header_size = congru_npy_compose_header(descr, dims, shape, header);
    /* libzip takes the pieces as writable, and does not write to them. */
    const zip_buffer_fragment_t pieces[2] = {{(zip_uint8_t *)header, header_size},
                                             {(zip_uint8_t *)(uintptr_t)data, size}};
    return add_member(context, writer, array, pieces, deflate);
}

static congru_status check_shape(congru_context *context, const congru_npz_writer *writer, const char *array,
                                 size_t dims, const size_t *shape, const void *data, size_t *count)
{
    if (dims > CONGRU_NPY_DIMS_MAX || !congru_npy_shape_count(dims, shape, count) ||
        (data == NULL && *count > 0))
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "%s: cannot write array %s: no data, more than %d dimensions, or too many values",
                           congru_file_path(writer->draft), array, (int)CONGRU_NPY_DIMS_MAX);
    return CONGRU_OK;
}

congru_status congru_npz_add_real(congru_context *context, congru_npz_writer *writer, const char *array,
                                  size_t dims, const size_t *shape, const double *data, bool deflate)
{
    size_t count;
    CONGRU_TRY(check_shape(context, writer, array, dims, shape, data, &count));
    return add_array(context, writer, array, "<f8", dims, shape, data, count * sizeof *data, deflate);
}

congru_status congru_npz_add_integer(congru_context *context, congru_npz_writer *writer, const char *array,
                                     size_t dims, const size_t *shape, const int64_t *data)
{
    size_t count;
    CONGRU_TRY(check_shape(context, writer, array, dims, shape, data, &count));
    int64_t *copy = malloc(count > 0 ? count * sizeof *copy : 1);
    if (!own(writer, copy))
        return fail_memory(context, congru_file_path(writer->draft));
    if (count > 0)
        memcpy(copy, data, count * sizeof *copy);
    return add_array(context, writer, array, "<i8", dims, shape, copy, count * sizeof *copy, false);
}

/* ---- Texts ----------------------------------------------------------------------------------------- */

/* The next character of a UTF-8 text; a byte that does not belong is taken for Latin-1. The zero at the end
 * stops the decoder as any byte does that does not go on with a character. */
static uint32_t take_code(const char **text)
{
    uint32_t code;
    size_t length = congru_utf8_decode(*text, 4, &code);
    if (length == 0)
        code = (unsigned char)**text;
    *text += length > 0 ? length : 1;
    return code;
}

static size_t text_length(const char *text)
{
    size_t length = 0;
    while (*text != '\0') {
        take_code(&text);
        length++;
    }
    return length;
}

congru_status congru_npz_add_text(congru_context *context, congru_npz_writer *writer, const char *array,
                                  size_t dims, const size_t *shape, const char *const *data)
{
    size_t count, width = 1; /* NumPy has no text of width 0 */
    CONGRU_TRY(check_shape(context, writer, array, dims, shape, data, &count));
    for (size_t i = 0; i < count; i++) {
        size_t length = text_length(data[i]);
        width = length > width ? length : width;
    }
    if (count > PTRDIFF_MAX / 4 / width || width > 999999999 / 4)
        return fail_memory(context, congru_file_path(writer->draft));
    uint32_t *codes = calloc(count > 0 ? count * width : 1, sizeof *codes);
    if (!own(writer, codes))
        return fail_memory(context, congru_file_path(writer->draft));
    for (size_t i = 0; i < count; i++) {
        const char *text = data[i];
        for (size_t k = 0; *text != '\0'; k++)
            codes[i * width + k] = take_code(&text);
    }
    char descr[24];
    snprintf(descr, sizeof descr, "<U%zu", width);
    return add_array(context, writer, array, descr, dims, shape, codes, count * width * sizeof *codes, false);
}

congru_status congru_npz_commit(congru_context *context, congru_npz_writer **writer)
{
    congru_npz_writer *w = *writer;
    congru_status status = CONGRU_OK;
    errno = 0;
    if (zip_get_num_entries(w->archive, 0) == 0) {
        status = congru_fail(context, CONGRU_ERROR_ARGUMENT, "%s: cannot write: there are no arrays",
                             congru_file_path(w->draft));
    } else if (zip_close(w->archive) != 0) {
        status = fail_zip(context, w, zip_get_error(w->archive));
    } else {
        w->archive = NULL;
        status = congru_file_commit(context, &w->draft);
    }
    congru_npz_abandon(writer);
    return status;
}
