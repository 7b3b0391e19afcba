/* Numbers in text headers, and quoting what is found there. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_RECORDING_HEADER_TEXT_H
#define CONGRU_RECORDING_HEADER_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* A decimal number: blanks around it, a sign, digits with one point (or one comma and no point, as some
 * programs write under a European locale), an exponent. Ends at `size` or a NUL. False, with *value untouched,
 * for anything else. Unlike strtod it does not depend on the locale of the process, and takes no "inf", "nan"
 * or hexadecimal. Exact up to 15 digits and a power of ten up to 22; the same bits everywhere beyond that. */
bool congru_header_number(const void *text, size_t size, double *value);

/* The same, where only whole numbers of at most 15 digits make sense: "160" and "160.0". */
bool congru_header_integer(const void *text, size_t size, long long *value);

enum { CONGRU_HEADER_QUOTE = 48 };

/* For error texts, which are one line of plain characters: other bytes become '?', what is too long ends in
 * "...", what is blank becomes "". Returns `quote`. */
const char *congru_header_quote(char quote[CONGRU_HEADER_QUOTE + 1], const void *text, size_t size);

#endif
