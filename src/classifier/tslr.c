/* Tangent space logistic regression. SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "base/workspace.h"
#include "classifier/classifier.h"
#include "classifier/linear.h"
#include "classifier/tangent_features.h"

static congru_status tslr_fit(const congru_classifier *self, congru_context *context,
                              const congru_trials *trials, const congru_method_options *options,
                              congru_tensors *model, congru_record *record)
{
    (void)record;
    const size_t features = congru_spd_tangent_size(trials->d);
    const congru_logistic_options logistic = {
        .c = options->c, .subject = trials->subject, .subjects = trials->subjects};
    congru_logistic_info info;
    char name[CONGRU_TENSOR_NAME_SIZE];
    congru_arena arena = {0};
    double *vectors, *weights, *intercept;
    congru_status status =
        congru_tangent_sources(context, trials, options->tangent_mean, model, self->name, &arena, &vectors);
    if (status == CONGRU_OK)
        status = congru_linear_add(context, model, self->name, trials->classes, features, &weights, &intercept);
    if (status == CONGRU_OK)
        status = congru_logistic_fit(context, trials->count, features, vectors, trials->label, trials->classes,
                                     &logistic, weights, intercept, &info);
    snprintf(name, sizeof name, "%s.c", self->name);
    if (status == CONGRU_OK)
        status = congru_tensors_add_number(context, model, name, info.c);
    return congru_workspace_free(context, &arena, status);
}

const congru_classifier congru_classifier_tslr = {
    .name = "tslr",
    .summary = "logistic regression of tangent vectors (--C, --tangent-mean)",
    .views = true,
    .linear = true,
    .fit = tslr_fit,
    .predict = congru_tangent_predict,
};
