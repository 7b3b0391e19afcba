/* A drawing as SVG, in a file or in the page. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "report/canvas.h"

/* ---- Surfaces: an image in the text, the same bytes everywhere since nothing is compressed -------------- */

enum { SHADES = 33, SIDE_MAX = 128 }; /* of each sign, with white; and one that is transparent, the last */

uint32_t congru_surface_colour(double part)
{
    static const double below[3] = {0x05, 0x5a, 0x8c}, above[3] = {0xb8, 0x4a, 0x00};
    const double *end = part < 0 ? below : above;
    const double t = fabs(part) > 1 ? 1 : fabs(part);
    uint32_t colour = 0;
    for (int i = 0; i < 3; i++)
        colour = (colour << 8) | (uint32_t)(250 + t * (end[i] - 250) + 0.5);
    return (colour << 8) | 0xff;
}

typedef struct png {
    unsigned char byte[SIDE_MAX * (SIDE_MAX + 1) + 512];
    size_t size;
} png;

static void put(png *p, unsigned value)
{
    p->byte[p->size++] = (unsigned char)value;
}

static void put_word(png *p, uint32_t value)
{
    for (int shift = 24; shift >= 0; shift -= 8)
        put(p, value >> shift & 0xff);
}

/* The checksum of a chunk, from its kind on. */
static uint32_t checksum(size_t size, const unsigned char *byte)
{
    uint32_t sum = 0xffffffffu;
    for (size_t i = 0; i < size; i++) {
        sum ^= byte[i];
        for (int bit = 0; bit < 8; bit++)
            sum = sum >> 1 ^ (sum & 1 ? 0xedb88320u : 0);
    }
    return ~sum;
}

static size_t begin_chunk(png *p, const char *kind, size_t size)
{
    put_word(p, (uint32_t)size);
    for (int i = 0; i < 4; i++)
        put(p, (unsigned char)kind[i]);
    return p->size - 4;
}

static void end_chunk(png *p, size_t begin)
{
    put_word(p, checksum(p->size - begin, p->byte + begin));
}

/* The place of a value among the shades. */
static unsigned shade_of(double value)
{
    if (isnan(value))
        return 2 * SHADES - 1;
    const double part = value < -1 ? -1 : value > 1 ? 1 : value;
    return (unsigned)(SHADES - 1 + floor(part * (SHADES - 1) + 0.5));
}

/* One row is a filter byte and an index for each pixel; what is deflated is one stored block. */
static void put_pixels(png *p, size_t side, const double *value)
{
    const size_t size = side * (side + 1);
    uint32_t a = 1, b = 0;
    const size_t begin = begin_chunk(p, "IDAT", size + 11);
    put(p, 0x78), put(p, 0x01), put(p, 1);
    const unsigned length = (unsigned)size;
    put(p, length & 0xff), put(p, length >> 8 & 0xff), put(p, ~length & 0xff), put(p, ~length >> 8 & 0xff);
    for (size_t i = 0; i < size; i++) {
        const unsigned byte =
            i % (side + 1) == 0 ? 0 : shade_of(value[i / (side + 1) * side + i % (side + 1) - 1]);
        put(p, byte);
        a = (a + byte) % 65521;
        b = (b + a) % 65521;
    }
    put_word(p, b << 16 | a);
    end_chunk(p, begin);
}

