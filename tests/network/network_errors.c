/* Networks: first weights, what training refuses or stops at, and damaged models. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "network/train.h"
#include "network/trained.h"
#include "network_samples.h"
#include "refusal.h"

enum { N = 60, D = 4, CLASSES = 3, SUBJECTS = 4, M = 30 };

static congru_context *context;
static congru_trials trials, trials_of_target;

static congru_method_options some_options(void)
{
    congru_method_options options;
    congru_method_options_init(&options);
    options.network.steps = 20;
    options.network.batch = 24;
    options.network.rate = 1e-2;
    return options;
}

static congru_training *begun(const congru_network *network, bool end_to_end,
                              const congru_method_options *options)
{
    congru_training *t = NULL;
    congru_status status = congru_training_create(context, network, end_to_end, &trials, options, &t);
    CHECK_SAYING(status == CONGRU_OK, "%s", congru_context_error(context));
    return t;
}

/* ---- First weights ------------------------------------------------------------------------------------- */

/* The eigenvectors of the mean of all trials, the largest eigenvalue first, as columns of u: told by M u = l u and l
 * falling, since a library of its own may turn their signs. */
static void check_vectors(const double *u)
{
    double mean[D * D] = {0}, before = INFINITY;
    for (size_t i = 0; i < N; i++)
        for (size_t e = 0; e < D * D; e++)
            mean[e] += trials.covariance[i * D * D + e] / N;
    for (size_t k = 0; k < D; k++) {
        double value = 0.0, norm = 0.0, product[D] = {0};
        for (size_t i = 0; i < D; i++) {
            for (size_t j = 0; j < D; j++)
                product[i] += mean[i * D + j] * u[j * D + k];
            value += product[i] * u[i * D + k];
            norm += u[i * D + k] * u[i * D + k];
        }
        CHECK_NEAR(norm, 1.0, 1e-13);
        CHECK(value < before);
        before = value;
        for (size_t i = 0; i < D; i++)
            CHECK_NEAR(product[i], value * u[i * D + k], 1e-12);
    }
}

/* [U U]/sqrt 2, I, [U; U]/sqrt 2 where the model widens to twice its channels. */
TEST(eigenvectors_widen)
{
    congru_method_options options = some_options();
    options.network.initial = CONGRU_INITIAL_EIGEN;
    congru_training *t = begun(&congru_network_dldct, true, &options);
    const double *w1 = congru_training_parameter(t, 0), *w2 = congru_training_parameter(t, 1),
                 *w3 = congru_training_parameter(t, 2);
    double u[D * D];
    CHECK(t->design.layers == 3 && t->design.width[1] == 2 * D && t->design.width[2] == 2 * D);
    for (size_t i = 0; i < D * D; i++)
        u[i] = w1[i / D * 2 * D + i % D] * sqrt(2.0);
    check_vectors(u);
    for (size_t i = 0; i < D; i++)
        for (size_t j = 0; j < D; j++) {
            CHECK(w1[i * 2 * D + D + j] == w1[i * 2 * D + j]);
            CHECK(w3[i * D + j] == w1[i * 2 * D + j] && w3[(D + i) * D + j] == w1[i * 2 * D + j]);
        }
    for (size_t i = 0; i < 4 * D * D; i++)
        CHECK(w2[i] == (i % (2 * D + 1) == 0 ? 1.0 : 0.0));
    congru_training_destroy(&t);
}

/* The first columns of U where it narrows. */
TEST(eigenvectors_narrow)
{
    congru_method_options options = some_options();
    options.network.initial = CONGRU_INITIAL_EIGEN;
    options.network.width_count = 3;
    options.network.widths[0] = D;
    options.network.widths[1] = 3;
    options.network.widths[2] = D;
    congru_training *whole, *t = begun(&congru_network_ddct_unet, true, &options);
    options.network.width_count = 2;
    options.network.widths[1] = D;
    whole = begun(&congru_network_dldct, true, &options);
    const double *w1 = congru_training_parameter(t, 0), *u = congru_training_parameter(whole, 0);
    check_vectors(u);
    for (size_t i = 0; i < D; i++)
        for (size_t j = 0; j < 3; j++)
            CHECK(w1[i * 3 + j] == u[i * D + j]);
    congru_training_destroy(&whole);
    congru_training_destroy(&t);
}

