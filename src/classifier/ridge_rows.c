/* Fits and asks ridges of features. SPDX-License-Identifier: Apache-2.0 */
#include "classifier/ridge_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/bank.h"
#include "base/error.h"
#include "classifier/linear.h"
#include "congru/classifier.h"

static const double c_alone = 0.01;

static congru_status fail_memory(congru_context *context, size_t features)
{
    return congru_fail(context, CONGRU_ERROR_MEMORY, "no memory for a ridge of %zu features", features);
}

/* The rows next to each other: where they are, or in *own, which the caller gives back; NULL when there is no memory. */
static const double *gather(const congru_features *features, size_t count, double **own)
{
    *own = NULL;
    if (features->place == NULL)
        return features->plain;
    *own = congru_memory_take((count * features->size + 1) * sizeof **own);
    for (size_t i = 0; *own != NULL && i < count; i++)
        memcpy(*own + i * features->size, congru_features_at(features, i), features->size * sizeof **own);
    return *own;
}

/* weights (models, classes, features) and intercept (models, classes) as tensors of each model. */
static congru_status add_models(congru_context *context, const char *prefix, size_t models, size_t classes,
                                size_t features, const double *weights, const double *intercept,
                                congru_tensors *model)
{
    congru_status status = CONGRU_OK;
    for (size_t i = 0; status == CONGRU_OK && i < models; i++) {
        double *w, *b;
        status = congru_linear_add(context, &model[i], prefix, classes, features, &w, &b);
        if (status != CONGRU_OK)
            return status;
        memcpy(w, weights + i * classes * features, classes * features * sizeof *w);
        memcpy(b, intercept + i * classes, classes * sizeof *b);
    }
    return status;
}

congru_status congru_ridge_rows_folds(congru_context *context, const char *prefix, const congru_trials *trials,
                                      size_t count, const double *c, size_t folds, const bool *used,
                                      double *log_probability, congru_tensors *model)
{
    const size_t size = trials->features->size, models = model != NULL ? count * folds : 0;
    double *own, *weights = congru_memory_take((models * trials->classes * size + 1) * sizeof *weights),
                 *intercept = malloc((models * trials->classes + 1) * sizeof *intercept);
    const double *x = gather(trials->features, trials->count, &own);
    const congru_ridge_options options = {.folds = folds, .used = used, .count = count, .c = c};
    const congru_ridge_results results = {.weights = model != NULL ? weights : NULL,
                                          .intercept = model != NULL ? intercept : NULL,
                                          .log_probability = log_probability};
    congru_status status =
        x != NULL && weights != NULL && intercept != NULL ? CONGRU_OK : fail_memory(context, size);
    if (status == CONGRU_OK)
        status = congru_ridge_folds(context, trials->count, size, x, trials->label, trials->classes, &options,
                                    &results);
    if (status == CONGRU_OK)
        status = add_models(context, prefix, models, trials->classes, size, weights, intercept, model);
    congru_memory_give(own);
    congru_memory_give(weights);
    free(intercept);
    return status;
}

congru_status congru_ridge_rows_fit(congru_context *context, const char *prefix, const congru_trials *trials,
                                    const congru_method_options *options, congru_tensors *model)
{
    const double c = options->c > 0 ? options->c : c_alone;
    bool *used = malloc(trials->count * sizeof *used);
    if (used == NULL || trials->features == NULL) {
        free(used);
        return fail_memory(context, 0);
    }
    for (size_t i = 0; i < trials->count; i++)
        used[i] = true;
    congru_status status = congru_ridge_rows_folds(context, prefix, trials, 1, &c, 1, used, NULL, model);
    free(used);
    return status;
}

congru_status congru_ridge_rows_predict(congru_context *context, const char *prefix,
                                        const congru_tensors *model, const congru_newcomer *newcomer,
                                        double *probability)
{
    double *own;
    const double *x = gather(newcomer->features, newcomer->count, &own);
    congru_status status = x != NULL ? congru_linear_predict(context, model, prefix, newcomer->count,
                                                             newcomer->features->size, x, probability)
                                     : fail_memory(context, newcomer->features->size);
    congru_memory_give(own);
    return status;
}
