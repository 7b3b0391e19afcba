/* Comma-separated values and JSON strings, written and read back. SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "array/csv.h"
#include "base/text.h"
#include "context_main.h"
#include "harness.h"
#include "scratch.h"

static congru_context *context;

TEST(csv_fields)
{
    const char *path = path_in("fields.csv");
    const struct {
        const char *text;
        congru_status status;
        size_t rows;
        const char *words;
    } cases[] = {
        {"a,b\n1,2\n", CONGRU_OK, 1, ""},
        {"a,b\r\n1,\"2,\"\"x\"\"\"\r\n", CONGRU_OK, 1, ""},
        {"a,b\n1,2", CONGRU_OK, 1, ""},
        {"a,b\n1,", CONGRU_OK, 1, ""},
        {"a,b\n1\n", CONGRU_ERROR_FORMAT, 0, "line 2: 1 field,"},
        {"a,b\n1,2,3\n", CONGRU_ERROR_FORMAT, 0, "line 2: 3 fields"},
        {"a,b\n1,\"2\n", CONGRU_ERROR_FORMAT, 0, "line 2: a quote"},
        {"a,b\n1,\"2\"x\n", CONGRU_ERROR_FORMAT, 0, "line 2: a quote"},
        {"", CONGRU_ERROR_FORMAT, 0, "empty"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        FILE *file = fopen(path, "wb");
        fputs(cases[i].text, file);
        fclose(file);
        congru_csv csv;
        CHECK_SAYING(congru_csv_read(context, path, &csv) == cases[i].status, "case %zu", i);
        CHECK_SAYING(csv.rows == cases[i].rows, "case %zu: %zu rows", i, csv.rows);
        if (cases[i].status != CONGRU_OK)
            CHECK_SAYING(strstr(congru_context_error(context), cases[i].words) != NULL, "%s",
                         congru_context_error(context));
        if (i == 1)
            CHECK(strcmp(congru_csv_field(&csv, 0, 1), "2,\"x\"") == 0);
        congru_csv_clear(&csv);
    }
    remove(path);
}

TEST(json_strings)
{
    const struct {
        const char *text, *json;
    } cases[] = {
        {"a\"b\\", "\"a\\\"b\\\\\""},       {"</script>", "\"\\u003c/script\\u003e\""},
        {"\n\x01", "\"\\u000a\\u0001\""},   {"\xc3\xbc", "\"\xc3\xbc\""},
        {"\xff\xc3", "\"\\ufffd\\ufffd\""}, {"\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        congru_text text = {0};
        congru_text_add_json(&text, cases[i].text);
        CHECK_SAYING(strcmp(text.data, cases[i].json) == 0, "%s", text.data);
        congru_text_clear(&text);
    }
}

/* As it is in the file, and as it is read back: itself. */
TEST(csv_cells_are_no_formulas)
{
    static const struct {
        const char *text, *written;
    } cases[] = {
        {"left hand", "left hand"},
        {"=1+2", "'=1+2"},
        {"@sum(A1)", "'@sum(A1)"},
        {"+left", "'+left"},
        {"-left", "'-left"},
        {"-1", "-1"},
        {"+1.5e-3", "+1.5e-3"},
        {"-1+2", "'-1+2"},
        {"-", "'-"},
        {"'=x", "''=x"},
        {"''", "''"},
        {"'left", "'left"},
        {"'-1", "'-1"},
        {"\tx", "'\tx"},
        {"\rx", "\"'\rx\""},
        {"=a,\"b\"", "\"'=a,\"\"b\"\"\""},
        {"-1e", "'-1e"},
        {"S-01", "S-01"},
    };
    const char *path = path_in("formulas.csv");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        congru_text text = {0};
        congru_csv csv;
        congru_text_add_csv(&text, cases[i].text);
        CHECK_SAYING(strcmp(text.data, cases[i].written) == 0, "%s as %s", cases[i].text, text.data);
        FILE *file = fopen(path, "wb");
        CHECK(file != NULL && fprintf(file, "a,b\n%s,end\n", text.data) > 0 && fclose(file) == 0);
        if (CHECK(congru_csv_read(context, path, &csv) == CONGRU_OK && csv.rows == 1))
            CHECK_SAYING(strcmp(congru_csv_field(&csv, 0, 0), cases[i].text) == 0, "%s back as %s", text.data,
                         congru_csv_field(&csv, 0, 0));
        congru_csv_clear(&csv);
        congru_text_clear(&text);
    }
}

int main(void)
{
    return scratch_main(&context, NULL);
}
