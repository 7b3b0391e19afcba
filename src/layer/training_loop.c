/* The loop over steps, what is recorded of it, and which parameters come out. SPDX-License-Identifier: Apache-2.0 */
#include "layer/training_loop.h"

#include <math.h>
#include <string.h>

#include "base/crew.h"
#include "layer/watch.h"

enum { VALIDATE_EVERY = 10 };

/* The mean over the held-out subjects of the cross-entropy (of an aligner, the loss) of their trials. */
static congru_status validate(congru_training *t, double *loss)
{
    double sum = 0.0, count = 0.0;
    congru_status status = CONGRU_OK;
    for (size_t s = 0; status == CONGRU_OK && s < t->subjects; s++) {
        if (!t->held_out[s])
            continue;
        congru_training_take_subject(t, s);
        status = congru_training_evaluate(t);
        sum += t->series[t->end_to_end ? CONGRU_SERIES_CROSS_ENTROPY : CONGRU_SERIES_LOSS];
        count += 1.0;
    }
    *loss = sum / count;
    return status;
}

/* Keeps what is best for the held-out subjects: the parameters, or their average where there is one. */
static congru_status keep_validated(congru_training *t)
{
    double loss;
    const bool averages = t->options.average > 0.0;
    if (averages)
        congru_training_use_average(t, t->aside);
    congru_status status = validate(t, &loss);
    if (status == CONGRU_OK)
        congru_training_keep_best(t, loss);
    if (averages)
        memcpy(t->parameter, t->aside, t->size * sizeof(double));
    return status;
}

static congru_status one_step(congru_training *t, congru_record *record)
{
    const congru_context *context = t->context;
    const size_t steps = (size_t)t->options.steps;
    const bool validates = t->options.validation_subjects > 0;
    congru_status status = CONGRU_OK;
    t->stops = context->progress != NULL && !context->progress(context->progress_user, t->step, steps);
    if (t->stops && !congru_crew_shares(context->crew)) /* others have to hear of it, in the next exchange */
        return congru_fail(t->context, CONGRU_ERROR_CANCELLED, "stopped by the progress callback");
    if (validates && t->step % VALIDATE_EVERY == 0)
        status = keep_validated(t);
    if (status != CONGRU_OK)
        return status;
    t->watched = record != NULL || t->step % CONGRU_WATCH_EVERY == 0;
    congru_training_draw(t);
    status = congru_training_evaluate(t);
    if (status == CONGRU_OK)
        status = congru_watch_step(t);
    if (status != CONGRU_OK)
        return status;
    for (size_t series = 0; record != NULL && series < CONGRU_SERIES_COUNT; series++)
        record->value[series][t->step] = t->series[series];
    if (!validates)
        congru_training_keep_best(t, t->series[CONGRU_SERIES_LOSS]);
    congru_training_update(t);
    return CONGRU_OK;
}

congru_status congru_training_loop(congru_training *t, congru_record *record)
{
    const size_t steps = (size_t)t->options.steps;
    const bool validates = t->options.validation_subjects > 0;
    congru_status status = record != NULL ? congru_record_start(t->context, record, steps) : CONGRU_OK;
    while (status == CONGRU_OK && t->step < steps)
        status = one_step(t, record);
    if (status == CONGRU_OK && validates)
        status = keep_validated(t);
    if (status != CONGRU_OK)
        return status;
    if (t->options.average > 0.0 && !validates) {
        congru_training_use_average(t, NULL);
        t->best_step = steps;
    } else {
        congru_training_restore_best(t);
    }
    if (record != NULL)
        record->best_step = t->best_step;
    return CONGRU_OK;
}
