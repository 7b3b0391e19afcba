/* Puts the cells of patterns together for scalp maps, and writes them for the page. SPDX-License-Identifier: Apache-2.0 */
#include "report/looks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number_text.h"
#include "report/report_internal.h"

enum { WINDOWS_FEW = 8 };
static const double step = 0.25; /* seconds */

/* Which cells a column has: of this band, or whose middle is in this stretch of time; NULL: any. */
typedef struct column_rule {
    const double *band, *window;
    double stretch[2];
} column_rule;

static bool same(const double *a, const double *b)
{
    return a[0] == b[0] && a[1] == b[1];
}

static bool belongs(const congru_pattern_cell *cell, const column_rule *rule)
{
    if (rule->band != NULL && !same(cell->band, rule->band))
        return false;
    if (rule->window != NULL)
        return same(cell->window, rule->window);
    const double middle = (cell->window[0] + cell->window[1]) / 2;
    return !(rule->stretch[1] > rule->stretch[0]) || (middle >= rule->stretch[0] && middle < rule->stretch[1]);
}

static bool add_column(const congru_patterns *patterns, const congru_pattern *pattern, const column_rule *rule,
                       report_look *look, const char *title)
{
    const size_t numbers = patterns->classes * patterns->channels;
    size_t cells = 0;
    if (look->count == REPORT_LOOK_COLUMNS)
        return true;
    report_look_column *column = &look->column[look->count];
    column->share = 0;
    column->value = calloc(numbers, sizeof *column->value);
    if (column->value == NULL)
        return false;
    look->count++;
    congru_format(column->title, sizeof column->title, "%s", title);
    for (size_t c = 0; c < pattern->cells; c++) {
        const congru_pattern_cell *cell = &pattern->cell[c];
        if (!belongs(cell, rule))
            continue;
        cells++;
        for (size_t i = 0; i < numbers; i++)
            column->value[i] += cell->value[i];
        for (size_t k = 0; k < patterns->classes; k++)
            column->share += cell->share[k];
    }
    for (size_t i = 0; i < numbers; i++)
        column->value[i] /= cells > 0 ? (double)cells : 1;
    return true;
}

/* Whether the cell is the first with its band, or with its window. */
static bool is_first(const congru_pattern *pattern, size_t cell, bool in_time)
{
    for (size_t c = 0; c < cell; c++)
        if (in_time ? same(pattern->cell[c].window, pattern->cell[cell].window)
                    : same(pattern->cell[c].band, pattern->cell[cell].band))
            return false;
    return isfinite(in_time ? pattern->cell[cell].window[0] : pattern->cell[cell].band[0]);
}

static size_t count_first(const congru_pattern *pattern, bool in_time)
{
    size_t count = 0;
    for (size_t c = 0; c < pattern->cells; c++)
        count += is_first(pattern, c, in_time);
    return count;
}

static bool add_bands(const congru_patterns *patterns, const congru_pattern *pattern, report_look *look)
{
    bool well = true;
    for (size_t c = 0; well && c < pattern->cells; c++) {
        char title[REPORT_LOOK_TITLE];
        const double *band = pattern->cell[c].band;
        if (!is_first(pattern, c, false))
            continue;
        congru_format(title, sizeof title, "%g to %g Hz", band[0], band[1]);
        well = add_column(patterns, pattern, &(column_rule){.band = band}, look, title);
    }
    return well;
}

static bool add_windows(const congru_patterns *patterns, const congru_pattern *pattern, report_look *look)
{
    bool well = true;
    for (size_t c = 0; well && c < pattern->cells; c++) {
        char title[REPORT_LOOK_TITLE];
        const double *window = pattern->cell[c].window;
        if (!is_first(pattern, c, true))
            continue;
        congru_format(title, sizeof title, "%g to %g s", window[0], window[1]);
        well = add_column(patterns, pattern, &(column_rule){.window = window}, look, title);
    }
    return well;
}

