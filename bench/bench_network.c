/* One step of each network beside PyTorch's, and by dimension. SPDX-License-Identifier: Apache-2.0
 *
 * usage: bench_network [network_torch.py] [quick]. PyTorch runs with one and two threads of its own and one and two of its
 * BLAS, and the fastest of the four counts, for each model and kind of loop. "quick" is one step on a small set. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "congru/random.h"
#include "network/train.h"

enum { TRIALS = 2304, CLASSES = 4, SUBJECTS = 8, BATCH = 256, THREADS = 2, MODELS = 6, TORCH_STEPS = 9 };
enum { QUICK_TRIALS = 128, QUICK_D = 6, D = 22, D_MAX = 64 };

static bool quick;

static size_t trial_count(void)
{
    return quick ? QUICK_TRIALS : TRIALS;
}

/* What a program of PyTorch took, in milliseconds, and with how many threads of its own and of its BLAS. */
typedef struct torch_time {
    double took;
    int threads, blas;
} torch_time;

static const char *const names[MODELS] = {"dct", "dct-e2e", "dldct", "dldct-e2e", "ddct-unet", "ddct-unet-e2e"};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sample covariances of 6 d samples, a channel of them louder by class. */
static void fill(size_t d, double *c, int32_t *label, int32_t *subject)
{
    double *x = malloc(d * sizeof(double));
    for (size_t i = 0; i < trial_count(); i++) {
        congru_random random = congru_random_stream(3, (uint32_t)i, 0, 0);
        label[i] = (int32_t)(i % CLASSES);
        subject[i] = (int32_t)(i * SUBJECTS / trial_count());
        memset(c + i * d * d, 0, d * d * sizeof(double));
        for (size_t sample = 0; sample < 6 * d; sample++) {
            for (size_t a = 0; a < d; a++)
                x[a] = congru_random_normal(&random) * (a == 0 ? 1.0 + 0.3 * label[i] : 1.0);
            for (size_t a = 0; a < d; a++) {
                for (size_t b = 0; b < d; b++)
                    c[(i * d + a) * d + b] += x[a] * x[b] / (double)(6 * d);
            }
        }
    }
    free(x);
}

/* The median over steps, in milliseconds; negative on failure. */
static double step_time(congru_context *context, int model, const congru_trials *trials)
{
    enum { MOST = 200 };
    congru_method_options options;
    congru_method_options_init(&options);
    options.network.batch = quick ? QUICK_TRIALS / 2 : BATCH;
    congru_training *t;
    if (congru_training_create(context, congru_network_at((size_t)model / 2), model % 2 == 1, trials, &options,
                               &t) != CONGRU_OK)
        return -1.0;
    double times[MOST] = {0.0}, total = 0.0;
    int count = 0;
    while (count < MOST && (count < (quick ? 1 : 15) || total < (quick ? 0.0 : 0.6))) {
        const double before = now();
        congru_training_draw(t);
        if (congru_training_evaluate(t) != CONGRU_OK)
            return -1.0;
        congru_adam_keep_best(&t->adam, &t->parameters, t->series[CONGRU_SERIES_LOSS], t->step);
        congru_training_update(t);
        times[count] = now() - before;
        total += times[count++];
    }
    congru_training_destroy(&t);
    qsort(times, (size_t)count, sizeof times[0], ascending);
    return times[count / 2] * 1e3;
}

/* Takes the medians that the PyTorch program prints, by model, plain and with the same algebra, where they are less. */
static void torch_times(const char *script, int threads, int blas, torch_time best[MODELS][2])
{
    char command[2048], name[64], how[16];
    double milliseconds;
    snprintf(command, sizeof command,
             "OPENBLAS_NUM_THREADS=%d OMP_NUM_THREADS=%d /usr/bin/python3 '%s' %d %zu %d %d %d", blas, blas,
             script, quick ? QUICK_D : D, trial_count(), quick ? QUICK_TRIALS / 2 : BATCH, threads,
             quick ? 1 : TORCH_STEPS);
    FILE *pipe = popen(command, "r");
    while (pipe != NULL && fscanf(pipe, "%63s %15s %lf", name, how, &milliseconds) == 3) {
        for (int model = 0; model < MODELS; model++) {
            torch_time *own = &best[model][strcmp(how, "same") == 0];
            if (strcmp(names[model], name) == 0 && (own->took == 0 || milliseconds < own->took))
                *own = (torch_time){milliseconds, threads, blas};
        }
    }
    if (pipe != NULL)
        pclose(pipe);
}

