/* Decisions and greetings as lines of JSON. SPDX-License-Identifier: Apache-2.0 */
#include "stream/stream_lines.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/number_text.h"
#include "congru/text.h"
#include "congru/version.h"

enum { EXACT = 17, TIME_DIGITS = 9 }; /* of numbers */

/* A text that has a fixed room; `used` past it when it did not fit. */
typedef struct line_writer {
    char *text;
    size_t used, room;
} line_writer;

static void add(line_writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(line_writer *w, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (w->used < w->room) {
        int size = congru_format_list(w->text + w->used, w->room - w->used, format, arguments);
        w->used += size >= 0 ? (size_t)size : w->room;
    }
    va_end(arguments);
}

/* A number that is not finite is null. */
static void add_number(line_writer *w, int digits, double number)
{
    if (isfinite(number))
        add(w, "%.*g", digits, number);
    else
        add(w, "null");
}

/* Names are valid UTF-8 already. */
static void add_name(line_writer *w, const char *name)
{
    uint32_t number;
    add(w, "\"");
    for (size_t size; *name != '\0'; name += size) {
        size = congru_utf8_decode(name, strlen(name), &number);
        size = size > 0 && congru_utf8_is_control(number) ? size : 0;
        if (size > 0)
            add(w, "\\u%04x", (unsigned)number);
        else
            add(w, *name == '"' || *name == '\\' ? "\\%c" : "%c", *name);
        size += size == 0;
    }
    add(w, "\"");
}

static void add_names(line_writer *w, const char *key, size_t count, const char *(*name)(const void *, size_t),
                      const void *user)
{
    add(w, ",\"%s\":[", key);
    for (size_t i = 0; i < count; i++) {
        add(w, i > 0 ? "," : "");
        add_name(w, name(user, i));
    }
    add(w, "]");
}

static void add_asked(line_writer *w, const congru_stream_asked *asked)
{
    add(w, ",\"marker\":");
    add_name(w, asked->marker->name);
    add(w, ",\"cue\":");
    add_number(w, EXACT, asked->marker->cue);
    if (asked->late > 0)
        add(w, ",\"late\":%llu", (unsigned long long)asked->late);
}

/* Why there is no prediction. */
static void add_reason(line_writer *w, const congru_model *model, const congru_decision *decision,
                       const congru_stream_asked *asked)
{
    char flat[CONGRU_LABEL_SIZE + 32];
    const congru_preprocessing *p = congru_model_preprocessing(model);
    if (asked != NULL && asked->reason != NULL) {
        add_name(w, asked->reason);
    } else if (decision->flat >= 0) {
        const char *name = p->channel_name[decision->flat];
        if (name[0] != '\0')
            snprintf(flat, sizeof flat, "channel %s is flat", name);
        else
            snprintf(flat, sizeof flat, "channel %d is flat", (int)decision->flat + 1);
        add_name(w, flat);
    } else {
        add_name(w, decision->status == CONGRU_ERROR_NOT_FINITE ? "missing samples"
                    : decision->status == CONGRU_ERROR_ARTEFACT ? "artefact"
                                                                : congru_status_text(decision->status));
    }
}

size_t congru_stream_line(const congru_model *model, const congru_decision *decision, double stamp,
                          const congru_stream_asked *asked, char line[CONGRU_STREAM_LINE_SIZE])
{
    line_writer w = {line, 0, CONGRU_STREAM_LINE_SIZE};
    add(&w, "{\"sample\":%llu,\"time\":", (unsigned long long)decision->sample);
    add_number(&w, TIME_DIGITS, decision->time);
    if (!isnan(stamp)) {
        add(&w, ",\"stamp\":");
        add_number(&w, EXACT, stamp);
    }
    if (asked != NULL)
        add_asked(&w, asked);
    if (decision->prediction < 0) {
        add(&w, ",\"class\":null,\"reason\":");
        add_reason(&w, model, decision, asked);
        add(&w, "}\n");
    } else {
        add(&w, ",\"class\":");
        add_name(&w, congru_model_class(model, (size_t)decision->prediction));
        add(&w, ",\"p\":{");
        for (size_t k = 0; k < congru_model_classes(model); k++) {
            add(&w, k > 0 ? "," : "");
            add_name(&w, congru_model_class(model, k));
            add(&w, ":");
            add_number(&w, EXACT, decision->probability[k]);
        }
        add(&w, "}}\n");
    }
    return w.used < w.room ? w.used : 0;
}

congru_status congru_stream_line_most(congru_context *context, const congru_model *model, size_t *most)
{
    char line[CONGRU_STREAM_LINE_SIZE];
    const size_t classes = congru_model_classes(model);
    double *probability = calloc(classes, sizeof *probability);
    congru_stream_marker marker = {.cue = -DBL_MAX};
    const congru_stream_asked asked = {.marker = &marker, .late = UINT64_MAX};
    if (probability == NULL)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "stream: not enough memory");
    memset(marker.name, '"', sizeof marker.name - 1);
    for (size_t k = 0; k < classes; k++)
        probability[k] = DBL_MIN; /* 2.2250738585072014e-308: none is longer */
    congru_decision decision = {.sample = UINT64_MAX, .time = -DBL_MAX, .probability = probability};
    size_t size = 1;
    *most = 512; /* as long as any line without a prediction */
    for (; size > 0 && (size_t)decision.prediction < classes; decision.prediction++) {
        size = congru_stream_line(model, &decision, -DBL_MAX, &asked, line);
        *most = size > *most ? size : *most;
    }
    free(probability);
    return size > 0 ? CONGRU_OK
                    : congru_fail(context, CONGRU_ERROR_UNSUPPORTED,
                                  "stream: the names of the classes are too long for a line");
}

