/* The table of an import. SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/number_text.h"
#include "congru/describe.h"

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static void count_classes(const congru_set *set, size_t first, size_t last, size_t *kept)
{
    memset(kept, 0, set->classes * sizeof *kept);
    for (size_t i = first; i < last; i++)
        kept[set->label[i]]++;
}

/* "2 outside, 1 rejected", or "0"; trials that were kept although they are marked are named too. */
static void describe_dropped(const congru_epochs_report *report, char *text, size_t size)
{
    size_t dropped = report->found - report->kept,
           marked = dropped - report->outside - report->gap - report->amplitude;
    const struct {
        size_t count;
        const char *reason;
    } reasons[] = {{report->outside, "outside"},
                   {report->gap, "with gaps"},
                   {marked, "rejected"},
                   {report->amplitude, "too large"}};
    size_t used = dropped > 0 ? 0 : (size_t)congru_format(text, size, "0");
    for (size_t i = 0, named = 0; i < sizeof reasons / sizeof reasons[0] && used < size; i++)
        if (reasons[i].count > 0)
            used += (size_t)congru_format(text + used, size - used, "%s%zu %s", named++ > 0 ? ", " : "",
                                          reasons[i].count, reasons[i].reason);
    if (report->rejected > marked && used < size)
        congru_format(text + used, size - used, " (%zu rejected kept)", report->rejected - marked);
}

static void add_row(congru_table *table, const char *file, const char *subject, const congru_set *set,
                    const size_t *kept, const congru_epochs_report *report)
{
    char dropped[128];
    describe_dropped(report, dropped, sizeof dropped);
    congru_table_format_text(table, "%s", file);
    congru_table_format_text(table, "%s", subject);
    for (size_t c = 0; c < set->classes; c++)
        congru_table_format_text(table, "%zu", kept[c]);
    congru_table_format_text(table, "%s", dropped);
}

static void add_rows(congru_table *table, const congru_import_summary *summary, const congru_set *set,
                     size_t *kept)
{
    congru_epochs_report total = {0};
    size_t first = 0;
    congru_table_headings(table, 2, (const char *const[]){"file", "subject"});
    for (size_t c = 0; c < set->classes; c++)
        congru_table_column_text(table, set->class_name[c], NULL);
    congru_table_column_text(table, "dropped", NULL);
    for (size_t i = 0; i < summary->files; i++) {
        const congru_epochs_report *report = &summary->file[i].report;
        count_classes(set, first, first + summary->file[i].trials, kept);
        add_row(table, base_name(summary->file[i].path), summary->file[i].subject, set, kept, report);
        first += summary->file[i].trials;
        total.found += report->found;
        total.kept += report->kept;
        total.outside += report->outside;
        total.gap += report->gap;
        total.rejected += report->rejected;
        total.amplitude += report->amplitude;
    }
    if (summary->files > 1) {
        char subjects[64];
        congru_format(subjects, sizeof subjects, "%s", congru_count(set->subjects, "subject").text);
        count_classes(set, 0, set->count, kept);
        add_row(table, "total", subjects, set, kept, &total);
    }
}

/* "A01T.gdf: dropped trial 3 (rejected), 48 (outside)", for a file that lost any. */
static void name_dropped(congru_table *table, const congru_imported_file *file)
{
    static const char *const reasons[] = {[CONGRU_DROPPED_OUTSIDE] = "outside",
                                          [CONGRU_DROPPED_GAP] = "gap",
                                          [CONGRU_DROPPED_REJECTED] = "rejected",
                                          [CONGRU_DROPPED_AMPLITUDE] = "too large"};
    const congru_epochs_report *report = &file->report;
    const size_t more = report->found - report->kept - report->named;
    congru_text line = {0};
    congru_text_add(&line, "%s: dropped trial", base_name(file->path));
    for (size_t i = 0; i < report->named; i++)
        congru_text_add(&line, "%s %zu (%s)", i > 0 ? "," : "", report->dropped[i].trial,
                        reasons[report->dropped[i].reason]);
    if (more > 0)
        congru_text_add(&line, " and %zu more", more);
    table->failed = table->failed || line.failed;
    if (!line.failed)
        congru_table_note(table, line.data);
    congru_text_clear(&line);
}

congru_status congru_table_of_import(congru_context *context, const congru_import_summary *summary,
                                     const congru_set *set, congru_table *table)
{
    if (summary == NULL || set == NULL || table == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "a summary, its set and a table are needed");
    size_t *kept = calloc(set->classes + 1, sizeof *kept);
    if (kept != NULL)
        add_rows(table, summary, set, kept);
    for (size_t i = 0; kept != NULL && i < summary->files; i++)
        if (summary->file[i].report.named > 0)
            name_dropped(table, &summary->file[i]);
    const bool failed = kept == NULL || table->failed;
    free(kept);
    return failed ? congru_fail_memory(context, "a table") : CONGRU_OK;
}
