/* What figures of training say: legends, colours, numbers that differ where values do. SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "congru/report.h"
#include "context_main.h"
#include "harness.h"
#include "report/canvas.h"
#include "scratch.h"

enum { SUBJECTS = 6, CLASSES = 2 };

static congru_context *context;

static const char results[] = "score,time,samples,subject,session,pipeline,dataset,kappa\n"
                              "0.5,1,4,S00,all,dldct-e2e,2a,0\n";

static const char *make_folder(const char *name)
{
    static char folders[16][512];
    static size_t next;
    char *folder = folders[next++ % 16];
    snprintf(folder, sizeof folders[0], "%s", path_in(name));
    CHECK(mkdir(folder, 0777) == 0);
    put_file(folder, "results.csv", results);
    return folder;
}

/* Trials of six source subjects and two classes, at one stage; and scatters at three. */
static void put_geometry(const char *folder, const char *scatters)
{
    congru_text text = {0};
    congru_text_add(&text, "{\"pipeline\": \"dldct-e2e\", \"left_out\": \"S00\", \"network\": \"step\", "
                           "\"channels\": [\"C3\", \"Cz\", \"C4\", \"EOG\"], "
                           "\"intervals\": [0, 50, 100], \"points\": [");
    for (int i = 0; i < SUBJECTS * CLASSES; i++)
        congru_text_add(
            &text, "%s{\"subject\": \"S%02d\", \"label\": \"class%d\", \"x\": [%d, 0, 1], \"y\": [1, 2, %d]}",
            i > 0 ? "," : "", i / CLASSES + 1, i % CLASSES, i, i);
    congru_text_add(&text, "], %s}", scatters);
    put_file(folder, "geometry.json", text.data);
    congru_text_clear(&text);
}

static congru_report *read_folders(const char *const *folders, size_t count)
{
    congru_report *report = NULL;
    congru_status status = congru_report_create(context, folders, count, &report);
    CHECK_SAYING(status == CONGRU_OK, "%s", congru_context_error(context));
    return report;
}

static congru_drawing *draw(const congru_report *report, const char *name, const congru_report_choice *choice)
{
    congru_drawing *drawing = NULL;
    CHECK_SAYING(congru_report_figure(context, report, name, choice, &drawing) == CONGRU_OK, "%s",
                 congru_context_error(context));
    return drawing;
}

/* The first text that is this; NULL: none. */
static const congru_shape *text_at(const congru_drawing *drawing, const char *text)
{
    for (size_t i = 0; drawing != NULL && i < drawing->count; i++)
        if (drawing->shape[i].kind == CONGRU_SHAPE_TEXT && strcmp(drawing->shape[i].text, text) == 0)
            return &drawing->shape[i];
    return NULL;
}

static size_t texts_with(const congru_drawing *drawing, const char *words)
{
    size_t count = 0;
    for (size_t i = 0; drawing != NULL && i < drawing->count; i++)
        count += drawing->shape[i].kind == CONGRU_SHAPE_TEXT && strstr(drawing->shape[i].text, words) != NULL;
    return count;
}

/* The colour of the mark left of a text, the last shape before it. */
static uint32_t colour_of(const congru_drawing *drawing, const char *text)
{
    const congru_shape *found = text_at(drawing, text);
    CHECK_SAYING(found != NULL, "there is no %s", text);
    return found != NULL && found > drawing->shape ? found[-1].fill : 0;
}

/* ---- Trials on the plane ---------------------------------------------------------------------------------- */