/* ---- Options ------------------------------------------------------------------------------------------- */

static void expect_failure(const congru_network *network, const congru_trials *some,
                           const congru_method_options *options, congru_status expected, const char *words)
{
    congru_training *t = NULL;
    check_error(context, congru_training_create(context, network, true, some, options, &t), expected, words);
    CHECK(t == NULL);
}

TEST(options_out_of_range_are_refused)
{
    congru_method_options options = some_options();
    options.network.batch = 0;
    expect_failure(&congru_network_dct, &trials, &options, CONGRU_ERROR_ARGUMENT,
                   "--batch is 0; it must be between 1 and 1000000");
    options = some_options();
    options.network.floor = -1.0;
    expect_failure(&congru_network_dct, &trials, &options, CONGRU_ERROR_ARGUMENT,
                   "--eigenvalue-floor is -1; it must be between 0 and ");
    options = some_options();
    options.network.clip = INFINITY;
    expect_failure(&congru_network_dct, &trials, &options, CONGRU_ERROR_ARGUMENT,
                   "--clip wants a number, not 'inf'");
    options = some_options();
    options.network.width_count = 2;
    options.network.widths[0] = options.network.widths[1] = D;
    expect_failure(&congru_network_ddct_unet, &trials, &options, CONGRU_ERROR_ARGUMENT,
                   "2 widths were given: 3 to 9 make a network");
    options.network.width_count = 1;
    expect_failure(&congru_network_dldct, &trials, &options, CONGRU_ERROR_ARGUMENT,
                   "1 widths were given: 2 to 9 make a network");
    options.network.width_count = 2;
    options.network.widths[1] = 513;
    expect_failure(&congru_network_dldct, &trials, &options, CONGRU_ERROR_ARGUMENT,
                   "--dims is 513; it must be between 1 and 512");
}

TEST(trials_out_of_range_are_refused)
{
    congru_method_options options = some_options();
    congru_trials wrong = trials;
    wrong.classes = CLASSES - 1;
    expect_failure(&congru_network_dct, &wrong, &options, CONGRU_ERROR_ARGUMENT,
                   "trial 3: class or subject out of range");
    wrong = trials;
    wrong.subjects = SUBJECTS - 1;
    expect_failure(&congru_network_dct, &wrong, &options, CONGRU_ERROR_ARGUMENT,
                   "trial 46: class or subject out of range");
    double *flat = calloc(N * D * D, sizeof(double));
    for (size_t i = 0; i < N; i++)
        for (size_t k = 0; k < D; k++)
            flat[i * D * D + k * (D + 1)] = i == 7 && k == 2 ? 0.0 : 1.0;
    wrong = trials;
    wrong.covariance = flat;
    options.network.floor = 0.0;
    expect_failure(&congru_network_dct, &wrong, &options, CONGRU_ERROR_NOT_POSITIVE,
                   "trial 8 has an eigenvalue of 0: its logarithm needs a floor above 0");
    free(flat);
}

TEST(unconstrained_training_has_cross_entropy_alone)
{
    congru_method_options options = some_options();
    options.network.unconstrained = true;
    congru_training *t = begun(&congru_network_dldct, true, &options);
    congru_training_draw(t);
    CHECK(congru_training_evaluate(t) == CONGRU_OK);
    CHECK(t->series[CONGRU_SERIES_LOSS] == t->series[CONGRU_SERIES_CROSS_ENTROPY]);
    congru_training_destroy(&t);
}

/* Weights that are finite, of which the loss is not. */
TEST(a_loss_that_overflows_is_refused)
{
    congru_method_options options = some_options();
    options.network.action = options.network.within = 1e308;
    congru_training *t = begun(&congru_network_dldct, true, &options);
    congru_training_draw(t);
    check_error(context, congru_training_evaluate(t), CONGRU_ERROR_NOT_FINITE, "step 0: the loss is ");
    congru_training_destroy(&t);
}

static bool stop_at_five(void *user, size_t done, size_t all)
{
    *(size_t *)user = all;
    return done < 5;
}

