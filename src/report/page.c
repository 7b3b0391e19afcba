/* The page: one file with figures, tables and text of every run, and what lets a reader sort and choose. SPDX-License-Identifier: Apache-2.0 */
#include "report/page.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/error.h"
#include "base/number_text.h"
#include "congru/version.h"
#include "report/table_write.h"

/* web/page.css and web/page.js. */
extern const char congru_report_style[], congru_report_script[];

/* ---- Pieces --------------------------------------------------------------------------------------------- */

static void say_list(report_page *page, const char *format, va_list arguments)
{
    char line[4096];
    congru_format_list(line, sizeof line, format, arguments);
    congru_report_add_markup(page->text, line);
}

void congru_page_say(report_page *page, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say_list(page, format, arguments);
    va_end(arguments);
}

void congru_page_name(report_page *page, const char *name)
{
    while (*name != '\0') {
        const size_t size = strcspn(name, "+_") + (name[strcspn(name, "+_")] != '\0');
        const bool whole = size < 24;
        congru_text_add(page->text, whole ? "<span class=\"part\">" : "");
        congru_page_say(page, "%.*s", (int)size, name);
        congru_text_add(page->text, whole ? "</span><wbr>" : "<wbr>");
        name += size;
    }
}

void congru_page_paragraph(report_page *page, const char *class, const char *format, ...)
{
    va_list arguments;
    congru_text_add(page->text, class != NULL ? "<p class=\"%s\">" : "<p>", class);
    va_start(arguments, format);
    say_list(page, format, arguments);
    va_end(arguments);
    congru_text_add(page->text, "</p>\n");
}

page_word congru_page_fixed(double value, int decimals)
{
    page_word word = {"–"};
    char digits[32];
    if (!isfinite(value))
        return word;
    congru_format(digits, sizeof digits, "%.*f", decimals, congru_plain_zero(value, decimals));
    congru_format(word.text, sizeof word.text, "%s%s", digits[0] == '-' ? "−" : "",
                  digits + (digits[0] == '-'));
    return word;
}

page_word congru_page_percent(double value, int decimals)
{
    return congru_page_fixed(100 * value, decimals);
}

page_word congru_page_points(double value)
{
    page_word word = congru_page_percent(value, 1);
    if (value > 0)
        congru_format(word.text, sizeof word.text, "+%s", congru_page_percent(value, 1).text);
    return word;
}

/* Elements of the first run have their plain names, those of others a number behind them. */
static void add_id(report_page *page, const char *id)
{
    congru_text_add(page->text, page->index > 0 ? "%s-%zu" : "%s", id, page->index + 1);
}

void congru_page_begin(report_page *page, const char *id, const char *title)
{
    congru_text_add(page->text, "<section id=\"");
    add_id(page, id);
    congru_text_add(page->text, "\">\n<h2>%s</h2>\n", title);
}

void congru_page_end(report_page *page)
{
    congru_text_add(page->text, "</section>\n");
}

void congru_page_choose(report_page *page, const char *label, size_t count, size_t chosen,
                        char (*name)[2 * KNOWN_NAME_SIZE])
{
    congru_text_add(
        page->text,
        "<div class=\"chosen\"><div class=\"choices\"><label class=\"choice\"><span>%s</span><select>", label);
    for (size_t i = 0; i < count; i++) {
        congru_text_add(page->text, i == chosen ? "<option selected>" : "<option>");
        congru_report_add_markup(page->text, name[i]);
        congru_text_add(page->text, "</option>");
    }
    congru_text_add(page->text, "</select></label></div>\n");
}

void congru_page_begin_case(report_page *page, bool shown)
{
    congru_text_add(page->text, shown ? "<div class=\"case\">\n" : "<div class=\"case\" hidden>\n");
}

void congru_page_end_case(report_page *page)
{
    congru_text_add(page->text, "</div>\n");
}

void congru_page_end_choice(report_page *page)
{
    congru_text_add(page->text, "</div>\n");
}

bool congru_page_figure(report_page *page, const char *id, const char *title, const char *note, bool both,
                        congru_figure *draw, figure_input in)
{
    bool drawn = false;
    in.page = true;
    const int variants = both ? 2 : 1;
    for (int narrow = 0; narrow < variants && page->status == CONGRU_OK; narrow++) {
        congru_drawing *drawing = NULL;
        in.narrow = narrow == 1;
        canvas on = draw(&in);
        if (on.drawing == NULL && !on.failed)
            return false;
        page->status = congru_canvas_end(page->context, &on, &drawing);
        if (page->status != CONGRU_OK)
            return false;
        if (!drawn) {
            congru_text_add(page->text, "<figure");
            if (id != NULL) {
                congru_text_add(page->text, " id=\"");
                add_id(page, id);
                congru_text_add(page->text, "\"");
            }
            congru_text_add(page->text, ">");
            if (title != NULL) {
                congru_text_add(page->text, "<figcaption><strong>");
                congru_report_add_markup(page->text, title);
                congru_text_add(page->text, "</strong>");
                if (note != NULL) {
                    congru_text_add(page->text, " <span>");
                    congru_report_add_markup(page->text, note);
                    congru_text_add(page->text, "</span>");
                }
                congru_text_add(page->text, "</figcaption>\n");
            }
        }
        congru_text_add(page->text, "<div class=\"plot%s\">", !both ? "" : narrow ? " slim" : " broad");
        congru_canvas_add_svg(page->text, drawing, true);
        congru_text_add(page->text, "</div>\n");
        congru_drawing_destroy(&drawing);
        drawn = true;
    }
    congru_text_add(page->text, drawn ? "</figure>\n" : "");
    return drawn;
}

