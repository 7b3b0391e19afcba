/* Samples from lines of CSV. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "recording/sample_text.h"
#include "stream/stream_sink.h"

typedef struct csv_reader {
    congru_stream_sink *sink;
    const char *path;
    FILE *file;
    char line[CONGRU_PROTOCOL_LINE_MAX];
    size_t number;  /* of lines so far */
    char separator; /* of the first line */
    double *frame;
    const char **heading; /* into the line, until the decoder is made */
} csv_reader;

static congru_status fail_csv(const csv_reader *r, const char *what)
{
    return congru_fail(r->sink->settings->context, CONGRU_ERROR_FORMAT, "%s: line %zu: %s",
                       congru_stream_input_name(r->path), r->number, what);
}

static congru_status fail_memory(const csv_reader *r)
{
    return congru_fail(r->sink->settings->context, CONGRU_ERROR_MEMORY, "stream: not enough memory");
}

/* Cuts the line in place. */
static congru_status split_heading(csv_reader *r, size_t *count)
{
    size_t most = 1;
    for (const char *c = r->line; *c != '\0'; c++)
        most += *c == r->separator;
    r->heading = calloc(most, sizeof *r->heading);
    if (r->heading == NULL)
        return fail_memory(r);
    *count = 0;
    for (char *rest = r->line; rest != NULL;) {
        const char *name = congru_sample_field(&rest, r->separator);
        if (*name == '\0')
            return fail_csv(r, "a channel has no name");
        r->heading[(*count)++] = name;
    }
    return CONGRU_OK;
}

/* A frame, or a command behind '!'. */
static congru_status read_frame(csv_reader *r)
{
    congru_protocol_command command;
    const char *wrong =
        r->line[0] == '!'
            ? congru_protocol_read_command(r->line + 1, &command)
            : congru_sample_frame(r->line, r->separator, congru_decoder_channels(r->sink->decoder), r->frame);
    if (wrong != NULL)
        return fail_csv(r, wrong);
    return r->line[0] == '!' ? congru_stream_obey(r->sink, &command)
                             : congru_stream_push(r->sink, 1, r->frame, NULL);
}

static congru_status start(csv_reader *r)
{
    congru_decoder_options options = r->sink->settings->options.decoder;
    congru_status status = CONGRU_OK;
    r->separator = r->line[0] != '!' ? congru_sample_separator(r->line) : ',';
    bool heading = r->line[0] != '!' && congru_sample_is_heading(r->line, r->separator);
    if (heading && options.channels == NULL) {
        status = split_heading(r, &options.channel_count);
        options.channels = r->heading;
    }
    if (status == CONGRU_OK)
        status = congru_stream_start(r->sink, &options, congru_stream_input_name(r->path));
    if (status != CONGRU_OK)
        return status;
    r->frame = calloc(congru_decoder_channels(r->sink->decoder), sizeof *r->frame);
    if (r->frame == NULL)
        return fail_memory(r);
    return heading ? CONGRU_OK : read_frame(r);
}

/* One line, without its end; *ended when there is none. */
static congru_status take_line(csv_reader *r, bool *ended)
{
    char wrong[64];
    size_t size = 0;
    int c;
    r->number++;
    while ((c = getc_unlocked(r->file)) != EOF && c != '\n') {
        if (c == '\0')
            return fail_csv(r, "holds a NUL byte");
        if (size + 1 == sizeof r->line) {
            snprintf(wrong, sizeof wrong, "longer than %d bytes", (int)CONGRU_PROTOCOL_LINE_MAX - 1);
            return fail_csv(r, wrong);
        }
        r->line[size++] = (char)c;
    }
    *ended = ferror(r->file) || (c == EOF && size == 0);
    while (size > 0 && r->line[size - 1] == '\r')
        size--;
    r->line[size] = '\0';
    return CONGRU_OK;
}

static congru_status read_all(csv_reader *r)
{
    const congru_stream_settings *settings = r->sink->settings;
    congru_status status = CONGRU_OK;
    bool ended = false;
    while (status == CONGRU_OK && !ended && !congru_stream_stopped(settings)) {
        status = take_line(r, &ended);
        if (status == CONGRU_OK && !ended && r->line[0] != '\0')
            status = r->sink->decoder == NULL ? start(r) : read_frame(r);
    }
    if (status == CONGRU_OK && ferror(r->file) && !congru_stream_stopped(settings))
        status = congru_fail(settings->context, CONGRU_ERROR_IO, "%s: cannot read: %s",
                             congru_stream_input_name(r->path), strerror(errno));
    if (status == CONGRU_OK && r->sink->decoder != NULL)
        status = congru_stream_drop_markers(r->sink, "the stream has ended");
    return status;
}

/* Standard input stays open for the caller: what is closed is a copy of its descriptor. */
static FILE *open_input(const congru_stream_settings *settings, const char *path)
{
    int copy = congru_stream_is_standard(path) ? dup(STDIN_FILENO) : congru_stream_open(settings, path);
    FILE *file = copy >= 0 ? fdopen(copy, "r") : NULL;
    if (file == NULL && copy >= 0)
        close(copy);
    return file;
}

congru_status congru_stream_read_csv(congru_stream_sink *sink, const char *path)
{
    csv_reader *r = calloc(1, sizeof *r);
    if (r == NULL)
        return congru_fail(sink->settings->context, CONGRU_ERROR_MEMORY, "stream: not enough memory");
    r->sink = sink;
    r->path = path;
    r->file = open_input(sink->settings, path);
    congru_status status = r->file != NULL
                               ? read_all(r)
                               : congru_fail(sink->settings->context, CONGRU_ERROR_IO, "%s: cannot open: %s",
                                             congru_stream_input_name(path), strerror(errno));
    if (r->file != NULL)
        fclose(r->file);
    free(r->heading);
    free(r->frame);
    free(r);
    return status;
}
