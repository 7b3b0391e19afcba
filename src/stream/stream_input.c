/* Samples from files, pipes and standard input: frames of numbers, packets, recordings. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "congru/import.h"
#include "congru/recording.h"
#include "stream/stream_state.h"

bool congru_stream_is_standard(const char *path)
{
    return strcmp(path, "-") == 0;
}

/* Opening a pipe that nobody writes to would wait in the system, where a signal that came before it is not seen. */
int congru_stream_open(const congru_stream_settings *settings, const char *path)
{
    enum { LOOK_MILLISECONDS = 100 };
    const int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    struct stat about;
    if (descriptor < 0)
        return -1;
    if (fstat(descriptor, &about) == 0 && S_ISFIFO(about.st_mode)) {
        struct pollfd waits = {.fd = descriptor, .events = POLLIN};
        while (!congru_stream_stopped(settings) && poll(&waits, 1, LOOK_MILLISECONDS) <= 0)
            continue;
    }
    fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK);
    return descriptor;
}

const char *congru_stream_input_name(const char *path)
{
    return congru_stream_is_standard(path) ? "standard input" : path;
}

/* ---- Numbers and packets --------------------------------------------------------------------------------- */

enum { READ_SIZE = 1 << 16, FRAMES_ROOM = 1 << 14 };

typedef struct bytes_reader {
    congru_stream_sink *sink;
    const char *name;
    int descriptor;
    congru_stream_protocol protocol;
    unsigned char bytes[READ_SIZE];
    double frames[FRAMES_ROOM];
} bytes_reader;

static congru_status take_bytes(bytes_reader *r, size_t size)
{
    const congru_stream_settings *settings = r->sink->settings;
    const size_t channels = congru_decoder_channels(r->sink->decoder);
    congru_status status = CONGRU_OK;
    for (size_t at = 0, count; status == CONGRU_OK && at < size && !congru_stream_stopped(settings);) {
        congru_protocol_command command;
        at += congru_protocol_read(&r->protocol, channels, r->bytes + at, size - at, r->frames,
                                   FRAMES_ROOM / channels, &count, &command);
        status = congru_stream_push(r->sink, count, r->frames, NULL);
        if (status == CONGRU_OK)
            status = congru_stream_obey(r->sink, &command);
        if (status == CONGRU_OK && r->protocol.state == CONGRU_PROTOCOL_FAILED)
            status = congru_fail(settings->context, CONGRU_ERROR_FORMAT, "%s: %s", r->name, r->protocol.error);
    }
    return status;
}

static congru_status fail_short(const bytes_reader *r)
{
    congru_context *context = r->sink->settings->context;
    if (r->protocol.format == CONGRU_STREAM_PACKETS)
        return congru_fail(context, CONGRU_ERROR_FORMAT, "%s: ends in the middle of a packet", r->name);
    return congru_fail(context, CONGRU_ERROR_FORMAT, "%s: ends in the middle of a frame of %s", r->name,
                       congru_count(congru_decoder_channels(r->sink->decoder), "channel").text);
}

static congru_status read_all(bytes_reader *r)
{
    const congru_stream_settings *settings = r->sink->settings;
    congru_status status = CONGRU_OK;
    while (status == CONGRU_OK && !congru_stream_stopped(settings)) {
        ssize_t got = read(r->descriptor, r->bytes, sizeof r->bytes);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return congru_fail(settings->context, CONGRU_ERROR_IO, "%s: cannot read: %s", r->name,
                               strerror(errno));
        if (got == 0)
            break;
        status = take_bytes(r, (size_t)got);
    }
    if (status == CONGRU_OK && !congru_protocol_is_whole(&r->protocol) && !congru_stream_stopped(settings))
        status = fail_short(r);
    return status == CONGRU_OK ? congru_stream_drop_markers(r->sink, "the stream has ended") : status;
}

static congru_status open_and_read(bytes_reader *r, const char *path)
{
    congru_context *context = r->sink->settings->context;
    CONGRU_TRY(congru_stream_start(r->sink, &r->sink->settings->options.decoder, r->name));
    if (congru_decoder_channels(r->sink->decoder) > CONGRU_STREAM_CHANNELS_MAX)
        return congru_fail(context, CONGRU_ERROR_UNSUPPORTED, "stream: more than %d channels",
                           (int)CONGRU_STREAM_CHANNELS_MAX);
    r->descriptor =
        congru_stream_is_standard(path) ? STDIN_FILENO : congru_stream_open(r->sink->settings, path);
    if (r->descriptor < 0)
        return congru_fail(context, CONGRU_ERROR_IO, "%s: cannot open: %s", path, strerror(errno));
    congru_status status = read_all(r);
    if (!congru_stream_is_standard(path))
        close(r->descriptor);
    return status;
}

