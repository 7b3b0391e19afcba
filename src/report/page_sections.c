/* The sections of the page: what was asked, what came out, subject by subject, training, geometry, time. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/number_text.h"
#include "report/metric_columns.h"
#include "report/page.h"

enum { NAME = 2 * KNOWN_NAME_SIZE };

static const congru_json *member(const congru_json *object, const char *name)
{
    return congru_json_tree_member(object, name);
}

static const char *string(const congru_json *object, const char *name)
{
    return congru_json_tree_string(member(object, name), "");
}

static const congru_json *settings_of(const report_run *run)
{
    return member(congru_json_root(run->run), "settings");
}

static size_t pipelines_of(const report_page *page)
{
    return page->run->results->pipelines;
}

/* The pipeline at a place in the order of the report. */
static const char *pipeline_at(const report_page *page, size_t place)
{
    return page->run->results->pipeline[page->run->order[place]];
}

/* Names of all pipelines with their marks, to be freed. NULL without memory, which is then the page's failure. */
static char (*list_names(report_page *page, size_t more))[NAME]
{
    char(*name)[NAME] = calloc(pipelines_of(page) + more + 1, sizeof *name);
    if (name == NULL)
        page->text->failed = true;
    for (size_t i = 0; name != NULL && i < pipelines_of(page); i++)
        congru_known_name(page->run->scores, page->run->order[i], name[i]);
    return name;
}

static figure_input input_of(const report_page *page, size_t pipeline)
{
    return (figure_input){.report = page->report, .run = page->run, .pipeline = pipeline};
}

static bool always(const report_page *page)
{
    (void)page;
    return true;
}

/* ---- Summary -------------------------------------------------------------------------------------------- */

static void write_question(report_page *page)
{
    const congru_json *settings = settings_of(page->run);
    const char *protocol = string(settings, "protocol");
    const double groups = congru_json_tree_number(member(settings, "groups"));
    if (groups > 0)
        congru_page_paragraph(
            page, "question",
            "How well is imagined movement decoded from the EEG of a subject the decoder has never seen? "
            "The subjects are left out in %.0f groups; every pipeline learns from all other groups.",
            groups);
    else if (strcmp(protocol, "loso") == 0)
        congru_page_paragraph(
            page, "question",
            "How well is imagined movement decoded from the EEG of a subject the decoder has never seen? "
            "Each subject in turn is left out; every pipeline learns from all others.");
    else if (strcmp(protocol, "folds") == 0)
        congru_page_paragraph(
            page, "question",
            "How well is imagined movement decoded within a subject, from part of their own trials?");
    else if (strcmp(protocol, "sessions") == 0)
        congru_page_paragraph(
            page, "question",
            "How well does a decoder fitted on a subject's first session work in the later ones?");
    else if (strcmp(protocol, "session-out") == 0)
        congru_page_paragraph(
            page, "question",
            "How well does a decoder fitted on a subject's other sessions work in one that it has not "
            "seen? Each session in turn is left out.");
    else
        congru_page_paragraph(page, "question", "How well is imagined movement decoded from EEG?");
}

/* Pipelines that looked at as many labels of the target stand together in the order of the report, fewest first: only they
 * are compared in the headline. */
static size_t count_peers(const report_page *page)
{
    const congru_results *results = page->run->results;
    size_t count = 0;
    while (count < results->pipelines &&
           results->knowledge[page->run->order[count]].labels == results->knowledge[page->run->order[0]].labels)
        count++;
    return count;
}

/* Those of them, from the second on, that have the accuracy of the best on every subject: true in equal (pipelines). */
static size_t find_equals(const report_page *page, bool *equal)
{
    const report_run *run = page->run;
    const size_t subjects = run->results->subjects;
    size_t count = 0;
    for (size_t i = 1; i < count_peers(page); i++) {
        const double *first = run->accuracy + run->order[0] * subjects,
                     *own = run->accuracy + run->order[i] * subjects;
        equal[i] = true;
        for (size_t s = 0; s < subjects; s++)
            equal[i] = equal[i] && (first[s] == own[s] || (isnan(first[s]) && isnan(own[s])));
        count += equal[i];
    }
    return count;
}

static page_word chance_of(const report_run *run)
{
    return congru_page_percent(run->chance,
                               fabs(100 * run->chance - floor(100 * run->chance + 0.5)) < 1e-9 ? 0 : 1);
}

static void write_runner_up(report_page *page)
{
    const report_run *run = page->run;
    const congru_gain pair = congru_scores_gain(run->scores, run->order[0], run->order[1], 0.95);
    const size_t pairs = run->results->pipelines * (run->results->pipelines - 1) / 2;
    char p[CONGRU_P_TEXT_SIZE], corrected[80] = "";
    congru_p_text(run->pair_holm[0], p);
    if (pairs > 1)
        congru_format(corrected, sizeof corrected, " after Holm's correction over all %zu pairs", pairs);
    congru_page_paragraph(
        page, NULL,
        "Next is %s with %s %%: %s points subject by subject (95 %% interval %s to %s; better on %zu of %zu, worse on "
        "%zu). %s (Wilcoxon's signed-rank test, p %s%s).",
        pipeline_at(page, 1), congru_page_percent(run->mean[run->order[1]].mean, 1).text,
        congru_page_points(pair.interval.mean).text, congru_page_points(pair.interval.low).text,
        congru_page_points(pair.interval.high).text, pair.wins, pair.interval.count, pair.losses,
        run->pair_holm[0] < 0.05 ? "The difference is more than subjects vary by chance"
                                 : "The data do not tell the two apart",
        p, corrected);
}

/* What stands outside of the headline, and why. */
static void write_apart(report_page *page, size_t peers)
{
    const report_run *run = page->run;
    const size_t others = run->results->pipelines - peers, first = run->order[peers];
    const congru_gain pair = congru_scores_gain(run->scores, run->order[0], first, 0.95);
    congru_text_add(page->text, "<p class=\"apart\">");
    if (others > 1)
        congru_page_say(page,
                        "%zu pipelines look at labels of the target subject and are not among these: ", others);
    else
        congru_page_say(page, "One pipeline looks at labels of the target subject and is not among these: ");
    congru_text_add(page->text, "<strong>");
    congru_page_say(page, "%s", run->results->pipeline[first]);
    congru_text_add(page->text, "</strong>");
    congru_page_say(page, " with %zu labelled trials of each subject has %s %% on its %zu trials",
                    run->results->knowledge[first].labels, congru_page_percent(run->mean[first].mean, 1).text,
                    congru_scores_shared(run->scores, first, first));
    if (pair.interval.count > 0)
        congru_page_say(
            page,
            "; on the %zu trials that both are scored on it gains %s points on %s (95 %% interval %s to %s)",
            congru_scores_shared(run->scores, run->order[0], first),
            congru_page_points(-pair.interval.mean).text, pipeline_at(page, 0),
            congru_page_points(-pair.interval.high).text, congru_page_points(-pair.interval.low).text);
    congru_text_add(page->text, ".</p>\n");
}

