/* What a set's trials went through, and sets of signals made covariances. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_scan.h"
#include "base/mapped_memory.h"
#include "base/memory.h"
#include "congru/version.h"
#include "dataset/covariance.h"
#include "dataset/set_internal.h"
#include "dataset/set_products.h"
#include "preprocess/preprocessing.h"
#include "spd/trace.h"

enum { CHUNK = 64 }; /* trials that are filtered at a time beside the set */

/* Rate and samples of the windows that covariances were made of. */
static void measure(const congru_set *set, congru_preprocessing *p)
{
    if (p->resample > 0)
        p->rate = p->resample;
    if (!(p->window[1] > p->window[0]))
        p->samples = set->rate > 0 ? (size_t)((double)set->samples / set->rate * p->rate + 0.5) : set->samples;
}

congru_status congru_set_preprocessing(congru_context *context, const congru_set *set, congru_preprocessing *p)
{
    if (set == NULL || p == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "congru_set_preprocessing: set and p must not be NULL");
    congru_preprocessing_init_raw(p);
    p->whole = false;
    p->rate = set->rate;
    p->samples = set->signals_meta == NULL ? set->samples : 0;
    congru_status status = congru_preprocessing_name_channels(
        context, p, set->dimension, (const char(*)[CONGRU_LABEL_SIZE])set->channel_name);
    if (status == CONGRU_OK)
        status = congru_preprocessing_parse(context, set->meta, p);
    if (status != CONGRU_OK)
        congru_preprocessing_clear(p);
    if (status == CONGRU_OK &&
        set->signals_meta != NULL) /* signals are not yet what covariances were made of */
        measure(set, p);
    if (status == CONGRU_OK && p->samples == 0 && p->window[1] > p->window[0] && p->rate > 0) {
        double samples = floor((p->window[1] - p->window[0]) * p->rate + 0.5);
        p->samples = samples >= 2 && samples < 1e9 ? (size_t)samples : 0;
    }
    return status;
}

double congru_set_trial_seconds(const congru_set *set)
{
    congru_preprocessing p;
    if (set->signals != NULL && set->rate > 0)
        return (double)set->samples / set->rate;
    if (congru_set_preprocessing(NULL, set, &p) != CONGRU_OK)
        return 0.0;
    const double seconds = p.window[1] - p.window[0];
    congru_preprocessing_clear(&p);
    return seconds > 0 ? seconds : 0.0;
}

/* The set's signals as epochs that own what they change: samples that may be written to, and names. */
static congru_status borrow(congru_context *context, congru_set *set, congru_epochs *epochs)
{
    size_t bytes = set->count * set->dimension * set->samples * sizeof(double);
    *epochs = (congru_epochs){.count = set->count,
                              .channels = set->dimension,
                              .samples = set->samples,
                              .rate = set->rate > 0 ? set->rate : (double)NAN,
                              .start = set->start,
                              .data = set->signals,
                              .channel_name = set->channel_name};
    if (!set->borrowed)
        return CONGRU_OK;
    epochs->data = congru_memory_take(bytes);
    if (epochs->data == NULL)
        return congru_fail_memory(context, "%zu trials of %zu samples", set->count, set->samples);
    for (size_t i = 0, step = set->dimension * set->samples; i < set->count; i++) {
        memcpy(epochs->data + i * step, set->signals + i * step, step * sizeof(double));
        congru_mapped_pass(2 * step * sizeof(double));
    }
    set->covariance = NULL; /* both stay their owner's, and new ones are made */
    set->borrowed = false;
    set->signals = epochs->data;
    return CONGRU_OK;
}

/* Where trials came from stays true whatever is done to them: which events they were, so that a recording is cut alike. */
static void keep_origin(const char *meta, congru_text *text)
{
    static const char *const kept[] = {"preset", "events", "cue", "options", "files"};
    char key[64];
    congru_scan json = congru_scan_start(meta, strlen(meta));
    for (bool first = congru_scan_object(&json); congru_scan_member(&json, &first, key, sizeof key);) {
        congru_scan_peek(&json);
        const char *begin = json.at;
        if (!congru_scan_skip(&json))
            return;
        for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++)
            if (strcmp(key, kept[i]) == 0) {
                congru_text_add(text, ", \"%s\": ", key);
                congru_text_add_bytes(text, begin, (size_t)(json.at - begin));
            }
    }
}

