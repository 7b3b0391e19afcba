/* Trials on the plane while a network is trained. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "report/figure_names.h"

enum { PANEL = 160, GAP = 14, MARGIN = 16, COLUMNS = 3, LINE = 16, BELOW = 36, SHOWN = 4, DRAWN = 1500 };

typedef struct evolution {
    const congru_json *root, *points;
    figure_names classes, subjects; /* those that are shown */
    size_t all;                     /* subjects that have points */
    double panel;                   /* its side */
} evolution;

static const congru_json *element(const congru_json *array, size_t index)
{
    const congru_json *item = array != NULL ? array->first : NULL;
    while (item != NULL && index-- > 0)
        item = item->next;
    return item;
}

static const char *member(const congru_json *object, const char *name)
{
    return congru_json_tree_string(congru_json_tree_member(object, name), "");
}

/* The subjects asked for, or the first that there are: as many as the paper shows. */
static void choose_subjects(evolution *e, const figure_input *in)
{
    const congru_report_choice *choice = in->choice;
    figure_names all = {0};
    for (const congru_json *p = e->points->first; p != NULL; p = p->next)
        congru_figure_name(&all, member(p, "subject"));
    for (size_t i = 0; choice != NULL && i < choice->subject_count; i++)
        congru_figure_name(&e->subjects, choice->subjects[i]);
    const size_t shown = in->stage > 0 ? FIGURE_NAMES_MAX : SHOWN;
    for (size_t i = 0; e->subjects.count < shown && (choice == NULL || choice->subject_count == 0); i++) {
        if (i == all.count)
            break;
        congru_figure_name(&e->subjects, all.name[i]);
    }
    e->all = all.count;
}

static bool is_shown(const evolution *e, const congru_json *point, size_t *subject, size_t *class)
{
    return congru_figure_find(&e->subjects, member(point, "subject"), subject) &&
           congru_figure_find(&e->classes, member(point, "label"), class);
}

/* `about`: each point says whose it is; of many as many as can be told apart are drawn. */
static void draw_points(canvas *on, const evolution *e, size_t interval, bool about, double left, double top)
{
    const size_t all = congru_json_length(e->points);
    size_t index = 0;
    scale x = {INFINITY, -INFINITY, left + 7, left + e->panel - 7, false},
          y = {INFINITY, -INFINITY, top + e->panel - 7, top + 7, false};
    size_t subject, class;
    for (const congru_json *p = e->points->first; p != NULL; p = p->next)
        if (is_shown(e, p, &subject, &class)) {
            congru_scale_include(&x, element(congru_json_tree_member(p, "x"), interval)->number);
            congru_scale_include(&y, element(congru_json_tree_member(p, "y"), interval)->number);
        }
    x.to += x.to > x.from ? 0 : 1;
    y.to += y.to > y.from ? 0 : 1;
    for (const congru_json *p = e->points->first; p != NULL; p = p->next, index++)
        if ((!about || all <= DRAWN || index * DRAWN / all != (index + 1) * DRAWN / all) &&
            is_shown(e, p, &subject, &class)) {
            congru_canvas_symbol(
                on, subject, congru_scale_place(&x, element(congru_json_tree_member(p, "x"), interval)->number),
                congru_scale_place(&y, element(congru_json_tree_member(p, "y"), interval)->number), 2.1,
                (congru_canvas_colours[class % CANVAS_COLOURS] & ~0xffu) | 0xc0);
            if (about)
                congru_canvas_about(on, 1, e->subjects.name[subject], NULL);
        }
}

static void draw_panel(canvas *on, const evolution *e, size_t i, double left, double top)
{
    const double by_subject = congru_json_tree_number(
                     element(congru_json_tree_member(e->root, "silhouette_subject"), i)),
                 by_class =
                     congru_json_tree_number(element(congru_json_tree_member(e->root, "silhouette_class"), i));
    const double corner[] = {left,        top,  left + PANEL, top,  left + PANEL,
                             top + PANEL, left, top + PANEL,  left, top};
    congru_canvas_text(on, left, top - 5, 10, -1, CANVAS_INK, "%.0f %%",
                       congru_json_tree_number(element(congru_json_tree_member(e->root, "intervals"), i)));
    congru_canvas_bold(on);
    if (isfinite(by_subject) && isfinite(by_class))
        congru_canvas_text(on, left, top + PANEL + 12, 9, -1, CANVAS_SOFT, "class %.3f, subject %.3f",
                           congru_plain_zero(by_class, 3), congru_plain_zero(by_subject, 3));
    congru_canvas_path(on, 5, corner, CANVAS_RULE, 0.8);
    draw_points(on, e, i, false, left, top);
}

