/* Options of methods as text: set, printed, checked, compared. SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/number_text.h"
#include "model/method_options.h"

_Static_assert(sizeof(congru_metric) == sizeof(int), "choices are written and read as int");

enum { DIGITS_MAX = 17, RANGE_DIGITS = 6 /* 30, where 1 would be 3e1 */, DIFFERENCES_MAX = 6 };
static const char on[] = "on", off[] = "off", automatic[] = "auto", own_value[] = "own";

/* ---- Members --------------------------------------------------------------------------------------------- */

/* Choices are members of an enumeration, or a bool. */
static int get_whole(const congru_method_option *row, const congru_method_options *options)
{
    const char *at = (const char *)options + row->offset;
    int number = 0;
    bool state = false;
    if (row->size == sizeof state) {
        memcpy(&state, at, sizeof state);
        return state;
    }
    memcpy(&number, at, sizeof number);
    return number;
}

static void set_whole(const congru_method_option *row, int number, congru_method_options *options)
{
    char *at = (char *)options + row->offset;
    bool state = number != 0;
    if (row->size == sizeof state)
        memcpy(at, &state, sizeof state);
    else
        memcpy(at, &number, sizeof number);
}

static double get_number(const congru_method_option *row, const congru_method_options *options)
{
    double number;
    memcpy(&number, (const char *)options + row->offset, sizeof number);
    return number;
}

static void set_number(const congru_method_option *row, double number, congru_method_options *options)
{
    memcpy((char *)options + row->offset, &number, sizeof number);
}

static void get_range(const congru_method_option *row, const congru_method_options *options, double range[2])
{
    memcpy(range, (const char *)options + row->offset, 2 * sizeof *range);
}

static void set_range(const congru_method_option *row, const double range[2], congru_method_options *options)
{
    memcpy((char *)options + row->offset, range, 2 * sizeof *range);
}

static void set_seed(const congru_method_option *row, uint64_t seed, congru_method_options *options)
{
    memcpy((char *)options + row->offset, &seed, sizeof seed);
}

void congru_method_option_reset(const congru_method_option *row, congru_method_options *options)
{
    switch (row->kind) {
    case CONGRU_OPTION_INTEGER:
        set_whole(row, (int)row->fallback, options);
        break;
    case CONGRU_OPTION_NUMBER:
    case CONGRU_OPTION_NUMBER_OR_AUTO:
        set_number(row, row->fallback, options);
        break;
    case CONGRU_OPTION_SWITCH:
        set_whole(row, !row->given, options);
        break;
    case CONGRU_OPTION_CHOICE:
    case CONGRU_OPTION_RECIPE:
        for (int i = 0; row->choices[i] != NULL; i++)
            if (strcmp(row->choices[i], row->standard) == 0)
                set_whole(row, i, options);
        break;
    case CONGRU_OPTION_SEED:
        set_seed(row, (uint64_t)row->fallback, options);
        break;
    case CONGRU_OPTION_RANGE: /* own */
        set_range(row, (const double[2]){0, 0}, options);
        break;
    case CONGRU_OPTION_WIDTHS: /* none */
        memset((char *)options + row->count_offset, 0, sizeof(size_t));
        break;
    case CONGRU_OPTION_CHOOSE: /* nothing */
        memset((char *)options + row->offset, 0, row->size);
        break;
    case CONGRU_OPTION_SHORTHAND: /* has no member */
        break;
    }
}

void congru_method_options_init(congru_method_options *options)
{
    if (options == NULL)
        return;
    memset(options, 0, sizeof *options);
    for (size_t i = 0; congru_method_option_at(i) != NULL; i++)
        congru_method_option_reset(congru_method_option_at(i), options);
}

/* ---- Reading --------------------------------------------------------------------------------------------- */

static bool parse_seed(const congru_method_option *row, const char *where, const char *text,
                       congru_method_options *options, char *error)
{
    errno = 0;
    unsigned long long seed = strtoull(text, NULL, 10);
    if (text[0] == '\0' || strspn(text, "0123456789") != strlen(text))
        snprintf(error, CONGRU_VALUE_ERROR_SIZE, "%s wants a whole number from 0 on, not '%s'", where, text);
    else if (errno != 0 || seed > UINT64_MAX)
        snprintf(error, CONGRU_VALUE_ERROR_SIZE, "%s is %s; it must be between 0 and %" PRIu64, where, text,
                 UINT64_MAX);
    else {
        set_seed(row, seed, options);
        return true;
    }
    return false;
}

