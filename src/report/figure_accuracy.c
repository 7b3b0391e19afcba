/* Accuracy by pipeline and subject. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number_text.h"
#include "base/text.h"
#include "report/figures.h"
#include "report/metric_columns.h"

enum { ROW = 26, TOP = 34, BOTTOM = 44 };

double congru_figure_plot_width(const figure_input *in)
{
    return in->narrow ? 170 : 380;
}

const char *congru_figure_brief(const figure_input *in, char *name)
{
    const double most = in->narrow ? 100 : 260;
    if (congru_canvas_measure(name, 10) <= most)
        return name;
    size_t size = strlen(name);
    while (size > 1 &&
           (((unsigned char)name[size] & 0xc0) == 0x80 || congru_canvas_measure(name, 10) > most - 6))
        name[--size] = '\0';
    return strcpy(name + size, "…") - size;
}

/* Room for the longest pipeline name. */
static double name_width(const figure_input *in)
{
    double width = 40;
    for (size_t p = 0; p < in->run->results->pipelines; p++) {
        char name[KNOWN_NAME_SIZE + 4];
        congru_known_name(in->run->scores, p, name);
        double own = congru_canvas_measure(congru_figure_brief(in, name), 10);
        width = own > width ? own : width;
    }
    return width + 20;
}

/* Dots that would lie on one another are put apart, the same way every time. */
static double spread(size_t subject)
{
    return (double)(subject * 7 % 11) / 10 - 0.5;
}

/* Hollow where the accuracy is not above the level of chance. */
static void draw_subject(canvas *on, double x, double y, bool at_chance)
{
    if (at_chance)
        congru_canvas_ellipse(on, x, y, 2.2, 2.2, 0, 0, 0x0072b2ccu);
    else
        congru_canvas_dot(on, x, y, 2.2, 0x0072b277u);
}

/* The least and the largest level of chance over subjects; false where it is not known. */
static bool find_levels(const report_run *run, scale *level)
{
    *level = (scale){.from = INFINITY, .to = -INFINITY};
    for (size_t i = 0; i < run->results->pipelines * run->results->subjects; i++)
        congru_scale_include(level, run->scores->value[CONGRU_SCORE_CHANCE][i]);
    return level->from <= level->to;
}

/* The level above which a subject beats chance: a line, and a band where subjects differ in their number of trials. */
static void draw_level(canvas *on, const report_run *run, bool narrow, const scale *x, double bottom)
{
    scale level;
    if (!find_levels(run, &level))
        return;
    const double from = congru_scale_place(x, level.from), to = congru_scale_place(x, level.to);
    if (to - from > 0.5)
        congru_canvas_box(on, from, TOP, to - from, bottom - TOP, (congru_canvas_colours[1] & ~0xffu) | 0x22);
    congru_canvas_line(on, from, TOP - 6, from, bottom, congru_canvas_colours[1], 1);
    if (to - from > 0.5)
        congru_canvas_line(on, to, TOP - 6, to, bottom, congru_canvas_colours[1], 1);
    congru_canvas_text(on, to + 3, TOP - 10, 9, -1, congru_canvas_colours[1],
                       narrow ? "its level" : "level of chance (95 %%)");
    congru_canvas_text(on, x->end + 8, TOP - 10, 9, -1, CANVAS_SOFT, "above it");
}

static void draw_row(canvas *on, const figure_input *in, size_t p, const scale *x, double y, double left)
{
    const report_run *run = in->run;
    size_t subjects = run->results->subjects;
    const congru_interval *mean = &run->mean[p];
    char name[KNOWN_NAME_SIZE + 4];
    congru_known_name(run->scores, p, name);
    congru_canvas_text(on, left - 10, y + 3.5, 10, 1, CANVAS_INK, "%s", congru_figure_brief(in, name));
    for (size_t s = 0; s < subjects; s++) {
        double value = run->accuracy[p * subjects + s];
        if (isnan(value))
            continue;
        draw_subject(on, congru_scale_place(x, value), y + spread(s) * ROW * 0.55,
                     congru_scores_at(run->scores, CONGRU_SCORE_ABOVE, p, s) == 0);
        congru_canvas_about(on, 1, run->results->subject_name[s], "%s, %s: %.1f %%",
                            run->results->subject_name[s], run->results->pipeline[p],
                            congru_plain_zero(100 * value, 1));
    }
    const report_above above = congru_report_above(run, p);
    if (above.of > 0)
        congru_canvas_text(on, x->end + 8, y + 3.5, 9, -1, CANVAS_SOFT, "%zu of %zu", above.above, above.of);
    if (!isnan(mean->low))
        congru_canvas_line(on, congru_scale_place(x, mean->low), y, congru_scale_place(x, mean->high), y,
                           CANVAS_INK, 2);
    congru_canvas_symbol(on, 3, congru_scale_place(x, mean->mean), y, 3.6, CANVAS_INK);
}

