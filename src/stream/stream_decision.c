/* The loop that makes decisions, when they are due and when markers ask for them. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <time.h>

#include "base/error.h"
#include "stream/stream_lines.h"

double congru_stream_clock(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Sleeps until a time of that clock, or until stopped. */
static void wait_until(const congru_stream_settings *settings, double time)
{
    for (double left; !congru_stream_stopped(settings) && (left = time - congru_stream_clock()) > 0;) {
        struct timespec pause = {(time_t)left, (long)(1e9 * (left - floor(left)))};
        nanosleep(&pause, NULL);
    }
}

/* ---- Markers -------------------------------------------------------------------------------------------------- */

static double rate_of(const congru_stream_sink *sink)
{
    return congru_decoder_sampling(sink->decoder);
}

static congru_status put(const congru_stream_sink *sink, const char *line, size_t size)
{
    return sink->write(sink->user, line, size)
               ? CONGRU_OK
               : congru_fail(sink->settings->context, CONGRU_ERROR_CANCELLED, "stream: a line was not taken");
}

static congru_status tell(congru_stream_sink *sink, const congru_decision *decision,
                          const congru_stream_asked *asked)
{
    char line[CONGRU_STREAM_LINE_SIZE];
    size_t size = congru_stream_line(sink->settings->model, decision, sink->stamped ? sink->stamp : (double)NAN,
                                     asked, line);
    if (sink->outlet != NULL)
        congru_stream_outlet_push(sink->outlet, decision, sink->stamped ? sink->stamp : (double)NAN);
    return put(sink, line, size);
}

/* What a marker is told where there is no prediction. */
static congru_status tell_nothing(congru_stream_sink *sink, const congru_stream_asked *asked)
{
    uint64_t position = congru_decoder_position(sink->decoder);
    const congru_decision nothing = {
        .due = true, .sample = position, .time = (double)position / rate_of(sink), .prediction = -1};
    return tell(sink, &nothing, asked);
}

double congru_stream_marker_after(const congru_stream_settings *settings, const congru_decoder *decoder)
{
    const congru_preprocessing *p = congru_model_preprocessing(settings->model);
    const uint64_t far = UINT64_C(1) << 32;
    const double trial =
        ((double)congru_decoder_cue_due(decoder, far) - (double)far) / congru_decoder_sampling(decoder);
    if (!isnan(settings->options.marker_after))
        return congru_model_needs_cues(settings->model) ? fmax(settings->options.marker_after, trial)
                                                        : settings->options.marker_after;
    if (congru_model_needs_signals(settings->model))
        return trial;
    return p->window[0] + (double)congru_decoder_window(decoder) / congru_decoder_sampling(decoder);
}

congru_status congru_stream_mark(congru_stream_sink *sink, const char *name, double cue, double after)
{
    const congru_stream_settings *settings = sink->settings;
    const bool cues = congru_model_needs_cues(settings->model), own = isnan(after);
    congru_stream_marker marker = {.cue = cue};
    if (own)
        after = congru_stream_marker_after(settings, sink->decoder);
    else if (cues)
        after = fmax(after, congru_stream_marker_after(settings, sink->decoder));
    marker.trial =
        cues || (own && isnan(settings->options.marker_after) && congru_model_needs_signals(settings->model));
    marker.due =
        sink->settings->options.lsl_markers != NULL ? cue + after : cue + floor(after * rate_of(sink) + 0.5);
    congru_protocol_clean_name(name, marker.name);
    if (congru_markers_add(&sink->markers, &marker))
        return CONGRU_OK;
    return tell_nothing(sink, &(congru_stream_asked){.marker = &marker, .reason = "too many markers wait"});
}

congru_status congru_stream_drop_markers(congru_stream_sink *sink, const char *reason)
{
    congru_stream_marker marker;
    congru_status status = CONGRU_OK;
    while (status == CONGRU_OK && congru_markers_take(&sink->markers, (double)INFINITY, &marker))
        status = tell_nothing(sink, &(congru_stream_asked){.marker = &marker, .reason = reason});
    return status;
}

/* The frame of a marker's cue; by the clock of LSL the one nearest in time, but not one whose trial is not complete: half
 * a frame decides there too. */
static uint64_t frame_of(const congru_stream_sink *sink, const congru_stream_marker *marker, uint64_t late)
{
    const double position = (double)congru_decoder_position(sink->decoder), rate = rate_of(sink);
    if (sink->settings->options.lsl_markers == NULL)
        return (uint64_t)marker->cue;
    const double nearest = position - 1 - floor((sink->stamp - marker->cue) * rate + 0.5),
                 complete = position - (double)late - floor((marker->due - marker->cue) * rate + 0.5),
                 frame = nearest < complete ? nearest : complete;
    return frame > 0 ? (uint64_t)frame : 0;
}

/* About the trial of its cue, which may be late: the decoder keeps more than one. */
static congru_status answer_trial(congru_stream_sink *sink, const congru_stream_marker *marker,
                                  congru_stream_asked *asked)
{
    congru_decision decision = {.due = false};
    congru_status status =
        congru_decoder_decide_cue(sink->decoder, frame_of(sink, marker, asked->late), &decision);
    if (status == CONGRU_OK && decision.due && decision.status == CONGRU_ERROR_NOT_FINITE && asked->late > 0)
        asked->reason = "missing samples, or the marker came too late";
    if (status == CONGRU_OK && decision.due)
        return tell(sink, &decision, asked);
    asked->reason = "the trial is not complete";
    return tell_nothing(sink, asked);
}

