/* Walks through the tags of a FIF file and keeps what is read of them. SPDX-License-Identifier: Apache-2.0 */
#include "recording/fif.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TAG_SIZE = 16, CHANNEL_SIZE = 96, DEPTH_MAX = 64, CHANNELS_MAX = 1 << 20, VOLT = 107 };

/* Kinds of tags and blocks, numbered as in the file. */
enum {
    TAG_FILE_ID = 100,
    TAG_BLOCK_START = 104,
    TAG_BLOCK_END = 105,
    TAG_REF_ROLE = 115,
    TAG_SFREQ = 201,
    TAG_CH_INFO = 203,
    TAG_MEAS_DATE = 204,
    TAG_DESCRIPTION = 206,
    TAG_FIRST_SAMPLE = 208,
    TAG_LAST_SAMPLE = 209,
    TAG_CH_NAME = 258,
    TAG_DATA_BUFFER = 300,
    TAG_DATA_SKIP = 301,
    TAG_EPOCH = 302,
    TAG_DATA_SKIP_SAMPLES = 303,
    TAG_NAME_LIST = 3507,
    TAG_EVENT_LIST = 3561,
    TAG_BASELINE_MIN = 3568,
    TAG_BASELINE_MAX = 3569,
    TYPE_CH_INFO = 30,
    TYPE_ID = 31,
    BLOCK_MEAS_INFO = 101,
    BLOCK_RAW = 102,
    BLOCK_CONTINUOUS = 112,
    BLOCK_CH_INFO = 113,
    BLOCK_REF = 118,
    BLOCK_SHIELDED = 119,
    BLOCK_EPOCHS_OLD = 122,
    BLOCK_BAD_CHANNELS = 359,
    BLOCK_EVENTS = 361,
    BLOCK_EPOCHS = 373,
    BLOCK_ANNOTATIONS = 3810,
    ROLE_PREVIOUS_FILE = 1,
    ROLE_NEXT_FILE = 2
};

/* What walking carries along. */
typedef struct walk {
    congru_context *context;
    const congru_source *source;
    congru_fif *fif;
    uint32_t block[DEPTH_MAX];
    size_t depth;
    uint64_t visited;             /* bytes of tags so far */
    size_t channel_room, renamed; /* extended channel information comes in the order of the channels */
    double skip;                  /* samples of a gap that come before the next buffer ... */
    double skip_buffers;          /* ... and buffers, which are as long as that one */
    size_t held;                  /* samples in buffers ... */
    double gaps;                  /* ... and in gaps between them */
} walk;

static uint32_t word_32(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | (uint32_t)bytes[3];
}

static double real_32(const unsigned char *bytes)
{
    uint32_t word = word_32(bytes);
    float value;
    memcpy(&value, &word, sizeof value);
    return (double)value;
}

static double real_64(const unsigned char *bytes)
{
    uint64_t word = (uint64_t)word_32(bytes) << 32 | word_32(bytes + 4);
    double value;
    memcpy(&value, &word, sizeof value);
    return value;
}

bool congru_fif_recognises(const unsigned char *bytes, size_t size)
{
    return size >= TAG_SIZE && word_32(bytes) == TAG_FILE_ID && word_32(bytes + 4) == TYPE_ID &&
           word_32(bytes + 8) == 20;
}

size_t congru_fif_width(uint32_t type)
{
    switch (type) {
    case CONGRU_FIF_INT16:
    case CONGRU_FIF_PACK16:
        return 2;
    case CONGRU_FIF_INT32:
    case CONGRU_FIF_FLOAT32:
        return 4;
    case CONGRU_FIF_FLOAT64:
        return 8;
    default:
        return 0;
    }
}

void congru_fif_decode(uint32_t type, const unsigned char *bytes, size_t stride, size_t count, double scale,
                       double *number)
{
    for (size_t i = 0; i < count; i++, bytes += stride) {
        double value;
        if (type == CONGRU_FIF_FLOAT32)
            value = real_32(bytes);
        else if (type == CONGRU_FIF_FLOAT64)
            value = real_64(bytes);
        else if (type == CONGRU_FIF_INT32)
            value = (int32_t)word_32(bytes);
        else
            value = (int16_t)(bytes[0] << 8 | bytes[1]);
        value *= scale;
        number[i] = isfinite(value) ? value : (double)NAN;
    }
}

/* ---- The data of tags ---------------------------------------------------------------------------- */

