/* Options that are chosen on source subjects. SPDX-License-Identifier: Apache-2.0 */
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

enum { SUBJECTS = 5 };
static const set_recipe five = {
    .subjects = SUBJECTS, .classes = 3, .per_class = 8, .d = 4, .sessions = 1, .effect = 0.8, .seed = 3};

static congru_evaluation_options options_of(const char *const *pipeline, const char *choose)
{
    congru_evaluation_options options;
    congru_evaluation_options_init(&options);
    options.pipelines = pipeline;
    options.pipeline_count = 1;
    options.method.network.steps = 12;
    if (choose != NULL)
        CHECK_SAYING(congru_method_options_set(context, &options.method, NULL, "choose", choose) == CONGRU_OK,
                     "%s", congru_context_error(context));
    return options;
}

static const congru_fold *fold_of(const congru_results *results, int32_t subject)
{
    for (size_t f = 0; results != NULL && f < results->folds; f++)
        if (results->fold[f].subject == subject)
            return &results->fold[f];
    return NULL;
}

/* Of the predictions about a subject, to the bit. */
static bool same(const congru_results *a, const congru_results *b, int32_t subject)
{
    const congru_fold *x = fold_of(a, subject), *y = fold_of(b, subject);
    return x != NULL && y != NULL && x->samples == y->samples && x->samples > 0 &&
           memcmp(x->probability, y->probability, x->samples * a->classes * sizeof(double)) == 0;
}

static const char *chosen_for(const congru_results *results, int32_t subject)
{
    const congru_fold *fold = fold_of(results, subject);
    return fold != NULL && fold->chosen != NULL ? fold->chosen : "nothing";
}

/* Sets options to the values of "lambda-sub 0.05, steps 20". */
static void set_values(const char *words, congru_method_options *method)
{
    char text[256];
    snprintf(text, sizeof text, "%s", words);
    for (char *name = strtok(text, " "); name != NULL; name = strtok(NULL, " ")) {
        char *value = strtok(NULL, ",");
        CHECK_SAYING(value != NULL &&
                         congru_method_options_set(context, method, NULL, name, value) == CONGRU_OK,
                     "%s: %s", words, congru_context_error(context));
    }
}

/* What is chosen is refitted on all sources: a fold is that of a run with its values. */
TEST(folds_are_those_of_the_chosen_values)
{
    static const char *const pipeline[] = {"ddct-unet-e2e"};
    congru_set *set = sample_set(context, &five);
    congru_evaluation_options options = options_of(pipeline, "lambda-sub=0.01,2; steps=2,30");
    congru_results *results = evaluate_in(context, set, &options);
    bool several = false;
    for (int32_t s = 0; s < SUBJECTS; s++) {
        congru_evaluation_options plain = options_of(pipeline, NULL);
        plain.subjects = &s;
        plain.subject_count = 1;
        set_values(chosen_for(results, s), &plain.method);
        congru_results *own = evaluate_in(context, set, &plain);
        CHECK_SAYING(same(results, own, s), "subject %d: %s", (int)s, chosen_for(results, s));
        CHECK(strcmp(chosen_for(own, s), "nothing") == 0);
        several = several || strcmp(chosen_for(results, s), "lambda-sub 0.01, steps 2") != 0;
        congru_results_destroy(&own);
    }
    CHECK(several); /* the first combination is not simply what is always taken */
    congru_results_destroy(&results);
    congru_set_destroy(&set);
}

/* What a subject is recentred by is an option, too: each value has trials of its own. */
TEST(the_mean_of_alignment_is_chosen)
{
    static const char *const pipeline[] = {"ra+mdm"};
    congru_set *set = sample_set(context, &five);
    congru_evaluation_options options = options_of(pipeline, "ra-mean=euclid,riemann"),
                              other = options_of(pipeline, NULL);
    congru_results *results = evaluate_in(context, set, &options), *riemann = evaluate_in(context, set, &other);
    set_values("ra-mean euclid", &other.method);
    congru_results *euclid = evaluate_in(context, set, &other);
    CHECK(!same(riemann, euclid, 0));
    for (int32_t s = 0; s < SUBJECTS; s++)
        CHECK_SAYING(same(results, strcmp(chosen_for(results, s), "ra-mean euclid") == 0 ? euclid : riemann, s),
                     "%s", chosen_for(results, s));
    congru_results_destroy(&results);
    congru_results_destroy(&riemann);
    congru_results_destroy(&euclid);
    congru_set_destroy(&set);
}

/* The five subjects are in four groups where a network's options are chosen: the first and the last are one. With other labels
 * of theirs, by which a network that learns is always wrong, one that learns nothing would be best for them. */
