/* Aligns, fits and asks one branch in one fold. SPDX-License-Identifier: Apache-2.0 */
#include "evaluation/fold_branch.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void congru_fold_aligned_clear(congru_fold_aligned *aligned)
{
    for (size_t b = 0; b < CONGRU_BLOCKS_MAX; b++) {
        congru_fold_sources_clear(&aligned->source[b]);
        congru_fold_target_clear(&aligned->target[b]);
        free(aligned->prior[b]);
        aligned->prior[b] = NULL;
    }
    congru_tensors_clear(&aligned->model);
    congru_record_clear(&aligned->record);
    aligned->material = NULL;
    aligned->seconds = 0;
}

static congru_status fail_memory(const congru_fold_case *fold)
{
    return congru_fail(fold->context, CONGRU_ERROR_MEMORY, "not enough memory for a fold of %zu trials",
                       fold->train.count + fold->test.count);
}

static congru_fold_setting setting_of(const congru_fold_case *fold, const congru_material *material,
                                      const congru_method_options *method, size_t block, bool views)
{
    return (congru_fold_setting){.context = fold->context,
                                 .prepared = congru_material_block(fold->materials, material, block),
                                 .options = fold->options,
                                 .method = method,
                                 .aligner = material->branch->aligner,
                                 .views = views && material->branch->classifier->features == NULL};
}

bool congru_branch_shares(const congru_fold_case *fold, const congru_material *material)
{
    const congru_fold_setting setting = setting_of(fold, material, &material->method, 0, false);
    return material->feature != NULL && (material->branch->aligner->recentring == NULL ||
                                         congru_fold_target_mode(&setting) == CONGRU_TARGET_FULL);
}

/* ---- Fitting ------------------------------------------------------------------------------------------- */

/* One block of the trials fitted on: what the shared features do not make needless. */
static congru_status align_block(const congru_fold_case *fold, const congru_material *material,
                                 const congru_method_options *method, size_t block, bool views,
                                 congru_fold_aligned *aligned)
{
    const congru_fold_setting setting = setting_of(fold, material, method, block, views);
    const size_t d = setting.prepared->d;
    congru_status status = CONGRU_OK;
    aligned->prior[block] = malloc(d * d * sizeof(double));
    if (aligned->prior[block] == NULL)
        return fail_memory(fold);
    if (material->feature == NULL)
        return congru_fold_sources_align(&setting, fold->train.count, fold->train.trial, &aligned->model,
                                         aligned->prior[block], fold->record != NULL ? &aligned->record : NULL,
                                         &aligned->source[block]);
    if (setting.aligner->recentring != NULL)
        status = congru_fold_prior(&setting, fold->train.count, fold->train.trial, aligned->prior[block]);
    if (status == CONGRU_OK && block == 0)
        status = congru_fold_sources_list(&setting, fold->train.count, fold->train.trial, &aligned->source[0]);
    return status;
}

static bool serves(const congru_fold_aligned *aligned, const congru_material *material)
{
    const congru_material *have = aligned->material;
    return have != NULL && congru_same_but_c(&have->method, &material->method) &&
           have->branch->aligner == material->branch->aligner && have->blocks == material->blocks &&
           memcmp(have->block, material->block, have->blocks * sizeof have->block[0]) == 0 &&
           (have->feature != NULL) == (material->feature != NULL) &&
           (have->branch->classifier->features != NULL) == (material->branch->classifier->features != NULL);
}

congru_status congru_branch_align(const congru_fold_case *fold, const congru_material *material,
                                  const congru_method_options *method, bool views, congru_fold_aligned *aligned)
{
    congru_status status = CONGRU_OK;
    if (serves(aligned, material))
        return CONGRU_OK;
    double start = congru_seconds();
    congru_fold_aligned_clear(aligned);
    for (size_t b = 0; status == CONGRU_OK && b < material->blocks; b++)
        status = align_block(fold, material, method, b, views, aligned);
    aligned->material = material;
    aligned->seconds = congru_seconds() - start;
    return status;
}

