/* Tables of scores, of subjects, of classes and of comparisons. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array/file_write.h"
#include "base/error.h"
#include "report/known_columns.h"
#include "report/metric_columns.h"
#include "report/table_write.h"

static congru_status finish(congru_context *context, const congru_table *table)
{
    return table->failed ? congru_fail_memory(context, "a table") : CONGRU_OK;
}

/* Whether scores of subjects with few trials are in the pipeline's mean. */
static bool has_few(const congru_scores *scores, size_t pipeline)
{
    for (size_t s = 0; s < scores->subjects; s++)
        if (scores->few[s] && !isnan(congru_scores_at(scores, CONGRU_SCORE_ACCURACY, pipeline, s)))
            return true;
    return false;
}

void congru_table_column_score(congru_table *table, const congru_scores *scores, congru_score metric)
{
    const congru_score_about about = congru_scores_describe(scores, metric);
    congru_table_column_number(table, about.name, about.title, about.scale, about.decimals);
    if (metric == CONGRU_SCORE_BITS && scores->trial_seconds > 0)
        congru_table_note(table, scores->transfer);
}

static void add_metric_columns(congru_table *table, const congru_scores *scores, size_t count,
                               const congru_score *metric, bool with_z, known_columns known)
{
    congru_table_column_text(table, "pipeline", "pipeline");
    congru_table_column_number(table, "subjects", "subjects", 1, 0);
    congru_known_add_columns(table, known);
    for (size_t i = 0; i < count; i++) {
        congru_table_column_score(table, scores, metric[i]);
        if (metric[i] != CONGRU_SCORE_ACCURACY)
            continue;
        const congru_score_about *about = congru_score_describe(metric[i]);
        congru_table_column_number(table, "deviation", "", about->scale, about->decimals);
        congru_table_join(table);
        congru_known_add_common_column(table, known, about->decimals);
        if (with_z) {
            congru_table_column_number(table, "z", "z", 1, 3);
            congru_table_signs(table);
        }
    }
}

static void add_pipeline(congru_table *table, const congru_scores *scores, size_t p, size_t count,
                         const congru_score *metric, const double *z, known_columns known)
{
    const congru_interval accuracy = congru_scores_mean(scores, p, CONGRU_SCORE_ACCURACY);
    congru_table_text(table, scores->pipeline[p]);
    congru_table_number(table, (double)accuracy.count);
    if (has_few(scores, p))
        congru_table_mark(table);
    congru_known_add(table, known, scores, p);
    for (size_t i = 0; i < count; i++) {
        congru_table_number(table, congru_scores_mean(scores, p, metric[i]).mean);
        if (metric[i] != CONGRU_SCORE_ACCURACY)
            continue;
        congru_table_number(table, accuracy.deviation);
        congru_known_add_common(table, known, scores, p);
        if (z != NULL)
            congru_table_number(table, z[p]);
    }
}

congru_status congru_table_of_scores(congru_context *context, const congru_scores *scores, size_t count,
                                     const congru_score *metric, bool with_z, congru_table *table)
{
    if (scores == NULL || table == NULL || (count > 0 && metric == NULL))
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "congru_table_of_scores: no argument may be NULL");
    double *z = calloc(scores->pipelines + 1, sizeof *z);
    congru_status status =
        z != NULL ? congru_scores_z(context, scores, z) : congru_fail_memory(context, "a table");
    known_columns known = {0};
    congru_known_include(&known, scores);
    add_metric_columns(table, scores, count, metric, with_z, known);
    size_t best = 0;
    for (size_t p = 0; status == CONGRU_OK && p < scores->pipelines; p++) {
        add_pipeline(table, scores, p, count, metric, with_z ? z : NULL, known);
        best = congru_scores_before(scores, p, best) ? p : best;
    }
    table->strong = scores->pipelines > 1 ? best + 1 : 0;
    congru_known_note(table, known);
    free(z);
    return status == CONGRU_OK ? finish(context, table) : status;
}