TEST(labels_of_the_target_do_not_choose)
{
    static const char *const pipeline[] = {"dldct-e2e"};
    congru_set *set = sample_set(context, &five), *other = sample_set(context, &five);
    for (size_t i = 0; i < other->count; i++)
        if (other->subject[i] % 4 == 0)
            other->label[i] = (other->label[i] + 1) % 3;
    congru_evaluation_options options = options_of(pipeline, "steps=0,40; lambda-sub=0,0.05");
    congru_results *a = evaluate_in(context, set, &options), *b = evaluate_in(context, other, &options);
    for (int32_t s = 0; s < SUBJECTS; s += 4) {
        CHECK_SAYING(strncmp(chosen_for(a, s), "steps 40", 8) == 0, "%s", chosen_for(a, s));
        CHECK_SAYING(strcmp(chosen_for(a, s), chosen_for(b, s)) == 0, "%s, and %s", chosen_for(a, s),
                     chosen_for(b, s));
    }
    CHECK(fold_of(a, 0)->accuracy > 0.4 && fold_of(b, 0)->accuracy < 0.3);
    congru_results_destroy(&a);
    congru_results_destroy(&b);
    congru_set_destroy(&set);
    congru_set_destroy(&other);
}

/* C is one of the options: its own list, given, chooses as it does by itself. */
TEST(c_is_chosen_by_the_same_mechanism)
{
    static const char *const pipeline[] = {"ra+tslr"};
    congru_set *set = sample_set(context, &five);
    congru_evaluation_options usual = options_of(pipeline, NULL),
                              listed = options_of(pipeline, "C=1e-4,3e-4,1e-3,3e-3,1e-2,3e-2,0.1,0.3,1,3,10"),
                              few = options_of(pipeline, "C=1e-4,30");
    congru_results *a = evaluate_in(context, set, &usual), *b = evaluate_in(context, set, &listed),
                   *c = evaluate_in(context, set, &few);
    for (int32_t s = 0; s < SUBJECTS; s++) {
        CHECK(same(a, b, s) && strcmp(chosen_for(a, s), chosen_for(b, s)) == 0);
        CHECK_SAYING(strcmp(chosen_for(c, s), "C 0.0001") == 0 || strcmp(chosen_for(c, s), "C 30") == 0, "%s",
                     chosen_for(c, s));
    }
    CHECK(a != NULL && a->note_count == 0 && b != NULL && b->note_count == 1);
    congru_results_destroy(&a);
    congru_results_destroy(&b);
    congru_results_destroy(&c);
    congru_set_destroy(&set);
}

/* A model chooses as the fold does, keeps what it chose, and says it. */
TEST(models_choose_as_folds_do)
{
    static const char *const pipeline[] = {"dct+tslr"};
    const int32_t subject = 1;
    congru_set *set = sample_set(context, &five);
    congru_evaluation_options options = options_of(pipeline, "delta=0.1,1.5; C=0.1,1");
    congru_results *results = evaluate_in(context, set, &options);
    congru_model_options fit;
    congru_model *model = NULL;
    congru_predictions *made = NULL;
    congru_model_options_init(&fit);
    fit.pipeline = pipeline[0];
    fit.method = options.method;
    fit.without = &subject;
    fit.without_count = 1;
    CHECK_SAYING(congru_model_fit(context, set, &fit, &model) == CONGRU_OK, "%s",
                 congru_context_error(context));
    const congru_prediction_options ask = {.subjects = &subject, .subject_count = 1};
    CHECK(model != NULL && congru_model_predict(context, model, set, &ask, &made) == CONGRU_OK);
    const congru_fold *fold = fold_of(results, subject);
    CHECK(made != NULL && fold != NULL &&
          memcmp(made->probability, fold->probability, made->count * set->classes * sizeof(double)) == 0);
    const char *name, *text, *chosen = "nothing";
    for (size_t i = 0; model != NULL && congru_model_text(model, i, &name, &text); i++)
        chosen = strcmp(name, "chosen") == 0 ? text : chosen;
    CHECK_SAYING(fold != NULL && strcmp(chosen, fold->chosen) == 0, "%s", chosen);
    congru_predictions_destroy(&made);
    congru_model_destroy(&model);
    congru_results_destroy(&results);
    congru_set_destroy(&set);
}

/* A run that goes on reads what was chosen, and the folder tells it. */
TEST(choices_are_kept_and_taken_up)
{
    static const char *const pipeline[] = {"dldct-e2e"};
    char folder[512];
    congru_set *set = sample_set(context, &five);
    congru_evaluation_options options = options_of(pipeline, "steps=2,12,20");
    congru_results *whole = evaluate_in(context, set, &options), *read = NULL;
    snprintf(folder, sizeof folder, "%s", path_in("choices"));
    options.folder = folder;
    options.subjects = (const int32_t[]){3};
    options.subject_count = 1;
    congru_results *first = evaluate_in(context, set, &options);
    congru_results_destroy(&first);
    options.subjects = NULL;
    options.subject_count = 0;
    congru_results *rest = evaluate_in(context, set, &options);
    CHECK(rest != NULL && rest->resumed == 1);
    CHECK_SAYING(congru_results_read(context, folder, &read) == CONGRU_OK, "%s", congru_context_error(context));
    for (int32_t s = 0; s < SUBJECTS; s++) {
        CHECK(same(whole, rest, s) && same(whole, read, s));
        CHECK_SAYING(strcmp(chosen_for(whole, s), chosen_for(read, s)) == 0 &&
                         strcmp(chosen_for(whole, s), chosen_for(rest, s)) == 0,
                     "%s, and %s", chosen_for(whole, s), chosen_for(read, s));
    }
    CHECK(read != NULL && read->note_count == 1);
    CHECK(strstr(read->note[0], "dldct-e2e chose on source subjects: steps ") == read->note[0]);
    options.method = options_of(pipeline, "steps=2,20").method;
    congru_results *none = NULL;
    CHECK(congru_evaluate(context, set, &options, &none) == CONGRU_ERROR_ARGUMENT && none == NULL);
    congru_results_destroy(&whole);
    congru_results_destroy(&rest);
    congru_results_destroy(&read);
    congru_set_destroy(&set);
}

