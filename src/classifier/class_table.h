/* Which trials are of which class. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLASSIFIER_CLASS_TABLE_H
#define CONGRU_CLASSIFIER_CLASS_TABLE_H

#include "base/arena.h"
#include "model/trials.h"

typedef struct congru_class_table {
    size_t n, classes;
    size_t present; /* classes that have a trial */
    size_t *count;  /* (classes) */
    size_t *first;  /* (classes), where the class begins in `order` */
    size_t *order;  /* (n), the trials class by class, within a class as they came */
    congru_arena arena;
} congru_class_table;

/* A label that is no class, or fewer than two classes with trials, is
 * CONGRU_ERROR_ARGUMENT. The table is freed by congru_class_table_free, also after a failure. */
congru_status congru_class_table_make(congru_context *context, size_t n, const int32_t *label, size_t classes,
                                      congru_class_table *table);
void congru_class_table_free(congru_class_table *table);

/* Notes each class that has no trial in one of the folds, used (folds, trials); NULL: all trials are used. */
void congru_classes_note(congru_context *context, const congru_trials *trials, size_t folds, const bool *used);

#endif
