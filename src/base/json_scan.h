/* The reader of JSON, value by value, without a tree. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_BASE_JSON_SCAN_H
#define CONGRU_BASE_JSON_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/* Where a text is being read. RFC 8259 and no more: no comments, no trailing commas, no NaN; strings must be valid
 * UTF-8 without U+0000, which C cannot hold, and without halves of surrogate pairs. A `lenient` scan reads U+FFFD for
 * what strings must not hold. At most CONGRU_SCAN_DEPTH_MAX brackets deep. After the first thing that is not as expected
 * `failed` stays set, `wrong` says what it was, `at` is there, and every call answers false:
 *
 *     congru_scan json = congru_scan_start(text, size);
 *     char key[64];
 *     for (bool first = congru_scan_object(&json); congru_scan_member(&json, &first, key, sizeof key);)
 *         ... read one value, or congru_scan_skip ...
 *     if (!congru_scan_end(&json)) ... it was not JSON, or not the JSON expected
 */
enum { CONGRU_SCAN_DEPTH_MAX = 64, CONGRU_SCAN_NUMBER_MAX = 1023 };

typedef struct congru_scan {
    const char *at, *end;
    int depth;
    bool lenient;
    bool failed;
    const char *wrong;
} congru_scan;

congru_scan congru_scan_start(const char *text, size_t size);

/* Nothing but blanks is left, and nothing failed. */
bool congru_scan_end(congru_scan *json);

/* Enters an object or array; then members or elements follow until the answer is false, which leaves it. A name may
 * come twice: that is for the caller to see. */
bool congru_scan_object(congru_scan *json);
bool congru_scan_member(congru_scan *json, bool *first, char *key, size_t key_size);
bool congru_scan_member_add(congru_scan *json, bool *first, congru_text *key);
bool congru_scan_array(congru_scan *json);
bool congru_scan_element(congru_scan *json, bool *first);

/* What the next value begins with: '{', '[', '"', 't', 'f', 'n', '-' or a digit; '\0' at the end. */
char congru_scan_peek(congru_scan *json);

/* Fails for one that does not fit with its ending zero. */
bool congru_scan_string(congru_scan *json, char *string, size_t size);

/* Adds it to a text of any length. */
bool congru_scan_string_add(congru_scan *json, congru_text *text);

/* A number that is finite, of at most CONGRU_SCAN_NUMBER_MAX characters. */
bool congru_scan_number(congru_scan *json, double *number);

/* A whole number from 0 to 2^53, written without point or exponent. */
bool congru_scan_count(congru_scan *json, uint64_t *count);

bool congru_scan_boolean(congru_scan *json, bool *state);
bool congru_scan_null(congru_scan *json);

/* Any value. */
bool congru_scan_skip(congru_scan *json);

#endif
