/* congru reproduce synthetic: the hierarchy of made-up sets. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "claims.h"
#include "paper_tables.h"
#include "reproduce.h"
#include "terminal.h"

enum { PIPELINES = 5, PATH_SIZE = 1024, SEEDS_MAX = 1000 };

/* The paper's columns, and after them recentring with a ridge chosen on the sources. */
static const char *const pipelines[PIPELINES] = {"none+tslr", "ra+tslr", "dct-e2e", "dldct-e2e",
                                                 "ddct-unet-e2e"};
static const char *const tuned = "ra+tslr", *const tuned_name = "ra+tslr (C auto)";

#define FOUR_STAGES(column, other) \
    {"dispersion", column, "dispersion", other, true}, {"orientation", column, "orientation", other, true}, \
        {"distortion", column, "distortion", other, true}, \
    { \
        "fusion", column, "fusion", other, true \
    }

static const claim claims[] = {
    {"RA is optimal under mean shift",
     {{"shift", "ra+tslr", "shift", "none+tslr", true},
      {"shift", "ra+tslr", "shift", "dct-e2e", true},
      {"shift", "ra+tslr", "shift", "dldct-e2e", true},
      {"shift", "ra+tslr", "shift", "ddct-unet-e2e", true}}},
    {"RA degrades with dispersion and then orientation",
     {{"shift", "ra+tslr", "dispersion", "ra+tslr", false},
      {"dispersion", "ra+tslr", "orientation", "ra+tslr", false}}},
    {"RA degrades further with each nonlinear stage",
     {{"orientation", "ra+tslr", "distortion", "ra+tslr", false},
      {"distortion", "ra+tslr", "fusion", "ra+tslr", false}}},
    {"DCT partially recovers what RA loses to orientation",
     {{"orientation", "dct-e2e", "orientation", "ra+tslr", false},
      {"shift", "dct-e2e", "orientation", "dct-e2e", false}}},
    {"DCT fails under nonlinear fusion: below RA, and below its own accuracy before it",
     {{"fusion", "ra+tslr", "fusion", "dct-e2e", false},
      {"distortion", "dct-e2e", "fusion", "dct-e2e", false}}},
    {"DLDCT is more robust than DCT in all stages after mean shift", {FOUR_STAGES("dldct-e2e", "dct-e2e")}},
    {"DDCT-UNet is at least as robust as DLDCT in all stages after mean shift",
     {FOUR_STAGES("ddct-unet-e2e", "dldct-e2e")}},
    {"DDCT-UNet is best under nonlinear fusion",
     {{"fusion", "ddct-unet-e2e", "fusion", "none+tslr", false},
      {"fusion", "ddct-unet-e2e", "fusion", "ra+tslr", false},
      {"fusion", "ddct-unet-e2e", "fusion", "dct-e2e", false},
      {"fusion", "ddct-unet-e2e", "fusion", "dldct-e2e", false}}},
};

/* Beyond the paper. */
static const claim tuned_claims[] = {
    {"DDCT-UNet is above RA with a tuned ridge under nonlinear fusion",
     {{"fusion", "ddct-unet-e2e", "fusion", "ra+tslr (C auto)", false}}},
    {"DDCT-UNet is above RA with a tuned ridge in all stages after mean shift",
     {FOUR_STAGES("ddct-unet-e2e", "ra+tslr (C auto)")}},
};

typedef struct synthetic_job {
    run_state run;
    char parent[PATH_SIZE];
    int seeds[2], trials;      /* the latter of each class and subject */
    congru_scores_list tables; /* a table for each stage; subjects are "SEED/NAME" */
} synthetic_job;

static int parse_seeds(const char *text, int seeds[2])
{
    char first[16];
    seeds[0] = 50;
    seeds[1] = 54;
    if (text == NULL)
        return EXIT_DONE;
    const char *dots = strstr(text, "..");
    if (dots == NULL || (size_t)(dots - text) >= sizeof first)
        return terminal_fail(EXIT_USAGE, "reproduce synthetic: --seeds wants two numbers, 50..54, not '%s'",
                             text);
    snprintf(first, sizeof first, "%.*s", (int)(dots - text), text);
    int code = options_parse_integer("reproduce synthetic: --seeds", first, 0, 1000000000, &seeds[0]);
    if (code == EXIT_DONE)
        code = options_parse_integer("reproduce synthetic: --seeds", dots + 2, 0, 1000000000, &seeds[1]);
    if (code == EXIT_DONE && (seeds[1] < seeds[0] || seeds[1] - seeds[0] >= SEEDS_MAX))
        code = terminal_fail(
            EXIT_USAGE, "reproduce synthetic: --seeds wants the smaller number first, and at most %d, not '%s'",
            (int)SEEDS_MAX, text);
    return code;
}

/* Runs pipelines on the set that is made; their scores go under `name`, or their own. */
static int score(synthetic_job *job, const char *stage, int seed, const char *suffix, const char *const *names,
                 size_t count, const char *name)
{
    char folder[PATH_SIZE + 64], subject[CONGRU_SCORE_NAME_SIZE];
    congru_results *results = NULL;
    congru_evaluation_options *settings = &job->run.options;
    snprintf(folder, sizeof folder, "%s/%s-%d%s", job->parent, stage, seed, suffix);
    settings->dataset = stage;
    settings->folder = folder;
    settings->pipelines = names;
    settings->pipeline_count = count;
    int code = evaluation_call(&job->run, &results);
    for (size_t i = 0; code == EXIT_DONE && i < results->folds; i++) {
        const congru_fold *fold = &results->fold[i];
        snprintf(subject, sizeof subject, "%d/%s", seed, results->subject_name[fold->subject]);
        if (!score_list_add(&job->tables, stage, subject,
                            name != NULL ? name : results->pipeline[fold->pipeline], 100 * fold->accuracy))
            code = terminal_fail(EXIT_FAILED, "not enough memory for scores");
    }
    congru_results_destroy(&results);
    return code;
}

