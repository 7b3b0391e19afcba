/* Regions of files as memory, whose pages are given back as work goes on. SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* mkostemp, madvise */
#include "base/mapped_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/number_text.h"

enum { LIMIT_LEAST_MB = 64, MACHINE_PART = 32, REASON_SIZE = 512, GROWTH = 16, ZEROS_SIZE = 1 << 16 };

typedef struct region {
    char *memory;
    size_t length; /* whole pages */
    int descriptor;
} region;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* over the regions */
static region *regions;
static size_t region_room;
static atomic_size_t region_count;
static atomic_size_t limit;  /* 0: not known yet */
static atomic_size_t passed; /* bytes since pages were last given back */
static _Thread_local char reason[REASON_SIZE];

/* ---- The limit ------------------------------------------------------------------------------------- */

/* A part of the machine's memory that several arrays may take, or what any machine has. */
static double limit_of_machine(void)
{
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    const double megabytes =
        pages > 0 && page > 0 ? (double)pages * (double)page / 1048576.0 / MACHINE_PART : 0;
    return megabytes > LIMIT_LEAST_MB ? megabytes : LIMIT_LEAST_MB;
}

static size_t limit_of_environment(void)
{
    const char *text = getenv("CONGRU_LARGE");
    char *end = NULL;
    double megabytes = text != NULL ? congru_number_read(text, &end) : 0.0;
    if (end == NULL || end == text || *end != '\0' || !(megabytes >= 0.0) || megabytes > 1e12)
        megabytes = limit_of_machine();
    size_t bytes = (size_t)(megabytes * 1048576.0);
    return bytes > 0 ? bytes : 1;
}

size_t congru_mapped_limit(void)
{
    size_t bytes = atomic_load_explicit(&limit, memory_order_relaxed);
    if (bytes == 0) {
        bytes = limit_of_environment();
        atomic_store_explicit(&limit, bytes, memory_order_relaxed);
    }
    return bytes;
}

void congru_mapped_set_limit(size_t bytes)
{
    atomic_store(&limit, bytes);
}

/* ---- Regions --------------------------------------------------------------------------------------- */

static bool add_region(region added)
{
    pthread_mutex_lock(&mutex);
    size_t count = atomic_load(&region_count);
    bool fits = count < region_room;
    if (!fits) {
        region *larger = realloc(regions, (region_room + GROWTH) * sizeof *larger);
        if (larger != NULL) {
            regions = larger;
            region_room += GROWTH;
            fits = true;
        }
    }
    if (fits) {
        regions[count] = added;
        atomic_store(&region_count, count + 1);
    }
    pthread_mutex_unlock(&mutex);
    return fits;
}

/* The region of this memory, which is taken off the list where `removed`; its length is 0 when there is none. */
static region find_region(const void *memory, bool removed)
{
    region found = {.length = 0};
    if (memory == NULL || atomic_load(&region_count) == 0)
        return found;
    pthread_mutex_lock(&mutex);
    size_t count = atomic_load(&region_count);
    for (size_t i = 0; i < count && found.length == 0; i++) {
        if (regions[i].memory != memory)
            continue;
        found = regions[i];
        if (removed) {
            regions[i] = regions[count - 1];
            atomic_store(&region_count, count - 1);
        }
    }
    pthread_mutex_unlock(&mutex);
    return found;
}

static void replace_region(const void *memory, region by)
{
    pthread_mutex_lock(&mutex);
    for (size_t i = 0; i < atomic_load(&region_count); i++)
        if (regions[i].memory == memory)
            regions[i] = by;
    pthread_mutex_unlock(&mutex);
}

static void end_region(const region *old)
{
    munmap(old->memory, old->length);
    close(old->descriptor);
}

bool congru_mapped_give(void *memory)
{
    region old = find_region(memory, true);
    if (old.length > 0)
        end_region(&old);
    return old.length > 0;
}

