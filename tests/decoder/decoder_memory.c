/* No allocation once a decoder is made: counted inside malloc. SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>

#include "harness.h"
#include "stream_samples.h"

#if defined(__SANITIZE_ADDRESS__) || !defined(__GLIBC__)
#define COUNTS 0
static size_t calls;
static int counting;
#else
#define COUNTS 1
static size_t calls;
static int counting;

/* The C library's own, under the names it keeps for this. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *memory);

void *malloc(size_t size)
{
    calls += counting != 0;
    return __libc_malloc(size);
}

void *calloc(size_t nmemb, size_t size)
{
    calls += counting != 0;
    return __libc_calloc(nmemb, size);
}

void *realloc(void *ptr, size_t size)
{
    calls += counting != 0;
    return __libc_realloc(ptr, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    calls += counting != 0;
    return __libc_memalign(alignment, size);
}

void free(void *ptr)
{
    calls += counting != 0 && ptr != NULL;
    __libc_free(ptr);
}
#endif

static const stream_recipe recipe = {
    .subjects = 3, .trials = 8, .d = 5, .rate = 120, .estimator = "lwf", .average_reference = false, .seed = 5};

/* From the first frame on, adapting, asked in between and about cues; at least so many decisions. Networks of signals see
 * crops of so many seconds, or all (0). */
static void count_calls(congru_context *context, const congru_set *set, const char *pipeline,
                        congru_adaptation adaptation, double crops, size_t least)
{
    stream_recording recording;
    stream_record(&recipe, 2, &recording);
    double *frames = stream_frames(&recording);
    congru_model_options options;
    congru_decoder_options decoding;
    congru_model *model = NULL;
    congru_decoder *decoder = NULL;
    congru_model_options_init(&options);
    congru_decoder_options_init(&decoding);
    decoding.adaptation = adaptation;
    options.pipeline = pipeline;
    options.method.network.steps = 10;
    options.method.network.crops = crops;
    options.method.network.zscore = crops > 0.0;
    CHECK_SAYING(congru_model_fit(context, set, &options, &model) == CONGRU_OK, "%s",
                 congru_context_error(context));
    CHECK_SAYING(congru_decoder_create(context, model, &decoding, &decoder) == CONGRU_OK, "%s",
                 congru_context_error(context));
    calls = 0;
    size_t decisions = 0, marked = 0;
    counting = 1;
    for (size_t at = 0, taken; decoder != NULL && at < recording.samples; at += taken) {
        congru_decision decision;
        size_t block = 1 + at % 97;
        if (block > recording.samples - at)
            block = recording.samples - at;
        for (; marked < recipe.trials && stream_cue(&recipe, marked) < at + 30; marked++)
            congru_decoder_mark(decoder, stream_cue(&recipe, marked));
        congru_decoder_push(decoder, block, frames + at * recipe.d, &taken, &decision);
        decisions += decision.due && decision.prediction >= 0;
        congru_decoder_decide(decoder, &decision);
        congru_decoder_decide_cue(decoder, stream_cue(&recipe, marked > 1 ? marked - 2 : 0), &decision);
    }
    congru_decoder_reset(decoder);
    counting = 0;
    CHECK_SAYING(calls == 0, "%s: %zu calls of malloc or free", pipeline, calls);
    CHECK_SAYING(decisions >= least, "%s: %zu decisions", pipeline, decisions);
    congru_decoder_destroy(&decoder);
    congru_model_destroy(&model);
    free(frames);
    stream_recording_clear(&recording);
}

/* A context and a set; false, and the test is skipped, where calls cannot be counted. */
static bool start(congru_set *(*make)(congru_context *context, const stream_recipe *recipe),
                  congru_context **context, congru_set **set)
{
    if (!COUNTS) {
        SKIP("the C library's malloc cannot be counted here");
        return false;
    }
    CHECK(congru_context_create(context, NULL) == CONGRU_OK);
    *set = make(*context, &recipe);
    return true;
}

/* Every pipeline of covariances. */
TEST(nothing_is_allocated)
{
    char pipeline[CONGRU_PIPELINE_SIZE];
    congru_context *context = NULL;
    congru_set *set = NULL;
    if (!start(stream_set, &context, &set))
        return;
    for (size_t p = 0; congru_pipeline_at(p, false, pipeline); p++)
        count_calls(context, set, pipeline, CONGRU_ADAPT_WINDOWS, 0.0, 100);
    congru_set_destroy(&set);
    congru_context_destroy(&context);
}

/* Every pipeline that is built in: branches, and networks of signals. Those that need cues have eight decisions. */
TEST(branches_allocate_nothing)
{
    char pipeline[CONGRU_PIPELINE_SIZE];
    congru_context *context = NULL;
    congru_set *set = NULL;
    if (!start(stream_wide_set, &context, &set))
        return;
    for (size_t p = 0; congru_pipeline_defined(NULL, p, pipeline); p++) {
        count_calls(context, set, pipeline, CONGRU_ADAPT_WINDOWS, 0.0, recipe.trials - 1);
        count_calls(context, set, pipeline, CONGRU_ADAPT_TRIALS, 0.0, recipe.trials - 1);
    }
    count_calls(context, set, "eegnet", CONGRU_ADAPT_WINDOWS, 2.0, recipe.trials - 1);
    count_calls(context, set, "tsmnet", CONGRU_ADAPT_TRIALS, 2.0, recipe.trials - 1);
    congru_set_destroy(&set);
    congru_context_destroy(&context);
}

int main(void)
{
    harness_run_all();
    return harness_end();
}
