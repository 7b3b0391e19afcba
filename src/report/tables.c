/* The tables of a report. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "report/metric_columns.h"
#include "report/table_write.h"

/* How one table is made of a run: its columns, unless the table has them, then its rows. false when the run
 * does not hold what it takes. `label` is the run's where there are several, or NULL. */
typedef bool table_fill(const report_run *run, const char *label, size_t pipeline, congru_table *table);

static void add_interval_columns(congru_table *table)
{
    congru_table_column_number(table, "low", "95 % from", 100, 1);
    congru_table_column_number(table, "high", "to", 100, 1);
}

static bool fill_accuracy(const report_run *run, const char *label, size_t pipeline, congru_table *table)
{
    (void)pipeline;
    if (congru_report_begins(table, label)) {
        congru_table_column_text(table, "pipeline", "Pipeline");
        congru_table_column_number(table, "subjects", "Subjects", 1, 0);
        congru_known_add_columns(table, run->known);
        congru_table_column_number(table, "accuracy", "Accuracy (%)", 100, 1);
        congru_table_column_number(table, "deviation", "Deviation (%)", 100, 1);
        congru_table_join(table);
        add_interval_columns(table);
        congru_known_add_common_column(table, run->known, 1);
        congru_table_column_number(table, "z", "z", 1, 2);
        congru_known_note(table, run->known);
        congru_table_column_number(table, "kappa", "Kappa", 1, 3);
        congru_table_column_number(table, "balanced_accuracy", "Balanced (%)", 100, 1);
        congru_table_column_number(table, "seconds", "Seconds/subject", 1, 2);
    }
    for (size_t i = 0; i < run->results->pipelines; i++) {
        size_t p = run->order[i];
        congru_report_label(table, label);
        congru_table_text(table, run->results->pipeline[p]);
        congru_table_number(table, (double)run->mean[p].count);
        congru_known_add(table, run->known, run->scores, p);
        congru_table_number(table, run->mean[p].mean);
        congru_table_number(table, run->mean[p].deviation);
        congru_table_number(table, run->mean[p].low);
        congru_table_number(table, run->mean[p].high);
        congru_known_add_common(table, run->known, run->scores, p);
        congru_table_number(table, run->z[p]);
        congru_table_number(table, congru_report_mean(run, p, CONGRU_SCORE_KAPPA));
        congru_table_number(table, congru_report_mean(run, p, CONGRU_SCORE_BALANCED));
        congru_table_number(table, congru_report_mean(run, p, CONGRU_SCORE_SECONDS));
    }
    return true;
}

static bool fill_subjects(const report_run *run, const char *label, size_t pipeline, congru_table *table)
{
    const congru_results *results = run->results;
    (void)pipeline;
    if (congru_report_begins(table, label)) {
        congru_table_column_text(table, "subject", "Subject");
        for (size_t i = 0; i < results->pipelines; i++) {
            char title[KNOWN_NAME_SIZE];
            congru_known_name(run->scores, run->order[i], title);
            congru_table_column_number(table, results->pipeline[run->order[i]], title, 100, 1);
        }
    }
    for (size_t s = 0; s < results->subjects; s++) {
        congru_report_label(table, label);
        congru_table_text(table, results->subject_name[s]);
        if (results->subject_few[s])
            congru_table_mark(table);
        for (size_t i = 0; i < results->pipelines; i++)
            congru_table_number(table, run->accuracy[run->order[i] * results->subjects + s]);
    }
    return true;
}

