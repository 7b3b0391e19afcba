/* Aligns, fits and asks one branch in one fold. SPDX-License-Identifier: Apache-2.0 */
#include "evaluation/fold_branch.h"

#include <stdlib.h>
#include <string.h>

#include "base/bank.h"

void congru_fold_aligned_clear(congru_fold_aligned *aligned)
{
    for (size_t b = 0; b < CONGRU_BLOCKS_MAX; b++) {
        congru_fold_sources_clear(&aligned->source[b]);
        congru_fold_target_clear(&aligned->target[b]);
        free(aligned->prior[b]);
        aligned->prior[b] = NULL;
    }
    congru_tensors_clear(&aligned->model);
    aligned->material = NULL;
    aligned->seconds = aligned->sources = aligned->fitting = 0;
}

static congru_status fail_memory(const congru_fold_case *fold)
{
    return congru_fail(fold->context, CONGRU_ERROR_MEMORY, "not enough memory for a fold of %zu trials",
                       fold->train.count + fold->test.count);
}

static congru_fold_setting setting_of(const congru_fold_case *fold, const congru_material *material,
                                      size_t block, bool views)
{
    return (congru_fold_setting){.context = fold->context,
                                 .prepared = congru_material_block(fold->materials, material, block),
                                 .options = fold->options,
                                 .method = &material->method,
                                 .aligner = material->branch->aligner,
                                 .views = views && material->branch->classifier->features == NULL};
}

/* Whether the features of the trials fitted on are those that all folds share; of those asked about, too. */
static bool shares_sources(const congru_material *material)
{
    return material->feature != NULL;
}

static bool shares_target(const congru_material *material, const congru_fold_setting *setting)
{
    return material->feature != NULL && (material->branch->aligner->recentring == NULL ||
                                         congru_fold_target_mode(setting) == CONGRU_TARGET_FULL);
}

/* One block of both sides: what the shared features do not make needless. */
static congru_status align_block(const congru_fold_case *fold, const congru_material *material, size_t block,
                                 bool views, congru_fold_aligned *aligned)
{
    const congru_fold_setting setting = setting_of(fold, material, block, views);
    const size_t d = setting.prepared->d;
    congru_status status = CONGRU_OK;
    aligned->prior[block] = malloc(d * d * sizeof(double));
    if (aligned->prior[block] == NULL)
        return fail_memory(fold);
    const double start = congru_seconds();
    if (!shares_sources(material))
        status = congru_fold_sources_align(&setting, fold->train.count, fold->train.trial, &aligned->model,
                                           aligned->prior[block], fold->record, &aligned->source[block]);
    else if (!shares_target(material, &setting))
        status = congru_fold_prior(&setting, fold->train.count, fold->train.trial, aligned->prior[block]);
    if (status == CONGRU_OK && shares_sources(material) && block == 0)
        status = congru_fold_sources_list(&setting, fold->train.count, fold->train.trial, &aligned->source[0]);
    aligned->sources += congru_seconds() - start;
    if (status == CONGRU_OK && !shares_target(material, &setting))
        status = congru_fold_target_align(&setting, fold->test.count, fold->test.trial, true, &aligned->model,
                                          aligned->prior[block], &aligned->target[block]);
    return status;
}

static bool serves(const congru_fold_aligned *aligned, const congru_material *material)
{
    const congru_material *have = aligned->material;
    return have != NULL && have->branch->aligner == material->branch->aligner &&
           have->blocks == material->blocks &&
           memcmp(have->block, material->block, have->blocks * sizeof have->block[0]) == 0 &&
           (have->feature != NULL) == (material->feature != NULL) &&
           (have->branch->classifier->features != NULL) == (material->branch->classifier->features != NULL);
}

static congru_status align(const congru_fold_case *fold, const congru_material *material, bool views,
                           congru_fold_aligned *aligned)
{
    congru_status status = CONGRU_OK;
    if (serves(aligned, material))
        return CONGRU_OK;
    double start = congru_seconds();
    congru_fold_aligned_clear(aligned);
    for (size_t b = 0; status == CONGRU_OK && b < material->blocks; b++)
        status = align_block(fold, material, b, views, aligned);
    aligned->material = material;
    aligned->seconds = congru_seconds() - start;
    return status;
}

