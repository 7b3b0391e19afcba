/* Metrics, the level of chance and the learning curve, for the page. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "report/json_pieces.h"
#include "report/metric_columns.h"

/* {"about": what each metric is, "mean": by pipeline, over subjects}. */
static void add_means(congru_text *text, const report_run *run)
{
    congru_report_add_name(text, "metrics");
    congru_text_add(text, "{\"about\":[");
    for (size_t i = 0; i < REPORT_METRICS; i++) {
        const congru_score_about about = congru_scores_describe(run->scores, congru_report_metrics[i]);
        congru_text_add(text, "%s{\"title\":", i > 0 ? ",\n" : "");
        congru_text_add_json(text, about.title);
        congru_text_add(text, ",\"text\":");
        congru_text_add_json(text, about.text);
        congru_text_add(text, ",\"scale\":%g,\"decimals\":%d}", about.scale, about.decimals);
    }
    congru_text_add(text, "],\n\"mean\":[");
    for (size_t p = 0; p < run->results->pipelines; p++) {
        congru_text_add(text, p > 0 ? ",\n[" : "[");
        for (size_t i = 0; i < REPORT_METRICS; i++) {
            congru_text_add(text, i > 0 ? "," : "");
            congru_text_add_number(text, congru_report_mean(run, run->order[p], congru_report_metrics[i]), 17);
        }
        congru_text_add(text, "]");
    }
    congru_text_add(text, "]}");
}

/* The level of chance: the least and the largest over subjects, and how many of how many are above theirs; null where the
 * classes are not known. */
static void add_levels(congru_text *text, const report_run *run)
{
    const double *level = run->scores->value[CONGRU_SCORE_CHANCE];
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < run->results->pipelines * run->results->subjects; i++) {
        low = level[i] < low ? level[i] : low;
        high = level[i] > high ? level[i] : high;
    }
    congru_report_add_name(text, "levels");
    if (!(low <= high)) {
        congru_text_add(text, "null");
        return;
    }
    congru_text_add(text, "{\"low\":");
    congru_text_add_number(text, low, 17);
    congru_report_add_number(text, "high", high);
    congru_report_add_cells(text, "above", run, run->scores->value[CONGRU_SCORE_ABOVE]);
    congru_report_add_name(text, "count");
    congru_text_add(text, "[");
    for (size_t p = 0; p < run->results->pipelines; p++) {
        const report_above above = congru_report_above(run, run->order[p]);
        congru_text_add(text, "%s{\"above\":%zu,\"of\":%zu}", p > 0 ? "," : "", above.above, above.of);
    }
    congru_text_add(text, "]}");
}

/* by_class[pipeline][class], null for a pipeline without predictions. */
static void add_classes(congru_text *text, const report_run *run)
{
    const size_t classes = run->results->classes;
    congru_class_metrics *of = calloc(classes + 1, sizeof *of);
    congru_report_add_name(text, "by_class");
    text->failed = text->failed || of == NULL;
    if (of == NULL || classes == 0) {
        congru_text_add(text, "null");
        free(of);
        return;
    }
    congru_text_add(text, "[");
    for (size_t p = 0; p < run->results->pipelines; p++) {
        congru_text_add(text, p > 0 ? ",\n" : "");
        const congru_status status = congru_results_classes(NULL, run->results, run->order[p], of);
        if (status != CONGRU_OK) {
            text->failed = text->failed || status == CONGRU_ERROR_MEMORY;
            congru_text_add(text, "null");
            continue;
        }
        for (size_t k = 0; k < classes; k++) {
            congru_text_add(text, "%s{\"trials\":%zu,\"predicted\":%zu", k > 0 ? "," : "[", of[k].trials,
                            of[k].predicted);
            congru_report_add_number(text, "precision", of[k].precision);
            congru_report_add_number(text, "recall", of[k].recall);
            congru_report_add_number(text, "f1", of[k].f1);
            congru_report_add_number(text, "auc", of[k].auc);
            congru_text_add(text, "}");
        }
        congru_text_add(text, "]");
    }
    congru_text_add(text, "]");
    free(of);
}

/* {"numbers": of labelled target trials, "points": by pipeline and number}; null without a curve. */
static void add_curve(congru_text *text, const report_run *run)
{
    const congru_curve *curve = run->curve;
    congru_report_add_name(text, "curve");
    if (curve == NULL) {
        congru_text_add(text, "null");
        return;
    }
    congru_text_add(text, "{\"numbers\":[");
    for (size_t i = 0; i < curve->count; i++)
        congru_text_add(text, "%s%d", i > 0 ? "," : "", curve->number[i]);
    congru_text_add(text, "],\n\"points\":[");
    for (size_t p = 0; p < run->results->pipelines; p++) {
        congru_text_add(text, p > 0 ? ",\n" : "");
        for (size_t i = 0; i < curve->count; i++) {
            const congru_interval mean =
                congru_curve_mean(curve, i, run->results->pipeline[run->order[p]], CONGRU_SCORE_ACCURACY);
            congru_text_add(text, i > 0 ? ",{" : "[{");
            congru_report_add_interval(text, &mean);
            congru_text_add(text, "}");
        }
        congru_text_add(text, "]");
    }
    congru_text_add(text, "]}");
}

void congru_report_add_metrics(congru_text *text, const report_run *run)
{
    add_means(text, run);
    add_levels(text, run);
    add_classes(text, run);
    add_curve(text, run);
}
