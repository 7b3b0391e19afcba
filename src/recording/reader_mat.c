/* MATLAB files in the layout of BNCI Horizon 2020: runs of samples with their trials. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array/mat.h"
#include "base/memory.h"
#include "recording/eeglab.h"

/* Codes of the GDF event table, which the same recordings have as .gdf. */
enum { CODE_UNKNOWN_CUE = 783, CODE_REJECTED = 1023, CODE_NEW_RUN = 32766 };

/* Dimensions cost no bytes in a file; channels cost memory. */
enum { CHANNELS_MAX = 4096, CLASS_MAX = 767 };

typedef struct mat_run {
    const congru_mat_value *x; /* (samples, channels): a channel's samples are together */
    const congru_mat_value *trial, *y, *artifacts, *classes; /* or NULL */
    double rate;
    size_t samples, channels;
} mat_run;

/* What reading a file carries along. */
typedef struct mat_job {
    congru_context *context;
    const char *file;
    congru_mat *mat;
    const congru_mat_value *data; /* the cell or struct of runs */
    bool outline;                 /* the numbers are not there yet */
    const char *data_name;
    size_t runs;
    mat_run *run;
} mat_job;

static bool recognises_mat(const unsigned char *bytes, size_t size)
{
    static const char *const beginnings[] = {"MATLAB 5.0 MAT-file", "MATLAB 7.3 MAT-file"};
    for (size_t i = 0; i < 2; i++)
        if (size >= strlen(beginnings[i]) && memcmp(bytes, beginnings[i], strlen(beginnings[i])) == 0)
            return true;
    return false;
}

/* ---- Finding the runs ---------------------------------------------------------------------------- */

static bool holds_runs(const congru_mat_value *value)
{
    if (value == NULL || value->count == 0)
        return false;
    if (value->kind == CONGRU_MAT_CELL)
        value = &value->element[0];
    return congru_mat_field(value, 0, "X") != NULL;
}

/* "a, b, c" */
static void list_variables(const congru_mat *mat, char *list, size_t size)
{
    size_t used = 0;
    list[0] = '\0';
    for (size_t i = 0; congru_mat_variable(mat, i) != NULL && used < size; i++)
        used +=
            (size_t)snprintf(list + used, size - used, "%s%s", i > 0 ? ", " : "", congru_mat_variable(mat, i));
}

/* Trials that were cut already: numbers in three dimensions, by themselves or in a struct. */
static bool holds_trials(const congru_mat_value *value)
{
    if (value->kind == CONGRU_MAT_STRUCT && value->count == 1) {
        for (size_t i = 0; i < value->fields; i++)
            if (value->element[i].kind == CONGRU_MAT_NUMERIC && value->element[i].dims == 3)
                return true;
    }
    return value->kind == CONGRU_MAT_NUMERIC && value->dims == 3;
}

static congru_status find_data(mat_job *job)
{
    const congru_mat_value *value;
    job->data = congru_mat_find(job->mat, "data");
    job->data_name = "data";
    if (holds_runs(job->data))
        return CONGRU_OK;
    for (size_t i = 0; (value = congru_mat_value_at(job->mat, i)) != NULL; i++)
        if (holds_runs(value)) {
            job->data = value;
            job->data_name = congru_mat_variable(job->mat, i);
            return CONGRU_OK;
        }
    for (size_t i = 0; (value = congru_mat_value_at(job->mat, i)) != NULL; i++)
        if (holds_trials(value))
            return congru_fail(
                job->context, CONGRU_ERROR_KIND,
                "%s: holds trials, not a recording: '%s' has three dimensions (read it as epochs)", job->file,
                congru_mat_variable(job->mat, i));
    char list[400];
    list_variables(job->mat, list, sizeof list);
    return congru_fail(
        job->context, CONGRU_ERROR_KIND,
        "%s: holds no recording: expected a cell 'data' of runs with X, fs, trial and y, found %s", job->file,
        list[0] != '\0' ? list : "no variable");
}

static const congru_mat_value *numeric_field(const congru_mat_value *value, size_t element, const char *field)
{
    const congru_mat_value *found = congru_mat_field(value, element, field);
    return found != NULL && found->kind == CONGRU_MAT_NUMERIC && found->count > 0 ? found : NULL;
}

static congru_status fail_run(const mat_job *job, size_t run, const char *words)
{
    return congru_fail(job->context, CONGRU_ERROR_FORMAT, "%s: run %zu of '%s': %s", job->file, run + 1,
                       job->data_name, words);
}

