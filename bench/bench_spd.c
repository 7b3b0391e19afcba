/* The geometry against one LAPACK call per matrix, on one thread and on two. SPDX-License-Identifier: Apache-2.0
 *
 * Every figure is the median of repeated runs, ours and LAPACK's taken in turn in the same run, so that what else
 * the machine is doing falls on both. LAPACK runs with one thread of its BLAS and with two, and the faster counts, for
 * each dimension. "quick" as the argument is one repeat, of two dimensions. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "congru/congru.h"
#include "fma_peak.h"
#include "kernel/kernel.h"
#include "spd/batch.h"

enum { REPEATS = 15, BATCH = 256, MEAN_SET = 288, TEAM_BATCH = 2304 };

static int repeats = REPEATS;
static size_t dimensions = 7; /* how many of these */
static const size_t dimension[] = {3, 12, 16, 22, 30, 44, 64};
static void (*set_threads)(int); /* of OpenBLAS; NULL for another BLAS */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(size_t count, double *x)
{
    qsort(x, count, sizeof *x, compare_doubles);
    return x[count / 2];
}

static double *new_doubles(size_t count)
{
    double *x = aligned_alloc(64, (count * sizeof(double) + 63) / 64 * 64);
    if (x == NULL) {
        fprintf(stderr, "bench_spd: out of memory\n");
        exit(1);
    }
    return x;
}

static void must(congru_context *context, congru_status status)
{
    if (status != CONGRU_OK) {
        fprintf(stderr, "bench_spd: %s\n", congru_context_error(context));
        exit(1);
    }
}

/* Covariances of d channels and 4 d samples that share a mixing of the channels, as EEG does. */
static double *make_covariances(size_t n, size_t d)
{
    congru_random random = congru_random_stream(7, (uint32_t)d, 0, 0);
    const size_t samples = 4 * d;
    double *c = new_doubles(n * d * d), *mixing = new_doubles(d * d), *x = new_doubles(d * samples);
    for (size_t i = 0; i < d * d; i++)
        mixing[i] = congru_random_normal(&random) * exp(-2.0 * (double)(i % d) / (double)d);
    for (size_t m = 0; m < n; m++) {
        memset(x, 0, d * samples * sizeof(double));
        for (size_t k = 0; k < d; k++) {
            double strength = exp(0.3 * congru_random_normal(&random));
            for (size_t t = 0; t < samples; t++) {
                double source = strength * congru_random_normal(&random);
                for (size_t i = 0; i < d; i++)
                    x[i * samples + t] += mixing[i * d + k] * source;
            }
        }
        for (size_t i = 0; i < d; i++) {
            for (size_t j = 0; j <= i; j++) {
                double sum = 0;
                for (size_t t = 0; t < samples; t++)
                    sum += x[i * samples + t] * x[j * samples + t];
                c[(m * d + i) * d + j] = c[(m * d + j) * d + i] = sum / (double)samples;
            }
        }
    }
    free(mixing);
    free(x);
    return c;
}

/* What a test runs on. */
typedef struct bed {
    congru_context *context;
    const congru_kernel *kernel;
    size_t n, d;
    const double *c;        /* plain */
    double *lanes, *packed; /* the batch packed, and a copy to destroy */
    double *z, *values, *work, *out, *derivative;
    double *lapack, *lapack_values, *lapack_out;
    congru_spectrum *spectrum;
} bed;

static bed make_bed(congru_context *context, size_t n, size_t d)
{
    bed b = {.context = context, .kernel = congru_kernel_find(congru_context_cpu(context)), .n = n, .d = d};
    b.c = make_covariances(n, d);
    double **arrays[] = {&b.lanes,  &b.packed,        &b.z,         &b.values, &b.out, &b.derivative,
                         &b.lapack, &b.lapack_values, &b.lapack_out};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
        *arrays[i] = new_doubles(n * d * d);
        memset(*arrays[i], 0, n * d * d * sizeof(double));
    }
    b.work = new_doubles(b.kernel->eigen_work(d));
    b.kernel->pack(congru_kernel_vectors(b.kernel, n), n, d, d, b.c, b.packed);
    must(context, congru_spectrum_create(context, n, d, &b.spectrum));
    return b;
}

