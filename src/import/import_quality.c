/* What the samples of a file say of it: their unit, trials and channels unlike the others. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number_text.h"
#include "import/import_internal.h"
#include "preprocess/preprocessing.h"

/* Of subjects, amplifiers and bands none makes one EEG a hundred times another. */
static const double alike = 100;

/* Microvolts of EEG, filtered or not: units are thousands apart, so that one of them is the nearest by far. */
static const double usual_amplitude = 10;

/* What is so much larger than the median is worth a line. */
static const double outlying = 10;

static int compare(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static double median(double *value, size_t count)
{
    qsort(value, count, sizeof *value, compare);
    return count > 0 ? (value[(count - 1) / 2] + value[count / 2]) / 2 : 0;
}

typedef struct number_text {
    char text[32];
} number_text;

/* Three digits of it, and no exponent: 2953.4 is 2950. */
static number_text three(double value)
{
    number_text made = {{0}};
    double unit = 1;
    while (value >= 1000 * unit && value < 1e12)
        unit *= 10;
    congru_format(made.text, sizeof made.text, unit > 1 ? "%.12g" : "%.3g",
                  unit > 1 ? floor(value / unit + 0.5) * unit : value);
    return made;
}

/* ---- Amplitude ----------------------------------------------------------------------------------------- */

static double deviation(const double *x, size_t samples)
{
    double mean = 0, sum = 0;
    for (size_t t = 0; t < samples; t++)
        mean += x[t] / (double)samples;
    for (size_t t = 0; t < samples; t++)
        sum += (x[t] - mean) * (x[t] - mean);
    return samples > 1 ? sqrt(sum / (double)(samples - 1)) : 0;
}

/* The median over trials and channels of the deviation; 0 where there is none. */
static double amplitude_of(const congru_epochs *epochs, double *work)
{
    const size_t d = epochs->channels;
    for (size_t i = 0; i < epochs->count * d; i++)
        work[i] = epochs->covariances ? sqrt(fabs(epochs->data[i * epochs->samples + i % d]))
                                      : deviation(epochs->data + i * epochs->samples, epochs->samples);
    double found = median(work, epochs->count * d);
    return isfinite(found) ? found : 0;
}

static void scale(congru_epochs *epochs, double factor)
{
    if (epochs == NULL)
        return;
    for (size_t i = 0; i < epochs->count * epochs->channels * epochs->samples; i++)
        epochs->data[i] *= epochs->covariances ? factor * factor : factor;
}

/* The power of a thousand that brings the file nearest to what EEG is. */
static void take_unit(import_file *file)
{
    static const double factors[] = {1e-9, 1e-6, 1e-3, 1, 1e3, 1e6, 1e9};
    double nearest = (double)INFINITY;
    for (size_t i = 0; i < sizeof factors / sizeof factors[0]; i++) {
        double ratio = file->quality.amplitude * factors[i] / usual_amplitude;
        double off = ratio > 1 ? ratio : 1 / ratio;
        if (off < nearest) {
            nearest = off;
            file->quality.factor = factors[i];
        }
    }
    scale(file->epochs, file->quality.factor);
    scale(file->rest, file->quality.factor);
    file->quality.amplitude *= file->quality.factor;
}

congru_status congru_import_check_amplitude(congru_context *context, const import_file *first,
                                            const import_file *file)
{
    const double usual = first->quality.amplitude, own = file->quality.amplitude;
    if (!(usual > 0 && own > 0) || (own < usual * alike && usual < own * alike))
        return CONGRU_OK;
    return congru_fail(
        context, CONGRU_ERROR_ARGUMENT,
        "%s: its signals are %s times those of %s (%s and %s uV): is one of them in another unit? "
        "(--unit auto takes each file in the unit in which it is EEG)",
        file->path, three(own / usual).text, first->path, three(own).text, three(usual).text);
}

/* ---- Trials and channels unlike the others --------------------------------------------------------------- */

/* swing (count, d) of each trial and channel. */
static void judge_channels(const congru_epochs *epochs, const double *swing, double *usual, double *work,
                           import_quality *quality)
{
    const size_t d = epochs->channels;
    for (size_t k = 0; k < d; k++) {
        for (size_t i = 0; i < epochs->count; i++)
            work[i] = swing[i * d + k];
        usual[k] = median(work, epochs->count);
    }
    memcpy(work, usual, d * sizeof *work);
    const double middle = median(work, d);
    for (size_t k = 0; k < d && d > 2; k++) {
        if (!(usual[k] > outlying * middle) || !(middle > 0))
            continue;
        if (quality->channels++ > 0 && usual[k] / middle <= quality->channel_factor)
            continue;
        quality->channel_factor = usual[k] / middle;
        memcpy(quality->channel, epochs->channel_name[k], sizeof quality->channel);
    }
}

static void judge_trials(const congru_epochs *epochs, const double *swing, const double *usual,
                         import_quality *quality)
{
    const size_t d = epochs->channels;
    for (size_t i = 0; i < epochs->count; i++) {
        double most = 0;
        for (size_t k = 0; k < d; k++)
            if (usual[k] > 0 && swing[i * d + k] > outlying * usual[k])
                most = fmax(most, swing[i * d + k]);
        if (!(most > 0))
            continue;
        if (quality->bursts < IMPORT_BURSTS_NAMED)
            quality->burst[quality->bursts] = epochs->number != NULL ? epochs->number[i] : i + 1;
        quality->bursts++;
        quality->largest = fmax(quality->largest, most);
    }
}

/* The median swing of a channel is a rejected trial's measure too. */
static void judge(const congru_epochs *epochs, double *work, import_quality *quality)
{
    const size_t d = epochs->channels, values = epochs->count * d;
    double *swing = work, *usual = work + values, *own = usual + d;
    for (size_t i = 0; i < values; i++)
        swing[i] = congru_preprocess_swing(epochs->data + i * epochs->samples, epochs->samples);
    judge_channels(epochs, swing, usual, own, quality);
    judge_trials(epochs, swing, usual, quality);
}

congru_status congru_import_finish_file(congru_context *context, const congru_import *import, import_file *file)
{
    congru_epochs *epochs = file->epochs;
    const size_t values = epochs->count * epochs->channels;
    double *work = malloc((values + 2 * epochs->channels + epochs->count + 1) * sizeof *work);
    congru_epochs_report of_rest = {0};
    congru_status status = CONGRU_OK;
    if (work == NULL)
        return congru_fail_memory(context, "%zu trials", epochs->count);
    file->quality = (import_quality){.factor = 1, .amplitude = amplitude_of(epochs, work)};
    if (import->unit_auto && file->quality.amplitude > 0)
        take_unit(file);
    if (import->unit_auto && !epochs->covariances)
        status = congru_preprocess_reject(context, &import->preprocessing, epochs, &file->report);
    if (status == CONGRU_OK && import->unit_auto && file->rest != NULL)
        status = congru_preprocess_reject(context, &import->preprocessing, file->rest, &of_rest);
    if (status == CONGRU_OK && !epochs->covariances)
        judge(epochs, work, &file->quality);
    free(work);
    return status;
}

/* ---- What is told ---------------------------------------------------------------------------------------- */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static void tell_units(congru_context *context, const import_file *files, size_t count)
{
    congru_text line = {0};
    size_t told = 0;
    for (size_t i = 0; i < count; i++)
        if (files[i].quality.factor != 1) {
            congru_text_add(&line, "%s%s times ", told++ > 0 ? ", " : "", base_name(files[i].path));
            congru_text_add_number(&line, files[i].quality.factor, 3);
        }
    if (told > 0 && !line.failed)
        congru_note(context, "taken in another unit (--unit auto): %s", line.data);
    congru_text_clear(&line);
}

static void tell_trials(congru_context *context, const import_file *files, size_t count)
{
    congru_text line = {0};
    size_t bursts = 0, told = 0;
    double largest = 0;
    for (size_t i = 0; i < count; i++) {
        const import_quality *q = &files[i].quality;
        bursts += q->bursts;
        largest = fmax(largest, q->largest);
        if (q->bursts == 0 || told++ >= IMPORT_BURSTS_NAMED)
            continue;
        congru_text_add(&line, "%s%s trial", told > 1 ? "; " : "", base_name(files[i].path));
        for (size_t k = 0; k < q->bursts && k < IMPORT_BURSTS_NAMED; k++)
            congru_text_add(&line, "%s %zu", k > 0 ? "," : "", q->burst[k]);
        if (q->bursts > IMPORT_BURSTS_NAMED)
            congru_text_add(&line, ", ...");
    }
    if (bursts > 0 && !line.failed)
        congru_note(context,
                    "%s %s over more than ten times what is usual, up to %s uV (--reject UV leaves such "
                    "out): %s%s",
                    congru_count(bursts, "trial").text, bursts > 1 ? "swing" : "swings", three(largest).text,
                    line.data, told > IMPORT_BURSTS_NAMED ? "; ..." : "");
    congru_text_clear(&line);
}

static void tell_channels(congru_context *context, const import_file *files, size_t count)
{
    congru_text line = {0};
    size_t told = 0;
    for (size_t i = 0; i < count; i++) {
        const import_quality *q = &files[i].quality;
        if (q->channels == 0 || told++ >= IMPORT_BURSTS_NAMED)
            continue;
        congru_text_add(&line, "%s%s of %s %s times", told > 1 ? "; " : "", q->channel,
                        base_name(files[i].path), three(q->channel_factor).text);
        if (q->channels > 1)
            congru_text_add(&line, " and %zu more", q->channels - 1);
    }
    if (told > 0 && !line.failed)
        congru_note(context,
                    "channels that swing much farther than the others (--channels A,B,... chooses): %s%s",
                    line.data, told > IMPORT_BURSTS_NAMED ? "; ..." : "");
    congru_text_clear(&line);
}

/* All files alike, and nothing to compare them with. */
static void tell_scale(congru_context *context, const import_file *files)
{
    const double own = files[0].quality.amplitude;
    if (!files[0].covariances && own > 0 && (own > 1000 * usual_amplitude || own < usual_amplitude / 1e4))
        congru_note(context,
                    "the signals are of %s uV, which EEG is not: is the unit right? (--unit auto, uV, mV or V)",
                    three(own).text);
}

void congru_import_tell_quality(congru_context *context, const import_file *files, size_t count)
{
    tell_scale(context, files);
    tell_units(context, files, count);
    tell_trials(context, files, count);
    tell_channels(context, files, count);
}
