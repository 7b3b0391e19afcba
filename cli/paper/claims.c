/* Judges claims by numbers. SPDX-License-Identifier: Apache-2.0 */
#include "claims.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "terminal.h"

enum { LINE_SIZE = 1024 };

/* Numbers that differ by rounding alone are equal: what no rotation changes is not changed by one in the 14th digit. */
static const double equal_within = 1e-9;

typedef enum verdict { NOT_GIVEN, REPRODUCED, NOT_REPRODUCED } verdict;

static double cell(claim_value value, const void *user, const char *row, const char *column)
{
    return strcmp(row, CLAIM_NUMBER) == 0 ? strtod(column, NULL) : value(user, row, column);
}

/* "ra+mdm z 0.0004", or "2" where the cell is a number. */
static void describe(char *text, size_t size, const char *row, const char *column, double value, int digits)
{
    if (strcmp(row, CLAIM_NUMBER) == 0)
        snprintf(text, size, "%s", column);
    else
        snprintf(text, size, "%s %s %.*f", row, column, digits, value);
}

static double difference(double a, double b)
{
    return fabs(a - b) <= equal_within * fmax(fabs(a), fabs(b)) ? 0 : a - b;
}

/* Judges all steps; *narrowest is the one that decides: the first that fails, or the smallest margin. */
static verdict judge(const claim *about, claim_value value, const void *user, const claim_step **narrowest)
{
    double least = INFINITY;
    *narrowest = &about->step[0];
    for (const claim_step *step = about->step; step->row != NULL; step++) {
        double margin = difference(cell(value, user, step->row, step->column),
                                   cell(value, user, step->other_row, step->other_column));
        if (isnan(margin))
            return NOT_GIVEN;
        if (margin < least) {
            least = margin;
            *narrowest = step;
        }
        if (margin < 0 || (margin == 0 && !step->equal)) {
            *narrowest = step;
            return NOT_REPRODUCED;
        }
    }
    return REPRODUCED;
}

static void print_claim(const claim *about, verdict found, const claim_step *step, claim_value ours,
                        claim_value paper, const void *user)
{
    static const char *const words[2][3] = {{"data not given", "holds", "does not hold"},
                                            {"data not given", "reproduced", "not reproduced"}};
    char line[LINE_SIZE], more[LINE_SIZE / 2] = "", first[LINE_SIZE / 5], second[LINE_SIZE / 5];
    const claim_step *theirs;
    double value = cell(ours, user, step->row, step->column),
           other = cell(ours, user, step->other_row, step->other_column);
    int digits = fabs(value) < 1 && fabs(other) < 1 ? 4 : 2;
    describe(first, sizeof first, step->row, step->column, value, digits);
    describe(second, sizeof second, step->other_row, step->other_column, other, digits);
    if (found != NOT_GIVEN)
        snprintf(more, sizeof more, " (%s, %s)", first, second);
    terminal_plain_zero(more, false);
    snprintf(line, sizeof line, "%s: %s%s%s", words[paper != NULL][found], about->text, more,
             paper == NULL || judge(about, paper, user, &theirs) != NOT_REPRODUCED ? ""
             : found == NOT_REPRODUCED ? "; nor is it so in the paper's table"
                                       : "; it is not so in the paper's table");
    terminal_wrap(line, 0, 2, "");
}

void claims_print(const claim *claims, size_t count, claim_value ours, claim_value paper, const void *user)
{
    size_t given = 0, reproduced = 0;
    for (size_t i = 0; i < count; i++) {
        const claim_step *step;
        verdict found = judge(&claims[i], ours, user, &step);
        given += found != NOT_GIVEN;
        reproduced += found == REPRODUCED;
        print_claim(&claims[i], found, step, ours, paper, user);
    }
    printf("%zu of %zu %s", reproduced, given, paper != NULL ? "claims reproduced" : "hold");
    if (given < count)
        printf("; %zu without data", count - given);
    printf("\n");
}
