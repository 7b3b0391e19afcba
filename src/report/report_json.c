/* The data of the page as JSON. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "congru/version.h"
#include "report/json_pieces.h"
#include "report/looks.h"
#include "report/report_internal.h"

enum { POINTS_SHOWN = 1500, DIGITS_DRAWN = 6 };

void congru_report_add_name(congru_text *text, const char *name)
{
    congru_text_add(text, ",\n\"%s\":", name);
}

static void add_string(congru_text *text, const char *name, const char *value)
{
    congru_report_add_name(text, name);
    congru_text_add_json(text, value);
}

void congru_report_add_number(congru_text *text, const char *name, double value)
{
    congru_text_add(text, ",\"%s\":", name);
    congru_text_add_number(text, value, 17);
}

/* Numbers that are only drawn, to fewer digits. */
static void add_drawn(congru_text *text, size_t count, const double *value)
{
    congru_text_add(text, "[");
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            congru_text_add(text, ",");
        if (isfinite(value[i]))
            congru_text_add(text, "%.*g", DIGITS_DRAWN, value[i]);
        else
            congru_text_add(text, "null");
    }
    congru_text_add(text, "]");
}

static void add_names(congru_text *text, const char *name, size_t count, const char *names, size_t size)
{
    congru_report_add_name(text, name);
    congru_text_add(text, "[");
    for (size_t i = 0; i < count; i++) {
        congru_text_add(text, i > 0 ? "," : "");
        congru_text_add_json(text, names + i * size);
    }
    congru_text_add(text, "]");
}

/* (pipelines, subjects), pipelines in the order of the report. */
void congru_report_add_cells(congru_text *text, const char *name, const report_run *run, const double *value)
{
    size_t subjects = run->results->subjects;
    congru_report_add_name(text, name);
    congru_text_add(text, "[");
    for (size_t i = 0; i < run->results->pipelines; i++) {
        congru_text_add(text, i > 0 ? ",\n[" : "[");
        for (size_t s = 0; s < subjects; s++) {
            congru_text_add(text, s > 0 ? "," : "");
            congru_text_add_number(text, value[run->order[i] * subjects + s], 17);
        }
        congru_text_add(text, "]");
    }
    congru_text_add(text, "]");
}

void congru_report_add_interval(congru_text *text, const congru_interval *interval)
{
    congru_text_add(text, "\"n\":%zu", interval->count);
    congru_report_add_number(text, "mean", interval->mean);
    congru_report_add_number(text, "deviation", interval->deviation);
    congru_report_add_number(text, "low", interval->low);
    congru_report_add_number(text, "high", interval->high);
}

static void add_table(congru_text *text, const report_run *run)
{
    congru_report_add_name(text, "table");
    congru_text_add(text, "[");
    for (size_t i = 0; i < run->results->pipelines; i++) {
        size_t p = run->order[i];
        congru_text_add(text, i > 0 ? ",\n{" : "{");
        congru_report_add_interval(text, &run->mean[p]);
        congru_report_add_number(text, "z", run->z[p]);
        congru_report_add_number(text, "kappa", congru_report_mean(run, p, CONGRU_SCORE_KAPPA));
        congru_report_add_number(text, "balanced", congru_report_mean(run, p, CONGRU_SCORE_BALANCED));
        congru_report_add_number(text, "seconds", congru_report_mean(run, p, CONGRU_SCORE_SECONDS));
        congru_report_add_number(text, "paper",
                                 congru_report_paper_seconds(run->results->dataset, run->results->pipeline[p]));
        congru_text_add(text, "}");
    }
    congru_text_add(text, "]");
}

/* What a run let a pipeline see, and how its accuracy is on the trials that all are scored on. */
static void add_knowledge(congru_text *text, const report_run *run)
{
    congru_report_add_name(text, "knowledge");
    congru_text_add(text, "[");
    for (size_t i = 0; i < run->results->pipelines; i++) {
        const size_t p = run->order[i];
        char words[CONGRU_KNOWLEDGE_SIZE], mark[CONGRU_MARK_SIZE];
        congru_knowledge_text(&run->results->knowledge[p], words);
        congru_scores_mark(run->scores, p, mark);
        congru_text_add(text, "%s{\"labels\":%zu,\"mark\":", i > 0 ? ",\n" : "",
                        run->results->knowledge[p].labels);
        congru_text_add_json(text, mark);
        congru_text_add(text, ",\"text\":");
        congru_text_add_json(text, words);
        congru_text_add(text, ",\"trials\":%zu", congru_scores_shared(run->scores, p, p));
        congru_report_add_number(text, "common", congru_known_common(run->scores, p));
        congru_text_add(text, "}");
    }
    congru_text_add(text, "]");
    congru_report_add_name(text, "same_trials");
    congru_text_add(text, run->scores->common == NULL ? "true" : "false");
}

