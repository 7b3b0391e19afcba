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

/* Every pipeline: from the first frame on, adapting, with gaps, asked in between. */
static void nothing_is_allocated(void)
{
    static const stream_recipe recipe = {.subjects = 3,
                                         .trials = 8,
                                         .d = 5,
                                         .rate = 100,
                                         .estimator = "lwf",
                                         .average_reference = false,
                                         .seed = 5};
    if (!COUNTS) {
        SKIP("the C library's malloc cannot be counted here");
        return;
    }
    congru_context *context = NULL;
    CHECK(congru_context_create(&context, NULL) == CONGRU_OK);
    congru_set *set = stream_set(context, &recipe);
    stream_recording recording;
    stream_record(&recipe, 2, &recording);
    double *frames = stream_frames(&recording);
    char pipeline[CONGRU_PIPELINE_SIZE];
    for (size_t p = 0; congru_pipeline_at(p, false, pipeline); p++) {
        congru_model_options options;
        congru_model *model = NULL;
        congru_decoder *decoder = NULL;
        congru_model_options_init(&options);
        options.pipeline = pipeline;
        options.method.network.steps = 10;
        CHECK(congru_model_fit(context, set, &options, &model) == CONGRU_OK);
        CHECK(congru_decoder_create(context, model, NULL, &decoder) == CONGRU_OK);
        calls = 0;
        size_t decisions = 0;
        counting = 1;
        for (size_t at = 0, taken; decoder != NULL && at < recording.samples; at += taken) {
            congru_decision decision;
            size_t block = 1 + at % 97;
            if (block > recording.samples - at)
                block = recording.samples - at;
            congru_decoder_push(decoder, block, frames + at * recipe.d, &taken, &decision);
            decisions += decision.due && decision.answer >= 0;
            congru_decoder_decide(decoder, &decision);
        }
        congru_decoder_reset(decoder);
        counting = 0;
        CHECK_SAYING(calls == 0, "%s: %zu calls of malloc or free", pipeline, calls);
        CHECK_SAYING(decisions > 100, "%s: %zu decisions", pipeline, decisions);
        congru_decoder_destroy(&decoder);
        congru_model_destroy(&model);
    }
    free(frames);
    stream_recording_clear(&recording);
    congru_set_destroy(&set);
    congru_context_destroy(&context);
}

int main(void)
{
    RUN(nothing_is_allocated);
    return harness_end();
}
