/* Draws shapes with cairo. SPDX-License-Identifier: Apache-2.0 */
#include "report_png.h"

#include <cairo.h>
#include <stdlib.h>
#include <string.h>

#include "terminal.h"

static const double turn = 6.283185307179586, per_point = 200.0 / 72;

static void set_colour(cairo_t *cairo, uint32_t colour)
{
    cairo_set_source_rgba(cairo, (double)(colour >> 24) / 255, (double)(colour >> 16 & 0xff) / 255,
                          (double)(colour >> 8 & 0xff) / 255, (double)(colour & 0xff) / 255);
}

static void paint(cairo_t *cairo, const congru_shape *shape)
{
    static const double dashes[] = {4, 3};
    if ((shape->fill & 0xff) != 0) {
        set_colour(cairo, shape->fill);
        cairo_fill_preserve(cairo);
    }
    if ((shape->stroke & 0xff) != 0) {
        set_colour(cairo, shape->stroke);
        cairo_set_line_width(cairo, shape->stroke_width);
        cairo_set_dash(cairo, dashes, shape->dashed ? 2 : 0, 0);
        cairo_stroke_preserve(cairo);
    }
    cairo_new_path(cairo);
}

static void draw_text(cairo_t *cairo, const congru_shape *shape)
{
    cairo_text_extents_t extents;
    cairo_select_font_face(cairo, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                           shape->bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cairo, shape->width);
    cairo_text_extents(cairo, shape->text, &extents);
    cairo_save(cairo);
    cairo_translate(cairo, shape->x, shape->y);
    cairo_rotate(cairo, shape->angle * turn / 360);
    cairo_move_to(cairo, -extents.x_advance * (shape->anchor + 1) / 2, 0);
    set_colour(cairo, shape->fill);
    cairo_show_text(cairo, shape->text);
    cairo_restore(cairo);
}

/* Text leaves a current point behind, from which the next line would begin. */
static void draw_shape(cairo_t *cairo, const congru_shape *shape)
{
    cairo_new_path(cairo);
    switch (shape->kind) {
    case CONGRU_SHAPE_LINE:
    case CONGRU_SHAPE_POLYGON:
        for (size_t i = 0; i < shape->count; i++)
            cairo_line_to(cairo, shape->point[2 * i], shape->point[2 * i + 1]);
        if (shape->kind == CONGRU_SHAPE_POLYGON)
            cairo_close_path(cairo);
        break;
    case CONGRU_SHAPE_ELLIPSE:
        cairo_save(cairo);
        cairo_translate(cairo, shape->x, shape->y);
        cairo_rotate(cairo, shape->angle * turn / 360);
        if (shape->width > 0 && shape->height > 0) {
            cairo_scale(cairo, shape->width, shape->height);
            cairo_arc(cairo, 0, 0, 1, 0, turn);
            cairo_close_path(cairo);
        }
        cairo_restore(cairo);
        break;
    case CONGRU_SHAPE_BOX:
        cairo_rectangle(cairo, shape->x, shape->y, shape->width, shape->height);
        break;
    case CONGRU_SHAPE_TEXT:
        draw_text(cairo, shape);
        return;
    }
    paint(cairo, shape);
}

typedef struct png_bytes {
    unsigned char *data;
    size_t size;
} png_bytes;

static cairo_status_t keep(void *user, const unsigned char *data, unsigned int size)
{
    png_bytes *bytes = user;
    unsigned char *grown = realloc(bytes->data, bytes->size + size);
    if (grown == NULL)
        return CAIRO_STATUS_NO_MEMORY;
    memcpy(grown + bytes->size, data, size);
    bytes->data = grown;
    bytes->size += size;
    return CAIRO_STATUS_SUCCESS;
}

int report_png(const congru_drawing *drawing, unsigned char **bytes, size_t *size)
{
    png_bytes made = {0};
    cairo_surface_t *surface = cairo_image_surface_create(
        CAIRO_FORMAT_RGB24, (int)(drawing->width * per_point + 0.5), (int)(drawing->height * per_point + 0.5));
    cairo_t *cairo = cairo_create(surface);
    cairo_scale(cairo, per_point, per_point);
    cairo_set_line_join(cairo, CAIRO_LINE_JOIN_ROUND);
    for (size_t i = 0; i < drawing->count; i++)
        draw_shape(cairo, &drawing->shape[i]);
    cairo_status_t status = cairo_status(cairo);
    if (status == CAIRO_STATUS_SUCCESS)
        status = cairo_surface_write_to_png_stream(surface, keep, &made);
    cairo_destroy(cairo);
    cairo_surface_destroy(surface);
    *bytes = made.data;
    *size = made.size;
    if (status == CAIRO_STATUS_SUCCESS)
        return EXIT_DONE;
    free(made.data);
    *bytes = NULL;
    return terminal_fail(EXIT_FAILED, "report: cannot make the PNG: %s", cairo_status_to_string(status));
}