static bool fill_pairs(const report_run *run, const char *label, size_t pipeline, congru_table *table)
{
    const congru_results *results = run->results;
    (void)pipeline;
    if (results->pipelines < 2)
        return false;
    if (congru_report_begins(table, label)) {
        congru_table_column_text(table, "a", "A");
        if (run->known.labels)
            congru_table_column_number(table, "a_labels", "Labels of A", 1, 0);
        congru_table_column_text(table, "b", "B");
        if (run->known.labels)
            congru_table_column_number(table, "b_labels", "Labels of B", 1, 0);
        congru_table_column_number(table, "subjects", "Subjects", 1, 0);
        if (run->known.trials)
            congru_table_column_number(table, "common_trials", "Trials of both", 1, 0);
        congru_table_column_number(table, "gain", "A less B (points)", 100, 1);
        add_interval_columns(table);
        congru_table_column_number(table, "effect", "d_z", 1, 2);
        congru_table_column_number(table, "wins", "A better", 1, 0);
        congru_table_column_number(table, "losses", "B better", 1, 0);
    }
    for (size_t a = 0; a < results->pipelines; a++)
        for (size_t b = a + 1; b < results->pipelines; b++) {
            const size_t first = run->order[a], second = run->order[b];
            const congru_gain pair = congru_scores_gain(run->scores, first, second, 0.95);
            congru_report_label(table, label);
            congru_table_text(table, results->pipeline[first]);
            if (run->known.labels)
                congru_table_number(table, (double)run->scores->labels[first]);
            congru_table_text(table, results->pipeline[second]);
            if (run->known.labels)
                congru_table_number(table, (double)run->scores->labels[second]);
            congru_table_number(table, (double)pair.interval.count);
            if (run->known.trials)
                congru_table_number(table, (double)congru_scores_shared(run->scores, first, second));
            congru_table_number(table, pair.interval.mean);
            congru_table_number(table, pair.interval.low);
            congru_table_number(table, pair.interval.high);
            congru_table_number(table, pair.effect);
            congru_table_number(table, (double)pair.wins);
            congru_table_number(table, (double)pair.losses);
        }
    return true;
}

static bool fill_confusion(const report_run *run, const char *label, size_t pipeline, congru_table *table)
{
    const congru_results *results = run->results;
    size_t classes = results->classes, *count = calloc(classes * classes + 1, sizeof *count);
    const congru_status status =
        count != NULL ? congru_results_confusion(NULL, results, pipeline, -1, count) : CONGRU_ERROR_MEMORY;
    if (classes == 0 || status != CONGRU_OK) {
        table->failed = table->failed || status == CONGRU_ERROR_MEMORY;
        free(count);
        return false;
    }
    if (congru_report_begins(table, label)) {
        congru_table_column_text(table, "truth", "Truth \\ prediction");
        for (size_t k = 0; k < classes; k++)
            congru_table_column_number(table, results->class_name[k], results->class_name[k], 1, 0);
    }
    for (size_t k = 0; k < classes; k++) {
        congru_report_label(table, label);
        congru_table_text(table, results->class_name[k]);
        for (size_t j = 0; j < classes; j++)
            congru_table_number(table, (double)count[k * classes + j]);
    }
    free(count);
    return true;
}

static bool fill_speed(const report_run *run, const char *label, size_t pipeline, congru_table *table)
{
    (void)pipeline;
    if (congru_report_begins(table, label)) {
        congru_table_column_text(table, "pipeline", "Pipeline");
        congru_known_add_columns(table, run->known);
        congru_table_column_number(table, "seconds", "Seconds/subject", 1, 3);
        congru_table_column_number(table, "paper_seconds", "Paper", 1, 2);
        congru_table_column_number(table, "times_faster", "Times faster", 1, 1);
    }
    for (size_t i = 0; i < run->results->pipelines; i++) {
        size_t p = run->order[i];
        double own = congru_report_mean(run, p, CONGRU_SCORE_SECONDS);
        double paper = congru_report_paper_seconds(run->results->dataset, run->results->pipeline[p]);
        congru_report_label(table, label);
        congru_table_text(table, run->results->pipeline[p]);
        congru_known_add(table, run->known, run->scores, p);
        congru_table_number(table, own);
        congru_table_number(table, paper);
        congru_table_number(table, own > 0 ? paper / own : NAN);
    }
    return true;
}

