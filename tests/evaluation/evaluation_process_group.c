/* Several processes, played by threads, share a run: the same bits, whatever happens to them. SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700 /* nftw */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/process_group.h"
#include "harness.h"
#include "network/train.h"
#include "network_samples.h"
#include "process_group_threads.h"
#include "scratch.h"
#include "set_samples.h"

static const set_recipe small = {
    .subjects = 5, .classes = 2, .per_class = 8, .d = 4, .sessions = 2, .effect = 0.8, .seed = 1};

static const char *const pipelines[] = {"ra+mdm", "none+tslr", "dct+tslr", "dct+mdm", "dldct-e2e"};

/* What the threads of a process group work on and what came of it, by rank. */
typedef struct shared_run {
    congru_evaluation_options options;
    congru_set *set[PROCESS_GROUP_THREADS_MAX];
    int threads;
    const char *early[PROCESS_GROUP_THREADS_MAX]; /* leaves with this error instead of evaluating */
    const char *elsewhere;                        /* the folder that rank 1 sees instead */
    congru_progress progress;                     /* of rank 0 */
    void *progress_user;
    congru_progress others_progress;
    congru_status status[PROCESS_GROUP_THREADS_MAX];
    congru_results *results[PROCESS_GROUP_THREADS_MAX];
    char error[PROCESS_GROUP_THREADS_MAX][512], complaint[512];
    bool lost; /* one of them was */
} shared_run;

static void take_part(void *user, int rank, congru_process_group *processes)
{
    shared_run *run = user;
    congru_context *context = NULL;
    congru_context_options settings = {.threads = run->threads,
                                       .progress = rank == 0 ? run->progress : run->others_progress,
                                       .progress_user = run->progress_user};
    if (congru_context_create(&context, &settings) != CONGRU_OK)
        abort();
    congru_evaluation_options options = run->options;
    options.processes = processes;
    if (rank == 1 && run->elsewhere != NULL)
        options.folder = run->elsewhere;
    if (run->early[rank] == NULL)
        run->status[rank] = congru_evaluate(context, run->set[rank], &options, &run->results[rank]);
    snprintf(run->error[rank], sizeof run->error[rank], "%s", congru_context_error(context));
    const char *complaint = congru_process_group_leave(processes, run->early[rank]);
    if (rank == 0)
        snprintf(run->complaint, sizeof run->complaint, "%s", complaint != NULL ? complaint : "");
    congru_context_destroy(&context);
}

static void begin(shared_run *run)
{
    congru_context *context = NULL;
    if (congru_context_create(&context, &(congru_context_options){.threads = 1}) != CONGRU_OK)
        abort();
    *run = (shared_run){.threads = 1};
    congru_evaluation_options_init(&run->options);
    run->options.pipelines = pipelines;
    run->options.pipeline_count = sizeof pipelines / sizeof pipelines[0];
    run->options.method.network.steps = 24; /* long enough for every process to get jobs */
    run->options.method.network.record = true;
    for (int rank = 0; rank < PROCESS_GROUP_THREADS_MAX; rank++)
        run->set[rank] = sample_set(context, &small);
    congru_context_destroy(&context);
}

static void end(shared_run *run)
{
    for (int rank = 0; rank < PROCESS_GROUP_THREADS_MAX; rank++) {
        congru_set_destroy(&run->set[rank]);
        congru_results_destroy(&run->results[rank]);
    }
}

/* Without a folder of its own the run has one that no other has. */
static void go_with(shared_run *run, process_group_plan plan)
{
    static int runs;
    char folder[512];
    snprintf(folder, sizeof folder, "%s/run-%d", scratch_folder(), runs++);
    const bool named = run->options.folder != NULL;
    run->options.folder = named ? run->options.folder : folder;
    plan.user = run;
    process_group_threads_run(&plan, take_part);
    run->lost = plan.was_lost;
    run->options.folder = named ? run->options.folder : NULL;
}

static void go(shared_run *run, int size)
{
    go_with(run, (process_group_plan){.size = size});
}

/* The file's bytes, or "" when it cannot be had; the caller frees it. */
static char *read_file(const char *folder, const char *name, size_t *size)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    char *text = calloc(1, 1 << 20);
    *size = file != NULL && text != NULL ? fread(text, 1, (1 << 20) - 1, file) : 0;
    if (file != NULL)
        fclose(file);
    return text;
}

static bool same_file(const char *a, const char *b, const char *name)
{
    size_t size_a, size_b;
    char *text_a = read_file(a, name, &size_a), *text_b = read_file(b, name, &size_b);
    bool same = size_a > 0 && size_a == size_b && memcmp(text_a, text_b, size_a) == 0;
    free(text_a);
    free(text_b);
    return same;
}