static congru_status describe(congru_context *context, const congru_preprocessing *p, congru_set *set)
{
    congru_preprocessing have;
    congru_text text = {0};
    CONGRU_TRY(congru_set_signals_preprocessing(context, set, &have));
    congru_preprocessing_follow(&have, p);
    congru_text_add(&text, "{\"congru\": \"%s\"", congru_version());
    congru_preprocessing_write(&have, &text);
    if (set->meta != NULL || set->signals_meta != NULL)
        keep_origin(set->meta != NULL ? set->meta : set->signals_meta, &text);
    congru_text_add(&text, "}");
    congru_preprocessing_clear(&have);
    if (text.failed) {
        congru_text_clear(&text);
        return congru_fail_memory(context, "meta data");
    }
    free(set->meta);
    set->meta = text.data;
    return CONGRU_OK;
}

static congru_status estimate(congru_context *context, const congru_preprocessing *p, congru_set *set)
{
    size_t d = set->dimension;
    double *covariance = congru_memory_take(set->count * d * d * sizeof *covariance);
    if (covariance == NULL)
        return congru_fail_memory(context, "%zu covariances", set->count);
    congru_status status = congru_covariance(context, p->estimator, p->trace_normalise, set->count, d,
                                             set->samples, set->signals, covariance);
    if (status != CONGRU_OK) {
        congru_memory_give(covariance);
        return status;
    }
    congru_covariance_shrink(p->shrinkage, set->count, d, covariance);
    congru_memory_give(set->covariance);
    set->covariance = covariance;
    return CONGRU_OK;
}

static bool changes_samples(const congru_preprocessing *p)
{
    return p->channels > 0 || p->scale != 1 || p->average_reference || p->baseline_whole ||
           p->baseline[1] > p->baseline[0] || p->band[1] > 0 || p->notch > 0 || p->resample > 0 || !p->whole;
}

/* The signals are what the set is about from here on. */
static void forget_covariances(congru_set *set)
{
    if (set->signals_meta == NULL)
        return;
    free(set->meta);
    set->meta = set->signals_meta;
    set->signals_meta = NULL;
}

/* What can be done to covariances alone: to divide them by their traces. */
static congru_status divide_alone(congru_context *context, congru_set *set)
{
    const size_t d = set->dimension;
    congru_preprocessing have, then;
    congru_status status = congru_set_preprocessing(context, set, &have);
    if (status != CONGRU_OK)
        return status;
    congru_preprocessing_init_raw(&then);
    then.estimator = have.estimator;
    then.trace_normalise = true;
    double *covariance = congru_memory_take(set->count * d * d * sizeof *covariance);
    if (covariance == NULL)
        status = congru_fail_memory(context, "%zu covariances", set->count);
    if (status == CONGRU_OK && have.known) /* of unknown covariances nothing is said that looks like all */
        status = describe(context, &then, set);
    congru_preprocessing_clear(&have);
    congru_preprocessing_clear(&then);
    if (status != CONGRU_OK) {
        congru_memory_give(covariance);
        return status;
    }
    congru_trace_divide(set->count, d, set->covariance, covariance);
    if (!set->borrowed)
        congru_memory_give(set->covariance);
    set->covariance = covariance;
    set->borrowed = false;
    return CONGRU_OK;
}

congru_status congru_set_preprocess(congru_context *context, congru_set *set, const congru_preprocessing *p)
{
    if (set != NULL && p != NULL && set->signals == NULL && set->covariance != NULL && p->trace_normalise &&
        !changes_samples(p) && p->estimator == CONGRU_ESTIMATOR_SCM)
        return divide_alone(context, set);
    if (set == NULL || p == NULL || set->signals == NULL)
        return congru_fail(
            context, CONGRU_ERROR_ARGUMENT,
            set == NULL || p == NULL
                ? "congru_set_preprocess: set and p must not be NULL"
                : "holds covariances alone, and --band, --window and the like are for signals (import "
                  "it anew)");
    congru_status status = congru_preprocessing_check(context, p);
    forget_covariances(set);
    if (status == CONGRU_OK && (changes_samples(p) || set->borrowed)) {
        congru_epochs epochs;
        status = borrow(context, set, &epochs);
        if (status == CONGRU_OK) {
            status = congru_preprocess_trials(context, p, NULL, &epochs);
            set->signals = epochs.data;
            set->dimension = epochs.channels;
            set->samples = epochs.samples;
            set->rate = epochs.rate > 0 ? epochs.rate : 0;
            set->start = epochs.start;
        }
    }
    if (status == CONGRU_OK)
        status = describe(context, p, set);
    return status == CONGRU_OK ? estimate(context, p, set) : status;
}

