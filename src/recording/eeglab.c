/* Reads EEGLAB's .set files: what they say, their channels, events and samples. SPDX-License-Identifier: Apache-2.0 */
#include "recording/eeglab.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number_text.h"

/* Each of very many events and channels has texts: one longer than TEXT_WANTED is no name, and as if it were not there. */
enum {
    CHANNELS_MAX = 1 << 16,
    BUFFER_VALUES = 1 << 16,
    FLOAT_SIZE = 4,
    PATH_MAX_LENGTH = 4096,
    TEXT_WANTED = 256
};

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), end_length = strlen(end);
    return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

/* What describes a .set; and its samples where `user` is how many they are. */
static bool is_wanted(const char *name, const congru_mat_value *value, const void *user)
{
    const size_t *samples = user;
    bool data = strcmp(name, "data") == 0;
    if (value->kind == CONGRU_MAT_TEXT)
        return value->count <= (data ? PATH_MAX_LENGTH : TEXT_WANTED);
    return value->count == 1 || (data && samples != NULL && value->count == *samples);
}

static congru_status read_variables(congru_context *context, const congru_source *source, const size_t *samples,
                                    congru_mat **mat)
{
    return ends_with(source->name, ".set") ? congru_mat_read_plain(context, source, is_wanted, samples, mat)
                                           : congru_mat_read(context, source, is_wanted, samples, mat);
}

congru_status congru_eeglab_variables(congru_context *context, const congru_source *source, congru_mat **mat)
{
    return read_variables(context, source, NULL, mat);
}

/* ---- What the file says -------------------------------------------------------------------------- */

/* The struct EEG, or NULL where its fields are the variables. */
static const congru_mat_value *find_struct(const congru_mat *mat)
{
    const congru_mat_value *eeg = congru_mat_find(mat, "EEG");
    return eeg != NULL && eeg->kind == CONGRU_MAT_STRUCT && eeg->count == 1 ? eeg : NULL;
}

static const congru_mat_value *find(const congru_mat *mat, const char *name)
{
    const congru_mat_value *eeg = find_struct(mat);
    return eeg != NULL ? congru_mat_field(eeg, 0, name) : congru_mat_find(mat, name);
}

bool congru_eeglab_recognises(const congru_mat *mat)
{
    return find(mat, "nbchan") != NULL && find(mat, "srate") != NULL && find(mat, "data") != NULL;
}

static double number_of(const congru_mat_value *value)
{
    return value != NULL && value->kind == CONGRU_MAT_NUMERIC && value->count == 1 && value->number != NULL
               ? value->number[0]
               : (double)NAN;
}

double congru_eeglab_number(const congru_mat_value *value, size_t element, const char *field)
{
    return number_of(congru_mat_field(value, element, field));
}

static const congru_mat_value *struct_of(const congru_mat *mat, const char *name)
{
    const congru_mat_value *value = find(mat, name);
    return value != NULL && value->kind == CONGRU_MAT_STRUCT && value->count > 0 ? value : NULL;
}

/* A whole number from 1; a missing one is 1 where it is `optional`. */
static congru_status take_size(const congru_eeglab *eeglab, const char *name, bool optional, size_t *size)
{
    const congru_mat_value *value = find(eeglab->mat, name);
    double number = optional && (value == NULL || value->count == 0) ? 1 : number_of(value);
    if (!(number >= 1 && number < 2147483648.0) || floor(number) != number)
        return congru_fail(
            eeglab->context, CONGRU_ERROR_FORMAT,
            "%s: EEG.%s: expected a whole number from 1, found %g (save the set again in EEGLAB)", eeglab->file,
            name, number);
    *size = (size_t)number;
    return CONGRU_OK;
}

