/* Numbers as text and back, whatever the locale of the host program. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_BASE_NUMBER_TEXT_H
#define CONGRU_BASE_NUMBER_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/* A host program may have called setlocale, after which printf writes 0,5 and strtod reads 0.5 as 0. These do what
 * their namesakes of the C library do in the locale "C", from any thread, and leave the caller's locale as it was.
 * tests/structure.sh refuses the namesakes elsewhere in src/. */

/* As snprintf and vsnprintf; below 0 also where the system has no memory for the locale, and the buffer is then "". */
int congru_format(char *buffer, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
int congru_format_list(char *buffer, size_t size, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));

/* As strtod; where the system has no memory for the locale nothing is read: *end is `text`. */
double congru_number_read(const char *text, char **end);

/* A letter from A to Z as that from a to z; any other byte as it is. */
char congru_small_letter(char c);

/* Whether two texts of `size` bytes are the same but for the case of the letters A to Z. */
bool congru_same_letters(const char *a, const char *b, size_t size);

#endif
