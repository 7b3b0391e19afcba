/* Protocols: nothing leaks, every trial is scored once, the same bits everywhere. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "context_main.h"
#include "harness.h"
#include "set_samples.h"

static congru_context *context;

static const set_recipe small = {
    .subjects = 4, .classes = 3, .per_class = 8, .d = 4, .sessions = 2, .effect = 0.8, .seed = 1};

static congru_results *evaluate(const congru_set *set, const char *pipeline, congru_target target)
{
    congru_evaluation_options options;
    congru_evaluation_options_init(&options);
    options.pipelines = &pipeline;
    options.pipeline_count = 1;
    options.target = target;
    options.method.network.steps = 20;
    return evaluate_in(context, set, &options);
}

/* The first trial, counted through folds, whose probabilities differ in a bit; -1 when none does. */
static long first_difference(const congru_results *a, const congru_results *b)
{
    long trials = 0;
    if (a == NULL || b == NULL || a->folds != b->folds)
        return 0;
    for (size_t f = 0; f < a->folds; f++) {
        if (a->fold[f].samples != b->fold[f].samples)
            return trials;
        for (size_t i = 0; i < a->fold[f].samples; i++, trials++)
            if (memcmp(a->fold[f].probability + i * a->classes, b->fold[f].probability + i * a->classes,
                       a->classes * sizeof(double)) != 0)
                return trials;
    }
    return -1;
}

/* Every pipeline: new labels of the one left out do not move its answers by a bit. */
TEST(labels_of_the_held_out_do_not_matter)
{
    char pipeline[CONGRU_PIPELINE_SIZE];
    congru_set *set = sample_set(context, &small), *other = sample_set(context, &small);
    for (size_t i = 0; i < other->count; i++)
        if (other->subject[i] == 1)
            other->label[i] = (other->label[i] + 1) % 3;
    for (size_t p = 0; congru_pipeline_at(p, false, pipeline); p++) {
        const char *name = pipeline;
        congru_evaluation_options options;
        congru_evaluation_options_init(&options);
        options.pipelines = &name;
        options.pipeline_count = 1;
        options.subjects = (const int32_t[]){1};
        options.subject_count = 1;
        options.method.network.steps = 20;
        congru_results *before = evaluate_in(context, set, &options),
                       *after = evaluate_in(context, other, &options);
        long trial = first_difference(before, after);
        CHECK_SAYING(trial < 0, "%s: trial %ld moved with the labels", pipeline, trial);
        congru_results_destroy(&before);
        congru_results_destroy(&after);
    }
    congru_set_destroy(&set);
    congru_set_destroy(&other);
}

/* Target none: one trial's answer is its own affair. Online: the past's. */
TEST(other_trials_do_not_matter)
{
    static const char *const pipelines[] = {"none+mdm", "ra+mdm", "ra+tslr", "ra+tsa-lda", "ra+csp-lda"};
    congru_set *set = sample_set(context, &small), *other = sample_set(context, &small);
    size_t own = 24, changed = own + 10, size = 16; /* trial 10 of subject 1 */
    for (size_t i = 0; i < size; i++)
        other->covariance[changed * size + i] *= 1.7;
    other->covariance[changed * size] *= 1.5;
    for (size_t p = 0; p < sizeof pipelines / sizeof pipelines[0]; p++) {
        for (int online = 0; online < 2; online++) {
            congru_target target = online ? CONGRU_TARGET_ONLINE : CONGRU_TARGET_NONE;
            congru_results *a = evaluate(set, pipelines[p], target), *b = evaluate(other, pipelines[p], target);
            const congru_fold *x = &a->fold[1], *y = &b->fold[1];
            for (size_t i = 0; i < own; i++) {
                bool same = memcmp(x->probability + 3 * i, y->probability + 3 * i, 3 * sizeof(double)) == 0;
                if (i != 10 && (!online || i < 10))
                    CHECK_SAYING(same, "%s, %s: trial %zu moved with trial 10", pipelines[p],
                                 congru_target_name(target), i);
                if (i == 10)
                    CHECK_SAYING(!same, "%s: trial 10 did not move with itself", pipelines[p]);
            }
            congru_results_destroy(&a);
            congru_results_destroy(&b);
        }
    }
    congru_set_destroy(&set);
    congru_set_destroy(&other);
}

