/* Cuts labelled windows out of a recording. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "epochs/epochs_internal.h"

enum { KINDS_LISTED = 16, LIST_SIZE = 600 };

/* Samples relative to the cue: [first, last). */
typedef struct window {
    int64_t first, last;
} window;

typedef struct cut_plan {
    const congru_recording *recording;
    const congru_epochs_options *options;
    window active, rest;
    int32_t *label;    /* of each entry of options->events */
    const char **name; /* of each class */
    size_t classes;
    congru_cue *cue;
    size_t cues;
} cut_plan;

/* ---- Options ------------------------------------------------------------------------------------- */

static congru_status plan_window(congru_context *context, const double seconds[2], double rate,
                                 const char *what, window *samples)
{
    const double most = 1e15; /* whole numbers in a double, with room to add */
    double first = congru_epochs_sample(seconds[0], rate), last = congru_epochs_sample(seconds[1], rate);
    if (!(fabs(first) < most && fabs(last) < most && first < last))
        return congru_fail(
            context, CONGRU_ERROR_ARGUMENT,
            "the %s %g to %g s is not a window: its end must be a sample or more after its beginning", what,
            seconds[0], seconds[1]);
    *samples = (window){.first = (int64_t)first, .last = (int64_t)last};
    return CONGRU_OK;
}

static bool same_event(const congru_event_class *a, const congru_event_class *b)
{
    if (a->text == NULL || b->text == NULL)
        return a->text == NULL && b->text == NULL && a->code == b->code;
    return strcmp(a->text, b->text) == 0;
}

/* Numbers the classes in the order in which they are first named. */
static congru_status plan_classes(congru_context *context, cut_plan *plan)
{
    const congru_event_class *event = plan->options->events;
    size_t count = plan->options->event_count;
    plan->label = calloc(count, sizeof *plan->label);
    plan->name = calloc(count, sizeof *plan->name);
    if (plan->label == NULL || plan->name == NULL)
        return congru_fail_memory(context, "%zu classes", count);
    for (size_t i = 0; i < count; i++) {
        if (event[i].class_name == NULL || event[i].class_name[0] == '\0')
            return congru_fail(context, CONGRU_ERROR_ARGUMENT, "event %zu of %zu names no class", i + 1, count);
        size_t k = 0;
        /* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): names before `classes` are set. */
        while (k < plan->classes && strcmp(plan->name[k], event[i].class_name) != 0)
            k++;
        if (k == plan->classes)
            plan->name[plan->classes++] = event[i].class_name;
        plan->label[i] = (int32_t)k;
        for (size_t j = 0; j < i; j++)
            if (same_event(&event[i], &event[j]) && plan->label[i] != plan->label[j])
                return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                                   "events %zu and %zu are the same and name two classes, '%.80s' and '%.80s'",
                                   j + 1, i + 1, event[j].class_name, event[i].class_name);
    }
    return CONGRU_OK;
}

static congru_status make_plan(congru_context *context, cut_plan *plan)
{
    const congru_recording *recording = plan->recording;
    const congru_epochs_options *options = plan->options;
    if (recording->data == NULL || !(recording->rate > 0) || !isfinite(recording->rate))
        return congru_fail(
            context, CONGRU_ERROR_ARGUMENT,
            "a recording with samples and a sampling rate is needed (was only its header read?)");
    if (options->event_count == 0 || options->events == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "no event is named that begins a trial");
    CONGRU_TRY(plan_window(context, options->window, recording->rate, "window", &plan->active));
    if ((options->check_rest || options->as_rest))
        CONGRU_TRY(plan_window(context, options->rest_window, recording->rate, "rest window", &plan->rest));
    return plan_classes(context, plan);
}

/* ---- Cues ---------------------------------------------------------------------------------------- */

/* "768 (40 times), 'T0' (15 times)"; a text stands before a code where an event has both. */
static void list_events(const congru_recording *recording, char *list, size_t size)
{
    const congru_event *kind[KINDS_LISTED];
    size_t times[KINDS_LISTED] = {0}, kinds = 0, others = 0, used = 0;
    for (size_t i = 0; i < recording->events; i++) {
        const congru_event *event = &recording->event[i];
        size_t k = 0;
        while (k < kinds &&
               (kind[k]->code != event->code || strcmp(kind[k]->text != NULL ? kind[k]->text : "",
                                                       event->text != NULL ? event->text : "") != 0))
            k++;
        if (k == KINDS_LISTED) {
            others++;
            continue;
        }
        if (k == kinds)
            kind[kinds++] = event;
        times[k]++;
    }
    list[0] = '\0';
    for (size_t k = 0; k < kinds && used < size; k++) {
        const char *comma = k > 0 ? ", " : "";
        if (kind[k]->text == NULL)
            used += (size_t)snprintf(list + used, size - used, "%s%d (%zu times)", comma, (int)kind[k]->code,
                                     times[k]);
        else if (kind[k]->code == -1)
            used += (size_t)snprintf(list + used, size - used, "%s'%.40s' (%zu times)", comma, kind[k]->text,
                                     times[k]);
        else
            used += (size_t)snprintf(list + used, size - used, "%s%d '%.40s' (%zu times)", comma,
                                     (int)kind[k]->code, kind[k]->text, times[k]);
    }
    if (others > 0 && used < size)
        snprintf(list + used, size - used, " and %zu others", others);
}

