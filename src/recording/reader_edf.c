/* Reads EDF, EDF+, BDF and BDF+ into a recording. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "recording/edf.h"

#include "base/number_text.h"

/* A reader of our own rather than EDFlib: that keeps its open files in global variables, so that no two threads
 * may read, limits how many there are, and refuses files over the many small faults that real ones have. */

/* Everything about one file being read. */
typedef struct reading {
    congru_context *context;
    const congru_source *source;
    const congru_recording_options *options;
    congru_edf_header header;
    congru_channel *channel; /* of the signals that hold samples */
    size_t *signal;          /* which signals those are */
    size_t channels;
    size_t *chosen; /* signals that were asked for */
    size_t chosen_count;
    congru_edf_scale *scale; /* (chosen_count) */
    double rate;
    size_t samples_per_record;
    size_t *position; /* (records) on the timeline; NULL: one after the other */
    size_t samples;
    congru_recording *recording;
} reading;

static bool recognises(const unsigned char *bytes, size_t size)
{
    if (size < 8)
        return false;
    if (memcmp(bytes,
               "\xff"
               "BIOSEMI",
               8) == 0)
        return true;
    if (bytes[0] != '0')
        return false;
    for (size_t i = 1; i < 8; i++)
        if (bytes[i] != ' ' && bytes[i] != '\0')
            return false;
    return true;
}

static void clear(reading *state)
{
    congru_edf_header_clear(&state->header);
    free(state->channel);
    free(state->signal);
    free(state->chosen);
    free(state->scale);
    free(state->position);
}

static congru_status fail_memory(const reading *state)
{
    return congru_fail(state->context, CONGRU_ERROR_MEMORY, "%s: not enough memory for %zu signals",
                       state->source->name, state->header.signals);
}

/* The trigger lines of BioSemi amplifiers; other files have channels of this name that mean something else. */
static bool is_status(const congru_edf_header *header, const congru_edf_signal *signal)
{
    return header->sample_bytes == 3 && !signal->annotations &&
           congru_same_letters(signal->channel.name, "Status", sizeof "Status");
}

static congru_status list_channels(reading *state)
{
    const congru_edf_header *header = &state->header;
    size_t wanted = state->options->channel_count;
    state->channel = calloc(header->signals, sizeof *state->channel);
    state->signal = calloc(header->signals, sizeof *state->signal);
    state->chosen = calloc(wanted > header->signals ? wanted : header->signals, sizeof *state->chosen);
    if (state->channel == NULL || state->signal == NULL || state->chosen == NULL)
        return fail_memory(state);
    for (size_t i = 0; i < header->signals; i++) {
        if (header->signal[i].annotations)
            continue;
        state->channel[state->channels] = header->signal[i].channel;
        if (is_status(header, &header->signal[i]))
            state->channel[state->channels].type = CONGRU_CHANNEL_STIMULUS;
        state->signal[state->channels++] = i;
    }
    if (state->channels == 0)
        return congru_fail(
            state->context, CONGRU_ERROR_UNSUPPORTED,
            "%s: expected channels, found nothing but annotations (give the recording they belong to)",
            state->source->name);
    return congru_reader_distinguish(state->context, state->source->name, state->channel, state->channels);
}

static congru_status choose_channels(reading *state)
{
    CONGRU_TRY(list_channels(state));
    CONGRU_TRY(congru_reader_choose(state->context, state->source->name, state->channel, state->channels,
                                    state->options, state->chosen, &state->chosen_count, &state->rate));
    for (size_t i = 0; i < state->chosen_count; i++) {
        uint64_t samples = state->header.signal[state->signal[state->chosen[i]]].samples;
        if (samples > state->samples_per_record)
            state->samples_per_record = (size_t)samples;
    }
    return CONGRU_OK;
}

/* The rates have been compared; what is compared here is what memory is laid out by. */
static congru_status find_scales(reading *state)
{
    state->scale = calloc(state->chosen_count, sizeof *state->scale);
    if (state->scale == NULL)
        return fail_memory(state);
    for (size_t i = 0; i < state->chosen_count; i++) {
        size_t signal = state->signal[state->chosen[i]];
        uint64_t samples = state->header.signal[signal].samples;
        if (samples != state->samples_per_record)
            return congru_fail(
                state->context, CONGRU_ERROR_UNSUPPORTED,
                "%s: channel %s differs in rate: expected %zu samples a record, found %llu (choose "
                "channels of one rate)",
                state->source->name, state->header.signal[signal].channel.name, state->samples_per_record,
                (unsigned long long)samples);
        congru_status status = congru_edf_scale_find(state->context, state->source->name, &state->header,
                                                     signal, &state->scale[i]);
        if (status != CONGRU_OK)
            return status;
    }
    return CONGRU_OK;
}

