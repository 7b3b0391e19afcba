/* Reads and compares what signals went through. SPDX-License-Identifier: Apache-2.0 */
#include "decoder/preprocessing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/json_scan.h"
#include "base/number_text.h"

enum { WORD_SIZE = 256, KEY_SIZE = 64, ORDER_MAX = 32 };
static const double hertz_max = 1e7;

const char *congru_estimator_name(congru_estimator estimator)
{
    static const char *const names[] = {"scm", "oas", "lwf", "csp"};
    return (size_t)estimator < sizeof names / sizeof names[0] ? names[estimator] : "unknown";
}

/* ---- Reading ------------------------------------------------------------------------------------------- */

static bool read_pair(congru_scan *json, double pair[2])
{
    size_t count = 0;
    bool first = congru_scan_array(json);
    for (double number; congru_scan_element(json, &first); count++) {
        if (count == 2 || !congru_scan_number(json, &number))
            return false;
        pair[count] = number;
    }
    return !json->failed && count == 2;
}

static bool read_hertz(congru_scan *json, double *hertz)
{
    return congru_scan_number(json, hertz) && *hertz >= 0 && *hertz <= hertz_max;
}

static bool read_order(congru_scan *json, int *order)
{
    double number;
    if (!congru_scan_number(json, &number) || number < 1 || number > ORDER_MAX || number != floor(number))
        return false;
    *order = (int)number;
    return true;
}

/* Which of two words it is. */
static bool read_either(congru_scan *json, const char *no, const char *yes, bool *state)
{
    char word[WORD_SIZE];
    if (!congru_scan_string(json, word, sizeof word))
        return false;
    *state = strcmp(word, yes) == 0;
    return *state || strcmp(word, no) == 0;
}

static bool read_estimator(congru_scan *json, congru_estimator *estimator)
{
    char word[WORD_SIZE];
    if (!congru_scan_string(json, word, sizeof word))
        return false;
    for (int i = CONGRU_ESTIMATOR_SCM; i <= CONGRU_ESTIMATOR_CSP; i++) {
        *estimator = (congru_estimator)i;
        if (strcmp(word, congru_estimator_name(*estimator)) == 0)
            return true;
    }
    return false;
}

/* One member; true too for keys that are of no concern. */
static bool read_member(congru_scan *json, const char *key, congru_preprocessing *p)
{
    if (strcmp(key, "band") == 0)
        return read_pair(json, p->band) && p->band[0] >= 0 && p->band[1] <= hertz_max &&
               (p->band[1] == 0 || p->band[0] < p->band[1]);
    if (strcmp(key, "order") == 0)
        return read_order(json, &p->order);
    if (strcmp(key, "filter") == 0)
        return read_either(json, "iir", "fir", &p->fir);
    if (strcmp(key, "phase") == 0)
        return read_either(json, "zero", "causal", &p->causal);
    if (strcmp(key, "notch") == 0)
        return read_hertz(json, &p->notch);
    if (strcmp(key, "harmonics") == 0)
        return congru_scan_boolean(json, &p->harmonics);
    if (strcmp(key, "resample") == 0)
        return read_hertz(json, &p->resample);
    if (strcmp(key, "reference") == 0)
        return read_either(json, "none", "average", &p->average_reference);
    if (strcmp(key, "window") == 0)
        return congru_scan_peek(json) == '"' ? congru_scan_skip(json) : read_pair(json, p->window);
    if (strcmp(key, "estimator") == 0) {
        p->known = true;
        return read_estimator(json, &p->estimator);
    }
    if (strcmp(key, "trace_normalise") == 0)
        return congru_scan_boolean(json, &p->trace_normalise);
    return congru_scan_skip(json);
}

congru_status congru_preprocessing_parse(congru_context *context, const char *text, congru_preprocessing *p)
{
    char key[KEY_SIZE];
    if (text == NULL)
        return CONGRU_OK;
    congru_scan json = congru_scan_start(text, strlen(text));
    for (bool first = congru_scan_object(&json); congru_scan_member(&json, &first, key, sizeof key);)
        if (!read_member(&json, key, p))
            return congru_fail(context, CONGRU_ERROR_FORMAT,
                               "the meta data has a value for '%s' that cannot be (import the set anew)", key);
    if (!congru_scan_end(&json))
        return congru_fail(context, CONGRU_ERROR_FORMAT,
                           "the meta data is not a JSON object (import the set anew, or leave 'meta' out)");
    return CONGRU_OK;
}

