/* Experiment failures: what appendix M says goes wrong, shown on made-up sets. SPDX-License-Identifier: Apache-2.0 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "congru/random.h"
#include "congru/report.h"
#include "congru/spd.h"
#include "congru/synth.h"
#include "paper/ablation.h"
#include "paper/claims.h"
#include "paper/paper_changes.h"
#include "paper/reproduce.h"

enum { SUBJECTS = 4, SEED = 50 };

/* ---- Sets ------------------------------------------------------------------------------------------------ */

/* Trials whose classes differ in r = 2 directions, C_k = V D_k V^T + I: the covariances of 50 samples each, V the last two
 * channels, one variance of D_k large in the first two classes. */
enum { CLASSES = 3, RANK = 2, TRIALS = 24, SAMPLES = 50, CHANNELS = 8, LOWEST_CHANNELS = 3 };
static const double large = 3.0; /* variance */

/* Widths of sets of the paper's hierarchy: small, and as 2a is. */
enum { HIERARCHY_CHANNELS = 8, HIERARCHY_TRIALS = 20, WIDE_CHANNELS = 22, WIDE_TRIALS = 10 };

static congru_status no_memory(congru_context *context)
{
    return congru_fail_memory(context, "a made-up set");
}

static void add_sample(congru_random *random, size_t d, size_t class_index, double *covariance)
{
    double x[CHANNELS];
    for (size_t i = 0; i < d; i++) {
        const bool is_large = i + RANK >= d && i + RANK - d == class_index;
        x[i] = (is_large ? sqrt(large) : 1.0) * congru_random_normal(random);
    }
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j < d; j++)
            covariance[i * d + j] += x[i] * x[j] / SAMPLES;
}

static congru_status make_subspace(congru_context *context, size_t d, congru_set **set)
{
    const size_t count = SUBJECTS * CLASSES * TRIALS;
    double *covariance = calloc(count * d * d, sizeof *covariance);
    int32_t *number = calloc(2 * count, sizeof *number);
    congru_status status = covariance != NULL && number != NULL ? CONGRU_OK : no_memory(context);
    for (size_t i = 0; status == CONGRU_OK && i < count; i++) {
        congru_random random = congru_random_stream(SEED, (uint32_t)d, 0, (uint32_t)i);
        number[i] = (int32_t)(i % CLASSES);
        number[count + i] = (int32_t)(i / (CLASSES * TRIALS));
        for (size_t k = 0; k < SAMPLES; k++)
            add_sample(&random, d, i % CLASSES, covariance + i * d * d);
    }
    char class_name[CLASSES][CONGRU_LABEL_SIZE] = {"c1", "c2", "c3"};
    char subject_name[SUBJECTS][CONGRU_LABEL_SIZE] = {"S01", "S02", "S03", "S04"};
    const congru_set from = {.count = count,
                             .dimension = d,
                             .covariance = covariance,
                             .label = number,
                             .subject = number != NULL ? number + count : NULL,
                             .classes = CLASSES,
                             .subjects = SUBJECTS,
                             .class_name = class_name,
                             .subject_name = subject_name};
    if (status == CONGRU_OK)
        status = congru_set_create_copying(context, &from, set);
    free(covariance);
    free(number);
    return status;
}

/* The set's matrices become others of the width d. */
static congru_status replace(congru_context *context, congru_set **set, size_t d, double *covariance)
{
    congru_set from = **set, *made = NULL;
    from.dimension = d;
    from.covariance = covariance;
    from.channel_name = NULL;
    from.meta = NULL;
    congru_status status = congru_set_create_copying(context, &from, &made);
    free(covariance);
    if (status == CONGRU_OK) {
        congru_set_destroy(set);
        *set = made;
    }
    return status;
}

static congru_status transform(congru_context *context, congru_set **set, size_t d_out, const double *w)
{
    double *out = calloc((*set)->count * d_out * d_out, sizeof *out);
    if (out == NULL)
        return no_memory(context);
    congru_status status =
        congru_spd_congruence(context, (*set)->count, (*set)->dimension, d_out, (*set)->covariance, w, out);
    if (status == CONGRU_OK)
        return replace(context, set, d_out, out);
    free(out);
    return status;
}

