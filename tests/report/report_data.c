/* The data of a report's page, and figures and tables of folders that lack something. SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "congru/report.h"
#include "context_main.h"
#include "harness.h"
#include "report/report_internal.h"
#include "scratch.h"

enum { POINTS = 2000, POINTS_SHOWN = 1500 };

static congru_context *context;

static const char results_head[] = "score,time,samples,subject,session,pipeline,dataset,kappa\n";

/* A folder with these results. */
static const char *make_folder(const char *name, const char *rows)
{
    static char folders[4][512];
    static size_t next;
    char *folder = folders[next++ % 4], text[1024];
    snprintf(folder, sizeof folders[0], "%s", path_in(name));
    CHECK(mkdir(folder, 0777) == 0);
    snprintf(text, sizeof text, "%s%s", results_head, rows);
    put_file(folder, "results.csv", text);
    return folder;
}

static void make_training(const char *folder, const char *text)
{
    char path[600];
    snprintf(path, sizeof path, "%s/training", folder);
    CHECK(mkdir(path, 0777) == 0);
    put_file(folder, "training/dct-e2e-0.json", text);
}

static congru_report *read_folders(const char *const *folders, size_t count)
{
    congru_report *report = NULL;
    congru_status status = congru_report_create(context, folders, count, &report);
    CHECK_SAYING(status == CONGRU_OK, "%s", congru_context_error(context));
    return report;
}

static congru_json_file *data_of(const congru_report *report)
{
    char *text = NULL;
    congru_json_file *data = NULL;
    CHECK(congru_report_json(context, report, &text) == CONGRU_OK);
    CHECK_SAYING(congru_json_parse(context, "data", text, strlen(text), &data) == CONGRU_OK, "%s",
                 congru_context_error(context));
    congru_report_text_destroy(&text);
    return data;
}

/* The value at a path of names and indices, like "runs.0.table.1.mean". */
static const congru_json *at(const congru_json_file *data, const char *path)
{
    const congru_json *value = congru_json_root(data);
    while (value != NULL && *path != '\0') {
        char part[64];
        size_t size = strcspn(path, ".");
        snprintf(part, sizeof part, "%.*s", (int)size, path);
        path += size + (path[size] == '.');
        if (value->kind == CONGRU_JSON_ARRAY) {
            size_t index = strtoul(part, NULL, 10);
            for (value = value->first; value != NULL && index > 0; index--)
                value = value->next;
        } else {
            value = congru_json_tree_member(value, part);
        }
    }
    CHECK_SAYING(value != NULL, "there is no %s", path);
    return value;
}

static void check_number(const congru_json_file *data, const char *path, double expected)
{
    double found = congru_json_tree_number(at(data, path));
    CHECK_SAYING(fabs(found - expected) <= 1e-13 * (1 + fabs(expected)), "%s is %.17g, not %.17g", path, found,
                 expected);
}

/* The value written as JSON. */
static void check_json(const congru_json_file *data, const char *path, const char *expected)
{
    congru_text text = {0};
    congru_json_add(&text, at(data, path), 17);
    CHECK_SAYING(text.data != NULL && strcmp(text.data, expected) == 0, "%s is %s, not %s", path, text.data,
                 expected);
    congru_text_clear(&text);
}

/* ---- The data ------------------------------------------------------------------------------------------ */

static const char full_rows[] =
    "0.5,1,4,a,all,ra+mdm,2a,0\n0.75,2,4,b,all,ra+mdm,2a,0.5\n1,3,4,c,all,ra+mdm,2a,1\n"
    "0.75,10,4,a,all,dct-e2e,2a,0.5\n0.75,20,4,b,all,dct-e2e,2a,0.5\n1,30,4,c,all,dct-e2e,2a,1\n";

/* Answers to two trials "left" and then two "right" of each subject, by pipeline. */
static void put_predictions(const char *folder)
{
    static const char *const answers[6] = {"lrlr", "llrl", "llrr", "llrl", "lrrr", "llrr"};
    congru_text text = {0};
    congru_text_add(&text, "subject,trial,pipeline,y_true,y_pred,p_left,p_right\n");
    for (int fold = 0; fold < 6; fold++)
        for (int trial = 0; trial < 4; trial++)
            congru_text_add(&text, "%c,%d,%s,%s,%s,0.5,0.5\n", "abc"[fold % 3], trial,
                            fold < 3 ? "ra+mdm" : "dct-e2e", trial < 2 ? "left" : "right",
                            answers[fold][trial] == 'l' ? "left" : "right");
    put_file(folder, "predictions.csv", text.data);
    congru_text_clear(&text);
}

