/* What recordings and files of trials share: references, filters, rates. SPDX-License-Identifier: Apache-2.0 */
#include "import_file.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "congru/signal.h"
#include "file_beginning.h"

/* A notch as narrow as mains need and no narrower: its ringing fades within a trial. */
static const double notch_quality = 30;

enum { RATIO_MAX = 10000 };

bool import_file_fail(import_file *file, const char *format, ...)
{
    va_list values;
    /* A long path is cut, so that there is room for what is the matter with it. */
    size_t used =
        (size_t)snprintf(file->error, sizeof file->error, "%.*s: ", IMPORT_ERROR_SIZE / 2, file->path);
    va_start(values, format);
    vsnprintf(file->error + used, sizeof file->error - used, format, values);
    va_end(values);
    return false;
}

bool import_file_check(congru_context *context, import_file *file, congru_status status)
{
    if (status == CONGRU_OK)
        return true;
    const char *error = congru_context_error(context);
    if (strncmp(error, file->path, strlen(error)) == 0) /* none, or a path that fills it */
        error = congru_status_text(status);
    if (strncmp(error, file->path, strlen(file->path)) != 0)
        return import_file_fail(file, "%s", error);
    snprintf(file->error, sizeof file->error, "%s", error);
    return false;
}

static bool reference(congru_context *context, import_file *file, size_t channels, size_t group, size_t samples,
                      double *signal)
{
    for (size_t i = 0; i < channels; i += group)
        if (!import_file_check(context, file,
                               congru_signal_average_reference(context, group, samples, signal + i * samples)))
            return false;
    return true;
}

/* The sections of everything that is not the FIR filter: they run in one pass. */
static bool design(congru_context *context, const import_settings *settings, import_file *file, double rate,
                   congru_iir *filter)
{
    congru_iir notch;
    *filter = (congru_iir){0};
    if (settings->band_given && !settings->fir &&
        !import_file_check(context, file,
                           congru_iir_butterworth(context, settings->order, settings->band[0],
                                                  settings->band[1], rate, filter)))
        return false;
    if (settings->notch <= 0 || settings->notch >= rate / 2) /* from there on nothing is left to remove */
        return true;
    return import_file_check(
               context, file,
               congru_iir_notch(context, settings->notch, notch_quality, settings->harmonics, rate, &notch)) &&
           import_file_check(context, file, congru_iir_append(context, filter, &notch));
}

bool import_filter(congru_context *context, const import_settings *settings, import_file *file, double rate,
                   size_t channels, size_t group, size_t samples, double *signal)
{
    congru_iir filter;
    if (settings->band_given && settings->band[1] >= rate / 2)
        return import_file_fail(
            file, "a band up to %g Hz needs a rate above %g Hz, found %g (lower the end of --band)",
            settings->band[1], 2 * settings->band[1], rate);
    if (settings->average_reference && !reference(context, file, channels, group, samples, signal))
        return false;
    if (settings->band_given && settings->fir &&
        !import_file_check(context, file,
                           congru_signal_filter_fir(context, settings->band[0], settings->band[1], rate, 0,
                                                    channels, samples, signal)))
        return false;
    if (!design(context, settings, file, rate, &filter))
        return false;
    if (filter.sections == 0)
        return true;
    return import_file_check(
        context, file,
        settings->causal ? congru_signal_filter_causal(context, &filter, channels, samples, signal, NULL)
                         : congru_signal_filter_zero_phase(context, &filter, channels, samples, signal));
}

bool import_needs_rate(const import_settings *settings, double rate)
{
    return settings->resample > 0 && fabs(settings->resample - rate) > 1e-9 * rate;
}

/* The fraction nearest to wanted/rate with small terms: the convergents of its continued fraction. */
bool import_ratio(const import_settings *settings, import_file *file, double rate, size_t *up, size_t *down)
{
    double wanted = settings->resample / rate, rest = wanted;
    double p[2] = {1, 0}, q[2] = {0, 1}; /* the convergent, and the one before it */
    for (int step = 0; step < 32; step++) {
        double whole = floor(rest), next_p = whole * p[0] + p[1], next_q = whole * q[0] + q[1];
        if (next_p > RATIO_MAX || next_q > RATIO_MAX)
            break;
        p[1] = p[0];
        q[1] = q[0];
        p[0] = next_p;
        q[0] = next_q;
        if (p[0] > 0 && fabs(p[0] / q[0] - wanted) <= 1e-9 * wanted) {
            *up = (size_t)p[0];
            *down = (size_t)q[0];
            return true;
        }
        rest = 1 / (rest - whole);
    }
    return import_file_fail(file,
                            "%g Hz cannot be made %g Hz by a ratio of whole numbers up to %d (choose another "
                            "--resample)",
                            rate, settings->resample, (int)RATIO_MAX);
}

/* Numbers in the file's name go before those in the file. */
static void number_trials(import_file *file)
{
    for (size_t i = 0; i < file->epochs->count; i++) {
        if (file->session >= 0)
            file->epochs->session[i] = file->session;
        if (file->run >= 0)
            file->epochs->run[i] = file->run;
    }
}

bool import_holds_trials(const char *path)
{
    char bytes[6] = "";
    size_t size;
    file_beginning(path, sizeof bytes, bytes, &size);
    return (size >= 2 && memcmp(bytes, "PK", 2) == 0) || (size == 6 && memcmp(bytes, "MATLAB", 6) == 0);
}

void import_file_read(congru_context *context, const import_settings *settings, import_file *file)
{
    file->error[0] = '\0';
    /* A .mat can be either, and its reader tells; a file of no known kind is the recording reader's to explain.
     * */
    bool recording = congru_recording_recognises(file->path) || !import_holds_trials(file->path);
    bool done = recording ? import_recording_read(context, settings, file)
                          : import_epochs_read(context, settings, file);
    if (done)
        number_trials(file);
    else
        congru_epochs_destroy(&file->epochs);
}
