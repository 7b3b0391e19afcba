/* Judges claims by numbers. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "paper/claims.h"

#include <math.h>
#include <string.h>

#include "base/number_text.h"
#include "base/text.h"

enum { LINE_SIZE = 1024 };

/* Numbers that differ by rounding alone are equal: what no rotation changes is not changed by one in the 14th digit. */
static const double equal_within = 1e-9;

static double cell(congru_claim_value value, const void *user, const char *row, const char *column)
{
    return strcmp(row, CONGRU_CLAIM_NUMBER) == 0 ? congru_number_read(column, NULL) : value(user, row, column);
}

/* "ra+mdm z 0.0004", or "2" where the cell is a number. */
static void describe(char *text, size_t size, const char *row, const char *column, double value, int digits)
{
    if (strcmp(row, CONGRU_CLAIM_NUMBER) == 0)
        congru_format(text, size, "%s", column);
    else
        congru_format(text, size, "%s %s %.*f", row, column, digits, congru_plain_zero(value, digits));
}

static double difference(double a, double b)
{
    return fabs(a - b) <= equal_within * fmax(fabs(a), fabs(b)) ? 0 : a - b;
}

/* Judges all steps; *narrowest is the one that decides: the first that fails, or the smallest margin. */
static congru_paper_verdict judge(const congru_claim *about, congru_claim_value value, const void *user,
                                  const congru_claim_step **narrowest)
{
    double least = INFINITY;
    *narrowest = &about->step[0];
    for (const congru_claim_step *step = about->step; step->row != NULL; step++) {
        double margin = difference(cell(value, user, step->row, step->column),
                                   cell(value, user, step->other_row, step->other_column));
        if (isnan(margin))
            return CONGRU_PAPER_NOT_GIVEN;
        if (margin < least) {
            least = margin;
            *narrowest = step;
        }
        if (margin < 0 || (margin == 0 && !step->equal)) {
            *narrowest = step;
            return CONGRU_PAPER_FAILS;
        }
    }
    return CONGRU_PAPER_HOLDS;
}

/* " (ra+mdm z 0.0004, 2)": the cells of the step that decides. */
static void describe_step(const congru_claim_step *step, congru_claim_value ours, const void *user,
                          char more[LINE_SIZE / 2])
{
    char first[LINE_SIZE / 5], second[LINE_SIZE / 5];
    double value = cell(ours, user, step->row, step->column),
           other = cell(ours, user, step->other_row, step->other_column);
    int digits = fabs(value) < 1 && fabs(other) < 1 ? 4 : 2;
    describe(first, sizeof first, step->row, step->column, value, digits);
    describe(second, sizeof second, step->other_row, step->other_column, other, digits);
    congru_format(more, LINE_SIZE / 2, " (%s, %s)", first, second);
}

static congru_status add_claim(const congru_paper_job *job, bool apart, const congru_claim *about,
                               congru_claim_value ours, congru_claim_value paper, const void *user,
                               congru_paper_verdict *found)
{
    static const char *const words[2][3] = {{"data not given", "holds", "does not hold"},
                                            {"data not given", "reproduced", "not reproduced"}};
    const congru_claim_step *step, *theirs;
    congru_paper_block block = {.kind = CONGRU_PAPER_CLAIM, .apart = apart};
    char line[LINE_SIZE], more[LINE_SIZE / 2] = "";
    *found = block.verdict = judge(about, ours, user, &step);
    if (paper != NULL)
        block.printed = judge(about, paper, user, &theirs);
    if (block.verdict != CONGRU_PAPER_NOT_GIVEN)
        describe_step(step, ours, user, more);
    congru_format(line, sizeof line, "%s: %s%s%s", words[paper != NULL][block.verdict], about->text, more,
                  block.printed != CONGRU_PAPER_FAILS   ? ""
                  : block.verdict == CONGRU_PAPER_FAILS ? "; nor is it so in the paper's table"
                                                        : "; it is not so in the paper's table");
    block.text = strdup(line);
    block.claim = strdup(about->text);
    if (block.text == NULL || block.claim == NULL)
        return congru_paper_drop(job, &block);
    return congru_paper_add(job, &block);
}

congru_status congru_claims_judge(const congru_paper_job *job, const char *heading, const congru_claim *claims,
                                  size_t count, congru_claim_value ours, congru_claim_value paper,
                                  const void *user)
{
    size_t given = 0, reproduced = 0;
    char rest[64] = "";
    congru_status status =
        heading != NULL ? congru_paper_say(job, CONGRU_PAPER_LINE, true, "%s", heading) : CONGRU_OK;
    for (size_t i = 0; status == CONGRU_OK && i < count; i++) {
        congru_paper_verdict found;
        status = add_claim(job, heading == NULL && i == 0, &claims[i], ours, paper, user, &found);
        given += found != CONGRU_PAPER_NOT_GIVEN;
        reproduced += found == CONGRU_PAPER_HOLDS;
    }
    if (given < count)
        congru_format(rest, sizeof rest, "; %zu without data", count - given);
    if (status == CONGRU_OK)
        status = congru_paper_say(job, CONGRU_PAPER_LINE, false, "%zu of %zu %s%s", reproduced, given,
                                  paper != NULL ? "claims reproduced" : "hold", rest);
    return status;
}
