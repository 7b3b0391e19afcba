/* What branches look at, as columns of scalp maps. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_REPORT_LOOKS_H
#define CONGRU_REPORT_LOOKS_H

#include "base/text.h"
#include "congru/explain.h"

enum { REPORT_LOOK_COLUMNS = 24, REPORT_LOOK_TITLE = 48 };

/* The cells of one band or of one stretch of time, averaged. */
typedef struct report_look_column {
    char title[REPORT_LOOK_TITLE];
    double share;  /* of the branch's weight */
    double *value; /* (classes, channels), owned */
} report_look_column;

/* Of several bands each is a column, with all times; then each window, or quarter of a second where there are more than
 * eight, with all bands. One cell is one column. */
typedef struct report_look {
    size_t count;
    report_look_column column[REPORT_LOOK_COLUMNS];
    double largest; /* of the values at electrodes whose place is known */
} report_look;

/* false without memory. Freed by congru_report_look_clear, after a failure too. */
bool congru_report_look(const congru_patterns *patterns, size_t index, report_look *look);
void congru_report_look_clear(report_look *look);

/* The member "looks" of a run: null without patterns. */
void congru_report_add_looks(congru_text *text, const congru_patterns *patterns);

#endif