static congru_status describe_run(mat_job *job, size_t index, const congru_mat_value *value, size_t element)
{
    mat_run *run = &job->run[index];
    const congru_mat_value *fs = numeric_field(value, element, "fs");
    run->x = numeric_field(value, element, "X");
    run->trial = numeric_field(value, element, "trial");
    run->y = numeric_field(value, element, "y");
    run->artifacts = numeric_field(value, element, "artifacts");
    run->classes = congru_mat_field(value, element, "classes");
    if (run->classes != NULL && run->classes->kind != CONGRU_MAT_CELL)
        run->classes = NULL;
    if (run->x == NULL || run->x->dims != 2)
        return fail_run(job, index, "expected a matrix X of (samples, channels)");
    run->samples = run->x->shape[0];
    run->channels = run->x->shape[1];
    if (run->channels > CHANNELS_MAX)
        return congru_fail(job->context, CONGRU_ERROR_UNSUPPORTED,
                           "%s: run %zu of '%s': X has %zu channels; at most %d are read (is it transposed?)",
                           job->file, index + 1, job->data_name, run->channels, (int)CHANNELS_MAX);
    if (fs == NULL || fs->count != 1 || (!job->outline && (!(fs->number[0] > 0) || !isfinite(fs->number[0]))))
        return fail_run(job, index, "expected a positive sampling rate fs");
    run->rate = job->outline ? 0 : fs->number[0];
    size_t trials = run->trial != NULL ? run->trial->count : 0;
    if (trials > run->samples)
        return congru_fail(job->context, CONGRU_ERROR_FORMAT, "%s: run %zu of '%s': %zu trials in %zu samples",
                           job->file, index + 1, job->data_name, trials, run->samples);
    if (run->y != NULL && run->y->count != trials)
        return congru_fail(job->context, CONGRU_ERROR_FORMAT, "%s: run %zu of '%s': %s in y for %s", job->file,
                           index + 1, job->data_name, congru_count(run->y->count, "label").text,
                           congru_count(trials, "trial").text);
    if (run->artifacts != NULL && run->artifacts->count != trials)
        return congru_fail(job->context, CONGRU_ERROR_FORMAT, "%s: run %zu of '%s': %s for %s", job->file,
                           index + 1, job->data_name, congru_count(run->artifacts->count, "artifact").text,
                           congru_count(trials, "trial").text);
    if (run->channels != job->run[0].channels || run->rate != job->run[0].rate)
        return congru_fail(job->context, CONGRU_ERROR_FORMAT,
                           "%s: run %zu of '%s' has %s at %g Hz, run 1 has %zu at %g Hz", job->file, index + 1,
                           job->data_name, congru_count(run->channels, "channel").text, run->rate,
                           job->run[0].channels, job->run[0].rate);
    return CONGRU_OK;
}

/* A cell of structs, or an array of structs. */
static congru_status describe_runs(mat_job *job)
{
    const congru_mat_value *data = job->data;
    job->runs = data->count;
    job->run = calloc(job->runs, sizeof *job->run);
    if (job->run == NULL)
        return congru_fail(job->context, CONGRU_ERROR_MEMORY, "%s: not enough memory for %zu runs", job->file,
                           job->runs);
    congru_status status = CONGRU_OK;
    for (size_t i = 0; i < job->runs && status == CONGRU_OK; i++) {
        if (data->kind == CONGRU_MAT_STRUCT)
            status = describe_run(job, i, data, i);
        else if (data->element[i].kind != CONGRU_MAT_STRUCT || data->element[i].count != 1)
            status = fail_run(job, i, "expected one struct with X, fs, trial and y");
        else
            status = describe_run(job, i, &data->element[i], 0);
    }
    return status;
}

/* ---- Channels ------------------------------------------------------------------------------------ */

/* The i-th of a cell of texts or of the rows of a character matrix. */
static bool copy_text(const congru_mat_value *texts, size_t index, char *label, size_t size)
{
    if (texts->kind == CONGRU_MAT_CELL && index < texts->count &&
        texts->element[index].kind == CONGRU_MAT_TEXT && texts->element[index].text != NULL) {
        const char *text = texts->element[index].text;
        congru_reader_copy_label(label, size, text, strlen(text));
        return true;
    }
    if (texts->kind != CONGRU_MAT_TEXT)
        return false;
    const char *line = texts->text;
    for (; index > 0 && line != NULL; index--)
        line = (line = strchr(line, '\n')) != NULL ? line + 1 : NULL;
    if (line != NULL)
        congru_reader_copy_label(label, size, line, strcspn(line, "\n"));
    return line != NULL;
}

