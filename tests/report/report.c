/* The parts of a report: intervals, montage, paper's times, JSON, tables, drawings. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "context_main.h"
#include "harness.h"
#include "report/canvas.h"
#include "report/table_write.h"
#include "scratch.h"

static congru_context *context;

TEST(an_interval_is_that_of_student)
{
    const double ten[] = {1, 2, 3, 4, 5, NAN, 6, 7, 8, 9, 10};
    congru_interval interval = congru_interval_of(11, ten, 0.95);
    CHECK(interval.count == 10);
    CHECK_NEAR(interval.mean, 5.5, 1e-15);
    CHECK_NEAR(interval.deviation, 3.0276503540974917, 1e-14);
    CHECK_NEAR(interval.low, 3.3341494103318304, 1e-12);
    CHECK_NEAR(interval.high, 7.6658505896681696, 1e-12);
    interval = congru_interval_of(1, ten, 0.95);
    CHECK(interval.mean == 1 && isnan(interval.low) && isnan(interval.deviation));
    CHECK(isnan(congru_interval_of(0, ten, 0.95).mean));
    double many[50];
    for (int i = 0; i < 50; i++)
        many[i] = i;
    CHECK_NEAR(congru_interval_of(50, many, 0.95).high - 24.5,
               2.0095752371292397 * 14.577379737113251 / sqrt(50), 1e-12);
}

TEST(a_pair_is_taken_subject_by_subject)
{
    const double a[] = {0.5, 0.6, 0.7, NAN, 0.9}, b[] = {0.4, 0.6, 0.8, 0.1, 0.5};
    congru_gain pair = congru_gain_of(5, a, b, 0.95);
    CHECK(pair.interval.count == 4 && pair.wins == 2 && pair.losses == 1);
    CHECK_NEAR(pair.interval.mean, 0.1, 1e-15);
    CHECK_NEAR(pair.effect, 0.1 / sqrt(0.14 / 3), 1e-12);
    CHECK_NEAR(pair.interval.high - pair.interval.mean, 3.1824463052837096 * sqrt(0.14 / 3) / 2, 1e-12);
    CHECK(isnan(congru_gain_of(2, b, b, 0.95).effect) && congru_gain_of(2, b, b, 0.95).interval.mean == 0);
    pair = congru_gain_of(1, a, b, 0.95);
    CHECK(pair.interval.count == 1 && pair.wins == 1 && isnan(pair.interval.low) && isnan(pair.effect));
    CHECK_NEAR(pair.interval.mean, 0.1, 1e-15);
    pair = congru_gain_of(1, a + 3, b, 0.95);
    CHECK(pair.interval.count == 0 && isnan(pair.interval.mean) && isnan(pair.interval.high) &&
          pair.wins + pair.losses == 0);
}

TEST(electrodes_have_their_places)
{
    double place[2] = {NAN, NAN}, other[2] = {NAN, NAN};
    CHECK(congru_report_electrode("Cz", place) && place[0] == 0 && place[1] == 0);
    CHECK(congru_report_electrode("C3", place) && place[0] == -0.4 && place[1] == 0);
    CHECK(congru_report_electrode("Fc5.", place) && congru_report_electrode("EEG-FC5", other));
    CHECK(place[0] == other[0] && place[1] == other[1] && place[0] < -0.4 && place[1] > 0);
    CHECK(congru_report_electrode("T3", place) && congru_report_electrode("T7", other) && place[0] == other[0]);
    CHECK(!congru_report_electrode("EOG", place) && !congru_report_electrode("", place));
    CHECK(!congru_report_electrode("C", place) && !congru_report_electrode("channel", place));
}

/* The value at a place between the four cells about it. */
static double between(const double *grid, const double place[2])
{
    double x = (place[0] + 1) * REPORT_GRID / 2 - 0.5, y = (1 - place[1]) * REPORT_GRID / 2 - 0.5;
    size_t i = (size_t)x, k = (size_t)y;
    const double *at = grid + k * REPORT_GRID + i;
    x -= (double)i;
    y -= (double)k;
    return (1 - y) * ((1 - x) * at[0] + x * at[1]) + y * ((1 - x) * at[REPORT_GRID] + x * at[REPORT_GRID + 1]);
}

