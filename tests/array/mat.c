/* MATLAB files: what is read, and what is refused. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array/mat.h"
#include "base/memory.h"
#include "congru/random.h"
#include "context_main.h"
#include "harness.h"
#include "mat_writer.h"

static congru_context *context;
static mat_writer file;

static congru_status read_file(congru_mat **mat)
{
    congru_source source = congru_source_memory("in.mat", file.bytes, file.size);
    return congru_mat_read(context, &source, NULL, NULL, mat);
}

/* The file must be read; ends it. */
static congru_mat *read_whole(void)
{
    congru_mat *mat = NULL;
    congru_status status = read_file(&mat);
    CHECK_SAYING(status == CONGRU_OK, "%s", congru_context_error(context));
    mat_end(&file);
    return mat;
}

/* A refusal leaves nothing behind and explains itself in one line that begins with the file. */
static void check_refusal(congru_status status, congru_status expected, const char *words,
                          const congru_mat *mat)
{
    const char *error = congru_context_error(context);
    CHECK_SAYING(status == expected, "status %d, not %d, for: %s", (int)status, (int)expected, words);
    CHECK(mat == NULL);
    CHECK_SAYING(strstr(error, words) != NULL, "no '%s' in: %s", words, error);
    CHECK_SAYING(strncmp(error, "in.mat: ", 8) == 0 && strpbrk(error, "\n\r") == NULL,
                 "not one line of the file: %s", error);
}

static void check_refused(congru_status expected, const char *words)
{
    congru_mat *mat = NULL;
    congru_status status = read_file(&mat);
    check_refusal(status, expected, words, mat);
    congru_mat_free(&mat);
    mat_end(&file);
}

/* ---- Reading ------------------------------------------------------------------------------------- */