static void put_geometry(const char *folder)
{
    congru_text text = {0};
    congru_text_add(&text, "{\"title\": \"t\", \"intervals\": [0], \"points\": [");
    for (int i = 0; i < POINTS; i++)
        congru_text_add(&text, "%s{\"subject\": \"a\", \"label\": \"left\", \"x\": [%d], \"y\": [0.12345678]}",
                        i > 0 ? "," : "", i);
    congru_text_add(&text, "], \"ellipses\": [{\"stage\": \"after\", \"class\": \"left\", \"centre\": [1, 2], "
                           "\"axes\": [3, 4], \"angle\": 5}]}");
    put_file(folder, "geometry.json", text.data);
    congru_text_clear(&text);
}

static double plane(double x, double y)
{
    return 2 - 3 * x + y;
}

/* One map, and one with too few places for a surface. */
static void put_patterns(const char *folder)
{
    static const char *const names[] = {"C3", "Cz", "EOG", "C4", "Fz", "Pz"};
    congru_text text = {0};
    congru_text_add(&text, "{\"maps\": [{\"title\": \"<one>\", \"channels\": [\"C3\", \"Cz\", \"EOG\", \"C4\", "
                           "\"Fz\", \"Pz\"], \"values\": [");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        double place[2] = {0, 0};
        congru_report_electrode(names[i], place);
        congru_text_add(&text, "%s%.17g", i > 0 ? "," : "", plane(place[0], place[1]));
    }
    congru_text_add(&text, "]}, {\"title\": \"two\", \"channels\": [\"ECG\", \"C3\", \"EOG\"], \"values\": "
                           "[7, 8.5, 9]}]}");
    put_file(folder, "patterns.json", text.data);
    congru_text_clear(&text);
}

static const char *make_full(void)
{
    const char *folder = make_folder("full", full_rows);
    put_predictions(folder);
    put_geometry(folder);
    put_patterns(folder);
    make_training(folder, "{\"pipeline\": \"dct-e2e\", \"best_step\": 1, \"loss\": [4, 0.33333333333, 1], "
                          "\"rank\": [3, null, null]}");
    put_file(
        folder, "training/dct-e2e-1.json",
        "{\"pipeline\": \"dct-e2e\", \"best_step\": 2, \"loss\": [2, 0.33333333333, 3], \"rank\": [3, null, "
        "null]}");
    put_file(folder, "run.json", "{\"seed\": 7}");
    put_file(folder, "ablation.json", "{\"rows\": [{\"name\": \"all\", \"mean\": 0.125}]}");
    put_file(folder, "statistics.json",
             "{\"comparisons\": [{\"a\": \"p\", \"b\": \"q\", \"mean_gain\": 0.1}]}");
    return folder;
}

static void check_scores(const congru_json_file *data)
{
    check_json(data, "runs.0.label", "\"full\"");
    check_json(data, "runs.0.pipelines", "[\"dct-e2e\",\"ra+mdm\"]");
    check_json(data, "runs.0.classes", "[\"left\",\"right\"]");
    check_number(data, "runs.0.chance", 0.5);
    check_number(data, "runs.0.table.0.mean", 5.0 / 6.0);
    check_number(data, "runs.0.table.0.deviation", sqrt(1.0 / 48.0));
    /* Student's 97.5 % point for 2 degrees of freedom. */
    CHECK_NEAR(congru_json_tree_number(at(data, "runs.0.table.0.high")) - 5.0 / 6.0,
               4.302652729911275 * sqrt(1.0 / 48.0) / sqrt(3.0), 1e-5);
    check_number(data, "runs.0.table.1.paper", 5.64 + 1.40);
    check_number(data, "runs.0.table.1.seconds", 2);
    check_json(data, "runs.0.kappa", "[[0.5,0.5,1],[0,0.5,1]]");
    check_json(data, "runs.0.samples", "[[4,4,4],[4,4,4]]");
    check_number(data, "runs.0.pairs.0.mean", 1.0 / 12.0);
    check_number(data, "runs.0.pairs.0.effect", 1.0 / sqrt(3.0));
    check_number(data, "runs.0.pairs.0.wins", 1);
    check_number(data, "runs.0.pairs.0.losses", 0);
    check_json(data, "runs.0.confusion", "[[[2,0,1,1],[1,1,0,2],[2,0,0,2]],[[1,1,1,1],[2,0,1,1],[2,0,0,2]]]");
}