/* The copy of the chosen channels' descriptions comes before `chosen` is turned into signals. */
static congru_status make_recording(reading *state)
{
    const congru_edf_header *header = &state->header;
    congru_status status = CONGRU_OK;
    /* Both factors are counted in bytes of the file, and their product is less than its size. */
    state->samples = (size_t)(header->records * state->samples_per_record);
    if (header->discontinuous) {
        state->position = malloc((size_t)header->records * sizeof *state->position);
        if (state->position == NULL)
            return fail_memory(state);
        status = congru_edf_place_records(state->context, state->source, header, state->rate,
                                          state->samples_per_record, state->position, &state->samples);
    }
    if (status == CONGRU_OK)
        status = congru_recording_create(state->context, state->source->name, state->chosen_count,
                                         state->samples, state->options->header_only, &state->recording);
    if (status != CONGRU_OK)
        return status;
    congru_recording *recording = state->recording;
    memcpy(recording->format, header->format, sizeof recording->format);
    recording->rate = state->rate;
    for (size_t i = 0; i < state->chosen_count; i++) {
        recording->channel[i] = state->channel[state->chosen[i]];
        state->chosen[i] = state->signal[state->chosen[i]];
    }
    return CONGRU_OK;
}

static size_t place_of(const reading *state, uint64_t record)
{
    return state->position != NULL ? state->position[record] : (size_t)record * state->samples_per_record;
}

static int32_t digital_16(const unsigned char *bytes)
{
    return (int16_t)(bytes[0] | bytes[1] << 8);
}

static int32_t digital_24(const unsigned char *bytes)
{
    uint32_t value = (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16;
    return (int32_t)(value ^ 0x800000) - 0x800000;
}

static congru_status decode(void *user, size_t listed, uint64_t record, uint64_t first,
                            const unsigned char *bytes, size_t count)
{
    const reading *state = user;
    const congru_edf_scale scale = state->scale[listed];
    double *data = state->recording->data + listed * state->samples + place_of(state, record) + (size_t)first;
    if (state->header.sample_bytes == 2)
        for (size_t i = 0; i < count; i++)
            data[i] = ((double)digital_16(bytes + 2 * i) - scale.digital_min) * scale.gain + scale.physical_min;
    else
        for (size_t i = 0; i < count; i++)
            data[i] = ((double)digital_24(bytes + 3 * i) - scale.digital_min) * scale.gain + scale.physical_min;
    return CONGRU_OK;
}

static void fill_gaps(const reading *state)
{
    size_t end = 0;
    for (uint64_t record = 0; record < state->header.records; record++) {
        size_t begin = place_of(state, record);
        for (size_t channel = 0; begin > end && channel < state->chosen_count; channel++)
            for (size_t i = end; i < begin; i++)
                state->recording->data[channel * state->samples + i] = NAN;
        end = begin + state->samples_per_record;
    }
}

/* ---- Triggers ------------------------------------------------------------------------------------- */

enum { TRIGGER_BITS = 0xffff };

typedef struct triggers {
    const reading *state;
    uint64_t samples_per_record; /* of the status channel */
    bool begun;
    int32_t last;
} triggers;

/* A trigger is where the value rises; what the lines show when the recording begins is none. */
static congru_status add_triggers(void *user, size_t listed, uint64_t record, uint64_t first,
                                  const unsigned char *bytes, size_t count)
{
    triggers *on = user;
    const reading *state = on->state;
    (void)listed;
    for (size_t i = 0; i < count; i++) {
        int32_t value = digital_24(bytes + 3 * i) & TRIGGER_BITS;
        bool rises = on->begun && value > on->last;
        on->begun = true;
        on->last = value;
        if (!rises)
            continue;
        size_t within = (size_t)first + i;
        if (on->samples_per_record != state->samples_per_record)
            within = (size_t)floor(
                (double)within * (double)state->samples_per_record / (double)on->samples_per_record + 0.5);
        congru_status status = congru_recording_add_event(state->context, state->recording,
                                                          place_of(state, record) + within, 0, value, NULL, 0);
        if (status != CONGRU_OK)
            return status;
    }
    return CONGRU_OK;
}

static congru_status add_status_events(const reading *state)
{
    const congru_edf_header *header = &state->header;
    for (size_t i = 0; i < header->signals; i++) {
        triggers on = {.state = state, .samples_per_record = header->signal[i].samples};
        if (is_status(header, &header->signal[i]))
            return congru_edf_walk(state->context, state->source, header, &i, 1, add_triggers, &on);
    }
    return CONGRU_OK;
}

static congru_status read_parts(reading *state)
{
    CONGRU_TRY(congru_edf_header_read(state->context, state->source, &state->header));
    CONGRU_TRY(choose_channels(state));
    if (!state->options->header_only)
        CONGRU_TRY(find_scales(state));
    CONGRU_TRY(make_recording(state));
    if (!state->options->header_only) {
        fill_gaps(state);
        CONGRU_TRY(congru_edf_walk(state->context, state->source, &state->header, state->chosen,
                                   state->chosen_count, decode, state));
    }
    CONGRU_TRY(congru_edf_add_annotations(state->context, state->source, &state->header, state->recording));
    return add_status_events(state);
}

static congru_status read_edf(congru_context *context, const char *path, const congru_source *source,
                              const congru_recording_options *options, congru_recording **recording)
{
    static const congru_recording_options all = {0};
    reading state = {.context = context, .source = source, .options = options != NULL ? options : &all};
    (void)path;
    congru_status status = read_parts(&state);
    if (status == CONGRU_OK)
        congru_recording_sort_events(state.recording);
    else
        congru_recording_destroy(&state.recording);
    clear(&state);
    *recording = state.recording;
    return status;
}

const congru_recording_reader congru_reader_edf = {"EDF", recognises, read_edf};