TEST(progress_may_stop_training)
{
    congru_context *own = NULL;
    size_t all = 0;
    const congru_context_options stopping = {.progress = stop_at_five, .progress_user = &all};
    CHECK(congru_context_create(&own, &stopping) == CONGRU_OK);
    congru_method_options options = some_options();
    congru_training *t = NULL;
    CHECK(congru_training_create(own, &congru_network_dldct, true, &trials, &options, &t) == CONGRU_OK);
    CHECK(congru_training_loop(t, NULL) == CONGRU_ERROR_CANCELLED);
    CHECK(strstr(congru_context_error(own), "stopped by the progress callback") != NULL);
    CHECK(all == 20 && t->step == 5);
    congru_training_destroy(&t);
    congru_context_destroy(&own);
}

/* With an average, it is the average that is tried on the held-out subjects, and the best average that is kept; training
 * itself goes on from the parameters. */
TEST(averages_are_validated)
{
    congru_method_options options = some_options();
    options.network.validation_subjects = 1;
    options.network.average = 0.8;
    options.network.rate = 0.05;
    congru_training *t = begun(&congru_network_dldct, true, &options),
                    *other = begun(&congru_network_dldct, true, &options);
    double *sum = calloc(3 * t->parameters.size, sizeof(double)), *own = sum + t->parameters.size,
           *best = own + t->parameters.size;
    double least = INFINITY, worst = 0.0;
    size_t held = 0;
    while (!t->batches.held_out[held])
        held++;
    for (;;) {
        if (t->step % 10 == 0) {
            memcpy(own, t->parameters.value, t->parameters.size * sizeof(double));
            for (size_t i = 0; t->step > 0 && i < t->parameters.size; i++)
                t->parameters.value[i] = sum[i] * 0.2 / (1.0 - pow(0.8, (double)t->step));
            congru_training_take_subject(t, held);
            CHECK(congru_training_evaluate(t) == CONGRU_OK);
            if (t->series[CONGRU_SERIES_CROSS_ENTROPY] < least) {
                least = t->series[CONGRU_SERIES_CROSS_ENTROPY];
                memcpy(best, t->parameters.value, t->parameters.size * sizeof(double));
            }
            memcpy(t->parameters.value, own, t->parameters.size * sizeof(double));
        }
        if (t->step == 20)
            break;
        congru_training_draw(t);
        CHECK(congru_training_evaluate(t) == CONGRU_OK);
        congru_training_update(t);
        for (size_t i = 0; i < t->parameters.size; i++)
            sum[i] = 0.8 * sum[i] + t->parameters.value[i];
    }
    CHECK(congru_training_loop(other, NULL) == CONGRU_OK);
    for (size_t i = 0; i < t->parameters.size; i++)
        worst = fmax(worst, fabs(best[i] - other->parameters.value[i]));
    CHECK_SAYING(worst < 1e-12, "the average that is best is off by %g", worst);
    free(sum);
    congru_training_destroy(&t);
    congru_training_destroy(&other);
}

/* ---- Degenerate weights -------------------------------------------------------------------------------- */

/* The output is even in each layer's W: where W is zero, so is the derivative by it. */
TEST(weights_of_zero_have_no_slope)
{
    congru_method_options options = some_options();
    congru_training *t = begun(&congru_network_ddct_unet, false, &options);
    const size_t last = t->design.layers - 1, size = t->design.width[last] * t->design.width[last + 1];
    CHECK(t->design.width[last] < t->design.width[last + 1]);
    memset(congru_training_parameter(t, last), 0, size * sizeof(double));
    congru_training_draw(t);
    CHECK_SAYING(congru_training_evaluate(t) == CONGRU_OK, "%s", congru_context_error(context));
    CHECK(isfinite(t->series[CONGRU_SERIES_LOSS]));
    for (size_t i = 0; i < size; i++)
        CHECK(congru_training_gradient(t, last)[i] == 0.0);
    congru_training_destroy(&t);
}

/* ---- Models -------------------------------------------------------------------------------------------- */

