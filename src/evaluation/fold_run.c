/* Runs one fold. SPDX-License-Identifier: Apache-2.0 */
#include "evaluation/fold_run.h"

#include <stdlib.h>
#include <string.h>

#include "aligner/recentre.h"
#include "evaluation/scoring.h"
#include "evaluation/split.h"

/* Everything a split needs while it is fitted and asked. */
typedef struct split_run {
    congru_context *context;
    const congru_prepared *prepared;
    const congru_evaluation_options *options;
    const congru_aligner *aligner;
    const congru_split *split;
    double *train_covariance, *test_covariance, *probability, *prior;
    int32_t *train_label, *train_subject;
    size_t *calibration_trial; /* places in the newcomer's trials */
    int32_t *calibration_label;
    size_t calibration;
    congru_tensors model; /* the aligner's */
} split_run;

congru_status congru_fold_reserve(congru_context *context, congru_fold *fold, size_t samples, size_t classes)
{
    size_t room = samples > 0 ? samples : 1;
    fold->trial = calloc(room, sizeof *fold->trial);
    fold->truth = calloc(room, sizeof *fold->truth);
    fold->answer = calloc(room, sizeof *fold->answer);
    fold->probability = calloc(room * classes, sizeof *fold->probability);
    if (fold->trial == NULL || fold->truth == NULL || fold->answer == NULL || fold->probability == NULL)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "not enough memory for %zu answers", samples);
    return CONGRU_OK;
}

void congru_fold_clear(congru_fold *fold)
{
    free(fold->trial);
    free(fold->truth);
    free(fold->answer);
    free(fold->probability);
    *fold = (congru_fold){0};
}

static void end_run(split_run *run)
{
    free(run->train_covariance);
    free(run->test_covariance);
    free(run->probability);
    free(run->prior);
    free(run->train_label);
    free(run->train_subject);
    free(run->calibration_trial);
    free(run->calibration_label);
    congru_tensors_clear(&run->model);
}

static congru_status start_run(split_run *run)
{
    const congru_set *set = run->prepared->set;
    size_t train = run->split->train, test = run->split->test, size = set->dimension * set->dimension;
    run->train_covariance = malloc(train * size * sizeof(double));
    run->test_covariance = malloc(test * size * sizeof(double));
    run->probability = calloc(test * set->classes, sizeof(double));
    run->prior = malloc(size * sizeof(double));
    run->train_label = malloc(train * sizeof(int32_t));
    run->train_subject = malloc(train * sizeof(int32_t));
    run->calibration_trial = malloc(test * sizeof(size_t));
    run->calibration_label = malloc(test * sizeof(int32_t));
    if (run->train_covariance == NULL || run->test_covariance == NULL || run->probability == NULL ||
        run->prior == NULL || run->train_label == NULL || run->train_subject == NULL ||
        run->calibration_trial == NULL || run->calibration_label == NULL)
        return congru_fail(run->context, CONGRU_ERROR_MEMORY, "not enough memory for a fold of %zu trials",
                           train + test);
    return CONGRU_OK;
}

static void gather(const double *from, size_t size, size_t count, const size_t *trial, double *to)
{
    for (size_t i = 0; i < count; i++)
        memcpy(to + i * size, from + trial[i] * size, size * sizeof *to);
}

/* Folds inside a subject know nothing of the part left out: the references are those of the part fitted on. */
static bool references_of_own(const split_run *run)
{
    return run->options->protocol == CONGRU_PROTOCOL_FOLDS;
}

/* Subjects numbered anew without the one left out. */
static congru_trials gather_sources(split_run *run)
{
    const congru_set *set = run->prepared->set;
    const congru_split *split = run->split;
    bool recentred = run->aligner->recentred && !references_of_own(run);
    gather(recentred ? run->prepared->recentred : set->covariance, set->dimension * set->dimension,
           split->train, split->train_trial, run->train_covariance);
    int32_t left_out = set->subject[split->test_trial[0]];
    bool loso = run->options->protocol == CONGRU_PROTOCOL_LOSO;
    for (size_t i = 0; i < split->train; i++) {
        size_t trial = split->train_trial[i];
        int32_t subject = set->subject[trial];
        run->train_label[i] = set->label[trial];
        run->train_subject[i] = loso ? subject - (subject > left_out) : 0;
    }
    return (congru_trials){
        .count = split->train,
        .d = set->dimension,
        .covariance = run->train_covariance,
        .label = run->train_label,
        .subject = run->train_subject,
        .classes = set->classes,
        .subjects = loso ? set->subjects - 1 : 1,
    };
}

