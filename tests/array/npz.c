/* .npz files: every type of value, what is written, and what is refused. SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zip.h>

#include "array/npy_internal.h"
#include "context_main.h"
#include "harness.h"
#include "refusal.h"
#include "scratch.h"

enum { PATH_SIZE = 512, PATHS = 4, FILE_SIZE_MAX = 1 << 20 };

typedef struct bytes {
    unsigned char data[FILE_SIZE_MAX];
    size_t size;
} bytes;

static congru_context *context;
static bytes file;

static bool load_file(const char *path)
{
    FILE *stream = fopen(path, "rb");
    if (stream == NULL)
        return false;
    file.size = fread(file.data, 1, sizeof file.data, stream);
    return fclose(stream) == 0;
}

static void append(const void *data, size_t size)
{
    if (size > 0)
        memcpy(file.data + file.size, data, size);
    file.size += size;
}

/* A .npy in `file`. */
static void compose(const char *descr, const char *order, const char *shape, const void *data, size_t size)
{
    char header[256];
    int length = snprintf(header, sizeof header, "{'descr': %s, 'fortran_order': %s, 'shape': %s, }", descr,
                          order, shape);
    const unsigned char preamble[10] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (unsigned char)length, 0};
    file.size = 0;
    append(preamble, sizeof preamble);
    append(header, (size_t)length);
    append(data, size);
}

static congru_status parse(congru_values *values)
{
    return congru_values_parse(context, "in.npy", file.data, file.size, values);
}

static void check_refused(congru_status expected, const char *words)
{
    congru_values values;
    check_error_at(context, parse(&values), expected, "in.npy: ", words);
    CHECK(values.real == NULL && values.integer == NULL && values.text == NULL && values.count == 0);
}

/* ---- Values ---------------------------------------------------------------------------------------- */

TEST(reads_integers_of_every_width)
{
    static const struct {
        const char *descr;
        int width;
        unsigned char data[16];
        int64_t expected[2];
    } cases[] = {
        {"'|i1'", 1, {0x80, 0x7f}, {-128, 127}},
        {"'<i1'", 1, {0xff, 1}, {-1, 1}},
        {"'|u1'", 1, {0x80, 0xff}, {128, 255}},
        {"'|b1'", 1, {0, 1}, {0, 1}},
        {"'<i2'", 2, {0x00, 0x80, 0xff, 0x7f}, {-32768, 32767}},
        {"'<u2'", 2, {0x00, 0x80, 0xff, 0xff}, {32768, 65535}},
        {"'<i4'", 4, {0, 0, 0, 0x80, 1, 0, 0, 0}, {INT32_MIN, 1}},
        {"'<u4'", 4, {0, 0, 0, 0x80, 0xff, 0xff, 0xff, 0xff}, {INT64_C(2147483648), UINT32_MAX}},
        {"'<i8'", 8, {0, 0, 0, 0, 0, 0, 0, 0x80, 2}, {INT64_MIN, 2}},
        {"'<u8'", 8, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 3}, {INT64_MAX, 3}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        congru_values values;
        compose(cases[i].descr, "False", "(2,)", cases[i].data, 2 * (size_t)cases[i].width);
        if (!CHECK_SAYING(parse(&values) == CONGRU_OK, "%s", congru_context_error(context)))
            continue;
        CHECK(values.kind == CONGRU_VALUES_INTEGER && values.integer_bytes == cases[i].width &&
              values.count == 2);
        CHECK_SAYING(values.integer[0] == cases[i].expected[0] && values.integer[1] == cases[i].expected[1],
                     "%s", cases[i].descr);
        congru_values_clear(&values);
    }
    compose("'<u8'", "False", "(2,)", (unsigned char[16]){[15] = 0x80}, 16);
    check_refused(CONGRU_ERROR_UNSUPPORTED, "unsigned value at index 1 does not fit");
}