congru_status congru_table_of_subjects(congru_context *context, const congru_scores *scores,
                                       congru_score metric, congru_table *table)
{
    const congru_score_about *about = congru_score_describe(metric);
    if (scores == NULL || table == NULL || about == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "congru_table_of_subjects: no argument may be NULL, and the metric must be one");
    congru_table_column_text(table, "subject", "subject");
    for (size_t p = 0; p < scores->pipelines; p++) {
        char title[KNOWN_NAME_SIZE];
        congru_known_name(scores, p, title);
        congru_table_column_number(table, scores->pipeline[p], title, about->scale, about->decimals);
    }
    for (size_t s = 0; s < scores->subjects; s++) {
        congru_table_text(table, scores->subject[s]);
        if (scores->few[s])
            congru_table_mark(table);
        for (size_t p = 0; p < scores->pipelines; p++)
            congru_table_number(table, congru_scores_at(scores, metric, p, s));
    }
    if (metric == CONGRU_SCORE_BITS && scores->trial_seconds > 0)
        congru_table_note(table, scores->transfer);
    return finish(context, table);
}

congru_status congru_table_of_choices(congru_context *context, const congru_results *results,
                                      congru_table *table)
{
    bool any = false;
    if (results == NULL || table == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "congru_table_of_choices: no argument may be NULL");
    congru_table_column_text(table, "pipeline", "pipeline");
    congru_table_column_text(table, "subject", "subject");
    congru_table_column_text(table, "chosen", "chosen");
    for (size_t i = 0; i < results->folds; i++) {
        const congru_fold *fold = &results->fold[i];
        if (fold->chosen == NULL)
            continue;
        any = true;
        congru_table_text(table, results->pipeline[fold->pipeline]);
        congru_table_text(table, results->subject_name[fold->subject]);
        congru_table_text(table, fold->chosen);
    }
    return any ? finish(context, table)
               : congru_fail(context, CONGRU_ERROR_FORMAT, "the folder holds nothing that was chosen");
}

static congru_status check_classes(congru_context *context, const char *function, const congru_results *results,
                                   const congru_table *table, size_t pipeline)
{
    if (results == NULL || table == NULL || pipeline >= results->pipelines)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "%s: no results, no table or no such pipeline",
                           function);
    return results->classes > 0
               ? CONGRU_OK
               : congru_fail(context, CONGRU_ERROR_FORMAT,
                             "the folder holds no predictions.csv, which tables of classes need");
}

congru_status congru_table_of_confusion(congru_context *context, const congru_results *results, size_t pipeline,
                                        congru_table *table)
{
    CONGRU_TRY(check_classes(context, "congru_table_of_confusion", results, table, pipeline));
    const size_t classes = results->classes;
    size_t *confusion = calloc(classes * classes, sizeof *confusion);
    congru_status status = confusion != NULL
                               ? congru_results_confusion(context, results, pipeline, -1, confusion)
                               : congru_fail_memory(context, "a table");
    congru_table_column_text(table, "truth", "truth");
    for (size_t k = 0; k < classes; k++)
        congru_table_column_number(table, results->class_name[k], results->class_name[k], 100, 1);
    congru_table_column_number(table, "trials", "trials", 1, 0);
    for (size_t i = 0; status == CONGRU_OK && i < classes; i++) {
        size_t all = 0;
        for (size_t k = 0; k < classes; k++)
            all += confusion[i * classes + k];
        congru_table_text(table, results->class_name[i]);
        for (size_t k = 0; k < classes; k++)
            congru_table_number(table, all > 0 ? (double)confusion[i * classes + k] / (double)all : 0.0);
        congru_table_number(table, (double)all);
    }
    free(confusion);
    return status == CONGRU_OK ? finish(context, table) : status;
}

congru_status congru_table_add_classes(congru_context *context, const congru_results *results, size_t pipeline,
                                       const char *label, congru_table *table)
{
    congru_class_metrics *of = calloc(results->classes + 1, sizeof *of);
    congru_status status = of != NULL ? congru_results_classes(context, results, pipeline, of)
                                      : congru_fail_memory(context, "a table");
    if (status == CONGRU_OK && congru_report_begins(table, label)) {
        congru_table_column_text(table, "class", "class");
        congru_table_column_number(table, "trials", "trials", 1, 0);
        congru_table_column_number(table, "predicted", "predicted", 1, 0);
        congru_table_column_number(table, "precision", "precision", 1, 3);
        congru_table_column_number(table, "recall", "recall", 1, 3);
        congru_table_column_number(table, "f1", "F1", 1, 3);
        congru_table_column_number(table, "auc", "AUC", 1, 3);
    }
    for (size_t k = 0; status == CONGRU_OK && k < results->classes; k++) {
        congru_report_label(table, label);
        congru_table_text(table, results->class_name[k]);
        const double number[] = {
            (double)of[k].trials, (double)of[k].predicted, of[k].precision, of[k].recall, of[k].f1, of[k].auc};
        for (size_t i = 0; i < sizeof number / sizeof number[0]; i++)
            congru_table_number(table, number[i]);
    }
    table->failed = table->failed || status == CONGRU_ERROR_MEMORY; /* and not a table that is left out */
    free(of);
    return status;
}

