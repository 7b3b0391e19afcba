/* Pipelines by name, fitted and asked. SPDX-License-Identifier: Apache-2.0 */
#include "evaluation/pipeline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array/text_file.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "congru/aligner.h"
#include "congru/classifier.h"
#include "network/network.h"

enum { FILE_MAX = 1 << 20 };

/* The pipeline that was meant, else the part of one; an empty text where nothing is close. */
static void guess_meant(const congru_context *context, const char *pipeline, const char *found,
                        const char *(*at)(size_t index), char meant[CONGRU_PIPELINE_SIZE])
{
    char(*name)[CONGRU_PIPELINE_SIZE] = NULL;
    const char **known = NULL, *nearest = NULL;
    size_t count = 0, parts = 0;
    while (at(parts) != NULL)
        parts++;
    if (congru_pipeline_names(context, &name, &count) == CONGRU_OK)
        known = calloc(count + parts, sizeof *known);
    for (size_t i = 0; known != NULL && i < count; i++)
        known[i] = name[i];
    for (size_t i = 0; known != NULL && i < parts; i++)
        known[count + i] = at(i);
    if (known != NULL)
        nearest = congru_nearest(pipeline, count, known);
    if (known != NULL && nearest == NULL)
        nearest = congru_nearest(found, parts, known + count);
    snprintf(meant, CONGRU_PIPELINE_SIZE, "%s", nearest != NULL ? nearest : "");
    free(known);
    free(name);
}

static congru_status fail_unknown(congru_context *context, const char *pipeline, const char *kind,
                                  const char *found, const char *(*at)(size_t index))
{
    char known[256] = "", meant[CONGRU_PIPELINE_SIZE] = "";
    if (context != NULL) /* else nobody reads it */
        guess_meant(context, pipeline, found, at, meant);
    if (meant[0] != '\0')
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "pipeline '%s': there is no %s '%s' (did you mean '%s'?)", pipeline, kind, found,
                           meant);
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
    bool aligns = aligner->recentring != NULL || aligner->fit != NULL || aligner->map_target != NULL;
    return !aligns || aligner->needs == classifier->needs;
}

static const char *needs_name(congru_needs needs)
{
    return needs == CONGRU_NEEDS_SIGNALS ? "signals" : "covariances";
}

/* An end-to-end classifier brings the aligner that it stands behind. */
static congru_status take_end_to_end(congru_context *context, const char *name, bool has_aligner,
                                     congru_branch *branch)
{
    const char *own = branch->classifier->name, *behind = branch->classifier->aligner;
    branch->aligner = congru_aligner_find(behind != NULL ? behind : "ra");
    if (has_aligner)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "pipeline '%s': %s holds its own aligner (write '%s' alone)", name, own, own);
    return CONGRU_OK;
}

static congru_status parse_name(congru_context *context, const char *name, congru_branch *branch)
{
    char aligner[CONGRU_PIPELINE_SIZE] = "";
    const char *plus = strchr(name, '+'), *classifier = plus != NULL ? plus + 1 : name;
    if (strlen(name) >= CONGRU_PIPELINE_SIZE)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "pipeline '%.40s...': too long a name", name);
    if (plus != NULL)
        snprintf(aligner, sizeof aligner, "%.*s", (int)(plus - name), name);
    branch->aligner = plus != NULL ? congru_aligner_find(aligner) : NULL;
    branch->classifier = congru_classifier_find(classifier);
    if (plus != NULL && branch->aligner == NULL)
        return fail_unknown(context, name, "aligner", aligner, congru_aligner_name);
    if (branch->classifier == NULL)
        return fail_unknown(context, name, "classifier", classifier, congru_classifier_name);
    const congru_needs needs = branch->classifier->needs;
    if (branch->classifier->end_to_end)
        return take_end_to_end(context, name, plus != NULL, branch);
    if (plus == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "pipeline '%s': the aligner is missing (write '%s+%s', or 'none+%s')", name,
                           needs == CONGRU_NEEDS_SIGNALS ? "ea" : "ra", classifier, classifier);
    if (!go_together(branch->aligner, branch->classifier))
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "pipeline '%s': %s aligns %s, and %s reads %s (write 'none+%s', or another aligner)",
                           name, aligner, needs_name(branch->aligner->needs), classifier, needs_name(needs),
                           classifier);
    return CONGRU_OK;
}

