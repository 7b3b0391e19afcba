/* Where pipelines put trials. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "congru/congru.h"
#include "harness.h"

static congru_context *context;
static congru_set *set;
static congru_evaluation_options options;
static double *first, *second;
static size_t size;

TEST(nothing_and_recentring)
{
    double mean[64];
    CHECK(congru_pipeline_represent(context, set, &options, "none+mdm", 0, first) == CONGRU_OK);
    CHECK(memcmp(first, set->covariance, set->count * size * sizeof *first) == 0);
    CHECK(congru_pipeline_represent(context, set, &options, "ra+mdm", 1, first) == CONGRU_OK);
    CHECK(congru_alignment_recentre(context, options.method.alignment_mean, set->count, set->dimension,
                                    set->covariance, set->subjects, set->subject, NULL, second) == CONGRU_OK);
    CHECK(memcmp(first, second, set->count * size * sizeof *first) == 0);
    /* Each subject's trials are in their places: the first subject's come first, and their mean is the identity. */
    CHECK(congru_spd_mean(context, CONGRU_METRIC_RIEMANN, set->count / set->subjects, set->dimension, first,
                          NULL, mean, NULL) == CONGRU_OK);
    for (size_t i = 0; i < size; i++)
        CHECK_NEAR(mean[i], i % (set->dimension + 1) == 0 ? 1.0 : 0.0, 1e-8);
}

/* Sessions are recentred each by itself where that is asked for. */
TEST(sessions_by_themselves)
{
    int32_t domain[64];
    size_t own = set->count / set->subjects;
    for (size_t i = 0; i < set->count; i++) {
        set->session[i] = i % own < own / 2 ? 0 : 1;
        domain[i] = 2 * set->subject[i] + set->session[i];
    }
    options.align_by_session = true;
    CHECK(congru_pipeline_represent(context, set, &options, "ra+mdm", 0, first) == CONGRU_OK);
    CHECK(congru_alignment_recentre(context, options.method.alignment_mean, set->count, set->dimension,
                                    set->covariance, 2 * set->subjects, domain, NULL, second) == CONGRU_OK);
    CHECK(memcmp(first, second, set->count * size * sizeof *first) == 0);
    options.align_by_session = false;
    CHECK(congru_pipeline_represent(context, set, &options, "ra+mdm", 0, second) == CONGRU_OK);
    CHECK(memcmp(first, second, set->count * size * sizeof *first) != 0);
}

/* The scatters are those of Eq. (2a), of the source trials alone, and W + B is the same for any partition. */
TEST(geometry_is_of_source_trials)
{
    const congru_geometry_options by_training = {.best_so_far = true};
    congru_geometry *g = NULL;
    double by_subject, by_class, target = 0, mean[64] = {0}, whole = 0;
    options.method.network.steps = 10;
    CHECK(congru_geometry_follow(context, set, &options, "dldct-e2e", 1, &by_training, &g) == CONGRU_OK);
    CHECK(g->points == set->count - set->count / set->subjects);
    for (size_t i = 0; i < g->points; i++)
        target += set->subject[g->trial[i]] == 1;
    CHECK(target == 0);
    CHECK(g->moved[0] == 0 && g->moved[1] > 0);
    options.method.network.steps = 10;
    CHECK(congru_pipeline_represent(context, set, &options, "dldct-e2e", 1, first) == CONGRU_OK);
    CHECK(congru_spd_log(context, set->count, set->dimension, first, first) == CONGRU_OK);
    for (size_t i = 0; i < g->points; i++)
        for (size_t j = 0; j < size; j++)
            mean[j] += first[g->trial[i] * size + j] / (double)g->points;
    for (size_t i = 0; i < g->points; i++)
        for (size_t j = 0; j < size; j++)
            whole += pow(first[g->trial[i] * size + j] - mean[j], 2) / (double)g->points;
    CHECK_NEAR(g->within_class[5] + g->between_class[5], whole, 1e-10 * whole);
    CHECK_NEAR(g->within_subject[5] + g->between_subject[5], whole, 1e-10 * whole);
    CHECK(congru_pipeline_silhouette(context, set, &options, "dldct-e2e", 1, &by_subject, &by_class) ==
          CONGRU_OK);
    CHECK(by_subject == g->silhouette_subject[5] && by_class == g->silhouette_class[5]);
    congru_geometry_destroy(&g);
    CHECK(g == NULL);
    CHECK(congru_geometry_follow(context, set, &options, "dldct-e2e", 3, NULL, &g) == CONGRU_ERROR_ARGUMENT &&
          g == NULL);
}

