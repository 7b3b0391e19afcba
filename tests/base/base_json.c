/* The reader of JSON: what it takes, what it refuses, and where. SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/json_scan.h"
#include "harness.h"

/* A scan of a copy that ends where the text does, so that a sanitizer sees a look beyond it. */
static congru_scan skip_copy(const char *text, size_t size, bool lenient, char **copy)
{
    *copy = malloc(size + (size == 0));
    memcpy(*copy, text, size);
    congru_scan json = congru_scan_start(*copy, size);
    json.lenient = lenient;
    if (congru_scan_skip(&json))
        congru_scan_end(&json);
    return json;
}

/* What is wrong with the text, or NULL. */
static const char *wrong_with(const char *text, size_t size)
{
    char *copy;
    congru_scan json = skip_copy(text, size, false, &copy);
    CHECK(json.failed == (json.wrong != NULL) && json.at >= copy && json.at <= copy + size);
    free(copy);
    return json.wrong;
}

static void check_wrong(const char *text, const char *expected)
{
    const char *wrong = wrong_with(text, strlen(text));
    CHECK_SAYING(wrong != NULL && strcmp(wrong, expected) == 0, "%.60s: %s, not %s", text,
                 wrong != NULL ? wrong : "taken", expected);
}

TEST(json_is_strict)
{
    static const char *const good[] = {"{}",
                                       " [ ] ",
                                       "[1,-2.5e+3,0,1E5]",
                                       "{\"a\":{\"b\":[true,false,null]}}",
                                       "\"\\u00e4\\ud83d\\ude00\\n\\\\\"",
                                       "\"\xc3\xa4\"",
                                       "-0.0"};
    static const char *const bad[][2] = {{"", "not a JSON value"},
                                         {"{", "expected a name in quotes"},
                                         {"[", "not a JSON value"},
                                         {"[1,]", "nothing after a comma"},
                                         {"[,1]", "not a JSON value"},
                                         {"{\"a\":1,}", "nothing after a comma"},
                                         {"{\"a\":}", "not a JSON value"},
                                         {"[1}", "expected a comma or ]"},
                                         {"{\"a\":1]", "expected a comma or }"},
                                         {"01", "not a JSON value"},
                                         {"+1", "not a JSON value"},
                                         {".5", "not a JSON value"},
                                         {"-", "not a JSON value"},
                                         {"1.", "a number without its digits"},
                                         {"1e", "a number without its digits"},
                                         {"0x10", "something after the end of the value"},
                                         {"NaN", "not a JSON value"},
                                         {"Infinity", "not a JSON value"},
                                         {"tru", "not a JSON value"},
                                         {"truer", "something after the end of the value"},
                                         {"\"a", "a string that does not end"},
                                         {"\"\\x\"", "an escape that JSON does not have"},
                                         {"\"\\u12\"", "an escape that JSON does not have"},
                                         {"\"\\u12g4\"", "an escape that JSON does not have"},
                                         {"\"\\", "an escape that JSON does not have"},
                                         {"\"\t\"", "a control character in a string"},
                                         {"{a:1}", "expected a name in quotes"},
                                         {"{\"a\" 1}", "expected a colon after a name"},
                                         {"[1 2]", "expected a comma or ]"},
                                         {"1 2", "something after the end of the value"},
                                         {"// x\n1", "not a JSON value"}};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        CHECK_SAYING(wrong_with(good[i], strlen(good[i])) == NULL, "%s is refused", good[i]);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        check_wrong(bad[i][0], bad[i][1]);
    CHECK(wrong_with("[1\0]", 4) != NULL && wrong_with("\"\0\"", 3) != NULL && wrong_with("1\0", 2) != NULL);
}

TEST(strings_are_decoded)
{
    char text[16];
    congru_scan json = congru_scan_start("\"\\u00e4\\ud83d\\ude00x\"", 21);
    CHECK(congru_scan_string(&json, text, sizeof text) && strcmp(text, "\xc3\xa4\xf0\x9f\x98\x80x") == 0);
    json = congru_scan_start("\"123456\"", 8);
    CHECK(!congru_scan_string(&json, text, 6) && strcmp(json.wrong, "a string that is too long here") == 0);
    json = congru_scan_start("\"123456\"", 8);
    CHECK(congru_scan_string(&json, text, 7) && strcmp(text, "123456") == 0);
}

/* A million brackets end at the 65th, as do as many objects. */
TEST(depth_is_bounded)
{
    enum { DEEP = 1000000 };
    char *text = malloc(5 * DEEP + 1);
    memset(text, '[', DEEP);
    text[DEEP] = '\0';
    check_wrong(text, "too many levels");
    for (size_t i = 0; i < DEEP; i++)
        memcpy(text + 5 * i, "{\"a\":", 5);
    text[5 * DEEP] = '\0';
    check_wrong(text, "too many levels");
    memset(text, '[', CONGRU_SCAN_DEPTH_MAX);
    memset(text + CONGRU_SCAN_DEPTH_MAX, ']', CONGRU_SCAN_DEPTH_MAX);
    CHECK(wrong_with(text, 2 * CONGRU_SCAN_DEPTH_MAX) == NULL);
    /* Many beside one another are not deep. */
    for (size_t i = 0; i < 1000; i++)
        memcpy(text + 4 * i, i == 0 ? "[[1]" : ",[1]", 4);
    text[4000] = ']';
    CHECK(wrong_with(text, 4001) == NULL);
    free(text);
}