static bool parse_widths(const congru_method_option *row, const char *where, const char *text,
                         congru_method_options *options, char *error)
{
    size_t widths[CONGRU_LAYERS_MAX] = {0}, count = 0;
    for (const char *at = text; *at != '\0';) {
        char word[16];
        size_t size = strcspn(at, ",");
        int width;
        if (count == CONGRU_LAYERS_MAX || size >= sizeof word || (at[size] == ',' && at[size + 1] == '\0')) {
            snprintf(error, CONGRU_VALUE_ERROR_SIZE, "%s wants at most %d widths with commas between, not '%s'",
                     where, (int)CONGRU_LAYERS_MAX, text);
            return false;
        }
        memcpy(word, at, size);
        word[size] = '\0';
        if (!congru_value_integer(where, word, (int)row->least, (int)row->most, &width, error))
            return false;
        widths[count++] = (size_t)width;
        at += size + (at[size] == ',');
    }
    memcpy((char *)options + row->offset, widths, sizeof widths);
    memcpy((char *)options + row->count_offset, &count, sizeof count);
    return true;
}

static bool parse_switch(const congru_method_option *row, const char *where, const char *text,
                         congru_method_options *options, char *error)
{
    size_t given = 1;
    if (text[0] != '\0' &&
        !congru_value_choice(where, text, (const char *const[]){off, on, NULL}, &given, error))
        return false;
    set_whole(row, given == 1 ? row->given : !row->given, options);
    return true;
}

static bool parse_number(const congru_method_option *row, const char *where, const char *text,
                         congru_method_options *options, char *error)
{
    const bool own = row->own && strcmp(text, own_value) == 0,
               chosen = row->kind == CONGRU_OPTION_NUMBER_OR_AUTO && strcmp(text, automatic) == 0;
    double number = own ? CONGRU_OWN : 0;
    if (!own && !chosen && !congru_value_number(where, text, row->least, row->most, &number, error))
        return false;
    set_number(row, number, options);
    return true;
}

static bool parse_integer(const congru_method_option *row, const char *where, const char *text,
                          congru_method_options *options, char *error)
{
    const bool own = row->own && strcmp(text, own_value) == 0;
    int number = CONGRU_OWN;
    if (!own && !congru_value_integer(where, text, (int)row->least, (int)row->most, &number, error))
        return false;
    set_whole(row, number, options);
    return true;
}

static bool parse_range(const congru_method_option *row, const char *where, const char *text,
                        congru_method_options *options, char *error)
{
    double range[2] = {0, 0};
    if (strcmp(text, row->whole) == 0) {
        range[0] = row->least;
        range[1] = row->most;
    } else if (strcmp(text, own_value) != 0 &&
               !congru_value_range(where, text, row->least, row->most, range, error)) {
        return false;
    }
    set_range(row, range, options);
    return true;
}

static bool parse_value(const congru_method_option *row, const char *where, const char *text,
                        congru_method_options *options, char error[CONGRU_VALUE_ERROR_SIZE])
{
    size_t choice = 0;
    switch (row->kind) {
    case CONGRU_OPTION_SEED:
        return parse_seed(row, where, text, options, error);
    case CONGRU_OPTION_RANGE:
        return parse_range(row, where, text, options, error);
    case CONGRU_OPTION_WIDTHS:
        return parse_widths(row, where, text, options, error);
    case CONGRU_OPTION_SWITCH:
        return parse_switch(row, where, text, options, error);
    case CONGRU_OPTION_NUMBER:
    case CONGRU_OPTION_NUMBER_OR_AUTO:
        return parse_number(row, where, text, options, error);
    case CONGRU_OPTION_CHOICE:
    case CONGRU_OPTION_RECIPE:
        if (!congru_value_choice(where, text, row->choices, &choice, error))
            return false;
        set_whole(row, (int)choice, options);
        if (row->kind == CONGRU_OPTION_RECIPE)
            congru_method_options_recipe(options, (congru_recipe)choice);
        return true;
    case CONGRU_OPTION_INTEGER:
        return parse_integer(row, where, text, options, error);
    case CONGRU_OPTION_CHOOSE:
        return congru_choose_parse(where, text, (char *)options + row->offset, error);
    case CONGRU_OPTION_SHORTHAND:
        return congru_method_option_parse(congru_method_option_find(row->stands_for), where, row->means,
                                          options, error);
    }
    return false;
}

bool congru_method_option_parse(const congru_method_option *row, const char *where, const char *text,
                                congru_method_options *options, char error[CONGRU_VALUE_ERROR_SIZE])
{
    if (!parse_value(row, where, text, options, error))
        return false;
    if (row->overrides != NULL)
        congru_method_option_reset(congru_method_option_find(row->overrides), options);
    return true;
}

