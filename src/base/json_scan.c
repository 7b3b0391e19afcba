/* Reads JSON strictly. SPDX-License-Identifier: Apache-2.0 */
#include "base/json_scan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number_text.h"
#include "base/utf8.h"

congru_scan congru_scan_start(const char *text, size_t size)
{
    return (congru_scan){.at = text, .end = text + size};
}

static bool fail(congru_scan *json, const char *wrong)
{
    if (!json->failed)
        json->wrong = wrong;
    json->failed = true;
    return false;
}

static void skip_blanks(congru_scan *json)
{
    while (json->at < json->end &&
           (*json->at == ' ' || *json->at == '\t' || *json->at == '\n' || *json->at == '\r'))
        json->at++;
}

char congru_scan_peek(congru_scan *json)
{
    if (json->failed)
        return '\0';
    skip_blanks(json);
    return json->at < json->end ? *json->at : '\0';
}

bool congru_scan_end(congru_scan *json)
{
    congru_scan_peek(json);
    return !json->failed && (json->at == json->end || fail(json, "something after the end of the value"));
}

static bool take(congru_scan *json, char wanted, const char *wrong)
{
    if (congru_scan_peek(json) != wanted || wanted == '\0')
        return fail(json, wrong);
    json->at++;
    return true;
}

/* ---- Objects and arrays -------------------------------------------------------------------------------- */

static bool enter(congru_scan *json, char bracket)
{
    if (!take(json, bracket, bracket == '[' ? "expected an array" : "expected an object"))
        return false;
    return ++json->depth <= CONGRU_SCAN_DEPTH_MAX || fail(json, "too many levels");
}

/* Whether another one follows; otherwise the bracket is closed. */
static bool another(congru_scan *json, bool *first, char bracket)
{
    char next = congru_scan_peek(json);
    if (json->failed)
        return false;
    if (next == bracket) {
        json->at++;
        json->depth--;
        return false;
    }
    if (!*first) {
        if (!take(json, ',', bracket == ']' ? "expected a comma or ]" : "expected a comma or }"))
            return false;
        next = congru_scan_peek(json);
        if (next == bracket)
            return fail(json, "nothing after a comma");
    }
    *first = false;
    if (bracket == '}' && next != '"')
        return fail(json, "expected a name in quotes");
    return next != '\0' || fail(json, "not a JSON value");
}

bool congru_scan_object(congru_scan *json)
{
    return enter(json, '{');
}

bool congru_scan_array(congru_scan *json)
{
    return enter(json, '[');
}

static bool take_colon(congru_scan *json)
{
    return take(json, ':', "expected a colon after a name");
}

bool congru_scan_member(congru_scan *json, bool *first, char *key, size_t key_size)
{
    return another(json, first, '}') && congru_scan_string(json, key, key_size) && take_colon(json);
}

bool congru_scan_member_add(congru_scan *json, bool *first, congru_text *key)
{
    return another(json, first, '}') && congru_scan_string_add(json, key) && take_colon(json);
}

bool congru_scan_element(congru_scan *json, bool *first)
{
    return another(json, first, ']');
}

/* ---- Strings ------------------------------------------------------------------------------------------- */

/* Four digits at `at`; false where there are not. */
static bool read_hex(const congru_scan *json, const char *at, uint32_t *code)
{
    *code = 0;
    if (json->end - at < 4)
        return false;
    for (int i = 0; i < 4; i++) {
        const char c = at[i];
        const uint32_t digit = c >= '0' && c <= '9'   ? (uint32_t)(c - '0')
                               : c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a' + 10)
                               : c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A' + 10)
                                                      : 16;
        if (digit == 16)
            return false;
        *code = *code * 16 + digit;
    }
    return true;
}

/* What a string must not hold: U+FFFD, or 0 after a failure. */
static size_t replace(congru_scan *json, const char *wrong, char bytes[4])
{
    if (!json->lenient) {
        fail(json, wrong);
        return 0;
    }
    return congru_utf8_encode(CONGRU_UTF8_REPLACEMENT, bytes);
}

/* \uXXXX, or two of them that are one character beyond the first 65536. */
static size_t take_escaped_code(congru_scan *json, char bytes[4])
{
    uint32_t code, low;
    if (!read_hex(json, json->at, &code)) {
        fail(json, "an escape that JSON does not have");
        return 0;
    }
    json->at += 4;
    if (code >= 0xd800 && code < 0xdc00 && json->end - json->at >= 2 && json->at[0] == '\\' &&
        json->at[1] == 'u' && read_hex(json, json->at + 2, &low) && low >= 0xdc00 && low < 0xe000) {
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        json->at += 6;
    }
    if (code == 0)
        return replace(json, "a NUL in a string", bytes);
    if (code >= 0xd800 && code < 0xe000)
        return replace(json, "half of a surrogate pair in a string", bytes);
    return congru_utf8_encode(code, bytes);
}

