/* Fits a model, and tells what it is. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "congru/version.h"
#include "dataset/set_check.h"
#include "dataset/set_products.h"
#include "decoder/model_branches.h"
#include "evaluation/request_check.h"
#include "evaluation/settings_text.h"

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
    congru_tensors_clear(&(*model)->tensors);
    congru_texts_clear(&(*model)->texts);
    congru_preprocessing_clear(&(*model)->preprocessing);
    congru_pipeline_clear(&(*model)->pipeline);
    free((*model)->class_name);
    free(*model);
    *model = NULL;
}

const double *congru_model_prior(const congru_model *model)
{
    const congru_tensor *prior = congru_tensors_find(&model->tensors, CONGRU_MODEL_PRIOR);
    const size_t d = model->preprocessing.channels;
    /* Of a pipeline that does not recentre nobody has looked at its shape. */
    return prior != NULL && prior->dims == 2 && prior->shape[0] == d && prior->shape[1] == d ? prior->data
                                                                                             : NULL;
}

/* ---- Texts --------------------------------------------------------------------------------------------- */

static void add_names(congru_text *text, size_t count, const char (*name)[CONGRU_LABEL_SIZE],
                      const bool *left_out)
{
    bool first = true;
    congru_text_add(text, "[");
    for (size_t i = 0; i < count; i++) {
        if (left_out != NULL && left_out[i])
            continue;
        congru_text_add(text, first ? "" : ", ");
        congru_text_add_json(text, name[i]);
        first = false;
    }
    congru_text_add(text, "]");
}

/* Adds a text under its name, and frees it. */
static congru_status keep(congru_context *context, congru_texts *texts, const char *name, congru_text *text)
{
    congru_status status = text->failed || text->data == NULL
                               ? congru_fail(context, CONGRU_ERROR_MEMORY, "not enough memory for a model")
                               : congru_texts_add(context, texts, name, text->data);
    congru_text_clear(text);
    return status;
}

static congru_status keep_names(congru_context *context, congru_texts *texts, const char *name, size_t count,
                                const char (*names)[CONGRU_LABEL_SIZE], const bool *left_out)
{
    congru_text text = {0};
    add_names(&text, count, names, left_out);
    return keep(context, texts, name, &text);
}

/* How branches were defined, and when the trials that they were cut from begin. */
static congru_status describe_branches(congru_context *context, const congru_set *set, bool causal,
                                       congru_model *model)
{
    const char *definitions = congru_pipeline_definitions(context, model->name);
    congru_text start = {0};
    congru_status status = CONGRU_OK;
    if (definitions != NULL)
        status = congru_texts_add(context, &model->texts, "definitions", definitions);
    if (status == CONGRU_OK && causal)
        status = congru_texts_add(context, &model->texts, CONGRU_MODEL_CAUSAL, "yes");
    if (status != CONGRU_OK || !congru_model_branched(model) || !isfinite(set->start))
        return status;
    congru_text_add_number(&start, set->start, 17);
    return keep(context, &model->texts, "start", &start);
}

