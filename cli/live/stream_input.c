/* Samples from files and standard input. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stream_protocol.h"
#include "stream_settings.h"
#include "terminal.h"
#include "text_file.h"

enum { READ_SIZE = 1 << 16, FRAMES_ROOM = 1 << 14, CSV_FIELD_MAX = 400 };

/* "-" is standard input, as is none. */
static bool is_standard(const char *path)
{
    return path == NULL || strcmp(path, "-") == 0;
}

static const char *name_of(const char *path)
{
    return is_standard(path) ? "standard input" : path;
}

static int fail_read(const char *path)
{
    return terminal_fail(EXIT_FAILED, "%s: cannot read: %s", name_of(path), strerror(errno));
}

static int create(stream_sink *sink, const congru_decoder_options *options, const char *path)
{
    const stream_settings *settings = sink->settings;
    if (congru_decoder_create(settings->context, settings->model, options, &sink->decoder) == CONGRU_OK) {
        for (size_t i = 0; congru_context_note(settings->context, i) != NULL; i++)
            terminal_warn("%s: %s", name_of(path), congru_context_note(settings->context, i));
        return EXIT_DONE;
    }
    return terminal_fail(EXIT_FAILED, "%s: %s", name_of(path), congru_context_error(settings->context));
}

/* ---- Numbers and packets --------------------------------------------------------------------------------- */

static int take_bytes(stream_sink *sink, const char *path, stream_protocol *part, const unsigned char *bytes,
                      size_t size)
{
    static double frames[FRAMES_ROOM];
    const size_t channels = congru_decoder_channels(sink->decoder);
    int code = EXIT_DONE;
    for (size_t at = 0, count; code == EXIT_DONE && at < size && stream_stopped == 0;) {
        protocol_command command;
        at += protocol_read(part, channels, bytes + at, size - at, frames, FRAMES_ROOM / channels, &count,
                            &command);
        code = stream_push(sink, count, frames, NULL);
        if (code == EXIT_DONE)
            code = stream_obey(sink, &command);
        if (code == EXIT_DONE && part->state == PROTOCOL_FAILED)
            code = terminal_fail(EXIT_FAILED, "%s: %s", name_of(path), part->error);
    }
    return code;
}

static int read_all(stream_sink *sink, const char *path, int descriptor, protocol_format format)
{
    static stream_protocol part;
    static unsigned char bytes[READ_SIZE];
    int code = EXIT_DONE;
    part.state = PROTOCOL_READY;
    part.format = format;
    while (code == EXIT_DONE && stream_stopped == 0) {
        ssize_t got = read(descriptor, bytes, sizeof bytes);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return fail_read(path);
        if (got == 0)
            break;
        code = take_bytes(sink, path, &part, bytes, (size_t)got);
    }
    if (code == EXIT_DONE && !protocol_is_whole(&part) && stream_stopped == 0)
        code = format == PROTOCOL_PACKETS
                   ? terminal_fail(EXIT_FAILED, "%s: ends in the middle of a packet", name_of(path))
                   : terminal_fail(EXIT_FAILED, "%s: ends in the middle of a frame of %s", name_of(path),
                                   congru_count(congru_decoder_channels(sink->decoder), "channel").text);
    return code == EXIT_DONE ? stream_drop_markers(sink, "the stream has ended") : code;
}

int stream_frames(stream_sink *sink, const char *path, protocol_format format)
{
    int code = create(sink, &sink->settings->decoder, path);
    if (code != EXIT_DONE)
        return code;
    if (congru_decoder_channels(sink->decoder) > PROTOCOL_CHANNELS_MAX)
        code = terminal_fail(EXIT_FAILED, "stream: more than %d channels", (int)PROTOCOL_CHANNELS_MAX);
    int descriptor = is_standard(path) ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (code == EXIT_DONE && descriptor < 0)
        code = terminal_fail(EXIT_FAILED, "%s: cannot open: %s", path, strerror(errno));
    if (code == EXIT_DONE)
        code = read_all(sink, path, descriptor, format);
    if (descriptor > STDIN_FILENO)
        close(descriptor);
    congru_decoder_destroy(&sink->decoder);
    return code;
}

/* ---- CSV --------------------------------------------------------------------------------------------------- */

