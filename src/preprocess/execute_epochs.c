/* Executes a description on trials that were cut already. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "epochs/epochs_internal.h"
#include "preprocess/preprocessing.h"

/* ---- Channels ------------------------------------------------------------------------------------------ */

static congru_status fail_channel(congru_context *context, const congru_epochs *epochs, const char *missing)
{
    char list[700] = "";
    size_t used = 0;
    for (size_t i = 0; i < epochs->channels && used < sizeof list; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i > 0 ? ", " : "",
                                 epochs->channel_name[i]);
    return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                       "no channel '%s': it has %s (name some of these with --channels)", missing, list);
}

/* Where each wanted channel is: by name, else by position. */
static congru_status find_channels(congru_context *context, const congru_preprocessing *p,
                                   const size_t *position, const congru_epochs *epochs, size_t *place)
{
    const char *missing = NULL;
    bool placed = position != NULL;
    for (size_t i = 0; i < p->channels; i++) {
        size_t at = 0;
        while (at < epochs->channels && !congru_channel_matches(epochs->channel_name[at], p->channel_name[i]))
            at++;
        if (at == epochs->channels && missing == NULL)
            missing = p->channel_name[i];
        place[i] = at;
        placed = placed && position[i] <= epochs->channels;
    }
    if (missing == NULL)
        return CONGRU_OK;
    if (!placed)
        return fail_channel(context, epochs, missing);
    for (size_t i = 0; i < p->channels; i++)
        place[i] = position[i] - 1;
    return CONGRU_OK;
}

/* The trials with the wanted channels in the wanted order, through a copy of one trial. */
static congru_status choose_channels(congru_context *context, const congru_preprocessing *p,
                                     const size_t *position, congru_epochs *epochs)
{
    size_t count = p->channels, samples = epochs->samples;
    if (count == 0)
        return CONGRU_OK;
    if (count > epochs->channels)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "%s wanted, it has %zu",
                           congru_count(count, "channel").text, epochs->channels);
    size_t *place = congru_memory_take(count * sizeof *place);
    double *trial = congru_memory_take((epochs->channels * samples + 1) * sizeof *trial);
    congru_status status = place != NULL && trial != NULL ? find_channels(context, p, position, epochs, place)
                                                          : congru_fail_memory(context, "a trial");
    if (status == CONGRU_OK) {
        for (size_t i = 0; i < epochs->count; i++) {
            memcpy(trial, epochs->data + i * epochs->channels * samples,
                   epochs->channels * samples * sizeof *trial);
            for (size_t k = 0; k < count; k++)
                memcpy(epochs->data + (i * count + k) * samples, trial + place[k] * samples,
                       samples * sizeof *trial);
        }
        epochs->channels = count;
        for (size_t k = 0; k < count; k++)
            memcpy(epochs->channel_name[k], p->channel_name[k], CONGRU_LABEL_SIZE);
    }
    congru_memory_give(trial);
    congru_memory_give(place);
    return status;
}

/* ---- Samples ------------------------------------------------------------------------------------------- */

static congru_status resample(congru_context *context, const congru_preprocessing *p, congru_epochs *epochs)
{
    size_t up, down;
    congru_status status = congru_preprocess_ratio(context, p, epochs->rate, &up, &down);
    if (status != CONGRU_OK || up == down)
        return status;
    status = congru_epochs_resample(context, epochs, up, down);
    if (status == CONGRU_OK)
        epochs->rate = p->resample;
    return status;
}

/* The whole trial, or what of it lies before the cue: all that a decision in time may know of it. */
static congru_status find_whole_baseline(congru_context *context, const congru_preprocessing *p,
                                         const congru_epochs *epochs, size_t *to)
{
    const double before = -congru_epochs_sample(epochs->start, epochs->rate);
    *to = epochs->samples;
    if (!p->causal)
        return CONGRU_OK;
    if (!(before >= 1)) /* as it is where the start is NaN */
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "a causal baseline is what comes before the cue, and its trials begin %g s after it "
                           "(import them with a --window that begins before, such as -0.5:4)",
                           epochs->start);
    *to = before < (double)epochs->samples ? (size_t)before : epochs->samples;
    return CONGRU_OK;
}

/* Where in a trial the baseline lies. */
static congru_status find_baseline(congru_context *context, const congru_preprocessing *p,
                                   const congru_epochs *epochs, size_t *from, size_t *to)
{
    *from = 0;
    if (p->baseline_whole)
        return find_whole_baseline(context, p, epochs, to);
    double origin = congru_epochs_sample(epochs->start, epochs->rate),
           first = congru_epochs_sample(p->baseline[0], epochs->rate) - origin,
           last = congru_epochs_sample(p->baseline[1], epochs->rate) - origin;
    if (!(first >= 0 && first < last && last <= (double)epochs->samples)) /* as it is where the start is NaN */
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "the baseline %g:%g s leaves its trials, which last from %g to %g s after the cue "
                           "(choose --baseline inside, or all)",
                           p->baseline[0], p->baseline[1], epochs->start,
                           epochs->start + (double)epochs->samples / epochs->rate);
    *from = (size_t)first;
    *to = (size_t)last;
    return CONGRU_OK;
}

/* Missing samples do not count. */
static congru_status take_baseline(congru_context *context, const congru_preprocessing *p,
                                   congru_epochs *epochs)
{
    size_t from = 0, to = 0;
    if (!p->baseline_whole && !(p->baseline[1] > p->baseline[0]))
        return CONGRU_OK;
    congru_status status = find_baseline(context, p, epochs, &from, &to);
    for (size_t i = 0; status == CONGRU_OK && i < epochs->count * epochs->channels; i++) {
        double *x = epochs->data + i * epochs->samples, sum = 0;
        size_t count = 0;
        for (size_t t = from; t < to; t++)
            if (isfinite(x[t])) {
                sum += x[t];
                count++;
            }
        for (size_t t = 0; count > 0 && t < epochs->samples; t++)
            x[t] -= sum / (double)count;
    }
    return status;
}

