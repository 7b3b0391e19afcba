/* Status codes and version: every code has words of its own. SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>
#include <stdint.h>
#include <string.h>

#include "congru/congru.h"
#include "harness.h"

TEST(every_code_has_a_name)
{
    for (int code = 0; code < CONGRU_STATUS_COUNT; code++) {
        const char *name = congru_status_name((congru_status)code);
        const char *prefix = code == CONGRU_OK ? "CONGRU_OK" : "CONGRU_ERROR_";
        CHECK_SAYING(strncmp(name, prefix, strlen(prefix)) == 0, "code %d has another's name", code);
        CHECK_SAYING(strcmp(name, "CONGRU_ERROR_UNKNOWN") != 0, "code %d has no name", code);
    }
    CHECK(strcmp(congru_status_name(CONGRU_ERROR_IO), "CONGRU_ERROR_IO") == 0);
}

TEST(names_and_texts_differ)
{
    for (int a = 0; a < CONGRU_STATUS_COUNT; a++) {
        CHECK(strlen(congru_status_text((congru_status)a)) > 0);
        for (int b = 0; b < a; b++) {
            CHECK(strcmp(congru_status_name((congru_status)a), congru_status_name((congru_status)b)) != 0);
            CHECK(strcmp(congru_status_text((congru_status)a), congru_status_text((congru_status)b)) != 0);
        }
    }
}

TEST(values_that_are_no_code_have_words)
{
    const int values[] = {-1, CONGRU_STATUS_COUNT, INT_MAX, INT_MIN};

    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        CHECK(strcmp(congru_status_name((congru_status)values[i]), "CONGRU_ERROR_UNKNOWN") == 0);
        CHECK(strlen(congru_status_text((congru_status)values[i])) > 0);
    }
}

TEST(version_says_what_was_built)
{
    CHECK(strspn(congru_version(), "0123456789.") == strlen(congru_version()));
    CHECK(strchr(congru_version(), '.') != NULL);
    CHECK(strlen(congru_version_commit()) > 0);
    CHECK(strchr(congru_version_commit(), '@') == NULL);
    CHECK(strlen(congru_version_compiler()) > 0);
}

TEST(counted_nouns_agree_with_their_number)
{
    CHECK(strcmp(congru_count(1, "subject").text, "1 subject") == 0);
    CHECK(strcmp(congru_count(0, "subject").text, "0 subjects") == 0);
    CHECK(strcmp(congru_count(2, "class").text, "2 classes") == 0);
    CHECK(strcmp(congru_count(3, "matrix").text, "3 matrices") == 0);
    CHECK(strcmp(congru_count(1, "more channel").text, "1 more channel") == 0);
    CHECK(strlen(congru_count(SIZE_MAX, "a noun that is far longer than any message would have").text) < 64);
    CHECK(strcmp(congru_count(7, NULL).text, "7 ") == 0);
}

int main(void)
{
    harness_run_all();
    return harness_end();
}
