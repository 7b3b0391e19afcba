/* Chooses C and weights by leaving out groups of source subjects. SPDX-License-Identifier: Apache-2.0 */
#include "evaluation/choices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "evaluation/combine.h"
#include "evaluation/fold_branch.h"
#include "evaluation/trainings.h"

enum { GROUPS_OF_MANY = 7 }; /* of sets with more subjects than CONGRU_GROUPS_MAX */

/* Beside the C that a branch states. */
static const double factors[CONGRU_CANDIDATES] = {0.01, 0.1, 1, 10};
enum { STATED = 2 };                    /* which of them is 1 */
static const double stated_none = 0.01; /* with C auto */

size_t congru_groups(const congru_set *set, const congru_evaluation_options *options)
{
    if (options->protocol == CONGRU_PROTOCOL_LOSO && options->groups > 0)
        return (size_t)options->groups;
    return set->subjects <= CONGRU_GROUPS_MAX ? set->subjects : GROUPS_OF_MANY;
}

uint64_t congru_group_of(const congru_set *set, const congru_evaluation_options *options, int32_t subject)
{
    return UINT64_C(1) << (size_t)subject % congru_groups(set, options);
}

static bool chooses_c(const congru_material *material, const congru_pipeline *pipeline)
{
    return material->branch->classifier->fit_folds != NULL && material->feature != NULL &&
           (pipeline->choose_c || material->method.c == 0);
}

static bool chooses_weights(const congru_pipeline *pipeline)
{
    return pipeline->choose_weights && pipeline->branches > 1;
}

bool congru_choice_wanted(const congru_materials *materials, const congru_pipeline *pipeline)
{
    bool wanted = chooses_weights(pipeline);
    for (size_t b = 0; b < pipeline->branches; b++)
        wanted = wanted || chooses_c(&materials->material[pipeline->branch[b].material], pipeline);
    return wanted;
}

congru_choice congru_choice_constant(const congru_pipeline *pipeline)
{
    congru_choice choice = {0};
    for (size_t b = 0; b < CONGRU_BRANCHES_MAX; b++)
        choice.c[b] = -1;
    for (size_t b = 0; b < pipeline->branches; b++)
        choice.weight[b] = pipeline->branches > 1 ? pipeline->branch[b].weight : 1;
    return choice;
}

/* ---- Fits ---------------------------------------------------------------------------------------------- */

/* The fits that choices need of one branch: those without some groups, each with every candidate. */
typedef struct inner_fits {
    const congru_workers *workers;
    const congru_materials *materials;
    const congru_evaluation_options *options;
    const congru_material *material;
    size_t candidates;
    double c[CONGRU_CANDIDATES]; /* negative: the branch's own */
    size_t fits;
    const uint64_t *without; /* (fits) groups */
    const uint64_t *barred;  /* (fits) those of them whose rows are not even beside the others */
    size_t *first;           /* (fits + 1) its first row among those of a candidate */
    double
        *log_probability; /* (candidates, rows, classes): fit by fit, the trials left out in the set's order */
} inner_fits;

static bool left_out(const congru_set *set, const congru_evaluation_options *options, uint64_t groups,
                     size_t trial)
{
    return (groups & congru_group_of(set, options, set->subject[trial])) != 0;
}

static congru_status fail_memory(const inner_fits *f)
{
    return congru_fail(f->workers->caller, CONGRU_ERROR_MEMORY, "not enough memory to choose on %zu trials",
                       f->materials->set->count);
}

/* The trials that a fit is asked about. */
static bool asked(const inner_fits *f, size_t fit, size_t trial)
{
    return left_out(f->materials->set, f->options, f->without[fit] & ~f->barred[fit], trial);
}

