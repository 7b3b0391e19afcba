/* Reads the lines of presets. SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array/source.h"
#include "import/import_internal.h"

enum { KEY_SIZE = 64, VALUE_SIZE = 2048, FILE_MAX = 1 << 20 };

/* A key whose value may go on in the next line. */
typedef struct reading {
    congru_context *context;
    const char *name; /* of the preset or file, for messages */
    char key[KEY_SIZE], value[VALUE_SIZE];
    preset_visit visit;
    void *user;
} reading;

static const preset *find(const char *name)
{
    for (const preset *p = congru_presets; p->name != NULL; p++)
        if (name != NULL && strcmp(p->name, name) == 0)
            return p;
    return NULL;
}

const char *congru_preset_name(size_t index)
{
    for (const preset *p = congru_presets; p->name != NULL; p++)
        if (index-- == 0)
            return p->name;
    return NULL;
}

const char *congru_preset_line(const char *name, size_t index)
{
    const preset *found = find(name);
    for (size_t i = 0; found != NULL && found->lines[i] != NULL; i++)
        if (i == index)
            return found->lines[i];
    return NULL;
}

static bool is_blank(char letter)
{
    return letter == ' ' || (letter >= '\t' && letter <= '\r');
}

static size_t trimmed_size(const char *text, size_t size)
{
    while (size > 0 && is_blank(text[size - 1]))
        size--;
    return size;
}

static congru_status visit_pending(reading *r)
{
    if (r->key[0] == '\0')
        return CONGRU_OK;
    congru_status status = r->visit(r->user, r->key, r->value);
    r->key[0] = '\0';
    return status;
}

/* Adds text to the value, a blank before it where something is there already. */
static congru_status extend(reading *r, const char *text, size_t size)
{
    size_t used = strlen(r->value);
    while (size > 0 && is_blank(*text)) {
        text++;
        size--;
    }
    size = trimmed_size(text, size);
    if (used + 1 + size >= sizeof r->value)
        return congru_fail(r->context, CONGRU_ERROR_FORMAT, "%s: %s: longer than %d characters", r->name,
                           r->key, VALUE_SIZE - 2);
    snprintf(r->value + used, sizeof r->value - used, "%s%.*s", used > 0 ? " " : "", (int)size, text);
    return CONGRU_OK;
}

static congru_status read_line(reading *r, const char *line, size_t length)
{
    size_t size = trimmed_size(line, length);
    if (size == 0 || line[0] == '#')
        return CONGRU_OK;
    if ((line[0] == ' ' || line[0] == '\t') && r->key[0] != '\0')
        return extend(r, line, size);
    CONGRU_TRY(visit_pending(r));
    const char *equals = memchr(line, '=', size);
    size_t key_size = equals != NULL ? trimmed_size(line, (size_t)(equals - line)) : 0;
    if (key_size == 0 || key_size >= sizeof r->key || is_blank(line[0]) || memchr(line, '\0', size) != NULL)
        return congru_fail(r->context, CONGRU_ERROR_FORMAT, "%s: expected a line 'key = value', found '%.*s'",
                           r->name, (int)(size < KEY_SIZE ? size : KEY_SIZE), line);
    snprintf(r->key, sizeof r->key, "%.*s", (int)key_size, line);
    r->value[0] = '\0';
    return extend(r, equals + 1, size - (size_t)(equals + 1 - line));
}

static congru_status read_lines(reading *r, const char *text, size_t size)
{
    congru_status status = CONGRU_OK;
    while (status == CONGRU_OK && size > 0) {
        const char *end = memchr(text, '\n', size);
        size_t length = end != NULL ? (size_t)(end - text) : size, step = length + (end != NULL);
        status = read_line(r, text, length);
        text += step;
        size -= step;
    }
    return status == CONGRU_OK ? visit_pending(r) : status;
}

static bool is_file(const char *name)
{
    size_t size = strlen(name);
    return strchr(name, '/') != NULL || (size > 4 && strcmp(name + size - 4, ".txt") == 0);
}

congru_status congru_preset_read(congru_context *context, const char *name, preset_visit visit, void *user)
{
    reading r = {.context = context, .name = name, .visit = visit, .user = user};
    congru_status status = CONGRU_OK;
    if (is_file(name)) {
        char *text;
        size_t size;
        status = congru_source_text(context, name, FILE_MAX, "a preset", &text, &size);
        if (status == CONGRU_OK)
            status = read_lines(&r, text, size);
        free(text);
        return status;
    }
    const preset *found = find(name);
    if (found == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "unknown preset '%s' ('congru presets' lists them)",
                           name);
    for (size_t i = 0; status == CONGRU_OK && found->lines[i] != NULL; i++)
        status = read_line(&r, found->lines[i], strlen(found->lines[i]));
    return status == CONGRU_OK ? visit_pending(&r) : status;
}
