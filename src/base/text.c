/* Text that grows. SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number_text.h"
#include "base/utf8.h"

enum { ROOM_FIRST = 256 };

static bool make_room(congru_text *text, size_t more)
{
    if (text->failed)
        return false;
    if (text->room - text->size > more)
        return true;
    size_t room = text->room > 0 ? text->room : ROOM_FIRST;
    while (room - text->size <= more && room < SIZE_MAX / 2)
        room *= 2;
    char *grown = realloc(text->data, room);
    if (grown == NULL || room - text->size <= more) {
        text->failed = true;
        text->data = grown != NULL ? grown : text->data;
        return false;
    }
    text->data = grown;
    text->room = room;
    return true;
}

void congru_text_add(congru_text *text, const char *format, ...)
{
    va_list arguments, again;
    if (text == NULL || format == NULL)
        return;
    va_start(arguments, format);
    va_copy(again, arguments);
    int size = congru_format_list(NULL, 0, format, arguments);
    if (size < 0)
        text->failed = true;
    else if (make_room(text, (size_t)size)) {
        congru_format_list(text->data + text->size, text->room - text->size, format, again);
        text->size += (size_t)size;
    }
    va_end(again);
    va_end(arguments);
}

void congru_text_add_bytes(congru_text *text, const char *bytes, size_t size)
{
    if (!make_room(text, size))
        return;
    if (size > 0) /* nothing may be NULL */
        memcpy(text->data + text->size, bytes, size);
    text->size += size;
    text->data[text->size] = '\0';
}

void congru_text_add_json(congru_text *text, const char *string)
{
    uint32_t code;
    if (text == NULL || string == NULL)
        return;
    congru_text_add(text, "\"");
    for (const unsigned char *s = (const unsigned char *)string; *s != '\0';) {
        size_t size = congru_utf8_decode((const char *)s, 4, &code); /* the ending zero stops it too */
        if (size == 0)
            congru_text_add(text, "\\ufffd");
        else if (size > 1)
            congru_text_add(text, "%.*s", (int)size, (const char *)s);
        else if (*s == '"' || *s == '\\')
            congru_text_add(text, "\\%c", *s);
        else if (*s < ' ' || *s == 0x7f || *s == '<' || *s == '>' ||
                 *s == '&') /* '<' would end a script element */
            congru_text_add(text, "\\u%04x", *s);
        else
            congru_text_add(text, "%c", *s);
        s += size > 0 ? size : 1;
    }
    congru_text_add(text, "\"");
}

void congru_text_add_number(congru_text *text, double number, int digits)
{
    if (!isfinite(number))
        congru_text_add(text, "null");
    else
        congru_text_add(text, "%.*g", digits, number);
}

double congru_plain_zero(double number, int decimals)
{
    char digits[400]; /* room for the largest double */
    congru_format(digits, sizeof digits, "%.*f", decimals, number);
    return strspn(digits, "-0.") == strlen(digits) ? 0.0 : number;
}

/* Digits with a sign or none, a point and an exponent. */
static bool is_number(const char *text)
{
    static const char digits[] = "0123456789";
    text += *text == '+' || *text == '-';
    const size_t whole = strspn(text, digits);
    text += whole;
    const size_t fraction = *text == '.' ? strspn(text + 1, digits) : 0;
    text += *text == '.' ? 1 + fraction : 0;
    if (whole + fraction > 0 && (*text == 'e' || *text == 'E')) {
        text++;
        text += *text == '+' || *text == '-';
        const size_t exponent = strspn(text, digits);
        return exponent > 0 && text[exponent] == '\0';
    }
    return whole + fraction > 0 && *text == '\0';
}

bool congru_csv_is_formula(const char *field)
{
    field += strspn(field, "'");
    if (*field == '+' || *field == '-')
        return !is_number(field);
    return *field == '=' || *field == '@' || *field == '\t' || *field == '\r';
}

void congru_text_add_csv(congru_text *text, const char *field)
{
    const char *guard = congru_csv_is_formula(field) ? "'" : "";
    if (field[strcspn(field, ",\"\r\n")] == '\0') {
        congru_text_add(text, "%s%s", guard, field);
        return;
    }
    congru_text_add(text, "\"%s", guard);
    for (const char *c = field; *c != '\0'; c++)
        congru_text_add(text, *c == '"' ? "\"\"" : "%c", *c);
    congru_text_add(text, "\"");
}

void congru_text_clear(congru_text *text)
{
    if (text == NULL)
        return;
    free(text->data);
    *text = (congru_text){0};
}
