/* Decimal numbers without the locale, bytes quoted for error texts. SPDX-License-Identifier: Apache-2.0 */
#include "recording/header_text.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { DIGITS_MAX = 18, EXACT_POWER = 22 };

/* What is left of a field: [text, end). */
typedef struct span {
    const char *text, *end;
} span;

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static span trim(const void *text, size_t size)
{
    span left = {.text = text, .end = text};
    while ((size_t)(left.end - left.text) < size && *left.end != '\0')
        left.end++;
    while (left.text < left.end && is_blank(*left.text))
        left.text++;
    while (left.text < left.end && is_blank(left.end[-1]))
        left.end--;
    return left;
}

static bool take_sign(span *left)
{
    bool negative = left->text < left->end && *left->text == '-';
    if (left->text < left->end && (*left->text == '-' || *left->text == '+'))
        left->text++;
    return negative;
}

static bool is_digit(const span *left)
{
    return left->text < left->end && *left->text >= '0' && *left->text <= '9';
}

/* Digits with at most one point: their value without the point, and the power of ten that puts it back. */
static bool take_mantissa(span *left, uint64_t *mantissa, int *power)
{
    bool digits = false, point = false;
    int significant = 0;
    *mantissa = 0;
    *power = 0;
    for (; left->text < left->end; left->text++) {
        if (!point && (*left->text == '.' || *left->text == ',')) {
            point = true;
            continue;
        }
        if (!is_digit(left))
            break;
        digits = true;
        if (significant == DIGITS_MAX) { /* below the precision of a double: only its place counts */
            *power += point ? 0 : 1;
            continue;
        }
        *mantissa = *mantissa * 10 + (uint64_t)(*left->text - '0');
        significant += *mantissa != 0 ? 1 : 0;
        *power -= point ? 1 : 0;
    }
    return digits;
}

static bool take_exponent(span *left, int *power)
{
    if (left->text == left->end)
        return true;
    if (*left->text != 'e' && *left->text != 'E')
        return false;
    left->text++;
    bool negative = take_sign(left);
    int exponent = 0;
    if (!is_digit(left))
        return false;
    for (; is_digit(left) && exponent < 1000; left->text++)
        exponent = exponent * 10 + (*left->text - '0');
    *power += negative ? -exponent : exponent;
    return left->text == left->end;
}

/* Powers up to 10^22 are doubles exactly, so that each step rounds once. */
static double scale_by_ten(double value, int power)
{
    static const double tens[EXACT_POWER + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                 1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    for (; power < -EXACT_POWER; power += EXACT_POWER)
        value /= tens[EXACT_POWER];
    for (; power > EXACT_POWER; power -= EXACT_POWER)
        value *= tens[EXACT_POWER];
    return power < 0 ? value / tens[-power] : value * tens[power];
}

bool congru_header_number(const void *text, size_t size, double *value)
{
    span left = trim(text, size < INT32_MAX ? size : INT32_MAX);
    bool negative = take_sign(&left);
    uint64_t mantissa;
    int power;
    if (!take_mantissa(&left, &mantissa, &power) || !take_exponent(&left, &power))
        return false;
    /* Nothing a header states is outside these; a number that is, is a broken one. */
    if (mantissa != 0 && (power < -3 * EXACT_POWER || power > 3 * EXACT_POWER))
        return false;
    double magnitude = mantissa == 0 ? 0 : scale_by_ten((double)mantissa, power);
    *value = negative ? -magnitude : magnitude;
    return true;
}

bool congru_header_integer(const void *text, size_t size, long long *value)
{
    double number;
    if (!congru_header_number(text, size, &number) || !(fabs(number) < 1e15) || floor(number) != number)
        return false;
    *value = (long long)number;
    return true;
}

const char *congru_header_quote(char quote[CONGRU_HEADER_QUOTE + 1], const void *text, size_t size)
{
    span left = trim(text, size);
    size_t length = (size_t)(left.end - left.text);
    size_t shown = length < CONGRU_HEADER_QUOTE ? length : CONGRU_HEADER_QUOTE;
    for (size_t i = 0; i < shown; i++)
        quote[i] = left.text[i] >= ' ' && left.text[i] <= '~' ? left.text[i] : '?';
    if (shown < length)
        memcpy(quote + CONGRU_HEADER_QUOTE - 3, "...", 3);
    quote[shown] = '\0';
    return quote;
}
