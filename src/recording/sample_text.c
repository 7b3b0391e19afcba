/* Fields, numbers and names of columns in lines of samples. SPDX-License-Identifier: Apache-2.0 */
#include "recording/sample_text.h"

#include <math.h>
#include <string.h>

#include "base/number_text.h"

enum { NAME_MAX_SIZE = 80, NUMBER_MAX_SIZE = 64 };

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static bool is_mark(char c)
{
    return c == ',' || c == ';';
}

char congru_sample_separator(const char *line)
{
    bool quoted = false, semicolon = false;
    char before = '\0'; /* the last letter that is not blank */
    while (*line != '\0') {
        size_t blanks = quoted ? 0 : strspn(line, " \t");
        if (memchr(line, '\t', blanks) != NULL && !is_mark(before) && !is_mark(line[blanks]))
            return '\t';
        line += blanks;
        quoted = *line == '"' ? !quoted : quoted;
        semicolon = semicolon || (*line == ';' && !quoted);
        before = *line;
        line += *line != '\0';
    }
    return semicolon ? ';' : ',';
}

char *congru_sample_field(char **line, char separator)
{
    char *read = *line, *field, *write;
    while (is_blank(*read) && *read != separator)
        read++;
    field = write = read;
    if (*read == '"') {
        for (read++; *read != '\0' && (*read != '"' || read[1] == '"'); *write++ = *read++)
            read += *read == '"';
        char *end = read + (*read == '"');
        for (read = end; *read != separator && *read != '\0';
             *write++ = *read++) /* what should not follow a quote */
            ;
    } else {
        while (*read != separator && *read != '\0')
            read++;
        write = read;
    }
    *line = *read == '\0' ? NULL : read + 1;
    while (write > field && is_blank(write[-1]))
        write--;
    *write = '\0';
    return field;
}

bool congru_sample_number(char *field, char separator, double *number)
{
    char *end, *comma = separator == ';' ? strchr(field, ',') : NULL;
    *number = (double)NAN;
    if (*field == '\0')
        return true;
    if (comma != NULL)
        *comma = '.';
    double found = congru_number_read(field, &end);
    if (end == field || *end != '\0') {
        if (comma != NULL) /* it is a text, which stays as it was */
            *comma = ',';
        return false;
    }
    *number = found;
    return true;
}

bool congru_sample_is_heading(const char *line, char separator)
{
    char field[NUMBER_MAX_SIZE];
    for (;;) {
        size_t size = 0;
        double number;
        while (line[size] != '\0' && line[size] != separator)
            size++;
        if (size >= sizeof field)
            return true;
        memcpy(field, line, size);
        field[size] = '\0';
        char *rest = field, *plain = congru_sample_field(&rest, separator);
        if (*plain != '\0')
            return !congru_sample_number(plain, separator, &number);
        if (line[size] == '\0')
            return false;
        line += size + 1;
    }
}

const char *congru_sample_frame(char *line, char separator, size_t channels, double *frame)
{
    size_t i = 0;
    for (char *rest = line; rest != NULL; i++) {
        if (i == channels)
            return "has more numbers than there are channels";
        if (!congru_sample_number(congru_sample_field(&rest, separator), separator, &frame[i]))
            return "holds what is not a number";
    }
    return i == channels ? NULL : "has fewer numbers than there are channels";
}

/* ---- Columns ------------------------------------------------------------------------------------------- */

/* The name in small letters; what stands in brackets behind it, or behind its last '_', goes to `unit`. */
static void plain_name(const char *name, char plain[NAME_MAX_SIZE], char unit[NAME_MAX_SIZE])
{
    size_t size = 0, begin;
    unit[0] = '\0';
    for (; name[size] != '\0' && size + 1 < NAME_MAX_SIZE; size++)
        plain[size] = congru_small_letter(name[size]);
    plain[size] = '\0';
    bool bracket = size > 0 && strchr(")]", plain[size - 1]) != NULL;
    begin = size;
    while (begin > 0 && strchr(bracket ? "([" : "_", plain[begin - 1]) == NULL)
        begin--;
    if (begin == 0)
        return;
    memcpy(unit, plain + begin, size - begin + 1);
    if (bracket) {
        unit[size - begin - 1] = '\0';
        plain[--begin] = '\0';
        while (begin > 0 && is_blank(plain[begin - 1]))
            plain[--begin] = '\0';
    }
}

static bool is_one_of(const char *name, const char *const *words)
{
    for (; *words != NULL; words++)
        if (strcmp(name, *words) == 0)
            return true;
    return false;
}

congru_column_kind congru_sample_column(const char *name, double *per_second)
{
    static const char *const times[] = {"time",    "times",   "timestamp", "timestamps", "time_stamp", "t",
                                        "seconds", "time_ms", "time_us",   "time_s",     NULL};
    static const char *const events[] = {
        "marker",   "markers", "marker channel", "label", "labels",     "event",      "events",      "trigger",
        "triggers", "stim",    "stimulus",       "class", "trial_type", "annotation", "annotations", NULL};
    static const char *const others[] = {
        "index", "sample", "samples", "sample index", "sampleindex", "other",    "counter",
        "epoch", "trial",  "subject", "session",      "run",         "not used", NULL};
    static const char *const beginnings[] = {"accel channel", "analog channel", "digital channel",
                                             "unnamed: ", "timestamp"};
    char plain[NAME_MAX_SIZE], unit[NAME_MAX_SIZE];
    plain_name(name, plain, unit);
    *per_second = strcmp(unit, "ms") == 0 ? 1e3 : strcmp(unit, "us") == 0 ? 1e6 : 1;
    if (is_one_of(plain, times))
        return CONGRU_COLUMN_TIME;
    if (is_one_of(plain, events))
        return CONGRU_COLUMN_EVENT;
    bool other = plain[0] == '\0' || is_one_of(plain, others);
    for (size_t i = 0; i < sizeof beginnings / sizeof beginnings[0]; i++)
        other = other || strncmp(plain, beginnings[i], strlen(beginnings[i])) == 0;
    return other ? CONGRU_COLUMN_OTHER : CONGRU_COLUMN_SIGNAL;
}

bool congru_sample_is_no_event(const char *field)
{
    static const char *const none[] = {"", "0", "n/a", "nan", "NaN", "NA", "None", "null", NULL};
    return is_one_of(field, none);
}
