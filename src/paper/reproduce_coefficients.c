/* Experiment coefficients: chosen on one validation fold, as the paper says, and on source subjects. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scalar_math.h"
#include "model/method_options.h"
#include "paper/paper_sets.h"
#include "paper/reproduce.h"

#define MODELS "dct-e2e,dldct-e2e,ddct-unet-e2e"

/* What is chosen from unless the request says it; a model has those that it uses. The paper prints neither these nor what came
 * of them: among the values are the defaults. */
static const char usual[] = "delta=0.5,1.5,4.5; lambda-act=0.1,1; lambda-sub=0.01,0.05,0.25";

enum { OPTIONS_MAX = 8, COMBINATIONS_MAX = 64, NAME_SIZE = 192, CONFIDENCE_PERCENT = 95 };

/* One value of every option. */
typedef struct combination {
    size_t value[OPTIONS_MAX];
    char words[NAME_SIZE];  /* "lambda-act 1, lambda-sub 0.05", as a fold says what was chosen for it */
    char suffix[NAME_SIZE]; /* of its folder, "-lambda-act-1-lambda-sub-0.05"; "" of the request's own values */
    double *accuracy;       /* (subjects) percent; NaN where one is not scored */
    double *loss;           /* (subjects) the mean of -log p of the labels */
    size_t folds, sources;  /* how many validation folds choose it, and how many subjects' sources */
} combination;

typedef struct model_job {
    const congru_paper_job *paper;
    size_t which; /* of the sets */
    const char *pipeline;
    char choose[CONGRU_CHOOSE_SIZE]; /* of the pipeline */
    size_t options;
    congru_option_values option[OPTIONS_MAX];
    size_t combinations, given; /* the index of the request's own values */
    combination *combination;   /* (combinations + 1): the last is the request's, where no other is */
    size_t subjects;
    char (*subject)[CONGRU_LABEL_SIZE];
    double *chosen; /* (subjects) percent, each fold with what its sources chose */
} model_job;

/* ---- What is chosen from ---- */

static void name_combination(const model_job *job, combination *own, const congru_method_options *method)
{
    bool given = true;
    char value[CONGRU_OPTION_TEXT_SIZE];
    size_t words = 0, suffix = 0;
    own->words[0] = own->suffix[0] = '\0';
    for (size_t i = 0; i < job->options; i++) {
        const char *name = job->option[i].row->option.name, *text = job->option[i].value[own->value[i]];
        if (words < NAME_SIZE)
            words += (size_t)snprintf(own->words + words, NAME_SIZE - words, "%s%s %s", i > 0 ? ", " : "", name,
                                      text);
        if (suffix < NAME_SIZE)
            suffix += (size_t)snprintf(own->suffix + suffix, NAME_SIZE - suffix, "-%s-%s", name, text);
        given = given && congru_method_options_get(method, name, value) && strcmp(value, text) == 0;
    }
    if (given)
        own->suffix[0] = '\0';
}

/* The options of the list that the pipeline uses, and all combinations of their values. */
static congru_status list_combinations(model_job *job)
{
    const congru_method_options *method = &job->paper->request->run.method;
    const char *list = method->choose[0] != '\0' ? method->choose : usual;
    congru_option_values values;
    size_t used = 0;
    job->combinations = 1;
    for (size_t i = 0; congru_choose_at(list, i, &values); i++) {
        if (values.row == NULL || !congru_pipeline_among(job->pipeline, values.row->users))
            continue;
        job->combinations *= values.count;
        if (job->options == OPTIONS_MAX || job->combinations > COMBINATIONS_MAX)
            return congru_fail(job->paper->context, CONGRU_ERROR_ARGUMENT,
                               "coefficients: more than %d options or %d combinations of values",
                               (int)OPTIONS_MAX, (int)COMBINATIONS_MAX);
        used += (size_t)snprintf(job->choose + used, sizeof job->choose - used, "%s%s=", used > 0 ? "; " : "",
                                 values.row->option.name);
        for (size_t v = 0; v < values.count; v++)
            used += (size_t)snprintf(job->choose + used, sizeof job->choose - used, "%s%s", v > 0 ? "," : "",
                                     values.value[v]);
        job->option[job->options++] = values;
    }
    job->combination = calloc(job->combinations + 1, sizeof *job->combination);
    if (job->combination == NULL)
        return congru_paper_no_memory(job->paper);
    job->given = job->combinations;
    for (size_t c = 0; c < job->combinations; c++) {
        combination *own = &job->combination[c];
        for (size_t i = job->options, rest = c; i-- > 0; rest /= job->option[i].count)
            own->value[i] = rest % job->option[i].count;
        name_combination(job, own, method);
        job->given = own->suffix[0] == '\0' ? c : job->given;
    }
    if (job->given == job->combinations)
        snprintf(job->combination[job->given].words, NAME_SIZE, "as given");
    return CONGRU_OK;
}

