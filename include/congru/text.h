/* Text as files hold it: JSON and UTF-8. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_TEXT_H
#define CONGRU_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "congru/status.h"

#if defined(__GNUC__)
#define CONGRU_PRINTF(text_at, first_at) __attribute__((format(printf, text_at, first_at)))
#else
#define CONGRU_PRINTF(text_at, first_at)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Of the names of channels, classes, subjects and groups, with their '\0'. */
enum { CONGRU_LABEL_SIZE = 80 };

/* The character that begins at `bytes`, of which `size` are there: how many bytes it has, and its code point. 0 for what is
 * not well-formed UTF-8; *code is then undefined. */
CONGRU_API size_t congru_utf8_decode(const char *bytes, size_t size, uint32_t *code);

/* Whether a code point moves the cursor, begins a command to a terminal, ends a line, or shows the rest of it in another
 * order: control characters, and those that change the direction of text. */
CONGRU_API bool congru_utf8_is_control(uint32_t code);

/* Text that grows. {0} is empty. After a failed allocation everything added is dropped and `failed` stays set: look at it
 * once, at the end. Numbers are written as in the locale "C", whatever the host program has set. */
typedef struct congru_text {
    char *data; /* ends with '\0' once something was added; NULL before */
    size_t size;
    size_t room;
    bool failed;
} congru_text;

/* Adds what printf would print. */
CONGRU_API void congru_text_add(congru_text *text, const char *format, ...) CONGRU_PRINTF(2, 3);

/* A JSON string with its quotes; bytes that are not UTF-8 become U+FFFD. Also safe inside an HTML script element. */
CONGRU_API void congru_text_add_json(congru_text *text, const char *string);

/* A JSON number of so many significant digits, 1 to 17; with 17 it reads back as the same double. null when it is not
 * finite. */
CONGRU_API void congru_text_add_number(congru_text *text, double number, int digits);

CONGRU_API void congru_text_clear(congru_text *text);

#ifdef __cplusplus
}
#endif

#endif
