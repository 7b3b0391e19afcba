/* Puts shapes on a drawing. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "report/canvas.h"
#include "base/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/number_text.h"
#include "base/scalar_math.h"

const uint32_t congru_canvas_colours[CANVAS_COLOURS] = {0x0072b2ff, 0xd55e00ff, 0x009e73ff, 0xcc79a7ff,
                                                        0xe69f00ff, 0x56b4e9ff, 0x4d4d4dff};

/* ---- Shapes ---- */

canvas congru_canvas_start(double width, double height, const char *title, ...)
{
    canvas on = {.drawing = calloc(1, sizeof *on.drawing)};
    if (on.drawing == NULL) {
        on.failed = true;
        return on;
    }
    char line[512];
    va_list arguments;
    va_start(arguments, title);
    congru_format_list(line, sizeof line, title, arguments);
    va_end(arguments);
    on.drawing->width = width;
    on.drawing->height = height;
    on.drawing->title = strdup(line);
    on.failed = on.drawing->title == NULL;
    congru_canvas_box(&on, 0, 0, width, height, 0xffffffff);
    return on;
}

congru_status congru_canvas_end(congru_context *context, canvas *on, congru_drawing **drawing)
{
    *drawing = on->drawing;
    if (!on->failed)
        return CONGRU_OK;
    congru_drawing_destroy(drawing);
    return congru_fail_memory(context, "the figure");
}

void congru_drawing_destroy(congru_drawing **drawing)
{
    if (drawing == NULL || *drawing == NULL)
        return;
    for (size_t i = 0; i < (*drawing)->count; i++) {
        free((*drawing)->shape[i].point);
        free((*drawing)->shape[i].text);
        free((*drawing)->shape[i].about);
        free((*drawing)->shape[i].subject);
    }
    free((*drawing)->shape);
    free((*drawing)->title);
    free(*drawing);
    *drawing = NULL;
}

static void add_shape(canvas *on, congru_shape shape)
{
    if (on->failed)
        return;
    congru_drawing *drawing = on->drawing;
    if (drawing->count == on->room) {
        size_t room = on->room > 0 ? 2 * on->room : 256;
        congru_shape *grown = realloc(drawing->shape, room * sizeof *grown);
        if (grown == NULL) {
            on->failed = true;
            return;
        }
        drawing->shape = grown;
        on->room = room;
    }
    drawing->shape[drawing->count++] = shape;
}

static void add_numbers(canvas *on, congru_shape shape, size_t numbers, const double *point)
{
    shape.point = malloc((numbers + 1) * sizeof *shape.point);
    if (shape.point == NULL) {
        on->failed = true;
        return;
    }
    memcpy(shape.point, point, numbers * sizeof *point);
    add_shape(on, shape);
    if (on->failed)
        free(shape.point);
}

void congru_canvas_path(canvas *on, size_t count, const double *point, uint32_t stroke, double width)
{
    add_numbers(
        on, (congru_shape){.kind = CONGRU_SHAPE_LINE, .stroke = stroke, .stroke_width = width, .count = count},
        2 * count, point);
}

void congru_canvas_polygon(canvas *on, size_t count, const double *point, uint32_t fill)
{
    add_numbers(on, (congru_shape){.kind = CONGRU_SHAPE_POLYGON, .fill = fill, .count = count}, 2 * count,
                point);
}

void congru_canvas_surface(canvas *on, double x, double y, double radius, size_t side, const double *value)
{
    add_numbers(on,
                (congru_shape){.kind = CONGRU_SHAPE_SURFACE, .x = x, .y = y, .width = radius, .count = side},
                side * side, value);
}

void congru_canvas_about(canvas *on, size_t shapes, const char *subject, const char *format, ...)
{
    char line[512] = "";
    if (format != NULL) {
        va_list arguments;
        va_start(arguments, format);
        congru_format_list(line, sizeof line, format, arguments);
        va_end(arguments);
    }
    for (size_t i = 0; i < shapes && !on->failed; i++) {
        congru_shape *shape = &on->drawing->shape[on->drawing->count - 1 - i];
        shape->about = format != NULL ? strdup(line) : NULL;
        shape->subject = subject != NULL ? strdup(subject) : NULL;
        on->failed = (format != NULL && shape->about == NULL) || (subject != NULL && shape->subject == NULL);
    }
}

void congru_canvas_line(canvas *on, double x, double y, double x2, double y2, uint32_t stroke, double width)
{
    const double point[4] = {x, y, x2, y2};
    congru_canvas_path(on, 2, point, stroke, width);
}