/* Every bit but those of the time. */
static bool same_results(const congru_results *a, const congru_results *b)
{
    if (a == NULL || b == NULL || a->folds != b->folds || a->folds == 0 || a->pipelines != b->pipelines)
        return false;
    for (size_t i = 0; i < a->folds; i++) {
        const congru_fold *x = &a->fold[i], *y = &b->fold[i];
        if (x->samples != y->samples || x->subject != y->subject || x->accuracy != y->accuracy ||
            x->kappa != y->kappa || x->train != y->train ||
            memcmp(x->trial, y->trial, x->samples * sizeof *x->trial) != 0 ||
            memcmp(x->prediction, y->prediction, x->samples * sizeof *x->prediction) != 0 ||
            memcmp(x->probability, y->probability, x->samples * a->classes * sizeof(double)) != 0)
            return false;
    }
    return true;
}

static shared_run alone;
static char alone_folder[512];

TEST(run_alone)
{
    begin(&alone);
    snprintf(alone_folder, sizeof alone_folder, "%s/alone", scratch_folder());
    alone.options.folder = alone_folder;
    go(&alone, 1);
    CHECK_SAYING(alone.status[0] == CONGRU_OK, "%s", alone.error[0]);
}

TEST(any_number_gives_the_same_bits)
{
    for (int size = 2; size <= 4; size++)
        for (int threads = 1; threads <= 3; threads += 2) {
            shared_run run;
            char folder[512];
            begin(&run);
            snprintf(folder, sizeof folder, "%s/process group-%d-%d", scratch_folder(), size, threads);
            run.options.folder = folder;
            run.threads = threads;
            go(&run, size);
            for (int rank = 0; rank < size; rank++) {
                CHECK_SAYING(run.status[rank] == CONGRU_OK, "rank %d: %s", rank, run.error[rank]);
                CHECK_SAYING(same_results(alone.results[0], run.results[rank]), "rank %d of %d differs", rank,
                             size);
            }
            CHECK(same_file(alone_folder, folder, "predictions.csv"));
            CHECK(same_file(alone_folder, folder, "training/dldct-e2e-3.json"));
            CHECK(same_file(alone_folder, folder, "training/dct+mdm-0.json"));
            end(&run);
        }
}

/* A job is then a training with the folds of several subjects. */
TEST(groups_of_subjects_are_shared)
{
    shared_run one, several;
    begin(&one);
    begin(&several);
    one.options.groups = several.options.groups = 2;
    go(&one, 1);
    go(&several, 3);
    CHECK_SAYING(one.status[0] == CONGRU_OK, "%s", one.error[0]);
    for (int rank = 0; rank < 3; rank++)
        CHECK_SAYING(several.status[rank] == CONGRU_OK && same_results(one.results[0], several.results[rank]),
                     "rank %d: %s", rank, several.error[rank]);
    CHECK_SAYING(!same_results(one.results[0], alone.results[0]), "groups change nothing");
    end(&one);
    end(&several);
}

/* Whenever it happens: with a job that it has taken and not done, or in a round at the beginning or at the end. How many jobs
 * a process gets is up to the scheduler: where it got too few to be lost, it is tried again. */
TEST(a_lost_process_costs_nothing)
{
    enum { TRIES = 4, NUMBERS = 5, ROUNDS = 5 };
    bool lost[NUMBERS + ROUNDS] = {false};
    int without = 0;
    for (int attempt = 0; attempt < TRIES * (NUMBERS + ROUNDS); attempt++) {
        const int how = attempt % (NUMBERS + ROUNDS);
        process_group_plan plan = {.size = 3, .lost = 2};
        shared_run run;
        if (lost[how])
            continue;
        if (how < NUMBERS)
            plan.numbers = 1 + how;
        else
            plan.rounds = 1 + how - NUMBERS;
        begin(&run);
        go_with(&run, plan);
        lost[how] = run.lost;
        without += run.lost;
        CHECK_SAYING(run.status[0] == CONGRU_OK, "%d: %s", how, run.error[0]);
        CHECK_SAYING(same_results(alone.results[0], run.results[0]), "how %d", how);
        CHECK_SAYING(same_results(alone.results[0], run.results[1]), "rank 1, how %d", how);
        CHECK(!run.lost || run.status[2] != CONGRU_OK);
        end(&run);
    }
    CHECK_SAYING(without >= 6, "only %d were lost", without);
}