typedef struct csv_reader {
    stream_sink *sink;
    const char *path;
    FILE *file;
    char line[PROTOCOL_LINE_MAX];
    size_t number; /* of lines so far */
    double *frame;
    text_list heading;
} csv_reader;

static int fail_csv(const csv_reader *r, const char *what)
{
    return terminal_fail(EXIT_FAILED, "%s: line %zu: %s", name_of(r->path), r->number, what);
}

/* A line that holds no number is the names of the channels. */
static bool is_heading(const char *line)
{
    char *end;
    strtod(line, &end);
    while (isblank((unsigned char)*end))
        end++;
    return end == line || (*end != ',' && *end != '\0');
}

/* A frame, or a command behind '!'. */
static int read_frame(csv_reader *r)
{
    protocol_command command;
    const char *wrong = r->line[0] == '!'
                            ? protocol_read_command(r->line + 1, &command)
                            : protocol_read_csv(r->line, congru_decoder_channels(r->sink->decoder), r->frame);
    if (wrong != NULL)
        return fail_csv(r, wrong);
    return r->line[0] == '!' ? stream_obey(r->sink, &command) : stream_push(r->sink, 1, r->frame, NULL);
}

static int start_csv(csv_reader *r)
{
    congru_decoder_options options = r->sink->settings->decoder;
    int code = EXIT_DONE;
    bool heading = r->line[0] != '!' && is_heading(r->line);
    if (heading && options.channels == NULL) {
        code = text_list_split(&r->heading, "stream: the heading", r->line);
        options.channels = (const char *const *)r->heading.item;
        options.channel_count = r->heading.count;
    }
    if (code == EXIT_DONE)
        code = create(r->sink, &options, r->path);
    if (code != EXIT_DONE)
        return code;
    r->frame = calloc(congru_decoder_channels(r->sink->decoder), sizeof *r->frame);
    if (r->frame == NULL)
        return terminal_fail(EXIT_FAILED, "stream: not enough memory");
    return heading ? EXIT_DONE : read_frame(r);
}

/* The next line that is not empty; its absence is *found. */
static int read_csv_line(csv_reader *r, text_line *found)
{
    char wrong[64];
    do {
        r->number++;
        *found = text_line_read(r->file, sizeof r->line, r->line);
    } while (*found == TEXT_LINE_WHOLE && r->line[0] == '\0' && stream_stopped == 0);
    if (*found == TEXT_LINE_BINARY)
        return fail_csv(r, "holds a NUL byte");
    snprintf(wrong, sizeof wrong, "longer than %d bytes", (int)PROTOCOL_LINE_MAX - 1);
    return *found == TEXT_LINE_LONG ? fail_csv(r, wrong) : EXIT_DONE;
}

int stream_csv(stream_sink *sink, const char *path)
{
    static csv_reader r;
    r = (csv_reader){.sink = sink, .path = path, .file = is_standard(path) ? stdin : fopen(path, "r")};
    if (r.file == NULL)
        return terminal_fail(EXIT_FAILED, "%s: cannot open: %s", path, strerror(errno));
    int code = EXIT_DONE;
    text_line found = TEXT_LINE_WHOLE;
    while (code == EXIT_DONE && found == TEXT_LINE_WHOLE && stream_stopped == 0) {
        code = read_csv_line(&r, &found);
        if (code == EXIT_DONE && found == TEXT_LINE_WHOLE && r.line[0] != '\0')
            code = sink->decoder == NULL ? start_csv(&r) : read_frame(&r);
    }
    if (code == EXIT_DONE && (ferror(r.file) || !feof(r.file)) && stream_stopped == 0)
        code = fail_read(path);
    if (code == EXIT_DONE && sink->decoder != NULL)
        code = stream_drop_markers(sink, "the stream has ended");
    if (r.file != stdin)
        fclose(r.file);
    congru_decoder_destroy(&sink->decoder);
    text_list_clear(&r.heading);
    free(r.frame);
    return code;
}

/* ---- Recordings -------------------------------------------------------------------------------------------- */

/* The cues of the recording: those that are asked for, or those of the model's trials where nothing else is decided
 * about. */