/* The next character of a string where it is not plain, decoded; 0 after a failure. */
static size_t take_special(congru_scan *json, char bytes[4])
{
    static const char escapes[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    if ((unsigned char)*json->at < ' ') {
        fail(json, "a control character in a string");
        return 0;
    }
    if (*json->at != '\\') {
        json->at += json->lenient; /* a scan stays where it failed */
        return replace(json, "a string that is not UTF-8", bytes);
    }
    json->at++;
    const char c = json->at < json->end ? *json->at++ : '\0';
    if (c == 'u')
        return take_escaped_code(json, bytes);
    const char *found = c != '\0' ? strchr(escapes, c) : NULL;
    if (found == NULL) {
        fail(json, "an escape that JSON does not have");
        return 0;
    }
    bytes[0] = meant[found - escapes];
    return 1;
}

/* The bytes up to the string's end, an escape, or what must not be there. */
static size_t plain_bytes(const congru_scan *json)
{
    const char *c = json->at;
    uint32_t code;
    while (c < json->end && *c != '"' && *c != '\\' && (unsigned char)*c >= ' ') {
        size_t size = congru_utf8_decode(c, (size_t)(json->end - c), &code);
        if (size == 0)
            break;
        c += size;
    }
    return (size_t)(c - json->at);
}

/* Into `string` of `size` bytes, or else into `text`; or nowhere, when both are NULL. */
static bool take_string(congru_scan *json, char *string, size_t size, congru_text *text)
{
    size_t used = 0;
    if (!take(json, '"', "expected a string"))
        return false;
    while (json->at < json->end && *json->at != '"') {
        char bytes[4];
        const char *from = json->at;
        size_t count = plain_bytes(json);
        if (count > 0) {
            json->at += count;
        } else {
            count = take_special(json, bytes);
            from = bytes;
            if (count == 0)
                return false;
        }
        if (string != NULL && size - used <= count)
            return fail(json, "a string that is too long here");
        if (string != NULL)
            memcpy(string + used, from, count);
        else if (text != NULL)
            congru_text_add_bytes(text, from, count);
        used += count;
    }
    if (json->at == json->end)
        return fail(json, "a string that does not end");
    json->at++;
    if (string != NULL)
        string[used] = '\0';
    return true;
}

bool congru_scan_string(congru_scan *json, char *string, size_t size)
{
    return take_string(json, string, size, NULL);
}

bool congru_scan_string_add(congru_scan *json, congru_text *text)
{
    congru_text_add_bytes(text, "", 0); /* an empty one is a text too */
    return take_string(json, NULL, 0, text);
}

/* ---- Numbers and words --------------------------------------------------------------------------------- */

static size_t take_digits(congru_scan *json)
{
    const char *begin = json->at;
    while (json->at < json->end && *json->at >= '0' && *json->at <= '9')
        json->at++;
    return (size_t)(json->at - begin);
}

static bool take_sign(congru_scan *json, const char *signs)
{
    if (json->at == json->end || *json->at == '\0' || strchr(signs, *json->at) == NULL)
        return false;
    json->at++;
    return true;
}

bool congru_scan_number(congru_scan *json, double *number)
{
    static const char no_value[] = "not a JSON value", no_digits[] = "a number without its digits";
    char copy[CONGRU_SCAN_NUMBER_MAX + 1];
    congru_scan_peek(json);
    const char *begin = json->at;
    if (json->failed)
        return false;
    take_sign(json, "-");
    bool zero = json->at < json->end && *json->at == '0';
    size_t digits = take_digits(json);
    if (digits == 0 || (zero && digits > 1))
        return fail(json, no_value);
    if (take_sign(json, ".") && take_digits(json) == 0)
        return fail(json, no_digits);
    if (take_sign(json, "eE")) {
        take_sign(json, "+-");
        if (take_digits(json) == 0)
            return fail(json, no_digits);
    }
    size_t size = (size_t)(json->at - begin);
    if (size >= sizeof copy)
        return fail(json, "a number of too many digits");
    memcpy(copy, begin, size);
    copy[size] = '\0';
    *number = congru_number_read(copy, NULL);
    return isfinite(*number) || fail(json, "a number too large for a double");
}

bool congru_scan_count(congru_scan *json, uint64_t *count)
{
    double number;
    congru_scan_peek(json);
    const char *begin = json->at;
    if (!congru_scan_number(json, &number))
        return false;
    for (const char *c = begin; c < json->at; c++)
        if (*c < '0' || *c > '9')
            return fail(json, "expected a whole number");
    if (number > 0x1p53)
        return fail(json, "a whole number too large");
    *count = (uint64_t)number;
    return true;
}

static bool take_word(congru_scan *json, const char *word)
{
    size_t size = strlen(word);
    congru_scan_peek(json);
    if (json->failed || (size_t)(json->end - json->at) < size || memcmp(json->at, word, size) != 0)
        return fail(json, "not a JSON value");
    json->at += size;
    return true;
}

bool congru_scan_boolean(congru_scan *json, bool *state)
{
    *state = congru_scan_peek(json) == 't';
    return take_word(json, *state ? "true" : "false");
}

bool congru_scan_null(congru_scan *json)
{
    return take_word(json, "null");
}

bool congru_scan_skip(congru_scan *json)
{
    double number;
    bool first = true;
    switch (congru_scan_peek(json)) {
    case '{':
        congru_scan_object(json);
        while (another(json, &first, '}'))
            if (!take_string(json, NULL, 0, NULL) || !take_colon(json) || !congru_scan_skip(json))
                return false;
        return !json->failed;
    case '[':
        congru_scan_array(json);
        while (congru_scan_element(json, &first))
            if (!congru_scan_skip(json))
                return false;
        return !json->failed;
    case '"':
        return take_string(json, NULL, 0, NULL);
    case 't':
        return take_word(json, "true");
    case 'f':
        return take_word(json, "false");
    case 'n':
        return take_word(json, "null");
    default:
        return congru_scan_number(json, &number);
    }
}