TEST(reads_floats_of_every_width)
{
    congru_values values;
    const double wide[3] = {-0.0, 1e300, NAN};
    compose("'<f8'", "False", "(3,)", wide, sizeof wide);
    CHECK(parse(&values) == CONGRU_OK && values.kind == CONGRU_VALUES_REAL && values.integer_bytes == 0);
    CHECK(values.count == 3 && memcmp(values.real, wide, sizeof wide) == 0);
    congru_values_clear(&values);
    const float narrow[2] = {0.1f, -INFINITY};
    compose("'<f4'", "False", "(2, 1)", narrow, sizeof narrow);
    CHECK(parse(&values) == CONGRU_OK && values.dims == 2 && values.real[0] == (double)0.1f &&
          values.real[1] == -INFINITY);
    congru_values_clear(&values);
    /* The smallest, the largest below 2^-14, 1/3, the largest, infinities, zeros. */
    const uint16_t half[8] = {0x0001, 0x83ff, 0x3555, 0x7bff, 0x7c00, 0xfc00, 0x8000, 0x7e00};
    const double expected[7] = {0x1p-24, -1023 * 0x1p-24, 0.333251953125, 65504, INFINITY, -INFINITY, 0.0};
    compose("'<f2'", "False", "(8,)", half, sizeof half);
    if (CHECK(parse(&values) == CONGRU_OK && values.count == 8)) {
        for (size_t i = 0; i < 7; i++)
            CHECK_SAYING(values.real[i] == expected[i], "half %zu: %g", i, values.real[i]);
        CHECK(signbit(values.real[6]) && isnan(values.real[7]));
    }
    congru_values_clear(&values);
}

TEST(reads_texts_as_utf8)
{
    congru_values values;
    const uint32_t codes[6] = {'a', 0x20ac, 0x1f600, 0, 0, 0}; /* "a", a euro sign; a face; nothing */
    compose("'<U2'", "False", "(3,)", codes, sizeof codes);
    if (CHECK(parse(&values) == CONGRU_OK && values.kind == CONGRU_VALUES_TEXT && values.count == 3)) {
        CHECK(strcmp(values.text[0], "a\xe2\x82\xac") == 0 && strcmp(values.text[1], "\xf0\x9f\x98\x80") == 0);
        CHECK(strcmp(values.text[2], "") == 0);
    }
    congru_values_clear(&values);
    compose("'<U3'", "False", "()", (uint32_t[3]){'a', 0, 'b'}, 12);
    check_refused(CONGRU_ERROR_FORMAT, "text at index 0 holds a zero");
    compose("'|S3'", "False", "(3,)", "C3\0\xc3\xa9\0\xe9zz", 9);
    if (CHECK(parse(&values) == CONGRU_OK && values.count == 3)) {
        CHECK(strcmp(values.text[0], "C3") == 0 && strcmp(values.text[1], "\xc3\xa9") == 0);
        CHECK(strcmp(values.text[2], "\xc3\xa9zz") == 0);
    }
    congru_values_clear(&values);
    static const uint32_t wrong[3] = {0xd800, 0x110000, 0xffffffff};
    for (size_t i = 0; i < 3; i++) {
        compose("'<U1'", "False", "(1,)", &wrong[i], 4);
        check_refused(CONGRU_ERROR_FORMAT, "no character");
    }
    compose("'<U5'", "False", "(0,)", NULL, 0);
    CHECK(parse(&values) == CONGRU_OK && values.count == 0 && values.text != NULL);
    congru_values_clear(&values);
}

TEST(reorders_fortran_arrays)
{
    congru_values values;
    const int16_t numbers[6] = {11, 21, 12, 22, 13, 23};
    compose("'<i2'", "True", "(2, 3)", numbers, sizeof numbers);
    if (CHECK(parse(&values) == CONGRU_OK && values.count == 6))
        for (int64_t i = 0; i < 6; i++)
            CHECK(values.integer[i] == 10 * (i / 3 + 1) + i % 3 + 1);
    congru_values_clear(&values);
    const float reals[4] = {1, 3, 2, 4};
    compose("'<f4'", "True", "(2, 2)", reals, sizeof reals);
    if (CHECK(parse(&values) == CONGRU_OK && values.count == 4))
        for (int i = 0; i < 4; i++)
            CHECK(values.real[i] == i + 1);
    congru_values_clear(&values);
    compose("'|S1'", "True", "(2, 3)", "adbecf", 6);
    if (CHECK(parse(&values) == CONGRU_OK && values.count == 6))
        for (int i = 0; i < 6; i++)
            CHECK(values.text[i][0] == 'a' + i && values.text[i][1] == '\0');
    congru_values_clear(&values);
}

