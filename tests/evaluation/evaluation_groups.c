/* Subjects that are left out together: one training serves them, and none of their trials is in it. SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "congru/congru.h"
#include "context_main.h"
#include "harness.h"
#include "run_samples.h"
#include "scratch.h"
#include "set_samples.h"

static congru_context *context;

enum { SUBJECTS = 5, GROUPS = 2 };
static const set_recipe five = {
    .subjects = SUBJECTS, .classes = 3, .per_class = 8, .d = 4, .sessions = 2, .effect = 0.8, .seed = 1};
static const char *const pipelines[] = {"ra+mdm",    "ra+tslr", "dct+mdm", "dct+tslr",
                                        "dldct-e2e", "spdnet",  "rpa+mdm"};
enum { PIPELINES = sizeof pipelines / sizeof pipelines[0] };

static congru_evaluation_options options_of(int groups)
{
    congru_evaluation_options options;
    congru_evaluation_options_init(&options);
    options.pipelines = pipelines;
    options.pipeline_count = PIPELINES;
    options.groups = groups;
    options.method.network.steps = 12;
    options.method.c = 1; /* a model chooses among the subjects, a fold among the groups */
    return options;
}

/* Whether both say the same of the subject, or of all (-1), to the bit. */
static bool same(const congru_results *a, const congru_results *b, int32_t subject)
{
    bool equal = a != NULL && b != NULL && a->folds == b->folds && a->folds > 0;
    for (size_t f = 0; equal && f < a->folds; f++) {
        const congru_fold *x = &a->fold[f], *y = &b->fold[f];
        if (subject >= 0 && x->subject != subject)
            continue;
        equal = x->subject == y->subject && x->samples == y->samples && x->train == y->train &&
                memcmp(x->trial, y->trial, x->samples * sizeof *x->trial) == 0 &&
                memcmp(x->probability, y->probability, x->samples * a->classes * sizeof(double)) == 0;
        if (!equal)
            printf("# %s, subject %d\n", a->pipeline[x->pipeline], (int)x->subject);
    }
    return equal;
}

TEST(groups_of_one_are_leave_one_out)
{
    congru_set *set = sample_set(context, &five);
    congru_evaluation_options each = options_of(0), groups = options_of(SUBJECTS);
    congru_results *a = evaluate_in(context, set, &each), *b = evaluate_in(context, set, &groups);
    CHECK(same(a, b, -1));
    congru_results_destroy(&a);
    congru_results_destroy(&b);
    congru_set_destroy(&set);
}

/* A fold of a group is a model fitted without the group, asked about the subject. */
TEST(folds_are_models_without_the_group)
{
    static const int32_t group[] = {0, 2, 4};
    congru_set *set = sample_set(context, &five);
    congru_evaluation_options options = options_of(GROUPS);
    congru_results *results = evaluate_in(context, set, &options);
    for (size_t p = 0; p < PIPELINES; p++) {
        congru_model_options fit;
        congru_model *model = NULL;
        congru_model_options_init(&fit);
        fit.pipeline = pipelines[p];
        fit.method = options.method;
        fit.without = group;
        fit.without_count = sizeof group / sizeof group[0];
        CHECK_SAYING(congru_model_fit(context, set, &fit, &model) == CONGRU_OK, "%s",
                     congru_context_error(context));
        for (size_t g = 0; g < fit.without_count; g++) {
            const congru_prediction_options ask = {.subjects = &group[g], .subject_count = 1};
            congru_predictions *made = NULL;
            const congru_fold *fold = NULL;
            CHECK_SAYING(congru_model_predict(context, model, set, &ask, &made) == CONGRU_OK, "%s",
                         congru_context_error(context));
            for (size_t f = 0; results != NULL && f < results->folds; f++)
                if (strcmp(results->pipeline[results->fold[f].pipeline], pipelines[p]) == 0 &&
                    results->fold[f].subject == group[g])
                    fold = &results->fold[f];
            CHECK_SAYING(made != NULL && fold != NULL && made->count == fold->samples && fold->train == 48 &&
                             memcmp(made->probability, fold->probability,
                                    made->count * set->classes * sizeof(double)) == 0,
                         "%s, subject %d", pipelines[p], (int)group[g]);
            congru_predictions_destroy(&made);
        }
        congru_model_destroy(&model);
    }
    congru_results_destroy(&results);
    congru_set_destroy(&set);
}

