/* Titles and marks as the paper prints them. SPDX-License-Identifier: Apache-2.0 */
#include "paper/paper_printed.h"

#include <stdio.h>
#include <string.h>

#include "paper/paper_tables.h"

congru_status congru_paper_title(const congru_paper_job *job, const char *number, const char *again)
{
    congru_paper_row row;
    char title[CONGRU_PAPER_LINE_SIZE];
    snprintf(title, sizeof title, "%s", congru_paper_field("items", "title", "table", number, &row));
    for (char *at = strchr(title, ';'); at != NULL; at = strchr(at, ';'))
        *at = ','; /* the file has no commas in titles */
    return congru_paper_say(job, CONGRU_PAPER_LINE, true, "Table %s%s%s: %s", number,
                            again != NULL ? ", again table " : "", again != NULL ? again : "", title);
}

void congru_paper_mark(const char *words, char mark[CONGRU_PAPER_MARK_SIZE])
{
    const bool arrow = (unsigned char)words[0] > 0x7f;
    snprintf(mark, CONGRU_PAPER_MARK_SIZE, "%s%s%s%s", strstr(words, "bold") != NULL ? "b" : "",
             strstr(words, "underlined") != NULL ? "u" : "", strstr(words, "italic") != NULL ? "i" : "",
             arrow ? words : "");
}

void congru_paper_cell_mark(congru_table *table, const char *file, const char *column, const char *first,
                            const char *second)
{
    congru_paper_row row;
    char mark[CONGRU_PAPER_MARK_SIZE];
    congru_paper_mark(congru_paper_field(file, column, first, second, &row), mark);
    congru_table_text(table, mark);
}

congru_status congru_paper_tell_marks(const congru_paper_job *job, const char *meaning)
{
    return congru_paper_say(job, CONGRU_PAPER_TEXT, false,
                            "How the paper sets its cells: b bold, u underlined, i italic; %s.", meaning);
}