/* The mean squared norm of the source trials' logarithms about their mean, as a training that is ended puts them. */
static double spread(const char *model, int steps, int stop, congru_keep keep)
{
    double mean[64] = {0}, sum = 0;
    size_t count = 0;
    options.method.network.steps = steps;
    options.method.network.stop = stop;
    options.method.network.keep = keep;
    CHECK(congru_pipeline_represent(context, set, &options, model, 1, first) == CONGRU_OK);
    options.method.network.stop = 0;
    options.method.network.keep = CONGRU_KEEP_BEST;
    CHECK(congru_spd_log(context, set->count, set->dimension, first, first) == CONGRU_OK);
    for (size_t i = 0; i < set->count; i++)
        count += set->subject[i] != 1;
    for (size_t i = 0; i < set->count * size; i++)
        mean[i % size] += set->subject[i / size] != 1 ? first[i] / (double)count : 0;
    for (size_t i = 0; i < set->count * size; i++)
        sum += set->subject[i / size] != 1 ? pow(first[i] - mean[i % size], 2) / (double)count : 0;
    return sum;
}

/* The network of that step, in a training that goes on to the end; or the best until then. */
TEST(stages_are_of_one_training)
{
    static const char *const models[] = {"dct-e2e", "dldct-e2e", "ddct-unet-e2e"};
    for (int best = 0; best < 2; best++)
        for (size_t m = 0; m < 3; m++) {
            const congru_geometry_options choice = {.best_so_far = best == 1};
            congru_geometry *g = NULL;
            options.method.network.steps = 20;
            options.method.network.rate = 0.05;
            CHECK(congru_geometry_follow(context, set, &options, models[m], 1, &choice, &g) == CONGRU_OK);
            for (int k = 0; g != NULL && k < CONGRU_GEOMETRY_STAGES; k++) {
                const double expected =
                    spread(models[m], k > 0 ? 20 : 0, 4 * k, best == 1 ? CONGRU_KEEP_BEST : CONGRU_KEEP_LAST);
                CHECK_NEAR(g->within_class[k] + g->between_class[k], expected, 1e-10 * expected);
            }
            congru_geometry_destroy(&g);
        }
    options.method.network.rate = CONGRU_OWN;
}

/* Those that are asked for, and never the one that is left out. */
TEST(subjects_shown_are_chosen)
{
    const int32_t others[] = {0, 2}, left_out[] = {0, 1};
    const size_t own = set->count / set->subjects;
    congru_geometry_options choice = {.shown = others, .shown_count = 2};
    congru_geometry *g = NULL;
    options.method.network.steps = 1;
    CHECK(congru_geometry_follow(context, set, &options, "dct-e2e", 1, &choice, &g) == CONGRU_OK);
    CHECK(g->points == 2 * own);
    for (size_t i = 0; i < g->points; i++)
        CHECK(set->subject[g->trial[i]] != 1 && set->subject[g->trial[i]] <= 2);
    congru_geometry_destroy(&g);
    choice.shown = left_out;
    CHECK(congru_geometry_follow(context, set, &options, "dct-e2e", 1, &choice, &g) == CONGRU_ERROR_ARGUMENT &&
          strstr(congru_context_error(context), "subject 2 is not one") != NULL);
}

/* A network puts trials elsewhere, the more the longer it is trained; the head does not matter for where they begin. */
TEST(networks_move_trials)
{
    static const char *const models[] = {"dct-e2e", "dldct-e2e", "ddct-unet-e2e", "dldct+mdm"};
    for (size_t m = 0; m < 4; m++) {
        double moved = 0;
        options.method.network.steps = 0;
        CHECK(congru_pipeline_represent(context, set, &options, models[m], 0, first) == CONGRU_OK);
        options.method.network.steps = 10;
        CHECK(congru_pipeline_represent(context, set, &options, models[m], 0, second) == CONGRU_OK);
        for (size_t i = 0; i < set->count * size; i++)
            moved = fmax(moved, fabs(first[i] - second[i]));
        CHECK(moved > 1e-6);
        CHECK(congru_pipeline_represent(context, set, &options, models[m], 0, first) == CONGRU_OK);
        CHECK(memcmp(first, second, set->count * size * sizeof *first) == 0);
        CHECK(congru_pipeline_represent(context, set, &options, models[m], 1, first) == CONGRU_OK);
        CHECK(memcmp(first, second, set->count * size * sizeof *first) != 0);
    }
}

