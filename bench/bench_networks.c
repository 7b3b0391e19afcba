/* One training step of each network of other authors beside PyTorch's. SPDX-License-Identifier: Apache-2.0
 *
 * usage: bench_networks [networks_torch.py] [quick | NETWORK]. The two take turns of a few steps, and medians are compared. Of
 * PyTorch's ways (networks_torch.py says which there are), each with one and two threads and one of its BLAS, the fastest counts.
 * An independent program of the networks is taken from the environment, NETWORKS=FILE, or where it stands beside the project. */
#define _POSIX_C_SOURCE 200809L
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include "congru/random.h"
#include "network/train.h"

enum { TRIALS = 256, CHANNELS = 22, SAMPLES = 500, RATE = 250, CLASSES = 4, SUBJECTS = 8 };
enum { THREADS = 2, WAYS_MAX = 40, ROUNDS_MAX = 20, TURN = 3 };

/* Trials of a step, and steps of a turn behind the one that warms up. */
static int batch = 64, turn = TURN;

/* What each is named, and how many times faster than PyTorch it has to be. */
static const struct {
    const char *name;
    const congru_network *backbone;
    double wanted;
} networks[] = {
    {"spd-cnn", &congru_network_spd_cnn, 2.0},     {"ts-spd-cnn", &congru_network_ts_spd_cnn, 2.0},
    {"spdnet", &congru_network_spdnet, 2.0},       {"tsmnet", &congru_network_tsmnet, 2.0},
    {"shallow", &congru_network_shallow, 1.0},     {"deep", &congru_network_deep, 1.0},
    {"eegnet", &congru_network_eegnet, 2.0},       {"conformer", &congru_network_conformer, 2.0},
    {"inception", &congru_network_inception, 2.0},
};
enum { NETWORKS = sizeof networks / sizeof networks[0] };

/* The peer, and what it can run. */
typedef struct peer {
    FILE *to, *from;
    size_t ways;
    struct {
        char name[32];
        bool published;
    } way[WAYS_MAX];
} peer;

typedef struct times {
    size_t count;
    double took[ROUNDS_MAX * TURN];
} times;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return ((double)t.tv_sec + 1e-9 * (double)t.tv_nsec) * 1e3;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(times *t)
{
    qsort(t->took, t->count, sizeof t->took[0], ascending);
    return t->count > 0 ? t->took[t->count / 2] : 0.0;
}

/* ---- PyTorch ----------------------------------------------------------------------------------------- */

