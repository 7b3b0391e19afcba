/* Forward patterns as tables and as JSON. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/number_text.h"
#include "base/text.h"
#include "congru/report.h"

enum { NAMED = 3, RANGES_MAX = 64 };

static const double step = 0.25; /* seconds, of rows of time where cells are many */

/* Distinct ranges of the cells, in ascending order. */
typedef struct ranges {
    size_t count;
    double range[RANGES_MAX][2];
} ranges;

static void add_range(ranges *list, const double range[2])
{
    size_t at = 0;
    while (at < list->count &&
           (list->range[at][0] < range[0] || (list->range[at][0] == range[0] && list->range[at][1] < range[1])))
        at++;
    if (!isfinite(range[0]) || list->count == RANGES_MAX ||
        (at < list->count && memcmp(list->range[at], range, sizeof list->range[at]) == 0))
        return;
    memmove(list->range + at + 1, list->range + at, (list->count - at) * sizeof list->range[0]);
    memcpy(list->range[at], range, sizeof list->range[at]);
    list->count++;
}

static ranges bands_of(const congru_pattern *pattern)
{
    ranges list = {0};
    for (size_t c = 0; c < pattern->cells; c++)
        add_range(&list, pattern->cell[c].band);
    return list;
}

/* The windows as they are, or quarters of a second where there are more than a few. */
static ranges times_of(const congru_pattern *pattern)
{
    enum { FEW = 8 };
    ranges list = {0}, steps = {0};
    for (size_t c = 0; c < pattern->cells; c++)
        add_range(&list, pattern->cell[c].window);
    if (list.count <= FEW)
        return list;
    const double end = list.range[list.count - 1][1];
    for (double from = floor(list.range[0][0] / step + 1e-6) * step;
         from < end - 1e-6 && steps.count < RANGES_MAX; from += step) {
        const double range[2] = {from, from + step < end - 1e-6 ? from + step : end};
        add_range(&steps, range);
    }
    return steps;
}

/* The value of a channel in the cell where it is largest, with its sign. */
static double peak_of(const congru_patterns *patterns, size_t index, size_t label, size_t channel)
{
    const congru_pattern *pattern = &patterns->pattern[index];
    double peak = 0;
    for (size_t c = 0; c < pattern->cells; c++) {
        const double value = pattern->cell[c].value[label * patterns->channels + channel];
        peak = fabs(value) > fabs(peak) ? value : peak;
    }
    return peak;
}

static const char *unit_of(const congru_pattern *pattern)
{
    return pattern->kind == CONGRU_PATTERN_POTENTIAL ? "the set's unit" : "log power";
}

static congru_status check(congru_context *context, const congru_patterns *patterns, size_t index,
                           const congru_table *table)
{
    if (patterns == NULL || table == NULL || index >= patterns->count)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "there is no such pattern, or no table");
    return CONGRU_OK;
}

static congru_status finish(congru_context *context, const congru_table *table)
{
    return !table->failed ? CONGRU_OK : congru_fail_memory(context, "a table");
}

/* ---- Tables ---------------------------------------------------------------------------------------------- */

static bool same(const double a[2], const double b[2])
{
    return memcmp(a, b, 2 * sizeof *a) == 0;
}

/* How much of a cell belongs to a row of time: all or nothing where the rows are the windows of cells, which may overlap. */
static double part_in(const congru_pattern *pattern, const congru_pattern_cell *cell, const double *window)
{
    if (window == NULL || same(cell->window, window))
        return 1;
    for (size_t c = 0; c < pattern->cells; c++)
        if (same(pattern->cell[c].window, window))
            return 0;
    const double length = cell->window[1] - cell->window[0];
    return fmax(0, fmin(cell->window[1], window[1]) - fmax(cell->window[0], window[0])) / length;
}

/* The share of a row of time and of a band, NULL for all. */
static double share_in(const congru_patterns *patterns, size_t index, const double *window, const double *band)
{
    const congru_pattern *pattern = &patterns->pattern[index];
    double sum = 0;
    for (size_t c = 0; c < pattern->cells; c++)
        for (size_t k = 0; k < patterns->classes; k++)
            if (band == NULL || same(pattern->cell[c].band, band))
                sum += part_in(pattern, &pattern->cell[c], window) * pattern->cell[c].share[k];
    return sum;
}

congru_status congru_table_of_shares(congru_context *context, const congru_patterns *patterns, size_t index,
                                     congru_table *table)
{
    CONGRU_TRY(check(context, patterns, index, table));
    const congru_pattern *pattern = &patterns->pattern[index];
    const ranges bands = bands_of(pattern), times = times_of(pattern);
    if (bands.count < 2 && times.count < 2)
        return CONGRU_OK;
    char heading[CONGRU_HEADING_SIZE];
    congru_table_column_text(table, "weight, %", NULL);
    for (size_t b = 0; b < bands.count; b++) {
        congru_format(heading, sizeof heading, "%g-%g Hz", bands.range[b][0], bands.range[b][1]);
        congru_table_column_text(table, heading, NULL);
    }
    if (bands.count != 1)
        congru_table_column_text(table, "all", NULL);
    for (size_t t = 0; t < times.count + (times.count > 1); t++) {
        const double *window = t < times.count ? times.range[t] : NULL;
        if (window != NULL)
            congru_table_format_text(table, "%g to %g s", window[0], window[1]);
        else
            congru_table_text(table, "all");
        for (size_t b = 0; b < bands.count; b++)
            congru_table_format_text(table, "%.1f", 100 * share_in(patterns, index, window, bands.range[b]));
        if (bands.count != 1)
            congru_table_format_text(table, "%.1f", 100 * share_in(patterns, index, window, NULL));
    }
    return finish(context, table);
}

