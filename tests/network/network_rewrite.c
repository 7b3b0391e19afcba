/* The network as the paper has it and as it is rewritten give the same; any number of classes. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "congru/random.h"
#include "context_main.h"
#include "harness.h"
#include "network/trained.h"
#include "network_samples.h"

static congru_context *context;
enum { N = 45, STEPS = 3 };

static congru_training *begun(const congru_network *network, bool end_to_end, const congru_trials *trials,
                              const congru_method_options *options, unsigned rewritings)
{
    congru_training *t = NULL;
    CHECK_SAYING(congru_training_create_rewritten(context, network, end_to_end, trials, options, rewritings,
                                                  &t) == CONGRU_OK,
                 "%s", congru_context_error(context));
    return t;
}

static double largest_gap(size_t count, const double *a, const double *b)
{
    double gap = 0.0, size = 1e-300;
    for (size_t i = 0; i < count; i++) {
        gap = fmax(gap, fabs(a[i] - b[i]));
        size = fmax(size, fabs(b[i]));
    }
    return gap / size;
}

/* Losses and gradients of both at the same parameters, a few steps long. A widening layer has eigenvalues of 1e-4, the
 * jitter, which the plain graph knows to 1e-12 of themselves: so much more is its gradient off. */
static void compare(const congru_network *network, bool end_to_end, size_t d,
                    const congru_method_options *options, unsigned rewritings, const char *what)
{
    congru_trials trials = sample_trials(context, N, d, 3, 3, 5);
    congru_training *plain = begun(network, end_to_end, &trials, options, 0),
                    *other = begun(network, end_to_end, &trials, options, rewritings);
    congru_random random = congru_random_stream(6, 0, 0, 0);
    for (size_t i = 0; i < plain->parameters.size; i++)
        plain->parameters.value[i] += 0.05 * congru_random_normal(&random);
    for (int step = 0; step < STEPS; step++) {
        memcpy(other->parameters.value, plain->parameters.value, plain->parameters.size * sizeof(double));
        congru_training_draw(plain);
        congru_training_draw(other);
        CHECK_SAYING(congru_training_evaluate(plain) == CONGRU_OK, "%s", congru_context_error(context));
        CHECK_SAYING(congru_training_evaluate(other) == CONGRU_OK, "%s", congru_context_error(context));
        const double loss =
                         largest_gap(1, &plain->series[CONGRU_SERIES_LOSS], &other->series[CONGRU_SERIES_LOSS]),
                     slope = largest_gap(plain->parameters.size, plain->parameters.gradient,
                                         other->parameters.gradient);
        CHECK_SAYING(loss < 1e-12 && slope < 1e-11,
                     "%s%s d=%zu %s: the loss is off by %.2g, the gradient by %.2g", network->name,
                     end_to_end ? "-e2e" : "", d, what, loss, slope);
        congru_training_update(plain);
        other->step = plain->step;
    }
    congru_training_destroy(&plain);
    congru_training_destroy(&other);
    sample_free(&trials);
}

TEST(plain_and_rewritten_agree)
{
    static const size_t dimensions[] = {3, 8, 22};
    for (int backbone = 0; backbone < ALIGNING_NETWORKS; backbone++)
        for (int end = 0; end < 2; end++)
            for (size_t k = 0; k < 3; k++) {
                congru_method_options options;
                congru_method_options_init(&options);
                options.network.batch = 40;
                compare(congru_network_at((size_t)backbone), end, dimensions[k], &options, CONGRU_REWRITE_ALL,
                        "all");
            }
}

TEST(each_rewriting_alone_agrees)
{
    for (unsigned rewriting = 1; rewriting < CONGRU_REWRITE_ALL; rewriting *= 2) {
        const unsigned rules =
            rewriting == CONGRU_REWRITE_ROTATION ? rewriting | CONGRU_REWRITE_CONSTANT : rewriting;
        for (int backbone = 0; backbone < ALIGNING_NETWORKS; backbone++) {
            congru_method_options options;
            congru_method_options_init(&options);
            compare(congru_network_at((size_t)backbone), true, 5, &options, rules, "one rule");
        }
    }
}