congru_status congru_method_options_set(congru_context *context, congru_method_options *options,
                                        const char *where, const char *name, const char *text)
{
    if (options == NULL || name == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "congru_method_options_set: options and name must not be NULL");
    char own[64], error[CONGRU_VALUE_ERROR_SIZE];
    const congru_method_option *row = congru_method_option_find(name);
    snprintf(own, sizeof own, "--%s", name);
    where = where != NULL ? where : own;
    if (row == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "%s: no such option of a method", where);
    if (congru_method_option_parse(row, where, text != NULL ? text : "", options, error))
        return CONGRU_OK;
    return congru_fail(context, CONGRU_ERROR_ARGUMENT, "%s", error);
}

/* ---- Printing -------------------------------------------------------------------------------------------- */

/* The shortest decimal number of `digits` or more that reads back as the same, its exponent without a plus or leading
 * zeros. */
static bool print_digits(int digits, double number, char *text)
{
    char *end = text;
    for (; digits <= DIGITS_MAX; digits++) {
        if (congru_format(text, CONGRU_OPTION_TEXT_SIZE, "%.*g", digits, number) < 0)
            return false;
        if (congru_number_read(text, &end) == number)
            break;
    }
    char *exponent = strchr(text, 'e');
    if (exponent != NULL) {
        exponent += exponent[1] == '-' ? 2 : 1;
        size_t zeros = strspn(exponent, "+0");
        memmove(exponent, exponent + zeros, strlen(exponent + zeros) + 1);
    }
    return *text != '\0';
}

/* Numbers that are no range, the second not the larger, have a text that is not read back. */
static bool print_range(const congru_method_option *row, const congru_method_options *options, char *text)
{
    double range[2];
    char high[CONGRU_OPTION_TEXT_SIZE];
    get_range(row, options, range);
    if (range[0] == 0 && range[1] == 0)
        return snprintf(text, CONGRU_OPTION_TEXT_SIZE, "%s", own_value) > 0;
    if (range[0] == row->least && range[1] == row->most)
        return snprintf(text, CONGRU_OPTION_TEXT_SIZE, "%s", row->whole) > 0;
    if (!print_digits(RANGE_DIGITS, range[0], text) || !print_digits(RANGE_DIGITS, range[1], high))
        return false;
    const size_t used = strlen(text);
    return (size_t)snprintf(text + used, CONGRU_OPTION_TEXT_SIZE - used, ":%s", high) <
           CONGRU_OPTION_TEXT_SIZE - used;
}

static bool print_number(double number, char *text)
{
    return print_digits(1, number, text);
}

static void print_widths(const congru_method_option *row, const congru_method_options *options, char *text)
{
    size_t widths[CONGRU_LAYERS_MAX], count, used = 0;
    memcpy(widths, (const char *)options + row->offset, sizeof widths);
    memcpy(&count, (const char *)options + row->count_offset, sizeof count);
    text[0] = '\0';
    for (size_t i = 0; i < count && i < CONGRU_LAYERS_MAX; i++)
        used +=
            (size_t)snprintf(text + used, CONGRU_OPTION_TEXT_SIZE - used, "%s%zu", i > 0 ? "," : "", widths[i]);
}

bool congru_method_option_print(const congru_method_option *row, const congru_method_options *options,
                                char text[CONGRU_OPTION_TEXT_SIZE])
{
    uint64_t seed;
    int choice, choices = 0;
    if (row->kind == CONGRU_OPTION_RANGE)
        return print_range(row, options, text);
    if (row->own && (row->kind == CONGRU_OPTION_INTEGER ? get_whole(row, options) == CONGRU_OWN
                                                        : get_number(row, options) == CONGRU_OWN))
        return snprintf(text, CONGRU_OPTION_TEXT_SIZE, "%s", own_value) > 0;
    switch (row->kind) {
    case CONGRU_OPTION_SEED:
        memcpy(&seed, (const char *)options + row->offset, sizeof seed);
        return snprintf(text, CONGRU_OPTION_TEXT_SIZE, "%" PRIu64, seed) > 0;
    case CONGRU_OPTION_WIDTHS:
        print_widths(row, options, text);
        return true;
    case CONGRU_OPTION_SWITCH:
        return snprintf(text, CONGRU_OPTION_TEXT_SIZE, "%s", get_whole(row, options) == row->given ? on : off) >
               0;
    case CONGRU_OPTION_NUMBER_OR_AUTO:
        if (get_number(row, options) == 0)
            return snprintf(text, CONGRU_OPTION_TEXT_SIZE, "%s", automatic) > 0;
        return print_number(get_number(row, options), text);
    case CONGRU_OPTION_NUMBER:
        return print_number(get_number(row, options), text);
    case CONGRU_OPTION_CHOICE:
    case CONGRU_OPTION_RECIPE:
        choice = get_whole(row, options);
        while (row->choices[choices] != NULL)
            choices++;
        return choice >= 0 && choice < choices &&
               snprintf(text, CONGRU_OPTION_TEXT_SIZE, "%s", row->choices[choice]) > 0;
    case CONGRU_OPTION_INTEGER:
        return snprintf(text, CONGRU_OPTION_TEXT_SIZE, "%d", get_whole(row, options)) > 0;
    case CONGRU_OPTION_CHOOSE:
        return snprintf(text, CONGRU_OPTION_TEXT_SIZE, "%s", (const char *)options + row->offset) >= 0;
    case CONGRU_OPTION_RANGE: /* above */
    case CONGRU_OPTION_SHORTHAND:
        return false;
    }
    return false;
}

