/* Sorting trials by class. SPDX-License-Identifier: Apache-2.0 */
#include "classifier/class_table.h"

#include <string.h>

#include "base/workspace.h"

static void lay_out(congru_class_table *table)
{
    table->count = congru_arena_take(&table->arena, table->classes, sizeof *table->count);
    table->first = congru_arena_take(&table->arena, table->classes, sizeof *table->first);
    table->order = congru_arena_take(&table->arena, table->n, sizeof *table->order);
}

static congru_status count(congru_context *context, const int32_t *label, congru_class_table *table)
{
    memset(table->count, 0, table->classes * sizeof *table->count);
    for (size_t i = 0; i < table->n; i++) {
        if (label[i] < 0 || (size_t)label[i] >= table->classes)
            return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                               "trial %zu of %zu has label %d: with %zu classes, labels are 0 to %zu", i + 1,
                               table->n, (int)label[i], table->classes, table->classes - 1);
        table->count[label[i]]++;
    }
    for (size_t k = 0; k < table->classes; k++)
        table->present += table->count[k] > 0;
    if (table->present < 2)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "%zu of %zu classes have trials: a classifier needs trials of two or more",
                           table->present, table->classes);
    return CONGRU_OK;
}

void congru_classes_note(congru_context *context, const congru_trials *trials, size_t folds, const bool *used)
{
    for (size_t f = 0; f < folds; f++)
        for (size_t k = 0; k < trials->classes; k++) {
            bool any = false;
            for (size_t i = 0; i < trials->count && !any; i++)
                any = (used == NULL || used[f * trials->count + i]) && (size_t)trials->label[i] == k;
            if (!any)
                congru_note(context, "%s has no training trial: its probability is 0",
                            congru_class_named(trials->class_name, k).text);
        }
}

congru_status congru_class_table_make(congru_context *context, size_t n, const int32_t *label, size_t classes,
                                      congru_class_table *table)
{
    *table = (congru_class_table){.n = n, .classes = classes};
    if (classes < 2)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "%s: a classifier needs two or more",
                           congru_count(classes, "class").text);
    lay_out(table);
    if (congru_arena_reserve(&table->arena, table->arena.used) != CONGRU_OK)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "no memory to sort %zu trials of %zu classes", n,
                           classes);
    lay_out(table);
    CONGRU_TRY(congru_workspace_check(context, &table->arena));
    CONGRU_TRY(count(context, label, table));
    for (size_t k = 0, first = 0; k < classes; first += table->count[k++])
        table->first[k] = first;
    for (size_t i = 0; i < n; i++)
        table->order[table->first[label[i]]++] = i;
    for (size_t k = 0; k < classes; k++)
        table->first[k] -= table->count[k];
    return CONGRU_OK;
}

void congru_class_table_free(congru_class_table *table)
{
    congru_arena_free(&table->arena);
}