TEST(recentring_helps_where_people_differ)
{
    set_recipe recipe = {.subjects = 5, .classes = 2, .per_class = 30, .d = 4, .effect = 0.8, .seed = 3};
    congru_set *set = sample_set(context, &recipe);
    double mean[2];
    for (int ra = 0; ra < 2; ra++) {
        congru_results *results = evaluate(set, ra ? "ra+mdm" : "none+mdm", CONGRU_TARGET_FULL);
        congru_summary summary;
        CHECK(congru_results_summarise(context, results, &summary) == CONGRU_OK);
        mean[ra] = summary.mean;
        congru_results_destroy(&results);
    }
    CHECK_SAYING(mean[1] > 0.8 && mean[1] > mean[0] + 0.1, "ra %.3f, none %.3f", mean[1], mean[0]);
    congru_set_destroy(&set);
}

TEST(chance_is_all_there_is_without_an_effect)
{
    set_recipe recipe = {.subjects = 6, .classes = 2, .per_class = 60, .d = 4, .effect = 0, .seed = 5};
    congru_set *set = sample_set(context, &recipe);
    congru_results *results = evaluate(set, "ra+tslr", CONGRU_TARGET_FULL);
    congru_summary summary;
    CHECK(congru_results_summarise(context, results, &summary) == CONGRU_OK);
    CHECK_NEAR(summary.mean, 0.5, 0.06); /* 720 trials: 0.06 is 3.2 standard deviations */
    congru_results_destroy(&results);
    congru_set_destroy(&set);
}

TEST(threads_change_nothing)
{
    static const char *const pipelines[] = {"ra+mdm", "ra+tslr", "ra+tsa-lda", "ra+csp-lda", "rpa+mdm"};
    congru_set *set = sample_set(context, &small);
    congru_evaluation_options options;
    congru_evaluation_options_init(&options);
    options.pipelines = pipelines;
    options.pipeline_count = 5;
    congru_results *expected = NULL;
    for (int threads = 1; threads <= 3; threads++) {
        congru_context *own = NULL;
        CHECK(congru_context_create(&own, &(congru_context_options){.threads = threads}) == CONGRU_OK);
        congru_results *results = evaluate_in(own, set, &options);
        if (expected == NULL)
            expected = results;
        else
            CHECK_SAYING(first_difference(expected, results) < 0, "%d threads", threads);
        if (results != expected)
            congru_results_destroy(&results);
        congru_context_destroy(&own);
    }
    congru_results_destroy(&expected);
    congru_set_destroy(&set);
}

TEST(sessions_are_aligned_by_themselves)
{
    congru_set *set = sample_set(context, &small), *other = sample_set(context, &small);
    /* A congruence on one session is undone when sessions are aligned by themselves, and only then. */
    double w[16] = {0, 3, 0, 0.5, 0.2, 0, 2, 0, 0, 0.4, 0, 0.3, 4, 0, 0.6, 0};
    for (size_t i = 0; i < other->count; i++)
        if (other->session[i] == 1)
            CHECK(congru_spd_congruence(context, 1, 4, 4, set->covariance + 16 * i, w,
                                        other->covariance + 16 * i) == CONGRU_OK);
    const char *pipeline = "ra+mdm";
    for (int by_session = 0; by_session < 2; by_session++) {
        congru_evaluation_options options;
        congru_evaluation_options_init(&options);
        options.pipelines = &pipeline;
        options.pipeline_count = 1;
        options.align_by_session = by_session;
        congru_results *b = evaluate_in(context, other, &options);
        congru_summary after;
        CHECK(congru_results_summarise(context, b, &after) == CONGRU_OK);
        if (by_session)
            CHECK_SAYING(after.mean > 0.6, "by session %.3f", after.mean);
        else
            CHECK_SAYING(after.mean < 0.6, "by subject %.3f", after.mean);
        congru_results_destroy(&b);
    }
    congru_set_destroy(&set);
    congru_set_destroy(&other);
}

TEST(every_trial_is_scored_once)
{
    static const congru_protocol protocols[] = {CONGRU_PROTOCOL_LOSO, CONGRU_PROTOCOL_FOLDS,
                                                CONGRU_PROTOCOL_SESSIONS};
    const char *pipeline = "ra+mdm";
    congru_set *set = sample_set(context, &small);
    for (size_t p = 0; p < 3; p++) {
        congru_evaluation_options options;
        congru_evaluation_options_init(&options);
        options.protocol = protocols[p];
        options.pipelines = &pipeline;
        options.pipeline_count = 1;
        congru_results *results = evaluate_in(context, set, &options);
        int *scored = calloc(set->count, sizeof *scored);
        for (size_t f = 0; f < results->folds; f++)
            for (size_t i = 0; i < results->fold[f].samples; i++)
                scored[results->fold[f].trial[i]]++;
        for (size_t i = 0; i < set->count; i++)
            CHECK_SAYING(scored[i] == (protocols[p] != CONGRU_PROTOCOL_SESSIONS || set->session[i] == 1),
                         "protocol %zu: trial %zu scored %d times", p, i, scored[i]);
        free(scored);
        congru_results_destroy(&results);
    }
    congru_set_destroy(&set);
}