/* ---- Running ---- */

static congru_status reserve(model_job *job, const congru_set *set)
{
    const size_t all = job->combinations + 1, room = set->subjects + 1;
    if (job->subject != NULL)
        return CONGRU_OK;
    job->subjects = set->subjects;
    job->subject = calloc(room, sizeof *job->subject);
    job->chosen = calloc(room, sizeof *job->chosen);
    bool enough = job->subject != NULL && job->chosen != NULL;
    for (size_t c = 0; c < all; c++) {
        job->combination[c].accuracy = calloc(2 * room, sizeof(double));
        enough = enough && job->combination[c].accuracy != NULL;
        job->combination[c].loss = enough ? job->combination[c].accuracy + room : NULL;
    }
    if (!enough)
        return congru_paper_no_memory(job->paper);
    memcpy(job->subject, set->subject_name, set->subjects * sizeof *job->subject);
    return CONGRU_OK;
}

/* Counts the combination that a fold says, which may stand behind a C. */
static void count_chosen(model_job *job, const char *words)
{
    for (size_t c = 0; words != NULL && c < job->combinations; c++) {
        const size_t size = strlen(words), own = strlen(job->combination[c].words);
        if (size >= own && strcmp(words + size - own, job->combination[c].words) == 0 &&
            (size == own || words[size - own - 1] == ' '))
            job->combination[c].sources++;
    }
}

/* "-coefficients-dct-e2e-delta-0.5-1.5": other values are another run. */
static void name_chosen(const model_job *job, char *suffix, size_t size)
{
    snprintf(suffix, size, "-coefficients-%s-%s", job->pipeline, job->choose);
    size_t to = 0;
    for (size_t i = 0; suffix[i] != '\0'; i++)
        if (suffix[i] != ' ')
            suffix[to++] = strchr("=,;", suffix[i]) != NULL ? '-' : suffix[i];
    suffix[to] = '\0';
}

static double loss_of(const congru_fold *fold, size_t classes)
{
    static const double least = 1e-300;
    double sum = 0;
    for (size_t i = 0; i < fold->samples; i++) {
        const double p = fold->probability[i * classes + (size_t)fold->truth[i]];
        sum -= congru_scalar_log(p > least ? p : least);
    }
    return fold->samples > 0 ? sum / (double)fold->samples : 0;
}

/* Leaves each subject out, with a combination or (combination == NULL) what sources choose. */
static congru_status run(model_job *job, const combination *own)
{
    congru_method_options method = job->paper->request->run.method;
    congru_paper_open open;
    congru_results *results = NULL;
    char folder[CONGRU_PAPER_PATH_SIZE], suffix[NAME_SIZE + CONGRU_CHOOSE_SIZE];
    CONGRU_TRY(congru_method_options_set(job->paper->context, &method, NULL, congru_choose_row()->option.name,
                                         own == NULL ? job->choose : ""));
    for (size_t i = 0; own != NULL && own->suffix[0] != '\0' && i < job->options; i++)
        CONGRU_TRY(congru_method_options_set(job->paper->context, &method, NULL,
                                             job->option[i].row->option.name,
                                             job->option[i].value[own->value[i]]));
    if (own != NULL)
        snprintf(suffix, sizeof suffix, "%s", own->suffix);
    else
        name_chosen(job, suffix, sizeof suffix);
    congru_status status = congru_paper_set_open(job->paper, job->which, &method, job->pipeline, &open);
    if (status == CONGRU_OK)
        status = congru_paper_folder(job->paper, open.about->name, suffix, folder);
    if (status == CONGRU_OK)
        status = reserve(job, open.set);
    open.options.folder = folder;
    open.options.protocol = CONGRU_PROTOCOL_LOSO;
    open.options.pipelines = &job->pipeline;
    open.options.pipeline_count = 1;
    if (status == CONGRU_OK)
        status = congru_paper_evaluate(job->paper, open.set, &open.options, &results);
    double *accuracy = own == NULL ? job->chosen : own->accuracy;
    for (size_t s = 0; status == CONGRU_OK && s < job->subjects; s++)
        accuracy[s] = NAN;
    for (size_t f = 0; status == CONGRU_OK && f < results->folds; f++) {
        const congru_fold *fold = &results->fold[f];
        if (strcmp(results->pipeline[fold->pipeline], job->pipeline) != 0)
            continue;
        accuracy[fold->subject] = 100 * fold->accuracy;
        if (own != NULL)
            own->loss[fold->subject] = loss_of(fold, results->classes);
        if (own == NULL)
            count_chosen(job, fold->chosen);
    }
    congru_results_destroy(&results);
    congru_paper_set_close(&open);
    return status;
}