/* Names where the file has as many as channels, in a field of the runs or a variable beside them. */
static const congru_mat_value *find_names(const mat_job *job)
{
    static const char *const fields[] = {"channels", "channel_names", "ch_names", "chanList", "clab"};
    const congru_mat_value *first = job->data->kind == CONGRU_MAT_CELL ? &job->data->element[0] : job->data;
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        const congru_mat_value *beside = congru_mat_find(job->mat, fields[i]);
        const congru_mat_value *found = congru_mat_field(first, 0, fields[i]);
        if (found == NULL)
            found = beside;
        if (found == NULL)
            continue;
        size_t count = found->kind == CONGRU_MAT_TEXT ? found->shape[0] : found->count;
        if (count == job->run[0].channels)
            return found;
    }
    return NULL;
}

/* The last channels of the BCI Competition IV sets are EOG, and nothing in the files says so. */
static size_t count_eog(const mat_run *run)
{
    size_t classes = run->classes != NULL ? run->classes->count : 0;
    bool set_2a = run->channels == 25 && run->rate == 250 && classes == 4;
    bool set_2b = run->channels == 6 && run->rate == 250 && classes == 2;
    return set_2a || set_2b ? 3 : 0;
}

static congru_status name_channels(const mat_job *job, congru_channel *channel)
{
    const congru_mat_value *names = find_names(job);
    size_t count = job->run[0].channels, eog = count_eog(&job->run[0]);
    for (size_t i = 0; i < count; i++) {
        bool named = names != NULL && copy_text(names, i, channel[i].name, sizeof channel[i].name);
        if (!named)
            snprintf(channel[i].name, sizeof channel[i].name, "%zu", i + 1);
        snprintf(channel[i].unit, sizeof channel[i].unit, "uV");
        channel[i].type = named             ? congru_reader_guess_type(channel[i].name)
                          : i + eog < count ? CONGRU_CHANNEL_EEG
                                            : CONGRU_CHANNEL_EOG;
        channel[i].rate = job->run[0].rate;
    }
    return congru_reader_distinguish(job->context, job->file, channel, count);
}

/* ---- Filling the recording ----------------------------------------------------------------------- */

/* The class of a trial: its number, and its name where the file has one. */
static congru_status label_trial(const mat_job *job, size_t index, size_t trial, int32_t *code, char *name,
                                 size_t size)
{
    const mat_run *run = &job->run[index];
    name[0] = '\0';
    *code = CODE_UNKNOWN_CUE;
    if (run->y == NULL)
        return CONGRU_OK;
    double y = run->y->number[trial];
    size_t classes = run->classes != NULL && run->classes->count > 0 ? run->classes->count : CLASS_MAX;
    if (!(y >= 1 && y <= (double)classes && y <= CLASS_MAX) || floor(y) != y)
        return congru_fail(job->context, CONGRU_ERROR_FORMAT,
                           "%s: run %zu of '%s': trial %zu has class %g: expected a whole number from 1 to %zu",
                           job->file, index + 1, job->data_name, trial + 1, y,
                           classes < CLASS_MAX ? classes : CLASS_MAX);
    *code = (int32_t)y;
    if (run->classes != NULL)
        copy_text(run->classes, (size_t)y - 1, name, size);
    return CONGRU_OK;
}

static congru_status add_trials(const mat_job *job, size_t index, size_t offset, congru_recording *recording)
{
    const mat_run *run = &job->run[index];
    congru_status status = CONGRU_OK;
    if (job->runs > 1)
        status = congru_recording_add_event(job->context, recording, offset, 0, CODE_NEW_RUN, NULL, 0);
    for (size_t i = 0; run->trial != NULL && i < run->trial->count && status == CONGRU_OK; i++) {
        double onset = run->trial->number[i];
        if (!(onset >= 1 && onset <= (double)run->samples) || floor(onset) != onset)
            return congru_fail(
                job->context, CONGRU_ERROR_FORMAT,
                "%s: run %zu of '%s': trial %zu begins at sample %g: expected a whole number from 1 to %zu",
                job->file, index + 1, job->data_name, i + 1, onset, run->samples);
        size_t sample = offset + (size_t)onset - 1;
        int32_t code;
        char name[CONGRU_LABEL_SIZE];
        status = label_trial(job, index, i, &code, name, sizeof name);
        if (status == CONGRU_OK)
            status = congru_recording_add_event(job->context, recording, sample, 0, code,
                                                name[0] != '\0' ? name : NULL, strlen(name));
        if (status == CONGRU_OK && run->artifacts != NULL && run->artifacts->number[i] != 0)
            status = congru_recording_add_event(job->context, recording, sample, 0, CODE_REJECTED, NULL, 0);
    }
    return status;
}

/* Copies the chosen channels of one run and gives up the run's own: with many runs the file is then in memory
 * little more than once. */
