/* .npy files: what is read, and what is refused. SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700
#include <dirent.h>
#include <math.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "congru/npy.h"
#include "congru/random.h"
#include "context_main.h"
#include "harness.h"
#include "refusal.h"
#include "scratch.h"

enum { FILE_SIZE_MAX = 1 << 20, PATH_SIZE = 512 };

/* A .npy file being put together. */
typedef struct bytes {
    unsigned char data[FILE_SIZE_MAX];
    size_t size;
} bytes;

static congru_context *context;
static bytes file;

static void append(const void *data, size_t size)
{
    memcpy(file.data + file.size, data, size);
    file.size += size;
}

static void begin(unsigned char major, unsigned char minor, size_t header_size)
{
    const unsigned char preamble[8] = {0x93, 'N', 'U', 'M', 'P', 'Y', major, minor};
    const unsigned char length[4] = {header_size & 0xff, header_size >> 8 & 0xff, header_size >> 16 & 0xff,
                                     header_size >> 24 & 0xff};
    file.size = 0;
    append(preamble, sizeof preamble);
    append(length, major == 1 ? 2 : 4);
}

static void compose(unsigned char version, const char *header, const void *data, size_t size)
{
    begin(version, 0, strlen(header));
    append(header, strlen(header));
    append(data, size);
}

static void store(const char *path)
{
    FILE *stream = fopen(path, "wb");
    CHECK(stream != NULL && fwrite(file.data, 1, file.size, stream) == file.size && fclose(stream) == 0);
}

static congru_status read_composed(congru_array *array)
{
    store(path_in("in.npy"));
    return congru_npy_read(context, path_in("in.npy"), array);
}

/* A refusal empties the array and explains itself in one line that begins with the file. */
static void check_refused(congru_status status, congru_status expected, const char *path, const char *words,
                          const congru_array *array)
{
    char place[PATH_SIZE + 2];
    snprintf(place, sizeof place, "%s: ", path);
    check_error_at(context, status, expected, place, words);
    CHECK(array->data == NULL && array->count == 0 && array->dims == 0);
}

static void check_composed_refused(congru_status expected, const char *words)
{
    congru_array array;
    congru_status status = read_composed(&array);
    check_refused(status, expected, path_in("in.npy"), words, &array);
    congru_array_clear(&array);
}

/* ---- Reading ------------------------------------------------------------------------------------- */

TEST(round_trips_keep_every_bit)
{
    static const struct {
        size_t dims, shape[CONGRU_NPY_DIMS_MAX];
    } cases[] = {
        {0, {0}}, {1, {1}},       {1, {5}},       {2, {2, 3}},   {3, {2, 3, 4}}, {8, {1, 2, 1, 2, 1, 2, 1, 3}},
        {1, {0}}, {3, {0, 3, 3}}, {3, {4, 0, 0}}, {3, {1, 1, 1}}};
    double values[24] = {-0.0, NAN, INFINITY, -INFINITY, 5e-324, 1.7976931348623157e308, 1.0 / 3};
    for (size_t i = 7; i < 24; i++)
        values[i] = (double)i;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        congru_array array;
        const char *path = path_in("round.npy");
        CHECK(congru_npy_write(context, path, cases[i].dims, cases[i].shape, values) == CONGRU_OK);
        if (!CHECK(congru_npy_read(context, path, &array) == CONGRU_OK))
            continue;
        CHECK(array.dims == cases[i].dims);
        CHECK(memcmp(array.shape, cases[i].shape, array.dims * sizeof array.shape[0]) == 0);
        CHECK(array.data != NULL && (uintptr_t)array.data % 64 == 0);
        CHECK(memcmp(array.data, values, array.count * sizeof values[0]) == 0);
        congru_array_clear(&array);
        CHECK(array.data == NULL && array.count == 0);
    }
}

