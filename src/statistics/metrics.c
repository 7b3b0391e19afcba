/* Metrics of predictions beside their truth. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "congru/statistics.h"

static const congru_score_about abouts[CONGRU_SCORE_KINDS] = {
    [CONGRU_SCORE_ACCURACY] = {"accuracy", "accuracy %", "The share of trials that are predicted right.", 100,
                               2},
    [CONGRU_SCORE_KAPPA] = {"kappa", "kappa",
                            "Cohen's kappa: accuracy above that of the same predictions by chance.", 1, 3},
    [CONGRU_SCORE_BALANCED] = {"balanced", "balanced %", "Balanced accuracy: the mean of the classes' recalls.",
                               100, 2},
    [CONGRU_SCORE_AUC] =
        {"auc", "AUC", "Area under the ROC curve; of more than two classes the mean of each against the rest.",
         1, 3},
    [CONGRU_SCORE_PRECISION] = {"precision", "precision",
                                "The mean over classes of the share of its predictions that are right.", 1, 3},
    [CONGRU_SCORE_RECALL] = {"recall", "recall",
                             "The mean over classes of the share of its trials that are found.", 1, 3},
    [CONGRU_SCORE_F1] = {"f1", "F1", "The mean over classes of the harmonic mean of precision and recall.", 1,
                         3},
    [CONGRU_SCORE_BITS] = {"itr", "bits/trial", "Information transfer rate by Wolpaw's formula.", 1, 3},
    [CONGRU_SCORE_CHANCE] = {"chance", "chance %",
                             "The accuracy that guessing stays at or below in 95 of 100 runs (binomial).", 100,
                             2},
    [CONGRU_SCORE_ABOVE] = {"above", "above %", "The share of subjects above that accuracy.", 100, 0},
    [CONGRU_SCORE_TRIALS] = {"trials", "trials", "Trials that are scored, by subject.", 1, 0},
    [CONGRU_SCORE_SECONDS] = {"seconds", "s/subject", "Seconds of fitting and predicting, by subject.", 1, 3},
};

const congru_score_about *congru_score_describe(size_t metric)
{
    return metric < CONGRU_SCORE_KINDS ? &abouts[metric] : NULL;
}

/* ---- Area under the ROC curve ---- */

typedef struct ranked_score {
    double score;
    bool positive;
} ranked_score;

static int by_score(const void *first, const void *second)
{
    double a = ((const ranked_score *)first)->score, b = ((const ranked_score *)second)->score;
    return (a > b) - (a < b);
}

/* From the ranks of positive scores, equal ones sharing their mean rank: the sums are exact. */
static double area(size_t n, ranked_score *ranked)
{
    double ranks = 0, positives = 0;
    qsort(ranked, n, sizeof *ranked, by_score);
    for (size_t first = 0, end; first < n; first = end) {
        size_t among = 0;
        for (end = first; end < n && ranked[end].score == ranked[first].score; end++)
            among += ranked[end].positive;
        positives += (double)among;
        ranks += (double)among * ((double)(first + 1 + end) / 2);
    }
    double negatives = (double)n - positives;
    return positives > 0 && negatives > 0 ? (ranks - positives * (positives + 1) / 2) / (positives * negatives)
                                          : NAN;
}

congru_status congru_roc_auc(congru_context *context, size_t n, const bool *positive, const double *score,
                             double *auc)
{
    if (n == 0 || positive == NULL || score == NULL || auc == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "congru_roc_auc: at least one trial is needed, and no argument may be NULL");
    if (congru_too_many(n, 1))
        return congru_check_count(context, n, 1);
    ranked_score *ranked = malloc(n * sizeof *ranked);
    if (ranked == NULL)
        return congru_fail_memory(context, "%zu scores", n);
    congru_status status = CONGRU_OK;
    for (size_t i = 0; status == CONGRU_OK && i < n; i++) {
        ranked[i] = (ranked_score){score[i], positive[i]};
        if (isnan(score[i]))
            status =
                congru_fail(context, CONGRU_ERROR_NOT_FINITE, "congru_roc_auc: score %zu of %zu is NaN", i, n);
    }
    if (status == CONGRU_OK)
        *auc = area(n, ranked);
    free(ranked);
    return status;
}

/* ---- All of them ---- */

static double share(size_t part, size_t whole)
{
    return whole > 0 ? (double)part / (double)whole : 0.0;
}

