/* Pipelines by name, fitted and asked. SPDX-License-Identifier: Apache-2.0 */
#include "evaluation/pipeline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "network/network.h"

static congru_status fail_unknown(congru_context *context, const char *pipeline, const char *kind,
                                  const char *found, const char *(*at)(size_t index))
{
    char known[256] = "";
    for (size_t i = 0; at(i) != NULL; i++) {
        size_t size = strlen(known);
        snprintf(known + size, sizeof known - size, "%s%s", i > 0 ? ", " : "", at(i));
    }
    return congru_fail(context, CONGRU_ERROR_ARGUMENT, "pipeline '%s': there is no %s '%s' (%s)", pipeline,
                       kind, found, known);
}

/* Whether the classifier reads what the aligner aligns; `none` aligns nothing. */
static bool go_together(const congru_aligner *aligner, const congru_classifier *classifier)
{
    bool aligns = aligner->recentring != NULL || aligner->fit != NULL || aligner->map_newcomer != NULL;
    return !aligns || aligner->needs == classifier->needs;
}

static const char *needs_name(congru_needs needs)
{
    return needs == CONGRU_NEEDS_SIGNALS ? "signals" : "covariances";
}

/* An end-to-end classifier brings the aligner that it stands behind. */
static congru_status take_end_to_end(congru_context *context, const char *name, bool has_aligner,
                                     congru_pipeline *pipeline)
{
    const char *behind = pipeline->classifier->aligner;
    pipeline->aligner = congru_aligner_find(behind != NULL ? behind : "ra");
    if (has_aligner)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "pipeline '%s': %s holds its own aligner (write '%s' alone)", name,
                           pipeline->classifier->name, pipeline->classifier->name);
    return CONGRU_OK;
}

static congru_status parse_name(congru_context *context, const char *name, congru_pipeline *pipeline)
{
    char aligner[CONGRU_PIPELINE_SIZE] = "";
    const char *plus = strchr(name, '+'), *classifier = plus != NULL ? plus + 1 : name;
    if (strlen(name) >= CONGRU_PIPELINE_SIZE)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "pipeline '%.40s...': too long a name", name);
    if (plus != NULL)
        snprintf(aligner, sizeof aligner, "%.*s", (int)(plus - name), name);
    pipeline->aligner = plus != NULL ? congru_aligner_find(aligner) : NULL;
    pipeline->classifier = congru_classifier_find(classifier);
    if (plus != NULL && pipeline->aligner == NULL)
        return fail_unknown(context, name, "aligner", aligner, congru_aligner_name);
    if (pipeline->classifier == NULL)
        return fail_unknown(context, name, "classifier", classifier, congru_classifier_name);
    if (pipeline->classifier->end_to_end)
        return take_end_to_end(context, name, plus != NULL, pipeline);
    if (plus == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "pipeline '%s': the aligner is missing (write '%s+%s', or 'none+%s')", name,
                           pipeline->classifier->needs == CONGRU_NEEDS_SIGNALS ? "ea" : "ra", classifier,
                           classifier);
    if (!go_together(pipeline->aligner, pipeline->classifier))
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "pipeline '%s': %s aligns %s, and %s reads %s (write 'none+%s', or another aligner)",
                           name, aligner, needs_name(pipeline->aligner->needs), classifier,
                           needs_name(pipeline->classifier->needs), classifier);
    return CONGRU_OK;
}

congru_status congru_pipeline_parse(congru_context *context, const char *name, congru_pipeline *pipeline)
{
    *pipeline = (congru_pipeline){0};
    congru_status status = parse_name(context, name, pipeline);
    if (status != CONGRU_OK)
        return status;
    pipeline->branches = 1;
    pipeline->branch[0] =
        (congru_branch){.aligner = pipeline->aligner, .classifier = pipeline->classifier, .c = -1, .weight = 1};
    return CONGRU_OK;
}

void congru_pipeline_clear(congru_pipeline *pipeline)
{
    for (size_t i = 0; i < pipeline->branches; i++) {
        for (size_t b = 0; b < pipeline->branch[i].blocks; b++)
            congru_preprocessing_clear(&pipeline->branch[i].block[b]);
        free(pipeline->branch[i].block);
    }
    *pipeline = (congru_pipeline){0};
}

bool congru_branch_same_method(const congru_branch *a, const congru_branch *b)
{
    return a->aligner == b->aligner && a->classifier == b->classifier && a->c == b->c;
}

void congru_branch_options(const congru_branch *branch, congru_method_options *options)
{
    if (branch->c >= 0)
        options->c = branch->c;
}

