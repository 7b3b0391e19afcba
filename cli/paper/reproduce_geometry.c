/* congru reproduce geometry: trials, scatters and losses while the networks are trained. SPDX-License-Identifier: Apache-2.0 */
#include "reproduce_geometry.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "reproduce.h"
#include "reproduce_sets.h"
#include "session.h"
#include "set_load.h"

enum { PATH_SIZE = 1024, FIFTHS = CONGRU_GEOMETRY_STAGES - 1 };

static int fail(const run_state *run)
{
    return terminal_fail(EXIT_FAILED, "%s", congru_context_error(run->context));
}

/* FOLDER/MODEL, or FOLDER/MODEL-alone. */
static int name_folder(char path[PATH_SIZE], const char *folder, size_t model, bool alone)
{
    int used = snprintf(path, PATH_SIZE, "%s/%s%s", folder, geometry_models[model].name, alone ? "-alone" : "");
    return used > 0 && used < PATH_SIZE ? EXIT_DONE : terminal_fail(EXIT_FAILED, "%s: too long a name", folder);
}

/* One fold with a record of its training, and the source trials followed through it. */
static int follow(run_state *run, const char *folder, size_t model, bool alone, int32_t left_out,
                  geometry_table *table)
{
    char path[PATH_SIZE];
    const char *pipeline = geometry_models[model].pipeline;
    congru_results *results = NULL;
    int code = name_folder(path, folder, model, alone);
    if (code != EXIT_DONE)
        return code;
    run->options.folder = path;
    run->options.processes = NULL; /* what follows is not shared */
    run->options.pipelines = &pipeline;
    run->options.pipeline_count = 1;
    run->options.subjects = &left_out;
    run->options.subject_count = 1;
    run->options.method.network.unconstrained = alone;
    run->options.method.network.record = true;
    code = evaluation_call(run, &results);
    congru_results_destroy(&results);
    if (code == EXIT_DONE && congru_geometry_follow(run->context, run->set, &run->options, pipeline, left_out,
                                                    &table->followed[model][alone]) != CONGRU_OK)
        code = fail(run);
    if (code == EXIT_DONE && congru_diagnostics_geometry(run->context, run->set, &run->options, pipeline,
                                                         left_out, table->followed[model][alone]) != CONGRU_OK)
        code = fail(run);
    return code;
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

static int draw(congru_context *context, const congru_report *report, const char *figure, const char *series,
                const char *pipeline, const char *path)
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
    return status == CONGRU_OK ? EXIT_DONE : terminal_fail(EXIT_FAILED, "%s", congru_context_error(context));
}

static bool has_series(const congru_report *report, const char *pipeline, const char *series)
{
    const size_t *step;
    const double *mean;
    size_t points = congru_report_curve(report, 0, pipeline, series, &step, &mean);
    return points > 0 && isfinite(mean[points - 1]);
}

/* Curves of both objectives in one figure each; the trials of each in one of its own. */
static int draw_model(run_state *run, const char *folder, size_t model, geometry_table *table)
{
    static const char *const series[] = {"within_action", "between_action", "within_subject", "between_subject",
                                         "action_ratio",  "subject_ratio",  "cross_entropy"};
    const char *pipeline = geometry_models[model].pipeline, *name = geometry_models[model].name;
    char both[2][PATH_SIZE], path[PATH_SIZE + 64];
    const char *const folders[2] = {both[0], both[1]};
    size_t count = geometry_models[model].end_to_end ? 2 : 1;
    congru_report *report = NULL;
    int code = EXIT_DONE;
    for (size_t alone = 0; code == EXIT_DONE && alone < count; alone++)
        code = name_folder(both[alone], folder, model, alone == 1);
    if (code == EXIT_DONE && congru_report_create(run->context, folders, count, &report) != CONGRU_OK)
        code = fail(run);
    for (size_t alone = 0; code == EXIT_DONE && alone < count; alone++)
        read_cross_entropy(report, alone, pipeline, table->cross_entropy[model][alone]);
    for (size_t s = 0; code == EXIT_DONE && s < sizeof series / sizeof series[0]; s++) {
        snprintf(path, sizeof path, "%s/%s-%s.svg", folder, name, series[s]);
        if (has_series(report, pipeline, series[s]))
            code = draw(run->context, report, "training", series[s], pipeline, path);
    }
    snprintf(path, sizeof path, "%s/%s-scatters.svg", folder, name);
    if (code == EXIT_DONE)
        code = draw(run->context, report, "scatters", NULL, pipeline, path);
    congru_report_destroy(&report);
    for (size_t alone = 0; code == EXIT_DONE && alone < count; alone++) {
        if (congru_report_create(run->context, &folders[alone], 1, &report) != CONGRU_OK)
            return fail(run);
        snprintf(path, sizeof path, "%s/%s%s-evolution.svg", folder, name, alone == 1 ? "-alone" : "");
        code = draw(run->context, report, "evolution", NULL, pipeline, path);
        congru_report_destroy(&report);
    }
    return code;
}

