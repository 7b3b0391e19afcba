/* A drawing in the making: shapes, scales, axes. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_REPORT_CANVAS_H
#define CONGRU_REPORT_CANVAS_H

#include "report/report_internal.h"

/* Ink, and colours that readers of any colour vision tell apart (Okabe and Ito). */
enum { CANVAS_COLOURS = 7 };
extern const uint32_t congru_canvas_colours[CANVAS_COLOURS];
#define CANVAS_INK 0x1f2430ffu
#define CANVAS_SOFT 0x5d6475ffu
#define CANVAS_RULE 0xd5d8dfffu
#define CANVAS_PAPER 0xffffffffu

/* {.drawing = ...} with the shapes so far. A failed allocation stays in `failed`. */
typedef struct canvas {
    congru_drawing *drawing;
    size_t room;
    bool failed;
} canvas;

/* An empty drawing of this size; its title is a format. */
canvas congru_canvas_start(double width, double height, const char *title, ...)
    __attribute__((format(printf, 3, 4)));

/* Ends it: the drawing, or CONGRU_ERROR_MEMORY and everything freed. */
congru_status congru_canvas_end(congru_context *context, canvas *on, congru_drawing **drawing);

void congru_canvas_line(canvas *on, double x, double y, double x2, double y2, uint32_t stroke, double width);
void congru_canvas_dashes(canvas *on, double x, double y, double x2, double y2, uint32_t stroke, double width);
void congru_canvas_path(canvas *on, size_t count, const double *point, uint32_t stroke, double width);
void congru_canvas_polygon(canvas *on, size_t count, const double *point, uint32_t fill);
void congru_canvas_ellipse(canvas *on, double x, double y, double a, double b, double angle, uint32_t fill,
                           uint32_t stroke);
void congru_canvas_dot(canvas *on, double x, double y, double radius, uint32_t fill);
void congru_canvas_box(canvas *on, double x, double y, double width, double height, uint32_t fill);

/* The drawing as an svg element, of a file or of the page, whose colours are those of its style. */
void congru_canvas_add_svg(congru_text *text, const congru_drawing *drawing, bool page);

/* A small mark about (x, y): circle, square, triangle, diamond, cross, ... by number, again from the first. */
void congru_canvas_symbol(canvas *on, size_t number, double x, double y, double size, uint32_t fill);

/* Values (side, side) from -1 to 1 on the disc about (x, y), NaN outside. */
void congru_canvas_surface(canvas *on, double x, double y, double radius, size_t side, const double *value);

/* What the last `shapes` shapes stand for, a format, and the subject that they are of; either may be NULL. */
void congru_canvas_about(canvas *on, size_t shapes, const char *subject, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

void congru_canvas_text(canvas *on, double x, double y, double size, int anchor, uint32_t fill,
                        const char *format, ...) __attribute__((format(printf, 7, 8)));
void congru_canvas_bold(canvas *on); /* the text just added */
void congru_canvas_turn(canvas *on, double angle);

/* About how wide text of this size is. */
double congru_canvas_measure(const char *text, double size);

/* From numbers to points of the drawing. */
typedef struct scale {
    double from, to;   /* numbers */
    double start, end; /* places */
    bool logarithmic;
} scale;

double congru_scale_place(const scale *s, double value);

/* Round numbers inside the scale, at most 12; how many there are, and how many decimals they have. */
size_t congru_scale_ticks(const scale *s, double tick[12], int *decimals);

/* Widens from and to until they hold the value, if it is finite. */
void congru_scale_include(scale *s, double value);

/* The ends of a scale as numbers of as few digits, at least 3, as tell them apart. */
enum { CANVAS_NUMBER_SIZE = 40 };
void congru_canvas_ends(const scale *s, char from[CANVAS_NUMBER_SIZE], char to[CANVAS_NUMBER_SIZE]);

/* Lines across the plot with numbers at them, times `factor`, and what they are. */
void congru_canvas_axis_x(canvas *on, const scale *x, double top, double bottom, double factor,
                          const char *what);
void congru_canvas_axis_y(canvas *on, const scale *y, double left, double right, double factor,
                          const char *what);

#endif
