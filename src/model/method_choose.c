/* Options that are chosen, with the values they are chosen from, as one text. SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "model/method_options.h"

enum { WORDS_SIZE = 128 };

/* "lambda-sub=0.01,0.05; C=0.1,1": parts end at a semicolon. */
static const char *next_part(const char *text, const char **end)
{
    text += strspn(text, " \t;");
    *end = text + strcspn(text, ";");
    return *text != '\0' ? text : NULL;
}

/* What stands from `text` to `end`, without blanks around it; false where it is too long. */
static bool take_word(const char *text, const char *end, char *word, size_t room)
{
    text += strspn(text, " \t");
    while (end > text && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    if (end < text || (size_t)(end - text) >= room)
        return false;
    memcpy(word, text, (size_t)(end - text));
    word[end - text] = '\0';
    return true;
}

static bool fail(char *error, const char *where, const char *word, const char *what)
{
    snprintf(error, CONGRU_VALUE_ERROR_SIZE, "%s %.100s: %s", where, word, what);
    return false;
}

static bool fail_unknown(char *error, const char *where, const char *word)
{
    const char *name[256] = {NULL}, *near;
    size_t count = 0;
    for (; count < 256 && congru_method_option_at(count) != NULL; count++)
        name[count] = congru_method_option_at(count)->option.name;
    near = congru_nearest(word, count, name);
    snprintf(error, CONGRU_VALUE_ERROR_SIZE, "%s %.100s: no such option of a method%s%s%s", where, word,
             near != NULL ? " (did you mean " : "", near != NULL ? near : "", near != NULL ? "?)" : "");
    return false;
}

/* Options whose values are not compared with each other. */
static const char *refused(const congru_method_option *row)
{
    if (row->kind == CONGRU_OPTION_SHORTHAND)
        return "stands for a value of another option (choose that)";
    if (row->kind == CONGRU_OPTION_WIDTHS)
        return "is a list itself, and cannot be chosen";
    return row->fixed;
}

/* One value, as it is printed; among those before it there is none like it. */
static bool take_value(const char *where, const char *word, congru_option_values *values, char *error)
{
    congru_method_options tried;
    char text[CONGRU_OPTION_TEXT_SIZE];
    congru_method_options_init(&tried);
    if (word[0] == '\0')
        return fail(error, where, values->row->option.name,
                    "wants values with commas between, none of them empty");
    char named[WORDS_SIZE];
    snprintf(named, sizeof named, "%s %s", where, values->row->option.name);
    if (!congru_method_option_parse(values->row, named, word, &tried, error))
        return false;
    if (values->count == CONGRU_VALUES_MAX)
        return fail(error, where, values->row->option.name, "has more than 16 values");
    if (!congru_method_option_print(values->row, &tried, text) || strlen(text) >= sizeof values->value[0])
        return fail(error, where, values->row->option.name, "has too long a value");
    if (values->row->kind == CONGRU_OPTION_NUMBER_OR_AUTO && strcmp(text, values->row->standard) == 0)
        return fail(error, where, values->row->option.name, "is chosen from numbers");
    for (size_t i = 0; i < values->count; i++)
        if (strcmp(values->value[i], text) == 0)
            return fail(error, where, values->row->option.name, "has a value twice");
    strcpy(values->value[values->count++], text);
    return true;
}

/* "OPTION=V1,V2,...", or CONGRU_CHOOSE_WEIGHTS. */
static bool parse_part(const char *where, const char *text, const char *end, congru_option_values *values,
                       char *error)
{
    const char *equals = memchr(text, '=', (size_t)(end - text));
    char word[CONGRU_OPTION_TEXT_SIZE];
    *values = (congru_option_values){0};
    if (!take_word(text, equals != NULL ? equals : end, word, sizeof word))
        return fail(error, where, "", "too long a name");
    if (equals == NULL && strcmp(word, CONGRU_CHOOSE_WEIGHTS) == 0)
        return true;
    if (equals == NULL)
        return fail(error, where, word, "wants values to choose from, OPTION=V1,V2,...");
    values->row = congru_method_option_find(word);
    if (values->row == NULL)
        return fail_unknown(error, where, word);
    if (refused(values->row) != NULL)
        return fail(error, where, word, refused(values->row));
    for (const char *at = equals + 1; at <= end;) {
        const char *comma = memchr(at, ',', (size_t)(end - at)), *stop = comma != NULL ? comma : end;
        if (!take_word(at, stop, word, sizeof word))
            return fail(error, where, values->row->option.name, "has too long a value");
        if (!take_value(where, word, values, error))
            return false;
        at = stop + 1;
    }
    return values->count > 1
               ? true
               : fail(error, where, values->row->option.name, "has one value; there is nothing to choose");
}

bool congru_choose_parse(const char *where, const char *text, char choose[CONGRU_CHOOSE_SIZE], char *error)
{
    char made[CONGRU_CHOOSE_SIZE] = "";
    size_t used = 0;
    const char *end;
    congru_option_values values, other;
    for (const char *at = text; (at = next_part(at, &end)) != NULL; at = end) {
        if (!parse_part(where, at, end, &values, error))
            return false;
        for (size_t i = 0; congru_choose_at(made, i, &other); i++)
            if (other.row == values.row)
                return fail(error, where, values.row != NULL ? values.row->option.name : CONGRU_CHOOSE_WEIGHTS,
                            "is given twice");
        used += (size_t)snprintf(made + used, sizeof made - used, "%s%s", used > 0 ? "; " : "",
                                 values.row != NULL ? values.row->option.name : CONGRU_CHOOSE_WEIGHTS);
        for (size_t i = 0; used < sizeof made && i < values.count; i++)
            used +=
                (size_t)snprintf(made + used, sizeof made - used, "%c%s", i > 0 ? ',' : '=', values.value[i]);
        if (used >= sizeof made)
            return fail(error, where, "", "all that is chosen is longer than 255 characters");
    }
    memcpy(choose, made, sizeof made);
    return true;
}

bool congru_choose_at(const char *choose, size_t index, congru_option_values *values)
{
    char error[CONGRU_VALUE_ERROR_SIZE];
    const char *end;
    for (const char *at = choose; (at = next_part(at, &end)) != NULL; at = end)
        if (index-- == 0)
            return parse_part("", at, end, values, error);
    return false;
}

bool congru_choose_weights(const char *choose)
{
    congru_option_values values;
    for (size_t i = 0; congru_choose_at(choose, i, &values); i++)
        if (values.row == NULL)
            return true;
    return false;
}

const congru_method_option *congru_choose_row(void)
{
    const congru_method_option *row;
    for (size_t i = 0; (row = congru_method_option_at(i)) != NULL; i++)
        if (row->kind == CONGRU_OPTION_CHOOSE)
            return row;
    return NULL;
}

bool congru_method_options_chooses(const congru_method_options *options, const congru_method_option *option)
{
    congru_option_values values;
    for (size_t i = 0; options != NULL && option != NULL && congru_choose_at(options->choose, i, &values); i++)
        if (values.row == option)
            return true;
    return false;
}
