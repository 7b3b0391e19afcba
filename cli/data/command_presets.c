/* congru presets: the datasets import knows, and what it knows of them. SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "congru/import.h"
#include "set_load.h"
#include "terminal.h"

enum { LIST_INDENT = 4 };

static const char *preset_name(size_t index, const void *user)
{
    (void)user;
    return congru_preset_name(index);
}

bool preset_is_unknown(const char *name)
{
    size_t size = strlen(name);
    return strchr(name, '/') == NULL && !(size > 4 && strcmp(name + size - 4, ".txt") == 0) &&
           congru_preset_line(name, 0) == NULL;
}

int preset_fail_unknown(const char *who, const char *name)
{
    char what[64];
    snprintf(what, sizeof what, "%s: unknown preset", who);
    return terminal_fail_unknown(what, name, preset_name, NULL, "'congru presets' lists them");
}

/* Whether a line gives the key, or goes on with what the line before gave. */
static bool begins(const char *line, const char *key)
{
    size_t size = strlen(key);
    return strncmp(line, key, size) == 0 && strncmp(line + size, " =", 2) == 0;
}

/* The title and the source of each, with the lines they go on in. */
static int print_all(void)
{
    for (size_t i = 0; congru_preset_name(i) != NULL; i++) {
        const char *name = congru_preset_name(i), *line;
        char value[2048] = "";
        printf("%s\n", name);
        for (size_t k = 0; (line = congru_preset_line(name, k)) != NULL; k++) {
            bool title = begins(line, "title"), source = begins(line, "source");
            if (line[0] != ' ' && value[0] != '\0') {
                printf("%*s", (int)LIST_INDENT, "");
                terminal_wrap(value, LIST_INDENT, LIST_INDENT, "");
                value[0] = '\0';
            }
            if (title || source)
                snprintf(value, sizeof value, "%s", strchr(line, '=') + 2);
            else if (line[0] == ' ' && value[0] != '\0')
                snprintf(value + strlen(value), sizeof value - strlen(value), "%s", line);
        }
    }
    return EXIT_DONE;
}

static int run(const arguments *parsed)
{
    if (parsed->operand_count > 1)
        return terminal_fail(EXIT_USAGE, "presets: one preset at a time");
    if (parsed->operand_count == 0)
        return print_all();
    const char *name = parsed->operands[0], *line;
    if (congru_preset_line(name, 0) == NULL)
        return preset_fail_unknown("presets", name);
    for (size_t k = 0; (line = congru_preset_line(name, k)) != NULL; k++)
        printf("%s\n", line);
    return EXIT_DONE;
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
        "NAME, the text of one, which 'congru import --preset FILE.txt' takes as it is, changed or not.",
    .examples = examples,
    .run = run,
};
