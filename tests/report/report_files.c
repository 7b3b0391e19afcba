/* Reports of results folders: what is read, what is summed up, what is refused. SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "congru/report.h"
#include "context_main.h"
#include "harness.h"
#include "report/report_internal.h"
#include "scratch.h"

static congru_context *context;

static const char results_head[] = "score,time,samples,subject,session,pipeline,dataset,kappa\n";

/* A folder with results of two pipelines on three subjects. */
static const char *make_folder(const char *name)
{
    static char folder[512];
    char text[1024];
    snprintf(folder, sizeof folder, "%s", path_in(name));
    CHECK(mkdir(folder, 0777) == 0);
    snprintf(text, sizeof text,
             "%s0.5,1,4,a,all,ra+mdm,2a,0\n0.75,2,4,b,all,ra+mdm,2a,0.5\n1,3,4,<c>,all,ra+mdm,2a,1\n"
             "0.75,10,4,a,all,dct-e2e,2a,0.5\n0.75,20,4,b,all,dct-e2e,2a,0.5\n1,30,4,<c>,all,dct-e2e,2a,1\n",
             results_head);
    put_file(folder, "results.csv", text);
    return folder;
}

static congru_report *read_folder(const char *folder)
{
    congru_report *report = NULL;
    congru_status status = congru_report_create(context, &folder, 1, &report);
    CHECK_SAYING(status == CONGRU_OK, "%s", congru_context_error(context));
    return report;
}

static void check_refused(const char *folder, const char *words)
{
    congru_report *report = NULL;
    CHECK(congru_report_create(context, &folder, 1, &report) != CONGRU_OK && report == NULL);
    const char *error = congru_context_error(context);
    CHECK_SAYING(strstr(error, words) != NULL, "no '%s' in: %s", words, error);
}

TEST(pipelines_come_best_first)
{
    congru_report *report = read_folder(make_folder("order"));
    char *csv = NULL;
    CHECK(report != NULL && report->run[0].order[0] == 1 && isnan(report->run[0].chance));
    CHECK(congru_report_table(context, report, "accuracy", NULL, CONGRU_TABLE_CSV, &csv) == CONGRU_OK);
    CHECK_SAYING(strstr(csv, "\ndct-e2e,3,0.833333333333333") != NULL &&
                     strstr(csv, "\nra+mdm,3,0.75,0.25,") != NULL,
                 "%s", csv);
    congru_report_text_destroy(&csv);
    CHECK(congru_report_table(context, report, "confusion", NULL, CONGRU_TABLE_CSV, &csv) ==
          CONGRU_ERROR_FORMAT);
    CHECK(congru_report_table(context, report, "nothing", NULL, CONGRU_TABLE_CSV, &csv) ==
          CONGRU_ERROR_ARGUMENT);
    congru_report_destroy(&report);
}

TEST(numbers_that_are_no_scores_are_refused)
{
    static const struct {
        const char *row, *words;
    } cases[] = {{"1e308,1,4,a,0,ra+mdm,2a,0", "row 1: score is 1e+308, expected 0 to 1"},
                 {"-0.1,1,4,a,0,ra+mdm,2a,0", "row 1: score is -0.1, expected 0 to 1"},
                 {"0.5,-1,4,a,0,ra+mdm,2a,0", "row 1: time is -1, expected 0 to 1e+12"},
                 {"0.5,1,4,a,0,ra+mdm,2a,1.5", "row 1: kappa is 1.5, expected -1 to 1"}};
    const char *folder = make_folder("range");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        snprintf(text, sizeof text, "%s%s\n", results_head, cases[i].row);
        put_file(folder, "results.csv", text);
        check_refused(folder, cases[i].words);
    }
}

TEST(folds_of_a_subject_are_averaged)
{
    char text[512];
    const char *folder = make_folder("folds");
    snprintf(text, sizeof text,
             "%s0.5,1,4,a,0,ra+mdm,2a,0\n0.75,2,4,a,1,ra+mdm,2a,0.5\n1,3,4,b,0,ra+mdm,2a,1\n", results_head);
    put_file(folder, "results.csv", text);
    congru_report *report = read_folder(folder);
    CHECK(report->run[0].accuracy[0] == 0.625 && report->run[0].accuracy[1] == 1);
    CHECK(report->run[0].scores->value[CONGRU_SCORE_SECONDS][0] == 3 && report->run[0].mean[0].mean == 0.8125);
    congru_report_destroy(&report);
}