static void write_winner(report_page *page)
{
    const report_run *run = page->run;
    const congru_interval *best = &run->mean[run->order[0]];
    const size_t peers = count_peers(page), labels = run->results->knowledge[run->order[0]].labels;
    bool *equal = calloc(pipelines_of(page) + 1, sizeof *equal);
    if (equal == NULL) {
        page->text->failed = true;
        return;
    }
    const size_t equals = find_equals(page, equal);
    congru_text_add(
        page->text,
        "<div class=\"winner\"><p class=\"figure\"><span class=\"big\">%s</span> %%</p><div><p><strong>",
        congru_page_percent(best->mean, 1).text);
    congru_page_say(page, "%s", pipeline_at(page, 0));
    congru_text_add(page->text, "</strong>");
    if (equals > 0) {
        const char *between = " and <strong>";
        for (size_t i = 1; i < peers; i++)
            if (equal[i]) {
                congru_text_add(page->text, "%s", between);
                congru_page_say(page, "%s", pipeline_at(page, i));
                between = ", ";
            }
        congru_text_add(page->text, "</strong> have the same accuracy on every subject, the best");
    } else {
        congru_page_say(page, " is best");
        if (labels > 0)
            congru_page_say(page, " of those that look at %zu labelled trials of each target subject", labels);
        else if (peers < pipelines_of(page))
            congru_page_say(page, " of those that look at no label of the target subject");
    }
    congru_page_say(page, " on average over %zu subjects", best->count);
    if (!isnan(run->chance))
        congru_page_say(page, ", where chance is %s %%", chance_of(run).text);
    congru_page_say(page, ". 95 %% interval %s to %s %%; standard deviation over subjects %s points.",
                    congru_page_percent(best->low, 1).text, congru_page_percent(best->high, 1).text,
                    congru_page_percent(best->deviation, 1).text);
    congru_text_add(page->text, "</p>\n");
    if (peers > 1 && equals == 0)
        write_runner_up(page);
    if (peers < pipelines_of(page))
        write_apart(page, peers);
    congru_text_add(page->text, "</div></div>\n");
    free(equal);
}

static void begin_fact(report_page *page, const char *term, bool wide)
{
    congru_text_add(page->text, "<div%s><dt>%s</dt><dd>", wide ? " class=\"long\"" : "", term);
}

static void end_fact(report_page *page)
{
    congru_text_add(page->text, "</dd></div>\n");
}

/* What is told of each pipeline, each way of it once with those it is true of. */
typedef const char *page_words(const report_page *page, size_t place, char words[CONGRU_KNOWLEDGE_SIZE]);

static const char *knowledge_words(const report_page *page, size_t place, char words[CONGRU_KNOWLEDGE_SIZE])
{
    congru_knowledge_text(&page->run->results->knowledge[page->run->order[place]], words);
    return words;
}

/* Pipelines with a band and window of their own take them from the set's signals, each as it says. */
static const char *signal_words(const report_page *page, size_t place, char words[CONGRU_KNOWLEDGE_SIZE])
{
    const congru_json *own = member(congru_json_root(page->run->run), "signals");
    (void)words;
    return congru_json_tree_string(member(own, pipeline_at(page, place)),
                                   string(settings_of(page->run), "prepared"));
}

static size_t count_ways(const report_page *page, page_words *of)
{
    char first[CONGRU_KNOWLEDGE_SIZE], own[CONGRU_KNOWLEDGE_SIZE];
    const char *text = of(page, 0, first);
    size_t others = 0;
    for (size_t i = 1; i < pipelines_of(page); i++)
        others += strcmp(text, of(page, i, own)) != 0;
    return 1 + others;
}

static void write_ways(report_page *page, page_words *of)
{
    char words[CONGRU_KNOWLEDGE_SIZE], other[CONGRU_KNOWLEDGE_SIZE];
    const bool several = count_ways(page, of) > 1;
    for (size_t i = 0; i < pipelines_of(page); i++) {
        const char *text = of(page, i, words);
        bool told = text[0] == '\0';
        for (size_t k = 0; k < i; k++)
            told = told || strcmp(text, of(page, k, other)) == 0;
        if (told)
            continue;
        congru_text_add(page->text, "<span class=\"way\">");
        if (several) {
            const char *comma = "";
            congru_text_add(page->text, "<strong>");
            for (size_t k = i; k < pipelines_of(page); k++)
                if (strcmp(text, of(page, k, other)) == 0) {
                    congru_page_say(page, "%s%s", comma, pipeline_at(page, k));
                    comma = ", ";
                }
            congru_text_add(page->text, "</strong>: ");
            congru_page_say(page, "%s.", text);
        } else {
            congru_page_say(page, "%c%s.", text[0] >= 'a' && text[0] <= 'z' ? text[0] - 'a' + 'A' : text[0],
                            text + 1);
        }
        congru_text_add(page->text, "</span>");
    }
}

