/* Values of options: words, subjects of a set, settings of methods. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"
#include "terminal.h"

static char *trim(char *text)
{
    text += strspn(text, " \t");
    size_t size = strlen(text);
    while (size > 0 && (text[size - 1] == ' ' || text[size - 1] == '\t'))
        text[--size] = '\0';
    return text;
}

int text_list_split(text_list *list, const char *where, const char *text)
{
    size_t count = 1;
    for (const char *c = text; *c != '\0'; c++)
        count += *c == ',';
    text_list_clear(list);
    list->text = strdup(text);
    list->item = calloc(count + 1, sizeof *list->item);
    if (list->text == NULL || list->item == NULL) {
        text_list_clear(list);
        return terminal_fail(EXIT_FAILED, "%s: not enough memory", where);
    }
    char *at = list->text;
    for (; list->count < count; list->count++) {
        size_t size = strcspn(at, ",");
        char *next = at + size + (at[size] == ',');
        at[size] = '\0';
        list->item[list->count] = trim(at);
        if (list->item[list->count][0] == '\0')
            return terminal_fail(EXIT_USAGE, "%s wants words with commas between, none of them empty, not '%s'",
                                 where, text);
        at = next;
    }
    return EXIT_DONE;
}

void text_list_clear(text_list *list)
{
    free(list->item);
    free(list->text);
    *list = (text_list){0};
}

int subject_list_find(congru_context *context, const char *where, const char *text, const char *path,
                      const congru_set *set, int32_t **subjects, size_t *count)
{
    text_list names = {0};
    *subjects = NULL;
    *count = 0;
    if (text == NULL)
        return EXIT_DONE;
    int code = text_list_split(&names, where, text);
    if (code == EXIT_DONE) {
        *subjects = calloc(names.count, sizeof **subjects);
        *count = names.count;
        if (*subjects == NULL)
            code = terminal_fail(EXIT_FAILED, "%s: not enough memory", path);
        else if (congru_set_find_subjects(context, set, path, names.count, (const char *const *)names.item,
                                          *subjects) != CONGRU_OK)
            code = terminal_fail(EXIT_FAILED, "%s", congru_context_error(context));
    }
    text_list_clear(&names);
    return code;
}

/* The option at a place among those of a group. */
static const option *in_group(const char *group, size_t index)
{
    const congru_method_option *row;
    for (size_t i = 0; (row = congru_method_option_at(i)) != NULL; i++)
        if (strcmp(congru_method_option_group(row), group) == 0 && index-- == 0)
            return &row->option;
    return NULL;
}

static const option *classical_option(size_t index)
{
    return in_group("Methods", index);
}

static const option *network_option(size_t index)
{
    return in_group("Networks", index);
}

static const option_table network_option_table = {.at = network_option, .title = "Networks"};
const option_table method_option_table = {
    .at = classical_option, .title = "Methods", .more = &network_option_table};

static int set(congru_context *context, const arguments *parsed, const congru_method_option *row,
               congru_method_options *options)
{
    char where[128];
    const char *name = row->option.name, *value = options_value(parsed, name);
    if (value == NULL)
        return EXIT_DONE;
    if (row->kind == CONGRU_OPTION_SHORTHAND && options_given(parsed, row->stands_for))
        return terminal_fail(EXIT_USAGE, "%s: --%s and --%s exclude each other", parsed->command,
                             row->stands_for, name);
    snprintf(where, sizeof where, "%s: --%s", parsed->command, name);
    const congru_status status = congru_method_options_set(context, options, where, name, value);
    return status == CONGRU_OK ? EXIT_DONE
                               : terminal_fail(terminal_refusal(status), "%s", congru_context_error(context));
}

/* What is given is not chosen, too. */
static int check_choices(const arguments *parsed, const congru_method_options *options)
{
    const congru_method_option *row;
    for (size_t i = 0; (row = congru_method_option_at(i)) != NULL; i++)
        if (options_value(parsed, row->option.name) != NULL && congru_method_options_chooses(options, row))
            return terminal_fail(EXIT_USAGE, "%s: --%s is given, and is to be chosen, too (leave one out)",
                                 parsed->command, row->option.name);
    return EXIT_DONE;
}

int method_settings_parse(congru_context *context, const arguments *parsed, congru_method_options *options)
{
    const congru_method_option *row;
    int code = EXIT_DONE;
    congru_method_options_init(options);
    for (size_t i = 0; code == EXIT_DONE && (row = congru_method_option_at(i)) != NULL; i++)
        code = set(context, parsed, row, options);
    return code == EXIT_DONE ? check_choices(parsed, options) : code;
}
