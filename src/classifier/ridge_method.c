/* Methods that are a ridge on features of their own: fitting and predicting are the same for all. SPDX-License-Identifier: Apache-2.0 */
#include "classifier/ridge_method.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/workspace.h"
#include "classifier/class_table.h"
#include "classifier/linear.h"
#include "congru/classifier.h"

/* Ascending, so that of equals the smaller is found first. */
static const double grid[] = {1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 0.1, 0.3, 1.0};
enum { GRID = sizeof grid / sizeof grid[0] };

/* What is had while fitting: rows of features one after another, and what the ridge gives. */
typedef struct ridge_work {
    double *x;         /* (n, features), where they are not so already */
    double *weights;   /* (count, folds, classes, features) */
    double *intercept; /* (count, folds, classes) */
    bool *used;        /* (folds, n) */
    double *logarithm; /* (count, n, classes) */
} ridge_work;

typedef struct ridge_shape {
    size_t rows, models, masks, choices; /* how many of each are needed, 0 for none */
} ridge_shape;

static void lay_out(congru_arena *arena, const congru_trials *trials, ridge_shape shape, ridge_work *w)
{
    const size_t features = trials->features->size, classes = trials->classes, n = trials->count;
    w->x = congru_arena_take(arena, shape.rows * features, sizeof(double));
    w->weights = congru_arena_take(arena, shape.models * classes * features, sizeof(double));
    w->intercept = congru_arena_take(arena, shape.models * classes, sizeof(double));
    w->used = congru_arena_take(arena, shape.masks * n, sizeof(bool));
    w->logarithm = congru_arena_take(arena, shape.choices * n * classes, sizeof(double));
}

static congru_status take_work(congru_context *context, const congru_trials *trials, ridge_shape shape,
                               congru_arena *arena, ridge_work *w)
{
    congru_arena measure = {0};
    lay_out(&measure, trials, shape, w);
    if (congru_arena_reserve(arena, measure.used) != CONGRU_OK)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "no memory for a ridge of %zu trials and %zu features",
                           trials->count, trials->features->size);
    lay_out(arena, trials, shape, w);
    return congru_workspace_check(context, arena);
}

/* The rows one after another: where they are, or gathered. */
static const double *rows_of(const congru_trials *trials, double *gathered)
{
    const congru_features *features = trials->features;
    if (features->place == NULL)
        return features->plain;
    for (size_t i = 0; i < trials->count; i++)
        memcpy(gathered + i * features->size, congru_features_at(features, i), features->size * sizeof(double));
    return gathered;
}

static size_t rows_to_gather(const congru_trials *trials)
{
    return trials->features->place == NULL ? 0 : trials->count;
}

static congru_status check_trials(congru_context *context, const congru_trials *trials)
{
    return trials->features != NULL && trials->features->plain != NULL
               ? CONGRU_OK
               : congru_fail(context, CONGRU_ERROR_ARGUMENT, "a ridge needs features: none were given");
}

static congru_status keep_model(congru_context *context, const congru_trials *trials, const char *prefix,
                                double c, const double *weights, const double *intercept, congru_tensors *model)
{
    const size_t classes = trials->classes, features = trials->features->size;
    char name[CONGRU_TENSOR_NAME_SIZE];
    double *to_weights, *to_intercept;
    congru_status status =
        congru_linear_add(context, model, prefix, classes, features, &to_weights, &to_intercept);
    if (status != CONGRU_OK)
        return status;
    memcpy(to_weights, weights, classes * features * sizeof(double));
    memcpy(to_intercept, intercept, classes * sizeof(double));
    snprintf(name, sizeof name, "%s.c", prefix);
    return congru_tensors_add_number(context, model, name, c);
}

congru_status congru_ridge_method_folds(const congru_classifier *self, congru_context *context,
                                        const congru_trials *trials, size_t count, const double *c,
                                        size_t folds, const bool *used, double *log_probability,
                                        congru_tensors *model)
{
    congru_arena arena = {0};
    ridge_work w;
    congru_status status = check_trials(context, trials);
    const ridge_shape shape = {.rows = status == CONGRU_OK ? rows_to_gather(trials) : 0,
                               .models = model != NULL ? count * folds : 0};
    if (status == CONGRU_OK)
        status = take_work(context, trials, shape, &arena, &w);
    if (status != CONGRU_OK)
        return status;
    congru_classes_note(context, trials, folds, used);
    const congru_ridge_options options = {.folds = folds, .used = used, .count = count, .c = c};
    const congru_ridge_results results = {.weights = model != NULL ? w.weights : NULL,
                                          .intercept = model != NULL ? w.intercept : NULL,
                                          .log_probability = log_probability};
    const size_t features = trials->features->size, classes = trials->classes;
    status = congru_ridge_folds(context, trials->count, features, rows_of(trials, w.x), trials->label, classes,
                                &options, &results);
    for (size_t i = 0; model != NULL && i < count * folds && status == CONGRU_OK; i++)
        status = keep_model(context, trials, self->name, c[i / folds], w.weights + i * classes * features,
                            w.intercept + i * classes, &model[i]);
    return congru_workspace_free(context, &arena, status);
}

