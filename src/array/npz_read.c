/* Reads the arrays of an .npz, believing nothing its directory says unchecked. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zip.h>

#include "array/npy_internal.h"

enum {
    MEMBER_NAME_SIZE = 256,
    DEFLATE_RATIO_MAX =
        1032, /* the format cannot do better: 258 bytes from two bits, and some for block headers */
    DEFLATE_SLACK = 1032,
    TEXT_BYTES_MAX = 4096, /* four for a character */
    MEMBERS_MAX = 10000,
    DIRECTORY_END =
        22, /* and up to as many bytes of comment as 16 bits count, and the place of a larger one before it */
    DIRECTORY_END_MAX = 20 + DIRECTORY_END + UINT16_MAX
};

struct congru_npz {
    congru_source source;
    char *name; /* for error texts; the source's too */
    zip_t *archive;
    uint64_t position; /* of libzip in the source */
    zip_error_t error; /* what libzip asks for after a failed read */
    int cause;         /* the system's word for it; 0: the file can be read */
};

/* ---- The source, as libzip wants it ---------------------------------------------------------------- */

static zip_int64_t serve_read(congru_npz *npz, void *data, zip_uint64_t size)
{
    uint64_t left = npz->source.size - npz->position;
    size_t wanted = size < left ? (size_t)size : (size_t)left;
    int before = errno; /* which remembers whether libzip lacked memory before this */
    errno = 0;
    if (congru_source_read(NULL, &npz->source, npz->position, wanted, data) != CONGRU_OK) {
        npz->cause = errno;
        zip_error_set(&npz->error, ZIP_ER_READ, 0);
        return -1;
    }
    errno = before;
    npz->position += wanted;
    return (zip_int64_t)wanted;
}

static zip_int64_t serve_seek(congru_npz *npz, void *data, zip_uint64_t size)
{
    zip_int64_t position =
        zip_source_seek_compute_offset(npz->position, npz->source.size, data, size, &npz->error);
    if (position < 0)
        return -1;
    npz->position = (uint64_t)position;
    return 0;
}

static zip_int64_t serve(void *user, void *data, zip_uint64_t size, zip_source_cmd_t command)
{
    congru_npz *npz = user;
    switch (command) {
    case ZIP_SOURCE_OPEN:
        npz->position = 0;
        return 0;
    case ZIP_SOURCE_READ:
        return serve_read(npz, data, size);
    case ZIP_SOURCE_SEEK:
        return serve_seek(npz, data, size);
    case ZIP_SOURCE_TELL:
        return (zip_int64_t)npz->position;
    case ZIP_SOURCE_STAT: {
        zip_stat_t *about = data;
        zip_stat_init(about);
        about->size = npz->source.size;
        about->valid |= ZIP_STAT_SIZE;
        return sizeof *about;
    }
    case ZIP_SOURCE_ERROR:
        return zip_error_to_data(&npz->error, data, size);
    case ZIP_SOURCE_CLOSE:
    case ZIP_SOURCE_FREE:
        return 0;
    case ZIP_SOURCE_SUPPORTS:
        return zip_source_make_command_bitmap(ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE,
                                              ZIP_SOURCE_STAT, ZIP_SOURCE_ERROR, ZIP_SOURCE_FREE,
                                              ZIP_SOURCE_SEEK, ZIP_SOURCE_TELL, ZIP_SOURCE_SUPPORTS, -1);
    default:
        zip_error_set(&npz->error, ZIP_ER_OPNOTSUPP, 0);
        return -1;
    }
}

/* ---- Opening --------------------------------------------------------------------------------------- */

/* Whether libzip failed for want of memory. It does not always say so: where an allocation failed on the way it
 * may find no zip, or no error; errno, 0 before the call, remembers. */
static bool lacked_memory(int code)
{
    return code == ZIP_ER_MEMORY || errno == ENOMEM;
}

/* `what` and what libzip says, unless it is the system or the memory that failed, and not the file. */
static congru_status fail_zip(congru_context *context, const congru_npz *npz, const char *name,
                              const char *what, zip_error_t *error)
{
    if (npz->cause != 0)
        return congru_fail(context, CONGRU_ERROR_IO, "%s: cannot read: %s", name, strerror(npz->cause));
    if (lacked_memory(zip_error_code_zip(error)))
        return congru_fail(context, CONGRU_ERROR_MEMORY, "%s: not enough memory to read it", name);
    return congru_fail(context, CONGRU_ERROR_FORMAT, "%s: %s: %s (copy or write the file again)", name, what,
                       zip_error_strerror(error));
}

