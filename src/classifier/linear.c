/* Linear classifiers: scores, and probabilities by softmax. SPDX-License-Identifier: Apache-2.0 */
#include "classifier/linear.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "base/mapped_memory.h"
#include "base/scalar_math.h"
#include "spd/batch.h"

enum { PASSED = 4096 }; /* features looked at between two calls of mapped memory */

void congru_softmax(size_t classes, double *score)
{
    double largest = score[0], sum = 0.0;
    for (size_t k = 1; k < classes; k++)
        largest = score[k] > largest ? score[k] : largest;
    for (size_t k = 0; k < classes; k++)
        sum += score[k] = congru_scalar_exp(score[k] - largest);
    for (size_t k = 0; k < classes; k++)
        score[k] /= sum;
}

void congru_linear_score(size_t features, const double *x, size_t classes, const double *weights,
                         const double *intercept, double *score)
{
    for (size_t k = 0; k < classes; k++) {
        const double *w = weights + k * features;
        double sum[4] = {0.0}; /* four chains, or each addition would wait for the one before */
        size_t j = 0;
        for (; j + 4 <= features; j += 4)
            for (size_t c = 0; c < 4; c++)
                sum[c] += w[j + c] * x[j + c];
        for (; j < features; j++)
            sum[0] += w[j] * x[j];
        score[k] = intercept[k] + ((sum[0] + sum[1]) + (sum[2] + sum[3]));
    }
}

congru_status congru_linear_probability(congru_context *context, size_t n, size_t features, const double *x,
                                        size_t classes, const double *weights, const double *intercept,
                                        double *probability)
{
    CONGRU_TRY(congru_check_argument(
        context, x != NULL && weights != NULL && intercept != NULL && probability != NULL && classes > 0,
        "no features, no weights, no classes or no output was given"));
    CONGRU_TRY(congru_check_count(context, n, features));
    CONGRU_TRY(congru_check_count(context, n, classes));
    CONGRU_TRY(congru_check_count(context, classes, features));
    for (size_t i = 0; i < n; i++) {
        double *own = probability + i * classes;
        congru_mapped_pass(features * sizeof(double));
        congru_linear_score(features, x + i * features, classes, weights, intercept, own);
        for (size_t k = 0; k < classes; k++)
            if (!isfinite(own[k]))
                return congru_fail(context, CONGRU_ERROR_NOT_FINITE,
                                   "trial %zu of %zu: the score of class %zu is not a finite number", i + 1, n,
                                   k);
        congru_softmax(classes, own);
    }
    return CONGRU_OK;
}

congru_status congru_check_features(congru_context *context, size_t n, size_t features, const double *x)
{
    CONGRU_TRY(congru_check_argument(context, x != NULL && n > 0 && features > 0,
                                     "there are no trials or no features"));
    CONGRU_TRY(congru_check_count(context, n, features));
    const size_t count = n * features;
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(x[i]))
            return congru_fail(context, CONGRU_ERROR_NOT_FINITE,
                               "feature %zu of trial %zu is not a finite number", i % features + 1,
                               i / features + 1);
        if (i % PASSED == PASSED - 1)
            congru_mapped_pass(PASSED * sizeof(double));
    }
    return CONGRU_OK;
}

congru_status congru_linear_add(congru_context *context, congru_tensors *model, const char *prefix,
                                size_t classes, size_t features, double **weights, double **intercept)
{
    char name[CONGRU_TENSOR_NAME_SIZE];
    const size_t shape[] = {classes, features};
    snprintf(name, sizeof name, "%s.weights", prefix);
    CONGRU_TRY(congru_tensors_add(context, model, name, 2, shape, weights));
    snprintf(name, sizeof name, "%s.intercept", prefix);
    return congru_tensors_add(context, model, name, 1, shape, intercept);
}

congru_status congru_linear_predict(congru_context *context, const congru_tensors *model, const char *prefix,
                                    size_t n, size_t features, const double *x, double *probability)
{
    char name[CONGRU_TENSOR_NAME_SIZE];
    size_t shape[] = {0, features};
    const double *weights, *intercept;
    snprintf(name, sizeof name, "%s.weights", prefix);
    CONGRU_TRY(congru_tensors_expect(context, model, name, 2, shape, &weights));
    snprintf(name, sizeof name, "%s.intercept", prefix);
    CONGRU_TRY(congru_tensors_expect(context, model, name, 1, shape, &intercept));
    return congru_linear_probability(context, n, features, x, shape[0], weights, intercept, probability);
}
