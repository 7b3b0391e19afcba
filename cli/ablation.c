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

/* The networks, as bits. */
enum { DCT = 1, DLDCT = 2, UNET = 4 };

static const struct {
    const char *name, *folder;
    unsigned models; /* that have the part */
} variants[ABLATION_VARIANTS] = {
    [ACTION] = {"w/o fisher (action)", "without-action", DCT | DLDCT | UNET},
    [SUBJECT] = {"w/o fisher (subject)", "without-subject", DCT | DLDCT | UNET},
    [FISHER] = {"w/o fisher (all)", "without-fisher", DCT | DLDCT | UNET},
    [SKIP_MERGES] = {"w/o skip merges", "without-skip-merges", UNET},
    [RECONSTRUCTION] = {"w/o reconstruction", "without-reconstruction", DLDCT | UNET},
    [DISPERSION] = {"w/o dispersion", "without-dispersion", DCT},
    [DEPTH] = {"alt. depth", "other-depth", DLDCT},
    [BASELINE] = {"baseline", "baseline", DCT | DLDCT | UNET},
};

const char *ablation_variant(size_t index)
{
    return index < ABLATION_VARIANTS ? variants[index].name : NULL;
}

/* The network of a pipeline: that of "dct+tslr" and "dct-e2e" is dct; 0 when it has none. */
static unsigned model_of(const char *pipeline)
{
    static const char *const names[] = {"dct", "dldct", "ddct-unet"};
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        size_t size = strlen(names[i]);
        if (strncmp(pipeline, names[i], size) == 0 &&
            (pipeline[size] == '+' || strcmp(pipeline + size, "-e2e") == 0))
            return 1U << i;
    }
    return 0;
}

int ablation_check(const run_state *run)
{
    for (size_t i = 0; i < run->options.pipeline_count; i++) {
        const char *name = run->options.pipelines[i];
        if (model_of(name) == 0)
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
    /* The Fisher terms of dct are ratios, with weights of their own. */
    if (which == ACTION || which == FISHER)
        network->action = network->ratio = 0;
    if (which == SUBJECT || which == FISHER)
        network->subject = network->subject_ratio = 0;
    if (which == SKIP_MERGES)
        network->merges = CONGRU_MERGES_NONE;
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
        if ((variants[which].models & model_of(whole.pipelines[i])) != 0)
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

/* In the baseline's folder, which holds results: that is what a report is made of. Parts of 1, as it wants them. */
int ablation_save(const ablation *found, const char *folder)
{
    char baseline[PATH_SIZE + 32], name[CONGRU_PIPELINE_SIZE + 64];
    json_draft draft;
    size_t rows = 0;
    snprintf(baseline, sizeof baseline, "%s/%s", folder, variants[BASELINE].folder);
    int code = json_begin(&draft, baseline, "ablation.json");
    if (code != EXIT_DONE)
        return code;
    fprintf(draft.file, "{\n  \"title\": \"Networks without one of their parts\",\n  \"rows\": [");
    for (size_t i = 0; i < found->models; i++)
        for (size_t v = 0; v < ABLATION_VARIANTS; v++) {
            if (isnan(found->mean[v][i]))
                continue;
            snprintf(name, sizeof name, "%s, %s", found->model[i], variants[v].name);
            fprintf(draft.file, "%s\n    {\"name\": ", rows++ > 0 ? "," : "");
            json_text(draft.file, name);
            fprintf(draft.file, ", \"mean\": ");
            json_number(draft.file, found->mean[v][i] / 100);
            fprintf(draft.file, ", \"deviation\": ");
            json_number(draft.file, found->deviation[v][i] / 100);
            fprintf(draft.file, ", \"change\": ");
            json_number(draft.file, (found->mean[v][i] - found->mean[BASELINE][i]) / 100);
            fprintf(draft.file, "}");
        }
    fprintf(draft.file, "\n  ]\n}\n");
    return json_end(&draft);
}