/* The fits from `first` on that bar the same groups, of a classifier of features, on all threads: how many there are. */
static congru_status fit_features(const inner_fits *f, size_t first, size_t *fits)
{
    const congru_set *set = f->materials->set;
    size_t *place = malloc(set->count * sizeof *place), count = 0, rows = 0;
    int32_t *label = malloc(set->count * sizeof *label), *subject = malloc(set->count * sizeof *subject);
    for (*fits = 0; first + *fits < f->fits && f->barred[first + *fits] == f->barred[first]; ++*fits)
        rows += f->first[first + *fits + 1] - f->first[first + *fits];
    bool *used = malloc(*fits * set->count * sizeof *used);
    double *said = congru_memory_take((f->candidates * rows * set->classes + 1) * sizeof *said);
    congru_status status = place != NULL && label != NULL && subject != NULL && used != NULL && said != NULL
                               ? CONGRU_OK
                               : fail_memory(f);
    for (size_t t = 0; status == CONGRU_OK && t < set->count; t++)
        if (!left_out(set, f->options, f->barred[first], t)) {
            label[count] = set->label[t];
            subject[count] = set->subject[t];
            place[count++] = t;
        }
    for (size_t i = 0; status == CONGRU_OK && i < *fits; i++)
        for (size_t t = 0; t < count; t++)
            used[i * count + t] = !left_out(set, f->options, f->without[first + i], place[t]);
    const congru_features features = {.plain = f->material->feature,
                                      .place = count < set->count ? place : NULL,
                                      .size = f->material->features};
    const congru_trials trials = {.count = count,
                                  .d = set->dimension,
                                  .label = label,
                                  .subject = subject,
                                  .classes = set->classes,
                                  .subjects = set->subjects,
                                  .features = &features};
    if (status == CONGRU_OK)
        status = f->material->branch->classifier->fit_folds(f->workers->caller, &trials, &f->material->method,
                                                            f->candidates, f->c, *fits, used, said, NULL);
    for (size_t k = 0; status == CONGRU_OK && k < f->candidates; k++)
        memcpy(f->log_probability + (k * f->first[f->fits] + f->first[first]) * set->classes,
               said + k * rows * set->classes, rows * set->classes * sizeof *said);
    free(place);
    free(label);
    free(subject);
    free(used);
    congru_memory_give(said);
    return status;
}

static congru_status fit_counted(const inner_fits *f, const congru_fold_case *fold,
                                 congru_fold_aligned *aligned, congru_tensors *model)
{
    congru_trainings trainings;
    congru_trainings_begin(fold->context, f->material, &f->workers->stop->taken, &trainings);
    congru_status status = congru_branch_fit(fold, f->material, &f->material->method,
                                             f->material->branch->classifier->views, aligned, model);
    congru_trainings_end(&trainings);
    return status;
}

/* Job: one fit of any other branch, asked about each subject that it leaves out. */
static congru_status fit_one(void *user, size_t job, congru_context *context)
{
    const inner_fits *f = user;
    const congru_set *set = f->materials->set;
    congru_evaluation_options options = *f->options;
    options.target = CONGRU_TARGET_FULL;
    size_t *train = malloc(set->count * sizeof *train), *test = malloc(set->count * sizeof *test), count = 0;
    double *probability = malloc(set->count * set->classes * sizeof *probability);
    congru_fold_aligned *aligned = calloc(1, sizeof *aligned);
    congru_tensors model = {0};
    congru_status status = train != NULL && test != NULL && probability != NULL && aligned != NULL
                               ? CONGRU_OK
                               : congru_fail(context, CONGRU_ERROR_MEMORY, "not enough memory to choose");
    for (size_t t = 0; status == CONGRU_OK && t < set->count; t++)
        if (!left_out(set, f->options, f->without[job], t))
            train[count++] = t;
    congru_fold_case fold = {
        .context = context, .materials = f->materials, .options = &options, .train = {count, train}};
    if (status == CONGRU_OK)
        status = fit_counted(f, &fold, aligned, &model);
    for (size_t s = 0; status == CONGRU_OK && s < set->subjects; s++) {
        if ((f->without[job] & ~f->barred[job] & congru_group_of(set, f->options, (int32_t)s)) == 0)
            continue;
        fold.test = (congru_fold_side){0, test};
        for (size_t t = 0; t < set->count; t++)
            if (set->subject[t] == (int32_t)s)
                test[fold.test.count++] = t;
        if (fold.test.count > 0)
            status = congru_branch_ask(&fold, f->material, &f->material->method, aligned, &model, false,
                                       probability);
        for (size_t t = 0, row = f->first[job], k = 0; status == CONGRU_OK && t < set->count; t++) {
            if (!asked(f, job, t))
                continue;
            if (set->subject[t] == (int32_t)s)
                memcpy(f->log_probability + row * set->classes, probability + k++ * set->classes,
                       set->classes * sizeof *probability);
            row++;
        }
        for (size_t b = 0; aligned != NULL && b < f->material->blocks; b++)
            congru_fold_target_clear(&aligned->target[b]);
    }
    if (status == CONGRU_OK)
        congru_opinions_log((f->first[job + 1] - f->first[job]) * set->classes,
                            f->log_probability + f->first[job] * set->classes);
    congru_tensors_clear(&model);
    if (aligned != NULL)
        congru_fold_aligned_clear(aligned);
    free(aligned);
    free(train);
    free(test);
    free(probability);
    return status;
}

