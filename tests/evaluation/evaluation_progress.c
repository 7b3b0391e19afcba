/* What a run says while it goes on, and how it is stopped. SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "context_main.h"
#include "harness.h"
#include "set_samples.h"

static congru_context *context;

static const set_recipe small = {
    .subjects = 4, .classes = 3, .per_class = 8, .d = 4, .sessions = 2, .effect = 0.8, .seed = 1};

static bool stop_at_once(void *user, size_t done, size_t total)
{
    (void)done, (void)total;
    ++*(int *)user;
    return false;
}

TEST(progress_can_stop_a_run)
{
    int calls = 0;
    congru_context *own = NULL;
    CHECK(congru_context_create(&own, &(congru_context_options){.threads = 1,
                                                                .progress = stop_at_once,
                                                                .progress_user = &calls}) == CONGRU_OK);
    congru_set *set = sample_set(context, &small);
    const char *pipeline = "ra+mdm";
    congru_results *results = NULL;
    congru_evaluation_options options;
    congru_evaluation_options_init(&options);
    options.pipelines = &pipeline;
    options.pipeline_count = 1;
    CHECK(congru_evaluate(own, set, &options, &results) == CONGRU_ERROR_CANCELLED);
    CHECK(results == NULL && calls == 1);
    congru_set_destroy(&set);
    congru_context_destroy(&own);
}

typedef struct watched {
    size_t steps;
    double part;
} watched;

static void keep_steps(void *user, double part, const char *pipeline, size_t step, size_t steps)
{
    watched *seen = user;
    if (pipeline != NULL && step > 0 && seen->steps == 0)
        *seen = (watched){steps, part};
}

static bool stop_when_seen(void *user, size_t done, size_t total)
{
    (void)done, (void)total;
    return ((watched *)user)->steps == 0;
}

/* A pipeline with a number of steps of its own is watched by that. */
TEST(steps_of_a_pipeline_are_its_own)
{
    enum { STEPS = 10000000 };
    watched seen = {0};
    const char *pipeline = "dct-e2e";
    congru_context *own;
    const congru_context_options how = {.threads = 1, .progress = stop_when_seen, .progress_user = &seen};
    CHECK(congru_context_create(&own, &how) == CONGRU_OK);
    congru_set *set = sample_set(context, &small);
    congru_evaluation_options options;
    congru_results *results = NULL;
    congru_evaluation_options_init(&options);
    options.pipelines = &pipeline;
    options.pipeline_count = 1;
    options.watch = keep_steps;
    options.watch_user = &seen;
    options.method.network.record = false;
    options.method.network.dct_steps = STEPS;
    CHECK(congru_evaluate(own, set, &options, &results) == CONGRU_ERROR_CANCELLED);
    CHECK_SAYING(seen.steps == STEPS && seen.part < 1.0, "%zu steps, %g done", seen.steps, seen.part);
    congru_results_destroy(&results);
    congru_set_destroy(&set);
    congru_context_destroy(&own);
}

typedef struct watched_parts {
    double part;
    size_t falls, dct, spdnet; /* how often the part fell; whether each was seen */
} watched_parts;

static void keep_parts(void *user, double part, const char *pipeline, size_t step, size_t steps)
{
    watched_parts *seen = user;
    if (pipeline == NULL || step == 0)
        return;
    seen->falls += part < seen->part || part > 1 || step > steps;
    seen->part = part;
    seen->dct += strcmp(pipeline, "dldct-e2e") == 0 && steps == 15;
    seen->spdnet += strcmp(pipeline, "spdnet") == 0 && steps == 15;
}

static bool never_stop(void *user, size_t done, size_t total)
{
    (void)user, (void)done, (void)total;
    return true;
}

