/* Means of the matrices of each subject of a batch, kept over steps, with their adjoints. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/scalar_math.h"
#include "network/layers/domain_layer.h"

static const congru_function root = {CONGRU_FUNCTION_SQRT, 0.0, 0.0},
                             inverse_root = {CONGRU_FUNCTION_INVSQRT, 0.0, 0.0},
                             exponential = {CONGRU_FUNCTION_EXP, 1.0, 0.0};

static void take_eigenpairs(congru_arena *arena, const congru_kernel *kernel, size_t vectors, size_t d,
                            congru_eigenpairs *pairs)
{
    pairs->values = congru_take_lanes(arena, kernel, vectors, d);
    pairs->vectors = congru_take_lanes(arena, kernel, vectors, d * d);
}

void congru_domains_layout(congru_arena *arena, const congru_graph *graph, size_t d, congru_domains *s)
{
    const congru_kernel *kernel = graph->context->kernel;
    const size_t most = graph->subjects < graph->capacity ? graph->subjects : graph->capacity;
    const size_t vectors = congru_kernel_vectors(kernel, most),
                 row = congru_vector(congru_spd_tangent_size(d)).size;
    congru_eigenpairs *pairs[] = {&s->mean, &s->move, &s->between, &s->now};
    double **lanes[] = {&s->root,     &s->moved,    &s->d_root,   &s->old_root, &s->old_inverse,
                        &s->lanes[0], &s->lanes[1], &s->lanes[2], &s->lanes[3]};
    double **matrices[] = {&s->inverse[0],   &s->inverse[1], &s->kept.root,
                           &s->kept.inverse, &s->fresh.root, &s->fresh.inverse};
    s->d = d;
    s->subjects = graph->subjects;
    s->most = most;
    s->step = SIZE_MAX;
    s->domain = congru_arena_take(arena, most, sizeof(size_t));
    s->is_fresh = congru_arena_take(arena, s->subjects, sizeof(bool));
    for (size_t k = 0; k < sizeof pairs / sizeof pairs[0]; k++)
        take_eigenpairs(arena, kernel, vectors, d, pairs[k]);
    for (size_t k = 0; k < sizeof lanes / sizeof lanes[0]; k++)
        *lanes[k] = congru_take_lanes(arena, kernel, vectors, d * d);
    for (size_t k = 0; k < sizeof matrices / sizeof matrices[0]; k++)
        *matrices[k] = congru_arena_take(arena, s->subjects * d * d, sizeof(double));
    for (size_t k = 0; k < 2; k++)
        s->slope[k] = congru_arena_take(arena, s->subjects * row, sizeof(double));
    s->plain = congru_arena_take(arena, most * d * d, sizeof(double));
    s->kept.v = congru_arena_take(arena, s->subjects, sizeof(double));
    s->fresh.v = congru_arena_take(arena, s->subjects, sizeof(double));
    congru_spectral_layout(arena, kernel, vectors, d, &s->work);
}

/* ---- Over steps -------------------------------------------------------------------------------------- */

/* The schedule of momentum batch normalisation: 1 - least^(what is left) + least. */
double congru_domains_share(const congru_graph *graph, double least)
{
    const size_t steps = graph->options->steps > 0 ? (size_t)graph->options->steps : 0;
    const size_t last = steps * 5 / 6 > 2 ? steps * 5 / 6 : 2;
    if (graph->resting)
        return 1.0;
    const double left = graph->step + 1 < last ? (double)(last - 1 - graph->step) / (double)(last - 1) : 0.0;
    return 1.0 - congru_scalar_exp(left * congru_scalar_log(least)) + least;
}

/* Before the first step every G is the identity and every v is 1. */
static void begin(congru_domains *s)
{
    const size_t d = s->d;
    memset(s->kept.root, 0, s->subjects * d * d * sizeof(double));
    memset(s->is_fresh, 0, s->subjects * sizeof(bool));
    for (size_t k = 0; k < s->subjects; k++) {
        s->kept.v[k] = 1.0;
        for (size_t i = 0; i < d; i++)
            s->kept.root[k * d * d + i * (d + 1)] = 1.0;
    }
    memcpy(s->kept.inverse, s->kept.root, s->subjects * d * d * sizeof(double));
}

void congru_domains_settle(const congru_graph *graph, congru_domains *s)
{
    const size_t size = s->d * s->d;
    if (s->step == SIZE_MAX)
        begin(s);
    if (graph->resting)
        return;
    for (size_t k = 0; k < s->subjects && s->step != graph->step; k++) {
        if (!s->is_fresh[k])
            continue;
        memcpy(s->kept.root + k * size, s->fresh.root + k * size, size * sizeof(double));
        memcpy(s->kept.inverse + k * size, s->fresh.inverse + k * size, size * sizeof(double));
        s->kept.v[k] = s->fresh.v[k];
        s->is_fresh[k] = false;
    }
    s->step = graph->step;
}

/* ---- Between plain matrices, rows and lanes ---------------------------------------------------------- */

