/* Digests of tables, field by field. SPDX-License-Identifier: Apache-2.0 */
#include "evaluation/table_digest.h"

#include <stdio.h>
#include <string.h>

#include "base/digest.h"
#include "base/error.h"

static void print_digest(uint64_t digest, char digits[CONGRU_DIGEST_SIZE])
{
    snprintf(digits, CONGRU_DIGEST_SIZE, "%016llx", (unsigned long long)digest);
}

/* Of the heading, the first `rows` rows, and what the table is about. */
static void digest_rows(const congru_csv *table, size_t rows, const char *of, char digits[CONGRU_DIGEST_SIZE])
{
    const size_t fields = (rows + 1) * table->columns;
    uint64_t digest = congru_digest(fields, of, strlen(of) + 1);
    for (size_t i = 0; i < fields; i++)
        digest = congru_digest(digest, table->field[i], strlen(table->field[i]) + 1);
    print_digest(digest, digits);
}

congru_status congru_table_digest_add(congru_context *context, const char *of, congru_text *table)
{
    congru_csv csv;
    char digits[CONGRU_DIGEST_SIZE];
    if (table->failed)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "%s: not enough memory", of);
    CONGRU_TRY(congru_csv_parse(context, of, table->data, &csv));
    digest_rows(&csv, csv.rows, of, digits);
    congru_text_add(table, "digest,%s,", digits);
    congru_text_add_csv(table, of);
    for (size_t i = 3; i < csv.columns; i++)
        congru_text_add(table, ",");
    congru_text_add(table, "\n");
    congru_csv_clear(&csv);
    return CONGRU_OK;
}

congru_status congru_table_digest_check(congru_context *context, const char *of, congru_csv *table, bool *has)
{
    char digits[CONGRU_DIGEST_SIZE];
    *has = table->rows > 0 && table->columns > 2 &&
           strcmp(congru_csv_field(table, table->rows - 1, 0), "digest") == 0;
    if (!*has)
        return CONGRU_OK;
    table->rows--;
    digest_rows(table, table->rows, of, digits);
    if (strcmp(congru_csv_field(table, table->rows, 2), of) != 0)
        return congru_fail(context, CONGRU_ERROR_FORMAT, "%s: is of %.80s, not of %s", table->path,
                           congru_csv_field(table, table->rows, 2), of);
    if (strcmp(congru_csv_field(table, table->rows, 1), digits) != 0)
        return congru_fail(context, CONGRU_ERROR_FORMAT, "%s: damaged: not as it was written", table->path);
    return CONGRU_OK;
}

void congru_text_digest(const char *text, char digits[CONGRU_DIGEST_SIZE])
{
    digits[0] = '\0';
    if (text != NULL)
        print_digest(congru_digest(0, text, strlen(text)), digits);
}
