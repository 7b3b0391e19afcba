/* Silhouettes and t-SNE against scikit-learn, formulas and differences. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "congru/congru.h"
#include "context_main.h"
#include "harness.h"
#include "statistics_oracle.h"

enum { POINTS_MAX = 400 };

static congru_context *context;

/* ---- Silhouettes --------------------------------------------------------------------------------------- */

static void make_labels(size_t n, size_t kinds, int32_t *label)
{
    for (size_t i = 0; i < n; i++)
        label[i] = (int32_t)(i % kinds);
    if (n == 33)
        label[5] = 100;
}

static void check_silhouette(FILE *stream, const char *words)
{
    size_t n = 0, d = 0, kinds = 1;
    unsigned long seed;
    int distance;
    if (!CHECK(sscanf(words, "%zu %zu %zu %d %lu", &n, &d, &kinds, &distance, &seed) == 5) || n > POINTS_MAX)
        return;
    double *points = oracle_points(n, d, kinds, distance, seed), *expected = oracle_numbers(stream, n + 1);
    double samples[POINTS_MAX], mean = NAN;
    int32_t label[POINTS_MAX];
    make_labels(n, kinds, label);
    CHECK(congru_silhouette(context, n, d, points, label, samples, &mean) == CONGRU_OK);
    for (size_t i = 0; i < n; i++)
        CHECK_NEAR(samples[i], expected[i], 1e-12);
    CHECK_NEAR(mean, expected[n], 1e-12);
    for (size_t i = 0; i < n; i++)
        label[i] = 1000 - 7 * label[i]; /* any numbers will do */
    double again = NAN;
    CHECK(congru_silhouette(context, n, d, points, label, NULL, &again) == CONGRU_OK);
    CHECK_NEAR(again, mean, 1e-15);
    free(points);
    free(expected);
}

TEST(silhouettes_agree_with_scikit_learn)
{
    CHECK(oracle_cases("silhouette", check_silhouette) == 4);
}

TEST(silhouettes_refuse)
{
    const double points[] = {1.0, 2.0, NAN};
    const int32_t alike[] = {3, 3, 3}, label[] = {0, 1, 1};
    double mean;
    CHECK(congru_silhouette(context, 2, 1, points, alike, NULL, &mean) == CONGRU_ERROR_ARGUMENT);
    CHECK(strstr(congru_context_error(context), "label 3") != NULL);
    CHECK(congru_silhouette(context, 3, 1, points, label, NULL, &mean) == CONGRU_ERROR_NOT_FINITE);
    CHECK(strstr(congru_context_error(context), "point 2 of 3") != NULL);
    CHECK(congru_silhouette(context, 1, 1, points, label, NULL, &mean) == CONGRU_ERROR_ARGUMENT);
    CHECK(congru_silhouette(context, 2, 1, NULL, label, NULL, &mean) == CONGRU_ERROR_ARGUMENT);
    /* All points in one place. */
    CHECK(congru_silhouette(context, 3, 1, (const double[]){1, 1, 1}, label, NULL, &mean) == CONGRU_OK);
    CHECK(mean == 0.0);
}

/* ---- t-SNE --------------------------------------------------------------------------------------------- */

static double *distances_of(size_t n, size_t d, const double *points)
{
    double *distances = malloc(n * n * sizeof *distances);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double square = 0.0;
            for (size_t k = 0; k < d; k++)
                square += (points[i * d + k] - points[j * d + k]) * (points[i * d + k] - points[j * d + k]);
            distances[i * n + j] = sqrt(square);
        }
    return distances;
}

