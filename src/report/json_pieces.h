/* Pieces of the page's data that several files write. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_REPORT_JSON_PIECES_H
#define CONGRU_REPORT_JSON_PIECES_H

#include "report/report_internal.h"

/* A member of an object that is not the first: its name; a number; an interval's numbers, the first among them. */
void congru_report_add_name(congru_text *text, const char *name);
void congru_report_add_number(congru_text *text, const char *name, double value);
void congru_report_add_interval(congru_text *text, const congru_interval *interval);

/* (pipelines, subjects), pipelines in the order of the report. */
void congru_report_add_cells(congru_text *text, const char *name, const report_run *run, const double *value);

/* What predictions are worth beyond accuracy, by pipeline and class; the level of chance; the learning curve. */
void congru_report_add_metrics(congru_text *text, const report_run *run);

#endif
