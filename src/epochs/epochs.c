/* Epochs: their memory, cropping, and which reader a file is for. SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mapped_memory.h"
#include "base/memory.h"
#include "congru/signal.h"
#include "epochs/epochs_internal.h"
#include "recording/fif.h"
#include "recording/reader.h"

enum { RESAMPLED = 1 << 20 }; /* samples resampled between two words to the store, about */

double congru_epochs_sample(double seconds, double rate)
{
    double product = seconds * rate, nearest = floor(product + 0.5);
    return fabs(product - nearest) < 1e-6 ? nearest : floor(product);
}

double *congru_epochs_allocate(size_t count, size_t channels, size_t samples)
{
    size_t values, bytes;
    if (__builtin_mul_overflow(count, channels, &values) || __builtin_mul_overflow(values, samples, &values) ||
        __builtin_mul_overflow(values, sizeof(double), &bytes) || bytes > PTRDIFF_MAX)
        return NULL;
    return congru_memory_take(bytes);
}

congru_status congru_epochs_create(congru_context *context, const char *file, size_t count, size_t channels,
                                   size_t samples, congru_epochs **epochs)
{
    congru_epochs *made = calloc(1, sizeof *made);
    *epochs = made;
    if (made != NULL) {
        made->count = count;
        made->channels = channels;
        made->samples = samples;
        made->rate = made->start = (double)NAN;
        made->label = calloc(count + 1, sizeof *made->label);
        made->run = calloc(count + 1, sizeof *made->run);
        made->session = calloc(count + 1, sizeof *made->session);
        made->number = calloc(count + 1, sizeof *made->number);
        made->channel_name = calloc(channels + 1, sizeof *made->channel_name);
    }
    if (made == NULL || made->label == NULL || made->run == NULL || made->session == NULL ||
        made->number == NULL || made->channel_name == NULL) {
        congru_epochs_destroy(epochs);
        return congru_fail(context, CONGRU_ERROR_MEMORY, "%s%snot enough memory for %zu trials of %zu channels",
                           file != NULL ? file : "", file != NULL ? ": " : "", count, channels);
    }
    for (size_t i = 0; i < count; i++)
        made->number[i] = i + 1;
    for (size_t i = 0; i < channels; i++)
        snprintf(made->channel_name[i], sizeof made->channel_name[i], "%zu", i + 1);
    return CONGRU_OK;
}

void congru_epochs_destroy(congru_epochs **epochs)
{
    if (epochs == NULL || *epochs == NULL)
        return;
    congru_memory_give((*epochs)->data);
    free((*epochs)->label);
    free((*epochs)->run);
    free((*epochs)->session);
    free((*epochs)->number);
    free((*epochs)->channel_name);
    free((*epochs)->class_name);
    free((*epochs)->subject);
    free((*epochs)->subject_name);
    free(*epochs);
    *epochs = NULL;
}

void congru_epochs_move(congru_epochs *epochs, size_t from, size_t to)
{
    size_t size = epochs->channels * epochs->samples;
    if (from == to)
        return;
    memcpy(epochs->data + to * size, epochs->data + from * size, size * sizeof *epochs->data);
    epochs->label[to] = epochs->label[from];
    epochs->run[to] = epochs->run[from];
    epochs->session[to] = epochs->session[from];
    if (epochs->subject != NULL)
        epochs->subject[to] = epochs->subject[from];
    if (epochs->number != NULL)
        epochs->number[to] = epochs->number[from];
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), end_length = strlen(end);
    return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

/* Kinds of files that can hold trials; .mat and FIF can also hold a recording. */
typedef enum epochs_kind { KIND_NONE, KIND_NPZ, KIND_MAT, KIND_FIF } epochs_kind;

enum { FIRST_BYTES = 128 };

/* Told by the first bytes. */
static epochs_kind kind_of(const unsigned char bytes[FIRST_BYTES])
{
    if (memcmp(bytes, "PK", 2) == 0)
        return KIND_NPZ;
    if (memcmp(bytes, "MATLAB", 6) == 0 || memcmp(bytes + 126, "IM", 2) == 0 ||
        memcmp(bytes + 126, "MI", 2) == 0)
        return KIND_MAT;
    return congru_fif_recognises(bytes, FIRST_BYTES) ? KIND_FIF : KIND_NONE;
}

static congru_status read_first_bytes(congru_context *context, const congru_source *source,
                                      unsigned char bytes[FIRST_BYTES])
{
    memset(bytes, 0, FIRST_BYTES);
    return congru_source_read(context, source, 0,
                              source->size < FIRST_BYTES ? (size_t)source->size : FIRST_BYTES, bytes);
}

bool congru_epochs_recognises(const char *path)
{
    congru_source source;
    unsigned char bytes[FIRST_BYTES];
    errno = 0;
    if (path == NULL || congru_source_open(NULL, path, &source) != CONGRU_OK)
        return false;
    bool known = read_first_bytes(NULL, &source, bytes) == CONGRU_OK && kind_of(bytes) != KIND_NONE;
    congru_source_close(&source);
    return known;
}

/* By the name too for .mat, as its older files begin with nothing of their own. */
static congru_status read_source(congru_context *context, const char *path, const congru_source *source,
                                 congru_epochs **epochs)
{
    unsigned char bytes[FIRST_BYTES];
    CONGRU_TRY(read_first_bytes(context, source, bytes));
    if (source->size == 0)
        return congru_fail(context, CONGRU_ERROR_FORMAT,
                           "%s: empty file (expected trials as .npz, .mat, .set or FIF)", path);
    switch (kind_of(bytes)) {
    case KIND_NPZ:
        return congru_epochs_read_npz(context, path, epochs);
    case KIND_MAT:
        return congru_epochs_read_mat(context, source, epochs);
    case KIND_FIF:
        return congru_epochs_read_fif(context, source, epochs);
    default:
        if (ends_with(path, ".mat"))
            return congru_epochs_read_mat(context, source, epochs);
        return congru_fail(context, CONGRU_ERROR_KIND,
                           "%s: holds no trials: expected an .npz, a .mat, an EEGLAB .set or FIF", path);
    }
}

