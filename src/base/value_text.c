/* Reads values that are written as text. SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number_text.h"
#include "congru/option.h"

enum { LOW_SIZE = 64, CHOICES_SIZE = 256 };

static bool fail(char *error, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool fail(char *error, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    congru_format_list(error, CONGRU_VALUE_ERROR_SIZE, format, values);
    va_end(values);
    return false;
}

/* Whether nothing is NULL; an error without a place for it is not told. */
static bool given(const char *where, const char *text, const void *result, char *error)
{
    if (error == NULL)
        return false;
    error[0] = '\0';
    return where != NULL && text != NULL && result != NULL;
}

/* strtod also takes leading spaces, hexadecimal, "nan" and "inf"; none is meant here. */
static bool is_plain(const char *text, const char *letters)
{
    for (; *text != '\0'; text++)
        if ((*text < '0' || *text > '9') && strchr(letters, *text) == NULL)
            return false;
    return true;
}

bool congru_value_number(const char *where, const char *text, double least, double most, double *number,
                         char error[CONGRU_VALUE_ERROR_SIZE])
{
    if (!given(where, text, number, error))
        return false;
    char *end;
    double value = congru_number_read(text, &end);
    if (!is_plain(text, "+-.eE") || end == text || *end != '\0')
        return fail(error, "%s wants a number, not '%s'", where, text);
    if (value < least || value > most)
        return fail(error, "%s is %s; it must be between %g and %g", where, text, least, most);
    *number = value;
    return true;
}

bool congru_value_integer(const char *where, const char *text, int least, int most, int *number,
                          char error[CONGRU_VALUE_ERROR_SIZE])
{
    if (!given(where, text, number, error))
        return false;
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (!is_plain(text, "+-") || end == text || *end != '\0')
        return fail(error, "%s wants a whole number, not '%s'", where, text);
    if (errno != 0 || value < least || value > most)
        return fail(error, "%s is %s; it must be between %d and %d", where, text, least, most);
    *number = (int)value;
    return true;
}

bool congru_value_range(const char *where, const char *text, double least, double most, double range[2],
                        char error[CONGRU_VALUE_ERROR_SIZE])
{
    if (!given(where, text, range, error))
        return false;
    char low[LOW_SIZE];
    double parsed[2];
    const char *colon = strchr(text, ':');
    if (colon == NULL || (size_t)(colon - text) >= sizeof low)
        return fail(error, "%s wants two numbers with a colon between, not '%s'", where, text);
    memcpy(low, text, (size_t)(colon - text));
    low[colon - text] = '\0';
    if (!congru_value_number(where, low, least, most, &parsed[0], error) ||
        !congru_value_number(where, colon + 1, least, most, &parsed[1], error))
        return false;
    if (parsed[0] >= parsed[1])
        return fail(error, "%s is %s; the second number must be the larger", where, text);
    memcpy(range, parsed, sizeof parsed);
    return true;
}

bool congru_value_choice(const char *where, const char *text, const char *const *names, size_t *choice,
                         char error[CONGRU_VALUE_ERROR_SIZE])
{
    if (!given(where, text, choice, error) || names == NULL)
        return false;
    char list[CHOICES_SIZE] = "";
    size_t used = 0;
    for (size_t i = 0; names[i] != NULL; i++) {
        if (strcmp(names[i], text) == 0) {
            *choice = i;
            return true;
        }
        if (used < sizeof list)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s",
                                     i == 0                 ? ""
                                     : names[i + 1] != NULL ? ", "
                                                            : " or ",
                                     names[i]);
    }
    return fail(error, "%s is %s, not '%s'", where, list, text);
}