canvas congru_figure_accuracy(const figure_input *in)
{
    const report_run *run = in->run;
    size_t rows = run->results->pipelines;
    double left = name_width(in), bottom = TOP + (double)rows * ROW;
    scale x = {.from = 1, .to = 0, .start = left, .end = left + congru_figure_plot_width(in)};
    for (size_t i = 0; i < rows * run->results->subjects; i++)
        congru_scale_include(&x, run->accuracy[i]);
    congru_scale_include(&x, run->chance);
    x.from = floor(x.from * 20 - 0.01) / 20;
    x.to = x.to > 0.97 ? 1 : ceil(x.to * 20 + 0.01) / 20;
    canvas on =
        congru_canvas_start(x.end + 60, bottom + BOTTOM, "Accuracy by pipeline, %s", run->results->dataset);
    congru_canvas_axis_x(&on, &x, TOP, bottom, 100,
                         in->narrow ? "Accuracy (%)"
                                    : "Accuracy (%), one dot per subject; mean and 95 % interval");
    if (!isnan(run->chance)) {
        double at = congru_scale_place(&x, run->chance);
        congru_canvas_dashes(&on, at, TOP - 6, at, bottom, congru_canvas_colours[1], 1.2);
        congru_canvas_text(&on, at - 3, TOP - 10, 9, 1, congru_canvas_colours[1], "chance");
        draw_level(&on, run, in->narrow, &x, bottom);
    }
    for (size_t i = 0; i < rows; i++)
        draw_row(&on, in, run->order[i], &x, TOP + ((double)i + 0.5) * ROW, left);
    return on;
}

/* ---- Paired ---- */

/* What the colours mean, and how many subjects have each. */
static void draw_paired_key(canvas *on, const size_t count[3], bool chance)
{
    static const char *const meaning[] = {"better", "worse", "equal"};
    const uint32_t colour[] = {congru_canvas_colours[0], congru_canvas_colours[1], CANVAS_SOFT};
    double x = 60;
    for (size_t i = 0; i < 3; i++, x += 72) {
        congru_canvas_dot(on, x + 4, 335, 2.6, colour[i]);
        congru_canvas_text(on, x + 10, 338, 9, -1, CANVAS_SOFT, "%zu %s", count[i], meaning[i]);
    }
    if (chance) {
        congru_canvas_dashes(on, x, 335, x + 18, 335, CANVAS_SOFT, 1);
        congru_canvas_text(on, x + 22, 338, 9, -1, CANVAS_SOFT, "chance");
    }
}

