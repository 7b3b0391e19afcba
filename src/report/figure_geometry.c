/* Trials on the plane, class ellipses, scalp maps. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/figures.h"

enum { SHADES = 32, PANEL = 170, GAP = 14, MARGIN = 20, NAMES_MAX = 256 };

/* Names in the order they are met; their place is their colour or shape. */
typedef struct name_list {
    size_t count;
    const char *name[NAMES_MAX];
} name_list;

static size_t place_of(name_list *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->name[i], name) == 0)
            return i;
    if (list->count == NAMES_MAX)
        return NAMES_MAX - 1;
    list->name[list->count] = name;
    return list->count++;
}

/* A class has the same colour in every figure. */
static name_list known_classes(const congru_results *results)
{
    name_list list = {0};
    for (size_t k = 0; k < results->classes; k++)
        place_of(&list, results->class_name[k]);
    return list;
}

static const congru_json *element(const congru_json *array, size_t index)
{
    const congru_json *item = array != NULL ? array->first : NULL;
    while (item != NULL && index-- > 0)
        item = item->next;
    return item;
}

static void draw_legend(canvas *on, const name_list *classes, double y)
{
    double x = MARGIN;
    for (size_t i = 0; i < classes->count; i++) {
        congru_canvas_dot(on, x + 4, y - 3.5, 4, congru_canvas_colours[i % CANVAS_COLOURS]);
        congru_canvas_text(on, x + 13, y, 10, -1, CANVAS_INK, "%s", classes->name[i]);
        x += congru_canvas_measure(classes->name[i], 10) + 30;
    }
}

/* ---- Evolution ---- */

static void draw_panel(canvas *on, const congru_json *points, name_list classes, size_t interval, double left,
                       double top)
{
    scale x = {INFINITY, -INFINITY, left + 6, left + PANEL - 6, false},
          y = {INFINITY, -INFINITY, top + PANEL - 6, top + 6, false};
    name_list subjects = {0};
    for (const congru_json *p = points->first; p != NULL; p = p->next) {
        congru_scale_include(&x, element(congru_json_tree_member(p, "x"), interval)->number);
        congru_scale_include(&y, element(congru_json_tree_member(p, "y"), interval)->number);
    }
    x.to += x.to > x.from ? 0 : 1;
    y.to += y.to > y.from ? 0 : 1;
    for (const congru_json *p = points->first; p != NULL; p = p->next) {
        size_t class = place_of(&classes, congru_json_tree_string(congru_json_tree_member(p, "label"), ""));
        size_t subject =
            place_of(&subjects, congru_json_tree_string(congru_json_tree_member(p, "subject"), ""));
        congru_canvas_symbol(on, subject,
                             congru_scale_place(&x, element(congru_json_tree_member(p, "x"), interval)->number),
                             congru_scale_place(&y, element(congru_json_tree_member(p, "y"), interval)->number),
                             1.8, (congru_canvas_colours[class % CANVAS_COLOURS] & ~0xffu) | 0xb0);
    }
}

static void draw_frame(canvas *on, double x, double y, double width, double height)
{
    const double corner[] = {x, y, x + width, y, x + width, y + height, x, y + height, x, y};
    congru_canvas_path(on, 5, corner, CANVAS_RULE, 0.8);
}

