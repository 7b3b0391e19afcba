/* What pipelines saw of the target: told of each, and compared on common trials. SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "context_main.h"
#include "harness.h"
#include "scratch.h"
#include "set_samples.h"

static congru_context *context;

enum { PIPELINES = 3, NONE = 0, ALIGNED = 1, ROTATED = 2, SUBJECTS = 4, TRIALS = 24 };
static const set_recipe small = {
    .subjects = SUBJECTS, .classes = 3, .per_class = 8, .d = 4, .sessions = 2, .effect = 0.8, .seed = 1};
static const char *const pipelines[PIPELINES] = {"none+mdm", "ra+mdm", "rpa+mdm"};

static congru_results *run(const congru_set *set, int labels, congru_target target, const char *folder)
{
    congru_evaluation_options options;
    congru_evaluation_options_init(&options);
    options.pipelines = pipelines;
    options.pipeline_count = PIPELINES;
    options.method.rpa_labels = labels;
    options.target = target;
    options.folder = folder;
    return evaluate_in(context, set, &options);
}

static void check_text(const congru_results *results, size_t pipeline, const char *expected)
{
    char text[CONGRU_KNOWLEDGE_SIZE];
    congru_knowledge_text(&results->knowledge[pipeline], text);
    CHECK_SAYING(strcmp(text, expected) == 0, "%s: %s", results->pipeline[pipeline], text);
}

static bool is_noted(const congru_results *results, const char *words)
{
    for (size_t i = 0; i < results->note_count; i++)
        if (strncmp(results->note[i], words, strlen(words)) == 0)
            return true;
    return false;
}

TEST(each_pipeline_says_what_it_saw)
{
    static const char words[] =
        "labels of the target: rpa+mdm looks at those of up to 12 trials of each "
        "subject, not scored; 48 to 96 trials scored, comparisons are on those in common";
    congru_set *set = sample_set(context, &small);
    congru_results *made = run(set, 5, CONGRU_TARGET_FULL, path_in("labels")), *read = NULL;
    CHECK(congru_results_read(context, path_in("labels"), &read) == CONGRU_OK);
    const congru_results *both[] = {made, read};
    for (int i = 0; i < 2 && CHECK(both[i] != NULL); i++) {
        CHECK(both[i]->knowledge[ALIGNED].labels == 0 && both[i]->knowledge[ROTATED].labels == 12);
        check_text(both[i], NONE, "nothing");
        check_text(both[i], ALIGNED, "all trials, without labels");
        check_text(both[i], ROTATED,
                   "all trials, without labels; 12 labelled trials of each subject, which are not scored");
        CHECK(is_noted(both[i], words));
    }
    congru_results_destroy(&made);
    congru_results_destroy(&read);
    made = run(set, 0, CONGRU_TARGET_ONLINE, NULL);
    check_text(made, NONE, "nothing");
    check_text(made, ROTATED, "each trial with those before it, without labels");
    CHECK(made->knowledge[ROTATED].labels == 0 && !is_noted(made, "labels"));
    congru_results_destroy(&made);
    made = run(set, 0, CONGRU_TARGET_NONE, NULL);
    check_text(made, ALIGNED, "nothing");
    congru_results_destroy(&made);
    congru_set_destroy(&set);
}

/* The share of right answers of one subject on the trials that `other` is scored on, counted trial by trial. */
static double count_common(const congru_results *results, size_t pipeline, size_t other, size_t subject)
{
    const congru_fold *own = &results->fold[pipeline * SUBJECTS + subject],
                      *with = &results->fold[other * SUBJECTS + subject];
    double right = 0, count = 0;
    for (size_t i = 0; i < own->samples; i++)
        for (size_t k = 0; k < with->samples; k++)
            if (own->trial[i] == with->trial[k]) {
                right += own->prediction[i] == own->truth[i];
                count++;
            }
    return right / count;
}