/* congru_evaluation_split tells other programs the very trials that a fold scores, and none twice. */
TEST(splits_are_those_of_the_folds)
{
    const char *pipeline = "none+mdm";
    congru_set *set = sample_set(context, &small);
    int8_t *side = malloc(set->count), *scored = malloc(set->count);
    if (side == NULL || scored == NULL)
        abort();
    for (int p = CONGRU_PROTOCOL_LOSO; p <= CONGRU_PROTOCOL_SESSIONS; p++) {
        congru_evaluation_options options;
        congru_evaluation_options_init(&options);
        options.protocol = (congru_protocol)p;
        options.pipelines = &pipeline;
        options.pipeline_count = 1;
        options.folds = 3;
        size_t parts = p == CONGRU_PROTOCOL_FOLDS ? 3 : 1;
        congru_results *results = evaluate_in(context, set, &options);
        for (size_t f = 0; f < results->folds; f++) {
            const congru_fold *fold = &results->fold[f];
            size_t fitted = 0;
            memset(scored, 0, set->count);
            for (size_t part = 0; part < parts; part++) {
                CHECK(congru_evaluation_split(context, set, &options, fold->subject, part, side) == CONGRU_OK);
                for (size_t i = 0; i < set->count; i++) {
                    scored[i] = (int8_t)(scored[i] + (side[i] == 1));
                    fitted += side[i] == 0;
                }
            }
            for (size_t i = 0; i < fold->samples; i++)
                CHECK(scored[fold->trial[i]]-- == 1);
            for (size_t i = 0; i < set->count; i++)
                CHECK(scored[i] == 0);
            CHECK(fitted == (p == CONGRU_PROTOCOL_LOSO       ? set->count - 24
                             : p == CONGRU_PROTOCOL_SESSIONS ? 12u
                                                             : 48u));
        }
        CHECK(congru_evaluation_split(context, set, &options, 0, parts, side) == CONGRU_ERROR_ARGUMENT);
        CHECK(congru_evaluation_split(context, set, &options, 4, 0, side) == CONGRU_ERROR_ARGUMENT);
        congru_results_destroy(&results);
    }
    free(side);
    free(scored);
    congru_set_destroy(&set);
}

TEST(calibration_trials_are_not_scored)
{
    congru_set *set = sample_set(context, &small);
    static const char *const pipeline = "rpa+mdm";
    congru_evaluation_options options;
    congru_evaluation_options_init(&options);
    options.pipelines = &pipeline;
    options.pipeline_count = 1;
    options.method.rpa_labels = 5;
    congru_results *results = evaluate_in(context, set, &options);
    for (size_t f = 0; f < results->folds; f++) {
        /* 5 per class asked for; half of 8 at most are given. */
        CHECK(results->fold[f].calibration == 12 && results->fold[f].samples == 12);
        for (size_t i = 0; i < results->fold[f].samples; i++)
            CHECK(results->fold[f].trial[i] % 24 >= 12);
    }
    congru_results_destroy(&results);
    congru_set_destroy(&set);
}

/* Accuracy, Cohen's kappa and balanced accuracy, counted here once more from the predictions. */
TEST(scores_are_as_defined)
{
    congru_set *set = sample_set(context, &small);
    congru_results *results = evaluate(set, "none+mdm", CONGRU_TARGET_FULL);
    const congru_fold *fold = &results->fold[2];
    double right = 0, recall = 0, chance = 0, truth[3] = {0}, prediction[3] = {0}, both[3] = {0};
    for (size_t i = 0; i < fold->samples; i++) {
        truth[fold->truth[i]]++;
        prediction[fold->prediction[i]]++;
        both[fold->truth[i]] += fold->truth[i] == fold->prediction[i];
    }
    for (int k = 0; k < 3; k++) {
        right += both[k] / 24;
        recall += both[k] / truth[k] / 3;
        chance += truth[k] * prediction[k] / 576;
    }
    CHECK_NEAR(fold->accuracy, right, 1e-15);
    CHECK_NEAR(fold->balanced, recall, 1e-15);
    CHECK_NEAR(fold->kappa, (right - chance) / (1 - chance), 1e-14);
    congru_results_destroy(&results);
    congru_set_destroy(&set);
}