static congru_status fail_open(congru_context *context, const congru_npz *npz, zip_error_t *error)
{
    if (npz->cause != 0 || lacked_memory(zip_error_code_zip(error)))
        return fail_zip(context, npz, npz->name, "", error);
    unsigned char first[6] = {0};
    size_t size = npz->source.size < sizeof first ? (size_t)npz->source.size : sizeof first;
    if (congru_source_read(NULL, &npz->source, 0, size, first) == CONGRU_OK) {
        if (memcmp(first, "\x93NUMPY", sizeof first) == 0)
            return congru_fail(context, CONGRU_ERROR_FORMAT,
                               "%s: a .npy file of one array, not an .npz (save the arrays with numpy.savez)",
                               npz->name);
        if (memcmp(first, "PK", 2) != 0)
            return congru_fail(
                context, CONGRU_ERROR_FORMAT,
                "%s: not an .npz: it does not begin as a zip does (save the arrays with numpy.savez)",
                npz->name);
    }
    return fail_zip(context, npz, npz->name, "broken or truncated .npz", error);
}

static uint64_t word(const unsigned char *bytes, size_t size)
{
    uint64_t value = 0;
    while (size-- > 0)
        value = value << 8 | bytes[size];
    return value;
}

/* The number of members that the end of a directory at bytes[at] states: where 16 bits are too few it is in a record whose
 * place stands before the end. */
static uint64_t stated_members(const congru_npz *npz, const unsigned char *bytes, size_t at)
{
    unsigned char larger[40];
    uint64_t count = word(bytes + at + 10, 2);
    if (count < UINT16_MAX || at < 20 || memcmp(bytes + at - 20, "PK\6\7", 4) != 0)
        return count;
    uint64_t place = word(bytes + at - 12, 8);
    if (place > npz->source.size || npz->source.size - place < sizeof larger ||
        congru_source_read(NULL, &npz->source, place, sizeof larger, larger) != CONGRU_OK)
        return count;
    return word(larger + 32, 8);
}

/* libzip finds names by a hash that texts can be chosen to defeat, and it reads the whole directory before it can be asked:
 * 60,000 names took it 49 s. */
static congru_status check_members(congru_context *context, const congru_npz *npz)
{
    size_t size = npz->source.size < DIRECTORY_END_MAX ? (size_t)npz->source.size : (size_t)DIRECTORY_END_MAX;
    unsigned char *bytes = malloc(size);
    if (bytes == NULL)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "%s: not enough memory to read it", npz->name);
    congru_status status = congru_source_read(context, &npz->source, npz->source.size - size, size, bytes);
    for (size_t at = 0; status == CONGRU_OK && at + DIRECTORY_END <= size; at++) {
        uint64_t count = memcmp(bytes + at, "PK\5\6", 4) == 0 ? stated_members(npz, bytes, at) : 0;
        if (count > MEMBERS_MAX)
            status = congru_fail(context, CONGRU_ERROR_UNSUPPORTED,
                                 "%s: %llu arrays; at most %d are read (save fewer with numpy.savez)",
                                 npz->name, (unsigned long long)count, (int)MEMBERS_MAX);
    }
    free(bytes);
    return status;
}

static congru_status open_archive(congru_context *context, congru_npz *npz)
{
    if (npz->source.size == 0) /* an archive without members, to libzip */
        return congru_fail(context, CONGRU_ERROR_FORMAT, "%s: empty file (expected an .npz)", npz->name);
    CONGRU_TRY(check_members(context, npz));
    zip_error_t error;
    zip_error_init(&error);
    errno = 0;
    zip_source_t *source = zip_source_function_create(serve, npz, &error);
    if (source != NULL) {
        /* CHECKCONS compares the directory with the header before each member. */
        npz->archive = zip_open_from_source(source, ZIP_RDONLY | ZIP_CHECKCONS, &error);
        if (npz->archive == NULL)
            zip_source_free(source);
    }
    congru_status status = npz->archive != NULL ? CONGRU_OK : fail_open(context, npz, &error);
    zip_error_fini(&error);
    return status;
}