congru_status congru_pipeline_parse_plain(congru_context *context, const char *name, congru_pipeline *pipeline)
{
    *pipeline = (congru_pipeline){.branch = {{.blocks = 1, .weight = 1}}};
    CONGRU_TRY(parse_name(context, name, &pipeline->branch[0]));
    pipeline->branches = 1;
    return CONGRU_OK;
}

congru_status congru_pipeline_parse(congru_context *context, const char *name, congru_pipeline *pipeline)
{
    const char *own = context != NULL ? context->definitions : NULL;
    bool found = false;
    *pipeline = (congru_pipeline){0};
    if (own != NULL)
        CONGRU_TRY(congru_definitions_read(context, "definitions", own, name, pipeline, &found));
    if (!found)
        CONGRU_TRY(congru_definitions_read(context, "built-in pipelines", congru_definitions_builtin, name,
                                           pipeline, &found));
    return found ? CONGRU_OK : congru_pipeline_parse_plain(context, name, pipeline);
}

void congru_branch_clear(congru_branch *branch)
{
    for (size_t b = 0; branch->block != NULL && b < branch->blocks; b++)
        congru_preprocessing_clear(&branch->block[b]);
    free(branch->block);
    branch->blocks = 0;
    branch->block = NULL;
}

void congru_pipeline_clear(congru_pipeline *pipeline)
{
    for (size_t i = 0; i < pipeline->branches; i++)
        congru_branch_clear(&pipeline->branch[i]);
    *pipeline = (congru_pipeline){0};
}

congru_status congru_pipeline_copy(congru_context *context, const congru_pipeline *pipeline,
                                   congru_pipeline *copy)
{
    *copy = *pipeline;
    for (size_t b = 0; b < copy->branches; b++)
        copy->branch[b].block = NULL;
    for (size_t b = 0; b < copy->branches; b++) {
        congru_branch *branch = &copy->branch[b];
        const congru_preprocessing *from = pipeline->branch[b].block;
        if (from == NULL)
            continue;
        CONGRU_TRY(
            congru_allocate(context, &branch->block, branch->blocks, sizeof *branch->block, "a pipeline"));
        for (size_t k = 0; k < branch->blocks; k++)
            CONGRU_TRY(congru_preprocessing_copy(context, &from[k], &branch->block[k]));
    }
    return CONGRU_OK;
}

void congru_branch_options(const congru_branch *branch, congru_method_options *options)
{
    for (size_t i = 0; i < branch->settings; i++) /* which has accepted them when they were read */
        congru_method_options_set(NULL, options, NULL, branch->setting[i].name, branch->setting[i].value);
}

bool congru_branch_linear(const congru_branch *branch)
{
    const congru_aligner *aligner = branch->aligner;
    return branch->classifier->linear && aligner->fit == NULL && aligner->map_sources == NULL &&
           aligner->map_target == NULL;
}

bool congru_branch_reads(const congru_branch *branch, congru_needs needs)
{
    const bool signals = branch->block != NULL || branch->classifier->needs == CONGRU_NEEDS_SIGNALS;
    return signals == (needs == CONGRU_NEEDS_SIGNALS);
}

bool congru_pipeline_reads(const congru_pipeline *pipeline, congru_needs needs)
{
    for (size_t b = 0; b < pipeline->branches; b++)
        if (congru_branch_reads(&pipeline->branch[b], needs))
            return true;
    return false;
}

bool congru_pipeline_linear(const congru_pipeline *pipeline)
{
    for (size_t b = 0; b < pipeline->branches; b++)
        if (congru_branch_linear(&pipeline->branch[b]))
            return true;
    return false;
}

bool congru_pipeline_trains(const congru_pipeline *pipeline)
{
    for (size_t i = 0; i < pipeline->branches; i++)
        if (pipeline->branch[i].aligner->network != NULL || pipeline->branch[i].classifier->network != NULL)
            return true;
    return false;
}

congru_status congru_pipeline_check(congru_context *context, const char *name)
{
    congru_pipeline pipeline;
    if (name == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "no pipeline given");
    const congru_status status = congru_pipeline_parse(context, name, &pipeline);
    congru_pipeline_clear(&pipeline);
    return status;
}