/* W of half the width with rank(W^T V) = rank: random rows, of which those of V are all different, alike, or nothing. */
static congru_status make_low_rank(congru_context *context, size_t rank, congru_set **set)
{
    enum { HALF = CHANNELS / 2 };
    double w[CHANNELS * HALF];
    congru_random random = congru_random_stream(SEED, 0, 1, 0);
    for (size_t e = 0; e < CHANNELS * HALF; e++)
        w[e] = congru_random_normal(&random);
    for (size_t j = 0; j < HALF; j++) {
        double *first = w + (CHANNELS - RANK) * HALF + j, *second = first + HALF;
        *first = rank > 0 ? *first : 0;
        *second = rank > 1 ? *second : *first;
    }
    CONGRU_TRY(make_subspace(context, CHANNELS, set));
    return transform(context, set, HALF, w);
}

/* Behind one layer after the other, each of N(0, 1/d) and without jitter. */
static congru_status make_chain(congru_context *context, size_t layers, congru_set **set)
{
    double w[CHANNELS * CHANNELS];
    CONGRU_TRY(make_subspace(context, CHANNELS, set));
    for (size_t l = 0; l < layers; l++) {
        congru_random random = congru_random_stream(SEED, 0, 2, (uint32_t)l);
        for (size_t e = 0; e < CHANNELS * CHANNELS; e++)
            w[e] = congru_random_normal(&random) / sqrt((double)CHANNELS);
        CONGRU_TRY(transform(context, set, CHANNELS, w));
    }
    return CONGRU_OK;
}

static congru_status make_hierarchy(congru_context *context, size_t channels, size_t trials, congru_set **set)
{
    congru_synth_options options;
    congru_synth_options_init(&options);
    options.stage = CONGRU_SYNTH_ORIENTATION;
    options.subjects = SUBJECTS;
    options.channels = channels;
    options.trials = trials;
    return congru_synth(context, &options, set);
}

static congru_status make_small(congru_context *context, size_t unused, congru_set **set)
{
    (void)unused;
    return make_hierarchy(context, HIERARCHY_CHANNELS, HIERARCHY_TRIALS, set);
}

static congru_status make_wide(congru_context *context, size_t unused, congru_set **set)
{
    (void)unused;
    return make_hierarchy(context, WIDE_CHANNELS, WIDE_TRIALS, set);
}

/* Inputs, recentred trials, half the sum of each and its input, or their log-Euclidean merge. Inputs, whose traces are 1,
 * are given that of the identity, which recentring does not see. */
enum { INPUT, ALIGNED, SUMMED, MERGED };

static congru_status make_merged(congru_context *context, size_t which, congru_set **set)
{
    congru_evaluation_options options;
    congru_evaluation_options_init(&options);
    CONGRU_TRY(make_small(context, 0, set));
    const size_t d = (*set)->dimension, size = (*set)->count * d * d;
    double *aligned = calloc(size, sizeof *aligned), *input = (*set)->covariance;
    if (aligned == NULL)
        return no_memory(context);
    for (size_t e = 0; e < size; e++)
        input[e] *= (double)d;
    congru_status status =
        congru_pipeline_represent(context, *set, &options, which == INPUT ? "none+mdm" : "ra+mdm", 0, aligned);
    for (size_t e = 0; status == CONGRU_OK && which == SUMMED && e < size; e++)
        aligned[e] = (aligned[e] + input[e]) / 2;
    if (status == CONGRU_OK && which == MERGED)
        status = congru_spd_merge(context, (*set)->count, d, aligned, input, aligned);
    if (status == CONGRU_OK)
        return replace(context, set, d, aligned);
    free(aligned);
    return status;
}

/* ---- Demonstrations -------------------------------------------------------------------------------------- */

typedef enum quantity {
    ACCURACY,
    KEPT_RANK,
    JITTER,
    LEAST,
    SPREAD,
    SUBJECT_SHARE,
    GRADIENT,
    QUANTITIES
} quantity;