void congru_canvas_dashes(canvas *on, double x, double y, double x2, double y2, uint32_t stroke, double width)
{
    congru_canvas_line(on, x, y, x2, y2, stroke, width);
    if (!on->failed)
        on->drawing->shape[on->drawing->count - 1].dashed = true;
}

void congru_canvas_ellipse(canvas *on, double x, double y, double a, double b, double angle, uint32_t fill,
                           uint32_t stroke)
{
    add_shape(on, (congru_shape){.kind = CONGRU_SHAPE_ELLIPSE,
                                 .x = x,
                                 .y = y,
                                 .width = a,
                                 .height = b,
                                 .angle = angle,
                                 .fill = fill,
                                 .stroke = stroke,
                                 .stroke_width = 1.2});
}

void congru_canvas_dot(canvas *on, double x, double y, double radius, uint32_t fill)
{
    congru_canvas_ellipse(on, x, y, radius, radius, 0, fill, 0);
}

void congru_canvas_box(canvas *on, double x, double y, double width, double height, uint32_t fill)
{
    add_shape(on,
              (congru_shape){
                  .kind = CONGRU_SHAPE_BOX, .x = x, .y = y, .width = width, .height = height, .fill = fill});
}

void congru_canvas_symbol(canvas *on, size_t number, double x, double y, double size, uint32_t fill)
{
    double s = size, t = size * 0.36;
    const double square[] = {x - s, y - s, x + s, y - s, x + s, y + s, x - s, y + s};
    const double triangle[] = {x, y - 1.3 * s, x + 1.2 * s, y + 0.8 * s, x - 1.2 * s, y + 0.8 * s};
    const double diamond[] = {x, y - 1.4 * s, x + 1.2 * s, y, x, y + 1.4 * s, x - 1.2 * s, y};
    const double down[] = {x, y + 1.3 * s, x + 1.2 * s, y - 0.8 * s, x - 1.2 * s, y - 0.8 * s};
    const double cross[] = {x - t, y - s, x + t, y - s, x + t, y - t, x + s, y - t, x + s, y + t, x + t, y + t,
                            x + t, y + s, x - t, y + s, x - t, y + t, x - s, y + t, x - s, y - t, x - t, y - t};
    switch (number % 6) {
    case 0:
        congru_canvas_dot(on, x, y, 1.1 * s, fill);
        break;
    case 1:
        congru_canvas_polygon(on, 4, square, fill);
        break;
    case 2:
        congru_canvas_polygon(on, 3, triangle, fill);
        break;
    case 3:
        congru_canvas_polygon(on, 4, diamond, fill);
        break;
    case 4:
        congru_canvas_polygon(on, 3, down, fill);
        break;
    default:
        congru_canvas_polygon(on, 12, cross, fill);
    }
}

void congru_canvas_text(canvas *on, double x, double y, double size, int anchor, uint32_t fill,
                        const char *format, ...)
{
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    congru_format_list(line, sizeof line, format, arguments);
    va_end(arguments);
    char *text = strdup(line);
    if (text == NULL || on->failed) {
        on->failed = true;
        free(text);
        return;
    }
    add_shape(on, (congru_shape){.kind = CONGRU_SHAPE_TEXT,
                                 .x = x,
                                 .y = y,
                                 .width = size,
                                 .anchor = anchor,
                                 .fill = fill,
                                 .text = text});
    if (on->failed)
        free(text);
}

void congru_canvas_bold(canvas *on)
{
    if (!on->failed)
        on->drawing->shape[on->drawing->count - 1].bold = true;
}

void congru_canvas_turn(canvas *on, double angle)
{
    if (!on->failed)
        on->drawing->shape[on->drawing->count - 1].angle = angle;
}

/* As wide as in DejaVu Sans, which is wider than the other fonts that "sans-serif" stands for. */
double congru_canvas_measure(const char *text, double size)
{
    double width = 0;
    for (; *text != '\0'; text++) {
        if (((unsigned char)*text & 0xc0) == 0x80)
            continue;
        bool wide = strchr("mwMW@%+=<>~", *text) != NULL, narrow = strchr("iljtfrI.,:;|!'-/() ", *text) != NULL;
        width += wide ? 0.98 : narrow ? 0.42 : *text >= 'A' && *text <= 'Z' ? 0.78 : 0.64;
    }
    return size * width;
}

/* ---- Scales ---- */

double congru_scale_place(const scale *s, double value)
{
    double part;
    if (s->logarithmic)
        part = congru_scalar_log(value / s->from) / congru_scalar_log(s->to / s->from);
    else
        part = (value - s->from) / (s->to - s->from);
    return s->start + part * (s->end - s->start);
}