static void write_facts(report_page *page)
{
    const congru_results *results = page->run->results;
    const congru_json *settings = settings_of(page->run);
    const bool folds = strcmp(string(settings, "protocol"), "folds") == 0;
    double scored = 0;
    bool labels = false;
    for (size_t s = 0; s < results->subjects; s++)
        scored += fmax(0, congru_scores_at(page->run->scores, CONGRU_SCORE_TRIALS, page->run->order[0], s));
    for (size_t p = 0; p < results->pipelines; p++)
        labels = labels || results->knowledge[p].labels > 0;
    congru_text_add(page->text, "<dl class=\"facts\">\n");
    begin_fact(page, "Data", false);
    congru_page_say(page, "%s: %zu subjects", results->dataset[0] != '\0' ? results->dataset : "unnamed",
                    results->subjects);
    if (scored > 0)
        congru_page_say(page, ", %.0f trials scored", scored);
    congru_page_say(page, ", %zu channels", results->channels);
    end_fact(page);
    if (results->classes > 0) {
        begin_fact(page, "Classes", false);
        for (size_t k = 0; k < results->classes; k++)
            congru_page_say(page, k > 0 ? ", %s" : "%s", results->class_name[k]);
        end_fact(page);
    }
    begin_fact(page, "Pipelines", false);
    congru_page_say(page, "%zu", results->pipelines);
    end_fact(page);
    if (member(settings, "prepared") != NULL) {
        begin_fact(page, "Signals", count_ways(page, signal_words) > 1);
        write_ways(page, signal_words);
        end_fact(page);
    }
    if (member(settings, "target") != NULL && (!folds || labels)) {
        begin_fact(page, folds ? "Used of the part left out" : "Target data used", false);
        write_ways(page, knowledge_words);
        if (page->run->curve != NULL && page->run->curve->number[0] > 0)
            congru_page_say(page,
                            " Everything but the learning curve is with %d labelled trials of each class.",
                            page->run->curve->number[0]);
        else if (page->run->curve != NULL)
            congru_page_say(page,
                            " Everything but the learning curve is with no labelled trials of each class.");
        end_fact(page);
    }
    congru_text_add(page->text, "</dl>\n");
}

/* A value of run.json as a fact, unless there is none. */
static void write_json_fact(report_page *page, const char *term, const congru_json *value)
{
    congru_text plain = {0};
    if (value == NULL || value->kind == CONGRU_JSON_NULL)
        return;
    congru_json_add(&plain, value, 17);
    begin_fact(page, term, false);
    if (value->kind == CONGRU_JSON_STRING)
        congru_page_say(page, "%s", value->string);
    else if (!plain.failed && plain.data != NULL)
        congru_page_say(page, "%s", plain.data);
    end_fact(page);
    page->text->failed = page->text->failed || plain.failed;
    congru_text_clear(&plain);
}

static void write_repeat(report_page *page)
{
    const congru_json *run = congru_json_root(page->run->run), *settings = settings_of(page->run),
                      *program = member(run, "program");
    if (run == NULL) {
        congru_page_paragraph(page, "note", "The folder has no run.json: how it was made is not known.");
        return;
    }
    congru_text_add(page->text, "<h3>How to repeat it</h3>\n");
    if (string(run, "command")[0] != '\0') {
        congru_text_add(page->text, "<pre tabindex=\"0\" aria-label=\"Command\"><code>");
        congru_report_add_markup(page->text, string(run, "import"));
        congru_text_add(page->text, string(run, "import")[0] != '\0' ? "\n" : "");
        congru_report_add_markup(page->text, string(run, "command"));
        congru_text_add(page->text, "</code></pre>\n");
    }
    congru_text_add(page->text, "<dl class=\"facts small\">\n");
    if (string(program, "version")[0] != '\0') {
        begin_fact(page, "Version", false);
        congru_page_say(page, "%s (%s)", string(program, "version"), string(program, "commit"));
        end_fact(page);
    }
    write_json_fact(page, "Seed", member(settings, "seed"));
    write_json_fact(page, "Data digest", member(settings, "data"));
    write_json_fact(page, "Instruction set", member(program, "cpu"));
    write_json_fact(page, "Compiler", member(program, "compiler"));
    write_json_fact(page, "Threads", member(run, "threads"));
    congru_text_add(page->text, "</dl>\n");
    if (settings == NULL)
        return;
    congru_text_add(page->text,
                    "<details class=\"numbers\"><summary>All settings</summary><dl class=\"facts small\">\n");
    for (const congru_json *s = settings->first; s != NULL; s = s->next) {
        congru_text name = {0};
        congru_report_add_markup(&name, s->name);
        write_json_fact(page, name.data != NULL ? name.data : "", s);
        page->text->failed = page->text->failed || name.failed;
        congru_text_clear(&name);
    }
    congru_text_add(page->text, "</dl></details>\n");
}

static void write_all_runs(report_page *page)
{
    congru_table table = {.title = "The runs of this report"};
    congru_table_column_text(&table, "run", "Run");
    congru_table_column_text(&table, "dataset", "Dataset");
    congru_table_column_number(&table, "subjects", "Subjects", 1, 0);
    congru_table_column_text(&table, "best", "Best pipeline");
    congru_table_column_number(&table, "accuracy", "Accuracy (%)", 100, 1);
    congru_table_column_number(&table, "deviation", "Deviation (%)", 100, 1);
    congru_table_join(&table);
    congru_table_column_number(&table, "kappa", "Kappa", 1, 3);
    for (size_t r = 0; r < page->report->runs; r++) {
        const report_run *run = &page->report->run[r];
        char name[KNOWN_NAME_SIZE];
        congru_known_name(run->scores, run->order[0], name);
        congru_table_text(&table, run->label);
        congru_table_text(&table, run->results->dataset);
        congru_table_number(&table, (double)run->results->subjects);
        congru_table_text(&table, name);
        congru_table_number(&table, run->mean[run->order[0]].mean);
        congru_table_number(&table, run->mean[run->order[0]].deviation);
        congru_table_number(&table, congru_report_mean(run, run->order[0], CONGRU_SCORE_KAPPA));
    }
    page->text->failed = page->text->failed || table.failed;
    congru_page_add_table(page, &table);
}

static void write_summary(report_page *page)
{
    const congru_results *results = page->run->results;
    write_question(page);
    for (size_t i = 0; i < results->note_count; i++) {
        const char first = results->note[i][0];
        congru_page_paragraph(page, "note", "%c%s.", first >= 'a' && first <= 'z' ? first - 'a' + 'A' : first,
                              results->note[i] + (first != '\0'));
    }
    write_winner(page);
    write_facts(page);
    if (page->report->runs > 1)
        write_all_runs(page);
    write_repeat(page);
}

/* ---- Comparison of runs --------------------------------------------------------------------------------- */

static bool has_comparison(const report_page *page)
{
    return page->index == 0 && page->report->comparisons > 0;
}