static congru_status fail_tag(const walk *on, const congru_fif_tag *tag, const char *expected)
{
    return congru_fail(on->context, CONGRU_ERROR_FORMAT,
                       "%s: expected %s, found a tag of kind %u, type %u and %u bytes at byte %llu",
                       on->fif->file, expected, (unsigned)tag->kind, (unsigned)tag->type, (unsigned)tag->size,
                       (unsigned long long)tag->at);
}

congru_status congru_fif_numbers(congru_context *context, const congru_source *source,
                                 const congru_fif_tag *tag, double **number, size_t *count)
{
    size_t width = congru_fif_width(tag->type);
    *number = NULL;
    *count = 0;
    if (width == 0)
        return congru_fail(context, CONGRU_ERROR_FORMAT,
                           "%s: expected numbers, found a tag of kind %u and type %u at byte %llu",
                           source->name, (unsigned)tag->kind, (unsigned)tag->type, (unsigned long long)tag->at);
    unsigned char *bytes = malloc((size_t)tag->size + 1);
    *number = malloc((tag->size / width + 1) * sizeof **number);
    congru_status status = bytes != NULL && *number != NULL
                               ? congru_source_read(context, source, tag->at, tag->size, bytes)
                               : congru_fail(context, CONGRU_ERROR_MEMORY, "%s: not enough memory for %u bytes",
                                             source->name, (unsigned)tag->size);
    if (status == CONGRU_OK) {
        *count = tag->size / width;
        congru_fif_decode(tag->type, bytes, width, *count, 1, *number);
    } else {
        free(*number);
        *number = NULL;
    }
    free(bytes);
    return status;
}

congru_status congru_fif_text(congru_context *context, const congru_source *source, const congru_fif_tag *tag,
                              char **text)
{
    *text = malloc((size_t)tag->size + 1);
    congru_status status = *text != NULL
                               ? congru_source_read(context, source, tag->at, tag->size, *text)
                               : congru_fail(context, CONGRU_ERROR_MEMORY, "%s: not enough memory for %u bytes",
                                             source->name, (unsigned)tag->size);
    if (status == CONGRU_OK) {
        (*text)[tag->size] = '\0';
    } else {
        free(*text);
        *text = NULL;
    }
    return status;
}

size_t congru_fif_restore_colons(char *text, size_t length)
{
    static const char colon[] = "{COLON}";
    size_t used = 0;
    for (size_t i = 0; i < length;) {
        bool is_colon = length - i >= sizeof colon - 1 && memcmp(text + i, colon, sizeof colon - 1) == 0;
        text[used++] = is_colon ? ':' : text[i];
        i += is_colon ? sizeof colon - 1 : 1;
    }
    return used;
}

/* The first number of a tag. */
static congru_status take_number(const walk *on, const congru_fif_tag *tag, const char *expected,
                                 double *number)
{
    unsigned char bytes[8];
    size_t width = congru_fif_width(tag->type);
    if (width == 0 || tag->size < width)
        return fail_tag(on, tag, expected);
    congru_status status = congru_source_read(on->context, on->source, tag->at, width, bytes);
    if (status == CONGRU_OK)
        congru_fif_decode(tag->type, bytes, width, 1, 1, number);
    return status;
}

static congru_status take_whole(const walk *on, const congru_fif_tag *tag, const char *expected,
                                int64_t *number)
{
    double value = 0;
    congru_status status = take_number(on, tag, expected, &value);
    if (status == CONGRU_OK && !(fabs(value) < 1e15))
        return fail_tag(on, tag, expected);
    *number = (int64_t)value;
    return status;
}

/* Seconds of the clock: whole seconds and microseconds as integers, or a number. */
static congru_status take_date(const walk *on, const congru_fif_tag *tag, double *seconds)
{
    double *number;
    size_t count;
    congru_status status = congru_fif_numbers(on->context, on->source, tag, &number, &count);
    if (status == CONGRU_OK && count > 0)
        *seconds = tag->type == CONGRU_FIF_INT32 && count > 1 ? number[0] + number[1] * 1e-6 : number[0];
    free(number);
    return status;
}

/* ---- Channels ------------------------------------------------------------------------------------ */

static congru_channel_type type_of(uint32_t kind)
{
    switch (kind) {
    case 2:
        return CONGRU_CHANNEL_EEG;
    case 202:
        return CONGRU_CHANNEL_EOG;
    case 302:
        return CONGRU_CHANNEL_EMG;
    case 402:
        return CONGRU_CHANNEL_ECG;
    case 3:
        return CONGRU_CHANNEL_STIMULUS;
    default:
        return CONGRU_CHANNEL_OTHER;
    }
}

double congru_fif_unit(const congru_channel *channel)
{
    return congru_reader_microvolts(channel->unit);
}

