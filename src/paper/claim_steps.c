/* Judges one inequality of a claim: its margin, and the interval of that over subjects. SPDX-License-Identifier: Apache-2.0 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "congru/statistics.h"
#include "paper/claims.h"

/* Numbers that differ by rounding alone are equal: what no rotation changes is not changed by one in the 14th digit. */
static const double equal_within = 1e-9, confidence = 0.95;

/* One side of an inequality. */
typedef struct side {
    double number, size; /* size: of what was added up, for rounding */
    size_t units;
    double *unit; /* NULL: all cells are without subjects */
} side;

static void add_missing(congru_text *missing, const congru_claim_term *term)
{
    char name[CONGRU_PAPER_NAME_SIZE];
    if (missing == NULL)
        return;
    const int used = snprintf(name, sizeof name, "%s %s", term->row, term->column);
    if (used > 0 && (missing->data == NULL || strstr(missing->data, name) == NULL))
        congru_text_add(missing, "%s%s", missing->size > 0 ? ", " : "", name);
}

/* Adds a cell times a factor, subject by subject. What has no subjects counts for each of them. */
static void add_cell(side *sum, double factor, congru_claim_cell *cell, congru_claim_found *found)
{
    if (cell->unit != NULL && sum->unit == NULL) {
        sum->unit = cell->unit;
        sum->units = cell->units;
        for (size_t i = 0; i < sum->units; i++)
            sum->unit[i] = sum->number + factor * cell->unit[i];
        cell->unit = NULL;
    } else
        for (size_t i = 0; i < sum->units; i++)
            sum->unit[i] += factor * (cell->unit != NULL && i < cell->units ? cell->unit[i] : cell->number);
    sum->number += factor * cell->number;
    sum->size += fabs(factor * cell->number);
    found->absent |= cell->absent;
    found->uses |= cell->uses;
    found->ridge |= cell->ridge;
    found->failed |= cell->failed;
    free(cell->unit);
}

static side read_side(const congru_claim_source *source, const congru_claim_sum *about, congru_claim_side whose,
                      congru_text *missing, congru_claim_found *found)
{
    side sum = {0};
    for (size_t i = 0; i < about->count; i++) {
        const congru_claim_term *term = &about->term[i];
        congru_claim_cell cell = {.number = 1};
        if (term->row != NULL) {
            cell.number = NAN;
            source->read(source->user, whose, term->row, term->column, &cell);
            if (isnan(cell.number) && cell.absent == 0)
                add_missing(missing, term);
        }
        add_cell(&sum, term->factor, &cell, found);
    }
    return sum;
}

/* The difference over subjects that both sides have; none where they have none in common. */
static congru_interval subtract(const side *high, const side *low)
{
    const side *first = high->unit != NULL ? high : low;
    for (size_t i = 0; i < first->units; i++) {
        double a = high->unit != NULL ? high->unit[i] : high->number, b = low->unit == NULL ? low->number
                                                                          : i < low->units  ? low->unit[i]
                                                                                            : NAN;
        first->unit[i] = a - b;
    }
    return congru_interval_of(first->units, first->unit, confidence);
}

/* Half the width of the interval of two means over different subjects, by Welch. */
static double apart(const side *high, const side *low)
{
    const congru_interval a = congru_interval_of(high->units, high->unit, confidence),
                          b = congru_interval_of(low->units, low->unit, confidence);
    if (a.count < 2 || b.count < 2)
        return NAN;
    const double u = a.deviation * a.deviation / (double)a.count,
                 v = b.deviation * b.deviation / (double)b.count;
    if (u + v == 0)
        return 0;
    const double freedom = (u + v) * (u + v) / (u * u / (double)(a.count - 1) + v * v / (double)(b.count - 1));
    return congru_student_quantile(0.5 + confidence / 2, freedom) * sqrt(u + v);
}

static bool have_common(const side *a, const side *b)
{
    for (size_t i = 0; i < a->units && i < b->units; i++)
        if (!isnan(a->unit[i]) && !isnan(b->unit[i]))
            return true;
    return false;
}

/* Sets the margin and half the width of its interval, NaN where there is none. */
static double measure(const side *high, const side *low, congru_claim_found *found)
{
    const double size = fmax(high->size, low->size);
    double half = NAN;
    found->margin = high->number - low->number;
    if (high->unit != NULL && low->unit != NULL && !have_common(high, low)) {
        half = apart(high, low);
    } else if (high->unit != NULL || low->unit != NULL) {
        const congru_interval difference = subtract(high, low);
        half = (difference.high - difference.low) / 2;
    }
    if (fabs(found->margin) <= equal_within * size)
        found->margin = 0;
    if (half <= equal_within * size)
        half = 0;
    return half;
}

void congru_claim_step_judge(const congru_claim_source *source, const congru_claim_step *step,
                             congru_claim_side whose, congru_text *missing, congru_claim_found *found)
{
    *found = (congru_claim_found){.low = NAN, .high = NAN};
    side high = read_side(source, &step->high, whose, missing, found),
         low = read_side(source, &step->low, whose, missing, found);
    const double size = fmax(high.size, low.size), half = measure(&high, &low, found);
    free(high.unit);
    free(low.unit);
    const bool known = !isnan(half);
    found->given = !isnan(found->margin) && (known || step->relation != CONGRU_CLAIM_SURELY_ABOVE);
    if (!found->given)
        return;
    if (known) {
        found->low = found->margin - half;
        found->high = found->margin + half;
        found->chance = found->low <= 0 && found->high >= 0;
    }
    const double width = known ? half : size;
    found->score = width > 0           ? found->margin / width
                   : found->margin > 0 ? DBL_MAX
                   : found->margin < 0 ? -DBL_MAX
                                       : 0;
    found->holds = step->relation == CONGRU_CLAIM_SURELY_ABOVE ? found->low > 0
                   : step->relation == CONGRU_CLAIM_NOT_BELOW  ? found->margin >= 0
                                                               : found->margin > 0;
}

/* ---- In words ---- */

void congru_claim_number(congru_text *text, double number)
{
    const double size = fabs(number);
    if (size != 0 && (size < 0.001 || size >= 1e6))
        congru_text_add(text, "%.2e", number);
    else
        congru_text_add(text, "%.*f", size < 1 ? 4 : 2, congru_plain_zero(number, size < 1 ? 4 : 2));
}

/* "2a ra+tslr 55.06 + 2": with what stands before and behind cells, so that the margin can be worked out from the line. */
static void describe_sum(const congru_claim_source *source, const congru_claim_sum *sum,
                         congru_claim_side whose, congru_text *text)
{
    for (size_t i = 0; i < sum->count; i++) {
        const congru_claim_term *term = &sum->term[i];
        const double factor = i > 0 ? fabs(term->factor) : term->factor;
        congru_claim_cell cell = {.number = NAN};
        if (i > 0)
            congru_text_add(text, term->factor < 0 ? " - " : " + ");
        if (term->row == NULL || factor != 1)
            congru_text_add(text, term->row == NULL ? "%.6g" : "%.6g times ", factor);
        if (term->row == NULL)
            continue;
        source->read(source->user, whose, term->row, term->column, &cell);
        free(cell.unit);
        congru_text_add(text, "%s %s ", term->row, term->column);
        congru_claim_number(text, cell.number);
    }
}

void congru_claim_step_describe(const congru_claim_source *source, const congru_claim_step *step,
                                congru_claim_side whose, congru_text *text)
{
    describe_sum(source, &step->high, whose, text);
    congru_text_add(text, ", ");
    describe_sum(source, &step->low, whose, text);
}
