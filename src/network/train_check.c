/* Trials and options that a network can be trained with. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "base/error.h"
#include "network/train.h"

static congru_status check_trials(congru_context *context, const congru_trials *trials)
{
    congru_status status = congru_check_shape(context, trials->count, trials->d);
    size_t present = 0;
    for (size_t k = 0; status == CONGRU_OK && k < trials->classes; k++) {
        size_t i = 0;
        while (i < trials->count && trials->label[i] != (int32_t)k)
            i++;
        present += i < trials->count;
    }
    if (status == CONGRU_OK && present < 2)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "a network needs trials of at least two classes, and there are trials of %zu",
                           present);
    for (size_t i = 0; status == CONGRU_OK && i < trials->count; i++) {
        if (trials->label[i] < 0 || (size_t)trials->label[i] >= trials->classes || trials->subject[i] < 0 ||
            (size_t)trials->subject[i] >= trials->subjects)
            status =
                congru_fail(context, CONGRU_ERROR_ARGUMENT, "trial %zu: class or subject out of range", i + 1);
    }
    return status;
}

static congru_status check_extras(congru_context *context, bool end_to_end, size_t subjects,
                                  const congru_network_options *o)
{
    const double shares[] = {o->label_smoothing, o->subject_dropout, o->average};
    for (size_t k = 0; k < sizeof shares / sizeof shares[0]; k++) {
        if (!(shares[k] >= 0.0 && shares[k] < 1.0))
            return congru_fail(
                context, CONGRU_ERROR_ARGUMENT,
                "a share of %g: label smoothing, subject dropout and the average's decay are 0 to below 1",
                shares[k]);
    }
    if (o->validation_subjects < 0 || (size_t)o->validation_subjects >= subjects)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "%d subjects to validate with, of %zu: at least one must be left to train with",
                           o->validation_subjects, subjects);
    if (o->ensemble < 0 || (o->ensemble > 1 && !end_to_end))
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "an ensemble of %d: it must be 1 or more, and only end-to-end models have one",
                           o->ensemble);
    return CONGRU_OK;
}

static congru_status check_options(congru_context *context, bool end_to_end, const congru_network_options *o)
{
    const int steps = o->dct_steps < 0 ? o->dct_steps : o->steps;
    if (steps < 0 || o->batch < 1)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "%d steps in batches of %d: steps must be 0 or more and a batch 1 or more", steps,
                           o->batch);
    const double least[] = {
        o->rate,          o->decay,       o->clip,           o->action,           o->subject,
        o->within,        o->between,     o->reconstruction, o->cross_entropy,    o->ratio,
        o->subject_ratio, o->ratio_floor, o->gamma_penalty,  o->rotation_penalty, o->centre_penalty,
        o->layer_jitter,  o->head_jitter, o->floor};
    for (size_t k = 0; k < sizeof least / sizeof least[0]; k++) {
        const double x = least[k];
        if (!(x >= 0.0 && isfinite(x)))
            return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                               "a rate, weight or jitter of %g: they must be finite and 0 or more", x);
    }
    if (o->unconstrained && !end_to_end)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "unconstrained training has cross-entropy alone, which only end-to-end models have");
    return CONGRU_OK;
}

congru_status congru_training_check(congru_context *context, bool end_to_end, const congru_trials *trials,
                                    const congru_network_options *options)
{
    congru_status status = check_trials(context, trials);
    if (status == CONGRU_OK)
        status = check_options(context, end_to_end, options);
    return status == CONGRU_OK ? check_extras(context, end_to_end, trials->subjects, options) : status;
}