canvas congru_figure_paired(const figure_input *in)
{
    const congru_scores *scores = in->run->scores;
    const size_t subjects = scores->subjects;
    char first[KNOWN_NAME_SIZE], second[KNOWN_NAME_SIZE];
    if (in->pipeline == in->other)
        return (canvas){0};
    congru_known_name(scores, in->pipeline, first);
    congru_known_name(scores, in->other, second);
    const congru_gain pair = congru_scores_gain(scores, in->pipeline, in->other, 0.95);
    scale y = {.from = 1, .to = 0, .start = 300, .end = 30};
    for (size_t s = 0; s < subjects; s++) {
        congru_scale_include(&y, congru_scores_common(scores, in->pipeline, in->other, s));
        congru_scale_include(&y, congru_scores_common(scores, in->other, in->pipeline, s));
    }
    congru_scale_include(&y, in->run->chance);
    y.from = floor(y.from * 20 - 0.01) / 20;
    y.to = y.to > 0.97 ? 1 : ceil(y.to * 20 + 0.01) / 20;
    canvas on = congru_canvas_start(360, 350, "%s against %s: %+.1f points, 95 %% interval %+.1f to %+.1f",
                                    first, second, congru_plain_zero(100 * pair.interval.mean, 1),
                                    congru_plain_zero(100 * pair.interval.low, 1),
                                    congru_plain_zero(100 * pair.interval.high, 1));
    congru_canvas_text(&on, 200, 14, 10, 0, CANVAS_INK, "%+.1f points on average%s",
                       congru_plain_zero(100 * pair.interval.mean, 1),
                       congru_scores_shared(scores, in->pipeline, in->other) <
                                   congru_scores_shared(scores, in->pipeline, in->pipeline) ||
                               congru_scores_shared(scores, in->other, in->pipeline) <
                                   congru_scores_shared(scores, in->other, in->other)
                           ? ", on common trials"
                           : "");
    congru_canvas_axis_y(&on, &y, 60, 340, 100, "Accuracy (%)");
    for (size_t s = 0; s < subjects; s++) {
        const double a = congru_scores_common(scores, in->pipeline, in->other, s),
                     b = congru_scores_common(scores, in->other, in->pipeline, s);
        if (!isnan(a) && !isnan(b)) {
            uint32_t colour = a == b ? CANVAS_SOFT : congru_canvas_colours[a < b];
            double from = congru_scale_place(&y, b), to = congru_scale_place(&y, a);
            congru_canvas_line(&on, 120, from, 280, to, (colour & ~0xffu) | 0x99, 1);
            congru_canvas_about(&on, 1, scores->subject[s], "%s: %.1f to %.1f %%", scores->subject[s],
                                congru_plain_zero(100 * b, 1), congru_plain_zero(100 * a, 1));
            congru_canvas_dot(&on, 120, from, 2.6, colour);
            congru_canvas_dot(&on, 280, to, 2.6, colour);
            congru_canvas_about(&on, 2, scores->subject[s], NULL);
        }
    }
    if (!isnan(in->run->chance))
        congru_canvas_dashes(&on, 60, congru_scale_place(&y, in->run->chance), 340,
                             congru_scale_place(&y, in->run->chance), CANVAS_SOFT, 1);
    congru_canvas_text(&on, 120, 318, 10, 0, CANVAS_INK, "%s", second);
    congru_canvas_text(&on, 280, 318, 10, 0, CANVAS_INK, "%s", first);
    const size_t equal = pair.interval.count - pair.wins - pair.losses;
    draw_paired_key(&on, (const size_t[]){pair.wins, pair.losses, equal}, !isnan(in->run->chance));
    return on;
}

/* ---- Intervals about zero ---- */

enum { FOREST_MAX = 256, FOREST_NAME_SIZE = 2 * KNOWN_NAME_SIZE };

typedef struct forest_row {
    char name[FOREST_NAME_SIZE];
    double mean, low, high;
} forest_row;

static void draw_forest(canvas *on, size_t count, const forest_row *row, const scale *x, double left)
{
    double bottom = TOP + (double)count * 22, zero = congru_scale_place(x, 0);
    congru_canvas_line(on, zero, TOP - 4, zero, bottom, CANVAS_INK, 1);
    for (size_t i = 0; i < count; i++) {
        double y = TOP + ((double)i + 0.5) * 22;
        uint32_t colour = row[i].low > 0    ? congru_canvas_colours[0]
                          : row[i].high < 0 ? congru_canvas_colours[1]
                                            : CANVAS_SOFT;
        congru_canvas_text(on, left - 10, y + 3.5, 10, 1, CANVAS_INK, "%s", row[i].name);
        if (isfinite(row[i].low))
            congru_canvas_line(on, congru_scale_place(x, row[i].low), y, congru_scale_place(x, row[i].high), y,
                               colour, 2);
        congru_canvas_dot(on, congru_scale_place(x, row[i].mean), y, 3.6, colour);
        congru_canvas_about(on, 1, NULL, "%s: %+.1f points (%+.1f to %+.1f)", row[i].name,
                            congru_plain_zero(100 * row[i].mean, 1), congru_plain_zero(100 * row[i].low, 1),
                            congru_plain_zero(100 * row[i].high, 1));
    }
}

