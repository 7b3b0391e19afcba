/* A drawing as SVG. SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"
#include "report/report_internal.h"

/* A colour without its alpha, and the alpha only where it is not full. */
static void add_colour(congru_text *text, const char *name, uint32_t colour)
{
    uint32_t alpha = colour & 0xff;
    if (alpha == 0) {
        congru_text_add(text, " %s=\"none\"", name);
        return;
    }
    congru_text_add(text, " %s=\"#%06x\"", name, (unsigned)(colour >> 8));
    if (alpha < 0xff)
        congru_text_add(text, " %s-opacity=\"%.3g\"", name, (double)alpha / 255);
}

static void add_paint(congru_text *text, const congru_shape *shape)
{
    add_colour(text, "fill", shape->fill);
    if ((shape->stroke & 0xff) != 0) {
        add_colour(text, "stroke", shape->stroke);
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

static void add_shape(congru_text *text, const congru_shape *shape)
{
    static const char *const anchors[] = {"start", "middle", "end"};
    switch (shape->kind) {
    case CONGRU_SHAPE_LINE:
    case CONGRU_SHAPE_POLYGON:
        congru_text_add(text, shape->kind == CONGRU_SHAPE_LINE ? "<polyline points=\"" : "<polygon points=\"");
        for (size_t i = 0; i < shape->count; i++)
            congru_text_add(text, "%s%.2f,%.2f", i > 0 ? " " : "", shape->point[2 * i],
                            shape->point[2 * i + 1]);
        congru_text_add(text, "\"");
        break;
    case CONGRU_SHAPE_ELLIPSE:
        congru_text_add(text, "<ellipse cx=\"%.2f\" cy=\"%.2f\" rx=\"%.2f\" ry=\"%.2f\"", shape->x, shape->y,
                        shape->width, shape->height);
        add_turn(text, shape);
        break;
    case CONGRU_SHAPE_BOX:
        congru_text_add(text, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"", shape->x, shape->y,
                        shape->width, shape->height);
        break;
    case CONGRU_SHAPE_TEXT:
        congru_text_add(text, "<text x=\"%.2f\" y=\"%.2f\" font-size=\"%.3g\" text-anchor=\"%s\"%s", shape->x,
                        shape->y, shape->width, anchors[shape->anchor + 1],
                        shape->bold ? " font-weight=\"600\"" : "");
        add_turn(text, shape);
        add_paint(text, shape);
        congru_text_add(text, ">");
        congru_report_add_markup(text, shape->text != NULL ? shape->text : "");
        congru_text_add(text, "</text>\n");
        return;
    }
    add_paint(text, shape);
    congru_text_add(text, "/>\n");
}

congru_status congru_drawing_svg(congru_context *context, const congru_drawing *drawing, char **text)
{
    congru_text made = {0};
    if (drawing == NULL || text == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "no drawing or no place for its text given");
    congru_text_add(
        &made,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%gpt\" height=\"%gpt\" viewBox=\"0 0 %g %g\" "
        "role=\"img\" font-family=\"Helvetica, Arial, sans-serif\">\n<title>",
        drawing->width, drawing->height, drawing->width, drawing->height);
    congru_report_add_markup(&made, drawing->title != NULL ? drawing->title : "");
    congru_text_add(&made, "</title>\n");
    for (size_t i = 0; i < drawing->count; i++)
        add_shape(&made, &drawing->shape[i]);
    congru_text_add(&made, "</svg>\n");
    return congru_report_hand_over(context, &made, text);
}