static void make_png(size_t side, const double *value, png *p)
{
    static const unsigned char magic[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    p->size = 0;
    for (size_t i = 0; i < sizeof magic; i++)
        put(p, magic[i]);
    size_t begin = begin_chunk(p, "IHDR", 13);
    put_word(p, (uint32_t)side), put_word(p, (uint32_t)side);
    put(p, 8), put(p, 3), put(p, 0), put(p, 0), put(p, 0);
    end_chunk(p, begin);
    begin = begin_chunk(p, "PLTE", (size_t)3 * 2 * SHADES);
    for (int i = 0; i < 2 * SHADES; i++) {
        const uint32_t colour = congru_surface_colour((double)(i - SHADES + 1) / (SHADES - 1));
        put(p, colour >> 24), put(p, colour >> 16 & 0xff), put(p, colour >> 8 & 0xff);
    }
    end_chunk(p, begin);
    begin = begin_chunk(p, "tRNS", (size_t)2 * SHADES);
    for (int i = 0; i < 2 * SHADES; i++)
        put(p, i < 2 * SHADES - 1 ? 0xff : 0);
    end_chunk(p, begin);
    put_pixels(p, side, value);
    end_chunk(p, begin_chunk(p, "IEND", 0));
}

static void add_base64(congru_text *text, size_t size, const unsigned char *byte)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        const size_t left = size - i;
        const uint32_t three = (uint32_t)byte[i] << 16 | (uint32_t)(left > 1 ? byte[i + 1] : 0) << 8 |
                               (left > 2 ? byte[i + 2] : 0);
        const char four[5] = {digit[three >> 18], digit[three >> 12 & 63],
                              left > 1 ? digit[three >> 6 & 63] : '=', left > 2 ? digit[three & 63] : '=',
                              '\0'};
        congru_text_add(text, "%s", four);
    }
}

static void add_surface(congru_text *text, const congru_shape *shape)
{
    png image;
    if (shape->count > SIDE_MAX)
        return;
    make_png(shape->count, shape->point, &image);
    congru_text_add(
        text,
        "<image x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" style=\"clip-path: circle(50%%)\" "
        "href=\"data:image/png;base64,",
        shape->x - shape->width, shape->y - shape->width, 2 * shape->width, 2 * shape->width);
    add_base64(text, image.size, image.byte);
    congru_text_add(text, "\"/>\n");
}

/* ---- Shapes --------------------------------------------------------------------------------------------- */

/* The page has tones of these for light and dark (web/page.css); others stand as they are. */
static bool add_tone(congru_text *text, const char *name, uint32_t colour)
{
    static const struct {
        uint32_t colour;
        const char *tone;
    } tones[] = {{CANVAS_INK, "ink"}, {CANVAS_SOFT, "soft"}, {CANVAS_RULE, "rule"}, {CANVAS_PAPER, "paper"}};
    for (size_t i = 0; i < CANVAS_COLOURS; i++)
        if (congru_canvas_colours[i] >> 8 == colour >> 8) {
            congru_text_add(text, " %s=\"var(--c%zu)\"", name, i + 1);
            return true;
        }
    for (size_t i = 0; i < sizeof tones / sizeof tones[0]; i++)
        if (tones[i].colour >> 8 == colour >> 8) {
            congru_text_add(text, " %s=\"var(--%s)\"", name, tones[i].tone);
            return true;
        }
    return false;
}

/* A colour without its alpha, and the alpha only where it is not full. */
static void add_colour(congru_text *text, const char *name, uint32_t colour, bool page)
{
    const uint32_t alpha = colour & 0xff;
    if (alpha == 0) {
        congru_text_add(text, " %s=\"none\"", name);
        return;
    }
    if (!page || !add_tone(text, name, colour))
        congru_text_add(text, " %s=\"#%06x\"", name, (unsigned)(colour >> 8));
    if (alpha < 0xff)
        congru_text_add(text, " %s-opacity=\"%.3g\"", name, (double)alpha / 255);
}

static void add_paint(congru_text *text, const congru_shape *shape, bool page)
{
    add_colour(text, "fill", shape->fill, page);
    if ((shape->stroke & 0xff) != 0) {
        add_colour(text, "stroke", shape->stroke, page);
        congru_text_add(text, " stroke-width=\"%.3g\"", shape->stroke_width);
        if (shape->dashed)
            congru_text_add(text, " stroke-dasharray=\"4 3\"");
    }
}

static void add_turn(congru_text *text, const congru_shape *shape)
{
    if (shape->angle != 0)
        congru_text_add(text, " transform=\"rotate(%.4g %.2f %.2f)\"", shape->angle, shape->x, shape->y);
}