congru_status congru_pipeline_describe(congru_context *context, const char *name,
                                       congru_pipeline_description *description)
{
    congru_pipeline pipeline;
    if (name == NULL || description == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "no pipeline or description given");
    CONGRU_TRY(congru_pipeline_parse(context, name, &pipeline));
    const congru_aligner *aligner = pipeline.branch[0].aligner;
    const congru_classifier *classifier = pipeline.branch[0].classifier;
    const congru_network *trained = aligner->network != NULL ? aligner->network : classifier->network;
    *description = (congru_pipeline_description){
        .aligner = aligner->name,
        .classifier = classifier->name,
        .network = trained != NULL ? trained->name : NULL,
        .end_to_end = classifier->end_to_end,
        .target_labels = aligner->labels,
        .needs_signals = congru_pipeline_reads(&pipeline, CONGRU_NEEDS_SIGNALS),
        .linear = true,
        .branches = pipeline.branches,
    };
    for (size_t i = 0; i < pipeline.branches; i++) {
        description->target_trials |= pipeline.branch[i].aligner->recentring != NULL;
        description->linear &= congru_branch_linear(&pipeline.branch[i]);
    }
    description->embeds = !description->needs_signals && pipeline.branches == 1 && !aligner->labels &&
                          (!classifier->end_to_end || classifier->embed_target != NULL);
    congru_pipeline_clear(&pipeline);
    return CONGRU_OK;
}

/* The pipelines of an aligner and a classifier that read this, without those that are among the definitions. */
static bool plain_at(size_t *index, congru_needs needs, bool classical, char name[CONGRU_PIPELINE_SIZE])
{
    for (size_t a = 0; congru_aligner_at(a) != NULL; a++) {
        for (size_t c = 0; congru_classifier_at(c) != NULL; c++) {
            const congru_classifier *classifier = congru_classifier_at(c);
            if (classifier->end_to_end || classifier->needs != needs ||
                (classical && congru_aligner_at(a)->network != NULL) ||
                !go_together(congru_aligner_at(a), classifier) || (*index)-- > 0)
                continue;
            snprintf(name, CONGRU_PIPELINE_SIZE, "%s+%s", congru_aligner_name(a), classifier->name);
            return true;
        }
    }
    for (size_t c = 0; !classical && congru_classifier_at(c) != NULL; c++) {
        const congru_classifier *classifier = congru_classifier_at(c);
        if (!classifier->end_to_end || classifier->needs != needs ||
            congru_pipeline_definitions(NULL, classifier->name) != NULL || (*index)-- > 0)
            continue;
        snprintf(name, CONGRU_PIPELINE_SIZE, "%s", congru_classifier_name(c));
        return true;
    }
    return false;
}

bool congru_pipeline_at(size_t index, bool classical, char name[CONGRU_PIPELINE_SIZE])
{
    return name != NULL && plain_at(&index, CONGRU_NEEDS_COVARIANCES, classical, name);
}

bool congru_pipeline_defined(const congru_context *context, size_t index, char name[CONGRU_PIPELINE_SIZE])
{
    const char *const texts[] = {congru_definitions_builtin, context != NULL ? context->definitions : NULL};
    for (size_t k = 0; name != NULL && k < 2; k++)
        for (const char *at = texts[k]; congru_definitions_next(&at, name);)
            if (index-- == 0)
                return true;
    return false;
}

congru_status congru_pipeline_names(const congru_context *context, char (**name)[CONGRU_PIPELINE_SIZE],
                                    size_t *count)
{
    static const congru_needs kinds[] = {CONGRU_NEEDS_COVARIANCES, CONGRU_NEEDS_SIGNALS};
    const char *const texts[] = {congru_definitions_builtin, context != NULL ? context->definitions : NULL};
    char one[CONGRU_PIPELINE_SIZE];
    *name = NULL;
    for (bool counts = true;; counts = false) {
        *count = 0;
        for (size_t k = 0; k < 2; k++)
            for (size_t i = 0, index = 0; plain_at(&index, kinds[k], false, one); index = ++i, ++*count)
                if (!counts)
                    strcpy((*name)[*count], one);
        for (size_t k = 0; k < 2; k++)
            for (const char *at = texts[k]; congru_definitions_next(&at, one); ++*count)
                if (!counts)
                    strcpy((*name)[*count], one);
        if (!counts)
            return CONGRU_OK;
        *name = calloc(*count, sizeof **name);
        if (*name == NULL)
            return CONGRU_ERROR_MEMORY;
    }
}