static congru_status crop(congru_context *context, const congru_preprocessing *p, congru_epochs *epochs)
{
    double first = p->rest ? -p->window[1] : p->window[0], last = p->rest ? -p->window[0] : p->window[1];
    if (p->whole)
        return CONGRU_OK;
    if (isnan(epochs->start))
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "it does not say where the cue of its trials of %g s is (import it with --start, or "
                           "with --window all)",
                           (double)epochs->samples / epochs->rate);
    congru_status status = congru_epochs_crop(context, epochs, first, last);
    if (status == CONGRU_ERROR_ARGUMENT)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "the window %g:%g s leaves its trials, which last from %g to %g s after the cue "
                           "(choose --window inside, or all)",
                           first, last, epochs->start, epochs->start + (double)epochs->samples / epochs->rate);
    return status;
}

static void call_rest(congru_epochs *epochs)
{
    epochs->classes = 1;
    snprintf(epochs->class_name[0], CONGRU_LABEL_SIZE, "rest");
    memset(epochs->label, 0, epochs->count * sizeof *epochs->label);
}

/* Trials with missing samples go, as they do from recordings. */
static congru_status drop_missing(congru_context *context, congru_epochs *epochs, congru_epochs_report *report)
{
    size_t size = epochs->channels * epochs->samples, kept = 0;
    for (size_t i = 0; i < epochs->count; i++) {
        bool whole = true;
        for (size_t j = 0; whole && j < size; j++)
            whole = isfinite(epochs->data[i * size + j]);
        if (whole)
            congru_epochs_move(epochs, i, kept++);
        else if (report->named < CONGRU_DROPPED_NAMED)
            report->dropped[report->named++] =
                (congru_dropped){epochs->number != NULL ? epochs->number[i] : i + 1, CONGRU_DROPPED_GAP};
    }
    report->kept = kept;
    report->gap = epochs->count - kept;
    epochs->count = kept;
    if (kept == 0)
        return congru_fail(context, CONGRU_ERROR_FORMAT, "nothing is left of %s: all hold missing samples",
                           congru_count(report->found, "trial").text);
    return CONGRU_OK;
}

congru_status congru_preprocess_trials(congru_context *context, const congru_preprocessing *p,
                                       const size_t *position, congru_epochs *epochs)
{
    if (!(epochs->rate > 0) &&
        (p->band[1] > 0 || p->notch > 0 || p->resample > 0 || !p->whole || p->baseline[1] > p->baseline[0]))
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "it does not say its rate (import it with --rate, or save it as 'fs')");
    CONGRU_TRY(choose_channels(context, p, position, epochs));
    CONGRU_TRY(take_baseline(context, p, epochs));
    CONGRU_TRY(congru_preprocess_samples(context, p, epochs->rate, epochs->count, epochs->channels,
                                         epochs->samples, epochs->data));
    CONGRU_TRY(resample(context, p, epochs));
    return crop(context, p, epochs);
}

double congru_preprocess_swing(const double *x, size_t samples)
{
    double least = (double)INFINITY, most = -(double)INFINITY;
    for (size_t t = 0; t < samples; t++) {
        least = x[t] < least ? x[t] : least;
        most = x[t] > most ? x[t] : most;
    }
    return most - least;
}

static bool is_beyond(const congru_preprocessing *p, const congru_epochs *epochs, size_t trial)
{
    const double *x = epochs->data + trial * epochs->channels * epochs->samples;
    for (size_t k = 0; k < epochs->channels; k++)
        if (congru_preprocess_swing(x + k * epochs->samples, epochs->samples) > p->reject)
            return true;
    return false;
}

congru_status congru_preprocess_reject(congru_context *context, const congru_preprocessing *p,
                                       congru_epochs *epochs, congru_epochs_report *report)
{
    size_t kept = 0;
    if (!(p->reject > 0))
        return CONGRU_OK;
    for (size_t i = 0; i < epochs->count; i++) {
        if (!is_beyond(p, epochs, i))
            congru_epochs_move(epochs, i, kept++);
        else if (report->named < CONGRU_DROPPED_NAMED)
            report->dropped[report->named++] =
                (congru_dropped){epochs->number != NULL ? epochs->number[i] : i + 1, CONGRU_DROPPED_AMPLITUDE};
    }
    report->amplitude += epochs->count - kept;
    report->kept -= epochs->count - kept;
    epochs->count = kept;
    if (kept > 0)
        return CONGRU_OK;
    return congru_fail(context, CONGRU_ERROR_FORMAT,
                       "nothing is left of %s: %zu beyond %g uV from their least to their largest sample "
                       "(try a larger --reject; is --unit right?)",
                       congru_count(report->found, "trial").text, report->amplitude, p->reject);
}

congru_status congru_preprocess_epochs(congru_context *context, const congru_preprocessing *p,
                                       const size_t *position, congru_epochs *epochs,
                                       congru_epochs_report *report)
{
    if (p == NULL || epochs == NULL || report == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "congru_preprocess_epochs: p, epochs and report must not be NULL");
    *report = (congru_epochs_report){.found = epochs->count};
    CONGRU_TRY(congru_preprocess_regress(context, p, epochs));
    CONGRU_TRY(congru_preprocess_trials(context, p, position, epochs));
    if (p->rest)
        call_rest(epochs);
    CONGRU_TRY(drop_missing(context, epochs, report));
    return congru_preprocess_reject(context, p, epochs, report);
}
