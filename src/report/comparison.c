/* The same pipelines in several folders, compared on the same subjects. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "congru/statistics.h"
#include "evaluation/knowledge.h"
#include "report/report_internal.h"
#include "statistics/points.h"

enum { ABSENT = -1 };

/* Where the pipeline is in a run, or ABSENT. */
static int32_t find_pipeline(const report_run *run, const char *name)
{
    for (size_t p = 0; p < run->results->pipelines; p++)
        if (strcmp(run->results->pipeline[p], name) == 0)
            return (int32_t)p;
    return ABSENT;
}

/* where (runs, subjects of the first): each subject of the first run in the others. Subjects of other data sets are
 * others, whatever they are called. */
static void find_subjects(const congru_report *report, int32_t *where)
{
    const congru_results *first = report->run[0].results;
    for (size_t r = 0; r < report->runs; r++) {
        const congru_results *results = report->run[r].results;
        for (size_t s = 0; s < first->subjects; s++) {
            int32_t *found = &where[r * first->subjects + s];
            *found = ABSENT;
            for (size_t k = 0; k < results->subjects && strcmp(results->dataset, first->dataset) == 0; k++)
                if (strcmp(results->subject_name[k], first->subject_name[s]) == 0)
                    *found = (int32_t)k;
        }
    }
}

/* The accuracy of a subject of the first run under a pipeline of run r; NaN when there is none. */
static double accuracy_of(const congru_report *report, const int32_t *where, size_t r, int32_t pipeline,
                          size_t s)
{
    const report_run *run = &report->run[r];
    const int32_t k = where[r * report->run[0].results->subjects + s];
    return pipeline == ABSENT || k == ABSENT
               ? NAN
               : run->accuracy[(size_t)pipeline * run->results->subjects + (size_t)k];
}

/* Trials have the same index in two runs where these are of one set. */
static bool is_one_set(const congru_report *report, size_t r)
{
    const char *data[2];
    const size_t run[] = {0, r};
    for (int i = 0; i < 2; i++)
        data[i] = congru_json_tree_string(
            congru_json_tree_member(
                congru_json_tree_member(congru_json_root(report->run[run[i]].run), "settings"), "data"),
            "");
    return data[0][0] != '\0' && strcmp(data[0], data[1]) == 0;
}

/* Whether the pipeline was let see something else in run r than in the first. */
static bool is_seen_apart(const congru_report *report, size_t r, size_t first, size_t own)
{
    char words[2][CONGRU_KNOWLEDGE_SIZE];
    congru_knowledge_text(&report->run[0].results->knowledge[first], words[0]);
    congru_knowledge_text(&report->run[r].results->knowledge[own], words[1]);
    return strcmp(words[0], words[1]) != 0;
}

/* Adds the trials of a subject that each run is compared on (runs), and behind them those it is scored on. Runs of one set are put on those that they share, value (a row of
 * `subjects` for each run): *has becomes false where they share none. */
static congru_status take_common(congru_context *context, const congru_report *report, const int32_t *where,
                                 const int32_t *place, size_t s, double *value, size_t *trials, bool *has)
{
    const size_t subjects = report->run[0].results->subjects;
    congru_scored *scored = calloc(report->runs + 1, sizeof *scored);
    double *accuracy = calloc(report->runs + 1, sizeof *accuracy);
    size_t count = 0, shared = 0;
    bool one = scored != NULL && accuracy != NULL;
    congru_status status =
        one ? CONGRU_OK
            : congru_fail(context, CONGRU_ERROR_MEMORY, "%s: not enough memory", report->run[0].folder);
    for (size_t r = 0; status == CONGRU_OK && r < report->runs; r++) {
        if (place[r] == ABSENT)
            continue;
        const size_t subject = (size_t)where[r * subjects + s];
        const double own =
            congru_scores_at(report->run[r].scores, CONGRU_SCORE_TRIALS, (size_t)place[r], subject);
        one = one && is_one_set(report, r) && own > 0;
        scored[count++] = (congru_scored){report->run[r].results, (size_t)place[r], subject};
    }
    if (status == CONGRU_OK && one)
        status = congru_scored_common(context, count, scored, accuracy, &shared);
    for (size_t r = 0, i = 0; status == CONGRU_OK && r < report->runs; r++) {
        if (place[r] == ABSENT)
            continue;
        if (one && shared > 0)
            value[r * subjects] = accuracy[i];
        *has = !one || shared > 0;
        const double own =
            congru_scores_at(report->run[r].scores, CONGRU_SCORE_TRIALS, scored[i].pipeline, scored[i].subject);
        trials[report->runs + r] += (size_t)own;
        trials[r] += one ? shared : (size_t)own;
        i++;
    }
    free(scored);
    free(accuracy);
    return status;
}

/* One pipeline of the first run in all the runs that have it, on the subjects and trials that all of these have: value (runs + 2,
 * subjects), of which the last row stays 0. A run without any of the first one's subjects counts as one that has it not. */
