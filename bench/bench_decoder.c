/* How long a decision takes, from the last sample to the probabilities. SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* RUSAGE_THREAD */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "congru/congru.h"
#include "stream_samples.h"

enum { DECISIONS_MAX = 20000, CUES_MAX = 2000, QUICK = 20 };

static stream_recipe recipe = {
    .subjects = 4, .trials = 24, .d = 22, .rate = 250, .estimator = "scm", .seed = 1};

static double now(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return 1e6 * (double)time.tv_sec + 1e-3 * (double)time.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

/* Microseconds of each decision; of the wall's those apart in which nothing else got the processor. */
typedef struct times {
    size_t count;
    double took[DECISIONS_MAX];
} times;

static void add(times *t, double took)
{
    t->took[t->count++] = took;
}

static double ninety_ninth(times *t)
{
    qsort(t->took, t->count, sizeof t->took[0], compare);
    return t->count > 0 ? t->took[t->count * 99 / 100] : 0.0;
}

/* What a decision may take at most, 99 times of 100. */
static double bar_of(const char *pipeline)
{
    const bool views = strcmp(pipeline, "motor") == 0 || strcmp(pipeline, "motor+slow") == 0,
               large = strcmp(pipeline, "conformer") == 0 || strcmp(pipeline, "inception") == 0;
    return views ? 2000.0 : large ? 15000.0 : 5000.0;
}

static void print(const char *pipeline, bool cues, times *own, times *wall, times *alone, long faults)
{
    const double of_thread = ninety_ninth(own), of_all = ninety_ninth(wall), of_alone = ninety_ninth(alone);
    printf("%-14s %-8s %6zu %8.0f %8.0f %8.0f %8.0f %11zu %6ld %6.0f  %s\n", pipeline,
           cues ? "a cue" : "any time", wall->count, own->took[own->count / 2], of_thread, of_alone, of_all,
           wall->count - alone->count, faults, bar_of(pipeline),
           of_thread <= bar_of(pipeline) && of_alone <= bar_of(pipeline) ? "met" : "not met");
}

/* A decision about a cue whose trial has just become complete, where it is the time for one. */
static void decide_cue(congru_decoder *decoder, size_t t, congru_decision *decision)
{
    const uint64_t far = UINT64_C(1) << 32, length = congru_decoder_cue_due(decoder, far) - far;
    const uint64_t every = (uint64_t)(congru_decoder_sampling(decoder) / 50);
    if (t % every == 0 && t >= length + recipe.d)
        congru_decoder_decide_cue(decoder, t + 1 - length, decision);
}

/* Frame by frame at 50 decisions a second, at any time or about as many cues, the reference moving as it does by default. A
 * decoder has one thread. On a machine that does other things too the clock on the wall counts those: decisions in which
 * the thread had to give its processor up are counted, and left out of the column beside. */
static void measure(congru_context *context, const congru_set *set, const double *frames, size_t samples,
                    const char *pipeline, bool cues, bool quick)
{
    static times wall, own, alone;
    const size_t most = quick ? QUICK : cues ? CUES_MAX : DECISIONS_MAX;
    long faults = 0;
    congru_model_options options;
    congru_pipeline_description description;
    congru_decoder_options how;
    congru_model *model = NULL;
    congru_decoder *decoder = NULL;
    congru_model_options_init(&options);
    options.pipeline = pipeline;
    options.method.network.steps = quick ? 1 : cues ? 5 : 50;
    options.causal =
        congru_pipeline_describe(context, pipeline, &description) == CONGRU_OK && description.needs_signals;
    congru_decoder_options_init(&how);
    how.rate = cues ? 0 : 50;
    if (congru_model_fit(context, set, &options, &model) != CONGRU_OK ||
        congru_decoder_create(context, model, &how, &decoder) != CONGRU_OK) {
        fprintf(stderr, "%s: %s\n", pipeline, congru_context_error(context));
        exit(1);
    }
    wall.count = own.count = alone.count = 0;
    for (size_t t = 0; t < samples && wall.count < most; t++) {
        congru_decision decision;
        struct rusage before, after;
        size_t taken;
        getrusage(RUSAGE_THREAD, &before);
        double begin = now(CLOCK_MONOTONIC), own_begin = now(CLOCK_THREAD_CPUTIME_ID);
        congru_decoder_push(decoder, 1, frames + t * recipe.d, &taken, &decision);
        if (cues) {
            begin = now(CLOCK_MONOTONIC);
            own_begin = now(CLOCK_THREAD_CPUTIME_ID);
            decide_cue(decoder, t, &decision);
        }
        double own_end = now(CLOCK_THREAD_CPUTIME_ID), end = now(CLOCK_MONOTONIC);
        getrusage(RUSAGE_THREAD, &after);
        if (!decision.due || decision.prediction < 0)
            continue;
        add(&wall, end - begin);
        add(&own, own_end - own_begin);
        if (after.ru_nivcsw == before.ru_nivcsw)
            add(&alone, end - begin);
        faults += after.ru_minflt - before.ru_minflt;
    }
    print(pipeline, cues, &own, &wall, &alone, faults);
    congru_decoder_destroy(&decoder);
    congru_model_destroy(&model);
}

static void head(const congru_context *context, const char *what)
{
    printf("\n%zu channels at %g Hz, %s; microseconds; instruction set %s\n", recipe.d, recipe.rate, what,
           congru_context_cpu(context));
    printf("%-14s %-8s %6s %8s %8s %8s %8s %11s %6s %6s\n", "pipeline", "decides", "of", "median", "p99",
           "p99 wall", "of all", "interrupted", "faults", "bar");
}

/* Signals of a rate: motor at any time, then every built-in pipeline about cues, or those that are named. */
static void signals_at(congru_context *context, double rate, int named, char **names, bool quick)
{
    char name[CONGRU_PIPELINE_SIZE];
    stream_recording recording;
    recipe.rate = rate;
    congru_set *set = stream_wide_set(context, &recipe);
    stream_record(&recipe, 3, &recording);
    double *frames = stream_frames(&recording);
    head(context, "trials of 4.5 s");
    if (named == 0)
        measure(context, set, frames, recording.samples, "motor", false, quick);
    for (int i = 0; i < named; i++)
        measure(context, set, frames, recording.samples, names[i], true, quick);
    for (size_t i = 0; named == 0 && congru_pipeline_defined(NULL, i, name); i++)
        measure(context, set, frames, recording.samples, name, true, quick);
    free(frames);
    stream_recording_clear(&recording);
    congru_set_destroy(&set);
}

static void covariances(congru_context *context, bool quick)
{
    static const char *const pipelines[] = {"ra+mdm",  "ra+tslr",   "ra+tsa-lda",    "ra+csp-lda",
                                            "dct-e2e", "dldct-e2e", "ddct-unet-e2e", "spdnet",
                                            "spd-cnn", "ts-spd-cnn"};
    stream_recording recording;
    congru_set *set = stream_set(context, &recipe);
    stream_record(&recipe, 3, &recording);
    double *frames = stream_frames(&recording);
    head(context, "windows of 3 s");
    for (size_t i = 0; i < sizeof pipelines / sizeof pipelines[0]; i++)
        measure(context, set, frames, recording.samples, pipelines[i], false, quick);
    free(frames);
    stream_recording_clear(&recording);
    congru_set_destroy(&set);
}

/* "quick" as the argument: twenty decisions of each. Names of pipelines: these about cues alone. */
int main(int count, char **arguments)
{
    const bool quick = count > 1 && strcmp(arguments[1], "quick") == 0;
    const int named = quick ? 0 : count - 1;
    congru_context *context = NULL;
    if (congru_context_create(&context, NULL) != CONGRU_OK)
        return 1;
    if (named == 0)
        covariances(context, quick);
    signals_at(context, 250, named, arguments + 1, quick);
    signals_at(context, 160, named, arguments + 1, quick);
    congru_context_destroy(&context);
    return 0;
}