congru_status congru_stream_read_frames(congru_stream_sink *sink, const char *path)
{
    bytes_reader *r = calloc(1, sizeof *r);
    if (r == NULL)
        return congru_fail(sink->settings->context, CONGRU_ERROR_MEMORY, "stream: not enough memory");
    r->sink = sink;
    r->name = congru_stream_input_name(path);
    r->protocol.state = CONGRU_PROTOCOL_READY;
    r->protocol.format = sink->settings->options.format;
    congru_status status = open_and_read(r, path);
    free(r);
    return status;
}

/* ---- Recordings -------------------------------------------------------------------------------------------- */

/* The cues of the recording: those that are asked for, or those of the model's trials where nothing else is decided
 * about. */
static congru_status find_cues(const congru_stream_sink *sink, const char *path,
                               const congru_recording *recording, congru_import_cue **cues, size_t *count)
{
    const congru_stream_settings *settings = sink->settings;
    congru_context *context = settings->context;
    const char *name, *text, *meta = NULL;
    congru_import *import = NULL;
    if (settings->options.events == NULL && settings->options.decoder.rate > 0)
        return CONGRU_OK;
    for (size_t i = 0; congru_model_text(settings->model, i, &name, &text); i++)
        meta = strcmp(name, "preprocessing") == 0 ? text : meta;
    congru_status status = congru_import_create(context, &import);
    if (status == CONGRU_OK)
        status = congru_import_like(context, import, congru_model_preprocessing(settings->model), meta);
    if (status == CONGRU_OK && settings->options.events != NULL)
        status = congru_import_set(context, import, "events", settings->options.events);
    if (status == CONGRU_OK)
        status = congru_import_cues(context, import, path, recording, cues, count);
    congru_import_destroy(&import);
    if (status == CONGRU_OK && *count == 0)
        status = congru_fail(context, CONGRU_ERROR_FORMAT, "%s: has none of the events that are cues", path);
    return status;
}

static congru_status push_recording(congru_stream_sink *sink, const congru_recording *recording, size_t cues,
                                    const congru_import_cue *cue)
{
    enum { PIECE = 256 };
    const congru_stream_settings *settings = sink->settings;
    size_t d = recording->channels, marked = 0;
    double *frames = calloc(PIECE * d, sizeof *frames);
    congru_status status =
        frames != NULL ? CONGRU_OK
                       : congru_fail(settings->context, CONGRU_ERROR_MEMORY, "stream: not enough memory");
    for (size_t at = 0; status == CONGRU_OK && at < recording->samples && !congru_stream_stopped(settings);
         at += PIECE) {
        size_t count = recording->samples - at < PIECE ? recording->samples - at : PIECE;
        for (size_t t = 0; t < count; t++)
            for (size_t i = 0; i < d; i++)
                frames[t * d + i] = recording->data[i * recording->samples + at + t];
        for (; status == CONGRU_OK && marked < cues && cue[marked].sample < at + count; marked++)
            status = congru_stream_mark(sink, cue[marked].name, (double)cue[marked].sample, (double)NAN);
        if (status == CONGRU_OK)
            status = congru_stream_push(sink, count, frames, NULL);
    }
    free(frames);
    return status == CONGRU_OK ? congru_stream_drop_markers(sink, "the stream has ended") : status;
}

/* The model's channels of the file, or its EEG where the model does not name any. */
static congru_status read_channels(const congru_stream_settings *settings, const char *path,
                                   congru_recording **recording)
{
    const congru_preprocessing *p = congru_model_preprocessing(settings->model);
    const char **names = calloc(p->channels, sizeof *names);
    if (names == NULL)
        return congru_fail(settings->context, CONGRU_ERROR_MEMORY, "stream: not enough memory");
    for (size_t i = 0; i < p->channels; i++)
        names[i] = p->channel_name[i];
    bool named = names[0][0] != '\0';
    const congru_recording_options wanted = {
        .channels = named ? names : NULL, .channel_count = p->channels, .eeg_only = !named};
    congru_status status = congru_recording_read(settings->context, path, &wanted, recording);
    if (status == CONGRU_OK && (*recording)->channels != p->channels)
        status = congru_fail(settings->context, CONGRU_ERROR_ARGUMENT, "%s: has %s where the model has %zu",
                             path, congru_count((*recording)->channels, "channel").text, p->channels);
    free(names);
    return status;
}