static congru_status answer(congru_stream_sink *sink, const congru_stream_marker *marker, double late)
{
    congru_stream_asked asked = {.marker = marker, .late = late > 0 ? (uint64_t)late : 0};
    congru_decision decision = {.due = false};
    if (marker->trial)
        return answer_trial(sink, marker, &asked);
    if (asked.late > congru_decoder_window(sink->decoder)) {
        asked.reason = "the marker came too late";
        return tell_nothing(sink, &asked);
    }
    if (congru_decoder_decide(sink->decoder, &decision) == CONGRU_OK && decision.due)
        return tell(sink, &decision, &asked);
    asked.reason = "the window is not full";
    return tell_nothing(sink, &asked);
}

/* The time that the window ends at now, by the clock of the markers. A frame's stamp is that of its beginning, and half
 * a frame decides between neighbours. */
static double marker_clock(const congru_stream_sink *sink)
{
    return sink->settings->options.lsl_markers == NULL ? (double)congru_decoder_position(sink->decoder)
           : sink->stamped                             ? sink->stamp + 1.5 / rate_of(sink)
                                                       : -(double)INFINITY;
}

static congru_status answer_markers(congru_stream_sink *sink)
{
    congru_stream_marker marker;
    double now = marker_clock(sink);
    congru_status status = CONGRU_OK;
    while (status == CONGRU_OK && congru_markers_take(&sink->markers, now, &marker))
        status =
            answer(sink, &marker,
                   sink->settings->options.lsl_markers == NULL ? now - marker.due
                                                               : floor((now - marker.due) * rate_of(sink)));
    return status;
}

/* Of the frames that follow, those up to the next marker's time. */
static size_t frames_to_marker(const congru_stream_sink *sink, size_t frames, const double *stamp)
{
    if (sink->markers.count == 0)
        return frames;
    double due = sink->markers.item[0].due;
    if (sink->settings->options.lsl_markers == NULL) {
        double left = due - (double)congru_decoder_position(sink->decoder);
        return left < (double)frames ? (size_t)left : frames;
    }
    size_t count = 1;
    while (count < frames && stamp[count - 1] + 1.5 / rate_of(sink) < due)
        count++;
    return count;
}

/* ---- Commands -------------------------------------------------------------------------------------------------- */

static congru_status tell_done(congru_stream_sink *sink, const char *what, uint64_t sample)
{
    char line[128];
    int size =
        snprintf(line, sizeof line, "{\"done\":\"%s\",\"sample\":%llu}\n", what, (unsigned long long)sample);
    return put(sink, line, (size_t)size);
}

/* 'decide' is about the window that ends now, which models of cues have none of. */
static congru_status tell_cues(congru_stream_sink *sink, const char *name, double cue)
{
    congru_stream_marker marker = {.cue = cue};
    congru_protocol_clean_name(name, marker.name);
    return tell_nothing(sink, &(congru_stream_asked){.marker = &marker,
                                                     .reason = "the model decides about cues: send a marker"});
}

congru_status congru_stream_obey(congru_stream_sink *sink, const congru_protocol_command *command)
{
    uint64_t position = congru_decoder_position(sink->decoder);
    double cue = command->placed ? (double)command->sample : (double)position;
    congru_status status = CONGRU_OK;
    switch (command->kind) {
    case CONGRU_PROTOCOL_DECIDE:
        if (congru_model_needs_cues(sink->settings->model))
            return tell_cues(sink, command->name, cue);
        status = congru_stream_mark(sink, command->name, cue, 0);
        return status == CONGRU_OK ? answer_markers(sink) : status;
    case CONGRU_PROTOCOL_MARKER:
        status = congru_stream_mark(sink, command->name, cue, command->after);
        return status == CONGRU_OK ? answer_markers(sink) : status;
    case CONGRU_PROTOCOL_RESET:
        status = congru_stream_drop_markers(sink, "reset");
        congru_decoder_reset(sink->decoder);
        return status == CONGRU_OK ? tell_done(sink, "reset", position) : status;
    case CONGRU_PROTOCOL_SCALE:
        if (congru_decoder_set_scale(sink->decoder, command->factor) != CONGRU_OK)
            return congru_fail(sink->settings->context, CONGRU_ERROR_ARGUMENT,
                               "stream: the scale is out of range");
        return tell_done(sink, "scale", position);
    default:
        return CONGRU_OK;
    }
}

/* ---- Samples ----------------------------------------------------------------------------------------------------- */

/* Of options.realtime, frames wait for their time. */
static size_t piece_of(congru_stream_sink *sink, size_t frames)
{
    double rate = rate_of(sink);
    if (!sink->settings->options.realtime)
        return frames;
    if (sink->played == 0)
        sink->start = congru_stream_clock();
    size_t piece = (size_t)(rate / 50) + 1; /* every 20 ms */
    piece = frames < piece ? frames : piece;
    wait_until(sink->settings, sink->start + (double)(sink->played + piece) / rate);
    return piece;
}

congru_status congru_stream_push(congru_stream_sink *sink, size_t frames, const double *data,
                                 const double *stamp)
{
    const size_t channels = congru_decoder_channels(sink->decoder);
    congru_status status = CONGRU_OK;
    for (size_t at = 0, taken; status == CONGRU_OK && at < frames && !congru_stream_stopped(sink->settings);
         at += taken) {
        congru_decision decision;
        size_t piece = piece_of(sink, frames_to_marker(sink, frames - at, stamp != NULL ? stamp + at : NULL));
        status = congru_decoder_push(sink->decoder, piece, data + at * channels, &taken, &decision);
        if (status != CONGRU_OK)
            return congru_fail(sink->settings->context, status, "stream: %s", congru_status_text(status));
        sink->played += taken;
        sink->stamped = stamp != NULL;
        sink->stamp = stamp != NULL ? stamp[at + taken - 1] : 0;
        if (decision.due)
            status = tell(sink, &decision, NULL);
        if (status == CONGRU_OK)
            status = answer_markers(sink);
    }
    return status;
}
