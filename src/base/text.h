/* What the library adds to the text of congru/text.h. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_BASE_TEXT_H
#define CONGRU_BASE_TEXT_H

#include "congru/text.h"

/* These bytes as they are; text has none that is 0. */
void congru_text_add_bytes(congru_text *text, const char *bytes, size_t size);

/* The number, or 0 where so many decimals round it to "-0.00". */
double congru_plain_zero(double number, int decimals);

/* A CSV field, quoted only where it must be. Text that a spreadsheet would take for a formula gets an apostrophe in front
 * (congru_csv_is_formula), which the reader of array/csv.h takes away. */
void congru_text_add_csv(congru_text *text, const char *field);

/* Whether text begins, behind apostrophes or none, with '=', '@', a tab or a carriage return, or with '+' or '-' and is no
 * number: a class -1 stays what it is. */
bool congru_csv_is_formula(const char *field);

#endif