congru_status congru_table_of_classes(congru_context *context, const congru_results *results, size_t pipeline,
                                      congru_table *table)
{
    CONGRU_TRY(check_classes(context, "congru_table_of_classes", results, table, pipeline));
    CONGRU_TRY(congru_table_add_classes(context, results, pipeline, NULL, table));
    return finish(context, table);
}

congru_status congru_table_of_curve(congru_context *context, const congru_curve *curve, congru_table *table)
{
    if (curve == NULL || curve->count == 0 || table == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "congru_table_of_curve: no argument may be NULL");
    congru_table_column_text(table, "pipeline", NULL);
    for (size_t i = 0; i < curve->count; i++) {
        char heading[32], deviation[48];
        snprintf(heading, sizeof heading, "%d", curve->number[i]);
        snprintf(deviation, sizeof deviation, "%d_deviation", curve->number[i]);
        congru_table_column_number(table, heading, heading, 100, 2);
        congru_table_column_number(table, deviation, "", 100, 2);
        congru_table_join(table);
    }
    for (size_t p = 0; p < curve->scores[0]->pipelines; p++) {
        const char *name = curve->scores[0]->pipeline[p];
        congru_table_text(table, name);
        for (size_t i = 0; i < curve->count; i++) {
            const congru_interval accuracy = congru_curve_mean(curve, i, name, CONGRU_SCORE_ACCURACY);
            congru_table_number(table, accuracy.mean);
            congru_table_number(table, accuracy.deviation);
        }
    }
    return finish(context, table);
}

/* ---- Comparisons ---- */

static congru_status check_pairs(congru_context *context, const char *function, size_t count,
                                 const congru_pair *pair, const void *place)
{
    bool named = count > 0 && pair != NULL && place != NULL;
    for (size_t i = 0; named && i < count; i++)
        named = pair[i].dataset != NULL && pair[i].a != NULL && pair[i].b != NULL;
    return named ? CONGRU_OK
                 : congru_fail(context, CONGRU_ERROR_ARGUMENT,
                               "%s: no pair, a pair without names, or nowhere to put it", function);
}

congru_status congru_pairs_correct(congru_context *context, size_t count, congru_pair *pair)
{
    congru_status status = check_pairs(context, "congru_pairs_correct", count, pair, pair);
    double *p = status == CONGRU_OK ? calloc(count, sizeof *p) : NULL;
    if (status == CONGRU_OK && p == NULL)
        status = congru_fail_memory(context, "%zu comparisons", count);
    for (size_t first = 0, end; status == CONGRU_OK && first < count; first = end) {
        for (end = first; end < count && strcmp(pair[end].dataset, pair[first].dataset) == 0; end++)
            p[end] = pair[end].result.p;
        status = congru_holm_correct(context, end - first, p + first, p + first);
        for (size_t i = first; status == CONGRU_OK && i < end; i++)
            pair[i].result.holm = p[i];
    }
    free(p);
    return status;
}

/* What tells the pipelines of the pairs apart. */
static known_columns find_known(size_t count, const congru_pair *pair)
{
    known_columns known = {0};
    for (size_t i = 0; i < count; i++) {
        known.labels = known.labels || pair[i].result.labels[0] > 0 || pair[i].result.labels[1] > 0;
        known.trials = known.trials || pair[i].result.left_out > 0;
    }
    return known;
}

static void add_comparison(congru_table *table, const congru_pair *pair, bool datasets, bool several,
                           bool permutation, known_columns known)
{
    const congru_comparison *result = &pair->result;
    if (datasets)
        congru_table_text(table, pair->dataset);
    congru_table_text(table, pair->a);
    if (known.labels)
        congru_table_number(table, (double)result->labels[0]);
    congru_table_text(table, pair->b);
    if (known.labels)
        congru_table_number(table, (double)result->labels[1]);
    congru_table_number(table, (double)result->count);
    if (known.trials)
        congru_table_number(table, (double)result->trials);
    congru_table_number(table, result->gain);
    congru_table_number(table, result->effect);
    congru_table_number(table, result->interval[0]);
    congru_table_number(table, result->interval[1]);
    congru_table_number(table, result->p);
    if (several)
        congru_table_number(table, result->holm);
    if (permutation)
        congru_table_number(table, result->permutation);
    congru_table_number(table, result->improved);
}

