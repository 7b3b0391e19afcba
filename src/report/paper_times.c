/* The paper's seconds per subject. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/report_internal.h"

#include "base/number_text.h"

extern const char congru_report_runtime[]; /* share/paper/runtime-parts.csv */

enum { FIELD_SIZE = 64, FIELDS = 4 };

/* Lower case, and every run of other characters than letters and digits one '-'. */
static void simplify(const char *name, char simple[FIELD_SIZE])
{
    size_t size = 0;
    for (; *name != '\0' && size < FIELD_SIZE - 1; name++) {
        bool upper = *name >= 'A' && *name <= 'Z';
        bool plain = upper || (*name >= 'a' && *name <= 'z') || (*name >= '0' && *name <= '9');
        if (plain)
            simple[size++] = (char)(upper ? *name - 'A' + 'a' : *name);
        else if (size > 0 && simple[size - 1] != '-')
            simple[size++] = '-';
    }
    simple[size] = '\0';
}

/* The fields of one line; the line after it, or NULL at the end. */
static const char *next_line(const char *line, char field[FIELDS][FIELD_SIZE])
{
    for (int i = 0; i < FIELDS; i++) {
        size_t size = strcspn(line, ",\n");
        size_t kept = size < FIELD_SIZE - 1 ? size : FIELD_SIZE - 1;
        memcpy(field[i], line, kept);
        field[i][kept] = '\0';
        line += size + (line[size] == ',');
    }
    line += strcspn(line, "\n");
    return *line == '\n' && line[1] != '\0' ? line + 1 : NULL;
}

static bool is_dataset(const char *dataset, const char *name, const char *also)
{
    char wanted[FIELD_SIZE], known[FIELD_SIZE];
    simplify(dataset, wanted);
    simplify(name, known);
    if (strcmp(wanted, known) == 0)
        return true;
    while (*also != '\0') {
        size_t size = strcspn(also, "|");
        if (strlen(wanted) == size && strncmp(wanted, also, size) == 0)
            return true;
        also += size + (also[size] == '|');
    }
    return false;
}

static double find(const char *dataset, const char *part, size_t size)
{
    char field[FIELDS][FIELD_SIZE];
    for (const char *line = congru_report_runtime; line != NULL;) {
        line = next_line(line, field);
        if (strlen(field[2]) == size && strncmp(field[2], part, size) == 0 &&
            is_dataset(dataset, field[0], field[1]))
            return congru_number_read(field[3], NULL);
    }
    return NAN;
}

double congru_report_paper_seconds(const char *dataset, const char *pipeline)
{
    const char *plus = strchr(pipeline, '+');
    if (plus == NULL)
        return find(dataset, pipeline, strlen(pipeline));
    bool none = plus == pipeline + 4 && strncmp(pipeline, "none", 4) == 0;
    double alignment = none ? 0 : find(dataset, pipeline, (size_t)(plus - pipeline));
    return alignment + find(dataset, plus + 1, strlen(plus + 1));
}
