/* EEGLAB, FIF and XDF files that were cut or changed: a sound recording or an error, never more. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "context_main.h"
#include "epochs/epochs_internal.h"
#include "harness.h"
#include "recording/eeglab.h"
#include "recording_damage.h"

enum { FILE_MAX = 1 << 16 };

static congru_context *context;

/* A file of tests/data/readers. */
static size_t load(const char *name, unsigned char bytes[FILE_MAX])
{
    char path[1024];
    const char *source = getenv("SOURCE");
    snprintf(path, sizeof path, "%s/tests/data/readers/%s", source != NULL ? source : ".", name);
    FILE *file = fopen(path, "rb");
    if (!CHECK_SAYING(file != NULL, "no %s", path))
        return 0;
    size_t size = fread(bytes, 1, FILE_MAX, file);
    fclose(file);
    return size;
}

static congru_status read_recording(congru_context *in, void *user, const unsigned char *bytes, size_t size,
                                    congru_recording **recording)
{
    static const congru_recording_options options = {0};
    const congru_recording_reader *reader = user;
    congru_source source = congru_source_memory("in.set", bytes, size);
    congru_status status = reader->read(in, "in.set", &source, &options, recording);
    /* Annotations or times that were changed can say that all is bad: that is no fault of the reader. */
    if (status == CONGRU_OK && damage_unsound(*recording) != NULL &&
        strcmp(damage_unsound(*recording), "all samples are missing") == 0) {
        congru_recording_destroy(recording);
        return congru_fail(in, CONGRU_ERROR_FORMAT, "in: all samples are missing");
    }
    return status;
}

static void damage(const char *name, const congru_recording_reader *reader)
{
    static unsigned char bytes[FILE_MAX];
    size_t size = load(name, bytes);
    congru_recording *recording = NULL;
    congru_status status = read_recording(context, (void *)reader, bytes, size, &recording);
    CHECK_SAYING((status == CONGRU_OK) == (strcmp(name, "two.xdf") != 0), "%s: %s", name,
                 congru_context_error(context));
    congru_recording_destroy(&recording);
    if (size > 0)
        damage_all(context, read_recording, (void *)reader, bytes, size);
}

TEST(damaged_fif_is_refused_or_sound)
{
    damage("single_raw.fif", &congru_reader_fif);
    damage("skip_raw.fif", &congru_reader_fif);
    damage("double_raw.fif", &congru_reader_fif);
}

TEST(damaged_xdf_is_refused_or_sound)
{
    damage("even.xdf", &congru_reader_xdf);
    damage("gap.xdf", &congru_reader_xdf);
    damage("two.xdf", &congru_reader_xdf);
}

TEST(damaged_sets_are_refused_or_sound)
{
    damage("inside.set", &congru_reader_mat);
}

/* ---- Beside the .set, and epochs ------------------------------------------------------------------- */

TEST(a_fdt_that_is_cut_is_refused)
{
    static unsigned char set[FILE_MAX], fdt[FILE_MAX];
    static const congru_recording_options options = {0};
    size_t set_size = load("beside.set", set), fdt_size = load("beside.fdt", fdt);
    congru_source source = congru_source_memory("in.set", set, set_size);
    congru_mat *mat = NULL;
    if (!CHECK(congru_eeglab_variables(context, &source, &mat) == CONGRU_OK))
        return;
    for (size_t size = 0; size <= fdt_size; size += 16) {
        congru_source beside = congru_source_memory("in.fdt", fdt, size);
        congru_recording *recording = NULL;
        congru_status status =
            congru_eeglab_read(context, "in.set", &source, mat, &beside, &options, &recording);
        CHECK_SAYING(status == (size < fdt_size ? CONGRU_ERROR_FORMAT : CONGRU_OK), "status %d of %zu bytes",
                     (int)status, size);
        CHECK(size == fdt_size || strstr(congru_context_error(context), "truncated") != NULL);
        congru_recording_destroy(&recording);
    }
    congru_recording *recording = NULL;
    CHECK(congru_eeglab_read(context, "absent/in.set", &source, mat, NULL, &options, &recording) ==
          CONGRU_ERROR_IO);
    CHECK(strstr(congru_context_error(context), "expected its samples in 'beside.fdt' beside it") != NULL);
    congru_mat_free(&mat);
}

static congru_status read_epochs(const unsigned char *bytes, size_t size, bool fif, congru_epochs **epochs)
{
    congru_source source = congru_source_memory("in.set", bytes, size);
    return fif ? congru_epochs_read_fif(context, &source, epochs)
               : congru_epochs_read_mat(context, &source, epochs);
}

