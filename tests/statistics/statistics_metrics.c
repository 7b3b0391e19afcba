/* Metrics against scikit-learn, the binomial against scipy, scores over folds by hand. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdint.h>

#include "congru/congru.h"
#include "context_main.h"
#include "harness.h"
#include "statistics_oracle.h"

enum { EXPECTED = CONGRU_SCORE_ABOVE + 1 };

static congru_context *context;

static void check_class(const char *what, size_t k, double actual, double expected)
{
    bool same = isnan(expected) ? isnan(actual) : fabs(actual - expected) <= 1e-14;
    CHECK_SAYING(same, "%s of class %zu is %.17g, not %.17g", what, k, actual, expected);
}

static void check_metrics(FILE *stream, const char *words)
{
    size_t n = 0, classes = 0;
    if (!CHECK(sscanf(words, "%zu %zu", &n, &classes) == 2))
        return;
    double *number = oracle_numbers(stream, n * (classes + 2) + EXPECTED + 4 * classes);
    const double *probability = number + 2 * n, *expected = probability + n * classes;
    int32_t *truth = calloc(2 * n, sizeof *truth), *predicted = truth + n;
    congru_class_metrics *by_class = calloc(classes, sizeof *by_class);
    double value[CONGRU_SCORE_KINDS];
    for (size_t i = 0; i < 2 * n; i++)
        truth[i] = (int32_t)number[i];
    CHECK(congru_metrics_measure(context, n, classes, truth, predicted, probability, value, by_class) ==
          CONGRU_OK);
    for (size_t m = 0; m < EXPECTED; m++)
        CHECK_SAYING(fabs(value[m] - expected[m]) <= 1e-14 * fmax(1, fabs(expected[m])),
                     "%s of %zu trials, %zu classes is %.17g, not %.17g", congru_score_describe(m)->name, n,
                     classes, value[m], expected[m]);
    CHECK(value[CONGRU_SCORE_TRIALS] == (double)n && isnan(value[CONGRU_SCORE_SECONDS]));
    for (size_t k = 0; k < classes; k++) {
        check_class("precision", k, by_class[k].precision, expected[EXPECTED + k]);
        check_class("recall", k, by_class[k].recall, expected[EXPECTED + classes + k]);
        check_class("F1", k, by_class[k].f1, expected[EXPECTED + 2 * classes + k]);
        check_class("AUC", k, by_class[k].auc, expected[EXPECTED + 3 * classes + k]);
    }
    free(by_class);
    free(truth);
    free(number);
}

TEST(metrics_agree_with_sklearn)
{
    CHECK(oracle_cases("metrics", check_metrics) == 8);
}

static void check_binomial(FILE *stream, const char *words)
{
    static const double p[] = {0.001, 0.5, 0.95, 0.99, 0.999};
    size_t n = 0, classes = 0;
    if (!CHECK(sscanf(words, "%zu %zu", &n, &classes) == 2))
        return;
    double *number = oracle_numbers(stream, 11), chance = 1.0 / (double)classes;
    for (size_t i = 0; i < 3; i++)
        CHECK_SAYING(fabs(congru_binomial_tail((size_t)number[i], n, chance) - number[3 + i]) <= 1e-11,
                     "tail(%g; %zu) is %.17g, not %.17g", number[i], n,
                     congru_binomial_tail((size_t)number[i], n, chance), number[3 + i]);
    for (size_t i = 0; i < 5; i++)
        CHECK_SAYING(congru_binomial_quantile(p[i], n, chance) == number[6 + i],
                     "quantile(%g; %zu) is %g, not %g", p[i], n, congru_binomial_quantile(p[i], n, chance),
                     number[6 + i]);
    free(number);
}

TEST(binomial_agrees_with_scipy)
{
    CHECK(oracle_cases("binomial", check_binomial) == 8);
    CHECK(isnan(congru_binomial_tail(1, 0, 0.5)) && isnan(congru_binomial_quantile(1.1, 5, 0.5)));
    CHECK(isnan(congru_chance_level(20, 1, 0.95)) && isnan(congru_chance_level(0, 2, 0.95)));
}

/* SciPy's binom.sf(k - 1, n, p), and by hand 1/2 + P(X = n/2)/2. */
TEST(binomial_of_many_trials)
{
    static const struct {
        size_t k, n;
        double chance, tail;
    } known[] = {
        {1001000, 2000000, 0.5, 0.0787534236614672},
        {1005000, 2000000, 0.5, 7.72577064342948e-13},
        {999000, 2000000, 0.5, 0.9214541301304576},
        {5, 2000000, 1e-6, 0.05265292712014379},
        {1, 2000000, 1e-6, 0.8646648520986931},
        {40, 2000000, 1e-6, 1.9164836671886235e-37},
        {1999997, 2000000, 1 - 1e-6, 0.8571235507},
        {500500, 2000000, 0.25, 0.20732853971678314},
        {2, SIZE_MAX, 0.5, 1},
        {SIZE_MAX, SIZE_MAX, 0.5, 0},
        {SIZE_MAX / 2, SIZE_MAX, 0.5, 0.5},
        {(size_t)1 << 40, (size_t)1 << 41, 0.5, 0.50000026903},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const double tail = congru_binomial_tail(known[i].k, known[i].n, known[i].chance);
        CHECK_SAYING(fabs(tail - known[i].tail) <= 1e-7 * known[i].tail, "tail(%zu; %zu): %.15g, not %.15g",
                     known[i].k, known[i].n, tail, known[i].tail);
    }
    CHECK(congru_binomial_quantile(0.95, 2000000, 0.5) == 1001163);
    CHECK_NEAR(congru_chance_level(SIZE_MAX, 2, 0.95), 0.5, 1e-9);
    /* Where one way takes over from the other. */
    const size_t last = (size_t)1 << 20;
    CHECK_NEAR(congru_binomial_tail(last / 2 + 700, last, 0.5),
               congru_binomial_tail(last / 2 + 701, last + 2, 0.5), 1e-6);
    CHECK(congru_binomial_tail(5, 4, 0.5) == 0 && congru_binomial_tail(0, 4, 0.5) == 1);
}