TEST(training_is_thinned_and_summed_up)
{
    char folder[512], name[64], path[600];
    snprintf(folder, sizeof folder, "%s", make_folder("training"));
    snprintf(path, sizeof path, "%s/training", folder);
    CHECK(mkdir(path, 0777) == 0);
    for (int subject = 0; subject < 3; subject++) {
        congru_text text = {0};
        congru_text_add(&text, "{\"pipeline\": \"dct-e2e\", \"best_step\": %d, \"loss\": [", 100 + subject);
        for (int step = 0; step < 1001; step++)
            congru_text_add(&text, "%s%d", step > 0 ? "," : "", step + 1000 * subject);
        congru_text_add(&text, "], \"within_action\": [");
        for (int step = 0; step < 1001; step++)
            congru_text_add(&text, "%s2", step > 0 ? "," : "");
        congru_text_add(&text, "], \"between_action\": [");
        for (int step = 0; step < 1001; step++)
            congru_text_add(&text, "%s%d", step > 0 ? "," : "", subject + 1);
        congru_text_add(&text, "], \"rank\": [");
        for (int step = 0; step < 1001; step++)
            congru_text_add(&text, "%s%s", step > 0 ? "," : "", step % 100 == 0 ? "4" : "null");
        congru_text_add(&text, "]}");
        snprintf(name, sizeof name, "training/dct-e2e-%d.json", subject);
        put_file(folder, name, text.data);
        congru_text_clear(&text);
    }
    congru_report *report = read_folder(folder);
    const report_curves *curves = report->run[0].curves;
    CHECK(report->run[0].curve_count == 1 && curves->subjects == 3 && curves->points == 101 &&
          curves->steps == 1001);
    CHECK(curves->best_step == 101 && curves->step[0] == 0 && curves->step[50] == 500 &&
          curves->step[100] == 1000);
    CHECK_NEAR(curves->mean[0][50], 1500, 1e-9);
    CHECK_NEAR(curves->low[0][50], 700, 1e-9);
    CHECK_NEAR(curves->high[0][50], 2300, 1e-9);
    CHECK_NEAR(curves->mean[11][3], (2.0 / 1 + 2.0 / 2 + 2.0 / 3) / 3, 1e-12); /* the paper's ratio: W over B */
    const double *mean = NULL;
    const size_t *step = NULL;
    CHECK(congru_report_curve(report, 0, "dct-e2e", "action_ratio", &step, &mean) == 101 && step[50] == 500 &&
          mean == curves->mean[11]);
    CHECK(congru_report_curve(report, 0, "dct-e2e", "accuracy", &step, &mean) == 0 && mean == NULL);
    CHECK(congru_report_curve(report, 0, "dldct-e2e", "loss", &step, &mean) == 0);
    CHECK(congru_report_curve(report, 1, "dct-e2e", "loss", &step, &mean) == 0);
    CHECK(curves->mean[10][10] == 4 && isnan(curves->mean[10][11]) && isnan(curves->mean[1][0]));
    put_file(folder, "training/dct-e2e-3.json", "{\"pipeline\": \"dct-e2e\", \"loss\": [1, 2]}");
    check_refused(folder, "1001 steps for one subject and 2 for another");
    put_file(folder, "training/dct-e2e-3.json", "{\"loss\": [1, 2]}");
    check_refused(folder, "it names no pipeline; not a training record");
    put_file(folder, "training/dct-e2e-3.json", "{\"pipeline\": \"dct-e2e\", \"loss\": 1}");
    check_refused(folder, "it has no array \"loss\"; not a training record");
    congru_report_destroy(&report);
}

TEST(a_page_holds_its_data_and_no_markup_of_names)
{
    congru_report *report = read_folder(make_folder("page"));
    char *text = NULL;
    CHECK(congru_report_page(context, report, &text) == CONGRU_OK);
    CHECK(strncmp(text, "<!doctype html>", 15) == 0 && strstr(text, "</html>") != NULL);
    CHECK(strstr(text, "<c>") == NULL && strstr(text, "&lt;c&gt;") != NULL && strstr(text, "<svg ") != NULL);
    congru_report_text_destroy(&text);
    CHECK(congru_report_json(context, report, &text) == CONGRU_OK && strchr(text, '<') == NULL);
    CHECK(strstr(text, "\"accuracy\":[[0.75,0.75,1],\n[0.5,0.75,1]]") != NULL);
    congru_report_text_destroy(&text);
    congru_report_destroy(&report);
}