static void check_training(const congru_json_file *data)
{
    CHECK(congru_json_length(at(data, "runs.0.training")) == 1);
    check_json(data, "runs.0.training.0.pipeline", "\"dct-e2e\"");
    check_number(data, "runs.0.training.0.subjects", 2);
    check_number(data, "runs.0.training.0.steps", 3);
    check_number(data, "runs.0.training.0.best_step", 1.5);
    check_json(data, "runs.0.training.0.step", "[0,1,2]");
    CHECK(congru_json_length(at(data, "runs.0.training.0.series")) == 2); /* the others have no number */
    check_json(data, "runs.0.training.0.series.0.name", "\"loss\"");
    check_json(data, "runs.0.training.0.series.0.mean", "[3,0.33333299999999999,2]");
    check_json(data, "runs.0.training.0.series.0.low", "[2.2000000000000002,0.33333299999999999,1.2]");
    check_json(data, "runs.0.training.0.series.0.high",
               "[3.7999999999999998,0.33333299999999999,2.7999999999999998]");
    check_json(data, "runs.0.training.0.series.1.name", "\"rank\"");
    check_json(data, "runs.0.training.0.series.1.mean", "[3,null,null]");
}

/* Of n points in all, i is shown where i * shown / n steps on to the next whole number. */
static void check_geometry(const congru_json_file *data)
{
    const congru_json *points = at(data, "runs.0.geometry.points");
    size_t index = 0;
    check_number(data, "runs.0.geometry.point_count", POINTS);
    CHECK(congru_json_length(points) == POINTS_SHOWN);
    for (const congru_json *p = points->first; p != NULL; p = p->next, index++)
        CHECK(congru_json_tree_member(p, "x")->first->number == (double)(index + index / 3 + 1));
    check_json(data, "runs.0.geometry.points.0.y", "[0.123457]");
    check_json(data, "runs.0.geometry.title", "\"t\"");
    check_json(data, "runs.0.geometry.silhouette_class", "null");
    check_json(data, "runs.0.geometry.ellipses",
               "[{\"stage\":\"after\",\"class\":\"left\",\"centre\":[1,2],\"axes\":[3,4],\"angle\":5}]");
}

static void check_patterns(const congru_json_file *data)
{
    size_t index = 0, known = 0;
    CHECK(congru_json_length(at(data, "runs.0.patterns")) == 2);
    check_json(data, "runs.0.patterns.0.title", "\"\\u003cone\\u003e\"");
    CHECK(congru_json_length(at(data, "runs.0.patterns.0.electrodes")) == 5);
    check_json(data, "runs.0.patterns.0.electrodes.0",
               "{\"name\":\"C3\",\"x\":-0.40000000000000002,\"y\":0,\"value\":3.2000000000000002}");
    check_json(data, "runs.0.patterns.0.unknown", "[\"EOG\"]");
    check_number(data, "runs.0.patterns.0.size", REPORT_GRID);
    const congru_json *grid = at(data, "runs.0.patterns.0.grid");
    CHECK(congru_json_length(grid) == REPORT_GRID * REPORT_GRID);
    for (const congru_json *v = grid->first; v != NULL; v = v->next, index++) {
        double x = ((double)(index % REPORT_GRID) + 0.5) * 2 / REPORT_GRID - 1;
        double y = 1 - ((double)(index / REPORT_GRID) + 0.5) * 2 / REPORT_GRID;
        double edge = 1 + 2.0 / REPORT_GRID;
        known += v->kind == CONGRU_JSON_NUMBER;
        CHECK((v->kind == CONGRU_JSON_NULL) == (x * x + y * y > edge * edge));
        if (x * x + y * y < 0.01) /* at Cz, among electrodes whose values are on a plane */
            CHECK_NEAR(v->number, plane(x, y), 0.1);
    }
    CHECK(known > 2400);
    check_json(data, "runs.0.patterns.1.unknown", "[\"ECG\",\"EOG\"]");
    check_json(data, "runs.0.patterns.1.electrodes.0.value", "8.5");
    check_json(data, "runs.0.patterns.1.grid", "null");
}

