/* Damaged copies of recordings, and whether what was read is sound. SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700
#include "recording_damage.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "congru/random.h"
#include "harness.h"

const char *damage_unsound(const congru_recording *recording)
{
    if (recording == NULL)
        return "no recording";
    if (!(recording->rate > 0) || !isfinite(recording->rate))
        return "its rate";
    if (recording->channels == 0 || recording->samples == 0)
        return "it is empty";
    for (size_t i = 0; i < recording->channels; i++)
        if (memchr(recording->channel[i].name, '\0', CONGRU_LABEL_SIZE) == NULL ||
            recording->channel[i].rate <= 0)
            return "a channel";
    size_t missing = 0;
    for (size_t i = 0; recording->data != NULL && i < recording->channels * recording->samples; i++)
        if (isinf(recording->data[i]))
            return "an infinite sample";
        else
            missing += isnan(recording->data[i]) ? 1 : 0;
    if (missing == recording->channels * recording->samples)
        return "all samples are missing";
    for (size_t i = 0; i < recording->events; i++)
        if (recording->event[i].onset >= recording->samples ||
            (i > 0 && recording->event[i].onset < recording->event[i - 1].onset) ||
            (recording->event[i].text != NULL && strlen(recording->event[i].text) > 1 << 20))
            return "an event";
    return NULL;
}

enum { COPY_MAX = 1 << 18 };

/* From a copy that ends where the bytes end, so that a sanitizer sees one too many; not of large files, for the
 * time it takes. */
static void check_copy(congru_context *context, damage_read read, void *user, const unsigned char *bytes,
                       size_t size, const char *what, size_t at)
{
    unsigned char *copy = size <= COPY_MAX ? malloc(size + (size == 0)) : NULL;
    congru_recording *recording = NULL;
    if (copy != NULL)
        memcpy(copy, bytes, size);
    congru_status status = read(context, user, copy != NULL ? copy : bytes, size, &recording);
    const char *error = congru_context_error(context);
    if (status == CONGRU_OK) {
        const char *unsound = damage_unsound(recording);
        CHECK_SAYING(unsound == NULL, "%s at %zu: %s", what, at, unsound);
    } else {
        CHECK_SAYING(recording == NULL && (status == CONGRU_ERROR_FORMAT ||
                                           status == CONGRU_ERROR_UNSUPPORTED || status == CONGRU_ERROR_KIND),
                     "%s at %zu: status %d, %s", what, at, (int)status, error);
        CHECK_SAYING(strchr(error, ':') != NULL && strpbrk(error, "\n\r") == NULL, "%s at %zu: text '%s'", what,
                     at, error);
    }
    congru_recording_destroy(&recording);
    free(copy);
}

void damage_all(congru_context *context, damage_read read, void *user, unsigned char *bytes, size_t size)
{
    congru_random random = congru_random_stream(50, 0, 0, 0);
    for (int i = 0; i < DAMAGE_TRUNCATIONS; i++) {
        size_t cut = congru_random_index(&random, size);
        check_copy(context, read, user, bytes, cut, "cut", cut);
    }
    for (int i = 0; i < DAMAGE_CHANGES; i++) {
        /* Half of the changes in the first bytes, where the header is. */
        size_t range = i % 2 == 0 && size > 2048 ? 2048 : size;
        size_t at = congru_random_index(&random, range);
        unsigned char kept = bytes[at];
        /* Half of them to what a number may hold: those get past more of the checks. */
        uint64_t value = congru_random_bits(&random);
        bytes[at] = (value & 1) != 0 ? (unsigned char)"0123456789-+., e"[value >> 1 & 15]
                                     : (unsigned char)(value >> 8 & 0xff);
        check_copy(context, read, user, bytes, size, "change", at);
        bytes[at] = kept;
    }
}

static struct rlimit limit_before;

bool damage_limit(size_t bytes)
{
    const char *sanitize = getenv("SANITIZE");
    FILE *stream = fopen("/proc/self/statm", "r");
    unsigned long pages = 0;
    bool known = stream != NULL && fscanf(stream, "%lu", &pages) == 1;
    if (stream != NULL)
        fclose(stream);
    if (!known || (sanitize != NULL && strcmp(sanitize, "none") != 0) ||
        getrlimit(RLIMIT_AS, &limit_before) != 0)
        return false;
    struct rlimit limit = limit_before;
    limit.rlim_cur = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + bytes;
    return setrlimit(RLIMIT_AS, &limit) == 0;
}

void damage_unlimit(void)
{
    setrlimit(RLIMIT_AS, &limit_before);
}

const char *damage_data_file(const char *name)
{
    static char path[1024];
    const char *data = getenv("CONGRU_DATA"), *source = getenv("SOURCE");
    if (data != NULL)
        snprintf(path, sizeof path, "%s/%s", data, name);
    else
        snprintf(path, sizeof path, "%s/../shared/data/%s", source != NULL ? source : ".", name);
    return access(path, R_OK) == 0 ? path : NULL;
}
