/* Experiment properties: tables 1, 7 and 8, what is true of each cell and what shows it. SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/error.h"
#include "paper/paper_printed.h"
#include "paper/paper_sets.h"
#include "paper/paper_tables.h"
#include "paper/reproduce.h"

enum { TABLE, METHOD, PROPERTY, PRINTED }; /* of properties.csv */
enum { FOUND = PRINTED, WORDS, TEST };     /* of properties-found.csv, whose rows are in the same order */

/* A row for each cell; false in *same where what is found is not what is printed. */
static congru_status show_table(const congru_paper_job *job, const char *number, size_t *cells, size_t *same)
{
    congru_table table = {0};
    congru_paper_row printed, found;
    congru_table_headings(&table, 6,
                          (const char *const[]){"method", "property", "paper", "found", "shown by", "why"});
    for (size_t i = 0; congru_paper_row_read("properties", i, &printed) > 0; i++) {
        if (strcmp(printed.field[TABLE], number) != 0 ||
            congru_paper_row_read("properties-found", i, &found) == 0)
            continue;
        *cells += 1;
        *same += strcmp(printed.field[PRINTED], found.field[FOUND]) == 0;
        congru_table_text(&table, printed.field[METHOD]);
        congru_table_text(&table, printed.field[PROPERTY]);
        congru_table_text(&table, printed.field[PRINTED][0] != '\0' ? printed.field[PRINTED] : "-");
        congru_table_text(&table, found.field[FOUND]);
        congru_table_text(&table, found.field[TEST]);
        congru_table_text(&table, found.field[WORDS]);
    }
    congru_status status = congru_paper_title(job, number, NULL);
    if (status == CONGRU_OK)
        return congru_paper_table(job, true, &table, NULL);
    congru_table_clear(&table);
    return status;
}

congru_status congru_reproduce_properties(const congru_paper_job *job)
{
    static const char *const numbers[] = {"1", "7", "8"};
    size_t cells = 0, same = 0;
    for (size_t i = 0; i < 3; i++)
        CONGRU_TRY(show_table(job, numbers[i], &cells, &same));
    return congru_paper_say(job, CONGRU_PAPER_LINE, true, "Of %zu cells %zu are as the paper has them", cells,
                            same);
}
