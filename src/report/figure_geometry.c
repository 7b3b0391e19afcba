/* Class ellipses and scalp maps. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/figure_names.h"

enum { GAP = 14, MARGIN = 20 };

static void draw_frame(canvas *on, double x, double y, double width, double height)
{
    const double corner[] = {x, y, x + width, y, x + width, y + height, x, y + height, x, y};
    congru_canvas_path(on, 5, corner, CANVAS_RULE, 0.8);
}

/* ---- Ellipses ---- */

static void include_ellipse(const congru_json *e, scale *x, scale *y)
{
    const congru_json *centre = congru_json_tree_member(e, "centre"),
                      *axes = congru_json_tree_member(e, "axes");
    double reach = fmax(fabs(axes->first->number), fabs(axes->first->next->number));
    congru_scale_include(x, centre->first->number - reach);
    congru_scale_include(x, centre->first->number + reach);
    congru_scale_include(y, centre->first->next->number - reach);
    congru_scale_include(y, centre->first->next->number + reach);
}

/* One scale for both directions and both panels, so that shapes can be compared. */
canvas congru_figure_ellipses(const figure_input *in)
{
    enum { SIDE = 240 };
    const congru_json *ellipses = congru_json_tree_member(congru_json_root(in->run->geometry), "ellipses");
    if (congru_json_length(ellipses) == 0)
        return (canvas){0};
    scale x = {INFINITY, -INFINITY, 0, 0, false}, y = x;
    figure_names classes = congru_figure_classes(in->run->results);
    for (const congru_json *e = ellipses->first; e != NULL; e = e->next) {
        include_ellipse(e, &x, &y);
        congru_figure_name(&classes, congru_json_tree_string(congru_json_tree_member(e, "class"), ""));
    }
    double unit = (SIDE - 12) / fmax(fmax(x.to - x.from, y.to - y.from), 1e-12);
    canvas on = congru_canvas_start(2 * MARGIN + 2 * SIDE + GAP, 70 + SIDE,
                                    "Class covariances before and after alignment");
    congru_figure_legend(&on, &classes, false, MARGIN, 22, 2 * MARGIN + 2 * SIDE);
    for (int after = 0; after < 2; after++) {
        double left = MARGIN + after * (SIDE + GAP), top = 52;
        congru_canvas_text(&on, left, top - 6, 10, -1, CANVAS_INK,
                           after ? "After alignment" : "Before alignment");
        congru_canvas_bold(&on);
        draw_frame(&on, left, top, SIDE, SIDE);
        for (const congru_json *e = ellipses->first; e != NULL; e = e->next) {
            const congru_json *centre = congru_json_tree_member(e, "centre"),
                              *axes = congru_json_tree_member(e, "axes");
            bool is_after = congru_json_tree_string(congru_json_tree_member(e, "stage"), "")[0] == 'a';
            size_t class =
                congru_figure_name(&classes, congru_json_tree_string(congru_json_tree_member(e, "class"), ""));
            uint32_t colour = congru_canvas_colours[class % CANVAS_COLOURS];
            if (is_after == (after == 1))
                congru_canvas_ellipse(
                    &on, left + SIDE / 2 + unit * (centre->first->number - (x.from + x.to) / 2),
                    top + SIDE / 2 - unit * (centre->first->next->number - (y.from + y.to) / 2),
                    unit * fabs(axes->first->number), unit * fabs(axes->first->next->number),
                    -congru_json_tree_number(congru_json_tree_member(e, "angle")), 0, colour);
        }
    }
    return on;
}

/* ---- Scalp maps ---- */

static bool read_scalp(const congru_json *map, report_scalp *s)
{
    const congru_json *channels = congru_json_tree_member(map, "channels"),
                      *value = congru_json_tree_member(map, "values")->first;
    *s = (report_scalp){.place = calloc(3 * channels->count, sizeof *s->place), .largest = 1e-300};
    if (s->place == NULL)
        return false;
    s->value = s->place + 2 * channels->count;
    for (const congru_json *c = channels->first; c != NULL; c = c->next, value = value->next)
        if (congru_report_electrode(c->string, s->place + 2 * s->known)) {
            s->value[s->known++] = value->number;
            s->largest = fmax(s->largest, fabs(value->number));
        }
    return true;
}

void congru_figure_colours(canvas *on, double x, double y, double width, double largest)
{
    enum { STEPS = 40 };
    for (int i = 0; i < STEPS; i++)
        congru_canvas_box(on, x - width / 2 + width * i / STEPS, y, width / STEPS + 0.3, 6,
                          congru_surface_colour((2 * i + 1.0) / STEPS - 1));
    congru_canvas_text(on, x - width / 2, y + 16, 8, 0, CANVAS_SOFT, "%.3g", -largest);
    congru_canvas_text(on, x, y + 16, 8, 0, CANVAS_SOFT, "0");
    congru_canvas_text(on, x + width / 2, y + 16, 8, 0, CANVAS_SOFT, "%.3g", largest);
}

void congru_figure_head(canvas *on, const report_scalp *s, double x, double y, double radius)
{
    double grid[REPORT_GRID * REPORT_GRID];
    if (congru_report_scalp(s->known, s->place, s->value, grid)) {
        for (size_t i = 0; i < REPORT_GRID * REPORT_GRID; i++)
            grid[i] /= s->largest;
        congru_canvas_surface(on, x, y, radius, REPORT_GRID, grid);
    }
    const double nose[] = {x - 7, y - radius, x, y - radius - 9, x + 7, y - radius};
    congru_canvas_path(on, 3, nose, CANVAS_SOFT, 1.2);
    congru_canvas_ellipse(on, x, y, radius, radius, 0, 0, CANVAS_SOFT);
    for (size_t i = 0; i < s->known; i++)
        congru_canvas_dot(on, x + radius * s->place[2 * i], y - radius * s->place[2 * i + 1], 1.4, CANVAS_INK);
}

canvas congru_figure_patterns(const figure_input *in)
{
    enum { HEAD = 60, STEP_X = 150, STEP_Y = 196 };
    const congru_json *maps = congru_json_tree_member(congru_json_root(in->run->patterns), "maps");
    size_t count = congru_json_length(maps), columns = count < 4 ? count : 4, index = 0, known = 0;
    if (count == 0)
        return (canvas){0};
    canvas on = congru_canvas_start((double)columns * STEP_X + 20,
                                    (double)((count + columns - 1) / columns) * STEP_Y + 10,
                                    "Scalp maps, seen from above, nose up");
    for (const congru_json *map = maps->first; map != NULL; map = map->next, index++) {
        double x = 10 + ((double)(index % columns) + 0.5) * STEP_X, y = (double)(index / columns) * STEP_Y;
        report_scalp s;
        if (!read_scalp(map, &s)) {
            on.failed = true;
            break;
        }
        known += s.known;
        congru_canvas_text(&on, x, y + 18, 10, 0, CANVAS_INK, "%s",
                           congru_json_tree_string(congru_json_tree_member(map, "title"), ""));
        congru_figure_head(&on, &s, x, y + 100, HEAD);
        if (s.known > 0)
            congru_figure_colours(&on, x, y + 100 + HEAD + 10, 1.4 * HEAD, s.largest);
        free(s.place);
    }
    if (known == 0) {
        congru_drawing_destroy(&on.drawing);
        return (canvas){0};
    }
    return on;
}
