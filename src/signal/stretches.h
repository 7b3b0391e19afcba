/* The stretches of a signal that are not missing. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_SIGNAL_STRETCHES_H
#define CONGRU_SIGNAL_STRETCHES_H

#include <stdbool.h>
#include <stddef.h>

typedef struct congru_stretch {
    size_t first, count; /* samples */
} congru_stretch;

/* The first stretch of finite samples at or after `from`; false when there is none. An infinite sample cannot
 * be filtered and counts as missing, like NaN. */
bool congru_stretch_next(const double *signal, size_t samples, size_t from, congru_stretch *stretch);

/* One stretch that `rows` channels from the given row on have in common. */
typedef void (*congru_stretch_task)(void *user, size_t row, size_t rows, congru_stretch stretch);

/* Calls the task for every stretch of every row: for all rows at once as long as their stretches agree, from
 * there on row by row. What the task does to a row must not depend on its company. The task may overwrite the
 * stretch it is given. Returns whether any sample was missing. */
bool congru_stretches_visit(size_t rows, const double *const *row, size_t samples, congru_stretch_task task,
                            void *user);

/* NaN in place of every sample that is not finite. */
void congru_stretches_mark(double *signal, size_t samples);

#endif