TEST(refuses_other_types)
{
    static const struct {
        const char *descr, *words;
    } cases[] = {
        {"'>f8'", "big-endian"},
        {"'>i4'", "big-endian"},
        {"'>U4'", "big-endian"},
        {"'|O'", "pickled Python objects"},
        {"'<c16'", "complex"},
        {"[('a', '<f8')]", "a structured array"},
        {"'<M8[ns]'", "of another type"},
        {"'<f16'", "'<f16'"},
        {"'|f8'", "'|f8'"},
        {"'<i3'", "'<i3'"},
        {"'|i2'", "'|i2'"},
        {"'<U0'", "'<U0'"},
        {"'|S'", "'|S'"},
        {"'<U99999999999999999999'", "'<U9999"},
        {"'<f8x'", "'<f8x'"},
        {"''", "''"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        compose(cases[i].descr, "False", "(0,)", NULL, 0);
        check_refused(CONGRU_ERROR_UNSUPPORTED, cases[i].words);
    }
    compose("'<U999999999'", "False", "(9223372036854775807,)", NULL, 0);
    check_refused(CONGRU_ERROR_FORMAT, "too large for any file");
    compose("'<U999999999'", "False", "(1152921504606846975,)", NULL, 0);
    check_refused(CONGRU_ERROR_FORMAT, "size of a value is too large");
    compose("'<i2'", "False", "(2,)", "abc", 3);
    check_refused(CONGRU_ERROR_FORMAT, "truncated: expected");
    compose("'<i2'", "False", "(2,)", "abcde", 5);
    check_refused(CONGRU_ERROR_FORMAT, "trailing bytes");
}

/* ---- Writing and reading back ---------------------------------------------------------------------- */

static const size_t shape3[3] = {5, 3, 3}, shape1[1] = {5};
static const int64_t integers[5] = {-1, 0, INT64_MAX, INT64_MIN, 42};
static const char *const texts[5] = {"A01", "", "\xc3\x85sa", "\xf0\x9f\x98\x80", "a longer name"};

static congru_status write_sample(const char *path, bool deflate)
{
    static double reals[45];
    for (size_t i = 0; i < 45; i++)
        reals[i] = (double)i / 7;
    congru_npz_writer *writer;
    congru_status status = congru_npz_create(context, path, &writer);
    if (status != CONGRU_OK)
        return status;
    CHECK(congru_npz_add_real(context, writer, "X", 3, shape3, reals, deflate) == CONGRU_OK);
    CHECK(congru_npz_add_integer(context, writer, "y", 1, shape1, integers) == CONGRU_OK);
    CHECK(congru_npz_add_text(context, writer, "subject", 1, shape1, texts) == CONGRU_OK);
    CHECK(congru_npz_add_real(context, writer, "fs", 0, NULL, &reals[7], false) == CONGRU_OK);
    status = congru_npz_commit(context, &writer);
    CHECK(writer == NULL);
    return status;
}

static void check_sample(congru_npz *npz)
{
    congru_values values;
    CHECK(congru_npz_has(npz, "X") && congru_npz_has(npz, "fs") && !congru_npz_has(npz, "x"));
    if (CHECK(congru_npz_read(context, npz, "X", &values) == CONGRU_OK && values.kind == CONGRU_VALUES_REAL)) {
        CHECK(values.dims == 3 && memcmp(values.shape, shape3, sizeof shape3) == 0);
        for (size_t i = 0; i < 45; i++)
            CHECK(values.real[i] == (double)i / 7);
    }
    congru_values_clear(&values);
    CHECK(congru_npz_read(context, npz, "y", &values) == CONGRU_OK && values.kind == CONGRU_VALUES_INTEGER);
    CHECK(values.count == 5 && memcmp(values.integer, integers, sizeof integers) == 0);
    congru_values_clear(&values);
    if (CHECK(congru_npz_read(context, npz, "subject", &values) == CONGRU_OK && values.count == 5))
        for (size_t i = 0; i < 5; i++)
            CHECK(strcmp(values.text[i], texts[i]) == 0);
    congru_values_clear(&values);
    CHECK(congru_npz_read(context, npz, "fs", &values) == CONGRU_OK && values.dims == 0 &&
          values.real[0] == 1.0);
    congru_values_clear(&values);
}

TEST(round_trips_keep_everything)
{
    for (int deflate = 0; deflate < 2; deflate++) {
        congru_npz *npz;
        const char *path = path_in("round.npz");
        if (!CHECK_SAYING(write_sample(path, deflate == 1) == CONGRU_OK, "%s", congru_context_error(context)))
            continue;
        if (CHECK(congru_npz_open(context, path, &npz) == CONGRU_OK))
            check_sample(npz);
        congru_npz_close(&npz);
        CHECK(npz == NULL && load_file(path));
        if (CHECK(congru_npz_open_memory(context, "memory", file.data, file.size, &npz) == CONGRU_OK))
            check_sample(npz);
        congru_npz_close(&npz);
    }
}

TEST(stored_arrays_are_aligned)
{
    static const unsigned char magic[6] = {0x93, 'N', 'U', 'M', 'P', 'Y'};
    CHECK(write_sample(path_in("aligned.npz"), false) == CONGRU_OK && load_file(path_in("aligned.npz")));
    size_t found = 0;
    for (size_t i = 0; i + sizeof magic < file.size; i++) {
        if (memcmp(file.data + i, magic, sizeof magic) != 0)
            continue;
        found++;
        CHECK_SAYING(i % 64 == 0, "an array begins at byte %zu", i);
    }
    CHECK(found == 4);
}

TEST(the_same_arrays_give_the_same_bytes)
{
    static bytes first;
    for (int deflate = 0; deflate < 2; deflate++) {
        CHECK(write_sample(path_in("same.npz"), deflate == 1) == CONGRU_OK && load_file(path_in("same.npz")));
        /* Time and date in the first header: not those of now, nor those of now in another time zone. */
        CHECK(memcmp(file.data + 10, "\0\0\41\0", 4) == 0);
        first = file;
        CHECK(write_sample(path_in("same.npz"), deflate == 1) == CONGRU_OK && load_file(path_in("same.npz")));
        CHECK(file.size == first.size && memcmp(file.data, first.data, file.size) == 0);
    }
}

TEST(nothing_is_left_of_what_is_abandoned)
{
    congru_npz_writer *writer;
    const char *path = path_in("kept.npz");
    CHECK(write_sample(path, false) == CONGRU_OK);
    size_t before = files_in_directory();
    CHECK(congru_npz_create(context, path, &writer) == CONGRU_OK);
    CHECK(files_in_directory() == before + 1);
    CHECK(congru_npz_add_integer(context, writer, "y", 1, shape1, integers) == CONGRU_OK);
    congru_npz_abandon(&writer);
    CHECK(writer == NULL && files_in_directory() == before);
    CHECK(congru_npz_create(context, path, &writer) == CONGRU_OK);
    check_error_at(context, congru_npz_commit(context, &writer), CONGRU_ERROR_ARGUMENT, path, "no arrays");
    CHECK(writer == NULL && files_in_directory() == before);
    congru_npz *npz;
    CHECK(congru_npz_open(context, path, &npz) == CONGRU_OK);
    check_sample(npz);
    congru_npz_close(&npz);
}

TEST(a_full_disk_keeps_the_old_file)
{
    const char *path = path_in("kept.npz");
    size_t before = files_in_directory();
    disk_fill();
    congru_status status = write_sample(path, false);
    disk_empty();
    check_error_at(context, status, CONGRU_ERROR_IO, path, "cannot write: File too large");
    CHECK(files_in_directory() == before);
    congru_npz *npz;
    if (CHECK(congru_npz_open(context, path, &npz) == CONGRU_OK))
        check_sample(npz);
    congru_npz_close(&npz);
    check_error_at(context, write_sample("/dev/full", false), CONGRU_ERROR_IO, "/dev/full: ", "No space left");
    check_error_at(context, write_sample("/proc/none/x.npz", false), CONGRU_ERROR_IO, "/proc/none", "No such file");
}

TEST(pipes_are_written_to)
{
    int ends[2];
    char path[PATH_SIZE];
    CHECK(pipe(ends) == 0);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[1]);
    CHECK(write_sample(path, false) == CONGRU_OK);
    close(ends[1]);
    ssize_t got = read(ends[0], file.data, sizeof file.data);
    close(ends[0]);
    congru_npz *npz;
    if (CHECK(got > 0 && congru_npz_open_memory(context, "pipe", file.data, (size_t)got, &npz) == CONGRU_OK)) {
        check_sample(npz);
        congru_npz_close(&npz);
    }
}

