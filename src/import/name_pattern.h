/* What a file's name says of it: subject, session and run. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_IMPORT_NAME_PATTERN_H
#define CONGRU_IMPORT_NAME_PATTERN_H

#include "congru/option.h"

/* A pattern is text with places for what is wanted: "S{subject}R{run}" reads subject 001 and run 04 in
 * S001R04.edf. {subject}, {session} and {run} take as much as they can, the run digits only; {subject:2} takes
 * two characters; * stands for anything. It is held against the name without its folders and its extension, or,
 * when it has slashes, against as many folders too. */

typedef enum name_field { NAME_SUBJECT, NAME_SESSION, NAME_RUN, NAME_FIELDS } name_field;

enum { NAME_SIZE = 80 };

typedef struct name_parts {
    char part[NAME_FIELDS][NAME_SIZE]; /* "" where the pattern has no such place */
} name_parts;

/* Whether the pattern can be read and has a place for `needed`; otherwise false, with one line that begins with `where`
 * in `error`. */
bool congru_name_pattern_check(const char *where, const char *pattern, name_field needed,
                               char error[CONGRU_VALUE_ERROR_SIZE]);

/* Whether the path fits a pattern that was checked. Fills the parts that the pattern has places for, and leaves
 * the others. */
bool congru_name_pattern_match(const char *pattern, const char *path, name_parts *parts);

/* What of a path the pattern is held against, cut to fit; how many folders are in it. */
size_t congru_name_pattern_compared(const char *pattern, const char *path, char *compared, size_t size);

/* The name of a file without its folders and its extension, cut to fit. */
void congru_name_pattern_base(const char *path, char base[NAME_SIZE]);

#endif