TEST(optional_files_are_checked)
{
    char folder[512];
    snprintf(folder, sizeof folder, "%s", make_folder("optional"));
    static const struct {
        const char *file, *text, *words;
    } cases[] = {
        {"run.json", "[]", "run.json: not an object"},
        {"geometry.json",
         "{\"intervals\": [0, 1], \"points\": [{\"subject\": \"a\", \"label\": \"b\", \"x\": [1], \"y\": [1, "
         "2]}]}",
         "points[0]: needs one number in \"x\" and in \"y\" for each interval"},
        {"geometry.json",
         "{\"intervals\": [0], \"points\": [{\"subject\": \"a\", \"label\": \"b\", \"x\": [1], \"y\": "
         "[\"2\"]}]}",
         "points[0]: needs one number in \"x\" and in \"y\" for each interval"},
        {"geometry.json", "{\"points\": [{\"subject\": \"a\", \"label\": 1}]}",
         "points[0]: needs the texts \"subject\" and \"label\""},
        {"geometry.json", "{\"intervals\": [null]}", "intervals[0]: not a number"},
        {"geometry.json", "{\"ellipses\": [{\"stage\": \"during\"}]}", "ellipses[0]: \"stage\" is"},
        {"geometry.json",
         "{\"ellipses\": [{\"stage\": \"after\", \"class\": \"c\", \"centre\": [0, 0], \"axes\": [1], "
         "\"angle\": 0}]}",
         "ellipses[0]: needs \"class\", \"centre\" [x, y], \"axes\" [a, b] and \"angle\""},
        {"patterns.json", "{}", "patterns.json: has no array \"maps\""},
        {"patterns.json", "{\"maps\": [{\"title\": \"t\", \"channels\": [\"Cz\", 1], \"values\": [1, 2]}]}",
         "maps[0]: \"channels\" are texts"},
        {"ablation.json", "{\"rows\": [{\"name\": \"a\", \"mean\": 1}, {}]}",
         "rows[1]: needs \"name\" and \"mean\""},
        {"statistics.json", "{\"comparisons\": [{\"a\": 1}]}",
         "comparisons[0]: needs \"a\", \"b\" and \"mean_gain\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char path[600];
        put_file(folder, cases[i].file, cases[i].text);
        check_refused(folder, cases[i].words);
        snprintf(path, sizeof path, "%s/%s", folder, cases[i].file);
        CHECK(remove(path) == 0);
    }
    congru_report *report = read_folder(folder);
    congru_report_destroy(&report);
}

TEST(folders_that_are_none_are_refused)
{
    check_refused(path_in("absent"), "cannot open: No such file");
    const char *empty = path_in("empty");
    CHECK(mkdir(empty, 0777) == 0);
    check_refused(empty, "holds no results.csv");
    congru_report *report;
    CHECK(congru_report_create(context, NULL, 0, &report) == CONGRU_ERROR_ARGUMENT);
}

/* Folders of the same name are told apart by their paths. */
TEST(runs_have_labels_of_their_own)
{
    char first[512], second[600];
    snprintf(first, sizeof first, "%s", make_folder("same"));
    snprintf(second, sizeof second, "%s/", make_folder("other"));
    const char *folders[] = {first, second};
    congru_report *report = NULL;
    CHECK(congru_report_create(context, folders, 2, &report) == CONGRU_OK);
    CHECK(strcmp(report->run[0].label, "same") == 0 && strcmp(report->run[1].label, "other") == 0);
    congru_report_destroy(&report);
    const char *twice[] = {first, first};
    CHECK(congru_report_create(context, twice, 2, &report) == CONGRU_OK);
    CHECK(strcmp(report->run[0].label, first) == 0 && strcmp(report->run[1].label, first) == 0);
    congru_report_destroy(&report);
}

int main(void)
{
    return scratch_main(&context, NULL);
}