/* Of a pipeline that two of three folders have, on the subjects of both. */
static void check_comparisons(const congru_json_file *data)
{
    CHECK(congru_json_length(at(data, "comparisons")) == 2);
    check_json(data, "comparisons.0.pipeline", "\"dct-e2e\"");
    check_number(data, "comparisons.0.run", 2);
    check_number(data, "comparisons.0.difference.n", 1);
    check_number(data, "comparisons.0.difference.mean", 0.25);
    check_json(data, "comparisons.0.difference.deviation", "null");
    check_json(data, "comparisons.1.pipeline", "\"ra+mdm\"");
    check_number(data, "comparisons.1.run", 1);
    check_number(data, "comparisons.1.first.mean", 0.625);
    check_number(data, "comparisons.1.own.mean", 0.875);
    check_number(data, "comparisons.1.difference.n", 2);
    check_number(data, "comparisons.1.difference.mean", 0.25);
    check_number(data, "comparisons.1.difference.wins", 1);
    check_number(data, "comparisons.1.difference.losses", 0);
    /* One difference beside a zero: either sign is as likely. */
    check_number(data, "comparisons.0.p", 1);
    check_number(data, "comparisons.1.p", 1);
    check_number(data, "comparisons.1.p_holm", 1);
}

TEST(the_page_has_all_that_folders_hold)
{
    const char *folders[] = {make_full(),
                             make_folder("some", "1,1,4,a,all,ra+mdm,2a,1\n0.75,2,4,b,all,ra+mdm,2a,0.5\n"),
                             make_folder("few", "1,1,4,a,all,dct-e2e,2a,1\n")};
    congru_report *report = read_folders(folders, 3);
    congru_json_file *data = data_of(report);
    check_scores(data);
    check_training(data);
    check_geometry(data);
    check_patterns(data);
    check_comparisons(data);
    check_json(data, "runs.0.run", "{\"seed\":7}");
    check_json(data, "runs.0.ablation", "{\"rows\":[{\"name\":\"all\",\"mean\":0.125}]}");
    check_json(data, "runs.0.statistics.comparisons.0.mean_gain", "0.10000000000000001");
    CHECK(congru_json_length(at(data, "runs")) == 3);
    check_json(data, "runs.1.confusion", "null");
    check_json(data, "runs.1.geometry", "null");
    check_json(data, "runs.1.patterns", "null");
    check_json(data, "runs.1.training", "[]");
    check_json(data, "runs.1.chance", "null");
    congru_json_destroy(&data);
    congru_report_destroy(&report);
}

/* ---- Figures and tables -------------------------------------------------------------------------------- */

/* How many texts of the drawing hold these words. */
static size_t texts_with(const congru_drawing *drawing, const char *words)
{
    size_t count = 0;
    for (size_t i = 0; drawing != NULL && i < drawing->count; i++)
        count += drawing->shape[i].kind == CONGRU_SHAPE_TEXT && strstr(drawing->shape[i].text, words) != NULL;
    return count;
}

static congru_drawing *draw(const congru_report *report, const char *name, const congru_report_choice *choice)
{
    congru_drawing *drawing = NULL;
    CHECK_SAYING(congru_report_figure(context, report, name, choice, &drawing) == CONGRU_OK, "%s",
                 congru_context_error(context));
    return drawing;
}

static void check_undrawn(const char *folder, const char *name, const congru_report_choice *choice,
                          const char *words)
{
    congru_drawing *drawing = NULL;
    congru_report *report = read_folders(&folder, 1);
    CHECK(congru_report_figure(context, report, name, choice, &drawing) == CONGRU_ERROR_FORMAT);
    const char *error = congru_context_error(context);
    CHECK_SAYING(drawing == NULL && strstr(error, words) != NULL, "no '%s' in: %s", words, error);
    congru_report_destroy(&report);
}

TEST(figures_say_what_they_lack)
{
    const congru_report_choice same = {.pipeline = "ra+mdm", .other = "ra+mdm"};
    const char *folder = make_folder("lacking", full_rows);
    check_undrawn(folder, "paired", &same, "it takes two pipelines");
    put_file(folder, "geometry.json", "{\"intervals\": [0, 1], \"points\": [], \"ellipses\": []}");
    check_undrawn(folder, "evolution", NULL, "it takes geometry.json with points");
    check_undrawn(folder, "scatters", NULL, "it takes geometry.json with within_class");
    check_undrawn(folder, "ellipses", NULL, "it takes geometry.json with ellipses");
    put_file(folder, "patterns.json", "{\"maps\": []}");
    check_undrawn(folder, "patterns", NULL, "it takes patterns.json with channels of the 10-10 system");
    put_file(folder, "patterns.json",
             "{\"maps\": [{\"title\": \"t\", \"channels\": [\"EOG\"], \"values\": [1]}]}");
    check_undrawn(folder, "patterns", NULL, "it takes patterns.json with channels of the 10-10 system");
    check_undrawn(make_folder("single", "1,1,4,a,all,dct-e2e,2a,1\n"), "forest", NULL,
                  "it takes two pipelines");
}