/* The mean of the references of the domains that are fitted on. */
static congru_status find_prior(split_run *run, const congru_trials *sources)
{
    const congru_prepared *prepared = run->prepared;
    congru_metric mean = run->options->method.alignment_mean;
    size_t size = sources->d * sources->d, count = 0;
    if (references_of_own(run)) {
        congru_status status = congru_recentre_references(run->context, mean, sources, run->prior);
        return status == CONGRU_OK
                   ? congru_recentre_sources(run->context, sources, run->prior, run->train_covariance)
                   : status;
    }
    double *reference = malloc(prepared->domains * size * sizeof *reference);
    bool *used = calloc(prepared->domains, sizeof *used);
    congru_status status = CONGRU_OK;
    if (reference == NULL || used == NULL)
        status = congru_fail(run->context, CONGRU_ERROR_MEMORY, "not enough memory for %zu references",
                             prepared->domains);
    for (size_t i = 0; status == CONGRU_OK && i < run->split->train; i++)
        used[prepared->domain[run->split->train_trial[i]]] = true;
    for (size_t k = 0; status == CONGRU_OK && k < prepared->domains; k++)
        if (used[k])
            memcpy(reference + count++ * size, prepared->reference + k * size, size * sizeof *reference);
    if (status == CONGRU_OK)
        status = congru_recentre_prior(run->context, count, sources->d, reference, run->prior);
    free(reference);
    free(used);
    return status;
}

/* Recentres the newcomer's trials of one domain, by what may be seen of that domain. */
static congru_status recentre_domain(split_run *run, int32_t domain, double *own)
{
    const congru_set *set = run->prepared->set;
    size_t size = set->dimension * set->dimension, count = 0;
    const size_t *trial = run->split->test_trial;
    for (size_t i = 0; i < run->split->test; i++)
        if (run->prepared->domain[trial[i]] == domain)
            memcpy(own + count++ * size, run->test_covariance + i * size, size * sizeof *own);
    congru_newcomer part = {.count = count, .d = set->dimension, .covariance = own};
    congru_newcomer_see(&part, references_of_own(run) ? CONGRU_TARGET_NONE : run->options->target);
    congru_status status =
        congru_recentre_newcomer(run->context, run->options->method.alignment_mean, &part, run->prior, own);
    count = 0;
    for (size_t i = 0; status == CONGRU_OK && i < run->split->test; i++)
        if (run->prepared->domain[trial[i]] == domain)
            memcpy(run->test_covariance + i * size, own + count++ * size, size * sizeof *own);
    return status;
}

static congru_status recentre_newcomer(split_run *run)
{
    const congru_set *set = run->prepared->set;
    size_t size = set->dimension * set->dimension;
    if (run->options->target == CONGRU_TARGET_FULL && !references_of_own(run)) {
        gather(run->prepared->recentred, size, run->split->test, run->split->test_trial, run->test_covariance);
        return CONGRU_OK;
    }
    double *own = malloc(run->split->test * size * sizeof *own);
    if (own == NULL)
        return congru_fail(run->context, CONGRU_ERROR_MEMORY, "not enough memory for %zu trials",
                           run->split->test);
    congru_status status = CONGRU_OK;
    int32_t last = -1; /* domains are numbered by their first trial: they come in ascending order */
    for (size_t i = 0; status == CONGRU_OK && i < run->split->test; i++) {
        int32_t domain = run->prepared->domain[run->split->test_trial[i]];
        if (domain > last)
            status = recentre_domain(run, domain, own);
        last = domain > last ? domain : last;
    }
    free(own);
    return status;
}

/* The first trials of each class of the newcomer, for a method that asks for labels: no more than half of them. */
static void calibrate(split_run *run)
{
    const congru_set *set = run->prepared->set;
    size_t wanted = (size_t)run->options->method.rpa_labels;
    run->calibration = 0;
    for (size_t i = 0; run->aligner->labels && i < run->split->test; i++) {
        int32_t label = set->label[run->split->test_trial[i]];
        size_t before = 0, all = 0;
        for (size_t j = 0; j < run->split->test; j++) {
            bool same = set->label[run->split->test_trial[j]] == label;
            all += same;
            before += same && j < i;
        }
        if (before >= (wanted < all / 2 ? wanted : all / 2))
            continue;
        run->calibration_trial[run->calibration] = i;
        run->calibration_label[run->calibration++] = label;
    }
}