static void write_comparison(report_page *page)
{
    const congru_report *report = page->report;
    const report_comparison *c = report->comparison;
    bool several = false;
    size_t certain = 0;
    for (size_t i = 0; i < report->comparisons; i++) {
        several = several || c[i].run != c[0].run;
        certain += c[i].p_holm < 0.05;
    }
    congru_page_paragraph(
        page, NULL,
        "The same pipelines in other runs, each on the subjects, and the trials of one set, that all runs with it have. A "
        "difference is %s less %s, subject by subject. %zu of the %zu differences %s more than chance (Wilcoxon's "
        "signed-rank test, p below 0.05 after Holm's correction over all of them).",
        several ? "the other run" : report->run[c[0].run].label, report->run[0].label, certain,
        report->comparisons, certain == 1 ? "is" : "are");
    congru_text_add(page->text, "<div class=\"grid pair\">\n");
    congru_page_figure(page, "means", "Each pipeline in each run",
                       "One dot for each run: the mean over subjects.", true, congru_figure_means,
                       input_of(page, page->run->order[0]));
    congru_page_figure(page, "changes", "What other runs gain on the first",
                       "Mean over subjects of the paired difference, with its 95 % interval (Student's t).",
                       true, congru_figure_changes, input_of(page, page->run->order[0]));
    congru_text_add(page->text, "</div>\n");
    congru_table table = {0};
    if (congru_report_fill_comparison(report, &table))
        congru_page_add_table(page, &table);
    page->text->failed = page->text->failed || table.failed;
    congru_table_clear(&table);
}

/* ---- Accuracy ------------------------------------------------------------------------------------------- */

enum {
    PAIRED_LINES = 4000
}; /* of all figures of two pipelines; where there would be more, the best is in each */

static void write_pair(report_page *page, size_t a, size_t b, bool shown)
{
    const report_run *run = page->run;
    figure_input in = input_of(page, run->order[a]);
    char note[400];
    in.other = run->order[b];
    const congru_gain pair = congru_scores_gain(run->scores, in.pipeline, in.other, 0.95);
    if (pair.interval.count > 0 && pair.wins == 0 && pair.losses == 0)
        congru_format(note, sizeof note, "Equal on all %zu subjects.", pair.interval.count);
    else
        congru_format(note, sizeof note,
                      "%s points, 95 %% interval %s to %s; better on %zu of %zu, worse on %zu; d_z %s.",
                      congru_page_points(pair.interval.mean).text, congru_page_points(pair.interval.low).text,
                      congru_page_points(pair.interval.high).text, pair.wins, pair.interval.count, pair.losses,
                      congru_page_fixed(pair.effect, 2).text);
    if (run->scores->common != NULL) {
        const size_t end = strlen(note);
        congru_format(note + end, sizeof note - end, " On the %zu trials that both are scored on.",
                      congru_scores_shared(run->scores, in.pipeline, in.other));
    }
    char first[KNOWN_NAME_SIZE], second[KNOWN_NAME_SIZE], title[NAME + 16];
    congru_known_name(run->scores, in.pipeline, first);
    congru_known_name(run->scores, in.other, second);
    congru_format(title, sizeof title, "%s against %s", first, second);
    congru_page_begin_case(page, shown);
    congru_page_figure(page, NULL, title, note, false, congru_figure_paired, in);
    congru_page_end_case(page);
}

static void write_pairs(report_page *page)
{
    const size_t n = pipelines_of(page), all = n * (n - 1) / 2,
                 firsts = all * page->run->results->subjects <= PAIRED_LINES ? n : 1;
    char(*name)[NAME] = calloc(all + 1, sizeof *name);
    if (name == NULL) {
        page->text->failed = true;
        return;
    }
    size_t count = 0;
    for (size_t a = 0; a < firsts; a++)
        for (size_t b = a + 1; b < n; b++) {
            char first[KNOWN_NAME_SIZE], second[KNOWN_NAME_SIZE];
            congru_known_name(page->run->scores, page->run->order[a], first);
            congru_known_name(page->run->scores, page->run->order[b], second);
            congru_format(name[count++], NAME, "%.80s against %.80s", first, second);
        }
    congru_text_add(page->text, "<div><h3>Two pipelines, subject by subject</h3>\n<div class=\"paired\">");
    congru_page_choose(page, "Pipelines", count, 0, name);
    for (size_t a = 0; a < firsts; a++)
        for (size_t b = a + 1; b < n; b++)
            write_pair(page, a, b, a == 0 && b == 1);
    congru_page_end_choice(page);
    congru_text_add(page->text, "</div></div>\n");
    free(name);
}

static void write_forests(report_page *page)
{
    char(*name)[NAME] = list_names(page, 0);
    if (name == NULL)
        return;
    congru_text_add(page->text, "<div><h3>One pipeline against all others</h3>\n<div class=\"forests\">");
    congru_page_choose(page, "Pipeline", pipelines_of(page), 0, name);
    for (size_t i = 0; i < pipelines_of(page); i++) {
        char title[NAME + 40];
        congru_format(title, sizeof title, "What %.80s gains on each other pipeline", name[i]);
        congru_page_begin_case(page, i == 0);
        congru_page_figure(
            page, NULL, title,
            page->run->scores->common != NULL
                ? "Mean over subjects of the paired difference, with its 95 % interval (Student's t); each on "
                  "the trials that both are scored on."
                : "Mean over subjects of the paired difference, with its 95 % interval (Student's t).",
            true, congru_figure_forest, input_of(page, page->run->order[i]));
        congru_page_end_case(page);
    }
    congru_page_end_choice(page);
    congru_text_add(page->text, "</div></div>\n");
    free(name);
}

static void write_accuracy(report_page *page)
{
    congru_page_table(page, "accuracy", page->run->order[0], NULL);
    congru_page_figure(
        page, "strip", "Every subject under every pipeline",
        page->run->results->classes > 0
            ? "One dot per subject, hollow where it is not above the level of chance, which guessing exceeds in "
              "one of 20 cases; diamond and bar are the mean and its 95 % interval."
            : "One dot per subject; diamond and bar are the mean and its 95 % interval.",
        true, congru_figure_accuracy, input_of(page, page->run->order[0]));
    if (pipelines_of(page) < 2)
        return;
    congru_text_add(page->text, "<div class=\"grid pair\">\n");
    write_pairs(page);
    write_forests(page);
    congru_text_add(page->text, "</div>\n");
}

/* ---- Learning curve, metrics ---------------------------------------------------------------------------- */

static bool has_curve(const report_page *page)
{
    return page->run->curve != NULL;
}

