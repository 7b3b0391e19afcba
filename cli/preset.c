/* Finds presets and reads their lines. SPDX-License-Identifier: Apache-2.0 */
#include "preset.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "terminal.h"
#include "text_file.h"

enum { KEY_SIZE = 64, VALUE_SIZE = 2048 };

/* A key whose value may go on in the next line. */
typedef struct reading {
    const char *name; /* of the preset or file, for messages */
    char key[KEY_SIZE], value[VALUE_SIZE];
    preset_visit visit;
    void *user;
} reading;

static const char *preset_name(size_t index, const void *user)
{
    (void)user;
    return presets[index].name;
}

const preset *preset_find(const char *command, const char *name)
{
    for (const preset *p = presets; p->name != NULL; p++)
        if (strcmp(p->name, name) == 0)
            return p;
    const char *meant = terminal_nearest(name, preset_name, NULL);
    if (meant != NULL)
        terminal_fail(EXIT_USAGE, "%s: unknown preset '%s' (did you mean '%s'?)", command, name, meant);
    else
        terminal_fail(EXIT_USAGE, "%s: unknown preset '%s' ('congru presets' lists them)", command, name);
    return NULL;
}

static size_t trimmed_size(const char *text, size_t size)
{
    while (size > 0 && isspace((unsigned char)text[size - 1]))
        size--;
    return size;
}

static int visit_pending(reading *r)
{
    if (r->key[0] == '\0')
        return EXIT_DONE;
    int code = r->visit(r->user, r->key, r->value);
    r->key[0] = '\0';
    return code;
}

static int fail_long(const char *name, const char *what)
{
    return terminal_fail(EXIT_FAILED, "%s: %s: longer than %d characters", name, what, VALUE_SIZE - 2);
}

/* Adds text to the value, a blank before it where something is there already. */
static int extend(reading *r, const char *text)
{
    size_t used = strlen(r->value);
    text += strspn(text, " \t");
    size_t size = trimmed_size(text, strlen(text));
    if (used + 1 + size >= sizeof r->value)
        return fail_long(r->name, r->key);
    snprintf(r->value + used, sizeof r->value - used, "%s%.*s", used > 0 ? " " : "", (int)size, text);
    return EXIT_DONE;
}

static int read_line(reading *r, const char *line)
{
    size_t size = trimmed_size(line, strlen(line));
    if (size == 0 || line[0] == '#')
        return EXIT_DONE;
    if ((line[0] == ' ' || line[0] == '\t') && r->key[0] != '\0')
        return extend(r, line);
    int code = visit_pending(r);
    if (code != EXIT_DONE)
        return code;
    const char *equals = strchr(line, '=');
    size_t key_size = equals != NULL ? trimmed_size(line, (size_t)(equals - line)) : 0;
    if (key_size == 0 || key_size >= sizeof r->key || isblank((unsigned char)line[0]))
        return terminal_fail(EXIT_FAILED, "%s: expected a line 'key = value', found '%.*s'", r->name,
                             (int)(size < KEY_SIZE ? size : KEY_SIZE), line);
    snprintf(r->key, sizeof r->key, "%.*s", (int)key_size, line);
    r->value[0] = '\0';
    return extend(r, equals + 1);
}

int preset_read(const preset *from, preset_visit visit, void *user)
{
    reading r = {.name = from->name, .visit = visit, .user = user};
    int code = EXIT_DONE;
    for (size_t i = 0; code == EXIT_DONE && from->lines[i] != NULL; i++)
        code = read_line(&r, from->lines[i]);
    return code == EXIT_DONE ? visit_pending(&r) : code;
}

int preset_read_file(const char *path, preset_visit visit, void *user)
{
    char line[VALUE_SIZE], *text;
    reading r = {.name = path, .visit = visit, .user = user};
    FILE *file;
    int code = text_file_open(path, TEXT_PRESET_MAX, "a preset", &file, &text);
    if (code != EXIT_DONE)
        return code;
    while (code == EXIT_DONE && fgets(line, sizeof line, file) != NULL)
        code = strlen(line) < sizeof line - 1 ? read_line(&r, line) : fail_long(path, "a line");
    fclose(file);
    free(text);
    return code == EXIT_DONE ? visit_pending(&r) : code;
}