static const char *const quantity_name[QUANTITIES] = {"accuracy", "rank",    "jitter",  "least",
                                                      "spread",   "subject", "gradient"};

/* What is looked at beside accuracies: the matrices behind the pipeline, and the record of its training. */
enum { OUTPUT = 1, RECORD = 2 };

typedef struct demonstration {
    const char *name;
    congru_status (*make)(congru_context *context, size_t argument, congru_set **set);
    size_t argument;
    unsigned looks;
    const char *pipeline;
    const char *settings;        /* as words of a command line */
    const char *variant, *model; /* where the paper's table of ablations has it, or NULL */
} demonstration;

static const demonstration demonstrations[] = {
    /* M.1 */
    {"all of C", make_subspace, CHANNELS, OUTPUT, "none+mdm", "", NULL, NULL},
    {"rank 2 of 2", make_low_rank, 2, OUTPUT, "none+mdm", "", NULL, NULL},
    {"rank 1 of 2", make_low_rank, 1, OUTPUT, "none+mdm", "", NULL, NULL},
    {"rank 0 of 2", make_low_rank, 0, OUTPUT, "none+mdm", "", NULL, NULL},
    {"3 channels", make_subspace, LOWEST_CHANNELS, 0, "ra+mdm", "", NULL, NULL},
    {"3-1-3", make_subspace, LOWEST_CHANNELS, OUTPUT | RECORD, "ddct-unet+mdm", "--dims 3,1,3 --merges none",
     NULL, NULL},
    {"8-2-8", make_subspace, CHANNELS, OUTPUT | RECORD, "ddct-unet+mdm",
     "--dims 8,2,8 --merges none --init lifted", NULL, NULL},
    {"8-2-8 w/o Fisher", make_subspace, CHANNELS, RECORD, "ddct-unet+mdm",
     "--dims 8,2,8 --merges none --init lifted --lambda-act 0", NULL, NULL},
    {"8-4-8", make_subspace, CHANNELS, RECORD, "ddct-unet+mdm", "--dims 8,4,8 --merges none --init lifted",
     NULL, NULL},
    {"8-2-8 merged", make_subspace, CHANNELS, RECORD, "ddct-unet+mdm", "--dims 8,2,8 --init lifted", NULL,
     NULL},
    /* M.2 */
    {"input", make_merged, INPUT, OUTPUT, "none+mdm", "", NULL, NULL},
    {"aligned", make_merged, ALIGNED, OUTPUT, "none+mdm", "", NULL, NULL},
    {"sum with input", make_merged, SUMMED, OUTPUT, "none+mdm", "", NULL, NULL},
    {"merge with input", make_merged, MERGED, OUTPUT, "none+mdm", "", NULL, NULL},
    {"unet", make_small, 0, 0, "ddct-unet-e2e", "", "baseline", "ddct-unet-e2e"},
    {"unet w/o merges", make_small, 0, 0, "ddct-unet-e2e", "--merges none", "w/o skip merges", "ddct-unet-e2e"},
    {"unet merged everywhere", make_small, 0, 0, "ddct-unet-e2e", "--merges every", NULL, NULL},
    /* M.3 */
    {"chain of 1", make_chain, 1, OUTPUT, "none+mdm", "", NULL, NULL},
    {"chain of 2", make_chain, 2, OUTPUT, "none+mdm", "", NULL, NULL},
    {"chain of 4", make_chain, 4, OUTPUT, "none+mdm", "", NULL, NULL},
    {"22-4-22", make_wide, 0, OUTPUT | RECORD, "ddct-unet+mdm", "--dims 22,4,22 --merges none", NULL, NULL},
    {"22-4-22 merged", make_wide, 0, OUTPUT | RECORD, "ddct-unet+mdm", "--dims 22,4,22", NULL, NULL},
    {"dldct", make_small, 0, OUTPUT | RECORD, "dldct+mdm", "", NULL, NULL},
    {"dldct w/o Fisher", make_small, 0, OUTPUT | RECORD, "dldct+mdm", "--lambda-act 0", NULL, NULL},
    {"2 random layers", make_small, 0, RECORD, "dldct+mdm", "--dims d,d,d --init random", NULL, NULL},
    {"8 random layers", make_small, 0, RECORD, "dldct+mdm", "--dims d,d,d,d,d,d,d,d,d --init random", NULL,
     NULL},
    {"8 random layers merged", make_small, 0, RECORD, "ddct-unet+mdm", "--dims d,d,d,d,d,d,d,d,d --init random",
     NULL, NULL},
    {"dldct-e2e", make_small, 0, 0, "dldct-e2e", "", "baseline", "dldct-e2e"},
    {"dldct-e2e deeper", make_small, 0, 0, "dldct-e2e", "--dims d,2d,3d,2d,d", "alt. depth", "dldct-e2e"},
};
enum { DEMONSTRATIONS = sizeof demonstrations / sizeof demonstrations[0] };

