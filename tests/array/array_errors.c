/* Files of arrays that end early, change while they are read, or say what cannot be. SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zip.h>

#include "array/npy_internal.h"
#include "base/text.h"
#include "context_main.h"
#include "harness.h"
#include "refusal.h"
#include "scratch.h"

static congru_context *context;

/* A .npy: its header, then the data. */
static congru_text npy_with(const char *descr, const char *order, const char *shape, const void *data,
                            size_t size)
{
    congru_text text = {0}, header = {0};
    congru_text_add(&header, "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }", descr, order, shape);
    const char preamble[10] = {'\x93', 'N', 'U', 'M', 'P', 'Y', 1, 0, (char)header.size, 0};
    congru_text_add_bytes(&text, preamble, sizeof preamble);
    congru_text_add_bytes(&text, header.data, header.size);
    congru_text_add_bytes(&text, data, size);
    congru_text_clear(&header);
    return text;
}

/* ---- .npy ---------------------------------------------------------------------------------------------- */

TEST(files_in_memory_are_read)
{
    const double values[6] = {1, 2, 3, 4, 5, 6};
    congru_text npy = npy_with("<f8", "True", "(2, 3)", values, sizeof values);
    congru_array array;
    CHECK(congru_npy_parse(context, "memory", (unsigned char *)npy.data, npy.size, &array) == CONGRU_OK);
    CHECK(array.dims == 2 && array.shape[0] == 2 && array.shape[1] == 3 && array.data[1] == 3 &&
          array.data[3] == 2);
    congru_array_clear(&array);
    check_error(context, congru_npy_parse(context, "memory", (unsigned char *)npy.data, npy.size - 1, &array),
                CONGRU_ERROR_FORMAT, "memory: truncated");
    CHECK(array.data == NULL);
    congru_text_clear(&npy);
}

/* Fortran's order is C's where there is one dimension or no value. Large arrays are told to the store on the way. */
TEST(orders_of_lines_and_large_arrays)
{
    enum { ROWS = 100, COLUMNS = 90 };
    static int32_t many[ROWS * COLUMNS];
    const int32_t line[3] = {7, 8, 9};
    congru_values values;
    congru_text npy = npy_with("<i4", "True", "(3,)", line, sizeof line);
    CHECK(congru_values_parse(context, "line", (unsigned char *)npy.data, npy.size, &values) == CONGRU_OK);
    CHECK(values.count == 3 && values.integer[0] == 7 && values.integer[2] == 9);
    congru_values_clear(&values);
    congru_text_clear(&npy);
    npy = npy_with("<i4", "True", "(2, 0)", NULL, 0);
    CHECK(congru_values_parse(context, "none", (unsigned char *)npy.data, npy.size, &values) == CONGRU_OK);
    CHECK(values.count == 0 && values.dims == 2);
    congru_values_clear(&values);
    congru_text_clear(&npy);
    for (int i = 0; i < ROWS * COLUMNS; i++)
        many[i] = i;
    npy = npy_with("<i4", "True", "(100, 90)", many, sizeof many);
    CHECK(congru_values_parse(context, "many", (unsigned char *)npy.data, npy.size, &values) == CONGRU_OK);
    for (int i = 0; i < ROWS * COLUMNS; i++)
        CHECK(values.integer[i] == i % COLUMNS * ROWS + i / COLUMNS);
    congru_values_clear(&values);
    congru_text_clear(&npy);
}

/* A stream that has no more than its text, though it was to be longer. */
static congru_status take_text(congru_npy_stream *stream, void *into, size_t size, size_t *taken)
{
    const congru_text *text = stream->user;
    size_t left = text->size - stream->position;
    *taken = left < size ? left : size;
    memcpy(into, text->data + stream->position, *taken);
    return CONGRU_OK;
}

TEST(streams_that_end_early_are_refused)
{
    static const char *const types[] = {"<i4", "<U2"};
    for (size_t i = 0; i < 2; i++) {
        congru_text npy = npy_with(types[i], "False", "(3,)", "A\0\0\0A\0\0\0A\0\0", 11);
        congru_values values;
        congru_npy_stream stream = {
            .context = context, .name = "cut", .take = take_text, .user = &npy, .size_known = true};
        stream.size = npy.size + (i == 0 ? 1 : 13);
        check_error(context, congru_values_take(&stream, &values), CONGRU_ERROR_FORMAT,
                    "cut: truncated: expected");
        CHECK(values.count == 0 && values.integer == NULL && values.text == NULL);
        congru_text_clear(&npy);
    }
}

