/* Class balance: what it makes of answers, and where it is refused. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "congru/classifier.h"
#include "context_main.h"
#include "harness.h"
#include "set_samples.h"

enum { CLASSES = 3 };

static congru_context *context;

static const set_recipe small = {
    .subjects = 4, .classes = CLASSES, .per_class = 8, .d = 4, .sessions = 2, .effect = 0.4, .seed = 3};

static congru_evaluation_options options_with(const char *const *pipelines, size_t count, bool balance)
{
    congru_evaluation_options options;
    congru_evaluation_options_init(&options);
    options.pipelines = pipelines;
    options.pipeline_count = count;
    options.method.balance = balance;
    options.method.network.steps = 5;
    return options;
}

static congru_results *evaluate(const congru_set *set, const char *const *pipelines, size_t count, bool balance)
{
    const congru_evaluation_options options = options_with(pipelines, count, balance);
    congru_results *results = NULL;
    CHECK_SAYING(congru_evaluate(context, set, &options, &results) == CONGRU_OK, "%s",
                 congru_context_error(context));
    return results;
}

/* The answers of a fold, balanced here once more. */
static void check_fold(const congru_fold *plain, const congru_fold *balanced)
{
    const size_t numbers = plain->samples * CLASSES;
    double *z = malloc(numbers * sizeof *z), share[CLASSES] = {0};
    size_t moved = 0;
    CHECK(z != NULL && plain->samples == balanced->samples);
    for (size_t i = 0; i < numbers; i++)
        z[i] = log(fmax(plain->probability[i], 1e-300));
    CHECK(congru_balance_classes(context, plain->samples, CLASSES, z) == CONGRU_OK);
    for (size_t i = 0; i < numbers; i++) {
        CHECK_NEAR(balanced->probability[i], exp(z[i]), 1e-12);
        share[i % CLASSES] += balanced->probability[i] / (double)plain->samples;
        moved += balanced->probability[i] != plain->probability[i];
    }
    for (size_t k = 0; k < CLASSES; k++)
        CHECK_NEAR(share[k], 1.0 / CLASSES, 1e-3);
    CHECK(moved > numbers / 2);
    free(z);
}

TEST(every_class_is_as_frequent)
{
    static const char *const pipelines[] = {"ra+mdm", "ra+tslr", "none+tsa-lda", "dct-e2e"};
    congru_set *set = sample_set(context, &small);
    congru_results *plain = evaluate(set, pipelines, 4, false), *balanced = evaluate(set, pipelines, 4, true);
    CHECK(plain != NULL && balanced != NULL && plain->folds == 16 && balanced->folds == 16);
    for (size_t f = 0; f < plain->folds; f++)
        check_fold(&plain->fold[f], &balanced->fold[f]);
    CHECK(plain->note_count + 1 == balanced->note_count);
    CHECK(strcmp(balanced->note[balanced->note_count - 1],
                 "class balance: transductive, target's classes assumed equally frequent") == 0);
    congru_results_destroy(&plain);
    congru_results_destroy(&balanced);
    congru_set_destroy(&set);
}

/* Labels of the target, frequencies of its classes included, move no bit. */
TEST(labels_of_the_target_do_not_matter)
{
    static const char *const pipelines[] = {"ra+tslr"};
    const int32_t target = 1;
    congru_set *set = sample_set(context, &small), *other = sample_set(context, &small);
    congru_evaluation_options options = options_with(pipelines, 1, true);
    congru_results *a = NULL, *b = NULL;
    options.subjects = &target;
    options.subject_count = 1;
    for (size_t i = 0; i < other->count; i++)
        if (other->subject[i] == target)
            other->label[i] = i % 5 == 0;
    CHECK(congru_evaluate(context, set, &options, &a) == CONGRU_OK);
    CHECK(congru_evaluate(context, other, &options, &b) == CONGRU_OK);
    CHECK(memcmp(a->fold[0].probability, b->fold[0].probability,
                 a->fold[0].samples * CLASSES * sizeof(double)) == 0);
    congru_results_destroy(&a);
    congru_results_destroy(&b);
    congru_set_destroy(&set);
    congru_set_destroy(&other);
}

/* A class that only the target has is no class to the fold, and gets no share. */
TEST(a_class_without_sources_stays_out)
{
    static const char *const pipelines[] = {"ra+mdm", "ra+tslr"};
    congru_set *set = sample_set(context, &small);
    for (size_t i = 0; i < set->count; i++)
        if (set->subject[i] != 0 && set->label[i] == 2)
            set->label[i] = 1;
    congru_results *results = evaluate(set, pipelines, 2, true);
    for (size_t f = 0; results != NULL && f < results->folds; f++) {
        const congru_fold *fold = &results->fold[f];
        double share[CLASSES] = {0};
        for (size_t i = 0; i < fold->samples * CLASSES; i++)
            share[i % CLASSES] += fold->probability[i] / (double)fold->samples;
        CHECK_NEAR(share[0], fold->subject == 0 ? 0.5 : 1.0 / CLASSES, 1e-2);
        CHECK(fold->subject != 0 || share[2] == 0);
    }
    congru_results_destroy(&results);
    congru_set_destroy(&set);
}

TEST(refused_without_all_trials)
{
    static const char *const pipelines[] = {"ra+mdm"};
    const char *words = "--balance looks at all trials of a target subject at once";
    congru_set *set = sample_set(context, &small);
    congru_results *results = NULL;
    congru_evaluation_options options = options_with(pipelines, 1, true);
    for (int target = CONGRU_TARGET_FULL + 1; target < CONGRU_TARGET_COUNT; target++) {
        options.target = (congru_target)target;
        CHECK(congru_evaluate(context, set, &options, &results) == CONGRU_ERROR_ARGUMENT && results == NULL);
        CHECK(strstr(congru_context_error(context), words) != NULL);
    }
    options.target = CONGRU_TARGET_FULL;
    for (int protocol = CONGRU_PROTOCOL_FOLDS; protocol <= CONGRU_PROTOCOL_SESSIONS; protocol++) {
        options.protocol = (congru_protocol)protocol;
        CHECK(congru_evaluate(context, set, &options, &results) == CONGRU_ERROR_ARGUMENT && results == NULL);
        CHECK(strstr(congru_context_error(context), words) != NULL);
    }
    congru_model_options of_model;
    congru_model *model = NULL;
    congru_model_options_init(&of_model);
    of_model.pipeline = pipelines[0];
    of_model.method.balance = true;
    CHECK(congru_model_fit(context, set, &of_model, &model) == CONGRU_ERROR_ARGUMENT && model == NULL);
    CHECK(strstr(congru_context_error(context), words) != NULL);
    CHECK(congru_pipeline_define(context, "w", "pipeline = x\nbranch = a\nmethod = ra+mdm\nbalance = on\n") ==
          CONGRU_ERROR_ARGUMENT);
    CHECK_SAYING(strstr(congru_context_error(context), "balance is of whole runs") != NULL, "%s",
                 congru_context_error(context));
    congru_set_destroy(&set);
}

int main(void)
{
    return context_main(&context, NULL);
}