/* ---- Printing ---- */

static int print_model(const geometry_table *table, size_t model, bool alone)
{
    congru_table text = {0};
    char heading[CONGRU_HEADING_SIZE];
    snprintf(heading, sizeof heading, alone ? "%s, alone" : "%s", geometry_models[model].name);
    congru_table_column_text(&text, heading, NULL);
    for (size_t k = 0; k < CONGRU_GEOMETRY_STAGES; k++) {
        snprintf(heading, sizeof heading, "%zu %%", 20 * k);
        congru_table_column_text(&text, heading, NULL);
    }
    for (size_t q = 0; geometry_quantity(q) != NULL; q++) {
        if (isnan(geometry_value(table, model, alone, q, FIFTHS)))
            continue;
        congru_table_format_text(&text, "%s", geometry_quantity(q));
        for (size_t k = 0; k < CONGRU_GEOMETRY_STAGES; k++)
            congru_table_format_text(&text, "%.3g", geometry_value(table, model, alone, q, k));
    }
    printf("\n");
    int code = table_show(&text, 0);
    congru_table_clear(&text);
    return code;
}

static int print(const run_state *run, const geometry_table *table, int32_t left_out, const char *folder)
{
    char name[RUN_NAME_SIZE], line[RUN_NAME_SIZE + PATH_SIZE + 512];
    int code = EXIT_DONE;
    reproduce_sets_print_remark(run);
    reproduce_sets_name(run, name);
    snprintf(line, sizeof line,
             "%s, %s left out; scatters W and B of classes (c) and subjects (s) of all source trials at parts "
             "of the "
             "training, by the best network so far; 'moved': from the stage before; 'silhouette': by class; "
             "'cross-entropy': the mean over each fifth of the steps. Models 'alone' have cross-entropy as "
             "their whole "
             "objective. Figures in %s",
             name, run->set->subject_name[left_out], folder);
    terminal_wrap(line, 0, 0, "");
    for (size_t m = 0; code == EXIT_DONE && m < GEOMETRY_MODELS; m++)
        for (size_t alone = 0; code == EXIT_DONE && alone < (geometry_models[m].end_to_end ? 2 : 1); alone++)
            code = print_model(table, m, alone == 1);
    if (code == EXIT_DONE)
        geometry_judge(table);
    return code;
}

static int run_set(const arguments *parsed, size_t which)
{
    char short_name[RUN_NAME_SIZE], name[RUN_NAME_SIZE + 32], folder[PATH_SIZE];
    run_state run;
    arguments chosen;
    geometry_table table = {0};
    int code = reproduce_sets_open(&run, &chosen, parsed, which, "ra+mdm");
    set_short_name(parsed->operands[which], short_name, sizeof short_name);
    snprintf(name, sizeof name, "%s-geometry", short_name);
    if (code == EXIT_DONE)
        code = reproduce_folder(parsed, name, folder, sizeof folder);
    if (code == EXIT_DONE && run.set->subjects < 2)
        code = terminal_fail(EXIT_FAILED, "%s: one subject: there is none to leave out", run.file);
    int32_t left_out = code == EXIT_DONE && run.options.subjects != NULL ? run.options.subjects[0] : 1;
    for (size_t m = 0; code == EXIT_DONE && m < GEOMETRY_MODELS; m++) {
        for (size_t alone = 0; code == EXIT_DONE && alone < (geometry_models[m].end_to_end ? 2 : 1); alone++)
            code = follow(&run, folder, m, alone == 1, left_out, &table);
        if (code == EXIT_DONE)
            code = draw_model(&run, folder, m, &table);
    }
    if (code == EXIT_DONE)
        code = print(&run, &table, left_out, folder);
    for (size_t m = 0; m < 2 * GEOMETRY_MODELS; m++)
        congru_geometry_destroy(&table.followed[m / 2][m % 2]);
    evaluation_close(&run);
    return code;
}

int reproduce_geometry(const arguments *parsed)
{
    if (options_given(parsed, "pipelines"))
        return terminal_fail(EXIT_USAGE, "%s: --pipelines does not apply", parsed->command);
    if (!process_group_leads())
        return EXIT_DONE; /* nothing here is shared */
    return reproduce_sets_each(parsed, run_set);
}