static bool fill_ablation(const report_run *run, const char *label, size_t pipeline, congru_table *table)
{
    static const char *const numbers[] = {"n", "mean", "deviation", "change", "low", "high"};
    const congru_json *rows = congru_json_tree_member(congru_json_root(run->ablation), "rows");
    (void)pipeline;
    if (rows == NULL)
        return false;
    if (congru_report_begins(table, label)) {
        congru_table_column_text(table, "name", "Variant");
        congru_table_column_number(table, "n", "Subjects", 1, 0);
        congru_table_column_number(table, "mean", "Accuracy (%)", 100, 1);
        congru_table_column_number(table, "deviation", "Deviation (%)", 100, 1);
        congru_table_join(table);
        congru_table_column_number(table, "change", "Change (points)", 100, 1);
        add_interval_columns(table);
    }
    for (const congru_json *row = rows->first; row != NULL; row = row->next) {
        congru_report_label(table, label);
        congru_table_text(table, congru_json_tree_string(congru_json_tree_member(row, "name"), ""));
        for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
            congru_table_number(table, congru_json_tree_number(congru_json_tree_member(row, numbers[i])));
    }
    return true;
}

static bool fill_statistics(const report_run *run, const char *label, size_t pipeline, congru_table *table)
{
    static const char *const numbers[] = {"mean_gain", "low", "high", "d_z", "p", "p_holm", "fraction"};
    const congru_json *rows = congru_json_tree_member(congru_json_root(run->statistics), "comparisons");
    (void)pipeline;
    if (rows == NULL)
        return false;
    if (congru_report_begins(table, label)) {
        congru_table_column_text(table, "a", "A");
        if (run->known.labels)
            congru_table_column_number(table, "a_labels", "Labels of A", 1, 0);
        congru_table_column_text(table, "b", "B");
        if (run->known.labels)
            congru_table_column_number(table, "b_labels", "Labels of B", 1, 0);
        congru_table_column_number(table, "n", "Subjects", 1, 0);
        if (run->known.trials)
            congru_table_column_number(table, "common_trials", "Trials of both", 1, 0);
        congru_table_column_number(table, "mean_gain", "A less B (points)", 100, 1);
        add_interval_columns(table);
        congru_table_column_number(table, "d_z", "d_z", 1, 2);
        congru_table_column_p(table, "p", "p");
        congru_table_column_p(table, "p_holm", "p (Holm)");
        congru_table_column_number(table, "fraction", "A better (%)", 100, 0);
    }
    for (const congru_json *row = rows->first; row != NULL; row = row->next) {
        congru_report_label(table, label);
        congru_table_text(table, congru_json_tree_string(congru_json_tree_member(row, "a"), ""));
        if (run->known.labels)
            congru_table_number(table, congru_json_tree_number(congru_json_tree_member(row, "labels_a")));
        congru_table_text(table, congru_json_tree_string(congru_json_tree_member(row, "b"), ""));
        if (run->known.labels)
            congru_table_number(table, congru_json_tree_number(congru_json_tree_member(row, "labels_b")));
        congru_table_number(table, congru_json_tree_number(congru_json_tree_member(row, "n")));
        if (run->known.trials)
            congru_table_number(table, congru_json_tree_number(congru_json_tree_member(row, "trials")));
        for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
            congru_table_number(table, congru_json_tree_number(congru_json_tree_member(row, numbers[i])));
    }
    return true;
}

