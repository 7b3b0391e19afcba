/* Reads the EEG of an XDF file, with the markers of its other streams as events. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number_text.h"
#include "recording/xdf.h"

enum { LIST_SIZE = 700, INTERVALS_JUDGED = 50 };

static const double rate_tolerance = 0.1;

/* What reading a file carries along. */
typedef struct xdf_job {
    congru_context *context;
    congru_xdf xdf;
    const congru_xdf_stream *stream; /* the one that is read */
    congru_channel *channel;         /* (stream->channels) */
    size_t *chosen;
    double *time; /* (samples) */
    size_t samples, room;
    congru_xdf_segment *segment; /* (segments) */
    size_t *position;            /* (segments): where each begins in the recording */
    size_t segments, total;      /* samples of the recording, gaps among them */
    congru_recording *recording;
    size_t at, part; /* the sample being filled in, and the segment it is of */
} xdf_job;

/* ---- Which stream -------------------------------------------------------------------------------- */

static bool begins(const char *text, const char *lower)
{
    for (; *lower != '\0'; text++, lower++)
        if (congru_small_letter(*text) != *lower)
            return false;
    return true;
}

static bool is_signal(const congru_xdf_stream *stream)
{
    return stream->rate > 0 && congru_xdf_width(stream->format) > 0 && stream->chunks > 0;
}

static bool is_markers(const congru_xdf_stream *stream)
{
    bool numbered = stream->rate == 0 && congru_xdf_width(stream->format) > 0 &&
                    (begins(stream->type, "marker") || begins(stream->type, "event") ||
                     begins(stream->type, "stim") || begins(stream->type, "trig"));
    return numbered || stream->format == CONGRU_XDF_TEXT;
}

/* Whether a stream has every channel that is asked for by name. */
static bool has_channels(const congru_xdf_stream *stream, const congru_recording_options *options)
{
    for (size_t i = 0; i < options->channel_count; i++) {
        size_t k = 0;
        while (k < stream->described_count &&
               !congru_channel_matches(stream->described[k].name, options->channels[i]))
            k++;
        if (k == stream->described_count)
            return false;
    }
    return true;
}

/* "'BioSemi' (EEG, 64 channels at 512 Hz), ..." */
static void list_streams(const xdf_job *job, char list[LIST_SIZE])
{
    size_t used = 0;
    snprintf(list, LIST_SIZE, "no stream");
    for (size_t i = 0; i < job->xdf.streams && used < LIST_SIZE; i++) {
        const congru_xdf_stream *stream = &job->xdf.stream[i];
        int added = congru_format(list + used, LIST_SIZE - used, "%s'%s' (%s, %s at %g Hz)", i > 0 ? ", " : "",
                                  stream->name, stream->type[0] != '\0' ? stream->type : "no type",
                                  congru_count(stream->channels, "channel").text, stream->rate);
        used += added > 0 ? (size_t)added : 0;
    }
}

/* How many streams of signals there are, of EEG or of any type, with the channels asked for or whichever; the first
 * of them is kept. */
static size_t find_streams(xdf_job *job, const congru_recording_options *options, bool eeg, bool by_channels)
{
    size_t count = 0;
    for (size_t i = 0; i < job->xdf.streams; i++) {
        const congru_xdf_stream *stream = &job->xdf.stream[i];
        if (!is_signal(stream) || (eeg && !begins(stream->type, "eeg")) ||
            (options->stream != NULL && strcmp(stream->name, options->stream) != 0) ||
            (by_channels && !has_channels(stream, options)))
            continue;
        if (count++ == 0)
            job->stream = stream;
    }
    return count;
}