TEST(two_pipelines_are_chosen_by_name)
{
    const char *folder = make_folder("chosen", full_rows);
    const congru_report_choice choice = {.pipeline = "ra+mdm", .other = "dct-e2e"};
    congru_report *report = read_folders(&folder, 1);
    congru_drawing *drawing = draw(report, "forest", &choice);
    CHECK(texts_with(drawing, "What ra+mdm gains") == 1);
    congru_drawing_destroy(&drawing);
    size_t pipeline = 9, other = 9;
    CHECK(congru_report_choose(context, &report->run[0], &choice, &pipeline, &other) == CONGRU_OK);
    CHECK(pipeline == 0 && other == 1);
    congru_report_destroy(&report);
}

/* One curve for each folder that has one, named; of the best that was trained when the best was not. */
TEST(training_is_drawn_of_all_folders)
{
    static const char rows[] = "1,1,4,a,all,ra+mdm,2a,1\n0.5,1,4,a,all,dct-e2e,2a,0\n";
    const char *folders[] = {make_folder("ante", rows), make_folder("medio", rows), make_folder("post", rows)};
    make_training(folders[0], "{\"pipeline\": \"dct-e2e\", \"loss\": [2, 2, 2], \"rank\": [3, null, 3]}");
    make_training(folders[2], "{\"pipeline\": \"dct-e2e\", \"loss\": [2, 2, 2], \"rank\": [5, null, 4]}");
    congru_report *report = read_folders(folders, 3);
    congru_drawing *drawing = draw(report, "training", NULL);
    CHECK(texts_with(drawing, "dct-e2e") == 1 && strstr(drawing->title, "dct-e2e") != NULL);
    CHECK(texts_with(drawing, "ante") == 1 && texts_with(drawing, "post") == 1);
    CHECK(texts_with(drawing, "medio") == 0);
    /* What does not change is drawn on an axis about it. */
    CHECK(texts_with(drawing, "2.2") == 1 && texts_with(drawing, "2.4") == 1 &&
          texts_with(drawing, "2.6") == 0);
    CHECK(texts_with(drawing, "0.0") == 1 && texts_with(drawing, "-0") == 0);
    congru_drawing_destroy(&drawing);
    const congru_report_choice choice = {.series = "rank"};
    drawing = draw(report, "training", &choice);
    size_t lines = 0;
    for (size_t i = 0; i < drawing->count; i++)
        if (drawing->shape[i].kind == CONGRU_SHAPE_LINE && drawing->shape[i].stroke_width == 1.6) {
            lines++;
            CHECK(drawing->shape[i].count == 2); /* a step without a number has no point */
        }
    CHECK(lines == 2);
    congru_drawing_destroy(&drawing);
    congru_report_destroy(&report);
}

/* More classes than there are colours: those beyond 256 share the last place. */
TEST(many_classes_are_drawn)
{
    const char *folder = make_folder("crowd", full_rows);
    congru_text text = {0};
    congru_text_add(&text, "{\"intervals\": [0], \"points\": [");
    for (int i = 0; i < 300; i++)
        congru_text_add(&text, "%s{\"subject\": \"a\", \"label\": \"class %d.\", \"x\": [%d], \"y\": [1]}",
                        i > 0 ? "," : "", i, i);
    congru_text_add(&text, "]}");
    put_file(folder, "geometry.json", text.data);
    congru_text_clear(&text);
    congru_report *report = read_folders(&folder, 1);
    congru_drawing *drawing = draw(report, "evolution", NULL);
    CHECK(texts_with(drawing, "class ") == 256 && texts_with(drawing, "class 255.") == 1);
    congru_drawing_destroy(&drawing);
    congru_report_destroy(&report);
}