static congru_status create_npz(congru_context *context, const char *name, congru_npz **npz)
{
    *npz = calloc(1, sizeof **npz);
    char *copy = strdup(name);
    if (*npz == NULL || copy == NULL) {
        free(*npz);
        free(copy);
        *npz = NULL;
        return congru_fail(context, CONGRU_ERROR_MEMORY, "%s: not enough memory", name);
    }
    (*npz)->name = copy;
    (*npz)->source.descriptor = -1;
    zip_error_init(&(*npz)->error);
    return CONGRU_OK;
}

congru_status congru_npz_open(congru_context *context, const char *path, congru_npz **npz)
{
    CONGRU_TRY(create_npz(context, path, npz));
    congru_status status = congru_source_open(context, (*npz)->name, &(*npz)->source);
    if (status == CONGRU_OK)
        status = open_archive(context, *npz);
    if (status != CONGRU_OK)
        congru_npz_close(npz);
    return status;
}

congru_status congru_npz_open_memory(congru_context *context, const char *name, const void *bytes, size_t size,
                                     congru_npz **npz)
{
    CONGRU_TRY(create_npz(context, name, npz));
    (*npz)->source = congru_source_memory((*npz)->name, bytes, size);
    congru_status status = open_archive(context, *npz);
    if (status != CONGRU_OK)
        congru_npz_close(npz);
    return status;
}

void congru_npz_close(congru_npz **npz)
{
    if (npz == NULL || *npz == NULL)
        return;
    if ((*npz)->archive != NULL)
        zip_discard((*npz)->archive);
    congru_source_close(&(*npz)->source);
    zip_error_fini(&(*npz)->error);
    free((*npz)->name);
    free(*npz);
    *npz = NULL;
}

/* ---- Reading --------------------------------------------------------------------------------------- */

static zip_int64_t find_member(const congru_npz *npz, const char *array)
{
    char member[MEMBER_NAME_SIZE];
    int length = snprintf(member, sizeof member, "%s.npy", array);
    /* With another encoding libzip makes a copy of the name, and finds nothing where there is no memory for it. */
    return length < MEMBER_NAME_SIZE ? zip_name_locate(npz->archive, member, ZIP_FL_ENC_UTF_8) : -1;
}

bool congru_npz_has(const congru_npz *npz, const char *array)
{
    return find_member(npz, array) >= 0;
}

/* What the directory says of a member, held against the size of the file and what deflate can do. */
static congru_status check_member(congru_context *context, const congru_npz *npz, const char *name,
                                  zip_uint64_t index, zip_stat_t *about)
{
    const zip_uint64_t wanted =
        ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD;
    if (zip_stat_index(npz->archive, index, 0, about) != 0 || (about->valid & wanted) != wanted)
        return congru_fail(context, CONGRU_ERROR_FORMAT,
                           "%s: broken in the zip directory (copy or write the file again)", name);
    if (about->encryption_method != ZIP_EM_NONE)
        return congru_fail(context, CONGRU_ERROR_UNSUPPORTED, "%s: encrypted (save it with numpy.savez)", name);
    if (about->comp_method != ZIP_CM_STORE && about->comp_method != ZIP_CM_DEFLATE)
        return congru_fail(
            context, CONGRU_ERROR_UNSUPPORTED,
            "%s: compressed by method %u; stored and deflated arrays are read (save it with numpy.savez)", name,
            (unsigned)about->comp_method);
    if (about->comp_size > npz->source.size)
        return congru_fail(context, CONGRU_ERROR_FORMAT,
                           "%s: said to take %llu bytes of a file of %llu (copy or write the file again)", name,
                           (unsigned long long)about->comp_size, (unsigned long long)npz->source.size);
    bool stored = about->comp_method == ZIP_CM_STORE;
    zip_uint64_t most = stored ? about->comp_size : about->comp_size * DEFLATE_RATIO_MAX + DEFLATE_SLACK;
    if (about->size > most || (stored && about->size != about->comp_size) || about->size > PTRDIFF_MAX)
        return congru_fail(
            context, CONGRU_ERROR_FORMAT,
            "%s: said to hold %llu bytes, which %llu bytes cannot (copy or write the file again)", name,
            (unsigned long long)about->size, (unsigned long long)about->comp_size);
    return CONGRU_OK;
}

/* A member being read. */
typedef struct npz_member {
    congru_npz *npz;
    zip_file_t *file;
    zip_stat_t about;
} npz_member;