static const char *class_at(const void *user, size_t index)
{
    return congru_model_class(user, index);
}

static const char *model_channel_at(const void *user, size_t index)
{
    return congru_model_preprocessing(user)->channel_name[index];
}

static const char *text_at(const void *user, size_t index)
{
    return ((const char *const *)user)[index];
}

size_t congru_stream_greeting(const congru_stream_settings *settings, const congru_decoder *decoder,
                              const char *const *channel, congru_stream_format format,
                              const congru_stream_session *session, char *line, size_t room)
{
    static const char *const commands[] = {"decide name", "marker name sample after", "reset", "scale factor"};
    const congru_model *model = settings->model;
    line_writer w = {line, 0, room};
    add(&w, "{\"congru\":\"%s\",\"pipeline\":\"%s\",\"channels\":%zu,\"rate\":%.9g,\"window\":%zu",
        congru_version(), congru_model_pipeline(model), congru_decoder_channels(decoder),
        congru_decoder_sampling(decoder), congru_decoder_window(decoder));
    add(&w, ",\"protocol\":%d,\"format\":\"%s\",\"decisions\":%.9g", (int)CONGRU_PROTOCOL_VERSION,
        congru_protocol_format_name(format), settings->options.decoder.rate);
    add_names(&w, "classes", congru_model_classes(model), class_at, model);
    if (channel != NULL)
        add_names(&w, "channel_names", congru_decoder_channels(decoder), text_at, channel);
    else
        add_names(&w, "channel_names", congru_decoder_channels(decoder), model_channel_at, model);
    add_names(&w, "commands", format == CONGRU_STREAM_CSV || format == CONGRU_STREAM_PACKETS ? 4 : 0, text_at,
              commands);
    add(&w, ",\"marker_after\":%.9g,\"needs_cues\":%s", congru_stream_marker_after(settings, decoder),
        congru_model_needs_cues(model) ? "true" : "false");
    if (session->name[0] != '\0')
        add(&w, ",\"session\":\"%s\",\"known\":%s,\"windows\":%zu", session->name,
            session->known ? "true" : "false", congru_decoder_reference(decoder, NULL));
    add(&w, "}\n");
    return w.used < w.room ? w.used : 0;
}
