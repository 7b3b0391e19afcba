/* Saves, loads and interprets models. SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array/source.h"
#include "base/json_scan.h"
#include "congru/version.h"
#include "decoder/model_internal.h"
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

static congru_status read_format(congru_context *context, const congru_model *model, long *number)
{
    const char *format, *text, *version = congru_texts_find(&model->texts, "version");
    CONGRU_TRY(find_text(context, model, "format", &format));
    if (strcmp(format, "congru model") != 0)
        return fail(context, "not a model of congru: its format is", format);
    CONGRU_TRY(find_text(context, model, "format_version", &text));
    const bool digits = strlen(text) <= 9 && strspn(text, "0123456789") == strlen(text);
    *number = digits ? strtol(text, NULL, 10) : 0;
    if (*number >= 1 && *number <= CONGRU_MODEL_FORMAT)
        return CONGRU_OK;
    return congru_fail(
        context, CONGRU_ERROR_UNSUPPORTED,
        "a model of format %.20s, written by congru %.40s; congru %s reads formats 1 to %d (train it "
        "again)",
        text, version != NULL ? version : "of unknown version", congru_version(), (int)CONGRU_MODEL_FORMAT);
}

/* A JSON array of names. */
static congru_status read_names(congru_context *context, const congru_model *model, const char *name,
                                size_t least, size_t most, size_t *count, char (**names)[CONGRU_LABEL_SIZE])
{
    const char *text;
    CONGRU_TRY(find_text(context, model, name, &text));
    congru_scan json = congru_scan_start(text, strlen(text));
    *count = 0;
    for (bool first = congru_scan_array(&json); congru_scan_element(&json, &first); ++*count)
        if (!congru_scan_skip(&json) || *count == most)
            return fail(context, "its metadata has no list of names in", name);
    if (!congru_scan_end(&json) || *count < least)
        return fail(context, "its metadata has no list of names in", name);
    CONGRU_TRY(congru_allocate(context, names, *count, sizeof **names, "%zu names", *count));
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
    CONGRU_TRY(find_text(context, model, name, &text));
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
    CONGRU_TRY(find_text(context, model, "settings", &text));
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
    CONGRU_TRY(
        congru_definitions_read(context, "its definitions", definitions, name, &model->pipeline, &found));
    return found ? CONGRU_OK : fail(context, "its metadata does not define", name);
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

static congru_status read_texts(congru_context *context, congru_model *model, long *format)
{
    congru_preprocessing *p = &model->preprocessing;
    const char *name, *meta;
    double rate = 0, samples = 0;
    CONGRU_TRY(read_format(context, model, format));
    CONGRU_TRY(find_text(context, model, "pipeline", &name));
    CONGRU_TRY(read_pipeline(context, model, name));
    snprintf(model->name, sizeof model->name, "%s", name);
    congru_preprocessing_init_raw(p);
    p->whole = false;
    CONGRU_TRY(read_names(context, model, "channels", 1, CONGRU_DIMENSION_MAX, &p->channels, &p->channel_name));
    CONGRU_TRY(read_names(context, model, "classes", 2, CONGRU_MODEL_CLASSES_MAX, &model->classes,
                          &model->class_name));
    CONGRU_TRY(read_number(context, model, "rate", 1e7, &rate));
    CONGRU_TRY(read_number(context, model, "samples", 1e9, &samples));
    CONGRU_TRY(find_text(context, model, "preprocessing", &meta));
    CONGRU_TRY(congru_preprocessing_parse(context, meta, p));
    CONGRU_TRY(read_settings(context, model));
    CONGRU_TRY(congru_pipeline_adjust(context, &model->method,
                                      congru_texts_find(&model->texts, CONGRU_MODEL_CAUSAL) != NULL,
                                      &model->pipeline));
    p->rate = rate;
    p->samples = (size_t)samples;
    return congru_pipeline_reads(&model->pipeline, CONGRU_NEEDS_SIGNALS) ? read_start(context, model, p)
                                                                         : CONGRU_OK;
}

/* ---- Branches ------------------------------------------------------------------------------------------ */

/* Format 1, up to version 0.2, had no branch where a pipeline was an aligner and a classifier of covariances. */
static congru_status rename_tensors(congru_context *context, congru_model *model)
{
    static const char blocks[] = "b0." CONGRU_MODEL_BLOCKS, first[] = "b0.";
    static const char *const former[][2] = {{"recentre.prior", "prior.0"}, {"recentre.spread", "spread.0"}};
    if (congru_tensors_find(&model->tensors, blocks) != NULL || model->pipeline.branches > 1)
        return CONGRU_OK;
    for (size_t i = 0; i < model->tensors.count; i++) {
        char own[CONGRU_TENSOR_NAME_SIZE], *name = model->tensors.tensor[i].name;
        strcpy(own, name);
        for (size_t k = 0; k < 2; k++)
            if (strcmp(own, former[k][0]) == 0)
                strcpy(own, former[k][1]);
        snprintf(name, CONGRU_TENSOR_NAME_SIZE, "%s%.60s", first, own);
    }
    return congru_tensors_add_number(context, &model->tensors, blocks, 1);
}

static congru_status find_branch(congru_context *context, congru_model *model, size_t branch)
{
    congru_model_branch *found = &model->branch[branch];
    const congru_tensors *all = &model->tensors;
    const size_t d = model->preprocessing.channels;
    char prefix[16], name[CONGRU_TENSOR_NAME_SIZE];
    double blocks;
    snprintf(prefix, sizeof prefix, "b%zu.", branch);
    const size_t length = strlen(prefix);
    CONGRU_TRY(congru_allocate(context, &found->tensors.tensor, all->count, sizeof *all->tensor, "a model"));
    for (size_t i = 0; i < all->count; i++) {
        congru_tensor *own = &found->tensors.tensor[found->tensors.count];
        if (strncmp(all->tensor[i].name, prefix, length) != 0)
            continue;
        *own = all->tensor[i];
        memmove(own->name, own->name + length, strlen(own->name) - length + 1);
        found->tensors.count++;
    }
    snprintf(name, sizeof name, "%s" CONGRU_MODEL_BLOCKS, prefix);
    CONGRU_TRY(congru_tensors_expect_number(context, all, name, 1, CONGRU_BLOCKS_MAX, &blocks));
    found->blocks = (size_t)blocks;
    for (size_t b = 0; model->pipeline.branch[branch].aligner->recentring != NULL && b < found->blocks; b++) {
        size_t shape[2] = {d, d};
        snprintf(name, sizeof name, "%sprior.%zu", prefix, b);
        CONGRU_TRY(congru_tensors_expect(context, all, name, 2, shape, &found->prior[b]));
        snprintf(name, sizeof name, "%sspread.%zu", prefix, b);
        CONGRU_TRY(congru_spread_find(context, all, name, &found->spread[b], &found->spread_rows[b]));
    }
    return CONGRU_OK;
}

static congru_status find_branches(congru_context *context, congru_model *model)
{
    size_t shape[1] = {model->pipeline.branches};
    for (size_t b = 0; b < model->pipeline.branches; b++)
        CONGRU_TRY(find_branch(context, model, b));
    if (model->pipeline.branches == 1)
        return CONGRU_OK;
    CONGRU_TRY(congru_tensors_expect(context, &model->tensors, CONGRU_MODEL_WEIGHTS, 1, shape, &model->weight));
    for (size_t b = 0; b < model->pipeline.branches; b++)
        if (!(model->weight[b] >= 0))
            return congru_fail(context, CONGRU_ERROR_FORMAT, "a branch has the weight %g", model->weight[b]);
    return CONGRU_OK;
}

/* ---- The first question -------------------------------------------------------------------------------- */

static congru_status check_classes(congru_context *context, const congru_model *model, size_t classes)
{
    if (classes == model->classes)
        return CONGRU_OK;
    return congru_fail(context, CONGRU_ERROR_FORMAT,
                       "its metadata names %zu classes, but its tensors tell %zu apart", model->classes,
                       classes);
}

/* A row of zeros is asked about. */
static congru_status ask_zeros(congru_context *context, const congru_model *model,
                               const congru_classifier *classifier, const congru_tensors *tensors)
{
    size_t shape[2] = {0, 0};
    const double *weights;
    char name[CONGRU_TENSOR_NAME_SIZE];
    double *zeros;
    snprintf(name, sizeof name, "%s.weights", classifier->name);
    CONGRU_TRY(congru_tensors_expect(context, tensors, name, 2, shape, &weights));
    CONGRU_TRY(check_classes(context, model, shape[0]));
    CONGRU_TRY(congru_allocate(context, &zeros, shape[1] + shape[0], sizeof *zeros, "a model"));
    const congru_features rows = {.plain = zeros, .size = shape[1]};
    const congru_target_trials one = {.count = 1, .d = model->preprocessing.channels, .features = &rows};
    const congru_status status = classifier->predict(classifier, context, tensors, &one, zeros + shape[1]);
    free(zeros);
    return status;
}

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

/* As many probabilities are to come of the identity as the model has classes. */
static congru_status ask_identity(congru_context *context, const congru_model *model,
                                  const congru_branch *branch, const congru_tensors *tensors)
{
    const size_t d = model->preprocessing.channels, room = classes_at_most(model);
    double *c;
    CONGRU_TRY(congru_allocate(context, &c, d * d + room, sizeof *c, "a model of %zu channels", d));
    double *probability = c + d * d;
    for (size_t i = 0; i < d; i++)
        c[i * (d + 1)] = 1;
    for (size_t k = 0; k < room; k++)
        probability[k] = NAN;
    const congru_target_trials target = {.count = 1, .d = d, .covariance = c};
    const congru_asked asked = {.blocks = 1, .block = &target, .mapped = c};
    congru_status status = congru_branch_predict(context, branch, &model->method, tensors, &asked, probability);
    size_t answered = 0;
    while (answered < room && !isnan(probability[answered]))
        answered++;
    free(c);
    return status == CONGRU_OK ? check_classes(context, model, answered) : status;
}

/* Whether the branch tells the model's classes apart. */
static congru_status ask_branch(congru_context *context, const congru_model *model, size_t index)
{
    const congru_branch *branch = &model->pipeline.branch[index];
    const congru_classifier *classifier = branch->classifier;
    const congru_tensors *tensors = &model->branch[index].tensors;
    size_t classes = 0;
    if (classifier->features != NULL)
        return ask_zeros(context, model, classifier, tensors);
    if (classifier->count_classes == NULL)
        return ask_identity(context, model, branch, tensors);
    CONGRU_TRY(classifier->count_classes(classifier, context, tensors, &classes));
    return check_classes(context, model, classes);
}

congru_status congru_model_interpret(congru_context *context, congru_model *model)
{
    long format = 0;
    CONGRU_TRY(read_texts(context, model, &format));
    if (format == 1)
        CONGRU_TRY(rename_tensors(context, model));
    CONGRU_TRY(find_branches(context, model));
    for (size_t b = 0; b < model->pipeline.branches; b++)
        CONGRU_TRY(ask_branch(context, model, b));
    return CONGRU_OK;
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
static congru_status finish(congru_context *context, const char *name, congru_status status,
                            congru_model **model)
{
    if (status == CONGRU_OK) {
        status = congru_model_interpret(context, *model);
        if (status != CONGRU_OK) {
            char text[CONGRU_ERROR_TEXT_SIZE];
            snprintf(text, sizeof text, "%s", context->error);
            congru_fail(context, status, "%s: %s", name, text);
        }
    }
    if (status != CONGRU_OK)
        congru_model_destroy(model);
    return status;
}

congru_status congru_model_parse(congru_context *context, const char *name, const void *bytes, size_t size,
                                 congru_model **model)
{
    if (context == NULL || name == NULL || bytes == NULL || model == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "no name, bytes or model given");
    CONGRU_TRY(congru_allocate(context, model, 1, sizeof **model, "%s", name));
    return finish(context, name,
                  congru_safetensors_parse(context, name, bytes, size, &(*model)->tensors, &(*model)->texts),
                  model);
}

congru_status congru_model_load(congru_context *context, const char *path, congru_model **model)
{
    if (context == NULL || path == NULL || model == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "no path or model given");
    CONGRU_TRY(congru_allocate(context, model, 1, sizeof **model, "%s", path));
    return finish(context, path, congru_safetensors_read(context, path, &(*model)->tensors, &(*model)->texts),
                  model);
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
