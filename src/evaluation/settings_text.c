/* The settings of a run as JSON lines, and the digest of its data. SPDX-License-Identifier: Apache-2.0 */
#include "evaluation/settings_text.h"

#include <stdio.h>
#include <string.h>

#include "base/digest.h"
#include "base/error.h"
#include "congru/version.h"
#include "evaluation/pipeline.h"
#include "model/method_options.h"

static uint64_t digest_set(const congru_set *set)
{
    uint64_t digest = congru_digest(0, &set->count, sizeof set->count);
    if (set->covariance != NULL)
        digest = congru_digest(digest, set->covariance,
                               set->count * set->dimension * set->dimension * sizeof(double));
    if (set->signals != NULL)
        digest =
            congru_digest(digest, set->signals, set->count * set->dimension * set->samples * sizeof(double));
    digest = congru_digest(digest, set->label, set->count * sizeof *set->label);
    digest = congru_digest(digest, set->subject, set->count * sizeof *set->subject);
    digest = congru_digest(digest, set->session, set->count * sizeof *set->session);
    for (size_t i = 0; i < set->subjects; i++)
        digest = congru_digest(digest, set->subject_name[i], strlen(set->subject_name[i]) + 1);
    for (size_t i = 0; i < set->classes; i++)
        digest = congru_digest(digest, set->class_name[i], strlen(set->class_name[i]) + 1);
    return digest;
}

/* What the trials went through, in words. */
static void add_preparation(congru_text *text, const congru_set *set)
{
    congru_preprocessing p;
    char line[CONGRU_PREPROCESSING_LINE_SIZE] = "not described";
    const congru_status status = congru_set_preprocessing(NULL, set, &p);
    if (status == CONGRU_OK) {
        if (p.known)
            congru_preprocessing_print(&p, line);
        congru_preprocessing_clear(&p);
    }
    text->failed = text->failed || status == CONGRU_ERROR_MEMORY;
    congru_text_add(text, ",\n  \"prepared\": ");
    congru_text_add_json(text, line);
}

/* A digest of the definitions, where a pipeline of the run is one of them. */
static void add_definitions(congru_text *text, const congru_context *context,
                            const congru_evaluation_options *options)
{
    bool any = false;
    for (size_t i = 0; context != NULL && context->definitions != NULL && i < options->pipeline_count; i++)
        any = any ||
              congru_pipeline_definitions(context, options->pipelines[i]) == (const char *)context->definitions;
    if (any)
        congru_text_add(
            text, ",\n  \"pipeline-file\": \"%016llx\"",
            (unsigned long long)congru_digest(0, context->definitions, strlen(context->definitions)));
}

void congru_settings_text(const congru_context *context, const congru_set *set,
                          const congru_evaluation_options *options, congru_text *text)
{
    static const char *const protocols[] = {"loso", "folds", "sessions", "session-out"};
    congru_text_add(text, "  \"dataset\": ");
    congru_text_add_json(text, options->dataset != NULL ? options->dataset : "");
    congru_text_add(text, ",\n  \"data\": \"%016llx\",\n  \"version\": ", (unsigned long long)digest_set(set));
    congru_text_add_json(text, congru_version());
    add_preparation(text, set);
    congru_text_add(text, ",\n  \"trials\": %zu,\n  \"subjects\": %zu,\n  \"protocol\": \"%s\"", set->count,
                    set->subjects, protocols[options->protocol]);
    congru_text_add(text, ",\n  \"target\": \"%s\",\n  \"align-by\": \"%s\",\n  \"folds\": %d",
                    congru_target_name(options->target), options->align_by_session ? "session" : "subject",
                    options->protocol == CONGRU_PROTOCOL_FOLDS ? options->folds : 0);
    congru_method_options_write(&options->method, false, text);
    if (options->groups > 0)
        congru_text_add(text, ",\n  \"groups\": %d", options->groups);
    if (options->causal)
        congru_text_add(text, ",\n  \"causal\": \"yes\"");
    if (options->contiguous && options->protocol == CONGRU_PROTOCOL_FOLDS)
        congru_text_add(text, ",\n  \"folds-contiguous\": \"yes\"");
    if (options->calibration > 0 || options->calibration_most > 0)
        congru_text_add(text, ",\n  \"calibration\": \"%d, scored behind %d\"", options->calibration,
                        options->calibration_most > options->calibration ? options->calibration_most
                                                                         : options->calibration);
    add_definitions(text, context, options);
}

void congru_settings_fingerprint(const congru_text *text, char fingerprint[CONGRU_FINGERPRINT_SIZE])
{
    uint64_t digest = congru_digest(text->size, text->data, text->size);
    snprintf(fingerprint, CONGRU_FINGERPRINT_SIZE, "%016llx", (unsigned long long)digest);
}
