/* Experiment geometry: trials, scatters and losses while the networks are trained. SPDX-License-Identifier: Apache-2.0 */
#include "paper/reproduce_geometry.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "congru/report.h"
#include "paper/paper_sets.h"
#include "paper/reproduce.h"

enum { PATH_SIZE = CONGRU_PAPER_PATH_SIZE, FIFTHS = CONGRU_GEOMETRY_STAGES - 1, SHOWN = 4 };

/* The subject that is left out, and those whose trials are shown. */
typedef struct cast {
    int32_t left_out, first[SHOWN];
    congru_geometry_options choice;
} cast;

typedef congru_paper_geometry_table geometry_table;

/* With the whole objective, and by cross-entropy alone where there is more to it. */
static size_t objectives(size_t model)
{
    return congru_paper_geometry_models[model].end_to_end ? 2 : 1;
}

/* FOLDER/MODEL, or FOLDER/MODEL-unconstrained. */
static congru_status name_folder(const congru_paper_job *job, char path[PATH_SIZE], const char *folder,
                                 size_t model, bool alone)
{
    int used = snprintf(path, PATH_SIZE, "%s/%s%s", folder, congru_paper_geometry_models[model].name,
                        alone ? "-unconstrained" : "");
    return used > 0 && used < PATH_SIZE
               ? CONGRU_OK
               : congru_fail(job->context, CONGRU_ERROR_ARGUMENT, "%s: too long a name", folder);
}

/* One fold with a record of its training, and the source trials followed through it. */
static congru_status follow(congru_paper_open *open, const char *folder, size_t model, bool alone,
                            const cast *of, geometry_table *table)
{
    congru_context *context = open->job->context;
    char path[PATH_SIZE];
    const char *pipeline = congru_paper_geometry_models[model].pipeline;
    congru_evaluation_options *options = &open->options;
    congru_results *results = NULL;
    CONGRU_TRY(name_folder(open->job, path, folder, model, alone));
    options->folder = path;
    options->processes = NULL; /* what follows is not shared */
    options->pipelines = &pipeline;
    options->pipeline_count = 1;
    options->subjects = &of->left_out;
    options->subject_count = 1;
    options->method.network.unconstrained = alone;
    options->method.network.record = true;
    congru_status status = congru_paper_evaluate(open->job, open->set, options, &results);
    congru_results_destroy(&results);
    if (status == CONGRU_OK)
        status = congru_geometry_follow(context, open->set, options, pipeline, of->left_out, &of->choice,
                                        &table->followed[model][alone]);
    if (status == CONGRU_OK)
        status = congru_diagnostics_geometry(context, open->set, options, pipeline, of->left_out,
                                             table->followed[model][alone]);
    return status;
}

/* ---- What the training left behind ---- */

/* The mean over each fifth of the steps, and the first step before them. */
static void read_cross_entropy(const congru_report *report, size_t run, const char *pipeline,
                               double entropy[CONGRU_GEOMETRY_STAGES])
{
    const size_t *step;
    const double *mean;
    size_t points = congru_report_curve(report, run, pipeline, "cross_entropy", &step, &mean);
    double sum[FIFTHS] = {0}, count[FIFTHS] = {0};
    for (size_t i = 0; i < points; i++) {
        size_t fifth = step[i] * FIFTHS / (step[points - 1] + 1);
        sum[fifth] += mean[i];
        count[fifth]++;
    }
    entropy[0] = points > 0 ? mean[0] : NAN;
    for (size_t k = 0; k < FIFTHS; k++)
        entropy[k + 1] = count[k] > 0 ? sum[k] / count[k] : NAN;
}

static congru_status draw(congru_context *context, const congru_report *report, const char *figure,
                          const char *series, const char *pipeline, const char *path)
{
    const congru_report_choice choice = {.pipeline = pipeline, .series = series};
    congru_drawing *drawing = NULL;
    char *text = NULL;
    congru_status status = congru_report_figure(context, report, figure, &choice, &drawing);
    if (status == CONGRU_OK)
        status = congru_drawing_svg(context, drawing, &text);
    if (status == CONGRU_OK)
        status = congru_report_write(context, path, text, strlen(text));
    congru_drawing_destroy(&drawing);
    congru_report_text_destroy(&text);
    return status;
}

