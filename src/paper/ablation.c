/* Leaves out one part of a network after the other. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "paper/ablation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array/file_write.h"
#include "array/folder.h"
#include "base/error.h"
#include "evaluation/fold_file.h"
#include "paper/paper_changes.h"

enum { PATH_SIZE = CONGRU_PAPER_PATH_SIZE + 32, TABLE_MODELS = 3 };
enum { VARIANTS = CONGRU_ABLATION_VARIANTS, BASELINE = VARIANTS - 1, WORD_SIZE = 64 };
enum { RUNS = VARIANTS + 2, WHOLE = RUNS - 1 };

/* Each as options of a command line, which help shows too. A variant is run for the pipelines that use one of its
 * options, or that are among `users`. Those without a text are the variant above, for other networks. */
typedef struct variant {
    const char *name, *folder, *users, *settings, *text;
} variant;

#define VARIANT(name, folder, users, settings, what) \
    { \
        name, folder, users, settings, what ": " settings "." \
    }

static const variant runs[RUNS] = {
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
    {"alt. depth", "other-depth", "dldct dldct-e2e", "--dims d,2d,3d,2d,d",
     "A layer more, widths in multiples of the channels: dldct by --dims d,2d,3d,2d,d, ddct-unet where it is narrowest by "
     "--square-bottleneck, dct as two rotations by --dims d,d,d."},
    {"alt. depth", "other-depth-unet", "ddct-unet ddct-unet-e2e", "--square-bottleneck", NULL},
    {"alt. depth", "other-depth-dct", "dct dct-e2e", "--dims d,d,d", NULL},
    [WHOLE] = {"baseline", "baseline", "networks", "", "The whole model."},
};

/* The row of a run's variant. */
static size_t row_of(size_t run)
{
    size_t row = 0;
    for (size_t i = 1; i <= run; i++)
        row += runs[i].text != NULL;
    return row;
}

const char *congru_ablation_variant(size_t index, const char **text)
{
    size_t run = 0;
    while (run < RUNS && row_of(run) != index)
        run++;
    if (text != NULL)
        *text = run < RUNS ? runs[run].text : NULL;
    return run < RUNS ? runs[run].name : NULL;
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

/* "d,2d,4" with the number of channels: "22,44,4". */
static void fill_in_widths(const char *text, size_t d, char widths[CONGRU_OPTION_TEXT_SIZE])
{
    size_t used = 0;
    for (widths[0] = '\0'; *text != '\0' && used < CONGRU_OPTION_TEXT_SIZE;
         text += strcspn(text, "0123456789d")) {
        char *end;
        size_t width = strtoul(text, &end, 10);
        if (*end == 'd')
            width = (end == text ? 1 : width) * d;
        text = end + (*end == 'd');
        used += (size_t)snprintf(widths + used, CONGRU_OPTION_TEXT_SIZE - used, "%s%zu", used > 0 ? "," : "",
                                 width);
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

congru_status congru_ablation_set(congru_context *context, congru_method_options *method, const char *where,
                                  const char *settings, size_t dimension)
{
    const congru_method_option *row;
    char value[WORD_SIZE], widths[CONGRU_OPTION_TEXT_SIZE];
    while ((row = next_setting(&settings, value)) != NULL) {
        fill_in_widths(value, dimension, widths);
        congru_status status = congru_method_options_set(context, method, where, row->option.name,
                                                         row->kind == CONGRU_OPTION_WIDTHS ? widths : value);
        if (status != CONGRU_OK)
            return status;
    }
    return CONGRU_OK;
}

congru_status congru_ablation_check(congru_context *context, size_t count, const char *const *pipelines)
{
    if (pipelines == NULL || count > CONGRU_ABLATION_MODELS_MAX)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "at most %d pipelines",
                           (int)CONGRU_ABLATION_MODELS_MAX);
    for (size_t i = 0; i < count; i++)
        if (pipelines[i] == NULL || !has_part(&runs[WHOLE], pipelines[i]))
            return congru_fail(context, CONGRU_ERROR_ARGUMENT, "pipeline '%s' has no network to take parts of",
                               pipelines[i] != NULL ? pipelines[i] : "");
    return CONGRU_OK;
}

const char *congru_ablation_folder(size_t run, const char **name)
{
    *name = run < RUNS ? runs[run].name : NULL;
    return run < RUNS ? runs[run].folder : NULL;
}

void congru_ablation_model(const char *pipeline, char model[CONGRU_PIPELINE_SIZE])
{
    static const char *const names[][2] = {
        {"dct+tslr", "dct"}, {"dldct+tslr", "dldct"}, {"ddct-unet+tslr", "ddct-unet"}};
    snprintf(model, CONGRU_PIPELINE_SIZE, "%s", pipeline);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i][0], pipeline) == 0)
            snprintf(model, CONGRU_PIPELINE_SIZE, "%s", names[i][1]);
}

