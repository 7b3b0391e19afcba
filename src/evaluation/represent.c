/* Where a pipeline puts the trials. SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "dataset/set_check.h"
#include "evaluation/fit.h"
#include "spd/view_load.h"

/* Trials of the sources, and those of the target subject. */
typedef struct representation {
    congru_executor executor;
    congru_materials materials;
    congru_aligned aligned;
    congru_tensors fitted;
    size_t *trial; /* (count) the sources' places in the set, then the target's */
    double *covariance;
} representation;

static congru_status check(congru_context *context, const congru_set *set, const congru_branch *branch,
                           const char *name, int32_t subject)
{
    if (set->covariance == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "the set holds no covariances");
    CONGRU_TRY(congru_set_check(context, set));
    if (subject < 0 || (size_t)subject >= set->subjects || set->subjects < 2)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "subject %d: the set has %zu, of which one is left out", (int)subject,
                           set->subjects);
    if (branch->aligner->labels)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "pipeline '%s' asks for labels of the target subject", name);
    if (!congru_branch_reads(branch, CONGRU_NEEDS_COVARIANCES) ||
        (branch->classifier->end_to_end && branch->classifier->embed_target == NULL))
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "pipeline '%s' puts no covariances anywhere that could be shown", name);
    return CONGRU_OK;
}

/* What a fold without the subject aligns, out (count, d, d) by the order of `trial`; of an end-to-end model, where its network
 * puts it before its head. */
static congru_status align(const congru_set *set, const congru_branch *branch, int32_t left_out,
                           representation *r)
{
    const congru_material *m = &r->materials.material[0];
    const congru_classifier *classifier = branch->classifier;
    congru_context *context = r->executor.context;
    const size_t size = set->dimension * set->dimension;
    congru_trial_list part[2] = {{0, r->trial}, {0, NULL}};
    for (int target = 0; target < 2; target++) {
        size_t *trial = r->trial + (target ? part[0].count : 0);
        for (size_t i = 0; i < set->count; i++)
            if ((set->subject[i] == left_out) == target)
                trial[part[target].count++] = i;
        part[target].trial = trial;
    }
    double *of_target = r->covariance + part[0].count * size;
    if (classifier->end_to_end) {
        CONGRU_TRY(congru_fit(&r->executor, m, m->method.c, part[0], &r->aligned, &r->fitted, NULL));
        CONGRU_TRY(congru_align_target(&r->executor, m, &r->fitted, part[1], &r->aligned));
        CONGRU_TRY(classifier->embed_sources(classifier, context, &r->fitted, &r->aligned.source[0].trials,
                                             r->covariance));
        return classifier->embed_target(classifier, context, &r->fitted, &r->aligned.target[0], of_target);
    }
    CONGRU_TRY(congru_align(&r->executor, m, part[0], false, &r->aligned));
    CONGRU_TRY(congru_align_target(&r->executor, m, &r->aligned.tensors, part[1], &r->aligned));
    const congru_view sources = congru_trials_view(&r->aligned.source[0].trials);
    memcpy(of_target, r->aligned.block[0].covariance, part[1].count * size * sizeof *of_target);
    return congru_view_copy(context, part[0].count, set->dimension, &sources, r->covariance);
}

static congru_status represent(congru_context *context, const congru_set *set,
                               const congru_evaluation_options *options, const char *name, int32_t subject,
                               congru_pipeline *pipeline, representation *r)
{
    const size_t size = set->dimension * set->dimension;
    congru_workers workers;
    size_t index;
    CONGRU_TRY(congru_method_options_check(context, &options->method));
    if (options->method.choose[0] != '\0')
        return congru_fail(
            context, CONGRU_ERROR_ARGUMENT,
            "what is chosen on source subjects is chosen where a pipeline is scored or a model fitted "
            "(give the option its value here)");
    CONGRU_TRY(congru_pipeline_parse(context, name, pipeline));
    CONGRU_TRY(check(context, set, &pipeline->branch[0], name, subject));
    CONGRU_TRY(congru_allocate(context, &r->trial, set->count, sizeof *r->trial, "%zu trials", set->count));
    CONGRU_TRY(
        congru_take(context, &r->covariance, set->count * size, sizeof(double), "%zu trials", set->count));
    CONGRU_TRY(congru_materials_begin(context, set, options->align_by_session, true, &r->materials));
    CONGRU_TRY(congru_materials_want(context, &options->method, &pipeline->branch[0], &r->materials, &index));
    CONGRU_TRY(congru_workers_start(context, set->subjects, &workers));
    congru_status status = congru_materials_make(&workers, &r->materials);
    congru_workers_end(&workers);
    CONGRU_TRY(status);
    r->executor =
        (congru_executor){.context = context, .materials = &r->materials, .target = CONGRU_TARGET_FULL};
    return align(set, &pipeline->branch[0], subject, r);
}

congru_status congru_pipeline_represent(congru_context *context, const congru_set *set,
                                        const congru_evaluation_options *options, const char *name,
                                        int32_t subject, double *out)
{
    congru_pipeline pipeline = {0};
    representation *r;
    if (context == NULL || set == NULL || options == NULL || name == NULL || out == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "no set, options, pipeline or output given");
    const size_t size = set->dimension * set->dimension;
    CONGRU_TRY(congru_allocate(context, &r, 1, sizeof *r, "%zu trials", set->count));
    const congru_status status = represent(context, set, options, name, subject, &pipeline, r);
    for (size_t i = 0; status == CONGRU_OK && i < set->count; i++)
        memcpy(out + r->trial[i] * size, r->covariance + i * size, size * sizeof *out);
    congru_tensors_clear(&r->fitted);
    congru_aligned_clear(&r->aligned);
    congru_materials_clear(&r->materials);
    congru_memory_give(r->covariance);
    free(r->trial);
    free(r);
    congru_pipeline_clear(&pipeline);
    return status;
}
