/* Makes recordings of EEGLAB's continuous .set files. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recording/eeglab.h"

enum { TEXT_SIZE = 256 };

/* Data cut out are marked by a boundary between the samples around it: the one behind is missing from then on, so
 * that nothing is filtered across and every event keeps its place. */
static void mark_boundary(congru_recording *recording, size_t sample)
{
    for (size_t k = 0; k < recording->channels && recording->data != NULL; k++)
        recording->data[k * recording->samples + sample] = (double)NAN;
}

static congru_status add_events(const congru_eeglab *eeglab, congru_recording *recording)
{
    congru_status status = CONGRU_OK;
    size_t count = eeglab->event != NULL ? eeglab->event->count : 0;
    for (size_t i = 0; i < count && status == CONGRU_OK; i++) {
        char text[TEXT_SIZE];
        double latency, duration;
        if (!congru_eeglab_event(eeglab, i, &latency, &duration, text, sizeof text))
            continue;
        double sample = floor(latency + 0.5), samples = (double)recording->samples;
        if (!(sample >= 0 && sample < samples))
            continue;
        bool boundary = strcmp(text, "boundary") == 0;
        if (boundary && sample > 0)
            mark_boundary(recording, (size_t)sample);
        /* The length of a boundary is that of what was cut out. */
        size_t length = boundary ? 0 : duration < samples ? (size_t)floor(duration + 0.5) : recording->samples;
        status = congru_reader_add_text(eeglab->context, recording, (size_t)sample, length, text, strlen(text));
    }
    congru_recording_sort_events(recording);
    return status;
}

static congru_status read_chosen(const congru_eeglab *eeglab, const congru_source *beside,
                                 const congru_recording_options *options, congru_channel *channel,
                                 size_t *chosen, congru_recording **recording)
{
    size_t count = 0;
    double rate = 0;
    congru_status status = congru_eeglab_channels(eeglab, channel);
    if (status == CONGRU_OK)
        status = congru_reader_choose(eeglab->context, eeglab->file, channel, eeglab->channels, options, chosen,
                                      &count, &rate);
    if (status == CONGRU_OK)
        status = congru_recording_create(eeglab->context, eeglab->file, count, eeglab->samples,
                                         options->header_only, recording);
    if (status != CONGRU_OK)
        return status;
    strcpy((*recording)->format, "EEGLAB");
    (*recording)->rate = rate;
    for (size_t k = 0; k < count; k++)
        (*recording)->channel[k] = channel[chosen[k]];
    if (!options->header_only)
        status = congru_eeglab_samples(eeglab, beside, chosen, count, (*recording)->data);
    return status == CONGRU_OK ? add_events(eeglab, *recording) : status;
}

congru_status congru_eeglab_read(congru_context *context, const char *path, const congru_source *source,
                                 const congru_mat *mat, const congru_source *beside,
                                 const congru_recording_options *options, congru_recording **recording)
{
    congru_eeglab eeglab;
    *recording = NULL;
    CONGRU_TRY(congru_eeglab_describe(context, path, source, mat, &eeglab));
    if (eeglab.trials > 1)
        CONGRU_TRY(congru_fail(context, CONGRU_ERROR_KIND,
                               "%s: holds trials, not a recording: %zu of them (read it as epochs)", path,
                               eeglab.trials));
    CONGRU_TRY(congru_eeglab_check_samples(&eeglab, beside));
    size_t room = eeglab.channels > options->channel_count ? eeglab.channels : options->channel_count;
    congru_channel *channel = calloc(eeglab.channels, sizeof *channel);
    size_t *chosen = calloc(room, sizeof *chosen);
    congru_status status =
        channel != NULL && chosen != NULL
            ? read_chosen(&eeglab, beside, options, channel, chosen, recording)
            : congru_fail(context, CONGRU_ERROR_MEMORY, "%s: not enough memory for %zu channels", path, room);
    if (status != CONGRU_OK)
        congru_recording_destroy(recording);
    free(channel);
    free(chosen);
    return status;
}