static void check_epochs(unsigned char *bytes, size_t size, bool fif, const char *what, size_t at)
{
    unsigned char *copy =
        malloc(size + (size == 0)); /* as long as it is, so that a sanitizer sees one byte too many */
    congru_epochs *epochs = NULL;
    if (copy == NULL)
        return;
    memcpy(copy, bytes, size);
    congru_status status = read_epochs(copy, size, fif, &epochs);
    CHECK_SAYING((status == CONGRU_OK) == (epochs != NULL), "%s at %zu: status %d", what, at, (int)status);
    CHECK_SAYING(status == CONGRU_OK || status == CONGRU_ERROR_FORMAT || status == CONGRU_ERROR_UNSUPPORTED ||
                     status == CONGRU_ERROR_KIND,
                 "%s at %zu: status %d", what, at, (int)status);
    for (size_t i = 0; epochs != NULL && i < epochs->count; i++)
        CHECK(epochs->label[i] >= 0 && (size_t)epochs->label[i] < epochs->classes);
    for (size_t i = 0; epochs != NULL && i < epochs->count * epochs->channels * epochs->samples; i++)
        if (isinf(epochs->data[i])) {
            CHECK_SAYING(false, "%s at %zu: an infinite sample", what, at);
            break;
        }
    congru_epochs_destroy(&epochs);
    free(copy);
}

TEST(damaged_epochs_are_refused_or_sound)
{
    static unsigned char bytes[FILE_MAX];
    for (int fif = 0; fif < 2; fif++) {
        size_t size = load(fif ? "single-epo.fif" : "epochs_inside.set", bytes);
        congru_epochs *epochs = NULL;
        CHECK_SAYING(read_epochs(bytes, size, fif, &epochs) == CONGRU_OK, "%s", congru_context_error(context));
        congru_epochs_destroy(&epochs);
        for (size_t cut = 0; cut < size; cut += 13)
            check_epochs(bytes, cut, fif, "cut", cut);
        for (size_t at = 0; at < size; at += 3) {
            unsigned char kept = bytes[at];
            bytes[at] ^= (unsigned char)(1U << at % 8);
            check_epochs(bytes, size, fif, "change", at);
            bytes[at] = kept;
        }
    }
}

/* ---- What MNE and EEGLAB do not write into small files ----------------------------------------------- */

static void put_32(unsigned char *bytes, uint32_t word)
{
    for (int i = 0; i < 4; i++)
        bytes[i] = (unsigned char)(word >> (24 - 8 * i));
}