/* Runs python3 with both ends of a pipe; not returned from in the child. */
static void peer_run(const char *script, const char *others, int in, int out)
{
    enum { NUMBERS = 5 };
    char text[NUMBERS][16];
    const int number[NUMBERS] = {batch, CHANNELS, SAMPLES, RATE, turn};
    for (int k = 0; k < NUMBERS; k++)
        snprintf(text[k], sizeof text[k], "%d", number[k]);
    if (dup2(in, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0)
        _exit(127);
    execl("/usr/bin/python3", "python3", script, text[0], text[1], text[2], text[3], text[4], others,
          (char *)NULL);
    _exit(127);
}

static bool peer_start(const char *script, const char *others, peer *p)
{
    int there[2], back[2];
    char name[32], how[16];
    if (pipe(there) != 0 || pipe(back) != 0)
        return false;
    const pid_t child = fork();
    if (child == 0) {
        close(there[1]);
        close(back[0]);
        peer_run(script, others, there[0], back[1]);
    }
    close(there[0]);
    close(back[1]);
    p->to = fdopen(there[1], "w");
    p->from = fdopen(back[0], "r");
    while (child > 0 && p->from != NULL && fscanf(p->from, "%31s %15s", name, how) == 2) {
        if (strcmp(name, "ready") == 0)
            return p->ways > 0 && p->to != NULL;
        if (p->ways < WAYS_MAX) {
            snprintf(p->way[p->ways].name, sizeof p->way[0].name, "%s", name);
            p->way[p->ways++].published = strcmp(how, "published") == 0;
        }
    }
    return false;
}

/* A turn of it. */
static bool peer_turn(const peer *p, size_t way, int threads, times *its)
{
    fprintf(p->to, "%zu %d\n", way, threads);
    fflush(p->to);
    for (int k = 0; k < turn; k++) {
        if (fscanf(p->from, "%lf", &its->took[its->count++]) != 1)
            return false;
    }
    return true;
}

/* ---- One network ------------------------------------------------------------------------------------- */

/* The first step of a turn warms up. */
static bool own_turn(congru_training *t, times *own)
{
    for (int k = 0; k <= turn; k++) {
        const double before = now();
        congru_training_draw(t);
        if (congru_training_evaluate(t) != CONGRU_OK)
            return false;
        congru_training_update(t);
        if (k > 0)
            own->took[own->count++] = now() - before;
    }
    return true;
}

/* Turns of either, as many as fit the time. */
static bool race(congru_training *t, const peer *p, const char *name, size_t rounds, times *own,
                 times torch[WAYS_MAX][THREADS])
{
    const double start = now();
    for (size_t round = 0; round < rounds && (round < 3 || now() - start < 1e4); round++) {
        if (!own_turn(t, own))
            return false;
        for (size_t way = 0; p != NULL && way < p->ways; way++) {
            for (int threads = 1; threads <= (turn < TURN ? 1 : THREADS) && strcmp(p->way[way].name, name) == 0;
                 threads++) {
                if (!peer_turn(p, way, threads, &torch[way][threads - 1]))
                    return false;
            }
        }
    }
    return true;
}

/* The least median of the ways that are published, or of all, and how many threads it has. */
static double fastest(const peer *p, times torch[WAYS_MAX][THREADS], bool published, int *threads)
{
    double best = 0.0;
    for (size_t way = 0; p != NULL && way < p->ways; way++) {
        for (int k = 0; k < THREADS; k++) {
            const double took = !published || p->way[way].published ? median(&torch[way][k]) : 0.0;
            if (took > 0.0 && (best == 0.0 || took < best)) {
                best = took;
                *threads = k + 1;
            }
        }
    }
    return best;
}

static bool compare(congru_context *context, const congru_trials *trials, const peer *p, size_t rounds,
                    size_t network)
{
    static times torch[WAYS_MAX][THREADS];
    times own = {0};
    congru_method_options options;
    congru_training *t = NULL;
    int threads = 0;
    memset(torch, 0, sizeof torch);
    congru_method_options_init(&options);
    options.network.batch = batch;
    const bool ran =
        congru_training_create(context, networks[network].backbone, true, trials, &options, &t) == CONGRU_OK &&
        race(t, p, networks[network].name, rounds, &own, torch);
    congru_training_destroy(&t);
    if (!ran) {
        fprintf(stderr, "bench_networks: %s: %s\n", networks[network].name, congru_context_error(context));
        return false;
    }
    const double took = median(&own);
    printf("%-12s %9.2f", networks[network].name, took);
    if (p != NULL) {
        const double published = fastest(p, torch, true, &threads), best = fastest(p, torch, false, &threads);
        printf(" %9.2f /%d %7.2fx %7.1fx %11.2f %7.2fx", best, threads, best / took, networks[network].wanted,
               published, published / took);
    }
    printf("\n");
    return true;
}

/* ---- Trials ------------------------------------------------------------------------------------------ */

/* White signals, a channel of them louder by class, and their covariances. */
static void fill(double *x, double *c, int32_t *label, int32_t *subject)
{
    for (size_t i = 0; i < TRIALS; i++) {
        congru_random random = congru_random_stream(3, (uint32_t)i, 0, 0);
        double *own = x + i * CHANNELS * SAMPLES;
        label[i] = (int32_t)(i % CLASSES);
        subject[i] = (int32_t)(i * SUBJECTS / TRIALS);
        for (size_t e = 0; e < CHANNELS * SAMPLES; e++)
            own[e] = congru_random_normal(&random) * (e < SAMPLES ? 1.0 + 0.3 * label[i] : 1.0);
        for (size_t a = 0; a < CHANNELS; a++) {
            for (size_t b = 0; b < CHANNELS; b++) {
                double sum = 0.0;
                for (size_t s = 0; s < SAMPLES; s++)
                    sum += own[a * SAMPLES + s] * own[b * SAMPLES + s];
                c[(i * CHANNELS + a) * CHANNELS + b] = sum / SAMPLES;
            }
        }
    }
}

/* The peer, or NULL with a line that says why. */
static const peer *find_peer(const char *script, peer *p)
{
    static char beside[1024];
    const char *others = getenv("NETWORKS");
    if (system("/usr/bin/python3 -c 'import torch' 2>/dev/null") != 0) {
        printf("bench_networks: /usr/bin/python3 has no torch (Debian: python3-torch): congru alone\n");
        return NULL;
    }
    if (others == NULL) {
        const char *end = strrchr(script, '/');
        snprintf(beside, sizeof beside, "%.*s/../../shared/oracle/torch_networks.py",
                 end != NULL ? (int)(end - script) : 1, end != NULL ? script : ".");
        others = beside;
    }
    if (access(others, R_OK) != 0) {
        printf("bench_networks: there is no %s: PyTorch by networks_torch.py alone\n", others);
        others = NULL;
    }
    if (peer_start(script, others, p))
        return p;
    printf("bench_networks: %s does not run: congru alone\n", script);
    return NULL;
}

int main(int count, char **arguments)
{
    const bool quick = count > 2 && strcmp(arguments[2], "quick") == 0;
    const char *only = count > 2 && !quick ? arguments[2] : NULL;
    peer torch = {0};
    congru_context *context;
    const congru_context_options options = {.threads = THREADS};
    double *x = malloc((size_t)TRIALS * CHANNELS * SAMPLES * sizeof(double)),
           *c = malloc((size_t)TRIALS * CHANNELS * CHANNELS * sizeof(double));
    int32_t label[TRIALS], subject[TRIALS];
    if (x == NULL || c == NULL || congru_context_create(&context, &options) != CONGRU_OK)
        return 1;
    const congru_signals signals = {.plain = x, .channels = CHANNELS, .samples = SAMPLES, .rate = RATE};
    const congru_trials trials = {.count = TRIALS,
                                  .d = CHANNELS,
                                  .covariance = c,
                                  .label = label,
                                  .subject = subject,
                                  .classes = CLASSES,
                                  .subjects = SUBJECTS,
                                  .signals = &signals};
    if (quick) {
        batch = 8;
        turn = 1;
    }
    setvbuf(stdout, NULL, _IOLBF, 0); /* a line at a time, also into a pipe */
    fill(x, c, label, subject);
    const peer *p = count > 1 && arguments[1][0] != '\0' ? find_peer(arguments[1], &torch) : NULL;
    printf("%s: one step of %d trials of %d x %d at %d Hz, %d threads, ms, medians of steps taken in turns; "
           "torch: the fastest of its ways / its threads\n%-12s %9s",
           congru_context_cpu(context), batch, CHANNELS, SAMPLES, RATE, THREADS, "network", "congru");
    if (p != NULL)
        printf(" %12s %8s %8s %11s %8s", "torch", "ratio", "asked", "published", "ratio");
    printf("\n");
    bool whole = true;
    for (size_t k = 0; k < NETWORKS; k++) {
        if (only == NULL || strcmp(only, networks[k].name) == 0)
            whole = compare(context, &trials, p, quick ? 1 : ROUNDS_MAX, k) && whole;
    }
    free(x);
    free(c);
    congru_context_destroy(&context);
    return whole ? 0 : 1;
}
