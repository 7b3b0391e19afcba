/* How long a decision takes, from the last sample to the probabilities. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "congru/congru.h"
#include "stream_samples.h"

enum { DECISIONS_MAX = 20000 };

static const stream_recipe recipe = {
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

/* Microseconds of each decision. */
typedef struct times {
    size_t count;
    double took[DECISIONS_MAX];
} times;

static void print(const char *what, times *t)
{
    double sum = 0;
    for (size_t i = 0; i < t->count; i++)
        sum += t->took[i];
    qsort(t->took, t->count, sizeof t->took[0], compare);
    printf("  %s: mean %4.0f, median %4.0f, p99 %5.0f, largest %6.0f us\n", what, sum / (double)t->count,
           t->took[t->count / 2], t->took[t->count * 99 / 100], t->took[t->count - 1]);
}

/* A decision about a cue whose trial has just become complete, where it is the time for one. */
static void decide_cue(congru_decoder *decoder, size_t t, congru_decision *decision)
{
    const uint64_t far = UINT64_C(1) << 32, length = congru_decoder_cue_due(decoder, far) - far;
    const uint64_t every = (uint64_t)(congru_decoder_sampling(decoder) / 50);
    if (t % every == 0 && t >= length + recipe.d)
        congru_decoder_decide_cue(decoder, t + 1 - length, decision);
}

/* Frame by frame at 50 decisions a second, at any time or about as many cues, the reference moving as it does by default. On
 * a machine that does other things too, the clock on the wall counts those; the thread's own does not. */
static void measure(congru_context *context, const congru_set *set, const double *frames, size_t samples,
                    const char *pipeline, bool cues, bool quick)
{
    static times wall, own;
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
    wall.count = own.count = 0;
    for (size_t t = 0; t < samples && wall.count < (quick ? 20 : DECISIONS_MAX); t++) {
        congru_decision decision;
        size_t taken;
        double begin = now(CLOCK_MONOTONIC), own_begin = now(CLOCK_THREAD_CPUTIME_ID);
        congru_decoder_push(decoder, 1, frames + t * recipe.d, &taken, &decision);
        if (cues) {
            begin = now(CLOCK_MONOTONIC);
            own_begin = now(CLOCK_THREAD_CPUTIME_ID);
            decide_cue(decoder, t, &decision);
        }
        double own_end = now(CLOCK_THREAD_CPUTIME_ID), end = now(CLOCK_MONOTONIC);
        if (!decision.due || decision.prediction < 0)
            continue;
        wall.took[wall.count++] = end - begin;
        own.took[own.count++] = own_end - own_begin;
    }
    printf("%s, %zu decisions%s\n", pipeline, wall.count, cues ? " about cues" : "");
    print("on the wall ", &wall);
    print("of the thread", &own);
    congru_decoder_destroy(&decoder);
    congru_model_destroy(&model);
}

/* "quick" as the argument: twenty decisions of each. Names of pipelines: these about cues alone. */
int main(int count, char **arguments)
{
    const bool quick = count > 1 && strcmp(arguments[1], "quick") == 0, named = count > 1 && !quick;
    static const char *const pipelines[] = {"ra+mdm",  "ra+tslr",   "ra+tsa-lda",   "ra+csp-lda",
                                            "dct-e2e", "dldct-e2e", "ddct-unet-e2e"};
    char name[CONGRU_PIPELINE_SIZE];
    congru_context *context = NULL;
    stream_recording recording;
    if (congru_context_create(&context, NULL) != CONGRU_OK)
        return 1;
    congru_set *set = stream_set(context, &recipe);
    stream_record(&recipe, 3, &recording);
    double *frames = stream_frames(&recording);
    printf("d = %zu, windows of 3 s at %g Hz, instruction set %s\n", recipe.d, recipe.rate,
           congru_context_cpu(context));
    for (size_t i = 0; !named && i < sizeof pipelines / sizeof pipelines[0]; i++)
        measure(context, set, frames, recording.samples, pipelines[i], false, quick);
    congru_set_destroy(&set);
    set = stream_wide_set(context, &recipe);
    printf("trials of 4.5 s at %g Hz; motor at any time, then every built-in pipeline about cues\n",
           recipe.rate);
    if (!named)
        measure(context, set, frames, recording.samples, "motor", false, quick);
    for (int i = 1; named && i < count; i++)
        measure(context, set, frames, recording.samples, arguments[i], true, quick);
    for (size_t i = 0; !named && congru_pipeline_defined(NULL, i, name); i++)
        measure(context, set, frames, recording.samples, name, true, quick);
    free(frames);
    stream_recording_clear(&recording);
    congru_set_destroy(&set);
    congru_context_destroy(&context);
    return 0;
}