bool congru_method_options_get(const congru_method_options *options, const char *name,
                               char text[CONGRU_OPTION_TEXT_SIZE])
{
    const congru_method_option *row = congru_method_option_find(name);
    return options != NULL && text != NULL && row != NULL && congru_method_option_print(row, options, text);
}

/* ---- All of them ----------------------------------------------------------------------------------------- */

static congru_status check_count(congru_context *context, const congru_method_option *row,
                                 const congru_method_options *options)
{
    size_t count;
    if (row->kind != CONGRU_OPTION_WIDTHS)
        return CONGRU_OK;
    memcpy(&count, (const char *)options + row->count_offset, sizeof count);
    return count <= CONGRU_LAYERS_MAX
               ? CONGRU_OK
               : congru_fail(context, CONGRU_ERROR_ARGUMENT, "--%s wants at most %d widths, not %zu",
                             row->option.name, (int)CONGRU_LAYERS_MAX, count);
}

congru_status congru_method_options_check(congru_context *context, const congru_method_options *options)
{
    if (options == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "no options of methods given");
    const congru_method_option *row;
    congru_method_options copy = *options;
    congru_status status = CONGRU_OK;
    for (size_t i = 0; status == CONGRU_OK && (row = congru_method_option_at(i)) != NULL; i++) {
        char text[CONGRU_OPTION_TEXT_SIZE];
        status = check_count(context, row, options);
        if (row->kind == CONGRU_OPTION_SHORTHAND || status != CONGRU_OK)
            continue;
        if (congru_method_option_print(row, options, text))
            status = congru_method_options_set(context, &copy, NULL, row->option.name, text);
        else
            status =
                congru_fail(context, CONGRU_ERROR_ARGUMENT, "--%s is none of its choices", row->option.name);
    }
    return status;
}

/* "--C 0.1", "--balanced-batches", or what says that it was not given. */
static void add_given(congru_text *list, const char *name, const char *value)
{
    if (value == NULL || strcmp(value, off) == 0 || value[0] == '\0')
        congru_text_add(list, "no --%s", name);
    else if (strcmp(value, on) == 0)
        congru_text_add(list, "--%s", name);
    else
        congru_text_add(list, "--%s %s", name, value);
}

void congru_difference_add(congru_text *list, const char *name, const char *there, const char *here)
{
    congru_text_add(list, list->size > 0 ? "; " : "");
    add_given(list, name, there);
    congru_text_add(list, " there, ");
    add_given(list, name, here);
    congru_text_add(list, " here");
}

size_t congru_method_options_compare(const congru_method_options *there, const congru_method_options *here,
                                     char *text, size_t size)
{
    const congru_method_option *row;
    congru_text list = {0};
    size_t count = 0;
    for (size_t i = 0; there != NULL && here != NULL && (row = congru_method_option_at(i)) != NULL; i++) {
        char a[CONGRU_OPTION_TEXT_SIZE] = "", b[CONGRU_OPTION_TEXT_SIZE] = "";
        congru_method_option_print(row, there, a);
        congru_method_option_print(row, here, b);
        if (strcmp(a, b) != 0 && ++count <= DIFFERENCES_MAX)
            congru_difference_add(&list, row->option.name, a, b);
    }
    if (count > DIFFERENCES_MAX)
        congru_text_add(&list, "; and %zu more", count - DIFFERENCES_MAX);
    if (text != NULL && size > 0)
        snprintf(text, size, "%s", list.data != NULL ? list.data : "");
    congru_text_clear(&list);
    return count;
}
