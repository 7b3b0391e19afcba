/* Which trials are of which class. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLASSIFIER_CLASS_TABLE_H
#define CONGRU_CLASSIFIER_CLASS_TABLE_H

#include <stdint.h>

#include "base/arena.h"
#include "congru/context.h"

typedef struct congru_class_table {
    size_t n, classes;
    size_t present; /* classes that have a trial */
    size_t *count;  /* (classes) */
    size_t *first;  /* (classes), where the class begins in `order` */
    size_t *order;  /* (n), the trials class by class, within a class as they came */
    congru_arena arena;
} congru_class_table;

/* Notes each class without a trial. A label that is no class, or fewer than two classes with trials, is
 * CONGRU_ERROR_ARGUMENT. The table is freed by congru_class_table_free, also after a failure. */
congru_status congru_class_table_make(congru_context *context, size_t n, const int32_t *label, size_t classes,
                                      congru_class_table *table);
void congru_class_table_free(congru_class_table *table);

#endif