static bool has_series(const congru_report *report, const char *pipeline, const char *series)
{
    const size_t *step;
    const double *mean;
    size_t points = congru_report_curve(report, 0, pipeline, series, &step, &mean);
    return points > 0 && isfinite(mean[points - 1]);
}

/* Curves of both objectives in one figure each; the trials of each in one of its own. */
static congru_status draw_model(const congru_paper_job *job, const char *folder, size_t model,
                                geometry_table *table)
{
    static const char *const series[] = {"within_action", "between_action", "within_subject", "between_subject",
                                         "action_ratio",  "subject_ratio",  "cross_entropy"};
    const char *pipeline = congru_paper_geometry_models[model].pipeline,
               *name = congru_paper_geometry_models[model].name;
    char both[2][PATH_SIZE], path[PATH_SIZE + 64];
    const char *const folders[2] = {both[0], both[1]};
    const size_t count = objectives(model);
    congru_report *report = NULL;
    congru_status status = CONGRU_OK;
    for (size_t alone = 0; status == CONGRU_OK && alone < count; alone++)
        status = name_folder(job, both[alone], folder, model, alone == 1);
    if (status == CONGRU_OK)
        status = congru_report_create(job->context, folders, count, &report);
    for (size_t alone = 0; status == CONGRU_OK && alone < count; alone++)
        read_cross_entropy(report, alone, pipeline, table->cross_entropy[model][alone]);
    for (size_t s = 0; status == CONGRU_OK && s < sizeof series / sizeof series[0]; s++) {
        snprintf(path, sizeof path, "%s/%s-%s.svg", folder, name, series[s]);
        if (has_series(report, pipeline, series[s]))
            status = draw(job->context, report, "training", series[s], pipeline, path);
    }
    snprintf(path, sizeof path, "%s/%s-scatters.svg", folder, name);
    if (status == CONGRU_OK)
        status = draw(job->context, report, "scatters", NULL, pipeline, path);
    congru_report_destroy(&report);
    for (size_t alone = 0; status == CONGRU_OK && alone < count; alone++) {
        status = congru_report_create(job->context, &folders[alone], 1, &report);
        snprintf(path, sizeof path, "%s/%s%s-evolution.svg", folder, name, alone == 1 ? "-unconstrained" : "");
        if (status == CONGRU_OK)
            status = draw(job->context, report, "evolution", NULL, pipeline, path);
        congru_report_destroy(&report);
    }
    return status;
}

/* ---- Showing ---- */

static congru_status show_model(const congru_paper_job *job, const geometry_table *table, size_t model,
                                bool alone)
{
    congru_table text = {0};
    char heading[CONGRU_HEADING_SIZE];
    snprintf(heading, sizeof heading, alone ? "%s, alone" : "%s", congru_paper_geometry_models[model].name);
    congru_table_column_text(&text, heading, NULL);
    for (size_t k = 0; k < CONGRU_GEOMETRY_STAGES; k++) {
        snprintf(heading, sizeof heading, "%zu %%", 20 * k);
        congru_table_column_text(&text, heading, NULL);
    }
    for (size_t q = 0; congru_paper_geometry_quantity(q) != NULL; q++) {
        if (isnan(congru_paper_geometry_value(table, model, alone, q, FIFTHS)))
            continue;
        congru_table_format_text(&text, "%s", congru_paper_geometry_quantity(q));
        for (size_t k = 0; k < CONGRU_GEOMETRY_STAGES; k++)
            congru_table_format_text(&text, "%.3g", congru_paper_geometry_value(table, model, alone, q, k));
    }
    return congru_paper_table(job, true, &text, NULL);
}