static congru_status check_data(const congru_eeglab *eeglab)
{
    const congru_mat_value *data = eeglab->data;
    size_t values = eeglab->channels * eeglab->samples;
    if (eeglab->channels > CHANNELS_MAX)
        return congru_fail(eeglab->context, CONGRU_ERROR_UNSUPPORTED, "%s: %zu channels; at most %d are read",
                           eeglab->file, eeglab->channels, (int)CHANNELS_MAX);
    bool named = data->kind == CONGRU_MAT_TEXT && data->text != NULL && data->text[0] != '\0';
    if (named || (data->kind == CONGRU_MAT_NUMERIC && data->shape[0] == eeglab->channels &&
                  data->count / values == eeglab->trials && data->count % values == 0))
        return CONGRU_OK;
    return congru_fail(eeglab->context, CONGRU_ERROR_FORMAT,
                       "%s: EEG.data: expected %s of %s in %s, or the name of a .fdt "
                       "file, found %zu values (save the set again in EEGLAB)",
                       eeglab->file, congru_count(eeglab->channels, "channel").text,
                       congru_count(eeglab->samples, "sample").text, congru_count(eeglab->trials, "trial").text,
                       data->count);
}

congru_status congru_eeglab_describe(congru_context *context, const char *file, const congru_source *source,
                                     const congru_mat *mat, congru_eeglab *eeglab)
{
    *eeglab = (congru_eeglab){.context = context,
                              .file = file,
                              .source = source,
                              .mat = mat,
                              .rate = number_of(find(mat, "srate")),
                              .start = number_of(find(mat, "xmin")),
                              .data = find(mat, "data"),
                              .chanlocs = struct_of(mat, "chanlocs"),
                              .event = struct_of(mat, "event"),
                              .epoch = struct_of(mat, "epoch")};
    if (!(eeglab->rate > 0) || !isfinite(eeglab->rate))
        return congru_fail(context, CONGRU_ERROR_FORMAT, "%s: EEG.srate: expected a positive number, found %g",
                           file, eeglab->rate);
    CONGRU_TRY(take_size(eeglab, "nbchan", false, &eeglab->channels));
    CONGRU_TRY(take_size(eeglab, "pnts", false, &eeglab->samples));
    CONGRU_TRY(take_size(eeglab, "trials", true, &eeglab->trials));
    return check_data(eeglab);
}

/* ---- Channels ------------------------------------------------------------------------------------ */

/* A text field; "" where it is none. */
static const char *text_of(const congru_mat_value *value, size_t element, const char *field)
{
    const congru_mat_value *found = congru_mat_field(value, element, field);
    return found != NULL && found->kind == CONGRU_MAT_TEXT && found->text != NULL ? found->text : "";
}

congru_status congru_eeglab_channels(const congru_eeglab *eeglab, congru_channel *channel)
{
    const congru_mat_value *locations = eeglab->chanlocs;
    if (locations != NULL && locations->count != eeglab->channels)
        locations = NULL;
    for (size_t i = 0; i < eeglab->channels; i++) {
        const char *label = text_of(locations, i, "labels"), *type = text_of(locations, i, "type");
        channel[i] = (congru_channel){.rate = eeglab->rate, .unit = "uV"};
        congru_reader_copy_label(channel[i].name, sizeof channel[i].name, label, strlen(label));
        channel[i].type = congru_reader_type(type, channel[i].name);
    }
    return congru_reader_distinguish(eeglab->context, eeglab->file, channel, eeglab->channels);
}

/* ---- Samples ------------------------------------------------------------------------------------- */

static double finite_or_missing(double value)
{
    return isfinite(value) ? value : (double)NAN;
}

static void copy_numbers(const congru_eeglab *eeglab, const double *number, const size_t *chosen, size_t count,
                         double *data)
{
    for (size_t trial = 0; trial < eeglab->trials; trial++)
        for (size_t k = 0; k < count; k++)
            for (size_t i = 0; i < eeglab->samples; i++)
                data[(trial * count + k) * eeglab->samples + i] =
                    finite_or_missing(number[(trial * eeglab->samples + i) * eeglab->channels + chosen[k]]);
}

