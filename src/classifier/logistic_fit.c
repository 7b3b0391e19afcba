/* Logistic regression of labelled features: the function a caller sees. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/workspace.h"
#include "classifier/dense_factor.h"
#include "classifier/linear.h"
#include "classifier/logistic.h"
#include "spd/batch.h"

static const double default_tolerance = 1e-6;
static const int default_iterations_max = 1000;

void congru_logistic_unpack(const congru_logistic *p, const congru_class_table *table, const double *w,
                            double *weights, double *intercept)
{
    const size_t stride = congru_dense_stride(p->features), features = p->features - 1;
    for (size_t k = 0, row = 0; k < table->classes; k++) {
        const bool absent = table->count[k] == 0, first = p->reference && row == 0;
        const double *own = w + (p->reference ? 0 : row) * stride;
        for (size_t j = 0; j < features; j++)
            weights[k * features + j] = absent || first ? 0.0 : own[j];
        intercept[k] = absent ? CONGRU_ABSENT_INTERCEPT : first ? 0.0 : own[features];
        row += !absent;
    }
}

static congru_status check_options(congru_context *context, const congru_logistic_set *set,
                                   const congru_logistic_options *options)
{
    if (!(options->c >= 0) || !isfinite(options->c) || !(options->tolerance >= 0) ||
        options->iterations_max < 0)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "C, the tolerance or the number of iterations is negative or not finite");
    if (options->c > 0)
        return CONGRU_OK;
    if (set->subject == NULL || set->subjects == 0)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "C is to be chosen by leaving out subjects, and no subjects were given");
    for (size_t i = 0; i < set->n; i++)
        if (set->subject[i] < 0 || (size_t)set->subject[i] >= set->subjects)
            return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                               "trial %zu of %zu is of subject %d: with %zu subjects, they are 0 to %zu", i + 1,
                               set->n, (int)set->subject[i], set->subjects, set->subjects - 1);
    return CONGRU_OK;
}

static void fit_layout(congru_arena *arena, const congru_context *context, const congru_logistic_set *set,
                       size_t present, congru_logistic *problem, double **w)
{
    congru_logistic_layout(arena, context, set->n, set->features + 1, present, problem);
    *w = congru_arena_take(arena, problem->rows * congru_dense_stride(problem->features), sizeof(double));
}

static congru_status fit(congru_context *context, const congru_logistic_set *set,
                         const congru_logistic_options *options, const congru_class_table *table,
                         double *weights, double *intercept, congru_logistic_info *info)
{
    congru_arena arena = {0};
    congru_logistic problem;
    double *w;
    const congru_logistic_stop stop = {
        .gradient = options->tolerance > 0 ? options->tolerance : default_tolerance,
        .iterations_max = options->iterations_max > 0 ? options->iterations_max : default_iterations_max};
    fit_layout(&arena, context, set, table->present, &problem, &w);
    if (congru_arena_reserve(&arena, arena.used) != CONGRU_OK)
        return congru_fail(context, CONGRU_ERROR_MEMORY,
                           "no memory for logistic regression of %zu trials with %zu features", set->n,
                           set->features);
    fit_layout(&arena, context, set, table->present, &problem, &w);
    congru_logistic_load(context, set->x, set->label, table, &problem);
    memset(w, 0, problem.rows * congru_dense_stride(problem.features) * sizeof(double));
    congru_status status;
    if (options->c > 0) {
        congru_logistic_precondition(context, options->c, &problem);
        congru_logistic_weigh(options->c, NULL, -1, &problem);
        status = congru_logistic_minimise(context, &problem, stop, w, info);
        info->c = options->c;
    } else {
        status = congru_logistic_select(context, &problem, table, set, stop, w, info);
    }
    congru_logistic_unpack(&problem, table, w, weights, intercept);
    return congru_workspace_free(context, &arena, status);
}

congru_status congru_logistic_fit(congru_context *context, size_t n, size_t features, const double *x,
                                  const int32_t *label, size_t classes, const congru_logistic_options *options,
                                  double *weights, double *intercept, congru_logistic_info *info)
{
    const congru_logistic_options defaults = {.c = 1.0};
    congru_logistic_info own = {0};
    congru_class_table table = {0};
    options = options != NULL ? options : &defaults;
    const congru_logistic_set set = {n, features, x, label, options->subject, options->subjects};
    congru_status status = congru_check_argument(context, label != NULL && weights != NULL && intercept != NULL,
                                                 "no labels or no output was given");
    if (status == CONGRU_OK)
        status = congru_check_features(context, n, features, x);
    if (status == CONGRU_OK)
        status = check_options(context, &set, options);
    if (status == CONGRU_OK)
        status = congru_class_table_make(context, n, label, classes, &table);
    if (status == CONGRU_OK)
        status = fit(context, &set, options, &table, weights, intercept, &own);
    congru_class_table_free(&table);
    if (info != NULL)
        *info = own;
    return status;
}