static congru_status count_classes(congru_context *context, size_t n, size_t classes, const int32_t *truth,
                                   const int32_t *prediction, congru_class_metrics *of)
{
    for (size_t k = 0; k < classes; k++)
        of[k] = (congru_class_metrics){.auc = NAN};
    for (size_t i = 0; i < n; i++) {
        if (truth[i] < 0 || (size_t)truth[i] >= classes || prediction[i] < 0 ||
            (size_t)prediction[i] >= classes)
            return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                               "trial %zu of %zu: class %d or %d is not below %zu", i, n, (int)truth[i],
                               (int)prediction[i], classes);
        of[truth[i]].trials++;
        of[prediction[i]].predicted++;
        of[truth[i]].right += truth[i] == prediction[i];
    }
    for (size_t k = 0; k < classes; k++) {
        of[k].precision = share(of[k].right, of[k].predicted);
        of[k].recall = share(of[k].right, of[k].trials);
        of[k].f1 = share(2 * of[k].right, of[k].trials + of[k].predicted);
    }
    return CONGRU_OK;
}

static congru_status measure_areas(congru_context *context, size_t n, size_t classes, const int32_t *truth,
                                   const double *probability, congru_class_metrics *of)
{
    ranked_score *ranked = malloc(n * sizeof *ranked);
    if (ranked == NULL)
        return congru_fail_memory(context, "%zu scores", n);
    congru_status status = CONGRU_OK;
    for (size_t k = 0; status == CONGRU_OK && k < classes; k++) {
        for (size_t i = 0; status == CONGRU_OK && i < n; i++) {
            ranked[i] = (ranked_score){probability[i * classes + k], truth[i] == (int32_t)k};
            if (isnan(ranked[i].score))
                status = congru_fail(context, CONGRU_ERROR_NOT_FINITE,
                                     "the probability of class %zu in trial %zu of %zu is NaN", k, i, n);
        }
        if (status == CONGRU_OK)
            of[k].auc = area(n, ranked);
    }
    free(ranked);
    return status;
}

/* Means over classes. Those that occur neither among truth nor among predictions are none. */
static void average_classes(size_t classes, const congru_class_metrics *of, double *value)
{
    double present = 0, occurring = 0, areas = 0, recall = 0, sum[4] = {0};
    for (size_t k = 0; k < classes; k++) {
        if (of[k].trials > 0) {
            recall += of[k].recall;
            present++;
        }
        if (!isnan(of[k].auc)) {
            sum[3] += of[k].auc;
            areas++;
        }
        if (of[k].trials + of[k].predicted == 0)
            continue;
        sum[0] += of[k].precision;
        sum[1] += of[k].recall;
        sum[2] += of[k].f1;
        occurring++;
    }
    value[CONGRU_SCORE_BALANCED] = recall / present;
    value[CONGRU_SCORE_PRECISION] = sum[0] / occurring;
    value[CONGRU_SCORE_RECALL] = sum[1] / occurring;
    value[CONGRU_SCORE_F1] = sum[2] / occurring;
    value[CONGRU_SCORE_AUC] = classes == 2 ? of[1].auc : areas > 0 ? sum[3] / areas : NAN;
}

static void fill_in(size_t n, size_t classes, const congru_class_metrics *of, double *value)
{
    double samples = (double)n, right = 0, chance = 0;
    for (size_t k = 0; k < classes; k++) {
        right += (double)of[k].right;
        chance += (double)of[k].trials * (double)of[k].predicted;
    }
    chance /= samples * samples;
    double accuracy = right / samples;
    value[CONGRU_SCORE_ACCURACY] = accuracy;
    value[CONGRU_SCORE_KAPPA] = chance < 1 ? (accuracy - chance) / (1 - chance) : 0;
    average_classes(classes, of, value);
    value[CONGRU_SCORE_BITS] = congru_transfer_bits(accuracy, classes);
    value[CONGRU_SCORE_CHANCE] = congru_chance_level(n, classes, 0.95);
    value[CONGRU_SCORE_ABOVE] = accuracy > value[CONGRU_SCORE_CHANCE];
    value[CONGRU_SCORE_TRIALS] = samples;
    value[CONGRU_SCORE_SECONDS] = NAN;
}

congru_status congru_metrics_measure(congru_context *context, size_t n, size_t classes, const int32_t *truth,
                                     const int32_t *prediction, const double *probability,
                                     double value[CONGRU_SCORE_KINDS], congru_class_metrics *by_class)
{
    if (n == 0 || classes == 0 || truth == NULL || prediction == NULL || value == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "congru_metrics_measure: at least one trial and class are needed, not NULL");
    if (congru_too_many(n, classes))
        return congru_check_count(context, n, classes);
    congru_class_metrics *of = calloc(classes, sizeof *of);
    if (of == NULL)
        return congru_fail_memory(context, "%zu classes", classes);
    congru_status status = count_classes(context, n, classes, truth, prediction, of);
    if (status == CONGRU_OK && probability != NULL)
        status = measure_areas(context, n, classes, truth, probability, of);
    if (status == CONGRU_OK)
        fill_in(n, classes, of, value);
    for (size_t k = 0; status == CONGRU_OK && by_class != NULL && k < classes; k++)
        by_class[k] = of[k];
    free(of);
    return status;
}