/* Trials of all subjects that a pipeline decides rightly. */
static double count_right(const congru_results *results, const char *pipeline)
{
    double right = 0;
    for (size_t f = 0; f < results->folds; f++)
        if (strcmp(results->pipeline[results->fold[f].pipeline], pipeline) == 0)
            right += round(results->fold[f].accuracy * (double)results->fold[f].samples);
    return right;
}

static congru_status run_variant(congru_paper_open *open, size_t which, const char *parent,
                                 congru_ablation *found)
{
    const congru_paper_job *job = open->job;
    char folder[PATH_SIZE];
    const char *chosen[CONGRU_ABLATION_MODELS_MAX];
    const congru_evaluation_options whole = open->options;
    congru_results *results = NULL;
    congru_scores *scores = NULL;
    const size_t row = row_of(which);
    size_t count = 0;
    for (size_t i = 0; i < whole.pipeline_count; i++)
        if (has_part(&runs[which], whole.pipelines[i]))
            chosen[count++] = whole.pipelines[i];
    if (count == 0)
        return CONGRU_OK;
    snprintf(folder, sizeof folder, "%s/%s", parent, runs[which].folder);
    open->options.folder = folder;
    open->options.pipelines = chosen;
    open->options.pipeline_count = count;
    congru_status status = congru_ablation_set(job->context, &open->options.method, runs[which].name,
                                               runs[which].settings, open->set->dimension);
    if (status == CONGRU_OK)
        status = congru_paper_evaluate(job, open->set, &open->options, &results);
    if (status == CONGRU_OK)
        status = congru_results_scores(job->context, results, &scores);
    for (size_t i = 0; status == CONGRU_OK && i < whole.pipeline_count; i++) {
        const size_t place = congru_scores_find(scores, whole.pipelines[i]);
        if (place == SIZE_MAX)
            continue; /* it has no such part, or has it by another run */
        const congru_interval accuracy = congru_scores_mean(scores, place, CONGRU_SCORE_ACCURACY);
        found->mean[row][i] = 100 * accuracy.mean;
        found->deviation[row][i] = 100 * accuracy.deviation;
        found->right[row][i] = count_right(results, whole.pipelines[i]);
        for (size_t s = 0; status == CONGRU_OK && s < scores->subjects; s++)
            if (!congru_score_list_add(&found->scores, runs[which].name, scores->subject[s], found->model[i],
                                       100 * congru_score_value(scores, s, whole.pipelines[i])))
                status = congru_paper_no_memory(job);
    }
    congru_scores_destroy(&scores);
    congru_results_destroy(&results);
    open->options = whole;
    return status;
}

