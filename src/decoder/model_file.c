/* Saves, loads and interprets models. SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array/source.h"
#include "base/json_scan.h"
#include "congru/version.h"
#include "decoder/model_branches.h"
#include "decoder/model_spread.h"
#include "model/method_options.h"

enum { SEARCH_BYTES = 16 };

/* Where models say what they need; messages name the file when there is one. */
static congru_status fail(congru_context *context, const char *what, const char *name)
{
    return congru_fail(context, CONGRU_ERROR_FORMAT, "%s '%s'", what, name);
}

static congru_status find_text(congru_context *context, const congru_model *model, const char *name,
                               const char **text)
{
    *text = congru_texts_find(&model->texts, name);
    return *text != NULL ? CONGRU_OK : fail(context, "not a model of congru: its metadata lacks", name);
}

static congru_status check_format(congru_context *context, const congru_model *model)
{
    const char *format, *number, *version = congru_texts_find(&model->texts, "version");
    congru_status status = find_text(context, model, "format", &format);
    if (status == CONGRU_OK && strcmp(format, "congru model") != 0)
        return fail(context, "not a model of congru: its format is", format);
    if (status == CONGRU_OK)
        status = find_text(context, model, "format_version", &number);
    if (status == CONGRU_OK && (strlen(number) > 9 || strspn(number, "0123456789") != strlen(number) ||
                                strtol(number, NULL, 10) != CONGRU_MODEL_FORMAT))
        return congru_fail(
            context, CONGRU_ERROR_UNSUPPORTED,
            "a model of format %.20s, written by congru %.40s; congru %s reads format %d (train it "
            "again)",
            number, version != NULL ? version : "of unknown version", congru_version(),
            (int)CONGRU_MODEL_FORMAT);
    return status;
}

/* A JSON array of names. */
static congru_status read_names(congru_context *context, const congru_model *model, const char *name,
                                size_t least, size_t most, size_t *count, char (**names)[CONGRU_LABEL_SIZE])
{
    const char *text;
    congru_status status = find_text(context, model, name, &text);
    if (status != CONGRU_OK)
        return status;
    congru_scan json = congru_scan_start(text, strlen(text));
    *count = 0;
    for (bool first = congru_scan_array(&json); congru_scan_element(&json, &first); ++*count)
        if (!congru_scan_skip(&json) || *count == most)
            return fail(context, "its metadata has no list of names in", name);
    if (!congru_scan_end(&json) || *count < least)
        return fail(context, "its metadata has no list of names in", name);
    *names = calloc(*count, sizeof **names);
    if (*names == NULL)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "not enough memory for %zu names", *count);
    json = congru_scan_start(text, strlen(text));
    size_t i = 0;
    for (bool first = congru_scan_array(&json); congru_scan_element(&json, &first); i++)
        if (!congru_scan_string(&json, (*names)[i], sizeof **names))
            return fail(context, "its metadata has no list of names in", name);
    return CONGRU_OK;
}

static congru_status read_number(congru_context *context, const congru_model *model, const char *name,
                                 double most, double *number)
{
    const char *text;
    congru_status status = find_text(context, model, name, &text);
    if (status != CONGRU_OK)
        return status;
    congru_scan json = congru_scan_start(text, strlen(text));
    if (!congru_scan_number(&json, number) || !congru_scan_end(&json) || *number < 0 || *number > most)
        return fail(context, "its metadata has no possible number for", name);
    return CONGRU_OK;
}

/* Up to version 0.1.0 two options had other names here, and a choice was its number. */
static const struct {
    const char *former, *name;
} renamed[] = {{"alignment_mean", "ra-mean"}, {"rpa_labels", "rpa-labels"}};

static bool read_renamed(congru_scan *json, const congru_method_option *row, congru_method_options *options)
{
    double number;
    char text[32], error[CONGRU_VALUE_ERROR_SIZE];
    if (!congru_scan_number(json, &number) || number < 0 || number > 1e6)
        return false;
    size_t choice = 0;
    while (row->choices != NULL && choice < (size_t)number && row->choices[choice] != NULL)
        choice++;
    snprintf(text, sizeof text, "%d", (int)number);
    const char *value = row->choices == NULL ? text : row->choices[choice];
    return value != NULL && congru_method_option_parse(row, row->option.name, value, options, error);
}

static bool read_setting(congru_scan *json, const char *key, congru_method_options *options,
                         const congru_method_option **row)
{
    for (size_t i = 0; i < sizeof renamed / sizeof renamed[0]; i++)
        if (strcmp(key, renamed[i].former) == 0) {
            *row = congru_method_option_find(renamed[i].name);
            return read_renamed(json, *row, options);
        }
    return congru_method_options_read(json, key, options, row);
}

