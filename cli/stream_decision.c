/* Decisions as lines of JSON, and the loop that makes them. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "stream_settings.h"
#include "terminal.h"

volatile sig_atomic_t stream_stopped;

/* A text that has a fixed room; `used` past it when it did not fit. */
typedef struct line_writer {
    char *text;
    size_t used;
} line_writer;

static void add(line_writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(line_writer *w, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (w->used < STREAM_LINE_SIZE) {
        int size = vsnprintf(w->text + w->used, STREAM_LINE_SIZE - w->used, format, arguments);
        w->used += size >= 0 ? (size_t)size : STREAM_LINE_SIZE;
    }
    va_end(arguments);
}

/* Names are valid UTF-8 already. */
static void add_name(line_writer *w, const char *name)
{
    unsigned long number;
    add(w, "\"");
    for (size_t size; *name != '\0'; name += size) {
        size = terminal_control(name, &number);
        if (size > 0)
            add(w, "\\u%04lx", number);
        else
            add(w, *name == '"' || *name == '\\' ? "\\%c" : "%c", *name);
        size += size == 0;
    }
    add(w, "\"");
}

static void add_reason(line_writer *w, const congru_model *model, const congru_decision *decision)
{
    char flat[CONGRU_LABEL_SIZE + 32];
    const congru_preprocessing *p = congru_model_preprocessing(model);
    const char *name = decision->flat >= 0 ? p->channel_name[decision->flat] : "";
    if (name[0] != '\0')
        snprintf(flat, sizeof flat, "channel %s is flat", name);
    else
        snprintf(flat, sizeof flat, "channel %d is flat", (int)decision->flat + 1);
    add_name(w, decision->flat >= 0                           ? flat
                : decision->status == CONGRU_ERROR_NOT_FINITE ? "missing samples"
                                                              : congru_status_text(decision->status));
}

size_t stream_line(const congru_model *model, const congru_decision *decision, double stamp,
                   char line[STREAM_LINE_SIZE])
{
    line_writer w = {line, 0};
    add(&w, "{\"sample\":%llu,\"time\":%.9g", (unsigned long long)decision->sample, decision->time);
    if (!isnan(stamp))
        add(&w, ",\"stamp\":%.17g", stamp);
    if (decision->answer < 0) {
        add(&w, ",\"class\":null,\"reason\":");
        add_reason(&w, model, decision);
        add(&w, "}\n");
    } else {
        add(&w, ",\"class\":");
        add_name(&w, congru_model_class(model, (size_t)decision->answer));
        add(&w, ",\"p\":{");
        for (size_t k = 0; k < congru_model_classes(model); k++) {
            add(&w, k > 0 ? "," : "");
            add_name(&w, congru_model_class(model, k));
            add(&w, ":%.17g", decision->probability[k]);
        }
        add(&w, "}}\n");
    }
    return w.used < STREAM_LINE_SIZE ? w.used : 0;
}

int stream_tell(stream_sink *sink, const congru_decision *decision, double stamp)
{
    static char line[STREAM_LINE_SIZE];
    size_t size = stream_line(sink->settings->model, decision, stamp, line);
    sink->decisions++;
    if (sink->outlet != NULL)
        stream_outlet_push(sink->outlet, decision, stamp);
    if (size == 0)
        return terminal_fail(EXIT_FAILED, "stream: the names of the classes are too long for a line");
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

/* With --realtime, frames wait for their time. */
static size_t piece_of(const stream_sink *sink, const congru_decoder *decoder, size_t frames)
{
    static double start;
    static bool started;
    double rate = congru_model_preprocessing(sink->settings->model)->rate;
    if (!sink->settings->realtime)
        return frames;
    if (!started)
        start = stream_clock();
    started = true;
    size_t piece = (size_t)(rate / 50) + 1; /* every 20 ms */
    piece = frames < piece ? frames : piece;
    stream_wait_until(start + (double)(congru_decoder_position(decoder) + piece) / rate);
    return piece;
}

typedef congru_status (*pusher)(congru_decoder *decoder, size_t frames, const void *data, size_t at,
                                size_t *taken, congru_decision *decision);

static congru_status push_float(congru_decoder *decoder, size_t frames, const void *data, size_t at,
                                size_t *taken, congru_decision *decision)
{
    return congru_decoder_push_float(
        decoder, frames, (const float *)data + at * congru_decoder_channels(decoder), taken, decision);
}

static congru_status push_double(congru_decoder *decoder, size_t frames, const void *data, size_t at,
                                 size_t *taken, congru_decision *decision)
{
    return congru_decoder_push(decoder, frames, (const double *)data + at * congru_decoder_channels(decoder),
                               taken, decision);
}

static int push_all(stream_sink *sink, congru_decoder *decoder, size_t frames, const void *data, pusher push,
                    const double *stamp)
{
    int code = EXIT_DONE;
    for (size_t at = 0, taken; code == EXIT_DONE && at < frames && stream_stopped == 0; at += taken) {
        congru_decision decision;
        congru_status status = push(decoder, piece_of(sink, decoder, frames - at), data, at, &taken, &decision);
        if (status != CONGRU_OK)
            return terminal_fail(EXIT_FAILED, "stream: %s", congru_status_text(status));
        if (decision.due)
            code = stream_tell(sink, &decision, stamp != NULL ? stamp[at + taken - 1] : (double)NAN);
    }
    return code;
}

int stream_push(stream_sink *sink, congru_decoder *decoder, size_t frames, const float *data,
                const double *stamp)
{
    return push_all(sink, decoder, frames, data, push_float, stamp);
}

int stream_push_double(stream_sink *sink, congru_decoder *decoder, size_t frames, const double *data)
{
    return push_all(sink, decoder, frames, data, push_double, NULL);
}