/* The one table that is of all runs together. */
static bool fill_comparison(const congru_report *report, congru_table *table)
{
    if (report->comparisons == 0)
        return false;
    bool seen = false, trials = false;
    for (size_t i = 0; i < report->comparisons; i++) {
        seen = seen || report->comparison[i].seen;
        trials = trials || report->comparison[i].other_trials;
    }
    congru_table_column_text(table, "pipeline", "Pipeline");
    congru_table_column_text(table, "run", "Run");
    congru_table_column_text(table, "first", "First run");
    if (seen) {
        congru_table_column_text(table, "target_data", "Target data used");
        congru_table_column_text(table, "first_target_data", "In the first");
    }
    congru_table_column_number(table, "subjects", "Subjects", 1, 0);
    if (trials) {
        congru_table_column_number(table, "compared_trials", "Trials", 1, 0);
        congru_table_column_number(table, "first_trials", "In the first", 1, 0);
    }
    congru_table_column_number(table, "accuracy", "Accuracy (%)", 100, 1);
    congru_table_column_number(table, "deviation", "Deviation (%)", 100, 1);
    congru_table_join(table);
    congru_table_column_number(table, "first_accuracy", "In the first (%)", 100, 1);
    congru_table_column_number(table, "first_deviation", "Deviation (%)", 100, 1);
    congru_table_join(table);
    congru_table_column_number(table, "gain", "Run less first (points)", 100, 1);
    add_interval_columns(table);
    congru_table_column_number(table, "effect", "d_z", 1, 2);
    congru_table_column_number(table, "wins", "Better", 1, 0);
    congru_table_column_number(table, "losses", "Worse", 1, 0);
    congru_table_column_p(table, "p", "p");
    congru_table_column_p(table, "p_holm", "p (Holm)");
    for (size_t i = 0; i < report->comparisons; i++) {
        const report_comparison *c = &report->comparison[i];
        congru_table_text(table, report->run[0].results->pipeline[c->pipeline]);
        congru_table_text(table, report->run[c->run].label);
        congru_table_text(table, report->run[0].label);
        if (seen) {
            char words[CONGRU_KNOWLEDGE_SIZE];
            congru_knowledge_text(&report->run[c->run].results->knowledge[c->own_pipeline], words);
            congru_table_text(table, words);
            congru_knowledge_text(&report->run[0].results->knowledge[c->pipeline], words);
            congru_table_text(table, words);
        }
        congru_table_number(table, (double)c->pair.interval.count);
        if (trials) {
            congru_table_number(table, (double)c->trials[0]);
            congru_table_number(table, (double)c->trials[1]);
        }
        const double number[] = {c->own.mean,
                                 c->own.deviation,
                                 c->first.mean,
                                 c->first.deviation,
                                 c->pair.interval.mean,
                                 c->pair.interval.low,
                                 c->pair.interval.high,
                                 c->pair.effect,
                                 (double)c->pair.wins,
                                 (double)c->pair.losses,
                                 c->p,
                                 c->p_holm};
        for (size_t k = 0; k < sizeof number / sizeof number[0]; k++)
            congru_table_number(table, number[k]);
    }
    return true;
}

static const struct {
    const char *name, *about, *title, *lacking;
    table_fill *fill; /* NULL: fill_comparison */
} tables[] = {
    {"accuracy", "Accuracy, its spread, z, kappa and seconds of each pipeline.", "Accuracy by pipeline", NULL,
     fill_accuracy},
    {"subjects", "Accuracy of each subject under each pipeline.", "Accuracy by subject (%)", NULL,
     fill_subjects},
    {"metrics", "Balanced accuracy, kappa, AUC, precision, recall, F1, bits a trial; subjects above chance.",
     "Metrics by pipeline, means over subjects", NULL, congru_report_fill_metrics},
    {"classes", "Precision, recall, F1 and AUC of each class under one pipeline.",
     "Classes under the best pipeline, all subjects", "it takes predictions.csv", congru_report_fill_classes},
    {"curve", "Accuracy by the number of labelled target trials; takes a folder of loso --calibration 0,1,...",
     "Learning curve", "it takes a folder of 'congru loso --calibration' with several numbers",
     congru_report_fill_curve},
    {"pairs", "Differences between every two pipelines, subject by subject.", "Paired differences of accuracy",
     "it takes two pipelines", fill_pairs},
    {"confusion", "Truth by prediction of one pipeline, over all subjects.",
     "Confusion of the best pipeline, all subjects", "it takes predictions.csv", fill_confusion},
    {"speed", "Seconds per subject beside those of the paper.", "Seconds per subject", NULL, fill_speed},
    {"ablation", "What each part of a method is worth; takes ablation.json.", "Ablation",
     "it takes ablation.json", fill_ablation},
    {"statistics", "Tests between pipelines; takes statistics.json.", "Statistics", "it takes statistics.json",
     fill_statistics},
    {"comparison", "The same pipelines in several folders, subject by subject; takes two folders.",
     "The same pipelines in other runs",
     "it takes two folders of one data set, with a pipeline and a subject in common", NULL},
};

