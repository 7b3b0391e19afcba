/* Trials and options that a network can be trained with. SPDX-License-Identifier: Apache-2.0 */
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

/* Each option is within its bounds (congru_method_options_check); this is what does not go together. */
static congru_status check_options(congru_context *context, bool end_to_end, size_t subjects,
                                   const congru_network_options *o)
{
    if ((size_t)o->validation_subjects >= subjects)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "%d subjects to validate with, of %zu: at least one must be left to train with",
                           o->validation_subjects, subjects);
    if (o->patience > 0 && o->validation_subjects == 0)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "a patience of %d looks at held-out subjects, and none are held out (hold some out "
                           "with --validation)",
                           o->patience);
    if (o->epochs > 0 && (o->balanced_batches || o->subject_dropout > 0.0))
        return congru_fail(
            context, CONGRU_ERROR_ARGUMENT,
            "%d epochs pass over all trials alike: balanced batches and dropped subjects are drawn "
            "by steps",
            o->epochs);
    if (o->ensemble > 1 && !end_to_end)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "an ensemble of %d: only end-to-end models have one",
                           o->ensemble);
    if (o->unconstrained && !end_to_end)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "unconstrained training has cross-entropy alone, which only end-to-end models have");
    return CONGRU_OK;
}

congru_status congru_training_check(congru_context *context, bool end_to_end, const congru_trials *trials,
                                    const congru_network_options *options)
{
    congru_status status = check_trials(context, trials);
    return status == CONGRU_OK ? check_options(context, end_to_end, trials->subjects, options) : status;
}
