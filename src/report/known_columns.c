/* What tables and figures say of pipelines that looked at labels, or are scored on other trials. SPDX-License-Identifier: Apache-2.0 */
#include "report/known_columns.h"

#include <math.h>

#include "base/number_text.h"

void congru_known_include(known_columns *known, const congru_scores *scores)
{
    for (size_t p = 0; p < scores->pipelines; p++)
        known->labels = known->labels || scores->labels[p] > 0;
    known->trials = known->trials || scores->common != NULL;
}

void congru_known_add_columns(congru_table *table, known_columns known)
{
    if (known.labels)
        congru_table_column_number(table, "target_labels", "labels", 1, 0);
    if (known.trials)
        congru_table_column_number(table, "scored_trials", "trials", 1, 0);
}

void congru_known_add(congru_table *table, known_columns known, const congru_scores *scores, size_t pipeline)
{
    if (known.labels)
        congru_table_number(table, (double)scores->labels[pipeline]);
    if (known.trials)
        congru_table_number(table, (double)congru_scores_shared(scores, pipeline, pipeline));
}

void congru_known_add_common_column(congru_table *table, known_columns known, int decimals)
{
    if (known.trials)
        congru_table_column_number(table, "common_accuracy", "in common %", 100, decimals);
}

double congru_known_common(const congru_scores *scores, size_t pipeline)
{
    double sum = 0;
    size_t count = 0;
    for (size_t s = 0; s < scores->subjects; s++) {
        const double own = congru_scores_common(scores, pipeline, scores->pipelines, s);
        sum += isnan(own) ? 0 : own;
        count += isnan(own) ? 0 : 1;
    }
    return count > 0 ? sum / (double)count : NAN;
}

void congru_known_add_common(congru_table *table, known_columns known, const congru_scores *scores,
                             size_t pipeline)
{
    if (known.trials)
        congru_table_number(table, congru_known_common(scores, pipeline));
}

void congru_known_name(const congru_scores *scores, size_t pipeline, char name[KNOWN_NAME_SIZE])
{
    char mark[CONGRU_MARK_SIZE];
    congru_scores_mark(scores, pipeline, mark);
    congru_format(name, KNOWN_NAME_SIZE, "%s%s%s", scores->pipeline[pipeline], mark[0] != '\0' ? ", " : "",
                  mark);
}

void congru_known_note(congru_table *table, known_columns known)
{
    if (known.labels)
        congru_table_note(table, "labels: labelled trials of each target subject that a pipeline looked at, "
                                 "which are not scored");
    if (known.trials)
        congru_table_note(table, "in common: accuracy on the trials that all pipelines are scored on, which "
                                 "comparisons and z are of");
}