static void add_pair(congru_text *text, const congru_gain *pair)
{
    congru_report_add_interval(text, &pair->interval);
    congru_report_add_number(text, "effect", pair->effect);
    congru_text_add(text, ",\"wins\":%zu,\"losses\":%zu", pair->wins, pair->losses);
}

/* The accuracies of a pipeline by subject on the trials that another has too. */
static void add_common(congru_text *text, const char *name, const congru_scores *scores, size_t pipeline,
                       size_t other)
{
    congru_report_add_name(text, name);
    congru_text_add(text, "[");
    for (size_t s = 0; s < scores->subjects; s++) {
        congru_text_add(text, s > 0 ? "," : "");
        congru_text_add_number(text, congru_scores_common(scores, pipeline, other, s), 17);
    }
    congru_text_add(text, "]");
}

/* Every two pipelines once, on the trials that both are scored on, the better first; a and b are places in the order of the
 * report. */
static void add_pairs(congru_text *text, const report_run *run)
{
    size_t count = 0;
    const char *comma = "";
    congru_report_add_name(text, "pairs");
    congru_text_add(text, "[");
    for (size_t a = 0; a < run->results->pipelines; a++)
        for (size_t b = a + 1; b < run->results->pipelines; b++) {
            const size_t first = run->order[a], second = run->order[b];
            const congru_gain pair = congru_scores_gain(run->scores, first, second, 0.95);
            congru_text_add(text, "%s{\"a\":%zu,\"b\":%zu,\"trials\":%zu,", comma, a, b,
                            congru_scores_shared(run->scores, first, second));
            add_pair(text, &pair);
            congru_report_add_number(text, "p", run->pair_p[count]);
            congru_report_add_number(text, "p_holm", run->pair_holm[count++]);
            if (run->scores->common != NULL) {
                add_common(text, "first", run->scores, first, second);
                add_common(text, "second", run->scores, second, first);
            }
            congru_text_add(text, "}");
            comma = ",\n";
        }
    congru_text_add(text, "]");
}

/* confusion[pipeline][subject] is (classes, classes), truth by prediction; null without predictions. */
static void add_confusion(congru_text *text, const report_run *run)
{
    const congru_results *results = run->results;
    size_t square = results->classes * results->classes;
    size_t *count = calloc(square + 1, sizeof *count);
    congru_report_add_name(text, "confusion");
    if (square == 0 || count == NULL) {
        text->failed = text->failed || count == NULL;
        congru_text_add(text, "null");
        free(count);
        return;
    }
    congru_text_add(text, "[");
    for (size_t i = 0; i < results->pipelines; i++) {
        congru_text_add(text, i > 0 ? ",\n[" : "[");
        for (size_t s = 0; s < results->subjects; s++) {
            if (congru_results_confusion(NULL, results, run->order[i], (int32_t)s, count) != CONGRU_OK)
                text->failed = true;
            congru_text_add(text, s > 0 ? ",[" : "[");
            for (size_t k = 0; k < square; k++)
                congru_text_add(text, k > 0 ? ",%zu" : "%zu", count[k]);
            congru_text_add(text, "]");
        }
        congru_text_add(text, "]");
    }
    congru_text_add(text, "]");
    free(count);
}

static bool any_finite(size_t count, const double *value)
{
    for (size_t i = 0; i < count; i++)
        if (isfinite(value[i]))
            return true;
    return false;
}

static void add_curves(congru_text *text, const report_curves *curves)
{
    congru_text_add(text, "{\"pipeline\":");
    congru_text_add_json(text, curves->pipeline);
    congru_text_add(text, ",\"subjects\":%zu,\"steps\":%zu", curves->subjects, curves->steps);
    congru_report_add_number(text, "best_step", curves->best_step);
    congru_text_add(text, ",\"step\":[");
    for (size_t i = 0; i < curves->points; i++)
        congru_text_add(text, i > 0 ? ",%zu" : "%zu", curves->step[i]);
    congru_text_add(text, "],\"series\":[");
    const char *comma = "";
    for (size_t s = 0; s < REPORT_SERIES; s++) {
        if (!any_finite(curves->points, curves->mean[s]))
            continue;
        congru_text_add(text, "%s\n{\"name\":\"%s\",\"title\":\"%s\",\"mean\":", comma, congru_report_series(s),
                        congru_report_series_title(s));
        add_drawn(text, curves->points, curves->mean[s]);
        congru_text_add(text, ",\"low\":");
        add_drawn(text, curves->points, curves->low[s]);
        congru_text_add(text, ",\"high\":");
        add_drawn(text, curves->points, curves->high[s]);
        congru_text_add(text, "}");
        comma = ",";
    }
    congru_text_add(text, "]}");
}