static void check_tsne(FILE *stream, const char *words)
{
    size_t n = 0, d = 0, kinds = 1;
    unsigned long seed;
    int distance;
    congru_tsne_options options;
    congru_tsne_options_init(&options);
    if (!CHECK(sscanf(words, "%zu %zu %zu %d %lu %lf", &n, &d, &kinds, &distance, &seed, &options.perplexity) ==
               6))
        return;
    double *points = oracle_points(n, d, kinds, distance, seed), *given = oracle_points(n, 2, 2, 3, seed + 100);
    double *expected = oracle_numbers(stream, 3), *distances = distances_of(n, d, points);
    double positions[2 * POINTS_MAX], onward[2 * POINTS_MAX], divergence = NAN, again = NAN;
    CHECK(congru_tsne_divergence(context, options.perplexity, n, d, points, NULL, given, &divergence, NULL) ==
          CONGRU_OK);
    CHECK_NEAR(divergence, expected[0], 1e-10);
    CHECK(congru_tsne_divergence(context, options.perplexity, n, 0, NULL, distances, given, &divergence,
                                 NULL) == CONGRU_OK);
    CHECK_NEAR(divergence, expected[0], 1e-10);
    CHECK(congru_tsne(context, &options, n, d, points, NULL, NULL, positions, &divergence) == CONGRU_OK);
    printf("# divergence %.6f, scikit-learn's %.6f (random start) and %.6f (principal components)\n",
           divergence, expected[1], expected[2]);
    CHECK(divergence <= 1.03 * fmin(expected[1], expected[2]));
    CHECK(congru_tsne_divergence(context, options.perplexity, n, d, points, NULL, positions, &again, NULL) ==
          CONGRU_OK);
    CHECK(again == divergence);
    /* Started where it ended, it stays near. */
    options.exaggerated = 0;
    options.iterations = 100;
    CHECK(congru_tsne(context, &options, n, d, points, NULL, positions, onward, &again) == CONGRU_OK);
    CHECK(again <= divergence + 1e-9 && again > 0.9 * divergence);
    free(points);
    free(given);
    free(expected);
    free(distances);
}

TEST(tsne_agrees_with_scikit_learn)
{
    CHECK(oracle_cases("tsne", check_tsne) == 2);
}

TEST(tsne_that_runs_away_says_so)
{
    enum { N = 21, D = 4 };
    double *points = oracle_points(N, D, 3, 2, 11), positions[2 * N], divergence;
    congru_tsne_options options;
    congru_tsne_options_init(&options);
    options.perplexity = 5.0;
    options.rate = 1e300;
    CHECK(congru_tsne(context, &options, N, D, points, NULL, NULL, positions, &divergence) ==
          CONGRU_ERROR_NOT_FINITE);
    CHECK_SAYING(strstr(congru_context_error(context), "t-SNE ran away at step ") != NULL &&
                     strstr(congru_context_error(context), "(a rate below 1e+300 is needed)") != NULL,
                 "%s", congru_context_error(context));
    free(points);
}

TEST(tsne_gradient_is_right)
{
    enum { N = 21, D = 4 };
    double *points = oracle_points(N, D, 3, 2, 11), *y = oracle_points(N, 2, 2, 1, 12), gradient[2 * N];
    double perplexity = 5.0, up, down;
    const double step = 1e-5;
    CHECK(congru_tsne_divergence(context, perplexity, N, D, points, NULL, y, &up, gradient) == CONGRU_OK);
    for (size_t i = 0; i < 2 * N; i++) {
        double kept = y[i];
        y[i] = kept + step;
        congru_tsne_divergence(context, perplexity, N, D, points, NULL, y, &up, NULL);
        y[i] = kept - step;
        congru_tsne_divergence(context, perplexity, N, D, points, NULL, y, &down, NULL);
        y[i] = kept;
        CHECK_NEAR(gradient[i], (up - down) / (2.0 * step), 1e-9);
    }
    free(points);
    free(y);
}

