/* Tables of metrics, of classes and of the learning curve. SPDX-License-Identifier: Apache-2.0 */
#include "report/metric_columns.h"

#include <math.h>
#include <stdlib.h>

const congru_score congru_report_metrics[REPORT_METRICS] = {
    CONGRU_SCORE_ACCURACY,  CONGRU_SCORE_BALANCED, CONGRU_SCORE_KAPPA, CONGRU_SCORE_AUC,
    CONGRU_SCORE_PRECISION, CONGRU_SCORE_RECALL,   CONGRU_SCORE_F1,    CONGRU_SCORE_BITS};

bool congru_report_begins(congru_table *table, const char *label)
{
    if (table->columns > 0)
        return false;
    if (label != NULL)
        congru_table_column_text(table, "run", "Run");
    return true;
}

void congru_report_label(congru_table *table, const char *label)
{
    if (label != NULL)
        congru_table_text(table, label);
}

report_above congru_report_above(const report_run *run, size_t pipeline)
{
    report_above count = {0};
    for (size_t s = 0; s < run->results->subjects; s++) {
        const double above = congru_scores_at(run->scores, CONGRU_SCORE_ABOVE, pipeline, s);
        if (!isnan(above))
            count.of++;
        if (above > 0)
            count.above++;
    }
    return count;
}

bool congru_report_fill_metrics(const report_run *run, const char *label, size_t pipeline, congru_table *table)
{
    (void)pipeline;
    if (congru_report_begins(table, label)) {
        congru_table_column_text(table, "pipeline", "Pipeline");
        congru_known_add_columns(table, run->known);
        for (size_t i = 0; i < REPORT_METRICS; i++)
            congru_table_column_score(table, run->scores, congru_report_metrics[i]);
        congru_table_column_number(table, "above_chance", "Above chance", 1, 0);
        congru_table_column_number(table, "subjects", "of", 1, 0);
    }
    for (size_t i = 0; i < run->results->pipelines; i++) {
        const size_t p = run->order[i];
        const report_above above = congru_report_above(run, p);
        congru_report_label(table, label);
        congru_table_text(table, run->results->pipeline[p]);
        congru_known_add(table, run->known, run->scores, p);
        for (size_t k = 0; k < REPORT_METRICS; k++)
            congru_table_number(table, congru_report_mean(run, p, congru_report_metrics[k]));
        congru_table_number(table, above.of > 0 ? (double)above.above : NAN);
        congru_table_number(table, (double)run->mean[p].count);
    }
    return true;
}

bool congru_report_fill_classes(const report_run *run, const char *label, size_t pipeline, congru_table *table)
{
    return congru_table_add_classes(NULL, run->results, pipeline, label, table) == CONGRU_OK;
}

bool congru_report_fill_curve(const report_run *run, const char *label, size_t pipeline, congru_table *table)
{
    const congru_curve *curve = run->curve;
    (void)pipeline;
    if (curve == NULL)
        return false;
    if (congru_report_begins(table, label)) {
        congru_table_column_text(table, "pipeline", "Pipeline");
        congru_table_column_number(table, "calibration", "Labelled trials of each class", 1, 0);
        congru_table_column_number(table, "subjects", "Subjects", 1, 0);
        congru_table_column_number(table, "accuracy", "Accuracy (%)", 100, 1);
        congru_table_column_number(table, "deviation", "Deviation (%)", 100, 1);
        congru_table_join(table);
        congru_table_column_number(table, "low", "95 % from", 100, 1);
        congru_table_column_number(table, "high", "to", 100, 1);
    }
    for (size_t p = 0; p < run->results->pipelines; p++)
        for (size_t i = 0; i < curve->count; i++) {
            const char *name = run->results->pipeline[run->order[p]];
            const congru_interval mean = congru_curve_mean(curve, i, name, CONGRU_SCORE_ACCURACY);
            congru_report_label(table, label);
            congru_table_text(table, name);
            const double number[] = {curve->number[i], (double)mean.count, mean.mean,
                                     mean.deviation,   mean.low,           mean.high};
            for (size_t k = 0; k < sizeof number / sizeof number[0]; k++)
                congru_table_number(table, number[k]);
        }
    return true;
}
