/* Writes the subjects of a set as EDF+ recordings. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array/file_write.h"
#include "base/number_text.h"
#include "synth/synth_internal.h"

/* A record is a second. A trial has its cue on a whole second; its signal begins where the set says, or half
 * a second later, and noise fills up the second and one more. Before the first cue is as much noise as a
 * trial is long, so that the rest window of congru_epochs_options lies inside, too. */
enum {
    HEADER_BLOCK = 256,
    NUMBER = 8,
    NOTE_BYTES = 128,
    PATH_SIZE = 4096,
    DIGITAL_MOST = 32767,
    START_MOST = 60
};

static const double microvolts = 10.0;

typedef struct edf_file {
    const congru_set *set;
    size_t subject;
    size_t rate, trial_seconds;
    ptrdiff_t cue_to_signal; /* samples; below 0 when the cue lies inside the signal */
    size_t trials, records;
    size_t header_bytes, record_bytes;
    double scale;         /* from the set to microvolts */
    unsigned char *bytes; // (header_bytes + records * record_bytes)
    double *row;          // (records * rate), one channel
    const size_t *trial;  // (trials) index in the set
} edf_file;

/* ---- Header -------------------------------------------------------------------------------------------- */

static unsigned char *put(unsigned char *at, size_t width, const char *text)
{
    size_t size = strlen(text);
    memset(at, ' ', width);
    memcpy(at, text, size < width ? size : width);
    return at + width;
}

static unsigned char *put_count(unsigned char *at, size_t width, size_t number)
{
    char text[24];
    snprintf(text, sizeof text, "%zu", number);
    return put(at, width, text);
}

static void put_fixed(const edf_file *file)
{
    unsigned char *at = put(file->bytes, 8, "0");
    char patient[80];
    snprintf(patient, sizeof patient, "X X X %.60s", file->set->subject_name[file->subject]);
    at = put(at, 80, patient);
    at = put(at, 80, "Startdate 01-JAN-2000 X X congru_synth");
    at = put(at, 16, "01.01.0000.00.00");
    at = put_count(at, 8, file->header_bytes);
    at = put(at, 44, "EDF+C");
    at = put_count(at, 8, file->records);
    at = put(at, 8, "1");
    put_count(at, 4, file->set->dimension + 1);
}

/* Where signal `index` has its field of a column; columns begin `before` bytes per signal behind the fixed
 * part. */
static unsigned char *column(const edf_file *file, size_t before, size_t width, size_t index)
{
    return file->bytes + HEADER_BLOCK + before * (file->set->dimension + 1) + width * index;
}

static void put_signal(const edf_file *file, size_t index, const char *label, const char *unit,
                       const char *least, const char *most, size_t samples)
{
    put(column(file, 0, 16, index), 16, label);
    put(column(file, 16, 80, index), 80, "");
    put(column(file, 96, NUMBER, index), NUMBER, unit);
    put(column(file, 104, NUMBER, index), NUMBER, least);
    put(column(file, 112, NUMBER, index), NUMBER, most);
    put(column(file, 120, NUMBER, index), NUMBER, "-32768");
    put(column(file, 128, NUMBER, index), NUMBER, "32767");
    put(column(file, 136, 80, index), 80, "");
    put_count(column(file, 216, NUMBER, index), NUMBER, samples);
    put(column(file, 224, 32, index), 32, "");
}

/* ---- Samples ------------------------------------------------------------------------------------------- */

/* The whole recording of one channel, in microvolts. */
static void make_row(edf_file *file, size_t channel)
{
    const congru_set *set = file->set;
    const size_t length = file->records * file->rate;
    congru_random random = congru_random_stream(0, SYNTH_REST, (uint32_t)file->subject, (uint32_t)channel);
    for (size_t t = 0; t < length; t++)
        file->row[t] = microvolts * congru_random_normal(&random);
    for (size_t i = 0; i < file->trials; i++) {
        const double *signal = set->signals + (file->trial[i] * set->dimension + channel) * set->samples;
        double *at = file->row + (i + 1) * file->trial_seconds * file->rate + file->cue_to_signal;
        for (size_t t = 0; t < set->samples; t++)
            at[t] = file->scale * signal[t];
    }
}

/* The smallest range of at most 7 characters that holds the channel; returns its value. */
static double choose_range(const edf_file *file, char text[NUMBER + 1])
{
    double most = 0.0;
    for (size_t t = 0; t < file->records * file->rate; t++)
        if (fabs(file->row[t]) > most)
            most = fabs(file->row[t]);
    double range = (floor(most * 100.0) + 1.0) / 100.0;
    if (range >= 10000.0)
        range = floor(most) + 1.0;
    congru_format(text, NUMBER + 1, range < 10000.0 ? "%.2f" : "%.0f", range);
    return range;
}

static void put_channel(edf_file *file, size_t channel)
{
    char most[NUMBER + 1], least[NUMBER + 2];
    make_row(file, channel);
    double range = choose_range(file, most);
    snprintf(least, sizeof least, "-%s", most);
    put_signal(file, channel, file->set->channel_name[channel], "uV", least, most, file->rate);
    for (size_t t = 0; t < file->records * file->rate; t++) {
        /* Digital -32768 to 32767 stand for -range to range. */
        double digital = floor((file->row[t] + range) / (2.0 * range) * 65535.0 + 0.5) - 32768.0;
        uint16_t word = (uint16_t)(int16_t)digital;
        unsigned char *at = file->bytes + file->header_bytes + t / file->rate * file->record_bytes +
                            (channel * file->rate + t % file->rate) * 2;
        at[0] = (unsigned char)(word & 0xff);
        at[1] = (unsigned char)(word >> 8);
    }
}

