/* The loop that makes decisions, when they are due and when markers ask for them. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "stream_lines.h"
#include "stream_settings.h"
#include "terminal.h"

volatile sig_atomic_t stream_stopped;

int stream_print(void *user, const char *line, size_t size)
{
    (void)user;
    if (fwrite(line, 1, size, stdout) != size || fflush(stdout) != 0)
        return terminal_fail(EXIT_FAILED, "standard output: cannot write: %s", strerror(errno));
    return EXIT_DONE;
}

double stream_clock(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

void stream_wait_until(double time)
{
    for (double left; stream_stopped == 0 && (left = time - stream_clock()) > 0;) {
        struct timespec pause = {(time_t)left, (long)(1e9 * (left - floor(left)))};
        nanosleep(&pause, NULL);
    }
}

/* ---- Markers -------------------------------------------------------------------------------------------------- */

static double rate_of(const stream_sink *sink)
{
    return congru_decoder_sampling(sink->decoder);
}

static int tell(stream_sink *sink, const congru_decision *decision, const stream_asked *asked)
{
    static char line[STREAM_LINE_SIZE];
    size_t size =
        stream_line(sink->settings->model, decision, sink->stamped ? sink->stamp : (double)NAN, asked, line);
    if (sink->outlet != NULL)
        stream_outlet_push(sink->outlet, decision, sink->stamped ? sink->stamp : (double)NAN);
    return sink->write(sink->user, line, size);
}

/* A marker's answer when it has none. */
static int tell_nothing(stream_sink *sink, const stream_asked *asked)
{
    uint64_t position = congru_decoder_position(sink->decoder);
    const congru_decision nothing = {
        .due = true, .sample = position, .time = (double)position / rate_of(sink), .answer = -1};
    return tell(sink, &nothing, asked);
}

double stream_marker_after(const stream_settings *settings, const congru_decoder *decoder)
{
    const congru_preprocessing *p = congru_model_preprocessing(settings->model);
    const uint64_t far = UINT64_C(1) << 32;
    const double trial =
        ((double)congru_decoder_cue_due(decoder, far) - (double)far) / congru_decoder_sampling(decoder);
    if (!isnan(settings->marker_after))
        return congru_model_needs_cues(settings->model) ? fmax(settings->marker_after, trial)
                                                        : settings->marker_after;
    if (congru_model_needs_signals(settings->model))
        return trial;
    return p->window[0] + (double)congru_decoder_window(decoder) / congru_decoder_sampling(decoder);
}

int stream_mark(stream_sink *sink, const char *name, double cue, double after)
{
    const stream_settings *settings = sink->settings;
    const bool cues = congru_model_needs_cues(settings->model), own = isnan(after);
    stream_marker marker = {.cue = cue};
    if (own)
        after = stream_marker_after(settings, sink->decoder);
    else if (cues)
        after = fmax(after, stream_marker_after(settings, sink->decoder));
    marker.trial =
        cues || (own && isnan(settings->marker_after) && congru_model_needs_signals(settings->model));
    marker.due = sink->settings->lsl_markers != NULL ? cue + after : cue + floor(after * rate_of(sink) + 0.5);
    protocol_clean_name(name, marker.name);
    if (markers_add(&sink->markers, &marker))
        return EXIT_DONE;
    return tell_nothing(sink, &(stream_asked){.marker = &marker, .reason = "too many markers wait"});
}

int stream_drop_markers(stream_sink *sink, const char *reason)
{
    stream_marker marker;
    int code = EXIT_DONE;
    while (code == EXIT_DONE && markers_take(&sink->markers, (double)INFINITY, &marker))
        code = tell_nothing(sink, &(stream_asked){.marker = &marker, .reason = reason});
    return code;
}

/* The frame of a marker's cue; by the clock of LSL the one nearest in time, but not one whose trial is not complete: half
 * a frame decides there too. */
static uint64_t frame_of(const stream_sink *sink, const stream_marker *marker, uint64_t late)
{
    const double position = (double)congru_decoder_position(sink->decoder), rate = rate_of(sink);
    if (sink->settings->lsl_markers == NULL)
        return (uint64_t)marker->cue;
    const double nearest = position - 1 - floor((sink->stamp - marker->cue) * rate + 0.5),
                 complete = position - (double)late - floor((marker->due - marker->cue) * rate + 0.5),
                 frame = nearest < complete ? nearest : complete;
    return frame > 0 ? (uint64_t)frame : 0;
}

/* About the trial of its cue, which may be late: the decoder keeps more than one. */
static int answer_trial(stream_sink *sink, const stream_marker *marker, stream_asked *asked)
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

