/* One series of training, step by step. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "report/figures.h"

static const report_curves *find_curves(const report_run *run, const char *pipeline)
{
    for (size_t i = 0; i < run->curve_count; i++)
        if (strcmp(run->curves[i].pipeline, pipeline) == 0)
            return &run->curves[i];
    return NULL;
}

/* The pipeline chosen, or else the best that was trained. */
static const char *trained(const figure_input *in)
{
    const report_run *run = in->run;
    if (find_curves(run, run->results->pipeline[in->pipeline]) != NULL)
        return run->results->pipeline[in->pipeline];
    for (size_t i = 0; i < run->results->pipelines && in->pipeline == run->order[0]; i++)
        if (find_curves(run, run->results->pipeline[run->order[i]]) != NULL)
            return run->results->pipeline[run->order[i]];
    return NULL;
}

/* Steps without a number are passed over: the rank is there only now and then. */
static void draw_curve(canvas *on, const report_curves *curves, size_t series, const scale *x, const scale *y,
                       uint32_t colour)
{
    double line[2 * REPORT_POINTS_MAX], band[4 * REPORT_POINTS_MAX];
    size_t count = 0;
    for (size_t i = 0; i < curves->points; i++) {
        if (!isfinite(curves->mean[series][i]))
            continue;
        line[2 * count] = band[2 * count] = congru_scale_place(x, (double)curves->step[i]);
        line[2 * count + 1] = congru_scale_place(y, curves->mean[series][i]);
        band[2 * count + 1] = congru_scale_place(y, curves->low[series][i]);
        count++;
    }
    size_t both = count;
    for (size_t i = curves->points; i-- > 0;)
        if (isfinite(curves->mean[series][i])) {
            band[2 * both] = congru_scale_place(x, (double)curves->step[i]);
            band[2 * both + 1] = congru_scale_place(y, curves->high[series][i]);
            both++;
        }
    congru_canvas_polygon(on, both, band, (colour & ~0xffu) | 0x30);
    congru_canvas_path(on, count, line, colour, 1.6);
}

static bool set_scales(const figure_input *in, const char *pipeline, scale *x, scale *y)
{
    bool any = false;
    *x = (scale){.from = 0, .to = 1, .start = in->page ? 48 : 64, .end = in->page ? 290 : 440};
    *y = (scale){.from = INFINITY, .to = -INFINITY, .start = in->page ? 150 : 260, .end = in->page ? 10 : 40};
    for (size_t r = 0; r < in->report->runs; r++) {
        const report_curves *curves = find_curves(&in->report->run[r], pipeline);
        for (size_t i = 0; curves != NULL && i < curves->points; i++) {
            congru_scale_include(x, (double)curves->step[i]);
            congru_scale_include(y, curves->low[in->series][i]);
            congru_scale_include(y, curves->high[in->series][i]);
            any = any || isfinite(curves->mean[in->series][i]);
        }
    }
    if (any && !(y->to - y->from > 1e-12 * (fabs(y->to) + fabs(y->from) + 1e-300))) {
        y->from -= 0.5;
        y->to += 0.5;
    }
    return any;
}

canvas congru_figure_training(const figure_input *in)
{
    scale x, y;
    const char *pipeline = trained(in), *title = congru_report_series_title(in->series);
    if (pipeline == NULL || !set_scales(in, pipeline, &x, &y))
        return (canvas){0};
    canvas on = in->page ? congru_canvas_start(300, 186, "%s while %s is trained", title, pipeline)
                         : congru_canvas_start(460, 308, "%s while %s is trained", title, pipeline);
    if (in->page) {
        congru_canvas_axis_x(&on, &x, 10, 150, 1, "Step");
        congru_canvas_axis_y(&on, &y, 48, 290, 1, "");
        for (size_t r = in->report->runs; r-- > 0;)
            if (find_curves(&in->report->run[r], pipeline) != NULL)
                draw_curve(&on, find_curves(&in->report->run[r], pipeline), in->series, &x, &y,
                           congru_figure_run_colour(in->report, r));
        return on;
    }
    congru_canvas_text(&on, 64, 20, 11, -1, CANVAS_INK, "%s", pipeline);
    congru_canvas_bold(&on);
    congru_canvas_axis_x(&on, &x, 40, 260, 1, "Step; mean and middle 80 % of the subjects");
    congru_canvas_axis_y(&on, &y, 64, 440, 1, title);
    double at = 440;
    for (size_t r = in->report->runs; r-- > 0;) {
        const report_curves *curves = find_curves(&in->report->run[r], pipeline);
        uint32_t colour = congru_figure_run_colour(in->report, r);
        if (curves == NULL)
            continue;
        draw_curve(&on, curves, in->series, &x, &y, colour);
        if (in->report->runs > 1) {
            congru_canvas_text(&on, at, 20, 9, 1, CANVAS_INK, "%s", in->report->run[r].label);
            at -= congru_canvas_measure(in->report->run[r].label, 9) + 8;
            congru_canvas_dot(&on, at, 17, 3.5, colour);
            at -= 14;
        }
    }
    return on;
}
