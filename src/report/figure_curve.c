/* Accuracy by the number of labelled target trials. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "report/figures.h"

enum { LEFT = 64, RIGHT = 440, TOP = 24, LINE = 16, PLOT = 220 };

/* One pipeline: a line through its means, a bar for each interval. Pipelines are put apart so that bars do not cover each
 * other; `aside` is by how much. */
static void draw_pipeline(canvas *on, const congru_curve *curve, const char *name, const scale *x,
                          const scale *y, double aside, uint32_t colour)
{
    double line[2 * CONGRU_CURVE_MAX];
    size_t count = 0;
    for (size_t i = 0; i < curve->count; i++) {
        const congru_interval mean = congru_curve_mean(curve, i, name, CONGRU_SCORE_ACCURACY);
        if (!isfinite(mean.mean))
            continue;
        const double at = congru_scale_place(x, curve->number[i]) + aside;
        line[2 * count] = at;
        line[2 * count + 1] = congru_scale_place(y, mean.mean);
        if (isfinite(mean.low))
            congru_canvas_line(on, at, congru_scale_place(y, mean.low), at, congru_scale_place(y, mean.high),
                               (colour & ~0xffu) | 0x99, 1.6);
        congru_canvas_dot(on, at, line[2 * count + 1], 2.8, colour);
        count++;
    }
    congru_canvas_path(on, count, line, colour, 1.6);
}

static void include_all(const congru_curve *curve, const report_run *run, scale *y)
{
    for (size_t p = 0; p < run->results->pipelines; p++)
        for (size_t i = 0; i < curve->count; i++) {
            const congru_interval mean =
                congru_curve_mean(curve, i, run->results->pipeline[p], CONGRU_SCORE_ACCURACY);
            congru_scale_include(y, mean.mean);
            congru_scale_include(y, mean.low);
            congru_scale_include(y, mean.high);
        }
    congru_scale_include(y, run->chance);
    y->from = floor(y->from * 20 - 0.01) / 20;
    y->to = y->to > 0.97 ? fmax(1, y->to) : ceil(y->to * 20 + 0.01) / 20;
}

canvas congru_figure_curve(const figure_input *in)
{
    const report_run *run = in->run;
    const congru_curve *curve = run->curve;
    if (curve == NULL)
        return (canvas){0};
    const size_t pipelines = run->results->pipelines;
    const double top = TOP + (double)pipelines * LINE, bottom = top + PLOT;
    scale x = {.from = curve->number[0], .to = curve->number[0] + 1, .start = LEFT + 16, .end = RIGHT - 16};
    scale y = {.from = 1, .to = 0, .start = bottom, .end = top};
    congru_scale_include(&x, curve->number[curve->count - 1]);
    include_all(curve, run, &y);
    canvas on = congru_canvas_start(RIGHT + 20, bottom + 48, "Accuracy by labelled target trials, %s",
                                    run->results->dataset);
    congru_canvas_axis_y(&on, &y, LEFT, RIGHT, 100, "Accuracy (%)");
    for (size_t i = 0; i < curve->count; i++)
        congru_canvas_text(&on, congru_scale_place(&x, curve->number[i]), bottom + 14, 9, 0, CANVAS_SOFT, "%d",
                           curve->number[i]);
    congru_canvas_text(&on, (LEFT + RIGHT) / 2.0, bottom + 34, 10, 0, CANVAS_INK,
                       "Labelled target trials of each class; mean and 95 %% interval");
    if (!isnan(run->chance)) {
        const double at = congru_scale_place(&y, run->chance);
        congru_canvas_dashes(&on, LEFT, at, RIGHT, at, CANVAS_SOFT, 1);
        congru_canvas_text(&on, RIGHT, at - 4, 9, 1, CANVAS_SOFT, "chance");
    }
    for (size_t p = 0; p < pipelines; p++) {
        const char *name = run->results->pipeline[run->order[p]];
        const uint32_t colour = congru_canvas_colours[p % CANVAS_COLOURS];
        congru_canvas_dot(&on, LEFT + 4, TOP - 12 + (double)p * LINE, 3.5, colour);
        congru_canvas_text(&on, LEFT + 14, TOP - 8.5 + (double)p * LINE, 10, -1, CANVAS_INK, "%s", name);
        draw_pipeline(&on, curve, name, &x, &y, 3 * ((double)p - ((double)pipelines - 1) / 2), colour);
    }
    return on;
}