/* Labels of the target subject are not looked at; those of the others are. */
TEST(target_keep_their_labels_to_themselves)
{
    for (int32_t subject = 0; subject < 2; subject++) {
        CHECK(congru_pipeline_represent(context, set, &options, "dldct-e2e", 0, first) == CONGRU_OK);
        for (size_t i = 0; i < set->count; i++)
            if (set->subject[i] == subject)
                set->label[i] = (set->label[i] + 1) % (int32_t)set->classes;
        CHECK(congru_pipeline_represent(context, set, &options, "dldct-e2e", 0, second) == CONGRU_OK);
        CHECK((memcmp(first, second, set->count * size * sizeof *first) == 0) == (subject == 0));
    }
}

/* Which number the target subject has changes nothing. */
TEST(numbers_of_subjects_do_not_matter)
{
    CHECK(congru_pipeline_represent(context, set, &options, "dldct-e2e", 2, first) == CONGRU_OK);
    for (size_t i = 0; i < set->count; i++)
        set->subject[i] = set->subject[i] == 0 ? 0 : 3 - set->subject[i];
    CHECK(congru_pipeline_represent(context, set, &options, "dldct-e2e", 1, second) == CONGRU_OK);
    CHECK(memcmp(first, second, set->count * size * sizeof *first) == 0);
}

static void refuses(const char *pipeline, int32_t subject, const char *words)
{
    congru_status status = congru_pipeline_represent(context, set, &options, pipeline, subject, first);
    CHECK_SAYING(status == CONGRU_ERROR_ARGUMENT && strstr(congru_context_error(context), words) != NULL,
                 "%s, subject %d: %s", pipeline, (int)subject, congru_context_error(context));
}

TEST(what_is_refused)
{
    refuses("ra+mdm", 3, "subject 3");
    refuses("ra+mdm", -1, "subject -1");
    refuses("rpa+mdm", 0, "asks for labels");
    refuses("ra+nothing", 0, "nothing");
    double *covariance = set->covariance;
    set->covariance = NULL;
    refuses("ra+mdm", 0, "the set holds no covariances");
    set->covariance = covariance;
}

/* What a name stands for is asked of the tables, not of the name. */
TEST(pipelines_describe_themselves)
{
    congru_pipeline_description about;
    CHECK(congru_pipeline_describe(context, "dldct+tslr", &about) == CONGRU_OK);
    CHECK(strcmp(about.aligner, "dldct") == 0 && strcmp(about.classifier, "tslr") == 0);
    CHECK(strcmp(about.network, "dldct") == 0 && !about.end_to_end && about.embeds && !about.needs_signals);
    CHECK(congru_pipeline_describe(context, "ddct-unet-e2e", &about) == CONGRU_OK);
    CHECK(strcmp(about.aligner, "ra") == 0 && strcmp(about.network, "ddct-unet") == 0 && about.end_to_end);
    CHECK(congru_pipeline_describe(context, "ra+mdm", &about) == CONGRU_OK);
    CHECK(about.network == NULL && about.embeds && !about.target_labels);
    CHECK(congru_pipeline_describe(context, "rpa+mdm", &about) == CONGRU_OK);
    CHECK(about.target_labels && !about.embeds);
    CHECK(congru_pipeline_describe(context, "ra+none", &about) == CONGRU_ERROR_ARGUMENT);
    CHECK(congru_pipeline_describe(context, "ra+mdm", NULL) == CONGRU_ERROR_ARGUMENT);
    CHECK(congru_pipeline_describe(context, "ea+mdm", &about) == CONGRU_ERROR_ARGUMENT);
    CHECK(strstr(congru_context_error(context), "ea aligns signals, and mdm reads covariances") != NULL);
}

/* Of several networks the first is shown; before, there was no such tensor. */
TEST(ensembles_show_their_first_network)
{
    options.method.network.steps = 3;
    CHECK(congru_pipeline_represent(context, set, &options, "dct-e2e", 0, first) == CONGRU_OK);
    options.method.network.ensemble = 2;
    CHECK(congru_pipeline_represent(context, set, &options, "dct-e2e", 0, second) == CONGRU_OK);
    CHECK(memcmp(first, second, set->count * size * sizeof *first) == 0);
    options.method.network.ensemble = 1;
}

int main(void)
{
    congru_synth_options made;
    congru_synth_options_init(&made);
    made.stage = CONGRU_SYNTH_ORIENTATION;
    made.subjects = 3;
    made.trials = 5;
    made.channels = 5;
    congru_evaluation_options_init(&options);
    if (congru_context_create(&context, NULL) != CONGRU_OK || congru_synth(context, &made, &set) != CONGRU_OK)
        return 1;
    size = set->dimension * set->dimension;
    first = malloc(set->count * size * sizeof *first);
    second = malloc(set->count * size * sizeof *second);
    if (first == NULL || second == NULL)
        return 1;
    harness_run_all();
    free(first);
    free(second);
    congru_set_destroy(&set);
    congru_context_destroy(&context);
    return harness_end();
}
