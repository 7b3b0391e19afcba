/* Reads epochs from FIF files, as MNE writes them. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "epochs/epochs_internal.h"
#include "recording/fif.h"

/* Numbers behind a matrix: its dimensions, the last first, and how many they are. */
enum { SHAPE_SIZE = 16, NAMES_MAX = 4096 };

typedef struct fif_trials {
    congru_context *context;
    const congru_source *source;
    congru_fif fif;
    uint32_t type;  /* of the numbers */
    size_t samples; /* of an epoch */
    size_t count, channels;
    size_t *chosen; /* (channels): the file's index of each */
    double *event;  /* (count, 3): sample, what was before, what it is */
} fif_trials;

static congru_status check_kind(const fif_trials *job)
{
    const congru_fif *fif = &job->fif;
    if (fif->is_split)
        return congru_fif_fail_split(job->context, fif);
    if (fif->is_raw)
        return congru_fail(job->context, CONGRU_ERROR_KIND,
                           "%s: holds a recording, not trials (read it as a recording)", fif->file);
    if (!fif->is_epochs || fif->epochs.at == 0 || fif->events.at == 0)
        return congru_fail(job->context, CONGRU_ERROR_KIND,
                           "%s: holds no trials (in MNE save raw data or epochs)", fif->file);
    return CONGRU_OK;
}

/* The events, one for each epoch. */
static congru_status take_events(fif_trials *job)
{
    size_t numbers;
    CONGRU_TRY(congru_fif_numbers(job->context, job->source, &job->fif.events, &job->event, &numbers));
    if (numbers == 0 || numbers % 3 != 0)
        return congru_fail(job->context, CONGRU_ERROR_FORMAT,
                           "%s: expected a list of three numbers for each trial, found %zu", job->fif.file,
                           numbers);
    job->count = numbers / 3;
    return CONGRU_OK;
}

/* The matrix (epochs, channels, samples) is as large as the events and the channels say. */
static congru_status check_shape(fif_trials *job)
{
    const congru_fif *fif = &job->fif;
    job->type = fif->epochs.type & ~(uint32_t)CONGRU_FIF_MATRIX;
    if (job->type == CONGRU_FIF_COMPLEX64 || job->type == CONGRU_FIF_COMPLEX128)
        return congru_fif_fail_complex(job->context, fif);
    size_t width = congru_fif_width(job->type), expected;
    double samples = (double)fif->last_sample - (double)fif->first_sample + 1;
    job->samples = samples >= 1 && samples < 2147483648.0 ? (size_t)samples : 0;
    if (width == 0 || __builtin_mul_overflow(job->count, fif->channels, &expected) ||
        __builtin_mul_overflow(expected, job->samples, &expected) ||
        __builtin_mul_overflow(expected, width, &expected) || expected == 0 ||
        expected > SIZE_MAX - SHAPE_SIZE || fif->epochs.size != expected + SHAPE_SIZE)
        return congru_fail(
            job->context, CONGRU_ERROR_FORMAT, "%s: expected %s of %s of %s, found %u bytes of type %u",
            fif->file, congru_count(job->count, "trial").text, congru_count(fif->channels, "channel").text,
            congru_count(job->samples, "sample").text, (unsigned)fif->epochs.size, (unsigned)job->type);
    return CONGRU_OK;
}

/* The EEG, or, in a file without any, everything: a trigger line is no signal. */
static congru_status choose_channels(fif_trials *job)
{
    const congru_fif *fif = &job->fif;
    bool eeg = false;
    job->chosen = calloc(fif->channels, sizeof *job->chosen);
    if (job->chosen == NULL)
        return congru_fail(job->context, CONGRU_ERROR_MEMORY, "%s: not enough memory for %zu channels",
                           fif->file, fif->channels);
    for (size_t i = 0; i < fif->channels; i++)
        eeg = eeg || fif->channel[i].type == CONGRU_CHANNEL_EEG;
    for (size_t i = 0; i < fif->channels; i++)
        if (!eeg || fif->channel[i].type == CONGRU_CHANNEL_EEG)
            job->chosen[job->channels++] = i;
    return CONGRU_OK;
}

/* ---- Classes ------------------------------------------------------------------------------------- */

typedef struct event_names {
    char *list; /* "left:1;right:2", cut into its names */
    const char **name;
    double *id;
    size_t count;
} event_names;

static double whole_number(const char *text)
{
    double value = 0;
    bool negative = *text == '-';
    for (text += negative; *text >= '0' && *text <= '9'; text++)
        value = 10 * value + (*text - '0');
    return negative ? -value : value;
}