/* Trials of both sides recentred and mapped by the aligner, which is fitted here. */
static congru_status align(split_run *run, congru_trials *sources, congru_newcomer *newcomer,
                           congru_record *record)
{
    const congru_set *set = run->prepared->set;
    bool recentred = run->aligner->recentred;
    *sources = gather_sources(run);
    gather(set->covariance, set->dimension * set->dimension, run->split->test, run->split->test_trial,
           run->test_covariance);
    congru_status status = recentred ? find_prior(run, sources) : CONGRU_OK;
    if (status == CONGRU_OK && recentred)
        status = recentre_newcomer(run);
    if (status == CONGRU_OK)
        status = congru_pipeline_align(run->context, run->aligner, sources, run->train_covariance,
                                       &run->options->method, &run->model, record);
    calibrate(run);
    *newcomer = (congru_newcomer){
        .count = run->split->test,
        .d = set->dimension,
        .covariance = run->test_covariance,
        .calibration = run->calibration,
        .calibration_trial = run->calibration_trial,
        .calibration_label = run->calibration_label,
    };
    congru_newcomer_see(newcomer, references_of_own(run) ? CONGRU_TARGET_NONE : run->options->target);
    if (status == CONGRU_OK)
        status = congru_pipeline_map(run->context, run->aligner, &run->model, newcomer, run->test_covariance);
    return status;
}

/* Adds the answers to the fold, those about calibration trials left out. */
static void collect(const split_run *run, congru_fold *fold)
{
    const congru_set *set = run->prepared->set;
    size_t next = 0;
    for (size_t i = 0; i < run->split->test; i++) {
        if (next < run->calibration && run->calibration_trial[next] == i) {
            next++;
            continue;
        }
        size_t place = fold->samples++;
        fold->trial[place] = run->split->test_trial[i];
        fold->truth[place] = set->label[run->split->test_trial[i]];
        memcpy(fold->probability + place * set->classes, run->probability + i * set->classes,
               set->classes * sizeof(double));
    }
    fold->train += run->split->train;
    fold->calibration += run->calibration;
}

static congru_status ask(split_run *run, const congru_classifier *classifier, const congru_trials *sources,
                         const congru_newcomer *newcomer, congru_fold *fold, congru_record *record)
{
    congru_tensors model = {0};
    congru_status status = classifier->fit(run->context, sources, &run->options->method, &model, record);
    if (status == CONGRU_OK)
        status = classifier->predict(run->context, &model, newcomer, run->probability);
    if (status == CONGRU_OK)
        collect(run, fold);
    congru_tensors_clear(&model);
    return status;
}

/* fold (count): what is common to all of them counts in each. */
static congru_status run_split(split_run *run, size_t count, const congru_pipeline *const *pipeline,
                               congru_fold *fold, congru_record *record)
{
    congru_trials sources;
    congru_newcomer newcomer;
    double start = congru_seconds();
    congru_status status = start_run(run);
    if (status == CONGRU_OK)
        status = align(run, &sources, &newcomer, record);
    double common = congru_seconds() - start;
    for (size_t i = 0; status == CONGRU_OK && i < count; i++) {
        start = congru_seconds();
        status = ask(run, pipeline[i]->classifier, &sources, &newcomer, &fold[i], record);
        fold[i].seconds += common + congru_seconds() - start;
    }
    end_run(run);
    return status;
}

/* The session of all scored trials, or -1. */
static int32_t common_session(const congru_set *set, const congru_fold *fold)
{
    for (size_t i = 1; i < fold->samples; i++)
        if (set->session[fold->trial[i]] != set->session[fold->trial[0]])
            return -1;
    return fold->samples > 0 ? set->session[fold->trial[0]] : -1;
}

static congru_status finish(congru_context *context, const congru_set *set, congru_fold *fold)
{
    congru_fold_answer(fold, set->classes);
    fold->session = common_session(set, fold);
    return congru_fold_score(context, fold, set->classes);
}

congru_status congru_fold_run(congru_context *context, const congru_prepared *prepared,
                              const congru_evaluation_options *options, size_t count,
                              const congru_pipeline *const *pipeline, int32_t subject, congru_fold *fold,
                              congru_record *record)
{
    const congru_set *set = prepared->set;
    size_t own = 0;
    congru_status status = CONGRU_OK;
    for (size_t i = 0; i < set->count; i++)
        own += set->subject[i] == subject;
    for (size_t i = 0; i < count; i++) {
        fold[i] = (congru_fold){.subject = subject, .session = -1};
        if (status == CONGRU_OK)
            status = congru_fold_reserve(context, &fold[i], own, set->classes);
    }
    for (size_t part = 0; status == CONGRU_OK && part < congru_split_parts(options); part++) {
        congru_split split;
        split_run run = {
            .context = context, .prepared = prepared, .options = options, .aligner = pipeline[0]->aligner};
        status = congru_split_make(context, set, options, subject, part, &split);
        run.split = &split;
        if (status == CONGRU_OK)
            status = run_split(&run, count, pipeline, fold, record);
        congru_split_clear(&split);
    }
    for (size_t i = 0; status == CONGRU_OK && i < count; i++)
        status = finish(context, set, &fold[i]);
    for (size_t i = 0; status != CONGRU_OK && i < count; i++)
        congru_fold_clear(&fold[i]);
    return status;
}