typedef struct failures_job {
    const congru_paper_job *paper;
    congru_evaluation_options options;
    char folder[CONGRU_PAPER_PATH_SIZE];
    congru_text notes[DEMONSTRATIONS];         /* of the training whose output is looked at */
    double number[DEMONSTRATIONS][QUANTITIES]; /* NaN where it was not looked at */
    congru_scores_list scores;                 /* accuracies in per cent: one table */
} failures_job;

/* ---- What is looked at ----------------------------------------------------------------------------------- */

/* Eigenvalues of all trials: the least, the largest in least ones, and how many of a trial are jitter alone. */
static void look_at_spectra(const failures_job *job, const congru_set *set, const double *values,
                            double *number)
{
    const congru_network_options *network = &job->options.method.network;
    const size_t d = set->dimension, layers = network->width_count > 0 ? network->width_count - 1 : 0;
    double least = DBL_MAX, largest = 0, jitter = 0;
    for (size_t e = 0; e < set->count * d; e++) {
        least = values[e] < least ? values[e] : least;
        largest = values[e] > largest ? values[e] : largest;
        jitter += values[e] <= 2 * network->layer_jitter * (double)layers;
    }
    number[LEAST] = least;
    number[SPREAD] = largest / least;
    number[JITTER] = layers > 0 ? jitter / (double)set->count : NAN;
}

/* The share of subjects in the squared deviation of logarithms. */
static double share_of_subjects(const congru_set *set, const double *logarithm, double *mean)
{
    const size_t size = set->dimension * set->dimension;
    double all = 0, between = 0;
    memset(mean, 0, (set->subjects + 1) * size * sizeof *mean);
    for (size_t i = 0; i < set->count; i++)
        for (size_t e = 0; e < size; e++) {
            mean[e] += logarithm[i * size + e] / (double)set->count;
            /* All subjects have as many trials. */
            mean[((size_t)set->subject[i] + 1) * size + e] +=
                logarithm[i * size + e] * (double)set->subjects / (double)set->count;
        }
    for (size_t i = 0; i < set->count; i++)
        for (size_t e = 0; e < size; e++) {
            const double of_trial = logarithm[i * size + e] - mean[e],
                         of_subject = mean[((size_t)set->subject[i] + 1) * size + e] - mean[e];
            all += of_trial * of_trial;
            between += of_subject * of_subject;
        }
    return between / all;
}

static size_t count_notes(const congru_context *context)
{
    size_t count = 0;
    while (congru_context_note(context, count) != NULL)
        count++;
    return count;
}