static void add_training(congru_text *text, const report_run *run)
{
    congru_report_add_name(text, "training");
    congru_text_add(text, "[");
    for (size_t i = 0; i < run->curve_count; i++) {
        congru_text_add(text, i > 0 ? ",\n" : "");
        add_curves(text, &run->curves[i]);
    }
    congru_text_add(text, "]");
}

/* Every so many of the points, where there are more than can be told apart. */
static void add_points(congru_text *text, const congru_json *points)
{
    size_t count = congru_json_length(points), index = 0, shown = 0;
    congru_text_add(text, "\"point_count\":%zu,\"points\":[", count);
    for (const congru_json *point = count > 0 ? points->first : NULL; point != NULL;
         point = point->next, index++) {
        if (count > POINTS_SHOWN && index * POINTS_SHOWN / count == (index + 1) * POINTS_SHOWN / count)
            continue;
        congru_text_add(text, shown++ > 0 ? ",\n" : "");
        congru_json_add(text, point, DIGITS_DRAWN);
    }
    congru_text_add(text, "]");
}

static void add_geometry(congru_text *text, const congru_json *root)
{
    static const char *const passed[] = {"title",     "pipeline",           "left_out",         "network",
                                         "intervals", "silhouette_subject", "silhouette_class", "ellipses"};
    congru_report_add_name(text, "geometry");
    if (root == NULL) {
        congru_text_add(text, "null");
        return;
    }
    congru_text_add(text, "{");
    add_points(text, congru_json_tree_member(root, "points"));
    for (size_t i = 0; i < sizeof passed / sizeof passed[0]; i++) {
        congru_report_add_name(text, passed[i]);
        congru_json_add(text, congru_json_tree_member(root, passed[i]), DIGITS_DRAWN);
    }
    congru_text_add(text, "}");
}

/* One scalp map: electrodes whose places are known with their values, the names of the others, the surface. */
static void add_map(congru_text *text, const congru_json *map)
{
    const congru_json *channels = congru_json_tree_member(map, "channels");
    const congru_json *values = congru_json_tree_member(map, "values"), *value = values->first;
    size_t count = congru_json_length(channels), known = 0;
    double *place = calloc(3 * count + 1, sizeof *place);
    double *grid = calloc(REPORT_GRID * REPORT_GRID, sizeof *grid);
    congru_text unknown = {0};
    if (place == NULL || grid == NULL) {
        text->failed = true;
        free(place);
        free(grid);
        return;
    }
    double *kept = place + 2 * count;
    congru_text_add(text, "{\"title\":");
    congru_json_add(text, congru_json_tree_member(map, "title"), 0);
    congru_text_add(text, ",\"electrodes\":[");
    for (const congru_json *c = channels->first; c != NULL && !text->failed; c = c->next, value = value->next) {
        if (!congru_report_electrode(c->string, place + 2 * known)) {
            congru_text_add(&unknown, unknown.size > 0 ? "," : "");
            congru_text_add_json(&unknown, c->string);
            continue;
        }
        congru_text_add(text, known > 0 ? ",{\"name\":" : "{\"name\":");
        congru_text_add_json(text, c->string);
        congru_text_add(text, ",\"x\":%.4g,\"y\":%.4g,\"value\":%.6g}", place[2 * known], place[2 * known + 1],
                        value->number);
        kept[known++] = value->number;
    }
    congru_text_add(text, "],\"unknown\":[%s],\"grid\":", unknown.data != NULL ? unknown.data : "");
    if (!text->failed && congru_report_scalp(known, place, kept, grid))
        add_drawn(text, REPORT_GRID * REPORT_GRID, grid);
    else
        congru_text_add(text, "null");
    congru_text_add(text, ",\"size\":%d}", REPORT_GRID);
    text->failed = text->failed || unknown.failed;
    congru_text_clear(&unknown);
    free(place);
    free(grid);
}

static void add_patterns(congru_text *text, const congru_json *root)
{
    congru_report_add_name(text, "patterns");
    if (root == NULL) {
        congru_text_add(text, "null");
        return;
    }
    congru_text_add(text, "[");
    const congru_json *maps = congru_json_tree_member(root, "maps");
    for (const congru_json *map = maps->first; map != NULL; map = map->next) {
        congru_text_add(text, map != maps->first ? ",\n" : "");
        add_map(text, map);
    }
    congru_text_add(text, "]");
}

