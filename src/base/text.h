/* Text that grows, with what JSON and CSV want quoted. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_BASE_TEXT_H
#define CONGRU_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* {0} is empty. After a failed allocation everything added is dropped and `failed` stays set: look at it once, at the
 * end. Freed by congru_text_clear. */
typedef struct congru_text {
    char *data; /* ends with '\0' once something was added; NULL before */
    size_t size;
    size_t room;
    bool failed;
} congru_text;

void congru_text_add(congru_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* These bytes as they are, of which none should be 0. */
void congru_text_add_bytes(congru_text *text, const char *bytes, size_t size);

/* The size of the well-formed UTF-8 character at `s`, of at most `left` bytes; 0 for anything else. */
size_t congru_character_size(const unsigned char *s, size_t left);

/* A JSON string with its quotes; bytes that are not UTF-8 become U+FFFD. Also safe inside an HTML script element. */
void congru_text_add_json(congru_text *text, const char *string);

/* A JSON number that reads back as the same double; null when it is not finite. */
void congru_text_add_number(congru_text *text, double number);

/* The number, or 0 where so many decimals round it to "-0.00". */
double congru_plain_zero(double number, int decimals);

/* A CSV field, quoted only where it must be. Text that a spreadsheet would take for a formula gets an apostrophe in front
 * (congru_csv_is_formula), which the reader of array/csv.h takes away. */
void congru_text_add_csv(congru_text *text, const char *field);

/* Whether text begins, behind apostrophes or none, with '=', '@', a tab or a carriage return, or with '+' or '-' and is no
 * number: a class -1 stays what it is. */
bool congru_csv_is_formula(const char *field);

void congru_text_clear(congru_text *text);

#endif