/* To the edge of the head, through the values, and not far beyond them where no electrode is. */
TEST(a_scalp_map_goes_through_its_values)
{
    static const char *const names[] = {"C3", "Cz", "C4", "Fz", "Pz", "FC1", "CP2"};
    enum { COUNT = sizeof names / sizeof names[0] };
    double place[2 * COUNT], value[COUNT], *grid = calloc(REPORT_GRID * REPORT_GRID, sizeof *grid);
    for (int flat = 0; flat < 2; flat++) {
        double least = INFINITY, most = -INFINITY;
        for (size_t i = 0; i < COUNT; i++) {
            CHECK(congru_report_electrode(names[i], place + 2 * i));
            value[i] = flat ? 7 : 2 - 3 * place[2 * i] + place[2 * i + 1];
            least = fmin(least, value[i]);
            most = fmax(most, value[i]);
        }
        CHECK(grid != NULL && congru_report_scalp(COUNT, place, value, grid));
        for (size_t i = 0; i < COUNT; i++)
            CHECK_NEAR(between(grid, place + 2 * i), value[i], flat ? 1e-9 : 0.01);
        for (size_t i = 0; i < REPORT_GRID * REPORT_GRID; i++) {
            double x = ((double)(i % REPORT_GRID) + 0.5) * 2 / REPORT_GRID - 1;
            double y = 1 - ((double)(i / REPORT_GRID) + 0.5) * 2 / REPORT_GRID, beyond = 0.1 * (most - least);
            CHECK(!isnan(grid[i]) || x * x + y * y > 1);
            CHECK(isnan(grid[i]) == (x * x + y * y > (1 + 2.0 / REPORT_GRID) * (1 + 2.0 / REPORT_GRID)));
            CHECK(isnan(grid[i]) || (grid[i] >= least - beyond - 1e-9 && grid[i] <= most + beyond + 1e-9));
        }
    }
    CHECK(!congru_report_scalp(3, place, value, grid));
    const double line[] = {-0.4, 0, 0, 0, 0.4, 0, 0.2, 0};
    CHECK(!congru_report_scalp(4, line, value, grid));
    free(grid);
}

TEST(the_papers_times_are_found)
{
    CHECK_NEAR(congru_report_paper_seconds("BNCI2014-001", "ra+mdm"), 5.64 + 1.40, 1e-12);
    CHECK_NEAR(congru_report_paper_seconds("2a", "ddct-unet+csp-lda"), 88.20 + 3.71, 1e-12);
    CHECK_NEAR(congru_report_paper_seconds("bci_iv_2B", "dldct-e2e"), 38.38, 1e-12);
    CHECK_NEAR(congru_report_paper_seconds("Ofner2017", "none+mdm"), 1.68, 1e-12);
    CHECK(isnan(congru_report_paper_seconds("eegmmidb", "ra+mdm")));
    CHECK(isnan(congru_report_paper_seconds("2a", "rpa+mdm")));
}

/* After a failed allocation nothing is added any more, and the end tells. */
TEST(what_failed_stays_failed)
{
    const double line[4] = {0, 0, 1, 1};
    congru_drawing *drawing = NULL;
    canvas on = congru_canvas_start(10, 10, "t");
    congru_canvas_text(&on, 1, 1, 9, 0, CANVAS_INK, "before");
    size_t before = on.drawing->count;
    on.failed = true;
    congru_canvas_text(&on, 1, 1, 9, 0, CANVAS_INK, "after");
    congru_canvas_path(&on, 2, line, CANVAS_INK, 1);
    congru_canvas_box(&on, 0, 0, 1, 1, CANVAS_INK);
    CHECK(before > 0 && on.drawing->count == before);
    CHECK(congru_canvas_end(context, &on, &drawing) == CONGRU_ERROR_MEMORY && drawing == NULL);
    congru_text text = {.failed = true};
    congru_text_add(&text, "%d", 1);
    congru_text_add_bytes(&text, "abc", 3);
    CHECK(text.failed && text.size == 0 && text.data == NULL);
}

/* ---- JSON ---- */

/* What the text reads and writes as, or the error. */
static const char *round_trip(const char *json)
{
    static char said[1024];
    const char *path = path_in("some.json");
    congru_json_file *file;
    congru_text text = {0};
    FILE *out = fopen(path, "wb");
    CHECK(out != NULL && fputs(json, out) >= 0 && fclose(out) == 0);
    if (congru_json_read(context, path, &file) == CONGRU_OK)
        congru_json_add(&text, congru_json_root(file), 17);
    snprintf(said, sizeof said, "%s",
             text.data != NULL ? text.data : congru_context_error(context) + strlen(path));
    congru_text_clear(&text);
    congru_json_destroy(&file);
    return said;
}

static void check_json(const char *json, const char *expected)
{
    const char *said = round_trip(json);
    CHECK_SAYING(strcmp(said, expected) == 0, "%s gives %s, not %s", json, said, expected);
}

TEST(json_is_read)
{
    check_json(" {\"a\" : [1, -2.5e3, true, false, null], \"b\": {}} ",
               "{\"a\":[1,-2500,true,false,null],\"b\":{}}");
    check_json("\"\\u00e9\\ud83e\\udde0\\n\\\"\\/\"", "\"é🧠\\u000a\\\"/\"");
    check_json("\"</script>\"", "\"\\u003c/script\\u003e\"");
    check_json("\"\\ud800\\u0000\"", "\"\xef\xbf\xbd\xef\xbf\xbd\"");
    check_json("\"a\xff\xe0\x80z\"", "\"a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdz\"");
    check_json("[]", "[]");
    check_json("0.1", "0.10000000000000001");
}