/* A line in each panel for each folder; what is no number is left out, and ratios are W over B. */
TEST(scatters_are_drawn_of_all_folders)
{
    const char *folders[] = {make_folder("first", full_rows), make_folder("second", full_rows)};
    put_file(folders[0], "geometry.json",
             "{\"intervals\": [0, 50, 100], \"within_class\": [6, null, 3], \"between_class\": [2, 2, 0.5], "
             "\"within_subject\": [1, 1, 1], \"between_subject\": [0, 0, 0]}");
    put_file(folders[1], "geometry.json",
             "{\"intervals\": [0], \"within_class\": [4], \"between_class\": [1]}");
    congru_report *report = read_folders(folders, 2);
    congru_drawing *drawing = draw(report, "scatters", NULL);
    size_t lines = 0;
    for (size_t i = 0; i < drawing->count; i++)
        lines += drawing->shape[i].kind == CONGRU_SHAPE_LINE && drawing->shape[i].count < 4;
    CHECK(lines >= 3 && texts_with(drawing, "W/B, classes") == 1);
    /* 6 / 2 and 3 / 0.5 beside 4 / 1 */
    CHECK(texts_with(drawing, "first") == 1 && texts_with(drawing, "second") == 1);
    size_t six = 0, three = 0;
    for (size_t i = 0; i < drawing->count; i++)
        if (drawing->shape[i].kind == CONGRU_SHAPE_TEXT) {
            six += strcmp(drawing->shape[i].text, "6") == 0;
            three += strcmp(drawing->shape[i].text, "3") == 0;
        }
    CHECK(six == 2 && three == 2);
    congru_drawing_destroy(&drawing);
    congru_report_destroy(&report);
}

TEST(tables_of_other_columns_are_not_joined)
{
    const char *folders[] = {make_folder("these", "1,1,4,a,all,ra+mdm,2a,1\n"),
                             make_folder("those", "1,1,4,a,all,dct-e2e,2a,1\n")};
    congru_report *report = read_folders(folders, 2);
    char *text = NULL;
    CHECK(congru_report_table(context, report, "subjects", NULL, CONGRU_TABLE_CSV, &text) ==
          CONGRU_ERROR_FORMAT);
    CHECK(strstr(congru_context_error(context), "its table 'subjects' has other columns than that of") != NULL);
    congru_report_destroy(&report);
}

/* ---- Predictions --------------------------------------------------------------------------------------- */

TEST(predictions_that_do_not_fit_the_results_are_refused)
{
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"subject,trial,pipeline,y_true,y_pred,p_l,sum,p_r\na,0,ra+mdm,l,l,1,1,0\n",
         "the columns p_... are not side by side"},
        {"subject,trial,pipeline,y_true,y_pred\na,0,ra+mdm,l,l\n", "has no columns p_CLASS"},
        {"subject,trial,pipeline,y_true,p_l\na,0,ra+mdm,l,1\n", "has no column 'y_pred'"},
        {"subject,trial,pipeline,y_true,y_pred,p_l\na,0,ra+mdm,l,l,1\n",
         "row 2: fewer rows than results.csv says"},
        {"subject,trial,pipeline,y_true,y_pred,p_l\na,0,ra+mdm,l,l,1\nb,1,ra+mdm,l,l,1\n",
         "row 2: not in the order of results.csv"},
        {"subject,trial,pipeline,y_true,y_pred,p_l\na,0,ra+mdm,l,l,1\na,1,dct-e2e,l,l,1\n",
         "row 2: not in the order of results.csv"},
        {"subject,trial,pipeline,y_true,y_pred,p_l\na,0,ra+mdm,l,r,1\na,1,ra+mdm,l,l,1\n",
         "row 1: a class that has no column"},
        {"subject,trial,pipeline,y_true,y_pred,p_l\na,0,ra+mdm,l,l,1\na,1,ra+mdm,l,l,1\na,2,ra+mdm,l,l,1\n",
         "row 3: more rows than results.csv says"},
    };
    const char *folder = make_folder("answers", "1,1,2,a,all,ra+mdm,2a,1\n");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        congru_report *report = NULL;
        put_file(folder, "predictions.csv", cases[i].text);
        CHECK(congru_report_create(context, &folder, 1, &report) == CONGRU_ERROR_FORMAT && report == NULL);
        const char *error = congru_context_error(context);
        CHECK_SAYING(strstr(error, "predictions.csv") != NULL && strstr(error, cases[i].words) != NULL,
                     "no '%s' in: %s", cases[i].words, error);
    }
}

int main(void)
{
    return scratch_main(&context, NULL);
}
