/* Lines of text that hold samples or events, as files and streams have them. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_RECORDING_SAMPLE_TEXT_H
#define CONGRU_RECORDING_SAMPLE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* What stands between the fields of a line, outside quotes: a tab where it has one that is no blank beside a comma or
 * semicolon, else a semicolon, else a comma. */
char congru_sample_separator(const char *line);

/* Takes the next field out of *line, in place: without blanks around it and without quotes, in which two are one. *line is
 * NULL behind the last. */
char *congru_sample_field(char **line, char separator);

/* Whether a field is a number and nothing else; one that is left out is NaN. With semicolons between fields a comma is
 * a decimal point. */
bool congru_sample_number(char *field, char separator, double *number);

/* Whether the line is names: the first of its fields that is not left out is no number. */
bool congru_sample_is_heading(const char *line, char separator);

/* One number for each channel, cut in place. NULL, or what is wrong with the line. */
const char *congru_sample_frame(char *line, char separator, size_t channels, double *frame);

/* What the name of a column says it holds. */
typedef enum congru_column_kind {
    CONGRU_COLUMN_SIGNAL,
    CONGRU_COLUMN_TIME,
    CONGRU_COLUMN_EVENT,
    CONGRU_COLUMN_OTHER /* a count of samples, a device's own */
} congru_column_kind;

/* *per_second of a time column: 1 for seconds, 1000 for "time (ms)". */
congru_column_kind congru_sample_column(const char *name, double *per_second);

/* Whether a field of an event column says that there is none: nothing, 0, "n/a". */
bool congru_sample_is_no_event(const char *field);

#endif
