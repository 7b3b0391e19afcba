/* The header of a .npy file: a Python dictionary in three keys. SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "array/npy_internal.h"
#include "base/error.h"
#include "base/number_text.h"

/* Where the parser is. Each parse_... function steps over what it read and answers a status; the text is
 * never read outside [0, size). */
typedef struct cursor {
    congru_context *context;
    const char *name;
    congru_npy_accept accept;
    const char *text;
    size_t size;
    size_t position;
} cursor;

enum { END_OF_TEXT = -1, QUOTED_MAX = 48 };

enum { SEEN_DESCR = 1, SEEN_FORTRAN_ORDER = 2, SEEN_SHAPE = 4 };

static int peek(const cursor *at)
{
    return at->position < at->size ? (unsigned char)at->text[at->position] : END_OF_TEXT;
}

static void skip_spaces(cursor *at)
{
    int c = peek(at);
    while (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
        at->position++;
        c = peek(at);
    }
}

/* An error text is one line of plain characters, whatever bytes the file holds. */
static void quote(char quoted[QUOTED_MAX + 1], const char *text, size_t size)
{
    size_t length = size < QUOTED_MAX ? size : QUOTED_MAX;
    for (size_t i = 0; i < length; i++)
        quoted[i] = text[i] >= ' ' && text[i] <= '~' ? text[i] : '?';
    if (length < size)
        memcpy(quoted + QUOTED_MAX - 3, "...", 3);
    quoted[length] = '\0';
}

__attribute__((format(printf, 2, 3))) static congru_status fail_broken(const cursor *at, const char *format,
                                                                       ...)
{
    char what[192];
    va_list arguments;
    va_start(arguments, format);
    congru_format_list(what, sizeof what, format, arguments);
    va_end(arguments);
    return congru_fail(at->context, CONGRU_ERROR_FORMAT,
                       "%s: broken .npy header: %s (write the file again with numpy.save)", at->name, what);
}

static congru_status fail_expected(const cursor *at, const char *expected)
{
    int c = peek(at);
    char found[16];
    if (c == END_OF_TEXT)
        snprintf(found, sizeof found, "its end");
    else if (c >= ' ' && c <= '~')
        snprintf(found, sizeof found, "'%c'", c);
    else
        snprintf(found, sizeof found, "byte 0x%02x", (unsigned)c);
    return fail_broken(at, "expected %s at byte %zu, found %s", expected, at->position, found);
}

static congru_status parse_character(cursor *at, char wanted, const char *expected)
{
    skip_spaces(at);
    if (peek(at) != wanted)
        return fail_expected(at, expected);
    at->position++;
    return CONGRU_OK;
}

/* After an element: a comma, or the closing character, which is left for the caller. */
static congru_status parse_separator(cursor *at, char closing, const char *expected)
{
    skip_spaces(at);
    if (peek(at) == closing)
        return CONGRU_OK;
    return parse_character(at, ',', expected);
}

/* A string in either kind of quotes. NumPy needs no escapes in these, so a backslash is refused. */
static congru_status parse_string(cursor *at, const char *expected, const char **text, size_t *size)
{
    skip_spaces(at);
    int mark = peek(at);
    if (mark != '\'' && mark != '"')
        return fail_expected(at, expected);
    at->position++;
    *text = at->text + at->position;
    *size = 0;
    for (int c = peek(at); c != mark; c = peek(at)) {
        if (c == END_OF_TEXT || c == '\\' || c == '\n')
            return fail_expected(at, "the end of the string");
        at->position++;
        (*size)++;
    }
    at->position++;
    return CONGRU_OK;
}

static bool equals(const char *text, size_t size, const char *wanted)
{
    return size == strlen(wanted) && memcmp(text, wanted, size) == 0;
}

static const char *accepted_types(const cursor *at)
{
    return at->accept == CONGRU_NPY_FLOATS ? "'<f8' and '<f4' are read"
                                           : "floats, integers, bool, '<U' and '|S' are read";
}