void congru_mapped_pass(size_t bytes)
{
    if (atomic_load_explicit(&region_count, memory_order_relaxed) == 0)
        return;
    if (atomic_fetch_add_explicit(&passed, bytes, memory_order_relaxed) + bytes < congru_mapped_limit())
        return;
    if (pthread_mutex_trylock(&mutex) != 0)
        return; /* someone else is at it */
    atomic_store_explicit(&passed, 0, memory_order_relaxed);
    size_t count = atomic_load(&region_count);
    for (size_t i = 0; i < count; i++)
        (void)madvise(regions[i].memory, regions[i].length, MADV_DONTNEED);
    pthread_mutex_unlock(&mutex);
}

/* ---- Temporary files ------------------------------------------------------------------------------- */

static const char *temporary_folder(void)
{
    const char *folder = getenv("TMPDIR");
    if (folder != NULL && folder[0] != '\0')
        return folder;
    return access("/var/tmp", W_OK) == 0 ? "/var/tmp" : "/tmp"; /* /tmp is often memory itself */
}

static void keep_reason(size_t size, int error)
{
    snprintf(reason, sizeof reason,
             "no room for %zu MB in a temporary file in '%.300s': %s (TMPDIR names another folder)",
             (size >> 20) + 1, temporary_folder(), strerror(error));
}

const char *congru_mapped_reason(void)
{
    static _Thread_local char said[REASON_SIZE];
    memcpy(said, reason, sizeof said);
    reason[0] = '\0';
    return said;
}

/* A file that is gone when its descriptor and its mappings are. */
static int open_nameless(void)
{
    static const char name[] = "congru-XXXXXX";
    const char *folder = temporary_folder();
    size_t size = strlen(folder) + sizeof name + 1;
    char *path = malloc(size);
    if (path == NULL)
        return -1;
    snprintf(path, size, "%s/%s", folder, name);
    int descriptor = mkostemp(path, O_CLOEXEC);
    if (descriptor >= 0)
        unlink(path);
    free(path);
    return descriptor;
}

/* Blocks for the bytes `from` to `to`: a page that finds no room when it is written to would be a fault. Returns an
 * error number, or 0. */
static int reserve_blocks(int descriptor, size_t from, size_t to)
{
    int error;
    do
        error = posix_fallocate(descriptor, (off_t)from, (off_t)(to - from));
    while (error == EINTR);
    if (error != EOPNOTSUPP && error != EINVAL)
        return error;
    static const char zeros[ZEROS_SIZE];
    while (from < to) {
        ssize_t got =
            pwrite(descriptor, zeros, to - from < sizeof zeros ? to - from : sizeof zeros, (off_t)from);
        if (got < 0 && errno != EINTR)
            return errno;
        from += got > 0 ? (size_t)got : 0;
    }
    return 0;
}

static size_t whole_pages(size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return size > (size_t)PTRDIFF_MAX - page ? 0 : (size + page - 1) / page * page;
}

static void *map_file(int descriptor, size_t length)
{
    void *memory = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

void *congru_mapped_take(size_t size)
{
    size_t length = whole_pages(size > 0 ? size : 1);
    reason[0] = '\0';
    int descriptor = length > 0 ? open_nameless() : -1;
    int error = descriptor >= 0 ? reserve_blocks(descriptor, 0, length) : length > 0 ? errno : ENOMEM;
    void *memory = error == 0 ? map_file(descriptor, length) : NULL;
    if (error == 0 && memory == NULL)
        error = errno;
    if (memory != NULL && !add_region((region){memory, length, descriptor})) {
        munmap(memory, length);
        memory = NULL;
        error = ENOMEM;
    }
    if (memory == NULL && descriptor >= 0)
        close(descriptor);
    if (memory == NULL)
        keep_reason(size, error);
    return memory;
}

void *congru_mapped_grow(void *memory, size_t size)
{
    size_t length = whole_pages(size);
    reason[0] = '\0';
    region old = find_region(memory, false);
    if (old.length == 0)
        return NULL;
    if (length <= old.length && length > 0)
        return memory;
    int error = length > 0 ? reserve_blocks(old.descriptor, old.length, length) : ENOMEM;
    char *larger = error == 0 ? map_file(old.descriptor, length) : NULL;
    if (larger == NULL) {
        keep_reason(size, error != 0 ? error : errno);
        return NULL;
    }
    replace_region(memory, (region){larger, length, old.descriptor});
    munmap(old.memory, old.length);
    return larger;
}