void congru_page_add_table(report_page *page, congru_table *table)
{
    congru_text_add(page->text, "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"");
    congru_report_add_markup(page->text, table->title != NULL ? table->title : "Table");
    congru_text_add(page->text, "\">");
    congru_table_write(page->text, table, CONGRU_TABLE_HTML, NULL);
    congru_text_add(page->text, "</div>\n");
    congru_table_clear(table);
}

bool congru_page_table(report_page *page, const char *name, size_t pipeline, const char *title)
{
    congru_table table = {0};
    const bool has = congru_report_fill(page->run, name, pipeline, &table);
    table.title = title != NULL ? title : table.title;
    if (has)
        congru_page_add_table(page, &table);
    page->text->failed = page->text->failed || table.failed;
    congru_table_clear(&table);
    return has;
}

/* ---- The document --------------------------------------------------------------------------------------- */

static void add_title(report_page *page)
{
    const char *dataset = page->run->results->dataset;
    congru_report_add_markup(page->text, dataset[0] != '\0' ? dataset : page->run->label);
}

/* One run under its heading, with links to its sections. */
static void add_run(report_page *page)
{
    congru_text_add(page->text,
                    page->index > 0 ? "<article class=\"case\" hidden>\n" : "<article class=\"case\">\n");
    congru_text_add(page->text, "<h1>");
    add_title(page);
    congru_text_add(page->text, "</h1>\n<nav aria-label=\"Sections\"><ul>");
    for (const page_section *s = congru_page_sections; s->title != NULL; s++)
        if (s->has(page)) {
            congru_text_add(page->text, "<li><a href=\"#");
            add_id(page, s->id);
            congru_text_add(page->text, "\">%s</a></li>", s->title);
        }
    congru_text_add(page->text, "</ul></nav>\n");
    for (const page_section *s = congru_page_sections; s->title != NULL && page->status == CONGRU_OK; s++)
        if (s->has(page)) {
            congru_page_begin(page, s->id, s->title);
            s->write(page);
            congru_page_end(page);
        }
    congru_text_add(page->text, "</article>\n");
}

static void add_page(report_page *page)
{
    const congru_report *report = page->report;
    congru_text_add(page->text,
                    "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src "
                    "'unsafe-inline'; style-src 'unsafe-inline'; img-src data:\">\n<title>");
    page->run = &report->run[0];
    add_title(page);
    congru_text_add(
        page->text,
        " – Congru report</title>\n<style>\n%s</style>\n<noscript><style>.case[hidden] { display: block }</style></noscript>\n</head>\n<body>\n",
        congru_report_style);
    congru_text_add(
        page->text,
        "<a class=\"skip\" href=\"#main\">Skip to the results</a>\n<main id=\"main\" tabindex=\"-1\">\n"
        "<p class=\"brand\">Congru report</p>\n");
    if (report->runs > 1) {
        congru_text_add(
            page->text,
            "<div class=\"chosen runs\"><div class=\"choices\"><label class=\"choice\"><span>Run</span><select>");
        for (size_t r = 0; r < report->runs; r++) {
            congru_text_add(page->text, r == 0 ? "<option selected>" : "<option>");
            congru_report_add_markup(page->text, report->run[r].label);
            congru_text_add(page->text, "</option>");
        }
        congru_text_add(page->text, "</select></label></div>\n");
    }
    for (page->index = 0; page->index < report->runs && page->status == CONGRU_OK; page->index++) {
        page->run = &report->run[page->index];
        add_run(page);
    }
    congru_text_add(page->text, report->runs > 1 ? "</div>\n" : "");
    congru_text_add(page->text, "</main>\n<footer><p>Made by congru %s (%s) from ", congru_version(),
                    congru_version_commit());
    for (size_t r = 0; r < report->runs; r++) {
        congru_text_add(page->text, r > 0 ? ", " : "");
        congru_report_add_markup(page->text, report->run[r].given);
    }
    congru_text_add(page->text, "</p></footer>\n<script>\n%s</script>\n</body>\n</html>\n",
                    congru_report_script);
}

congru_status congru_report_page(congru_context *context, const congru_report *report, char **text)
{
    congru_text made = {0};
    if (report == NULL || text == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "no report or no place for its text given");
    *text = NULL;
    report_page page = {.context = context, .text = &made, .report = report};
    add_page(&page);
    if (page.status == CONGRU_OK)
        return congru_report_hand_over(context, &made, text);
    congru_text_clear(&made);
    return page.status;
}
