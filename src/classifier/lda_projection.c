/* The paper's LDA projection: tangent vectors on Fisher's directions, then a classifier of those. SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "base/workspace.h"
#include "classifier/classifier.h"
#include "classifier/linear.h"
#include "classifier/tangent_features.h"
#include "spd/batch.h"

/* Fits weights (classes, features) and intercepts on vectors x (count, features). */
typedef congru_status (*fit_vectors)(congru_context *context, const congru_trials *trials,
                                     const congru_method_options *options, size_t features, const double *x,
                                     double *weights, double *intercept);

typedef struct projection {
    double *projected;           /* (count, directions) */
    double *weights, *intercept; /* (classes, directions), (classes) */
} projection;

static void layout(congru_arena *arena, const congru_trials *trials, size_t directions, projection *p)
{
    p->projected = congru_arena_take(arena, trials->count * directions, sizeof(double));
    p->weights = congru_arena_take(arena, trials->classes * directions, sizeof(double));
    p->intercept = congru_arena_take(arena, trials->classes, sizeof(double));
}

/* z = V x of each trial. */
static void project(size_t n, size_t features, const double *x, size_t directions, const double *v, double *z)
{
    for (size_t i = 0; i < n; i++, x += features)
        for (size_t k = 0; k < directions; k++) {
            double sum = 0.0;
            for (size_t e = 0; e < features; e++)
                sum += v[k * features + e] * x[e];
            *z++ = sum;
        }
}

/* A linear classifier of V x is one of x with weights W V, which is what the model keeps, beside V. */
static congru_status fit_projected(congru_context *context, const congru_trials *trials,
                                   const congru_method_options *options, const char *prefix, fit_vectors fit,
                                   congru_arena *arena, congru_tensors *model)
{
    const size_t features = congru_spd_tangent_size(trials->d), directions = trials->classes - 1;
    const size_t shape[] = {directions, features};
    char name[CONGRU_TENSOR_NAME_SIZE];
    congru_arena own = {0}, measure = {0};
    projection p;
    double *vectors = NULL, *v = NULL, *weights = NULL, *intercept = NULL;
    congru_status status =
        congru_tangent_sources(context, trials, options->tangent_mean, model, prefix, arena, &vectors);
    snprintf(name, sizeof name, "%s.directions", prefix);
    if (status == CONGRU_OK)
        status = congru_tensors_add(context, model, name, 2, shape, &v);
    if (status == CONGRU_OK)
        status = congru_lda_directions(context, trials->count, features, vectors, trials->label,
                                       trials->classes, v, NULL);
    layout(&measure, trials, directions, &p);
    if (status == CONGRU_OK && congru_arena_reserve(&own, measure.used) != CONGRU_OK)
        status = congru_fail(context, CONGRU_ERROR_MEMORY, "no memory for %zu projections", trials->count);
    if (status == CONGRU_OK) {
        layout(&own, trials, directions, &p);
        project(trials->count, features, vectors, directions, v, p.projected);
        status = fit(context, trials, options, directions, p.projected, p.weights, p.intercept);
    }
    if (status == CONGRU_OK)
        status = congru_linear_add(context, model, prefix, trials->classes, features, &weights, &intercept);
    for (size_t k = 0; status == CONGRU_OK && k < trials->classes; k++) {
        intercept[k] = p.intercept[k];
        for (size_t e = 0; e < features; e++)
            for (size_t j = 0; j < directions; j++)
                weights[k * features + e] += p.weights[k * directions + j] * v[j * features + e];
    }
    return congru_workspace_free(context, &own, status);
}

static congru_status fit_checked(congru_context *context, const congru_trials *trials,
                                 const congru_method_options *options, const char *prefix, fit_vectors fit,
                                 congru_tensors *model)
{
    congru_arena arena = {0};
    congru_status status = congru_check_argument(context, trials->classes > 1, "fewer than two classes");
    if (status == CONGRU_OK)
        status = fit_projected(context, trials, options, prefix, fit, &arena, model);
    return congru_workspace_free(context, &arena, status);
}

/* ---- Logistic regression ------------------------------------------------------------------------------- */

static congru_status fit_logistic(congru_context *context, const congru_trials *trials,
                                  const congru_method_options *options, size_t features, const double *x,
                                  double *weights, double *intercept)
{
    const congru_logistic_options logistic = {
        .c = options->c, .subject = trials->subject, .subjects = trials->subjects};
    return congru_logistic_fit(context, trials->count, features, x, trials->label, trials->classes, &logistic,
                               weights, intercept, NULL);
}

static congru_status lda_tslr_fit(const congru_classifier *self, congru_context *context,
                                  const congru_trials *trials, const congru_method_options *options,
                                  congru_tensors *model, congru_record *record)
{
    (void)record;
    return fit_checked(context, trials, options, self->name, fit_logistic, model);
}

const congru_classifier congru_classifier_lda_tslr = {
    .name = "lda+tslr",
    .summary = "tslr of tangent vectors projected on Fisher's directions, one fewer than classes",
    .views = true,
    .linear = true,
    .fit = lda_tslr_fit,
    .predict = congru_tangent_predict,
};

/* ---- Discriminant analysis ----------------------------------------------------------------------------- */

static congru_status fit_lda(congru_context *context, const congru_trials *trials,
                             const congru_method_options *options, size_t features, const double *x,
                             double *weights, double *intercept)
{
    (void)options;
    return congru_lda_fit(context, trials->count, features, x, trials->label, trials->classes, weights,
                          intercept);
}

static congru_status lda_tsa_lda_fit(const congru_classifier *self, congru_context *context,
                                     const congru_trials *trials, const congru_method_options *options,
                                     congru_tensors *model, congru_record *record)
{
    (void)record;
    return fit_checked(context, trials, options, self->name, fit_lda, model);
}

const congru_classifier congru_classifier_lda_tsa_lda = {
    .name = "lda+tsa-lda",
    .summary = "tsa-lda of tangent vectors projected likewise",
    .views = true,
    .linear = true,
    .fit = lda_tsa_lda_fit,
    .predict = congru_tangent_predict,
};
