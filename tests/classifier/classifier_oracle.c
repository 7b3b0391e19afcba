/* Classifiers against pyRiemann, scikit-learn and scipy, from stored values. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "classifier/tangent_features.h"
#include "classifier_samples.h"
#include "congru/classifier.h"
#include "harness.h"
#include "spd_samples.h"

enum { VALUES_MAX = 4096, CASES = 5 };

static congru_context *context;
static trial_set training, test;
static double expected[VALUES_MAX], actual[VALUES_MAX];
static char title[64];

/* ---- One stored line, by what it is of ------------------------------------------------------------- */

static size_t most_likely(size_t classes, const double *p)
{
    size_t best = 0;
    for (size_t k = 1; k < classes; k++)
        best = p[k] > p[best] ? k : best;
    return best;
}

static void check_probabilities(const char *name, const char *classifier, const congru_method_options *options)
{
    const size_t classes = training.trials.classes, n = test.trials.count;
    spd_expect(context, fit_and_predict(context, classifier, options, &training, &test, actual), CONGRU_OK,
               __FILE__, __LINE__);
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t k = 0; k < classes; k++) {
            CHECK_SAYING(fabs(actual[i * classes + k] - expected[i * classes + k]) <= 1e-5,
                         "%s, %s: trial %zu, class %zu is %.12g, expected %.12g", title, name, i, k,
                         actual[i * classes + k], expected[i * classes + k]);
            sum += actual[i * classes + k];
        }
        CHECK_NEAR(sum, 1.0, 1e-12);
        CHECK(most_likely(classes, actual + i * classes) == most_likely(classes, expected + i * classes));
    }
}

static void check_close(const char *name, size_t count, double tolerance)
{
    for (size_t i = 0; i < count; i++)
        CHECK_SAYING(fabs(actual[i] - expected[i]) <= tolerance, "%s, %s: number %zu is %.15g, expected %.15g",
                     title, name, i, actual[i], expected[i]);
}

static void check_tangent(size_t count)
{
    const size_t d = training.trials.d, n = training.trials.count, size = congru_spd_tangent_size(d);
    double *reference = sample_alloc(d * d), *vectors = sample_alloc(n * size);
    spd_expect(context,
               congru_tangent_features(context, CONGRU_METRIC_RIEMANN, n, d,
                                       &(congru_view){.plain = training.covariance}, reference, vectors),
               CONGRU_OK, __FILE__, __LINE__);
    spd_expect(context, congru_spd_tangent(context, test.trials.count, d, reference, test.covariance, actual),
               CONGRU_OK, __FILE__, __LINE__);
    CHECK(count == test.trials.count * size);
    check_close("tangent", count, 1e-7);
    free(reference);
    free(vectors);
}

static void check_csp(size_t count)
{
    const size_t d = training.trials.d, classes = training.trials.classes;
    size_t blocks;
    spd_expect(context,
               congru_csp_filters(context, training.trials.count, d, training.covariance, training.label,
                                  classes, 2, actual, &blocks),
               CONGRU_OK, __FILE__, __LINE__);
    CHECK(blocks == congru_csp_blocks(classes));
    CHECK(count == blocks * congru_csp_block_size(d, 2) * d);
    check_close("csp", count, 1e-9);
}

static void check_directions(size_t count)
{
    const size_t d = training.trials.d, n = training.trials.count, size = congru_spd_tangent_size(d);
    const size_t directions = training.trials.classes - 1;
    double *reference = sample_alloc(d * d), *vectors = sample_alloc(n * size);
    congru_tangent_features(context, CONGRU_METRIC_RIEMANN, n, d, &(congru_view){.plain = training.covariance},
                            reference, vectors);
    spd_expect(context,
               congru_lda_directions(context, n, size, vectors, training.label, training.trials.classes, actual,
                                     actual + directions * size),
               CONGRU_OK, __FILE__, __LINE__);
    CHECK(count == directions * (size + 1));
    check_close("directions", count, 1e-7);
    free(reference);
    free(vectors);
}

