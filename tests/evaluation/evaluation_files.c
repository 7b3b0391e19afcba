/* Results folders: written, taken up, read back. SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "context_main.h"
#include "evaluation/fold_run.h"
#include "harness.h"
#include "run_samples.h"
#include "scratch.h"
#include "set_samples.h"
#include "stream_samples.h"

static congru_context *context;

TEST(what_is_written_is_read)
{
    const char *folder = path_in("written");
    congru_set *set = sample_set(context, &small);
    strcpy(set->subject_name[1], "S,\"2\"\n<b>");
    strcpy(set->class_name[0], "linke Hand, ü");
    congru_evaluation_options options = options_for(two, 2, folder);
    congru_results *made = NULL, *read = NULL;
    CHECK(congru_evaluate(context, set, &options, &made) == CONGRU_OK);
    congru_status status = congru_results_read(context, folder, &read);
    CHECK_SAYING(status == CONGRU_OK, "%s", congru_context_error(context));
    if (made != NULL && read != NULL) {
        CHECK(read->pipelines == 2 && read->folds == 6 && read->classes == 2 && read->subjects == 3);
        CHECK(strcmp(read->pipeline[0], "none+mdm") == 0); /* the order of the registry */
        CHECK(strcmp(read->dataset, "=made, \"up\"") == 0);
        CHECK(strcmp(read->subject_name[1], set->subject_name[1]) == 0);
        CHECK(strcmp(read->class_name[0], set->class_name[0]) == 0);
        for (size_t f = 0; f < 6; f++) {
            const congru_fold *a = &made->fold[f], *b = &read->fold[f];
            CHECK(a->accuracy == b->accuracy && a->kappa == b->kappa && a->balanced == b->balanced);
            CHECK(a->samples == b->samples && a->train == b->train && a->session == b->session);
            CHECK(memcmp(a->probability, b->probability, a->samples * 2 * sizeof(double)) == 0);
            CHECK(memcmp(a->prediction, b->prediction, a->samples * sizeof *a->prediction) == 0);
        }
    }
    congru_results_destroy(&made);
    congru_results_destroy(&read);
    congru_set_destroy(&set);
    remove_folder(folder);
}

static void expect_length(congru_set *set, const char *name, double seconds)
{
    const char *folder = path_in(name);
    const char *const pipeline[] = {"none+mdm"};
    congru_evaluation_options options = options_for(pipeline, 1, folder);
    congru_results *made = NULL, *read = NULL;
    congru_status status = congru_evaluate(context, set, &options, &made);
    CHECK_SAYING(status == CONGRU_OK, "%s", congru_context_error(context));
    CHECK(congru_results_read(context, folder, &read) == CONGRU_OK);
    CHECK(made != NULL && read != NULL && made->trial_seconds == seconds && read->trial_seconds == seconds);
    congru_results_destroy(&made);
    congru_results_destroy(&read);
    remove_folder(folder);
}

/* Told by the signals, or by the window of covariances; by neither of what was made without. */
TEST(the_length_of_a_trial_is_kept)
{
    const stream_recipe recipe = {
        .subjects = 3, .trials = 8, .d = 3, .rate = 100, .estimator = "scm", .seed = 3};
    congru_set *windows = stream_set(context, &recipe), *signals = stream_wide_set(context, &recipe),
               *bare = sample_set(context, &small);
    expect_length(windows, "windows", 3.0);
    congru_preprocessing raw;
    congru_preprocessing_init_raw(&raw);
    CHECK(congru_set_estimate(context, signals, &raw) == CONGRU_OK);
    expect_length(signals, "signals", 4.5);
    expect_length(bare, "bare", 0.0);
    congru_set_destroy(&windows);
    congru_set_destroy(&signals);
    congru_set_destroy(&bare);
}

static void expect_parts(const congru_results *want, const congru_results *got, bool named)
{
    CHECK(want != NULL && got != NULL && want->folds == got->folds);
    for (size_t f = 0; want != NULL && got != NULL && f < want->folds; f++)
        for (size_t i = 0; i < want->fold[f].samples; i++)
            CHECK(got->fold[f].part[i] == (named ? want->fold[f].part[i] : 0));
}

/* In which part a trial was left out is told by the fold's own file and by predictions.csv, of which older ones lack the
 * column. */