/* Inside subjects, by what does best for subjects of other groups. */
TEST(options_are_chosen_inside_subjects)
{
    static const char *const pipeline[] = {"dct-e2e"};
    congru_set *set = sample_set(context, &five);
    congru_evaluation_options options = options_of(pipeline, "steps=0,12");
    options.protocol = CONGRU_PROTOCOL_FOLDS;
    options.folds = 3;
    congru_results *results = evaluate_in(context, set, &options);
    for (int32_t s = 0; s < SUBJECTS; s++) {
        congru_evaluation_options plain = options_of(pipeline, NULL);
        plain.protocol = CONGRU_PROTOCOL_FOLDS;
        plain.folds = 3;
        plain.subjects = &s;
        plain.subject_count = 1;
        set_values(chosen_for(results, s), &plain.method);
        congru_results *own = evaluate_in(context, set, &plain);
        CHECK_SAYING(same(results, own, s), "subject %d: %s", (int)s, chosen_for(results, s));
        congru_results_destroy(&own);
    }
    congru_results_destroy(&results);
    congru_set_destroy(&set);
}

static void check_refused(const congru_set *set, const char *pipeline, const char *choose, const char *words)
{
    congru_evaluation_options options = options_of(&pipeline, choose);
    congru_results *results = NULL;
    CHECK_SAYING(congru_evaluate(context, set, &options, &results) == CONGRU_ERROR_ARGUMENT &&
                     strstr(congru_context_error(context), words) != NULL &&
                     strchr(congru_context_error(context), '\n') == NULL,
                 "%s: %s", choose, congru_context_error(context));
    congru_results_destroy(&results);
}

TEST(what_cannot_be_chosen_is_refused)
{
    congru_set *set = sample_set(context, &five);
    check_refused(set, "dct-e2e", "lambda-sub=0.01,0.05", "--choose lambda-sub: no pipeline has this option");
    check_refused(set, "dct-e2e", "C=0.01,0.05", "--choose C: no pipeline has this option");
    check_refused(set, "dct-e2e", "weights", "--choose weights: no pipeline has several branches");
    check_refused(set, "dct-e2e", "delta=1,2,3,4,5; alpha=1,2,3,4,5; beta=1,2,3", "more than 64 combinations");
    congru_evaluation_options options = options_of((const char *const[]){"dct-e2e"}, "delta=1,2");
    double *out = malloc(set->count * 16 * sizeof *out);
    CHECK(congru_pipeline_represent(context, set, &options, "dct-e2e", 0, out) == CONGRU_ERROR_ARGUMENT);
    free(out);
    congru_set_destroy(&set);
}

/* Branches have what their definition states; the others choose, and the pipeline says from what. */
TEST(definitions_choose_for_themselves)
{
    static const char *const pipeline[] = {"two"};
    static const char text[] = "pipeline = two\nchoose = steps=3,12\nchoose = weights\nbranch = a\n"
                               "method = dct-e2e\nbranch = b\nmethod = dldct-e2e\nsteps = 4\n";
    congru_set *set = sample_set(context, &five);
    CHECK_SAYING(congru_pipeline_define(context, "here", text) == CONGRU_OK, "%s",
                 congru_context_error(context));
    congru_evaluation_options options = options_of(pipeline, NULL);
    congru_results *results = evaluate_in(context, set, &options);
    for (int32_t s = 0; s < SUBJECTS; s++) {
        const char *chosen = chosen_for(results, s);
        CHECK_SAYING(strncmp(chosen, "a weight ", 9) == 0 && strstr(chosen, ", b weight ") != NULL &&
                         (strstr(chosen, ", steps 3") != NULL || strstr(chosen, ", steps 12") != NULL),
                     "%s", chosen);
    }
    check_refused(set, "two", "steps=1,2", "--choose steps: no pipeline has this option");
    CHECK(congru_pipeline_define(context, "here",
                                 "pipeline = three\nchoose = delta=1,2\nbranch = b\nmethod = dldct-e2e\n") ==
          CONGRU_ERROR_ARGUMENT);
    CHECK_SAYING(strstr(congru_context_error(context), "choose delta: no branch of the pipeline") != NULL, "%s",
                 congru_context_error(context));
    congru_results_destroy(&results);
    congru_set_destroy(&set);
}

int main(void)
{
    return scratch_main(&context, &(congru_context_options){.threads = 2});
}
