/* Reads trials from EEGLAB's .set files of epochs. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "epochs/epochs_internal.h"
#include "recording/eeglab.h"

enum { TYPE_SIZE = CONGRU_LABEL_SIZE };

typedef struct set_trials {
    congru_eeglab eeglab;
    congru_channel *channel; /* (eeglab.channels) */
    size_t *chosen, channels;
    char (*type)[TYPE_SIZE]; /* (eeglab.trials): of the event at its time 0; "" before it is found */
} set_trials;

static congru_status fail_memory(const congru_eeglab *eeglab)
{
    return congru_fail(eeglab->context, CONGRU_ERROR_MEMORY,
                       "%s: not enough memory for %zu trials of %zu channels", eeglab->file, eeglab->trials,
                       eeglab->channels);
}

/* The EEG, or, in a file without any, everything. */
static void choose_channels(set_trials *job)
{
    bool eeg = false;
    for (size_t i = 0; i < job->eeglab.channels; i++)
        eeg = eeg || job->channel[i].type == CONGRU_CHANNEL_EEG;
    for (size_t i = 0; i < job->eeglab.channels; i++)
        if (!eeg || job->channel[i].type == CONGRU_CHANNEL_EEG)
            job->chosen[job->channels++] = i;
}

/* A trial is of the class of the event that it was cut around, within half a sample of its time 0. */
static congru_status find_types(set_trials *job)
{
    const congru_eeglab *eeglab = &job->eeglab;
    size_t count = eeglab->event != NULL ? eeglab->event->count : 0;
    double zero = isfinite(eeglab->start) ? -eeglab->start * eeglab->rate : 0;
    for (size_t i = 0; i < count; i++) {
        char text[TYPE_SIZE];
        double latency, duration, samples = (double)eeglab->samples;
        if (!congru_eeglab_event(eeglab, i, &latency, &duration, text, sizeof text))
            continue;
        double epoch = congru_eeglab_number(eeglab->event, i, "epoch") - 1;
        if (isnan(epoch))
            epoch = floor((latency + 0.5) / samples);
        if (!(epoch >= 0 && epoch < (double)eeglab->trials) || floor(epoch) != epoch)
            continue;
        bool at_zero = fabs(latency - epoch * samples - zero) <= 0.5 + 1e-6;
        if (at_zero && job->type[(size_t)epoch][0] == '\0')
            memcpy(job->type[(size_t)epoch], text, TYPE_SIZE);
    }
    for (size_t i = 0; i < eeglab->trials; i++)
        if (job->type[i][0] == '\0')
            return congru_fail(
                eeglab->context, CONGRU_ERROR_FORMAT,
                "%s: trial %zu has no event at its time 0, of which it would have its class (cut "
                "the epochs around events, with pop_epoch)",
                eeglab->file, i + 1);
    return CONGRU_OK;
}

static congru_status take_labels(const set_trials *job, congru_epochs *epochs)
{
    const char **text = malloc(job->eeglab.trials * sizeof *text);
    if (text == NULL)
        return fail_memory(&job->eeglab);
    for (size_t i = 0; i < job->eeglab.trials; i++)
        text[i] = job->type[i];
    congru_status status =
        congru_epochs_label_texts(job->eeglab.context, job->eeglab.file, text, NULL, 0, epochs);
    free(text);
    return status;
}

static congru_status make_epochs(const set_trials *job, const congru_source *beside, congru_epochs **epochs)
{
    const congru_eeglab *eeglab = &job->eeglab;
    CONGRU_TRY(congru_epochs_create(eeglab->context, eeglab->file, eeglab->trials, job->channels,
                                    eeglab->samples, epochs));
    (*epochs)->rate = eeglab->rate;
    (*epochs)->start = isfinite(eeglab->start) ? eeglab->start : 0;
    for (size_t k = 0; k < job->channels; k++)
        memcpy((*epochs)->channel_name[k], job->channel[job->chosen[k]].name, CONGRU_LABEL_SIZE);
    CONGRU_TRY(take_labels(job, *epochs));
    (*epochs)->data = congru_epochs_allocate(eeglab->trials, job->channels, eeglab->samples);
    if ((*epochs)->data == NULL)
        return fail_memory(eeglab);
    return congru_eeglab_samples(eeglab, beside, job->chosen, job->channels, (*epochs)->data);
}

congru_status congru_epochs_read_eeglab(congru_context *context, const congru_source *source,
                                        const struct congru_mat *mat, const congru_source *beside,
                                        congru_epochs **epochs)
{
    set_trials job = {0};
    *epochs = NULL;
    CONGRU_TRY(congru_eeglab_describe(context, source->name, source, mat, &job.eeglab));
    if (job.eeglab.trials == 1)
        CONGRU_TRY(congru_fail(context, CONGRU_ERROR_KIND,
                               "%s: holds a recording, not trials (read it as a recording)", source->name));
    CONGRU_TRY(congru_eeglab_check_samples(&job.eeglab, beside));
    job.channel = calloc(job.eeglab.channels, sizeof *job.channel);
    job.chosen = calloc(job.eeglab.channels, sizeof *job.chosen);
    job.type = calloc(job.eeglab.trials, sizeof *job.type);
    congru_status status = job.channel != NULL && job.chosen != NULL && job.type != NULL
                               ? congru_eeglab_channels(&job.eeglab, job.channel)
                               : fail_memory(&job.eeglab);
    if (status == CONGRU_OK)
        status = find_types(&job);
    if (status == CONGRU_OK) {
        choose_channels(&job);
        status = make_epochs(&job, beside, epochs);
    }
    if (status != CONGRU_OK)
        congru_epochs_destroy(epochs);
    free(job.channel);
    free(job.chosen);
    free(job.type);
    return status;
}