/* Names may hold colons: the last one is before the number. */
static congru_status take_names(const fif_trials *job, event_names *names)
{
    if (job->fif.event_id.at == 0)
        return CONGRU_OK;
    CONGRU_TRY(congru_fif_text(job->context, job->source, &job->fif.event_id, &names->list));
    size_t items = 1;
    for (const char *c = names->list; *c != '\0'; c++)
        items += *c == ';';
    if (items > NAMES_MAX) /* each trial is compared with all of them */
        return congru_fail(job->context, CONGRU_ERROR_UNSUPPORTED,
                           "%s: %zu names of events; at most %d are read (in MNE save with a shorter event_id)",
                           job->fif.file, items, (int)NAMES_MAX);
    names->name = calloc(items, sizeof *names->name);
    names->id = calloc(items, sizeof *names->id);
    if (names->name == NULL || names->id == NULL)
        return congru_fail(job->context, CONGRU_ERROR_MEMORY, "%s: not enough memory for %zu names",
                           job->fif.file, items);
    for (char *item = names->list, *next; item != NULL; item = next) {
        next = strchr(item, ';');
        if (next != NULL)
            *next++ = '\0';
        char *colon = strrchr(item, ':');
        if (colon == NULL)
            continue;
        *colon = '\0';
        names->name[names->count] = item;
        names->id[names->count++] = whole_number(colon + 1);
    }
    return CONGRU_OK;
}

/* Each trial by the name of its event, or, where an event has none, by its number. */
static congru_status label_trials(const fif_trials *job, const event_names *names, congru_epochs *epochs)
{
    const char **text = calloc(job->count, sizeof *text);
    int64_t *number = calloc(job->count, sizeof *number);
    bool named = true;
    congru_status status = CONGRU_OK;
    if (text == NULL || number == NULL)
        status = congru_fail(job->context, CONGRU_ERROR_MEMORY, "%s: not enough memory for %zu labels",
                             job->fif.file, job->count);
    for (size_t i = 0; i < job->count && status == CONGRU_OK; i++) {
        double id = job->event[3 * i + 2];
        size_t k = 0;
        while (k < names->count && names->id[k] != id)
            k++;
        named = named && k < names->count;
        text[i] = k < names->count ? names->name[k] : NULL;
        if (!(fabs(id) < 9e15))
            status =
                congru_fail(job->context, CONGRU_ERROR_FORMAT,
                            "%s: trial %zu has label %g: expected a whole number", job->fif.file, i + 1, id);
        else
            number[i] = (int64_t)id;
    }
    if (status == CONGRU_OK)
        status = named ? congru_epochs_label_texts(job->context, job->fif.file, text, NULL, 0, epochs)
                       : congru_epochs_label_numbers(job->context, job->fif.file, number, NULL, 0, epochs);
    free(text);
    free(number);
    return status;
}

static congru_status take_labels(const fif_trials *job, congru_epochs *epochs)
{
    event_names names = {0};
    congru_status status = take_names(job, &names);
    if (status == CONGRU_OK)
        status = label_trials(job, &names, epochs);
    free(names.list);
    free(names.name);
    free(names.id);
    return status;
}

/* ---- Samples ------------------------------------------------------------------------------------- */

/* One trial after the other, so that the file is not in memory twice. */
static congru_status take_data(const fif_trials *job, congru_epochs *epochs)
{
    const congru_fif *fif = &job->fif;
    size_t width = congru_fif_width(job->type), row = job->samples * width, trial = fif->channels * row;
    unsigned char *bytes = malloc(trial);
    epochs->data = congru_epochs_allocate(job->count, job->channels, job->samples);
    congru_status status = CONGRU_OK;
    if (bytes == NULL || epochs->data == NULL)
        status = congru_fail(job->context, CONGRU_ERROR_MEMORY,
                             "%s: not enough memory for %zu trials of %zu channels", fif->file, job->count,
                             job->channels);
    double *to = epochs->data;
    for (size_t i = 0; i < job->count && status == CONGRU_OK; i++) {
        status =
            congru_source_read(job->context, job->source, fif->epochs.at + (uint64_t)i * trial, trial, bytes);
        for (size_t k = 0; k < job->channels && status == CONGRU_OK; k++, to += job->samples) {
            size_t place = job->chosen[k];
            congru_fif_decode(job->type, bytes + place * row, width, job->samples,
                              fif->cal[place] * congru_fif_unit(&fif->channel[place]), to);
        }
    }
    free(bytes);
    return status;
}

static congru_status make_epochs(const fif_trials *job, congru_epochs **epochs)
{
    const congru_fif *fif = &job->fif;
    CONGRU_TRY(congru_epochs_create(job->context, fif->file, job->count, job->channels, job->samples, epochs));
    (*epochs)->rate = fif->rate;
    (*epochs)->start = (double)fif->first_sample / fif->rate;
    for (size_t k = 0; k < job->channels; k++)
        memcpy((*epochs)->channel_name[k], fif->channel[job->chosen[k]].name, CONGRU_LABEL_SIZE);
    CONGRU_TRY(take_labels(job, *epochs));
    return take_data(job, *epochs);
}

congru_status congru_epochs_read_fif(congru_context *context, const congru_source *source,
                                     congru_epochs **epochs)
{
    fif_trials job = {.context = context, .source = source};
    *epochs = NULL;
    congru_status status = congru_fif_parse(context, source, &job.fif);
    if (status == CONGRU_OK)
        status = check_kind(&job);
    if (status == CONGRU_OK)
        status = take_events(&job);
    if (status == CONGRU_OK)
        status = check_shape(&job);
    if (status == CONGRU_OK)
        status = choose_channels(&job);
    if (status == CONGRU_OK)
        status = make_epochs(&job, epochs);
    if (status != CONGRU_OK)
        congru_epochs_destroy(epochs);
    free(job.event);
    free(job.chosen);
    congru_fif_clear(&job.fif);
    return status;
}