static congru_status choose_stream(xdf_job *job, const congru_recording_options *options)
{
    char list[LIST_SIZE];
    bool eeg = options->stream == NULL && find_streams(job, options, true, false) > 0;
    size_t count = find_streams(job, options, eeg, false);
    if (count > 1 && options->channels != NULL)
        count = find_streams(job, options, eeg, true);
    if (count == 1)
        return CONGRU_OK;
    list_streams(job, list);
    if (options->stream != NULL)
        return congru_fail(job->context, CONGRU_ERROR_FORMAT,
                           "%s: %zu streams of signals are named '%.80s': it has %s (name one of these)",
                           job->xdf.source->name, count, options->stream, list);
    return congru_fail(job->context, CONGRU_ERROR_FORMAT,
                       "%s: which stream is the EEG? It has %s (name the stream, or channels that only it has)",
                       job->xdf.source->name, list);
}

/* ---- Times --------------------------------------------------------------------------------------- */

/* A sample without a time of its own comes one interval after the last. */
static congru_status take_time(void *user, double time, const unsigned char *bytes, size_t size)
{
    xdf_job *job = user;
    (void)bytes;
    (void)size;
    if (job->samples == job->room) {
        size_t room = job->room > 0 ? 2 * job->room : 1024;
        double *grown = realloc(job->time, room * sizeof *grown);
        if (grown == NULL)
            return congru_fail(job->context, CONGRU_ERROR_MEMORY, "%s: not enough memory for %zu times",
                               job->xdf.source->name, room);
        job->time = grown;
        job->room = room;
    }
    double last = job->samples > 0 ? job->time[job->samples - 1] : 0;
    job->time[job->samples++] = isnan(time) ? last + (job->stream->rate > 0 ? 1 / job->stream->rate : 0) : time;
    return CONGRU_OK;
}

/* Where each segment begins in the recording: as many samples behind the last as time has passed. */
static congru_status place_segments(xdf_job *job)
{
    double total = 0, rate = job->stream->rate, most = (double)job->samples * CONGRU_READER_STRETCH_MAX;
    job->position = malloc(job->segments * sizeof *job->position);
    if (job->position == NULL)
        return congru_fail(job->context, CONGRU_ERROR_MEMORY, "%s: not enough memory for %zu segments",
                           job->xdf.source->name, job->segments);
    for (size_t i = 0; i < job->segments; i++) {
        const congru_xdf_segment *segment = &job->segment[i], *before = segment - 1;
        if (i > 0) {
            double passed = segment->start - (before->start + before->step * (double)(before->count - 1));
            double missing = floor(passed * rate + 0.5) - 1;
            total += missing >= 1 ? missing : 1;
        }
        if (!(total + (double)segment->count <= most))
            return congru_fail(
                job->context, CONGRU_ERROR_UNSUPPORTED,
                "%s: gaps are too long: expected at most %d times what was recorded, found sample "
                "%zu at %.9g s (split the file)",
                job->xdf.source->name, (int)CONGRU_READER_STRETCH_MAX, segment->first, segment->start);
        job->position[i] = (size_t)total;
        total += (double)segment->count;
    }
    job->total = (size_t)total;
    return CONGRU_OK;
}

/* Filters and windows go by the rate that the stream says, which samples must therefore come at. */
static congru_status check_rate(const xdf_job *job)
{
    double intervals = 0, seconds = 0;
    for (size_t i = 0; i < job->segments; i++) {
        intervals += (double)(job->segment[i].count - 1);
        seconds += job->segment[i].step * (double)(job->segment[i].count - 1);
    }
    double rate = intervals / seconds, said = job->stream->rate;
    if (intervals < INTERVALS_JUDGED || fabs(rate - said) <= rate_tolerance * said)
        return CONGRU_OK;
    return congru_fail(
        job->context, CONGRU_ERROR_UNSUPPORTED,
        "%s: stream '%s' says %g Hz, but its samples come at %.4g Hz (correct nominal_srate where it "
        "is streamed, or export it as another format)",
        job->xdf.source->name, job->stream->name, said, rate);
}