TEST(impossible_arrays_are_refused)
{
    congru_npz_writer *writer;
    const double value = 1;
    const size_t many[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1}, huge[2] = {SIZE_MAX, SIZE_MAX};
    char name[300];
    memset(name, 'n', sizeof name);
    name[299] = '\0';
    if (!CHECK(congru_npz_create(context, path_in("impossible.npz"), &writer) == CONGRU_OK))
        return;
    CHECK(congru_npz_add_real(context, writer, "a", 9, many, &value, false) == CONGRU_ERROR_ARGUMENT);
    CHECK(congru_npz_add_real(context, writer, "a", 2, huge, &value, false) == CONGRU_ERROR_ARGUMENT);
    CHECK(congru_npz_add_real(context, writer, "a", 1, many, NULL, false) == CONGRU_ERROR_ARGUMENT);
    CHECK(congru_npz_add_real(context, writer, name, 1, many, &value, false) == CONGRU_ERROR_ARGUMENT);
    CHECK(congru_npz_add_real(context, writer, "a", 1, many, &value, false) == CONGRU_OK);
    CHECK(congru_npz_add_real(context, writer, "a", 1, many, &value, false) == CONGRU_ERROR_ARGUMENT);
    congru_npz_abandon(&writer);
}

/* ---- Refusing -------------------------------------------------------------------------------------- */