static bool compare(congru_context *context, const char *script, const congru_trials *trials)
{
    torch_time best[MODELS][2] = {{{0}}};
    const bool peer = system("/usr/bin/python3 -c 'import torch' 2>/dev/null") == 0;
    if (!peer)
        printf("bench_network: /usr/bin/python3 has no torch (Debian: python3-torch): congru alone\n");
    for (int threads = 1; peer && threads <= 2; threads++)
        for (int blas = quick ? threads : 1; blas <= (quick ? threads : 2); blas++)
            torch_times(script, threads, blas, best);
    printf("one step, d = %zu, %zu trials, %d threads (ms, medians); behind torch's: its threads/those of its "
           "BLAS, the fastest of four ways\n",
           trials->d, trials->count, THREADS);
    printf("%-14s %9s %16s %9s %16s %9s\n", "model", "congru", "torch", "ratio", "torch, same", "ratio");
    bool whole = true;
    for (int model = 0; model < MODELS; model++) {
        const double own = step_time(context, model, trials);
        printf("%-14s %9.3f", names[model], own);
        for (int same = 0; same < 2; same++) {
            const torch_time *t = &best[model][same];
            printf(" %12.2f %d/%d %8.1fx", t->took, t->threads, t->blas, t->took / own);
            whole = whole && own > 0 && (!peer || t->took > 0);
        }
        printf("\n");
    }
    if (!whole)
        fprintf(stderr, "bench_network: a model has no time\n");
    return whole;
}

int main(int count, char **arguments)
{
    static const size_t dimensions[] = {3, 15, 22, 30, D_MAX};
    enum { DIMENSIONS = sizeof dimensions / sizeof dimensions[0] };
    quick = count > 2 && strcmp(arguments[2], "quick") == 0;
    congru_context *context;
    const congru_context_options options = {.threads = THREADS};
    if (congru_context_create(&context, &options) != CONGRU_OK)
        return 1;
    setvbuf(stdout, NULL, _IOLBF, 0); /* a line at a time, also into a pipe */
    double *c = malloc((size_t)TRIALS * D_MAX * D_MAX * sizeof(double)), times[MODELS][DIMENSIONS];
    int32_t label[TRIALS], subject[TRIALS];
    congru_trials trials = {.count = trial_count(),
                            .d = quick ? QUICK_D : D,
                            .covariance = c,
                            .label = label,
                            .subject = subject,
                            .classes = CLASSES,
                            .subjects = SUBJECTS};
    printf("%s\n", congru_context_cpu(context));
    fill(trials.d, c, label, subject);
    if (count > 1 && !compare(context, arguments[1], &trials))
        return 1;
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("peak memory at d = %zu: %.0f MB\n\none step by d (ms), and the power of d it grows with from 15 to "
           "64\n%-14s",
           trials.d, (double)usage.ru_maxrss / 1024.0, "model");
    for (int k = 0; k < DIMENSIONS; k++) {
        trials.d = quick ? QUICK_D : dimensions[k];
        fill(trials.d, c, label, subject);
        for (int model = 0; model < MODELS; model++)
            times[model][k] = step_time(context, model, &trials);
        printf(" %8zu", trials.d);
    }
    printf("   power\n");
    for (int model = 0; model < MODELS; model++) {
        printf("%-14s", names[model]);
        for (int k = 0; k < DIMENSIONS; k++)
            printf(" %8.3f", times[model][k]);
        printf(" %7.2f\n", log(times[model][4] / times[model][1]) / log(64.0 / 15.0));
    }
    free(c);
    congru_context_destroy(&context);
    return 0;
}
