/* Fails the allocation it is told to fail. SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fault_shim.h"

enum { EARLY_SIZE = 1 << 16, EARLY_ALIGNMENT = 64 };

static fault_counts own_counts;
fault_counts *fault_count = &own_counts;
static uint64_t failing = UINT64_MAX, failing_later;
static bool started;

static void *(*next_malloc)(size_t);
static void *(*next_calloc)(size_t, size_t);
static void *(*next_realloc)(void *, size_t);
static void *(*next_aligned)(size_t, size_t);
static int (*next_posix)(void **, size_t, size_t);
static void (*next_free)(void *);

/* dlsym may allocate before it has said who allocates. */
static char early[EARLY_SIZE];
static size_t early_used;

static void *early_take(size_t size)
{
    size_t rounded = (size + EARLY_ALIGNMENT - 1) / EARLY_ALIGNMENT * EARLY_ALIGNMENT;
    if (rounded > sizeof early - early_used)
        abort();
    early_used += rounded;
    return early + early_used - rounded;
}

static bool is_early(const void *memory)
{
    return (uintptr_t)memory - (uintptr_t)early < sizeof early;
}

static void find_next(void)
{
    static bool finding;
    if (next_free != NULL || finding)
        return;
    finding = true;
    *(void **)&next_malloc = dlsym(RTLD_NEXT, "malloc");
    *(void **)&next_calloc = dlsym(RTLD_NEXT, "calloc");
    *(void **)&next_realloc = dlsym(RTLD_NEXT, "realloc");
    *(void **)&next_aligned = dlsym(RTLD_NEXT, "aligned_alloc");
    *(void **)&next_posix = dlsym(RTLD_NEXT, "posix_memalign");
    *(void **)&next_free = dlsym(RTLD_NEXT, "free");
    finding = false;
}

/* Counts an allocation; whether it is one that fails. */
static bool fails(void)
{
    if (!started)
        return false;
    uint64_t place = atomic_fetch_add(&fault_count->allocations, 1) + 1;
    if (place != failing && (place < failing || !failing_later))
        return false;
    atomic_fetch_add(&fault_count->fired, 1);
    errno = ENOMEM;
    return true;
}

__attribute__((visibility("default"))) void *malloc(size_t size)
{
    find_next();
    if (next_free == NULL)
        return early_take(size);
    return fails() ? NULL : next_malloc(size);
}

__attribute__((visibility("default"))) void *calloc(size_t nmemb, size_t size)
{
    find_next();
    if (next_free == NULL)
        return early_take(nmemb * size);
    return fails() ? NULL : next_calloc(nmemb, size);
}

__attribute__((visibility("default"))) void *realloc(void *ptr, size_t size)
{
    find_next();
    if (is_early(ptr)) {
        void *moved = malloc(size);
        size_t left = (size_t)(early + sizeof early - (char *)ptr);
        return moved != NULL ? memcpy(moved, ptr, size < left ? size : left) : NULL;
    }
    return fails() ? NULL : next_realloc(ptr, size);
}

__attribute__((visibility("default"))) void *aligned_alloc(size_t alignment, size_t size)
{
    find_next();
    return fails() ? NULL : next_aligned(alignment, size);
}

__attribute__((visibility("default"))) int posix_memalign(void **memptr, size_t alignment, size_t size)
{
    find_next();
    return fails() ? ENOMEM : next_posix(memptr, alignment, size);
}

__attribute__((visibility("default"))) void free(void *ptr)
{
    find_next();
    if (ptr != NULL && !is_early(ptr))
        next_free(ptr);
}

long fault_number(const char *name, long missing)
{
    const char *text = getenv(name);
    return text != NULL && *text != '\0' ? strtol(text, NULL, 10) : missing;
}

static void share_counts(const char *path)
{
    int descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    void *shared = MAP_FAILED;
    if (descriptor >= 0 && ftruncate(descriptor, sizeof *fault_count) == 0)
        shared = mmap(NULL, sizeof *fault_count, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (shared == MAP_FAILED)
        abort();
    close(descriptor);
    fault_count = shared;
}

__attribute__((constructor)) static void start(void)
{
    const char *path = getenv("FAULT_COUNTS");
    find_next();
    if (path != NULL)
        share_counts(path);
    failing = (uint64_t)fault_number("FAULT_ALLOC", -1);
    failing_later = fault_number("FAULT_LATER", 0) != 0;
    fault_calls_start();
    started = true;
}
