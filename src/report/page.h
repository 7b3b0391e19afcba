/* The page of a report in the making. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_REPORT_PAGE_H
#define CONGRU_REPORT_PAGE_H

#include "report/figures.h"

/* HTML is added to `text`. A failed call stays in `status`, a failed allocation in the text. */
typedef struct report_page {
    congru_context *context;
    congru_text *text;
    const congru_report *report;
    size_t index; /* of the run whose sections are written */
    const report_run *run;
    congru_status status;
} report_page;

/* ---- page.c: pieces ------------------------------------------------------------------------------------- */

/* Adds formatted text, in which names stand as text whatever they hold; and as a paragraph of a class, or of none. */
void congru_page_say(report_page *page, const char *format, ...) __attribute__((format(printf, 2, 3)));
void congru_page_paragraph(report_page *page, const char *class, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A name that may be broken into lines where its parts meet, and only there: ddct-unet+tslr, left_hand. */
void congru_page_name(report_page *page, const char *name);

/* A number to so many decimals with a minus sign, "–" where it is not known; in per cent; and with its sign. */
typedef struct page_word {
    char text[40];
} page_word;
page_word congru_page_fixed(double value, int decimals);
page_word congru_page_percent(double value, int decimals);
page_word congru_page_points(double value);

/* A section of the page under its heading; each section is ended. */
void congru_page_begin(report_page *page, const char *id, const char *title);
void congru_page_end(report_page *page);

/* One of several cases is shown, which the reader chooses by name: names (count), then each case between begin and end. */
void congru_page_choose(report_page *page, const char *label, size_t count, size_t chosen,
                        char (*name)[2 * KNOWN_NAME_SIZE]);
void congru_page_begin_case(report_page *page, bool shown);
void congru_page_end_case(report_page *page);
void congru_page_end_choice(report_page *page);

/* A figure below its title and a note, either of which may be NULL; `both`: for wide windows and for narrow ones. false where
 * the run does not hold what it takes. */
bool congru_page_figure(report_page *page, const char *id, const char *title, const char *note, bool both,
                        congru_figure *draw, figure_input in);

/* A table of tables.c by its name, under a title or its own where that is NULL, if the run holds what it takes; and one that was
 * made, which is cleared. */
bool congru_page_table(report_page *page, const char *name, size_t pipeline, const char *title);
void congru_page_add_table(report_page *page, congru_table *table);

/* ---- page_sections.c ------------------------------------------------------------------------------------ */

typedef struct page_section {
    const char *id, *title;
    bool (*has)(const report_page *page);
    void (*write)(report_page *page);
} page_section;

/* In their order, until one without a title. */
extern const page_section congru_page_sections[];

#endif
