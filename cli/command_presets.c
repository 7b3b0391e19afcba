/* congru presets: the datasets import knows, and what it knows of them. SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "preset.h"
#include "terminal.h"

enum { CONTINUED = 1, LIST_INDENT = 4 };

/* A line of a preset file, which goes on in lines that begin with a blank. */
static int print_value(void *user, const char *key, const char *value)
{
    (void)user;
    printf("%s = ", key);
    terminal_wrap(value, strlen(key) + strlen(" = "), CONTINUED, "");
    return EXIT_DONE;
}

static int print_where(void *user, const char *key, const char *value)
{
    (void)user;
    if (strcmp(key, "title") != 0 && strcmp(key, "source") != 0)
        return EXIT_DONE;
    printf("%*s", (int)LIST_INDENT, "");
    terminal_wrap(value, LIST_INDENT, LIST_INDENT, "");
    return EXIT_DONE;
}

static int print_all(void)
{
    for (const preset *p = presets; p->name != NULL; p++) {
        printf("%s\n", p->name);
        int code = preset_read(p, print_where, NULL);
        if (code != EXIT_DONE)
            return code;
    }
    return EXIT_DONE;
}

static int run(const arguments *parsed)
{
    if (parsed->operand_count > 1)
        return terminal_fail(EXIT_USAGE, "presets: one preset at a time");
    if (parsed->operand_count == 0)
        return print_all();
    const preset *found = preset_find("presets", parsed->operands[0]);
    if (found == NULL)
        return EXIT_USAGE;
    printf("# %s\n", found->name);
    return preset_read(found, print_value, NULL);
}

static const char *const examples[] = {
    "congru presets",
    "congru presets bnci2014-001",
    "congru presets eegmmidb > my.txt",
    NULL,
};

const command command_presets = {
    .name = "presets",
    .summary = "List the datasets that import knows, and where to get them",
    .usage = "[NAME]",
    .description =
        "Lists the presets of 'congru import' with what each dataset is and where it is published; with a "
        "NAME, the values of one: options of 'congru import' and what else is known of its files, as a file "
        "that "
        "'--preset FILE' takes: 'congru presets NAME > my.txt' begins one of your own.",
    .examples = examples,
    .run = run,
};