/* Lanes of the means of the rows of each subject of the batch, as matrices. */
static void load_means(const congru_kernel *kernel, const congru_domains *s, const congru_rows *rows,
                       double *lanes)
{
    const double half = sqrt(0.5);
    for (size_t k = 0; k < s->count; k++) {
        const double *row = rows->subject.mean + s->domain[k] * rows->stride;
        double *plain = s->plain + k * s->d * s->d;
        for (size_t i = 0, e = 0; i < s->d; i++) {
            plain[i * (s->d + 1)] = row[e++];
            for (size_t j = i + 1; j < s->d; j++)
                plain[i * s->d + j] = plain[j * s->d + i] = half * row[e++];
        }
    }
    kernel->pack(s->vectors, s->count, s->d, s->d, s->plain, lanes);
}

/* The matrices (subjects, d, d) of the subjects of the batch into lanes, and back. */
static void load(const congru_kernel *kernel, const congru_domains *s, const double *table, double *lanes)
{
    const size_t size = s->d * s->d;
    for (size_t k = 0; k < s->count; k++)
        memcpy(s->plain + k * size, table + s->domain[k] * size, size * sizeof(double));
    kernel->pack(s->vectors, s->count, s->d, s->d, s->plain, lanes);
}

static void store(const congru_kernel *kernel, const congru_domains *s, const double *lanes, double *table)
{
    const size_t size = s->d * s->d;
    kernel->unpack(s->vectors, s->count, s->d, s->d, lanes, s->plain);
    for (size_t k = 0; k < s->count; k++)
        memcpy(table + s->domain[k] * size, s->plain + k * size, size * sizeof(double));
}

/* The derivative by the mean of each subject's rows, which each of its rows gets a share of. */
static void add_slopes(const congru_kernel *kernel, const congru_domains *s, const double *lanes, double *slope,
                       congru_rows *rows)
{
    const double both = sqrt(2.0);
    kernel->unpack(s->vectors, s->count, s->d, s->d, lanes, s->plain);
    for (size_t k = 0; k < s->count; k++) {
        const double *plain = s->plain + k * s->d * s->d, count = rows->subject.count[s->domain[k]];
        double *row = slope + s->domain[k] * rows->stride;
        memset(row, 0, rows->stride * sizeof(double));
        for (size_t i = 0, e = 0; i < s->d; i++) {
            row[e++] = plain[i * (s->d + 1)] / count;
            for (size_t j = i + 1; j < s->d; j++)
                row[e++] = both * plain[i * s->d + j] / count;
        }
    }
    congru_rows_add_term(rows, (congru_term){CONGRU_TERM_SUBJECT, 1.0, slope, NULL});
}

/* Lanes of the derivative by P = P^T of Y = P X P: the sums of X P dY over trials and their transpose. */
static void load_sums(const congru_graph *graph, const congru_domains *s, const double *sums, double *lanes)
{
    const size_t d = s->d, size = d * d;
    memset(s->plain, 0, s->count * size * sizeof(double));
    for (size_t chunk = 0; chunk < congru_graph_used_chunks(graph); chunk++) {
        for (size_t k = 0; k < s->count; k++) {
            const double *sum = sums + (chunk * s->subjects + s->domain[k]) * size;
            for (size_t e = 0; e < size; e++)
                s->plain[k * size + e] += sum[e] + sum[e % d * d + e / d];
        }
    }
    graph->context->kernel->pack(s->vectors, s->count, d, d, s->plain, lanes);
}

/* ---- In lanes ---------------------------------------------------------------------------------------- */

static congru_status decompose(const congru_graph *graph, const congru_domains *s, double *a,
                               const congru_eigenpairs *pairs)
{
    if (graph->context->kernel->eigen(s->vectors, s->d, a, pairs->values, pairs->vectors, s->work.eigen))
        return CONGRU_OK;
    return congru_fail(
        graph->context, CONGRU_ERROR_NOT_FINITE,
        "step %zu: the mean of a subject's matrices is not finite (a smaller rate keeps it in range)",
        graph->step);
}

static void apply(const congru_kernel *kernel, const congru_domains *s, congru_function f,
                  const congru_eigenpairs *pairs, double *out)
{
    congru_spectral_forward(kernel, s->vectors, s->d, f, pairs->values, pairs->vectors, out, &s->work);
}

static void apply_backward(const congru_kernel *kernel, const congru_domains *s, congru_function f,
                           const congru_eigenpairs *pairs, const double *d_out, double *d_a)
{
    congru_spectral_backward(kernel, s->vectors, s->d, f, pairs->values, pairs->vectors, d_out, d_a, &s->work);
}

/* y = w x w, both symmetric. */
static void between(const congru_kernel *kernel, const congru_domains *s, const double *x, const double *w,
                    double *y)
{
    congru_spectral_congruence(kernel, s->vectors, s->d, s->d, x, congru_per_lane(w, s->d), y, s->work.first);
}

/* ---- E ----------------------------------------------------------------------------------------------- */

