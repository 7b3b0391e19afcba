/* Loss and gradient checked, clipped and followed: Adam, and the best parameters. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/workspace.h"
#include "layer/training.h"

static const double momentum = 0.9, memory = 0.999, least_denominator = 1e-8;

/* The scratch of one task of any phase. */
static size_t scratch_size(const congru_training *t)
{
    congru_arena measure = {0};
    congru_step_work work;
    congru_step_work_layout(&measure, t, congru_kernel_vectors(t->kernel, CONGRU_STEP_CHUNK), &work);
    /* The logits of a chunk; the chains of a phase: derivatives by the weights and the reference, and those of two layer
     * matrices. */
    congru_take_lanes(&measure, t->kernel, congru_kernel_vectors(t->kernel, CONGRU_STEP_CHUNK), t->classes);
    const size_t matrix = t->largest * t->largest;
    congru_arena_take(&measure, CONGRU_GROUP * (t->classes + 1) * (t->stride + 1), sizeof(double));
    for (int k = 0; k < 8; k++)
        congru_arena_take(&measure, CONGRU_GROUP * matrix, sizeof(double));
    for (size_t layer = 0; layer < t->layers; layer++)
        congru_arena_take(&measure, CONGRU_STEP_CHUNK * matrix, sizeof(double));
    return measure.used;
}

static double squared_norm(size_t count, const double *x)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++)
        sum += x[i] * x[i];
    return sum;
}

congru_status congru_training_evaluate(congru_training *t)
{
    congru_status status = congru_scratch_reserve(t->context, scratch_size(t));
    if (status != CONGRU_OK)
        return status;
    memset(t->gradient, 0, t->size * sizeof(double));
    memset(t->failure, 0, t->chunks * sizeof t->failure[0]);
    for (size_t series = 0; series < CONGRU_SERIES_COUNT; series++)
        t->series[series] = NAN;
    for (size_t chunk = 0; chunk < t->chunks; chunk++) {
        t->low[chunk] = INFINITY;
        t->high[chunk] = -INFINITY;
    }
    status = t->model->evaluate(t);
    if (status != CONGRU_OK)
        return status;
    const double norm = sqrt(squared_norm(t->size, t->gradient));
    t->series[CONGRU_SERIES_GRADIENT_NORM] = norm;
    if (!isfinite(t->series[CONGRU_SERIES_LOSS]) || !isfinite(norm))
        return congru_fail(t->context, CONGRU_ERROR_NOT_FINITE,
                           "step %zu: the loss is %g and the gradient's norm %g (a smaller rate, or a smaller "
                           "clip, keeps them in range)",
                           t->step, t->series[CONGRU_SERIES_LOSS], norm);
    return CONGRU_OK;
}

void congru_training_keep_best(congru_training *t, double loss)
{
    if (!(loss < t->best_loss))
        return;
    t->best_loss = loss;
    t->best_step = t->step;
    memcpy(t->best, t->parameter, t->size * sizeof(double));
}

void congru_training_restore_best(congru_training *t)
{
    if (isfinite(t->best_loss))
        memcpy(t->parameter, t->best, t->size * sizeof(double));
}

/* x^n for whole n. */
static double power(double x, size_t n)
{
    double result = 1.0;
    for (; n > 0; n /= 2) {
        result = n % 2 == 1 ? result * x : result;
        x *= x;
    }
    return result;
}

void congru_training_update(congru_training *t)
{
    const double norm = t->series[CONGRU_SERIES_GRADIENT_NORM], clip = t->options.clip;
    const double factor = clip > 0.0 && norm + 1e-6 > clip ? clip / (norm + 1e-6) : 1.0;
    const double first = 1.0 - power(momentum, t->step + 1), second = sqrt(1.0 - power(memory, t->step + 1));
    const double rate = t->options.rate / first;
    for (size_t s = 0; s < t->segments; s++) {
        const congru_segment *segment = &t->segment[s];
        const double decay = segment->head ? t->options.decay : 0.0;
        for (size_t i = segment->offset; i < segment->offset + segment->rows * segment->cols; i++) {
            const double slope = t->gradient[i] * factor + decay * t->parameter[i];
            t->first_moment[i] = momentum * t->first_moment[i] + (1.0 - momentum) * slope;
            t->second_moment[i] = memory * t->second_moment[i] + (1.0 - memory) * (slope * slope);
            t->parameter[i] -=
                rate * t->first_moment[i] / (sqrt(t->second_moment[i]) / second + least_denominator);
        }
    }
    t->step++;
    const double kept = t->options.average;
    for (size_t i = 0; kept > 0.0 && i < t->size; i++)
        t->averaged[i] = kept * t->averaged[i] + (1.0 - kept) * t->parameter[i];
}

void congru_training_use_average(congru_training *t, double *aside)
{
    const double weights = 1.0 - power(t->options.average, t->step);
    if (aside != NULL)
        memcpy(aside, t->parameter, t->size * sizeof(double));
    for (size_t i = 0; t->step > 0 && i < t->size; i++)
        t->parameter[i] = t->averaged[i] / weights;
}
