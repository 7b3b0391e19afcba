/* Leaves out one part of a network after the other. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "ablation.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "session.h"
#include "table_show.h"

enum { PATH_SIZE = 1024, TABLE_MODELS = 3 };

enum { BASELINE = ABLATION_VARIANTS - 1, WORD_SIZE = 64 };

/* Each as options of a command line, which help shows too. A variant is run for the pipelines that use one of its
 * options, or that are among `users`. */
typedef struct variant {
    const char *name, *folder, *users, *settings, *text;
} variant;

#define VARIANT(name, folder, users, settings, what) \
    { \
        name, folder, users, settings, what ": " settings "." \
    }

static const variant variants[ABLATION_VARIANTS] = {
    /* The Fisher terms of dct are ratios, with weights of their own. */
    VARIANT("w/o fisher (action)", "without-action", NULL, "--lambda-act 0 --delta 0",
            "Without the Fisher term of actions"),
    VARIANT("w/o fisher (subject)", "without-subject", NULL, "--lambda-sub 0 --delta-sub 0",
            "Without the Fisher term of subjects"),
    VARIANT("w/o fisher (all)", "without-fisher", NULL, "--lambda-act 0 --delta 0 --lambda-sub 0 --delta-sub 0",
            "Without both"),
    VARIANT("w/o skip merges", "without-skip-merges", NULL, "--merges none", "ddct-unet without its merges"),
    VARIANT("merges everywhere", "merges-everywhere", NULL, "--merges every",
            "ddct-unet with a merge at every layer"),
    VARIANT("Euclidean merges", "euclidean-merges", NULL, "--merge-mean euclid",
            "ddct-unet with sums for merges"),
    VARIANT("random first weights", "random-weights", "dldct ddct-unet dldct-e2e ddct-unet-e2e",
            "--init random", "Layers that begin at random"),
    VARIANT("w/o reconstruction", "without-reconstruction", NULL, "--lambda-rec 0", "Without reconstruction"),
    VARIANT("w/o dispersion", "without-dispersion", NULL, "--dispersion none", "dct without scaling"),
    VARIANT("alt. depth", "other-depth", "dldct dldct-e2e", "--dims d,2d,3d,2d,d",
            "dldct with other widths, in multiples of the channels"),
    [BASELINE] = {"baseline", "baseline", "networks", "", "The whole model."},
};

const char *ablation_variant(size_t index)
{
    return index < ABLATION_VARIANTS ? variants[index].name : NULL;
}

const char *ablation_text(size_t index)
{
    return index < ABLATION_VARIANTS ? variants[index].text : NULL;
}

/* The next word of settings, which are then behind it; false after the last. */
static bool next_word(const char **settings, char word[WORD_SIZE])
{
    size_t size = strcspn(*settings, " ");
    snprintf(word, WORD_SIZE, "%.*s", (int)size, *settings);
    *settings += size + strspn(*settings + size, " ");
    return size > 0;
}

/* The next option of settings, with its value or "". */
static const congru_method_option *next_setting(const char **settings, char value[WORD_SIZE])
{
    char word[WORD_SIZE];
    value[0] = '\0';
    if (!next_word(settings, word))
        return NULL;
    const congru_method_option *row = congru_method_option_find(word + strlen("--"));
    if (row != NULL && row->option.argument != NULL)
        next_word(settings, value);
    return row;
}

/* "d,2d" with the number of channels: "22,44". */
static void fill_in_widths(const char *text, size_t d, char widths[CONGRU_OPTION_TEXT_SIZE])
{
    size_t used = 0;
    for (widths[0] = '\0'; *text != '\0' && used < CONGRU_OPTION_TEXT_SIZE;
         text += strcspn(text, "0123456789d")) {
        char *end;
        size_t times = *text == 'd' ? 1 : (size_t)strtoul(text, &end, 10);
        text = *text == 'd' ? text + 1 : end + (*end == 'd');
        used += (size_t)snprintf(widths + used, CONGRU_OPTION_TEXT_SIZE - used, "%s%zu", used > 0 ? "," : "",
                                 times * d);
    }
}

static bool has_part(const variant *about, const char *pipeline)
{
    const char *settings = about->settings;
    const congru_method_option *row;
    char value[WORD_SIZE];
    if (about->users != NULL)
        return congru_pipeline_among(pipeline, about->users);
    while ((row = next_setting(&settings, value)) != NULL)
        if (congru_pipeline_among(pipeline, row->users))
            return true;
    return false;
}

static int leave_out(run_state *run, const variant *about)
{
    const char *settings = about->settings;
    const congru_method_option *row;
    char value[WORD_SIZE], widths[CONGRU_OPTION_TEXT_SIZE];
    while ((row = next_setting(&settings, value)) != NULL) {
        fill_in_widths(value, run->set->dimension, widths);
        if (congru_method_options_set(run->context, &run->options.method, NULL, row->option.name,
                                      row->kind == CONGRU_OPTION_WIDTHS ? widths : value) != CONGRU_OK)
            return terminal_fail(EXIT_FAILED, "%s: %s", about->name, congru_context_error(run->context));
    }
    return EXIT_DONE;
}

