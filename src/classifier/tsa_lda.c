/* Discriminant analysis of tangent vectors. SPDX-License-Identifier: Apache-2.0 */
#include "base/workspace.h"
#include "classifier/classifier.h"
#include "classifier/linear.h"
#include "classifier/tangent_features.h"

static congru_status tsa_lda_fit(const congru_classifier *self, congru_context *context,
                                 const congru_trials *trials, const congru_method_options *options,
                                 congru_tensors *model, congru_record *record)
{
    (void)record;
    const size_t features = congru_spd_tangent_size(trials->d);
    congru_arena arena = {0};
    double *vectors, *weights, *intercept;
    congru_status status =
        congru_tangent_sources(context, trials, options->tangent_mean, model, self->name, &arena, &vectors);
    if (status == CONGRU_OK)
        status = congru_linear_add(context, model, self->name, trials->classes, features, &weights, &intercept);
    if (status == CONGRU_OK)
        status = congru_lda_fit(context, trials->count, features, vectors, trials->label, trials->classes,
                                weights, intercept);
    return congru_workspace_free(context, &arena, status);
}

const congru_classifier congru_classifier_tsa_lda = {
    .name = "tsa-lda",
    .summary = "discriminant analysis of tangent vectors, covariance shrunk (--tangent-mean)",
    .views = true,
    .linear = true,
    .fit = tsa_lda_fit,
    .predict = congru_tangent_predict,
};