TEST(parts_are_kept)
{
    const char *folder = path_in("parts");
    congru_set *set = sample_set(context, &small);
    congru_evaluation_options options = options_for(two, 1, folder);
    congru_results *made = NULL, *again = NULL, *read = NULL, *older = NULL;
    options.protocol = CONGRU_PROTOCOL_FOLDS;
    options.folds = 3;
    CHECK(congru_evaluate(context, set, &options, &made) == CONGRU_OK);
    CHECK(made != NULL && made->fold[0].part[0] == 0 && made->fold[0].part[made->fold[0].samples - 1] == 2);
    CHECK(congru_evaluate(context, set, &options, &again) == CONGRU_OK && again->resumed == again->folds);
    CHECK(congru_results_read(context, folder, &read) == CONGRU_OK);
    expect_parts(made, again, true);
    expect_parts(made, read, true);
    char *text = file_text(folder, "predictions.csv"), path[512];
    snprintf(path, sizeof path, "%s/predictions.csv", folder);
    FILE *file = fopen(path, "w");
    for (char *line = text; file != NULL && line != NULL && *line != '\0';) {
        char *end = strchr(line, '\n'), *last = end;
        while (last > line && *last != ',')
            last--;
        fprintf(file, "%.*s\n", (int)(last - line), line);
        line = end + 1;
    }
    CHECK(file != NULL && fclose(file) == 0);
    CHECK(congru_results_read(context, folder, &older) == CONGRU_OK);
    expect_parts(made, older, false);
    free(text);
    congru_results_destroy(&made);
    congru_results_destroy(&again);
    congru_results_destroy(&read);
    congru_results_destroy(&older);
    congru_set_destroy(&set);
    remove_folder(folder);
}

TEST(a_run_is_taken_up)
{
    const char *folder = path_in("resumed");
    char path[512];
    congru_set *set = sample_set(context, &small);
    congru_evaluation_options options = options_for(two, 1, folder);
    congru_results *results = NULL;
    CHECK(congru_evaluate(context, set, &options, &results) == CONGRU_OK && results->resumed == 0);
    congru_results_destroy(&results);
    char *before = file_text(folder, "predictions.csv");
    snprintf(path, sizeof path, "%s/folds/ra+mdm/1.csv", folder);
    CHECK(remove(path) == 0);
    snprintf(path, sizeof path, "%s/folds/ra+mdm/.congru-1-0.tmp", folder);
    FILE *draft = fopen(path, "w");
    if (draft != NULL)
        fclose(draft);
    CHECK(congru_evaluate(context, set, &options, &results) == CONGRU_OK && results->resumed == 2);
    CHECK_SAYING(access(path, F_OK) != 0, "a draft of a killed run is left");
    congru_results_destroy(&results);
    char *after = file_text(folder, "predictions.csv");
    CHECK(strcmp(before, after) == 0);
    free(before);
    free(after);
    /* A second pipeline joins the first. */
    options.pipelines = two + 1;
    CHECK(congru_evaluate(context, set, &options, &results) == CONGRU_OK && results->pipelines == 2 &&
          results->folds == 6 && results->resumed == 0);
    congru_results_destroy(&results);
    congru_set_destroy(&set);
    remove_folder(folder);
}

/* How a fold's time is divided is kept with it; a fold of an older version, which does not say, is read all the same. */
TEST(times_are_kept)
{
    const char *folder = path_in("timed"), *const three[] = {"none+mdm", "ra+mdm", "dct+tslr"};
    char path[600];
    congru_set *set = sample_set(context, &small);
    congru_evaluation_options options = options_for(three, 3, folder);
    congru_results *made = NULL, *read = NULL;
    options.method.network.steps = 5;
    CHECK(congru_evaluate(context, set, &options, &made) == CONGRU_OK);
    snprintf(path, sizeof path, "%s/folds/ra+mdm/0.csv", folder);
    char *text = file_text(folder, "folds/ra+mdm/0.csv"), *times = strstr(text, "times,");
    CHECK(times != NULL);
    memmove(times, strchr(times, '\n') + 1, strlen(strchr(times, '\n')));
    *strstr(text, "digest,") = '\0';
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
    free(text);
    remove_in(folder, "results.csv");
    CHECK(congru_results_read(context, folder, &read) == CONGRU_OK && read->folds == 9);
    for (size_t i = 0; made != NULL && read != NULL && i < made->folds; i++) {
        const congru_fold *a = &made->fold[i], *b = &read->fold[i];
        CHECK(a->fitting > 0 && a->aligning >= 0 && a->aligning + a->fitting <= a->seconds * (1 + 1e-9));
        CHECK_NEAR(a->seconds, b->seconds, 1e-6);
        if (strcmp(read->pipeline[b->pipeline], "ra+mdm") == 0 && b->subject == 0) {
            CHECK(isnan(b->aligning) && isnan(b->fitting));
        } else {
            CHECK_NEAR(a->aligning, b->aligning, 1e-6);
            CHECK_NEAR(a->fitting, b->fitting, 1e-6);
        }
    }
    congru_results_destroy(&made);
    congru_results_destroy(&read);
    remove_folder(folder);
    congru_set_destroy(&set);
}

