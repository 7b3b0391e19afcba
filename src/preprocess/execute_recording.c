/* Executes a description on a recording: filter, resample, cut trials. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "preprocess/preprocessing.h"

/* What is cut: the recording, or its resampled samples and events beside it. */
typedef struct resampled {
    congru_recording signal;
    double *data;
    congru_event *event;
} resampled;

static congru_status resample(congru_context *context, const congru_preprocessing *p, resampled *to)
{
    congru_recording *signal = &to->signal;
    size_t up, down;
    congru_status status = congru_preprocess_ratio(context, p, signal->rate, &up, &down);
    if (status != CONGRU_OK || up == down)
        return status;
    size_t samples = congru_signal_resampled(signal->samples, up, down);
    to->data = calloc(samples > 0 ? samples : 1, signal->channels * sizeof(double));
    to->event = calloc(signal->events + 1, sizeof *to->event);
    if (to->data == NULL || to->event == NULL)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "not enough memory to resample %zu channels",
                           signal->channels);
    status =
        congru_signal_resample(context, up, down, signal->channels, signal->samples, signal->data, to->data);
    if (status != CONGRU_OK)
        return status;
    double ratio = (double)up / (double)down;
    for (size_t i = 0; i < signal->events; i++) {
        to->event[i] = signal->event[i];
        size_t onset = (size_t)floor((double)signal->event[i].onset * ratio + 0.5);
        to->event[i].onset = onset < samples ? onset : samples - 1;
        to->event[i].duration = (size_t)floor((double)signal->event[i].duration * ratio + 0.5);
    }
    signal->data = to->data;
    signal->event = to->event;
    signal->samples = samples;
    signal->rate = p->resample;
    return CONGRU_OK;
}

static congru_status fail_none_left(congru_context *context, const congru_preprocessing *p,
                                    const congru_recording *signal, const congru_epochs_report *report)
{
    return congru_fail(context, CONGRU_ERROR_FORMAT,
                       "nothing is left of %s: %zu outside the recording of %g s, %zu with missing samples, "
                       "%zu rejected (try a window shorter than %g:%g s)",
                       congru_count(report->found, "trial").text, report->outside,
                       (double)signal->samples / signal->rate, report->gap, report->rejected, p->window[0],
                       p->window[1]);
}

/* Windows of what was filtered and resampled: those after the cues, or the rest before them. */
static congru_status cut_windows(congru_context *context, const congru_preprocessing *p,
                                 const congru_recording *signal, const congru_event_class *events,
                                 size_t event_count, double cue, bool as_rest, congru_epochs **epochs,
                                 congru_epochs_report *report)
{
    congru_epochs_options options = {
        .events = events,
        .event_count = event_count,
        .window = {p->window[0] + cue, p->window[1] + cue},
        .rest_window = {cue - p->window[1], cue - p->window[0]},
        .check_rest = p->rest_inside || as_rest,
        .as_rest = as_rest,
        .drop_rejected = p->drop_rejected,
    };
    congru_status status = congru_epochs_cut(context, signal, &options, epochs, report);
    if (status == CONGRU_ERROR_FORMAT) {
        char error[CONGRU_ERROR_TEXT_SIZE];
        snprintf(error, sizeof error, "%s", congru_context_error(context));
        return congru_fail(context, status, "%s (say which are trials with --events)", error);
    }
    if (status == CONGRU_OK && (*epochs)->count == 0) {
        congru_epochs_destroy(epochs);
        return fail_none_left(context, p, signal, report);
    }
    if (status == CONGRU_OK)
        (*epochs)->start -= cue;
    return status;
}

congru_status congru_preprocess_recording(congru_context *context, const congru_preprocessing *p,
                                          congru_recording *recording, const congru_event_class *events,
                                          size_t event_count, double cue, congru_epochs **epochs,
                                          congru_epochs **rest, congru_epochs_report *report)
{
    if (p == NULL || recording == NULL || epochs == NULL || report == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "congru_preprocess_recording: p, recording, epochs and report must not be NULL");
    *epochs = NULL;
    if (rest != NULL)
        *rest = NULL;
    if (p->whole || !(p->window[1] > p->window[0]))
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "--window all is for files of trials, this is a recording (give A:B)");
    if (p->baseline_whole || p->baseline[1] > p->baseline[0])
        return congru_fail(
            context, CONGRU_ERROR_ARGUMENT,
            "--baseline is for files of trials, this is a recording (give it to the command that "
            "reads the set, with --keep-signals here)");
    if (p->regress[0] != '\0')
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "--regress is for files of trials, this is a recording");
    resampled made = {.signal = *recording};
    congru_epochs_report of_rest;
    congru_status status = congru_preprocess_samples(context, p, recording->rate, 1, recording->channels,
                                                     recording->samples, recording->data);
    if (status == CONGRU_OK)
        status = resample(context, p, &made);
    if (status == CONGRU_OK)
        status = cut_windows(context, p, &made.signal, events, event_count, cue, p->rest, epochs, report);
    if (status == CONGRU_OK && rest != NULL)
        status = cut_windows(context, p, &made.signal, events, event_count, cue, true, rest, &of_rest);
    if (status == CONGRU_OK)
        status = congru_preprocess_reject(context, p, *epochs, report);
    if (status == CONGRU_OK && rest != NULL)
        status = congru_preprocess_reject(context, p, *rest, &of_rest);
    if (status != CONGRU_OK)
        congru_epochs_destroy(epochs);
    if (status != CONGRU_OK && rest != NULL)
        congru_epochs_destroy(rest);
    free(made.data);
    free(made.event);
    return status;
}