congru_status congru_domains_centre(const congru_graph *graph, const congru_rows *rows, congru_domains *s)
{
    const congru_kernel *kernel = graph->context->kernel;
    s->count = 0;
    for (size_t k = 0; k < s->subjects; k++)
        if (rows->subject.count[k] > 0.0)
            s->domain[s->count++] = k;
    s->vectors = congru_kernel_vectors(kernel, s->count);
    load_means(kernel, s, rows, s->lanes[0]);
    congru_status status = decompose(graph, s, s->lanes[0], &s->mean);
    apply(kernel, s, root, &s->mean, s->root);
    apply(kernel, s, inverse_root, &s->mean, s->lanes[1]);
    store(kernel, s, s->lanes[1], s->inverse[0]);
    return status;
}

void congru_domains_centre_backward(const congru_graph *graph, const double *sums, congru_rows *rows,
                                    congru_domains *s)
{
    const congru_kernel *kernel = graph->context->kernel;
    load_sums(graph, s, sums, s->lanes[0]);
    apply_backward(kernel, s, inverse_root, &s->mean, s->lanes[0], s->lanes[1]);
    apply_backward(kernel, s, root, &s->mean, s->d_root, s->lanes[2]);
    kernel->combine(congru_lane_doubles(kernel, s->vectors, s->d * s->d), 1.0, s->lanes[2], 1.0, s->lanes[1]);
    add_slopes(kernel, s, s->lanes[1], s->slope[0], rows);
}

/* ---- G ----------------------------------------------------------------------------------------------- */

static congru_function part_of_the_way(const congru_domains *s)
{
    return (congru_function){CONGRU_FUNCTION_POWER, s->share, 0.0};
}

/* B = E^1/2 exp(M) E^1/2, and G = O^1/2 (O^-1/2 B O^-1/2)^g O^1/2. */
congru_status congru_domains_mean(const congru_graph *graph, const congru_rows *rows, congru_domains *s)
{
    const congru_kernel *kernel = graph->context->kernel;
    load_means(kernel, s, rows, s->lanes[0]);
    congru_status status = decompose(graph, s, s->lanes[0], &s->move);
    apply(kernel, s, exponential, &s->move, s->moved);
    between(kernel, s, s->moved, s->root, s->lanes[0]);
    load(kernel, s, s->kept.root, s->old_root);
    load(kernel, s, s->kept.inverse, s->old_inverse);
    between(kernel, s, s->lanes[0], s->old_inverse, s->lanes[1]);
    if (status == CONGRU_OK)
        status = decompose(graph, s, s->lanes[1], &s->between);
    apply(kernel, s, part_of_the_way(s), &s->between, s->lanes[0]);
    between(kernel, s, s->lanes[0], s->old_root, s->lanes[1]);
    if (status == CONGRU_OK)
        status = decompose(graph, s, s->lanes[1], &s->now);
    apply(kernel, s, inverse_root, &s->now, s->lanes[0]);
    store(kernel, s, s->lanes[0], s->inverse[1]);
    if (graph->resting)
        return status;
    store(kernel, s, s->lanes[0], s->fresh.inverse);
    apply(kernel, s, root, &s->now, s->lanes[0]);
    store(kernel, s, s->lanes[0], s->fresh.root);
    for (size_t k = 0; k < s->count; k++)
        s->is_fresh[s->domain[k]] = true;
    return status;
}

/* dB = O^-1/2 dA O^-1/2 with A^g between them; dM from E^1/2 dB E^1/2, and the derivative by E^1/2 for E's own. */
void congru_domains_mean_backward(const congru_graph *graph, const double *sums, congru_rows *rows,
                                  congru_domains *s)
{
    const congru_kernel *kernel = graph->context->kernel;
    const size_t d = s->d;
    load_sums(graph, s, sums, s->lanes[0]);
    apply_backward(kernel, s, inverse_root, &s->now, s->lanes[0], s->lanes[1]);
    between(kernel, s, s->lanes[1], s->old_root, s->lanes[0]);
    apply_backward(kernel, s, part_of_the_way(s), &s->between, s->lanes[0], s->lanes[1]);
    between(kernel, s, s->lanes[1], s->old_inverse, s->lanes[0]);
    kernel->product(s->vectors, d, d, d, congru_per_lane(s->lanes[0], d), congru_per_lane(s->root, d),
                    CONGRU_PRODUCT_SET, s->lanes[1]); /* dB E^1/2 */
    kernel->product(s->vectors, d, d, d, congru_per_lane(s->lanes[1], d), congru_per_lane(s->moved, d),
                    CONGRU_PRODUCT_SET, s->d_root);
    kernel->product(s->vectors, d, d, d, congru_per_lane(s->moved, d),
                    congru_per_lane_transposed(s->lanes[1], d), CONGRU_PRODUCT_ADD, s->d_root);
    between(kernel, s, s->lanes[0], s->root, s->lanes[2]);
    apply_backward(kernel, s, exponential, &s->move, s->lanes[2], s->lanes[1]);
    add_slopes(kernel, s, s->lanes[1], s->slope[1], rows);
}
