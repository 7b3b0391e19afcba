/* Names that have a colour or a shape in a figure, and their legend. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_REPORT_FIGURE_NAMES_H
#define CONGRU_REPORT_FIGURE_NAMES_H

#include "report/figures.h"

enum { FIGURE_NAMES_MAX = 256 };

/* Names in the order they are met; their place is their colour or shape. */
typedef struct figure_names {
    size_t count;
    const char *name[FIGURE_NAMES_MAX];
} figure_names;

/* The place of a name, which is added where it is not there; of those beyond the list, the last. */
size_t congru_figure_name(figure_names *list, const char *name);
bool congru_figure_find(const figure_names *list, const char *name, size_t *place);

/* The classes of results: a class has the same colour in every figure. */
figure_names congru_figure_classes(const congru_results *results);

/* Dots in the colours of the names, or shapes, in lines 16 apart from the base line y on: how many lines. `on` may be NULL. */
size_t congru_figure_legend(canvas *on, const figure_names *list, bool shapes, double x, double y,
                            double right);

#endif