/* The network, who is left out, a dot for each class, a shape for each subject: the first four. */
TEST(trials_have_a_legend_of_subjects)
{
    const char *folder = make_folder("legend");
    put_geometry(folder, "\"moved\": [0, 1, 1]");
    congru_report *report = read_folders(&folder, 1);
    congru_drawing *drawing = draw(report, "evolution", NULL);
    CHECK(text_at(drawing, "dldct-e2e while it is trained, S00 left out") != NULL);
    CHECK(texts_with(drawing, "by the network of each step") == 1 &&
          text_at(drawing, "4 of 6 source subjects") != NULL);
    CHECK(text_at(drawing, "class0") != NULL && text_at(drawing, "class1") != NULL);
    CHECK(text_at(drawing, "S01") != NULL && text_at(drawing, "S04") != NULL &&
          text_at(drawing, "S05") == NULL);
    congru_drawing_destroy(&drawing);
    congru_report_destroy(&report);
}

TEST(subjects_of_a_figure_are_chosen)
{
    static const char *const some[] = {"S06", "S02"}, *const nobody[] = {"S06", "S00"};
    const char *folder = make_folder("chosen");
    put_geometry(folder, "\"moved\": [0, 1, 1]");
    congru_report *report = read_folders(&folder, 1);
    congru_report_choice choice = {.subjects = some, .subject_count = 2};
    congru_drawing *drawing = draw(report, "evolution", &choice);
    size_t polygons = 0;
    CHECK(text_at(drawing, "S06") != NULL && text_at(drawing, "S02") != NULL &&
          text_at(drawing, "S01") == NULL);
    for (size_t i = 0; i < drawing->count;
         i++) /* the second has squares: two trials in three panels, and the legend's */
        polygons += drawing->shape[i].kind == CONGRU_SHAPE_POLYGON;
    CHECK(polygons == 2 * 3 + 1);
    congru_drawing_destroy(&drawing);
    CHECK(congru_report_figure(context, report, "scatters", &choice, &drawing) == CONGRU_ERROR_ARGUMENT);
    choice.subjects = nobody;
    CHECK(congru_report_figure(context, report, "evolution", &choice, &drawing) == CONGRU_ERROR_ARGUMENT &&
          strstr(congru_context_error(context), "no trial of subject 'S00'") != NULL);
    congru_report_destroy(&report);
}

TEST(a_figure_that_is_none_is_told_which_there_are)
{
    const char *folder = make_folder("none");
    congru_report *report = read_folders(&folder, 1);
    congru_drawing *drawing = NULL;
    CHECK(congru_report_figure(context, report, "bogus", NULL, &drawing) == CONGRU_ERROR_ARGUMENT &&
          strstr(congru_context_error(context), "no figure is called 'bogus', but accuracy, ") != NULL &&
          strstr(congru_context_error(context), "evolution") != NULL);
    congru_report_destroy(&report);
}

/* ---- Electrodes ------------------------------------------------------------------------------------------- */

TEST(electrodes_have_names)
{
    const char *folder = make_folder("named");
    put_geometry(folder, "\"moved\": [0, 1, 1]");
    congru_report *report = read_folders(&folder, 1);
    congru_drawing *drawing = draw(report, "electrodes", NULL);
    CHECK(text_at(drawing, "C3") != NULL && text_at(drawing, "Cz") != NULL && text_at(drawing, "EOG") == NULL);
    CHECK(text_at(drawing, "C3")->x < text_at(drawing, "Cz")->x &&
          text_at(drawing, "Cz")->x < text_at(drawing, "C4")->x);
    CHECK(texts_with(drawing, "3 of 4 channels") == 1);
    congru_drawing_destroy(&drawing);
    congru_report_destroy(&report);
}

/* ---- Numbers ---------------------------------------------------------------------------------------------- */