congru_status congru_stream_read_recording(congru_stream_sink *sink, const char *path)
{
    const congru_stream_settings *settings = sink->settings;
    congru_decoder_options options = settings->options.decoder;
    congru_recording *recording = NULL;
    congru_import_cue *cue = NULL;
    size_t cues = 0;
    if (congru_stream_is_standard(path))
        return congru_fail(settings->context, CONGRU_ERROR_ARGUMENT,
                           "stream: a recording needs a file, not standard input");
    congru_status status = read_channels(settings, path, &recording);
    if (status == CONGRU_OK) {
        options.channels = NULL;
        options.sampling = recording->rate;
        status = congru_stream_start(sink, &options, path);
    }
    if (status == CONGRU_OK)
        status = find_cues(sink, path, recording, &cue, &cues);
    if (status == CONGRU_OK)
        status = push_recording(sink, recording, cues, cue);
    free(cue);
    congru_recording_destroy(&recording);
    return status;
}

/* ---- What is known of the subject ------------------------------------------------------------------------- */

/* Where each channel of a frame is in the model; -1 for those that it does not know. */
static void match_channels(const congru_stream_settings *settings, const congru_decoder_options *options,
                           size_t channels, int *place)
{
    const congru_preprocessing *p = congru_model_preprocessing(settings->model);
    for (size_t k = 0; k < channels; k++) {
        place[k] = options->channels == NULL ? (int)k : -1;
        for (size_t i = 0; options->channels != NULL && i < p->channels; i++)
            if (p->channel_name[i][0] != '\0' &&
                congru_channel_matches(options->channels[k], p->channel_name[i]))
                place[k] = (int)i;
    }
}

/* A recording is in microvolts, whatever the stream is in. */
static congru_status push_rest(congru_stream_sink *sink, const congru_decoder_options *options,
                               const congru_recording *recording, size_t *windows)
{
    const congru_stream_settings *settings = sink->settings;
    const size_t channels = congru_decoder_channels(sink->decoder);
    double *frames = calloc(recording->samples * channels + 1, sizeof *frames);
    int *place = calloc(channels, sizeof *place);
    congru_status status = CONGRU_ERROR_MEMORY;
    if (frames != NULL && place != NULL) {
        match_channels(settings, options, channels, place);
        for (size_t t = 0; t < recording->samples; t++)
            for (size_t k = 0; k < channels; k++)
                frames[t * channels + k] =
                    place[k] >= 0 ? recording->data[(size_t)place[k] * recording->samples + t] : 0;
        if (settings->options.format != CONGRU_STREAM_RECORDING)
            congru_decoder_set_scale(sink->decoder, 1);
        status = congru_decoder_rest(sink->decoder, recording->samples, frames, windows);
        congru_decoder_set_scale(sink->decoder, options->scale);
    }
    free(frames);
    free(place);
    return status;
}

static congru_status learn_rest(congru_stream_sink *sink, const congru_decoder_options *options,
                                const char *path)
{
    const congru_stream_settings *settings = sink->settings;
    congru_context *context = settings->context;
    const double rate = congru_decoder_sampling(sink->decoder);
    congru_recording *recording = NULL;
    size_t windows = 0;
    congru_status status = read_channels(settings, path, &recording);
    if (status == CONGRU_OK && fabs(recording->rate - rate) > 1e-6 * rate)
        status = congru_fail(context, CONGRU_ERROR_ARGUMENT,
                             "%s: has %g Hz where the stream has %g Hz (bring it to the stream's rate first)",
                             path, recording->rate, rate);
    else if (status == CONGRU_OK) {
        status = push_rest(sink, options, recording, &windows);
        if (status != CONGRU_OK)
            congru_fail(context, status, "%s: %s", path, congru_status_text(status));
        else if (windows == 0)
            status = congru_fail(
                context, CONGRU_ERROR_FORMAT,
                "%s: shows nothing of the subject at rest: it is shorter than %zu samples, or all of it "
                "is missing or an artefact",
                path, congru_decoder_window(sink->decoder));
    }
    congru_recording_destroy(&recording);
    return status;
}

congru_status congru_stream_start(congru_stream_sink *sink, const congru_decoder_options *options,
                                  const char *name)
{
    const congru_stream_settings *settings = sink->settings;
    const congru_stream_options *o = &settings->options;
    congru_context *context = settings->context;
    bool known;
    congru_status status = congru_decoder_create(context, settings->model, options, &sink->decoder);
    if (status != CONGRU_OK)
        return congru_fail(context, status, "%s: %s", name, congru_context_error(context));
    for (size_t i = 0; congru_context_note(context, i) != NULL; i++)
        congru_stream_warn(settings, "%s: %s", name, congru_context_note(context, i));
    if (o->state != NULL)
        status = congru_stream_state_restore(settings, o->state, sink->decoder, &known);
    if (status == CONGRU_OK && o->rest != NULL)
        status = learn_rest(sink, options, o->rest);
    sink->begun = status == CONGRU_OK;
    return status;
}