static int find_cues(const stream_sink *sink, const char *path, const congru_recording *recording,
                     congru_import_cue **cues, size_t *count)
{
    const stream_settings *settings = sink->settings;
    congru_context *context = settings->context;
    const char *name, *text, *meta = NULL;
    congru_import *import = NULL;
    *cues = NULL;
    *count = 0;
    if (settings->events == NULL && settings->decoder.rate > 0)
        return EXIT_DONE;
    for (size_t i = 0; congru_model_text(settings->model, i, &name, &text); i++)
        meta = strcmp(name, "preprocessing") == 0 ? text : meta;
    congru_status status = congru_import_create(context, &import);
    if (status == CONGRU_OK)
        status = congru_import_like(context, import, congru_model_preprocessing(settings->model), meta);
    if (status == CONGRU_OK && settings->events != NULL)
        status = congru_import_set(context, import, "events", settings->events);
    if (status == CONGRU_OK)
        status = congru_import_cues(context, import, path, recording, cues, count);
    congru_import_destroy(&import);
    if (status != CONGRU_OK)
        return terminal_fail(EXIT_FAILED, "%s", congru_context_error(context));
    return *count > 0 ? EXIT_DONE
                      : terminal_fail(EXIT_FAILED, "%s: has none of the events that are cues", path);
}

static int push_recording(stream_sink *sink, const congru_recording *recording, size_t cues,
                          const congru_import_cue *cue)
{
    enum { PIECE = 256 };
    size_t d = recording->channels, marked = 0;
    double *frames = calloc(PIECE * d, sizeof *frames);
    int code = frames != NULL ? EXIT_DONE : terminal_fail(EXIT_FAILED, "stream: not enough memory");
    for (size_t at = 0; code == EXIT_DONE && at < recording->samples && stream_stopped == 0; at += PIECE) {
        size_t count = recording->samples - at < PIECE ? recording->samples - at : PIECE;
        for (size_t t = 0; t < count; t++)
            for (size_t i = 0; i < d; i++)
                frames[t * d + i] = recording->data[i * recording->samples + at + t];
        for (; code == EXIT_DONE && marked < cues && cue[marked].sample < at + count; marked++)
            code = stream_mark(sink, cue[marked].name, (double)cue[marked].sample, (double)NAN);
        if (code == EXIT_DONE)
            code = stream_push(sink, count, frames, NULL);
    }
    free(frames);
    return code == EXIT_DONE ? stream_drop_markers(sink, "the stream has ended") : code;
}

int stream_recording(stream_sink *sink, const char *path)
{
    const stream_settings *settings = sink->settings;
    const congru_preprocessing *p = congru_model_preprocessing(settings->model);
    congru_decoder_options options = settings->decoder;
    congru_recording *recording = NULL;
    congru_import_cue *cue = NULL;
    size_t cues = 0;
    const char **names = calloc(p->channels, sizeof *names);
    if (names == NULL)
        return terminal_fail(EXIT_FAILED, "stream: not enough memory");
    for (size_t i = 0; i < p->channels; i++)
        names[i] = p->channel_name[i];
    bool named = names[0][0] != '\0';
    const congru_recording_options wanted = {
        .channels = named ? names : NULL, .channel_count = p->channels, .eeg_only = !named};
    int code = EXIT_DONE;
    if (is_standard(path))
        code = terminal_fail(EXIT_USAGE, "stream: --input edf needs a file, not standard input");
    else if (congru_recording_read(settings->context, path, &wanted, &recording) != CONGRU_OK)
        code = terminal_fail(EXIT_FAILED, "%s", congru_context_error(settings->context));
    if (code == EXIT_DONE && recording->channels != p->channels)
        code = terminal_fail(EXIT_FAILED, "%s: has %s where the model has %zu", path,
                             congru_count(recording->channels, "channel").text, p->channels);
    if (code == EXIT_DONE) {
        options.channels = NULL;
        options.sampling = recording->rate;
        code = create(sink, &options, path);
    }
    if (code == EXIT_DONE)
        code = find_cues(sink, path, recording, &cue, &cues);
    if (code == EXIT_DONE)
        code = push_recording(sink, recording, cues, cue);
    free(cue);
    congru_decoder_destroy(&sink->decoder);
    congru_recording_destroy(&recording);
    free(names);
    return code;
}