static congru_status show(const congru_paper_open *open, const geometry_table *table, const cast *of,
                          const char *folder)
{
    char name[CONGRU_PAPER_NAME_SIZE], shown[CONGRU_NAMES_SIZE] = "";
    for (size_t i = 0, used = 0; i < of->choice.shown_count && used < sizeof shown; i++)
        used += (size_t)snprintf(shown + used, sizeof shown - used, "%s%s", i > 0 ? ", " : "",
                                 open->set->subject_name[of->choice.shown[i]]);
    congru_status status = congru_paper_set_remark(open);
    congru_paper_set_name(open, name);
    if (status == CONGRU_OK)
        status = congru_paper_say(
            open->job, CONGRU_PAPER_TEXT, true,
            "%s, %s left out; scatters W and B of classes (c) and subjects (s) of all source trials at parts "
            "of the training, by %s; 'moved': from the stage before; 'silhouette': by class, of the trials "
            "shown, of %s; 'cross-entropy': the mean over each fifth of the steps. Models 'alone' "
            "(unconstrained) have cross-entropy as their whole objective. Figures in %s",
            name, open->set->subject_name[of->left_out],
            of->choice.best_so_far ? "the best network so far" : "the network of that step", shown, folder);
    for (size_t m = 0; status == CONGRU_OK && m < CONGRU_PAPER_MODELS; m++)
        for (size_t alone = 0; status == CONGRU_OK && alone < objectives(m); alone++)
            status = show_model(open->job, table, m, alone == 1);
    return status == CONGRU_OK ? congru_paper_geometry_judge(open, table) : status;
}

/* The first of the request's subjects is left out and the others are shown; without them the second, and the first four
 * of the others, as in the paper. */
static void choose_cast(const congru_paper_open *open, cast *of)
{
    const congru_evaluation_options *options = &open->options;
    const size_t given = options->subjects != NULL ? options->subject_count : 0;
    *of = (cast){.left_out = given > 0 ? options->subjects[0] : 1,
                 .choice.best_so_far = open->job->request->best_so_far};
    if (given > 1) {
        of->choice.shown = options->subjects + 1;
        of->choice.shown_count = given - 1;
        return;
    }
    of->choice.shown = of->first;
    for (int32_t s = 0; (size_t)s < open->set->subjects && of->choice.shown_count < SHOWN; s++)
        if (s != of->left_out)
            of->first[of->choice.shown_count++] = s;
}

/* Figure 1, of any of the runs, whose channels are the same; none where no electrode's place is known. */
static congru_status draw_electrodes(const congru_paper_job *job, const char *folder)
{
    char first[PATH_SIZE], path[PATH_SIZE + 64];
    const char *const folders[1] = {first};
    congru_report *report = NULL;
    congru_status status = name_folder(job, first, folder, 0, false);
    snprintf(path, sizeof path, "%s/electrodes.svg", folder);
    if (status == CONGRU_OK)
        status = congru_report_create(job->context, folders, 1, &report);
    if (status == CONGRU_OK)
        status = draw(job->context, report, "electrodes", NULL, NULL, path);
    congru_report_destroy(&report);
    return status == CONGRU_ERROR_FORMAT ? CONGRU_OK : status;
}

static congru_status run_set(const congru_paper_job *job, size_t which)
{
    char folder[PATH_SIZE];
    congru_paper_open open;
    geometry_table table = {0};
    cast of = {0};
    congru_status status = congru_paper_set_open(job, which, NULL, "ra+mdm", &open);
    if (status == CONGRU_OK)
        status = congru_paper_folder(job, open.about->name, "-geometry", folder);
    if (status == CONGRU_OK && open.set->subjects < 2)
        status = congru_fail(job->context, CONGRU_ERROR_ARGUMENT, "%s: one subject: there is none to leave out",
                             congru_paper_where(&open));
    if (status == CONGRU_OK)
        choose_cast(&open, &of);
    for (size_t m = 0; status == CONGRU_OK && m < CONGRU_PAPER_MODELS; m++) {
        for (size_t alone = 0; status == CONGRU_OK && alone < objectives(m); alone++)
            status = follow(&open, folder, m, alone == 1, &of, &table);
        if (status == CONGRU_OK)
            status = draw_model(job, folder, m, &table);
    }
    if (status == CONGRU_OK)
        status = draw_electrodes(job, folder);
    if (status == CONGRU_OK)
        status = show(&open, &table, &of, folder);
    for (size_t m = 0; m < 2 * CONGRU_PAPER_MODELS; m++)
        congru_geometry_destroy(&table.followed[m / 2][m % 2]);
    congru_paper_set_close(&open);
    return status;
}

congru_status congru_reproduce_geometry(const congru_paper_job *job)
{
    if (!congru_paper_leads(job))
        return CONGRU_OK; /* nothing here is shared */
    return congru_paper_each_set(job, run_set, NULL);
}
