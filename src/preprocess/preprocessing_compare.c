/* Compares descriptions of preprocessing. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/number_text.h"
#include "preprocess/preprocessing.h"

enum { WORD_SIZE = 256 };

/* Where differences are told, and whose description is wanted. */
typedef struct difference {
    congru_text text;
    const char *who;
} difference;

static void differ(difference *d, const char *what, const char *other, const char *model)
{
    congru_text_add(&d->text, "%s%s %s where %s has %s", d->text.size > 0 ? "; " : "", what, other, d->who,
                    model);
}

static void compare_names(difference *d, const char *what, const char *model, const char *other)
{
    if (strcmp(model, other) != 0)
        differ(d, what, other, model);
}

static void compare_numbers(difference *d, const char *what, const char *unit, double model, double other)
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
    differ(d, what, words[1], words[0]);
}

static void compare_ranges(difference *d, const char *what, const char *unit, const double model[2],
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
    differ(d, what, words[1], words[0]);
}

static void compare_channels(difference *d, const congru_preprocessing *model,
                             const congru_preprocessing *other)
{
    char what[WORD_SIZE];
    if (model->channels != other->channels) {
        congru_text_add(&d->text, "%s where %s has %zu", congru_count(other->channels, "channel").text, d->who,
                        model->channels);
        return;
    }
    for (size_t i = 0; i < model->channels; i++) {
        const char *own = model->channel_name[i], *found = other->channel_name[i];
        if (own[0] == '\0' || found[0] == '\0' || congru_channel_matches(found, own))
            continue;
        snprintf(what, sizeof what, "channel %zu is", i + 1);
        differ(d, what, found, own);
        return;
    }
}

static const char *phase_name(const congru_preprocessing *p)
{
    return p->causal ? "causal" : "zero";
}

static void compare_filters(difference *d, const congru_preprocessing *model, const congru_preprocessing *other)
{
    bool filtered = model->band[1] > 0 && other->band[1] > 0;
    compare_ranges(d, "band", " Hz", model->band, other->band);
    if (filtered)
        compare_names(d, "filter", model->fir ? "fir" : "iir", other->fir ? "fir" : "iir");
    if (filtered && !model->fir && !other->fir)
        compare_numbers(d, "order", "", model->order, other->order);
    if (filtered || (model->notch > 0 && other->notch > 0))
        compare_names(d, "phase", phase_name(model), phase_name(other));
    compare_ranges(d, "filtered elsewhere", " Hz", model->filtered, other->filtered);
    compare_numbers(d, "notch", " Hz", model->notch, other->notch);
    if (model->notch > 0 && other->notch > 0)
        compare_names(d, "harmonics of the notch", model->harmonics ? "on" : "off",
                      other->harmonics ? "on" : "off");
}

bool congru_preprocessing_differs(const congru_preprocessing *model, const char *who,
                                  const congru_preprocessing *other, char *text, size_t size)
{
    if (model == NULL || who == NULL || other == NULL || text == NULL || size == 0)
        return true;
    difference found = {.who = who}, *d = &found;
    compare_channels(d, model, other);
    if (model->rate > 0 && other->rate > 0)
        compare_numbers(d, "rate", " Hz", model->rate, other->rate);
    if (model->known && other->known) {
        compare_filters(d, model, other);
        compare_names(d, "reference", model->average_reference ? "average" : "none",
                      other->average_reference ? "average" : "none");
        compare_names(d, "regressed out", model->regress[0] != '\0' ? model->regress : "nothing",
                      other->regress[0] != '\0' ? other->regress : "nothing");
        if (model->samples > 0 && other->samples > 0)
            compare_numbers(d, "trials of", " samples", (double)model->samples, (double)other->samples);
        compare_ranges(d, "window", " s", model->window, other->window);
        compare_names(d, "estimator", congru_estimator_name(model->estimator),
                      congru_estimator_name(other->estimator));
        compare_names(d, "trace normalisation", model->trace_normalise ? "on" : "off",
                      other->trace_normalise ? "on" : "off");
        compare_numbers(d, "shrinkage", "", model->shrinkage, other->shrinkage);
        if (model->baseline_whole || other->baseline_whole)
            compare_names(d, "baseline", model->baseline_whole ? "all" : "another",
                          other->baseline_whole ? "all" : "another");
        else
            compare_ranges(d, "baseline", " s", model->baseline, other->baseline);
    }
    bool any = found.text.size > 0 || found.text.failed;
    snprintf(text, size, "%s", found.text.data != NULL ? found.text.data : "");
    congru_text_clear(&found.text);
    return any;
}

static bool same_pair(const double a[2], const double b[2])
{
    return a[0] == b[0] && a[1] == b[1];
}

bool congru_preprocessing_same(const congru_preprocessing *a, const congru_preprocessing *b)
{
    bool same = a->channels == b->channels && a->scale == b->scale && same_pair(a->baseline, b->baseline) &&
                a->baseline_whole == b->baseline_whole && a->average_reference == b->average_reference &&
                same_pair(a->band, b->band) && a->order == b->order && a->fir == b->fir &&
                a->causal == b->causal && a->notch == b->notch && a->harmonics == b->harmonics &&
                same_pair(a->filtered, b->filtered) && a->resample == b->resample &&
                same_pair(a->window, b->window) && a->whole == b->whole && a->rest == b->rest &&
                a->rest_inside == b->rest_inside && a->drop_rejected == b->drop_rejected &&
                a->reject == b->reject && strcmp(a->regress, b->regress) == 0 && a->estimator == b->estimator &&
                a->trace_normalise == b->trace_normalise && a->shrinkage == b->shrinkage;
    for (size_t i = 0; same && i < a->channels; i++)
        same = strcmp(a->channel_name[i], b->channel_name[i]) == 0;
    return same;
}