/* What is done to covariances and signals alike, and what is left for covariances. */
static void divide(const congru_preprocessing *p, congru_preprocessing *both, congru_preprocessing *own)
{
    congru_preprocessing_init_raw(both);
    both->channels = p->channels;
    both->channel_name = p->channel_name;
    both->scale = p->scale;
    memcpy(both->filtered, p->filtered, sizeof p->filtered);
    *own = *p;
    own->channels = 0;
    own->channel_name = NULL;
    own->scale = 1;
    own->filtered[0] = own->filtered[1] = 0;
}

static congru_status estimate_apart(congru_context *context, const congru_preprocessing *p, congru_set *set)
{
    congru_product product = {.description = *p}, *const list[] = {&product};
    congru_status status = congru_product_measure(context, set, &product);
    if (status != CONGRU_OK)
        return status;
    product.covariance =
        congru_memory_take(set->count * product.channels * product.channels * sizeof *product.covariance);
    if (product.covariance == NULL)
        return congru_fail_memory(context, "%zu covariances", set->count);
    for (size_t first = 0; status == CONGRU_OK && first < set->count; first += CHUNK) {
        size_t left = set->count - first;
        status = congru_product_make(context, set, first, left < CHUNK ? left : CHUNK, 1, list);
    }
    if (status != CONGRU_OK) {
        congru_memory_give(product.covariance);
        return status;
    }
    congru_memory_give(set->covariance);
    set->covariance = product.covariance;
    return CONGRU_OK;
}

congru_status congru_set_estimate(congru_context *context, congru_set *set, const congru_preprocessing *p)
{
    congru_preprocessing both, own;
    if (set == NULL || p == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "congru_set_estimate: set and p must not be NULL");
    divide(p, &both, &own);
    if (!changes_samples(&own)) /* signals and covariances are then of the same samples */
        return congru_set_preprocess(context, set, p);
    congru_status status = CONGRU_OK;
    forget_covariances(set);
    if (changes_samples(&both) || both.filtered[1] > 0 || set->borrowed || set->signals == NULL)
        status = congru_set_preprocess(context, set, &both);
    if (status == CONGRU_OK)
        status = estimate_apart(context, &own, set);
    if (status != CONGRU_OK)
        return status;
    set->signals_meta = set->meta != NULL ? set->meta : calloc(3, 1);
    set->meta = NULL;
    if (set->signals_meta == NULL)
        return congru_fail_memory(context, "meta data");
    if (set->signals_meta[0] == '\0')
        memcpy(set->signals_meta, "{}", 3);
    return describe(context, &own, set);
}

congru_status congru_set_preprocess_like(congru_context *context, congru_set *set,
                                         const congru_preprocessing *wanted, const char *who, double scale)
{
    if (set == NULL || wanted == NULL || who == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "congru_set_preprocess_like: set, wanted and who must not be NULL");
    congru_preprocessing have, left;
    CONGRU_TRY(congru_set_signals_preprocessing(context, set, &have));
    congru_status status = congru_preprocessing_left(context, wanted, who, &have, &left);
    congru_preprocessing_clear(&have);
    left.scale = scale;
    /* Channels in another order are put in order by name. */
    if (status == CONGRU_OK && wanted->channels > 0 && wanted->channel_name[0][0] != '\0' &&
        set->channel_name[0][0] != '\0') {
        left.channels = wanted->channels;
        left.channel_name = wanted->channel_name;
    }
    return status == CONGRU_OK ? congru_set_preprocess(context, set, &left) : status;
}