static congru_status run_fits(inner_fits *f)
{
    const congru_set *set = f->materials->set;
    f->first = calloc(f->fits + 1, sizeof *f->first);
    if (f->first == NULL)
        return fail_memory(f);
    for (size_t i = 0; i < f->fits; i++) {
        f->first[i + 1] = f->first[i];
        for (size_t t = 0; t < set->count; t++)
            f->first[i + 1] += asked(f, i, t);
    }
    f->log_probability =
        congru_memory_take((f->candidates * f->first[f->fits] * set->classes + 1) * sizeof *f->log_probability);
    if (f->log_probability == NULL)
        return fail_memory(f);
    if (f->material->feature == NULL || f->material->branch->classifier->fit_folds == NULL)
        return congru_workers_run(f->workers, f->fits, fit_one, f);
    congru_status status = CONGRU_OK;
    for (size_t i = 0, fits; status == CONGRU_OK && i < f->fits; i += fits)
        status = fit_features(f, i, &fits);
    return status;
}

static void clear_fits(inner_fits *f)
{
    free(f->first);
    congru_memory_give(f->log_probability);
}

/* ---- Choosing ------------------------------------------------------------------------------------------ */

typedef struct chooser {
    const congru_materials *materials;
    const congru_evaluation_options *options;
    inner_fits *of_material; /* (materials); of those that nobody asks for nothing */
    size_t fits;
    uint64_t *without, *barred;           /* (fits) */
    double *opinion[CONGRU_BRANCHES_MAX]; /* (trials, classes) */
    int32_t *label;                       /* (trials) */
} chooser;

/* What a candidate says of every trial that is neither shut out nor was seen; how many trials these are. */
static size_t gather(const chooser *c, const inner_fits *f, size_t candidate, uint64_t shut, double *opinion,
                     int32_t *label)
{
    const congru_set *set = c->materials->set;
    const size_t rows = f->first[f->fits];
    size_t count = 0;
    for (size_t g = 0; g < congru_groups(set, c->options); g++) {
        const uint64_t group = UINT64_C(1) << g;
        size_t fit = 0;
        if ((shut & group) != 0)
            continue;
        while (f->without[fit] != (shut | group) || (f->barred[fit] != 0 && f->barred[fit] != shut))
            fit++;
        for (size_t t = 0, row = candidate * rows + f->first[fit]; t < set->count; t++) {
            if (!asked(f, fit, t))
                continue;
            if (congru_group_of(set, c->options, set->subject[t]) == group) {
                memcpy(opinion + count * set->classes, f->log_probability + row * set->classes,
                       set->classes * sizeof *opinion);
                label[count++] = set->label[t];
            }
            row++;
        }
    }
    return count;
}