static congru_status look_at_output(failures_job *job, const congru_set *set, size_t which)
{
    congru_context *context = job->paper->context;
    const char *pipeline = demonstrations[which].pipeline;
    double *number = job->number[which];
    const size_t notes = count_notes(context);
    const size_t d = set->dimension, size = set->count * d * d;
    double *out = calloc(size, sizeof *out), *values = calloc(set->count * d, sizeof *values),
           *mean = calloc((set->subjects + 1) * d * d, sizeof *mean);
    congru_status status = out != NULL && values != NULL && mean != NULL ? CONGRU_OK : no_memory(context);
    if (status == CONGRU_OK)
        status = congru_pipeline_represent(context, set, &job->options, pipeline, 0, out);
    for (size_t n = notes; status == CONGRU_OK && n < count_notes(context); n++)
        congru_text_add(&job->notes[which], "%s%s", n > notes ? "; " : "", congru_context_note(context, n));
    if (status == CONGRU_OK)
        status = congru_spd_eigen(context, set->count, d, out, values, NULL);
    if (status == CONGRU_OK && job->notes[which].failed)
        status = congru_paper_no_memory(job->paper);
    if (status == CONGRU_OK) {
        look_at_spectra(job, set, values, number);
        status = congru_spd_log(context, set->count, d, out, out);
    }
    if (status == CONGRU_OK)
        number[SUBJECT_SHARE] = share_of_subjects(set, out, mean);
    free(out);
    free(values);
    free(mean);
    return status;
}

/* The gradient of the first step, and the last rank that was looked at; means over folds. */
static congru_status look_at_record(const failures_job *job, const char *folder, const char *pipeline,
                                    double *number)
{
    congru_report *report = NULL;
    const size_t *step;
    const double *mean;
    CONGRU_TRY(congru_report_create(job->paper->context, &folder, 1, &report));
    if (congru_report_curve(report, 0, pipeline, "gradient_norm", &step, &mean) > 0)
        number[GRADIENT] = mean[0];
    const size_t points = congru_report_curve(report, 0, pipeline, "rank", &step, &mean);
    for (size_t i = 0; i < points; i++)
        number[KEPT_RANK] = isnan(mean[i]) ? number[KEPT_RANK] : mean[i];
    congru_report_destroy(&report);
    return CONGRU_OK;
}

/* ---- Running --------------------------------------------------------------------------------------------- */

static congru_status evaluate(failures_job *job, const congru_set *set, size_t which)
{
    const demonstration *about = &demonstrations[which];
    char folder[CONGRU_PAPER_PATH_SIZE + 64];
    congru_results *results = NULL;
    snprintf(folder, sizeof folder, "%s/%s", job->folder, about->name);
    for (char *at = folder + strlen(job->folder) + 1; *at != '\0'; at++)
        *at = strchr(" ,/", *at) != NULL ? '-' : *at;
    job->options.dataset = about->name;
    job->options.folder = folder;
    job->options.pipelines = &about->pipeline;
    job->options.pipeline_count = 1;
    congru_status status = congru_paper_evaluate(job->paper, set, &job->options, &results);
    for (size_t i = 0; status == CONGRU_OK && i < results->folds; i++)
        if (!congru_score_list_add(&job->scores, quantity_name[ACCURACY],
                                   results->subject_name[results->fold[i].subject], about->name,
                                   100 * results->fold[i].accuracy))
            status = congru_paper_no_memory(job->paper);
    congru_results_destroy(&results);
    if (status == CONGRU_OK)
        job->number[which][ACCURACY] =
            congru_score_list_mean(&job->scores, quantity_name[ACCURACY], about->name, NULL, NULL);
    if (status == CONGRU_OK && (about->looks & RECORD) != 0)
        status = look_at_record(job, folder, about->pipeline, job->number[which]);
    return status;
}

static congru_status demonstrate(failures_job *job, size_t which)
{
    const demonstration *about = &demonstrations[which];
    const congru_method_options method = job->options.method;
    congru_set *set = NULL;
    congru_status status = about->make(job->paper->context, about->argument, &set);
    if (status == CONGRU_OK)
        status = congru_ablation_set(job->paper->context, &job->options.method, about->name, about->settings,
                                     set->dimension);
    if ((about->looks & RECORD) != 0)
        job->options.method.network.record = true;
    /* First the output, since a context keeps a note once, and folds that are there already are not trained again. */
    if (status == CONGRU_OK && (about->looks & OUTPUT) != 0)
        status = look_at_output(job, set, which);
    if (status == CONGRU_OK)
        status = evaluate(job, set, which);
    congru_set_destroy(&set);
    job->options.method = method;
    return status;
}

/* ---- Showing --------------------------------------------------------------------------------------------- */