static int run_stage(synthetic_job *job, congru_synth_stage stage, int seed)
{
    congru_synth_options made;
    congru_synth_options_init(&made);
    made.stage = stage;
    made.trials = (size_t)job->trials;
    made.seed = (uint64_t)seed;
    const char *name = congru_synth_stage_name(stage);
    congru_set_destroy(&job->run.set);
    if (congru_synth(job->run.context, &made, &job->run.set) != CONGRU_OK)
        return terminal_fail(EXIT_FAILED, "%s", congru_context_error(job->run.context));
    double c = job->run.options.method.c;
    job->run.options.method.seed = (uint64_t)seed;
    int code = score(job, name, seed, "", pipelines, PIPELINES, NULL);
    job->run.options.method.c = 0;
    if (code == EXIT_DONE)
        code = score(job, name, seed, "-tuned", &tuned, 1, tuned_name);
    job->run.options.method.c = c;
    return code;
}

static double ours(const void *user, const char *row, const char *column)
{
    const synthetic_job *job = user;
    return score_list_mean(&job->tables, row, column, NULL, NULL);
}

static double printed(const void *user, const char *row, const char *column)
{
    (void)user;
    return paper_number("synthetic", "accuracy", row, column);
}

/* The deviation of the means of seeds, n - 1; NaN for one. */
static double seed_deviation(const synthetic_job *job, const char *stage, const char *column)
{
    double sum = 0, squares = 0, mean = ours(job, stage, column);
    int count = job->seeds[1] - job->seeds[0] + 1;
    for (int seed = job->seeds[0]; seed <= job->seeds[1]; seed++) {
        char prefix[32];
        snprintf(prefix, sizeof prefix, "%d/", seed);
        double one = score_list_mean(&job->tables, stage, column, prefix, NULL) - mean;
        sum += one;
        squares += one * one;
    }
    return count > 1 ? sqrt(fmax(0.0, squares - sum * sum / count) / (count - 1)) : NAN;
}

static int print(const synthetic_job *job)
{
    static const char *const headings[] = {"stage",          "pipeline", "paper",
                                           "ours, subjects", "seeds",    "difference"};
    bool several = job->seeds[1] > job->seeds[0];
    congru_table table = {0};
    for (size_t i = 0; i < 6; i++)
        if (i != 4 || several)
            congru_table_column_text(&table, headings[i], NULL);
    for (size_t s = 0; s < CONGRU_SYNTH_STAGES; s++)
        for (size_t p = 0; p <= PIPELINES; p++) {
            const char *stage = congru_synth_stage_name((congru_synth_stage)s);
            const char *name = p < PIPELINES ? pipelines[p] : tuned_name;
            double deviation, paper = printed(NULL, stage, name);
            double mean = score_list_mean(&job->tables, stage, name, NULL, &deviation);
            congru_table_format_text(&table, "%s", p == 0 ? stage : "");
            congru_table_format_text(&table, "%s", name);
            reproduce_add_number(&table, paper, NAN);
            reproduce_add_number(&table, mean, deviation);
            if (several)
                congru_table_format_text(&table, "%.2f", seed_deviation(job, stage, name));
            reproduce_add_difference(&table, mean, paper);
        }
    int code = table_show(&table, 0);
    congru_table_clear(&table);
    return code;
}

static void judge(const synthetic_job *job)
{
    printf("\nClaims of the paper:\n");
    claims_print(claims, sizeof claims / sizeof claims[0], ours, printed, job);
    printf("\nAgainst RA whose ridge was chosen by leaving out source subjects:\n");
    claims_print(tuned_claims, sizeof tuned_claims / sizeof tuned_claims[0], ours, NULL, job);
    printf("\nResults in %s\n", job->parent);
}

int reproduce_synthetic(const arguments *parsed)
{
    synthetic_job job = {.run.parsed = parsed};
    if (options_given(parsed, "pipelines") || options_given(parsed, "subjects") ||
        options_given(parsed, "dataset"))
        return terminal_fail(EXIT_USAGE,
                             "reproduce synthetic: --pipelines, --subjects and --dataset do not apply");
    int code = parse_seeds(options_value(parsed, "seeds"), job.seeds);
    if (code == EXIT_DONE)
        code = options_integer(parsed, "trials", 40, 1, 1000000, &job.trials);
    if (code == EXIT_DONE)
        code = evaluation_settle(&job.run);
    if (code == EXIT_DONE)
        code = reproduce_folder(parsed, "synthetic", job.parent, sizeof job.parent);
    for (int seed = job.seeds[0]; code == EXIT_DONE && seed <= job.seeds[1]; seed++)
        for (int stage = 0; code == EXIT_DONE && stage < CONGRU_SYNTH_STAGES; stage++)
            code = run_stage(&job, (congru_synth_stage)stage, seed);
    if (code == EXIT_DONE) {
        char steps[CONGRU_OPTION_TEXT_SIZE] = "";
        congru_method_options_get(&job.run.options.method, "steps", steps);
        printf("Accuracy in %%, 9 subjects with %d trials of each class; seeds %d to %d; %s training steps\n\n",
               job.trials, job.seeds[0], job.seeds[1], steps);
        code = print(&job);
    }
    if (code == EXIT_DONE)
        judge(&job);
    congru_scores_list_clear(&job.tables);
    evaluation_close(&job.run);
    return code;
}