/* Whose a mark is, and the end of it with what it stands for. */
static void end_mark(congru_text *text, const congru_shape *shape, const char *element)
{
    if (shape->subject != NULL) {
        congru_text_add(text, " data-subject=\"");
        congru_report_add_markup(text, shape->subject);
        congru_text_add(text, "\"");
    }
    if (shape->about == NULL) {
        congru_text_add(text, "/>\n");
        return;
    }
    congru_text_add(text, "><title>");
    congru_report_add_markup(text, shape->about);
    congru_text_add(text, "</title></%s>\n", element);
}

static void add_shape(congru_text *text, const congru_shape *shape, bool page)
{
    static const char *const anchors[] = {"start", "middle", "end"};
    const char *element = NULL;
    switch (shape->kind) {
    case CONGRU_SHAPE_LINE:
    case CONGRU_SHAPE_POLYGON:
        element = shape->kind == CONGRU_SHAPE_LINE ? "polyline" : "polygon";
        congru_text_add(text, "<%s points=\"", element);
        for (size_t i = 0; i < shape->count; i++)
            congru_text_add(text, "%s%.2f,%.2f", i > 0 ? " " : "", shape->point[2 * i],
                            shape->point[2 * i + 1]);
        congru_text_add(text, "\"");
        break;
    case CONGRU_SHAPE_ELLIPSE:
        element = "ellipse";
        congru_text_add(text, "<ellipse cx=\"%.2f\" cy=\"%.2f\" rx=\"%.2f\" ry=\"%.2f\"", shape->x, shape->y,
                        shape->width, shape->height);
        add_turn(text, shape);
        break;
    case CONGRU_SHAPE_BOX:
        element = "rect";
        congru_text_add(text, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"", shape->x, shape->y,
                        shape->width, shape->height);
        break;
    case CONGRU_SHAPE_TEXT:
        congru_text_add(text, "<text x=\"%.2f\" y=\"%.2f\" font-size=\"%.3g\" text-anchor=\"%s\"%s", shape->x,
                        shape->y, shape->width, anchors[shape->anchor + 1],
                        shape->bold ? " font-weight=\"600\"" : "");
        add_turn(text, shape);
        add_paint(text, shape, page);
        congru_text_add(text, ">");
        congru_report_add_markup(text, shape->text != NULL ? shape->text : "");
        congru_text_add(text, "</text>\n");
        return;
    case CONGRU_SHAPE_SURFACE:
        add_surface(text, shape);
        return;
    }
    add_paint(text, shape, page);
    end_mark(text, shape, element);
}

void congru_canvas_add_svg(congru_text *text, const congru_drawing *drawing, bool page)
{
    if (page)
        congru_text_add(text, "<svg viewBox=\"0 0 %g %g\" style=\"max-width: %.0fpx\" role=\"img\">\n<title>",
                        drawing->width, drawing->height, 1.35 * drawing->width);
    else
        congru_text_add(
            text,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%gpt\" height=\"%gpt\" viewBox=\"0 0 %g %g\" "
            "role=\"img\" font-family=\"Helvetica, Arial, sans-serif\">\n<title>",
            drawing->width, drawing->height, drawing->width, drawing->height);
    congru_report_add_markup(text, drawing->title != NULL ? drawing->title : "");
    congru_text_add(text, "</title>\n");
    for (size_t i = page ? 1 : 0; i < drawing->count; i++) /* the page has a paper of its own */
        add_shape(text, &drawing->shape[i], page);
    congru_text_add(text, "</svg>\n");
}

congru_status congru_drawing_svg(congru_context *context, const congru_drawing *drawing, char **text)
{
    congru_text made = {0};
    if (drawing == NULL || text == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "no drawing or no place for its text given");
    congru_canvas_add_svg(&made, drawing, false);
    return congru_report_hand_over(context, &made, text);
}
