/* Logistic regression of features that a trial has by itself: fitting and predicting are the same for all. SPDX-License-Identifier: Apache-2.0 */
#include "classifier/feature_method.h"

#include <stdio.h>
#include <string.h>

#include "base/workspace.h"
#include "classifier/class_table.h"
#include "classifier/linear.h"
#include "classifier/logistic.h"

/* What is had while fitting: rows of features one after another, and what is fitted. */
typedef struct feature_work {
    congru_arena arena;
    double *x;         /* (n, features), where they are not so already */
    double *weights;   /* (models, classes, features) */
    double *intercept; /* (models, classes) */
} feature_work;

static void lay_out(feature_work *w, const congru_trials *trials, size_t models)
{
    const size_t features = trials->features->size, classes = trials->classes;
    w->x = congru_arena_take(&w->arena, trials->features->place == NULL ? 0 : trials->count * features,
                             sizeof(double));
    w->weights = congru_arena_take(&w->arena, models * classes * features, sizeof(double));
    w->intercept = congru_arena_take(&w->arena, models * classes, sizeof(double));
}

/* The trials as logistic regression takes them, their rows where they are, or gathered. */
static congru_status take_work(congru_context *context, const congru_trials *trials, size_t models,
                               feature_work *w, congru_logistic_set *set)
{
    const congru_features *features = trials->features;
    CONGRU_TRY(congru_check_argument(context, features != NULL && features->plain != NULL,
                                     "a classifier of features was given none"));
    lay_out(w, trials, models);
    if (congru_arena_reserve(&w->arena, w->arena.used) != CONGRU_OK)
        return congru_fail_memory(context, "%zu trials with %zu features", trials->count, features->size);
    lay_out(w, trials, models);
    for (size_t i = 0; i < trials->count && features->place != NULL; i++)
        memcpy(w->x + i * features->size, congru_features_at(features, i), features->size * sizeof(double));
    *set = (congru_logistic_set){.n = trials->count,
                                 .features = features->size,
                                 .classes = trials->classes,
                                 .x = features->place != NULL ? w->x : features->plain,
                                 .label = trials->label,
                                 .subject = trials->subject,
                                 .subjects = trials->subjects};
    return congru_workspace_check(context, &w->arena);
}

static congru_status keep_model(congru_context *context, const congru_logistic_set *set, const char *prefix,
                                double c, const double *weights, const double *intercept, congru_tensors *model)
{
    char name[CONGRU_TENSOR_NAME_SIZE];
    double *to_weights, *to_intercept;
    CONGRU_TRY(
        congru_linear_add(context, model, prefix, set->classes, set->features, &to_weights, &to_intercept));
    memcpy(to_weights, weights, set->classes * set->features * sizeof(double));
    memcpy(to_intercept, intercept, set->classes * sizeof(double));
    snprintf(name, sizeof name, "%s.c", prefix);
    return congru_tensors_add_number(context, model, name, c);
}

congru_status congru_feature_folds(const congru_classifier *self, congru_context *context,
                                   const congru_trials *trials, size_t count, const double *c, size_t folds,
                                   const bool *used, double *log_probability, congru_tensors *model)
{
    feature_work w = {0};
    congru_logistic_set set;
    congru_status status;
    CONGRU_TRY_TO(done, take_work(context, trials, model != NULL ? count * folds : 0, &w, &set));
    congru_classes_note(context, trials, folds, used);
    const congru_logistic_folds_options options = {.folds = folds, .used = used, .count = count, .c = c};
    const congru_logistic_folds_results results = {.weights = model != NULL ? w.weights : NULL,
                                                   .intercept = model != NULL ? w.intercept : NULL,
                                                   .log_probability = log_probability};
    CONGRU_TRY_TO(done, congru_logistic_folds(context, set.n, set.features, set.x, set.label, set.classes,
                                              &options, &results));
    for (size_t i = 0; model != NULL && i < count * folds; i++)
        CONGRU_TRY_TO(done, keep_model(context, &set, self->name, c[i / folds],
                                       w.weights + i * set.classes * set.features,
                                       w.intercept + i * set.classes, &model[i]));
done:
    return congru_workspace_free(context, &w.arena, status);
}

congru_status congru_feature_fit(const congru_classifier *self, congru_context *context,
                                 const congru_trials *trials, const congru_method_options *options,
                                 congru_tensors *model, congru_record *record)
{
    (void)record;
    feature_work w = {0};
    congru_logistic_set set;
    congru_logistic_info info;
    congru_status status;
    CONGRU_TRY_TO(done, take_work(context, trials, 1, &w, &set));
    congru_classes_note(context, trials, 1, NULL);
    CONGRU_TRY_TO(done, congru_logistic_train(context, &set, &(congru_logistic_options){.c = options->c}, false,
                                              w.weights, w.intercept, &info));
    CONGRU_TRY_TO(done, keep_model(context, &set, self->name, info.c, w.weights, w.intercept, model));
done:
    return congru_workspace_free(context, &w.arena, status);
}

congru_status congru_feature_predict(const congru_classifier *self, congru_context *context,
                                     const congru_tensors *model, const congru_target_trials *target,
                                     double *probability)
{
    const congru_features *features = target->features;
    CONGRU_TRY(congru_check_argument(context, features != NULL && features->plain != NULL,
                                     "a classifier of features was given none"));
    if (features->place == NULL)
        return congru_linear_predict(context, model, self->name, target->count, features->size, features->plain,
                                     probability);
    char name[CONGRU_TENSOR_NAME_SIZE];
    size_t shape[] = {0, features->size};
    const double *weights;
    snprintf(name, sizeof name, "%s.weights", self->name);
    CONGRU_TRY(congru_tensors_expect(context, model, name, 2, shape, &weights));
    for (size_t i = 0; i < target->count; i++)
        CONGRU_TRY(congru_linear_predict(context, model, self->name, 1, features->size,
                                         congru_features_at(features, i), probability + i * shape[0]));
    return CONGRU_OK;
}
