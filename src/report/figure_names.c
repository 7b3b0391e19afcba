/* Names in the order they are met, and the legend of a figure. SPDX-License-Identifier: Apache-2.0 */
#include "report/figure_names.h"

#include <string.h>

enum { LINE = 16, SIZE = 10 };

bool congru_figure_find(const figure_names *list, const char *name, size_t *place)
{
    for (*place = 0; *place < list->count; ++*place)
        if (strcmp(list->name[*place], name) == 0)
            return true;
    return false;
}

size_t congru_figure_name(figure_names *list, const char *name)
{
    size_t place;
    if (congru_figure_find(list, name, &place))
        return place;
    if (list->count == FIGURE_NAMES_MAX)
        return FIGURE_NAMES_MAX - 1;
    list->name[list->count] = name;
    return list->count++;
}

figure_names congru_figure_classes(const congru_results *results)
{
    figure_names list = {0};
    for (size_t k = 0; k < results->classes; k++)
        congru_figure_name(&list, results->class_name[k]);
    return list;
}

size_t congru_figure_legend(canvas *on, const figure_names *list, bool shapes, double x, double y, double right)
{
    const double left = x;
    size_t lines = list->count > 0 ? 1 : 0;
    for (size_t i = 0; i < list->count; i++) {
        const double wide = congru_canvas_measure(list->name[i], SIZE) + 28;
        if (x > left && x + wide - 12 > right) {
            x = left;
            y += LINE;
            lines++;
        }
        if (on != NULL) {
            if (shapes)
                congru_canvas_symbol(on, i, x + 4, y - 3.5, 3.4, CANVAS_SOFT);
            else
                congru_canvas_dot(on, x + 4, y - 3.5, 4, congru_canvas_colours[i % CANVAS_COLOURS]);
            congru_canvas_text(on, x + 12, y, SIZE, -1, CANVAS_INK, "%s", list->name[i]);
        }
        x += wide;
    }
    return lines;
}
