/* A strict reader of JSON, value by value, without a tree. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_MODEL_JSON_H
#define CONGRU_MODEL_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/* Where a text is being read. RFC 8259 and no more: no comments, no trailing commas, no NaN; strings must be valid
 * UTF-8 without U+0000, which C cannot hold. At most CONGRU_JSON_DEPTH_MAX brackets deep. After the first thing that
 * is not as expected `failed` stays set and every call answers false:
 *
 *     congru_json json = congru_json_start(text, size);
 *     char key[64];
 *     for (bool first = congru_json_object(&json); congru_json_member(&json, &first, key, sizeof key);)
 *         ... read one value, or congru_json_skip ...
 *     if (!congru_json_end(&json)) ... it was not JSON, or not the JSON expected
 */
enum { CONGRU_JSON_DEPTH_MAX = 32 };

typedef struct congru_json {
    const char *at, *end;
    int depth;
    bool failed;
} congru_json;

congru_json congru_json_start(const char *text, size_t size);

/* Nothing but blanks is left, and nothing failed. */
bool congru_json_end(congru_json *json);

/* Enters an object or array; then members or elements follow until the answer is false, which leaves it. */
bool congru_json_object(congru_json *json);
bool congru_json_member(congru_json *json, bool *first, char *key, size_t key_size);
bool congru_json_array(congru_json *json);
bool congru_json_element(congru_json *json, bool *first);

/* What the next value begins with: '{', '[', '"', 't', 'f', 'n', '-' or a digit; '\0' at the end. */
char congru_json_peek(congru_json *json);

/* Fails for one that does not fit with its ending zero. */
bool congru_json_string(congru_json *json, char *string, size_t size);

/* Adds it to a text of any length. */
bool congru_json_string_add(congru_json *json, congru_text *text);

bool congru_json_number(congru_json *json, double *number);

/* A whole number from 0 to 2^53, written without point or exponent. */
bool congru_json_count(congru_json *json, uint64_t *count);

bool congru_json_boolean(congru_json *json, bool *state);

/* Any value. */
bool congru_json_skip(congru_json *json);

#endif