TEST(a_failing_fold_fails_everywhere)
{
    shared_run run;
    begin(&run);
    /* Subject 2 alone has trials of class 1: without them there is nothing to tell apart. */
    for (int rank = 0; rank < PROCESS_GROUP_THREADS_MAX; rank++)
        for (size_t i = 0; i < run.set[rank]->count; i++)
            if (run.set[rank]->subject[i] != 2)
                run.set[rank]->label[i] = 0;
    go(&run, 3);
    for (int rank = 0; rank < 3; rank++) {
        CHECK(run.status[rank] == run.status[0] && run.status[rank] != CONGRU_OK && run.results[rank] == NULL);
        CHECK_SAYING(strstr(run.error[rank], "subject 'S03'") != NULL, "rank %d: %s", rank, run.error[rank]);
    }
    CHECK(run.complaint[0] == '\0');
    end(&run);
}

TEST(other_data_is_told_apart)
{
    shared_run run;
    begin(&run);
    run.set[1]->covariance[0] *= 1.000001;
    go(&run, 2);
    for (int rank = 0; rank < 2; rank++) {
        CHECK(run.status[rank] == CONGRU_ERROR_ARGUMENT);
        CHECK_SAYING(strstr(run.error[rank], "process 2 of 2 has ") != NULL &&
                         strstr(run.error[rank], "\"data\"") != NULL,
                     "%s", run.error[rank]);
    }
    end(&run);
}

TEST(a_shared_run_needs_a_folder)
{
    shared_run run;
    begin(&run);
    process_group_threads_run(&(process_group_plan){.size = 2, .user = &run}, take_part);
    for (int rank = 0; rank < 2; rank++)
        CHECK_SAYING(run.status[rank] == CONGRU_ERROR_ARGUMENT &&
                         strstr(run.error[rank], "needs a results folder") != NULL,
                     "rank %d: %s", rank, run.error[rank]);
    end(&run);
}

/* Processes that do not see the same files are told apart before anything is run. */
TEST(another_folder_is_told_apart)
{
    for (int there = 0; there < 2; there++) {
        shared_run run;
        char other[512];
        begin(&run);
        snprintf(other, sizeof other, "%s/elsewhere", scratch_folder());
        CHECK(!there || mkdir(other, 0777) == 0);
        run.elsewhere = other;
        go(&run, 3);
        for (int rank = 0; rank < 3; rank++)
            CHECK_SAYING(run.status[rank] == CONGRU_ERROR_IO &&
                             strstr(run.error[rank], "process 2 of 3: ") != NULL &&
                             strstr(run.error[rank], there ? "the same folder for all" : "cannot open") != NULL,
                         "rank %d: %s", rank, run.error[rank]);
        end(&run);
    }
}

/* One that cannot read its set leaves before the others begin. */
TEST(one_that_leaves_early_ends_all)
{
    for (int who = 0; who < 3; who++) {
        shared_run run;
        begin(&run);
        run.early[who] = "set.npz: cannot open";
        go(&run, 3);
        for (int rank = 0; rank < 3; rank++)
            if (rank != who) {
                CHECK(run.status[rank] != CONGRU_OK);
                CHECK_SAYING(strstr(run.error[rank], "cannot open") != NULL, "rank %d: %s", rank,
                             run.error[rank]);
            }
        end(&run);
    }
}

static bool stop_after_some(void *user, size_t done, size_t total)
{
    (void)user, (void)total;
    return done < 4;
}

static bool stop_at_once(void *user, size_t done, size_t total)
{
    (void)user, (void)done, (void)total;
    return false;
}

/* What was finished before a stop is in the folder, and a run with another number of processes goes on from there. */
TEST(a_stopped_run_is_taken_up)
{
    for (int other = 0; other < 2; other++) {
        shared_run run, again;
        char folder[512];
        snprintf(folder, sizeof folder, "%s/stopped-%d", scratch_folder(), other);
        begin(&run);
        run.options.folder = folder;
        run.progress = other ? NULL : stop_after_some;
        run.others_progress = other ? stop_at_once : NULL;
        go(&run, 3);
        bool stopped = run.status[0] == CONGRU_ERROR_CANCELLED;
        CHECK(stopped || other); /* the others may be asked after the last fold */
        CHECK(run.status[1] == run.status[0] && run.status[2] == run.status[0]);
        end(&run);
        begin(&again);
        again.options.folder = folder;
        go(&again, 2);
        CHECK_SAYING(again.status[0] == CONGRU_OK, "%s", again.error[0]);
        CHECK(other || again.results[0]->resumed >= 4);
        CHECK(same_results(alone.results[0], again.results[0]) &&
              same_results(alone.results[0], again.results[1]));
        CHECK(same_file(alone_folder, folder, "predictions.csv"));
        end(&again);
    }
}