TEST(reads_every_storage_type)
{
    static const struct {
        uint32_t type;
        double value[5];
    } cases[] = {
        {1, {-128, 127, 0, 1, -1}},
        {2, {0, 255, 1, 2, 3}},
        {3, {-32768, 32767, 0, 258, -2}},
        {4, {0, 65535, 258, 1, 2}},
        {5, {-2147483648.0, 2147483647, 0, 16909060, -1}},
        {6, {0, 4294967295.0, 16909060, 1, 2}},
        {7, {1.5, -0.25, 3.4028234663852886e38, 1e-45f, -0.0}},
        {9, {1.0 / 3, -1e308, 5e-324, -0.0, 1}},
        {12, {-9007199254740992.0, 9007199254740992.0, 0, 1, -1}},
        {13, {0, 9007199254740992.0, 1, 2, 3}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int form = 0; form < 4; form++)
            for (size_t count = 1; count <= 5; count++) {
                mat_begin(&file, form & 1);
                size_t start = file.size;
                mat_numbers(&file, "a_variable", 6, cases[i].type, 2, (const size_t[]){1, count},
                            cases[i].value);
                if (form & 2)
                    mat_compress(&file, start);
                congru_mat *mat = read_whole();
                const congru_mat_value *value = mat != NULL ? congru_mat_find(mat, "a_variable") : NULL;
                if (CHECK(value != NULL && value->kind == CONGRU_MAT_NUMERIC && value->count == count))
                    CHECK_SAYING(memcmp(value->number, cases[i].value, count * sizeof(double)) == 0,
                                 "other values in type %u, form %d", (unsigned)cases[i].type, form);
                congru_mat_free(&mat);
            }
}

TEST(keeps_values_within_their_class)
{
    static const struct {
        uint32_t class_number, type;
        double value;
        bool refused;
    } cases[] = {
        {8, 3, 127, false},   {8, 3, 128, true},      {8, 3, -128, false},      {8, 3, -129, true},
        {9, 9, 255, false},   {9, 9, 256, true},      {9, 1, -1, true},         {9, 9, 1.5, true},
        {10, 5, 32768, true}, {11, 5, 65535, false},  {12, 13, 3e9, true},      {13, 12, 3e9, false},
        {13, 12, -1, true},   {14, 12, -5e18, false}, {14, 9, NAN, true},       {15, 13, 1e19, false},
        {7, 9, 1.5, false},   {6, 9, NAN, false},     {9 | 0x200, 2, 1, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        mat_begin(&file, false);
        mat_numbers(&file, "v", cases[i].class_number, cases[i].type, 2, (const size_t[]){1, 1},
                    &cases[i].value);
        if (cases[i].refused) {
            check_refused(CONGRU_ERROR_FORMAT, "cannot hold");
            continue;
        }
        congru_mat *mat = read_whole();
        if (CHECK(mat != NULL))
            CHECK(memcmp(congru_mat_find(mat, "v")->number, &cases[i].value, sizeof(double)) == 0);
        congru_mat_free(&mat);
    }
    /* a single that was stored as a double is rounded as a single is */
    mat_begin(&file, false);
    const double third = 1.0 / 3;
    mat_numbers(&file, "v", 7, 9, 2, (const size_t[]){1, 1}, &third);
    congru_mat *mat = read_whole();
    CHECK(mat != NULL && congru_mat_find(mat, "v")->number[0] == (double)(1.0f / 3.0f));
    congru_mat_free(&mat);
}

TEST(reads_text_of_every_encoding)
{
    static const uint16_t wide[] = {'m', 0xb5, 0x20ac, 0xd83d, 0xde00, 0xd800, 'x'};
    static const uint32_t wider[] = {0x1f600, 'a', 0x110000};
    static const struct {
        uint32_t type;
        const void *data;
        size_t size, width, rows, columns;
        const char *text;
    } cases[] = {
        {2, "caf\xe9", 4, 1, 1, 4, "caf\xc3\xa9"},
        {1, "abc", 3, 1, 1, 3, "abc"},
        {16, "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", 14, 1, 1, 8,
         "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"},
        {16, "caf\xc3\xa9", 5, 1, 1, 5, "caf\xc3\xa9"},
        {16, "a\xff\xc3", 3, 1, 1, 3, "a\xef\xbf\xbd\xef\xbf\xbd"},
        {16, "\xc0\x80", 2, 1, 1, 2, "\xef\xbf\xbd\xef\xbf\xbd"}, /* one for each byte, as Python has it */
        {16, "\xe2\x82z", 3, 1, 1, 3, "\xef\xbf\xbd\xef\xbf\xbdz"},
        {4, wide, sizeof wide, 2, 1, 7, "m\xc2\xb5\xe2\x82\xac\xf0\x9f\x98\x80\xef\xbf\xbdx"},
        {17, wide, sizeof wide, 2, 1, 7, "m\xc2\xb5\xe2\x82\xac\xf0\x9f\x98\x80\xef\xbf\xbdx"},
        {18, wider, sizeof wider, 4, 1, 3,
         "\xf0\x9f\x98\x80"
         "a\xef\xbf\xbd"},
        {2, "FCPz3 ", 6, 1, 2, 3, "FP3\nCz "},
        {2, "a\0b", 3, 1, 1, 3, "a b"},
        {4, "", 0, 2, 0, 0, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int big_endian = 0; big_endian < 2; big_endian++) {
            mat_begin(&file, big_endian);
            size_t start = mat_open(&file, 4, 2, (const size_t[]){cases[i].rows, cases[i].columns}, "t");
            mat_element(&file, cases[i].type, cases[i].data, cases[i].size, cases[i].width, true);
            mat_close(&file, start);
            congru_mat *mat = read_whole();
            const congru_mat_value *value = mat != NULL ? congru_mat_find(mat, "t") : NULL;
            if (CHECK(value != NULL && value->kind == CONGRU_MAT_TEXT && value->text != NULL))
                CHECK_SAYING(strcmp(value->text, cases[i].text) == 0, "case %zu: %s", i, value->text);
            congru_mat_free(&mat);
        }
}

TEST(reads_cells_and_structs)
{
    for (int form = 0; form < 4; form++) {
        mat_sample(&file, form & 1, form & 2);
        congru_mat *mat = read_whole();
        if (!CHECK(mat != NULL))
            continue;
        CHECK(strcmp(congru_mat_variable(mat, 0), "numbers") == 0 &&
              strcmp(congru_mat_variable(mat, 3), "structs") == 0);
        CHECK(congru_mat_variable(mat, 4) == NULL && congru_mat_find(mat, "absent") == NULL);
        const congru_mat_value *numbers = congru_mat_find(mat, "numbers"),
                               *texts = congru_mat_find(mat, "texts");
        const congru_mat_value *structs = congru_mat_find(mat, "structs");
        CHECK(numbers->dims == 3 && numbers->shape[0] == 2 && numbers->shape[1] == 3 && numbers->shape[2] == 2);
        CHECK(numbers->number[0] == 1 && numbers->number[11] == -12);
        CHECK(texts->kind == CONGRU_MAT_CELL && texts->count == 2 &&
              strcmp(texts->element[1].text, "feet") == 0);
        CHECK(structs->kind == CONGRU_MAT_STRUCT && structs->count == 2 && structs->fields == 2);
        CHECK(strcmp(congru_mat_field(structs, 1, "name")->text, "feet") == 0);
        CHECK(congru_mat_field(structs, 1, "X")->number[0] == -2 &&
              congru_mat_field(structs, 0, "X")->number[0] == 1);
        CHECK(congru_mat_field(structs, 2, "X") == NULL && congru_mat_field(structs, 0, "Y") == NULL);
        CHECK(congru_mat_field(numbers, 0, "X") == NULL && congru_mat_field(NULL, 0, "X") == NULL);
        double *number = congru_mat_detach(mat, numbers);
        CHECK(number != NULL && number[1] == -2 && numbers->number == NULL && numbers->count == 12);
        congru_memory_give(number);
        congru_mat_free(&mat);
        CHECK(mat == NULL);
    }
    congru_mat_free(NULL);
}

/* [] inside a cell has no bytes at all; empty arrays have dimensions and no data. The nameless variable in
 * which MATLAB keeps its objects is passed over. */
TEST(reads_what_is_empty)
{
    static const uint32_t nothing[2] = {14, 0};
    mat_begin(&file, false);
    mat_number(&file, "", 5);
    size_t start = mat_open(&file, 1, 2, (const size_t[]){1, 2}, "c");
    mat_close(&file, start);
    file.size += 8;
    memcpy(file.bytes + file.size - 8, nothing, 8);
    mat_matrix(&file, "", 0, 3, NULL);
    mat_close(&file, start);
    mat_texts(&file, "none", NULL, 0);
    congru_mat *mat = read_whole();
    const congru_mat_value *cell = mat != NULL ? congru_mat_find(mat, "c") : NULL;
    if (CHECK(cell != NULL && cell->count == 2)) {
        CHECK(cell->element[0].kind == CONGRU_MAT_NUMERIC && cell->element[0].dims == 2 &&
              cell->element[0].count == 0);
        CHECK(cell->element[1].count == 0 && cell->element[1].shape[1] == 3);
        CHECK(congru_mat_find(mat, "none")->count == 0 && strcmp(congru_mat_variable(mat, 0), "c") == 0);
    }
    congru_mat_free(&mat);
    mat_begin(&file, false);
    mat = read_whole();
    CHECK(mat != NULL && congru_mat_variable(mat, 0) == NULL);
    congru_mat_free(&mat);
}

static void nest(int depth)
{
    size_t start[32];
    mat_begin(&file, false);
    for (int i = 0; i < depth; i++)
        start[i] = mat_open(&file, 1, 2, (const size_t[]){1, 1}, i == 0 ? "c" : "");
    mat_number(&file, depth > 0 ? "" : "c", 1);
    for (int i = depth; i-- > 0;)
        mat_close(&file, start[i]);
}

TEST(nests_sixteen_deep)
{
    nest(16);
    congru_mat *mat = read_whole();
    const congru_mat_value *value = mat != NULL ? congru_mat_find(mat, "c") : NULL;
    for (int i = 0; i < 16 && CHECK(value != NULL && value->kind == CONGRU_MAT_CELL); i++)
        value = value->element;
    CHECK(value != NULL && value->kind == CONGRU_MAT_NUMERIC && value->number[0] == 1);
    congru_mat_free(&mat);
    nest(17);
    check_refused(CONGRU_ERROR_UNSUPPORTED, "nested more than 16 deep");
}

/* ---- Refusals ------------------------------------------------------------------------------------ */

TEST(refuses_other_versions)
{
    static const uint32_t level_4[5] = {0, 2, 3, 0, 2};
    for (int i = 0; i < 6; i++) {
        mat_begin(&file, false);
        if (i == 0)
            memcpy(file.bytes, "MATLAB 7.3 MAT-file", 19);
        else if (i == 1)
            memcpy(file.bytes, level_4, sizeof level_4);
        else if (i == 2)
            file.bytes[125] = 2;
        else if (i == 3)
            memcpy(file.bytes + 126, "XY", 2);
        else
            file.size = i == 4 ? 100 : 0;
        static const char *const words[] = {"save with -v7", "level 4",   "version 2",
                                            "IM or MI",      "truncated", "truncated"};
        check_refused(i < 3 ? CONGRU_ERROR_UNSUPPORTED : CONGRU_ERROR_FORMAT, words[i]);
    }
}

TEST(refuses_what_is_not_plain)
{
    static const struct {
        uint32_t flags;
        const char *words;
        congru_status status;
    } cases[] = {
        {6 | MAT_COMPLEX, "variable 'v': complex numbers", CONGRU_ERROR_UNSUPPORTED},
        {3, "variable 'v': an object", CONGRU_ERROR_UNSUPPORTED},
        {5, "variable 'v': a sparse matrix", CONGRU_ERROR_UNSUPPORTED},
        {16, "variable 'v': a function handle", CONGRU_ERROR_UNSUPPORTED},
        {0, "unknown class 0", CONGRU_ERROR_FORMAT},
        {99, "unknown class 99", CONGRU_ERROR_FORMAT},
    };
    const double value = 1;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        mat_begin(&file, false);
        mat_numbers(&file, "v", cases[i].flags, 9, 2, (const size_t[]){1, 1}, &value);
        check_refused(cases[i].status, cases[i].words);
    }
    static const uint32_t tag[2] = {14, 40}, opaque[2] = {17, 0};
    mat_begin(&file, false);
    mat_element(&file, 9, NULL, 0, 1,
                false); /* in place of the tag of an array, which is then written over it */
    memcpy(file.bytes + 128, tag, sizeof tag);
    mat_element(&file, 6, opaque, sizeof opaque, 4, false);
    mat_element(&file, 1, "t", 1, 1, true);
    mat_element(&file, 1, "MCOS1234", 8, 1, false);
    check_refused(CONGRU_ERROR_UNSUPPORTED, "variable 't': an object (such as a table");
}

TEST(refuses_lying_sizes)
{
    static const struct {
        size_t dims, shape[9];
        const char *words;
        congru_status status;
    } cases[] = {
        {2, {1, 2}, "expected 2 values of 8 bytes, found 8 bytes", CONGRU_ERROR_FORMAT},
        {2, {1, 0}, "expected 0 values", CONGRU_ERROR_FORMAT},
        {2, {2147483647, 1}, "expected 2147483647 values", CONGRU_ERROR_FORMAT},
        {2, {4294967295, 1}, "negative length", CONGRU_ERROR_FORMAT},
        {3, {2147483647, 2147483647, 2147483647}, "too large for any file", CONGRU_ERROR_FORMAT},
        {4, {0, 2147483647, 2147483647, 2147483647}, "too large for any file", CONGRU_ERROR_FORMAT},
        {1, {1}, "expected the dimensions", CONGRU_ERROR_FORMAT},
        {9, {1, 1, 1, 1, 1, 1, 1, 1, 1}, "9 dimensions", CONGRU_ERROR_UNSUPPORTED},
    };
    const double value = 1;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        mat_begin(&file, false);
        size_t start = mat_open(&file, 6, cases[i].dims, cases[i].shape, "v");
        mat_element(&file, 9, &value, 8, 8, false);
        mat_close(&file, start);
        check_refused(cases[i].status, cases[i].words);
    }
    mat_begin(&file, false);
    size_t start = mat_open(&file, 1, 2, (const size_t[]){1, 1000000}, "c");
    mat_number(&file, "", 1);
    mat_close(&file, start);
    check_refused(CONGRU_ERROR_FORMAT, "expected 1000000 arrays inside, found room for 8");
    mat_begin(&file, false);
    start = mat_open(&file, 6, 2, (const size_t[]){1, 1}, "v");
    mat_element(&file, 9, &value, 8, 8, false);
    mat_element(&file, 9, &value, 8, 8, false);
    mat_close(&file, start);
    check_refused(CONGRU_ERROR_FORMAT, "16 bytes are left over");
    mat_begin(&file, false);
    mat_element(&file, 9, &value, 8, 8, false);
    check_refused(CONGRU_ERROR_FORMAT, "expected a variable, found an element of type 9");
}

/* Two million cells of no bytes deflate to nothing, and would take a quarter of a gigabyte. */
TEST(refuses_many_cells)
{
    enum { CELLS = 2 << 20 };
    mat_begin(&file, false);
    size_t start = mat_open(&file, 1, 2, (const size_t[]){1, CELLS}, "c");
    for (size_t i = 0; i < CELLS; i++)
        mat_element(&file, 14, NULL, 0, 1, false);
    mat_close(&file, start);
    mat_compress(&file, start);
    check_refused(CONGRU_ERROR_UNSUPPORTED, "more than 1048576 cells");
}

TEST(refuses_lies_about_compression)
{
    const double value = 1;
    for (int i = 0; i < 5; i++) {
        static const char *const words[] = {"an element of 2147483647 bytes", "too early", "more is compressed",
                                            "damaged", "left over"};
        mat_begin(&file, false);
        size_t start = file.size;
        mat_numbers(&file, "v", 6, 9, 2, (const size_t[]){1, 1}, &value);
        uint32_t size = i == 0 ? 2147483647 : (uint32_t)(file.size - start - 8);
        if (i == 0)
            memcpy(file.bytes + start + 4, &size, 4);
        else if (i == 1)
            file.size -= 8;
        else if (i == 2)
            mat_element(&file, 9, &value, 8, 8, false);
        mat_compress(&file, start);
        if (i == 3)
            file.bytes[file.size - 1] ^= 1;
        size = (uint32_t)(file.size - start - 8) + 1;
        if (i == 4) {
            memcpy(file.bytes + start + 4, &size, 4);
            file.size++;
        }
        check_refused(CONGRU_ERROR_FORMAT, words[i]);
    }
}

/* ---- Damage -------------------------------------------------------------------------------------- */

/* Cut off between variables a file is a file with fewer; anywhere else it is refused. */
TEST(refuses_every_truncation)
{
    for (int form = 0; form < 4; form++) {
        mat_sample(&file, form & 1, form & 2);
        size_t whole = file.size, read = 0;
        for (size_t size = 0; size < whole; size++) {
            congru_mat *mat = NULL;
            file.size = size;
            congru_status status = read_file(&mat);
            read += status == CONGRU_OK;
            if (status != CONGRU_OK)
                check_refusal(status, CONGRU_ERROR_FORMAT, "", mat);
            congru_mat_free(&mat);
        }
        CHECK_SAYING(read == 4, "%zu truncations were read, not those after 0, 1, 2 and 3 variables", read);
        mat_end(&file);
    }
}

static bool same_value(const congru_mat_value *a, const congru_mat_value *b)
{
    bool same = a->kind == b->kind && a->dims == b->dims && a->count == b->count && a->fields == b->fields;
    for (size_t k = 0; k < a->dims && same; k++)
        same = a->shape[k] == b->shape[k];
    for (size_t i = 0; i < a->fields && same; i++)
        same = strcmp(a->field[i], b->field[i]) == 0;
    if (same && a->number != NULL)
        same = memcmp(a->number, b->number, a->count * sizeof(double)) == 0;
    if (same && a->text != NULL)
        same = strcmp(a->text, b->text) == 0;
    size_t elements = a->kind == CONGRU_MAT_STRUCT ? a->count * a->fields : a->count;
    for (size_t i = 0; a->element != NULL && i < elements && same; i++)
        same = same_value(&a->element[i], &b->element[i]);
    return same;
}

static bool same_file(const congru_mat *a, const congru_mat *b)
{
    bool same = true;
    for (size_t i = 0; congru_mat_variable(a, i) != NULL && same; i++) {
        const congru_mat_value *value = congru_mat_find(b, congru_mat_variable(a, i));
        same = value != NULL && same_value(congru_mat_find(a, congru_mat_variable(a, i)), value);
    }
    return same;
}

/* What is compressed has a checksum: a change in it that is not refused changed nothing (bits that pad the last
 * byte). */
TEST(survives_changed_bytes)
{
    congru_random random = congru_random_stream(3, 0, 0, 0);
    size_t read = 0, refused = 0;
    for (int form = 0; form < 4; form++) {
        bool compressed = form & 1;
        mat_sample(&file, compressed, form & 2);
        congru_mat *intact = read_whole();
        for (int trial = 0; trial < 2000; trial++) {
            mat_sample(&file, compressed, form & 2);
            size_t place = congru_random_index(&random, file.size);
            file.bytes[place] ^= (unsigned char)(1 + congru_random_index(&random, 255));
            congru_mat *mat = NULL;
            congru_status status = read_file(&mat);
            if (status == CONGRU_OK) {
                read++;
                CHECK_SAYING(!compressed || same_file(intact, mat), "other values for a change at byte %zu",
                             place);
            } else {
                refused++;
                check_refusal(status, status, "", mat);
            }
            congru_mat_free(&mat);
            mat_end(&file);
        }
        congru_mat_free(&intact);
    }
    CHECK_SAYING(read > 1000 && refused > 1000, "%zu read, %zu refused", read, refused);
}

int main(void)
{
    return context_main(&context, NULL);
}