static congru_status grow_channels(walk *on)
{
    congru_fif *fif = on->fif;
    if (fif->channels < on->channel_room)
        return CONGRU_OK;
    size_t room = on->channel_room > 0 ? 2 * on->channel_room : 64;
    congru_channel *channel =
        fif->channels < CHANNELS_MAX ? realloc(fif->channel, room * sizeof *channel) : NULL;
    fif->channel = channel != NULL ? channel : fif->channel;
    double *cal = channel != NULL ? realloc(fif->cal, room * sizeof *cal) : NULL;
    fif->cal = cal != NULL ? cal : fif->cal;
    double *range = cal != NULL ? realloc(fif->range, room * sizeof *range) : NULL;
    fif->range = range != NULL ? range : fif->range;
    if (range == NULL)
        return congru_fail(on->context, CONGRU_ERROR_MEMORY, "%s: not enough memory for %zu channels",
                           fif->file, room);
    on->channel_room = room;
    return CONGRU_OK;
}

/* A record of fixed places: number twice, kind, range, calibration, coil, twelve numbers of where it is, unit and
 * its multiplier, which is never used, and the name. */
static congru_status take_channel(walk *on, const congru_fif_tag *tag)
{
    unsigned char bytes[CHANNEL_SIZE];
    congru_fif *fif = on->fif;
    if (tag->type != TYPE_CH_INFO || tag->size < CHANNEL_SIZE)
        return fail_tag(on, tag, "a channel of 96 bytes");
    CONGRU_TRY(congru_source_read(on->context, on->source, tag->at, CHANNEL_SIZE, bytes));
    CONGRU_TRY(grow_channels(on));
    congru_channel *channel = &fif->channel[fif->channels];
    *channel = (congru_channel){.type = type_of(word_32(bytes + 8))};
    /* MNE calls the numbers of trigger lines volts, too. */
    if (word_32(bytes + 72) == VOLT && channel->type != CONGRU_CHANNEL_STIMULUS)
        strcpy(channel->unit, "V");
    congru_reader_copy_label(channel->name, sizeof channel->name, bytes + 80, 16);
    double range = real_32(bytes + 12), cal = real_32(bytes + 16);
    fif->range[fif->channels] = isfinite(range) ? range : (double)NAN;
    fif->cal[fif->channels++] = isfinite(cal) ? cal : (double)NAN;
    return CONGRU_OK;
}

/* Names longer than 15 bytes are beside the records. */
static congru_status take_long_name(walk *on, const congru_fif_tag *tag)
{
    char *text;
    congru_fif *fif = on->fif;
    if (on->renamed >= fif->channels)
        return fail_tag(on, tag, "as many long names as channels");
    congru_status status = congru_fif_text(on->context, on->source, tag, &text);
    if (status == CONGRU_OK)
        congru_reader_copy_label(fif->channel[on->renamed++].name, CONGRU_LABEL_SIZE, text, strlen(text));
    free(text);
    return status;
}

/* ---- Raw data ------------------------------------------------------------------------------------ */

static congru_status add_buffer(walk *on, congru_fif_buffer buffer)
{
    congru_fif *fif = on->fif;
    if (fif->buffers == fif->buffer_room) {
        size_t room = fif->buffer_room > 0 ? 2 * fif->buffer_room : 64;
        congru_fif_buffer *grown = realloc(fif->buffer, room * sizeof *grown);
        if (grown == NULL)
            return congru_fail(on->context, CONGRU_ERROR_MEMORY, "%s: not enough memory for %zu buffers",
                               fif->file, room);
        fif->buffer = grown;
        fif->buffer_room = room;
    }
    fif->buffer[fif->buffers++] = buffer;
    return CONGRU_OK;
}

/* A gap before the first buffer only moves when the recording begins. */
static congru_status add_data(walk *on, const congru_fif_tag *tag)
{
    congru_fif *fif = on->fif;
    if (tag->type == CONGRU_FIF_COMPLEX64 || tag->type == CONGRU_FIF_COMPLEX128)
        return congru_fif_fail_complex(on->context, fif);
    size_t frame = congru_fif_width(tag->type) * fif->channels;
    if (frame == 0)
        return fail_tag(on, tag, "a buffer of numbers behind the channels");
    size_t samples = tag->size / frame;
    double skip = on->skip + on->skip_buffers * (double)samples;
    congru_status status = CONGRU_OK;
    if (samples == 0)
        return CONGRU_OK;
    on->held += samples;
    if (skip > 0 && fif->buffers == 0)
        fif->first_sample += skip < 1e15 ? (int64_t)skip : 0;
    else if (on->gaps + skip > (double)CONGRU_READER_STRETCH_MAX * (double)on->held)
        status = congru_fail(on->context, CONGRU_ERROR_UNSUPPORTED,
                             "%s: gaps are too long: expected at most %d times what was recorded, found a gap "
                             "of %g samples behind %zu (save its parts as files of their own)",
                             fif->file, (int)CONGRU_READER_STRETCH_MAX, skip, on->held);
    else if (skip >= 1)
        status = add_buffer(on, (congru_fif_buffer){.samples = (size_t)skip});
    if (skip > 0 && fif->buffers > 0)
        on->gaps += skip;
    on->skip = on->skip_buffers = 0;
    return status == CONGRU_OK ? add_buffer(on, (congru_fif_buffer){*tag, samples}) : status;
}