static void free_bed(bed *b)
{
    congru_spectrum_destroy(&b->spectrum);
    free((void *)b->c);
    free(b->lanes), free(b->packed), free(b->z), free(b->values), free(b->work), free(b->out),
        free(b->derivative);
    free(b->lapack), free(b->lapack_values), free(b->lapack_out);
}

/* In lanes, as the layers of a network use it, in the chunks that the library takes: no packing. The copy that eigen
 * destroys is part of the time. */
static void run_eigen(bed *b)
{
    const size_t chunk = congru_chunk_size(b->d), size = b->d * b->d;
    for (size_t first = 0; first < b->n; first += chunk) {
        memcpy(b->lanes, b->packed + first * size, chunk * size * sizeof(double));
        b->kernel->eigen(congru_kernel_vectors(b->kernel, chunk), b->d, b->lanes, b->values + first * b->d,
                         b->z + first * size, b->work);
    }
}

static void run_log(bed *b)
{
    must(b->context, congru_spd_log(b->context, b->n, b->d, b->c, b->out));
}

static void run_log_adjoint(bed *b)
{
    must(b->context, congru_spd_log_forward(b->context, b->n, b->d, b->c, 1e-4, 1e-5, b->out, b->spectrum));
    must(b->context, congru_spd_log_backward(b->context, b->spectrum, b->out, b->derivative));
}

static void run_dsyevd(bed *b)
{
    memcpy(b->lapack, b->c, b->n * b->d * b->d * sizeof(double));
    for (size_t m = 0; m < b->n; m++)
        LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'L', (int)b->d, b->lapack + m * b->d * b->d, (int)b->d,
                       b->lapack_values + m * b->d);
}

static double seconds(void (*run)(bed *), bed *b)
{
    double start = now();
    run(b);
    return now() - start;
}

/* Multiplications and additions of a decomposition with vectors by this method: the reduction, forming the
 * vectors, and two sweeps of three shears for each eigenvalue. */
static double eigen_flops(double d)
{
    return (4.0 / 3 + 4.0 / 3 + 6) * d * d * d;
}

static double measure_peak(const char *cpu)
{
    static const struct {
        const char *name;
        double (*run)(long);
    } table[] = {
        {"base", congru_lanes_fma_rounds_base},
#if defined(__x86_64__)
        {"avx2", congru_lanes_fma_rounds_avx2},
        {"avx512", congru_lanes_fma_rounds_avx512},
#elif defined(__aarch64__)
        {"neon", congru_lanes_fma_rounds_neon},
#endif
    };
    double best = 0;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        for (int repeat = 0; repeat < 20 && strcmp(table[i].name, cpu) == 0; repeat++) {
            double start = now(), done = table[i].run(1000000);
            best = fmax(best, done / (now() - start));
        }
    }
    return best * 1e-9;
}

/* The medians of both, taken in turn. */
static void race(bed *b, void (*ours)(bed *), double *our_time, double *lapack_time)
{
    double mine[REPEATS] = {0}, theirs[2][REPEATS] = {{0}};
    for (int i = 0; i < repeats; i++) {
        mine[i] = seconds(ours, b);
        for (int threads = 1; threads <= 2; threads++) {
            if (set_threads != NULL)
                set_threads(threads);
            theirs[threads - 1][i] = seconds(run_dsyevd, b);
        }
    }
    *our_time = median((size_t)repeats, mine) / (double)b->n;
    *lapack_time = fmin(median((size_t)repeats, theirs[0]), median((size_t)repeats, theirs[1])) / (double)b->n;
}

