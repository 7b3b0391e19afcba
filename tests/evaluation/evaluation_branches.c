/* Pipelines of several branches: defined, chosen on the sources, without a leak, the same bits everywhere. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array/source.h"
#include "base/error.h"
#include "base/text.h"
#include "congru/congru.h"
#include "context_main.h"
#include "evaluation/combine.h"
#include "evaluation/table_digest.h"
#include "evaluation/workers.h"
#include "harness.h"
#include "scratch.h"
#include "set_samples.h"

enum {
    CHANNELS = 4,
    RATE = 100,
    SAMPLES = 500,
    SUBJECTS = 5,
    EACH = 24,
    TRIALS = SUBJECTS * EACH,
    CLASSES = 2
};

static congru_context *context;
static const double pi = 3.14159265358979323846;
static const char *const all[] = {"motor", "slow", "motor+slow"};

static bool error_has(const char *text)
{
    bool has = strstr(congru_context_error(context), text) != NULL;
    if (!has)
        printf("# %s\n", congru_context_error(context));
    return has;
}

/* Class a has 11 Hz in the first channel after the cue, class b in the second, and another slow wave each; mixed anew for
 * each subject. */
static congru_set *make_set(void)
{
    double *x = malloc((size_t)TRIALS * CHANNELS * SAMPLES * sizeof *x);
    int32_t label[TRIALS], subject[TRIALS];
    congru_random random = congru_random_stream(7, 1, 2, 3);
    CHECK(x != NULL);
    for (size_t i = 0; i < TRIALS; i++) {
        double phase = 6 * congru_random_uniform(&random);
        label[i] = (int32_t)(congru_random_index(&random, 2));
        subject[i] = (int32_t)(i / EACH);
        for (size_t c = 0; c < CHANNELS; c++)
            for (size_t t = 0; t < SAMPLES; t++) {
                double time = (double)t / RATE - 0.5, gain = 1 + 0.3 * (double)((c + (size_t)subject[i]) % 3);
                double wave = c == (size_t)label[i] && time > 0 ? 0.8 * sin(2 * pi * 11 * time + phase) : 0;
                double slow =
                    c == 2 && time > 0 && time < 1 ? (label[i] == 0 ? 0.6 : -0.6) * sin(pi * time) : 0;
                x[(i * CHANNELS + c) * SAMPLES + t] = gain * (wave + slow + congru_random_normal(&random));
            }
    }
    const signals_recipe recipe = {TRIALS, CHANNELS, SAMPLES, CLASSES, SUBJECTS, RATE, -0.5};
    congru_set *made = signals_set(context, &recipe, x, label, subject);
    free(x);
    return made;
}

/* ---- Definitions ---------------------------------------------------------------------------------------- */

TEST(names_and_definitions)
{
    congru_pipeline_description about;
    congru_pipeline pipeline;
    char text[4000];
    CHECK(congru_pipeline_describe(context, "motor+slow", &about) == CONGRU_OK);
    CHECK(about.branches == 4 && about.needs_signals && !about.embeds && about.network == NULL);
    CHECK(congru_pipeline_parse(context, "motor", &pipeline) == CONGRU_OK);
    CHECK(pipeline.branches == 3 && pipeline.branch[2].blocks == 20 && pipeline.choose_c);
    CHECK(pipeline.branch[2].block[1].band[0] == 8 && pipeline.branch[2].block[1].window[0] == 1.2);
    CHECK(pipeline.branch[2].block[4].band[0] == 10 && pipeline.branch[1].block[0].shrinkage == 0.005);
    congru_pipeline_clear(&pipeline);
    CHECK(congru_pipeline_explain(context, "slow", text, sizeof text) == CONGRU_OK);
    CHECK(strstr(text, "slow: ea+bins; ") != NULL);
    CHECK(strstr(text, "0 to 12 Hz (Butterworth of order 3, zero phase)") != NULL);
    CHECK(congru_pipeline_explain(context, "eegnet", text, sizeof text) == CONGRU_OK);
    CHECK(strstr(text, "eegnet: eegnet; ") != NULL);
    CHECK(congru_pipeline_define(
              context, "mine.txt",
              "pipeline = two\n# a comment\nwindow = 0:2\nmethod = ra+mdm\nbranch = mu\n"
              "band = 8:13\nbranch = fixed\nmethod = ra+tslr\nband = 13:30\nC = 0.5\nweight = 2\n") ==
          CONGRU_OK);
    CHECK(congru_pipeline_parse(context, "two", &pipeline) == CONGRU_OK);
    CHECK(pipeline.branches == 2 && pipeline.branch[1].weight == 2 && !pipeline.choose_weights);
    CHECK(pipeline.branch[0].block[0].window[1] == 2 && pipeline.branch[1].block[0].window[1] == 2);
    congru_pipeline_clear(&pipeline);
}