static congru_status take_raw(walk *on, const congru_fif_tag *tag)
{
    switch (tag->kind) {
    case TAG_FIRST_SAMPLE:
        return take_whole(on, tag, "the number of the first sample", &on->fif->first_sample);
    case TAG_DATA_SKIP:
        return take_number(on, tag, "a number of buffers", &on->skip_buffers);
    case TAG_DATA_SKIP_SAMPLES:
        return take_number(on, tag, "a number of samples", &on->skip);
    case TAG_DATA_BUFFER:
        return add_data(on, tag);
    default:
        return CONGRU_OK;
    }
}

/* ---- Everything ---------------------------------------------------------------------------------- */

static congru_status take_epochs(walk *on, const congru_fif_tag *tag)
{
    if (tag->kind == TAG_FIRST_SAMPLE)
        return take_whole(on, tag, "the number of the first sample", &on->fif->first_sample);
    if (tag->kind == TAG_LAST_SAMPLE)
        return take_whole(on, tag, "the number of the last sample", &on->fif->last_sample);
    if (tag->kind == TAG_EPOCH)
        on->fif->epochs = *tag;
    return CONGRU_OK;
}

static congru_status take_info(walk *on, const congru_fif_tag *tag)
{
    if (tag->kind == TAG_SFREQ)
        return take_number(on, tag, "the sampling rate", &on->fif->rate);
    if (tag->kind == TAG_CH_INFO)
        return take_channel(on, tag);
    if (tag->kind == TAG_MEAS_DATE)
        return take_date(on, tag, &on->fif->measured);
    return CONGRU_OK;
}

static congru_status take_annotations(walk *on, const congru_fif_tag *tag)
{
    if (tag->kind == TAG_BASELINE_MIN)
        on->fif->onset = *tag;
    else if (tag->kind == TAG_BASELINE_MAX)
        on->fif->end = *tag;
    else if (tag->kind == TAG_DESCRIPTION)
        on->fif->description = *tag;
    else if (tag->kind == TAG_MEAS_DATE)
        return take_date(on, tag, &on->fif->annotated_from);
    return CONGRU_OK;
}

/* One tag, by the innermost block that it is in. */
static congru_status take_tag(walk *on, const congru_fif_tag *tag)
{
    congru_fif *fif = on->fif;
    int64_t role = 0;
    congru_status status = CONGRU_OK;
    switch (on->depth > 0 ? on->block[on->depth - 1] : 0) {
    case BLOCK_MEAS_INFO:
        return take_info(on, tag);
    case BLOCK_CH_INFO:
        return tag->kind == TAG_CH_NAME ? take_long_name(on, tag) : CONGRU_OK;
    case BLOCK_RAW:
    case BLOCK_CONTINUOUS:
    case BLOCK_SHIELDED:
        fif->is_raw = true;
        return take_raw(on, tag);
    case BLOCK_EPOCHS:
    case BLOCK_EPOCHS_OLD:
        fif->is_epochs = true;
        return take_epochs(on, tag);
    case BLOCK_EVENTS:
        if (tag->kind == TAG_EVENT_LIST)
            fif->events = *tag;
        else if (tag->kind == TAG_DESCRIPTION)
            fif->event_id = *tag;
        return CONGRU_OK;
    case BLOCK_ANNOTATIONS:
        return take_annotations(on, tag);
    case BLOCK_BAD_CHANNELS:
        if (tag->kind == TAG_NAME_LIST)
            fif->bad = *tag;
        return CONGRU_OK;
    case BLOCK_REF:
        if (tag->kind == TAG_REF_ROLE)
            status = take_whole(on, tag, "the role of another file", &role);
        fif->is_split = fif->is_split || role == ROLE_PREVIOUS_FILE || role == ROLE_NEXT_FILE;
        return status;
    default:
        return CONGRU_OK;
    }
}