static int answer(stream_sink *sink, const stream_marker *marker, double late)
{
    stream_asked asked = {.marker = marker, .late = late > 0 ? (uint64_t)late : 0};
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
static double marker_clock(const stream_sink *sink)
{
    return sink->settings->lsl_markers == NULL ? (double)congru_decoder_position(sink->decoder)
           : sink->stamped                     ? sink->stamp + 1.5 / rate_of(sink)
                                               : -(double)INFINITY;
}

static int answer_markers(stream_sink *sink)
{
    stream_marker marker;
    double now = marker_clock(sink);
    int code = EXIT_DONE;
    while (code == EXIT_DONE && markers_take(&sink->markers, now, &marker))
        code = answer(sink, &marker,
                      sink->settings->lsl_markers == NULL ? now - marker.due
                                                          : floor((now - marker.due) * rate_of(sink)));
    return code;
}

/* Of the frames that follow, those up to the next marker's time. */
static size_t frames_to_marker(const stream_sink *sink, size_t frames, const double *stamp)
{
    if (sink->markers.count == 0)
        return frames;
    double due = sink->markers.item[0].due;
    if (sink->settings->lsl_markers == NULL) {
        double left = due - (double)congru_decoder_position(sink->decoder);
        return left < (double)frames ? (size_t)left : frames;
    }
    size_t count = 1;
    while (count < frames && stamp[count - 1] + 1.5 / rate_of(sink) < due)
        count++;
    return count;
}

/* ---- Commands -------------------------------------------------------------------------------------------------- */

static int tell_done(stream_sink *sink, const char *what, uint64_t sample)
{
    char line[128];
    int size =
        snprintf(line, sizeof line, "{\"done\":\"%s\",\"sample\":%llu}\n", what, (unsigned long long)sample);
    return sink->write(sink->user, line, (size_t)size);
}

/* 'decide' is about the window that ends now, which models of cues have none of. */
static int tell_cues(stream_sink *sink, const char *name, double cue)
{
    stream_marker marker = {.cue = cue};
    protocol_clean_name(name, marker.name);
    return tell_nothing(
        sink, &(stream_asked){.marker = &marker, .reason = "the model decides about cues: send a marker"});
}

int stream_obey(stream_sink *sink, const protocol_command *command)
{
    uint64_t position = congru_decoder_position(sink->decoder);
    double cue = command->placed ? (double)command->sample : (double)position;
    int code = EXIT_DONE;
    switch (command->kind) {
    case PROTOCOL_DECIDE:
        if (congru_model_needs_cues(sink->settings->model))
            return tell_cues(sink, command->name, cue);
        code = stream_mark(sink, command->name, cue, 0);
        return code == EXIT_DONE ? answer_markers(sink) : code;
    case PROTOCOL_MARKER:
        code = stream_mark(sink, command->name, cue, command->after);
        return code == EXIT_DONE ? answer_markers(sink) : code;
    case PROTOCOL_RESET:
        code = stream_drop_markers(sink, "reset");
        congru_decoder_reset(sink->decoder);
        return code == EXIT_DONE ? tell_done(sink, "reset", position) : code;
    case PROTOCOL_SCALE:
        if (congru_decoder_set_scale(sink->decoder, command->factor) != CONGRU_OK)
            return terminal_fail(EXIT_FAILED, "stream: the scale is out of range");
        return tell_done(sink, "scale", position);
    default:
        return EXIT_DONE;
    }
}

/* ---- Samples ----------------------------------------------------------------------------------------------------- */

/* With --realtime, frames wait for their time. */
static size_t piece_of(stream_sink *sink, size_t frames)
{
    double rate = rate_of(sink);
    if (!sink->settings->realtime)
        return frames;
    if (sink->played == 0)
        sink->start = stream_clock();
    size_t piece = (size_t)(rate / 50) + 1; /* every 20 ms */
    piece = frames < piece ? frames : piece;
    stream_wait_until(sink->start + (double)(sink->played + piece) / rate);
    return piece;
}

int stream_push(stream_sink *sink, size_t frames, const double *data, const double *stamp)
{
    const size_t channels = congru_decoder_channels(sink->decoder);
    int code = EXIT_DONE;
    for (size_t at = 0, taken; code == EXIT_DONE && at < frames && stream_stopped == 0; at += taken) {
        congru_decision decision;
        size_t piece = piece_of(sink, frames_to_marker(sink, frames - at, stamp != NULL ? stamp + at : NULL));
        congru_status status =
            congru_decoder_push(sink->decoder, piece, data + at * channels, &taken, &decision);
        if (status != CONGRU_OK)
            return terminal_fail(EXIT_FAILED, "stream: %s", congru_status_text(status));
        sink->played += taken;
        sink->stamped = stamp != NULL;
        sink->stamp = stamp != NULL ? stamp[at + taken - 1] : 0;
        if (decision.due)
            code = tell(sink, &decision, NULL);
        if (code == EXIT_DONE)
            code = answer_markers(sink);
    }
    return code;
}
