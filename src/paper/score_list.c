/* Collects numbers of experiments in the library's scores. SPDX-License-Identifier: Apache-2.0 */
#include "paper/score_list.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool congru_score_list_add(congru_scores_list *list, const char *dataset, const char *subject,
                           const char *pipeline, double number)
{
    return congru_scores_list_add(NULL, list, dataset, subject, pipeline, number) == CONGRU_OK;
}

static const congru_scores *find(const congru_scores_list *list, const char *dataset)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->item[i]->name, dataset) == 0)
            return list->item[i];
    return NULL;
}

double congru_score_value(const congru_scores *scores, size_t subject, const char *pipeline)
{
    return congru_scores_at(scores, CONGRU_SCORE_ACCURACY, congru_scores_find(scores, pipeline), subject);
}

size_t congru_score_list_pair(const congru_scores_list *list, const char *dataset, const char *pipeline_a,
                              const char *pipeline_b, double *a, double *b)
{
    const congru_scores *one = find(list, dataset);
    size_t count = 0;
    for (size_t t = 0; t < list->count; t++)
        for (size_t i = 0; (one == NULL || one == list->item[t]) && i < list->item[t]->subjects; i++) {
            a[count] = congru_score_value(list->item[t], i, pipeline_a);
            b[count] = congru_score_value(list->item[t], i, pipeline_b);
            count += isnan(a[count]) || isnan(b[count]) ? 0 : 1;
        }
    return count;
}

double congru_score_list_mean(const congru_scores_list *list, const char *dataset, const char *pipeline,
                              const char *prefix, double *deviation)
{
    const congru_scores *scores = find(list, dataset);
    const size_t subjects = scores != NULL ? scores->subjects : 0;
    double *value = calloc(subjects + 1, sizeof *value);
    for (size_t i = 0; value != NULL && i < subjects; i++) {
        bool wanted = prefix == NULL || strncmp(scores->subject[i], prefix, strlen(prefix)) == 0;
        value[i] = wanted ? congru_score_value(scores, i, pipeline) : NAN;
    }
    const congru_interval interval = congru_interval_of(subjects, value, 0.95);
    free(value);
    if (deviation != NULL)
        *deviation = interval.deviation;
    return interval.mean;
}

size_t congru_score_list_subjects(const congru_scores_list *list)
{
    size_t count = 0;
    for (size_t i = 0; i < list->count; i++)
        count += list->item[i]->subjects;
    return count;
}
