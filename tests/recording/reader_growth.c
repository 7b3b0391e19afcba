/* What files cost whose insides were chosen to cost much: no more than others of their size. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "congru/epochs.h"
#include "context_main.h"
#include "fif_writer.h"
#include "harness.h"
#include "mat_writer.h"
#include "recording/reader.h"
#include "scratch.h"

/* Seconds of the processor, which a busy machine does not lengthen; each test takes a hundredth of the limit where the cost
 * is linear, and five to fifty times it where it is quadratic. */
static const double limit = 1.5;
static congru_context *context;

static const char *store(const void *bytes, size_t size)
{
    const char *path = path_in("grown");
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
    return path;
}

static double seconds_since(clock_t start)
{
    return (double)(clock() - start) / CLOCKS_PER_SEC;
}

/* 30 s by the first reader, and as long by the second. */
TEST(mat_files_of_many_variables)
{
    mat_writer file;
    congru_recording *recording;
    congru_epochs *epochs;
    mat_begin(&file, false);
    for (int i = 0; i < 60000; i++) {
        char name[24];
        snprintf(name, sizeof name, "v%d", i);
        mat_number(&file, name, i);
    }
    const char *path = store(file.bytes, file.size);
    mat_end(&file);
    clock_t start = clock();
    CHECK(congru_recording_read(context, path, NULL, &recording) == CONGRU_ERROR_KIND);
    CHECK(congru_epochs_read(context, path, &epochs) == CONGRU_ERROR_KIND);
    CHECK_SAYING(seconds_since(start) < limit, "%g s", seconds_since(start));
}

/* ---- A zip of many names ------------------------------------------------------------------------- */

static void put_little(unsigned char **at, uint64_t value, size_t size)
{
    for (; size > 0; size--, value >>= 8)
        *(*at)++ = (unsigned char)value;
}

/* Of 32 letters, all the same by the hash of libzip: h = 33 h + c, to which "Ab" and "BA" are one. */
static void put_name(unsigned char **at, unsigned index)
{
    for (int bit = 0; bit < 16; bit++) {
        memcpy(*at, index >> bit & 1 ? "Ab" : "BA", 2);
        *at += 2;
    }
}

TEST(npz_files_of_many_members)
{
    enum { MEMBERS = 30000, HEADER = 30 + 32 };
    unsigned char *bytes = malloc((size_t)MEMBERS * (HEADER + 46 + 32) + 22), *at = bytes;
    for (unsigned i = 0; i < MEMBERS; i++) {
        put_little(&at, 0x04034b50, 4);
        put_little(&at, 20, 8);
        put_little(&at, 0x21, 14);
        put_little(&at, 32, 4);
        put_name(&at, i);
    }
    unsigned char *directory = at;
    for (unsigned i = 0; i < MEMBERS; i++) {
        put_little(&at, 0x02014b50, 4);
        put_little(&at, 20 | 20 << 16, 10);
        put_little(&at, 0x21, 14);
        put_little(&at, 32, 14);
        put_little(&at, (uint64_t)i * HEADER, 4);
        put_name(&at, i);
    }
    size_t size = (size_t)(at - directory);
    put_little(&at, 0x06054b50, 8);
    put_little(&at, MEMBERS | (uint64_t)MEMBERS << 16, 4);
    put_little(&at, size, 4);
    put_little(&at, (uint64_t)(directory - bytes), 6);
    const char *path = store(bytes, (size_t)(at - bytes));
    free(bytes);
    congru_epochs *epochs;
    clock_t start = clock();
    CHECK(congru_epochs_read(context, path, &epochs) != CONGRU_OK);
    CHECK_SAYING(seconds_since(start) < limit, "%g s", seconds_since(start));
    CHECK_SAYING(strstr(congru_context_error(context), "30000 arrays; at most 10000 are read") != NULL, "%s",
                 congru_context_error(context));
}

/* ---- FIF ----------------------------------------------------------------------------------------- */

/* Annotations of the whole recording, all of them bad: each used to be filled in by itself. */
TEST(fif_files_of_overlapping_annotations)
{
    enum { SAMPLES = 400000, ANNOTATIONS = 20000 };
    fif_writer file;
    fif_begin(&file, 4 << 20);
    fif_info(&file, 100, 1, NULL);
    fif_raw(&file, (size_t)2 * SAMPLES, NULL);
    fif_number(&file, 104, 3810);
    for (uint32_t kind = 3568; kind <= 3569; kind++) {
        fif_tag(&file, kind, 4, (size_t)4 * ANNOTATIONS);
        for (int i = 0; i < ANNOTATIONS; i++)
            fif_real(&file, kind == 3568 ? 1 : 3999);
    }
    fif_tag(&file, 206, 10, (size_t)4 * ANNOTATIONS - 1);
    for (int i = 0; i < ANNOTATIONS; i++)
        fif_bytes(&file, "bad:", 4 - (i + 1 == ANNOTATIONS));
    fif_number(&file, 105, 3810);
    const char *path = store(file.bytes, file.size);
    fif_end(&file);
    congru_recording *recording = NULL;
    clock_t start = clock();
    CHECK_SAYING(congru_recording_read(context, path, NULL, &recording) == CONGRU_OK, "%s",
                 congru_context_error(context));
    CHECK_SAYING(seconds_since(start) < limit, "%g s", seconds_since(start));
    CHECK(recording != NULL && recording->events == ANNOTATIONS && recording->samples == SAMPLES);
    if (recording != NULL)
        CHECK(recording->data[99] == 0 && isnan(recording->data[100]) && isnan(recording->data[399899]) &&
              recording->data[399900] == 0);
    congru_recording_destroy(&recording);
}

int main(void)
{
    return scratch_main(&context, NULL);
}