congru_status congru_table_of_strongest(congru_context *context, const congru_patterns *patterns, size_t index,
                                        congru_table *table)
{
    CONGRU_TRY(check(context, patterns, index, table));
    const congru_pattern *pattern = &patterns->pattern[index];
    char heading[CONGRU_HEADING_SIZE];
    congru_format(heading, sizeof heading, "strongest channels, %s", unit_of(pattern));
    congru_table_headings(table, 2, (const char *const[]){"class", heading});
    for (size_t k = 0; k < patterns->classes; k++) {
        size_t channel[NAMED], used = 0;
        char line[NAMED * (CONGRU_LABEL_SIZE + 32)] = "";
        size_t count = congru_pattern_strongest(patterns, index, (int32_t)k, NAMED, channel);
        for (size_t i = 0; i < count; i++)
            used += (size_t)congru_format(line + used, sizeof line - used, "%s%s %+.2f", i > 0 ? ", " : "",
                                          patterns->channel_name[channel[i]],
                                          congru_plain_zero(peak_of(patterns, index, k, channel[i]), 2));
        congru_table_text(table, patterns->class_name[k]);
        congru_table_text(table, line);
    }
    return finish(context, table);
}

/* ---- JSON ------------------------------------------------------------------------------------------------ */

enum { DIGITS = 6 };

static void add_ranges(congru_text *text, const char *title, const char *low, const char *high,
                       const congru_patterns *patterns, size_t index, const ranges *list, bool in_time)
{
    congru_text_add(text, ",\n     \"%s\": [", title);
    for (size_t i = 0; i < list->count; i++) {
        const double *range = list->range[i];
        congru_text_add(text, i > 0 ? ", {\"%s\": " : "{\"%s\": ", low);
        congru_text_add_number(text, range[0], DIGITS);
        congru_text_add(text, ", \"%s\": ", high);
        congru_text_add_number(text, range[1], DIGITS);
        congru_text_add(text, ", \"share\": ");
        congru_text_add_number(text, share_in(patterns, index, in_time ? range : NULL, in_time ? NULL : range),
                               DIGITS);
        congru_text_add(text, "}");
    }
    congru_text_add(text, "]");
}

static void add_strongest(congru_text *text, const congru_patterns *patterns, size_t index)
{
    congru_text_add(text, ",\n     \"classes\": [");
    for (size_t k = 0; k < patterns->classes; k++) {
        size_t channel[NAMED], count = congru_pattern_strongest(patterns, index, (int32_t)k, NAMED, channel);
        congru_text_add(text, "%s\n       {\"class\": ", k > 0 ? "," : "");
        congru_text_add_json(text, patterns->class_name[k]);
        congru_text_add(text, ", \"strongest\": [");
        for (size_t i = 0; i < count; i++) {
            congru_text_add(text, i > 0 ? ", {\"channel\": " : "{\"channel\": ");
            congru_text_add_json(text, patterns->channel_name[channel[i]]);
            congru_text_add(text, ", \"value\": ");
            congru_text_add_number(text, peak_of(patterns, index, k, channel[i]), DIGITS);
            congru_text_add(text, "}");
        }
        congru_text_add(text, "]}");
    }
    congru_text_add(text, "]");
}

static bool add_pattern(congru_text *text, congru_context *context, const congru_patterns *patterns,
                        size_t index)
{
    const congru_pattern *pattern = &patterns->pattern[index];
    const ranges bands = bands_of(pattern), times = times_of(pattern);
    char sentence[CONGRU_SENTENCE_SIZE];
    if (congru_pattern_sentence(context, patterns, index, sentence) != CONGRU_OK)
        return false;
    congru_text_add(text, "%s\n    {\"pipeline\": ", index > 0 ? "," : "");
    congru_text_add_json(text, pattern->pipeline);
    congru_text_add(text, ", \"branch\": ");
    congru_text_add_json(text, pattern->branch);
    congru_text_add(text, ", \"kind\": \"%s\", \"subjects\": %zu, \"part\": ",
                    pattern->kind == CONGRU_PATTERN_POTENTIAL ? "potential" : "power", pattern->subjects);
    congru_text_add_number(text, pattern->part, DIGITS);
    add_ranges(text, "times", "from", "to", patterns, index, &times, true);
    add_ranges(text, "bands", "low", "high", patterns, index, &bands, false);
    add_strongest(text, patterns, index);
    congru_text_add(text, ",\n     \"sentence\": ");
    congru_text_add_json(text, sentence);
    congru_text_add(text, "}");
    return true;
}

congru_status congru_patterns_json(congru_context *context, const congru_patterns *patterns, size_t count,
                                   char **text)
{
    congru_text made = {0};
    bool well = true;
    if (patterns == NULL || text == NULL || count > patterns->count)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "there are no such patterns, or no text");
    *text = NULL;
    congru_text_add(&made, "{\n  \"branches\": [");
    for (size_t i = 0; well && i < count; i++)
        well = add_pattern(&made, context, patterns, i);
    congru_text_add(&made, "\n  ]\n}\n");
    if (well && !made.failed) {
        *text = made.data;
        return CONGRU_OK;
    }
    congru_text_clear(&made);
    return well ? congru_fail(context, CONGRU_ERROR_MEMORY, "not enough memory") : CONGRU_ERROR_ARGUMENT;
}