static bool stop_after_two(void *user, size_t done, size_t total)
{
    (void)user, (void)total;
    return done < 2;
}

TEST(an_interrupted_run_is_read)
{
    const char *folder = path_in("interrupted");
    congru_set *set = sample_set(context, &small);
    strcpy(set->class_name[0], "linke Hand, ü");
    congru_evaluation_options options = options_for(two, 2, folder);
    congru_results *results = NULL, *whole = NULL;
    congru_context *own = NULL;
    const congru_context_options with = {.threads = 1, .progress = stop_after_two};
    /* Folds are so short that all may be done before a busy machine asks whether to go on: again, then. */
    for (int tries = 0; tries < 50 && (results == NULL || results->missing == 0); tries++) {
        congru_results_destroy(&results);
        remove_folder(folder);
        CHECK(congru_context_create(&own, &with) == CONGRU_OK);
        CHECK(congru_evaluate(own, set, &options, &results) == CONGRU_ERROR_CANCELLED);
        congru_context_destroy(&own);
        CHECK(!is_there(folder, "results.csv"));
        congru_status status = congru_results_read(context, folder, &results);
        CHECK_SAYING(status == CONGRU_OK, "%s", congru_context_error(context));
    }
    options.folder = NULL;
    CHECK(congru_evaluate(context, set, &options, &whole) == CONGRU_OK && whole->folds == 6);
    if (results != NULL && whole != NULL) {
        CHECK(results->folds >= 1 && results->folds < 6 && results->missing == 6 - results->folds);
        CHECK(results->classes == 2 && strcmp(results->class_name[0], "linke Hand, ü") == 0);
        CHECK(strcmp(results->dataset, "=made, \"up\"") == 0 && results->channels == 3);
        CHECK_SAYING(results->note_count == 1 && strstr(results->note[0], "not finished, ") != NULL &&
                         strstr(results->note[0], " of 6 folds are there") != NULL &&
                         strstr(results->note[0], "ra+mdm of S0") != NULL,
                     "%s", results->note_count > 0 ? results->note[0] : "no note");
        for (size_t f = 0; f < results->folds; f++) {
            const congru_fold *a = &results->fold[f], *b = whole->fold;
            while (strcmp(results->pipeline[a->pipeline], whole->pipeline[b->pipeline]) != 0 ||
                   strcmp(results->subject_name[a->subject], whole->subject_name[b->subject]) != 0)
                b++;
            CHECK(a->accuracy == b->accuracy && a->kappa == b->kappa && a->balanced == b->balanced &&
                  a->session == b->session && a->train == b->train);
            CHECK(memcmp(a->probability, b->probability, a->samples * 2 * sizeof(double)) == 0);
        }
    }
    congru_results_destroy(&results);
    congru_results_destroy(&whole);
    congru_set_destroy(&set);
    remove_folder(folder);
}

TEST(more_folds_than_results_are_read)
{
    const char *folder = path_in("joined");
    congru_set *set = sample_set(context, &small);
    congru_evaluation_options options = options_for(two, 2, folder);
    congru_results *results = NULL;
    congru_context *own = NULL;
    const congru_context_options with = {.threads = 1, .progress = stop_after_two};
    /* A pipeline joins a finished run, and is interrupted: what is there is more than results.csv has. */
    CHECK(congru_evaluate(context, set, &options, &results) == CONGRU_OK);
    congru_results_destroy(&results);
    CHECK(congru_results_read(context, folder, &results) == CONGRU_OK && results->missing == 0 &&
          results->note_count == 0);
    congru_results_destroy(&results);
    static const char *const third[] = {"ra+tslr"};
    options.pipelines = third;
    options.pipeline_count = 1;
    CHECK(congru_context_create(&own, &with) == CONGRU_OK);
    CHECK(congru_evaluate(own, set, &options, &results) == CONGRU_ERROR_CANCELLED);
    congru_context_destroy(&own);
    CHECK(congru_results_read(context, folder, &results) == CONGRU_OK && results->pipelines == 3 &&
          results->folds > 6 && results->missing == 9 - results->folds);
    congru_results_destroy(&results);
    /* Nothing to show, and folds that do not belong together. */
    remove_in(folder, "results.csv");
    remove_in(folder, "folds/ra+mdm");
    remove_in(folder, "folds/ra+tslr");
    char path[512];
    const char *elsewhere = path_in("elsewhere");
    options = options_for(two, 2, elsewhere);
    options.method.seed = 7;
    CHECK(congru_evaluate(context, set, &options, &results) == CONGRU_OK);
    congru_results_destroy(&results);
    snprintf(path, sizeof path, "%s/folds/none+mdm/1.csv", folder);
    char *text = file_text(elsewhere, "folds/none+mdm/1.csv");
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
    free(text);
    CHECK(congru_results_read(context, folder, &results) == CONGRU_ERROR_FORMAT &&
          strstr(congru_context_error(context), "none+mdm/1.csv: not of the same run") != NULL);
    remove_in(folder, "folds");
    CHECK(congru_results_read(context, folder, &results) == CONGRU_ERROR_IO &&
          strstr(congru_context_error(context), "holds no results.csv (a run that was not finished?") != NULL);
    congru_set_destroy(&set);
    remove_folder(folder);
}