static void check_unopened(congru_status expected, const char *path, const char *words)
{
    congru_npz *npz;
    check_error_at(context, congru_npz_open(context, path, &npz), expected, path, words);
    CHECK(npz == NULL);
}

static void store(const char *path)
{
    FILE *stream = fopen(path, "wb");
    CHECK(stream != NULL && fwrite(file.data, 1, file.size, stream) == file.size && fclose(stream) == 0);
}

TEST(refuses_what_is_no_archive)
{
    check_unopened(CONGRU_ERROR_IO, path_in("absent"), "No such file");
    check_unopened(CONGRU_ERROR_IO, scratch_folder(), "is a directory");
    check_unopened(CONGRU_ERROR_IO, "/dev/null", "not a regular file");
    CHECK(mkfifo(path_in("fifo"), 0600) == 0);
    check_unopened(CONGRU_ERROR_IO, path_in("fifo"), "not a regular file");
    file.size = 0;
    store(path_in("empty.npz"));
    check_unopened(CONGRU_ERROR_FORMAT, path_in("empty.npz"), "empty file");
    append("plain text of some length", 25);
    store(path_in("text.npz"));
    check_unopened(CONGRU_ERROR_FORMAT, path_in("text.npz"), "does not begin as a zip");
    compose("'<f8'", "False", "(0,)", NULL, 0);
    store(path_in("one.npz"));
    check_unopened(CONGRU_ERROR_FORMAT, path_in("one.npz"), "a .npy file of one array");
    CHECK(write_sample(path_in("short.npz"), false) == CONGRU_OK && load_file(path_in("short.npz")));
    file.size -= 30;
    store(path_in("short.npz"));
    check_unopened(CONGRU_ERROR_FORMAT, path_in("short.npz"), "broken or truncated");
}

/* An archive of one member X.npy, made of the bytes in `file` by libzip itself. */
static void zip_file(const char *path, int method, bool encrypted)
{
    int code;
    zip_t *archive = zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, &code);
    zip_source_t *source = zip_source_buffer(archive, file.data, file.size, 0);
    CHECK(zip_file_add(archive, "X.npy", source, 0) == 0 &&
          zip_set_file_compression(archive, 0, method, 0) == 0);
    if (encrypted)
        CHECK(zip_file_set_encryption(archive, 0, ZIP_EM_AES_128, "secret") == 0);
    CHECK(zip_close(archive) == 0);
}

static void check_member_refused(const char *path, congru_status expected, const char *words)
{
    congru_npz *npz;
    congru_values values;
    char begin[PATH_SIZE + 8];
    snprintf(begin, sizeof begin, "%s: X: ", path);
    if (!CHECK_SAYING(congru_npz_open(context, path, &npz) == CONGRU_OK, "%s", congru_context_error(context)))
        return;
    check_error_at(context, congru_npz_read(context, npz, "X", &values), expected, begin, words);
    CHECK(values.real == NULL && values.count == 0);
    check_error_at(context, congru_npz_read(context, npz, "absent", &values), CONGRU_ERROR_FORMAT, path,
                   "no array 'absent'");
    congru_npz_close(&npz);
}

