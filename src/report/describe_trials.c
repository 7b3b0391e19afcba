/* Counts trials by group and class. SPDX-License-Identifier: Apache-2.0 */
#include "report/describe_trials.h"

#include <stdlib.h>
#include <string.h>

typedef int32_t group_key[2];

static int compare_keys(const void *a, const void *b)
{
    const int32_t *left = a, *right = b;
    for (int i = 0; i < 2; i++)
        if (left[i] != right[i])
            return left[i] < right[i] ? -1 : 1;
    return 0;
}

/* The groups there are, in ascending order: how many. */
static size_t find_groups(const trial_columns *trials, group_key *key)
{
    size_t count = 0;
    for (size_t i = 0; i < trials->count; i++) {
        key[i][0] = trials->first[i];
        key[i][1] = trials->second[i];
    }
    qsort(key, trials->count, sizeof *key, compare_keys);
    for (size_t i = 0; i < trials->count; i++)
        if (i == 0 || compare_keys(key[count - 1], key[i]) != 0)
            memcpy(key[count++], key[i], sizeof key[i]);
    return count;
}

static void add_row(const trial_columns *trials, const group_key key, const size_t *counts, congru_table *table)
{
    if (trials->first_name != NULL)
        congru_table_text(table, trials->first_name[key[0]]);
    else
        congru_table_format_text(table, "%d", (int)key[0]);
    congru_table_format_text(table, "%d", (int)key[1]);
    for (size_t c = 0; c < trials->classes; c++)
        congru_table_format_text(table, "%zu", counts[c]);
}

bool congru_describe_trials(const trial_columns *trials, congru_table *table)
{
    group_key *key = calloc(trials->count + 1, sizeof *key);
    const size_t groups = key != NULL ? find_groups(trials, key) : 0;
    size_t *counts = calloc(groups * trials->classes + 1, sizeof *counts);
    const bool well = key != NULL && counts != NULL;
    congru_table_headings(table, 2, trials->heading);
    for (size_t c = 0; c < trials->classes; c++)
        congru_table_column_text(table, trials->class_name[c], NULL);
    for (size_t i = 0; well && i < trials->count; i++) {
        const group_key own = {trials->first[i], trials->second[i]};
        const group_key *found = bsearch(own, key, groups, sizeof *key, compare_keys);
        counts[(size_t)(found - (const group_key *)key) * trials->classes + (size_t)trials->label[i]]++;
    }
    for (size_t g = 0; well && g < groups; g++)
        add_row(trials, key[g], counts + g * trials->classes, table);
    free(key);
    free(counts);
    return well;
}