void congru_scale_include(scale *s, double value)
{
    if (!isfinite(value) || (s->logarithmic && value <= 0))
        return;
    s->from = value < s->from ? value : s->from;
    s->to = value > s->to ? value : s->to;
}

static size_t log_ticks(const scale *s, double tick[12], int *decimals)
{
    size_t count = 0;
    double power = 1;
    while (power > s->from)
        power /= 10;
    for (; power <= s->to && count < 12; power *= 10)
        if (power >= s->from * 0.999)
            tick[count++] = power;
    *decimals = -1;
    return count;
}

size_t congru_scale_ticks(const scale *s, double tick[12], int *decimals)
{
    if (s->logarithmic)
        return log_ticks(s, tick, decimals);
    double range = s->to - s->from, step = 1;
    *decimals = 0;
    while (step < range / 8)
        step *= 10;
    while (step > range / 4 && step > 1e-14 * fmax(fabs(s->from), fabs(s->to)) && *decimals < 300) {
        step /= 10;
        *decimals += step < 0.99;
    }
    if (range / step > 25)
        step *= 5;
    else if (range / step > 8)
        step *= 2;
    if (step >= 0.99)
        *decimals = 0;
    size_t count = 0;
    for (double k = ceil(s->from / step - 1e-9); k * step <= s->to + 1e-9 * range && count < 12; k++)
        tick[count++] = k * step + 0.0; /* -0 becomes 0 */
    return count;
}

void congru_canvas_ends(const scale *s, char from[CANVAS_NUMBER_SIZE], char to[CANVAS_NUMBER_SIZE])
{
    int digits = 3;
    do {
        congru_format(from, CANVAS_NUMBER_SIZE, "%.*g", digits, s->from);
        congru_format(to, CANVAS_NUMBER_SIZE, "%.*g", digits, s->to);
    } while (strcmp(from, to) == 0 && digits++ < 17);
}

/* Ticks that take many decimals have as many digits as tell them from their neighbours. */
static void number_text(char *text, size_t size, double value, double step, int decimals, double factor)
{
    int digits = 1;
    if (decimals > 6) {
        do
            congru_format(text, size, "%.*g", digits, value * factor);
        while (fabs(congru_number_read(text, NULL) - value * factor) > 0.01 * step * factor && digits++ < 17);
        return;
    }
    if (decimals < 0) {
        congru_format(text, size, "%g", value);
        return;
    }
    if (fabs(value * factor) >= 1e6) {
        congru_format(text, size, "%.3g", value * factor);
        return;
    }
    if (factor > 1)
        decimals = decimals > 2 ? decimals - 2 : 0;
    congru_format(text, size, "%.*f", decimals, congru_plain_zero(value * factor, decimals));
}

void congru_canvas_axis_x(canvas *on, const scale *x, double top, double bottom, double factor,
                          const char *what)
{
    double tick[12];
    char text[40];
    int decimals;
    size_t count = congru_scale_ticks(x, tick, &decimals);
    for (size_t i = 0; i < count; i++) {
        double at = congru_scale_place(x, tick[i]);
        congru_canvas_line(on, at, top, at, bottom, CANVAS_RULE, 0.6);
        number_text(text, sizeof text, tick[i], count > 1 ? tick[1] - tick[0] : 0, decimals, factor);
        congru_canvas_text(on, at, bottom + 13, 9, 0, CANVAS_SOFT, "%s", text);
    }
    congru_canvas_text(on, (x->start + x->end) / 2, bottom + 30, 10, 0, CANVAS_INK, "%s", what);
}

void congru_canvas_axis_y(canvas *on, const scale *y, double left, double right, double factor,
                          const char *what)
{
    double tick[12];
    char text[40];
    int decimals;
    size_t count = congru_scale_ticks(y, tick, &decimals);
    for (size_t i = 0; i < count; i++) {
        double at = congru_scale_place(y, tick[i]);
        congru_canvas_line(on, left, at, right, at, CANVAS_RULE, 0.6);
        number_text(text, sizeof text, tick[i], count > 1 ? tick[1] - tick[0] : 0, decimals, factor);
        congru_canvas_text(on, left - 6, at + 3, 9, 1, CANVAS_SOFT, "%s", text);
    }
    congru_canvas_text(on, left - 38, (y->start + y->end) / 2, 10, 0, CANVAS_INK, "%s", what);
    congru_canvas_turn(on, -90);
}
