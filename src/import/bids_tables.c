/* The tables beside a BIDS recording: its events, and the state of its channels. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array/source.h"
#include "base/number_text.h"
#include "import/import_internal.h"
#include "recording/reader.h"

enum { FILE_MAX = 1 << 26, PATH_SIZE = 4096, COLUMNS_MAX = 256, NONE = COLUMNS_MAX };

/* The columns that matter, by their place in the heading. */
typedef struct columns {
    size_t onset, duration, name;
} columns;

typedef struct field {
    const char *text;
    size_t size;
} field;

/* "sub-01_task-mi_eeg.edf" has its events in "sub-01_task-mi_events.tsv"; false for other names. */
static bool name_table(const char *path, const char *table, char name[PATH_SIZE])
{
    const char *slash = strrchr(path, '/'), *base = slash != NULL ? slash + 1 : path, *dot = strrchr(base, '.');
    size_t stem = dot != NULL ? (size_t)(dot - path) : 0;
    if (strncmp(base, "sub-", 4) != 0 || stem < 4 || strncmp(path + stem - 4, "_eeg", 4) != 0)
        return false;
    int size = snprintf(name, PATH_SIZE, "%.*s_%s.tsv", (int)(stem - 4), path, table);
    return size > 0 && size < PATH_SIZE;
}

/* The text of a table beside the recording and the fields of its first line, both to be freed; *text NULL: there is none. */
typedef struct bids_table {
    char name[PATH_SIZE], *text;
    const char *next;
    field *fields; /* (COLUMNS_MAX) */
    size_t headings;
} bids_table;

/* Cuts the next line into fields at tabs; how many there are. */
static size_t next_line(const char **text, field *fields)
{
    size_t count = 0;
    const char *at = *text, *end = at + strcspn(at, "\n");
    size_t length = (size_t)(end - at);
    if (length > 0 && at[length - 1] == '\r')
        length--;
    for (const char *last = at + length; count < COLUMNS_MAX;) {
        const char *tab = memchr(at, '\t', (size_t)(last - at));
        fields[count++] = (field){at, (size_t)((tab != NULL ? tab : last) - at)};
        if (tab == NULL)
            break;
        at = tab + 1;
    }
    *text = *end == '\n' ? end + 1 : end;
    return count;
}

static bool is(const field *f, const char *word)
{
    return f->size == strlen(word) && memcmp(f->text, word, f->size) == 0;
}

static congru_status open_table(congru_context *context, const char *path, const char *which, bids_table *table)
{
    size_t size;
    bool exists = false;
    table->text = NULL;
    table->fields = NULL;
    if (!name_table(path, which, table->name))
        return CONGRU_OK;
    congru_status status = congru_source_exists(context, table->name, &exists);
    if (status == CONGRU_OK && exists)
        status = congru_source_text(context, table->name, FILE_MAX, "a table", &table->text, &size);
    if (status != CONGRU_OK || !exists)
        return status;
    table->fields = calloc(COLUMNS_MAX, sizeof *table->fields);
    if (table->fields == NULL)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "%s: not enough memory", table->name);
    table->next = table->text;
    table->headings = next_line(&table->next, table->fields);
    return CONGRU_OK;
}

static void close_table(bids_table *table)
{
    free(table->fields);
    free(table->text);
}

/* ---- Events -------------------------------------------------------------------------------------------- */

static columns find_columns(const field *fields, size_t count)
{
    columns found = {NONE, NONE, NONE};
    size_t value = NONE;
    for (size_t i = 0; i < count; i++) {
        if (is(&fields[i], "onset"))
            found.onset = i;
        else if (is(&fields[i], "duration"))
            found.duration = i;
        else if (is(&fields[i], "trial_type"))
            found.name = i;
        else if (is(&fields[i], "value"))
            value = i;
    }
    if (found.name == NONE)
        found.name = value;
    return found;
}

/* Seconds of a field; NaN for "n/a" and what is no number. */
static double seconds_of(const field *f)
{
    char text[64], *end;
    if (f->size == 0 || f->size >= sizeof text)
        return (double)NAN;
    memcpy(text, f->text, f->size);
    text[f->size] = '\0';
    double seconds = congru_number_read(text, &end);
    return *end == '\0' && isfinite(seconds) ? seconds : (double)NAN;
}

static congru_status add_row(congru_context *context, const columns *at, const field *fields, size_t count,
                             congru_recording *recording)
{
    double onset = at->onset < count ? seconds_of(&fields[at->onset]) : (double)NAN;
    double duration = at->duration < count ? seconds_of(&fields[at->duration]) : 0;
    if (!(onset >= 0 && onset * recording->rate < (double)recording->samples) || at->name >= count ||
        is(&fields[at->name], "n/a"))
        return CONGRU_OK;
    duration = duration > 0 && duration * recording->rate < (double)recording->samples ? duration : 0;
    return congru_recording_add_event(context, recording, (size_t)floor(onset * recording->rate + 0.5),
                                      (size_t)floor(duration * recording->rate + 0.5), -1,
                                      fields[at->name].text, fields[at->name].size);
}

congru_status congru_import_bids_events(congru_context *context, const char *path, congru_recording *recording)
{
    bids_table table;
    congru_status status = open_table(context, path, "events", &table);
    if (status == CONGRU_OK && table.text != NULL) {
        const columns at = find_columns(table.fields, table.headings);
        if (at.onset == NONE || at.name == NONE)
            status = congru_fail(context, CONGRU_ERROR_FORMAT,
                                 "%s: expected columns 'onset' and 'trial_type' or 'value' in its first line",
                                 table.name);
        else
            recording->events = 0; /* those of the table go before those in the file */
        while (status == CONGRU_OK && *table.next != '\0') {
            size_t count = next_line(&table.next, table.fields);
            status = add_row(context, &at, table.fields, count, recording);
        }
        if (status == CONGRU_OK)
            congru_recording_sort_events(recording);
    }
    close_table(&table);
    return status;
}

/* ---- Channels ------------------------------------------------------------------------------------------ */

congru_status congru_import_bids_bad(congru_context *context, const char *path, congru_text_set *bad)
{
    bids_table table;
    size_t name = NONE, state = NONE;
    congru_status status = open_table(context, path, "channels", &table);
    for (size_t i = 0; table.fields != NULL && i < table.headings; i++) {
        name = is(&table.fields[i], "name") ? i : name;
        state = is(&table.fields[i], "status") ? i : state;
    }
    while (status == CONGRU_OK && name != NONE && state != NONE && *table.next != '\0') {
        char label[CONGRU_LABEL_SIZE];
        size_t count = next_line(&table.next, table.fields);
        if (name >= count || state >= count || !is(&table.fields[state], "bad"))
            continue;
        congru_reader_copy_label(label, sizeof label, table.fields[name].text, table.fields[name].size);
        if (congru_text_set_add(bad, label) == NULL)
            status = congru_fail(context, CONGRU_ERROR_MEMORY, "%s: not enough memory", table.name);
    }
    close_table(&table);
    return status;
}
