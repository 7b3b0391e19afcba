/* Gradients of whole objectives, and of each of their terms, against differences. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "congru/random.h"
#include "context_main.h"
#include "harness.h"
#include "network/train.h"
#include "network_samples.h"

static congru_context *context;
enum { BATCH = 12, DIRECTIONS = 6 };

static double loss_at(congru_training *t, const double *origin, size_t from, size_t count, const double *e,
                      double h)
{
    memcpy(t->parameters.value, origin, t->parameters.size * sizeof(double));
    for (size_t i = 0; i < count; i++)
        t->parameters.value[from + i] += h * e[i];
    if (congru_training_evaluate(t) != CONGRU_OK)
        return NAN;
    return t->series[CONGRU_SERIES_LOSS];
}

/* Directional derivatives in random directions of one segment, against the gradient: the largest relative
 * error of the table, relative to all of the gradient where the segment has next to none of it. */
static double segment_error(congru_training *t, const double *origin, const double *gradient, double whole,
                            size_t s, double h)
{
    const size_t from = t->parameters.segment[s].offset,
                 count = t->parameters.segment[s].rows * t->parameters.segment[s].cols;
    double *e = malloc(count * sizeof(double)), wrong = 0.0, size = 0.0;
    for (uint32_t k = 0; k < DIRECTIONS; k++) {
        congru_random random = congru_random_stream(77, (uint32_t)s, k, 0);
        double norm = 0.0, slope = 0.0;
        for (size_t i = 0; i < count; i++) {
            e[i] = congru_random_normal(&random);
            norm += e[i] * e[i];
        }
        for (size_t i = 0; i < count; i++) {
            e[i] /= sqrt(norm);
            slope += e[i] * gradient[from + i];
        }
        double near = loss_at(t, origin, from, count, e, h) - loss_at(t, origin, from, count, e, -h);
        double far = loss_at(t, origin, from, count, e, 2 * h) - loss_at(t, origin, from, count, e, -2 * h);
        double difference = (8.0 * near - far) / (12.0 * h) - slope;
        wrong += difference * difference;
        size += slope * slope;
    }
    free(e);
    const double least = 1e-3 * whole / sqrt((double)count);
    return sqrt(wrong) / fmax(sqrt(size), least > 0.0 ? least : 1e-300);
}

static void check_gradient(const congru_network *network, bool end_to_end, size_t d,
                           const congru_method_options *options, bool moved, const char *what)
{
    congru_trials trials = sample_trials(context, BATCH, d, 3, 3, 5);
    congru_training *t;
    congru_status status = congru_training_create(context, network, end_to_end, &trials, options, &t);
    CHECK_SAYING(status == CONGRU_OK, "%s: %s", what, congru_context_error(context));
    if (status != CONGRU_OK)
        return;
    congru_random random = congru_random_stream(9, 0, 0, 0);
    for (size_t s = 0; s < t->parameters.segments; s++) {
        const congru_segment *segment = &t->parameters.segment[s];
        for (size_t i = 0; i < segment->rows * segment->cols; i++) {
            double x = congru_random_normal(&random);
            if (moved || segment->head)
                t->parameters.value[segment->offset + i] += (segment->head ? 0.3 : 0.15) * x;
        }
    }
    double *origin = malloc(t->parameters.size * sizeof(double)),
           *gradient = malloc(t->parameters.size * sizeof(double));
    memcpy(origin, t->parameters.value, t->parameters.size * sizeof(double));
    t->step = 3;
    congru_training_take(t, BATCH, NULL);
    status = congru_training_evaluate(t);
    CHECK_SAYING(status == CONGRU_OK, "%s: %s", what, congru_context_error(context));
    memcpy(gradient, t->parameters.gradient, t->parameters.size * sizeof(double));
    const double norm = t->series[CONGRU_SERIES_GRADIENT_NORM];
    for (size_t s = 0; s < t->parameters.segments; s++) {
        double error = segment_error(t, origin, gradient, norm, s, 1e-3);
        CHECK_SAYING(error < 1e-6, "%s %s d=%zu %s: segment %s is off by %.2g (gradient norm %.3g)",
                     network->name, end_to_end ? "end to end" : "aligner", d, what,
                     t->parameters.segment[s].name, error, norm);
    }
    free(origin);
    free(gradient);
    congru_training_destroy(&t);
    sample_free(&trials);
}

TEST(whole_objectives)
{
    static const size_t dimensions[] = {5, 22};
    for (int backbone = 0; backbone < ALIGNING_NETWORKS; backbone++) {
        for (int end = 0; end < 2; end++) {
            for (int k = 0; k < 2; k++) {
                congru_method_options options = sample_axis_options();
                check_gradient(congru_network_at((size_t)backbone), end, dimensions[k], &options, false,
                               "lifted, axis");
                congru_method_options_init(&options);
                check_gradient(congru_network_at((size_t)backbone), end, dimensions[k], &options, false,
                               "first weights");
                check_gradient(congru_network_at((size_t)backbone), end, dimensions[k], &options, true,
                               "moved weights");
                options.network.initial = CONGRU_INITIAL_RANDOM;
                check_gradient(congru_network_at((size_t)backbone), end, dimensions[k], &options, false,
                               "random weights");
            }
        }
    }
}