/* ---- The paper's way ---- */

/* The combination that does best for one subject; of equals in accuracy that which is surer of the labels. */
static size_t best_for(const model_job *job, size_t subject)
{
    size_t best = 0;
    for (size_t c = 1; c < job->combinations; c++) {
        const combination *own = &job->combination[c], *other = &job->combination[best];
        if (own->accuracy[subject] > other->accuracy[subject] ||
            (own->accuracy[subject] == other->accuracy[subject] && own->loss[subject] < other->loss[subject]))
            best = c;
    }
    return best;
}

/* The mean over subjects, without one of them (SIZE_MAX: of all). */
static double mean_without(const model_job *job, const double *accuracy, size_t subject)
{
    double sum = 0, count = 0;
    for (size_t s = 0; s < job->subjects; s++)
        if (s != subject && !isnan(accuracy[s])) {
            sum += accuracy[s];
            count++;
        }
    return sum / count;
}

static bool is_scored(const model_job *job, size_t subject)
{
    return !isnan(job->chosen[subject]);
}

/* What the subjects besides have, the mean over which of them is the validation fold. */
static double mean_over_folds(const model_job *job)
{
    double sum = 0, count = 0;
    for (size_t v = 0; v < job->subjects; v++)
        if (is_scored(job, v)) {
            sum += mean_without(job, job->combination[best_for(job, v)].accuracy, v);
            count++;
        }
    return sum / count;
}

static congru_status show_combinations(const model_job *job)
{
    congru_table table = {0};
    congru_table_headings(&table, 4,
                          (const char *const[]){job->pipeline, "accuracy %", "validation folds that choose it",
                                                "folds whose sources choose it"});
    const size_t rows = job->combinations + (job->given == job->combinations);
    for (size_t c = 0; c < rows; c++) {
        const combination *own = &job->combination[c];
        congru_table_format_text(&table, "%s%s", own->words,
                                 c == job->given && job->given < job->combinations ? " (as given)" : "");
        congru_paper_cell_number(&table, mean_without(job, own->accuracy, SIZE_MAX), NAN);
        congru_table_format_text(&table, "%zu", own->folds);
        congru_table_format_text(&table, "%zu", own->sources);
    }
    return congru_paper_table(job->paper, true, &table, NULL);
}

/* Who chooses, what, and what comes of it for the subjects besides. */
static congru_status show_ways(const model_job *job, size_t first)
{
    const combination *given = &job->combination[job->given];
    const size_t fold = best_for(job, first);
    size_t best = 0;
    congru_table table = {0};
    for (size_t c = 1; c < job->combinations; c++)
        if (mean_without(job, job->combination[c].accuracy, SIZE_MAX) >
            mean_without(job, job->combination[best].accuracy, SIZE_MAX))
            best = c;
    congru_table_headings(&table, 3, (const char *const[]){"who chooses", "coefficients", "accuracy %"});
    congru_table_format_text(&table, "nobody: as given");
    congru_table_format_text(&table, "%s", given->words);
    congru_paper_cell_number(&table, mean_without(job, given->accuracy, SIZE_MAX), NAN);
    congru_table_format_text(&table, "validation fold %s, the others scored", job->subject[first]);
    congru_table_format_text(&table, "%s", job->combination[fold].words);
    congru_paper_cell_number(&table, mean_without(job, job->combination[fold].accuracy, first), NAN);
    congru_table_format_text(&table, "as given, the same subjects");
    congru_table_format_text(&table, "%s", given->words);
    congru_paper_cell_number(&table, mean_without(job, given->accuracy, first), NAN);
    congru_table_format_text(&table, "each validation fold in turn, the others scored");
    congru_table_format_text(&table, "the fold's");
    congru_paper_cell_number(&table, mean_over_folds(job), NAN);
    congru_table_format_text(&table, "the source subjects of each fold");
    congru_table_format_text(&table, "the fold's");
    congru_paper_cell_number(&table, mean_without(job, job->chosen, SIZE_MAX), NAN);
    congru_table_format_text(&table, "the subjects that are scored: not to be had");
    congru_table_format_text(&table, "%s", job->combination[best].words);
    congru_paper_cell_number(&table, mean_without(job, job->combination[best].accuracy, SIZE_MAX), NAN);
    return congru_paper_table(job->paper, true, &table, NULL);
}