static void write_curve(report_page *page)
{
    const congru_curve *curve = page->run->curve;
    const int last = curve->number[curve->count - 1];
    congru_text_add(page->text, "<p>The first ");
    for (size_t i = 0; i < curve->count; i++)
        congru_page_say(page, i > 0 ? ", %d" : "%d", curve->number[i]);
    congru_page_say(
        page,
        " labelled trials of each class of the target subject are fitted on with the source subjects. All numbers "
        "are scored on the same trials, those behind the first %d of each class.",
        last);
    const congru_interval from = congru_curve_mean(curve, 0, pipeline_at(page, 0), CONGRU_SCORE_ACCURACY),
                          to = congru_curve_mean(curve, curve->count - 1, pipeline_at(page, 0),
                                                 CONGRU_SCORE_ACCURACY);
    if (isfinite(from.mean) && isfinite(to.mean))
        congru_page_say(page, " From %d to %d, %s goes from %s to %s %%.", curve->number[0], last,
                        pipeline_at(page, 0), congru_page_percent(from.mean, 1).text,
                        congru_page_percent(to.mean, 1).text);
    congru_text_add(page->text, "</p>\n");
    congru_page_figure(page, "curve-chart", "Accuracy by labelled target trials",
                       "Mean over subjects, with its 95 % interval (Student's t).", false, congru_figure_curve,
                       input_of(page, page->run->order[0]));
    congru_page_table(page, "curve", page->run->order[0], "By pipeline and number of trials");
}

static bool has_predictions(const report_page *page)
{
    return page->run->results->classes > 0;
}

static void write_metrics(report_page *page)
{
    const double *level = page->run->scores->value[CONGRU_SCORE_CHANCE];
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < pipelines_of(page) * page->run->results->subjects; i++) {
        low = level[i] < low ? level[i] : low;
        high = level[i] > high ? level[i] : high;
    }
    if (low <= high)
        congru_page_paragraph(
            page, NULL,
            "A subject is above chance where the accuracy is higher than guessing among equally frequent "
            "classes exceeds in one of 20 cases (binomial): here %s%s%s %%%s.",
            congru_page_percent(low, 1).text, low < high ? " to " : "",
            low < high ? congru_page_percent(high, 1).text : "",
            low < high ? ", by the number of a subject's trials" : "");
    congru_page_table(page, "metrics", page->run->order[0], NULL);
    char(*name)[NAME] = list_names(page, 0);
    congru_text_add(page->text, "<h3>Class by class</h3>\n");
    if (name == NULL)
        return;
    congru_page_choose(page, "Pipeline", pipelines_of(page), 0, name);
    for (size_t i = 0; i < pipelines_of(page); i++) {
        char title[NAME + 40];
        congru_page_begin_case(page, i == 0);
        congru_format(title, sizeof title, "Classes under %.80s, all subjects", name[i]);
        if (!congru_page_table(page, "classes", page->run->order[i], title))
            congru_page_paragraph(page, "note", "There are no predictions of this pipeline.");
        congru_page_end_case(page);
    }
    congru_page_end_choice(page);
    free(name);
}

/* ---- Subjects ------------------------------------------------------------------------------------------- */

/* A subject, and its mean over pipelines. */
typedef struct subject_row {
    size_t subject;
    double mean;
} subject_row;

static int worse_first(const void *a, const void *b)
{
    const subject_row *x = a, *y = b;
    if (isnan(x->mean) || isnan(y->mean))
        return isnan(x->mean) - isnan(y->mean);
    if (x->mean != y->mean)
        return x->mean < y->mean ? -1 : 1;
    return (x->subject > y->subject) - (x->subject < y->subject);
}

/* Subjects by their mean over the pipelines from `first` on, `count` of them in the order of the report, the worst first. */
static subject_row *sort_subjects(report_page *page, size_t first, size_t count)
{
    const report_run *run = page->run;
    const size_t subjects = run->results->subjects;
    subject_row *row = calloc(subjects + 1, sizeof *row);
    if (row == NULL) {
        page->text->failed = true;
        return NULL;
    }
    for (size_t s = 0; s < subjects; s++) {
        double sum = 0;
        size_t known = 0;
        for (size_t i = first; i < first + count; i++) {
            const double value = run->accuracy[run->order[i] * subjects + s];
            sum += isnan(value) ? 0 : value;
            known += isnan(value) ? 0 : 1;
        }
        row[s] = (subject_row){s, known > 0 ? sum / (double)known : (double)NAN};
    }
    qsort(row, subjects, sizeof *row, worse_first);
    return row;
}

static void write_subject_row(report_page *page, const subject_row *row, double least)
{
    const report_run *run = page->run;
    const size_t subjects = run->results->subjects;
    congru_text_add(page->text, "<tr data-subject=\"");
    congru_report_add_markup(page->text, run->results->subject_name[row->subject]);
    congru_text_add(page->text, "\"><th scope=\"row\">");
    congru_page_say(page, run->results->subject_few[row->subject] ? "%s *" : "%s",
                    run->results->subject_name[row->subject]);
    congru_text_add(page->text, "</th><td class=\"number\">%s</td>", congru_page_percent(row->mean, 1).text);
    for (size_t i = 0; i < pipelines_of(page); i++) {
        const size_t p = run->order[i];
        const double value = run->accuracy[p * subjects + row->subject];
        const bool chance = congru_scores_at(run->scores, CONGRU_SCORE_ABOVE, p, row->subject) == 0;
        const double shade = isnan(value) || least >= 1 ? 0 : 32 * (value - least) / (1 - least);
        congru_text_add(page->text, "<td class=\"number%s\" style=\"--shade: %.0f%%\">%s</td>",
                        chance ? " chance" : "", shade, congru_page_percent(value, 1).text);
    }
    congru_text_add(page->text, "</tr>\n");
}