/* A quantity of a demonstration; "chance", the accuracy of guesses in M.1's sets. */
static void read_cell(const void *user, congru_claim_side side, const char *row, const char *column,
                      congru_claim_cell *cell)
{
    const failures_job *job = user;
    if (strcmp(row, "chance") == 0)
        cell->number = side == CONGRU_CLAIM_PAPER ? NAN : 100.0 / CLASSES;
    for (size_t i = 0; i < DEMONSTRATIONS; i++) {
        const demonstration *about = &demonstrations[i];
        if (strcmp(about->name, column) != 0)
            continue;
        if (side == CONGRU_CLAIM_PAPER) {
            cell->number = about->variant != NULL && strcmp(row, quantity_name[ACCURACY]) == 0
                               ? congru_paper_number("ablation", "mean", about->variant, about->model)
                               : NAN;
            return;
        }
        cell->uses = congru_paper_uses(job->paper, about->pipeline);
        if (strcmp(row, quantity_name[ACCURACY]) == 0)
            congru_claim_cell_variant(cell, &job->scores, row, column);
        else
            for (size_t q = 0; q < QUANTITIES; q++)
                if (strcmp(row, quantity_name[q]) == 0)
                    cell->number = job->number[i][q];
    }
}

static void add_changes(const void *user, unsigned uses, congru_text *text)
{
    const failures_job *job = user;
    const congru_paper_request request = {.run = job->options};
    congru_paper_method_changes(&(congru_paper_job){job->paper->context, &request, job->paper->result}, uses,
                                text);
}

static congru_status show(const failures_job *job)
{
    congru_table table = {0};
    congru_table_column_text(&table, "demonstration", NULL);
    congru_table_column_text(&table, "pipeline", NULL);
    for (size_t q = 0; q < QUANTITIES; q++)
        congru_table_column_text(&table, quantity_name[q], NULL);
    for (size_t i = 0; i < DEMONSTRATIONS; i++) {
        congru_table_format_text(&table, "%s", demonstrations[i].name);
        congru_table_format_text(&table, "%s", demonstrations[i].pipeline);
        for (size_t q = 0; q < QUANTITIES; q++)
            if (isnan(job->number[i][q]))
                congru_table_format_text(&table, "-");
            else
                congru_table_format_text(&table, "%.4g", job->number[i][q]);
    }
    CONGRU_TRY(congru_paper_table(job->paper, true, &table, NULL));
    for (size_t i = 0; i < DEMONSTRATIONS; i++)
        if (job->notes[i].size > 0)
            CONGRU_TRY(congru_paper_say(job->paper, CONGRU_PAPER_NOTE, false, "%s: training notes: %s",
                                        demonstrations[i].name, job->notes[i].data));
    return CONGRU_OK;
}

congru_status congru_reproduce_failures(const congru_paper_job *paper)
{
    failures_job job = {.paper = paper, .options = paper->request->run};
    if (!congru_paper_leads(paper))
        return CONGRU_OK; /* folds are shorter than what sharing them costs */
    congru_status status = congru_paper_folder(paper, "failures", "", job.folder);
    job.options.protocol = CONGRU_PROTOCOL_LOSO;
    job.options.processes = NULL;
    for (size_t i = 0; status == CONGRU_OK && i < DEMONSTRATIONS; i++) {
        for (size_t q = 0; q < QUANTITIES; q++)
            job.number[i][q] = NAN;
        status = demonstrate(&job, i);
    }
    if (status == CONGRU_OK)
        status = show(&job);
    if (status == CONGRU_OK)
        status = congru_claims_judge(paper, &(congru_claim_source){"failures", read_cell, add_changes, &job},
                                     "Statements of the paper's appendix M:");
    if (status == CONGRU_OK)
        status = congru_paper_say(paper, CONGRU_PAPER_LINE, true, "Results in %s", job.folder);
    congru_scores_list_clear(&job.scores);
    for (size_t i = 0; i < DEMONSTRATIONS; i++)
        congru_text_clear(&job.notes[i]);
    return status;
}