congru_status congru_table_of_pairs(congru_context *context, size_t count, const congru_pair *pair,
                                    bool permutation, congru_table *table)
{
    CONGRU_TRY(check_pairs(context, "congru_table_of_pairs", count, pair, table));
    bool several = false, datasets = false;
    for (size_t i = 1; i < count; i++) {
        const bool same = strcmp(pair[i].dataset, pair[i - 1].dataset) == 0;
        several = several || same;
        datasets = datasets || !same;
    }
    if (datasets)
        congru_table_column_text(table, "dataset", "dataset");
    const known_columns known = find_known(count, pair);
    congru_table_column_text(table, "pipeline", "pipeline");
    if (known.labels)
        congru_table_column_number(table, "pipeline_labels", "labels", 1, 0);
    congru_table_column_text(table, "against", "against");
    if (known.labels)
        congru_table_column_number(table, "against_labels", "labels", 1, 0);
    congru_table_column_number(table, "n", "n", 1, 0);
    if (known.trials)
        congru_table_column_number(table, "common_trials", "trials", 1, 0);
    congru_table_column_number(table, "gain", "gain", 1, 2);
    congru_table_signs(table);
    congru_table_column_number(table, "d_z", "d_z", 1, 3);
    congru_table_signs(table);
    congru_table_column_number(table, "low", "95 % from", 1, 2);
    congru_table_column_number(table, "high", "to", 1, 2);
    congru_table_column_p(table, "p", "p");
    if (several)
        congru_table_column_p(table, "holm", "Holm");
    if (permutation)
        congru_table_column_p(table, "flips", "flips");
    congru_table_column_number(table, "up", "up", 1, 2);
    for (size_t i = 0; i < count; i++)
        add_comparison(table, &pair[i], datasets, several, permutation, known);
    if (known.labels)
        congru_table_note(table, "labels: labelled trials of each target subject that a pipeline looked at");
    if (known.trials)
        congru_table_note(table, "trials: those that both are scored on, which the comparison is of");
    return finish(context, table);
}

congru_status congru_pairs_write(congru_context *context, size_t count, const congru_pair *pair,
                                 bool permutation, const char *folder)
{
    congru_text text = {0};
    CONGRU_TRY(check_pairs(context, "congru_pairs_write", count, pair, folder));
    const known_columns known = find_known(count, pair);
    congru_text_add(&text, "{\n  \"comparisons\": [");
    for (size_t i = 0; i < count; i++) {
        const congru_comparison *result = &pair[i].result;
        const struct {
            const char *name;
            double value;
        } numbers[] = {{"n", (double)result->count},
                       {"mean_gain", result->gain / 100}, /* the report wants parts of 1 */
                       {"d_z", result->effect},
                       {"p", result->p},
                       {"p_holm", result->holm},
                       {"low", result->interval[0] / 100},
                       {"high", result->interval[1] / 100},
                       {"fraction", result->improved},
                       {"p_permutation", result->permutation}};
        congru_text_add(&text, "%s\n    {\"a\": ", i > 0 ? "," : "");
        congru_text_add_json(&text, pair[i].a);
        congru_text_add(&text, ", \"b\": ");
        congru_text_add_json(&text, pair[i].b);
        for (size_t j = 0; j < sizeof numbers / sizeof numbers[0] - !permutation; j++) {
            congru_text_add(&text, ", \"%s\": ", numbers[j].name);
            congru_text_add_number(&text, numbers[j].value, 17);
        }
        if (known.labels)
            congru_text_add(&text, ", \"labels_a\": %zu, \"labels_b\": %zu", result->labels[0],
                            result->labels[1]);
        if (known.trials)
            congru_text_add(&text, ", \"trials\": %zu", result->trials);
        congru_text_add(&text, "}");
    }
    congru_text_add(&text, "\n  ]\n}\n");
    return congru_file_write_text(context, folder, "statistics.json", &text);
}