/* 13.697 to 13.704 would be 13.7 twice; what is equal has one number. */
TEST(ends_that_differ_have_other_numbers)
{
    const char *folder = make_folder("close");
    put_geometry(folder, "\"within_class\": [13.7041, 13.6972, 13.7], \"between_class\": [0.5, 0.5, 0.5], "
                         "\"within_subject\": [14.00001, 14, 14], \"between_subject\": [2e-7, 1e-7, 1e-7]");
    congru_report *report = read_folders(&folder, 1);
    congru_drawing *drawing = draw(report, "scatters", NULL);
    CHECK(text_at(drawing, "13.7") == NULL && text_at(drawing, "13.704") != NULL &&
          text_at(drawing, "13.697") != NULL);
    CHECK(text_at(drawing, "14") != NULL && text_at(drawing, "14.00001") != NULL);
    CHECK(texts_with(drawing, "dldct-e2e while it is trained, S00 left out") == 1);
    size_t halves = 0;
    for (size_t i = 0; i < drawing->count; i++)
        halves += drawing->shape[i].kind == CONGRU_SHAPE_TEXT && strcmp(drawing->shape[i].text, "0.5") == 0;
    CHECK(halves == 1);
    congru_drawing_destroy(&drawing);
    congru_report_destroy(&report);
}

/* The numbers at an axis, whatever it spans: each another than the one before, and at least two. */
static void check_axis(double from, double to)
{
    const scale s = {.from = from, .to = to, .start = 0, .end = 100};
    canvas on = congru_canvas_start(100, 100, "axis");
    size_t numbers = 0;
    const char *before = "";
    congru_canvas_axis_y(&on, &s, 0, 100, 1, "what");
    for (size_t i = 0; i < on.drawing->count; i++) {
        const congru_shape *shape = &on.drawing->shape[i];
        if (shape->kind != CONGRU_SHAPE_TEXT || shape->angle != 0)
            continue;
        CHECK_SAYING(strcmp(shape->text, before) != 0, "%s twice from %.17g to %.17g", shape->text, from, to);
        before = shape->text;
        numbers++;
    }
    CHECK_SAYING(numbers >= 2, "%zu numbers from %.17g to %.17g", numbers, from, to);
    congru_drawing_destroy(&on.drawing);
}

TEST(ticks_differ)
{
    static const double start[] = {0, 1, -13.7, 1e-3, 1e-7, 12345.678, 2.5e-20},
                        span[] = {1e3, 1, 3e-3, 7e-6, 4e-9};
    for (size_t i = 0; i < sizeof start / sizeof start[0]; i++)
        for (size_t j = 0; j < sizeof span / sizeof span[0]; j++)
            check_axis(start[i], start[i] + span[j]);
    check_axis(1e-15, 3e-15);
    check_axis(2e-25, 2.31e-25);
}

/* ---- Colours ---------------------------------------------------------------------------------------------- */

/* Unconstrained blue, constrained orange, in whatever order they are given; else by place. */
TEST(unconstrained_is_blue)
{
    static const char scatters[] = "\"within_class\": [3, 2, 1], \"between_class\": [1, 2, 3]";
    const char *folders[] = {make_folder("with"), make_folder("without")};
    for (size_t r = 0; r < 2; r++)
        put_geometry(folders[r], scatters);
    put_file(folders[0], "run.json", "{\"settings\": {\"unconstrained\": false}}");
    put_file(folders[1], "run.json", "{\"settings\": {\"unconstrained\": true}}");
    for (int turned = 0; turned < 2; turned++) {
        const char *const order[] = {folders[turned], folders[1 - turned]};
        congru_report *report = read_folders(order, 2);
        congru_drawing *drawing = draw(report, "scatters", NULL);
        CHECK(colour_of(drawing, "without") == congru_canvas_colours[0]);
        CHECK(colour_of(drawing, "with") == congru_canvas_colours[1]);
        congru_drawing_destroy(&drawing);
        congru_report_destroy(&report);
    }
    put_file(folders[1], "run.json", "{\"settings\": {\"unconstrained\": false}}");
    congru_report *report = read_folders(folders, 2);
    congru_drawing *drawing = draw(report, "scatters", NULL);
    CHECK(colour_of(drawing, "with") == congru_canvas_colours[0]);
    congru_drawing_destroy(&drawing);
    congru_report_destroy(&report);
}

int main(void)
{
    return scratch_main(&context, NULL);
}