TEST(refuses_members_that_lie)
{
    static double zeros[50000];
    const char *path = path_in("lie.npz");
    /* Inflates to more, and to less, than its header says. */
    compose("'<f8'", "False", "(10,)", zeros, sizeof zeros);
    zip_file(path, ZIP_CM_DEFLATE, false);
    check_member_refused(path, CONGRU_ERROR_FORMAT, "trailing bytes");
    compose("'<f8'", "False", "(1000000,)", zeros, sizeof zeros);
    zip_file(path, ZIP_CM_DEFLATE, false);
    check_member_refused(path, CONGRU_ERROR_FORMAT, "truncated: expected 8000");
    compose("'<f8'", "False", "(2,)", zeros, 16);
    zip_file(path, ZIP_CM_STORE, true);
    check_member_refused(path, CONGRU_ERROR_UNSUPPORTED, "encrypted");
    file.data[0] = 'x';
    zip_file(path, ZIP_CM_STORE, false);
    check_member_refused(path, CONGRU_ERROR_FORMAT, "does not begin with");
}

/* Both headers say 2^31 bytes; deflate cannot make that of what is there. */
TEST(refuses_sizes_that_cannot_be)
{
    static const double zeros[64];
    const char *path = path_in("size.npz");
    compose("'<f8'", "False", "(268435440,)", zeros, sizeof zeros);
    zip_file(path, ZIP_CM_DEFLATE, false);
    CHECK(load_file(path));
    size_t patched = 0;
    for (size_t i = 0; i + 46 < file.size; i++) {
        bool local = memcmp(file.data + i, "PK\3\4", 4) == 0, central = memcmp(file.data + i, "PK\1\2", 4) == 0;
        if (!local && !central)
            continue;
        memcpy(file.data + i + (local ? 22 : 24), (unsigned char[4]){0, 0, 0, 0x80}, 4);
        patched++;
    }
    CHECK(patched == 2);
    store(path);
    check_member_refused(path, CONGRU_ERROR_FORMAT, "which");
    /* A byte of the data changed: the checksum tells. */
    compose("'<f8'", "False", "(64,)", zeros, sizeof zeros);
    zip_file(path, ZIP_CM_STORE, false);
    CHECK(load_file(path));
    file.data[300] ^= 1;
    store(path);
    check_member_refused(path, CONGRU_ERROR_FORMAT, "CRC");
}

/* ---- Real files ------------------------------------------------------------------------------------ */

TEST(reads_epochs_numpy_wrote)
{
    char path[PATH_SIZE];
    const char *data = getenv("CONGRU_DATA"), *source = getenv("SOURCE");
    if (data != NULL)
        snprintf(path, sizeof path, "%s/eegmmidb/epochs22/S001.npz", data);
    else
        snprintf(path, sizeof path, "%s/../shared/data/eegmmidb/epochs22/S001.npz",
                 source != NULL ? source : ".");
    if (access(path, R_OK) != 0) {
        SKIP("shared/data/eegmmidb/epochs22 is absent");
        return;
    }
    congru_npz *npz;
    congru_values values;
    if (!CHECK_SAYING(congru_npz_open(context, path, &npz) == CONGRU_OK, "%s", congru_context_error(context)))
        return;
    CHECK(congru_npz_read(context, npz, "X", &values) == CONGRU_OK && values.integer_bytes == 2);
    CHECK(values.dims == 3 && values.shape[1] == 22 && values.shape[2] == 800);
    congru_values_clear(&values);
    CHECK(congru_npz_read(context, npz, "ch_names", &values) == CONGRU_OK && values.count == 22);
    CHECK(values.count == 22 && strcmp(values.text[0], "Fz") == 0 && strcmp(values.text[21], "POz") == 0);
    congru_values_clear(&values);
    CHECK(congru_npz_read(context, npz, "y", &values) == CONGRU_OK && values.integer_bytes == 1);
    congru_values_clear(&values);
    congru_npz_close(&npz);
}

int main(void)
{
    return scratch_main(&context, NULL);
}