/* Folds inside a subject train several times: what is done does not fall, and does not stand at the first of them. */
TEST(trainings_of_a_fold_are_added_up)
{
    static const char *const names[] = {"dldct-e2e", "spdnet"};
    watched_parts seen = {0};
    congru_context *own;
    CHECK(congru_context_create(&own, &(congru_context_options){.threads = 1, .progress = never_stop}) ==
          CONGRU_OK);
    congru_set *set = sample_set(context, &small);
    congru_evaluation_options options;
    congru_evaluation_options_init(&options);
    options.protocol = CONGRU_PROTOCOL_FOLDS;
    options.pipelines = names;
    options.pipeline_count = 2;
    options.subjects = (const int32_t[]){1};
    options.subject_count = 1;
    options.watch = keep_parts;
    options.watch_user = &seen;
    options.method.network.steps = 15;
    congru_results *results = NULL;
    CHECK_SAYING(congru_evaluate(own, set, &options, &results) == CONGRU_OK, "%s", congru_context_error(own));
    CHECK_SAYING(seen.falls == 0 && seen.part > 0.99 && seen.dct > 0 && seen.spdnet > 0,
                 "%zu falls, %g done at last, %zu and %zu seen", seen.falls, seen.part, seen.dct, seen.spdnet);
    congru_results_destroy(&results);
    congru_set_destroy(&set);
    congru_context_destroy(&own);
}

/* A small set of noise that holds signals, for pipelines of branches. */
static congru_set *noise_set(void)
{
    enum { TRIALS = 48, CHANNELS = 4, SAMPLES = 300, SUBJECTS = 4 };
    static double x[TRIALS * CHANNELS * SAMPLES];
    int32_t label[TRIALS], subject[TRIALS];
    congru_random random = congru_random_stream(3, 1, 4, 1);
    for (size_t i = 0; i < sizeof x / sizeof *x; i++)
        x[i] = congru_random_normal(&random);
    for (size_t i = 0; i < TRIALS; i++) {
        label[i] = (int32_t)(i % 2);
        subject[i] = (int32_t)(i * SUBJECTS / TRIALS);
    }
    const signals_recipe recipe = {TRIALS, CHANNELS, SAMPLES, 2, SUBJECTS, 100, -0.5};
    return signals_set(context, &recipe, x, label, subject);
}

typedef struct watched_trainings {
    double part, first; /* at last; at the end of the first training */
    size_t step, steps; /* likewise at last */
    size_t falls, ends; /* how often the part fell; how often a training was at its last step */
    double chosen; /* the part at last while `choosing` steps were those of the trainings before the folds */
    size_t choosing;
} watched_trainings;

static void keep_trainings(void *user, double part, const char *pipeline, size_t step, size_t steps)
{
    watched_trainings *seen = user;
    if (pipeline == NULL || step == 0)
        return;
    CHECK(strcmp(pipeline, "mine") == 0);
    seen->falls += part < seen->part || part > 1 || step > steps;
    seen->first = seen->ends == 0 && step == steps ? part : seen->first;
    seen->ends += step == steps && (step != seen->step || steps != seen->steps || part != seen->part);
    seen->chosen = steps == seen->choosing ? part : seen->chosen;
    seen->part = part;
    seen->step = step;
    seen->steps = steps;
}

static void watch_branches(const char *text, watched_trainings *seen)
{
    const char *pipeline = "mine";
    congru_context *own;
    congru_results *results = NULL;
    congru_evaluation_options options;
    CHECK(congru_context_create(&own, &(congru_context_options){.threads = 1, .progress = never_stop}) ==
          CONGRU_OK);
    congru_set *set = noise_set();
    congru_evaluation_options_init(&options);
    options.pipelines = &pipeline;
    options.pipeline_count = 1;
    options.subjects = (const int32_t[]){1};
    options.subject_count = 1;
    options.watch = keep_trainings;
    options.watch_user = seen;
    options.method.network.steps = 7; /* not those of the branches */
    CHECK_SAYING(congru_pipeline_define(own, "mine", text) == CONGRU_OK, "%s", congru_context_error(own));
    CHECK_SAYING(congru_evaluate(own, set, &options, &results) == CONGRU_OK, "%s", congru_context_error(own));
    congru_results_destroy(&results);
    congru_set_destroy(&set);
    congru_context_destroy(&own);
}