TEST(nothing_left_to_do_is_quickly_done)
{
    shared_run run;
    begin(&run);
    run.options.folder = alone_folder;
    go(&run, 3);
    for (int rank = 0; rank < 3; rank++)
        CHECK(run.status[rank] == CONGRU_OK && same_results(alone.results[0], run.results[rank]));
    CHECK(run.results[0]->resumed == run.results[0]->folds);
    end(&run);
}

/* What the methods have to say in several processes is in the results once. */
TEST(notes_are_everyones)
{
    static const char *const network[] = {"dct-e2e"};
    const set_recipe few = {.subjects = 5, .classes = 2, .per_class = 1, .d = 4, .effect = 0.8, .seed = 1};
    shared_run run;
    congru_context *context = NULL;
    if (congru_context_create(&context, NULL) != CONGRU_OK)
        abort();
    begin(&run);
    run.options.data_parallel = true;
    run.options.pipelines = network;
    run.options.pipeline_count = 1;
    for (int rank = 0; rank < PROCESS_GROUP_THREADS_MAX; rank++) {
        congru_set_destroy(&run.set[rank]);
        run.set[rank] = sample_set(context, &few);
    }
    go(&run, 3);
    for (int rank = 0; rank < 3; rank++) {
        CHECK_SAYING(run.status[rank] == CONGRU_OK, "rank %d: %s", rank, run.error[rank]);
        CHECK(run.results[rank] != NULL && run.results[rank]->note_count == 1 &&
              strstr(run.results[rank]->note[0], "only 2 trials") != NULL);
    }
    end(&run);
    congru_context_destroy(&context);
}

/* Every network, in batches of several chunks and of fewer chunks than processes, with what else trains. */
TEST(batches_shared_give_the_same_bits)
{
    static const char *const networks[] = {"dct+mdm", "dldct+mdm", "ddct-unet+mdm",
                                           "dct-e2e", "dldct-e2e", "ddct-unet-e2e"};
    for (int variant = 0; variant < 3; variant++) {
        shared_run one;
        begin(&one);
        one.options.pipelines = networks;
        one.options.pipeline_count = 6;
        one.options.data_parallel = true;
        one.options.subjects = (const int32_t[]){1, 3};
        one.options.subject_count = 2;
        one.options.method.network.steps = 12;
        one.options.method.network.batch = variant == 1 ? 20 : 256;
        one.options.method.network.affine_reconstruction = variant == 1;
        one.options.method.network.validation_subjects = variant == 2;
        shared_run processes = one;
        go(&one, 1);
        CHECK_SAYING(one.status[0] == CONGRU_OK, "%s", one.error[0]);
        for (int size = 2; size <= 4; size++) {
            processes.threads = size == 3 ? 2 : 1;
            go(&processes, size);
            for (int rank = 0; rank < size; rank++) {
                CHECK_SAYING(processes.status[rank] == CONGRU_OK, "rank %d: %s", rank, processes.error[rank]);
                CHECK_SAYING(same_results(one.results[0], processes.results[rank]),
                             "variant %d: rank %d of %d differs", variant, rank, size);
                congru_results_destroy(&processes.results[rank]);
            }
        }
        end(&one);
    }
}

/* Failures and stops are everyone's; nobody is left waiting. */
TEST(batches_shared_end_together)
{
    for (int how = 0; how < 4; how++) {
        shared_run run;
        begin(&run);
        run.options.data_parallel = true;
        run.options.method.network.steps = how == 0 ? 20 : 100000;
        run.options.method.network.rate = how == 0 ? 1e300 : 1e-3;
        run.options.pipelines = pipelines + 4;
        run.options.pipeline_count = 1;
        run.progress = how == 1 ? stop_at_once : NULL;
        run.others_progress = how == 2 ? stop_at_once : NULL;
        go_with(&run, (process_group_plan){.size = 3, .lost = how == 3 ? 2 : 0, .rounds = 50});
        for (int rank = 0; rank < (how == 3 ? 2 : 3); rank++)
            CHECK_SAYING(run.status[rank] == run.status[0] && run.status[rank] != CONGRU_OK,
                         "%d: rank %d: %d, %s", how, rank, (int)run.status[rank], run.error[rank]);
        CHECK(how == 0 || how == 3 || run.status[0] == CONGRU_ERROR_CANCELLED);
        end(&run);
    }
}

enum { STEPS = 40, STOP_AT = 7 };

/* The only one asked this, between steps. */
static bool stop_at_step(void *user, size_t done, size_t total)
{
    (void)user;
    return total != STEPS || done != STOP_AT;
}