bool congru_pipeline_trains(const congru_pipeline *pipeline)
{
    return pipeline->aligner->network != NULL || pipeline->classifier->network != NULL;
}

congru_status congru_pipeline_check(congru_context *context, const char *name)
{
    congru_pipeline pipeline;
    if (name == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "no pipeline given");
    congru_status status = congru_pipeline_parse(context, name, &pipeline);
    congru_pipeline_clear(&pipeline);
    return status;
}

congru_status congru_pipeline_describe(congru_context *context, const char *name,
                                       congru_pipeline_description *description)
{
    congru_pipeline pipeline;
    if (name == NULL || description == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "no pipeline or description given");
    congru_status status = congru_pipeline_parse(context, name, &pipeline);
    if (status != CONGRU_OK)
        return status;
    const congru_aligner *aligner = pipeline.aligner;
    const congru_classifier *classifier = pipeline.classifier;
    *description = (congru_pipeline_description){
        .aligner = aligner->name,
        .classifier = classifier->name,
        .network = aligner->network != NULL ? aligner->network : classifier->network,
        .end_to_end = classifier->end_to_end,
        .target_labels = aligner->labels,
        .needs_signals = classifier->needs == CONGRU_NEEDS_SIGNALS,
        .embeds = classifier->needs == CONGRU_NEEDS_COVARIANCES && !aligner->labels &&
                  (!classifier->end_to_end || classifier->embed_newcomer != NULL),
    };
    congru_pipeline_clear(&pipeline);
    return CONGRU_OK;
}

bool congru_pipeline_at(size_t index, bool classical, char name[CONGRU_PIPELINE_SIZE])
{
    size_t seen = 0;
    if (name == NULL)
        return false;
    for (size_t a = 0; congru_aligner_at(a) != NULL; a++) {
        for (size_t c = 0; congru_classifier_at(c) != NULL; c++) {
            const congru_classifier *classifier = congru_classifier_at(c);
            if (classifier->end_to_end || (classical && congru_aligner_at(a)->network != NULL) ||
                !go_together(congru_aligner_at(a), classifier) || seen++ != index)
                continue;
            snprintf(name, CONGRU_PIPELINE_SIZE, "%s+%s", congru_aligner_name(a), classifier->name);
            return true;
        }
    }
    for (size_t c = 0; !classical && congru_classifier_at(c) != NULL; c++) {
        if (!congru_classifier_at(c)->end_to_end || seen++ != index)
            continue;
        snprintf(name, CONGRU_PIPELINE_SIZE, "%s", congru_classifier_name(c));
        return true;
    }
    return false;
}

congru_status congru_pipeline_align(congru_context *context, const congru_aligner *aligner,
                                    const congru_trials *trials, double *covariance,
                                    const congru_method_options *options, congru_tensors *model,
                                    congru_record *record)
{
    congru_status status = CONGRU_OK;
    if (aligner->fit != NULL)
        status = aligner->fit(context, trials, options, model, record);
    if (status == CONGRU_OK && aligner->map_sources != NULL)
        status = aligner->map_sources(context, model, trials, covariance);
    return status;
}

congru_status congru_pipeline_map(congru_context *context, const congru_aligner *aligner,
                                  const congru_tensors *model, const congru_newcomer *newcomer,
                                  double *covariance)
{
    return aligner->map_newcomer != NULL ? aligner->map_newcomer(context, model, newcomer, covariance)
                                         : CONGRU_OK;
}

congru_status congru_pipeline_predict(congru_context *context, const congru_pipeline *pipeline,
                                      const congru_tensors *model, const congru_newcomer *newcomer,
                                      double *covariance, double *probability)
{
    congru_status status = congru_pipeline_map(context, pipeline->aligner, model, newcomer, covariance);
    return status == CONGRU_OK ? pipeline->classifier->predict(context, model, newcomer, probability) : status;
}

size_t congru_pipeline_steps(const congru_pipeline *pipeline, const congru_method_options *options)
{
    const char *network =
        pipeline->aligner->network != NULL ? pipeline->aligner->network : pipeline->classifier->network;
    return network != NULL ? (size_t)congru_network_steps(network, &options->network) : 0;
}

double congru_pipeline_cost(const congru_pipeline *pipeline, const congru_method_options *options)
{
    double cost = 1;
    if (pipeline->aligner->cost != NULL)
        cost += pipeline->aligner->cost(options);
    if (pipeline->classifier->cost != NULL)
        cost += pipeline->classifier->cost(options);
    return cost;
}