static void add_run(congru_text *text, const report_run *run)
{
    const congru_results *results = run->results;
    congru_text_add(text, "{\"label\":");
    congru_text_add_json(text, run->label);
    add_string(text, "folder", run->given);
    add_string(text, "dataset", results->dataset);
    congru_report_add_name(text, "run");
    congru_json_add(text, congru_json_root(run->run), 17);
    congru_report_add_number(text, "chance", run->chance);
    congru_text_add(text, ",\"channels\":%zu", results->channels);
    add_names(text, "subjects", results->subjects, results->subject_name[0], sizeof results->subject_name[0]);
    add_names(text, "classes", results->classes, results->classes > 0 ? results->class_name[0] : "",
              sizeof results->class_name[0]);
    congru_report_add_name(text, "few");
    congru_text_add(text, "[");
    for (size_t s = 0; s < results->subjects; s++)
        congru_text_add(text, "%s%s", s > 0 ? "," : "", results->subject_few[s] ? "true" : "false");
    congru_text_add(text, "]");
    add_names(text, "notes", results->note_count, results->note_count > 0 ? results->note[0] : "",
              sizeof results->note[0]);
    congru_report_add_name(text, "pipelines");
    congru_text_add(text, "[");
    for (size_t i = 0; i < results->pipelines; i++) {
        congru_text_add(text, i > 0 ? "," : "");
        congru_text_add_json(text, results->pipeline[run->order[i]]);
    }
    congru_text_add(text, "]");
    add_table(text, run);
    congru_report_add_cells(text, "accuracy", run, run->accuracy);
    congru_report_add_cells(text, "kappa", run, run->scores->value[CONGRU_SCORE_KAPPA]);
    congru_report_add_cells(text, "seconds", run, run->scores->value[CONGRU_SCORE_SECONDS]);
    congru_report_add_cells(text, "samples", run, run->scores->value[CONGRU_SCORE_TRIALS]);
    add_knowledge(text, run);
    add_pairs(text, run);
    add_confusion(text, run);
    congru_report_add_metrics(text, run);
    add_training(text, run);
    add_geometry(text, congru_json_root(run->geometry));
    add_patterns(text, congru_json_root(run->patterns));
    congru_report_add_looks(text, run->looks);
    congru_report_add_name(text, "ablation");
    congru_json_add(text, congru_json_root(run->ablation), 17);
    congru_report_add_name(text, "statistics");
    congru_json_add(text, congru_json_root(run->statistics), 17);
    congru_text_add(text, "}");
}

/* What the first run has, once for each pipeline and each other run. */
static void add_comparisons(congru_text *text, const congru_report *report)
{
    congru_report_add_name(text, "comparisons");
    congru_text_add(text, "[");
    for (size_t i = 0; i < report->comparisons; i++) {
        const report_comparison *c = &report->comparison[i];
        congru_text_add(text, "%s{\"pipeline\":", i > 0 ? ",\n" : "");
        congru_text_add_json(text, report->run[0].results->pipeline[c->pipeline]);
        congru_text_add(text, ",\"run\":%zu,\"first\":{", c->run);
        congru_report_add_interval(text, &c->first);
        congru_text_add(text, "},\"own\":{");
        congru_report_add_interval(text, &c->own);
        congru_text_add(text, "},\"difference\":{");
        add_pair(text, &c->pair);
        congru_text_add(text, "}");
        congru_report_add_number(text, "p", c->p);
        congru_report_add_number(text, "p_holm", c->p_holm);
        if (c->seen) {
            char words[CONGRU_KNOWLEDGE_SIZE];
            congru_knowledge_text(&report->run[c->run].results->knowledge[c->own_pipeline], words);
            add_string(text, "seen", words);
            congru_knowledge_text(&report->run[0].results->knowledge[c->pipeline], words);
            add_string(text, "first_seen", words);
        }
        if (c->other_trials)
            congru_text_add(text, ",\"trials\":%zu,\"first_trials\":%zu", c->trials[0], c->trials[1]);
        congru_text_add(text, "}");
    }
    congru_text_add(text, "]");
}

void congru_report_add_json(congru_text *text, const congru_report *report)
{
    congru_text_add(text, "{\"version\":");
    congru_text_add_json(text, congru_version());
    add_string(text, "commit", congru_version_commit());
    congru_report_add_name(text, "runs");
    congru_text_add(text, "[");
    for (size_t i = 0; i < report->runs; i++) {
        congru_text_add(text, i > 0 ? ",\n" : "");
        add_run(text, &report->run[i]);
    }
    congru_text_add(text, "]");
    add_comparisons(text, report);
    congru_text_add(text, "}");
}

congru_status congru_report_json(congru_context *context, const congru_report *report, char **text)
{
    congru_text made = {0};
    if (report == NULL || text == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "no report or no place for its text given");
    congru_report_add_json(&made, report);
    return congru_report_hand_over(context, &made, text);
}
