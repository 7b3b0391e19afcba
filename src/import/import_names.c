/* What the names of imported files say, and that no two say the same. SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/import_internal.h"

/* A number a name gives in digits; -1 for what is none, or is too large for one. */
static int32_t number_of(const char *text)
{
    size_t size = strlen(text);
    if (size == 0 || size > 9 || strspn(text, "0123456789") != size)
        return -1;
    return (int32_t)strtol(text, NULL, 10);
}

/* ---- The usual schemes, where no pattern was given -------------------------------------------------- */

/* Text [begin, end) as a part, cut to fit. */
static void fill(name_parts *parts, name_field field, const char *begin, size_t size)
{
    snprintf(parts->part[field], NAME_SIZE, "%.*s", (int)size, begin);
}

static size_t digits(const char *text)
{
    return strspn(text, "0123456789");
}

/* Whether a name may end here: what tools add, such as MNE's _raw and -epo, is no part of it. */
static bool ends(const char *text)
{
    return *text == '\0' || *text == '_' || *text == '-';
}

/* The entities of BIDS in a name, or in the name of a folder, which ends at a slash: sub-01_ses-02_task-mi_run-1_eeg. */
static void read_entities(const char *name, name_parts *parts)
{
    static const struct {
        const char *key;
        name_field field;
    } entities[] = {{"sub-", NAME_SUBJECT}, {"ses-", NAME_SESSION}, {"run-", NAME_RUN}};
    bool last = false;
    while (!last) {
        size_t size = strcspn(name, "_/");
        last = name[size] != '_';
        for (size_t i = 0; i < sizeof entities / sizeof entities[0]; i++)
            if (size > 4 && strncmp(name, entities[i].key, 4) == 0)
                fill(parts, entities[i].field, name + 4, strcspn(name + 4, "_-/"));
        name += size + !last;
    }
}

/* What folders say: sub-01/ses-02/eeg/. Those that are nearer to the file go before others. */
static void read_folders(const char *path, name_parts *parts)
{
    for (const char *slash; (slash = strchr(path, '/')) != NULL; path = slash + 1)
        if (strncmp(path, "sub-", 4) == 0 || strncmp(path, "ses-", 4) == 0)
            read_entities(path, parts);
}

/* The subject is in the file's name; the session may be a folder's. */
static bool match_bids(const char *path, const char *name, name_parts *parts)
{
    name_parts own = {0};
    read_entities(name, &own);
    read_folders(path, parts);
    for (int i = 0; i < NAME_FIELDS; i++)
        if (own.part[i][0] != '\0')
            memcpy(parts->part[i], own.part[i], NAME_SIZE);
    return own.part[NAME_SUBJECT][0] != '\0';
}

/* The folders alone say whose a file is: its name, whatever it is, is that of a run. */
static bool match_folders(const char *path, const char *name, name_parts *parts)
{
    read_folders(path, parts);
    fill(parts, NAME_RUN, name, strlen(name));
    return parts->part[NAME_SUBJECT][0] != '\0';
}

/* EEGMMIDB: S001R04. */
static bool match_runs(const char *path, const char *name, name_parts *parts)
{
    (void)path;
    size_t subject = name[0] == 'S' ? digits(name + 1) : 0;
    const char *run = name + 1 + subject;
    if (subject == 0 || *run != 'R' || digits(run + 1) == 0 || !ends(run + 1 + digits(run + 1)))
        return false;
    fill(parts, NAME_SUBJECT, name + 1, subject);
    fill(parts, NAME_RUN, run + 1, digits(run + 1));
    return true;
}

/* BCI Competition IV: A01T and A01E of 2a, B0101T to B0105E of 2b. */
static bool match_graz(const char *path, const char *name, name_parts *parts)
{
    (void)path;
    size_t count = name[0] == 'A' || name[0] == 'B' ? digits(name + 1) : 0;
    const char *letter = name + 1 + count;
    if (count != (name[0] == 'A' ? 2 : 4) || (*letter != 'T' && *letter != 'E') || !ends(letter + 1))
        return false;
    fill(parts, NAME_SUBJECT, name + 1, 2);
    fill(parts, NAME_SESSION, name + 3, name[0] == 'A' ? 1 : 2);
    return true;
}

static const struct {
    const char *label;
    bool (*match)(const char *path, const char *name, name_parts *parts);
} schemes[] = {
    {"sub-SUBJECT_ses-SESSION_run-RUN (BIDS) in the file names", match_bids},
    {"S(SUBJECT)R(RUN) in the file names", match_runs},
    {"A(SUBJECT)(SESSION) or B(SUBJECT)(SESSION) in the file names", match_graz},
    {"sub-SUBJECT/ses-SESSION of the folders", match_folders},
};

/* The first scheme that every name fits fills in all parts; otherwise each name is a subject. */
static const char *apply_scheme(import_file *files, size_t count)
{
    char base[NAME_SIZE];
    for (size_t s = 0; s < sizeof schemes / sizeof schemes[0]; s++) {
        bool all = true;
        for (size_t i = 0; all && i < count; i++) {
            files[i].name = (name_parts){0};
            congru_name_pattern_base(files[i].path, base);
            all = schemes[s].match(files[i].path, base, &files[i].name);
        }
        if (all)
            return schemes[s].label;
    }
    for (size_t i = 0; i < count; i++) {
        files[i].name = (name_parts){0};
        congru_name_pattern_base(files[i].path, files[i].name.part[NAME_SUBJECT]);
    }
    return NULL;
}