/* ---- .npz ---------------------------------------------------------------------------------------------- */

/* The bytes of a stored archive of one array, in which what `patch` changes is changed; written to a file. */
static const char *patched_archive(void (*patch)(unsigned char *local, unsigned char *central))
{
    static unsigned char bytes[4096];
    const char *path = path_in("patched.npz");
    const double values[2] = {1, 2};
    congru_text npy = npy_with("<f8", "False", "(2,)", values, sizeof values);
    int code;
    zip_t *archive = zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, &code);
    zip_source_t *source = zip_source_buffer(archive, npy.data, npy.size, 0);
    CHECK(zip_file_add(archive, "X.npy", source, 0) == 0 &&
          zip_set_file_compression(archive, 0, ZIP_CM_STORE, 0) == 0);
    CHECK(zip_close(archive) == 0);
    FILE *file = fopen(path, "rb+");
    if (!CHECK(file != NULL))
        return path;
    size_t size = fread(bytes, 1, sizeof bytes, file);
    unsigned char *central = bytes;
    while (memcmp(central, "PK\1\2", 4) != 0)
        central++;
    patch(bytes, central);
    CHECK(fseek(file, 0, SEEK_SET) == 0 && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
    congru_text_clear(&npy);
    return path;
}

static void say_bzip2(unsigned char *local, unsigned char *central)
{
    local[8] = central[10] = 12;
}

static void say_a_gigabyte(unsigned char *local, unsigned char *central)
{
    memcpy(local + 18, "\0\0\0\100", 4);
    memcpy(central + 20, "\0\0\0\100", 4);
}

static void break_the_local_header(unsigned char *local, unsigned char *central)
{
    (void)central;
    local[2] = 'x';
}

static void change_nothing(unsigned char *local, unsigned char *central)
{
    (void)local, (void)central;
}

TEST(archives_that_lie_are_refused)
{
    congru_npz *npz = NULL;
    congru_values values = {0};
    CHECK(congru_npz_open(context, patched_archive(say_bzip2), &npz) == CONGRU_OK);
    check_error(context, congru_npz_read(context, npz, "X", &values), CONGRU_ERROR_UNSUPPORTED,
                "X: compressed by method 12; stored and deflated arrays are read");
    congru_npz_close(&npz);
    check_error(context, congru_npz_open(context, patched_archive(say_a_gigabyte), &npz), CONGRU_ERROR_FORMAT,
                "broken or truncated .npz: ");
    check_error(context, congru_npz_open(context, patched_archive(break_the_local_header), &npz),
                CONGRU_ERROR_FORMAT, "broken or truncated .npz: ");
    CHECK(npz == NULL && values.real == NULL);
    /* Cut short after it was opened. */
    const char *path = patched_archive(change_nothing);
    CHECK(congru_npz_open(context, path, &npz) == CONGRU_OK && truncate(path, 10) == 0);
    check_error(context, congru_npz_read(context, npz, "X", &values), CONGRU_ERROR_FORMAT,
                "X: cannot be read: ");
    CHECK(values.real == NULL && values.count == 0);
    congru_npz_close(&npz);
}

/* Bytes that are no UTF-8 are taken for Latin-1, so that every name can be written. */
TEST(texts_of_other_encodings_are_written)
{
    static const char *const texts[] = {"M\xfcller", "caf\xc3\xa9\xff"};
    const size_t two = 2;
    congru_npz_writer *writer;
    congru_npz *npz = NULL;
    congru_values values;
    const char *path = path_in("latin.npz");
    CHECK(congru_npz_create(context, path, &writer) == CONGRU_OK);
    CHECK(congru_npz_add_text(context, writer, "subject", 1, &two, texts) == CONGRU_OK);
    CHECK(congru_npz_commit(context, &writer) == CONGRU_OK);
    CHECK(congru_npz_open(context, path, &npz) == CONGRU_OK);
    if (CHECK(congru_npz_read(context, npz, "subject", &values) == CONGRU_OK && values.count == 2))
        CHECK(strcmp(values.text[0], "M\xc3\xbcller") == 0 &&
              strcmp(values.text[1], "caf\xc3\xa9\xc3\xbf") == 0);
    congru_values_clear(&values);
    congru_npz_close(&npz);
}