TEST(writes_numpy_headers)
{
    static const struct {
        size_t dims, shape[3];
        const char *text;
    } cases[] = {
        {0, {0}, "(), }"}, {1, {2}, "(2,), }"}, {2, {2, 1}, "(2, 1), }"}, {3, {1, 2, 1}, "(1, 2, 1), }"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[256] = "", expected[256];
        const double values[2] = {1, 2};
        CHECK(congru_npy_write(context, path_in("header.npy"), cases[i].dims, cases[i].shape, values) ==
              CONGRU_OK);
        FILE *stream = fopen(path_in("header.npy"), "rb");
        CHECK(stream != NULL && fread(text, 1, 128, stream) == 128 && fclose(stream) == 0);
        CHECK(memcmp(text, "\x93NUMPY\x01\x00\x76\x00", 10) == 0);
        snprintf(expected, sizeof expected, "{'descr': '<f8', 'fortran_order': False, 'shape': %s",
                 cases[i].text);
        CHECK(memcmp(text + 10, expected, strlen(expected)) == 0);
        CHECK(strspn(text + 10 + strlen(expected), " ") == 117 - strlen(expected) && text[127] == '\n');
    }
}

TEST(reads_every_spelling_of_a_header)
{
    static const char *const headers[] = {
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }   \n",
        "{'shape': (2, 3), 'fortran_order': False, 'descr': '<f8'}",
        "{\"descr\":\"<f8\",\"fortran_order\":False,\"shape\":(2,3)}",
        " {  'descr'  :  '<f8'  ,  'fortran_order'\t: False , 'shape' : ( 2 , 3 , ) , }\n\n",
    };
    const double values[6] = {1, 2, 3, 4, 5, 6};
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++) {
        for (unsigned char version = 1; version <= 2; version++) {
            congru_array array;
            compose(version, headers[i], values, sizeof values);
            if (!CHECK_SAYING(read_composed(&array) == CONGRU_OK, "%s", congru_context_error(context)))
                continue;
            CHECK(array.dims == 2 && array.shape[0] == 2 && array.shape[1] == 3 && array.count == 6);
            CHECK(memcmp(array.data, values, sizeof values) == 0);
            congru_array_clear(&array);
        }
    }
}

TEST(widens_float32)
{
    enum { COUNT = 10000 };
    static float values[COUNT];
    for (size_t i = 0; i < COUNT; i++)
        values[i] = (float)i / 7;
    values[3] = -INFINITY;
    values[4] = 1e-45f;
    congru_array array;
    compose(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (10000,)}", values, sizeof values);
    if (!CHECK(read_composed(&array) == CONGRU_OK && array.count == COUNT))
        return;
    for (size_t i = 0; i < COUNT; i++)
        CHECK(array.data[i] == (double)values[i]);
    congru_array_clear(&array);
}

TEST(transposes_fortran_order)
{
    /* The value at [i][j][k] is 100 i + 10 j + k; in the file the first index moves fastest. */
    float values[24];
    size_t place = 0;
    for (int k = 0; k < 4; k++)
        for (int j = 0; j < 3; j++)
            for (int i = 0; i < 2; i++)
                values[place++] = (float)(100 * i + 10 * j + k);
    congru_array array;
    compose(1, "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3, 4)}", values, sizeof values);
    if (!CHECK(read_composed(&array) == CONGRU_OK && array.count == 24))
        return;
    for (size_t i = 0; i < 24; i++)
        CHECK(array.data[i] == (double)(100 * (i / 12) + 10 * (i / 4 % 3) + i % 4));
    CHECK((uintptr_t)array.data % 64 == 0);
    congru_array_clear(&array);

    const double matrix[6] = {1, 4, 2, 5, 3, 6}, vector[3] = {7, 8, 9};
    compose(1, "{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3)}", matrix, sizeof matrix);
    if (CHECK(read_composed(&array) == CONGRU_OK && array.count == 6))
        for (size_t i = 0; i < 6; i++)
            CHECK(array.data[i] == (double)(i + 1));
    congru_array_clear(&array);
    compose(1, "{'descr': '<f8', 'fortran_order': True, 'shape': (3,)}", vector, sizeof vector);
    CHECK(read_composed(&array) == CONGRU_OK && memcmp(array.data, vector, sizeof vector) == 0);
    congru_array_clear(&array);
    compose(1, "{'descr': '<f8', 'fortran_order': True, 'shape': (3, 0, 2)}", vector, 0);
    CHECK(read_composed(&array) == CONGRU_OK && array.dims == 3 && array.count == 0);
    congru_array_clear(&array);
}

/* A child writes the composed file into a pipe, which is then read through its descriptor. */
static congru_status read_through_pipe(congru_array *array, char path[PATH_SIZE])
{
    int ends[2];
    CHECK(pipe(ends) == 0);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        signal(SIGPIPE, SIG_DFL);
        size_t written = 0;
        while (written < file.size)
            written += (size_t)write(ends[1], file.data + written, file.size - written);
        _exit(0);
    }
    close(ends[1]);
    snprintf(path, PATH_SIZE, "/dev/fd/%d", ends[0]);
    congru_status status = congru_npy_read(context, path, array);
    close(ends[0]);
    waitpid(child, NULL, 0);
    return status;
}

