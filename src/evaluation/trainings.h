/* Counts the steps that the networks of a fit take, for who watches. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_EVALUATION_TRAININGS_H
#define CONGRU_EVALUATION_TRAININGS_H

#include <stdatomic.h>

#include "evaluation/materials.h"

typedef struct congru_trainings {
    congru_context *context;
    const congru_material *material;
    atomic_size_t *taken;
    size_t training, step, counted;
    congru_progress next; /* the context's own; may be NULL */
    void *next_user;
} congru_trainings;

/* The steps of all networks that a fit of the material trains. */
size_t congru_trainings_steps(const congru_material *material);

/* Until the end the context's progress counts into *taken the steps of a fit of the material, and then asks who was asked before.
 * After the end all of them count, however early a training was over. */
void congru_trainings_begin(congru_context *context, const congru_material *material, atomic_size_t *taken,
                            congru_trainings *trainings);
void congru_trainings_end(congru_trainings *trainings);

#endif
