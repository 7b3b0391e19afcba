/* The loop over steps, what is recorded of it, and what it watches for. SPDX-License-Identifier: Apache-2.0 */
#include "layer/training_loop.h"

#include <math.h>

enum { WATCH_EVERY = 100 };

static void look_at_eigenvalues(congru_training *t)
{
    double low = INFINITY, high = -INFINITY;
    for (size_t chunk = 0; chunk < t->chunks; chunk++) {
        low = t->low[chunk] < low ? t->low[chunk] : low;
        high = t->high[chunk] > high ? t->high[chunk] : high;
    }
    t->series[CONGRU_SERIES_EIGEN_LEAST] = low;
    t->series[CONGRU_SERIES_EIGEN_LARGEST] = high;
}

static congru_status one_step(congru_training *t, congru_record *record)
{
    const congru_context *context = t->context;
    const size_t steps = (size_t)t->options.steps;
    if (context->progress != NULL && !context->progress(context->progress_user, t->step, steps))
        return congru_fail(t->context, CONGRU_ERROR_CANCELLED, "stopped by the progress callback");
    t->watched = record != NULL || t->step % WATCH_EVERY == 0;
    congru_training_draw(t);
    congru_status status = congru_training_evaluate(t);
    if (status != CONGRU_OK)
        return status;
    if (t->watched)
        look_at_eigenvalues(t);
    for (size_t series = 0; record != NULL && series < CONGRU_SERIES_COUNT; series++)
        record->value[series][t->step] = t->series[series];
    congru_training_keep_best(t);
    congru_training_update(t);
    return CONGRU_OK;
}

congru_status congru_training_loop(congru_training *t, congru_record *record)
{
    const size_t steps = (size_t)t->options.steps;
    congru_status status = record != NULL ? congru_record_start(t->context, record, steps) : CONGRU_OK;
    while (status == CONGRU_OK && t->step < steps)
        status = one_step(t, record);
    if (status != CONGRU_OK)
        return status;
    congru_training_restore_best(t);
    if (record != NULL)
        record->best_step = t->best_step;
    return CONGRU_OK;
}
