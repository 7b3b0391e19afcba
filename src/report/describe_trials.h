/* Trials by group and class, as a table. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_REPORT_DESCRIBE_TRIALS_H
#define CONGRU_REPORT_DESCRIBE_TRIALS_H

#include <stdbool.h>
#include <stdint.h>

#include "congru/recording.h"
#include "congru/table.h"

/* Columns of a set or of a file of trials, (count) each. A group is what two of them have in common: a subject's session, a
 * session's run. */
typedef struct trial_columns {
    size_t count;
    const char *heading[2];
    const int32_t *first, *second;
    const char (*first_name)[CONGRU_LABEL_SIZE]; /* by the first; NULL: its number */
    const int32_t *label;
    size_t classes;
    const char (*class_name)[CONGRU_LABEL_SIZE];
} trial_columns;

/* Adds a row for each group, in ascending order, with the number of trials of each class. False where memory ends. */
bool congru_describe_trials(const trial_columns *trials, congru_table *table);

#endif