static congru_tensors fitted(const congru_network *network, bool end_to_end, const char *prefix)
{
    congru_method_options options = some_options();
    congru_tensors model = {0};
    options.network.steps = 2;
    congru_status status =
        congru_network_fit(context, network, end_to_end, prefix, &trials, &options, &model, NULL);
    CHECK_SAYING(status == CONGRU_OK, "%s", congru_context_error(context));
    return model;
}

static congru_status predict(const congru_tensors *model, const congru_network *network, const char *prefix,
                             size_t d, double *p)
{
    congru_target_trials target = {.count = M, .d = d, .covariance = trials_of_target.covariance};
    congru_target_see(&target, CONGRU_TARGET_FULL);
    return congru_network_predict(context, network, prefix, model, &target, p);
}

/* The tensor of a name, to be damaged. */
static congru_tensor *part_of(congru_tensors *model, const char *name)
{
    for (size_t i = 0; i < model->count; i++)
        if (strcmp(model->tensor[i].name, name) == 0)
            return &model->tensor[i];
    CHECK_SAYING(false, "there is no tensor %s", name);
    return &model->tensor[0];
}

TEST(damaged_models_are_refused)
{
    double p[M * CLASSES];
    congru_tensors model = fitted(&congru_network_dct, true, "m");
    part_of(&model, "m.rotation")->shape[1] = 2;
    check_error(context, predict(&model, &congru_network_dct, "m", D, p), CONGRU_ERROR_FORMAT,
                "tensor m.rotation: dimension 1 is 2, expected 4");
    congru_tensors_clear(&model);
    model = fitted(&congru_network_ddct_unet, true, "m");
    congru_tensor *widths = part_of(&model, "m.widths");
    const size_t count = widths->shape[0];
    widths->shape[0] = 1;
    check_error(context, predict(&model, &congru_network_ddct_unet, "m", D, p), CONGRU_ERROR_FORMAT,
                "the model has 1 widths: 2 to 9 were expected");
    widths->shape[0] = count;
    widths->data[1] = 0.5;
    check_error(context, predict(&model, &congru_network_ddct_unet, "m", D, p), CONGRU_ERROR_FORMAT,
                "a width of 0: widths are 1 to");
    widths->data[1] = NAN;
    check_error(context, predict(&model, &congru_network_ddct_unet, "m", D, p), CONGRU_ERROR_FORMAT,
                "tensor m.widths: element 1 is not a finite number");
    widths->data[1] = 2.0;
    congru_tensors_clear(&model);
    /* Widths 4, 8, 8, 4 are no mirror when the last layer is taken away. */
    model = fitted(&congru_network_dldct, false, "m");
    part_of(&model, "m.widths")->shape[0] = 3;
    part_of(&model, "m.design")->data[9] = CONGRU_MERGES_SKIP;
    check_error(context, predict(&model, &congru_network_dldct, "m", D, p), CONGRU_ERROR_FORMAT,
                "widths of merged layers must mirror each other, and width 0 is 4 where its mirror is 8");
    congru_tensors_clear(&model);
}

TEST(models_are_asked_for_what_they_are)
{
    double p[M * (CLASSES + 1)], out[N * D * D];
    congru_method_options options = some_options();
    congru_tensors model = fitted(&congru_network_dct, false, "m");
    check_error(context, predict(&model, &congru_network_dct, "m", D, p), CONGRU_ERROR_FORMAT,
                "the model m has no softmax head");
    congru_trials other = trials;
    other.d = 3;
    check_error(context, congru_network_map_sources(context, &congru_network_dct, "m", &model, &other, out),
                CONGRU_ERROR_ARGUMENT, "the network was trained on 4 channels, and there are 3");
    congru_tensors_clear(&model);
    model = fitted(&congru_network_dct, true, "e.1");
    other = trials;
    other.classes = CLASSES + 1;
    options.network.steps = 2;
    CHECK(congru_network_fit(context, &congru_network_dct, true, "e.2", &other, &options, &model, NULL) ==
          CONGRU_OK);
    check_error(context, predict(&model, &congru_network_dct, "e", D, p), CONGRU_ERROR_FORMAT,
                "the model e.2 tells 4 classes apart, the first 3");
    congru_tensors_clear(&model);
}

