/* congru report: results folders as a page, a table or a figure. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "congru/report.h"
#include "options.h"
#include "session.h"
#include "table_show.h"
#include "terminal.h"


static const option options[] = {
    {"output", 'o', "FILE",
     "Where it goes; it appears only when it is complete. The ending of the name is the format: .html, "
     ".json, .svg, .png, .pdf, .csv or .tex. Default: report.html for a page, else standard output."},
    {"format", '\0', "NAME",
     "'html', a page of everything, or with --table that table; 'json', the numbers of either; 'svg', "
     "'png' or 'pdf', a figure; 'csv' or 'latex', a table. Default: what the name of -o says; else svg "
     "with --figure, csv with --table, else html."},
    {"figure", '\0', "NAME", "The figure of --format svg, png and pdf. Default: accuracy."},
    {"table", '\0', "NAME", "The table of --format csv and latex, or of html and json. Default: accuracy."},
    {"pipelines", '\0', "A[,B]",
     "The pipeline a figure or table is about, and the one it is compared with. Default: the best, and "
     "the next."},
    {"subjects", '\0', "A,B,...",
     "The subjects whose trials the figure 'evolution' shows. Default: the first four that have some."},
    {"series", '\0', "NAME",
     "The series of the figure 'training', as it is called in the files: loss, cross_entropy, "
     "gradient_norm, ... or action_ratio, subject_ratio. Default: loss."},
};

typedef enum format { HTML, JSON, SVG, PNG, PDF, CSV, LATEX } format;

/* By format: what --format calls it, and how the names of such files end. */
static const char *const formats[] = {"html", "json", "svg", "png", "pdf", "csv", "latex", NULL};
static const char *const endings[] = {"html", "json", "svg", "png", "pdf", "csv", "tex", NULL};

typedef struct job {
    const arguments *parsed;
    format format;
    const char *name; /* of the figure or table */
    congru_report_choice choice;
    text_list pipelines, subjects;
    congru_context *context;
    congru_report *report;
} job;

/* Figures, then tables, as help shows them. */
static definition describe(size_t index)
{
    static char term[32];
    const char *about = NULL, *name = congru_report_figure_name(index, &about), *kind = "figure";
    if (name == NULL) {
        size_t figures = 0;
        while (congru_report_figure_name(figures, NULL) != NULL)
            figures++;
        name = congru_report_table_name(index - figures, &about);
        kind = "table";
    }
    if (name == NULL)
        return (definition){NULL, NULL};
    snprintf(term, sizeof term, "%s %s", kind, name);
    return (definition){term, about};
}

static const char *figure_name(size_t index, const void *user)
{
    (void)user;
    return congru_report_figure_name(index, NULL);
}

static const char *table_name(size_t index, const void *user)
{
    (void)user;
    return congru_report_table_name(index, NULL);
}

/* The name of a figure or table, checked before any file is read. */
static int choose_name(job *j, const char *kind, const char *(*candidate)(size_t, const void *))
{
    const char *name = options_value(j->parsed, kind);
    j->name = name != NULL ? name : "accuracy";
    for (size_t i = 0; candidate(i, NULL) != NULL; i++)
        if (strcmp(candidate(i, NULL), j->name) == 0)
            return EXIT_DONE;
    char what[64], hint[512];
    size_t used = (size_t)snprintf(hint, sizeof hint, "there are");
    for (size_t i = 0; candidate(i, NULL) != NULL && used < sizeof hint; i++)
        used +=
            (size_t)snprintf(hint + used, sizeof hint - used, "%s %s", i > 0 ? "," : "", candidate(i, NULL));
    snprintf(what, sizeof what, "report: no %s is called", kind);
    return terminal_fail_unknown(what, j->name, candidate, NULL, hint);
}

/* The format that the name of -o stands for; the number of formats for a name that says nothing. */
static size_t format_of_name(const char *path)
{
    const char *slash = path != NULL ? strrchr(path, '/') : NULL;
    const char *dot = path != NULL ? strrchr(slash != NULL ? slash : path, '.') : NULL;
    size_t found = 0;
    while (endings[found] != NULL && (dot == NULL || strcmp(dot + 1, endings[found]) != 0))
        found++;
    return found;
}