/* What the tensors are, who they come from, and what the signals went through. */
static congru_status describe(congru_context *context, const congru_set *set, const bool *left_out,
                              const congru_evaluation_options *options, double rate, size_t samples,
                              congru_model *model)
{
    congru_texts *texts = &model->texts;
    const congru_method_options *method = &options->method;
    congru_text number[3] = {{0}}, settings = {0};
    const char *meta =
        congru_model_branched(model) && set->signals_meta != NULL ? set->signals_meta : set->meta;
    char seed[CONGRU_OPTION_TEXT_SIZE] = "", recipe[CONGRU_OPTION_TEXT_SIZE] = "";
    congru_method_options_get(method, "seed", seed);
    congru_method_options_get(method, "recipe", recipe);
    congru_text_add(&number[0], "%d", (int)CONGRU_MODEL_FORMAT);
    congru_text_add_number(&number[1], rate, 17);
    congru_text_add(&number[2], "%zu", samples);
    congru_text_add(&settings, "{\n");
    congru_settings_text(context, set, options, &settings);
    congru_text_add(&settings, "\n}");
    const struct {
        const char *name, *text;
    } plain[] = {
        {"format", "congru model"},
        {"version", congru_version()},
        {"commit", congru_version_commit()},
        {"compiler", congru_version_compiler()},
        {"pipeline", model->name},
        {"recipe", recipe},
        {"preprocessing", meta != NULL ? meta : "{}"},
    };
    congru_status status = keep(context, texts, "format_version", &number[0]);
    for (size_t i = 0; status == CONGRU_OK && i < sizeof plain / sizeof plain[0]; i++)
        status = congru_texts_add(context, texts, plain[i].name, plain[i].text);
    if (status == CONGRU_OK)
        status = keep(context, texts, "rate", &number[1]);
    if (status == CONGRU_OK)
        status = keep(context, texts, "samples", &number[2]);
    if (status == CONGRU_OK)
        status = congru_texts_add(context, texts, "seed", seed);
    if (status == CONGRU_OK)
        status = keep(context, texts, "settings", &settings);
    if (status == CONGRU_OK)
        status = keep_names(context, texts, "channels", set->dimension,
                            (const char(*)[CONGRU_LABEL_SIZE])set->channel_name, NULL);
    if (status == CONGRU_OK)
        status = keep_names(context, texts, "classes", set->classes,
                            (const char(*)[CONGRU_LABEL_SIZE])set->class_name, NULL);
    if (status == CONGRU_OK)
        status = keep_names(context, texts, "subjects", set->subjects,
                            (const char(*)[CONGRU_LABEL_SIZE])set->subject_name, left_out);
    for (size_t i = 0; i < 3; i++)
        congru_text_clear(&number[i]);
    congru_text_clear(&settings);
    return status;
}

/* ---- Fitting ------------------------------------------------------------------------------------------- */

typedef struct fit_run {
    congru_context *context;
    const congru_set *set;
    congru_evaluation_options options;
    bool *left_out; /* (subjects) */
    size_t *trial;  /* those fitted on */
    size_t count;
    congru_model *model;
} fit_run;

static congru_status check_set(congru_context *context, const congru_set *set, bool branched)
{
    if ((branched ? set->signals : set->covariance) == NULL || set->count == 0 || set->label == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "the set holds no labelled %s",
                           branched ? "signals" : "covariances");
    if (set->classes < 2)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "the set holds one class, '%s'; nothing to tell apart",
                           set->classes > 0 ? set->class_name[0] : "");
    congru_status status = congru_set_check(context, set);
    if (status == CONGRU_OK)
        status = congru_request_check_subjects(context, set);
    return status == CONGRU_OK && !branched ? congru_set_check_rank(context, set, 0, NULL) : status;
}

static congru_status choose_trials(fit_run *run, const congru_model_options *options)
{
    const congru_set *set = run->set;
    run->left_out = calloc(set->subjects, sizeof *run->left_out);
    run->trial = malloc(set->count * sizeof *run->trial);
    if (run->left_out == NULL || run->trial == NULL)
        return congru_fail(run->context, CONGRU_ERROR_MEMORY, "not enough memory for %zu trials", set->count);
    for (size_t i = 0; options->without != NULL && i < options->without_count; i++) {
        if (options->without[i] < 0 || (size_t)options->without[i] >= set->subjects)
            return congru_fail(run->context, CONGRU_ERROR_ARGUMENT, "there is no subject %d",
                               (int)options->without[i]);
        run->left_out[options->without[i]] = true;
    }
    for (size_t i = 0; i < set->count; i++)
        if (!run->left_out[set->subject[i]])
            run->trial[run->count++] = i;
    if (run->count == 0)
        return congru_fail(run->context, CONGRU_ERROR_ARGUMENT,
                           "every subject of the set is left out; nothing to fit on");
    return CONGRU_OK;
}