/* Matrices go where trials of as many channels are; merged layers have the network's input beside the last. */
TEST(widths_are_those_of_the_trials)
{
    static double out[N * 9 * 9];
    double p[M * CLASSES];
    congru_method_options options = some_options();
    congru_tensors model = {0};
    options.network.steps = 2;
    options.network.width_count = 2;
    options.network.widths[0] = D;
    options.network.widths[1] = 9;
    CHECK(congru_network_fit(context, &congru_network_dldct, true, "m", &trials, &options, &model, NULL) ==
          CONGRU_OK);
    const congru_target_trials target = {.count = M, .d = D, .covariance = trials_of_target.covariance};
    static const char words[] = "the network gives matrices of 9 channels, and the trials have 4";
    check_error(context, congru_network_map_sources(context, &congru_network_dldct, "m", &model, &trials, out),
                CONGRU_ERROR_ARGUMENT, words);
    check_error(context, congru_network_map_target(context, &congru_network_dldct, "m", &model, &target, out),
                CONGRU_ERROR_ARGUMENT, words);
    CHECK(predict(&model, &congru_network_dldct, "m", D, p) == CONGRU_OK);
    congru_tensors_clear(&model);
    model = fitted(&congru_network_ddct_unet, true, "m");
    congru_tensor *widths = part_of(&model, "m.widths");
    widths->data[0] = widths->data[widths->shape[0] - 1] = 6;
    check_error(context, predict(&model, &congru_network_ddct_unet, "m", D, p), CONGRU_ERROR_FORMAT,
                "the first width is 6, and the trials have 4 channels");
    congru_tensors_clear(&model);
}

/* Trials of which no norm can be had: sources, and a target subject. */
TEST(trials_that_are_not_finite_are_refused)
{
    double *broken = malloc(N * D * D * sizeof(double)), *out = malloc(N * D * D * sizeof(double));
    congru_tensors model = fitted(&congru_network_dct, false, "m");
    memcpy(broken, trials.covariance, N * D * D * sizeof(double));
    broken[11 * D * D] = NAN;
    congru_trials wrong = trials;
    wrong.covariance = broken;
    check_error(context, congru_network_map_sources(context, &congru_network_dct, "m", &model, &wrong, out),
                CONGRU_ERROR_NOT_FINITE, "matrix 12 of");
    const congru_target_trials target = {.count = M, .d = D, .covariance = broken, .visible = M};
    check_error(context, congru_network_map_target(context, &congru_network_dct, "m", &model, &target, out),
                CONGRU_ERROR_NOT_FINITE, "matrix 12 of");
    congru_tensors_clear(&model);
    free(broken);
    free(out);
}

/* The authors' DLDCT has its head at the identity: a target subject is not looked at. */
TEST(a_head_at_the_identity_needs_no_target)
{
    congru_method_options options = some_options();
    congru_method_options_recipe(&options, CONGRU_RECIPE_AUTHORS);
    options.network.steps = 2;
    congru_tensors model = {0};
    double all[M * CLASSES], one[CLASSES];
    CHECK(congru_network_fit(context, &congru_network_dldct, true, "m", &trials, &options, &model, NULL) ==
          CONGRU_OK);
    CHECK(predict(&model, &congru_network_dldct, "m", D, all) == CONGRU_OK);
    for (size_t i = 0; i < M; i++) {
        congru_target_trials alone = {
            .count = 1, .d = D, .covariance = trials_of_target.covariance + i * D * D};
        congru_target_see(&alone, CONGRU_TARGET_FULL);
        CHECK(congru_network_predict(context, &congru_network_dldct, "m", &model, &alone, one) == CONGRU_OK);
        CHECK(memcmp(one, all + i * CLASSES, sizeof one) == 0);
    }
    congru_tensors_clear(&model);
}

int main(void)
{
    if (congru_context_create(&context, NULL) != CONGRU_OK)
        return 1;
    trials = sample_trials(context, N, D, CLASSES, SUBJECTS, 5);
    trials_of_target = sample_trials(context, M, D, CLASSES, 1, 5);
    harness_run_all();
    sample_free(&trials);
    sample_free(&trials_of_target);
    congru_context_destroy(&context);
    return harness_end();
}