TEST(broken_json_is_refused)
{
    check_json("", ": line 1: not a JSON value");
    check_json("{\"a\": 1,\n}", ": line 2: nothing after a comma");
    check_json("[1 2]", ": line 1: expected a comma or ]");
    check_json("{1: 2}", ": line 1: expected a name in quotes");
    check_json("{\"a\" 2}", ": line 1: expected a colon after a name");
    check_json("\"abc", ": line 1: a string that does not end");
    check_json("\"\\x\"", ": line 1: an escape that JSON does not have");
    check_json("\"\\u12\"", ": line 1: an escape that JSON does not have");
    check_json("NaN", ": line 1: not a JSON value");
    check_json("01", ": line 1: not a JSON value");
    check_json("1e999", ": line 1: a number too large for a double");
    check_json("[1] x", ": line 1: something after the end of the value");
    char deep[200];
    memset(deep, '[', sizeof deep);
    deep[sizeof deep - 1] = '\0';
    check_json(deep, ": line 1: too many levels");
    check_json("{\"a\": 1,\n \"b\": {\"a\": 2}, \"\\u0061\": 3}",
               ": line 2: an object with the same name twice");
    check_json(
        "{\"a\":0,\"b\":0,\"c\":0,\"d\":0,\"e\":0,\"f\":0,\"g\":0,\"h\":0,\"i\":0,\"j\":0,\"k\":0,\"l\":0,"
        "\"m\":0,\"n\":0,\"o\":0,\"p\":0,\"q\":0,\"c\":0}",
        ": line 1: an object with the same name twice");
    check_json("0x10", ": line 1: something after the end of the value");
}

/* Whole it is read, cut anywhere it is refused; nothing behind the bytes is looked at. */
TEST(truncated_json_is_refused)
{
    static const char whole[] = "{\"a\": [1.5e3, \"\\u00e9\\ud83e\\udde0\", null], \"b\": {\"c\": true}}";
    for (size_t size = 0; size < sizeof whole; size++) {
        congru_json_file *file;
        char *bytes = malloc(size + (size == 0));
        memcpy(bytes, whole, size);
        congru_status status = congru_json_parse(context, "cut", bytes, size, &file);
        free(bytes);
        CHECK_SAYING((status == CONGRU_OK) == (size == sizeof whole - 1), "%zu bytes: %s", size,
                     congru_context_error(context));
        CHECK((file != NULL) == (status == CONGRU_OK));
        congru_json_destroy(&file);
    }
}

/* ---- Tables and drawings ---- */

static void check_table(const congru_table *table, congru_table_format format, const char *expected)
{
    congru_text text = {0};
    congru_table_write(&text, table, format, NULL);
    CHECK_SAYING(text.data != NULL && strstr(text.data, expected) != NULL, "no '%s' in: %s", expected,
                 text.data);
    congru_text_clear(&text);
}

TEST(a_table_is_written_in_every_format)
{
    congru_table table = {.title = "T"};
    congru_table_column_text(&table, "name", "Name");
    congru_table_column_number(&table, "mean", "Mean (%)", 100, 1);
    congru_table_column_number(&table, "deviation", "", 100, 1);
    congru_table_join(&table);
    congru_table_column_number(&table, "gain", "Gain", 1, 2);
    congru_table_text(&table, "a_b, <&>");
    congru_table_number(&table, 0.1);
    congru_table_number(&table, 0.05);
    congru_table_number(&table, -1.5);
    congru_table_text(&table, "none");
    for (int i = 0; i < 3; i++)
        congru_table_number(&table, NAN);
    check_table(&table, CONGRU_TABLE_CSV, "name,mean,deviation,gain\n\"a_b, <&>\",0.1,0.05,-1.5\nnone,,,\n");
    check_table(
        &table, CONGRU_TABLE_LATEX,
        "a\\_b, \\textless{}\\&\\textgreater{} & 10.0 $\\pm$ 5.0 & $-$1.50 \\\\\nnone & -- & -- \\\\\n");
    check_table(&table, CONGRU_TABLE_HTML,
                "<th scope=\"row\">a_b, &lt;&amp;&gt;</th><td class=\"number\">10.0 ± 5.0</td><td "
                "class=\"number\">-1.50</td></tr>");
    congru_table_note(&table, "Few trials.");
    check_table(
        &table, CONGRU_TABLE_TEXT,
        "Name        Mean (%)   Gain\na_b, <&>  10.0 ± 5.0  -1.50\nnone       -           -\n\nFew trials.\n");
    check_table(&table, CONGRU_TABLE_MARKDOWN,
                "| Name | Mean (%) | Gain |\n| --- | ---: | ---: |\n| a\\_b, \\<&\\> | 10.0 ± 5.0 | -1.50 |\n"
                "| none | - | - |\n");
    check_table(&table, CONGRU_TABLE_JSON,
                "{\"name\": \"none\", \"mean\": null, \"deviation\": null, \"gain\": null}\n], \"notes\": "
                "[\"Few trials.\"]}");
    congru_table_clear(&table);
}

