/* Puts made-up subjects together as a set that tells how it was made. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number_text.h"
#include "base/text.h"
#include "congru/version.h"
#include "synth/synth_internal.h"
#include "synth/synth_options.h"

/* ---- What the set says of itself ----------------------------------------------------------------------- */

/* The shortest of the forms that read back as the same number. */
static void tell_number(congru_text *meta, double number)
{
    char text[32];
    for (int digits = 1; digits <= 17; digits++) {
        congru_format(text, sizeof text, "%.*g", digits, number);
        if (congru_number_read(text, NULL) == number)
            break;
    }
    congru_text_add(meta, "%s", text);
}

/* Where the classes' slow potentials are, how many periods each has, from when to when, and which way by class. */
static void tell_slow(congru_text *meta)
{
    congru_text_add(meta, ", \"slow-channels\": [");
    for (size_t k = 0; k < CONGRU_SYNTH_SOURCES; k++)
        congru_text_add(meta, "%s\"%s\"", k > 0 ? ", " : "", congru_synth_slow_channel(k));
    congru_text_add(meta, "], \"slow-periods\": [1, 2, 3], \"slow-window\": [0, ");
    tell_number(meta, SYNTH_SLOW_MS / 1000.0);
    congru_text_add(meta, "], \"slow-signs\": {");
    for (size_t c = 0; c < CONGRU_SYNTH_CLASSES; c++) {
        const double *sign = congru_synth_corner[c];
        congru_text_add(meta, "%s\"c%zu\": [%d, %d, %d]", c > 0 ? ", " : "", c + 1, (int)sign[0], (int)sign[1],
                        (int)sign[2]);
    }
    congru_text_add(meta, "}");
}

static char *describe(const congru_synth_options *options)
{
    congru_text meta = {0};
    congru_text_add(&meta,
                    "{\"congru\": \"%s\", \"commit\": \"%s\", \"synth\": \"%s\", \"seed\": %" PRIu64
                    ", \"subjects\": %zu, \"trials\": %zu, \"channels\": %zu, \"samples\": %zu",
                    congru_version(), congru_version_commit(), congru_synth_stage_name(options->stage),
                    options->seed, options->subjects, options->trials, options->channels, options->samples);
    for (const congru_synth_constant *c = congru_synth_constants; c->name != NULL; c++) {
        congru_text_add(&meta, ", \"%s\": ", c->name);
        tell_number(&meta, congru_synth_constant_value(options, c));
    }
    if (options->slow > 0.0)
        tell_slow(&meta);
    congru_text_add(&meta, "}");
    if (meta.failed)
        congru_text_clear(&meta);
    return meta.data;
}

/* ---- The set ------------------------------------------------------------------------------------------- */

static bool allocate(congru_set *set)
{
    set->covariance =
        congru_memory_take(set->count * set->dimension * set->dimension * sizeof *set->covariance);
    set->label = calloc(set->count, sizeof *set->label);
    set->subject = calloc(set->count, sizeof *set->subject);
    set->session = calloc(set->count, sizeof *set->session);
    set->run = calloc(set->count, sizeof *set->run);
    set->class_name = calloc(set->classes, sizeof *set->class_name);
    set->subject_name = calloc(set->subjects, sizeof *set->subject_name);
    set->channel_name = calloc(set->dimension, sizeof *set->channel_name);
    if (set->samples > 0)
        set->signals = congru_memory_take(set->count * set->dimension * set->samples * sizeof *set->signals);
    return set->covariance != NULL && set->label != NULL && set->subject != NULL && set->session != NULL &&
           set->run != NULL && set->class_name != NULL && set->subject_name != NULL &&
           set->channel_name != NULL && (set->samples == 0 || set->signals != NULL);
}

static congru_set *create(const congru_synth_options *options)
{
    congru_set *set = calloc(1, sizeof *set);
    if (set == NULL)
        return NULL;
    set->count = options->subjects * options->trials * CONGRU_SYNTH_CLASSES;
    set->dimension = options->channels;
    set->samples = options->samples;
    set->rate = options->samples > 0 ? options->rate : 0.0;
    set->start =
        options->slow > 0.0 ? -(double)congru_synth_slow_lead(options->rate) / options->rate : (double)NAN;
    set->classes = CONGRU_SYNTH_CLASSES;
    set->subjects = options->subjects;
    set->meta = describe(options);
    if (set->meta == NULL || !allocate(set))
        congru_set_destroy(&set);
    return set;
}

static void name_all(const congru_synth_options *options, congru_set *set)
{
    for (size_t k = 0; k < set->classes; k++)
        snprintf(set->class_name[k], sizeof set->class_name[k], "c%zu", k + 1);
    for (size_t i = 0; i < set->subjects; i++)
        snprintf(set->subject_name[i], sizeof set->subject_name[i], "S%02zu", i + 1);
    for (size_t i = 0; i < set->dimension; i++)
        snprintf(set->channel_name[i], sizeof set->channel_name[i], "X%02zu", i + 1);
    for (size_t k = 0; k < CONGRU_SYNTH_SOURCES && options->slow > 0.0; k++)
        snprintf(set->channel_name[k], sizeof set->channel_name[k], "%s", congru_synth_slow_channel(k));
}

/* Matrices beyond the doubles come of constants that are too large; say so with what was found. */
static congru_status explain(congru_context *context, const char *subject, congru_status status)
{
    if (status != CONGRU_ERROR_NOT_FINITE && status != CONGRU_ERROR_NOT_POSITIVE)
        return status;
    char error[CONGRU_ERROR_TEXT_SIZE];
    snprintf(error, sizeof error, "%s", congru_context_error(context));
    return congru_fail(context, status, "synth: subject %s: %.800s (the constants are too large together)",
                       subject, error);
}

static congru_status fill(congru_context *context, const congru_synth_options *options, congru_set *set)
{
    const size_t d = set->dimension, each = options->trials * CONGRU_SYNTH_CLASSES;
    double *basis = malloc((d * d + d) * sizeof *basis);
    if (basis == NULL)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "synth: not enough memory for %zu channels", d);
    congru_synth_draw_basis(options, basis, basis + d * d);
    congru_status status = CONGRU_OK;
    for (size_t i = 0; i < set->subjects && status == CONGRU_OK; i++) {
        double *covariance = set->covariance + i * each * d * d;
        status = congru_synth_make_trials(context, options, i, basis, basis + d * d, covariance);
        if (status == CONGRU_OK && set->samples > 0)
            status = congru_synth_make_signals(context, options, i, each, covariance,
                                               set->signals + i * each * d * set->samples);
        status = explain(context, set->subject_name[i], status);
    }
    free(basis);
    for (size_t t = 0; t < set->count; t++) {
        set->subject[t] = (int32_t)(t / each);
        set->label[t] = (int32_t)(t % CONGRU_SYNTH_CLASSES);
    }
    return status;
}

congru_status congru_synth(congru_context *context, const congru_synth_options *options, congru_set **set)
{
    if (set != NULL)
        *set = NULL;
    if (context == NULL || options == NULL || set == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "congru_synth: context, options and set must not be NULL");
    CONGRU_TRY(congru_synth_check(context, options));
    congru_set *made = create(options);
    if (made == NULL)
        return congru_fail(context, CONGRU_ERROR_MEMORY,
                           "synth: not enough memory for %zu trials of %zu channels",
                           options->subjects * options->trials * CONGRU_SYNTH_CLASSES, options->channels);
    name_all(options, made);
    congru_status status = fill(context, options, made);
    if (status != CONGRU_OK)
        congru_set_destroy(&made);
    *set = made;
    return status;
}