/* The candidate whose log-probabilities, times the factor that suits them best, make the labels likeliest. Nothing is known
 * of a branch about which nothing is chosen. */
static congru_status choose_c(congru_context *context, const chooser *c, const congru_pipeline *pipeline,
                              size_t branch, uint64_t shut, congru_choice *choice)
{
    const inner_fits *f = &c->of_material[pipeline->branch[branch].material];
    if (f->candidates == 0)
        return CONGRU_OK;
    bool free = chooses_c(f->material, pipeline);
    double least = INFINITY, weight[CONGRU_BRANCHES_MAX], loss;
    size_t best = f->candidates > 1 ? STATED : 0; /* the C that is stated */
    for (size_t k = 0; free && k < f->candidates; k++) {
        congru_opinions opinions = {
            .branches = 1, .classes = c->materials->set->classes, .log_probability = {c->opinion[branch]}};
        opinions.count = gather(c, f, k, shut, c->opinion[branch], c->label);
        congru_status status = congru_opinions_learn(context, &opinions, c->label, weight, &loss);
        if (status != CONGRU_OK)
            return status;
        if (loss < least) {
            least = loss;
            best = k;
        }
    }
    choice->c[branch] = free ? f->c[best] : -1;
    gather(c, f, best, shut, c->opinion[branch], c->label);
    return CONGRU_OK;
}

static congru_status choose(congru_context *context, const chooser *c, const congru_pipeline *pipeline,
                            uint64_t shut, congru_choice *choice)
{
    const congru_set *set = c->materials->set;
    size_t open = 0;
    double loss;
    congru_status status = CONGRU_OK;
    *choice = congru_choice_constant(pipeline);
    for (size_t g = 0; g < congru_groups(set, c->options); g++)
        open += (shut >> g & 1) == 0;
    if (open < 2) {
        for (size_t b = 0; b < pipeline->branches; b++)
            if (c->materials->material[pipeline->branch[b].material].method.c == 0)
                choice->c[b] = stated_none;
        congru_note(context, "Too few subjects are left to choose C and weights on: the constants are taken.");
        return CONGRU_OK;
    }
    for (size_t b = 0; status == CONGRU_OK && b < pipeline->branches; b++)
        status = choose_c(context, c, pipeline, b, shut, choice);
    congru_opinions opinions = {.branches = pipeline->branches, .classes = set->classes};
    for (size_t b = 0; b < pipeline->branches; b++)
        opinions.log_probability[b] = c->opinion[b];
    for (size_t t = 0; t < set->count; t++)
        opinions.count += !left_out(set, c->options, shut, t);
    if (status == CONGRU_OK && chooses_weights(pipeline))
        status = congru_opinions_learn(context, &opinions, c->label, choice->weight, &loss);
    choice->learned = true;
    return status;
}

/* Which fits are needed: without what is shut out and one group more. Where all of the target may be seen two of these may
 * be one, and its rows lie unused beside the others; elsewhere not even the last bit may feel them. */
static congru_status list_fits(congru_context *context, chooser *c, size_t shuts, const uint64_t *shut)
{
    const size_t groups = congru_groups(c->materials->set, c->options);
    c->without = calloc(shuts * groups + 1, sizeof *c->without);
    c->barred = calloc(shuts * groups + 1, sizeof *c->barred);
    if (c->without == NULL || c->barred == NULL)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "not enough memory for %zu fits", shuts * groups);
    for (size_t i = 0; i < shuts; i++) {
        const uint64_t barred = c->options->target == CONGRU_TARGET_FULL ? 0 : shut[i];
        size_t open = 0;
        for (size_t g = 0; g < groups; g++)
            open += (shut[i] >> g & 1) == 0;
        for (size_t g = 0; open >= 2 && g < groups; g++) {
            const uint64_t wanted = shut[i] | UINT64_C(1) << g;
            size_t k = 0;
            while (k < c->fits && (c->without[k] != wanted || c->barred[k] != barred))
                k++;
            if (wanted == shut[i] || k < c->fits)
                continue;
            c->barred[c->fits] = barred;
            c->without[c->fits++] = wanted;
        }
    }
    return CONGRU_OK;
}