/* As recordings name channels: two of one name are numbered. */
static congru_status name_channels(congru_context *context, const char *path, congru_epochs *epochs)
{
    const size_t count = epochs->channels;
    congru_channel *channel = calloc(count + 1, sizeof *channel);
    if (channel == NULL)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "%s: not enough memory for %zu channels", path, count);
    for (size_t i = 0; i < count; i++)
        memcpy(channel[i].name, epochs->channel_name[i], sizeof channel[i].name);
    congru_status status = congru_reader_distinguish(context, path, channel, count);
    for (size_t i = 0; i < count; i++)
        memcpy(epochs->channel_name[i], channel[i].name, sizeof channel[i].name);
    free(channel);
    return status;
}

congru_status congru_epochs_read_either(congru_context *context, const char *path, congru_epochs **epochs)
{
    if (path == NULL || epochs == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "congru_epochs_read: path and epochs must not be NULL");
    *epochs = NULL;
    congru_source source;
    CONGRU_TRY(congru_source_open(context, path, &source));
    congru_status status = read_source(context, path, &source, epochs);
    if (status == CONGRU_OK)
        status = congru_source_check(context, &source);
    if (status == CONGRU_OK && (*epochs)->channel_name != NULL)
        status = name_channels(context, path, *epochs);
    if (status != CONGRU_OK)
        congru_epochs_destroy(epochs);
    congru_source_close(&source);
    return status;
}

congru_status congru_epochs_read(congru_context *context, const char *path, congru_epochs **epochs)
{
    congru_status status = congru_epochs_read_either(context, path, epochs);
    if (status != CONGRU_OK || !(*epochs)->covariances)
        return status;
    status = congru_fail(context, CONGRU_ERROR_KIND,
                         "%s: holds covariances, not trials: %zu symmetric matrices of %zu x %zu", path,
                         (*epochs)->count, (*epochs)->channels, (*epochs)->channels);
    congru_epochs_destroy(epochs);
    return status;
}

/* Moves what is kept of each channel to its new place; never forward, so one pass in order will do. */
static void keep_samples(congru_epochs *epochs, size_t first, size_t samples)
{
    size_t rows = epochs->count * epochs->channels;
    for (size_t i = 0; i < rows; i++) {
        memmove(epochs->data + i * samples, epochs->data + i * epochs->samples + first,
                samples * sizeof(double));
        congru_mapped_pass((samples + epochs->samples) * sizeof(double));
    }
    epochs->samples = samples;
}

congru_status congru_epochs_crop(congru_context *context, congru_epochs *epochs, double first, double last)
{
    if (epochs == NULL || !isfinite(first) || !isfinite(last))
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "congru_epochs_crop: epochs and a finite window are needed");
    if (!(epochs->rate > 0))
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "the window %g to %g s cannot be found: the epochs do not say their sampling rate",
                           first, last);
    double length = (double)epochs->samples;
    if (isnan(epochs->start)) {
        if (congru_epochs_sample(last - first, epochs->rate) == length)
            return CONGRU_OK;
        return congru_fail(
            context, CONGRU_ERROR_ARGUMENT,
            "the window %g to %g s cannot be found: the epochs do not say when they begin, and last %g s",
            first, last, length / epochs->rate);
    }
    double origin = congru_epochs_sample(epochs->start, epochs->rate);
    double from = congru_epochs_sample(first, epochs->rate) - origin;
    double to = congru_epochs_sample(last, epochs->rate) - origin;
    if (!(from >= 0 && from < to && to <= length))
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "the window %g to %g s is not inside the epochs, %g to %g s", first, last,
                           epochs->start, epochs->start + length / epochs->rate);
    keep_samples(epochs, (size_t)from, (size_t)(to - from));
    epochs->start += from / epochs->rate;
    return CONGRU_OK;
}

congru_status congru_epochs_resample(congru_context *context, congru_epochs *epochs, size_t up, size_t down)
{
    if (epochs == NULL || epochs->data == NULL || up == 0 || down == 0)
        return congru_fail(
            context, CONGRU_ERROR_ARGUMENT,
            "congru_epochs_resample: epochs with samples and a ratio of positive numbers are needed");
    size_t samples = congru_signal_resampled(epochs->samples, up, down);
    double *data = congru_epochs_allocate(epochs->count, epochs->channels, samples);
    if (data == NULL)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "not enough memory to resample %zu trials",
                           epochs->count);
    const size_t rows = epochs->count * epochs->channels, piece = 1 + RESAMPLED / (epochs->samples + 1);
    congru_status status = CONGRU_OK;
    for (size_t i = 0; i < rows && status == CONGRU_OK; i += piece) {
        size_t some = rows - i < piece ? rows - i : piece;
        status = congru_signal_resample(context, up, down, some, epochs->samples,
                                        epochs->data + i * epochs->samples, data + i * samples);
        congru_mapped_pass(some * (samples + epochs->samples) * sizeof *data);
    }
    if (status != CONGRU_OK) {
        congru_memory_give(data);
        return status;
    }
    congru_memory_give(epochs->data);
    epochs->data = data;
    epochs->samples = samples;
    epochs->rate *= (double)up / (double)down;
    return CONGRU_OK;
}