typedef struct stopped_training {
    congru_trials trials;
    congru_status status[3];
    size_t step[3];
    char error[3][512];
} stopped_training;

static void train_until_stopped(void *user, int rank, congru_process_group *processes)
{
    stopped_training *all = user;
    congru_context *context = NULL;
    congru_training *t = NULL;
    congru_method_options options;
    congru_method_options_init(&options);
    options.network.steps = STEPS;
    if (congru_context_create(
            &context, &(congru_context_options){.threads = 1, .progress = rank == 1 ? stop_at_step : NULL}) !=
        CONGRU_OK)
        abort();
    options.network.processes = processes;
    CHECK(congru_training_create(context, &congru_network_dldct, true, &all->trials, &options, &t) ==
          CONGRU_OK);
    all->status[rank] = congru_training_loop(t, NULL);
    all->step[rank] = t->step;
    snprintf(all->error[rank], sizeof all->error[rank], "%s", congru_context_error(context));
    congru_training_destroy(&t);
    congru_process_group_leave(processes, NULL);
    congru_context_destroy(&context);
}

/* One is told to stop, and all that share its step do, in the same step. */
TEST(a_stop_is_heard_in_the_step)
{
    congru_context *context = NULL;
    if (congru_context_create(&context, NULL) != CONGRU_OK)
        abort();
    stopped_training all = {.trials = sample_trials(context, 100, 4, 3, 4, 5)};
    process_group_threads_run(&(process_group_plan){.size = 3, .user = &all}, train_until_stopped);
    for (int rank = 0; rank < 3; rank++) {
        CHECK(all.status[rank] == CONGRU_ERROR_CANCELLED && all.step[rank] == STOP_AT);
        CHECK_SAYING(strstr(all.error[rank], "stopped by the progress callback") != NULL, "%s",
                     all.error[rank]);
    }
    sample_free(&all.trials);
    congru_context_destroy(&context);
}

typedef struct heard {
    uint64_t number[2][3]; /* that each rank took, after each of two rounds */
    congru_status status[2][3];
    char error[3][512];
} heard;

/* Two of three fail, the later one of the lower place. */
static void fare(void *user, int rank, congru_process_group *processes)
{
    heard *all = user;
    congru_context *context = NULL;
    if (congru_context_create(&context, NULL) != CONGRU_OK)
        abort();
    for (int round = 0; round < 2; round++) {
        const bool fails = round == 1 && rank > 0;
        congru_status status =
            fails ? congru_fail(context, CONGRU_ERROR_IO, "that of %d\nhas two lines", rank) : CONGRU_OK;
        status = congru_process_group_hear(processes, context, status, (uint64_t)(9 - rank), NULL);
        all->status[round][rank] = congru_process_group_tell(processes, context, status, NULL);
        all->number[round][rank] = congru_process_group_count(processes, CONGRU_COUNTER_JOBS, 1);
    }
    snprintf(all->error[rank], sizeof all->error[rank], "%s", congru_context_error(context));
    congru_process_group_leave(processes, NULL);
    congru_context_destroy(&context);
}

TEST(the_failure_of_the_lowest_place_is_everyones)
{
    heard all;
    process_group_threads_run(&(process_group_plan){.size = 3, .user = &all}, fare);
    for (int round = 0; round < 2; round++) {
        size_t taken = 0;
        for (int rank = 0; rank < 3; rank++) {
            CHECK(all.status[round][rank] == (round == 0 ? CONGRU_OK : CONGRU_ERROR_IO));
            taken |= all.number[round][rank] < 3 ? (size_t)1 << all.number[round][rank] : 8;
        }
        CHECK(taken == 7); /* 0, 1 and 2, each once, after each telling */
    }
    for (int rank = 0; rank < 3; rank++)
        CHECK_SAYING(strcmp(all.error[rank], "that of 2\nhas two lines") == 0, "%s", all.error[rank]);
}

TEST(bad_transports_are_refused)
{
    congru_process_group *processes = NULL;
    CHECK(congru_process_group_create(&processes, NULL) == CONGRU_ERROR_ARGUMENT && processes == NULL);
    CHECK(congru_process_group_create(&processes, &(congru_transport){.size = 2}) == CONGRU_ERROR_ARGUMENT &&
          processes == NULL);
    CHECK(congru_process_group_create(NULL, NULL) == CONGRU_ERROR_ARGUMENT);
    congru_process_group_destroy(&processes);
    congru_process_group_destroy(NULL);
    CHECK(congru_process_group_leave(NULL, "error") == NULL);
}

int main(void)
{
    if (!scratch_open())
        return 1;
    harness_run_all();
    end(&alone);
    scratch_close();
    return harness_end();
}
