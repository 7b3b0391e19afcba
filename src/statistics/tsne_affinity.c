/* Gaussian neighbourhoods of a given perplexity. SPDX-License-Identifier: Apache-2.0 */
#include "statistics/tsne_affinity.h"

#include <math.h>
#include <string.h>

#include "base/scalar_math.h"
#include "kernel/kernel.h"

enum { BISECTIONS = 200 };

typedef struct affinity_job {
    congru_affinity *affinity;
    double target; /* logarithm of the perplexity */
    const congru_neighbours *points;
    const double *distances;
} affinity_job;

/* weight[j] = exp(-beta (square[j] - least)), 0 for the point itself; returns their sum. *mean is the
 * weighted mean of (square - least). */
static double weigh(const congru_kernel *kernel, size_t n, size_t stride, size_t self, double beta,
                    const double *excess, double *weight, double *mean)
{
    kernel->map((congru_function){CONGRU_FUNCTION_EXP, -beta, 0.0}, stride, excess, weight);
    weight[self] = 0.0;
    double sum = 0.0, weighted = 0.0;
    for (size_t j = 0; j < n; j++) {
        sum += weight[j];
        weighted += weight[j] * excess[j];
    }
    *mean = weighted / sum;
    return sum;
}

/* The precision beta at which the entropy, log sum + beta mean, is the target: bisection, doubling until
 * there is an upper end. The nearest point has weight 1 throughout, so that nothing underflows altogether. */
static double find_precision(const congru_kernel *kernel, size_t n, size_t stride, size_t self, double target,
                             const double *excess, double *weight)
{
    double low = 0.0, high = INFINITY, beta = 1.0, sum = 1.0, mean;
    for (int i = 0; i < BISECTIONS; i++) {
        sum = weigh(kernel, n, stride, self, beta, excess, weight, &mean);
        double entropy = congru_scalar_log(sum) + beta * mean;
        if (entropy > target)
            low = beta;
        else
            high = beta;
        double next = isinf(high) ? beta * 2.0 : 0.5 * (low + high);
        if (next == beta || !isfinite(next))
            break;
        beta = next;
    }
    return sum;
}

/* Row i of the conditional probabilities. */
static void find_row(void *user, size_t i, int worker)
{
    const affinity_job *job = user;
    const size_t n = job->affinity->n, stride = job->affinity->stride;
    const congru_kernel *kernel = job->affinity->context->kernel;
    congru_arena *arena = &job->affinity->context->scratch[worker];
    congru_arena_reset(arena);
    double *excess = congru_arena_take(arena, stride, sizeof *excess);
    double *weight = congru_arena_take(arena, stride, sizeof *weight);
    if (job->points != NULL) {
        congru_neighbours_measure(job->points, i, excess);
    } else {
        memset(excess, 0, stride * sizeof *excess);
        for (size_t j = 0; j < n; j++)
            excess[j] = job->distances[i * n + j] * job->distances[i * n + j];
    }
    double least = INFINITY, mean = 0.0;
    for (size_t j = 0; j < n; j++)
        least = j != i ? fmin(least, excess[j]) : least;
    for (size_t j = 0; j < n; j++) {
        excess[j] = j != i ? excess[j] - least : 0.0;
        mean += excess[j] / (double)(n - 1);
    }
    /* In units of the mean, so that bisection begins near the middle whatever the points' scale is. */
    for (size_t j = 0; j < n; j++)
        excess[j] /= mean > 0.0 ? mean : 1.0;
    for (size_t j = n; j < stride; j++)
        excess[j] = 0.0;
    double sum = find_precision(kernel, n, stride, i, job->target, excess, weight);
    double *p = job->affinity->p + i * stride;
    for (size_t j = 0; j < n; j++)
        p[j] = weight[j] / sum;
    for (size_t j = n; j < stride; j++)
        p[j] = 0.0;
}

/* The sum of p log p over row i. */
static void sum_entropy(void *user, size_t i, int worker)
{
    const affinity_job *job = user;
    congru_affinity *affinity = job->affinity;
    congru_arena *arena = &affinity->context->scratch[worker];
    congru_arena_reset(arena);
    double *logs = congru_arena_take(arena, affinity->stride, sizeof *logs);
    const double *p = affinity->p + i * affinity->stride;
    affinity->context->kernel->map((congru_function){CONGRU_FUNCTION_LOG, 0.0, 0.0}, affinity->stride, p, logs);
    affinity->part[i] = 0.0;
    for (size_t j = 0; j < affinity->n; j++)
        affinity->part[i] += p[j] > 0.0 ? p[j] * logs[j] : 0.0;
}

void congru_affinity_find(congru_affinity *affinity, double perplexity, const congru_neighbours *points,
                          const double *distances)
{
    const size_t n = affinity->n, stride = affinity->stride;
    congru_thread_pool *pool = affinity->context->pool;
    affinity_job job = {affinity, congru_scalar_log(perplexity), points, distances};
    congru_thread_pool_run(pool, n, find_row, &job);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) {
            double both = (affinity->p[i * stride + j] + affinity->p[j * stride + i]) / (2.0 * (double)n);
            affinity->p[i * stride + j] = affinity->p[j * stride + i] = both;
        }
    congru_thread_pool_run(pool, n, sum_entropy, &job);
    affinity->entropy = 0.0;
    for (size_t i = 0; i < n; i++)
        affinity->entropy += affinity->part[i];
}
