/* Minimum distance to mean: the class whose mean is nearest. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/workspace.h"
#include "classifier/class_table.h"
#include "classifier/classifier.h"
#include "classifier/linear.h"
#include "spd/view_load.h"

/* Of the tangent norm; the last step then leaves distances right to about 1e-9. */
static const double mean_tolerance = 1e-8;

/* mean (classes, d, d) by the metric, the identity where a class has no trial. */
static congru_status class_means(congru_context *context, const congru_trials *trials, congru_metric metric,
                                 const congru_class_table *table, size_t *place, double *mean, double *present)
{
    const size_t d = trials->d, size = d * d;
    const congru_mean_options options = {.tolerance = mean_tolerance};
    congru_view view = congru_trials_view(trials);
    for (size_t i = 0; i < trials->count; i++)
        place[i] = view.place != NULL ? view.place[table->order[i]] : table->order[i];
    for (size_t k = 0; k < trials->classes; k++, mean += size) {
        present[k] = table->count[k] > 0;
        for (size_t i = 0; i < d; i++)
            mean[i * (d + 1)] = 1.0;
        if (table->count[k] == 0)
            continue;
        view.place = place + table->first[k];
        congru_status status =
            congru_view_mean(context, metric, table->count[k], d, &view, &options, mean, NULL);
        if (status != CONGRU_OK) {
            char reason[sizeof context->error];
            memcpy(reason, context->error, sizeof reason);
            return congru_fail(context, status, "the mean of %s: %.900s",
                               congru_class_named(trials->class_name, k).text, reason);
        }
    }
    return CONGRU_OK;
}

static congru_status mdm_fit(const congru_classifier *self, congru_context *context,
                             const congru_trials *trials, const congru_method_options *options,
                             congru_tensors *model, congru_record *record)
{
    (void)self;
    (void)record;
    congru_class_table table = {0};
    congru_arena arena = {0};
    double *mean, *present;
    const size_t shape[] = {trials->classes, trials->d, trials->d};
    congru_status status;
    CONGRU_TRY(congru_check_shape(context, trials->count, trials->d));
    CONGRU_TRY(congru_check_argument(
        context, options->mdm_metric >= CONGRU_METRIC_RIEMANN && options->mdm_metric <= CONGRU_METRIC_EUCLID,
        "mdm's distance is none of congru_metric"));
    CONGRU_TRY_TO(done,
                  congru_class_table_make(context, trials->count, trials->label, trials->classes, &table));
    congru_classes_note(context, trials, 1, NULL);
    CONGRU_TRY_TO(done, congru_arena_reserve(&arena, trials->count * sizeof(size_t)) == CONGRU_OK
                            ? CONGRU_OK
                            : congru_fail_memory(context, "%zu trials by class", trials->count));
    CONGRU_TRY_TO(done, congru_tensors_add_number(context, model, "mdm.metric", (double)options->mdm_metric));
    CONGRU_TRY_TO(done, congru_tensors_add(context, model, "mdm.mean", 3, shape, &mean));
    CONGRU_TRY_TO(done, congru_tensors_add(context, model, "mdm.present", 1, shape, &present));
    status =
        class_means(context, trials, options->mdm_mean, &table, (size_t *)(void *)arena.base, mean, present);
done:
    status = congru_workspace_free(context, &arena, status);
    congru_class_table_free(&table);
    return status;
}

/* What distances are measured in. Euclidean ones have the unit of the covariances: squares of those of signals in volts would
 * all be 0 beside the 1 of a softmax, so they are relative to the mean trace of the class means. */
static double unit_of(congru_metric metric, size_t classes, size_t d, const double *mean, const double *present)
{
    double trace = 0.0, count = 0.0;
    for (size_t k = 0; k < classes; k++, mean += d * d) {
        count += present[k] != 0.0;
        for (size_t i = 0; i < d && present[k] != 0.0; i++)
            trace += mean[i * (d + 1)];
    }
    return metric == CONGRU_METRIC_EUCLID && trace > 0.0 && isfinite(trace) ? trace / count : 1.0;
}

static congru_status mdm_predict(const congru_classifier *self, congru_context *context,
                                 const congru_tensors *model, const congru_target_trials *target,
                                 double *probability)
{
    (void)self;
    const double *mean, *present;
    double metric;
    size_t shape[] = {0, target->d, target->d};
    congru_status status = congru_tensors_expect(context, model, "mdm.mean", 3, shape, &mean);
    if (status == CONGRU_OK)
        status = congru_tensors_expect(context, model, "mdm.present", 1, shape, &present);
    if (status == CONGRU_OK)
        status = congru_tensors_expect_number(context, model, "mdm.metric", CONGRU_METRIC_RIEMANN,
                                              CONGRU_METRIC_EUCLID, &metric);
    if (status != CONGRU_OK || target->count == 0)
        return status;
    status = congru_spd_distance_pairwise(context, (congru_metric)metric, target->d, target->count,
                                          target->covariance, shape[0], mean, probability);
    const double unit = unit_of((congru_metric)metric, shape[0], target->d, mean, present);
    for (size_t i = 0; i < target->count && status == CONGRU_OK; i++, probability += shape[0]) {
        for (size_t k = 0; k < shape[0]; k++) {
            const double distance = probability[k] / unit;
            probability[k] = present[k] != 0.0 ? -distance * distance : CONGRU_ABSENT_INTERCEPT;
        }
        congru_softmax(shape[0], probability);
    }
    return status;
}

const congru_classifier congru_classifier_mdm = {
    .name = "mdm",
    .summary = "the class whose mean is nearest (--mdm-mean, --mdm-metric)",
    .views = true,
    .fit = mdm_fit,
    .predict = mdm_predict,
};
