/* The library's options of methods on the command line. SPDX-License-Identifier: Apache-2.0 */
#include "method_settings.h"

#include <stdio.h>
#include <string.h>

#include "terminal.h"

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
    if (congru_method_options_set(context, options, where, name, value) != CONGRU_OK)
        return terminal_fail(EXIT_USAGE, "%s", congru_context_error(context));
    return EXIT_DONE;
}

int method_settings_parse(congru_context *context, const arguments *parsed, congru_method_options *options)
{
    const congru_method_option *row;
    int code = EXIT_DONE;
    congru_method_options_init(options);
    for (size_t i = 0; code == EXIT_DONE && (row = congru_method_option_at(i)) != NULL; i++)
        code = set(context, parsed, row, options);
    return code;
}