/* Features of trials as the fold has aligned them: x (count, features), the blocks side by side. */
static congru_status join_features(const congru_fold_case *fold, const congru_material *material, size_t count,
                                   const congru_newcomer *(*at)(const congru_fold_aligned *, size_t block,
                                                                congru_newcomer *room),
                                   const congru_fold_aligned *aligned, double **x)
{
    congru_status status = CONGRU_OK;
    congru_newcomer room;
    *x = congru_memory_take((count + 1) * material->features * sizeof **x);
    if (*x == NULL)
        return fail_memory(fold);
    for (size_t b = 0; status == CONGRU_OK && b < material->blocks; b++)
        status = material->branch->classifier->features(fold->context, at(aligned, b, &room), &material->method,
                                                        material->features, *x + material->first[b]);
    return status;
}

static const congru_newcomer *source_at(const congru_fold_aligned *aligned, size_t block, congru_newcomer *room)
{
    const congru_trials *trials = &aligned->source[block].trials;
    *room = (congru_newcomer){
        .count = trials->count, .d = trials->d, .covariance = trials->covariance, .signals = trials->signals};
    return room;
}

static const congru_newcomer *target_at(const congru_fold_aligned *aligned, size_t block, congru_newcomer *room)
{
    (void)room;
    return &aligned->target[block].newcomer;
}

/* A classifier of features: fitted on rows that all folds share, or on this fold's own. */
static congru_status ask_features(const congru_fold_case *fold, const congru_material *material,
                                  congru_fold_aligned *aligned, double *probability)
{
    const congru_classifier *classifier = material->branch->classifier;
    const congru_fold_setting setting = setting_of(fold, material, 0, false);
    congru_features source = {
        .plain = material->feature, .place = fold->train.trial, .size = material->features};
    congru_features target = {
        .plain = material->feature, .place = fold->test.trial, .size = material->features};
    congru_tensors model = {0};
    double *x = NULL, *y = NULL;
    congru_status status = CONGRU_OK;
    if (!shares_sources(material)) {
        status = join_features(fold, material, fold->train.count, source_at, aligned, &x);
        source = (congru_features){.plain = x, .size = material->features};
    }
    if (status == CONGRU_OK && !shares_target(material, &setting)) {
        status = join_features(fold, material, fold->test.count, target_at, aligned, &y);
        target = (congru_features){.plain = y, .size = material->features};
    }
    congru_trials trials = aligned->source[0].trials;
    trials.covariance = NULL;
    trials.view = NULL;
    trials.signals = NULL;
    trials.features = &source;
    const congru_newcomer newcomer = {.count = fold->test.count, .d = trials.d, .features = &target};
    const double start = congru_seconds();
    if (status == CONGRU_OK)
        status = classifier->fit(fold->context, &trials, &material->method, &model, fold->record);
    aligned->fitting = congru_seconds() - start;
    if (status == CONGRU_OK)
        status = classifier->predict(fold->context, &model, &newcomer, probability);
    congru_tensors_clear(&model);
    congru_memory_give(x);
    congru_memory_give(y);
    return status;
}

static congru_status ask(const congru_fold_case *fold, const congru_material *material,
                         congru_fold_aligned *aligned, double *probability)
{
    const congru_classifier *classifier = material->branch->classifier;
    congru_tensors model = {0};
    const double start = congru_seconds();
    congru_status status =
        classifier->fit(fold->context, &aligned->source[0].trials, &material->method, &model, fold->record);
    aligned->fitting = congru_seconds() - start;
    if (status == CONGRU_OK)
        status = classifier->predict(fold->context, &model, &aligned->target[0].newcomer, probability);
    congru_tensors_clear(&model);
    return status;
}

congru_status congru_fold_branch(const congru_fold_case *fold, const congru_material *material, bool views,
                                 congru_fold_aligned *aligned, double *probability)
{
    congru_status status = align(fold, material, views, aligned);
    if (status != CONGRU_OK)
        return status;
    return material->features > 0 ? ask_features(fold, material, aligned, probability)
                                  : ask(fold, material, aligned, probability);
}
