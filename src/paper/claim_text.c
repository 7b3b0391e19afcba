/* Reads claims: rows of claims.csv, and the inequalities in them. SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/number_text.h"
#include "paper/claims.h"

enum { ID, EXPERIMENT, PLACE, KIND, WORDS, BOUND, CONDITION, FIELDS };

static void skip_blanks(char **at)
{
    *at += strspn(*at, " ");
}

/* Takes a word away where it is next. */
static bool take(char **at, const char *word)
{
    skip_blanks(at);
    if (strncmp(*at, word, strlen(word)) != 0)
        return false;
    *at += strlen(word);
    return true;
}

/* "0.44 [gap|euclidean baselines]", "[within|ours]" or "5"; the cell's text ends where its bracket was. */
static bool read_term(char **at, double sign, congru_claim_term *term)
{
    char *end;
    skip_blanks(at);
    double number = congru_number_read(*at, &end);
    const bool counted = end != *at;
    *term = (congru_claim_term){.factor = sign * (counted ? number : 1)};
    *at = end;
    if (!take(at, "["))
        return counted;
    char *middle = strchr(*at, '|');
    end = strchr(*at, ']');
    if (middle == NULL || end == NULL || middle > end)
        return false;
    term->row = *at;
    term->column = middle + 1;
    *middle = *end = '\0';
    *at = end + 1;
    return true;
}

static bool read_sum(char **at, congru_claim_sum *sum)
{
    double sign = 1;
    sum->count = 0;
    do {
        if (sum->count == CONGRU_CLAIM_TERMS_MAX || !read_term(at, sign, &sum->term[sum->count++]))
            return false;
        sign = take(at, "+") ? 1 : take(at, "-") ? -1 : 0;
    } while (sign != 0);
    return true;
}

static bool read_relation(char **at, congru_claim_relation *relation)
{
    if (take(at, ">>"))
        *relation = CONGRU_CLAIM_SURELY_ABOVE;
    else if (take(at, ">="))
        *relation = CONGRU_CLAIM_NOT_BELOW;
    else if (take(at, ">"))
        *relation = CONGRU_CLAIM_ABOVE;
    else
        return false;
    return true;
}

/* "A > B >= C, D" */
static bool read_chain(char **at, congru_claim *claim)
{
    congru_claim_sum high;
    congru_claim_relation relation;
    size_t first = claim->steps;
    if (!read_sum(at, &high))
        return false;
    while (read_relation(at, &relation)) {
        congru_claim_step *step;
        do {
            if (claim->steps == CONGRU_CLAIM_STEPS_MAX)
                return false;
            step = &claim->step[claim->steps++];
            step->high = high;
            step->relation = relation;
            if (!read_sum(at, &step->low))
                return false;
        } while (take(at, ","));
        high = step->low;
    }
    return claim->steps > first;
}

bool congru_claim_parse(congru_claim *claim)
{
    const congru_paper_row *row = &claim->row;
    if (row->count != FIELDS)
        return false;
    claim->id = row->field[ID];
    claim->place = row->field[PLACE];
    claim->words = row->field[WORDS];
    claim->bound = row->field[BOUND];
    claim->steps = 0;
    char *at = row->field[CONDITION];
    do
        if (!read_chain(&at, claim))
            return false;
    while (take(&at, ";"));
    const char *kind = row->field[KIND];
    const bool all = strcmp(kind, "all") == 0;
    claim->least = all ? claim->steps : strncmp(kind, "any ", 4) == 0 ? strtoul(kind + 4, NULL, 10) : 0;
    return *at == '\0' && claim->least >= 1 && claim->least <= claim->steps;
}

bool congru_claim_read(const char *experiment, size_t index, congru_claim *claim)
{
    for (size_t i = 0; congru_paper_row_read("claims", i, &claim->row) > 0; i++)
        if (claim->row.count > EXPERIMENT && strcmp(claim->row.field[EXPERIMENT], experiment) == 0 &&
            index-- == 0)
            return congru_claim_parse(claim);
    return false;
}