/* What the branches of a pipeline read of one band and window is aligned once where that is the same for all of them, and
 * each has what it needs: a network matrices of its own, an aligner its own training. */
TEST(branches_of_one_band_do_not_share_too_much)
{
    static const char *const names[] = {"mixed", "short-long", "long-short"};
    congru_set *set = make_set();
    congru_evaluation_options options;
    congru_evaluation_options_init(&options);
    options.pipeline_count = 1;
    options.subjects = (const int32_t[]){1};
    options.subject_count = 1;
    CHECK(congru_pipeline_define(context, "one band",
                                 "pipeline = mixed\nband = 8:14\nwindow = 0:2\nbranch = a\nmethod = ra+tslr\n"
                                 "branch = b\nmethod = dldct-e2e\nsteps = 3\nbranch = c\nmethod = ra+mdm\n"
                                 "pipeline = short-long\nband = 8:14\nwindow = 0:2\nmethod = dldct+mdm\n"
                                 "branch = short\nsteps = 2\nbranch = long\nsteps = 80\n"
                                 "pipeline = long-short\nband = 8:14\nwindow = 0:2\nmethod = dldct+mdm\n"
                                 "branch = long\nsteps = 80\nbranch = short\nsteps = 2\n") == CONGRU_OK);
    congru_results *results[3];
    for (size_t i = 0; i < 3; i++) { /* each alone: folds of one run have what they share */
        options.pipelines = &names[i];
        results[i] = evaluate_in(context, set, &options);
        CHECK(results[i]->folds == 1 && results[i]->fold[0].samples == EACH);
    }
    CHECK(memcmp(results[1]->fold[0].probability, results[2]->fold[0].probability,
                 EACH * CLASSES * sizeof(double)) == 0);
    for (size_t i = 0; i < 3; i++)
        congru_results_destroy(&results[i]);
    congru_set_destroy(&set);
}