static canvas forest(const figure_input *in, size_t count, forest_row *row, const char *title, const char *what)
{
    double left = 40;
    for (size_t i = 0; i < count; i++) {
        double own = congru_canvas_measure(congru_figure_brief(in, row[i].name), 10) + 20;
        left = own > left ? own : left;
    }
    scale x = {.from = -0.01, .to = 0.01, .start = left, .end = left + congru_figure_plot_width(in) - 40};
    for (size_t i = 0; i < count; i++) {
        congru_scale_include(&x, row[i].mean);
        congru_scale_include(&x, row[i].low);
        congru_scale_include(&x, row[i].high);
    }
    double bottom = TOP + (double)count * 22;
    canvas on = congru_canvas_start(x.end + 30, bottom + BOTTOM, "%s", title);
    congru_canvas_axis_x(&on, &x, TOP, bottom, 100, what);
    draw_forest(&on, count, row, &x, left);
    return on;
}

canvas congru_figure_forest(const figure_input *in)
{
    const report_run *run = in->run;
    size_t count = 0;
    forest_row row[FOREST_MAX];
    char own[KNOWN_NAME_SIZE], title[256];
    for (size_t i = 0; i < run->results->pipelines && count < FOREST_MAX; i++) {
        size_t p = run->order[i];
        if (p == in->pipeline)
            continue;
        const congru_gain pair = congru_scores_gain(run->scores, in->pipeline, p, 0.95);
        congru_known_name(run->scores, p, row[count].name);
        row[count].mean = pair.interval.mean;
        row[count].low = pair.interval.low;
        row[count++].high = pair.interval.high;
    }
    if (count == 0)
        return (canvas){0};
    congru_known_name(run->scores, in->pipeline, own);
    snprintf(title, sizeof title, "What %s gains on each other pipeline%s", own,
             run->scores->common != NULL ? ", on common trials" : "");
    canvas on = forest(in, count, row, title,
                       in->narrow ? "Points gained" : "Points of accuracy gained, mean and 95 % interval");
    if (in->page)
        return on;
    congru_canvas_text(&on, on.drawing != NULL ? on.drawing->width / 2 : 0, 18, 11, 0, CANVAS_INK, "%s", title);
    congru_canvas_bold(&on);
    return on;
}

canvas congru_figure_ablation(const figure_input *in)
{
    const congru_json *rows = congru_json_tree_member(congru_json_root(in->run->ablation), "rows");
    forest_row row[FOREST_MAX];
    size_t count = 0;
    for (const congru_json *r = rows != NULL ? rows->first : NULL; r != NULL && count < FOREST_MAX; r = r->next)
        if (isfinite(congru_json_tree_number(congru_json_tree_member(r, "change")))) {
            congru_format(row[count].name, FOREST_NAME_SIZE - 4, "%s",
                          congru_json_tree_string(congru_json_tree_member(r, "name"), ""));
            row[count].mean = congru_json_tree_number(congru_json_tree_member(r, "change"));
            row[count].low = congru_json_tree_number(congru_json_tree_member(r, "low"));
            row[count++].high = congru_json_tree_number(congru_json_tree_member(r, "high"));
        }
    return count > 0
               ? forest(in, count, row, "Ablation",
                        in->narrow ? "Points changed" : "Points of accuracy changed, mean and 95 % interval")
               : (canvas){0};
}

/* ---- Several runs ---- */

canvas congru_figure_changes(const figure_input *in)
{
    const congru_report *report = in->report;
    forest_row row[FOREST_MAX];
    size_t count = 0;
    bool several = false;
    for (size_t i = 0; i < report->comparisons; i++)
        several = several || report->comparison[i].run != report->comparison[0].run;
    for (size_t i = 0; i < report->comparisons && count < FOREST_MAX; i++, count++) {
        const report_comparison *c = &report->comparison[i];
        congru_format(row[count].name, FOREST_NAME_SIZE - 4, "%s%s%.60s",
                      report->run[0].results->pipeline[c->pipeline], several ? ", " : "",
                      several ? report->run[c->run].label : "");
        row[count].mean = c->pair.interval.mean;
        row[count].low = c->pair.interval.low;
        row[count].high = c->pair.interval.high;
    }
    return count > 0
               ? forest(in, count, row, "What other runs gain on the first",
                        in->narrow ? "Points gained" : "Points of accuracy gained, mean and 95 % interval")
               : (canvas){0};
}

/* One dot: dots that would lie on one another are put apart. */
static void draw_mean(canvas *on, const figure_input *in, size_t run, const char *pipeline,
                      const congru_interval *mean, const scale *x, double y, double aside)
{
    congru_canvas_dot(on, congru_scale_place(x, mean->mean), y + aside, 4,
                      congru_canvas_colours[run % CANVAS_COLOURS]);
    congru_canvas_about(on, 1, NULL, "%s, %s: %.1f ± %.1f %%", pipeline, in->report->run[run].label,
                        congru_plain_zero(100 * mean->mean, 1), congru_plain_zero(100 * mean->deviation, 1));
}

