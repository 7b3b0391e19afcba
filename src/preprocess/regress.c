/* Takes out of trials what channels of the eyes explain of them. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "epochs/epochs_internal.h"
#include "preprocess/preprocessing.h"

enum { REGRESS_MAX = 8 };

/* The channels that are taken out, in the order of the file. */
typedef struct regressors {
    size_t count, place[REGRESS_MAX];
} regressors;

static bool is_regressor(const regressors *r, size_t channel)
{
    for (size_t i = 0; i < r->count; i++)
        if (r->place[i] == channel)
            return true;
    return false;
}

static congru_status find_regressors(congru_context *context, const char *names, const congru_epochs *epochs,
                                     regressors *r)
{
    *r = (regressors){0};
    for (const char *at = names;; at++) {
        char name[CONGRU_LABEL_SIZE] = "";
        size_t size = strcspn(at, ","), place = 0;
        memcpy(name, at, size < sizeof name ? size : sizeof name - 1);
        while (place < epochs->channels && !congru_channel_matches(epochs->channel_name[place], name))
            place++;
        if (place == epochs->channels)
            return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                               "no channel '%s' to regress out (name those of the file with --regress)", name);
        if (r->count == REGRESS_MAX || is_regressor(r, place))
            return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                               "--regress takes at most %d different channels, not '%s'", (int)REGRESS_MAX,
                               names);
        r->place[r->count++] = place;
        at += size;
        if (*at == '\0')
            break;
    }
    return r->count < epochs->channels
               ? CONGRU_OK
               : congru_fail(context, CONGRU_ERROR_ARGUMENT, "--regress leaves no channel of '%s'", names);
}

/* Sums over the samples of one subject's trials, each trial without its mean: of the regressors with each other and with
 * each channel. */
static void add_trial(const congru_epochs *epochs, size_t trial, const regressors *r, double *gram,
                      double *with)
{
    const size_t d = epochs->channels, n = epochs->samples;
    const double *x = epochs->data + trial * d * n;
    for (size_t a = 0; a < r->count; a++) {
        const double *eye = x + r->place[a] * n;
        double mean = 0;
        for (size_t t = 0; t < n; t++)
            mean += eye[t] / (double)n;
        for (size_t c = 0; c < d; c++) {
            double sum = 0;
            for (size_t t = 0; t < n; t++)
                sum += (eye[t] - mean) * x[c * n + t];
            with[a * d + c] += sum;
        }
        for (size_t b = 0; b < r->count; b++)
            gram[a * REGRESS_MAX + b] = with[a * d + r->place[b]];
    }
}

/* with (count, channels) becomes gram^-1 with, by elimination; false where the regressors depend on each other. */
static bool solve(const regressors *r, size_t d, double *gram, double *with)
{
    const size_t k = r->count;
    double largest = 0;
    for (size_t a = 0; a < k; a++)
        largest = fmax(largest, gram[a * REGRESS_MAX + a]);
    for (size_t a = 0; a < k; a++) { /* positive definite: no pivots are needed */
        if (!(gram[a * REGRESS_MAX + a] > 1e-12 * largest))
            return false;
        for (size_t b = 0; b < k; b++) {
            if (b == a)
                continue;
            const double factor = gram[b * REGRESS_MAX + a] / gram[a * REGRESS_MAX + a];
            for (size_t c = 0; c < k; c++)
                gram[b * REGRESS_MAX + c] -= factor * gram[a * REGRESS_MAX + c];
            for (size_t c = 0; c < d; c++)
                with[b * d + c] -= factor * with[a * d + c];
        }
    }
    for (size_t a = 0; a < k; a++)
        for (size_t c = 0; c < d; c++)
            with[a * d + c] /= gram[a * REGRESS_MAX + a];
    return true;
}

static void take_out(congru_epochs *epochs, size_t trial, const regressors *r, const double *coefficient)
{
    const size_t d = epochs->channels, n = epochs->samples;
    double *x = epochs->data + trial * d * n;
    for (size_t c = 0; c < d; c++) {
        if (is_regressor(r, c))
            continue;
        for (size_t a = 0; a < r->count; a++)
            for (size_t t = 0; t < n; t++)
                x[c * n + t] -= coefficient[a * d + c] * x[r->place[a] * n + t];
    }
}

static void leave_out(congru_epochs *epochs, const regressors *r)
{
    const size_t d = epochs->channels, n = epochs->samples;
    size_t kept = 0;
    for (size_t i = 0; i < epochs->count; i++)
        for (size_t c = 0; c < d; c++)
            if (!is_regressor(r, c))
                memmove(epochs->data + kept++ * n, epochs->data + (i * d + c) * n, n * sizeof(double));
    kept = 0;
    for (size_t c = 0; c < d; c++)
        if (!is_regressor(r, c))
            memmove(epochs->channel_name[kept++], epochs->channel_name[c], CONGRU_LABEL_SIZE);
    epochs->channels = kept;
}

/* The trials of one subject, or all where the file does not tell subjects apart. */
static congru_status regress_subject(congru_context *context, congru_epochs *epochs, int32_t subject,
                                     const regressors *r, double *with)
{
    double gram[REGRESS_MAX * REGRESS_MAX] = {0};
    memset(with, 0, r->count * epochs->channels * sizeof *with);
    for (size_t i = 0; i < epochs->count; i++)
        if (epochs->subject == NULL || epochs->subject[i] == subject)
            add_trial(epochs, i, r, gram, with);
    if (!solve(r, epochs->channels, gram, with))
        return congru_fail(
            context, CONGRU_ERROR_ARGUMENT,
            "the channels to regress out are flat, depend on each other or hold missing samples");
    for (size_t i = 0; i < epochs->count; i++)
        if (epochs->subject == NULL || epochs->subject[i] == subject)
            take_out(epochs, i, r, with);
    return CONGRU_OK;
}

congru_status congru_preprocess_regress(congru_context *context, const congru_preprocessing *p,
                                        congru_epochs *epochs)
{
    regressors r;
    if (p->regress[0] == '\0')
        return CONGRU_OK;
    if (epochs->covariances)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "--regress needs signals, these are covariances");
    congru_status status = find_regressors(context, p->regress, epochs, &r);
    if (status != CONGRU_OK)
        return status;
    double *with = calloc(r.count * epochs->channels, sizeof *with);
    if (with == NULL)
        return congru_fail_memory(context, "%zu channels", epochs->channels);
    const size_t subjects = epochs->subject != NULL ? epochs->subjects : 1;
    for (size_t s = 0; status == CONGRU_OK && s < subjects; s++)
        status = regress_subject(context, epochs, (int32_t)s, &r, with);
    free(with);
    if (status == CONGRU_OK)
        leave_out(epochs, &r);
    return status;
}
