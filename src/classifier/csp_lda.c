/* Discriminant analysis of variances behind spatial filters. SPDX-License-Identifier: Apache-2.0 */
#include "base/workspace.h"
#include "classifier/class_table.h"
#include "classifier/classifier.h"
#include "classifier/csp_view.h"
#include "classifier/linear.h"

typedef struct csp_lda_work {
    congru_arena arena;
    double *filters;  /* (blocks, size, d) */
    double *features; /* (n, blocks, size) */
} csp_lda_work;

static void work_layout(csp_lda_work *w, const congru_trials *trials, size_t blocks, size_t size)
{
    w->filters = congru_arena_take(&w->arena, blocks * size * trials->d, sizeof(double));
    w->features = congru_arena_take(&w->arena, trials->count * blocks * size, sizeof(double));
}

static congru_status csp_lda_fit(const congru_classifier *self, congru_context *context,
                                 const congru_trials *trials, const congru_method_options *options,
                                 congru_tensors *model, congru_record *record)
{
    (void)record;
    csp_lda_work w = {0};
    double *weights, *intercept;
    congru_status status;
    CONGRU_TRY(congru_check_shape(context, trials->count, trials->d));
    CONGRU_TRY(
        congru_check_argument(context, options->csp_filters > 0, "csp-lda needs one or more filters per end"));
    const size_t per_end = (size_t)options->csp_filters, size = congru_csp_block_size(trials->d, per_end);
    size_t blocks = congru_csp_blocks(trials->classes);
    if (blocks > CONGRU_CSP_FEATURES_MAX / size)
        return congru_fail(
            context, CONGRU_ERROR_ARGUMENT,
            "csp-lda: %zu classes with %zu filters each are more than %d features (fewer classes, fewer "
            "filters by --csp-filters, or another classifier such as mdm)",
            trials->classes, size, (int)CONGRU_CSP_FEATURES_MAX);
    work_layout(&w, trials, trials->classes, size);
    if (congru_arena_reserve(&w.arena, w.arena.used) != CONGRU_OK)
        return congru_fail_memory(context, "spatial filters of %zu trials", trials->count);
    work_layout(&w, trials, trials->classes, size);
    const congru_view view = congru_trials_view(trials);
    CONGRU_TRY_TO(done, congru_csp_view_filters(context, trials, per_end, w.filters, &blocks));
    congru_classes_note(context, trials, 1, NULL);
    CONGRU_TRY_TO(done, congru_tensors_add_copy(context, model, "csp-lda.filters", 3,
                                                (const size_t[]){blocks, size, trials->d}, w.filters));
    CONGRU_TRY_TO(done, congru_csp_view_features(context, trials->count, trials->d, &view, blocks, size,
                                                 w.filters, w.features));
    CONGRU_TRY_TO(done, congru_linear_add(context, model, self->name, trials->classes, blocks * size, &weights,
                                          &intercept));
    CONGRU_TRY_TO(done, congru_lda_fit(context, trials->count, blocks * size, w.features, trials->label,
                                       trials->classes, weights, intercept));
done:
    return congru_workspace_free(context, &w.arena, status);
}

static congru_status csp_lda_predict(const congru_classifier *self, congru_context *context,
                                     const congru_tensors *model, const congru_target_trials *target,
                                     double *probability)
{
    size_t shape[] = {0, 0, target->d}, bytes;
    const double *filters;
    CONGRU_TRY(congru_tensors_expect(context, model, "csp-lda.filters", 3, shape, &filters));
    if (target->count == 0)
        return CONGRU_OK;
    const size_t features = shape[0] * shape[1];
    if (__builtin_mul_overflow(target->count, features * sizeof(double), &bytes) ||
        congru_arena_reserve(&context->composed, bytes) != CONGRU_OK)
        return congru_fail_memory(context, "%zu feature vectors", target->count);
    double *x = congru_arena_take(&context->composed, target->count * features, sizeof(double));
    CONGRU_TRY(congru_workspace_check(context, &context->composed));
    CONGRU_TRY(congru_csp_features(context, target->count, target->d, target->covariance, shape[0], shape[1],
                                   filters, x));
    return congru_linear_predict(context, model, self->name, target->count, features, x, probability);
}

const congru_classifier congru_classifier_csp_lda = {
    .name = "csp-lda",
    .summary = "discriminant analysis of variances behind spatial filters (--csp-filters)",
    .views = true,
    .linear = true,
    .fit = csp_lda_fit,
    .predict = csp_lda_predict,
};
