/* Answers do not depend on the unit of the signals: every pipeline at scales of covariances from 1e-12 to 1e12. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "classifier/classifier.h"
#include "congru/congru.h"
#include "context_main.h"
#include "harness.h"
#include "set_samples.h"

enum {
    CHANNELS = 4,
    SAMPLES = 448,
    RATE = 100,
    SUBJECTS = 3,
    EACH = 16,
    TRIALS = SUBJECTS * EACH,
    CLASSES = 2
};

/* Of signals; of covariances their squares. */
static const double scales[] = {1e-6, 1e-3, 1e-1, 30, 1e6};
enum { SCALES = sizeof scales / sizeof scales[0] };

static congru_context *context;

/* Classes differ in the power and in a slow wave of a channel, subjects in how channels are mixed. */
static congru_set *make_set(double scale)
{
    double *x = malloc((size_t)TRIALS * CHANNELS * SAMPLES * sizeof *x), own[CHANNELS];
    int32_t label[TRIALS], subject[TRIALS];
    congru_random random = congru_random_stream(3, 1, 4, 1);
    CHECK(x != NULL);
    for (size_t i = 0; i < TRIALS; i++) {
        label[i] = (int32_t)(i % CLASSES);
        subject[i] = (int32_t)(i / EACH);
        for (size_t t = 0; t < SAMPLES; t++) {
            for (size_t c = 0; c < CHANNELS; c++)
                own[c] = (c == (size_t)label[i] ? 2.0 : 1.0) * congru_random_normal(&random) +
                         (c == 2 ? 0.2 * (label[i] - 0.5) : 0.0);
            for (size_t c = 0; c < CHANNELS; c++)
                x[(i * CHANNELS + c) * SAMPLES + t] =
                    scale * (own[c] + 0.2 * (double)subject[i] * own[(c + 1) % CHANNELS]);
        }
    }
    const signals_recipe recipe = {TRIALS, CHANNELS, SAMPLES, CLASSES, SUBJECTS, RATE, 0};
    congru_set *made = signals_set(context, &recipe, x, label, subject);
    congru_preprocessing raw;
    congru_preprocessing_init_raw(&raw);
    CHECK_SAYING(congru_set_estimate(context, made, &raw) == CONGRU_OK, "%s", congru_context_error(context));
    free(x);
    return made;
}

typedef struct tried {
    const char *pipeline;
    congru_metric mean, metric; /* of mdm */
} tried;

/* NULL where the pipeline takes no such set. */
static congru_results *run(const congru_set *set, const tried *which)
{
    congru_evaluation_options options;
    congru_evaluation_options_init(&options);
    options.pipelines = &which->pipeline;
    options.pipeline_count = 1;
    options.method.network.steps = 2;
    options.method.c = 1;
    options.method.mdm_mean = which->mean;
    options.method.mdm_metric = which->metric;
    congru_results *results = NULL;
    CHECK_SAYING(congru_evaluate(context, set, &options, &results) == CONGRU_OK, "%s: %s", which->pipeline,
                 congru_context_error(context));
    return results;
}

static size_t best_of(const double *p)
{
    return p[1] > p[0];
}

static double apart(const congru_fold *one, const congru_fold *other)
{
    double most = 0;
    for (size_t i = 0; i < one->samples; i++) {
        const double *p = one->probability + i * CLASSES, *q = other->probability + i * CLASSES;
        most = fmax(most, best_of(p) != best_of(q) ? 1.0 : fabs(p[0] - q[0]));
    }
    return most;
}

/* The largest difference between probabilities at scale 1 and at another; 1 where a decision is another. */
static double feels(const tried *which)
{
    congru_set *set = make_set(1);
    congru_results *results = run(set, which);
    double most = 0;
    for (size_t k = 0; results != NULL && k < SCALES; k++) {
        congru_set *scaled = make_set(scales[k]);
        congru_results *others = run(scaled, which);
        CHECK(others != NULL && others->folds == results->folds);
        for (size_t f = 0; others != NULL && f < results->folds; f++)
            most = fmax(most, apart(&results->fold[f], &others->fold[f]));
        congru_results_destroy(&others);
        congru_set_destroy(&scaled);
    }
    congru_results_destroy(&results);
    congru_set_destroy(&set);
    return most;
}

/* Sums of networks on signals are of single precision. */
static const double tolerance = 1e-3;

TEST(pipelines_of_covariances_decide_alike)
{
    char name[CONGRU_PIPELINE_SIZE];
    for (size_t i = 0; congru_pipeline_at(i, false, name); i++) {
        const tried own = {name, CONGRU_METRIC_RIEMANN, CONGRU_METRIC_RIEMANN};
        const double most = feels(&own);
        CHECK_SAYING(most < tolerance, "%s: %g", name, most);
    }
}

TEST(every_metric_of_mdm_decides_alike)
{
    for (int mean = CONGRU_METRIC_RIEMANN; mean <= CONGRU_METRIC_EUCLID; mean++)
        for (int metric = CONGRU_METRIC_RIEMANN; metric <= CONGRU_METRIC_EUCLID; metric++) {
            const tried own = {"none+mdm", (congru_metric)mean, (congru_metric)metric};
            const double most = feels(&own);
            CHECK_SAYING(most < tolerance, "mean %d, distance %d: %g", mean, metric, most);
        }
}

/* Whether the help of the classifier says that the unit of signals is felt. */
static bool says_so(const char *classifier)
{
    return strstr(congru_classifier_find(classifier)->summary, "unit") != NULL;
}

TEST(what_decides_about_signals_decides_alike_or_says_that_it_does_not)
{
    static const char *const aligners[] = {"none+", "ea+", ""};
    char text[256], name[CONGRU_PIPELINE_SIZE];
    size_t defined = 0;
    for (size_t i = 0; congru_classifier_at(i) != NULL; i++) {
        const congru_classifier *classifier = congru_classifier_at(i);
        for (size_t a = 0; classifier->needs == CONGRU_NEEDS_SIGNALS && a < 3; a++) {
            snprintf(name, sizeof name, "own%zu", defined);
            snprintf(text, sizeof text, "pipeline = %s\nbranch = a\nmethod = %s%s\n", name, aligners[a],
                     classifier->name);
            if (congru_pipeline_define(context, "test", text) != CONGRU_OK)
                continue; /* it has no aligner, or one of its own */
            const tried own = {name, CONGRU_METRIC_RIEMANN, CONGRU_METRIC_RIEMANN};
            const double most = feels(&own);
            const bool excused = a == 0 && says_so(classifier->name);
            CHECK_SAYING((most < tolerance) != excused, "%s%s: %g", aligners[a], classifier->name, most);
            defined++;
        }
    }
    CHECK(defined >= 10);
}

int main(void)
{
    return context_main(&context, &(congru_context_options){.threads = 1});
}