static congru_status find_times(xdf_job *job)
{
    CONGRU_TRY(congru_xdf_samples(&job->xdf, job->stream, take_time, job));
    if (job->samples == 0)
        CONGRU_TRY(congru_fail(job->context, CONGRU_ERROR_FORMAT, "%s: no samples in stream '%s'",
                               job->xdf.source->name, job->stream->name));
    CONGRU_TRY(congru_xdf_synchronise(job->context, job->stream, job->time, job->samples));
    CONGRU_TRY(congru_xdf_dejitter(job->context, job->time, job->samples, job->stream->rate, &job->segment,
                                   &job->segments));
    CONGRU_TRY(check_rate(job));
    return place_segments(job);
}

/* ---- Samples ------------------------------------------------------------------------------------- */

static congru_status take_sample(void *user, double time, const unsigned char *bytes, size_t size)
{
    xdf_job *job = user;
    const congru_xdf_stream *stream = job->stream;
    congru_recording *recording = job->recording;
    size_t width = congru_xdf_width(stream->format);
    (void)time;
    (void)size;
    while (job->at >= job->segment[job->part].first + job->segment[job->part].count)
        job->part++;
    size_t place = job->position[job->part] + job->at - job->segment[job->part].first;
    for (size_t k = 0; k < recording->channels; k++) {
        double value = congru_xdf_number(stream->format, bytes + job->chosen[k] * width) *
                       congru_reader_microvolts(recording->channel[k].unit);
        recording->data[k * recording->samples + place] = isfinite(value) ? value : (double)NAN;
    }
    job->at++;
    return CONGRU_OK;
}

static congru_status read_data(xdf_job *job)
{
    congru_recording *recording = job->recording;
    for (size_t i = 0; i < recording->channels * recording->samples && job->segments > 1; i++)
        recording->data[i] = (double)NAN;
    return congru_xdf_samples(&job->xdf, job->stream, take_sample, job);
}

/* ---- Markers ------------------------------------------------------------------------------------- */

/* The sample nearest to a time; false where the recording has none. */
static bool find_sample(const xdf_job *job, double time, size_t *sample)
{
    size_t low = 0, high = job->segments; /* the last segment that begins before it is in [low, high) */
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        const congru_xdf_segment *segment = &job->segment[middle];
        if (segment->start - segment->step / 2 <= time)
            low = middle;
        else
            high = middle;
    }
    const congru_xdf_segment *segment = &job->segment[low];
    double place = floor((time - segment->start) / segment->step + 0.5);
    double last = (double)(segment->count - 1), end = segment->start + segment->step * last;
    if (place > last) /* in the gap behind it, where time goes at the nominal rate */
        place = last + floor((time - end) * job->stream->rate + 0.5);
    size_t limit = low + 1 < job->segments ? job->position[low + 1] : job->total;
    if (!(place >= 0) || !((double)job->position[low] + place < (double)limit))
        return false;
    *sample = job->position[low] + (size_t)place;
    return true;
}

typedef struct marker_job {
    xdf_job *job;
    const congru_xdf_stream *stream;
    const double *time; /* of the stream's samples, synchronised */
    size_t at;
} marker_job;

static congru_status add_number(const xdf_job *job, size_t sample, double value)
{
    char text[32];
    if (isfinite(value) && floor(value) == value && fabs(value) < 9e15)
        snprintf(text, sizeof text, "%lld", (long long)value);
    else
        congru_format(text, sizeof text, "%.15g", value);
    return congru_reader_add_text(job->context, job->recording, sample, 0, text, strlen(text));
}

static congru_status take_marker(void *user, double time, const unsigned char *bytes, size_t size)
{
    marker_job *markers = user;
    const xdf_job *job = markers->job;
    size_t sample, width = congru_xdf_width(markers->stream->format);
    (void)time;
    if (!find_sample(job, markers->time[markers->at++], &sample))
        return CONGRU_OK;
    congru_status status = CONGRU_OK;
    for (size_t k = 0; k < markers->stream->channels && status == CONGRU_OK; k++) {
        size_t skip = 0, length = width;
        if (width > 0) {
            status = add_number(job, sample, congru_xdf_number(markers->stream->format, bytes));
        } else if (congru_xdf_text(bytes, size, &skip, &length) && length > 0) {
            status = congru_reader_add_text(job->context, job->recording, sample, 0, (const char *)bytes + skip,
                                            length);
        }
        bytes += skip + length;
        size -= skip + length;
    }
    return status;
}