/* ---- The choice of C ----------------------------------------------------------------------------------- */

/* used (subjects, n), one fold for each subject that can be left out: how many. */
static size_t mask_subjects(const congru_trials *trials, bool *used)
{
    size_t folds = 0;
    for (size_t s = 0; s < trials->subjects; s++) {
        bool *own = used + folds * trials->count, any = false, fine = true;
        for (size_t i = 0; i < trials->count; i++) {
            own[i] = (size_t)trials->subject[i] != s;
            any = any || !own[i];
        }
        for (size_t k = 0; k < trials->classes && fine; k++) {
            bool all = false, left = false;
            for (size_t i = 0; i < trials->count; i++)
                if ((size_t)trials->label[i] == k) {
                    all = true;
                    left = left || own[i];
                }
            fine = !all || left;
        }
        folds += any && fine;
    }
    return folds;
}

/* The mean over folds of the share of trials left out that are right; `loss`, the mean of their cross-entropies. */
static double judge(const congru_trials *trials, size_t folds, const bool *used, const double **logarithm,
                    double *loss)
{
    double accuracy = 0.0;
    *loss = 0.0;
    for (size_t f = 0; f < folds; f++) {
        size_t right = 0, count = 0;
        double sum = 0.0;
        for (size_t i = 0; i < trials->count; i++) {
            size_t best = 0;
            if (used[f * trials->count + i])
                continue;
            for (size_t k = 1; k < trials->classes; k++)
                best = (*logarithm)[k] > (*logarithm)[best] ? k : best;
            right += best == (size_t)trials->label[i];
            sum -= (*logarithm)[trials->label[i]];
            *logarithm += trials->classes;
            count++;
        }
        accuracy += (double)right / (double)count;
        *loss += sum / (double)count;
    }
    return accuracy;
}

static congru_status choose(const congru_classifier *self, congru_context *context, const congru_trials *trials,
                            double *c)
{
    congru_arena arena = {0};
    ridge_work w;
    const ridge_shape shape = {.masks = trials->subjects, .choices = GRID};
    congru_status status = take_work(context, trials, shape, &arena, &w);
    if (status != CONGRU_OK)
        return status;
    const size_t folds = mask_subjects(trials, w.used);
    if (folds == 0) {
        *c = 1.0;
        congru_note(context,
                    "C cannot be chosen by leaving out subjects, for a class would have no trial: it is %g",
                    *c);
        return congru_workspace_free(context, &arena, status);
    }
    status = congru_ridge_method_folds(self, context, trials, GRID, grid, folds, w.used, w.logarithm, NULL);
    const double *logarithm = w.logarithm;
    double best = -1.0, best_loss = 0.0;
    for (size_t g = 0; g < GRID && status == CONGRU_OK; g++) {
        double loss, accuracy = judge(trials, folds, w.used, &logarithm, &loss);
        if (accuracy > best || (accuracy == best && loss < best_loss)) {
            best = accuracy;
            best_loss = loss;
            *c = grid[g];
        }
    }
    return congru_workspace_free(context, &arena, status);
}

congru_status congru_ridge_method_fit(const congru_classifier *self, congru_context *context,
                                      const congru_trials *trials, const congru_method_options *options,
                                      congru_tensors *model, congru_record *record)
{
    (void)record;
    congru_arena arena = {0};
    ridge_work w;
    double c = options->c;
    congru_status status = check_trials(context, trials);
    if (status == CONGRU_OK && c == 0 && (trials->subject == NULL || trials->subjects == 0))
        status = congru_fail(context, CONGRU_ERROR_ARGUMENT,
                             "C is to be chosen by leaving out subjects, and no subjects were given");
    if (status == CONGRU_OK && c == 0)
        status = choose(self, context, trials, &c);
    if (status == CONGRU_OK)
        status = take_work(context, trials, (ridge_shape){.masks = 1}, &arena, &w);
    if (status != CONGRU_OK)
        return status;
    memset(w.used, 1, trials->count * sizeof(bool));
    status = congru_ridge_method_folds(self, context, trials, 1, &c, 1, w.used, NULL, model);
    return congru_workspace_free(context, &arena, status);
}

congru_status congru_ridge_method_predict(const congru_classifier *self, congru_context *context,
                                          const congru_tensors *model, const congru_target_trials *target,
                                          double *probability)
{
    const congru_features *features = target->features;
    if (features == NULL || features->plain == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "a ridge needs features: none were given");
    if (features->place == NULL)
        return congru_linear_predict(context, model, self->name, target->count, features->size, features->plain,
                                     probability);
    char name[CONGRU_TENSOR_NAME_SIZE];
    size_t shape[] = {0, features->size};
    const double *weights;
    snprintf(name, sizeof name, "%s.weights", self->name);
    congru_status status = congru_tensors_expect(context, model, name, 2, shape, &weights);
    for (size_t i = 0; i < target->count && status == CONGRU_OK; i++)
        status = congru_linear_predict(context, model, self->name, 1, features->size,
                                       congru_features_at(features, i), probability + i * shape[0]);
    return status;
}
