/* What tables and figures say of pipelines that looked at labels, or are scored on other trials. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_REPORT_KNOWN_COLUMNS_H
#define CONGRU_REPORT_KNOWN_COLUMNS_H

#include "congru/statistics.h"
#include "congru/table.h"

/* Which columns there are: those that tell pipelines apart. Scores of several runs in one table are put together. */
typedef struct known_columns {
    bool labels; /* a pipeline looked at labels of target subjects */
    bool trials; /* pipelines are not scored on the same trials */
} known_columns;

void congru_known_include(known_columns *known, const congru_scores *scores);

/* Labels and trials of a pipeline; its accuracy on the trials that all are scored on. Columns, and cells of a row. */
void congru_known_add_columns(congru_table *table, known_columns known);
void congru_known_add(congru_table *table, known_columns known, const congru_scores *scores, size_t pipeline);
void congru_known_add_common_column(congru_table *table, known_columns known, int decimals);
void congru_known_add_common(congru_table *table, known_columns known, const congru_scores *scores,
                             size_t pipeline);

/* The mean over subjects of the accuracy on the trials that all are scored on. */
double congru_known_common(const congru_scores *scores, size_t pipeline);

enum { KNOWN_NAME_SIZE = CONGRU_SCORE_NAME_SIZE + CONGRU_MARK_SIZE + 4 };

/* The pipeline's name with its mark: "rpa+mdm, 20 labels". */
void congru_known_name(const congru_scores *scores, size_t pipeline, char name[KNOWN_NAME_SIZE]);

/* What the columns are, below the table. */
void congru_known_note(congru_table *table, known_columns known);

#endif
