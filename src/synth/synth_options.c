/* The generator's options: names, defaults, limits. SPDX-License-Identifier: Apache-2.0 */
#include "synth/synth_options.h"

#include <math.h>
#include <stdint.h>

#include "congru/spd.h"
#include "synth/synth_internal.h"

enum { SUBJECTS_MAX = 10000, TRIALS_MAX = 1000000 };

/* So that the fastest of the courses has samples enough. */
static const double slow_rate_least = 10.0;

const char *congru_synth_stage_name(congru_synth_stage stage)
{
    static const char *const names[] = {"shift", "dispersion", "orientation", "distortion", "fusion"};
    return (size_t)stage < sizeof names / sizeof names[0] ? names[stage] : NULL;
}

void congru_synth_options_init(congru_synth_options *options)
{
    if (options == NULL)
        return;
    *options = (congru_synth_options){
        .stage = CONGRU_SYNTH_SHIFT,
        .seed = 50,
        .subjects = 9,
        .trials = 40,
        .channels = 20,
        .separation = 1.0,
        .background = 0.5,
        .shift_noise = 0.05,
        .noise = 0.6,
        .warp = 2.0,
        .alpha = 0.5,
        .dispersion = 0.5,
        .rotation = 0.5,
        .gamma1 = 0.2,
        .gamma2 = 0.05,
        .delta = 0.05,
        .rho = 0.5,
        .jitter = 1e-5,
        .rate = 250.0,
        .slow = 0.0,
    };
}

/* Largest values are where matrices of any use end; beyond, the exponential would soon leave the doubles. */
const congru_synth_constant congru_synth_constants[] = {
    {"separation", offsetof(congru_synth_options, separation), 0.0, 100.0},
    {"background", offsetof(congru_synth_options, background), 0.0, 100.0},
    {"shift-noise", offsetof(congru_synth_options, shift_noise), 0.0, 100.0},
    {"noise", offsetof(congru_synth_options, noise), 0.0, 100.0},
    {"warp", offsetof(congru_synth_options, warp), 0.0, 100.0},
    {"alpha", offsetof(congru_synth_options, alpha), 0.0, 100.0},
    {"dispersion", offsetof(congru_synth_options, dispersion), 0.0, 100.0},
    {"rotation", offsetof(congru_synth_options, rotation), 0.0, 100.0},
    {"gamma1", offsetof(congru_synth_options, gamma1), -100.0, 100.0},
    {"gamma2", offsetof(congru_synth_options, gamma2), -100.0, 100.0},
    {"delta", offsetof(congru_synth_options, delta), -100.0, 100.0},
    {"rho", offsetof(congru_synth_options, rho), 0.0, 100.0},
    {"jitter", offsetof(congru_synth_options, jitter), 0.0, 100.0},
    {"slow", offsetof(congru_synth_options, slow), 0.0, 100.0},
    {NULL, 0, 0.0, 0.0},
};

double congru_synth_constant_value(const congru_synth_options *options, const congru_synth_constant *constant)
{
    return *(const double *)(const void *)((const char *)options + constant->offset);
}

static congru_status check_counts(congru_context *context, const congru_synth_options *options)
{
    if (options->subjects < 1 || options->subjects > SUBJECTS_MAX)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "synth: %zu subjects; it must be 1 to %d",
                           options->subjects, (int)SUBJECTS_MAX);
    if (options->trials < 1 || options->trials > TRIALS_MAX / options->subjects)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "synth: %zu trials of each class and subject; it must be 1 to %zu", options->trials,
                           TRIALS_MAX / options->subjects);
    if (options->channels <= CONGRU_SYNTH_SOURCES || options->channels > CONGRU_DIMENSION_MAX)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "synth: %zu channels; it must be %d to %d",
                           options->channels, CONGRU_SYNTH_SOURCES + 1, (int)CONGRU_DIMENSION_MAX);
    if (options->samples > 0 && options->samples <= options->channels)
        return congru_fail(
            context, CONGRU_ERROR_ARGUMENT,
            "synth: signals of %zu samples cannot have a covariance of %zu channels (more samples "
            "than channels are needed)",
            options->samples, options->channels);
    if (options->samples >
        PTRDIFF_MAX / sizeof(double) / 16 / (options->subjects * options->trials) / options->channels)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "synth: signals of %zu samples; memory ends before",
                           options->samples);
    return CONGRU_OK;
}

static congru_status check_slow(congru_context *context, const congru_synth_options *options)
{
    if (!(options->slow > 0.0))
        return CONGRU_OK;
    if (options->samples == 0)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "synth: slow potentials need signals (ask for samples)");
    if (options->rate < slow_rate_least)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "synth: a rate of %g; slow potentials need %g or more", options->rate,
                           slow_rate_least);
    const double needed =
        (double)congru_synth_slow_lead(options->rate) + ceil(options->rate * SYNTH_SLOW_MS / 1000.0);
    if ((double)options->samples < needed)
        return congru_fail(
            context, CONGRU_ERROR_ARGUMENT,
            "synth: signals of %zu samples are too short for slow potentials, which need %.0f at "
            "a rate of %g",
            options->samples, needed, options->rate);
    return CONGRU_OK;
}

congru_status congru_synth_check(congru_context *context, const congru_synth_options *options)
{
    if ((size_t)options->stage >= CONGRU_SYNTH_STAGES)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "synth: stage %d; it must be 0 to %d",
                           (int)options->stage, (int)CONGRU_SYNTH_STAGES - 1);
    CONGRU_TRY(check_counts(context, options));
    for (const congru_synth_constant *c = congru_synth_constants; c->name != NULL; c++) {
        double value = congru_synth_constant_value(options, c);
        if (!(value >= c->least && value <= c->most))
            return congru_fail(context, CONGRU_ERROR_ARGUMENT, "synth: %s is %g; it must be between %g and %g",
                               c->name, value, c->least, c->most);
    }
    if (options->samples > 0 && !(options->rate > 0.0 && isfinite(options->rate)))
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "synth: a rate of %g; signals need one above 0",
                           options->rate);
    return check_slow(context, options);
}