static bool is_count(const char *text, uint64_t expected)
{
    uint64_t count = 77;
    congru_scan json = congru_scan_start(text, strlen(text));
    return congru_scan_count(&json, &count) && congru_scan_end(&json) && count == expected;
}

TEST(numbers_are_bounded)
{
    char digits[CONGRU_SCAN_NUMBER_MAX + 2];
    memset(digits, '1', sizeof digits - 1);
    digits[sizeof digits - 1] = '\0';
    check_wrong(digits, "a number of too many digits");
    digits[1] = '.';
    check_wrong(digits, "a number of too many digits");
    digits[sizeof digits - 2] = '\0';
    CHECK(wrong_with(digits, strlen(digits)) == NULL);
    digits[1] = '1';
    check_wrong(digits, "a number too large for a double");
    digits[308] = '\0';
    CHECK(wrong_with(digits, 308) == NULL);
    check_wrong("1e999", "a number too large for a double");
    check_wrong("-1e99999999999999999999", "a number too large for a double");
    CHECK(wrong_with("1e-99999", 8) == NULL);
    CHECK(is_count("0", 0) && is_count("9007199254740992", UINT64_C(1) << 53));
    static const char *const no_counts[] = {
        "9007199254740994", "18446744073709551616", "-1", "1.0", "1e3", "-0", "\"1\""};
    for (size_t i = 0; i < sizeof no_counts / sizeof no_counts[0]; i++)
        CHECK_SAYING(!is_count(no_counts[i], 77) && !is_count(no_counts[i], 0), "%s is taken", no_counts[i]);
}

/* Refused, or read with U+FFFD in its place by a lenient scan. */
static void check_replaced(const char *text, const char *wrong, const char *lenient)
{
    char *copy, read[64];
    check_wrong(text, wrong);
    congru_scan json = skip_copy(text, strlen(text), true, &copy);
    CHECK_SAYING(!json.failed, "%s: %s", text, json.wrong);
    json = congru_scan_start(copy, strlen(text));
    json.lenient = true;
    CHECK(congru_scan_string(&json, read, sizeof read) && congru_scan_end(&json));
    CHECK_SAYING(strcmp(read, lenient) == 0, "%s is %s", text, read);
    free(copy);
}

#define LOST "\xef\xbf\xbd"

TEST(other_characters_are_refused_or_replaced)
{
    static const char half[] = "half of a surrogate pair in a string", bytes[] = "a string that is not UTF-8";
    check_replaced("\"\\ud800\"", half, LOST);
    check_replaced("\"\\udfff\"", half, LOST);
    check_replaced("\"\\ud800\\n\"", half, LOST "\n");
    check_replaced("\"\\ud800\\u0041\"", half, LOST "A");
    check_replaced("\"\\ude00\\ud83d\"", half, LOST LOST);
    check_replaced("\"\\ud83d\\ud83d\\ude00\"", half, LOST "\xf0\x9f\x98\x80");
    check_replaced("\"a\\u0000b\"", "a NUL in a string", "a" LOST "b");
    check_replaced("\"\xff\"", bytes, LOST);
    check_replaced("\"a\x80z\"", bytes, "a" LOST "z");
    check_replaced("\"\xc0\xaf\"", bytes, LOST LOST);                   /* a slash, too long */
    check_replaced("\"\xe0\x80\xaf\"", bytes, LOST LOST LOST);          /* longer */
    check_replaced("\"\xed\xa0\x80\"", bytes, LOST LOST LOST);          /* half a pair */
    check_replaced("\"\xf4\x90\x80\x80\"", bytes, LOST LOST LOST LOST); /* beyond U+10FFFF */
    check_replaced("\"\xe2\x82\"", bytes, LOST LOST);                   /* cut */
    /* Cut by the end of the text: there is nothing to replace it in. */
    CHECK(strcmp(wrong_with("\"\xf0\x9f\x98", 4), bytes) == 0);
    CHECK(strcmp(wrong_with("\"\\ud83d\\ude", 11), half) == 0);
}

/* Cut anywhere, a text is refused. */
TEST(truncated_texts_are_refused)
{
    static const char whole[] =
        "{\"a\\n\":[1.5e-3,true,\"\\ud83e\\udde0\xc3\xa4\",null],\"b\":{\"c\":{}},\"d\":-0.5}";
    for (size_t size = 0; size < sizeof whole; size++)
        CHECK_SAYING((wrong_with(whole, size) == NULL) == (size == sizeof whole - 1), "%zu bytes", size);
}

/* After a failure nothing is read, and what failed first is what is told. */
TEST(failures_stay)
{
    double number = 7;
    uint64_t count = 7;
    bool state, first = true;
    char key[8];
    congru_text text = {0};
    congru_scan json = congru_scan_start("[x, 1]", 6);
    CHECK(congru_scan_array(&json) && congru_scan_element(&json, &first) &&
          !congru_scan_number(&json, &number));
    CHECK(!congru_scan_element(&json, &first) && !congru_scan_member(&json, &first, key, sizeof key));
    CHECK(!congru_scan_member_add(&json, &first, &text) && !congru_scan_count(&json, &count));
    CHECK(!congru_scan_boolean(&json, &state) && !congru_scan_null(&json) && !congru_scan_skip(&json));
    CHECK(!congru_scan_object(&json) && !congru_scan_array(&json) && !congru_scan_end(&json));
    CHECK(congru_scan_peek(&json) == '\0' && number == 7 && count == 7 && *json.at == 'x');
    CHECK(strcmp(json.wrong, "not a JSON value") == 0);
    congru_text_clear(&text);
}

int main(void)
{
    harness_run_all();
    return harness_end();
}
