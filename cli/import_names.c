/* What the names of imported files say, and that no two say the same. SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "import_file.h"
#include "terminal.h"

/* A number a name gives in digits; -1 for what is none, or is too large for one. */
static int32_t number_of(const char *text)
{
    size_t size = strlen(text);
    if (size == 0 || size > 9 || strspn(text, "0123456789") != size)
        return -1;
    return (int32_t)strtol(text, NULL, 10);
}

static int fail_pattern(const import_settings *settings, const char *path)
{
    if (settings->pattern_count == 1)
        return terminal_fail(EXIT_FAILED,
                             "%s: its name does not fit '%s' (give --subject-from another pattern)", path,
                             settings->pattern[0]);
    return terminal_fail(EXIT_FAILED,
                         "%s: its name fits none of the preset's patterns, such as '%s' (give "
                         "--subject-from a pattern)",
                         path, settings->pattern[0]);
}

static int read_name(const import_settings *settings, import_file *file)
{
    bool found = settings->pattern_count == 0;
    if (found)
        name_pattern_base(file->path, file->name.part[NAME_SUBJECT]);
    for (size_t i = 0; !found && i < settings->pattern_count; i++)
        found = name_pattern_match(settings->pattern[i], file->path, &file->name);
    if (!found)
        return fail_pattern(settings, file->path);
    if (settings->session_pattern != NULL &&
        !name_pattern_match(settings->session_pattern, file->path, &file->name))
        return terminal_fail(EXIT_FAILED,
                             "%s: its name does not fit '%s' (give --session-from another pattern)", file->path,
                             settings->session_pattern);
    return EXIT_DONE;
}

/* Sessions that names call otherwise than by number are numbered by the preset, else in the order they come. */
static void number_session(const import_settings *settings, import_file *files, size_t at, int32_t *last)
{
    const char *session = files[at].name.part[NAME_SESSION];
    files[at].session = number_of(session);
    if (session[0] == '\0' || files[at].session >= 0)
        return;
    for (size_t i = 0; i < settings->sessions.count; i++)
        if (strcmp(settings->sessions.item[i], session) == 0)
            files[at].session = settings->session_number[i];
    for (size_t i = 0; i < at && files[at].session < 0; i++)
        if (strcmp(files[i].name.part[NAME_SESSION], session) == 0)
            files[at].session = files[i].session;
    if (files[at].session < 0)
        files[at].session = ++*last;
}

static int compare_names(const void *a, const void *b)
{
    const import_file *const *left = a, *const *right = b;
    for (int i = 0; i < NAME_FIELDS; i++) {
        int order = strcmp((*left)->name.part[i], (*right)->name.part[i]);
        if (order != 0)
            return order;
    }
    return *left < *right ? -1 : *left > *right; /* the order of the command line */
}

static int fail_twice(const import_file *first, const import_file *second)
{
    if (strcmp(first->path, second->path) == 0)
        return terminal_fail(EXIT_FAILED, "%s: named twice (leave one out)", second->path);
    const char *session = second->name.part[NAME_SESSION], *run = second->name.part[NAME_RUN];
    return terminal_fail(
        EXIT_FAILED,
        "%s: by its name the same subject '%s'%s%s%s%s as %s (leave one out, or tell them apart by "
        "{session} or {run} in --subject-from)",
        second->path, second->name.part[NAME_SUBJECT], session[0] != '\0' ? ", session " : "", session,
        run[0] != '\0' ? ", run " : "", run, first->path);
}

static int refuse_duplicates(import_file *files, size_t count)
{
    import_file **sorted = malloc((count + 1) * sizeof(import_file *));
    if (sorted == NULL)
        return terminal_fail(EXIT_FAILED, "import: not enough memory for %zu files", count);
    for (size_t i = 0; i < count; i++)
        sorted[i] = &files[i];
    qsort(sorted, count, sizeof *sorted, compare_names);
    int code = EXIT_DONE;
    for (size_t i = 0; code == EXIT_DONE && i + 1 < count; i++)
        if (memcmp(&sorted[i]->name, &sorted[i + 1]->name, sizeof sorted[i]->name) == 0)
            code = fail_twice(sorted[i], sorted[i + 1]);
    free(sorted);
    return code;
}

int import_files_identify(const import_settings *settings, import_file *files, size_t count)
{
    int32_t last_session = 0;
    for (size_t i = 0; i < count; i++) {
        int code = read_name(settings, &files[i]);
        if (code != EXIT_DONE)
            return code;
        number_session(settings, files, i, &last_session);
        files[i].run = number_of(files[i].name.part[NAME_RUN]);
    }
    return refuse_duplicates(files, count);
}
