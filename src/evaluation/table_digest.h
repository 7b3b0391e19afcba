/* The last row of a table that a later run believes: a digest of those above. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_EVALUATION_TABLE_DIGEST_H
#define CONGRU_EVALUATION_TABLE_DIGEST_H

#include "array/csv.h"
#include "base/text.h"

enum { CONGRU_DIGEST_SIZE = 17 };

/* Ends a table of three columns or more with a row "digest,DIGITS,OF"; `of` says what the table is about. */
congru_status congru_table_digest_add(congru_context *context, const char *of, congru_text *table);

/* Takes the last row off a table that was read. *has is false, and nothing is taken, where it is no digest, as in tables of
 * older versions; CONGRU_ERROR_FORMAT where it is of something else, or not that of the rows above. */
congru_status congru_table_digest_check(congru_context *context, const char *of, congru_csv *table, bool *has);

/* The digest of a text, "" where there is none. */
void congru_text_digest(const char *text, char digits[CONGRU_DIGEST_SIZE]);

#endif