/* Fits what a branch of a pipeline reads, unless another has, with several C where the pipeline chooses; nothing where neither
 * its C nor weights are chosen: a network is not trained in vain. */
static void want_fits(chooser *c, const congru_workers *workers, const congru_pipeline *pipeline, size_t branch)
{
    const congru_material *material = &c->materials->material[pipeline->branch[branch].material];
    inner_fits *f = &c->of_material[pipeline->branch[branch].material];
    if (!chooses_weights(pipeline) && !chooses_c(material, pipeline))
        return;
    if (f->candidates == 0)
        *f = (inner_fits){.workers = workers,
                          .materials = c->materials,
                          .options = c->options,
                          .material = material,
                          .candidates = 1,
                          .c = {material->method.c},
                          .fits = c->fits,
                          .without = c->without,
                          .barred = c->barred};
    if (!chooses_c(material, pipeline))
        return;
    for (f->candidates = 0; f->candidates < CONGRU_CANDIDATES; f->candidates++)
        f->c[f->candidates] =
            factors[f->candidates] * (material->method.c > 0 ? material->method.c : stated_none);
}

static congru_status fit_all(chooser *c, const congru_workers *workers, size_t count,
                             const congru_pipeline *const *pipeline)
{
    const congru_set *set = c->materials->set;
    bool enough = true;
    congru_status status = CONGRU_OK;
    c->label = malloc(set->count * sizeof *c->label);
    c->of_material = calloc(c->materials->materials, sizeof *c->of_material);
    for (size_t b = 0; b < CONGRU_BRANCHES_MAX; b++) {
        c->opinion[b] = congru_memory_take(set->count * set->classes * sizeof(double));
        enough = enough && c->opinion[b] != NULL;
    }
    if (!enough || c->label == NULL || c->of_material == NULL)
        return congru_fail(workers->caller, CONGRU_ERROR_MEMORY, "not enough memory to choose on %zu trials",
                           set->count);
    for (size_t p = 0; p < count; p++)
        for (size_t b = 0; b < pipeline[p]->branches; b++)
            want_fits(c, workers, pipeline[p], b);
    for (size_t m = 0; m < c->materials->materials; m++)
        if (c->of_material[m].candidates > 0)
            workers->stop->steps += c->fits * congru_trainings_steps(&c->materials->material[m]);
    for (size_t m = 0; status == CONGRU_OK && c->fits > 0 && m < c->materials->materials; m++) {
        workers->stop->material = m;
        if (c->of_material[m].candidates > 0)
            status = run_fits(&c->of_material[m]);
    }
    return status;
}

congru_status congru_choices_make(const congru_workers *workers, const congru_materials *materials,
                                  const congru_evaluation_options *options, size_t count,
                                  const congru_pipeline *const *pipeline, size_t shuts, const uint64_t *shut,
                                  congru_choice *choice)
{
    chooser c = {.materials = materials, .options = options};
    congru_status status = list_fits(workers->caller, &c, shuts, shut);
    if (status == CONGRU_OK)
        status = fit_all(&c, workers, count, pipeline);
    for (size_t p = 0; p < count; p++)
        for (size_t i = 0; status == CONGRU_OK && i < shuts; i++)
            status = choose(workers->caller, &c, pipeline[p], shut[i], &choice[p * shuts + i]);
    for (size_t m = 0; c.of_material != NULL && m < materials->materials; m++)
        clear_fits(&c.of_material[m]);
    for (size_t b = 0; b < CONGRU_BRANCHES_MAX; b++)
        congru_memory_give(c.opinion[b]);
    free(c.of_material);
    free(c.label);
    free(c.without);
    free(c.barred);
    return status;
}