static congru_status fail_unmatched(congru_context *context, const cut_plan *plan)
{
    char wanted[200], list[LIST_SIZE];
    size_t used = 0;
    for (size_t i = 0; i < plan->options->event_count && used < sizeof wanted; i++) {
        const congru_event_class *event = &plan->options->events[i];
        const char *comma = i > 0 ? ", " : "";
        used += (size_t)(event->text != NULL
                             ? snprintf(wanted + used, sizeof wanted - used, "%s'%.40s'", comma, event->text)
                             : snprintf(wanted + used, sizeof wanted - used, "%s%d", comma, (int)event->code));
    }
    list_events(plan->recording, list, sizeof list);
    if (list[0] == '\0')
        return congru_fail(context, CONGRU_ERROR_FORMAT, "no event %s: the recording has no events", wanted);
    return congru_fail(context, CONGRU_ERROR_FORMAT, "no event %s: the recording has %s", wanted, list);
}

/* The same cue written twice is one trial; two cues at once are none that could be labelled. */
static congru_status add_cue(congru_context *context, cut_plan *plan, const congru_event *event, int32_t label)
{
    const congru_cue *last = plan->cues > 0 ? &plan->cue[plan->cues - 1] : NULL;
    /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): cues before `cues` are set. */
    if (last == NULL || last->onset != event->onset) {
        plan->cue[plan->cues++] = (congru_cue){.onset = event->onset, .label = label};
        return CONGRU_OK;
    }
    if (last->label == label)
        return CONGRU_OK;
    return congru_fail(context, CONGRU_ERROR_FORMAT,
                       "two cues at sample %zu, of the classes '%.80s' and '%.80s'", event->onset,
                       plan->name[last->label], plan->name[label]);
}

static congru_status find_cues(congru_context *context, cut_plan *plan)
{
    const congru_recording *recording = plan->recording;
    plan->cue = malloc((recording->events + 1) * sizeof *plan->cue);
    if (plan->cue == NULL)
        return congru_fail_memory(context, "%zu events", recording->events);
    congru_status status = CONGRU_OK;
    for (size_t i = 0; i < recording->events && status == CONGRU_OK; i++) {
        const congru_event *event = &recording->event[i];
        size_t k =
            congru_event_find(plan->options->events, plan->options->event_count, event->code, event->text);
        if (k < plan->options->event_count)
            status = add_cue(context, plan, event, plan->label[k]);
    }
    if (status == CONGRU_OK && plan->cues == 0)
        status = fail_unmatched(context, plan);
    return status == CONGRU_OK ? congru_epochs_mark(context, recording, plan->cue, plan->cues) : status;
}

/* ---- Windows ------------------------------------------------------------------------------------- */

/* The paper counts samples from 1: onset + first >= 1 and onset + last - 1 <= samples. From 0 both are one
 * less. */
static bool is_inside(const congru_recording *recording, size_t onset, const window *samples)
{
    if (onset >= recording->samples || recording->samples > INT64_MAX / 2)
        return false;
    return (int64_t)onset + samples->first >= 0 &&
           (int64_t)onset + samples->last <= (int64_t)recording->samples;
}

static bool has_gap(const congru_recording *recording, size_t first, size_t length)
{
    for (size_t k = 0; k < recording->channels; k++) {
        const double *data = recording->data + k * recording->samples + first;
        for (size_t i = 0; i < length; i++)
            if (isnan(data[i]))
                return true;
    }
    return false;
}

