/* Leaves out one part of a network after the other. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "ablation.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "json_draft.h"
#include "score_table.h"
#include "text_table.h"

enum { PATH_SIZE = 1024, TABLE_MODELS = 3 };

typedef enum part { ACTION, SUBJECT, FISHER, SKIP_MERGES, RECONSTRUCTION, DISPERSION, DEPTH, BASELINE } part;

static const struct {
    const char *name, *folder;
    const char *model; /* the only one it is for; NULL: all */
} variants[ABLATION_VARIANTS] = {
    [ACTION] = {"w/o fisher (action)", "without-action", NULL},
    [SUBJECT] = {"w/o fisher (subject)", "without-subject", NULL},
    [FISHER] = {"w/o fisher (all)", "without-fisher", NULL},
    [SKIP_MERGES] = {"w/o skip merges", "without-skip-merges", "ddct-unet"},
    [RECONSTRUCTION] = {"w/o reconstruction", "without-reconstruction", NULL},
    [DISPERSION] = {"w/o dispersion", "without-dispersion", "dct"},
    [DEPTH] = {"alt. depth", "other-depth", "dldct"},
    [BASELINE] = {"baseline", "baseline", NULL},
};

const char *ablation_variant(size_t index)
{
    return index < ABLATION_VARIANTS ? variants[index].name : NULL;
}

/* Whether a pipeline is of the model: "dct" of "dct+tslr" and "dct-e2e". */
static bool is_of(const char *pipeline, const char *model)
{
    size_t size = strlen(model);
    return strncmp(pipeline, model, size) == 0 &&
           (pipeline[size] == '+' || strcmp(pipeline + size, "-e2e") == 0);
}

int ablation_check(const run_state *run)
{
    for (size_t i = 0; i < run->options.pipeline_count; i++) {
        const char *name = run->options.pipelines[i];
        if (!is_of(name, "dct") && !is_of(name, "dldct") && !is_of(name, "ddct-unet"))
            return terminal_fail(EXIT_USAGE, "%s: pipeline '%s' has no network to take parts of",
                                 run->parsed->command, name);
    }
    if (run->options.pipeline_count > ABLATION_MODELS_MAX)
        return terminal_fail(EXIT_USAGE, "%s: at most %d pipelines", run->parsed->command,
                             (int)ABLATION_MODELS_MAX);
    return EXIT_DONE;
}

static void leave_out(part which, size_t d, congru_network_options *network)
{
    static const size_t times[] = {1, 2, 3, 2, 1};
    if (which == ACTION || which == FISHER)
        network->action = 0;
    if (which == SUBJECT || which == FISHER)
        network->subject = 0;
    if (which == SKIP_MERGES)
        network->skip_merges = false;
    if (which == RECONSTRUCTION)
        network->reconstruction = 0;
    if (which == DISPERSION)
        network->dispersion = CONGRU_DISPERSION_NONE;
    if (which == DEPTH)
        for (network->width_count = 0; network->width_count < 5; network->width_count++)
            network->widths[network->width_count] = times[network->width_count] * d;
}

/* The name without "+tslr", or as it is where another classifier stands behind the aligner. */
static void name_model(const char *pipeline, char model[CONGRU_PIPELINE_SIZE])
{
    snprintf(model, CONGRU_PIPELINE_SIZE, "%s", pipeline);
    char *plus = strchr(model, '+');
    if (plus != NULL && strcmp(plus, "+tslr") == 0)
        *plus = '\0';
}

