/* The tables beside a recording: its events, and, in BIDS, the state of its channels. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array/source.h"
#include "base/number_text.h"
#include "import/import_internal.h"
#include "recording/reader.h"
#include "recording/sample_text.h"

enum { FILE_MAX = 1 << 26, PATH_SIZE = 4096, COLUMNS_MAX = 256, NONE = COLUMNS_MAX };

/* The columns that matter, by their place in the heading. */
typedef struct columns {
    size_t onset, sample, duration, name;
    double per_second; /* of the onset */
} columns;

/* The text of a table beside the recording and the fields of the line that was read last; `text` NULL: there is none. */
typedef struct side_table {
    char name[PATH_SIZE], *text, *next;
    char separator;
    char **field; /* (COLUMNS_MAX) */
    size_t fields, line;
} side_table;

/* How much of "sub-01_task-mi_eeg.edf" begins the names of its tables, "sub-01_task-mi_events.tsv"; *bids false for names
 * that are whole: those of "left.csv" begin with "left". */
static size_t stem_of(const char *path, bool *bids)
{
    const char *slash = strrchr(path, '/'), *base = slash != NULL ? slash + 1 : path, *dot = strrchr(base, '.');
    size_t stem = dot != NULL && dot > base ? (size_t)(dot - path) : strlen(path);
    *bids = strncmp(base, "sub-", 4) == 0 && stem >= 4 && strncmp(path + stem - 4, "_eeg", 4) == 0;
    return *bids ? stem - 4 : stem;
}

bool congru_import_is_table_of(const char *path, const char *recording)
{
    bool bids;
    size_t stem = stem_of(recording, &bids);
    return strncmp(path, recording, stem) == 0 &&
           (strcmp(path + stem, "_events.tsv") == 0 || (!bids && strcmp(path + stem, "_events.csv") == 0));
}

/* Cuts the next line into fields, in place; false: there is none. */
static bool next_line(side_table *table)
{
    char *line = table->next, *end = line + strcspn(line, "\n");
    if (*line == '\0')
        return false;
    table->next = *end == '\n' ? end + 1 : end;
    *end = '\0';
    if (table->line++ == 0)
        table->separator = congru_sample_separator(line);
    table->fields = 0;
    for (char *rest = line; rest != NULL && table->fields < COLUMNS_MAX;)
        table->field[table->fields++] = congru_sample_field(&rest, table->separator);
    return true;
}

/* A field of the line, or NULL where it has fewer. */
static const char *field_of(const side_table *table, size_t column)
{
    return column < table->fields ? table->field[column] : NULL;
}

static congru_status fail_row(congru_context *context, const side_table *table, const char *what,
                              const char *field)
{
    char found[40];
    congru_reader_copy_label(found, sizeof found, field, strlen(field));
    return congru_fail(context, CONGRU_ERROR_FORMAT, "%s: line %zu: %s is '%s', expected a number", table->name,
                       table->line, what, found);
}

/* Finds the table "_events" or "_channels" by the endings that it may have. */
static congru_status find_table(congru_context *context, const char *path, const char *which, side_table *table,
                                bool *exists)
{
    bool bids;
    size_t stem = stem_of(path, &bids);
    congru_status status = CONGRU_OK;
    *exists = false;
    for (int i = 0; i < (bids ? 1 : 2) && !*exists && status == CONGRU_OK; i++) {
        int size =
            snprintf(table->name, PATH_SIZE, "%.*s_%s.%s", (int)stem, path, which, i == 0 ? "tsv" : "csv");
        if (size > 0 && size < PATH_SIZE)
            status = congru_source_exists(context, table->name, exists);
    }
    return status;
}

static congru_status open_table(congru_context *context, const char *path, const char *which, side_table *table)
{
    size_t size;
    bool exists;
    *table = (side_table){.text = NULL};
    congru_status status = find_table(context, path, which, table, &exists);
    if (status == CONGRU_OK && exists)
        status = congru_source_text(context, table->name, FILE_MAX, "a table", &table->text, &size);
    if (status != CONGRU_OK || !exists)
        return status;
    if (strlen(table->text) != size)
        return congru_fail(context, CONGRU_ERROR_FORMAT, "%s: holds a NUL byte (is it the right file?)",
                           table->name);
    table->field = calloc(COLUMNS_MAX, sizeof *table->field);
    if (table->field == NULL)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "%s: not enough memory", table->name);
    table->next = table->text + (strncmp(table->text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0);
    next_line(table);
    return CONGRU_OK;
}

static void close_table(side_table *table)
{
    free(table->field);
    free(table->text);
}

/* ---- Events -------------------------------------------------------------------------------------------- */

/* What names an event: BIDS has trial_type before value; other tables have a column that says so. */
static int name_rank(const char *heading)
{
    double per_second;
    return strcmp(heading, "trial_type") == 0                                    ? 4
           : strcmp(heading, "value") == 0                                       ? 3
           : congru_sample_column(heading, &per_second) == CONGRU_COLUMN_EVENT   ? 2
           : strcmp(heading, "description") == 0 || strcmp(heading, "name") == 0 ? 1
                                                                                 : 0;
}