/* What is drawn: "dldct-e2e while it is trained, A02 left out". */
static void draw_title(canvas *on, const evolution *e)
{
    const char *pipeline = member(e->root, "pipeline"), *left_out = member(e->root, "left_out"),
               *network = member(e->root, "network");
    congru_canvas_text(on, MARGIN, 18, 11, -1, CANVAS_INK, "%s%s%s%s%s",
                       *pipeline != '\0' ? pipeline : "Trials on the plane", " while it is trained",
                       *left_out != '\0' ? ", " : "", left_out, *left_out != '\0' ? " left out" : "");
    congru_canvas_bold(on);
    congru_canvas_text(on, MARGIN, 31, 9, -1, CANVAS_SOFT,
                       "t-SNE of logarithms%s; below a panel, silhouettes%s",
                       strcmp(network, "step") == 0   ? " by the network of each step"
                       : strcmp(network, "best") == 0 ? " by the best network until each step"
                                                      : "",
                       e->subjects.count < e->all ? " of all" : "");
    if (e->subjects.count < e->all)
        congru_canvas_text(on, MARGIN + COLUMNS * (PANEL + GAP) - GAP, 18, 9, 1, CANVAS_SOFT,
                           "%zu of %zu source subjects", e->subjects.count, e->all);
}

static canvas draw_stage(const evolution *e, size_t stage)
{
    const double side = e->panel, corner[] = {1, 1, side - 1, 1, side - 1, side - 1, 1, side - 1, 1, 1};
    canvas on = congru_canvas_start(
        side, side, "Trials on the plane at %.0f %% of the training",
        congru_json_tree_number(element(congru_json_tree_member(e->root, "intervals"), stage)));
    congru_canvas_path(&on, 5, corner, CANVAS_RULE, 0.8);
    draw_points(&on, e, stage, true, 0, 0);
    return on;
}

canvas congru_figure_evolution(const figure_input *in)
{
    evolution e = {.root = congru_json_root(in->run->geometry), .panel = in->stage > 0 ? 240 : PANEL};
    e.points = congru_json_tree_member(e.root, "points");
    const size_t panels = congru_json_length(congru_json_tree_member(e.root, "intervals")),
                 columns = panels < COLUMNS ? panels : COLUMNS;
    if (congru_json_length(e.points) == 0 || panels == 0)
        return (canvas){0};
    e.classes = congru_figure_classes(in->run->results);
    for (const congru_json *p = e.points->first; p != NULL; p = p->next)
        congru_figure_name(&e.classes, member(p, "label"));
    choose_subjects(&e, in);
    if (in->stage > 0)
        return in->stage <= panels ? draw_stage(&e, in->stage - 1) : (canvas){0};
    const double width = 2 * MARGIN + COLUMNS * (PANEL + GAP) - GAP;
    const size_t lines = congru_figure_legend(NULL, &e.classes, false, MARGIN, 0, width - MARGIN) +
                         congru_figure_legend(NULL, &e.subjects, true, MARGIN, 0, width - MARGIN);
    const double top = 50 + (double)lines * LINE + 14;
    canvas on = congru_canvas_start(
        width, top + (double)((panels + columns - 1) / columns) * (PANEL + BELOW) - 10,
        "Trials on the plane while a network is trained; colour is class, shape is subject");
    draw_title(&on, &e);
    size_t used = congru_figure_legend(&on, &e.classes, false, MARGIN, 50, width - MARGIN);
    congru_figure_legend(&on, &e.subjects, true, MARGIN, 50 + (double)used * LINE, width - MARGIN);
    for (size_t i = 0; i < panels; i++)
        draw_panel(&on, &e, i, MARGIN + (double)(i % columns) * (PANEL + GAP),
                   top + (double)(i / columns) * (PANEL + BELOW));
    return on;
}