TEST(pipelines_are_compared_on_common_trials)
{
    congru_set *set = sample_set(context, &small);
    congru_results *results = run(set, 5, CONGRU_TARGET_FULL, NULL);
    congru_scores *scores = NULL;
    congru_comparison found;
    double gain = 0;
    bool moved = false;
    CHECK(congru_results_scores(context, results, &scores) == CONGRU_OK && scores->common != NULL);
    for (size_t s = 0; s < SUBJECTS; s++) {
        const double own = count_common(results, ALIGNED, ROTATED, s);
        CHECK_NEAR(congru_scores_common(scores, ALIGNED, ROTATED, s), own, 1e-15);
        CHECK_NEAR(congru_scores_common(scores, ALIGNED, PIPELINES, s), own, 1e-15);
        CHECK(congru_scores_common(scores, ALIGNED, NONE, s) ==
              congru_scores_at(scores, CONGRU_SCORE_ACCURACY, ALIGNED, s));
        gain += 100 * (count_common(results, ROTATED, ALIGNED, s) - own) / SUBJECTS;
        moved = moved || own != congru_scores_at(scores, CONGRU_SCORE_ACCURACY, ALIGNED, s);
    }
    CHECK(moved); /* or nothing is seen here */
    const congru_scores *const list[] = {scores};
    CHECK(congru_scores_compare(context, 1, list, "rpa+mdm", "ra+mdm", &found) == CONGRU_OK);
    CHECK_NEAR(found.gain, gain, 1e-9);
    CHECK(found.trials == SUBJECTS * TRIALS / 2 && found.left_out == SUBJECTS * TRIALS / 2);
    CHECK(found.labels[0] == 12 && found.labels[1] == 0);
    CHECK_NEAR(100 * congru_scores_gain(scores, ROTATED, ALIGNED, 0.95).interval.mean, gain, 1e-9);
    CHECK(congru_scores_compare(context, 1, list, "ra+mdm", "none+mdm", &found) == CONGRU_OK);
    CHECK(found.trials == SUBJECTS * TRIALS && found.left_out == 0);
    congru_scores_destroy(&scores);
    congru_results_destroy(&results);
    results = run(set, 0, CONGRU_TARGET_FULL, NULL);
    CHECK(congru_results_scores(context, results, &scores) == CONGRU_OK && scores->common == NULL);
    CHECK(congru_scores_compare(context, 1, (const congru_scores *const *)&scores, "rpa+mdm", "ra+mdm",
                                &found) == CONGRU_OK &&
          found.trials == SUBJECTS * TRIALS && found.left_out == 0);
    congru_scores_destroy(&scores);
    congru_results_destroy(&results);
    congru_set_destroy(&set);
}

/* One that looked at labels stands behind those that did not, however good it is, and no table prints it as the best. */
TEST(labels_are_no_better_decoder)
{
    static const double good[CONGRU_SCORE_KINDS] = {[CONGRU_SCORE_ACCURACY] = 0.9, [CONGRU_SCORE_TRIALS] = 10},
                        bad[CONGRU_SCORE_KINDS] = {[CONGRU_SCORE_ACCURACY] = 0.5, [CONGRU_SCORE_TRIALS] = 10};
    static const congru_score accuracy = CONGRU_SCORE_ACCURACY;
    congru_scores *scores = NULL;
    congru_table table = {0};
    char mark[CONGRU_MARK_SIZE];
    size_t place;
    CHECK(congru_scores_create(context, "made", 2, &scores) == CONGRU_OK);
    CHECK(congru_scores_pipeline(context, scores, "looks", &place) == CONGRU_OK &&
          congru_scores_pipeline(context, scores, "does not", &place) == CONGRU_OK &&
          congru_scores_subject(context, scores, "S1", &place) == CONGRU_OK);
    congru_scores_add(scores, 0, 0, good);
    congru_scores_add(scores, 1, 0, bad);
    CHECK(congru_scores_before(scores, 0, 1));
    scores->labels[0] = 4;
    CHECK(congru_scores_before(scores, 1, 0) && !congru_scores_before(scores, 0, 1));
    congru_scores_mark(scores, 0, mark);
    CHECK(strcmp(mark, "4 labels") == 0);
    congru_scores_mark(scores, 1, mark);
    CHECK(mark[0] == '\0');
    CHECK(congru_table_of_scores(context, scores, 1, &accuracy, false, &table) == CONGRU_OK);
    CHECK(table.strong == 2 && strcmp(table.column[2].heading, "target_labels") == 0 && table.notes == 1);
    congru_table_clear(&table);
    congru_scores_destroy(&scores);
}

/* A folder of another program tells of labels by its column, and not of what was seen without. */
TEST(folders_without_run_json)
{
    const char *folder = path_in("foreign");
    congru_results *results = NULL;
    CHECK(mkdir(folder, 0777) == 0);
    put_file(folder, "results.csv",
             "score,time,samples,subject,session,pipeline,dataset,calibration\n"
             "0.5,1,10,S1,all,a,d,0\n0.6,1,10,S1,all,b,d,7\n");
    CHECK(congru_results_read(context, folder, &results) == CONGRU_OK);
    if (CHECK(results != NULL)) {
        check_text(results, 0, "trials without labels: not known");
        check_text(results, 1,
                   "trials without labels: not known; 7 labelled trials of each subject, which are not scored");
    }
    congru_results_destroy(&results);
}

int main(void)
{
    return scratch_main(&context, NULL);
}