static uint32_t get_32(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/* Gives all buffers of raw data another type. */
static void retype_buffers(unsigned char *bytes, size_t size, uint32_t type)
{
    for (size_t at = 0; at + 16 <= size; at += 16 + (size_t)get_32(bytes + at + 8))
        if (get_32(bytes + at) == 300)
            put_32(bytes + at + 4, type);
}

/* Puts a tag of one integer in at `at`. */
static size_t insert_tag(unsigned char *bytes, size_t size, size_t at, uint32_t kind, uint32_t value)
{
    memmove(bytes + at + 20, bytes + at, size - at);
    put_32(bytes + at, kind);
    put_32(bytes + at + 4, 3);
    put_32(bytes + at + 8, 4);
    put_32(bytes + at + 12, 0);
    put_32(bytes + at + 16, value);
    return size + 20;
}

static void check_refused(const congru_recording_reader *reader, const unsigned char *bytes, size_t size,
                          const char *words)
{
    congru_recording *recording = NULL;
    congru_status status = read_recording(context, (void *)reader, bytes, size, &recording);
    CHECK_SAYING(status == CONGRU_ERROR_UNSUPPORTED && recording == NULL, "status %d for: %s", (int)status,
                 words);
    CHECK_SAYING(strstr(congru_context_error(context), words) != NULL, "no '%s' in: %s", words,
                 congru_context_error(context));
    congru_recording_destroy(&recording);
}

TEST(fif_packed_integers_are_integers)
{
    static unsigned char bytes[FILE_MAX];
    congru_recording *recording[2] = {NULL, NULL};
    size_t size = load("short_raw.fif", bytes);
    CHECK(read_recording(context, (void *)&congru_reader_fif, bytes, size, &recording[0]) == CONGRU_OK);
    retype_buffers(bytes, size, 16);
    CHECK(read_recording(context, (void *)&congru_reader_fif, bytes, size, &recording[1]) == CONGRU_OK);
    if (CHECK(recording[0] != NULL && recording[1] != NULL))
        for (size_t i = 0; i < recording[0]->channels * recording[0]->samples; i++)
            CHECK(recording[0]->data[i] == recording[1]->data[i] ||
                  (isnan(recording[0]->data[i]) && isnan(recording[1]->data[i])));
    congru_recording_destroy(&recording[0]);
    congru_recording_destroy(&recording[1]);
}

/* A gap in samples before the third buffer of 32 samples; one too long for the memory it would take is refused. */
TEST(fif_skips_are_gaps)
{
    static unsigned char bytes[FILE_MAX];
    size_t size = load("single_raw.fif", bytes), at = 0;
    congru_recording *recording = NULL;
    for (size_t buffers = 0; at + 16 <= size; at += 16 + (size_t)get_32(bytes + at + 8)) {
        buffers += get_32(bytes + at) == 300;
        if (buffers == 3)
            break;
    }
    size = insert_tag(bytes, size, at, 303, 10);
    CHECK(read_recording(context, (void *)&congru_reader_fif, bytes, size, &recording) == CONGRU_OK);
    if (CHECK(recording != NULL && recording->samples == 170))
        for (size_t i = 60; i < 80; i++)
            CHECK(isnan(recording->data[i]) == (i >= 64 && i < 74));
    congru_recording_destroy(&recording);
    put_32(bytes + at + 16, 2000000000);
    check_refused(&congru_reader_fif, bytes, size, "gaps are too long");
}

TEST(fif_parts_and_complex_numbers_are_refused)
{
    static unsigned char bytes[FILE_MAX];
    size_t size = load("single_raw.fif", bytes), first = 36; /* behind the file's own number */
    size = insert_tag(bytes, size, first, 105, 118);
    size = insert_tag(bytes, size, first, 115, 2);
    size = insert_tag(bytes, size, first, 104, 118);
    check_refused(&congru_reader_fif, bytes, size, "one part of several; a file that is whole is read (in MNE");
    size = load("single_raw.fif", bytes);
    retype_buffers(bytes, size, 20);
    check_refused(&congru_reader_fif, bytes, size, "complex numbers; real ones are read (in MNE");
}

/* The first tag's data moved to the end and back, as programs that edit a file leave it; and tags in a circle. */
TEST(fif_tags_may_be_anywhere_once)
{
    static unsigned char bytes[FILE_MAX];
    congru_recording *recording = NULL;
    size_t size = load("single_raw.fif", bytes), moved = 36 + 16 + (size_t)get_32(bytes + 36 + 8);
    memcpy(bytes + size, bytes + 36, moved - 36);
    put_32(bytes + 12, (uint32_t)size);         /* from the first tag to the end, */
    put_32(bytes + size + 12, (uint32_t)moved); /* and from there to the third */
    size += moved - 36;
    CHECK_SAYING(read_recording(context, (void *)&congru_reader_fif, bytes, size, &recording) == CONGRU_OK,
                 "%s", congru_context_error(context));
    congru_recording_destroy(&recording);
    put_32(bytes + moved + 12, 36); /* from the third back to the second */
    put_32(bytes + 36 + 12, (uint32_t)moved);
    CHECK(read_recording(context, (void *)&congru_reader_fif, bytes, size, &recording) == CONGRU_ERROR_FORMAT);
    CHECK_SAYING(strstr(congru_context_error(context), "tags that follow each other once") != NULL, "%s",
                 congru_context_error(context));
}

/* Names cost few bytes and are compared with every trial. */
TEST(many_names_of_events_are_refused)
{
    static unsigned char bytes[FILE_MAX];
    enum { NAMES = 5000, LIST_BYTES = 4 * NAMES };
    size_t size = load("single-epo.fif", bytes), at = 0;
    congru_epochs *epochs = NULL;
    while (at + 16 <= size && get_32(bytes + at) != 3561)
        at += 16 + (size_t)get_32(bytes + at + 8);
    memmove(bytes + at + 16 + LIST_BYTES, bytes + at, size - at);
    for (size_t i = 0; i < NAMES; i++)
        memcpy(bytes + at + 16 + 4 * i, "a:9;", 4);
    put_32(bytes + at, 206);
    put_32(bytes + at + 4, 10);
    put_32(bytes + at + 8, LIST_BYTES);
    put_32(bytes + at + 12, 0);
    size += 16 + LIST_BYTES;
    at += 16 + LIST_BYTES;
    at += 16 + (size_t)get_32(bytes + at + 8); /* the list that the file had comes later: it is none any more */
    put_32(bytes + at, 999);
    CHECK(read_epochs(bytes, size, true, &epochs) == CONGRU_ERROR_UNSUPPORTED && epochs == NULL);
    CHECK_SAYING(strstr(congru_context_error(context), "5001 names of events; at most 4096") != NULL, "%s",
                 congru_context_error(context));
}

TEST(a_set_of_matlab_7_3_is_refused)
{
    static unsigned char bytes[1024] = "MATLAB 7.3 MAT-file, Platform: GLNXA64";
    check_refused(&congru_reader_mat, bytes, sizeof bytes, "from EEGLAB with pop_saveset(..., 'version', '6')");
}

int main(void)
{
    return context_main(&context, &(congru_context_options){.threads = 1});
}