/* Features of trials as the fold has aligned them: x (count, features), the blocks side by side. */
static congru_status join_features(const congru_fold_case *fold, const congru_material *material,
                                   const congru_method_options *method, size_t count,
                                   const congru_target_trials *block, double **x)
{
    congru_status status = CONGRU_OK;
    *x = congru_memory_take((count + 1) * material->features * sizeof **x);
    if (*x == NULL)
        return fail_memory(fold);
    for (size_t b = 0; status == CONGRU_OK && b < material->blocks; b++)
        status = material->branch->classifier->features(fold->context, &block[b], method, material->features,
                                                        *x + material->first[b]);
    return status;
}

/* On rows that all folds share, or on this fold's own. */
static congru_status fit_features(const congru_fold_case *fold, const congru_material *material,
                                  const congru_method_options *method, const congru_fold_aligned *aligned,
                                  congru_tensors *model)
{
    congru_features rows = {.plain = material->feature, .place = fold->train.trial, .size = material->features};
    congru_target_trials block[CONGRU_BLOCKS_MAX];
    double *x = NULL;
    congru_status status = CONGRU_OK;
    for (size_t b = 0; b < material->blocks; b++) {
        const congru_trials *trials = &aligned->source[b].trials;
        block[b] = (congru_target_trials){.count = trials->count,
                                          .d = trials->d,
                                          .covariance = trials->covariance,
                                          .signals = trials->signals};
    }
    if (material->feature == NULL) {
        status = join_features(fold, material, method, fold->train.count, block, &x);
        rows = (congru_features){.plain = x, .size = material->features};
    }
    congru_trials trials = aligned->source[0].trials;
    trials.covariance = NULL;
    trials.view = NULL;
    trials.signals = NULL;
    trials.features = &rows;
    if (status == CONGRU_OK)
        status = material->branch->classifier->fit(material->branch->classifier, fold->context, &trials, method,
                                                   model, fold->record);
    congru_memory_give(x);
    return status;
}

congru_status congru_branch_fit(const congru_fold_case *fold, const congru_material *material,
                                const congru_method_options *method, bool views, congru_fold_aligned *aligned,
                                congru_tensors *model)
{
    congru_status status = congru_branch_align(fold, material, method, views, aligned);
    if (status == CONGRU_OK && fold->record != NULL)
        status = congru_record_copy(fold->context, &aligned->record, fold->record);
    if (status != CONGRU_OK)
        return status;
    const congru_classifier *classifier = material->branch->classifier;
    return material->features > 0 ? fit_features(fold, material, method, aligned, model)
                                  : classifier->fit(classifier, fold->context, &aligned->source[0].trials,
                                                    method, model, fold->record);
}

/* ---- Asking -------------------------------------------------------------------------------------------- */

congru_status congru_branch_ask(const congru_fold_case *fold, const congru_material *material,
                                const congru_method_options *method, congru_fold_aligned *aligned,
                                const congru_tensors *model, bool labelled, double *probability)
{
    const congru_classifier *classifier = material->branch->classifier;
    congru_features rows = {.plain = material->feature, .place = fold->test.trial, .size = material->features};
    congru_target_trials block[CONGRU_BLOCKS_MAX];
    congru_status status = CONGRU_OK;
    double *x = NULL;
    bool shares = congru_branch_shares(fold, material);
    for (size_t b = 0; status == CONGRU_OK && !shares && b < material->blocks; b++) {
        const congru_fold_setting setting = setting_of(fold, material, method, b, false);
        if (aligned->target[b].target.count == 0)
            status = congru_fold_target_align(&setting, fold->test.count, fold->test.trial, labelled,
                                              &aligned->model, aligned->prior[b], &aligned->target[b]);
        block[b] = aligned->target[b].target;
    }
    if (status != CONGRU_OK)
        return status;
    if (material->features == 0)
        return classifier->predict(classifier, fold->context, model, &block[0], probability);
    if (!shares) {
        status = join_features(fold, material, method, fold->test.count, block, &x);
        rows = (congru_features){.plain = x, .size = material->features};
    }
    const congru_target_trials target = {.count = fold->test.count,
                                         .d = congru_material_block(fold->materials, material, 0)->d,
                                         .features = &rows};
    if (status == CONGRU_OK)
        status = classifier->predict(classifier, fold->context, model, &target, probability);
    congru_memory_give(x);
    return status;
}
