/* Where a pipeline puts the trials. SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "dataset/set_check.h"
#include "evaluation/pipeline.h"
#include "evaluation/prepare.h"

/* Trials of the sources, then those of the target subject, each in the order of the set. */
typedef struct representation {
    congru_trials sources;
    congru_target_trials target;
    size_t *trial; /* (count) its index in the set */
    double *covariance;
    int32_t *label, *subject;
    congru_tensors model;
} representation;

static void clear(representation *r)
{
    free(r->trial);
    congru_memory_give(r->covariance);
    free(r->label);
    free(r->subject);
    congru_tensors_clear(&r->model);
}

static congru_status check(congru_context *context, const congru_set *set, const congru_pipeline *pipeline,
                           const char *name, int32_t subject)
{
    if (set->covariance == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "the set holds no covariances");
    congru_status status = congru_set_check(context, set);
    if (status != CONGRU_OK)
        return status;
    if (subject < 0 || (size_t)subject >= set->subjects || set->subjects < 2)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "subject %d: the set has %zu, of which one is left out", (int)subject,
                           set->subjects);
    if (pipeline->aligner->labels)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "pipeline '%s' asks for labels of the target subject", name);
    if (pipeline->classifier->needs == CONGRU_NEEDS_SIGNALS ||
        (pipeline->classifier->end_to_end && pipeline->classifier->embed_target == NULL))
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "pipeline '%s' puts no covariances anywhere that could be shown", name);
    return CONGRU_OK;
}

/* Each subject's trials, or each session's of a subject, in place. */
static congru_status recentre(congru_context *context, const congru_set *set,
                              const congru_recentring *recentring, const congru_evaluation_options *options,
                              double *covariance)
{
    congru_domains found;
    congru_status status = congru_domains_find(context, set, options->align_by_session, &found);
    if (status != CONGRU_OK) {
        congru_domains_clear(&found);
        return status;
    }
    const size_t domains = found.count;
    const congru_trials trials = {.count = set->count,
                                  .d = set->dimension,
                                  .covariance = covariance,
                                  .subject = found.of_trial,
                                  .subjects = domains};
    double *reference = congru_memory_take(domains * set->dimension * set->dimension * sizeof *reference);
    status = reference != NULL
                 ? recentring->references(context, &options->method, &trials, reference)
                 : congru_fail(context, CONGRU_ERROR_MEMORY, "not enough memory for %zu references", domains);
    if (status == CONGRU_OK)
        status = congru_recentre_sources(context, &trials, reference, covariance);
    congru_memory_give(reference);
    congru_domains_clear(&found);
    return status;
}

/* Recentred where the aligner wants it; subjects numbered anew without the one left out. */
static congru_status gather(congru_context *context, const congru_set *set, const congru_pipeline *pipeline,
                            const congru_evaluation_options *options, int32_t left_out, double *out,
                            representation *r)
{
    size_t size = set->dimension * set->dimension, place = 0, sources = 0;
    r->trial = malloc(set->count * sizeof *r->trial);
    r->covariance = congru_memory_take(set->count * size * sizeof *r->covariance);
    r->label = malloc(set->count * sizeof *r->label);
    r->subject = malloc(set->count * sizeof *r->subject);
    if (r->trial == NULL || r->covariance == NULL || r->label == NULL || r->subject == NULL)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "not enough memory for %zu trials", set->count);
    memcpy(out, set->covariance, set->count * size * sizeof *out);
    congru_status status = CONGRU_OK;
    if (pipeline->aligner->recentring != NULL)
        status = recentre(context, set, pipeline->aligner->recentring, options, out);
    for (int target = 0; target < 2; target++) {
        for (size_t i = 0; i < set->count; i++) {
            if ((set->subject[i] == left_out) != target)
                continue;
            memcpy(r->covariance + place * size, out + i * size, size * sizeof *out);
            r->label[place] = set->label[i];
            r->subject[place] = set->subject[i] - (set->subject[i] > left_out);
            r->trial[place++] = i;
        }
        sources = target ? sources : place;
    }
    r->sources = (congru_trials){.count = sources,
                                 .d = set->dimension,
                                 .covariance = r->covariance,
                                 .label = r->label,
                                 .subject = r->subject,
                                 .classes = set->classes,
                                 .subjects = set->subjects - 1,
                                 .class_name = (const char(*)[CONGRU_LABEL_SIZE])set->class_name};
    r->target = (congru_target_trials){
        .count = set->count - sources, .d = set->dimension, .covariance = r->covariance + sources * size};
    congru_target_see(&r->target, CONGRU_TARGET_FULL);
    return status;
}

/* The network of an end-to-end model, without its head. */
static congru_status map_end_to_end(congru_context *context, const congru_classifier *classifier,
                                    const congru_method_options *options, representation *r)
{
    size_t size = r->sources.d * r->sources.d;
    congru_status status = classifier->fit(classifier, context, &r->sources, options, &r->model, NULL);
    if (status == CONGRU_OK)
        status = classifier->embed_sources(classifier, context, &r->model, &r->sources, r->covariance);
    if (status == CONGRU_OK)
        status = classifier->embed_target(classifier, context, &r->model, &r->target,
                                          r->covariance + r->sources.count * size);
    return status;
}

congru_status congru_pipeline_represent(congru_context *context, const congru_set *set,
                                        const congru_evaluation_options *options, const char *name,
                                        int32_t subject, double *out)
{
    congru_pipeline pipeline = {0};
    representation r = {0};
    if (context == NULL || set == NULL || options == NULL || name == NULL || out == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "no set, options, pipeline or output given");
    size_t size = set->dimension * set->dimension;
    congru_status status = congru_method_options_check(context, &options->method);
    if (status == CONGRU_OK && options->method.choose[0] != '\0')
        status = congru_fail(
            context, CONGRU_ERROR_ARGUMENT,
            "what is chosen on source subjects is chosen where a pipeline is scored or a model fitted "
            "(give the option its value here)");
    if (status == CONGRU_OK)
        status = congru_pipeline_parse(context, name, &pipeline);
    if (status == CONGRU_OK)
        status = check(context, set, &pipeline, name, subject);
    if (status == CONGRU_OK)
        status = gather(context, set, &pipeline, options, subject, out, &r);
    if (status == CONGRU_OK && pipeline.classifier->end_to_end) {
        status = map_end_to_end(context, pipeline.classifier, &options->method, &r);
    } else if (status == CONGRU_OK) {
        status = congru_pipeline_align(context, pipeline.aligner, &r.sources, r.covariance, &options->method,
                                       &r.model, NULL);
        if (status == CONGRU_OK)
            status = congru_pipeline_map(context, pipeline.aligner, &r.model, &r.target,
                                         r.covariance + r.sources.count * size);
    }
    for (size_t i = 0; status == CONGRU_OK && i < set->count; i++)
        memcpy(out + r.trial[i] * size, r.covariance + i * size, size * sizeof *out);
    clear(&r);
    congru_pipeline_clear(&pipeline);
    return status;
}
