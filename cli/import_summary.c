/* What congru import says of a set: in its meta data, and in a table. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "congru/version.h"
#include "import_set.h"
#include "memory_file.h"
#include "terminal.h"
#include "text_table.h"

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* ---- Meta data ----------------------------------------------------------------------------------------- */

static void write_string(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\')
            fprintf(out, "\\%c", *text);
        else if ((unsigned char)*text < ' ')
            fprintf(out, "\\u%04x", (unsigned char)*text);
        else
            fputc(*text, out);
    }
    fputc('"', out);
}

static void write_field(FILE *out, const char *key, const char *text)
{
    fprintf(out, ", \"%s\": ", key);
    write_string(out, text);
}

/* The shortest of the forms that read back as the same number. */
static void write_number(FILE *out, double number)
{
    char text[32];
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, number);
        if (strtod(text, NULL) == number)
            break;
    }
    fputs(text, out);
}

/* 0 stands for what was switched off. */
static void write_numbers(FILE *out, const char *key, size_t count, const double *number)
{
    fprintf(out, ", \"%s\": %s", key, count > 1 ? "[" : "");
    for (size_t i = 0; i < count; i++) {
        fputs(i > 0 ? ", " : "", out);
        write_number(out, number[i]);
    }
    fputs(count > 1 ? "]" : "", out);
}

static void write_meta(FILE *out, const import_settings *settings, const import_file *files, size_t count)
{
    static const double none[2] = {0, 0};
    fprintf(out, "{\"congru\": \"%s\"", congru_version());
    write_field(out, "commit", congru_version_commit());
    write_field(out, "compiler", congru_version_compiler());
    if (settings->preset != NULL)
        write_field(out, "preset", base_name(settings->preset));
    write_numbers(out, "band", 2, settings->band_given ? settings->band : none);
    fprintf(out, ", \"order\": %d", settings->order);
    write_field(out, "filter", settings->fir ? "fir" : "iir");
    write_field(out, "phase", settings->causal ? "causal" : "zero");
    write_numbers(out, "notch", 1, &settings->notch);
    fprintf(out, ", \"harmonics\": %s", settings->harmonics ? "true" : "false");
    write_numbers(out, "resample", 1, &settings->resample);
    write_field(out, "reference", settings->average_reference ? "average" : "none");
    if (settings->window_all)
        write_field(out, "window", "all");
    else
        write_numbers(out, "window", 2, settings->window);
    fprintf(out, ", \"rest\": %s", settings->rest ? "true" : "false");
    write_field(out, "rejected", settings->drop_rejected ? "drop" : "keep");
    write_field(out, "estimator", import_estimators[settings->set.estimator]);
    fprintf(out, ", \"trace_normalise\": %s", settings->set.trace_normalise ? "true" : "false");
    fprintf(out, ", \"files\": [");
    for (size_t i = 0; i < count; i++) {
        fputs(i > 0 ? ", " : "", out);
        write_string(out, base_name(files[i].path));
    }
    fprintf(out, "]}");
}

int import_set_describe(const import_settings *settings, const import_file *files, size_t count,
                        congru_set *set)
{
    memory_file memory;
    if (memory_file_open(&memory)) {
        write_meta(memory.file, settings, files, count);
        if (memory_file_close(&memory)) {
            free(set->meta);
            set->meta = memory.text;
            return EXIT_DONE;
        }
    }
    return terminal_fail(EXIT_FAILED, "import: not enough memory for the meta data of %zu files", count);
}

/* ---- Table --------------------------------------------------------------------------------------------- */

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

static void add_row(text_table *table, const char *file, const char *subject, const congru_set *set,
                    const size_t *kept, const congru_epochs_report *report)
{
    char dropped[128];
    describe_dropped(report, dropped, sizeof dropped);
    text_table_add(table, "%s", file);
    text_table_add(table, "%s", subject);
    for (size_t c = 0; c < set->classes; c++)
        text_table_add(table, "%zu", kept[c]);
    text_table_add(table, "%s", dropped);
}

static void add_rows(text_table *table, const import_file *files, size_t count, const congru_set *set,
                     size_t *kept)
{
    congru_epochs_report total = {0};
    size_t first = 0;
    text_table_add(table, "file");
    text_table_add(table, "subject");
    for (size_t c = 0; c < set->classes; c++)
        text_table_add(table, "%s", set->class_name[c]);
    text_table_add(table, "dropped");
    for (size_t i = 0; i < count; i++) {
        const congru_epochs_report *report = &files[i].report;
        count_classes(set, first, first + report->kept, kept);
        add_row(table, base_name(files[i].path), files[i].name.part[NAME_SUBJECT], set, kept, report);
        first += report->kept;
        total.found += report->found;
        total.kept += report->kept;
        total.outside += report->outside;
        total.gap += report->gap;
        total.rejected += report->rejected;
    }
    if (count > 1) {
        char subjects[64];
        snprintf(subjects, sizeof subjects, "%s", congru_count(set->subjects, "subject").text);
        count_classes(set, 0, set->count, kept);
        add_row(table, "total", subjects, set, kept, &total);
    }
}

/* "A01T.gdf: dropped trial 3 (rejected), 48 (outside)", for a file that lost any. */
static void name_dropped(const import_file *file)
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

int import_set_summarise(const char *output, const import_file *files, size_t count, const congru_set *set)
{
    text_table table = {.columns = set->classes + 3};
    size_t *kept = calloc(set->classes + 1, sizeof *kept);
    if (kept == NULL)
        return terminal_fail(EXIT_FAILED, "import: not enough memory for a table");
    add_rows(&table, files, count, set, kept);
    int code = text_table_print(&table, 0);
    text_table_clear(&table);
    free(kept);
    for (size_t i = 0; i < count; i++)
        if (files[i].report.named > 0)
            name_dropped(&files[i]);
    char line[4200];
    snprintf(line, sizeof line, "%s: %s, %s, %s, %zu x %zu", base_name(output),
             congru_count(set->count, "trial").text, congru_count(set->subjects, "subject").text,
             congru_count(set->classes, "class").text, set->dimension, set->dimension);
    terminal_clean(line);
    terminal_wrap(line, 0, 2, "");
    return code;
}
