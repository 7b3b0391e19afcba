/* Reads JSON strictly. SPDX-License-Identifier: Apache-2.0 */
#include "model/json_scan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_SIZE = 64 };

congru_scan congru_scan_start(const char *text, size_t size)
{
    return (congru_scan){.at = text, .end = text + size};
}

static bool fail(congru_scan *json)
{
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
    skip_blanks(json);
    return !json->failed && json->at < json->end ? *json->at : '\0';
}

bool congru_scan_end(congru_scan *json)
{
    skip_blanks(json);
    return !json->failed && json->at == json->end;
}

static bool take(congru_scan *json, char wanted)
{
    if (congru_scan_peek(json) != wanted || wanted == '\0')
        return fail(json);
    json->at++;
    return true;
}

/* ---- Objects and arrays -------------------------------------------------------------------------------- */

static bool enter(congru_scan *json, char bracket)
{
    return take(json, bracket) && (++json->depth <= CONGRU_SCAN_DEPTH_MAX || fail(json));
}

/* Whether another one follows; otherwise the bracket is closed. */
static bool another(congru_scan *json, bool *first, char bracket)
{
    if (congru_scan_peek(json) == bracket) {
        json->at++;
        json->depth--;
        return false;
    }
    if (!*first && !take(json, ','))
        return false;
    *first = false;
    return !json->failed;
}

bool congru_scan_object(congru_scan *json)
{
    return enter(json, '{');
}

bool congru_scan_array(congru_scan *json)
{
    return enter(json, '[');
}

bool congru_scan_member(congru_scan *json, bool *first, char *key, size_t key_size)
{
    return !json->failed && another(json, first, '}') && congru_scan_string(json, key, key_size) &&
           take(json, ':');
}

bool congru_scan_element(congru_scan *json, bool *first)
{
    return !json->failed && another(json, first, ']') && (congru_scan_peek(json) != '\0' || fail(json));
}

/* ---- Strings ------------------------------------------------------------------------------------------- */

/* The length of the well-formed UTF-8 character at `s`, of at most `left` bytes; 0 for anything else. */
static size_t character_size(const unsigned char *s, size_t left)
{
    size_t size = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : s[0] < 0xf5 ? 4 : 0;
    if (size == 0 || size > left)
        return 0;
    for (size_t i = 1; i < size; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    if (size >= 3 && ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] >= 0xa0) ||
                      (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] >= 0x90)))
        return 0;
    return size;
}

static bool take_hex(congru_scan *json, uint32_t *code)
{
    *code = 0;
    if (json->end - json->at < 4)
        return fail(json);
    for (int i = 0; i < 4; i++) {
        char c = *json->at++;
        uint32_t digit = c >= '0' && c <= '9'   ? (uint32_t)(c - '0')
                         : c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a' + 10)
                         : c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A' + 10)
                                                : 16;
        if (digit == 16)
            return fail(json);
        *code = *code * 16 + digit;
    }
    return true;
}

static size_t encode(uint32_t code, char bytes[4])
{
    if (code < 0x80) {
        bytes[0] = (char)code;
        return 1;
    }
    size_t size = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = size - 1; i > 0; i--, code >>= 6)
        bytes[i] = (char)(0x80 | (code & 0x3f));
    bytes[0] = (char)((size == 2 ? 0xc0u : size == 3 ? 0xe0u : 0xf0u) | code);
    return size;
}

/* \uXXXX, or two of them that are one character beyond the first 65536. */
static size_t take_escaped_code(congru_scan *json, char bytes[4])
{
    uint32_t code, low;
    if (!take_hex(json, &code) || code == 0 || (code >= 0xdc00 && code < 0xe000))
        return 0;
    if (code >= 0xd800 && code < 0xdc00) {
        if (json->end - json->at < 2 || json->at[0] != '\\' || json->at[1] != 'u')
            return 0;
        json->at += 2;
        if (!take_hex(json, &low) || low < 0xdc00 || low >= 0xe000)
            return 0;
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
    return encode(code, bytes);
}

/* The next character of a string, decoded; 0 for what must not be there. */
static size_t take_character(congru_scan *json, char bytes[4])
{
    static const char escapes[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    if (*json->at != '\\') {
        size_t size = character_size((const unsigned char *)json->at, (size_t)(json->end - json->at));
        if ((unsigned char)*json->at < ' ')
            size = 0;
        memcpy(bytes, json->at, size);
        json->at += size;
        return size;
    }
    json->at++;
    if (json->at == json->end)
        return 0;
    char c = *json->at++;
    if (c == 'u')
        return take_escaped_code(json, bytes);
    const char *found = c != '\0' ? strchr(escapes, c) : NULL;
    if (found == NULL)
        return 0;
    bytes[0] = meant[found - escapes];
    return 1;
}

/* Into `string` of `size` bytes, or else into `text`; or nowhere, when both are NULL. */
static bool take_string(congru_scan *json, char *string, size_t size, congru_text *text)
{
    size_t used = 0;
    if (!take(json, '"'))
        return false;
    while (json->at < json->end && *json->at != '"') {
        char bytes[4];
        size_t count = take_character(json, bytes);
        if (count == 0 || (string != NULL && size - used <= count))
            return fail(json);
        if (string != NULL)
            memcpy(string + used, bytes, count);
        else if (text != NULL)
            congru_text_add(text, "%.*s", (int)count, bytes);
        used += count;
    }
    if (json->at == json->end)
        return fail(json);
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
    congru_text_add(text, "%s", ""); /* an empty one is a text too */
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
    char copy[NUMBER_SIZE];
    congru_scan_peek(json);
    const char *begin = json->at;
    if (json->failed)
        return false;
    take_sign(json, "-");
    bool zero = json->at < json->end && *json->at == '0';
    size_t digits = take_digits(json);
    if (digits == 0 || (zero && digits > 1))
        return fail(json);
    if (take_sign(json, ".") && take_digits(json) == 0)
        return fail(json);
    if (take_sign(json, "eE")) {
        take_sign(json, "+-");
        if (take_digits(json) == 0)
            return fail(json);
    }
    size_t size = (size_t)(json->at - begin);
    if (size >= sizeof copy)
        return fail(json);
    memcpy(copy, begin, size);
    copy[size] = '\0';
    *number = strtod(copy, NULL);
    return isfinite(*number) || fail(json);
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
            return fail(json);
    if (number > 0x1p53)
        return fail(json);
    *count = (uint64_t)number;
    return true;
}

static bool take_word(congru_scan *json, const char *word)
{
    size_t size = strlen(word);
    if ((size_t)(json->end - json->at) < size || memcmp(json->at, word, size) != 0)
        return fail(json);
    json->at += size;
    return true;
}

bool congru_scan_boolean(congru_scan *json, bool *state)
{
    *state = congru_scan_peek(json) == 't';
    return !json->failed && take_word(json, *state ? "true" : "false");
}

bool congru_scan_skip(congru_scan *json)
{
    double number;
    bool first = true;
    switch (congru_scan_peek(json)) {
    case '{':
        congru_scan_object(json);
        while (!json->failed && another(json, &first, '}'))
            if (!take_string(json, NULL, 0, NULL) || !take(json, ':') || !congru_scan_skip(json))
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