/* By --format or by the name of -o, which must not contradict it; else --figure means svg and --table csv. */
static int find_format(const arguments *parsed, size_t *chosen)
{
    const char *path = options_value(parsed, "output");
    size_t named = format_of_name(path);
    *chosen = options_given(parsed, "figure") ? SVG : options_given(parsed, "table") ? CSV : HTML;
    if (!options_given(parsed, "format") && path != NULL && endings[named] == NULL)
        return terminal_fail(
            EXIT_USAGE,
            "report: -o %s: the ending of the name is the format: .html, .json, .svg, .png, .pdf, "
            ".csv or .tex",
            path);
    if (options_given(parsed, "format")) {
        int code = options_choice(parsed, "format", formats, chosen);
        if (code != EXIT_DONE)
            return code;
        if (endings[named] != NULL && named != *chosen)
            return terminal_fail(EXIT_USAGE, "report: -o %s is not the name of a file of --format %s", path,
                                 options_value(parsed, "format"));
    } else if (path != NULL) {
        *chosen = named;
    }
    return EXIT_DONE;
}

static int choose_format(job *j)
{
    size_t chosen = HTML;
    int code = find_format(j->parsed, &chosen);
    j->format = (format)chosen;
    bool figure = chosen == SVG || chosen == PNG || chosen == PDF,
         table = chosen == CSV || chosen == LATEX ||
                 ((chosen == HTML || chosen == JSON) && options_given(j->parsed, "table"));
    static const struct {
        const char *name;
        bool for_figure, for_table;
    } uses[] = {{"figure", true, false},
                {"table", false, true},
                {"pipelines", true, true},
                {"subjects", true, false},
                {"series", true, false}};
    for (size_t i = 0; code == EXIT_DONE && i < sizeof uses / sizeof uses[0]; i++)
        if (options_given(j->parsed, uses[i].name) && !(uses[i].for_figure && figure) &&
            !(uses[i].for_table && table))
            code = terminal_fail(EXIT_USAGE,
                                 "report: --%s does not go with --format %s (see 'congru help report')",
                                 uses[i].name, formats[chosen]);
    if (code == EXIT_DONE && figure)
        code = choose_name(j, "figure", figure_name);
    if (code == EXIT_DONE && table)
        code = choose_name(j, "table", table_name);
    return code;
}

static int choose(job *j)
{
    int code = choose_format(j);
    if (code == EXIT_DONE && options_given(j->parsed, "pipelines")) {
        code = options_words(j->parsed, "pipelines", &j->pipelines);
        if (code == EXIT_DONE && j->pipelines.count > 2)
            code =
                terminal_fail(EXIT_USAGE, "report: --pipelines takes one or two, not %zu", j->pipelines.count);
        if (code == EXIT_DONE) {
            j->choice.pipeline = j->pipelines.item[0];
            j->choice.other = j->pipelines.count > 1 ? j->pipelines.item[1] : NULL;
        }
    }
    if (code == EXIT_DONE && options_given(j->parsed, "subjects"))
        code = options_words(j->parsed, "subjects", &j->subjects);
    j->choice.subjects = (const char *const *)j->subjects.item;
    j->choice.subject_count = j->subjects.count;
    j->choice.series = options_value(j->parsed, "series");
    return code;
}

static int write_out(job *j, const void *bytes, size_t size)
{
    const char *path = options_value(j->parsed, "output");
    bool page = j->format == HTML && j->name == NULL;
    if (path == NULL && page)
        path = "report.html";
    if (path == NULL) {
        standard_files_as_is();
        fwrite(bytes, 1, size, stdout);
        return EXIT_DONE;
    }
    session_hold_interrupts(path);
    congru_status status = congru_report_write(j->context, path, bytes, size);
    session_release_interrupts();
    if (status != CONGRU_OK)
        return terminal_fail(EXIT_FAILED, "%s", congru_context_error(j->context));
    if (page)
        printf("%s: %.1f MB\n", path, (double)size / 1e6);
    return EXIT_DONE;
}