static congru_status fit_and_describe(fit_run *run, const congru_model_options *options)
{
    congru_preprocessing of_set = {0};
    congru_status status = congru_pipeline_parse(run->context, options->pipeline, &run->model->pipeline);
    if (status == CONGRU_OK)
        status = congru_method_options_check(run->context, &options->method);
    if (status == CONGRU_OK)
        status = congru_pipeline_adjust(run->context, &options->method, options->causal, &run->model->pipeline);
    if (status == CONGRU_OK && options->method.balance)
        status =
            congru_fail(run->context, CONGRU_ERROR_ARGUMENT,
                        "--balance looks at all trials of a target subject at once, which a model does not "
                        "(leave it out)");
    bool branched = status == CONGRU_OK && congru_model_branched(run->model);
    if (status == CONGRU_OK)
        status = check_set(run->context, run->set, branched);
    if (status == CONGRU_OK)
        status = branched ? congru_set_signals_preprocessing(run->context, run->set, &of_set)
                          : congru_set_preprocessing(run->context, run->set, &of_set);
    size_t samples = of_set.samples;
    double rate = of_set.rate;
    congru_preprocessing_clear(&of_set);
    if (status == CONGRU_OK)
        status = choose_trials(run, options);
    if (status == CONGRU_OK) {
        strcpy(run->model->name, options->pipeline);
        status = congru_model_fit_branches(run->context, run->set, &run->options, run->count, run->trial,
                                           run->left_out, run->model);
    }
    if (status != CONGRU_OK)
        return status;
    status = describe(run->context, run->set, run->left_out, &run->options, rate, samples, run->model);
    if (status == CONGRU_OK)
        status = describe_branches(run->context, run->set, options->causal, run->model);
    /* Through the same door as a model from a file, so that what is fitted and what is loaded are alike. */
    return status == CONGRU_OK ? congru_model_interpret(run->context, run->model) : status;
}

congru_status congru_model_fit(congru_context *context, const congru_set *set,
                               const congru_model_options *options, congru_model **model)
{
    if (context == NULL || set == NULL || options == NULL || options->pipeline == NULL || model == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "no set, options, pipeline or model given");
    fit_run run = {.context = context, .set = set, .model = calloc(1, sizeof *run.model)};
    congru_evaluation_options_init(&run.options);
    run.options.method = options->method;
    run.options.align_by_session = options->align_by_session;
    run.options.causal = options->causal;
    run.options.watch = options->watch;
    run.options.watch_user = options->watch_user;
    congru_status status;
    if (run.model == NULL)
        status = congru_fail(context, CONGRU_ERROR_MEMORY, "not enough memory for a model");
    else
        status = fit_and_describe(&run, options);
    free(run.left_out);
    free(run.trial);
    if (status != CONGRU_OK)
        congru_model_destroy(&run.model);
    *model = run.model;
    return status;
}

/* A head or an amplifier changes the power of EEG tenfold, an artefact perhaps thousandfold; a wrong unit by 1e6 or more. */
static const double scale_limit = 1e4;

double congru_model_factor(double own, double trace)
{
    if (!(own > 0 && trace > 0) || (trace < scale_limit * own && own < scale_limit * trace))
        return 1;
    return sqrt(own / trace);
}

double congru_model_scale(const congru_model *model, double trace)
{
    const double *prior = congru_model_prior(model);
    const size_t d = model->preprocessing.channels;
    double own = 0;
    for (size_t i = 0; prior != NULL && i < d; i++)
        own += prior[i * d + i];
    return model->preprocessing.trace_normalise ? 1 : congru_model_factor(own, trace);
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
            p = &model->pipeline.branch[i].block[b];
            causal = causal && (p->causal || !(p->band[1] > 0 || p->notch > 0));
        }
    return causal;
}

bool congru_model_needs_signals(const congru_model *model)
{
    return model != NULL && congru_model_branched(model);
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