static void check_chosen_c(void)
{
    congru_method_options options;
    congru_tensors model = {0};
    double c = 0;
    congru_method_options_init(&options);
    options.c = 0;
    spd_expect(
        context,
        congru_classifier_tslr.fit(&congru_classifier_tslr, context, &training.trials, &options, &model, NULL),
        CONGRU_OK, __FILE__, __LINE__);
    spd_expect(context, congru_tensors_expect_number(context, &model, "tslr.c", 1e-9, 1e9, &c), CONGRU_OK,
               __FILE__, __LINE__);
    CHECK_SAYING(c == expected[0], "%s: C is %g, expected %g", title, c, expected[0]);
    congru_tensors_clear(&model);
}

static void check_line(const char *name, size_t count)
{
    congru_method_options options;
    congru_method_options_init(&options);
    options.mdm_metric = strcmp(name, "mdm-logeuclid") == 0 ? CONGRU_METRIC_LOGEUCLID
                         : strcmp(name, "mdm-euclid") == 0  ? CONGRU_METRIC_EUCLID
                                                            : CONGRU_METRIC_RIEMANN;
    options.mdm_mean = options.mdm_metric;
    if (strncmp(name, "tslr-", 5) == 0)
        options.c = atof(name + 5);
    if (strcmp(name, "tangent") == 0)
        check_tangent(count);
    else if (strcmp(name, "csp") == 0)
        check_csp(count);
    else if (strcmp(name, "directions") == 0)
        check_directions(count);
    else if (strcmp(name, "chosen-c") == 0)
        check_chosen_c();
    else if (strncmp(name, "mdm-", 4) == 0)
        check_probabilities(name, "mdm", &options);
    else if (strncmp(name, "tslr-", 5) == 0)
        check_probabilities(name, "tslr", &options);
    else if (CHECK_SAYING(congru_classifier_find(name) != NULL, "%s is not known here", name))
        check_probabilities(name, name, &options);
}

/* ---- The file -------------------------------------------------------------------------------------- */

static bool read_case(FILE *file)
{
    size_t classes, d, subjects, n, n_test, samples;
    uint64_t state = 1;
    if (fscanf(file, "%zu %zu %zu %zu %zu %zu", &classes, &d, &subjects, &n, &n_test, &samples) != 6)
        return false;
    trial_set_free(&training);
    trial_set_free(&test);
    training = trial_set_make(&state, classes, d, subjects, n, samples);
    test = trial_set_make(&state, classes, d, subjects, n_test, samples);
    snprintf(title, sizeof title, "%zu classes, %zu channels, %zu trials", classes, d, n);
    return true;
}

static bool read_values(FILE *file, size_t *count)
{
    if (fscanf(file, "%zu", count) != 1 || *count > VALUES_MAX)
        return false;
    for (size_t i = 0; i < *count; i++)
        if (fscanf(file, "%lf", &expected[i]) != 1)
            return false;
    return true;
}

TEST(stored_values_are_met)
{
    char path[512], line[256], name[32];
    const char *source = getenv("SOURCE");
    size_t cases = 0, lines = 0, count;
    snprintf(path, sizeof path, "%s/tests/data/classifiers.txt", source != NULL ? source : ".");
    FILE *file = fopen(path, "r");
    if (!CHECK_SAYING(file != NULL && fgets(line, sizeof line, file) != NULL, "%s cannot be read", path))
        return;
    while (fscanf(file, "%31s", name) == 1) {
        if (strcmp(name, "case") == 0) {
            if (!CHECK(read_case(file)))
                break;
            cases++;
            continue;
        }
        if (!CHECK(read_values(file, &count)))
            break;
        check_line(name, count);
        lines++;
    }
    fclose(file);
    CHECK(cases == CASES);
    CHECK(lines == 11 * CASES + 4);
}

int main(void)
{
    if (congru_context_create(&context, NULL) != CONGRU_OK)
        return 1;
    harness_run_all();
    trial_set_free(&training);
    trial_set_free(&test);
    congru_context_destroy(&context);
    return harness_end();
}
