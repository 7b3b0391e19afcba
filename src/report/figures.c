/* Figures by name. SPDX-License-Identifier: Apache-2.0 */
#include "report/figures.h"

#include <string.h>

#include "base/error.h"

static const struct {
    const char *name, *about, *lacking;
    congru_figure *draw;
} figures[] = {
    {"accuracy",
     "One dot for each subject and pipeline, means with their 95 % intervals, chance and its level.", NULL,
     congru_figure_accuracy},
    {"paired", "Two pipelines, a line for each subject.", "it takes two pipelines", congru_figure_paired},
    {"forest", "What one pipeline gains on each other, with 95 % intervals.", "it takes two pipelines",
     congru_figure_forest},
    {"curve", "Accuracy by the number of labelled target trials, with 95 % intervals.",
     "it takes a folder of 'congru loso --calibration' with several numbers", congru_figure_curve},
    {"confusion", "Truth by prediction of one pipeline, over all subjects.", "it takes predictions.csv",
     congru_figure_confusion},
    {"speed", "Seconds per subject, beside those of the paper.", NULL, congru_figure_speed},
    {"training", "One series of training by step, mean and middle 80 % of the subjects.",
     "it takes training/ of that pipeline and series", congru_figure_training},
    {"electrodes", "The channels by name, on a head seen from above.",
     "it takes channels of the 10-10 system in geometry.json, patterns.json or patterns.csv",
     congru_figure_electrodes},
    {"evolution", "Trials on the plane while a network is trained; --subjects chooses whose.",
     "it takes geometry.json with points", congru_figure_evolution},
    {"scatters", "Fisher's scatters and ratios of the source trials as training goes on, of all folders.",
     "it takes geometry.json with within_class", congru_figure_scatters},
    {"ellipses", "Class covariances before and after alignment.", "it takes geometry.json with ellipses",
     congru_figure_ellipses},
    {"patterns", "Scalp maps.", "it takes patterns.json with channels of the 10-10 system",
     congru_figure_patterns},
    {"looks", "What the branches of one pipeline look at: scalp maps over bands and time.",
     "it takes patterns.csv with that pipeline and channels of the 10-10 system", congru_figure_looks},
    {"ablation", "What each part of a method is worth.", "it takes ablation.json", congru_figure_ablation},
    {"means", "Each pipeline in each of several folders.", "it takes several folders of one data set",
     congru_figure_means},
    {"changes", "What other folders gain on the first, pipeline by pipeline, with 95 % intervals.",
     "it takes several folders of one data set", congru_figure_changes},
};

enum { FIGURES = sizeof figures / sizeof figures[0] };

const char *congru_report_figure_name(size_t index, const char **about)
{
    if (index >= FIGURES)
        return NULL;
    if (about != NULL)
        *about = figures[index].about;
    return figures[index].name;
}

static congru_status find_series(congru_context *context, const char *name, size_t *series)
{
    congru_text all = {0};
    for (*series = 0; *series < REPORT_SERIES; ++*series) {
        if (name == NULL || strcmp(congru_report_series(*series), name) == 0) {
            congru_text_clear(&all);
            return CONGRU_OK;
        }
        congru_text_add(&all, "%s%s", *series > 0 ? ", " : "", congru_report_series(*series));
    }
    congru_status status = congru_fail(context, CONGRU_ERROR_ARGUMENT, "no series is called '%s', but %s", name,
                                       all.data != NULL ? all.data : "");
    congru_text_clear(&all);
    return status;
}

static bool is_unconstrained(const report_run *run)
{
    const congru_json *given = congru_json_tree_member(
        congru_json_tree_member(congru_json_root(run->run), "settings"), "unconstrained");
    return given != NULL && given->kind == CONGRU_JSON_TRUE;
}

uint32_t congru_figure_run_colour(const congru_report *report, size_t run)
{
    size_t free = 0, place = 0;
    for (size_t r = 0; r < report->runs; r++) {
        free += is_unconstrained(&report->run[r]);
        place += r < run && is_unconstrained(&report->run[r]) == is_unconstrained(&report->run[run]);
    }
    if (free == 0 || free == report->runs)
        place = run;
    else
        place = 2 * place + !is_unconstrained(&report->run[run]);
    return congru_canvas_colours[place % CANVAS_COLOURS];
}

/* Subjects that a figure is to show have trials in it. */
static congru_status check_subjects(congru_context *context, const figure_input *in, const char *figure)
{
    const congru_json *points = congru_json_tree_member(congru_json_root(in->run->geometry), "points");
    if (in->choice == NULL || in->choice->subject_count == 0)
        return CONGRU_OK;
    if (strcmp(figure, "evolution") != 0)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "the figure '%s' shows no subjects of a choice, "
                           "which 'evolution' does",
                           figure);
    for (size_t i = 0; i < in->choice->subject_count; i++) {
        const congru_json *p = points != NULL ? points->first : NULL;
        while (p != NULL && strcmp(congru_json_tree_string(congru_json_tree_member(p, "subject"), ""),
                                   in->choice->subjects[i]) != 0)
            p = p->next;
        if (p == NULL)
            return congru_fail(context, CONGRU_ERROR_ARGUMENT, "%s/geometry.json: no trial of subject '%s'",
                               in->run->folder, in->choice->subjects[i]);
    }
    return CONGRU_OK;
}

/* "no figure is called 'x', but accuracy, ..." */
static congru_status fail_name(congru_context *context, const char *name)
{
    congru_text all = {0};
    for (size_t i = 0; i < FIGURES; i++)
        congru_text_add(&all, "%s%s", i > 0 ? ", " : "", figures[i].name);
    congru_status status = congru_fail(context, CONGRU_ERROR_ARGUMENT, "no figure is called '%s', but %s", name,
                                       all.data != NULL ? all.data : "");
    congru_text_clear(&all);
    return status;
}

congru_status congru_report_figure(congru_context *context, const congru_report *report, const char *name,
                                   const congru_report_choice *choice, congru_drawing **drawing)
{
    if (report == NULL || name == NULL || drawing == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "no report, no name or no place for the figure given");
    *drawing = NULL;
    figure_input in = {.report = report, .run = &report->run[0], .choice = choice};
    congru_status status = congru_report_choose(context, in.run, choice, &in.pipeline, &in.other);
    if (status == CONGRU_OK)
        status = find_series(context, choice != NULL ? choice->series : NULL, &in.series);
    if (status == CONGRU_OK)
        status = check_subjects(context, &in, name);
    for (size_t i = 0; status == CONGRU_OK && i < FIGURES; i++) {
        if (strcmp(figures[i].name, name) != 0)
            continue;
        canvas on = figures[i].draw(&in);
        if (on.drawing == NULL && !on.failed)
            return congru_fail(context, CONGRU_ERROR_FORMAT, "%s: no figure '%s' can be made of it: %s",
                               in.run->folder, name, figures[i].lacking);
        return congru_canvas_end(context, &on, drawing);
    }
    return status != CONGRU_OK ? status : fail_name(context, name);
}