/* From the .set itself, which is read once more, now that its shapes go together. */
static congru_status read_numbers(const congru_eeglab *eeglab, const size_t *chosen, size_t count, double *data)
{
    congru_mat *mat = NULL;
    congru_status status = read_variables(eeglab->context, eeglab->source, &eeglab->data->count, &mat);
    if (status != CONGRU_OK)
        return status;
    const congru_mat_value *value = find(mat, "data");
    if (value != NULL && value->kind == CONGRU_MAT_NUMERIC && value->number != NULL &&
        value->count == eeglab->data->count)
        copy_numbers(eeglab, value->number, chosen, count, data);
    else
        status = congru_fail(eeglab->context, CONGRU_ERROR_IO,
                             "%s: EEG.data changed while it was read (read it again)", eeglab->file);
    congru_mat_free(&mat);
    return status;
}

static double real_32(const unsigned char *bytes)
{
    uint32_t word =
        (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
    float value;
    memcpy(&value, &word, sizeof value);
    return finite_or_missing((double)value);
}

/* A .fdt has all channels of a sample together, and a .dat all samples of a channel. */
static congru_status decode_file(const congru_eeglab *eeglab, const congru_source *source, bool by_channel,
                                 const size_t *chosen, size_t count, unsigned char *bytes, double *data)
{
    size_t samples = eeglab->samples, all = samples * eeglab->trials;
    size_t row = by_channel ? 1 : eeglab->channels, passes = by_channel ? count : 1;
    size_t at_once = row < BUFFER_VALUES ? BUFFER_VALUES / row : 1;
    for (size_t pass = 0; pass < passes; pass++)
        for (size_t first = 0; first < all; first += at_once) {
            size_t taken = all - first < at_once ? all - first : at_once;
            uint64_t offset = by_channel ? (uint64_t)chosen[pass] * all + first : (uint64_t)first * row;
            congru_status status = congru_source_read(eeglab->context, source, offset * FLOAT_SIZE,
                                                      taken * row * FLOAT_SIZE, bytes);
            if (status != CONGRU_OK)
                return status;
            for (size_t i = 0; i < taken; i++) {
                size_t trial = (first + i) / samples, sample = (first + i) % samples;
                for (size_t k = by_channel ? pass : 0; k < (by_channel ? pass + 1 : count); k++)
                    data[(trial * count + k) * samples + sample] =
                        real_32(bytes + (i * row + (by_channel ? 0 : chosen[k])) * FLOAT_SIZE);
            }
        }
    return CONGRU_OK;
}

static congru_status read_source(const congru_eeglab *eeglab, const congru_source *source, const size_t *chosen,
                                 size_t count, double *data)
{
    unsigned char *bytes = malloc(
        (size_t)FLOAT_SIZE * (eeglab->channels < BUFFER_VALUES ? (size_t)BUFFER_VALUES : eeglab->channels));
    if (bytes == NULL)
        return congru_fail(eeglab->context, CONGRU_ERROR_MEMORY, "%s: not enough memory to read it",
                           source->name);
    congru_status status =
        decode_file(eeglab, source, ends_with(eeglab->data->text, ".dat"), chosen, count, bytes, data);
    free(bytes);
    return status;
}

/* The name without folders: a set is often moved with its file. */
static const char *base_name(const char *path)
{
    const char *name = path;
    for (; *path != '\0'; path++)
        if (*path == '/' || *path == '\\')
            name = path + 1;
    return name;
}

/* Opens what EEG.data names beside the .set; failing that, the file of the .set's own name, which it has when both
 * were renamed. */
static congru_status open_beside(const congru_eeglab *eeglab, char path[PATH_MAX_LENGTH], congru_source *source)
{
    const char *name = base_name(eeglab->data->text), *set = base_name(eeglab->file);
    const char *ending = strrchr(name, '.'), *dot = strrchr(set, '.');
    int folder = (int)(set - eeglab->file), stem = dot != NULL ? (int)(dot - set) : (int)strlen(set);
    int length = snprintf(path, PATH_MAX_LENGTH, "%.*s%s", folder, eeglab->file, name);
    if (length < PATH_MAX_LENGTH && congru_source_open(NULL, path, source) == CONGRU_OK)
        return CONGRU_OK;
    length = snprintf(path, PATH_MAX_LENGTH, "%.*s%s", folder + stem, eeglab->file,
                      ending != NULL ? ending : ".fdt");
    if (length < PATH_MAX_LENGTH && congru_source_open(NULL, path, source) == CONGRU_OK)
        return CONGRU_OK;
    return congru_fail(eeglab->context, CONGRU_ERROR_IO,
                       "%s: expected its samples in '%.200s' beside it, cannot open that (copy it there too)",
                       eeglab->file, name);
}

/* How many bytes the samples have; checked before memory is taken for them. */
static congru_status check_size(const congru_eeglab *eeglab, const congru_source *source)
{
    uint64_t values = (uint64_t)eeglab->channels * eeglab->samples; /* below 2^47 */
    if (source->size / FLOAT_SIZE / values >= eeglab->trials)
        return CONGRU_OK;
    return congru_fail(eeglab->context, CONGRU_ERROR_FORMAT,
                       "%s: truncated: expected %s of %s in %s, found %llu bytes (copy "
                       "the file again)",
                       source->name, congru_count(eeglab->channels, "channel").text,
                       congru_count(eeglab->samples, "sample").text, congru_count(eeglab->trials, "trial").text,
                       (unsigned long long)source->size);
}

congru_status congru_eeglab_check_samples(const congru_eeglab *eeglab, const congru_source *beside)
{
    char path[PATH_MAX_LENGTH];
    congru_source source;
    if (eeglab->data->kind == CONGRU_MAT_NUMERIC)
        return CONGRU_OK;
    if (beside != NULL)
        return check_size(eeglab, beside);
    CONGRU_TRY(open_beside(eeglab, path, &source));
    congru_status status = check_size(eeglab, &source);
    congru_source_close(&source);
    return status;
}

congru_status congru_eeglab_samples(const congru_eeglab *eeglab, const congru_source *beside,
                                    const size_t *chosen, size_t count, double *data)
{
    char path[PATH_MAX_LENGTH];
    congru_source source;
    if (eeglab->data->kind == CONGRU_MAT_NUMERIC)
        return read_numbers(eeglab, chosen, count, data);
    if (beside != NULL)
        return read_source(eeglab, beside, chosen, count, data);
    CONGRU_TRY(open_beside(eeglab, path, &source));
    congru_status status = read_source(eeglab, &source, chosen, count, data);
    congru_source_close(&source);
    return status;
}

/* ---- Events -------------------------------------------------------------------------------------- */

/* A type is a text, or a number, which is then the text of it. */
static void write_type(const congru_mat_value *type, char *text, size_t size)
{
    text[0] = '\0';
    if (type != NULL && type->kind == CONGRU_MAT_CELL && type->count > 0) /* of several: the first */
        type = &type->element[0];
    if (type == NULL || type->count == 0)
        return;
    if (type->kind == CONGRU_MAT_TEXT && type->text != NULL)
        congru_reader_copy_label(text, size, type->text, strlen(type->text));
    if (type->kind != CONGRU_MAT_NUMERIC || type->number == NULL)
        return;
    double number = type->number[0];
    if (floor(number) == number && fabs(number) < 9e15)
        snprintf(text, size, "%lld", (long long)number);
    else
        congru_format(text, size, "%.15g", number);
}

bool congru_eeglab_event(const congru_eeglab *eeglab, size_t index, double *latency, double *duration,
                         char *text, size_t size)
{
    *latency = congru_eeglab_number(eeglab->event, index, "latency") - 1;
    *duration = congru_eeglab_number(eeglab->event, index, "duration");
    if (!(*duration > 0))
        *duration = 0;
    write_type(congru_mat_field(eeglab->event, index, "type"), text, size);
    return isfinite(*latency);
}