/* ---- Patterns -------------------------------------------------------------------------------------------- */

static congru_status fail_pattern(congru_context *context, const char *path, const char *pattern,
                                  const char *verb, const char *remedy)
{
    char compared[2 * NAME_SIZE];
    size_t folders = congru_name_pattern_compared(pattern, path, compared, sizeof compared);
    if (folders > 0)
        return congru_fail(context, CONGRU_ERROR_FORMAT,
                           "%s: '%s', the name with %s and without extension, %s '%s' (%s)", path, compared,
                           congru_count(folders, "folder").text, verb, pattern, remedy);
    return congru_fail(context, CONGRU_ERROR_FORMAT,
                       "%s: '%s', the name without folders and extension, %s '%s' (%s)", path, compared, verb,
                       pattern, remedy);
}

static congru_status read_name(congru_context *context, const congru_import *import, import_file *file)
{
    bool found = import->pattern_count == 0;
    for (size_t i = 0; !found && i < import->pattern_count; i++)
        found = congru_name_pattern_match(import->pattern[i], file->path, &file->name);
    if (!found && import->pattern_count == 1)
        return fail_pattern(context, file->path, import->pattern[0], "does not fit",
                            "give --subject-from another pattern");
    if (!found)
        return fail_pattern(context, file->path, import->pattern[0],
                            "fits none of the preset's patterns, such as", "give --subject-from a pattern");
    if (import->session_pattern != NULL &&
        !congru_name_pattern_match(import->session_pattern, file->path, &file->name))
        return fail_pattern(context, file->path, import->session_pattern, "does not fit",
                            "give --session-from another pattern");
    return CONGRU_OK;
}

/* Sessions that names call otherwise than by number are numbered by the preset, else in the order they come. */
static void number_session(const congru_import *import, import_file *files, size_t at, int32_t *last)
{
    const char *session = files[at].name.part[NAME_SESSION];
    files[at].session = number_of(session);
    if (session[0] == '\0' || files[at].session >= 0)
        return;
    for (size_t i = 0; i < import->session_count; i++)
        if (strcmp(import->session[i].name, session) == 0)
            files[at].session = import->session[i].number;
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

static congru_status fail_twice(congru_context *context, const import_file *first, const import_file *second)
{
    if (strcmp(first->path, second->path) == 0)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "%s: named twice (leave one out)", second->path);
    const char *session = second->name.part[NAME_SESSION], *run = second->name.part[NAME_RUN];
    return congru_fail(
        context, CONGRU_ERROR_ARGUMENT,
        "%s: by its name the same subject '%s'%s%s%s%s as %s (leave one out, or tell them apart by "
        "{session} or {run} in --subject-from)",
        second->path, second->name.part[NAME_SUBJECT], session[0] != '\0' ? ", session " : "", session,
        run[0] != '\0' ? ", run " : "", run, first->path);
}

static congru_status refuse_duplicates(congru_context *context, import_file *files, size_t count)
{
    import_file **sorted = malloc((count + 1) * sizeof(import_file *));
    if (sorted == NULL)
        return congru_fail_memory(context, "%zu files", count);
    for (size_t i = 0; i < count; i++)
        sorted[i] = &files[i];
    qsort(sorted, count, sizeof *sorted, compare_names);
    congru_status status = CONGRU_OK;
    for (size_t i = 0; status == CONGRU_OK && i + 1 < count; i++)
        if (memcmp(&sorted[i]->name, &sorted[i + 1]->name, sizeof sorted[i]->name) == 0)
            status = fail_twice(context, sorted[i], sorted[i + 1]);
    free(sorted);
    return status;
}

/* "S{subject}R{run} in the file names" */
static void tell_scheme(const congru_import *import, const char *label, char *scheme, size_t size)
{
    if (import->pattern_count > 0)
        snprintf(scheme, size, "by %s%s in the %s", import->pattern[0],
                 import->pattern_count > 1 ? " and others of the preset" : "",
                 strchr(import->pattern[0], '/') != NULL ? "names of files and folders" : "file names");
    else if (label != NULL)
        snprintf(scheme, size, "by the usual %s", label);
    else
        snprintf(scheme, size, "each file name is a subject (give --subject-from for another rule)");
}

congru_status congru_import_files_identify(congru_context *context, const congru_import *import,
                                           import_file *files, size_t count, char *scheme, size_t scheme_size)
{
    int32_t last_session = 0;
    const char *label = import->pattern_count == 0 ? apply_scheme(files, count) : NULL;
    tell_scheme(import, label, scheme, scheme_size);
    for (size_t i = 0; i < count; i++) {
        congru_status status = read_name(context, import, &files[i]);
        if (status != CONGRU_OK)
            return status;
        number_session(import, files, i, &last_session);
        files[i].run = number_of(files[i].name.part[NAME_RUN]);
    }
    return refuse_duplicates(context, files, count);
}
