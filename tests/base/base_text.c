/* Text that grows: JSON, numbers, UTF-8 both ways. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/utf8.h"
#include "harness.h"

/* Every code point goes through its bytes and back; no shorter prefix of them is a character. */
TEST(every_character_comes_back)
{
    char bytes[4];
    uint32_t code;
    for (uint32_t c = 0; c <= 0x110010; c++) {
        size_t size = congru_utf8_encode(c, bytes);
        if ((c >= 0xd800 && c < 0xe000) || c > 0x10ffff) {
            if (!CHECK(size == 0))
                return;
            continue;
        }
        if (!CHECK_SAYING(size > 0 && congru_utf8_decode(bytes, size, &code) == size && code == c, "U+%04X", c))
            return;
        for (size_t part = 0; part < size; part++)
            if (!CHECK(congru_utf8_decode(bytes, part, &code) == 0))
                return;
    }
}

TEST(what_is_no_character_is_refused)
{
    static const char *const wrong[] = {
        "\x80",         "\xc0\x80",         "\xc1\xbf",         "\xe0\x9f\xbf",
        "\xed\xa0\x80", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80",
        "\xff",         "\xe2\x28\xa1"};
    uint32_t code;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK_SAYING(congru_utf8_decode(wrong[i], strlen(wrong[i]), &code) == 0, "%zu", i);
    CHECK(congru_utf8_valid("a\xc3\xa9z", 4) && !congru_utf8_valid("a\xc3", 2));
}

TEST(json_is_quoted)
{
    congru_text text = {0};
    congru_text_add_json(&text, "a\"\\\n<\xc3\xa9\xff");
    CHECK_SAYING(text.data != NULL && strcmp(text.data, "\"a\\\"\\\\\\u000a\\u003c\xc3\xa9\\ufffd\"") == 0,
                 "%s", text.data);
    congru_text_clear(&text);
    congru_text_add_number(&text, 0.1, 17);
    congru_text_add(&text, " ");
    congru_text_add_number(&text, 0.1, 6);
    congru_text_add(&text, " ");
    congru_text_add_number(&text, INFINITY, 6);
    CHECK_SAYING(strcmp(text.data, "0.10000000000000001 0.1 null") == 0, "%s", text.data);
    congru_text_clear(&text);
}

int main(void)
{
    harness_run_all();
    return harness_end();
}