TEST(reads_pipes_without_trusting_the_header)
{
    enum { COUNT = 130000 };
    static double values[COUNT];
    for (size_t i = 0; i < COUNT; i++)
        values[i] = (double)i;
    char path[PATH_SIZE];
    congru_array array;
    compose(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (130000,)}", values, sizeof values);
    CHECK(read_through_pipe(&array, path) == CONGRU_OK && array.count == COUNT);
    CHECK(array.count == COUNT && memcmp(array.data, values, sizeof values) == 0);
    congru_array_clear(&array);
    append("x", 1);
    check_refused(read_through_pipe(&array, path), CONGRU_ERROR_FORMAT, path, "trailing bytes", &array);
    compose(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (100000000000000000,)}", values, 800);
    check_refused(read_through_pipe(&array, path), CONGRU_ERROR_FORMAT, path,
                  "truncated: expected 800000000000000", &array);
    file.size = 30;
    check_refused(read_through_pipe(&array, path), CONGRU_ERROR_FORMAT, path, "truncated in the header",
                  &array);
}

/* ---- Refusing ------------------------------------------------------------------------------------ */

TEST(refuses_broken_headers)
{
    static const struct {
        const char *header, *words;
    } cases[] = {
        {"", "expected '{' at byte 0, found its end"},
        {"['descr']", "expected '{' at byte 0, found '['"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (1,)", "expected ',' or '}' after a value"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (1,), } x", "nothing but spaces after '}'"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (1,)}\x80", "found byte 0x80"},
        {"{'descr': '<f8' 'fortran_order': False, 'shape': (1,)}", "expected ',' or '}'"},
        {"{'descr': '<f8',, 'fortran_order': False, 'shape': (1,)}", "expected a key in quotes"},
        {"{descr: '<f8', 'fortran_order': False, 'shape': (1,)}", "expected a key in quotes"},
        {"{'descr' '<f8', 'fortran_order': False, 'shape': (1,)}", "expected ':' after the key"},
        {"{'descr': '<f8, 'fortran_order': False, 'shape': (1,)}", "'<f8, '"},
        {"{'descr': '<f8", "expected the end of the string"},
        {"{'descr': '<\\x668', 'fortran_order': False, 'shape': (1,)}", "expected the end of the string"},
        {"{'descr': 8, 'fortran_order': False, 'shape': (1,)}", "expected a string for 'descr'"},
        {"{'descr': '<f8', 'fortran_order': 0, 'shape': (1,)}", "expected True or False"},
        {"{'descr': '<f8', 'fortran_order': Falsey, 'shape': (1,)}", "expected ',' or '}'"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': 1}", "expected '(' for 'shape'"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (1)}", "expected ',' after the first length"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (,)}", "expected a length or ')'"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (1,,)}", "expected a length or ')'"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1}", "expected ',' or ')'"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (01,)}", "without leading zeros"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (-1,)}", "negative length"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (1.0,)}", "expected ',' after the first length"},
        {"{'fortran_order': False, 'shape': (1,)}", "no 'descr'"},
        {"{'descr': '<f8', 'shape': (1,)}", "no 'fortran_order'"},
        {"{'descr': '<f8', 'fortran_order': False}", "no 'shape'"},
        {"{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (1,)}", "'descr' twice"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (1,), 'extra': 1}", "unknown key 'extra'"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (1,), 'a\tb': 1}", "unknown key 'a?b'"},
    };
    const double value = 1;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        compose(1, cases[i].header, &value, sizeof value);
        bool other_type = strcmp(cases[i].words, "'<f8, '") == 0;
        check_composed_refused(other_type ? CONGRU_ERROR_UNSUPPORTED : CONGRU_ERROR_FORMAT, cases[i].words);
    }
}

TEST(refuses_other_types)
{
    static const struct {
        const char *descr, *words;
    } cases[] = {
        {"'>f8'", "'>f8', big-endian"},
        {"'=f8'", "'=f8'"},
        {"'f8'", "'f8'"},
        {"'|f8'", "'|f8'"},
        {"'<f2'", "'<f2'"},
        {"'<f16'", "'<f16'"},
        {"'<i8'", "'<i8', integers"},
        {"'|b1'", "'|b1'"},
        {"'|u1'", "'|u1', integers"},
        {"'<c16'", "'<c16', complex"},
        {"'|O'", "'|O', pickled"},
        {"'<U5'", "'<U5', text"},
        {"[('x', '<f8')]", "a structured"},
        {"''", "''"},
        {"'<f8 '", "'<f8 '"},
        {"'\x01\x02'", "'?"
                       "?'"},
    };
    const double value = 1;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char header[128];
        snprintf(header, sizeof header, "{'descr': %s, 'fortran_order': False, 'shape': (1,)}", cases[i].descr);
        compose(1, header, &value, sizeof value);
        check_composed_refused(CONGRU_ERROR_UNSUPPORTED, cases[i].words);
    }
}