static void print_functions(congru_context *context)
{
    static void (*const runs[])(bed *) = {run_eigen, run_log, run_log_adjoint};
    const double peak = measure_peak(congru_context_cpu(context));
    printf(
        "One thread, %s, batches of %d matrices; microseconds per matrix, and how many times faster than one\n"
        "LAPACKE_dsyevd with vectors. Peak of fused multiply-adds: %.1f GFLOP/s.\n\n",
        congru_context_cpu(context), BATCH, peak);
    printf("   d   dsyevd |   eigen  ratio  GFLOP/s  of peak |     log  ratio | log+adjoint  ratio\n");
    for (size_t i = 0; i < dimensions; i++) {
        bed b = make_bed(context, BATCH, dimension[i]);
        double own[3], lapack[3];
        for (int k = 0; k < 3; k++)
            race(&b, runs[k], &own[k], &lapack[k]);
        double rate = eigen_flops((double)b.d) / own[0] * 1e-9;
        printf("%4zu %8.2f | %7.3f %6.1f %8.1f %7.0f%% | %7.3f %6.1f | %11.3f %6.1f\n", b.d, lapack[0] * 1e6,
               own[0] * 1e6, lapack[0] / own[0], rate, 100 * rate / peak, own[1] * 1e6, lapack[1] / own[1],
               own[2] * 1e6, lapack[2] / own[2]);
        free_bed(&b);
    }
}

static congru_mean_info mean_info;

static void run_mean(bed *b)
{
    must(b->context,
         congru_spd_mean(b->context, CONGRU_METRIC_RIEMANN, b->n, b->d, b->c, NULL, b->out, &mean_info));
}

static void print_mean(congru_context *context)
{
    printf("\nAffine-invariant mean of %d matrices to a tangent norm of 1e-10, one thread; the ratio is to as "
           "many dsyevd\n"
           "as the iterations decompose (the products between them not counted).\n\n   d       ms  iterations  "
           "ratio\n",
           MEAN_SET);
    for (size_t i = 0; i < dimensions; i++) {
        bed b = make_bed(context, MEAN_SET, dimension[i]);
        double own, lapack;
        race(&b, run_mean, &own, &lapack);
        /* one pass more than iterations: the start */
        printf("%4zu %8.3f %11d %6.1f\n", b.d, own * MEAN_SET * 1e3, mean_info.iterations,
               lapack * (mean_info.iterations + 1) / own);
        free_bed(&b);
    }
}

static void print_threads(congru_context *one, congru_context *two)
{
    printf("\nLogarithm of %d matrices of 22 x 22: two threads against one.\n", TEAM_BATCH);
    bed a = make_bed(one, TEAM_BATCH, 22), b = make_bed(two, TEAM_BATCH, 22);
    double single[REPEATS] = {0}, pair[REPEATS] = {0};
    for (int i = 0; i < repeats; i++) {
        single[i] = seconds(run_log, &a);
        pair[i] = seconds(run_log, &b);
    }
    double t1 = median((size_t)repeats, single), t2 = median((size_t)repeats, pair);
    printf("%.2f ms and %.2f ms: %.2f times as fast\n", t1 * 1e3, t2 * 1e3, t1 / t2);
    free_bed(&a);
    free_bed(&b);
}

int main(int count, char **arguments)
{
    *(void **)&set_threads = dlsym(RTLD_DEFAULT, "openblas_set_num_threads");
    if (count > 1 && strcmp(arguments[1], "quick") == 0) {
        repeats = 1;
        dimensions = 2;
    }
    congru_context *one = NULL, *two = NULL;
    if (congru_context_create(&one, &(congru_context_options){.threads = 1}) != CONGRU_OK ||
        congru_context_create(&two, &(congru_context_options){.threads = 2}) != CONGRU_OK) {
        fprintf(stderr, "bench_spd: no context\n");
        return 1;
    }
    print_functions(one);
    print_mean(one);
    print_threads(one, two);
    congru_context_destroy(&one);
    congru_context_destroy(&two);
    return 0;
}