static bool defines(const char *text, const char *name)
{
    char other[CONGRU_PIPELINE_SIZE];
    while (congru_definitions_next(&text, other))
        if (strcmp(name, other) == 0)
            return true;
    return false;
}

const char *congru_pipeline_definitions(const congru_context *context, const char *name)
{
    if (context != NULL && defines(context->definitions, name))
        return context->definitions;
    return defines(congru_definitions_builtin, name) ? congru_definitions_builtin : NULL;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* That no name is taken, by another pipeline of the text or outside it. */
static congru_status check_names(congru_context *context, const char *where, const char *text)
{
    const char *const texts[] = {congru_definitions_builtin, context->definitions, text};
    char one[CONGRU_PIPELINE_SIZE], (*name)[CONGRU_PIPELINE_SIZE] = NULL;
    const char *taken = NULL;
    congru_pipeline plain;
    size_t count = 0, own = 0;
    for (size_t k = 0; k < 3; k++)
        for (const char *at = texts[k]; congru_definitions_next(&at, one); count++)
            own += k > 0;
    if (own > CONGRU_DEFINITIONS_MAX)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "%s: more than %d pipelines in all", where,
                           CONGRU_DEFINITIONS_MAX);
    CONGRU_TRY(congru_allocate(context, &name, count, sizeof *name, "the names of %s", where));
    count = 0;
    for (size_t k = 0; k < 3; k++)
        for (const char *at = texts[k]; congru_definitions_next(&at, name[count]); count++)
            if (k == 2 && congru_pipeline_parse_plain(NULL, name[count], &plain) == CONGRU_OK && taken == NULL)
                taken = strcpy(one, name[count]);
    qsort(name, count, sizeof *name, compare_names);
    for (size_t i = 1; i < count && taken == NULL; i++)
        if (strcmp(name[i], name[i - 1]) == 0)
            taken = strcpy(one, name[i]);
    free(name);
    return taken == NULL
               ? CONGRU_OK
               : congru_fail(context, CONGRU_ERROR_ARGUMENT,
                             "%s: there is a pipeline '%s' already (give it another name)", where, one);
}

congru_status congru_pipeline_define(congru_context *context, const char *where, const char *text)
{
    congru_pipeline none = {0};
    bool found;
    if (context == NULL || where == NULL || text == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "no definitions of pipelines given");
    CONGRU_TRY(congru_definitions_read(context, where, text, NULL, &none, &found));
    CONGRU_TRY(check_names(context, where, text));
    const size_t had = context->definitions != NULL ? strlen(context->definitions) : 0, size = strlen(text);
    char *grown = realloc(context->definitions, had + size + 2);
    if (grown == NULL)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "%s: not enough memory", where);
    memcpy(grown + had, text, size);
    memcpy(grown + had + size, "\n", 2);
    context->definitions = grown;
    return CONGRU_OK;
}

congru_status congru_pipeline_read(congru_context *context, const char *path)
{
    char *text = NULL;
    if (context == NULL || path == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "a context and a file of pipelines are needed");
    CONGRU_TRY(congru_text_file_read(context, path, FILE_MAX, "a file of pipelines", &text));
    const congru_status status = congru_pipeline_define(context, path, text);
    free(text);
    return status;
}

/* "mu: ra+ridge; 8 to 13 Hz and 3 more bands and windows; C 1" */
static void explain_branch(const congru_branch *branch, congru_text *lines)
{
    char line[CONGRU_PREPROCESSING_LINE_SIZE] = "trials as the set has them";
    if (branch->block != NULL)
        congru_preprocessing_print(&branch->block[0], line);
    congru_text_add(lines, "%s: ", branch->name);
    /* The method as a definition takes it: an end-to-end model is written without its aligner. */
    if (!branch->classifier->end_to_end)
        congru_text_add(lines, "%s+", branch->aligner->name);
    congru_text_add(lines, "%s; %s", branch->classifier->name, line);
    if (branch->blocks > 1)
        congru_text_add(lines, " and %zu more bands and windows", branch->blocks - 1);
    for (size_t k = 0; k < branch->settings; k++)
        congru_text_add(lines, "; %s %s", branch->setting[k].name, branch->setting[k].value);
    congru_text_add(lines, "\n");
}