static void write_subject_table(report_page *page)
{
    const report_run *run = page->run;
    const size_t subjects = run->results->subjects;
    double least = isnan(run->chance) ? 1 : run->chance;
    char(*name)[NAME] = list_names(page, 0);
    subject_row *row = sort_subjects(page, 0, pipelines_of(page));
    if (name == NULL || row == NULL) {
        free(name);
        free(row);
        return;
    }
    for (size_t i = 0; i < pipelines_of(page) * subjects; i++)
        least = run->accuracy[i] < least ? run->accuracy[i] : least;
    congru_text_add(
        page->text,
        "<div class=\"wide dense\" tabindex=\"0\" role=\"region\" aria-label=\"Accuracy by subject\">"
        "<table><caption><span>Accuracy by subject (%%), worst first%s</span></caption><thead><tr>"
        "<th scope=\"col\">Subject</th><th scope=\"col\" class=\"number\">Mean</th>",
        run->results->classes > 0 ? "; grey: not above the level of chance" : "");
    for (size_t i = 0; i < pipelines_of(page); i++) {
        congru_text_add(page->text, "<th scope=\"col\" class=\"number\">");
        congru_page_name(page, name[i]);
        congru_text_add(page->text, "</th>");
    }
    congru_text_add(page->text, "</tr></thead>\n<tbody>");
    for (size_t s = 0; s < subjects; s++)
        write_subject_row(page, &row[s], least);
    congru_text_add(page->text, "</tbody></table></div>\n");
    free(name);
    free(row);
}

/* One confusion as a small table: rows truth, columns prediction. subject -1: all. */
static void write_confusion(report_page *page, size_t pipeline, int32_t subject, size_t *count)
{
    const congru_results *results = page->run->results;
    const size_t n = results->classes;
    size_t trials = 0, right = 0;
    if (congru_results_confusion(NULL, results, pipeline, subject, count) != CONGRU_OK) {
        page->text->failed = true;
        return;
    }
    for (size_t k = 0; k < n * n; k++) {
        trials += count[k];
        right += k % (n + 1) == 0 ? count[k] : 0;
    }
    congru_text_add(page->text, "<table class=\"confusion\"");
    if (subject >= 0) {
        congru_text_add(page->text, " data-subject=\"");
        congru_report_add_markup(page->text, results->subject_name[subject]);
        congru_text_add(page->text, "\"");
    }
    congru_text_add(page->text, "><caption><strong>");
    congru_page_say(page, "%s", subject >= 0 ? results->subject_name[subject] : "All subjects");
    congru_text_add(page->text, "</strong> %s %% of %zu</caption><thead><tr><td></td>",
                    congru_page_percent(trials > 0 ? (double)right / (double)trials : (double)NAN, 1).text,
                    trials);
    for (size_t k = 0; k < n; k++) {
        congru_text_add(page->text, "<th scope=\"col\">");
        congru_page_name(page, results->class_name[k]);
        congru_text_add(page->text, "</th>");
    }
    congru_text_add(page->text, "</tr></thead><tbody>\n");
    for (size_t i = 0; i < n; i++) {
        size_t total = 0;
        for (size_t j = 0; j < n; j++)
            total += count[i * n + j];
        congru_text_add(page->text, "<tr><th scope=\"row\">");
        congru_page_name(page, results->class_name[i]);
        congru_text_add(page->text, "</th>");
        for (size_t j = 0; j < n; j++) {
            const double part = total > 0 ? (double)count[i * n + j] / (double)total : 0;
            congru_text_add(page->text, "<td%s style=\"--shade: %.0f%%\">%s<small>%zu</small></td>",
                            i == j ? " class=\"right\"" : "", 45 * part, congru_page_percent(part, 0).text,
                            count[i * n + j]);
        }
        congru_text_add(page->text, "</tr>\n");
    }
    congru_text_add(page->text, "</tbody></table>\n");
}

enum { CONFUSIONS_SHOWN = 7 };

static void write_confusions(report_page *page, size_t place, size_t *count)
{
    const report_run *run = page->run;
    subject_row *row = sort_subjects(page, place, 1);
    size_t known = 0;
    while (row != NULL && known < run->results->subjects && !isnan(row[known].mean))
        known++;
    congru_text_add(page->text, "<div class=\"grid confusions\">\n");
    write_confusion(page, run->order[place], -1, count);
    for (size_t i = 0; i < known && i < CONFUSIONS_SHOWN; i++)
        write_confusion(page, run->order[place], (int32_t)row[i].subject, count);
    congru_text_add(page->text, "</div>\n");
    if (known > CONFUSIONS_SHOWN) {
        congru_text_add(
            page->text,
            "<details class=\"numbers\"><summary>The other %zu subjects</summary><div class=\"grid confusions\">\n",
            known - CONFUSIONS_SHOWN);
        for (size_t i = CONFUSIONS_SHOWN; i < known; i++)
            write_confusion(page, run->order[place], (int32_t)row[i].subject, count);
        congru_text_add(page->text, "</div></details>\n");
    }
    free(row);
}

static void write_subjects(report_page *page)
{
    const size_t classes = page->run->results->classes;
    write_subject_table(page);
    if (classes == 0) {
        congru_page_paragraph(page, "note",
                              "The folder has no predictions.csv: there are no confusions to show.");
        return;
    }
    char(*name)[NAME] = list_names(page, 0);
    size_t *count = calloc(classes * classes + 1, sizeof *count);
    if (name != NULL && count != NULL) {
        congru_text_add(page->text, "<h3>Confusion matrix</h3>\n");
        congru_page_paragraph(
            page, "note",
            "Rows are the truth, columns the prediction; per cent of a row, and trials. Subjects with the "
            "lowest accuracy come first.");
        congru_page_choose(page, "Pipeline", pipelines_of(page), 0, name);
        for (size_t i = 0; i < pipelines_of(page); i++) {
            congru_page_begin_case(page, i == 0);
            write_confusions(page, i, count);
            congru_page_end_case(page);
        }
        congru_page_end_choice(page);
    }
    page->text->failed = page->text->failed || count == NULL;
    free(name);
    free(count);
}

/* ---- Training ------------------------------------------------------------------------------------------- */

static bool has_training(const report_page *page)
{
    return page->run->curve_count > 0;
}

static const report_curves *curves_of(const report_run *run, const char *pipeline)
{
    for (size_t i = 0; i < run->curve_count; i++)
        if (strcmp(run->curves[i].pipeline, pipeline) == 0)
            return &run->curves[i];
    return NULL;
}

/* Whether a series is the same number at every step of every run, which is then *value. */
static bool is_constant(const report_page *page, const char *pipeline, size_t series, double *value)
{
    *value = (double)NAN;
    for (size_t r = 0; r < page->report->runs; r++) {
        const report_curves *curves = curves_of(&page->report->run[r], pipeline);
        for (size_t i = 0; curves != NULL && i < curves->points; i++) {
            const double low = curves->low[series][i], high = curves->high[series][i];
            if (!isfinite(curves->mean[series][i]))
                continue;
            *value = isnan(*value) ? low : *value;
            if (low != *value || high != *value)
                return false;
        }
    }
    return true;
}

