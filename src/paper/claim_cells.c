/* Cells of claims from lists of scores. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "paper/claims.h"

bool congru_claim_cell_room(congru_claim_cell *cell, size_t units)
{
    cell->unit = malloc((units + 1) * sizeof *cell->unit);
    cell->units = cell->unit != NULL ? units : 0;
    cell->failed |= cell->unit == NULL;
    for (size_t i = 0; i < cell->units; i++)
        cell->unit[i] = NAN;
    return cell->unit != NULL;
}

static const congru_scores *find_dataset(const congru_scores_list *list, const char *name)
{
    for (size_t t = 0; t < list->count; t++)
        if (strcmp(list->item[t]->name, name) == 0)
            return list->item[t];
    return NULL;
}

/* The mean over pipelines of one subject by name. */
static double value_of(const congru_scores *scores, const char *subject, const congru_names *pipelines)
{
    double sum = 0;
    for (size_t s = 0; s < scores->subjects; s++) {
        if (strcmp(scores->subject[s], subject) != 0)
            continue;
        for (size_t i = 0; i < pipelines->count; i++)
            sum += congru_score_value(scores, s, pipelines->item[i]);
        return sum / (double)pipelines->count;
    }
    return NAN;
}

/* Adds the subjects of one dataset, whose places in the order begin at `first`; returns how many have a number. */
static size_t add_dataset(congru_claim_cell *cell, const congru_scores *order, const congru_scores *scores,
                          size_t first, const congru_names *pipelines, double *sum)
{
    size_t count = 0;
    for (size_t s = 0; scores != NULL && s < order->subjects && first + s < cell->units; s++) {
        const double value = value_of(scores, order->subject[s], pipelines);
        cell->unit[first + s] = value;
        if (isnan(value))
            continue;
        *sum += value;
        count++;
    }
    return count;
}

static bool is_wanted(const char *name, const char *dataset, unsigned wanted)
{
    if (dataset != NULL)
        return strcmp(name, dataset) == 0;
    for (size_t i = 0; congru_paper_dataset_at(i) != NULL; i++)
        if (strcmp(name, congru_paper_dataset_at(i)) == 0)
            return (wanted >> i & 1) != 0;
    return false;
}

void congru_claim_cell_scores(congru_claim_cell *cell, const congru_scores_list *order,
                              const congru_scores_list *list, const char *dataset, unsigned wanted,
                              const char *pipelines)
{
    congru_names names = {0};
    double sum = 0;
    size_t count = 0, first = 0;
    bool whole = true;
    congru_names_split(&names, pipelines);
    for (size_t i = 0; congru_paper_dataset_at(i) != NULL; i++)
        if (is_wanted(congru_paper_dataset_at(i), dataset, wanted)) {
            cell->uses |= 1u << i;
            cell->absent |= find_dataset(order, congru_paper_dataset_at(i)) == NULL ? 1u << i : 0;
        }
    if (!congru_claim_cell_room(cell, congru_score_list_subjects(order)))
        return;
    for (size_t t = 0; t < order->count; t++) {
        const congru_scores *subjects = order->item[t];
        if (is_wanted(subjects->name, dataset, wanted)) {
            size_t own = add_dataset(cell, subjects, find_dataset(list, subjects->name), first, &names, &sum);
            whole = whole && own > 0;
            count += own;
        }
        first += subjects->subjects;
    }
    cell->number = whole && count > 0 && cell->absent == 0 ? sum / (double)count : NAN;
}

void congru_claim_cell_variant(congru_claim_cell *cell, const congru_scores_list *list, const char *variant,
                               const char *pipeline)
{
    congru_names names = {0};
    double sum = 0;
    congru_names_split(&names, pipeline);
    if (list->count == 0 || !congru_claim_cell_room(cell, list->item[0]->subjects))
        return;
    const size_t count = add_dataset(cell, list->item[0], find_dataset(list, variant), 0, &names, &sum);
    cell->number = count > 0 ? sum / (double)count : NAN;
}
