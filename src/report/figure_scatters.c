/* Fisher's scatters and their ratios while a network is trained. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "report/figures.h"

enum {
    PANEL_X = 124,
    PANEL_Y = 100,
    LEFT = 54,
    TOP = 82,
    STEP_X = PANEL_X + LEFT + 6,
    STEP_Y = PANEL_Y + 44,
    STAGES_MAX = 64
};

/* Members of geometry.json; a panel is one of them, or the quotient of two. What is below 1e-12 of `beside` is there by
 * rounding alone. */
static const struct {
    const char *title, *over, *under, *beside;
} panels[] = {
    {"within classes (W)", "within_class", NULL, NULL},
    {"between classes (B)", "between_class", NULL, "within_class"},
    {"W/B, classes", "within_class", "between_class", NULL},
    {"within subjects (W)", "within_subject", NULL, NULL},
    {"between subjects (B)", "between_subject", NULL, "within_subject"},
    {"W/B, subjects", "within_subject", "between_subject", NULL},
};
enum { PANELS = sizeof panels / sizeof panels[0], COLUMNS = 3 };

static const double rounding = 1e-12;

/* A member's numbers; NaN where there is none. */
static void read_member(const report_run *run, const char *name, size_t stages, double *value)
{
    const congru_json *array = congru_json_tree_member(congru_json_root(run->geometry), name);
    const congru_json *item = array != NULL ? array->first : NULL;
    for (size_t k = 0; k < stages; k++) {
        value[k] = congru_json_tree_number(item);
        item = item != NULL ? item->next : NULL;
    }
}

/* Returns whether any number is finite. */
static bool read_panel(const report_run *run, size_t panel, size_t stages, double *value)
{
    const char *second = panels[panel].under != NULL ? panels[panel].under : panels[panel].beside;
    double other[STAGES_MAX];
    bool any = false;
    read_member(run, panels[panel].over, stages, value);
    if (second != NULL)
        read_member(run, second, stages, other);
    for (size_t k = 0; k < stages; k++) {
        if (panels[panel].under != NULL)
            value[k] = other[k] > rounding * value[k] ? value[k] / other[k] : NAN;
        else if (panels[panel].beside != NULL && value[k] < rounding * other[k])
            value[k] = 0;
        any = any || isfinite(value[k]);
    }
    return any;
}

static size_t stages_of(const report_run *run)
{
    size_t stages = congru_json_length(congru_json_tree_member(congru_json_root(run->geometry), "intervals"));
    return stages < STAGES_MAX ? stages : STAGES_MAX;
}

/* Lines of all runs with the least and the largest number beside them. */
static void draw_panel(canvas *on, const figure_input *in, size_t panel, double left, double top)
{
    scale y = {INFINITY, -INFINITY, top + PANEL_Y - 6, top + 6, false};
    double value[STAGES_MAX], line[2 * STAGES_MAX];
    for (size_t r = 0; r < in->report->runs; r++) {
        size_t stages = stages_of(&in->report->run[r]);
        read_panel(&in->report->run[r], panel, stages, value);
        for (size_t k = 0; k < stages; k++)
            congru_scale_include(&y, value[k]);
    }
    const double corner[] = {left,          top,  left + PANEL_X, top,  left + PANEL_X,
                             top + PANEL_Y, left, top + PANEL_Y,  left, top};
    congru_canvas_path(on, 5, corner, CANVAS_RULE, 0.8);
    congru_canvas_text(on, left, top - 6, 10, -1, CANVAS_INK, "%s", panels[panel].title);
    congru_canvas_bold(on);
    if (!isfinite(y.from))
        return;
    congru_canvas_text(on, left, top + PANEL_Y + 12, 9, -1, CANVAS_SOFT, "0 %%");
    congru_canvas_text(on, left + PANEL_X, top + PANEL_Y + 12, 9, 1, CANVAS_SOFT, "100 %% of training");
    if (y.to - y.from <= 1e-9 * fabs(y.to)) { /* equal: a flat line in the middle, and one number */
        congru_canvas_text(on, left - 4, top + PANEL_Y / 2.0 + 3, 9, 1, CANVAS_SOFT, "%.3g", y.to);
        y.from -= 1;
        y.to += 1;
    } else {
        char low[CANVAS_NUMBER_SIZE], high[CANVAS_NUMBER_SIZE];
        congru_canvas_ends(&y, low, high);
        congru_canvas_text(on, left - 4, top + 12, 9, 1, CANVAS_SOFT, "%s", high);
        congru_canvas_text(on, left - 4, top + PANEL_Y - 3, 9, 1, CANVAS_SOFT, "%s", low);
    }
    for (size_t r = in->report->runs; r-- > 0;) {
        size_t stages = stages_of(&in->report->run[r]), count = 0;
        read_panel(&in->report->run[r], panel, stages, value);
        for (size_t k = 0; k < stages; k++) {
            if (!isfinite(value[k]))
                continue;
            line[2 * count] = left + 6 + (PANEL_X - 12) * (stages > 1 ? (double)k / (double)(stages - 1) : 0.5);
            line[2 * count + 1] = congru_scale_place(&y, value[k]);
            congru_canvas_dot(on, line[2 * count], line[2 * count + 1], 2,
                              congru_figure_run_colour(in->report, r));
            count++;
        }
        congru_canvas_path(on, count, line, congru_figure_run_colour(in->report, r), 1.6);
    }
}

/* Of which network, and whose trials are not among them. */
static void draw_title(canvas *on, const figure_input *in)
{
    const congru_json *root = congru_json_root(in->run->geometry);
    const char *pipeline = congru_json_tree_string(congru_json_tree_member(root, "pipeline"), "Source trials"),
               *left_out = congru_json_tree_string(congru_json_tree_member(root, "left_out"), NULL);
    congru_canvas_text(on, 16, 18, 11, -1, CANVAS_INK, "%s while it is trained%s%s%s", pipeline,
                       left_out != NULL ? ", " : "", left_out != NULL ? left_out : "",
                       left_out != NULL ? " left out" : "");
    congru_canvas_bold(on);
    congru_canvas_text(on, 16, 31, 9, -1, CANVAS_SOFT,
                       "Scatters of the source trials' logarithms, squared distance, and their ratios");
}

canvas congru_figure_scatters(const figure_input *in)
{
    double value[STAGES_MAX], at = 16;
    if (!read_panel(in->run, 0, stages_of(in->run), value))
        return (canvas){0};
    canvas on = congru_canvas_start(COLUMNS * STEP_X + 16, TOP + 2 * STEP_Y - 20,
                                    "Fisher's scatters and ratios of the source trials as training goes on");
    draw_title(&on, in);
    for (size_t r = 0; r < in->report->runs && in->report->runs > 1; r++) {
        congru_canvas_dot(&on, at + 4, 46.5, 4, congru_figure_run_colour(in->report, r));
        congru_canvas_text(&on, at + 13, 50, 10, -1, CANVAS_INK, "%s", in->report->run[r].label);
        at += congru_canvas_measure(in->report->run[r].label, 10) + 30;
    }
    for (size_t p = 0; p < PANELS; p++)
        draw_panel(&on, in, p, LEFT + (double)(p % COLUMNS) * STEP_X, TOP + (double)(p / COLUMNS) * STEP_Y);
    return on;
}