static void move_samples(const mat_job *job, size_t index, size_t offset, const size_t *chosen,
                         congru_recording *recording)
{
    const mat_run *run = &job->run[index];
    double *x = congru_mat_detach(job->mat, run->x);
    for (size_t k = 0; k < recording->channels; k++) {
        const double *from = x + chosen[k] * run->samples;
        double *to = recording->data + k * recording->samples + offset;
        for (size_t i = 0; i < run->samples; i++)
            to[i] = isfinite(from[i]) ? from[i] : (double)NAN;
        if (index + 1 < job->runs)
            to[run->samples] = (double)NAN;
    }
    congru_memory_give(x);
}

static congru_status fill_recording(const mat_job *job, const size_t *chosen, congru_recording *recording)
{
    congru_status status = CONGRU_OK;
    size_t offset = 0;
    for (size_t i = 0; i < job->runs && status == CONGRU_OK; i++) {
        status = add_trials(job, i, offset, recording);
        if (status == CONGRU_OK && recording->data != NULL)
            move_samples(job, i, offset, chosen, recording);
        offset += job->run[i].samples + 1;
    }
    congru_recording_sort_events(recording);
    return status;
}

static congru_status make_recording(const mat_job *job, const congru_recording_options *options,
                                    congru_recording **recording)
{
    size_t count = job->run[0].channels, room = count > options->channel_count ? count : options->channel_count;
    size_t samples = job->runs - 1, chosen_count = 0;
    double rate = 0;
    for (size_t i = 0; i < job->runs; i++)
        samples += job->run[i].samples;
    congru_channel *channel = calloc(count, sizeof *channel);
    size_t *chosen = calloc(room, sizeof *chosen);
    congru_status status = CONGRU_OK;
    if (channel == NULL || chosen == NULL)
        status = congru_fail(job->context, CONGRU_ERROR_MEMORY, "%s: not enough memory for %zu channels",
                             job->file, room);
    if (status == CONGRU_OK)
        status = name_channels(job, channel);
    if (status == CONGRU_OK)
        status = congru_reader_choose(job->context, job->file, channel, count, options, chosen, &chosen_count,
                                      &rate);
    if (status == CONGRU_OK)
        status = congru_recording_create(job->context, job->file, chosen_count, samples, options->header_only,
                                         recording);
    if (status == CONGRU_OK) {
        snprintf((*recording)->format, sizeof(*recording)->format, "MAT");
        (*recording)->rate = rate;
        for (size_t k = 0; k < chosen_count; k++)
            (*recording)->channel[k] = channel[chosen[k]];
        status = fill_recording(job, chosen, *recording);
    }
    if (status != CONGRU_OK)
        congru_recording_destroy(recording);
    free(channel);
    free(chosen);
    return status;
}

static bool is_wanted(const char *name, const congru_mat_value *value, const void *user)
{
    const congru_recording_options *options = user;
    if (value->kind == CONGRU_MAT_TEXT)
        return value->count <= CONGRU_MAT_TEXT_WANTED;
    if (strcmp(name, "X") == 0)
        return !options->header_only;
    return strcmp(name, "fs") == 0 || strcmp(name, "trial") == 0 || strcmp(name, "y") == 0 ||
           strcmp(name, "artifacts") == 0;
}

/* The runs of what was read; to be closed, whatever comes of it. */
static congru_status find_runs(mat_job *job)
{
    CONGRU_TRY(find_data(job));
    return describe_runs(job);
}

static void close_runs(mat_job *job)
{
    free(job->run);
    job->run = NULL;
    congru_mat_free(&job->mat);
}

/* Shapes first: numbers are read when all of them go together. */
static congru_status read_mat(congru_context *context, const char *path, const congru_source *source,
                              const congru_recording_options *options, congru_recording **recording)
{
    mat_job job = {.context = context, .file = source->name};
    *recording = NULL;
    congru_status status = congru_eeglab_variables(context, source, &job.mat);
    if (status == CONGRU_OK && congru_eeglab_recognises(job.mat)) {
        status = congru_eeglab_read(context, path, source, job.mat, NULL, options, recording);
        close_runs(&job);
        return status;
    }
    job.outline = true;
    if (status == CONGRU_OK)
        status = find_runs(&job);
    close_runs(&job);
    job.outline = false;
    if (status == CONGRU_OK)
        status = congru_mat_read(context, source, is_wanted, options, &job.mat);
    if (status == CONGRU_OK)
        status = find_runs(&job);
    if (status == CONGRU_OK)
        status = make_recording(&job, options, recording);
    close_runs(&job);
    return status;
}

const congru_recording_reader congru_reader_mat = {
    .name = "MATLAB",
    .recognises = recognises_mat,
    .read = read_mat,
};