/* Begins or ends a block. */
static congru_status take_block(walk *on, const congru_fif_tag *tag)
{
    int64_t block = 0;
    CONGRU_TRY(take_whole(on, tag, "the kind of a block", &block));
    if (tag->kind == TAG_BLOCK_START) {
        if (on->depth == DEPTH_MAX)
            return fail_tag(on, tag, "blocks at most 64 deep");
        on->block[on->depth++] = (uint32_t)block;
        return CONGRU_OK;
    }
    if (on->depth == 0 || on->block[on->depth - 1] != (uint32_t)block)
        return fail_tag(on, tag, "the end of the block that was begun last");
    on->depth--;
    return CONGRU_OK;
}

/* The tag at *position, which moves to the next: UINT64_MAX behind the last. A file that was edited has tags in another
 * order than their places; all of them together are no longer than the file, or they go in a circle. */
static congru_status next_tag(walk *on, uint64_t *position, congru_fif_tag *tag)
{
    unsigned char bytes[TAG_SIZE];
    uint64_t size = on->source->size;
    CONGRU_TRY(congru_source_read(on->context, on->source, *position, TAG_SIZE, bytes));
    *tag = (congru_fif_tag){word_32(bytes), word_32(bytes + 4), word_32(bytes + 8), *position + TAG_SIZE};
    uint32_t next = word_32(bytes + 12);
    if (tag->size > size - tag->at)
        return congru_fail(on->context, CONGRU_ERROR_FORMAT,
                           "%s: truncated: expected %u bytes behind a tag of kind %u at byte %llu, found %llu "
                           "(copy the file again)",
                           on->fif->file, (unsigned)tag->size, (unsigned)tag->kind,
                           (unsigned long long)*position, (unsigned long long)(size - tag->at));
    if (next == UINT32_MAX)
        *position = UINT64_MAX;
    else if (next == 0)
        *position = tag->at + tag->size;
    else
        *position = next;
    on->visited += TAG_SIZE + (uint64_t)tag->size;
    return on->visited <= size ? CONGRU_OK : fail_tag(on, tag, "tags that follow each other once");
}

congru_status congru_fif_parse(congru_context *context, const congru_source *source, congru_fif *fif)
{
    *fif = (congru_fif){.file = source->name, .measured = (double)NAN, .annotated_from = (double)NAN};
    walk on = {.context = context, .source = source, .fif = fif};
    congru_status status = CONGRU_OK;
    uint64_t position = 0;
    while (status == CONGRU_OK && position < source->size) {
        congru_fif_tag tag;
        status = next_tag(&on, &position, &tag);
        if (status == CONGRU_OK)
            status = tag.kind == TAG_BLOCK_START || tag.kind == TAG_BLOCK_END ? take_block(&on, &tag)
                                                                              : take_tag(&on, &tag);
    }
    if (status == CONGRU_OK && on.depth > 0)
        status = congru_fail(context, CONGRU_ERROR_FORMAT,
                             "%s: truncated: a block of kind %u is not ended (copy the file again)", fif->file,
                             (unsigned)on.block[on.depth - 1]);
    if (status == CONGRU_OK && (fif->channels == 0 || !(fif->rate > 0)))
        status = congru_fail(context, CONGRU_ERROR_FORMAT,
                             "%s: no measurement in it: expected channels and their rate, found %zu channels "
                             "at %g Hz (is it a file of raw data or epochs?)",
                             fif->file, fif->channels, fif->rate);
    for (size_t i = 0; i < fif->channels && status == CONGRU_OK; i++)
        fif->channel[i].rate = fif->rate;
    return status == CONGRU_OK ? congru_reader_distinguish(context, fif->file, fif->channel, fif->channels)
                               : status;
}

void congru_fif_clear(congru_fif *fif)
{
    free(fif->channel);
    free(fif->cal);
    free(fif->range);
    free(fif->buffer);
    *fif = (congru_fif){0};
}

congru_status congru_fif_fail_split(congru_context *context, const congru_fif *fif)
{
    return congru_fail(
        context, CONGRU_ERROR_UNSUPPORTED,
        "%s: one part of several; a file that is whole is read (in MNE read the first part, which "
        "joins them, and save less at a time: pick('eeg'), crop, resample)",
        fif->file);
}

congru_status congru_fif_fail_complex(congru_context *context, const congru_fif *fif)
{
    return congru_fail(context, CONGRU_ERROR_UNSUPPORTED,
                       "%s: complex numbers; real ones are read (in MNE save what apply_function(numpy.real) "
                       "gives, or the signals before the transform)",
                       fif->file);
}
