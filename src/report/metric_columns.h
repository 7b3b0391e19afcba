/* Which metrics a report shows, and tables of them. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_REPORT_METRIC_COLUMNS_H
#define CONGRU_REPORT_METRIC_COLUMNS_H

#include "report/report_internal.h"

enum { REPORT_METRICS = 8 };
extern const congru_score congru_report_metrics[REPORT_METRICS];

/* Subjects above their level of chance, of those that have one. */
typedef struct report_above {
    size_t above, of;
} report_above;

report_above congru_report_above(const report_run *run, size_t pipeline);

/* A column of a metric in the unit of the scores; a note says how long a trial is where that counts. */
void congru_table_column_score(congru_table *table, const congru_scores *scores, congru_score metric);

/* congru_table_of_classes, after a column that names the run where there is a label; columns, unless the table has them. */
congru_status congru_table_add_classes(congru_context *context, const congru_results *results, size_t pipeline,
                                       const char *label, congru_table *table);

/* Tables as tables.c has them: columns, unless the table has them, and rows; false when the run does not hold what it takes. */
bool congru_report_fill_metrics(const report_run *run, const char *label, size_t pipeline, congru_table *table);
bool congru_report_fill_classes(const report_run *run, const char *label, size_t pipeline, congru_table *table);
bool congru_report_fill_curve(const report_run *run, const char *label, size_t pipeline, congru_table *table);

/* The first column names the run where there are several; false when the table has its columns. */
bool congru_report_begins(congru_table *table, const char *label);
void congru_report_label(congru_table *table, const char *label);

#endif