/* A number that never changes is a sentence, not a figure. */
static void write_series(report_page *page, const char *pipeline, size_t series)
{
    double value;
    figure_input in = {.report = page->report, .run = page->run, .series = series};
    if (is_constant(page, pipeline, series, &value)) {
        if (!isnan(value)) {
            congru_text_add(page->text, "<p class=\"note constant\"><strong>%s</strong>",
                            congru_report_series_title(series));
            congru_page_say(page, " %.6g at every step.", value);
            congru_text_add(page->text, "</p>\n");
        }
        return;
    }
    while (in.pipeline < pipelines_of(page) && strcmp(page->run->results->pipeline[in.pipeline], pipeline) != 0)
        in.pipeline++;
    if (in.pipeline < pipelines_of(page))
        congru_page_figure(page, NULL, congru_report_series_title(series), NULL, false, congru_figure_training,
                           in);
}

static void write_trainings(report_page *page, const char *pipeline)
{
    static const struct {
        const char *title;
        const char *series[6];
    } groups[] = {
        {"Losses", {"loss", "cross_entropy", "reconstruction"}},
        {"Scatter on the manifold",
         {"within_action", "between_action", "action_ratio", "within_subject", "between_subject",
          "subject_ratio"}},
        {"Stability", {"gradient_norm", "eigen_least", "eigen_largest", "rank"}},
    };
    congru_text_add(page->text, "<p class=\"note\">Line: mean over subjects; band: the middle 80 %% of them. ");
    for (size_t r = 0; r < page->report->runs; r++) {
        const report_curves *curves = curves_of(&page->report->run[r], pipeline);
        if (curves == NULL)
            continue;
        if (page->report->runs > 1) {
            congru_text_add(page->text, "<span class=\"mark\" style=\"--tone: #%06x\"></span>",
                            (unsigned)(congru_figure_run_colour(page->report, r) >> 8));
            congru_page_say(page, "%s: ", page->report->run[r].label);
        }
        congru_page_say(page, "%zu subjects, %zu steps", curves->subjects, curves->steps);
        if (isfinite(curves->best_step))
            congru_page_say(page, ", the kept parameters are of step %.0f on average", curves->best_step);
        congru_page_say(page, ". ");
    }
    congru_text_add(page->text, "</p>\n");
    for (size_t g = 0; g < sizeof groups / sizeof groups[0]; g++) {
        congru_text_add(page->text, "<h3>%s</h3>\n<div class=\"grid\">\n", groups[g].title);
        for (size_t k = 0; k < 6 && groups[g].series[k] != NULL; k++)
            for (size_t s = 0; s < REPORT_SERIES; s++)
                if (strcmp(congru_report_series(s), groups[g].series[k]) == 0)
                    write_series(page, pipeline, s);
        congru_text_add(page->text, "</div>\n");
    }
}

static void write_training(report_page *page)
{
    char(*name)[NAME] = list_names(page, page->run->curve_count);
    size_t count = 0;
    if (name == NULL)
        return;
    for (size_t i = 0; i < pipelines_of(page); i++)
        if (curves_of(page->run, pipeline_at(page, i)) != NULL)
            congru_format(name[count++], NAME, "%s", pipeline_at(page, i));
    congru_page_choose(page, "Pipeline", count, 0, name);
    for (size_t i = 0; i < count; i++) {
        congru_page_begin_case(page, i == 0);
        write_trainings(page, name[i]);
        congru_page_end_case(page);
    }
    congru_page_end_choice(page);
    free(name);
}

/* ---- What it looks at ----------------------------------------------------------------------------------- */

static bool has_looks(const report_page *page)
{
    return page->run->looks != NULL && page->run->looks->count > 0;
}

static void write_look(report_page *page, size_t pipeline)
{
    const congru_patterns *looks = page->run->looks;
    const char *name = page->run->results->pipeline[pipeline];
    for (size_t i = 0; i < looks->count; i++) {
        char sentence[CONGRU_SENTENCE_SIZE] = "";
        if (strcmp(looks->pattern[i].pipeline, name) != 0)
            continue;
        page->status = page->status == CONGRU_OK ? congru_pattern_sentence(page->context, looks, i, sentence)
                                                 : page->status;
        congru_page_paragraph(page, "sentence", "%s.", sentence);
        congru_page_paragraph(page, "note", "%s %% of the decisions.",
                              congru_page_percent(looks->pattern[i].part, 0).text);
    }
    congru_text_add(page->text,
                    "<div class=\"wide heads\" tabindex=\"0\" role=\"region\" aria-label=\"Scalp maps of ");
    congru_report_add_markup(page->text, name);
    congru_text_add(page->text, "\">");
    if (!congru_page_figure(page, NULL, NULL, NULL, false, congru_figure_looks, input_of(page, pipeline)))
        congru_page_paragraph(page, "note", "None of its channels has a known place.");
    congru_text_add(page->text, "</div>\n");
}

static void write_looks(report_page *page)
{
    const congru_patterns *looks = page->run->looks;
    char(*name)[NAME] = list_names(page, 0);
    size_t *own = calloc(pipelines_of(page) + 1, sizeof *own), count = 0;
    congru_page_paragraph(
        page, NULL,
        "Forward patterns of linear pipelines, the mean over the subjects left out: what each electrode "
        "measures when the score of a class is high. Heads are seen from above, nose up; blue is below zero, "
        "orange above, on one scale for each branch; above each column the share of the branch's weight.");
    for (size_t i = 0; name != NULL && own != NULL && i < pipelines_of(page); i++) {
        bool has = false;
        for (size_t k = 0; k < looks->count; k++)
            has = has || strcmp(looks->pattern[k].pipeline, pipeline_at(page, i)) == 0;
        if (!has)
            continue;
        own[count] = page->run->order[i];
        congru_format(name[count++], NAME, "%s", pipeline_at(page, i));
    }
    if (name != NULL && own != NULL && count > 0) {
        congru_page_choose(page, "Pipeline", count, 0, name);
        for (size_t i = 0; i < count; i++) {
            congru_page_begin_case(page, i == 0);
            write_look(page, own[i]);
            congru_page_end_case(page);
        }
        congru_page_end_choice(page);
    }
    page->text->failed = page->text->failed || own == NULL;
    free(own);
    free(name);
}

