/* Prints what congru import made of its files. SPDX-License-Identifier: Apache-2.0 */
#include "import_print.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "table_show.h"
#include "terminal.h"

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
    size_t dropped = report->found - report->kept, marked = dropped - report->outside - report->gap;
    const struct {
        size_t count;
        const char *reason;
    } reasons[] = {{report->outside, "outside"}, {report->gap, "with gaps"}, {marked, "rejected"}};
    size_t used = dropped > 0 ? 0 : (size_t)snprintf(text, size, "0");
    for (size_t i = 0, named = 0; i < 3 && used < size; i++)
        if (reasons[i].count > 0)
            used += (size_t)snprintf(text + used, size - used, "%s%zu %s", named++ > 0 ? ", " : "",
                                     reasons[i].count, reasons[i].reason);
    if (report->rejected > marked && used < size)
        snprintf(text + used, size - used, " (%zu rejected kept)", report->rejected - marked);
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
    }
    if (summary->files > 1) {
        char subjects[64];
        snprintf(subjects, sizeof subjects, "%s", congru_count(set->subjects, "subject").text);
        count_classes(set, 0, set->count, kept);
        add_row(table, "total", subjects, set, kept, &total);
    }
}

/* "A01T.gdf: dropped trial 3 (rejected), 48 (outside)", for a file that lost any. */
static void name_dropped(const congru_imported_file *file)
{
    static const char *const reasons[] = {[CONGRU_DROPPED_OUTSIDE] = "outside",
                                          [CONGRU_DROPPED_GAP] = "gap",
                                          [CONGRU_DROPPED_REJECTED] = "rejected"};
    const congru_epochs_report *report = &file->report;
    char line[4200];
    size_t used = (size_t)snprintf(line, sizeof line, "%.3000s: dropped trial", base_name(file->path));
    for (size_t i = 0; i < report->named && used < sizeof line; i++)
        used += (size_t)snprintf(line + used, sizeof line - used, "%s %zu (%s)", i > 0 ? "," : "",
                                 report->dropped[i].trial, reasons[report->dropped[i].reason]);
    size_t more = report->found - report->kept - report->named;
    if (more > 0 && used < sizeof line)
        snprintf(line + used, sizeof line - used, " and %zu more", more);
    terminal_clean(line);
    terminal_wrap(line, 0, 2, "");
}

int import_print(const char *output, const congru_import_summary *summary, const congru_set *set)
{
    congru_table table = {0};
    size_t *kept = calloc(set->classes + 1, sizeof *kept);
    if (kept == NULL)
        return terminal_fail(EXIT_FAILED, "import: not enough memory for a table");
    add_rows(&table, summary, set, kept);
    int code = table_show(&table, 0);
    congru_table_clear(&table);
    free(kept);
    for (size_t i = 0; i < summary->files; i++)
        if (summary->file[i].report.named > 0)
            name_dropped(&summary->file[i]);
    char line[4200];
    snprintf(line, sizeof line, "subjects: %s", summary->subjects_from);
    terminal_clean(line);
    terminal_wrap(line, 0, 2, "");
    snprintf(line, sizeof line, "signals: %s", summary->preprocessing);
    terminal_wrap(line, 0, 2, "");
    snprintf(line, sizeof line, "%s: %s, %s, %s, %zu x %zu", base_name(output),
             congru_count(set->count, "trial").text, congru_count(set->subjects, "subject").text,
             congru_count(set->classes, "class").text, set->dimension, set->dimension);
    terminal_clean(line);
    terminal_wrap(line, 0, 2, "");
    return code;
}