static congru_status add_markers(xdf_job *job, const congru_xdf_stream *stream)
{
    xdf_job times = {.context = job->context, .xdf = job->xdf, .stream = stream};
    congru_status status = congru_xdf_samples(&job->xdf, stream, take_time, &times);
    if (status == CONGRU_OK)
        status = congru_xdf_synchronise(job->context, stream, times.time, times.samples);
    marker_job markers = {.job = job, .stream = stream, .time = times.time};
    if (status == CONGRU_OK)
        status = congru_xdf_samples(&job->xdf, stream, take_marker, &markers);
    free(times.time);
    return status;
}

/* ---- The file ------------------------------------------------------------------------------------ */

static congru_status describe_channels(xdf_job *job, size_t wanted)
{
    const congru_xdf_stream *stream = job->stream;
    job->channel = calloc(stream->channels, sizeof *job->channel);
    job->chosen = calloc(stream->channels > wanted ? stream->channels : wanted, sizeof *job->chosen);
    if (job->channel == NULL || job->chosen == NULL)
        return congru_fail(job->context, CONGRU_ERROR_MEMORY, "%s: not enough memory for %zu channels",
                           job->xdf.source->name, stream->channels);
    for (size_t i = 0; i < stream->channels; i++) {
        if (i < stream->described_count)
            job->channel[i] = stream->described[i];
        job->channel[i].rate = stream->rate;
    }
    return congru_reader_distinguish(job->context, job->xdf.source->name, job->channel, stream->channels);
}

static congru_status make_recording(xdf_job *job, const congru_recording_options *options)
{
    const char *file = job->xdf.source->name;
    size_t count = 0;
    double rate = 0;
    congru_status status = congru_reader_choose(job->context, file, job->channel, job->stream->channels,
                                                options, job->chosen, &count, &rate);
    if (status == CONGRU_OK)
        status = congru_recording_create(job->context, file, count, job->total, options->header_only,
                                         &job->recording);
    if (status != CONGRU_OK)
        return status;
    strcpy(job->recording->format, "XDF");
    job->recording->rate = rate;
    for (size_t k = 0; k < count; k++)
        job->recording->channel[k] = job->channel[job->chosen[k]];
    if (!options->header_only)
        status = read_data(job);
    for (size_t i = 0; i < job->xdf.streams && status == CONGRU_OK; i++)
        if (is_markers(&job->xdf.stream[i]))
            status = add_markers(job, &job->xdf.stream[i]);
    congru_recording_sort_events(job->recording);
    return status;
}

static congru_status read_xdf(congru_context *context, const char *path, const congru_source *source,
                              const congru_recording_options *options, congru_recording **recording)
{
    (void)path; /* nothing lies beside it */
    xdf_job job = {.context = context};
    *recording = NULL;
    congru_status status = congru_xdf_index(context, source, &job.xdf);
    if (status == CONGRU_OK)
        status = choose_stream(&job, options);
    if (status == CONGRU_OK)
        status = find_times(&job);
    if (status == CONGRU_OK)
        status = describe_channels(&job, options->channel_count);
    if (status == CONGRU_OK)
        status = make_recording(&job, options);
    if (status != CONGRU_OK)
        congru_recording_destroy(&job.recording);
    *recording = job.recording;
    free(job.channel);
    free(job.chosen);
    free(job.time);
    free(job.segment);
    free(job.position);
    congru_xdf_clear(&job.xdf);
    return status;
}

const congru_recording_reader congru_reader_xdf = {"XDF", congru_xdf_recognises, read_xdf};