canvas congru_figure_means(const figure_input *in)
{
    const congru_report *report = in->report;
    const report_comparison *c = report->comparison;
    size_t rows = 0, shown = 0;
    double left = 40;
    for (size_t i = 0; i < report->comparisons; i++) {
        char name[KNOWN_NAME_SIZE + 4];
        rows += i == 0 || c[i].pipeline != c[i - 1].pipeline;
        congru_format(name, sizeof name - 4, "%s", report->run[0].results->pipeline[c[i].pipeline]);
        left = fmax(left, congru_canvas_measure(congru_figure_brief(in, name), 10) + 20);
        shown = c[i].run > shown ? c[i].run : shown;
    }
    if (rows == 0)
        return (canvas){0};
    const double top = TOP + 16 * (double)shown, bottom = top + (double)rows * ROW;
    scale x = {.from = 1, .to = 0, .start = left, .end = left + congru_figure_plot_width(in)};
    for (size_t i = 0; i < report->comparisons; i++) {
        congru_scale_include(&x, c[i].first.mean);
        congru_scale_include(&x, c[i].own.mean);
    }
    x.from = floor(x.from * 20 - 0.01) / 20;
    x.to = x.to > 0.97 ? 1 : ceil(x.to * 20 + 0.01) / 20;
    canvas on = congru_canvas_start(x.end + 30, bottom + BOTTOM, "Each pipeline in each run");
    congru_canvas_axis_x(&on, &x, top, bottom, 100, "Accuracy (%)");
    for (size_t r = 0; r <= shown; r++) {
        char name[KNOWN_NAME_SIZE + 4];
        congru_format(name, sizeof name - 4, "%s", report->run[r].label);
        congru_canvas_dot(&on, left + 4, 14 + 16 * (double)r, 4, congru_canvas_colours[r % CANVAS_COLOURS]);
        congru_canvas_text(&on, left + 14, 17.5 + 16 * (double)r, 10, -1, CANVAS_INK, "%s",
                           congru_figure_brief(in, name));
    }
    const double apart = fmin(4, 16.0 / (double)shown);
    double y = top - ROW / 2.0;
    for (size_t i = 0; i < report->comparisons; i++) {
        char name[KNOWN_NAME_SIZE + 4];
        const char *pipeline = report->run[0].results->pipeline[c[i].pipeline];
        if (i == 0 || c[i].pipeline != c[i - 1].pipeline) {
            y += ROW;
            congru_format(name, sizeof name - 4, "%s", pipeline);
            congru_canvas_text(&on, left - 10, y + 3.5, 10, 1, CANVAS_INK, "%s", congru_figure_brief(in, name));
            draw_mean(&on, in, 0, pipeline, &c[i].first, &x, y, -apart * (double)shown / 2);
        }
        congru_canvas_line(&on, congru_scale_place(&x, c[i].first.mean), y,
                           congru_scale_place(&x, c[i].own.mean), y, CANVAS_RULE, 1);
        draw_mean(&on, in, c[i].run, pipeline, &c[i].own, &x, y,
                  apart * ((double)c[i].run - (double)shown / 2));
    }
    return on;
}

/* ---- Confusion ---- */