canvas congru_figure_evolution(const figure_input *in)
{
    const congru_json *root = congru_json_root(in->run->geometry);
    const congru_json *points = congru_json_tree_member(root, "points"),
                      *intervals = congru_json_tree_member(root, "intervals");
    const congru_json *by_subject = congru_json_tree_member(root, "silhouette_subject");
    const congru_json *by_class = congru_json_tree_member(root, "silhouette_class");
    size_t panels = congru_json_length(intervals), columns = panels < 3 ? panels : 3;
    if (congru_json_length(points) == 0 || panels == 0)
        return (canvas){0};
    size_t rows = (panels + columns - 1) / columns;
    name_list classes = known_classes(in->run->results);
    for (const congru_json *p = points->first; p != NULL; p = p->next)
        place_of(&classes, congru_json_tree_string(congru_json_tree_member(p, "label"), ""));
    canvas on = congru_canvas_start(
        2 * MARGIN + (double)columns * (PANEL + GAP) - GAP, 40 + (double)rows * (PANEL + 44),
        "Trials on the plane as alignment goes on; colour is class, shape is subject");
    draw_legend(&on, &classes, 22);
    for (size_t i = 0; i < panels; i++) {
        double x = MARGIN + (double)(i % columns) * (PANEL + GAP),
               y = 52 + (double)(i / columns) * (PANEL + 44);
        double subject = congru_json_tree_number(element(by_subject, i)),
               class = congru_json_tree_number(element(by_class, i));
        congru_canvas_text(&on, x, y - 6, 10, -1, CANVAS_INK, "%.0f %%",
                           congru_json_tree_number(element(intervals, i)));
        congru_canvas_bold(&on);
        if (isfinite(subject) && isfinite(class))
            congru_canvas_text(&on, x + PANEL, y + PANEL + 12, 9, 1, CANVAS_SOFT,
                               "silhouette: class %.3f, subject %.3f", congru_plain_zero(class, 3),
                               congru_plain_zero(subject, 3));
        draw_frame(&on, x, y, PANEL, PANEL);
        draw_panel(&on, points, classes, i, x, y);
    }
    return on;
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
    name_list classes = known_classes(in->run->results);
    for (const congru_json *e = ellipses->first; e != NULL; e = e->next) {
        include_ellipse(e, &x, &y);
        place_of(&classes, congru_json_tree_string(congru_json_tree_member(e, "class"), ""));
    }
    double unit = (SIDE - 12) / fmax(fmax(x.to - x.from, y.to - y.from), 1e-12);
    canvas on = congru_canvas_start(2 * MARGIN + 2 * SIDE + GAP, 70 + SIDE,
                                    "Class covariances before and after alignment");
    draw_legend(&on, &classes, 22);
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
            size_t class = place_of(&classes, congru_json_tree_string(congru_json_tree_member(e, "class"), ""));
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

/* Blue below zero, white at it, orange above, by value over the largest. */
static uint32_t diverging(double part)
{
    static const double below[3] = {0x05, 0x5a, 0x8c}, above[3] = {0xb8, 0x4a, 0x00};
    const double *end = part < 0 ? below : above;
    double t = fabs(part) > 1 ? 1 : fabs(part);
    uint32_t colour = 0;
    for (int i = 0; i < 3; i++)
        colour = (colour << 8) | (uint32_t)(250 + t * (end[i] - 250) + 0.5);
    return (colour << 8) | 0xff;
}

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

/* What is drawn off the head, from cells that its edge divides, is covered by a wide line around it. */
static void cover_edge(canvas *on, double x, double y, double radius)
{
    enum { CORNERS = 65 };
    const double wide = 10;
    const double turn[2] = {0.99518472667219693, 0.098017140329560602}; /* a 64th of a circle */
    double point[2 * CORNERS];
    point[0] = radius + wide / 2;
    point[1] = 0;
    for (size_t i = 1; i < CORNERS; i++) {
        point[2 * i] = point[2 * i - 2] * turn[0] - point[2 * i - 1] * turn[1];
        point[2 * i + 1] = point[2 * i - 2] * turn[1] + point[2 * i - 1] * turn[0];
    }
    for (size_t i = 0; i < CORNERS; i++) {
        point[2 * i] += x;
        point[2 * i + 1] += y;
    }
    congru_canvas_path(on, CORNERS, point, CANVAS_PAPER, wide);
}

void congru_figure_colours(canvas *on, double x, double y, double width, double largest)
{
    enum { STEPS = 40 };
    for (int i = 0; i < STEPS; i++)
        congru_canvas_box(on, x - width / 2 + width * i / STEPS, y, width / STEPS + 0.3, 6,
                          diverging((2 * i + 1.0) / STEPS - 1));
    congru_canvas_text(on, x - width / 2, y + 16, 8, 0, CANVAS_SOFT, "%.3g", -largest);
    congru_canvas_text(on, x, y + 16, 8, 0, CANVAS_SOFT, "0");
    congru_canvas_text(on, x + width / 2, y + 16, 8, 0, CANVAS_SOFT, "%.3g", largest);
}

/* Cells side by side of one shade are one box, or a figure of many heads would take megabytes. Small cells count by twos. */
static void draw_surface(canvas *on, const double *grid, double largest, double left, double top, double cell)
{
    const size_t step = cell < 1.5 ? 2 : 1;
    for (size_t row = 0; row < REPORT_GRID; row += step)
        for (size_t from = 0, to; from < REPORT_GRID; from = to) {
            const double *at = grid + row * REPORT_GRID;
            const double shade = round(SHADES * at[from] / largest);
            for (to = from + step; to < REPORT_GRID && (round(SHADES * at[to] / largest) == shade ||
                                                        (isnan(shade) && isnan(at[to])));
                 to += step)
                ;
            if (!isnan(shade))
                congru_canvas_box(on, left + (double)from * cell, top + (double)row * cell,
                                  (double)(to - from) * cell + 0.3, (double)step * cell + 0.3,
                                  diverging(shade / SHADES));
        }
}

void congru_figure_head(canvas *on, const report_scalp *s, double x, double y, double radius)
{
    double grid[REPORT_GRID * REPORT_GRID];
    if (congru_report_scalp(s->known, s->place, s->value, grid))
        draw_surface(on, grid, s->largest, x - radius, y - radius, 2 * radius / REPORT_GRID);
    cover_edge(on, x, y, radius);
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
