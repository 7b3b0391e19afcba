/* What a model is. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/model_internal.h"

void congru_model_options_init(congru_model_options *options)
{
    if (options == NULL)
        return;
    *options = (congru_model_options){.pipeline = NULL};
    congru_method_options_init(&options->method);
}

void congru_model_destroy(congru_model **model)
{
    if (model == NULL || *model == NULL)
        return;
    for (size_t b = 0; b < CONGRU_BRANCHES_MAX; b++)
        free((*model)->branch[b].tensors.tensor);
    congru_tensors_clear(&(*model)->tensors);
    congru_texts_clear(&(*model)->texts);
    congru_preprocessing_clear(&(*model)->preprocessing);
    congru_pipeline_clear(&(*model)->pipeline);
    free((*model)->class_name);
    free(*model);
    *model = NULL;
}

/* A head or an amplifier changes the power of EEG tenfold, an artefact perhaps thousandfold; a wrong unit by 1e6 or more. */
static const double scale_limit = 1e4;

double congru_model_factor(double own, double trace)
{
    if (!(own > 0 && trace > 0) || (trace < scale_limit * own && own < scale_limit * trace))
        return 1;
    return sqrt(own / trace);
}

/* ---- What it is ---------------------------------------------------------------------------------------- */

const char *congru_model_pipeline(const congru_model *model)
{
    return model != NULL ? model->name : NULL;
}

const congru_preprocessing *congru_model_preprocessing(const congru_model *model)
{
    return model != NULL ? &model->preprocessing : NULL;
}

size_t congru_model_classes(const congru_model *model)
{
    return model != NULL ? model->classes : 0;
}

const char *congru_model_class(const congru_model *model, size_t index)
{
    return index < congru_model_classes(model) ? model->class_name[index] : NULL;
}

bool congru_model_is_causal(const congru_model *model)
{
    if (model == NULL)
        return false;
    const congru_preprocessing *p = &model->preprocessing;
    bool causal = !p->known || p->causal || !(p->band[1] > 0 || p->notch > 0);
    for (size_t i = 0; i < model->pipeline.branches; i++)
        for (size_t b = 0; b < model->pipeline.branch[i].blocks; b++) {
            p = congru_branch_block(&model->pipeline.branch[i], b);
            causal = causal && (p == NULL || p->causal || !(p->band[1] > 0 || p->notch > 0));
        }
    return causal;
}

bool congru_model_needs_signals(const congru_model *model)
{
    return model != NULL && congru_pipeline_reads(&model->pipeline, CONGRU_NEEDS_SIGNALS);
}

bool congru_model_text(const congru_model *model, size_t index, const char **name, const char **text)
{
    if (model == NULL || name == NULL || text == NULL || index >= model->texts.count)
        return false;
    *name = model->texts.entry[index].name;
    *text = model->texts.entry[index].text;
    return true;
}

bool congru_model_tensor_at(const congru_model *model, size_t index, congru_model_tensor *tensor)
{
    if (model == NULL || tensor == NULL || index >= model->tensors.count)
        return false;
    const congru_tensor *own = &model->tensors.tensor[index];
    *tensor = (congru_model_tensor){own->name, own->dims, own->shape, own->data};
    return true;
}
