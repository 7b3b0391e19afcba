/* Reads the bytes of a file at offsets, or those of memory. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "array/source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/descriptor.h"

enum { READ_SIZE_MAX = 1 << 30 }; /* pread() takes no more than 2 GiB at once */

congru_status congru_source_open(congru_context *context, const char *path, congru_source *source)
{
    *source = (congru_source){.name = path, .descriptor = -1};
    /* A pipe without a writer must not hold the open up: what it is, is looked at next. */
    int descriptor = congru_descriptor_open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0);
    if (descriptor < 0)
        return congru_fail(context, CONGRU_ERROR_IO, "%s: cannot open: %s", path, strerror(errno));
    struct stat about;
    congru_status status = CONGRU_OK;
    if (fstat(descriptor, &about) != 0)
        status = congru_fail(context, CONGRU_ERROR_IO, "%s: cannot read: %s", path, strerror(errno));
    else if (S_ISDIR(about.st_mode))
        status = congru_fail(context, CONGRU_ERROR_IO, "%s: is a directory (name a file in it)", path);
    else if (!S_ISREG(about.st_mode))
        status = congru_fail(context, CONGRU_ERROR_IO, "%s: not a regular file (copy it into one first)", path);
    if (status != CONGRU_OK) {
        close(descriptor);
        return status;
    }
    source->descriptor = descriptor;
    source->size = (uint64_t)about.st_size;
    source->seconds = about.st_mtim.tv_sec;
    source->nanoseconds = about.st_mtim.tv_nsec;
    return CONGRU_OK;
}

congru_status congru_source_exists(congru_context *context, const char *path, bool *exists)
{
    *exists = access(path, F_OK) == 0;
    if (*exists || errno == ENOENT || errno == ENOTDIR)
        return CONGRU_OK;
    return congru_fail(context, CONGRU_ERROR_IO, "%s: cannot open: %s", path, strerror(errno));
}

congru_source congru_source_memory(const char *name, const void *bytes, size_t size)
{
    return (congru_source){.name = name, .descriptor = -1, .bytes = bytes, .size = size};
}

static congru_status fail_short(congru_context *context, const congru_source *source, uint64_t end,
                                uint64_t offset, size_t size)
{
    uint64_t needed = size > UINT64_MAX - offset ? UINT64_MAX : offset + size;
    return congru_fail(context, CONGRU_ERROR_FORMAT,
                       "%s: ends at byte %llu where byte %llu is needed (truncated?)", source->name,
                       (unsigned long long)end, (unsigned long long)needed);
}

congru_status congru_source_read(congru_context *context, const congru_source *source, uint64_t offset,
                                 size_t size, void *buffer)
{
    if (offset > source->size || size > source->size - offset)
        return fail_short(context, source, source->size, offset, size);
    if (source->descriptor < 0) {
        if (size > 0)
            memcpy(buffer, source->bytes + offset, size);
        return CONGRU_OK;
    }
    size_t taken = 0;
    while (taken < size) {
        size_t wanted = size - taken < READ_SIZE_MAX ? size - taken : READ_SIZE_MAX;
        ssize_t got = pread(source->descriptor, (char *)buffer + taken, wanted, (off_t)(offset + taken));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return congru_fail(context, CONGRU_ERROR_IO, "%s: cannot read: %s", source->name, strerror(errno));
        if (got == 0) /* it was longer when it was opened */
            return fail_short(context, source, offset + taken, offset, size);
        taken += (size_t)got;
    }
    return CONGRU_OK;
}

congru_status congru_source_check(congru_context *context, const congru_source *source)
{
    struct stat about;
    if (source->descriptor < 0)
        return CONGRU_OK;
    if (fstat(source->descriptor, &about) != 0)
        return congru_fail(context, CONGRU_ERROR_IO, "%s: cannot read: %s", source->name, strerror(errno));
    if ((uint64_t)about.st_size != source->size || about.st_mtim.tv_sec != source->seconds ||
        about.st_mtim.tv_nsec != source->nanoseconds)
        return congru_fail(context, CONGRU_ERROR_IO,
                           "%s: it was changed while it was read (run again when it is complete)",
                           source->name);
    return CONGRU_OK;
}

congru_status congru_source_text(congru_context *context, const char *path, size_t most, const char *what,
                                 char **text, size_t *size)
{
    congru_source source;
    *text = NULL;
    congru_status status = congru_source_open(context, path, &source);
    if (status != CONGRU_OK)
        return status;
    *size = (size_t)source.size;
    if (source.size > most)
        status = congru_fail(context, CONGRU_ERROR_FORMAT, "%s: larger than %zu MiB; not %s", path, most >> 20,
                             what);
    else if ((*text = malloc(*size + 1)) == NULL)
        status = congru_fail(context, CONGRU_ERROR_MEMORY, "%s: not enough memory to read it", path);
    else
        status = congru_source_read(context, &source, 0, *size, *text);
    if (status == CONGRU_OK)
        status = congru_source_check(context, &source);
    congru_source_close(&source);
    if (status == CONGRU_OK) {
        (*text)[*size] = '\0';
    } else {
        free(*text);
        *text = NULL;
    }
    return status;
}

void congru_source_close(congru_source *source)
{
    if (source->descriptor >= 0)
        close(source->descriptor);
    *source = (congru_source){.descriptor = -1};
}