static void put_notes(edf_file *file)
{
    const congru_set *set = file->set;
    put_signal(file, set->dimension, "EDF Annotations", "", "-1", "1", NOTE_BYTES / 2);
    for (size_t record = 0; record < file->records; record++) {
        char text[NOTE_BYTES] = {0};
        int used = snprintf(text, sizeof text, "+%zu\x14\x14", record) + 1;
        size_t trial = record / file->trial_seconds;
        if (record % file->trial_seconds == 0 && trial >= 1 && trial <= file->trials)
            snprintf(text + used, sizeof text - (size_t)used, "+%zu\x14%.80s\x14", record,
                     set->class_name[set->label[file->trial[trial - 1]]]);
        memcpy(file->bytes + file->header_bytes + (record + 1) * file->record_bytes - NOTE_BYTES, text,
               NOTE_BYTES);
    }
}

/* ---- Files --------------------------------------------------------------------------------------------- */

static congru_status write_subject(congru_context *context, edf_file *file, const char *folder)
{
    const congru_set *set = file->set;
    char path[PATH_SIZE];
    int length = snprintf(path, sizeof path, "%s/%s.edf", folder, set->subject_name[file->subject]);
    if (length < 0 || (size_t)length >= sizeof path)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "%.80s...: the path is too long", folder);
    /* A trial after each of as many stretches, and one stretch before the first. */
    file->records = (file->trials + 1) * file->trial_seconds;
    file->header_bytes = HEADER_BLOCK * (set->dimension + 2);
    file->record_bytes = set->dimension * file->rate * 2 + NOTE_BYTES;
    size_t size = file->header_bytes + file->records * file->record_bytes;
    file->bytes = malloc(size);
    file->row = malloc(file->records * file->rate * sizeof *file->row);
    congru_status status = CONGRU_OK;
    if (file->bytes == NULL || file->row == NULL) {
        status = congru_fail(context, CONGRU_ERROR_MEMORY, "%s: not enough memory for %zu bytes", path, size);
    } else {
        put_fixed(file);
        for (size_t k = 0; k < set->dimension; k++)
            put_channel(file, k);
        put_notes(file);
        status = congru_file_write(context, path, &(congru_file_piece){file->bytes, size}, 1);
    }
    free(file->bytes);
    free(file->row);
    return status;
}

/* So that the mean variance of all channels and trials is that of 10 microvolts. */
static double find_scale(const congru_set *set)
{
    double sum = 0.0;
    const size_t count = set->count * set->dimension * set->samples;
    for (size_t i = 0; i < count; i++)
        sum += set->signals[i] * set->signals[i];
    return sum > 0.0 ? microvolts * sqrt((double)count / sum) : 1.0;
}

static congru_status check_set(congru_context *context, const congru_set *set)
{
    if (set->signals == NULL || set->samples == 0 || set->count == 0)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "the set has no signals to write as EDF (make it with samples)");
    if (!(set->rate >= 1.0 && set->rate <= 1e6) || set->rate != floor(set->rate))
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "EDF records of a second need a whole number of samples, and the rate is %g",
                           set->rate);
    if (set->channel_name == NULL || set->class_name == NULL || set->subject_name == NULL ||
        set->label == NULL || set->subject == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "the set lacks labels or names to write as EDF");
    if (!isnan(set->start) && !(fabs(set->start) <= START_MOST))
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "the signals begin %g s from the cue; as EDF they may %d s at most", set->start,
                           (int)START_MOST);
    return CONGRU_OK;
}

/* Room for the later of cue and signal, and before the first cue for what comes before it. */
static void place_trials(edf_file *file)
{
    const congru_set *set = file->set;
    file->cue_to_signal =
        isnan(set->start) ? (ptrdiff_t)((file->rate + 1) / 2) : (ptrdiff_t)floor(set->start * set->rate + 0.5);
    size_t after = file->cue_to_signal > 0 ? (size_t)file->cue_to_signal : 0;
    size_t before = file->cue_to_signal < 0 ? (size_t)-file->cue_to_signal : 0;
    size_t longest = set->samples > before ? set->samples : before;
    file->trial_seconds = (after + longest) / file->rate + 2;
}

congru_status congru_synth_write_edf(congru_context *context, const congru_set *set, const char *folder)
{
    if (context == NULL || set == NULL || folder == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "congru_synth_write_edf: context, set and folder must not be NULL");
    congru_status status = check_set(context, set);
    if (status != CONGRU_OK)
        return status;
    edf_file file = {.set = set, .rate = (size_t)set->rate, .scale = find_scale(set)};
    place_trials(&file);
    size_t *trial = malloc(set->count * sizeof *trial);
    if (trial == NULL)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "%s: not enough memory", folder);
    file.trial = trial;
    for (size_t i = 0; i < set->subjects && status == CONGRU_OK; i++) {
        file.subject = i;
        file.trials = 0;
        for (size_t t = 0; t < set->count; t++)
            if ((size_t)set->subject[t] == i)
                trial[file.trials++] = t;
        if (file.trials > 0)
            status = write_subject(context, &file, folder);
    }
    free(trial);
    return status;
}