static bool add_steps(const congru_patterns *patterns, const congru_pattern *pattern, report_look *look)
{
    double from = INFINITY, to = -INFINITY;
    bool well = true;
    for (size_t c = 0; c < pattern->cells; c++) {
        from = fmin(from, pattern->cell[c].window[0]);
        to = fmax(to, pattern->cell[c].window[1]);
    }
    for (double at = floor(from / step + 1e-6) * step;
         well && at < to - 1e-6 && look->count < REPORT_LOOK_COLUMNS; at += step) {
        char title[REPORT_LOOK_TITLE];
        congru_format(title, sizeof title, "%g to %g s", at, fmin(at + step, to));
        well = add_column(patterns, pattern, &(column_rule){.stretch = {at, at + step}}, look, title);
    }
    return well;
}

static bool add_only(const congru_patterns *patterns, const congru_pattern *pattern, report_look *look)
{
    char title[REPORT_LOOK_TITLE] = "all";
    const congru_pattern_cell *cell = &pattern->cell[0];
    if (isfinite(cell->band[0]) && isfinite(cell->window[0]))
        congru_format(title, sizeof title, "%g to %g Hz, %g to %g s", cell->band[0], cell->band[1],
                      cell->window[0], cell->window[1]);
    return add_column(patterns, pattern, &(column_rule){0}, look, title);
}

bool congru_report_look(const congru_patterns *patterns, size_t index, report_look *look)
{
    const congru_pattern *pattern = &patterns->pattern[index];
    const size_t bands = count_first(pattern, false), windows = count_first(pattern, true);
    double place[2];
    bool well = true;
    *look = (report_look){.largest = 1e-300};
    if (bands > 1)
        well = add_bands(patterns, pattern, look);
    if (well && windows > WINDOWS_FEW)
        well = add_steps(patterns, pattern, look);
    else if (well && windows > 1)
        well = add_windows(patterns, pattern, look);
    if (well && look->count == 0)
        well = add_only(patterns, pattern, look);
    for (size_t c = 0; c < look->count; c++)
        for (size_t i = 0; i < patterns->classes * patterns->channels; i++)
            if (congru_report_electrode(patterns->channel_name[i % patterns->channels], place) &&
                isfinite(look->column[c].value[i]))
                look->largest = fmax(look->largest, fabs(look->column[c].value[i]));
    return well;
}

void congru_report_look_clear(report_look *look)
{
    for (size_t i = 0; i < look->count; i++)
        free(look->column[i].value);
    look->count = 0;
}

/* ---- For the page ---------------------------------------------------------------------------------------- */

/* A surface is a text, a row after another: a blank off the head, else a character that stands for a value from the least to
 * the largest. None that JSON or HTML would have to escape. */
static const char shades[] =
    "!#$%()*+,-./0123456789:;=?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_`abcdefghijklmnopqrstuvwxyz{|}~";

static void add_surface(congru_text *text, const double *grid, double largest)
{
    char row[REPORT_GRID * REPORT_GRID + 1];
    const double most = (double)(sizeof shades - 2);
    for (size_t i = 0; i < REPORT_GRID * REPORT_GRID; i++) {
        const double part = fmax(-1, fmin(1, grid[i] / largest));
        row[i] = isnan(grid[i]) ? ' ' : shades[(size_t)((part + 1) / 2 * most + 0.5)];
    }
    row[REPORT_GRID * REPORT_GRID] = '\0';
    congru_text_add(text, "\"%s\"", row);
}