/* Why the trial of a cue is dropped, if it is. */
static bool is_dropped(const cut_plan *plan, const window *cut, const congru_cue *cue,
                       congru_dropped_reason *reason)
{
    const congru_epochs_options *options = plan->options;
    bool inside = is_inside(plan->recording, cue->onset, cut);
    if (options->check_rest)
        inside = inside && is_inside(plan->recording, cue->onset, &plan->rest) &&
                 is_inside(plan->recording, cue->onset, &plan->active);
    *reason = CONGRU_DROPPED_OUTSIDE;
    if (!inside)
        return true;
    *reason = CONGRU_DROPPED_REJECTED;
    if (cue->rejected && options->drop_rejected)
        return true;
    *reason = CONGRU_DROPPED_GAP;
    return has_gap(plan->recording, (size_t)((int64_t)cue->onset + cut->first),
                   (size_t)(cut->last - cut->first));
}

/* Keeps the cues whose windows are whole, in place, and counts and names the others. */
static void choose_cues(cut_plan *plan, congru_epochs_report *report)
{
    const window *cut = plan->options->as_rest ? &plan->rest : &plan->active;
    *report = (congru_epochs_report){.found = plan->cues};
    for (size_t i = 0; i < plan->cues; i++) {
        const congru_cue cue = plan->cue[i];
        congru_dropped_reason reason;
        bool dropped = is_dropped(plan, cut, &cue, &reason);
        report->rejected += cue.rejected && !(dropped && reason == CONGRU_DROPPED_OUTSIDE);
        if (!dropped) {
            plan->cue[report->kept] = cue;
            plan->cue[report->kept++].number = i + 1;
            continue;
        }
        report->outside += reason == CONGRU_DROPPED_OUTSIDE;
        report->gap += reason == CONGRU_DROPPED_GAP;
        if (report->named < CONGRU_DROPPED_NAMED)
            report->dropped[report->named++] = (congru_dropped){i + 1, reason};
    }
    plan->cues = report->kept;
}

static congru_status name_classes(congru_context *context, const cut_plan *plan, congru_epochs *epochs)
{
    bool rest = plan->options->as_rest;
    epochs->classes = rest ? 1 : plan->classes;
    epochs->class_name = calloc(epochs->classes, sizeof *epochs->class_name);
    if (epochs->class_name == NULL)
        return congru_fail_memory(context, "%zu classes", epochs->classes);
    for (size_t k = 0; k < epochs->classes; k++)
        snprintf(epochs->class_name[k], sizeof epochs->class_name[k], "%s", rest ? "rest" : plan->name[k]);
    return CONGRU_OK;
}

static congru_status cut_windows(congru_context *context, const cut_plan *plan, congru_epochs **epochs)
{
    const congru_recording *recording = plan->recording;
    const window *cut = plan->options->as_rest ? &plan->rest : &plan->active;
    size_t samples = (size_t)(cut->last - cut->first), channels = recording->channels;
    CONGRU_TRY(congru_epochs_create(context, NULL, plan->cues, channels, samples, epochs));
    CONGRU_TRY(name_classes(context, plan, *epochs));
    congru_epochs *made = *epochs;
    made->data = congru_epochs_allocate(plan->cues, channels, samples);
    if (made->data == NULL)
        return congru_fail_memory(context, "%zu trials of %zu channels and %zu samples", plan->cues, channels,
                                  samples);
    made->rate = recording->rate;
    made->start = (double)cut->first / recording->rate;
    for (size_t k = 0; k < channels; k++)
        snprintf(made->channel_name[k], sizeof made->channel_name[k], "%s", recording->channel[k].name);
    for (size_t i = 0; i < plan->cues; i++) {
        size_t first = (size_t)((int64_t)plan->cue[i].onset + cut->first);
        made->label[i] = plan->options->as_rest ? 0 : plan->cue[i].label;
        made->run[i] = plan->cue[i].run;
        made->number[i] = plan->cue[i].number;
        for (size_t k = 0; k < channels; k++)
            memcpy(made->data + (i * channels + k) * samples, recording->data + k * recording->samples + first,
                   samples * sizeof(double));
    }
    return CONGRU_OK;
}

congru_status congru_epochs_cut(congru_context *context, const congru_recording *recording,
                                const congru_epochs_options *options, congru_epochs **epochs,
                                congru_epochs_report *report)
{
    if (recording == NULL || options == NULL || epochs == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "congru_epochs_cut: recording, options and epochs must not be NULL");
    cut_plan plan = {.recording = recording, .options = options};
    congru_epochs_report counts = {0};
    *epochs = NULL;
    congru_status status = make_plan(context, &plan);
    if (status == CONGRU_OK)
        status = find_cues(context, &plan);
    if (status == CONGRU_OK) {
        choose_cues(&plan, &counts);
        status = cut_windows(context, &plan, epochs);
    }
    if (status != CONGRU_OK)
        congru_epochs_destroy(epochs);
    if (report != NULL)
        *report = counts;
    free(plan.label);
    free(plan.name);
    free(plan.cue);
    return status;
}