TEST(refusals)
{
    set_recipe one = small, same = small;
    one.subjects = 1;
    same.classes = 1;
    const char *good = "ra+mdm", *bad = "ra+knn", *half = "mdm", *both = "ra+dct-e2e";
    const struct {
        const set_recipe *recipe;
        const char *pipeline, *words;
    } cases[] = {{&one, good, "one subject"},
                 {&same, good, "one class"},
                 {&small, bad, "no classifier 'knn'"},
                 {&small, half, "write 'ra+mdm'"},
                 {&small, both, "classifier"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        congru_set *set = sample_set(context, cases[i].recipe);
        congru_results *results = NULL;
        congru_evaluation_options options;
        congru_evaluation_options_init(&options);
        options.pipelines = &cases[i].pipeline;
        options.pipeline_count = 1;
        CHECK(congru_evaluate(context, set, &options, &results) == CONGRU_ERROR_ARGUMENT);
        CHECK(results == NULL);
        if (i < 4)
            CHECK_SAYING(strstr(congru_context_error(context), cases[i].words) != NULL, "no '%s' in: %s",
                         cases[i].words, congru_context_error(context));
        congru_set_destroy(&set);
    }
    congru_set *set = sample_set(context, &small);
    set->covariance[37 * 16] = NAN;
    congru_results *results = NULL;
    congru_evaluation_options options;
    congru_evaluation_options_init(&options);
    options.pipelines = &good;
    options.pipeline_count = 1;
    CHECK(congru_evaluate(context, set, &options, &results) == CONGRU_ERROR_NOT_FINITE);
    CHECK_SAYING(strstr(congru_context_error(context), "matrix 38 of") != NULL, "%s",
                 congru_context_error(context));
    congru_set_destroy(&set);
}

static void expect_refusal(const congru_set *set, const congru_evaluation_options *options, const char *words)
{
    congru_results *results = NULL;
    CHECK(congru_evaluate(context, set, options, &results) == CONGRU_ERROR_ARGUMENT && results == NULL);
    CHECK_SAYING(strstr(congru_context_error(context), words) != NULL, "no '%s' in: %s", words,
                 congru_context_error(context));
}

TEST(sets_and_options_that_cannot_be_are_refused)
{
    static const char *const names[] = {
        "ra+mdm", "rar+mdm", "a-pipeline-of-a-name-that-is-longer-than-any-that-could-be+one-that-there-is"};
    congru_set *set = sample_set(context, &small), wrong = *set;
    congru_evaluation_options options;
    congru_evaluation_options_init(&options);
    options.pipelines = names;
    options.pipeline_count = 1;
    wrong.covariance = NULL;
    expect_refusal(&wrong, &options, "the set holds no covariances");
    wrong = *set;
    wrong.label = NULL;
    expect_refusal(&wrong, &options, "the set holds no labelled trials");
    options.subjects = (const int32_t[]){0, 4};
    options.subject_count = 2;
    expect_refusal(set, &options, "there is no subject 4");
    options.subjects = NULL;
    options.protocol = CONGRU_PROTOCOL_FOLDS;
    options.folds = 1;
    expect_refusal(set, &options, "the number of folds is 1; at least 2 are needed");
    options.folds = 1000;
    expect_refusal(set, &options, "for 1000 folds; --folds takes 2 to ");
    congru_set_destroy(&set);
    CHECK(congru_pipeline_check(context, names[1]) == CONGRU_ERROR_ARGUMENT);
    CHECK(strstr(congru_context_error(context),
                 "pipeline 'rar+mdm': there is no aligner 'rar' (did you mean 'ra+mdm'?)") != NULL);
    CHECK(congru_pipeline_check(context, names[2]) == CONGRU_ERROR_ARGUMENT);
    CHECK(strstr(congru_context_error(context),
                 "pipeline 'a-pipeline-of-a-name-that-is-longer-than...': too long") != NULL);
}

TEST(results_are_asked_for_what_they_hold)
{
    congru_set *set = sample_set(context, &small);
    congru_results *results = evaluate(set, "ra+mdm", CONGRU_TARGET_FULL);
    congru_summary summary;
    size_t confusion[9];
    CHECK(congru_results_summarise(context, NULL, &summary) == CONGRU_ERROR_ARGUMENT);
    CHECK(strstr(congru_context_error(context), "no results to summarise") != NULL);
    CHECK(congru_results_confusion(context, results, 1, -1, confusion) == CONGRU_ERROR_ARGUMENT);
    CHECK(strstr(congru_context_error(context), "no such pipeline in the results") != NULL);
    congru_results_destroy(&results);
    congru_set_destroy(&set);
}

/* Of the target the first trials of each class are fitted on, those behind the most of a curve are scored, and no other. */
TEST(calibration_leaks_nothing)
{
    congru_set *set = sample_set(context, &small);
    congru_evaluation_options options;
    congru_evaluation_options_init(&options);
    options.calibration_most = 3;
    for (int number = 0; set != NULL && number <= 3; number++) {
        int8_t *side = calloc(set->count, sizeof *side);
        options.calibration = number;
        CHECK(congru_evaluation_split(context, set, &options, 1, 0, side) == CONGRU_OK);
        for (size_t k = 0; k < set->classes; k++) {
            int seen = 0;
            for (size_t i = 0; i < set->count; i++) {
                if (set->subject[i] != 1) {
                    CHECK(side[i] == 0);
                } else if (set->label[i] == (int32_t)k) {
                    CHECK(side[i] == (seen < number ? 0 : seen < 3 ? -1 : 1));
                    seen++;
                }
            }
        }
        free(side);
    }
    congru_set_destroy(&set);
}

/* Labels of scored trials reach no prediction; those of the trials that are fitted on do. */
TEST(labels_behind_the_calibration_are_unseen)
{
    static const char *const names[] = {"ra+mdm", "ra+tslr"};
    congru_set *set = sample_set(context, &small);
    congru_evaluation_options options;
    congru_results *made[3] = {0};
    const int32_t target = 1;
    congru_evaluation_options_init(&options);
    options.pipelines = names;
    options.pipeline_count = 2;
    options.subjects = &target;
    options.subject_count = 1;
    options.calibration_most = 3;
    CHECK(congru_evaluate(context, set, &options, &made[0]) == CONGRU_OK);
    options.calibration = 2;
    CHECK(congru_evaluate(context, set, &options, &made[1]) == CONGRU_OK);
    int8_t *side = calloc(set->count, sizeof *side);
    CHECK(congru_evaluation_split(context, set, &options, target, 0, side) == CONGRU_OK);
    size_t scored = 0;
    for (size_t i = set->count; i-- > 0 && (set->subject[i] != target || side[i] == 1);)
        if (set->subject[i] == target) {
            set->label[i] = (set->label[i] + 1) % (int32_t)set->classes;
            scored++;
        }
    CHECK(scored > 0);
    CHECK(congru_evaluate(context, set, &options, &made[2]) == CONGRU_OK);
    for (size_t f = 0; made[0] != NULL && made[1] != NULL && made[2] != NULL && f < 2; f++) {
        const congru_fold *none = &made[0]->fold[f], *used = &made[1]->fold[f], *turned = &made[2]->fold[f];
        const size_t size = used->samples * set->classes * sizeof(double);
        CHECK(used->samples == none->samples && used->samples == turned->samples);
        CHECK(memcmp(used->trial, none->trial, used->samples * sizeof *used->trial) == 0);
        CHECK(used->calibration == 2 * set->classes && none->calibration == 0);
        CHECK(used->train == none->train + 2 * set->classes);
        CHECK(memcmp(used->probability, turned->probability, size) == 0);
        CHECK(memcmp(used->probability, none->probability, size) != 0);
        CHECK(memcmp(used->truth, turned->truth, used->samples * sizeof *used->truth) != 0);
    }
    for (size_t i = 0; i < 3; i++)
        congru_results_destroy(&made[i]);
    free(side);
    congru_set_destroy(&set);
}

/* Blocks do not interleave, and hold each trial of the subject once. */
TEST(contiguous_folds_are_blocks)
{
    congru_set *set = sample_set(context, &small);
    congru_evaluation_options options;
    congru_evaluation_options_init(&options);
    options.protocol = CONGRU_PROTOCOL_FOLDS;
    options.contiguous = true;
    int8_t *side = calloc(set != NULL ? set->count : 1, sizeof *side);
    size_t next = 0, scored = 0, own = 0;
    for (size_t part = 0; set != NULL && part < (size_t)options.folds; part++) {
        CHECK(congru_evaluation_split(context, set, &options, 0, part, side) == CONGRU_OK);
        for (size_t i = 0; i < set->count; i++)
            if (side[i] == 1) {
                CHECK(i >= next && set->subject[i] == 0);
                next = i + 1;
                scored++;
            }
    }
    for (size_t i = 0; set != NULL && i < set->count; i++)
        own += set->subject[i] == 0;
    CHECK(scored == own);
    free(side);
    congru_set_destroy(&set);
}

int main(void)
{
    return context_main(&context, NULL);
}