/* ---- Geometry ------------------------------------------------------------------------------------------- */

static bool has_geometry(const report_page *page)
{
    return page->run->geometry != NULL || page->run->patterns != NULL;
}

/* A panel for each stage; the script moves the points from one to the next. */
static void write_stages(report_page *page, const congru_json *root)
{
    const congru_json *stage = member(root, "intervals"), *by_class = member(root, "silhouette_class"),
                      *by_subject = member(root, "silhouette_subject");
    const char *network = string(root, "network");
    if (congru_json_length(member(root, "points")) == 0 || stage == NULL)
        return;
    congru_text_add(page->text, "<h3>Trials as alignment goes on</h3>\n<p class=\"note\">");
    if (string(root, "pipeline")[0] != '\0')
        congru_page_say(page, "%s while it is trained", string(root, "pipeline"));
    if (string(root, "left_out")[0] != '\0')
        congru_page_say(page, " with %s left out", string(root, "left_out"));
    congru_page_say(
        page,
        "%s. Colour is class, shape is subject; each panel has its own axes. Choose a point to see its "
        "subject alone.",
        strcmp(network, "step") == 0   ? ", by the network of each step"
        : strcmp(network, "best") == 0 ? ", by the best network until each step"
                                       : "");
    congru_text_add(page->text, "</p>\n<p class=\"note\">");
    for (size_t k = 0; k < page->run->results->classes; k++) {
        congru_text_add(page->text, "<span class=\"mark\" style=\"--tone: var(--c%zu)\"></span>",
                        k % CANVAS_COLOURS + 1);
        congru_page_say(page, "%s ", page->run->results->class_name[k]);
    }
    congru_text_add(page->text, "</p>\n<div class=\"stages\"><div class=\"grid panels\">\n");
    const congru_json *c = by_class != NULL ? by_class->first : NULL,
                      *s = by_subject != NULL ? by_subject->first : NULL;
    size_t index = 0;
    for (stage = stage->first; stage != NULL; stage = stage->next) {
        figure_input in = input_of(page, page->run->order[0]);
        char title[40], note[120] = "";
        in.stage = ++index;
        congru_format(title, sizeof title, "%.0f %%", stage->number);
        if (c != NULL && s != NULL)
            congru_format(note, sizeof note, "silhouette: class %s, subject %s",
                          congru_page_fixed(congru_json_tree_number(c), 3).text,
                          congru_page_fixed(congru_json_tree_number(s), 3).text);
        congru_page_figure(page, NULL, title, note[0] != '\0' ? note : NULL, false, congru_figure_evolution,
                           in);
        c = c != NULL ? c->next : NULL;
        s = s != NULL ? s->next : NULL;
    }
    congru_text_add(page->text, "</div></div>\n");
}

static void write_geometry(report_page *page)
{
    const congru_json *root = congru_json_root(page->run->geometry);
    const figure_input in = input_of(page, page->run->order[0]);
    write_stages(page, root);
    congru_page_figure(page, NULL, "Fisher's scatters and ratios of the source trials", NULL, false,
                       congru_figure_scatters, in);
    congru_page_figure(page, NULL, "Class covariances before and after alignment",
                       "One ellipse for each subject and class; both panels have the same scale.", false,
                       congru_figure_ellipses, in);
    if (page->run->patterns != NULL &&
        !congru_page_figure(page, NULL, "Scalp maps", "Seen from above, nose up.", false,
                            congru_figure_patterns, in))
        congru_page_paragraph(page, "note", "None of the channels of its scalp maps has a known place.");
}

/* ---- Time, ablation, statistics ------------------------------------------------------------------------- */

static bool has_speed(const report_page *page)
{
    for (size_t p = 0; p < pipelines_of(page); p++)
        if (congru_report_mean(page->run, p, CONGRU_SCORE_SECONDS) > 0)
            return true;
    return false;
}

static void write_speed(report_page *page)
{
    bool compared = false;
    for (size_t p = 0; p < pipelines_of(page); p++)
        compared = compared || congru_report_paper_seconds(page->run->results->dataset,
                                                           page->run->results->pipeline[p]) > 0;
    congru_page_figure(
        page, "seconds", "Seconds per subject",
        compared
            ? "Fitting and predicting, logarithmic. The paper's figures are its alignment and its classifier "
              "added, on an RTX 4060."
            : "Fitting and predicting, logarithmic. The paper has no figures for this dataset.",
        true, congru_figure_speed, input_of(page, page->run->order[0]));
    congru_page_table(page, "speed", page->run->order[0], "Seconds, and how many times faster");
}

static bool has_ablation(const report_page *page)
{
    return page->run->ablation != NULL || page->run->statistics != NULL;
}

static void write_ablation(report_page *page)
{
    const congru_json *ablation = congru_json_root(page->run->ablation),
                      *statistics = congru_json_root(page->run->statistics);
    if (ablation != NULL) {
        congru_page_figure(page, "variants",
                           string(ablation, "title")[0] != '\0' ? string(ablation, "title")
                                                                : "What each change does",
                           NULL, true, congru_figure_ablation, input_of(page, page->run->order[0]));
        congru_page_table(page, "ablation", page->run->order[0], "Variants");
    }
    if (statistics == NULL)
        return;
    if (string(statistics, "test")[0] != '\0')
        congru_page_paragraph(page, "note", "%s", string(statistics, "test"));
    congru_page_table(page, "statistics", page->run->order[0], "Paired comparisons");
}

const page_section congru_page_sections[] = {
    {"summary", "Summary", always, write_summary},
    {"comparison", "Comparison", has_comparison, write_comparison},
    {"accuracy", "Accuracy", always, write_accuracy},
    {"curve", "Learning curve", has_curve, write_curve},
    {"metrics", "Metrics", has_predictions, write_metrics},
    {"subjects", "Subjects", always, write_subjects},
    {"training", "Training", has_training, write_training},
    {"looks", "What it looks at", has_looks, write_looks},
    {"geometry", "Geometry", has_geometry, write_geometry},
    {"speed", "Speed", has_speed, write_speed},
    {"ablation", "Ablation and statistics", has_ablation, write_ablation},
    {NULL, NULL, NULL, NULL},
};