static congru_status take_member(congru_npy_stream *stream, void *into, size_t size, size_t *taken)
{
    npz_member *member = stream->user;
    *taken = 0;
    errno = 0;
    while (*taken < size) {
        zip_int64_t got = zip_fread(member->file, (char *)into + *taken, size - *taken);
        if (got < 0)
            return fail_zip(stream->context, member->npz, stream->name, "broken data",
                            zip_file_get_error(member->file));
        if (got == 0)
            break;
        *taken += (size_t)got;
    }
    return CONGRU_OK;
}

/* What is done with the stream of a member. */
typedef congru_status (*stream_task)(congru_npy_stream *stream, congru_values *values);

static congru_status describe_stream(congru_npy_stream *stream, congru_values *values)
{
    congru_npy_header header;
    return congru_values_describe(stream, &header, values);
}

static bool same_description(const congru_values *a, const congru_values *b)
{
    return a->kind == b->kind && a->dims == b->dims && a->count == b->count &&
           a->integer_bytes == b->integer_bytes && a->text_bytes == b->text_bytes &&
           memcmp(a->shape, b->shape, sizeof a->shape) == 0;
}

static congru_status fill_stream(congru_npy_stream *stream, congru_values *values)
{
    congru_npy_header header;
    const congru_values described = *values;
    congru_status status = congru_values_describe(stream, &header, values);
    if (status == CONGRU_OK && !same_description(&described, values))
        status =
            congru_fail(stream->context, CONGRU_ERROR_FORMAT,
                        "%s: it was changed while it was read (run again when it is complete)", stream->name);
    if (status != CONGRU_OK)
        *values = (congru_values){0};
    return status == CONGRU_OK ? congru_values_fill(stream, &header, values) : status;
}

static congru_status open_member(congru_context *context, congru_npz *npz, const char *name, zip_uint64_t index,
                                 stream_task task, congru_values *values)
{
    npz_member member = {.npz = npz};
    CONGRU_TRY(check_member(context, npz, name, index, &member.about));
    errno = 0;
    member.file = zip_fopen_index(npz->archive, index, 0);
    if (member.file == NULL)
        return fail_zip(context, npz, name, "cannot be read", zip_get_error(npz->archive));
    congru_npy_stream stream = {.context = context,
                                .name = name,
                                .take = take_member,
                                .user = &member,
                                .size_known = true,
                                .size = (size_t)member.about.size};
    congru_status status = task(&stream, values);
    zip_fclose(member.file);
    return status;
}

static congru_status with_array(congru_context *context, congru_npz *npz, const char *array, stream_task task,
                                congru_values *values)
{
    zip_int64_t index = find_member(npz, array);
    if (index < 0)
        return congru_fail(context, CONGRU_ERROR_FORMAT, "%s: no array '%s' in it", npz->name, array);
    /* "FILE: X", in front of whatever is wrong with X. */
    size_t size = strlen(npz->name) + strlen(array) + 3;
    char *name = malloc(size);
    if (name == NULL)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "%s: not enough memory", npz->name);
    snprintf(name, size, "%s: %s", npz->name, array);
    congru_status status = open_member(context, npz, name, (zip_uint64_t)index, task, values);
    free(name);
    return status;
}

congru_status congru_npz_describe(congru_context *context, congru_npz *npz, const char *array,
                                  congru_values *values)
{
    *values = (congru_values){0};
    return with_array(context, npz, array, describe_stream, values);
}

congru_status congru_npz_fill(congru_context *context, congru_npz *npz, const char *array,
                              congru_values *values)
{
    congru_status status = with_array(context, npz, array, fill_stream, values);
    if (status != CONGRU_OK)
        *values = (congru_values){0};
    return status;
}

congru_status congru_npz_read(congru_context *context, congru_npz *npz, const char *array,
                              congru_values *values)
{
    *values = (congru_values){0};
    return with_array(context, npz, array, congru_values_take, values);
}

congru_status congru_npz_check_names(congru_context *context, const congru_npz *npz, const char *array,
                                     const congru_values *values)
{
    if (values->text_bytes <= TEXT_BYTES_MAX)
        return CONGRU_OK;
    return congru_fail(
        context, CONGRU_ERROR_UNSUPPORTED,
        "%s: %s: strings of %zu bytes each; names of at most %d are read (save it as the narrowest "
        "type that holds them)",
        npz->name, array, values->text_bytes, (int)TEXT_BYTES_MAX);
}

congru_status congru_npz_check(congru_context *context, const congru_npz *npz)
{
    return congru_source_check(context, &npz->source);
}