enum { TABLES = sizeof tables / sizeof tables[0] };

const char *congru_report_table_name(size_t index, const char **about)
{
    if (index >= TABLES)
        return NULL;
    if (about != NULL)
        *about = tables[index].about;
    return tables[index].name;
}

/* A row has as many cells as the columns of the first run: those of another must be the same. */
static bool same_columns(const congru_table *table, const congru_table *other)
{
    if (table->columns != other->columns)
        return false;
    for (size_t c = 0; c < table->columns; c++)
        if (strcmp(table->column[c].heading, other->column[c].heading) != 0)
            return false;
    return true;
}

static congru_status fill(congru_context *context, const congru_report *report, size_t which,
                          const congru_report_choice *choice, congru_table *table)
{
    table->title = tables[which].title;
    if (tables[which].fill == NULL)
        return fill_comparison(report, table)
                   ? CONGRU_OK
                   : congru_fail(context, CONGRU_ERROR_FORMAT, "%s: no table '%s' can be made of it: %s",
                                 report->run[0].folder, tables[which].name, tables[which].lacking);
    for (size_t i = 0; i < report->runs; i++) {
        const report_run *run = &report->run[i];
        const char *label = report->runs > 1 ? run->label : NULL;
        size_t pipeline, other;
        congru_table alone = {0};
        congru_status status = congru_report_choose(context, run, choice, &pipeline, &other);
        if (status != CONGRU_OK)
            return status;
        bool has = tables[which].fill(run, label, pipeline, &alone);
        bool same = i == 0 || !has || same_columns(table, &alone);
        congru_table_clear(&alone);
        if (!has)
            return congru_fail(context, CONGRU_ERROR_FORMAT, "%s: no table '%s' can be made of it: %s",
                               run->folder, tables[which].name, tables[which].lacking);
        if (!same)
            return congru_fail(
                context, CONGRU_ERROR_FORMAT,
                "%s: its table '%s' has other columns than that of %s (name one folder at a time)", run->folder,
                tables[which].name, report->run[0].folder);
        tables[which].fill(run, label, pipeline, table);
    }
    return CONGRU_OK;
}

congru_status congru_report_table(congru_context *context, const congru_report *report, const char *name,
                                  const congru_report_choice *choice, congru_table_format format, char **text)
{
    if (report == NULL || name == NULL || text == NULL || (unsigned)format > CONGRU_TABLE_JSON)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "no report, no name, no place for the text, or a format that is none");
    *text = NULL;
    for (size_t i = 0; i < TABLES; i++) {
        if (strcmp(tables[i].name, name) != 0)
            continue;
        congru_table table = {0};
        congru_text made = {0};
        congru_status status = fill(context, report, i, choice, &table);
        if (status == CONGRU_OK) {
            congru_table_write(&made, &table, format, NULL);
            status = congru_report_hand_over(context, &made, text);
        }
        congru_table_clear(&table);
        return status;
    }
    return congru_fail(context, CONGRU_ERROR_ARGUMENT, "no table is called '%s'", name);
}

bool congru_report_fill(const report_run *run, const char *name, size_t pipeline, congru_table *table)
{
    for (size_t i = 0; i < TABLES; i++)
        if (strcmp(tables[i].name, name) == 0 && tables[i].fill != NULL) {
            table->title = tables[i].title;
            return tables[i].fill(run, NULL, pipeline, table);
        }
    return false;
}

bool congru_report_fill_comparison(const congru_report *report, congru_table *table)
{
    table->title = "The same pipelines in other runs";
    return fill_comparison(report, table);
}