static congru_status compare_pipeline(congru_context *context, congru_report *report, const int32_t *where,
                                      size_t pipeline, int32_t *place, double *value)
{
    const congru_results *first = report->run[0].results;
    const size_t subjects = first->subjects;
    size_t runs = 0, count = 0;
    for (size_t r = 0; r < report->runs; r++) {
        size_t scored = 0;
        place[r] = find_pipeline(&report->run[r], first->pipeline[pipeline]);
        for (size_t s = 0; s < subjects; s++)
            scored += isnan(accuracy_of(report, where, r, place[r], s)) ? 0 : 1;
        if (scored == 0)
            place[r] = ABSENT;
        runs += place[r] != ABSENT;
    }
    congru_status status = CONGRU_OK;
    size_t *trials = calloc(2 * report->runs + 1, sizeof *trials);
    if (trials == NULL)
        status = congru_fail(context, CONGRU_ERROR_MEMORY, "%s: not enough memory", report->run[0].folder);
    for (size_t s = 0; status == CONGRU_OK && s < subjects; s++) {
        bool all = true;
        for (size_t r = 0; r < report->runs; r++) {
            value[r * subjects + count] = accuracy_of(report, where, r, place[r], s);
            all = all && (place[r] == ABSENT || !isnan(value[r * subjects + count]));
        }
        if (all)
            status = take_common(context, report, where, place, s, value + count, trials, &all);
        count += all;
    }
    for (size_t r = 1; status == CONGRU_OK && runs > 1 && count > 0 && r < report->runs; r++) {
        congru_wilcoxon test;
        double *difference = value + report->runs * subjects, *zero = difference + subjects;
        if (place[r] == ABSENT || place[0] == ABSENT)
            continue;
        for (size_t s = 0; s < count; s++)
            difference[s] = congru_points_between(value[r * subjects + s], value[s]);
        status = congru_wilcoxon_test(context, count, difference, zero, &test);
        report->comparison[report->comparisons++] = (report_comparison){
            .run = r,
            .pipeline = pipeline,
            .own_pipeline = (size_t)place[r],
            .seen = is_seen_apart(report, r, pipeline, (size_t)place[r]),
            .other_trials = trials[report->runs] != trials[0] || trials[report->runs + r] != trials[r] ||
                            trials[0] != trials[r],
            .trials = {trials[r], trials[0]},
            .first = congru_interval_of(count, value, 0.95),
            .own = congru_interval_of(count, value + r * subjects, 0.95),
            .pair = congru_gain_of(count, value + r * subjects, value, 0.95),
            .p = status == CONGRU_OK ? congru_wilcoxon_p(&test) : NAN,
        };
    }
    free(trials);
    return status;
}

congru_status congru_report_compare(congru_context *context, congru_report *report)
{
    const report_run *first = &report->run[0];
    const size_t most = first->results->pipelines * report->runs;
    if (report->runs < 2)
        return CONGRU_OK;
    int32_t *where = calloc(report->runs * first->results->subjects + 1, sizeof *where);
    int32_t *place = calloc(report->runs, sizeof *place);
    double *value = calloc((report->runs + 2) * first->results->subjects + most + 1, sizeof *value);
    report->comparison = calloc(most + 1, sizeof *report->comparison);
    congru_status status = CONGRU_OK;
    if (where == NULL || place == NULL || value == NULL || report->comparison == NULL)
        status = congru_fail(context, CONGRU_ERROR_MEMORY, "%s: not enough memory", first->folder);
    else
        find_subjects(report, where);
    for (size_t i = 0; status == CONGRU_OK && i < first->results->pipelines; i++)
        status = compare_pipeline(context, report, where, first->order[i], place, value);
    if (status == CONGRU_OK && report->comparisons > 0) {
        for (size_t i = 0; i < report->comparisons; i++)
            value[i] = report->comparison[i].p;
        status = congru_holm_correct(context, report->comparisons, value, value);
        for (size_t i = 0; i < report->comparisons; i++)
            report->comparison[i].p_holm = value[i];
    }
    free(where);
    free(place);
    free(value);
    return status;
}

congru_status congru_report_test_pairs(congru_context *context, report_run *run)
{
    const size_t pipelines = run->results->pipelines, subjects = run->results->subjects;
    const size_t pairs = pipelines * (pipelines - 1) / 2;
    double *difference =
        calloc(2 * subjects + pairs + 1, sizeof *difference); /* with zeros, and what is corrected */
    double *p = difference != NULL ? difference + 2 * subjects : NULL;
    run->pair_p = calloc(pairs + 1, sizeof *run->pair_p);
    run->pair_holm = calloc(pairs + 1, sizeof *run->pair_holm);
    congru_status status = CONGRU_OK;
    if (difference == NULL || run->pair_p == NULL || run->pair_holm == NULL)
        status = congru_fail(context, CONGRU_ERROR_MEMORY, "%s: not enough memory", run->folder);
    size_t pair = 0, tested = 0;
    for (size_t a = 0; status == CONGRU_OK && a < pipelines; a++)
        for (size_t b = a + 1; status == CONGRU_OK && b < pipelines; b++, pair++) {
            congru_wilcoxon test;
            size_t count = 0;
            for (size_t s = 0; s < subjects; s++) {
                const size_t first = run->order[a], second = run->order[b];
                difference[count] = congru_points_between(congru_scores_common(run->scores, first, second, s),
                                                          congru_scores_common(run->scores, second, first, s));
                count += isnan(difference[count]) ? 0 : 1;
            }
            run->pair_p[pair] = NAN;
            if (count == 0)
                continue;
            status = congru_wilcoxon_test(context, count, difference, difference + subjects, &test);
            run->pair_p[pair] = status == CONGRU_OK ? congru_wilcoxon_p(&test) : NAN;
            p[tested++] = run->pair_p[pair];
        }
    if (status == CONGRU_OK && tested > 0)
        status = congru_holm_correct(context, tested, p, p);
    tested = 0;
    for (size_t i = 0; status == CONGRU_OK && i < pairs; i++)
        run->pair_holm[i] = isnan(run->pair_p[i]) ? NAN : p[tested++];
    free(difference);
    return status;
}