/* A branch has steps and an ensemble of its own; each member is a training. */
TEST(members_of_an_ensemble_are_added_up)
{
    enum { STEPS = 60, MEMBERS = 3 };
    watched_trainings seen = {0};
    char text[200];
    snprintf(
        text, sizeof text,
        "pipeline = mine\nwindow = 0:2\nband = 8:30\nbranch = b\nmethod = dldct-e2e\nsteps = %d\nensemble = %d\n",
        STEPS, MEMBERS);
    watch_branches(text, &seen);
    CHECK_SAYING(seen.falls == 0 && seen.steps == STEPS, "%zu falls, %zu steps", seen.falls, seen.steps);
    CHECK_SAYING(seen.ends == MEMBERS && seen.first > 0.33 && seen.first < 0.34 && seen.part > 0.999,
                 "%zu trainings seen, %g done after the first, %g at last", seen.ends, seen.first, seen.part);
}

/* What is trained to choose weights is work as well, and told of. With four subjects it is a network for each pair. */
TEST(choices_are_watched)
{
    enum { STEPS = 25, PAIRS = 6 };
    watched_trainings seen = {.choosing = PAIRS * STEPS};
    char text[300];
    snprintf(text, sizeof text,
             "pipeline = mine\nchoose = weights\nwindow = 0:2\nband = 8:30\nbranch = a\nmethod = ra+tslr\n"
             "branch = b\nmethod = dldct-e2e\nsteps = %d\n",
             STEPS);
    watch_branches(text, &seen);
    CHECK_SAYING(seen.falls == 0 && seen.ends == 2, "%zu falls, %zu ends", seen.falls, seen.ends);
    CHECK_SAYING(seen.chosen > 0.85 && seen.chosen < 0.87, "%g done after choosing", seen.chosen);
    CHECK_SAYING(seen.steps == STEPS && seen.part > 0.99, "%zu steps at last, %g done", seen.steps, seen.part);
}

/* A model that is fitted tells of all its networks in one count: four that choose, each without a subject, and its own two. */
TEST(trainings_of_a_model_are_watched)
{
    enum { STEPS = 8, CHOOSE = 4, MEMBERS = 2, ALL = (CHOOSE + 1) * MEMBERS * STEPS };
    watched_trainings seen = {0};
    congru_context *own;
    congru_model *model = NULL;
    congru_model_options options;
    char text[300];
    snprintf(text, sizeof text,
             "pipeline = mine\nchoose = weights\nwindow = 0:2\nband = 8:30\nbranch = a\nmethod = ra+tslr\n"
             "branch = b\nmethod = dldct-e2e\nensemble = %d\nsteps = %d\n",
             MEMBERS, STEPS);
    CHECK(congru_context_create(&own, &(congru_context_options){.threads = 1, .progress = never_stop}) ==
          CONGRU_OK);
    congru_set *set = noise_set();
    CHECK(congru_pipeline_define(own, "mine", text) == CONGRU_OK);
    congru_model_options_init(&options);
    options.pipeline = "mine";
    options.watch = keep_trainings;
    options.watch_user = &seen;
    CHECK_SAYING(congru_model_fit(own, set, &options, &model) == CONGRU_OK, "%s", congru_context_error(own));
    CHECK_SAYING(seen.falls == 0 && seen.ends == 1 && seen.steps == ALL, "%zu falls, %zu ends, %zu steps",
                 seen.falls, seen.ends, seen.steps);
    CHECK_SAYING(seen.step == ALL, "%zu steps at last", seen.step);
    congru_model_destroy(&model);
    congru_set_destroy(&set);
    congru_context_destroy(&own);
}

int main(void)
{
    return context_main(&context, NULL);
}
