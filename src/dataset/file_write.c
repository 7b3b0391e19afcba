/* Writes a file beside its target, flushes it and renames it. SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700 /* POSIX with realpath */
#include "dataset/file_write.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

enum {
    WRITE_SIZE_MAX = 1 << 30, /* write() takes no more than 2 GiB at once */
    NAME_ATTEMPTS = 1000,
    NAME_SIZE = 64
};

static congru_status fail_write(congru_context *context, const char *path)
{
    return congru_fail(context, CONGRU_ERROR_IO, "%s: cannot write: %s", path, strerror(errno));
}

static bool write_piece(int descriptor, const congru_file_piece *piece)
{
    size_t written = 0;
    while (written < piece->size) {
        size_t left = piece->size - written;
        ssize_t got = write(descriptor, (const char *)piece->data + written,
                            left < WRITE_SIZE_MAX ? left : WRITE_SIZE_MAX);
        if (got < 0 && errno != EINTR)
            return false;
        if (got > 0)
            written += (size_t)got;
    }
    return true;
}

static bool write_pieces(int descriptor, const congru_file_piece *pieces, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!write_piece(descriptor, &pieces[i]))
            return false;
    return true;
}

/* Some file systems report a full disk only here. After EINTR the descriptor is closed on Linux. */
static bool close_checked(int descriptor)
{
    return close(descriptor) == 0 || errno == EINTR;
}

/* A name under /dev or /proc that is a link stands for an open descriptor, as /dev/stdout does: renaming over
 * it would replace the link, and renaming over what it leads to would take the file from under whoever opened
 * it. */
static bool names_descriptor(const char *path)
{
    struct stat about;
    return (strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/proc/", 6) == 0) && lstat(path, &about) == 0 &&
           S_ISLNK(about.st_mode);
}

static congru_status write_directly(congru_context *context, const char *path, const congru_file_piece *pieces,
                                    size_t count)
{
    int descriptor = open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY);
    if (descriptor < 0)
        return fail_write(context, path);
    if (!write_pieces(descriptor, pieces, count)) {
        congru_status status = fail_write(context, path);
        close(descriptor);
        return status;
    }
    return close_checked(descriptor) ? CONGRU_OK : fail_write(context, path);
}

/* Creates a file of a name nobody has in the directory of `target`. The name does not contain the target's,
 * which may be as long as names can be. Returns the descriptor, or -1 with errno set. */
static int create_beside(const char *target, size_t directory_size, char *name)
{
    memcpy(name, target, directory_size);
    for (int attempt = 0; attempt < NAME_ATTEMPTS; attempt++) {
        snprintf(name + directory_size, NAME_SIZE, ".congru-%ld-%d.tmp", (long)getpid(), attempt);
        int descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor >= 0 || errno != EEXIST)
            return descriptor;
    }
    return -1;
}

/* Makes the rename itself last. Not every file system lets a directory be opened or flushed, and the file is
 * complete and in place by now, so this does what it can. */
static void flush_directory(char *name, size_t directory_size)
{
    name[directory_size] = '\0';
    int descriptor = open(directory_size > 0 ? name : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor >= 0) {
        fsync(descriptor);
        close(descriptor);
    }
}

/* Writes `target` through a file beside it; false with errno set. `replaced` is what is there now, or NULL. */
static bool write_beside(const char *target, const struct stat *replaced, const congru_file_piece *pieces,
                         size_t count)
{
    const char *slash = strrchr(target, '/');
    size_t directory_size = slash == NULL ? 0 : (size_t)(slash - target) + 1;
    char *name = malloc(directory_size + NAME_SIZE);
    if (name == NULL)
        return false;
    int descriptor = create_beside(target, directory_size, name);
    if (descriptor < 0) {
        free(name);
        return false;
    }
    bool written = write_pieces(descriptor, pieces, count) &&
                   (replaced == NULL || fchmod(descriptor, replaced->st_mode & 07777) == 0) &&
                   fsync(descriptor) == 0;
    int cause = errno;
    if (!close_checked(descriptor) && written) {
        written = false;
        cause = errno;
    }
    if (written && rename(name, target) != 0) {
        written = false;
        cause = errno;
    }
    if (written)
        flush_directory(name, directory_size);
    else
        unlink(name);
    free(name);
    errno = cause;
    return written;
}

congru_status congru_file_write(congru_context *context, const char *path, const congru_file_piece *pieces,
                                size_t count)
{
    struct stat about;
    if (names_descriptor(path))
        return write_directly(context, path, pieces, count);
    if (lstat(path, &about) != 0) {
        if (errno != ENOENT || !write_beside(path, NULL, pieces, count))
            return fail_write(context, path);
        return CONGRU_OK;
    }
    /* A link is followed here, so that the rename replaces the file and not the link. */
    char *target = realpath(path, NULL);
    if (target == NULL || stat(target, &about) != 0) {
        congru_status status = fail_write(context, path);
        free(target);
        return status;
    }
    congru_status status = CONGRU_OK;
    if (S_ISDIR(about.st_mode))
        status = congru_fail(context, CONGRU_ERROR_IO, "%s: is a directory (name a file in it)", path);
    else if (!S_ISREG(about.st_mode))
        status = write_directly(context, path, pieces, count);
    else if (access(target, W_OK) != 0 || !write_beside(target, &about, pieces, count))
        status = fail_write(context, path);
    free(target);
    return status;
}