/* A subject with one trial, one without a class, one with enough. */
static congru_set *uneven_set(void)
{
    static const set_recipe recipe = {
        .subjects = 4, .classes = 3, .per_class = 6, .d = 3, .sessions = 1, .effect = 0.8, .seed = 3};
    congru_set *set = sample_set(context, &recipe);
    size_t kept = 0, size = set->dimension * set->dimension;
    for (size_t i = 0, of_second = 0; i < set->count; i++) {
        bool second = set->subject[i] == 1;
        if ((second && of_second++ > 0) || (set->subject[i] == 2 && set->label[i] == 0))
            continue;
        memmove(set->covariance + kept * size, set->covariance + i * size, size * sizeof(double));
        set->label[kept] = set->label[i];
        set->subject[kept] = set->subject[i];
        set->session[kept++] = set->session[i];
    }
    set->count = kept;
    return set;
}

static bool notes_say(const congru_results *results, const char *words)
{
    bool said = false;
    for (size_t i = 0; i < results->note_count; i++)
        said = said || strstr(results->note[i], words) != NULL;
    return said;
}

/* Scored where possible, marked, and named in notes and in run.json; under every pipeline. */
TEST(subjects_with_few_trials)
{
    congru_set *set = uneven_set();
    char name[64][CONGRU_PIPELINE_SIZE];
    const char *pipelines[64];
    size_t count = 0;
    for (; congru_pipeline_at(count, false, name[count]); count++)
        pipelines[count] = name[count];
    for (int protocol = 0; protocol < 2; protocol++) {
        const char *folder = path_in(protocol == 0 ? "few-loso" : "few-within");
        congru_context *own = NULL;
        congru_results *results = NULL, *read = NULL;
        congru_evaluation_options options = options_for(pipelines, count, folder);
        options.protocol = protocol == 0 ? CONGRU_PROTOCOL_LOSO : CONGRU_PROTOCOL_FOLDS;
        options.method.network.steps = 3;
        CHECK(congru_context_create(&own, NULL) == CONGRU_OK);
        congru_status status = congru_evaluate(own, set, &options, &results);
        CHECK_SAYING(status == CONGRU_OK, "%s", congru_context_error(own));
        CHECK(congru_results_read(own, folder, &read) == CONGRU_OK);
        if (results != NULL && read != NULL) {
            CHECK(results->folds == count * (protocol == 0 ? 4 : 3));
            CHECK(!results->subject_few[0] && results->subject_few[1] == (protocol == 0) &&
                  results->subject_few[2] && !results->subject_few[3]);
            CHECK(notes_say(results, "S03 (12 trials of 2 classes)"));
            CHECK(notes_say(results, protocol == 0 ? "(marked *): S02 (1 trial of 1 class)"
                                                   : "to score: S02 (1 trial of 1 class)"));
            CHECK(read->subject_few[protocol == 0 ? 2 : 1] && !read->subject_few[0]);
            CHECK(notes_say(read, protocol == 0 ? "(marked *): S02, S03" : "not scored"));
        }
        char *run = file_text(folder, "run.json");
        CHECK_SAYING(strstr(run, protocol == 0 ? "{\"subject\": \"S02\", \"trials\": 1, \"classes\": 1, "
                                                 "\"scored\": true}"
                                               : "{\"subject\": \"S02\", \"trials\": 1, \"classes\": 1, "
                                                 "\"scored\": false}") != NULL,
                     "%s", run);
        free(run);
        congru_results_destroy(&results);
        congru_results_destroy(&read);
        congru_context_destroy(&own);
        remove_folder(folder);
    }
    /* When nobody can be scored it is an error. */
    const int32_t second = 1;
    congru_evaluation_options options = options_for(two, 1, NULL);
    options.protocol = CONGRU_PROTOCOL_FOLDS;
    options.subjects = &second;
    options.subject_count = 1;
    expect_refusal(context, set, &options, "subject 'S02': 0 trials to fit on and 1 to score; both are needed");
    congru_set_destroy(&set);
}

int main(void)
{
    return scratch_main(&context, NULL);
}