/* Neither the labels of those that are left out with a subject nor, but for their labels, their trials reach it. */
TEST(others_of_the_group_do_not_matter)
{
    congru_set *set = sample_set(context, &five), *other = sample_set(context, &five);
    congru_evaluation_options options = options_of(GROUPS);
    const size_t size = set->dimension * set->dimension;
    for (size_t i = 0; i < other->count; i++) {
        if (other->subject[i] != 2)
            continue;
        other->label[i] = (other->label[i] + 1) % 3;
        for (size_t e = 0; e < size; e++)
            other->covariance[i * size + e] *= 1.0 + 0.01 * (double)(i % 7);
    }
    congru_results *a = evaluate_in(context, set, &options), *b = evaluate_in(context, other, &options);
    CHECK(same(a, b, 0) && same(a, b, 4));
    CHECK_SAYING(!same(a, b, 1), "a subject that is fitted on changes nothing");
    congru_results_destroy(&a);
    congru_results_destroy(&b);
    congru_set_destroy(&set);
    congru_set_destroy(&other);
}

/* Labelled trials that rpa takes of a subject are its own, and not scored. */
TEST(labels_of_each_target_are_its_own)
{
    congru_set *set = sample_set(context, &five);
    congru_evaluation_options options = options_of(GROUPS);
    options.method.rpa_labels = 5;
    congru_results *results = evaluate_in(context, set, &options);
    for (size_t f = 0; results != NULL && f < results->folds; f++) {
        const congru_fold *fold = &results->fold[f];
        const bool asks = strcmp(results->pipeline[fold->pipeline], "rpa+mdm") == 0;
        CHECK(fold->calibration == (asks ? 12u : 0u) && fold->samples == (asks ? 12u : 24u));
        for (size_t i = 0; i < fold->samples; i++)
            CHECK(set->subject[fold->trial[i]] == fold->subject);
    }
    congru_results_destroy(&results);
    congru_set_destroy(&set);
}

TEST(threads_and_the_choice_of_subjects_change_nothing)
{
    static const int32_t some[] = {4, 1};
    congru_context *other = NULL;
    congru_set *set = sample_set(context, &five);
    congru_evaluation_options options = options_of(GROUPS);
    congru_results *all = evaluate_in(context, set, &options);
    if (congru_context_create(&other, &(congru_context_options){.threads = 3}) != CONGRU_OK)
        abort();
    congru_results *threads = evaluate_in(other, set, &options);
    CHECK(same(all, threads, -1));
    options.subjects = some;
    options.subject_count = 2;
    congru_results *few = evaluate_in(other, set, &options);
    CHECK(few != NULL && few->folds == 2 * PIPELINES);
    for (size_t f = 0; few != NULL && f < few->folds; f++) {
        const congru_fold *fold = &few->fold[f],
                          *whole = &all->fold[fold->pipeline * SUBJECTS + (size_t)fold->subject];
        CHECK(whole->subject == fold->subject && memcmp(whole->probability, fold->probability,
                                                        fold->samples * all->classes * sizeof(double)) == 0);
    }
    congru_results_destroy(&all);
    congru_results_destroy(&threads);
    congru_results_destroy(&few);
    congru_set_destroy(&set);
    congru_context_destroy(&other);
}

/* Whether two trainings were one, by their files: the name of pipeline and subject aside. */
static bool same_training(const char *folder, const char *a, const char *b)
{
    char *text[2] = {file_text(folder, a), file_text(folder, b)};
    const char *loss[2];
    for (int k = 0; k < 2; k++)
        loss[k] = text[k] != NULL ? strstr(text[k], "\"best_step\"") : NULL;
    CHECK_SAYING(loss[0] != NULL && loss[1] != NULL, "%s, %s", a, b);
    const bool equal = loss[0] != NULL && loss[1] != NULL && strcmp(loss[0], loss[1]) == 0;
    free(text[0]);
    free(text[1]);
    return equal;
}