/* Values of one class in one column at the electrodes with a place, and the surface through them. */
static void add_head(congru_text *text, const congru_patterns *patterns, const double *value, double largest)
{
    double *place = calloc(3 * patterns->channels, sizeof *place), *kept = NULL;
    double *grid = calloc((size_t)REPORT_GRID * REPORT_GRID, sizeof *grid);
    size_t known = 0;
    if (place == NULL || grid == NULL) {
        text->failed = true;
    } else {
        kept = place + 2 * patterns->channels;
        congru_text_add(text, "{\"values\":[");
        for (size_t i = 0; i < patterns->channels; i++) {
            if (!congru_report_electrode(patterns->channel_name[i], place + 2 * known) || !isfinite(value[i]))
                continue;
            congru_text_add(text, known > 0 ? ",%.4g" : "%.4g", value[i]);
            kept[known++] = value[i];
        }
        congru_text_add(text, "],\"surface\":");
        if (congru_report_scalp(known, place, kept, grid))
            add_surface(text, grid, largest);
        else
            congru_text_add(text, "null");
        congru_text_add(text, "}");
    }
    free(place);
    free(grid);
}

static void add_places(congru_text *text, const congru_patterns *patterns, const double *value)
{
    double place[2];
    bool first = true;
    congru_text_add(text, ",\"electrodes\":[");
    for (size_t i = 0; i < patterns->channels; i++) {
        if (!congru_report_electrode(patterns->channel_name[i], place) || !isfinite(value[i]))
            continue;
        congru_text_add(text, first ? "{\"name\":" : ",{\"name\":");
        congru_text_add_json(text, patterns->channel_name[i]);
        congru_text_add(text, ",\"x\":%.4g,\"y\":%.4g}", place[0], place[1]);
        first = false;
    }
    congru_text_add(text, "]");
}

static void add_branch(congru_text *text, const congru_patterns *patterns, size_t index)
{
    const congru_pattern *pattern = &patterns->pattern[index];
    char sentence[CONGRU_SENTENCE_SIZE] = "";
    report_look look;
    if (!congru_report_look(patterns, index, &look) ||
        congru_pattern_sentence(NULL, patterns, index, sentence) != CONGRU_OK)
        text->failed = true;
    congru_text_add(text, "{\"pipeline\":");
    congru_text_add_json(text, pattern->pipeline);
    congru_text_add(text, ",\"branch\":");
    congru_text_add_json(text, pattern->branch);
    congru_text_add(text, ",\"kind\":\"%s\",\"part\":%.4g,\"subjects\":%zu,\"largest\":%.4g,\"sentence\":",
                    pattern->kind == CONGRU_PATTERN_POTENTIAL ? "potential" : "power", pattern->part,
                    pattern->subjects, look.largest);
    congru_text_add_json(text, sentence);
    add_places(text, patterns, look.count > 0 ? look.column[0].value : NULL);
    congru_text_add(text, ",\"size\":%d,\"columns\":[", REPORT_GRID);
    for (size_t c = 0; c < look.count; c++) {
        congru_text_add(text,
                        c > 0 ? ",\n{\"title\":\"%s\",\"share\":%.4g,\"heads\":["
                              : "{\"title\":\"%s\",\"share\":%.4g,\"heads\":[",
                        look.column[c].title, look.column[c].share);
        for (size_t k = 0; k < patterns->classes; k++) {
            congru_text_add(text, k > 0 ? "," : "");
            add_head(text, patterns, look.column[c].value + k * patterns->channels, look.largest);
        }
        congru_text_add(text, "]}");
    }
    congru_text_add(text, "]}");
    congru_report_look_clear(&look);
}

void congru_report_add_looks(congru_text *text, const congru_patterns *patterns)
{
    congru_text_add(text, ",\"looks\":");
    if (patterns == NULL) {
        congru_text_add(text, "null");
        return;
    }
    congru_text_add(text, "{\"classes\":[");
    for (size_t k = 0; k < patterns->classes; k++) {
        congru_text_add(text, k > 0 ? "," : "");
        congru_text_add_json(text, patterns->class_name[k]);
    }
    congru_text_add(text, "],\"shades\":\"%s\",\"branches\":[", shades);
    for (size_t i = 0; i < patterns->count; i++) {
        congru_text_add(text, i > 0 ? ",\n" : "");
        add_branch(text, patterns, i);
    }
    congru_text_add(text, "]}");
}