int ablation_check(const run_state *run)
{
    for (size_t i = 0; i < run->options.pipeline_count; i++) {
        const char *name = run->options.pipelines[i];
        if (!has_part(&variants[BASELINE], name))
            return terminal_fail(EXIT_USAGE, "%s: pipeline '%s' has no network to take parts of",
                                 run->parsed->command, name);
    }
    if (run->options.pipeline_count > ABLATION_MODELS_MAX)
        return terminal_fail(EXIT_USAGE, "%s: at most %d pipelines", run->parsed->command,
                             (int)ABLATION_MODELS_MAX);
    return EXIT_DONE;
}

/* The paper's files name some by their network alone. */
static void name_model(const char *pipeline, char model[CONGRU_PIPELINE_SIZE])
{
    static const char *const names[][2] = {
        {"dct+tslr", "dct"}, {"dldct+tslr", "dldct"}, {"ddct-unet+tslr", "ddct-unet"}};
    snprintf(model, CONGRU_PIPELINE_SIZE, "%s", pipeline);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i][0], pipeline) == 0)
            snprintf(model, CONGRU_PIPELINE_SIZE, "%s", names[i][1]);
}

static int run_variant(run_state *run, size_t which, const char *parent, ablation *found)
{
    char folder[PATH_SIZE + 32];
    const char *chosen[ABLATION_MODELS_MAX];
    congru_evaluation_options whole = run->options;
    congru_results *results = NULL;
    congru_scores *scores = NULL;
    size_t count = 0;
    for (size_t i = 0; i < whole.pipeline_count; i++)
        if (has_part(&variants[which], whole.pipelines[i]))
            chosen[count++] = whole.pipelines[i];
    if (count == 0)
        return EXIT_DONE;
    snprintf(folder, sizeof folder, "%s/%s", parent, variants[which].folder);
    run->options.folder = folder;
    run->options.pipelines = chosen;
    run->options.pipeline_count = count;
    int code = leave_out(run, &variants[which]);
    if (code == EXIT_DONE)
        code = evaluation_call(run, &results);
    if (code == EXIT_DONE && congru_results_scores(run->context, results, &scores) != CONGRU_OK)
        code = terminal_fail(EXIT_FAILED, "%s", congru_context_error(run->context));
    for (size_t i = 0; code == EXIT_DONE && i < whole.pipeline_count; i++) {
        const size_t place = congru_scores_find(scores, whole.pipelines[i]);
        const congru_interval accuracy = congru_scores_mean(scores, place, CONGRU_SCORE_ACCURACY);
        found->mean[which][i] = 100 * accuracy.mean;
        found->deviation[which][i] = 100 * accuracy.deviation;
    }
    congru_scores_destroy(&scores);
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
    for (size_t v = 0; code == EXIT_DONE && v < BASELINE; v++)
        code = run_variant(run, v, folder, found);
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
        congru_table table = {0};
        congru_table_column_text(&table, "ablation", NULL);
        for (size_t i = first; i < end; i++)
            congru_table_column_text(&table, found->model[i], NULL);
        for (size_t v = 0; v < ABLATION_VARIANTS; v++) {
            congru_table_format_text(&table, "%s", variants[v].name);
            for (size_t i = first; i < end; i++) {
                const char *mark = v != BASELINE ? arrow(found->mean[v][i], found->mean[BASELINE][i]) : "";
                if (isnan(found->mean[v][i]))
                    congru_table_format_text(&table, "-");
                else if (isnan(found->deviation[v][i]))
                    congru_table_format_text(&table, "%.2f%s", found->mean[v][i], mark);
                else
                    congru_table_format_text(&table, "%5.2f ± %5.2f%s", found->mean[v][i],
                                             found->deviation[v][i], mark);
            }
        }
        printf(first > 0 ? "\n" : "");
        code = table_show(&table, 0);
        congru_table_clear(&table);
    }
    return code;
}

/* In the baseline's folder, which holds results: that is what a report is made of. Parts of 1, as it wants them. */
int ablation_save(const ablation *found, const char *folder)
{
    char baseline[PATH_SIZE + 32], name[CONGRU_PIPELINE_SIZE + 64];
    congru_text text = {0};
    size_t rows = 0;
    snprintf(baseline, sizeof baseline, "%s/%s", folder, variants[BASELINE].folder);
    congru_text_add(&text, "{\n  \"title\": \"Networks without one of their parts\",\n  \"rows\": [");
    for (size_t i = 0; i < found->models; i++)
        for (size_t v = 0; v < ABLATION_VARIANTS; v++) {
            if (isnan(found->mean[v][i]))
                continue;
            snprintf(name, sizeof name, "%s, %s", found->model[i], variants[v].name);
            congru_text_add(&text, "%s\n    {\"name\": ", rows++ > 0 ? "," : "");
            congru_text_add_json(&text, name);
            congru_text_add(&text, ", \"mean\": ");
            congru_text_add_number(&text, found->mean[v][i] / 100, 17);
            congru_text_add(&text, ", \"deviation\": ");
            congru_text_add_number(&text, found->deviation[v][i] / 100, 17);
            congru_text_add(&text, ", \"change\": ");
            congru_text_add_number(&text, (found->mean[v][i] - found->mean[BASELINE][i]) / 100, 17);
            congru_text_add(&text, "}");
        }
    congru_text_add(&text, "\n  ]\n}\n");
    return session_save(baseline, "ablation.json", &text);
}