TEST(wrong_definitions_are_told)
{
    static const struct {
        const char *text, *error;
    } wrong[] = {
        {"band = 8:30\n", "w: line 1: the first line is pipeline = NAME"},
        {"pipeline = x\nbranch = a\n\nbanana\n", "w: line 4: not a line of KEY = VALUE"},
        {"pipeline = x\nbranch = a\nmethod = ra+ridge\ncolour = red\n", "w: line 4: no such key"},
        {"pipeline = x\nbranch = a\nmethod = ra+nothing\n", "there is no classifier 'nothing'"},
        {"pipeline = x\nbranch = a\nmethod = ra+ridge\nC = much\n", "line 4: C"},
        {"pipeline = x\nbranch = a\nmethod = ra+ridge\nband = 30:8\n", "30:8"},
        {"pipeline = x\nbranch = a\nmethod = ra+mdm\nband = 8:12, 12:20\n",
         "joined by a classifier of features"},
        {"pipeline = x\nbranch = a\nmethod = rpa+mdm\n", "may not ask for labels"},
        {"pipeline = x\ntitle = nothing in it\n", "a pipeline without a branch"},
        {"pipeline = motor\nbranch = a\nmethod = ra+mdm\n", "there is a pipeline 'motor' already"},
        {"pipeline = ra+mdm\nbranch = a\nmethod = ra+mdm\n", "there is a pipeline 'ra+mdm' already"},
        {"pipeline = x\nbranches = y\n", "no such pipeline"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        CHECK(congru_pipeline_define(context, "w", wrong[i].text) == CONGRU_ERROR_ARGUMENT);
        CHECK_SAYING(error_has(wrong[i].error), "%s", wrong[i].text);
    }
    CHECK(congru_pipeline_check(context, "x") == CONGRU_ERROR_ARGUMENT);
}

/* ---- Weights -------------------------------------------------------------------------------------------- */

/* One branch knows the class in four of five trials, one in none, and one says the contrary. */
TEST(weights_are_learned)
{
    enum { N = 200 };
    double said[3][N * 2], weight[3], loss, probability[N * 2];
    int32_t label[N];
    congru_random random = congru_random_stream(1, 1, 1, 1);
    for (size_t i = 0; i < N; i++) {
        label[i] = (int32_t)congru_random_index(&random, 2);
        for (size_t b = 0; b < 3; b++) {
            bool right = b == 0 ? i % 5 != 0 : b == 1 ? congru_random_index(&random, 2) == 0 : i % 5 == 1;
            size_t prediction = right ? (size_t)label[i] : 1 - (size_t)label[i];
            said[b][2 * i + prediction] = log(0.6);
            said[b][2 * i + 1 - prediction] = log(0.4);
        }
    }
    const congru_opinions opinions = {
        .branches = 3, .count = N, .classes = 2, .log_probability = {said[0], said[1], said[2]}};
    CHECK(congru_opinions_learn(context, &opinions, label, weight, &loss) == CONGRU_OK);
    CHECK(weight[0] > 2 && weight[1] >= 0 && weight[1] < 1 && weight[2] == 0);
    CHECK(loss < 0.55);
    /* Alone, the factor makes the probability that of being right: logit(0.8) / logit(0.6). */
    const congru_opinions one = {.branches = 1, .count = N, .classes = 2, .log_probability = {said[0]}};
    CHECK(congru_opinions_learn(context, &one, label, weight, &loss) == CONGRU_OK);
    CHECK_NEAR(weight[0], log(4.0) / log(1.5), 1e-4);
    congru_opinions_combine(&one, weight, probability);
    CHECK_NEAR(probability[0] + probability[1], 1, 1e-15);
    CHECK_NEAR(fmax(probability[0], probability[1]), 0.8, 1e-4);
}

/* ---- Folds ---------------------------------------------------------------------------------------------- */

static congru_results *run_on(congru_context *with, const congru_set *set, congru_target target,
                              const char *folder, const int32_t *subject)
{
    congru_evaluation_options options;
    congru_results *results = NULL;
    congru_evaluation_options_init(&options);
    options.pipelines = all;
    options.pipeline_count = 3;
    options.target = target;
    options.folder = folder;
    options.subjects = subject;
    options.subject_count = subject != NULL ? 1 : 0;
    CHECK_SAYING(congru_evaluate(with, set, &options, &results) == CONGRU_OK, "%s", congru_context_error(with));
    return results;
}

static bool same_folds(const congru_results *a, const congru_results *b, size_t trials)
{
    bool same = a != NULL && b != NULL && a->folds == b->folds;
    for (size_t i = 0; same && i < a->folds; i++)
        same =
            memcmp(a->fold[i].probability, b->fold[i].probability,
                   (trials < a->fold[i].samples ? trials : a->fold[i].samples) * CLASSES * sizeof(double)) == 0;
    return same;
}

TEST(views_decode_and_threads_do_not_matter)
{
    congru_set *set = make_set();
    congru_results *one = NULL, *two = NULL, *plain = NULL;
    congru_context *single, *base;
    CHECK(congru_context_create(&single, &(congru_context_options){.threads = 1}) == CONGRU_OK);
    CHECK(congru_context_create(&base, &(congru_context_options){.threads = 3, .cpu = "base"}) == CONGRU_OK);
    one = run_on(single, set, CONGRU_TARGET_FULL, NULL, NULL);
    two = run_on(context, set, CONGRU_TARGET_FULL, NULL, NULL);
    plain = run_on(base, set, CONGRU_TARGET_FULL, NULL, NULL);
    CHECK(same_folds(one, two, TRIALS) && same_folds(one, plain, TRIALS));
    congru_summary summary[3];
    CHECK(one != NULL && one->pipelines == 3 && congru_results_summarise(context, one, summary) == CONGRU_OK);
    for (size_t p = 0; p < 3; p++)
        CHECK_SAYING(summary[p].mean > 0.65, "%s: %g", one->pipeline[p], summary[p].mean);
    congru_results_destroy(&one);
    congru_results_destroy(&two);
    congru_results_destroy(&plain);
    congru_context_destroy(&single);
    congru_context_destroy(&base);
    congru_set_destroy(&set);
}

/* Balance is of the sum of the branches, once. */
TEST(sums_of_branches_are_balanced)
{
    congru_set *set = make_set();
    congru_evaluation_options options;
    congru_results *plain = run_on(context, set, CONGRU_TARGET_FULL, NULL, NULL), *balanced = NULL;
    congru_evaluation_options_init(&options);
    options.pipelines = all;
    options.pipeline_count = 3;
    options.method.balance = true;
    CHECK_SAYING(congru_evaluate(context, set, &options, &balanced) == CONGRU_OK, "%s",
                 congru_context_error(context));
    CHECK(plain != NULL && balanced != NULL && balanced->folds == 3 * SUBJECTS);
    for (size_t f = 0; balanced != NULL && f < balanced->folds; f++) {
        double z[EACH * CLASSES];
        for (size_t i = 0; i < EACH * CLASSES; i++)
            z[i] = log(fmax(plain->fold[f].probability[i], 1e-300));
        CHECK(congru_balance_classes(context, EACH, CLASSES, z) == CONGRU_OK);
        for (size_t i = 0; i < EACH * CLASSES; i++)
            CHECK_NEAR(balanced->fold[f].probability[i], exp(z[i]), 1e-12);
        CHECK(memcmp(balanced->fold[f].probability, plain->fold[f].probability, sizeof z) != 0);
    }
    congru_results_destroy(&plain);
    congru_results_destroy(&balanced);
    congru_set_destroy(&set);
}

/* What the target's labels are changes no bit of its answers; those of a source subject do. */
TEST(labels_of_the_target_do_not_matter)
{
    const int32_t target = 2;
    for (int mode = 0; mode < 2; mode++) {
        congru_set *set = make_set(), *other = make_set(), *source = make_set();
        for (size_t i = 0; i < TRIALS; i++) {
            if (other->subject[i] == target)
                other->label[i] = 1 - other->label[i];
            if (source->subject[i] == 4 && i % 3 == 0)
                source->label[i] = 1 - source->label[i];
        }
        congru_target seen = mode == 0 ? CONGRU_TARGET_FULL : CONGRU_TARGET_ONLINE;
        congru_results *a = run_on(context, set, seen, NULL, &target),
                       *b = run_on(context, other, seen, NULL, &target),
                       *c = run_on(context, source, seen, NULL, &target);
        CHECK(same_folds(a, b, TRIALS));
        CHECK(!same_folds(a, c, TRIALS));
        congru_results_destroy(&a);
        congru_results_destroy(&b);
        congru_results_destroy(&c);
        congru_set_destroy(&set);
        congru_set_destroy(&other);
        congru_set_destroy(&source);
    }
}

/* Nor, with its own, do those of subjects that are left out with it, where C, weights and fits made together are of all of a group. */
TEST(labels_of_the_group_do_not_matter)
{
    const int32_t target = 3;
    congru_evaluation_options options;
    congru_results *results[3] = {NULL};
    congru_evaluation_options_init(&options);
    options.pipelines = all;
    options.pipeline_count = 3;
    options.groups = 3; /* 0 and 3, 1 and 4, and 2 */
    options.subjects = &target;
    options.subject_count = 1;
    for (int32_t k = 0; k < 3; k++) {
        congru_set *set = make_set();
        for (size_t i = 0; i < TRIALS; i++)
            if ((k == 1 && set->subject[i] % 3 == 0) || (k == 2 && set->subject[i] == 4 && i % 3 == 0))
                set->label[i] = 1 - set->label[i];
        CHECK_SAYING(congru_evaluate(context, set, &options, &results[k]) == CONGRU_OK, "%s",
                     congru_context_error(context));
        congru_set_destroy(&set);
    }
    CHECK(same_folds(results[0], results[1], TRIALS));
    CHECK(!same_folds(results[0], results[2], TRIALS));
    for (size_t k = 0; k < 3; k++)
        congru_results_destroy(&results[k]);
}

/* Online, the predictions about the first trials stand whatever comes later. */
TEST(later_trials_do_not_matter_online)
{
    const int32_t target = 1;
    const size_t before = 10, size = (size_t)CHANNELS * SAMPLES;
    congru_set *set = make_set(), *other = make_set();
    for (size_t k = (EACH + before) * size; k < 2 * EACH * size; k++)
        other->signals[k] *= 3.0 + (double)(k % 7);
    congru_results *a = run_on(context, set, CONGRU_TARGET_ONLINE, NULL, &target),
                   *b = run_on(context, other, CONGRU_TARGET_ONLINE, NULL, &target),
                   *c = run_on(context, other, CONGRU_TARGET_FULL, NULL, &target),
                   *d = run_on(context, set, CONGRU_TARGET_FULL, NULL, &target);
    CHECK(same_folds(a, b, before) && !same_folds(a, b, TRIALS));
    CHECK(!same_folds(c, d, before)); /* with all of it seen they do */
    congru_results_destroy(&a);
    congru_results_destroy(&b);
    congru_results_destroy(&c);
    congru_results_destroy(&d);
    congru_set_destroy(&set);
    congru_set_destroy(&other);
}

/* A model trained without a subject answers about it as the fold did, to the bit; saved and loaded. */
static void check_model(const congru_set *set, const congru_results *results, const char *pipeline,
                        int32_t target, const char *path)
{
    congru_model_options options;
    congru_model *model = NULL;
    congru_predictions *made = NULL;
    const congru_prediction_options ask = {.subjects = &target, .subject_count = 1};
    congru_model_options_init(&options);
    options.pipeline = pipeline;
    options.without = &target;
    options.without_count = 1;
    CHECK_SAYING(congru_model_fit(context, set, &options, &model) == CONGRU_OK, "%s",
                 congru_context_error(context));
    CHECK(congru_model_save(context, model, path) == CONGRU_OK);
    congru_model_destroy(&model);
    CHECK_SAYING(congru_model_load(context, path, &model) == CONGRU_OK, "%s", congru_context_error(context));
    congru_pipeline_description about;
    CHECK(congru_pipeline_describe(context, pipeline, &about) == CONGRU_OK &&
          congru_model_needs_signals(model) == about.needs_signals);
    CHECK_SAYING(congru_model_predict(context, model, set, &ask, &made) == CONGRU_OK, "%s",
                 congru_context_error(context));
    const congru_fold *fold = NULL;
    for (size_t i = 0; results != NULL && i < results->folds; i++)
        if (strcmp(results->pipeline[results->fold[i].pipeline], pipeline) == 0)
            fold = &results->fold[i];
    CHECK_SAYING(made != NULL && fold != NULL && made->count == fold->samples &&
                     memcmp(made->probability, fold->probability, made->count * CLASSES * sizeof(double)) == 0,
                 "%s", pipeline);
    congru_predictions_destroy(&made);
    congru_model_destroy(&model);
}

TEST(models_answer_as_folds_do)
{
    const int32_t target = 3;
    congru_set *set = make_set();
    congru_results *results = run_on(context, set, CONGRU_TARGET_FULL, NULL, &target);
    char path[600];
    snprintf(path, sizeof path, "%s/model", scratch_folder());
    for (size_t p = 0; p < 3; p++)
        check_model(set, results, all[p], target, path);
    congru_results_destroy(&results);
    congru_set_destroy(&set);
}

/* Branches of features that have no band or window, and what decides about signals alone. */
TEST(models_without_blocks_answer_as_folds_do)
{
    static const char *const names[] = {"ea+bins",    "none+bins",     "eab",
                                        "two-ridges", "ridge-and-mdm", "bins-and-blocks"};
    enum { NAMES = sizeof names / sizeof names[0] };
    const int32_t target = 1;
    congru_set *set = make_set();
    congru_preprocessing raw;
    congru_evaluation_options options;
    congru_results *results = NULL;
    char path[600];
    snprintf(path, sizeof path, "%s/model", scratch_folder());
    congru_preprocessing_init_raw(&raw);
    CHECK(congru_set_estimate(context, set, &raw) == CONGRU_OK);
    CHECK(congru_pipeline_define(context, "here",
                                 "pipeline = eab\nbranch = a\nmethod = ea+bins\n"
                                 "pipeline = two-ridges\nbranch = a\nmethod = ra+ridge\nbranch = b\n"
                                 "method = none+ridge\nC = 0.5\n"
                                 "pipeline = ridge-and-mdm\nbranch = a\nmethod = ra+ridge\nbranch = b\n"
                                 "method = ra+mdm\n"
                                 "pipeline = bins-and-blocks\nbranch = a\nmethod = ea+bins\nbranch = b\n"
                                 "method = ra+ridge\nband = 8:13, 13:30\n") == CONGRU_OK);
    congru_evaluation_options_init(&options);
    options.pipelines = names;
    options.pipeline_count = NAMES;
    options.subjects = &target;
    options.subject_count = 1;
    CHECK_SAYING(congru_evaluate(context, set, &options, &results) == CONGRU_OK, "%s",
                 congru_context_error(context));
    for (size_t p = 0; p < NAMES; p++)
        check_model(set, results, names[p], target, path);
    congru_results_destroy(&results);
    congru_set_destroy(&set);
}

/* The file of a pipeline's training from its losses on; the caller frees it. */
static char *losses_of(const char *folder, const char *pipeline)
{
    char path[600], *text = calloc(1, 1 << 16), *found = NULL;
    snprintf(path, sizeof path, "%s/training/%s-2.json", folder, pipeline);
    FILE *file = fopen(path, "r");
    CHECK_SAYING(file != NULL && text != NULL && fread(text, 1, (1 << 16) - 1, file) > 0, "%s", path);
    if (text != NULL && (found = strstr(text, "\"best_step\"")) != NULL)
        memmove(text, found, strlen(found) + 1);
    if (file != NULL)
        fclose(file);
    return text;
}

/* Networks that run side by side have each a record of its own; a pipeline that has one among its branches has that one's. */
TEST(trainings_are_kept_apart)
{
    static const char *const names[] = {"shallow", "eegnet", "beside"};
    enum { SHALLOW, EEGNET, BESIDE, NAMES };
    const int32_t target = 2;
    char folder[512], *loss[NAMES];
    congru_set *set = make_set();
    congru_evaluation_options options;
    congru_results *results = NULL;
    congru_evaluation_options_init(&options);
    CHECK(congru_pipeline_define(context, "here", "pipeline = beside\nbranches = slow, eegnet\n") == CONGRU_OK);
    snprintf(folder, sizeof folder, "%s/apart", scratch_folder());
    options.pipelines = names;
    options.pipeline_count = NAMES;
    options.subjects = &target;
    options.subject_count = 1;
    options.folder = folder;
    options.method.network.steps = 3;
    options.method.network.record = true;
    CHECK_SAYING(congru_evaluate(context, set, &options, &results) == CONGRU_OK, "%s",
                 congru_context_error(context));
    for (size_t i = 0; i < NAMES; i++)
        loss[i] = losses_of(folder, names[i]);
    CHECK(strcmp(loss[SHALLOW], loss[EEGNET]) != 0 && strcmp(loss[EEGNET], loss[BESIDE]) == 0);
    for (size_t i = 0; i < NAMES; i++)
        free(loss[i]);
    congru_results_destroy(&results);
    congru_set_destroy(&set);
}

/* A set of covariances cannot serve, and says so before anything is run. */
TEST(covariances_are_not_enough)
{
    congru_set *set = make_set();
    congru_preprocessing raw;
    congru_preprocessing_init_raw(&raw);
    CHECK(congru_set_preprocess(context, set, &raw) == CONGRU_OK);
    congru_set alone = *set;
    alone.signals = NULL;
    congru_evaluation_options options;
    congru_results *results = NULL;
    congru_evaluation_options_init(&options);
    options.pipelines = all;
    options.pipeline_count = 1;
    CHECK(congru_evaluate(context, &alone, &options, &results) == CONGRU_ERROR_ARGUMENT);
    CHECK(error_has("pipeline 'motor': holds covariances alone, and signals are needed"));
    CHECK(congru_pipeline_suits(context, &alone, "motor") == CONGRU_ERROR_ARGUMENT);
    CHECK(congru_pipeline_suits(context, set, "motor") == CONGRU_OK);
    congru_set_destroy(&set);
}

/* ---- Stopping ------------------------------------------------------------------------------------------- */

typedef struct stopper {
    atomic_size_t calls, begun, heard;
    size_t after; /* calls until it says stop */
} stopper;

static bool count_calls(void *user, size_t done, size_t total)
{
    stopper *s = user;
    return done == 0 && total == 100 && ++s->calls < s->after;
}

/* As long work does, which asks between its parts. */
static congru_status work(void *user, size_t job, congru_context *own)
{
    stopper *s = user;
    (void)job;
    s->begun++;
    for (double start = congru_seconds(); congru_seconds() < start + 20;)
        if (own->progress == NULL || !own->progress(own->progress_user, 0, 1)) {
            s->heard++;
            return congru_fail(own, CONGRU_ERROR_CANCELLED, "stopped");
        }
    return CONGRU_OK;
}

/* Filters, features and choices are most of a run of branches, and come before its first fold. */
TEST(stopping_is_heard_before_the_first_fold)
{
    for (int threads = 1; threads <= 4; threads++)
        for (size_t after = 1; after <= 3; after++) {
            stopper s = {.after = after};
            congru_context *own = NULL;
            congru_workers workers;
            congru_context_options options = {.threads = threads, .progress = count_calls, .progress_user = &s};
            CHECK(congru_context_create(&own, &options) == CONGRU_OK);
            CHECK(congru_workers_start(own, 100, &workers) == CONGRU_OK);
            CHECK(congru_workers_run(&workers, 100, work, &s) == CONGRU_ERROR_CANCELLED);
            CHECK_SAYING(s.calls == after, "%zu calls, not %zu", (size_t)s.calls, after);
            CHECK_SAYING(s.begun <= (size_t)threads && s.heard == s.begun, "%zu jobs, %zu stopped",
                         (size_t)s.begun, (size_t)s.heard);
            congru_workers_end(&workers);
            CHECK(own->progress == count_calls && own->progress_user == &s);
            congru_context_destroy(&own);
        }
}

/* A run that is taken up does not choose again: what was chosen is in the folder, to the bit, and is what folds are run with. */
/* The file of the choices of motor+slow, with the digest that goes with its rows. */
static void put_choices(const char *folder, const char *rows)
{
    congru_text text = {0};
    congru_text_add_bytes(&text, rows, (size_t)(strstr(rows, "\ndigest,") + 1 - rows));
    CHECK(congru_table_digest_add(context, "motor+slow", &text) == CONGRU_OK);
    put_file(folder, "choices/motor+slow.csv", text.data);
    congru_text_clear(&text);
}

TEST(what_was_chosen_is_kept)
{
    static const char *const one[] = {"slow", "motor+slow"};
    char folder[512], kept[600], folds[600], *text = NULL;
    size_t size;
    congru_set *set = make_set();
    congru_evaluation_options options;
    congru_results *results = NULL;
    snprintf(folder, sizeof folder, "%s/chosen", scratch_folder());
    snprintf(kept, sizeof kept, "%s/choices/motor+slow.csv", folder);
    snprintf(folds, sizeof folds, "%s/folds", folder);
    congru_evaluation_options_init(&options);
    options.pipelines = one;
    options.pipeline_count = 2;
    options.folder = folder;
    congru_results *first = evaluate_in(context, set, &options);
    const size_t numbers = first->fold[SUBJECTS].samples * CLASSES; /* of motor+slow */
    CHECK(congru_source_text(context, kept, 1 << 20, "choices", &text, &size) == CONGRU_OK);
    CHECK(strncmp(text, "group,branch,C,weight\n1,whole,", 30) == 0);

    remove_folder(folds);
    results = evaluate_in(context, set, &options);
    CHECK(results->resumed == 0);
    CHECK(memcmp(first->fold[SUBJECTS].probability, results->fold[SUBJECTS].probability,
                 numbers * sizeof(double)) == 0);
    congru_results_destroy(&results);

    /* It is read: with other weights folds decide otherwise. */
    char *changed = malloc(size + 16);
    CHECK(changed != NULL);
    const char *weight = strchr(strstr(text, "1,whole,") + 8, ',') + 1;
    snprintf(changed, size + 16, "%.*s9%s", (int)(weight - text), text, strchr(weight, '\n'));
    remove_folder(folds);
    put_choices(folder, changed);
    results = evaluate_in(context, set, &options);
    CHECK(memcmp(first->fold[SUBJECTS].probability, results->fold[SUBJECTS].probability,
                 numbers * sizeof(double)) != 0);
    congru_results_destroy(&results);

    /* Changed by hand it is refused, for its digest is of what was there. */
    remove_folder(folds);
    put_file(folder, "choices/motor+slow.csv", changed);
    CHECK(congru_evaluate(context, set, &options, &results) == CONGRU_ERROR_FORMAT);
    CHECK(error_has("motor+slow.csv: damaged"));

    /* A file that is cut anywhere, or of another run, is refused. */
    remove_folder(folds);
    for (size_t cut = 0; cut + 1 < size; cut += 61) {
        snprintf(changed, size + 16, "%.*s", (int)cut, text);
        put_file(folder, "choices/motor+slow.csv", changed);
        congru_status status = congru_evaluate(context, set, &options, &results);
        CHECK_SAYING(status == CONGRU_ERROR_FORMAT || status == CONGRU_ERROR_ARGUMENT, "cut after %zu", cut);
        CHECK(error_has("motor+slow.csv"));
    }
    strcpy(changed, text);
    char *last = strstr(changed, "\ndigest,") - 1; /* of the fingerprint */
    *last = *last == 'f' ? '0' : 'f';
    put_choices(folder, changed);
    CHECK(congru_evaluate(context, set, &options, &results) == CONGRU_ERROR_ARGUMENT);
    CHECK(error_has("made with other settings"));
    free(changed);
    free(text);
    congru_results_destroy(&first);
    congru_set_destroy(&set);
}

int main(void)
{
    return scratch_main(&context, &(congru_context_options){.threads = 2});
}