/* ---- Files --------------------------------------------------------------------------------------------- */

TEST(files_that_shrink_are_refused)
{
    const char *path = path_in("shrinks");
    char bytes[1000] = {0}, *text = NULL;
    size_t size = 0;
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL && fwrite(bytes, 1, sizeof bytes, file) == sizeof bytes && fclose(file) == 0);
    congru_source source;
    CHECK(congru_source_open(context, path, &source) == CONGRU_OK && source.size == sizeof bytes);
    CHECK(truncate(path, 300) == 0);
    check_error(context, congru_source_read(context, &source, 100, 500, bytes), CONGRU_ERROR_FORMAT,
                "shrinks: ends at byte 300 where byte ");
    congru_source_close(&source);
    CHECK(truncate(path, (3 << 20) + 1) == 0);
    check_error(context, congru_source_text(context, path, 3 << 20, "a list of names", &text, &size),
                CONGRU_ERROR_FORMAT, "shrinks: larger than 3 MiB; not a list of names");
    CHECK(text == NULL);
}

/* ---- Files that change ---------------------------------------------------------------------------------- */

static bool append_byte(const char *path)
{
    FILE *stream = fopen(path, "ab");
    return stream != NULL && fputc(0, stream) == 0 && fclose(stream) == 0;
}

/* What was read of a file that was written to meanwhile may be half of the one and half of the other. */
TEST(files_that_change_are_told)
{
    const char *path = path_in("changing.npz");
    const double values[6] = {1, 2, 3, 4, 5, 6};
    const size_t shape[2] = {2, 3};
    congru_npz_writer *writer;
    congru_npz *npz;
    congru_values described, x;
    CHECK(congru_npz_create(context, path, &writer) == CONGRU_OK);
    CHECK(congru_npz_add_real(context, writer, "X", 2, shape, values, false) == CONGRU_OK);
    CHECK(congru_npz_commit(context, &writer) == CONGRU_OK);
    if (!CHECK(congru_npz_open(context, path, &npz) == CONGRU_OK))
        return;
    CHECK(congru_npz_describe(context, npz, "X", &described) == CONGRU_OK);
    CHECK(described.dims == 2 && described.count == 6 && described.real == NULL);
    x = described;
    CHECK(congru_npz_fill(context, npz, "X", &x) == CONGRU_OK);
    CHECK(x.count == 6 && memcmp(x.real, values, sizeof values) == 0);
    congru_values_clear(&x);
    CHECK(congru_npz_check(context, npz) == CONGRU_OK);
    x = described;
    x.shape[0] = 3; /* what was described is not there any more */
    check_error(context, congru_npz_fill(context, npz, "X", &x), CONGRU_ERROR_FORMAT,
                "changing.npz: X: it was changed while it was read");
    CHECK(x.real == NULL && x.count == 0);
    CHECK(append_byte(path));
    check_error(context, congru_npz_check(context, npz), CONGRU_ERROR_IO,
                "changing.npz: it was changed while it was read");
    congru_npz_close(&npz);
    congru_source source;
    CHECK(congru_source_open(context, path, &source) == CONGRU_OK);
    CHECK(congru_source_check(context, &source) == CONGRU_OK);
    const struct timespec later[2] = {{.tv_sec = 2000000000}, {.tv_sec = 2000000000}};
    CHECK(utimensat(AT_FDCWD, path, later, 0) == 0); /* as if written to */
    check_error(context, congru_source_check(context, &source), CONGRU_ERROR_IO,
                "it was changed while it was read");
    congru_source_close(&source);
    CHECK(congru_source_open(context, path, &source) == CONGRU_OK);
    CHECK(truncate(path, 100) == 0);
    check_error(context, congru_source_check(context, &source), CONGRU_ERROR_IO,
                "it was changed while it was read");
    congru_source_close(&source);
    source = congru_source_memory("memory", values, sizeof values);
    CHECK(congru_source_check(context, &source) == CONGRU_OK);
}

int main(void)
{
    return scratch_main(&context, NULL);
}
