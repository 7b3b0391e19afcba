/* The electrodes of a set by name, on a head seen from above. SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "report/figures.h"

enum { RADIUS = 150, MARGIN = 34, TOP = 56, DISC = 11, BELOW = 34, EAR = 9 };

/* Names of channels wherever the run has some. */
typedef struct channel_list {
    size_t count;
    const congru_patterns *patterns;
    const congru_json *first;
} channel_list;

static channel_list channels_of(const report_run *run)
{
    const congru_json *maps = congru_json_tree_member(congru_json_root(run->patterns), "maps");
    const congru_json *list = congru_json_tree_member(congru_json_root(run->geometry), "channels");
    if (congru_json_length(list) == 0 && congru_json_length(maps) > 0)
        list = congru_json_tree_member(maps->first, "channels");
    if (congru_json_length(list) > 0)
        return (channel_list){.count = congru_json_length(list), .first = list->first};
    return (channel_list){.count = run->looks != NULL ? run->looks->channels : 0, .patterns = run->looks};
}

static const char *next_channel(channel_list *list, size_t index)
{
    const char *name;
    if (list->patterns != NULL)
        return list->patterns->channel_name[index];
    name = congru_json_tree_string(list->first, "");
    list->first = list->first->next;
    return name;
}

static void draw_head(canvas *on, double x, double y)
{
    const double nose[] = {x - 12, y - RADIUS + 0.6, x, y - RADIUS - 15, x + 12, y - RADIUS + 0.6};
    congru_canvas_path(on, 3, nose, CANVAS_SOFT, 1.2);
    congru_canvas_ellipse(on, x - RADIUS, y, EAR, 3 * EAR, 0, 0, CANVAS_SOFT);
    congru_canvas_ellipse(on, x + RADIUS, y, EAR, 3 * EAR, 0, 0, CANVAS_SOFT);
    congru_canvas_ellipse(on, x, y, RADIUS, RADIUS, 0, CANVAS_PAPER, CANVAS_SOFT);
    congru_canvas_dashes(on, x - RADIUS, y, x + RADIUS, y, CANVAS_RULE, 0.8);
    congru_canvas_dashes(on, x, y - RADIUS, x, y + RADIUS, CANVAS_RULE, 0.8);
    congru_canvas_ellipse(on, x, y, 0.8 * RADIUS, 0.8 * RADIUS, 0, 0, CANVAS_RULE);
}

/* Many electrodes have smaller discs, so that they do not cover each other. */
canvas congru_figure_electrodes(const figure_input *in)
{
    channel_list list = channels_of(in->run);
    const double x = MARGIN + RADIUS, y = TOP + RADIUS, part = list.count > 40 ? 0.6 : 1;
    size_t known = 0;
    canvas on = congru_canvas_start(2 * (MARGIN + RADIUS), TOP + 2 * RADIUS + BELOW,
                                    "Electrodes of %s, seen from above, nose up", in->run->results->dataset);
    draw_head(&on, x, y);
    for (size_t i = 0; i < list.count; i++) {
        const char *name = next_channel(&list, i);
        double place[2];
        if (!congru_report_electrode(name, place))
            continue;
        known++;
        congru_canvas_ellipse(&on, x + RADIUS * place[0], y - RADIUS * place[1], part * DISC, part * DISC, 0,
                              0xe3eef6ffu, congru_canvas_colours[0]);
        congru_canvas_text(&on, x + RADIUS * place[0], y - RADIUS * place[1] + 3 * part, part * 8.5, 0,
                           CANVAS_INK, "%.6s", name);
    }
    congru_canvas_text(&on, x, 18, 11, 0, CANVAS_INK, "Electrodes of %s", in->run->results->dataset);
    congru_canvas_bold(&on);
    congru_canvas_text(&on, x, TOP + 2 * RADIUS + 22, 9, 0, CANVAS_SOFT,
                       known < list.count
                           ? "%zu of %zu channels, in the 10-10 system; the others' places are not known"
                           : "%zu channels of %zu, in the 10-10 system",
                       known, list.count);
    if (known == 0 && !on.failed) {
        congru_drawing_destroy(&on.drawing);
        return (canvas){0};
    }
    return on;
}