canvas congru_figure_confusion(const figure_input *in)
{
    enum { CLASSES_MAX = 32, CELL = 56 };
    const congru_results *results = in->run->results;
    size_t n = results->classes, count[CLASSES_MAX * CLASSES_MAX];
    if (n == 0 || n > CLASSES_MAX ||
        congru_results_confusion(NULL, results, in->pipeline, -1, count) != CONGRU_OK)
        return (canvas){0};
    double left = 40;
    for (size_t k = 0; k < n; k++) {
        double own = congru_canvas_measure(results->class_name[k], 10) + 30;
        left = own > left ? own : left;
    }
    double side = (double)n * CELL;
    canvas on = congru_canvas_start(left + side + 20, side + 80, "Confusion of %s, all subjects",
                                    results->pipeline[in->pipeline]);
    congru_canvas_text(&on, left + side / 2, 18, 11, 0, CANVAS_INK, "%s", results->pipeline[in->pipeline]);
    congru_canvas_bold(&on);
    for (size_t i = 0; i < n; i++) {
        size_t row = 0;
        for (size_t j = 0; j < n; j++)
            row += count[i * n + j];
        double y = 30 + (double)i * CELL;
        congru_canvas_text(&on, left - 8, y + CELL / 2 + 3, 10, 1, CANVAS_INK, "%s", results->class_name[i]);
        /* Names under neighbouring columns do not touch. */
        const double fits = 10 * (CELL - 8) / fmax(congru_canvas_measure(results->class_name[i], 10), CELL - 8);
        congru_canvas_text(&on, left + ((double)i + 0.5) * CELL, 30 + side + 14, fits, 0, CANVAS_INK, "%s",
                           results->class_name[i]);
        for (size_t j = 0; j < n; j++) {
            double part = row > 0 ? (double)count[i * n + j] / (double)row : 0, x = left + (double)j * CELL;
            congru_canvas_box(&on, x, y, CELL - 2, CELL - 2, 0x0072b200u | (uint32_t)(14 + 140 * part));
            congru_canvas_text(&on, x + CELL / 2 - 1, y + CELL / 2, 12, 0, CANVAS_INK, "%.0f %%", 100 * part);
            congru_canvas_text(&on, x + CELL / 2 - 1, y + CELL / 2 + 14, 9, 0, CANVAS_INK, "%zu",
                               count[i * n + j]);
        }
    }
    congru_canvas_text(&on, left + side / 2, 30 + side + 34, 10, 0, CANVAS_SOFT, "prediction (rows: truth)");
    return on;
}

/* ---- Speed ---- */

canvas congru_figure_speed(const figure_input *in)
{
    const report_run *run = in->run;
    size_t rows = run->results->pipelines;
    double left = name_width(in), bottom = TOP + (double)rows * 22;
    bool compared = false;
    scale x = {.from = 1,
               .to = 1,
               .start = left,
               .end = left + congru_figure_plot_width(in) - 20,
               .logarithmic = true};
    for (size_t p = 0; p < rows; p++) {
        congru_scale_include(&x, congru_report_mean(run, p, CONGRU_SCORE_SECONDS));
        const double paper = congru_report_paper_seconds(run->results->dataset, run->results->pipeline[p]);
        congru_scale_include(&x, paper);
        compared = compared || paper > 0;
    }
    x.from /= 1.5;
    x.to *= 1.5;
    canvas on =
        congru_canvas_start(x.end + 30, bottom + BOTTOM, "Seconds per subject, %s", run->results->dataset);
    congru_canvas_axis_x(&on, &x, TOP, bottom, 1, "Seconds per subject (logarithmic)");
    if (compared) {
        congru_canvas_dot(&on, left + 6, 16, 4, congru_canvas_colours[0]);
        congru_canvas_text(&on, left + 16, 19.5, 10, -1, CANVAS_INK, "this run");
        congru_canvas_symbol(&on, 3, left + 86, 16, 3.6, congru_canvas_colours[1]);
        congru_canvas_text(&on, left + 96, 19.5, 10, -1, CANVAS_INK, "paper (RTX 4060)");
    }
    for (size_t i = 0; i < rows; i++) {
        size_t p = run->order[i];
        double y = TOP + ((double)i + 0.5) * 22, own = congru_report_mean(run, p, CONGRU_SCORE_SECONDS);
        double paper = congru_report_paper_seconds(run->results->dataset, run->results->pipeline[p]);
        char name[KNOWN_NAME_SIZE + 4];
        congru_known_name(run->scores, p, name);
        congru_canvas_text(&on, left - 10, y + 3.5, 10, 1, CANVAS_INK, "%s", congru_figure_brief(in, name));
        if (own > 0 && paper > 0)
            congru_canvas_line(&on, congru_scale_place(&x, own), y, congru_scale_place(&x, paper), y,
                               CANVAS_SOFT, 0.8);
        if (paper > 0)
            congru_canvas_symbol(&on, 3, congru_scale_place(&x, paper), y, 3.6, congru_canvas_colours[1]);
        if (own > 0) {
            congru_canvas_dot(&on, congru_scale_place(&x, own), y, 4, congru_canvas_colours[0]);
            congru_canvas_about(&on, 1, NULL, paper > 0 ? "%s: %.3g s, paper %.3g s" : "%s: %.3g s",
                                run->results->pipeline[p], own, paper);
        }
    }
    return on;
}