static congru_status fail_descr(const cursor *at, const char *descr, size_t size)
{
    char quoted[QUOTED_MAX + 1];
    quote(quoted, descr, size);
    char kind = size >= 2 ? descr[1] : '\0';
    const char *what = "of another type", *remedy = "convert with .astype('<f8')";
    if (kind == 'O') {
        what = "pickled Python objects";
        remedy = at->accept == CONGRU_NPY_FLOATS
                     ? "these are never loaded; make a plain float array"
                     : "these are never loaded; make plain numbers or strings of them";
    } else if ((kind == 'f' || at->accept == CONGRU_NPY_VALUES) && (descr[0] == '>' || descr[0] == '!')) {
        what = "big-endian";
        remedy = kind == 'f' ? remedy : "convert with .astype(x.dtype.newbyteorder('<'))";
    } else if (kind == 'i' || kind == 'u' || kind == 'b') {
        what = "integers";
    } else if (kind == 'c') {
        what = "complex";
        remedy = "take .real or abs() first";
    } else if (kind == 'S' || kind == 'U' || kind == 'a') {
        what = "text";
    }
    return congru_fail(at->context, CONGRU_ERROR_UNSUPPORTED, "%s: its values are '%s', %s; %s (%s)", at->name,
                       quoted, what, accepted_types(at), remedy);
}

/* The number after the letter of a type: digits and nothing else, small enough for any real file. */
static bool parse_type_size(const char *text, size_t size, size_t *number)
{
    enum { DIGITS_MAX = 9 };
    if (size == 0 || size > DIGITS_MAX || text[0] == '0')
        return false;
    *number = 0;
    for (size_t i = 0; i < size; i++) {
        if (text[i] < '0' || text[i] > '9')
            return false;
        *number = *number * 10 + (size_t)(text[i] - '0');
    }
    return true;
}

/* Whether a type is one of those accepted; fills in type and item_size. Types of one byte have no byte order,
 * which NumPy writes as '|'. */
static bool parse_type(const char *descr, size_t size, congru_npy_accept accept, congru_npy_header *header)
{
    size_t number;
    if (size < 3 || (descr[0] != '<' && descr[0] != '|') || !parse_type_size(descr + 2, size - 2, &number))
        return false;
    bool ordered = descr[0] == '<', valid = false;
    header->type = descr[1];
    header->item_size = header->type == 'U' ? 4 * number : number;
    switch (header->type) {
    case 'f':
        valid = ordered && (number == 8 || number == 4 || (number == 2 && accept == CONGRU_NPY_VALUES));
        break;
    case 'i':
    case 'u':
        valid = number == 1 || (ordered && (number == 2 || number == 4 || number == 8));
        break;
    case 'b':
        valid = number == 1;
        break;
    case 'U':
        valid = ordered;
        break;
    case 'S':
        valid = true;
        break;
    default:
        break;
    }
    return valid && (accept == CONGRU_NPY_VALUES || header->type == 'f');
}

static congru_status parse_descr(cursor *at, congru_npy_header *header)
{
    skip_spaces(at);
    if (peek(at) == '[' || peek(at) == '(')
        return congru_fail(at->context, CONGRU_ERROR_UNSUPPORTED,
                           "%s: a structured array; %s (save one field of it)", at->name, accepted_types(at));
    const char *descr;
    size_t size;
    CONGRU_TRY(parse_string(at, "a string for 'descr'", &descr, &size));
    return parse_type(descr, size, at->accept, header) ? CONGRU_OK : fail_descr(at, descr, size);
}

static congru_status parse_fortran_order(cursor *at, congru_npy_header *header)
{
    static const char *const words[2] = {"False", "True"};
    skip_spaces(at);
    for (int value = 0; value < 2; value++) {
        size_t length = strlen(words[value]);
        if (at->size - at->position >= length && memcmp(at->text + at->position, words[value], length) == 0) {
            at->position += length;
            header->fortran_order = value == 1;
            return CONGRU_OK;
        }
    }
    return fail_expected(at, "True or False for 'fortran_order'");
}

static congru_status parse_length(cursor *at, size_t *length)
{
    skip_spaces(at);
    if (peek(at) == '-')
        return fail_broken(at, "a negative length in 'shape' at byte %zu", at->position);
    if (peek(at) < '0' || peek(at) > '9')
        return fail_expected(at, "a length or ')' in 'shape'");
    bool leading_zero = peek(at) == '0';
    size_t start = at->position;
    *length = 0;
    for (int c = peek(at); c >= '0' && c <= '9'; c = peek(at)) {
        size_t digit = (size_t)(c - '0');
        if (*length > (SIZE_MAX - digit) / 10)
            return fail_broken(at, "the length in 'shape' at byte %zu is too large for any file", start);
        *length = *length * 10 + digit;
        at->position++;
    }
    if (leading_zero && at->position - start > 1) {
        at->position = start;
        return fail_expected(at, "a length without leading zeros in 'shape'");
    }
    return CONGRU_OK;
}

