/* Pipelines by name, fitted and asked. SPDX-License-Identifier: Apache-2.0 */
#include "evaluation/pipeline.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"

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

congru_status congru_pipeline_parse(congru_context *context, const char *name, congru_pipeline *pipeline)
{
    char aligner[CONGRU_PIPELINE_SIZE] = "ra";
    const char *plus = strchr(name, '+'), *classifier = plus != NULL ? plus + 1 : name;
    if (strlen(name) >= CONGRU_PIPELINE_SIZE)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "pipeline '%.40s...': too long a name", name);
    if (plus != NULL)
        snprintf(aligner, sizeof aligner, "%.*s", (int)(plus - name), name);
    pipeline->aligner = congru_aligner_find(aligner);
    pipeline->classifier = congru_classifier_find(classifier);
    if (pipeline->aligner == NULL)
        return fail_unknown(context, name, "aligner", aligner, congru_aligner_name);
    if (pipeline->classifier == NULL)
        return fail_unknown(context, name, "classifier", classifier, congru_classifier_name);
    if (pipeline->classifier->end_to_end && plus != NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "pipeline '%s': %s holds its own aligner (write '%s' alone)", name, classifier,
                           classifier);
    if (!pipeline->classifier->end_to_end && plus == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "pipeline '%s': the aligner is missing (write 'ra+%s', or 'none+%s')", name,
                           classifier, classifier);
    pipeline->trains_network = pipeline->aligner->network || pipeline->classifier->end_to_end;
    return CONGRU_OK;
}

congru_status congru_pipeline_check(congru_context *context, const char *name)
{
    congru_pipeline pipeline;
    if (name == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "no pipeline given");
    return congru_pipeline_parse(context, name, &pipeline);
}

bool congru_pipeline_at(size_t index, bool classical, char name[CONGRU_PIPELINE_SIZE])
{
    size_t seen = 0;
    if (name == NULL)
        return false;
    for (size_t a = 0; congru_aligner_at(a) != NULL; a++) {
        for (size_t c = 0; congru_classifier_at(c) != NULL; c++) {
            const congru_classifier *classifier = congru_classifier_at(c);
            if (classifier->end_to_end || (classical && congru_aligner_at(a)->network) || seen++ != index)
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
    const congru_backbone backbone =
        pipeline->classifier->end_to_end ? pipeline->classifier->backbone : pipeline->aligner->backbone;
    return pipeline->trains_network ? (size_t)congru_network_steps(backbone, &options->network) : 0;
}

double congru_pipeline_cost(const congru_pipeline *pipeline, const congru_method_options *options)
{
    double cost = 1 + (double)congru_pipeline_steps(pipeline, options);
    if (options->c == 0 && strcmp(pipeline->classifier->name, "tslr") == 0)
        cost += 500;
    return cost;
}