/* All weights 0 but one. */
static void terms_alone(congru_fisher fisher)
{
    static const size_t places[] = {
        offsetof(congru_network_options, action),         offsetof(congru_network_options, subject),
        offsetof(congru_network_options, reconstruction), offsetof(congru_network_options, cross_entropy),
        offsetof(congru_network_options, ratio),          offsetof(congru_network_options, subject_ratio),
        offsetof(congru_network_options, gamma_penalty),  offsetof(congru_network_options, rotation_penalty),
        offsetof(congru_network_options, centre_penalty)};
    static const char *const names[] = {"action",        "subject", "reconstruction", "cross-entropy", "ratio",
                                        "subject ratio", "gamma",   "rotation",       "centre"};
    for (int backbone = 0; backbone < ALIGNING_NETWORKS; backbone++) {
        for (size_t k = 0; k < sizeof places / sizeof places[0]; k++) {
            const bool dct = congru_network_at((size_t)backbone) == &congru_network_dct;
            if (k != 3 && (dct ? k < 4 : k >= 4))
                continue;
            congru_method_options options = sample_axis_options();
            options.network.fisher = fisher;
            for (size_t other = 0; other < sizeof places / sizeof places[0]; other++) {
                if (other != k)
                    *(double *)(void *)((char *)&options.network + places[other]) = 0.0;
            }
            check_gradient(congru_network_at((size_t)backbone), k == 3, 5, &options, true, names[k]);
        }
    }
}

TEST(terms_alone_by_axes)
{
    terms_alone(CONGRU_FISHER_AXIS);
}

TEST(terms_alone_by_whole_matrices)
{
    terms_alone(CONGRU_FISHER_FROBENIUS);
}

TEST(options_of_all_kinds)
{
    congru_method_options options;
    congru_method_options_init(&options);
    options.network.affine_reconstruction = true;
    options.network.reconstruction = 0.1;
    check_gradient(&congru_network_dldct, false, 5, &options, true, "affine reconstruction");
    check_gradient(&congru_network_dldct, true, 5, &options, true, "affine reconstruction");
    check_gradient(&congru_network_ddct_unet, false, 5, &options, true, "affine reconstruction");
    check_gradient(&congru_network_ddct_unet, true, 5, &options, true, "affine reconstruction");

    congru_method_options_init(&options);
    options.network.fisher = CONGRU_FISHER_FROBENIUS;
    check_gradient(&congru_network_dct, false, 5, &options, true, "frobenius");
    check_gradient(&congru_network_dct, true, 5, &options, true, "frobenius");
    options.network.dispersion = CONGRU_DISPERSION_NONE;
    check_gradient(&congru_network_dct, true, 5, &options, true, "no dispersion");

    congru_method_options_init(&options);
    congru_method_options_recipe(&options, CONGRU_RECIPE_AUTHORS);
    for (int backbone = 0; backbone < ALIGNING_NETWORKS; backbone++) {
        check_gradient(congru_network_at((size_t)backbone), false, 6, &options, true, "authors");
        check_gradient(congru_network_at((size_t)backbone), true, 6, &options, true, "authors");
    }

    congru_method_options_init(&options);
    options.network.merges = CONGRU_MERGES_NONE;
    check_gradient(&congru_network_ddct_unet, true, 5, &options, true, "no merges");
    for (int every = 0; every < 2; every++)
        for (int euclid = 0; euclid < 2; euclid++) {
            options.network.merges = every ? CONGRU_MERGES_EVERY : CONGRU_MERGES_SKIP;
            options.network.merge_mean = euclid ? CONGRU_MERGE_EUCLID : CONGRU_MERGE_LOGEUCLID;
            options.network.square_bottleneck = euclid;
            check_gradient(&congru_network_ddct_unet, every, 6, &options, true, "other merges");
        }

    congru_method_options_init(&options);
    const size_t narrow[] = {5, 4, 3}, wide[] = {5, 8, 7}, hill[] = {5, 7, 6, 7, 5};
    options.network.reconstruction = 0.1;
    options.network.width_count = 3;
    memcpy(options.network.widths, narrow, sizeof narrow);
    check_gradient(&congru_network_dldct, true, 5, &options, true, "narrow");
    memcpy(options.network.widths, wide, sizeof wide);
    check_gradient(&congru_network_dldct, true, 5, &options, true, "wide");
    options.network.affine_reconstruction = true;
    check_gradient(&congru_network_dldct, true, 5, &options, true, "wide, affine reconstruction");
    options.network.width_count = 5;
    memcpy(options.network.widths, hill, sizeof hill);
    check_gradient(&congru_network_ddct_unet, true, 5, &options, true, "hill");

    congru_method_options_init(&options);
    options.network.rotation_penalty = 0.1;
    options.network.width_count = 4;
    for (size_t l = 0; l < 4; l++)
        options.network.widths[l] = 5;
    check_gradient(&congru_network_dct, true, 5, &options, true, "three rotations");
    options.network.fisher = CONGRU_FISHER_AXIS;
    check_gradient(&congru_network_dct, false, 5, &options, true, "three rotations, by axes");
    check_gradient(&congru_network_dct, true, 5, &options, false, "three rotations, by axes");
}

int main(void)
{
    return context_main(&context, NULL);
}
