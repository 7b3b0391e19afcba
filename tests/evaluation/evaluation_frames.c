/* How many functions, and changes of folder, there are from a call of the library to a kernel. SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <execinfo.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "congru/congru.h"
#include "harness.h"
#include "kernel/kernel.h"
#include "run_samples.h"
#include "stream_samples.h"

/* docs/architecture.md tells the ways. Frames are those of the program as it is compiled, from the call on, the kernel's among
 * them; of a thread that the call has started, behind those that started it. Compilers differ by a function or two. */
enum { FRAMES_MAX = 28, CHANGES_MAX = 8, LIVE_FRAMES_MAX = 18, LIVE_CHANGES_MAX = 6, DEPTH = 64 };

static const stream_recipe recipe = {
    .subjects = 3, .trials = 8, .d = 4, .rate = 100, .estimator = "scm", .seed = 3};

static congru_context *context;

/* ---- Frames ---------------------------------------------------------------------------------------------- */

typedef struct stack {
    int count;
    void *address[2 * DEPTH]; /* the innermost first */
} stack;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static stack longest; /* from a call to a kernel, since it was emptied */
static int base;      /* frames of whoever makes the call */
static __thread stack before;
static __thread int own_base = -1; /* of a thread: those that run its function */

/* Those of this thread above whoever calls this, and of the threads before it. */
__attribute__((noinline)) static void take(stack *taken)
{
    enum { skipped = 2 };
    void *all[DEPTH];
    const int depth = backtrace(all, DEPTH), count = depth - skipped - (own_base >= 0 ? own_base : base);
    taken->count = count > 0 ? count : 0;
    memcpy(taken->address, all + skipped, (size_t)taken->count * sizeof all[0]);
    memcpy(taken->address + taken->count, before.address, (size_t)before.count * sizeof all[0]);
    taken->count += before.count;
}

/* Called by a kernel in the place of one. */
__attribute__((noinline)) static void arrive(void)
{
    stack here;
    take(&here);
    pthread_mutex_lock(&mutex);
    if (here.count > longest.count)
        longest = here;
    pthread_mutex_unlock(&mutex);
}

static const congru_kernel *real;
static congru_kernel counted;
static congru_real_kernel counted_real;

static bool eigen(size_t vectors, size_t d, double *a, double *values, double *z, double *work)
{
    arrive();
    return real->eigen(vectors, d, a, values, z, work);
}

static void gram(size_t rows, size_t stride, const double *x, double *out)
{
    arrive();
    real->gram(rows, stride, x, out);
}

static void filter(size_t sections, const double (*section)[6], size_t rows, double *const *row, size_t samples,
                   bool backward, double *state)
{
    arrive();
    real->filter(sections, section, rows, row, samples, backward, state);
}

static void product(size_t rows, size_t cols, size_t blocks, size_t inner, congru_window a, congru_window b,
                    bool add, congru_real *c, size_t c_row)
{
    arrive();
    real->real->product(rows, cols, blocks, inner, a, b, add, c, c_row);
}

const congru_kernel *__real_congru_kernel_find(const char *name);
const congru_kernel *__wrap_congru_kernel_find(const char *name);
const congru_kernel *__wrap_congru_kernel_find(const char *name)
{
    real = __real_congru_kernel_find(name);
    if (real == NULL)
        return NULL;
    counted = *real;
    counted_real = *real->real;
    counted.eigen = eigen;
    counted.gram = gram;
    counted.filter = filter;
    counted_real.product = product;
    counted.real = &counted_real;
    return &counted;
}

typedef struct thread_start {
    void *(*run)(void *user);
    void *user;
    stack before;
} thread_start;

static void *run_thread(void *user)
{
    thread_start start = *(thread_start *)user;
    void *all[DEPTH];
    free(user);
    own_base = backtrace(all, DEPTH);
    before = start.before;
    return start.run(start.user);
}

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *user);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *user);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *user)
{
    thread_start *start = calloc(1, sizeof *start);
    CHECK(start != NULL);
    start->run = run;
    start->user = user;
    take(&start->before);
    return __real_pthread_create(thread, attributes, run_thread, start);
}

/* ---- Folders --------------------------------------------------------------------------------------------- */

extern const char __executable_start[];