/* What is chosen on source subjects against what is given, subject by subject. */
static congru_status compare(const model_job *job)
{
    double *a = malloc((2 * job->subjects + 1) * sizeof *a);
    congru_comparison found;
    size_t count = 0;
    if (a == NULL)
        return congru_paper_no_memory(job->paper);
    double *b = a + job->subjects;
    for (size_t s = 0; s < job->subjects; s++)
        if (is_scored(job, s)) {
            a[count] = job->chosen[s];
            b[count++] = job->combination[job->given].accuracy[s];
        }
    congru_status status =
        congru_paired_compare(job->paper->context, count, a, b, CONFIDENCE_PERCENT / 100.0, &found);
    free(a);
    if (status != CONGRU_OK)
        return status;
    const bool known = !isnan(found.interval[0]);
    if (!known)
        return congru_paper_say(job->paper, CONGRU_PAPER_NOTE, false,
                                "%s: chosen on source subjects less as given: %+.2f points", job->pipeline,
                                found.gain);
    return congru_paper_say(job->paper, CONGRU_PAPER_NOTE, false,
                            "%s: chosen on source subjects less as given: %+.2f points, %d %% interval %.2f to "
                            "%.2f: %s",
                            job->pipeline, found.gain, (int)CONFIDENCE_PERCENT, found.interval[0],
                            found.interval[1],
                            found.interval[0] <= 0 && found.interval[1] >= 0 ? "within chance"
                            : found.gain > 0                                 ? "ahead"
                                                                             : "behind");
}

static congru_status show(model_job *job)
{
    size_t first = 0;
    while (first + 1 < job->subjects && !is_scored(job, first))
        first++;
    for (size_t v = 0; v < job->subjects; v++)
        if (is_scored(job, v))
            job->combination[best_for(job, v)].folds++;
    CONGRU_TRY(show_combinations(job));
    CONGRU_TRY(show_ways(job, first));
    return compare(job);
}

static congru_status coefficients_of_model(const congru_paper_job *paper, size_t which, const char *pipeline)
{
    model_job job = {.paper = paper, .which = which, .pipeline = pipeline};
    congru_status status = list_combinations(&job);
    if (status == CONGRU_OK && job.options == 0)
        status = congru_paper_say(paper, CONGRU_PAPER_LINE, true, "%s has no coefficient to choose.", pipeline);
    else if (status == CONGRU_OK) {
        status = run(&job, NULL);
        for (size_t c = 0; status == CONGRU_OK && c <= job.combinations; c++)
            if (c < job.combinations || c == job.given)
                status = run(&job, &job.combination[c]);
        if (status == CONGRU_OK)
            status = show(&job);
    }
    for (size_t c = 0; job.combination != NULL && c <= job.combinations; c++)
        free(job.combination[c].accuracy);
    free(job.combination);
    free(job.subject);
    free(job.chosen);
    return status;
}

static congru_status coefficients_of_set(const congru_paper_job *paper, size_t which)
{
    const congru_evaluation_options *asked = &paper->request->run;
    congru_names names;
    congru_names_split(&names, MODELS);
    const size_t count = asked->pipelines != NULL ? asked->pipeline_count : names.count;
    CONGRU_TRY(congru_paper_say(
        paper, CONGRU_PAPER_TEXT, true,
        "The paper chose its coefficients on a held-out validation fold of bnci2014-001 and kept them on all sets "
        "(H.2); it prints neither which fold, nor from what, nor what was chosen. As given are ours, decision D13, or "
        "the request's. A validation fold is a subject that is left out: the coefficients that decide best about its "
        "labels are kept. Source subjects choose without the labels of who is scored."));
    for (size_t i = 0; i < count; i++)
        CONGRU_TRY(coefficients_of_model(paper, which,
                                         asked->pipelines != NULL ? asked->pipelines[i] : names.item[i]));
    return CONGRU_OK;
}

congru_status congru_reproduce_coefficients(const congru_paper_job *job)
{
    return congru_paper_each_set(job, coefficients_of_set, NULL);
}
