/* Classifiers of tangent vectors: logistic regression and discriminant analysis of all of them or of Fisher's projections. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mapped_memory.h"
#include "base/workspace.h"
#include "classifier/class_table.h"
#include "classifier/feature_method.h"
#include "classifier/linear.h"
#include "classifier/tangent_features.h"
#include "spd/view_load.h"

/* n vectors of `size` numbers for as long as this call of a method lasts. */
static congru_status take_vectors(congru_context *context, size_t n, size_t size, double **vectors)
{
    size_t bytes;
    if (__builtin_mul_overflow(n, size * sizeof(double), &bytes) ||
        congru_arena_reserve(&context->composed, bytes) != CONGRU_OK)
        return congru_fail_memory(context, "%zu tangent vectors of %zu numbers", n, size);
    *vectors = congru_arena_take(&context->composed, n * size, sizeof(double));
    return congru_workspace_check(context, &context->composed);
}

/* ---- Tangent vectors ----------------------------------------------------------------------------------- */

static const double mean_tolerance = 1e-8;

/* reference (d, d) = the exponential of the mean of tangent vectors at the identity: the log-Euclidean mean. The mean
 * vector's norm is returned; it is also the distance of the affine-invariant mean from the identity, to first order. */
static congru_status log_euclidean(congru_context *context, size_t n, size_t d, const double *vectors,
                                   double *reference, double *norm)
{
    const size_t size = congru_spd_tangent_size(d);
    double squares = 0.0;
    memset(reference, 0, size * sizeof(double));
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < size; j++)
            reference[j] += vectors[i * size + j];
        congru_mapped_pass(size * sizeof(double));
    }
    for (size_t j = 0; j < size; j++) {
        reference[j] /= (double)n;
        squares += reference[j] * reference[j];
    }
    *norm = sqrt(squares);
    double *mean;
    CONGRU_TRY(take_vectors(context, 1, size, &mean));
    memcpy(mean, reference, size * sizeof(double));
    return congru_spd_untangent(context, 1, d, NULL, mean, reference);
}

congru_status congru_tangent_features(congru_context *context, congru_metric metric, size_t n, size_t d,
                                      const congru_view *view, double *reference, double *vectors)
{
    double norm = INFINITY;
    if (metric < CONGRU_METRIC_RIEMANN || metric > CONGRU_METRIC_EUCLID)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "metric %d is not one of congru_metric",
                           (int)metric);
    if (metric == CONGRU_METRIC_EUCLID) {
        CONGRU_TRY(congru_view_mean(context, metric, n, d, view, NULL, reference, NULL));
    } else {
        CONGRU_TRY(congru_view_tangent(context, n, d, NULL, view, vectors));
        CONGRU_TRY(log_euclidean(context, n, d, vectors, reference, &norm));
    }
    if (norm <= mean_tolerance) {
        memset(reference, 0, d * d * sizeof(double));
        for (size_t i = 0; i < d; i++)
            reference[i * (d + 1)] = 1.0;
        return CONGRU_OK;
    }
    const congru_mean_options options = {.start = reference, .tolerance = mean_tolerance};
    if (metric == CONGRU_METRIC_RIEMANN)
        CONGRU_TRY(congru_view_mean(context, metric, n, d, view, &options, reference, NULL));
    return congru_view_tangent(context, n, d, reference, view, vectors);
}

static bool is_identity(size_t d, const double *a)
{
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j < d; j++)
            if (a[i * d + j] != (i == j ? 1.0 : 0.0))
                return false;
    return true;
}

/* ---- At the mean of the sources ------------------------------------------------------------------------ */

typedef struct tangent_work {
    congru_arena arena;
    double *vectors;             /* (count, features) */
    double *projected;           /* (count, directions) */
    double *weights, *intercept; /* (classes, directions), (classes) */
} tangent_work;

