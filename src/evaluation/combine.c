/* Adds log-probabilities of branches, and learns their weights. SPDX-License-Identifier: Apache-2.0 */
#include "evaluation/combine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scalar_math.h"

enum { STEPS_MAX = 100, HALVINGS_MAX = 30 };
static const double least_probability = 1e-300, enough = 1e-10, drop = 1e-9;

void congru_opinions_log(size_t numbers, double *probability)
{
    for (size_t i = 0; i < numbers; i++)
        probability[i] =
            congru_scalar_log(probability[i] > least_probability ? probability[i] : least_probability);
}

/* Probabilities of one trial; returns the logarithm of their sum before it became 1. */
static double combine_one(const congru_opinions *o, size_t trial, const double *weight, double *p)
{
    double largest = -INFINITY, sum = 0;
    for (size_t k = 0; k < o->classes; k++) {
        p[k] = 0;
        for (size_t b = 0; b < o->branches; b++)
            p[k] += weight[b] * o->log_probability[b][trial * o->classes + k];
        largest = p[k] > largest ? p[k] : largest;
    }
    for (size_t k = 0; k < o->classes; k++) {
        p[k] = congru_scalar_exp(p[k] - largest);
        sum += p[k];
    }
    for (size_t k = 0; k < o->classes; k++)
        p[k] /= sum;
    return largest + congru_scalar_log(sum);
}

void congru_opinions_combine(const congru_opinions *opinions, const double *weight, double *probability)
{
    for (size_t i = 0; i < opinions->count; i++)
        combine_one(opinions, i, weight, probability + i * opinions->classes);
}

/* ---- Learning ------------------------------------------------------------------------------------------ */

typedef struct learning {
    const congru_opinions *o;
    const int32_t *label;
    double *p; /* (classes) */
    double gradient[CONGRU_BRANCHES_MAX];
    double second[CONGRU_BRANCHES_MAX][CONGRU_BRANCHES_MAX];
} learning;

/* The mean of -log p of the labels; with its derivatives where `derive`. */
static double evaluate(learning *l, const double *weight, bool derive)
{
    const congru_opinions *o = l->o;
    double loss = 0, n = (double)o->count;
    memset(l->gradient, 0, sizeof l->gradient);
    memset(l->second, 0, sizeof l->second);
    for (size_t i = 0; i < o->count; i++) {
        double said = 0, mean[CONGRU_BRANCHES_MAX] = {0}, whole = combine_one(o, i, weight, l->p);
        for (size_t b = 0; b < o->branches; b++)
            said += weight[b] * o->log_probability[b][i * o->classes + (size_t)l->label[i]];
        loss += (whole - said) / n;
        for (size_t b = 0; derive && b < o->branches; b++) {
            const double *own = o->log_probability[b] + i * o->classes;
            for (size_t k = 0; k < o->classes; k++)
                mean[b] += l->p[k] * own[k];
            l->gradient[b] += (mean[b] - own[l->label[i]]) / n;
        }
        for (size_t k = 0; derive && k < o->classes; k++)
            for (size_t a = 0; a < o->branches; a++)
                for (size_t b = 0; b < o->branches; b++)
                    l->second[a][b] += l->p[k] * (o->log_probability[a][i * o->classes + k] - mean[a]) *
                                       (o->log_probability[b][i * o->classes + k] - mean[b]) / n;
    }
    return loss;
}

/* Newton's step over the weights that are free to move, by elimination; 0 for the others. */
static void find_step(const learning *l, const double *weight, double *step)
{
    double matrix[CONGRU_BRANCHES_MAX][CONGRU_BRANCHES_MAX], trace = 0;
    size_t free[CONGRU_BRANCHES_MAX] = {0}, count = 0;
    for (size_t b = 0; b < l->o->branches; b++) {
        step[b] = 0;
        trace += l->second[b][b];
        if (weight[b] > 0 || l->gradient[b] < 0)
            free[count++] = b;
    }
    for (size_t a = 0; a < count; a++) {
        step[free[a]] = -l->gradient[free[a]];
        for (size_t b = 0; b < count; b++)
            matrix[a][b] = l->second[free[a]][free[b]] + (a == b ? drop * (trace + drop) : 0);
    }
    for (size_t a = 0; a < count; a++) /* positive definite: no pivots are needed */
        for (size_t b = a + 1; b < count; b++) {
            double factor = matrix[b][a] / matrix[a][a];
            for (size_t c = a; c < count; c++)
                matrix[b][c] -= factor * matrix[a][c];
            step[free[b]] -= factor * step[free[a]];
        }
    for (size_t a = count; a-- > 0;) {
        for (size_t b = a + 1; b < count; b++)
            step[free[a]] -= matrix[a][b] * step[free[b]];
        step[free[a]] /= matrix[a][a];
    }
}

congru_status congru_opinions_learn(congru_context *context, const congru_opinions *opinions,
                                    const int32_t *label, double *weight, double *loss)
{
    learning l = {.o = opinions, .label = label};
    double step[CONGRU_BRANCHES_MAX], tried[CONGRU_BRANCHES_MAX];
    bool better = true;
    CONGRU_TRY(
        congru_allocate(context, &l.p, opinions->classes, sizeof *l.p, "%zu classes", opinions->classes));
    for (size_t b = 0; b < opinions->branches; b++)
        weight[b] = 1;
    *loss = evaluate(&l, weight, true);
    for (int i = 0; better && i < STEPS_MAX; i++) {
        find_step(&l, weight, step);
        better = false;
        double length = 1;
        for (int halved = 0; !better && halved < HALVINGS_MAX; halved++, length /= 2) {
            for (size_t b = 0; b < opinions->branches; b++)
                tried[b] = fmax(0, weight[b] + length * step[b]);
            double value = evaluate(&l, tried, false);
            better = value < *loss - enough * fabs(*loss);
            if (better)
                memcpy(weight, tried, opinions->branches * sizeof *weight);
        }
        if (better)
            *loss = evaluate(&l, weight, true);
    }
    free(l.p);
    return CONGRU_OK;
}