static columns find_columns(const side_table *table)
{
    columns found = {NONE, NONE, NONE, NONE, 1};
    int rank = 0;
    size_t time = NONE;
    double per_second = 1;
    for (size_t i = 0; i < table->fields; i++) {
        const char *heading = table->field[i];
        if (strcmp(heading, "onset") == 0)
            found.onset = i;
        else if (strcmp(heading, "duration") == 0)
            found.duration = i;
        else if (strcmp(heading, "sample") == 0)
            found.sample = i;
        else if (time == NONE && congru_sample_column(heading, &per_second) == CONGRU_COLUMN_TIME) {
            time = i;
            found.per_second = per_second;
        } else if (name_rank(heading) > rank) {
            rank = name_rank(heading);
            found.name = i;
        }
    }
    if (found.onset != NONE)
        found.per_second = 1;
    else if (found.sample == NONE)
        found.onset = time;
    return found;
}

static bool is_missing(const char *field)
{
    return field == NULL || field[0] == '\0' || strcmp(field, "n/a") == 0;
}

/* Where the event of the row begins, in samples; NaN: nowhere. */
static congru_status read_onset(congru_context *context, const side_table *table, const columns *at,
                                double rate, double *onset)
{
    const bool seconds = at->onset != NONE;
    const char *field = field_of(table, seconds ? at->onset : at->sample);
    char *end;
    *onset = (double)NAN;
    if (is_missing(field))
        return CONGRU_OK;
    double number = congru_number_read(field, &end);
    if (*end != '\0')
        return fail_row(context, table, seconds ? "its onset" : "its sample", field);
    *onset = seconds ? floor(number / at->per_second * rate + 0.5) : number;
    return CONGRU_OK;
}

static congru_status add_row(congru_context *context, const side_table *table, const columns *at,
                             congru_recording *recording)
{
    const char *name = field_of(table, at->name), *length = field_of(table, at->duration);
    double onset, duration = 0;
    char *end;
    congru_status status = read_onset(context, table, at, recording->rate, &onset);
    if (status != CONGRU_OK || !(onset >= 0 && onset < (double)recording->samples) || is_missing(name))
        return status;
    if (!is_missing(length))
        duration = congru_number_read(length, &end);
    duration = duration > 0 && duration * recording->rate < (double)recording->samples ? duration : 0;
    return congru_recording_add_event(context, recording, (size_t)onset,
                                      (size_t)floor(duration * recording->rate + 0.5), -1, name, strlen(name));
}

congru_status congru_import_side_events(congru_context *context, const char *path, congru_recording *recording,
                                        bool *own)
{
    side_table table;
    bool bids;
    congru_status status = open_table(context, path, "events", &table);
    stem_of(path, &bids);
    *own = status == CONGRU_OK && table.text != NULL && !bids;
    if (status == CONGRU_OK && table.text != NULL) {
        const columns at = find_columns(&table);
        if ((at.onset == NONE && at.sample == NONE) || at.name == NONE)
            status = congru_fail(
                context, CONGRU_ERROR_FORMAT,
                "%s: expected columns 'onset' and 'trial_type' or 'value', or 'label', in its first "
                "line",
                table.name);
        else
            recording->events = 0; /* those of the table go before those in the file */
        while (status == CONGRU_OK && next_line(&table))
            status = add_row(context, &table, &at, recording);
        if (status == CONGRU_OK)
            congru_recording_sort_events(recording);
    }
    close_table(&table);
    return status;
}

/* ---- Channels ------------------------------------------------------------------------------------------ */

congru_status congru_import_bids_bad(congru_context *context, const char *path, congru_text_set *bad)
{
    side_table table = {.text = NULL};
    size_t name = NONE, state = NONE;
    bool bids;
    stem_of(path, &bids);
    congru_status status = bids ? open_table(context, path, "channels", &table) : CONGRU_OK;
    for (size_t i = 0; table.text != NULL && i < table.fields; i++) {
        name = strcmp(table.field[i], "name") == 0 ? i : name;
        state = strcmp(table.field[i], "status") == 0 ? i : state;
    }
    while (status == CONGRU_OK && name != NONE && state != NONE && next_line(&table)) {
        char label[CONGRU_LABEL_SIZE];
        const char *called = field_of(&table, name), *is = field_of(&table, state);
        if (called == NULL || is == NULL || strcmp(is, "bad") != 0)
            continue;
        congru_reader_copy_label(label, sizeof label, called, strlen(called));
        if (congru_text_set_add(bad, label) == NULL)
            status = congru_fail(context, CONGRU_ERROR_MEMORY, "%s: not enough memory", table.name);
    }
    close_table(&table);
    return status;
}