TEST(wolpaw_has_his_bits)
{
    CHECK(congru_transfer_bits(1.0, 4) == 2.0 && congru_transfer_bits(0.5, 2) == 0.0);
    CHECK(congru_transfer_bits(0.1, 2) == 0.0); /* below chance nothing is transferred */
    CHECK_NEAR(congru_transfer_bits(0.9, 2), 0.5310044064107188, 1e-15);
    CHECK(isnan(congru_transfer_bits(1.1, 2)) && isnan(congru_transfer_bits(0.5, 1)));
}

TEST(wrong_predictions_are_refused)
{
    const int32_t truth[] = {0, 1}, wrong[] = {0, 2};
    const double half[] = {0.5, 0.5, NAN, 0.5};
    double value[CONGRU_SCORE_KINDS], auc;
    CHECK(congru_metrics_measure(context, 2, 2, truth, wrong, NULL, value, NULL) == CONGRU_ERROR_ARGUMENT);
    CHECK(strstr(congru_context_error(context), "trial 1 of 2") != NULL);
    CHECK(congru_metrics_measure(context, 2, 2, truth, truth, half, value, NULL) == CONGRU_ERROR_NOT_FINITE);
    CHECK(congru_metrics_measure(context, 0, 2, truth, truth, NULL, value, NULL) == CONGRU_ERROR_ARGUMENT);
    CHECK(congru_roc_auc(context, 2, (const bool[]){true, false}, half + 2, &auc) == CONGRU_ERROR_NOT_FINITE);
    CHECK(congru_roc_auc(context, 0, NULL, half, &auc) == CONGRU_ERROR_ARGUMENT);
    CHECK(congru_roc_auc(context, 2, (const bool[]){true, true}, half, &auc) == CONGRU_OK && isnan(auc));
}