/* The function and folder of an address, by addr2line; false where it is not there. */
static bool name_frame(const void *address, char *function, char *folder)
{
    char command[256], line[1024];
    snprintf(command, sizeof command, "addr2line -i -f -e /proc/%d/exe 0x%lx 2>/dev/null", (int)getpid(),
             (unsigned long)((const char *)address - __executable_start - 1));
    FILE *said = popen(command, "r");
    bool any = false;
    strcpy(folder, "tests");
    while (said != NULL && fgets(line, sizeof line, said) != NULL) { /* the last is not inlined */
        snprintf(function, 128, "%.*s", (int)strcspn(line, "\n"), line);
        if (fgets(line, sizeof line, said) == NULL)
            break;
        const char *src = strstr(line, "/src/");
        any = true;
        if (src != NULL)
            snprintf(folder, 32, "%.*s", (int)strcspn(src + 5, "/"), src + 5);
    }
    if (said != NULL)
        pclose(said);
    return any;
}

/* Whether the frames and folders of the longest way are few enough; tells it, from the call on. */
static void judge(const char *what, int most, int changes_most)
{
    char function[128], folder[32], last[32] = "", way[4096] = "";
    int changes = -1;
    for (int i = longest.count; i-- > 0;) {
        if (!name_frame(longest.address[i], function, folder))
            break;
        if (strcmp(folder, "tests") == 0) /* in the place of a kernel */
            strcpy(folder, "kernel");
        changes += strcmp(folder, last) != 0;
        strcpy(last, folder);
        snprintf(way + strlen(way), sizeof way - strlen(way), " %.31s/%.100s", folder, function);
    }
    printf("# %s: %d frames, %d changes of folder:%s\n", what, longest.count, changes, way);
#if defined __OPTIMIZE__ && !defined __clang__ && !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
    CHECK(longest.count > 3 && longest.count <= most && changes <= changes_most);
#else
    (void)most;
    (void)changes_most;
#endif
    longest.count = 0;
}

__attribute__((noinline)) static void begin(void)
{
    void *all[DEPTH];
    longest.count = 0;
    base = backtrace(all, DEPTH) - 1; /* whoever calls this makes the call */
}

/* ---- Ways ------------------------------------------------------------------------------------------------ */

static void check_loso(const congru_set *set, const char *pipeline, int steps)
{
    congru_evaluation_options options;
    congru_results *results = NULL;
    congru_evaluation_options_init(&options);
    options.pipelines = &pipeline;
    options.pipeline_count = 1;
    options.method.network.steps = steps;
    begin();
    CHECK_SAYING(congru_evaluate(context, set, &options, &results) == CONGRU_OK, "%s",
                 congru_context_error(context));
    judge(pipeline, FRAMES_MAX, CHANGES_MAX);
    congru_results_destroy(&results);
}

TEST(folds_are_few_functions_from_kernels)
{
    congru_set *set = stream_set(context, &recipe), *wide = stream_wide_set(context, &recipe);
    check_loso(set, "ra+tslr", 0);
    check_loso(wide, "eegnet", 2);
    check_loso(wide, "motor+slow", 0);
    congru_set_destroy(&set);
    congru_set_destroy(&wide);
}

TEST(decisions_are_few_functions_from_kernels)
{
    const congru_decoder_options options = stream_decoding(2, CONGRU_ADAPT_NEVER);
    congru_set *wide = stream_wide_set(context, &recipe);
    congru_model *model = stream_model(context, wide, "motor", true, 0);
    congru_decoder *decoder = stream_decoder(context, model, &options);
    stream_recording recording;
    stream_record(&recipe, 2, &recording);
    double *frames = stream_frames(&recording);
    begin();
    for (size_t at = 0, taken; at < recording.samples; at += taken) {
        congru_decision decision;
        if (congru_decoder_push(decoder, recording.samples - at, frames + at * recipe.d, &taken, &decision) !=
            CONGRU_OK)
            break;
    }
    judge("motor, live", LIVE_FRAMES_MAX, LIVE_CHANGES_MAX);
    free(frames);
    stream_recording_clear(&recording);
    congru_decoder_destroy(&decoder);
    congru_model_destroy(&model);
    congru_set_destroy(&wide);
}

int main(void)
{
    if (congru_context_create(&context, &(congru_context_options){.threads = 1}) != CONGRU_OK)
        return 1;
    harness_run_all();
    congru_context_destroy(&context);
    return harness_end();
}