bool congru_npy_shape_count(size_t dims, const size_t *shape, size_t *count)
{
    size_t product = 1;
    bool empty = false;
    for (size_t i = 0; i < dims; i++) {
        if (shape[i] == 0)
            empty = true;
        else if (product > PTRDIFF_MAX / sizeof(double) / shape[i])
            return false;
        else
            product *= shape[i];
    }
    *count = empty ? 0 : product;
    return true;
}

/* A Python tuple: () or (3,) or (3, 4). (3) is a number to Python, and NumPy refuses it too. */
static congru_status parse_shape(cursor *at, congru_npy_header *header)
{
    congru_status status = parse_character(at, '(', "'(' for 'shape'");
    if (status != CONGRU_OK)
        return status;
    skip_spaces(at);
    while (peek(at) != ')') {
        if (header->dims == CONGRU_NPY_DIMS_MAX)
            return congru_fail(at->context, CONGRU_ERROR_UNSUPPORTED,
                               "%s: more than %d dimensions (reshape it)", at->name, (int)CONGRU_NPY_DIMS_MAX);
        status = parse_length(at, &header->shape[header->dims]);
        if (status != CONGRU_OK)
            return status;
        header->dims++;
        status = header->dims == 1 ? parse_character(at, ',', "',' after the first length in 'shape'")
                                   : parse_separator(at, ')', "',' or ')' in 'shape'");
        if (status != CONGRU_OK)
            return status;
        skip_spaces(at);
    }
    at->position++;
    if (!congru_npy_shape_count(header->dims, header->shape, &header->count))
        return fail_broken(at, "the product of 'shape' is too large for any file");
    return CONGRU_OK;
}

/* One "'key': value"; `seen` collects which keys came. */
static congru_status parse_entry(cursor *at, congru_npy_header *header, unsigned *seen)
{
    static const struct {
        const char *key;
        unsigned bit;
        congru_status (*parse)(cursor *at, congru_npy_header *header);
    } entries[] = {
        {"descr", SEEN_DESCR, parse_descr},
        {"fortran_order", SEEN_FORTRAN_ORDER, parse_fortran_order},
        {"shape", SEEN_SHAPE, parse_shape},
    };
    const char *key = NULL;
    size_t size = 0;
    congru_status status = parse_string(at, "a key in quotes or '}'", &key, &size);
    if (status != CONGRU_OK)
        return status;
    char quoted[QUOTED_MAX + 1];
    quote(quoted, key, size);
    for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++) {
        if (!equals(key, size, entries[i].key))
            continue;
        if ((*seen & entries[i].bit) != 0)
            return fail_broken(at, "'%s' twice", quoted);
        *seen |= entries[i].bit;
        status = parse_character(at, ':', "':' after the key");
        return status != CONGRU_OK ? status : entries[i].parse(at, header);
    }
    return fail_broken(at, "unknown key '%s'", quoted);
}

congru_status congru_npy_header_parse(congru_context *context, const char *name, const char *text, size_t size,
                                      congru_npy_accept accept, congru_npy_header *header)
{
    cursor at = {.context = context, .name = name, .accept = accept, .text = text, .size = size};
    unsigned seen = 0;
    *header = (congru_npy_header){0};
    congru_status status = parse_character(&at, '{', "'{'");
    if (status != CONGRU_OK)
        return status;
    skip_spaces(&at);
    while (peek(&at) != '}') {
        status = parse_entry(&at, header, &seen);
        if (status == CONGRU_OK)
            status = parse_separator(&at, '}', "',' or '}' after a value");
        if (status != CONGRU_OK)
            return status;
        skip_spaces(&at);
    }
    at.position++;
    skip_spaces(&at);
    if (peek(&at) != END_OF_TEXT)
        return fail_expected(&at, "nothing but spaces after '}'");
    if ((seen & SEEN_DESCR) == 0)
        return fail_broken(&at, "no 'descr'");
    if ((seen & SEEN_FORTRAN_ORDER) == 0)
        return fail_broken(&at, "no 'fortran_order'");
    if ((seen & SEEN_SHAPE) == 0)
        return fail_broken(&at, "no 'shape'");
    if (header->count > PTRDIFF_MAX / header->item_size)
        return fail_broken(&at, "the product of 'shape' and the size of a value is too large for any file");
    return CONGRU_OK;
}
