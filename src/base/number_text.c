/* Formatting and parsing in the locale "C". SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "base/number_text.h"

#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static locale_t
    plain; /* lives as long as the process; common C libraries give a constant, without an allocation */

static void take_plain(void)
{
    plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

/* The thread's locale becomes "C"; gives what it was for uselocale to put back, (locale_t)0 on failure. */
static locale_t enter(void)
{
    pthread_once(&once, take_plain);
    return plain != (locale_t)0 ? uselocale(plain) : (locale_t)0;
}

int congru_format_list(char *buffer, size_t size, const char *format, va_list arguments)
{
    if (size > 0)
        buffer[0] = '\0';
    locale_t before = enter();
    if (before == (locale_t)0)
        return -1;
    int length = vsnprintf(buffer, size, format, arguments);
    uselocale(before);
    return length;
}

int congru_format(char *buffer, size_t size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = congru_format_list(buffer, size, format, arguments);
    va_end(arguments);
    return length;
}

double congru_number_read(const char *text, char **end)
{
    if (end != NULL)
        *end = (char *)text;
    locale_t before = enter();
    if (before == (locale_t)0)
        return 0.0;
    double number = strtod(text, end);
    uselocale(before);
    return number;
}

char congru_small_letter(char c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

bool congru_same_letters(const char *a, const char *b, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (congru_small_letter(a[i]) != congru_small_letter(b[i]))
            return false;
    return true;
}