/* Of a run that was killed some folds of a group are there: the others are made, with the same bits. */
TEST(a_group_is_taken_up_in_the_middle)
{
    char folder[512], path[600];
    congru_set *set = sample_set(context, &five);
    congru_evaluation_options options = options_of(GROUPS);
    snprintf(folder, sizeof folder, "%s/groups", scratch_folder());
    options.folder = folder;
    options.method.network.record = true;
    congru_results *whole = evaluate_in(context, set, &options);
    CHECK(same_training(folder, "training/dct+mdm-0.json", "training/dct+tslr-4.json"));
    CHECK(same_training(folder, "training/spdnet-1.json", "training/spdnet-3.json"));
    CHECK(!same_training(folder, "training/spdnet-1.json", "training/spdnet-2.json"));
    CHECK(!same_training(folder, "training/spdnet-0.json", "training/dldct-e2e-0.json"));
    static const char *const lost[] = {"ra+tslr/0", "ra+tslr/4", "dct+mdm/2", "dct+tslr/1", "spdnet/3"};
    const size_t count = sizeof lost / sizeof lost[0];
    for (size_t i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%s/folds/%s.csv", folder, lost[i]);
        CHECK_SAYING(remove(path) == 0, "%s", path);
    }
    congru_results *again = evaluate_in(context, set, &options);
    CHECK(again != NULL && again->resumed == SUBJECTS * PIPELINES - count && same(whole, again, -1));
    congru_results_destroy(&again);
    options.groups = 3;
    CHECK(congru_evaluate(context, set, &options, &again) == CONGRU_ERROR_ARGUMENT &&
          strstr(congru_context_error(context), "--groups 2 there, --groups 3 here") != NULL);
    congru_results_destroy(&whole);
    congru_set_destroy(&set);
}

TEST(splits_leave_the_group_out)
{
    congru_set *set = sample_set(context, &five);
    congru_evaluation_options options = options_of(GROUPS);
    int8_t *side = malloc(set->count);
    if (side == NULL)
        abort();
    for (int32_t s = 0; s < SUBJECTS; s++) {
        CHECK(congru_evaluation_split(context, set, &options, s, 0, side) == CONGRU_OK);
        for (size_t i = 0; i < set->count; i++)
            CHECK(side[i] == (set->subject[i] == s ? 1 : set->subject[i] % GROUPS == s % GROUPS ? -1 : 0));
    }
    free(side);
    congru_set_destroy(&set);
}

TEST(what_is_refused)
{
    static const struct {
        congru_protocol protocol;
        int groups, calibration;
        const char *words;
    } wrong[] = {
        {CONGRU_PROTOCOL_LOSO, 1, 0, "1 group of 5 subjects; --groups takes 2 to 5"},
        {CONGRU_PROTOCOL_LOSO, 6, 0, "6 groups of 5 subjects"},
        {CONGRU_PROTOCOL_LOSO, -2, 0, "--groups takes 2 to 5"},
        {CONGRU_PROTOCOL_LOSO, 2, 1, "does not go with --groups"},
        {CONGRU_PROTOCOL_FOLDS, 2, 0, "'congru loso' alone"},
    };
    congru_set *set = sample_set(context, &five);
    int8_t *side = malloc(set->count);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        congru_evaluation_options options = options_of(wrong[i].groups);
        congru_results *results = NULL;
        options.protocol = wrong[i].protocol;
        options.calibration = wrong[i].calibration;
        CHECK(congru_evaluate(context, set, &options, &results) == CONGRU_ERROR_ARGUMENT && results == NULL);
        CHECK_SAYING(strstr(congru_context_error(context), wrong[i].words) != NULL, "%s",
                     congru_context_error(context));
        CHECK(congru_evaluation_split(context, set, &options, 0, 0, side) == CONGRU_ERROR_ARGUMENT);
    }
    free(side);
    congru_set_destroy(&set);
}

int main(void)
{
    return scratch_main(&context, &(congru_context_options){.threads = 1});
}