static void lay_out(tangent_work *w, const congru_trials *trials, size_t directions)
{
    const size_t classes = directions > 0 ? trials->classes : 0;
    w->vectors =
        congru_arena_take(&w->arena, trials->count * congru_spd_tangent_size(trials->d), sizeof(double));
    w->projected = congru_arena_take(&w->arena, trials->count * directions, sizeof(double));
    w->weights = congru_arena_take(&w->arena, classes * directions, sizeof(double));
    w->intercept = congru_arena_take(&w->arena, classes, sizeof(double));
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

/* Fits weights (classes, features) and intercepts on vectors x (count, features); *c becomes the C of one that has it. */
typedef congru_status (*fit_vectors)(congru_context *context, const congru_trials *trials,
                                     const congru_method_options *options, size_t features, const double *x,
                                     double *weights, double *intercept, double *c);

static congru_status fit_logistic(congru_context *context, const congru_trials *trials,
                                  const congru_method_options *options, size_t features, const double *x,
                                  double *weights, double *intercept, double *c)
{
    const congru_logistic_options logistic = {
        .c = options->c, .subject = trials->subject, .subjects = trials->subjects};
    congru_logistic_info info;
    CONGRU_TRY(congru_logistic_fit(context, trials->count, features, x, trials->label, trials->classes,
                                   &logistic, weights, intercept, &info));
    *c = info.c;
    return CONGRU_OK;
}

static congru_status fit_lda(congru_context *context, const congru_trials *trials,
                             const congru_method_options *options, size_t features, const double *x,
                             double *weights, double *intercept, double *c)
{
    (void)options;
    (void)c;
    return congru_lda_fit(context, trials->count, features, x, trials->label, trials->classes, weights,
                          intercept);
}

/* The reference, what was fitted, and the C. With `projects` a linear classifier of V x, V being Fisher's directions, is one of x
 * with weights W V, which is what the model keeps, beside V. */
static congru_status fit(const congru_classifier *self, congru_context *context, const congru_trials *trials,
                         const congru_method_options *options, bool projects, fit_vectors solve,
                         congru_tensors *model)
{
    const size_t d = trials->d, features = congru_spd_tangent_size(d),
                 directions = projects ? trials->classes - 1 : 0;
    char name[CONGRU_TENSOR_NAME_SIZE];
    double *reference, *v = NULL, *weights, *intercept, c = 0.0;
    const congru_view view = congru_trials_view(trials);
    tangent_work w = {0};
    congru_status status;
    CONGRU_TRY(congru_check_argument(context, !projects || trials->classes > 1, "fewer than two classes"));
    CONGRU_TRY(congru_check_shape(context, trials->count, d));
    congru_classes_note(context, trials, 1, NULL);
    lay_out(&w, trials, directions);
    if (congru_arena_reserve(&w.arena, w.arena.used) != CONGRU_OK)
        return congru_fail_memory(context, "%zu tangent vectors of %zu numbers", trials->count, features);
    lay_out(&w, trials, directions);
    snprintf(name, sizeof name, "%s.reference", self->name);
    CONGRU_TRY_TO(done, congru_tensors_add(context, model, name, 2, (const size_t[]){d, d}, &reference));
    CONGRU_TRY_TO(done, congru_tangent_features(context, options->tangent_mean, trials->count, d, &view,
                                                reference, w.vectors));
    snprintf(name, sizeof name, "%s.directions", self->name);
    if (projects) {
        CONGRU_TRY_TO(done,
                      congru_tensors_add(context, model, name, 2, (const size_t[]){directions, features}, &v));
        CONGRU_TRY_TO(done, congru_lda_directions(context, trials->count, features, w.vectors, trials->label,
                                                  trials->classes, v, NULL));
        project(trials->count, features, w.vectors, directions, v, w.projected);
        CONGRU_TRY_TO(done,
                      solve(context, trials, options, directions, w.projected, w.weights, w.intercept, &c));
    }
    CONGRU_TRY_TO(
        done, congru_linear_add(context, model, self->name, trials->classes, features, &weights, &intercept));
    if (!projects)
        CONGRU_TRY_TO(done, solve(context, trials, options, features, w.vectors, weights, intercept, &c));
    for (size_t k = 0; projects && k < trials->classes; k++) {
        intercept[k] = w.intercept[k];
        for (size_t e = 0; e < features; e++)
            for (size_t j = 0; j < directions; j++)
                weights[k * features + e] += w.weights[k * directions + j] * v[j * features + e];
    }
    snprintf(name, sizeof name, "%s.c", self->name);
    if (c > 0.0 && !projects)
        CONGRU_TRY_TO(done, congru_tensors_add_number(context, model, name, c));
done:
    return congru_workspace_free(context, &w.arena, status);
}

static congru_status predict(const congru_classifier *self, congru_context *context,
                             const congru_tensors *model, const congru_target_trials *target,
                             double *probability)
{
    const size_t n = target->count, d = target->d, features = congru_spd_tangent_size(d);
    size_t shape[] = {d, d};
    char name[CONGRU_TENSOR_NAME_SIZE];
    const double *reference;
    double *vectors;
    snprintf(name, sizeof name, "%s.reference", self->name);
    CONGRU_TRY(congru_tensors_expect(context, model, name, 2, shape, &reference));
    if (n == 0)
        return CONGRU_OK;
    CONGRU_TRY(take_vectors(context, n, features, &vectors));
    CONGRU_TRY(congru_spd_tangent(context, n, d, is_identity(d, reference) ? NULL : reference,
                                  target->covariance, vectors));
    return congru_linear_predict(context, model, self->name, n, features, vectors, probability);
}

static congru_status tslr_fit(const congru_classifier *self, congru_context *context,
                              const congru_trials *trials, const congru_method_options *options,
                              congru_tensors *model, congru_record *record)
{
    (void)record;
    return fit(self, context, trials, options, false, fit_logistic, model);
}

const congru_classifier congru_classifier_tslr = {
    .name = "tslr",
    .summary = "logistic regression of tangent vectors (--C, --tangent-mean)",
    .views = true,
    .linear = true,
    .fit = tslr_fit,
    .predict = predict,
};

static congru_status tsa_lda_fit(const congru_classifier *self, congru_context *context,
                                 const congru_trials *trials, const congru_method_options *options,
                                 congru_tensors *model, congru_record *record)
{
    (void)record;
    return fit(self, context, trials, options, false, fit_lda, model);
}

const congru_classifier congru_classifier_tsa_lda = {
    .name = "tsa-lda",
    .summary = "discriminant analysis of tangent vectors, covariance shrunk (--tangent-mean)",
    .views = true,
    .linear = true,
    .fit = tsa_lda_fit,
    .predict = predict,
};

static congru_status lda_tslr_fit(const congru_classifier *self, congru_context *context,
                                  const congru_trials *trials, const congru_method_options *options,
                                  congru_tensors *model, congru_record *record)
{
    (void)record;
    return fit(self, context, trials, options, true, fit_logistic, model);
}

const congru_classifier congru_classifier_lda_tslr = {
    .name = "lda+tslr",
    .summary = "tslr of tangent vectors projected on Fisher's directions, one fewer than classes",
    .views = true,
    .linear = true,
    .fit = lda_tslr_fit,
    .predict = predict,
};

static congru_status lda_tsa_lda_fit(const congru_classifier *self, congru_context *context,
                                     const congru_trials *trials, const congru_method_options *options,
                                     congru_tensors *model, congru_record *record)
{
    (void)record;
    return fit(self, context, trials, options, true, fit_lda, model);
}

const congru_classifier congru_classifier_lda_tsa_lda = {
    .name = "lda+tsa-lda",
    .summary = "tsa-lda of tangent vectors projected likewise",
    .views = true,
    .linear = true,
    .fit = lda_tsa_lda_fit,
    .predict = predict,
};

/* ---- At the identity, of one band and window or of many ------------------------------------------------- */

static size_t tangent_count(const congru_target_trials *trials, const congru_method_options *options)
{
    (void)options;
    return congru_spd_tangent_size(trials->d);
}

/* Made one after another and then moved to where they are side by side with those of other bands and windows. */
static congru_status tangent_rows(congru_context *context, const congru_target_trials *trials,
                                  const congru_method_options *options, size_t stride, double *x)
{
    (void)options;
    const size_t size = congru_spd_tangent_size(trials->d);
    double *vectors;
    if (trials->covariance == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "tangent vectors need covariances: none were given");
    if (trials->count == 0)
        return CONGRU_OK;
    CONGRU_TRY(take_vectors(context, trials->count, size, &vectors));
    CONGRU_TRY(congru_spd_tangent(context, trials->count, trials->d, NULL, trials->covariance, vectors));
    for (size_t i = 0; i < trials->count; i++)
        memcpy(x + i * stride, vectors + i * size, size * sizeof *x);
    return CONGRU_OK;
}

const congru_classifier congru_classifier_ridge = {
    .name = "ridge",
    .summary = "logistic regression of tangent vectors at the identity, all folds at once (--C)",
    .needs = CONGRU_NEEDS_COVARIANCES,
    .fit = congru_feature_fit,
    .predict = congru_feature_predict,
    .feature_count = tangent_count,
    .features = tangent_rows,
    .linear = true,
    .fit_folds = congru_feature_folds,
};