congru_status congru_pipeline_explain(congru_context *context, const char *name, char *text, size_t size)
{
    congru_pipeline pipeline;
    congru_text lines = {0};
    if (name == NULL || text == NULL || size == 0)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "no pipeline or text given");
    CONGRU_TRY(congru_pipeline_parse(context, name, &pipeline));
    congru_text_add(&lines, "%s\n", pipeline.title);
    for (size_t i = 0; i < pipeline.branches; i++)
        explain_branch(&pipeline.branch[i], &lines);
    snprintf(text, size, "%s", lines.data != NULL ? lines.data : "");
    congru_text_clear(&lines);
    congru_pipeline_clear(&pipeline);
    return CONGRU_OK;
}

/* ---- Fitted and asked ------------------------------------------------------------------------------------ */

congru_status congru_branch_align(congru_context *context, const congru_aligner *aligner,
                                  const congru_trials *trials, double *covariance,
                                  const congru_method_options *options, congru_tensors *model,
                                  congru_record *record)
{
    if (aligner->fit != NULL)
        CONGRU_TRY(aligner->fit(aligner, context, trials, options, model, record));
    return aligner->map_sources != NULL ? aligner->map_sources(aligner, context, model, trials, covariance)
                                        : CONGRU_OK;
}

congru_status congru_branch_features(congru_context *context, const congru_branch *branch,
                                     const congru_method_options *options, const congru_asked *asked, double *x)
{
    const size_t d = asked->block[0].d;
    bool row = asked->blocks > 1 && asked->block[0].count == 1;
    for (size_t b = 0; row && b < asked->blocks; b++)
        row = asked->block[b].covariance != NULL &&
              asked->block[b].covariance == asked->block[0].covariance + b * d * d;
    if (row) { /* of one trial, side by side: they are as many trials of one block */
        const congru_target_trials blocks = {
            .count = asked->blocks, .d = d, .covariance = asked->block[0].covariance};
        return branch->classifier->features(context, &blocks, options, asked->features / asked->blocks, x);
    }
    for (size_t b = 0; b < asked->blocks; b++)
        CONGRU_TRY(branch->classifier->features(context, &asked->block[b], options, asked->features,
                                                x + asked->first[b]));
    return CONGRU_OK;
}

congru_status congru_branch_predict(congru_context *context, const congru_branch *branch,
                                    const congru_method_options *options, const congru_tensors *tensors,
                                    const congru_asked *asked, double *probability)
{
    const congru_aligner *aligner = branch->aligner;
    const congru_classifier *classifier = branch->classifier;
    const congru_target_trials *target = &asked->block[0];
    double *x = asked->row;
    if (asked->mapped != NULL && aligner->map_target != NULL)
        CONGRU_TRY(aligner->map_target(aligner, context, tensors, target, asked->mapped));
    if (asked->features == 0)
        return classifier->predict(classifier, context, tensors, target, probability);
    if (x == NULL)
        CONGRU_TRY(congru_take(context, &x, (target->count + 1) * asked->features, sizeof *x, "%zu features",
                               asked->features));
    const congru_features rows = {.plain = x, .size = asked->features};
    const congru_target_trials featured = {.count = target->count, .d = target->d, .features = &rows};
    congru_status status = congru_branch_features(context, branch, options, asked, x);
    if (status == CONGRU_OK)
        status = classifier->predict(classifier, context, tensors, &featured, probability);
    if (x != asked->row)
        congru_memory_give(x);
    return status;
}

/* ---- What they cost -------------------------------------------------------------------------------------- */

size_t congru_pipeline_steps(const congru_pipeline *pipeline, const congru_method_options *options)
{
    const congru_branch *branch = &pipeline->branch[0];
    const congru_network *network =
        branch->aligner->network != NULL ? branch->aligner->network : branch->classifier->network;
    return network != NULL ? (size_t)congru_network_steps(network, &options->network) : 0;
}

double congru_pipeline_cost(const congru_pipeline *pipeline, const congru_method_options *options)
{
    double cost = 0;
    for (size_t i = 0; i < pipeline->branches; i++) {
        const congru_branch *branch = &pipeline->branch[i];
        const congru_network *networks[] = {branch->aligner->network, branch->classifier->network};
        cost += 1;
        for (int k = 0; k < 2; k++)
            if (networks[k] != NULL)
                cost += congru_network_steps(networks[k], &options->network);
    }
    return cost;
}