/* The options it was fitted with. The tensors hold what most of them did; those needed to ask the model must be there. */
static congru_status read_settings(congru_context *context, congru_model *model)
{
    const char *text;
    char key[64];
    size_t needed = 0;
    const congru_method_option *row;
    congru_status status = find_text(context, model, "settings", &text);
    if (status != CONGRU_OK)
        return status;
    congru_method_options_init(&model->method);
    for (size_t i = 0; (row = congru_method_option_at(i)) != NULL; i++)
        needed += row->asked;
    congru_scan json = congru_scan_start(text, strlen(text));
    for (bool first = congru_scan_object(&json); congru_scan_member(&json, &first, key, sizeof key);) {
        if (!read_setting(&json, key, &model->method, &row))
            return fail(context, "its metadata has no possible settings: see", key);
        needed -= row != NULL && row->asked && needed > 0;
    }
    if (!congru_scan_end(&json) || needed > 0)
        return fail(context, "its metadata has no possible", "settings");
    return CONGRU_OK;
}

/* A pipeline of branches as it was defined when the model was fitted. */
static congru_status read_pipeline(congru_context *context, congru_model *model, const char *name)
{
    const char *definitions = congru_texts_find(&model->texts, "definitions");
    bool found = false;
    congru_pipeline_clear(&model->pipeline);
    if (definitions == NULL)
        return congru_pipeline_parse_plain(context, name, &model->pipeline);
    congru_status status =
        congru_definitions_read(context, "its definitions", definitions, name, &model->pipeline, &found);
    if (status == CONGRU_OK && !found)
        return fail(context, "its metadata does not define", name);
    return status;
}

/* Trials that were taken whole are cut out of recordings as long as they were. */
static congru_status read_start(congru_context *context, const congru_model *model, congru_preprocessing *p)
{
    const char *text = congru_texts_find(&model->texts, "start");
    double start;
    if (text == NULL || p->window[1] > p->window[0] || !(p->rate > 0) || p->samples == 0)
        return CONGRU_OK;
    congru_scan json = congru_scan_start(text, strlen(text));
    if (!congru_scan_number(&json, &start) || !congru_scan_end(&json) || !(fabs(start) < 1e5))
        return fail(context, "its metadata has no possible number for", "start");
    p->window[0] = start;
    p->window[1] = start + (double)p->samples / p->rate;
    p->whole = false;
    return CONGRU_OK;
}

static congru_status read_texts(congru_context *context, congru_model *model)
{
    congru_preprocessing *p = &model->preprocessing;
    const char *name, *meta;
    double rate = 0, samples = 0;
    congru_status status = check_format(context, model);
    if (status == CONGRU_OK)
        status = find_text(context, model, "pipeline", &name);
    if (status == CONGRU_OK)
        status = read_pipeline(context, model, name);
    if (status != CONGRU_OK)
        return status;
    snprintf(model->name, sizeof model->name, "%s", name);
    congru_preprocessing_init_raw(p);
    p->whole = false;
    status = read_names(context, model, "channels", 1, CONGRU_DIMENSION_MAX, &p->channels, &p->channel_name);
    if (status == CONGRU_OK)
        status = read_names(context, model, "classes", 2, CONGRU_MODEL_CLASSES_MAX, &model->classes,
                            &model->class_name);
    if (status == CONGRU_OK)
        status = read_number(context, model, "rate", 1e7, &rate);
    if (status == CONGRU_OK)
        status = read_number(context, model, "samples", 1e9, &samples);
    if (status == CONGRU_OK)
        status = find_text(context, model, "preprocessing", &meta);
    if (status == CONGRU_OK)
        status = congru_preprocessing_parse(context, meta, p);
    if (status == CONGRU_OK)
        status = read_settings(context, model);
    if (status == CONGRU_OK)
        status = congru_pipeline_adjust(context, &model->method,
                                        congru_texts_find(&model->texts, CONGRU_MODEL_CAUSAL) != NULL,
                                        &model->pipeline);
    p->rate = rate;
    p->samples = (size_t)samples;
    return status == CONGRU_OK && congru_model_branched(model) ? read_start(context, model, p) : status;
}

/* ---- The first question -------------------------------------------------------------------------------- */

/* No method has more classes than a tensor of its own has rows or columns. */
static size_t classes_at_most(const congru_model *model)
{
    size_t most = model->classes;
    for (size_t i = 0; i < model->tensors.count; i++)
        for (size_t k = 0; k < model->tensors.tensor[i].dims; k++)
            if (model->tensors.tensor[i].shape[k] > most)
                most = model->tensors.tensor[i].shape[k];
    return most;
}

static congru_status check_prior(congru_context *context, const congru_model *model)
{
    const size_t d = model->preprocessing.channels;
    size_t shape[2] = {d, d};
    const double *prior, *spread;
    size_t rows;
    if (model->pipeline.aligner->recentring == NULL)
        return CONGRU_OK;
    congru_status status =
        congru_tensors_expect(context, &model->tensors, CONGRU_MODEL_PRIOR, 2, shape, &prior);
    return status == CONGRU_OK
               ? congru_spread_find(context, &model->tensors, CONGRU_MODEL_SPREAD, &spread, &rows)
               : status;
}