TEST(refuses_lying_shapes)
{
    static const struct {
        const char *shape, *words;
    } cases[] = {
        {"(2,)", "truncated: expected 81 bytes, found 73"},
        {"(0,)", "trailing bytes: expected 65 bytes, found 73"},
        {"(1000000000000,)", "truncated: expected 80000000000"},
        {"(1000000000000, 1000000000000)", "too large for any file"},
        {"(18446744073709551615,)", "too large for any file"},
        {"(18446744073709551616,)", "too large for any file"},
        {"(99999999999999999999999999999999,)", "too large for any file"},
        {"(2305843009213693952,)", "too large for any file"},
        {"(4294967296, 4294967296)", "too large for any file"},
        {"(0, 9223372036854775808)", "too large for any file"},
        {"(-1, -1)", "negative length"},
    };
    const double value = 1;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char header[128];
        snprintf(header, sizeof header, "{'descr': '<f8', 'fortran_order': False, 'shape': %s}",
                 cases[i].shape);
        compose(1, header, &value, sizeof value);
        check_composed_refused(CONGRU_ERROR_FORMAT, cases[i].words);
    }
    compose(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1, 1, 1, 1, 1, 1, 1, 1)}", &value, 8);
    check_composed_refused(CONGRU_ERROR_UNSUPPORTED, "more than 8 dimensions");
}

TEST(refuses_what_is_not_npy)
{
    congru_array array;
    begin(3, 0, 0);
    check_composed_refused(CONGRU_ERROR_UNSUPPORTED, "version 3.0");
    begin(1, 1, 0);
    check_composed_refused(CONGRU_ERROR_UNSUPPORTED, "version 1.1");
    begin(2, 0, 0xffffffff);
    check_composed_refused(CONGRU_ERROR_FORMAT, "a length of 4294967295 bytes");
    begin(1, 0, 500);
    check_composed_refused(CONGRU_ERROR_FORMAT,
                           "truncated in the header: expected at least 510 bytes, found 10");
    file.size = 0;
    append("PK\x03\x04 and so on", 12);
    check_composed_refused(CONGRU_ERROR_FORMAT, ".npz archive");
    memcpy(file.data, "\x93NUMPX", 6);
    check_composed_refused(CONGRU_ERROR_FORMAT, "not a .npy file");
    const char *path = path_in("absent.npy");
    check_refused(congru_npy_read(context, path, &array), CONGRU_ERROR_IO, path, "No such file", &array);
    check_refused(congru_npy_read(context, scratch_folder(), &array), CONGRU_ERROR_IO, scratch_folder(),
                  "directory", &array);
    CHECK(congru_npy_read(context, NULL, &array) == CONGRU_ERROR_ARGUMENT);
    CHECK(congru_npy_read(context, path, NULL) == CONGRU_ERROR_ARGUMENT);
    CHECK(congru_npy_read(NULL, path, &array) == CONGRU_ERROR_IO);
    congru_array_clear(NULL);
}

TEST(refuses_every_truncation)
{
    const double values[6] = {1, 2, 3, 4, 5, 6};
    for (unsigned char version = 1; version <= 2; version++) {
        compose(version, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }\n", values,
                sizeof values);
        size_t whole = file.size;
        for (size_t size = 1; size < whole; size++) {
            file.size = size;
            check_composed_refused(CONGRU_ERROR_FORMAT, "truncated");
        }
        file.size = 0;
        check_composed_refused(CONGRU_ERROR_FORMAT, "empty file");
        file.size = whole;
        append("x", 1);
        check_composed_refused(CONGRU_ERROR_FORMAT, "trailing bytes");
    }
}

/* With one byte changed a file is refused, or is still a true reading: in the header that leaves an array of
 * as many bytes, among the values it changes the one value. */
TEST(survives_changed_bytes)
{
    double values[6] = {1, 2, 3, 4, 5, 6};
    congru_random random = congru_random_stream(2, 0, 0, 0);
    size_t read = 0, refused = 0;
    for (int trial = 0; trial < 2000; trial++) {
        compose(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }     \n", values, sizeof values);
        size_t place = congru_random_index(&random, file.size), header_size = file.size - sizeof values;
        file.data[place] ^= (unsigned char)(1 + congru_random_index(&random, 255));
        congru_array array;
        congru_status status = read_composed(&array);
        if (status != CONGRU_OK) {
            refused++;
            check_refused(status, status, path_in("in.npy"), "", &array);
            CHECK_SAYING(place < header_size, "refused for a changed value: %s", congru_context_error(context));
            continue;
        }
        read++;
        CHECK(array.count == 6 && memcmp(array.data, file.data + header_size, sizeof values) == 0);
        congru_array_clear(&array);
    }
    CHECK_SAYING(read > 500 && refused > 500, "%zu read, %zu refused", read, refused);
}

int main(void)
{
    return scratch_main(&context, NULL);
}