static int write_image(job *j, const congru_drawing *drawing)
{
    unsigned char *bytes;
    size_t size;
    if (!options_given(j->parsed, "output") && terminal_is(STDOUT_FILENO))
        return terminal_fail(EXIT_USAGE, "report: a %s does not go to a terminal (name a file with -o)",
                             j->format == PNG ? "PNG" : "PDF");
    int code = report_image(drawing, j->format == PNG ? IMAGE_PNG : IMAGE_PDF, &bytes, &size);
    if (code == EXIT_DONE)
        code = write_out(j, bytes, size);
    free(bytes);
    return code;
}

static int make(job *j)
{
    char *text = NULL;
    congru_drawing *drawing = NULL;
    congru_status status;
    static const congru_table_format table_format[] = {[HTML] = CONGRU_TABLE_HTML,
                                                       [JSON] = CONGRU_TABLE_JSON,
                                                       [CSV] = CONGRU_TABLE_CSV,
                                                       [LATEX] = CONGRU_TABLE_LATEX};
    bool figure = j->format == SVG || j->format == PNG || j->format == PDF;
    if (!figure && j->name != NULL)
        status =
            congru_report_table(j->context, j->report, j->name, &j->choice, table_format[j->format], &text);
    else if (j->format == JSON)
        status = congru_report_json(j->context, j->report, &text);
    else if (j->format == HTML)
        status = congru_report_page(j->context, j->report, &text);
    else
        status = congru_report_figure(j->context, j->report, j->name, &j->choice, &drawing);
    if (status == CONGRU_OK && j->format == SVG)
        status = congru_drawing_svg(j->context, drawing, &text);
    int code = EXIT_DONE;
    if (status != CONGRU_OK)
        code = terminal_fail(EXIT_FAILED, "%s", congru_context_error(j->context));
    else if (j->format == PNG || j->format == PDF)
        code = write_image(j, drawing);
    else if (text != NULL)
        code = write_out(j, text, strlen(text));
    congru_drawing_destroy(&drawing);
    congru_report_text_destroy(&text);
    return code;
}

static int run(const arguments *parsed)
{
    job j = {.parsed = parsed};
    if (parsed->operand_count == 0)
        return terminal_fail(EXIT_USAGE, "report: the results folder is missing (see 'congru help report')");
    int code = choose(&j);
    if (code == EXIT_DONE)
        code = session_open(1, &j.context);
    if (code == EXIT_DONE && congru_report_create(j.context, (const char *const *)parsed->operands,
                                                  parsed->operand_count, &j.report) != CONGRU_OK)
        code = terminal_fail(EXIT_FAILED, "%s", congru_context_error(j.context));
    for (size_t i = 0; code == EXIT_DONE && congru_context_note(j.context, i) != NULL; i++)
        terminal_warn("%s", congru_context_note(j.context, i));
    if (code == EXIT_DONE)
        code = make(&j);
    congru_report_destroy(&j.report);
    congru_context_destroy(&j.context);
    text_list_clear(&j.pipelines);
    text_list_clear(&j.subjects);
    return code;
}

static const char *const examples[] = {
    "congru report results/2a -o 2a.html",
    "congru report results/constrained results/unconstrained -o training.html",
    "congru report results/2a --figure paired --pipelines ddct-unet-e2e,ra+mdm -o paired.svg",
    "congru report results/2a --figure forest -o forest.pdf",
    "congru report results/2a --table accuracy -o accuracy.tex",
    NULL,
};

const command command_report = {
    .name = "report",
    .summary = "Make a page, a table or a figure of results",
    .usage = "FOLDER... [OPTION...] [-o FILE]",
    .description =
        "Reads results folders and writes one HTML page that needs nothing else: it opens from the disk, asks "
        "no host for anything, and prints. Or one figure, or one table, for a paper. Several folders make one "
        "page, with a choice between them; their training is drawn together, pipelines they have in common are "
        "compared with those of the first, and a table of them has the rows of all.",
    .definitions = &(const definition_list){"Figures and tables", describe},
    .options = {OPTION_ROWS(options)},
    .examples = examples,
    .run = run,
};
