/* What is in a file of any kind, and what became of files that were imported. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_DESCRIBE_H
#define CONGRU_DESCRIBE_H

#include "congru/import.h"
#include "congru/table.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One fact about a file. */
typedef struct congru_description_line {
    const char *key; /* "rate"; NULL: more about the line before it */
    char *text;      /* "250 Hz"; names in it are as they are in the file */
} congru_description_line;

typedef struct congru_description {
    congru_file_kind kind;
    char title[64]; /* "covariance set", or the format of a recording */
    size_t count;
    congru_description_line *line; /* (count) */
    congru_table
        table; /* trials by group and class, events by kind, tensors; without columns where there is none */
} congru_description;

/* Reads the file at `path` and tells what is in it; of XDF files with several streams of signals, the one of the name
 * `stream`, NULL for the one of type EEG, else the only one. Of recordings the header alone is read. Fails as the reader of the
 * file does. */
CONGRU_API congru_status congru_describe(congru_context *context, const char *path, const char *stream,
                                         congru_description **description);

/* Sets *description to NULL; NULL is allowed. */
CONGRU_API void congru_description_destroy(congru_description **description);

/* A row for each file and one for all: trials by class, and those dropped with the reasons; notes name the trials dropped. Columns
 * and rows are added to `table`, which the caller clears; `set` is that of the summary. */
CONGRU_API congru_status congru_table_of_import(congru_context *context, const congru_import_summary *summary,
                                                const congru_set *set, congru_table *table);

#ifdef __cplusplus
}
#endif
#endif
