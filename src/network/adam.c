/* Adam, a moving average, and the best parameters. SPDX-License-Identifier: Apache-2.0 */
#include "network/adam.h"

#include <math.h>
#include <string.h>

static const double momentum = 0.9, memory = 0.999, least_denominator = 1e-8;

void congru_adam_layout(congru_arena *arena, const congru_parameters *p, congru_adam *adam)
{
    double **vectors[] = {&adam->first_moment, &adam->second_moment, &adam->best, &adam->averaged,
                          &adam->aside};
    for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++)
        *vectors[k] = congru_arena_take(arena, p->size + CONGRU_GROUP, sizeof(double));
}

void congru_adam_start(const congru_parameters *p, congru_adam *adam)
{
    memset(adam->averaged, 0, p->size * sizeof(double));
    memset(adam->first_moment, 0, p->size * sizeof(double));
    memset(adam->second_moment, 0, p->size * sizeof(double));
    adam->best_loss = INFINITY;
}

void congru_adam_keep_best(congru_adam *adam, const congru_parameters *p, double loss, size_t step)
{
    if (!(loss < adam->best_loss))
        return;
    adam->best_loss = loss;
    adam->best_step = step;
    memcpy(adam->best, p->value, p->size * sizeof(double));
}

void congru_adam_restore_best(const congru_adam *adam, congru_parameters *p)
{
    if (isfinite(adam->best_loss))
        memcpy(p->value, adam->best, p->size * sizeof(double));
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

void congru_adam_update(congru_adam *adam, congru_parameters *p, double norm)
{
    const double factor = adam->clip > 0.0 && norm + 1e-6 > adam->clip ? adam->clip / (norm + 1e-6) : 1.0;
    const size_t step = ++adam->steps;
    const double first = 1.0 - power(momentum, step), second = sqrt(1.0 - power(memory, step));
    const double rate = adam->rate / first;
    for (size_t s = 0; s < p->segments; s++) {
        const congru_segment *segment = &p->segment[s];
        const double decay = segment->head ? adam->decay : 0.0;
        for (size_t i = segment->offset; i < segment->offset + segment->rows * segment->cols; i++) {
            const double slope = p->gradient[i] * factor + decay * p->value[i];
            adam->first_moment[i] = momentum * adam->first_moment[i] + (1.0 - momentum) * slope;
            adam->second_moment[i] = memory * adam->second_moment[i] + (1.0 - memory) * (slope * slope);
            p->value[i] -=
                rate * adam->first_moment[i] / (sqrt(adam->second_moment[i]) / second + least_denominator);
        }
    }
    for (size_t i = 0; adam->kept > 0.0 && i < p->size; i++)
        adam->averaged[i] = adam->kept * adam->averaged[i] + (1.0 - adam->kept) * p->value[i];
}

void congru_adam_use_average(congru_adam *adam, congru_parameters *p)
{
    const double weights = 1.0 - power(adam->kept, adam->steps);
    memcpy(adam->aside, p->value, p->size * sizeof(double));
    for (size_t i = 0; adam->steps > 0 && i < p->size; i++)
        p->value[i] = adam->averaged[i] / weights;
}