TEST(tsne_bits_are_the_same)
{
    enum { N = 61, D = 3 };
    double *points = oracle_points(N, D, 3, 2, 11), first[2 * N] = {0}, again[2 * N] = {0}, kl = 0,
           kl_again = 0;
    congru_tsne_options options;
    congru_tsne_options_init(&options);
    options.perplexity = 10.0;
    options.iterations = 300;
    for (size_t i = 0; congru_cpu_name(i) != NULL; i++)
        for (int threads = 1; threads <= 3; threads += 2) {
            congru_context *mine = NULL;
            if (!congru_cpu_available(congru_cpu_name(i)))
                continue;
            congru_context_options with = {.threads = threads, .cpu = congru_cpu_name(i)};
            bool is_first = i == 0 && threads == 1;
            CHECK(congru_context_create(&mine, &with) == CONGRU_OK);
            CHECK(congru_tsne(mine, &options, N, D, points, NULL, NULL, is_first ? first : again,
                              is_first ? &kl : &kl_again) == CONGRU_OK);
            if (!is_first)
                CHECK_SAYING(memcmp(first, again, sizeof first) == 0 && kl == kl_again, "%s, %d threads",
                             congru_cpu_name(i), threads);
            congru_context_destroy(&mine);
        }
    options.seed = 51;
    CHECK(congru_tsne(context, &options, N, D, points, NULL, NULL, again, NULL) == CONGRU_OK);
    CHECK(memcmp(first, again, sizeof first) != 0);
    free(points);
}

/* Points that coincide, and one far away, are no reason to fail. */
TEST(tsne_takes_odd_points)
{
    enum { N = 12 };
    double points[N] = {0}, positions[2 * N], divergence = NAN;
    congru_tsne_options options;
    congru_tsne_options_init(&options);
    options.perplexity = 3.0;
    CHECK(congru_tsne(context, &options, N, 1, points, NULL, NULL, positions, &divergence) == CONGRU_OK);
    CHECK(isfinite(divergence));
    points[3] = 1e9;
    points[4] = -1e-9;
    CHECK(congru_tsne(context, &options, N, 1, points, NULL, NULL, positions, &divergence) == CONGRU_OK);
    CHECK(isfinite(divergence));
}

static bool stop(void *user, size_t done, size_t total)
{
    (void)user;
    return done < total / 2;
}

TEST(tsne_refuses)
{
    double points[] = {1, 2, 3, 4, 5, NAN}, bad[] = {0, 1, 1, 1, 0, 1, 2, 1, 0}, y[12] = {0}, kl;
    congru_tsne_options options, wrong;
    congru_tsne_options_init(&options);
    options.perplexity = 2.0;
    CHECK(congru_tsne(context, NULL, 5, 1, points, NULL, NULL, y, &kl) == CONGRU_ERROR_ARGUMENT);
    CHECK(congru_tsne(context, &options, 5, 1, points, points, NULL, y, &kl) == CONGRU_ERROR_ARGUMENT);
    CHECK(congru_tsne(context, &options, 5, 1, NULL, NULL, NULL, y, &kl) == CONGRU_ERROR_ARGUMENT);
    CHECK(congru_tsne(context, &options, 3, 1, points, NULL, NULL, y, &kl) == CONGRU_ERROR_ARGUMENT);
    CHECK(strstr(congru_context_error(context), "below 2") != NULL);
    CHECK(congru_tsne(context, &options, 6, 1, points, NULL, NULL, y, &kl) == CONGRU_ERROR_NOT_FINITE);
    CHECK(congru_tsne_divergence(context, 1.5, 3, 0, NULL, bad, y, &kl, NULL) == CONGRU_ERROR_ARGUMENT);
    CHECK(strstr(congru_context_error(context), "2 and 1") != NULL);
    wrong = options;
    wrong.exaggeration = 0.5;
    CHECK(congru_tsne(context, &wrong, 5, 1, points, NULL, NULL, y, &kl) == CONGRU_ERROR_ARGUMENT);
    wrong = options;
    wrong.iterations = -1;
    CHECK(congru_tsne(context, &wrong, 5, 1, points, NULL, NULL, y, &kl) == CONGRU_ERROR_ARGUMENT);
    congru_context *mine = NULL;
    CHECK(congru_context_create(&mine, &(congru_context_options){.threads = 1, .progress = stop}) == CONGRU_OK);
    CHECK(congru_tsne(mine, &options, 5, 1, points, NULL, NULL, y, &kl) == CONGRU_ERROR_CANCELLED);
    congru_context_destroy(&mine);
}

int main(void)
{
    return context_main(&context, NULL);
}
