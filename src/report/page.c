/* The page: the built one with its marks filled in, or plain tables. SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/error.h"
#include "congru/version.h"
#include "report/report_internal.h"

/* What web/index.html has where these go. */
static const char data_mark[] = "\"congru:data\"", plain_mark[] = "<p>congru:plain</p>";

static const char plain_head[] =
    "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
    "<title>Congru report</title>\n<style>\n"
    ":root { color-scheme: light dark }\n"
    "body { font: 16px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 0 auto; padding: 1rem }\n"
    "section { overflow-x: auto }\n"
    "table { border-collapse: collapse; margin: 1.5rem 0; font-size: 0.9rem }\n"
    "caption { text-align: left; font-weight: 600; padding: 0.3rem 0 }\n"
    "th, td { text-align: left; font-weight: 400; padding: 0.2rem 0.8rem 0.2rem 0; border-bottom: 1px solid "
    "#8886 }\n"
    "thead th { border-bottom: 1px solid }\n"
    ".number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }\n"
    "code { overflow-wrap: anywhere }\n"
    "</style>\n</head>\n<body>\n<main>\n<h1>Congru report</h1>\n"
    "<p>Tables only: this program was built without the page that draws charts, which takes npm.</p>\n";

static void add_origin(congru_text *text, const congru_report *report)
{
    for (size_t i = 0; i < report->runs; i++) {
        const congru_json *run = congru_json_root(report->run[i].run);
        const char *command = congru_json_tree_string(congru_json_tree_member(run, "command"), "");
        const char *import = congru_json_tree_string(congru_json_tree_member(run, "import"), "");
        double seed =
            congru_json_tree_number(congru_json_tree_member(congru_json_tree_member(run, "settings"), "seed"));
        congru_text_add(text, "<p>");
        congru_report_add_markup(text, report->run[i].label);
        congru_text_add(text, ": ");
        congru_report_add_markup(text, report->run[i].results->dataset);
        congru_text_add(text, ", %s, %s", congru_count(report->run[i].results->subjects, "subject").text,
                        congru_count(report->run[i].results->pipelines, "pipeline").text);
        if (seed >= 0)
            congru_text_add(text, ", seed %.17g", seed);
        if (command[0] != '\0') {
            congru_text_add(text, ". Repeat it: <code>");
            congru_report_add_markup(text, import);
            congru_text_add(text, import[0] != '\0' ? "</code>, then <code>" : "");
            congru_report_add_markup(text, command);
            congru_text_add(text, "</code>");
        }
        congru_text_add(text, "</p>\n");
        for (size_t k = 0; k < report->run[i].results->note_count; k++) {
            congru_text_add(text, "<p>");
            congru_report_add_markup(text, report->run[i].label);
            congru_text_add(text, ": ");
            congru_report_add_markup(text, report->run[i].results->note[k]);
            congru_text_add(text, "</p>\n");
        }
    }
}

static congru_status add_plain(congru_context *context, const congru_report *report, congru_text *text)
{
    add_origin(text, report);
    congru_status status = congru_report_add_tables(context, report, text);
    congru_text_add(text, "<footer><p>congru %s (%s)</p></footer>\n", congru_version(),
                    congru_version_commit());
    return status;
}

/* `page` with the two marks replaced, each of which must be there once. */
static congru_status add_built(congru_context *context, const congru_report *report, const char *page,
                               congru_text *text)
{
    const char *data = strstr(page, data_mark), *plain = strstr(page, plain_mark);
    if (data == NULL || plain == NULL || strstr(data + 1, data_mark) != NULL ||
        strstr(plain + 1, plain_mark) != NULL)
        return congru_fail(context, CONGRU_ERROR_FORMAT, "the page does not have its two marks once each");
    bool plain_first = plain < data;
    const char *mark[2] = {plain_first ? plain : data, plain_first ? data : plain};
    congru_status status = CONGRU_OK;
    for (int i = 0; status == CONGRU_OK && i < 2; i++) {
        congru_text_add(text, "%.*s", (int)(mark[i] - page), page);
        if (mark[i] == data) {
            congru_report_add_json(text, report);
            page = data + strlen(data_mark);
        } else {
            status = add_plain(context, report, text);
            page = plain + strlen(plain_mark);
        }
    }
    congru_text_add(text, "%s", page);
    return status;
}

congru_status congru_report_page(congru_context *context, const congru_report *report, const char *page,
                                 char **text)
{
    congru_text made = {0};
    congru_status status;
    if (report == NULL || text == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "no report or no place for its text given");
    *text = NULL;
    if (page != NULL) {
        status = add_built(context, report, page, &made);
    } else {
        congru_text_add(&made, "%s", plain_head);
        status = add_plain(context, report, &made);
        congru_text_add(&made, "</main>\n</body>\n</html>\n");
    }
    if (status == CONGRU_OK)
        return congru_report_hand_over(context, &made, text);
    congru_text_clear(&made);
    return status;
}