TEST(agree_with_other_options)
{
    congru_method_options options;
    congru_method_options_init(&options);
    options.network.fisher = CONGRU_FISHER_FROBENIUS;
    options.network.dispersion = CONGRU_DISPERSION_GLOBAL;
    compare(&congru_network_dct, true, 5, &options, CONGRU_REWRITE_ALL, "frobenius, global");
    options.network.dispersion = CONGRU_DISPERSION_NONE;
    compare(&congru_network_dct, true, 5, &options, CONGRU_REWRITE_ALL, "no dispersion");
    options = sample_axis_options();
    for (int backbone = 0; backbone < ALIGNING_NETWORKS; backbone++)
        compare(congru_network_at((size_t)backbone), true, 5, &options, CONGRU_REWRITE_ALL, "axis, lifted");
    congru_method_options_init(&options);
    for (int how = 0; how < 4; how++) {
        options.network.merges = how < 2 ? CONGRU_MERGES_EVERY : CONGRU_MERGES_SKIP;
        options.network.merge_mean = how % 2 ? CONGRU_MERGE_EUCLID : CONGRU_MERGE_LOGEUCLID;
        compare(&congru_network_ddct_unet, how > 0, 6, &options, CONGRU_REWRITE_ALL, "other merges");
    }
    congru_method_options_init(&options);
    congru_method_options_recipe(&options, CONGRU_RECIPE_AUTHORS);
    options.network.affine_reconstruction = true;
    for (int backbone = 0; backbone < ALIGNING_NETWORKS; backbone++)
        compare(congru_network_at((size_t)backbone), true, 6, &options, CONGRU_REWRITE_ALL,
                "authors, affine reconstruction");
    options.network.merges = CONGRU_MERGES_NONE;
    compare(&congru_network_ddct_unet, false, 6, &options, CONGRU_REWRITE_ALL, "no merges");
}

/* Trained and asked with as many classes as there are: scratch grows with them. */
TEST(any_number_of_classes)
{
    static const struct {
        size_t d, classes;
    } sizes[] = {{3, 28}, {2, 32}, {8, 200}};
    for (size_t k = 0; k < 3; k++)
        for (int backbone = 0; backbone < ALIGNING_NETWORKS; backbone++) {
            const size_t n = 2 * sizes[k].classes, classes = sizes[k].classes;
            congru_trials trials = sample_trials(context, n, sizes[k].d, classes, 2, 5);
            congru_method_options options;
            congru_method_options_init(&options);
            options.network.steps = 3;
            options.network.batch = 300;
            congru_tensors model = {0};
            double *p = malloc(n * classes * sizeof(double)), worst = 0.0;
            congru_target_trials target = {.count = n, .d = sizes[k].d, .covariance = trials.covariance};
            congru_target_see(&target, CONGRU_TARGET_FULL);
            CHECK_SAYING(congru_network_fit(context, congru_network_at((size_t)backbone), true, "m", &trials,
                                            &options, &model, NULL) == CONGRU_OK,
                         "%s", congru_context_error(context));
            CHECK_SAYING(congru_network_predict(context, congru_network_at((size_t)backbone), "m", &model,
                                                &target, p) == CONGRU_OK,
                         "%s", congru_context_error(context));
            for (size_t i = 0; i < n; i++) {
                double sum = -1.0;
                for (size_t c = 0; c < classes; c++)
                    sum += p[i * classes + c];
                worst = fmax(worst, fabs(sum));
            }
            CHECK_SAYING(worst < 1e-12, "%s, %zu classes: probabilities are off 1 by %g",
                         congru_network_at((size_t)backbone)->name, classes, worst);
            free(p);
            congru_tensors_clear(&model);
            sample_free(&trials);
        }
}

int main(void)
{
    return context_main(&context, NULL);
}
