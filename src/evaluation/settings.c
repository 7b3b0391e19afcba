/* The settings of a run as JSON lines, and two runs told apart by them. SPDX-License-Identifier: Apache-2.0 */
#include "evaluation/settings.h"

#include <stdio.h>
#include <stdlib.h>
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

/* ---- Compared -------------------------------------------------------------------------------------------- */

enum { KEY_SIZE = 64 };

/* The settings that are no options of methods. `words` is what a reader knows them as; NULL: the option --KEY. */
static const struct {
    const char *key, *words;
} facts[] = {
    {"dataset", NULL},
    {"data", "digest of the set"},
    {"version", "congru"},
    {"prepared", "signals"},
    {"trials", "trials"},
    {"subjects", "subjects"},
    {"protocol", "protocol"},
    {"target", NULL},
    {"align-by", NULL},
    {"folds", NULL},
    {"groups", NULL},
    {"causal", NULL},
    {"folds-contiguous", NULL},
    {"calibration", NULL},
    {"pipeline-file", "digest of the pipelines' definitions"},
};
enum { OPTIONAL = 5 }; /* the last of them, which only some runs have */
enum { FACTS = sizeof facts / sizeof facts[0] };

/* Settings as they were read. */
typedef struct settings {
    congru_text fact[FACTS];
    congru_method_options method;
    size_t named; /* how many facts and options there are */
    bool unknown; /* a name among them is neither */
} settings;

/* A string, or any other value as it stands. */
static bool read_fact(congru_scan *json, congru_text *value)
{
    if (congru_scan_peek(json) == '"')
        return congru_scan_string_add(json, value);
    const char *begin = json->at;
    if (!congru_scan_skip(json))
        return false;
    congru_text_add_bytes(value, begin, (size_t)(json->at - begin));
    return true;
}

static bool read_settings(const char *text, size_t size, settings *s)
{
    char key[KEY_SIZE];
    congru_scan json = congru_scan_start(text, size);
    congru_method_options_init(&s->method);
    for (bool first = congru_scan_object(&json); congru_scan_member(&json, &first, key, sizeof key);) {
        const congru_method_option *row;
        size_t i = 0;
        while (i < FACTS && strcmp(facts[i].key, key) != 0)
            i++;
        if (!(i < FACTS ? read_fact(&json, &s->fact[i])
                        : congru_method_options_read(&json, key, &s->method, &row)))
            return false;
        bool known = i < FACTS || row != NULL;
        const bool optional = i < FACTS ? i >= FACTS - OPTIONAL : row != NULL && row->quiet;
        s->named += known && !optional;
        s->unknown = s->unknown || !known;
    }
    return congru_scan_end(&json);
}

static void add_facts(const settings *there, const settings *here, congru_text *list)
{
    for (size_t i = 0; i < FACTS; i++) {
        const char *none = i >= FACTS - OPTIONAL ? "none" : "";
        const char *old = there->fact[i].data != NULL ? there->fact[i].data : none;
        const char *now = here->fact[i].data != NULL ? here->fact[i].data : none;
        list->failed = list->failed || there->fact[i].failed || here->fact[i].failed;
        if (strcmp(old, now) == 0)
            continue;
        if (facts[i].words == NULL)
            congru_difference_add(list, facts[i].key, old, now);
        else
            congru_text_add(list, "%s%s %s there, %s here", list->size > 0 ? "; " : "", facts[i].words, old,
                            now);
    }
}

static congru_status tell(congru_context *context, const char *folder, const settings *there,
                          const settings *here)
{
    congru_text list = {0};
    char methods[CONGRU_ERROR_TEXT_SIZE];
    add_facts(there, here, &list);
    if (congru_method_options_compare(&there->method, &here->method, methods, sizeof methods) > 0)
        congru_text_add(&list, "%s%s", list.size > 0 ? "; " : "", methods);
    congru_status status = CONGRU_OK;
    if (list.failed)
        status = congru_fail(context, CONGRU_ERROR_MEMORY, "%s: not enough memory", folder);
    else if (there->unknown || there->named != here->named)
        status =
            congru_fail(context, CONGRU_ERROR_FORMAT,
                        "%s: holds results of another version of congru, whose run.json has other settings "
                        "(name another folder with -o, or remove it)",
                        folder);
    else if (list.size > 0)
        status = congru_fail(context, CONGRU_ERROR_ARGUMENT,
                             "%s: holds results of another run: %.700s (name another folder with -o, or remove "
                             "it)",
                             folder, list.data);
    congru_text_clear(&list);
    return status;
}

congru_status congru_settings_compare(congru_context *context, const char *folder, const char *there,
                                      size_t there_size, const char *here, size_t here_size)
{
    settings *s = calloc(2, sizeof *s);
    congru_status status;
    if (s == NULL)
        status = congru_fail(context, CONGRU_ERROR_MEMORY, "%s: not enough memory", folder);
    else if (!read_settings(there, there_size, &s[0]))
        status = congru_fail(context, CONGRU_ERROR_FORMAT,
                             "%s/run.json: its settings are not those of a congru run (name another folder)",
                             folder);
    else if (!read_settings(here, here_size, &s[1]))
        status = congru_fail(context, CONGRU_ERROR_ARGUMENT,
                             "%s: this run's own settings cannot be read back: an option is out of its bounds",
                             folder);
    else
        status = tell(context, folder, &s[0], &s[1]);
    for (size_t i = 0; s != NULL && i < 2 * FACTS; i++)
        congru_text_clear(&s[i / FACTS].fact[i % FACTS]);
    free(s);
    return status;
}
