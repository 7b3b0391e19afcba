/* Writes a file beside its target, flushes it and renames it. SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700 /* POSIX with realpath */
#include "array/file_write.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "array/folder.h"
#include "base/descriptor.h"
#include "base/error.h"

enum {
    WRITE_SIZE_MAX = 1 << 30, /* write() takes no more than 2 GiB at once */
    COPY_SIZE = 1 << 16,
    NAME_ATTEMPTS = 1000,
    NAME_SIZE = 64
};

struct congru_file_draft {
    int descriptor;
    char *path;            /* as the caller gave it, for error texts */
    char *target;          /* what is replaced: `path` with links followed */
    char *name;            /* of the file beside it; NULL while there is none */
    size_t directory_size; /* of target and name, with the slash */
    size_t made_size;      /* of the shortest of its parents that was made for it; 0: none */
    bool direct;           /* the target is not a regular file: written to, not replaced */
    bool done;             /* it is under its name */
    bool replaces;         /* there is a target now, whose mode is kept */
    mode_t mode;
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
 * it would replace the link, and renaming over what it leads to would take the file from under a process that opened
 * it. */
static bool names_descriptor(const char *path)
{
    struct stat about;
    return (strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/proc/", 6) == 0) && lstat(path, &about) == 0 &&
           S_ISLNK(about.st_mode);
}

static int open_direct(const char *path)
{
    return congru_descriptor_open(path, O_WRONLY | O_APPEND | O_NOCTTY, 0);
}

/* Everything of the draft but its name and descriptor: what is under `path`, and how it is to be written. */
static congru_status look_at_target(congru_context *context, const char *path, congru_file_draft *draft)
{
    struct stat about;
    draft->path = strdup(path);
    if (draft->path == NULL)
        return fail_write(context, path);
    draft->direct = names_descriptor(path);
    if (draft->direct)
        return CONGRU_OK;
    if (lstat(path, &about) != 0) {
        draft->target = errno == ENOENT ? strdup(path) : NULL;
        return draft->target != NULL ? CONGRU_OK : fail_write(context, path);
    }
    /* A link is followed here, so that the rename replaces the file and not the link. */
    draft->target = realpath(path, NULL);
    if (draft->target == NULL || stat(draft->target, &about) != 0)
        return fail_write(context, path);
    if (S_ISDIR(about.st_mode))
        return congru_fail(context, CONGRU_ERROR_IO, "%s: is a directory (name a file in it)", path);
    draft->direct = !S_ISREG(about.st_mode);
    draft->replaces = true;
    draft->mode = about.st_mode & 07777;
    if (!draft->direct && access(draft->target, W_OK) != 0)
        return fail_write(context, path);
    return CONGRU_OK;
}

/* Creates a file of a name nobody has in the directory of the target. The name does not contain the target's,
 * which may be as long as names can be. False with errno set. */
static bool create_beside(congru_file_draft *draft)
{
    const char *slash = strrchr(draft->target, '/');
    draft->directory_size = slash == NULL ? 0 : (size_t)(slash - draft->target) + 1;
    char *name = malloc(draft->directory_size + NAME_SIZE);
    if (name == NULL)
        return false;
    memcpy(name, draft->target, draft->directory_size);
    for (int attempt = 0; attempt < NAME_ATTEMPTS && draft->descriptor < 0; attempt++) {
        snprintf(name + draft->directory_size, NAME_SIZE, ".congru-%ld-%d.tmp", (long)getpid(), attempt);
        draft->descriptor = congru_descriptor_open(name, O_RDWR | O_CREAT | O_EXCL, 0666);
        if (draft->descriptor < 0 && errno != EEXIST)
            break;
    }
    if (draft->descriptor < 0) {
        int cause = errno;
        free(name);
        errno = cause;
        return false;
    }
    draft->name = name;
    return true;
}

/* The same; with `make`, parents of the target that are missing are made, as those of a results folder are. */
static congru_status create_draft(congru_context *context, congru_file_draft *draft, bool make)
{
    struct stat about;
    if (create_beside(draft))
        return CONGRU_OK;
    if (!make || errno != ENOENT || draft->directory_size < 2)
        return fail_write(context, draft->path);
    const size_t size = draft->directory_size - 1;
    congru_status status = CONGRU_OK;
    draft->target[size] = '\0';
    for (size_t i = 1; i <= size && draft->made_size == 0; i++) {
        if (i < size && draft->target[i] != '/')
            continue;
        const char kept = draft->target[i];
        draft->target[i] = '\0';
        if (stat(draft->target, &about) != 0)
            draft->made_size = i;
        draft->target[i] = kept;
    }
    status = congru_folder_make(context, draft->target, "");
    draft->target[size] = '/';
    return status == CONGRU_OK && !create_beside(draft) ? fail_write(context, draft->path) : status;
}

/* Of a draft that came to nothing: takes away what was made for it, as long as it is empty. */
static void remove_made(congru_file_draft *draft)
{
    for (size_t size = draft->directory_size; draft->made_size > 0 && size > draft->made_size; size--) {
        if (draft->target[size - 1] != '/')
            continue;
        draft->target[size - 1] = '\0';
        if (rmdir(draft->target) != 0)
            return;
    }
}

static bool create_nameless(congru_file_draft *draft)
{
    FILE *file = tmpfile();
    if (file == NULL)
        return false;
    draft->descriptor = fcntl(fileno(file), F_DUPFD_CLOEXEC, 0);
    int cause = errno;
    fclose(file);
    errno = cause;
    return draft->descriptor >= 0;
}

static void free_draft(congru_file_draft *draft)
{
    free(draft->name);
    free(draft->target);
    free(draft->path);
    free(draft);
}

void congru_file_abandon(congru_file_draft **draft)
{
    if (draft == NULL || *draft == NULL)
        return;
    if ((*draft)->descriptor >= 0)
        close((*draft)->descriptor);
    if ((*draft)->name != NULL)
        unlink((*draft)->name);
    if (!(*draft)->done)
        remove_made(*draft);
    free_draft(*draft);
    *draft = NULL;
}

/* A draft that knows its target, with no file yet. */
static congru_status start_draft(congru_context *context, const char *path, congru_file_draft **draft)
{
    *draft = calloc(1, sizeof **draft);
    if (*draft == NULL)
        return fail_write(context, path);
    (*draft)->descriptor = -1;
    congru_status status = look_at_target(context, path, *draft);
    if (status != CONGRU_OK)
        congru_file_abandon(draft);
    return status;
}

congru_status congru_file_begin(congru_context *context, const char *path, congru_file_draft **draft)
{
    congru_status status = start_draft(context, path, draft);
    if (status != CONGRU_OK)
        return status;
    if (!(*draft)->direct)
        status = create_draft(context, *draft, true);
    else if (!create_nameless(*draft))
        status = fail_write(context, path);
    if (status != CONGRU_OK)
        congru_file_abandon(draft);
    return status;
}

int congru_file_descriptor(const congru_file_draft *draft)
{
    return draft->descriptor;
}

const char *congru_file_path(const congru_file_draft *draft)
{
    return draft->path;
}

/* Makes the rename itself last. Not every file system lets a directory be opened or flushed, and the file is
 * complete and in place by now, so this does what it can. */
static void flush_directory(char *name, size_t directory_size)
{
    name[directory_size] = '\0';
    int descriptor = congru_descriptor_open(directory_size > 0 ? name : ".", O_RDONLY | O_DIRECTORY, 0);
    if (descriptor >= 0) {
        congru_descriptor_sync(descriptor);
        close(descriptor);
    }
}

/* Puts the file beside the target in its place; false with errno set, the file then being still there. */
static bool replace_target(congru_file_draft *draft)
{
    bool kept = (!draft->replaces || fchmod(draft->descriptor, draft->mode) == 0) &&
                congru_descriptor_sync(draft->descriptor) == 0;
    int cause = errno;
    bool closed = close_checked(draft->descriptor);
    draft->descriptor = -1;
    if (!kept)
        errno = cause;
    if (!kept || !closed || rename(draft->name, draft->target) != 0)
        return false;
    flush_directory(draft->name, draft->directory_size);
    free(draft->name);
    draft->name = NULL;
    draft->done = true;
    return true;
}

/* Copies the nameless file to the device or pipe; false with errno set. */
static bool copy_to_target(congru_file_draft *draft)
{
    char bytes[COPY_SIZE];
    int target = open_direct(draft->path);
    if (target < 0)
        return false;
    bool copied = lseek(draft->descriptor, 0, SEEK_SET) == 0;
    while (copied) {
        ssize_t got = read(draft->descriptor, bytes, sizeof bytes);
        if (got == 0)
            break;
        if (got < 0 && errno == EINTR)
            continue;
        copied = got > 0 && write_piece(target, &(congru_file_piece){bytes, (size_t)got});
    }
    int cause = errno;
    if (!close_checked(target))
        return false;
    errno = cause;
    return copied;
}

congru_status congru_file_commit(congru_context *context, congru_file_draft **draft)
{
    congru_status status = CONGRU_OK;
    if (!((*draft)->direct ? copy_to_target(*draft) : replace_target(*draft)))
        status = fail_write(context, (*draft)->path);
    congru_file_abandon(draft);
    return status;
}

static congru_status write_directly(congru_context *context, const char *path, const congru_file_piece *pieces,
                                    size_t count)
{
    int descriptor = open_direct(path);
    if (descriptor < 0)
        return fail_write(context, path);
    if (!write_pieces(descriptor, pieces, count)) {
        congru_status status = fail_write(context, path);
        close(descriptor);
        return status;
    }
    return close_checked(descriptor) ? CONGRU_OK : fail_write(context, path);
}

/* Below a folder of results the folder is there, and a pipe has no reader. */
static congru_status write_file(congru_context *context, const char *path, const congru_file_piece *pieces,
                                size_t count, bool below_folder)
{
    congru_file_draft *draft;
    CONGRU_TRY(start_draft(context, path, &draft));
    if (draft->direct && below_folder) {
        congru_file_abandon(&draft);
        return congru_fail(context, CONGRU_ERROR_IO, "%s: not a regular file (remove it)", path);
    }
    /* What comes in order needs no temporary file on its way into a pipe. */
    const bool direct = draft->direct;
    congru_status status =
        direct ? write_directly(context, path, pieces, count) : create_draft(context, draft, !below_folder);
    if (!direct && status == CONGRU_OK && !write_pieces(draft->descriptor, pieces, count))
        status = fail_write(context, path);
    if (!direct && status == CONGRU_OK)
        return congru_file_commit(context, &draft);
    congru_file_abandon(&draft);
    return status;
}

congru_status congru_file_write(congru_context *context, const char *path, const congru_file_piece *pieces,
                                size_t count)
{
    return write_file(context, path, pieces, count, false);
}

congru_status congru_file_write_text(congru_context *context, const char *folder, const char *name,
                                     congru_text *text)
{
    congru_text path = {0};
    congru_status status;
    congru_text_add(&path, "%s/%s", folder, name);
    if (path.failed || text->failed)
        status = congru_fail(context, CONGRU_ERROR_MEMORY, "%s: not enough memory to write %s", folder, name);
    else
        status = write_file(context, path.data, &(congru_file_piece){text->data, text->size}, 1, true);
    congru_text_clear(&path);
    congru_text_clear(text);
    return status;
}