/* In the baseline's folder, which holds results: that is what a report is made of. Parts of 1, as it wants them. */
static congru_status save(const congru_paper_job *job, const congru_ablation *found, const char *folder)
{
    char baseline[PATH_SIZE], name[CONGRU_PIPELINE_SIZE + 64];
    congru_text text = {0};
    size_t rows = 0;
    snprintf(baseline, sizeof baseline, "%s/%s", folder, runs[WHOLE].folder);
    congru_text_add(&text, "{\n  \"title\": \"Networks without one of their parts\",\n  \"rows\": [");
    for (size_t i = 0; i < found->models; i++)
        for (size_t v = 0; v < VARIANTS; v++) {
            if (isnan(found->mean[v][i]))
                continue;
            snprintf(name, sizeof name, "%s, %s", found->model[i], congru_ablation_variant(v, NULL));
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
    return congru_file_write_text(job->context, baseline, "ablation.json", &text);
}

congru_status congru_ablation_run(congru_paper_open *open, const char *folder, congru_ablation *found)
{
    const congru_paper_job *job = open->job;
    CONGRU_TRY(congru_ablation_check(job->context, open->options.pipeline_count, open->options.pipelines));
    found->models = open->options.pipeline_count;
    for (size_t i = 0; i < found->models; i++) {
        congru_ablation_model(open->options.pipelines[i], found->model[i]);
        for (size_t v = 0; v < VARIANTS; v++)
            found->mean[v][i] = found->deviation[v][i] = NAN;
    }
    congru_status status = run_variant(open, WHOLE, folder, found);
    for (size_t v = 0; status == CONGRU_OK && v < WHOLE; v++)
        status = run_variant(open, v, folder, found);
    return status == CONGRU_OK && congru_paper_leads(job) ? save(job, found, folder) : status;
}

/* ---- congru_ablate ---- */

/* Between a variant and the whole model. One trial that goes the other way is no rise or fall, and of one subject nobody knows
 * whether it is one. */
static const char *arrow(const congru_ablation *found, size_t v, size_t i)
{
    const double change = found->mean[v][i] - found->mean[BASELINE][i];
    if (v == BASELINE || isnan(change))
        return "";
    if (change == 0)
        return " =";
    if (isnan(found->deviation[v][i]) || fabs(found->right[v][i] - found->right[BASELINE][i]) <= 1)
        return "";
    return change > 0 ? " ↑" : " ↓";
}

static void add_cell(congru_table *table, const congru_ablation *found, size_t v, size_t i)
{
    const double mean = found->mean[v][i], deviation = found->deviation[v][i];
    const char *mark = arrow(found, v, i);
    if (isnan(mean))
        congru_table_format_text(table, "-");
    else if (isnan(deviation))
        congru_table_format_text(table, "%.2f%s", mean, mark);
    else
        congru_table_format_text(table, "%5.2f ± %5.2f%s", mean, deviation, mark);
}

/* Tables of at most three models. */
static congru_status show(const congru_paper_job *job, const congru_ablation *found)
{
    congru_status status = CONGRU_OK;
    for (size_t first = 0; status == CONGRU_OK && first < found->models; first += TABLE_MODELS) {
        size_t end = first + TABLE_MODELS < found->models ? first + TABLE_MODELS : found->models;
        congru_table table = {0};
        congru_table_column_text(&table, "ablation", NULL);
        for (size_t i = first; i < end; i++)
            congru_table_column_text(&table, found->model[i], NULL);
        for (size_t v = 0; v < VARIANTS; v++) {
            congru_table_format_text(&table, "%s", congru_ablation_variant(v, NULL));
            for (size_t i = first; i < end; i++)
                add_cell(&table, found, v, i);
        }
        status = congru_paper_table(job, true, &table, NULL);
    }
    return status;
}

/* What is not as by default: "2 of 5 subjects, 20 of 1000 steps". */
static void describe_changes(const congru_paper_job *job, const congru_paper_open *open, congru_text *text)
{
    if (open->options.subjects != NULL && open->options.subject_count < open->set->subjects)
        congru_text_add(text, "%zu of %zu subjects", open->options.subject_count, open->set->subjects);
    congru_paper_method_changes(job, CONGRU_USES_NETWORK, text);
}

congru_status congru_ablate_set(const congru_paper_job *job)
{
    const char *folder = job->request->folder;
    congru_paper_open open;
    congru_ablation found = {0};
    congru_text changes = {0};
    congru_status status = congru_paper_set_open(job, 0, NULL, CONGRU_ABLATION_PIPELINES, &open);
    if (status == CONGRU_OK && strlen(folder) >= CONGRU_PAPER_PATH_SIZE)
        status = congru_fail(job->context, CONGRU_ERROR_ARGUMENT, "%s: too long a name", folder);
    if (status == CONGRU_OK)
        status = congru_folder_make(job->context, folder, "");
    if (status == CONGRU_OK)
        status = congru_ablation_run(&open, folder, &found);
    if (status == CONGRU_OK)
        describe_changes(job, &open, &changes);
    if (status == CONGRU_OK && changes.failed)
        status = congru_fail(job->context, CONGRU_ERROR_MEMORY, "not enough memory");
    if (status == CONGRU_OK)
        status = congru_paper_say(
            job, CONGRU_PAPER_LINE, true, "%s: %s, %s, %s, %s; target %s; accuracy in %%%s%s", open.dataset,
            congru_count(open.set->subjects, "subject").text, congru_count(open.set->count, "trial").text,
            congru_count(open.set->classes, "class").text, congru_count(open.set->dimension, "channel").text,
            congru_target_name(open.options.target), changes.size > 0 ? "; " : "",
            changes.size > 0 ? changes.data : "");
    if (status == CONGRU_OK)
        status = show(job, &found);
    if (status == CONGRU_OK)
        status = congru_paper_say(job, CONGRU_PAPER_LINE, true, "Results in %s", folder);
    congru_scores_list_clear(&found.scores);
    congru_paper_set_close(&open);
    congru_text_clear(&changes);
    return status;
}
