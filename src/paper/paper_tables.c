/* Looks up numbers of the paper. SPDX-License-Identifier: Apache-2.0 */
#include "paper/paper_tables.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number_text.h"

size_t congru_paper_row_split(const char *line, congru_paper_row *row)
{
    snprintf(row->text, sizeof row->text, "%s", line);
    row->count = 0;
    for (char *at = row->text; at != NULL && row->count < CONGRU_PAPER_FIELDS_MAX;) {
        const bool quoted = *at == '"';
        row->field[row->count++] = at + quoted;
        if (quoted)
            at = strchr(at + 1, '"'); /* none is in a text */
        if (quoted && at != NULL)
            *at++ = '\0';
        at = at != NULL ? strchr(at, ',') : NULL;
        if (at != NULL)
            *at++ = '\0';
    }
    return row->count;
}

static const char *const *find(const char *file)
{
    size_t i = 0;
    while (strcmp(congru_paper_files[i].name, file) != 0)
        i++;
    return congru_paper_files[i].line;
}

size_t congru_paper_row_read(const char *file, size_t index, congru_paper_row *row)
{
    const char *const *line = find(file);
    for (size_t i = 0; i <= index; i++)
        if (line[i] == NULL || line[i + 1] == NULL)
            return 0;
    return congru_paper_row_split(line[index + 1], row);
}

const char *congru_paper_field(const char *file, const char *column, const char *first, const char *second,
                               congru_paper_row *row)
{
    const char *const *line = find(file);
    size_t place = 0;
    congru_paper_row_split(line[0], row);
    while (place < row->count && strcmp(row->field[place], column) != 0)
        place++;
    for (size_t i = 1; line[i] != NULL; i++)
        if (congru_paper_row_split(line[i], row) > place && row->field[place][0] != '\0' &&
            strcmp(row->field[0], first) == 0 && (second == NULL || strcmp(row->field[1], second) == 0))
            return row->field[place];
    return "";
}

double congru_paper_number(const char *file, const char *column, const char *first, const char *second)
{
    congru_paper_row row;
    const char *text = congru_paper_field(file, column, first, second, &row);
    return text[0] != '\0' ? congru_number_read(text, NULL) : NAN;
}

static const struct {
    const char *name, *others[CONGRU_PAPER_OTHER_NAMES];
} datasets[] = {
    {"bnci2014-001", {"2a", "bci-iv-2a", "bnci2014001"}}, {"bnci2014-004", {"2b", "bci-iv-2b", "bnci2014004"}},
    {"bnci2014-002", {"bnci2014", "bnci2014002", NULL}},  {"bnci2015-004", {"bnci2015", "bnci2015004", NULL}},
    {"ofner2017", {"ofner", "bnci2017001", NULL}},
};
enum { DATASETS = sizeof datasets / sizeof datasets[0] };

static bool same(const char *name, const char *known)
{
    for (; *name != '\0' && *known != '\0'; name++, known++)
        if (congru_small_letter(*name) != *known && !(*name == '_' && *known == '-'))
            return false;
    return *name == *known;
}

const char *congru_paper_dataset(const char *name)
{
    for (size_t i = 0; i < DATASETS; i++) {
        bool found = same(name, datasets[i].name);
        for (size_t k = 0; k < CONGRU_PAPER_OTHER_NAMES && datasets[i].others[k] != NULL; k++)
            found |= same(name, datasets[i].others[k]);
        if (found)
            return datasets[i].name;
    }
    return NULL;
}

const char *congru_paper_dataset_at(size_t index)
{
    return index < DATASETS ? datasets[index].name : NULL;
}

const char *congru_paper_dataset_name(const char *dataset, size_t index)
{
    for (size_t i = 0; i < DATASETS; i++)
        if (strcmp(datasets[i].name, dataset) == 0)
            return index == 0                          ? datasets[i].name
                   : index <= CONGRU_PAPER_OTHER_NAMES ? datasets[i].others[index - 1]
                                                       : NULL;
    return NULL;
}

bool congru_paper_facts_read(const char *dataset, congru_paper_facts *about)
{
    congru_paper_row row;
    for (size_t i = 0; congru_paper_row_read("datasets", i, &row) == 6; i++)
        if (strcmp(row.field[0], dataset) == 0) {
            size_t number[5];
            for (size_t k = 0; k < 5; k++)
                number[k] = strtoul(row.field[k + 1], NULL, 10);
            *about = (congru_paper_facts){number[0], number[1], number[2], number[3], number[4]};
            return true;
        }
    return false;
}