TEST(folds_are_averaged_once)
{
    congru_scores *scores = NULL;
    double value[CONGRU_SCORE_KINDS] = {0}, z[2];
    size_t a, b, one, two, again;
    CHECK(congru_scores_create(context, "set", 2, &scores) == CONGRU_OK);
    CHECK(congru_scores_pipeline(context, scores, "a", &a) == CONGRU_OK && a == 0);
    CHECK(congru_scores_subject(context, scores, "1", &one) == CONGRU_OK && one == 0);
    value[CONGRU_SCORE_ACCURACY] = 0.5;
    value[CONGRU_SCORE_TRIALS] = 10;
    congru_scores_add(scores, a, one, value);
    CHECK(congru_scores_pipeline(context, scores, "b", &b) == CONGRU_OK && b == 1);
    CHECK(congru_scores_subject(context, scores, "2", &two) == CONGRU_OK && two == 1);
    CHECK(congru_scores_subject(context, scores, "1", &again) == CONGRU_OK && again == one);
    value[CONGRU_SCORE_ACCURACY] = 1.0;
    congru_scores_add(scores, a, one, value);
    congru_scores_add(scores, b, one, value);
    CHECK(congru_scores_at(scores, CONGRU_SCORE_ACCURACY, a, one) == 0.75);
    CHECK(congru_scores_at(scores, CONGRU_SCORE_TRIALS, a, one) == 20);
    CHECK(congru_scores_at(scores, CONGRU_SCORE_CHANCE, a, one) == 0.7);
    CHECK(congru_scores_at(scores, CONGRU_SCORE_ABOVE, a, one) == 1);
    CHECK(isnan(congru_scores_at(scores, CONGRU_SCORE_ACCURACY, b, two)));
    CHECK(isnan(congru_scores_at(scores, CONGRU_SCORE_ACCURACY, 7, two)));
    CHECK(congru_scores_mean(scores, a, CONGRU_SCORE_ACCURACY).count == 1);
    CHECK(congru_scores_mean(scores, SIZE_MAX, CONGRU_SCORE_ACCURACY).count == 0);
    CHECK(congru_scores_z(context, scores, z) == CONGRU_OK && z[0] == -1 && z[1] == 1); /* of subject 1 alone */
    congru_comparison c;
    CHECK(congru_scores_compare(context, 1, (const congru_scores *const[]){scores}, "b", "a", &c) == CONGRU_OK);
    CHECK(c.count == 1 && c.gain == 25 && c.p == c.holm);
    CHECK(congru_scores_compare(context, 1, (const congru_scores *const[]){scores}, "b", "c", &c) == CONGRU_OK);
    CHECK(c.count == 0);
    congru_scores_destroy(&scores);
}

/* 0.9 of two classes is 0.531 bits a trial: at 4 s, 15 times that a minute. */
TEST(transfer_is_by_minute_where_trials_have_a_length)
{
    for (int known = 0; known < 2; known++) {
        congru_scores *scores = NULL;
        double value[CONGRU_SCORE_KINDS] = {[CONGRU_SCORE_ACCURACY] = 0.9, [CONGRU_SCORE_TRIALS] = 10};
        size_t a, one;
        CHECK(congru_scores_create(context, "set", 2, &scores) == CONGRU_OK);
        congru_scores_trial(scores, known == 1 ? 4.0 : (double)NAN);
        CHECK(congru_scores_pipeline(context, scores, "a", &a) == CONGRU_OK);
        CHECK(congru_scores_subject(context, scores, "1", &one) == CONGRU_OK);
        congru_scores_add(scores, a, one, value);
        const congru_score_about about = congru_scores_describe(scores, CONGRU_SCORE_BITS);
        CHECK_NEAR(congru_scores_at(scores, CONGRU_SCORE_BITS, a, one),
                   (known == 1 ? 15 : 1) * 0.5310044064107188, 1e-14);
        CHECK(strcmp(about.name, known == 1 ? "itr_per_minute" : "itr") == 0);
        CHECK(strcmp(about.title, known == 1 ? "bits/min" : "bits/trial") == 0);
        CHECK(known == 0 || strcmp(about.text, "information transfer in bits/min, trials of 4 s") == 0);
        CHECK(strcmp(congru_scores_describe(scores, CONGRU_SCORE_AUC).title, "AUC") == 0);
        congru_scores_destroy(&scores);
    }
    CHECK(congru_scores_describe(NULL, CONGRU_SCORE_KINDS).name == NULL);
}

TEST(p_is_printed_by_one_rule)
{
    char text[CONGRU_P_TEXT_SIZE];
    congru_p_text(0.0312499, text);
    CHECK(strcmp(text, "0.031") == 0);
    congru_p_text(0.0004999, text);
    CHECK(strcmp(text, "5e-04") == 0);
    congru_p_text((double)NAN, text);
    CHECK(strcmp(text, "-") == 0);
}

int main(void)
{
    return context_main(&context, NULL);
}