TEST(numbers_line_up_by_their_points)
{
    congru_table table = {0};
    const char *const text[] = {"1.25", "100.5", "7", "-"};
    char *printed = NULL;
    congru_table_column_text(&table, "name", "name");
    congru_table_column_text(&table, "n", "n");
    congru_table_column_p(&table, "p", "p");
    congru_table_column_text(&table, "end", "end");
    for (size_t i = 0; i < 4; i++) {
        congru_table_format_text(&table, "row\n%zu", i);
        congru_table_text(&table, text[i]);
        congru_table_number(&table, i == 1 ? 0.00002 : 0.5);
        congru_table_text(&table, i == 3 ? "" : "x");
    }
    table.strong = 2;
    check_table(
        &table, CONGRU_TABLE_TEXT,
        "name        n      p  end\nrow?0    1.25  0.500  x\nrow?1  100.5   2e-05  x\nrow?2    7     0.500  x\n"
        "row?3    -     0.500\n");
    CHECK(congru_table_print(context, &table, CONGRU_TABLE_TEXT,
                             &(congru_table_layout){.width = 20, .indent = 1}, &printed) == CONGRU_OK);
    CHECK_SAYING(printed != NULL && strncmp(printed, " row?0\n   n: 1.25\n   p: 0.500\n   end: x\n", 40) == 0,
                 "%s", printed);
    congru_report_text_destroy(&printed);
    CHECK(congru_table_print(context, &table, CONGRU_TABLE_TEXT, &(congru_table_layout){.bold = true},
                             &printed) == CONGRU_OK);
    CHECK(printed != NULL && strstr(printed, "\033[1mrow?1  100.5   2e-05  x\033[0m\n") != NULL);
    congru_report_text_destroy(&printed);
    congru_table_text(&table, "half a row");
    CHECK(congru_table_print(context, &table, CONGRU_TABLE_CSV, NULL, &printed) == CONGRU_ERROR_ARGUMENT);
    congru_table_clear(&table);
}

TEST(scales_have_round_ticks)
{
    double tick[12];
    int decimals;
    const scale percent = {.from = 0.2, .to = 1, .start = 0, .end = 80},
                tiny = {.from = -0.0021, .to = 0.0034, .end = 1};
    const scale decades = {.from = 0.02, .to = 300, .start = 0, .end = 1, .logarithmic = true};
    size_t count = congru_scale_ticks(&percent, tick, &decimals);
    CHECK(count >= 4 && count <= 9 && fabs(tick[0] - 0.2) < 1e-12 && fabs(tick[count - 1] - 1) < 1e-12);
    CHECK_NEAR(congru_scale_place(&percent, 0.6), 40, 1e-12);
    count = congru_scale_ticks(&tiny, tick, &decimals);
    CHECK(count >= 4 && count <= 9 && decimals == 3 && fabs(tick[0] + 0.002) < 1e-12);
    count = congru_scale_ticks(&decades, tick, &decimals);
    CHECK(count == 4 && fabs(tick[0] - 0.1) < 1e-12 && fabs(tick[3] - 100) < 1e-9);
}

TEST(a_drawing_is_svg_and_escaped)
{
    canvas on = congru_canvas_start(100, 50, "a <title> & \"%s\"", "b");
    const double triangle[] = {0, 0, 10, 0, 5, 8};
    congru_canvas_polygon(&on, 3, triangle, 0x0072b280);
    congru_canvas_text(&on, 5, 6, 10, 1, CANVAS_INK, "%s", "<script>\x01");
    congru_drawing *drawing;
    char *svg = NULL;
    CHECK(congru_canvas_end(context, &on, &drawing) == CONGRU_OK && drawing->count == 3);
    CHECK(congru_drawing_svg(context, drawing, &svg) == CONGRU_OK);
    CHECK(strstr(svg, "<title>a &lt;title&gt; &amp; &quot;b&quot;</title>") != NULL);
    CHECK(strstr(
              svg,
              "<polygon points=\"0.00,0.00 10.00,0.00 5.00,8.00\" fill=\"#0072b2\" fill-opacity=\"0.502\"/>") !=
          NULL);
    CHECK(strstr(svg, ">&lt;script&gt;?</text>") != NULL);
    congru_report_text_destroy(&svg);
    congru_drawing_destroy(&drawing);
}

int main(void)
{
    return scratch_main(&context, NULL);
}
