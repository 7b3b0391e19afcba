/* Which pipelines of several data sets are compared, and how they compare. SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "congru/option.h"
#include "congru/report.h"

/* The names and what becomes of them. */
typedef struct comparing {
    congru_context *context;
    const congru_scores_list *list;
    size_t names, pairs, rows;
    const char **name;      /* (names) all pipelines, in the order of the tables */
    const char *(*pair)[2]; /* (pairs) */
    congru_pair *row;       /* (rows) */
} comparing;

/* The place of a name; the number of names where it is none of them. */
static size_t find_name(const comparing *c, const char *name)
{
    size_t i = 0;
    while (i < c->names && strcmp(c->name[i], name) != 0)
        i++;
    return i;
}

static congru_status list_names(comparing *c)
{
    size_t room = 1;
    for (size_t t = 0; t < c->list->count; t++)
        room += c->list->item[t]->pipelines;
    c->name = calloc(room, sizeof *c->name);
    c->pair = calloc(room * room, sizeof *c->pair);
    if (c->name == NULL || c->pair == NULL)
        return congru_fail(c->context, CONGRU_ERROR_MEMORY, "not enough memory");
    for (size_t t = 0; t < c->list->count; t++)
        for (size_t k = 0; k < c->list->item[t]->pipelines; k++) {
            const char *name = c->list->item[t]->pipeline[k];
            if (find_name(c, name) == c->names)
                c->name[c->names++] = name;
        }
    return c->names > 0 ? CONGRU_OK
                        : congru_fail(c->context, CONGRU_ERROR_ARGUMENT, "there are no results to compare");
}

static congru_status check_name(const comparing *c, const char *name)
{
    if (name == NULL || find_name(c, name) < c->names)
        return CONGRU_OK;
    const char *meant = congru_nearest(name, c->names, c->name);
    if (meant != NULL)
        return congru_fail(c->context, CONGRU_ERROR_ARGUMENT,
                           "there are no results of '%s' (did you mean '%s'?)", name, meant);
    return congru_fail(c->context, CONGRU_ERROR_ARGUMENT,
                       "there are no results of '%s' (the first there are: '%s')", name, c->name[0]);
}

/* One pair, all against one, or all; the later name minus the earlier, since baselines come first. */
static congru_status list_pairs(comparing *c, const congru_pair_choice *choice)
{
    const char *a = choice->a, *b = choice->b, *baseline = choice->baseline;
    congru_status status = check_name(c, a);
    if (status == CONGRU_OK)
        status = check_name(c, b);
    if (status == CONGRU_OK)
        status = check_name(c, baseline);
    for (size_t i = 0; status == CONGRU_OK && i < c->names; i++)
        for (size_t k = 0; k < c->names; k++) {
            const char *first = c->name[k], *second = c->name[i];
            bool wanted = a != NULL          ? strcmp(first, a) == 0 && strcmp(second, b) == 0
                          : baseline != NULL ? strcmp(second, baseline) == 0 && k != i
                                             : i < k;
            if (wanted) {
                c->pair[c->pairs][0] = first;
                c->pair[c->pairs++][1] = second;
            }
        }
    if (status == CONGRU_OK && c->pairs == 0)
        status = congru_fail(c->context, CONGRU_ERROR_ARGUMENT,
                             "there is only one pipeline, '%s'; nothing to compare it with", c->name[0]);
    return status;
}

/* Pairs of one data set, or of all together. */
static congru_status compare_group(comparing *c, const char *name, size_t count,
                                   const congru_scores *const *scores)
{
    congru_status status = CONGRU_OK;
    for (size_t i = 0; status == CONGRU_OK && i < c->pairs; i++) {
        congru_pair *row = &c->row[c->rows];
        *row = (congru_pair){.dataset = name, .a = c->pair[i][0], .b = c->pair[i][1]};
        status = congru_scores_compare(c->context, count, scores, row->a, row->b, &row->result);
        c->rows += row->result.count > 0;
    }
    return status;
}

static congru_status compare(comparing *c)
{
    const size_t tables = c->list->count, groups = tables + (tables > 1);
    const congru_scores *const *scores = (const congru_scores *const *)c->list->item;
    congru_status status = CONGRU_OK;
    c->row = calloc(groups * c->pairs + 1, sizeof *c->row);
    if (c->row == NULL)
        return congru_fail(c->context, CONGRU_ERROR_MEMORY, "not enough memory");
    for (size_t t = 0; status == CONGRU_OK && t < tables; t++)
        status = compare_group(c, scores[t]->name, 1, scores + t);
    if (status == CONGRU_OK && tables > 1)
        status = compare_group(c, "all", tables, scores);
    if (status == CONGRU_OK && c->rows == 0)
        return congru_fail(c->context, CONGRU_ERROR_ARGUMENT, "no subject has results of both pipelines");
    return status == CONGRU_OK ? congru_pairs_correct(c->context, c->rows, c->row) : status;
}

congru_status congru_pairs_compare(congru_context *context, const congru_scores_list *list,
                                   const congru_pair_choice *choice, size_t *count, congru_pair **pair)
{
    if (list == NULL || choice == NULL || count == NULL || pair == NULL ||
        (choice->a == NULL) != (choice->b == NULL))
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "scores, both pipelines or neither, and where the pairs go are needed");
    comparing c = {.context = context, .list = list};
    *pair = NULL;
    *count = 0;
    congru_status status = list_names(&c);
    if (status == CONGRU_OK)
        status = list_pairs(&c, choice);
    if (status == CONGRU_OK)
        status = compare(&c);
    free(c.name);
    free(c.pair);
    if (status != CONGRU_OK) {
        free(c.row);
        return status;
    }
    *pair = c.row;
    *count = c.rows;
    return CONGRU_OK;
}