/* ---- Adding up and taking away -------------------------------------------------------------------------- */

void congru_preprocessing_follow(congru_preprocessing *have, const congru_preprocessing *then)
{
    have->scale *= then->scale;
    have->average_reference = have->average_reference || then->average_reference;
    if (then->baseline_whole || then->baseline[1] > then->baseline[0]) {
        memcpy(have->baseline, then->baseline, sizeof have->baseline);
        have->baseline_whole = then->baseline_whole;
    }
    if (then->filtered[1] > 0)
        memcpy(have->filtered, then->filtered, sizeof have->filtered);
    if (then->band[1] > 0) {
        if (have->band[1] > 0)
            memcpy(have->filtered, have->band, sizeof have->filtered);
        memcpy(have->band, then->band, sizeof have->band);
        have->order = then->order;
        have->fir = then->fir;
        have->causal = then->causal;
    }
    if (then->notch > 0) {
        have->notch = then->notch;
        have->harmonics = then->harmonics;
        if (!(have->band[1] > 0))
            have->causal = then->causal;
    }
    if (then->resample > 0)
        have->resample = then->resample;
    if (then->window[1] > then->window[0]) {
        memcpy(have->window, then->window, sizeof have->window);
        have->whole = false;
    }
    have->rest = have->rest || then->rest;
    if (then->reject > 0 && !(have->reject > 0 && have->reject < then->reject))
        have->reject = then->reject;
    have->estimator = then->estimator;
    have->trace_normalise = then->trace_normalise;
    have->shrinkage = then->shrinkage;
    have->known = true;
}

void congru_preprocessing_own_filters(congru_preprocessing *p)
{
    if (p->band[1] > 0 || !(p->filtered[1] > 0))
        return;
    memcpy(p->band, p->filtered, sizeof p->band);
    p->filtered[0] = p->filtered[1] = 0;
}

congru_status congru_preprocessing_refuse(congru_context *context, const char *who, const char *differences)
{
    return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                       "not what %s was made for: %s (import the set with --like the model)", who, differences);
}

/* Whether the band that data have is the one that came before the band that is wanted. */
static bool is_within(const congru_preprocessing *wanted, const congru_preprocessing *have)
{
    const bool differs = have->band[0] != wanted->band[0] || have->band[1] != wanted->band[1];
    return differs && !(have->filtered[1] > 0) && have->band[0] == wanted->filtered[0] &&
           have->band[1] == wanted->filtered[1];
}

/* Whether the window that is wanted is a part of what the data hold, as far as they say. */
static bool can_be_cut(const congru_preprocessing *wanted, const congru_preprocessing *have)
{
    const double *inner = wanted->window, *outer = have->window;
    return !(outer[1] > outer[0]) ||
           (outer[0] <= inner[0] && inner[1] <= outer[1] && (outer[0] < inner[0] || inner[1] < outer[1]));
}

congru_status congru_preprocessing_left(congru_context *context, const congru_preprocessing *wanted,
                                        const char *who, const congru_preprocessing *have,
                                        congru_preprocessing *left)
{
    char text[CONGRU_ERROR_TEXT_SIZE / 2];
    bool given_known = wanted->known;
    congru_preprocessing reached = *have, target = *wanted;
    congru_preprocessing_init_raw(left);
    if (!(have->band[1] > 0 || have->filtered[1] > 0))
        congru_preprocessing_own_filters(&target);
    wanted = &target;
    if (wanted->average_reference && !have->average_reference)
        left->average_reference = true;
    if (wanted->band[1] > 0 && (!(have->band[1] > 0) || is_within(wanted, have))) {
        memcpy(left->band, wanted->band, sizeof left->band);
        left->order = wanted->order;
        left->fir = wanted->fir;
        left->causal = wanted->causal;
    }
    if (wanted->notch > 0 && !(have->notch > 0)) {
        left->notch = wanted->notch;
        left->harmonics = wanted->harmonics;
        left->causal = wanted->causal;
    }
    if (wanted->rate > 0 && have->rate > 0 && fabs(wanted->rate - have->rate) > 1e-9 * wanted->rate)
        left->resample = reached.rate = wanted->rate;
    if (wanted->window[1] > wanted->window[0] && can_be_cut(wanted, have)) {
        memcpy(left->window, wanted->window, sizeof left->window);
        left->whole = false;
    }
    left->estimator = wanted->estimator;
    left->trace_normalise = wanted->trace_normalise;
    left->shrinkage = wanted->shrinkage;
    if (!have->baseline_whole && !(have->baseline[1] > have->baseline[0])) {
        memcpy(left->baseline, wanted->baseline, sizeof left->baseline);
        left->baseline_whole = wanted->baseline_whole;
    }
    congru_preprocessing_follow(&reached, left);
    target.channels = reached.channels = 0; /* found by name when they are chosen */
    target.samples = reached.samples = 0;   /* not yet cut */
    target.known = reached.known = true;
    if (!given_known || !congru_preprocessing_differs(&target, who, &reached, text, sizeof text))
        return CONGRU_OK;
    return congru_preprocessing_refuse(context, who, text);
}