static int run_variant(run_state *run, part which, const char *parent, ablation *found)
{
    char folder[PATH_SIZE + 32];
    const char *chosen[ABLATION_MODELS_MAX];
    congru_evaluation_options whole = run->options;
    congru_results *results = NULL;
    score_tables tables = {0};
    size_t count = 0;
    for (size_t i = 0; i < whole.pipeline_count; i++)
        if (variants[which].model == NULL || is_of(whole.pipelines[i], variants[which].model))
            chosen[count++] = whole.pipelines[i];
    if (count == 0)
        return EXIT_DONE;
    snprintf(folder, sizeof folder, "%s/%s", parent, variants[which].folder);
    run->options.folder = folder;
    run->options.pipelines = chosen;
    run->options.pipeline_count = count;
    leave_out(which, run->set->dimension, &run->options.method.network);
    int code = evaluation_call(run, &results);
    if (code == EXIT_DONE && !score_tables_add_results(&tables, run->dataset, results))
        code = terminal_fail(EXIT_FAILED, "%s: not enough memory", folder);
    for (size_t i = 0; code == EXIT_DONE && i < whole.pipeline_count; i++)
        found->mean[which][i] =
            score_tables_mean(&tables, run->dataset, whole.pipelines[i], NULL, &found->deviation[which][i]);
    score_tables_clear(&tables);
    congru_results_destroy(&results);
    run->options = whole;
    return code;
}

int ablation_run(run_state *run, const char *folder, ablation *found)
{
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return terminal_fail(EXIT_FAILED, "%s: cannot make the folder: %s", folder, strerror(errno));
    found->models = run->options.pipeline_count;
    for (size_t i = 0; i < found->models; i++) {
        name_model(run->options.pipelines[i], found->model[i]);
        for (size_t v = 0; v < ABLATION_VARIANTS; v++)
            found->mean[v][i] = found->deviation[v][i] = NAN;
    }
    int code = run_variant(run, BASELINE, folder, found);
    for (int v = 0; code == EXIT_DONE && v < BASELINE; v++)
        code = run_variant(run, (part)v, folder, found);
    return code;
}

static const char *arrow(double mean, double baseline)
{
    return mean > baseline ? " ↑" : mean < baseline ? " ↓" : " =";
}

int ablation_print(const ablation *found)
{
    int code = EXIT_DONE;
    for (size_t first = 0; code == EXIT_DONE && first < found->models; first += TABLE_MODELS) {
        size_t end = first + TABLE_MODELS < found->models ? first + TABLE_MODELS : found->models;
        text_table table = {.columns = end - first + 1};
        text_table_add(&table, "ablation");
        for (size_t i = first; i < end; i++)
            text_table_add(&table, "%s", found->model[i]);
        for (size_t v = 0; v < ABLATION_VARIANTS; v++) {
            text_table_add(&table, "%s", variants[v].name);
            for (size_t i = first; i < end; i++) {
                const char *mark = v != BASELINE ? arrow(found->mean[v][i], found->mean[BASELINE][i]) : "";
                if (isnan(found->mean[v][i]))
                    text_table_add(&table, "-");
                else if (isnan(found->deviation[v][i]))
                    text_table_add(&table, "%.2f%s", found->mean[v][i], mark);
                else
                    text_table_add(&table, "%5.2f ± %5.2f%s", found->mean[v][i], found->deviation[v][i], mark);
            }
        }
        printf(first > 0 ? "\n" : "");
        code = text_table_print(&table, 0);
        text_table_clear(&table);
    }
    return code;
}

int ablation_save(const ablation *found, const char *folder)
{
    json_draft draft;
    size_t rows = 0;
    int code = json_begin(&draft, folder, "ablation.json");
    if (code != EXIT_DONE)
        return code;
    fprintf(draft.file, "{\n  \"rows\": [");
    for (size_t v = 0; v < ABLATION_VARIANTS; v++)
        for (size_t i = 0; i < found->models; i++) {
            if (isnan(found->mean[v][i]))
                continue;
            fprintf(draft.file, "%s\n    {\"variant\": ", rows++ > 0 ? "," : "");
            json_text(draft.file, variants[v].name);
            fprintf(draft.file, ", \"model\": ");
            json_text(draft.file, found->model[i]);
            fprintf(draft.file, ", \"mean\": ");
            json_number(draft.file, found->mean[v][i]);
            fprintf(draft.file, ", \"std\": ");
            json_number(draft.file, found->deviation[v][i]);
            fprintf(draft.file, ", \"baseline_mean\": ");
            json_number(draft.file, found->mean[BASELINE][i]);
            fprintf(draft.file, "}");
        }
    fprintf(draft.file, "\n  ]\n}\n");
    return json_end(&draft);
}
