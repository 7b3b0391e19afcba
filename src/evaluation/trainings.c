/* Counts the steps that the networks of a fit take. SPDX-License-Identifier: Apache-2.0 */
#include "evaluation/trainings.h"

#include "base/error.h"
#include "evaluation/workers.h"

/* Those of the networks before one of them. */
static size_t steps_before(const congru_material *material, size_t training)
{
    size_t sum = 0, steps;
    for (size_t i = 0; i < training && (steps = congru_material_steps(material, i)) > 0; i++)
        sum += steps;
    return sum;
}

size_t congru_trainings_steps(const congru_material *material)
{
    return steps_before(material, SIZE_MAX);
}

static void count_to(congru_trainings *t, size_t steps)
{
    atomic_fetch_add(t->taken, steps - t->counted);
    t->counted = steps;
}

static bool count_step(void *user, size_t done, size_t total)
{
    congru_trainings *t = user;
    congru_training_follow(congru_material_steps(t->material, t->training),
                           congru_material_steps(t->material, t->training + 1), done, total, &t->training,
                           &t->step);
    count_to(t, steps_before(t->material, t->training) + t->step);
    return t->next == NULL || t->next(t->next_user, done, total);
}

void congru_trainings_begin(congru_context *context, const congru_material *material, atomic_size_t *taken,
                            congru_trainings *trainings)
{
    *trainings = (congru_trainings){.context = context,
                                    .material = material,
                                    .taken = taken,
                                    .next = context->progress,
                                    .next_user = context->progress_user};
    context->progress = count_step;
    context->progress_user = trainings;
}

void congru_trainings_end(congru_trainings *trainings)
{
    trainings->context->progress = trainings->next;
    trainings->context->progress_user = trainings->next_user;
    count_to(trainings, congru_trainings_steps(trainings->material));
}