congru_status congru_model_check_classes(congru_context *context, const congru_model *model, size_t classes)
{
    if (classes == model->classes)
        return CONGRU_OK;
    return congru_fail(context, CONGRU_ERROR_FORMAT,
                       "its metadata names %zu classes, but its tensors tell %zu apart", model->classes,
                       classes);
}

congru_status congru_model_ask_identity(congru_context *context, const congru_model *model,
                                        const congru_pipeline *pipeline, const congru_tensors *tensors)
{
    const size_t d = model->preprocessing.channels, room = classes_at_most(model);
    double *c = malloc(d * d * sizeof *c), *probability = malloc(room * sizeof *probability);
    if (c == NULL || probability == NULL) {
        free(c);
        free(probability);
        return congru_fail(context, CONGRU_ERROR_MEMORY, "not enough memory for a model of %zu channels", d);
    }
    for (size_t i = 0; i < d * d; i++)
        c[i] = i % (d + 1) == 0 ? 1.0 : 0.0;
    for (size_t k = 0; k < room; k++)
        probability[k] = NAN;
    const congru_target_trials target = {.count = 1, .d = d, .covariance = c};
    congru_status status =
        congru_pipeline_predict(context, pipeline, &model->method, tensors, &target, c, probability);
    size_t answered = 0;
    while (answered < room && !isnan(probability[answered]))
        answered++;
    free(c);
    free(probability);
    return status == CONGRU_OK ? congru_model_check_classes(context, model, answered) : status;
}

static congru_status first_question(congru_context *context, const congru_model *model)
{
    congru_status status = check_prior(context, model);
    return status == CONGRU_OK ? congru_model_ask_identity(context, model, &model->pipeline, &model->tensors)
                               : status;
}

congru_status congru_model_interpret(congru_context *context, congru_model *model)
{
    congru_status status = read_texts(context, model);
    if (status != CONGRU_OK)
        return status;
    return congru_model_branched(model) ? congru_model_check_branches(context, model)
                                        : first_question(context, model);
}

/* ---- Files --------------------------------------------------------------------------------------------- */

congru_status congru_model_save(congru_context *context, const congru_model *model, const char *path)
{
    if (context == NULL || model == NULL || path == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "no model or path given");
    return congru_safetensors_write(context, path, &model->tensors, &model->texts);
}

congru_status congru_model_pack(congru_context *context, const congru_model *model, void *bytes, size_t room,
                                size_t *size)
{
    if (context == NULL || model == NULL || size == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "no model or place for its size given");
    return congru_safetensors_pack(context, &model->tensors, &model->texts, bytes, room, size);
}

/* Interprets what was read, the file's name before what is wrong with it. */
static congru_status finish(congru_context *context, const char *name, congru_model **model)
{
    congru_status status = congru_model_interpret(context, *model);
    if (status != CONGRU_OK) {
        char text[CONGRU_ERROR_TEXT_SIZE];
        snprintf(text, sizeof text, "%s", context->error);
        congru_fail(context, status, "%s: %s", name, text);
        congru_model_destroy(model);
    }
    return status;
}

congru_status congru_model_parse(congru_context *context, const char *name, const void *bytes, size_t size,
                                 congru_model **model)
{
    if (context == NULL || name == NULL || bytes == NULL || model == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "no name, bytes or model given");
    *model = calloc(1, sizeof **model);
    if (*model == NULL)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "%s: not enough memory", name);
    congru_status status =
        congru_safetensors_parse(context, name, bytes, size, &(*model)->tensors, &(*model)->texts);
    if (status == CONGRU_OK)
        return finish(context, name, model);
    congru_model_destroy(model);
    return status;
}

congru_status congru_model_load(congru_context *context, const char *path, congru_model **model)
{
    if (context == NULL || path == NULL || model == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "no path or model given");
    *model = calloc(1, sizeof **model);
    if (*model == NULL)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "%s: not enough memory", path);
    congru_status status = congru_safetensors_read(context, path, &(*model)->tensors, &(*model)->texts);
    if (status == CONGRU_OK)
        return finish(context, path, model);
    congru_model_destroy(model);
    return status;
}

bool congru_model_recognises(const char *path)
{
    unsigned char bytes[SEARCH_BYTES];
    congru_source source;
    errno = 0;
    if (path == NULL || congru_source_open(NULL, path, &source) != CONGRU_OK)
        return false;
    size_t size = source.size < sizeof bytes ? (size_t)source.size : sizeof bytes;
    bool known = congru_source_read(NULL, &source, 0, size, bytes) == CONGRU_OK &&
                 congru_safetensors_recognises(bytes, size);
    congru_source_close(&source);
    return known;
}