congru_status congru_preprocessing_of_set(congru_context *context, const congru_set *set,
                                          congru_preprocessing *p)
{
    *p = (congru_preprocessing){.channels = set->dimension,
                                .channel_name = set->channel_name,
                                .rate = set->rate,
                                .samples = set->samples};
    congru_status status = congru_preprocessing_parse(context, set->meta, p);
    if (status == CONGRU_OK && p->samples == 0 && p->window[1] > p->window[0] && p->rate > 0) {
        double samples = floor((p->window[1] - p->window[0]) * p->rate + 0.5);
        p->samples = samples >= 2 && samples < 1e9 ? (size_t)samples : 0;
    }
    return status;
}

/* ---- Comparing ----------------------------------------------------------------------------------------- */

static void differ(congru_text *text, const char *what, const char *other, const char *model)
{
    congru_text_add(text, "%s%s %s where the model has %s", text->size > 0 ? "; " : "", what, other, model);
}

static void compare_names(congru_text *text, const char *what, const char *model, const char *other)
{
    if (strcmp(model, other) != 0)
        differ(text, what, other, model);
}

static void compare_numbers(congru_text *text, const char *what, const char *unit, double model, double other)
{
    char words[2][WORD_SIZE];
    const double number[2] = {model, other};
    if (fabs(model - other) <= 1e-9 * fabs(model))
        return;
    for (int i = 0; i < 2; i++) {
        if (number[i] == 0)
            snprintf(words[i], WORD_SIZE, "none");
        else
            congru_format(words[i], WORD_SIZE, "%g%s", number[i], unit);
    }
    differ(text, what, words[1], words[0]);
}

static void compare_ranges(congru_text *text, const char *what, const char *unit, const double model[2],
                           const double other[2])
{
    char words[2][WORD_SIZE];
    const double *range[2] = {model, other};
    if (fabs(model[0] - other[0]) <= 1e-9 && fabs(model[1] - other[1]) <= 1e-9)
        return;
    for (int i = 0; i < 2; i++) {
        if (range[i][0] == range[i][1])
            snprintf(words[i], WORD_SIZE, "none");
        else
            congru_format(words[i], WORD_SIZE, "%g to %g%s", range[i][0], range[i][1], unit);
    }
    differ(text, what, words[1], words[0]);
}

static void compare_channels(congru_text *text, const congru_preprocessing *model,
                             const congru_preprocessing *other)
{
    char what[WORD_SIZE];
    if (model->channels != other->channels) {
        congru_text_add(text, "%s where the model has %zu", congru_count(other->channels, "channel").text,
                        model->channels);
        return;
    }
    for (size_t i = 0; i < model->channels; i++) {
        const char *own = model->channel_name[i], *found = other->channel_name[i];
        if (own[0] == '\0' || found[0] == '\0' || congru_channel_matches(found, own))
            continue;
        snprintf(what, sizeof what, "channel %zu is", i + 1);
        differ(text, what, found, own);
        return;
    }
}

static const char *phase_name(const congru_preprocessing *p)
{
    return p->causal ? "causal" : "zero";
}

void congru_preprocessing_compare(const congru_preprocessing *model, const congru_preprocessing *other,
                                  congru_text *text)
{
    compare_channels(text, model, other);
    if (model->rate > 0 && other->rate > 0)
        compare_numbers(text, "rate", " Hz", model->rate, other->rate);
    if (!model->known || !other->known)
        return;
    bool filtered = model->band[1] > 0 && other->band[1] > 0;
    compare_ranges(text, "band", " Hz", model->band, other->band);
    if (filtered)
        compare_names(text, "filter", model->fir ? "fir" : "iir", other->fir ? "fir" : "iir");
    if (filtered && !model->fir && !other->fir)
        compare_numbers(text, "order", "", model->order, other->order);
    if (filtered || (model->notch > 0 && other->notch > 0))
        compare_names(text, "phase", phase_name(model), phase_name(other));
    compare_numbers(text, "notch", " Hz", model->notch, other->notch);
    if (model->notch > 0 && other->notch > 0)
        compare_names(text, "harmonics of the notch", model->harmonics ? "on" : "off",
                      other->harmonics ? "on" : "off");
    compare_names(text, "reference", model->average_reference ? "average" : "none",
                  other->average_reference ? "average" : "none");
    if (model->samples > 0 && other->samples > 0)
        compare_numbers(text, "trials of", " samples", (double)model->samples, (double)other->samples);
    compare_ranges(text, "window", " s", model->window, other->window);
    compare_names(text, "estimator", congru_estimator_name(model->estimator),
                  congru_estimator_name(other->estimator));
    compare_names(text, "trace normalisation", model->trace_normalise ? "on" : "off",
                  other->trace_normalise ? "on" : "off");
}
