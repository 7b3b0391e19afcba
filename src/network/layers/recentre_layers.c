/* Layers that recentre the matrices of a batch: by its mean logarithm, and by the mean of each subject. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "base/error.h"
#include "base/scalar_math.h"
#include "network/constants.h"
#include "network/layers/layers.h"

/* Y = P X P, saving X P; and dX = P dY P. */
static void whiten(const congru_call *call, congru_operand p)
{
    const size_t d = call->node->out.rows;
    congru_spectral_congruence(call->kernel, call->vectors, d, d, call->x[0], p, call->y, call->saved[0]);
}

static void whiten_backward(const congru_call *call, congru_operand p, double *scratch)
{
    const size_t d = call->node->out.rows;
    congru_spectral_congruence(call->kernel, call->vectors, d, d, call->d_y, p, call->d_x[0], scratch);
}

/* ---- A few matrices in lanes ------------------------------------------------------------------------- */

/* The mean of a batch, or those of its subjects, one in each lane. */
typedef struct lanes {
    const congru_graph *graph;
    const congru_kernel *kernel;
    size_t d, count, vectors;
    double *plain; /* (count, d, d) */
    congru_spectral_work work;
} lanes;

typedef struct eigenpairs {
    double *values, *vectors; /* in lanes */
} eigenpairs;

/* For at most so many. */
static void lanes_plan(const congru_node *node, size_t most, lanes *s)
{
    const congru_graph *graph = node->graph;
    const size_t d = node->out.rows;
    *s = (lanes){.graph = graph, .kernel = graph->context->kernel, .d = d, .count = most};
    s->vectors = congru_kernel_vectors(s->kernel, most);
    s->plain = congru_take_doubles(node, most * d * d);
    congru_spectral_layout(graph->arena, s->kernel, s->vectors, d, &s->work);
}

static double *lanes_take(const lanes *s)
{
    return congru_take_lanes(s->graph->arena, s->kernel, s->vectors, s->d * s->d);
}

static eigenpairs pairs_take(const lanes *s)
{
    return (eigenpairs){congru_take_lanes(s->graph->arena, s->kernel, s->vectors, s->d), lanes_take(s)};
}

static void pack(const lanes *s, double *to)
{
    s->kernel->pack(s->vectors, s->count, s->d, s->d, s->plain, to);
}

static void unpack(const lanes *s, const double *from)
{
    s->kernel->unpack(s->vectors, s->count, s->d, s->d, from, s->plain);
}

static congru_status decompose(const lanes *s, double *a, const eigenpairs *pairs)
{
    if (s->kernel->eigen(s->vectors, s->d, a, pairs->values, pairs->vectors, s->work.eigen))
        return CONGRU_OK;
    return congru_fail(
        s->graph->context, CONGRU_ERROR_NOT_FINITE,
        "step %zu: the mean of a subject's matrices is not finite (a smaller rate keeps it in range)",
        s->graph->step);
}

static void map(const lanes *s, congru_function f, const eigenpairs *pairs, double *out)
{
    congru_spectral_forward(s->kernel, s->vectors, s->d, f, pairs->values, pairs->vectors, out, &s->work);
}

static void map_backward(const lanes *s, congru_function f, const eigenpairs *pairs, const double *d_out,
                         double *d_a)
{
    congru_spectral_backward(s->kernel, s->vectors, s->d, f, pairs->values, pairs->vectors, d_out, d_a,
                             &s->work);
}

/* y = w x w, both symmetric. */
static void between(const lanes *s, const double *x, const double *w, double *y)
{
    congru_spectral_congruence(s->kernel, s->vectors, s->d, s->d, x, congru_per_lane(w, s->d), y,
                               s->work.first);
}

/* ---- The reference of a batch: exp(scale M), M its mean logarithm ------------------------------------ */

typedef struct reference {
    congru_given_values given;
    lanes lanes;
    eigenpairs pairs;     /* of M */
    double *own;          /* (d, d): the reference */
    double *mean;         /* (d, d): M */
    double *d_mean;       /* (stride): derivative by M, as a row */
    double *first, *last; /* in lanes */
} reference;

static void reference_plan(const congru_node *node, reference *r)
{
    const size_t size = node->out.size;
    lanes_plan(node, 1, &r->lanes);
    r->pairs = pairs_take(&r->lanes);
    r->own = congru_take_doubles(node, size);
    r->mean = congru_take_doubles(node, size);
    r->d_mean = congru_take_doubles(node, congru_vector(congru_spd_tangent_size(node->out.rows)).size);
    r->first = lanes_take(&r->lanes);
    r->last = lanes_take(&r->lanes);
}

static congru_function exponential(double scale)
{
    return (congru_function){CONGRU_FUNCTION_EXP, scale, 0.0};
}

/* From the mean of the rows of logarithms; scale is -1/2 times what multiplies the rows. */
static void reference_forward(const reference *r, const double *mean_row, double scale)
{
    const lanes *s = &r->lanes;
    const size_t bytes = s->d * s->d * sizeof(double);
    congru_row_to_matrix(s->d, mean_row, r->mean);
    memcpy(s->plain, r->mean, bytes);
    pack(s, r->first); /* where it has no eigenvalues, the trials behind it have none either, and say so */
    s->kernel->eigen(1, s->d, r->first, r->pairs.values, r->pairs.vectors, s->work.eigen);
    map(s, exponential(scale), &r->pairs, r->first);
    unpack(s, r->first);
    memcpy(r->own, s->plain, bytes);
}

/* d_mean, over `count`, from a node's sums, which are half of the derivative by the reference: P + P^T. */
static void reference_backward(const congru_node *node, const reference *r, double scale, double count)
{
    const lanes *s = &r->lanes;
    const size_t d = s->d;
    memset(s->plain, 0, d * d * sizeof(double));
    congru_node_add_sums(node, 0, 1.0, s->plain);
    for (size_t i = 0; i < d; i++) {
        for (size_t j = 0; j <= i; j++) {
            const double sum = s->plain[i * d + j] + s->plain[j * d + i];
            s->plain[i * d + j] = s->plain[j * d + i] = sum;
        }
    }
    pack(s, r->first);
    map_backward(s, exponential(scale), &r->pairs, r->first, r->last);
    unpack(s, r->last);
    congru_row_of_matrix(d, congru_vector(congru_spd_tangent_size(d)).size, s->plain, count, r->d_mean);
}

/* ---- Recentring: Y = P X P with P = exp(-M/2) -------------------------------------------------------- */

/* number[0]: the reference is the identity. */
static void recentre_plan(congru_node *node)
{
    const size_t size = node->out.size;
    const bool batch = node->graph->batch != NULL;
    node->depth = congru_node_source(node, 0)->depth + 1;
    node->saved_size[0] = node->need.lanes[0] = size;
    node->need.lanes[1] = batch ? 0 : size;
    node->sum_size[0] = node->need.chains[0] = batch ? size : 0;
    if (batch)
        reference_plan(node, node->state);
}

/* When the batch has passed: input 1 is the rows of its logarithms. */
static congru_status recentre_meet(congru_node *node)
{
    const reference *r = node->state;
    const size_t d = node->out.rows;
    if (node->number[0] == 0.0) {
        reference_forward(r, congru_node_source(node, 1)->rows->mean, -0.5);
        return CONGRU_OK;
    }
    memset(r->own, 0, d * d * sizeof(double));
    for (size_t i = 0; i < d; i++)
        r->own[i * (d + 1)] = 1.0;
    return CONGRU_OK;
}

/* One plain matrix for all lanes, or one for each trial. */
static congru_operand reference_of(const congru_call *call)
{
    const reference *r = call->node->state;
    const double *given = r->given.value;
    const size_t d = call->node->out.rows;
    if (given == NULL || r->given.count == 1)
        return congru_shared(given == NULL ? r->own : given, d);
    call->kernel->pack(call->vectors, call->count, d, d, given + call->first * d * d, call->work.lanes[1]);
    return congru_per_lane(call->work.lanes[1], d);
}

static void recentre_forward(const congru_call *call)
{
    whiten(call, reference_of(call));
}

/* dX = P dY P, dP = X P dY + its transpose. */
static void recentre_backward(const congru_call *call)
{
    const size_t d = call->node->out.rows;
    if (call->d_x[0] != NULL)
        whiten_backward(call, reference_of(call), call->work.lanes[0]);
    congru_call_sum(call, 0, d, d, d, congru_per_lane(call->saved[0], d), congru_per_lane(call->d_y, d));
}

/* The reference depends on every trial alike: its derivative is a share of each row's. */
static void recentre_part(congru_node *node)
{
    const reference *r = node->state;
    if (node->number[0] != 0.0)
        return;
    reference_backward(node, r, -0.5, (double)node->graph->batch->count);
    congru_rows_add_term(congru_node_source(node, 1)->rows,
                         (congru_term){CONGRU_TERM_ALL, 1.0, r->d_mean, NULL});
}

const congru_layer congru_layer_recentre = {
    .name = "recentre",
    .traits = CONGRU_TRAIT_LATE,
    .state = sizeof(reference),
    .plan = recentre_plan,
    .trials = {recentre_forward, recentre_backward},
    .batch = {recentre_meet, recentre_part},
};

/* ---- Recentring behind a rotation of constant logarithms L', in the basis of the inputs --------------- */

/* Every step of the head commutes with a rotation of all its inputs: log(P exp(gamma R^T L R) P) is R^T Z R, with Z
 * what it would be without R. The rotation is therefore applied to the softmax weights instead, once per batch:
 * <W, R^T Z R> = <R W R^T, Z>. What is left to differentiate by trial is gamma. */
typedef struct turned {
    reference reference;
    double gamma;
} turned;

static void turned_plan(congru_node *node)
{
    const size_t d = node->out.rows;
    node->depth = 2;
    node->saved_size[0] = d * d;
    node->saved_size[1] = d;
    node->need.lanes[0] = node->need.lanes[1] = node->need.lanes[2] = d * d;
    node->need.lanes[3] = d;
    node->has_scalar = true;
    reference_plan(node, &((turned *)node->state)->reference);
}

/* The reference exp(-gamma/2 mean L'). */
static congru_status turned_meet(congru_node *node)
{
    turned *t = node->state;
    t->gamma = congru_scaling_of(node->graph)->gamma;
    reference_forward(&t->reference, congru_node_source(node, 0)->rows->mean, -0.5 * t->gamma);
    return CONGRU_OK;
}

/* Y = N N^T with N = P V e^(gamma w / 2); saves N and w. */
static void turned_forward(const congru_call *call)
{
    const turned *t = call->node->state;
    const congru_kernel *kernel = call->kernel;
    const congru_constants *constants = call->node->graph->constants;
    const size_t d = call->node->out.rows, vectors = call->vectors;
    const size_t *index = call->batch->index + call->first;
    double *v = call->work.lanes[0], *n = call->saved[0], *values = call->saved[1], *half = call->work.lanes[3];
    kernel->gather(vectors, d * d, constants->vectors, index, v);
    kernel->gather(vectors, d, constants->values, index, values);
    kernel->map((congru_function){CONGRU_FUNCTION_EXP, 0.5 * t->gamma, 0.0}, congru_call_doubles(call, d),
                values, half);
    kernel->product(vectors, d, d, d, congru_shared(t->reference.own, d), congru_per_lane(v, d),
                    CONGRU_PRODUCT_SET, call->work.lanes[1]);
    kernel->scale_columns(vectors, d, call->work.lanes[1], half, n);
    kernel->product(vectors, d, d, d, congru_per_lane(n, d), congru_per_lane_transposed(n, d),
                    CONGRU_PRODUCT_SYMMETRIC, call->y);
}

/* dY/dgamma = N diag(w) N^T - (M Y + Y M) / 2, M the mean logarithm, so that <dY, dY/dgamma> =
 * <dY N, N diag(w) - M N>. */
static void turned_backward(const congru_call *call)
{
    const turned *t = call->node->state;
    const congru_kernel *kernel = call->kernel;
    const size_t d = call->node->out.rows, vectors = call->vectors;
    const double *n = call->saved[0];
    double *first = call->work.lanes[0], *second = call->work.lanes[1], *scaled = call->work.lanes[2];
    kernel->product(vectors, d, d, d, congru_per_lane(call->d_y, d), congru_per_lane(n, d), CONGRU_PRODUCT_SET,
                    first);
    kernel->product(vectors, d, d, d, congru_shared(t->reference.mean, d), congru_per_lane(n, d),
                    CONGRU_PRODUCT_SET, second);
    kernel->scale_columns(vectors, d, n, call->saved[1], scaled);
    kernel->combine(congru_call_doubles(call, d * d), -1.0, second, 1.0, scaled);
    kernel->dots(vectors, d * d, first, scaled, call->scalar);
}

static congru_status turned_finish(congru_node *node)
{
    for (size_t i = 0; i < node->graph->batch->count && node->learns; i++)
        congru_scaling_of(node->graph)->d_gamma += node->scalar[i];
    return CONGRU_OK;
}

const congru_layer congru_layer_turned_recentre = {
    .name = "recentre a rotation",
    .traits = CONGRU_TRAIT_LATE,
    .state = sizeof(turned),
    .plan = turned_plan,
    .trials = {turned_forward, turned_backward},
    .batch = {.meet = turned_meet},
    .finish = turned_finish,
};

/* ---- SPD batch normalisation by domain --------------------------------------------------------------- */

/* Kobler et al. 2022, with subjects for domains. Of the matrices X_i of a subject in the batch
 *
 *     E = the mean,  M = the mean of log(E^-1/2 X_i E^-1/2),  B = E^1/2 exp(M) E^1/2
 *
 * is one step to their Frechet mean. G goes the share g of the way from where it was to B, along the geodesic, and the
 * dispersion v, the mean of ||L_i||^2 with L_i = log(G^-1/2 X_i G^-1/2), likewise. What comes out is the logarithm of
 * the normalised matrix, (spread / sqrt(v + eps)) L_i. Derivatives go through all of it but the G and v of earlier steps.
 *
 * Three layers, each behind a meeting of the batch: domain_centre gives E^-1/2 X E^-1/2, domain_mean G^-1/2 X G^-1/2, and
 * domain_scale the last line. They share one state, that of domain_mean. Matrices of the subjects in the batch are in lanes,
 * one subject in each. */
/* G as its roots, and v, of every subject: (subjects, d, d) twice, (subjects). */
typedef struct past {
    double *root, *inverse, *v;
} past;

typedef struct domains {
    lanes lanes;                         /* of the subjects of this batch */
    size_t subjects, *domain;            /* all of them; those of this batch, ascending */
    double share;                        /* g of this step */
    eigenpairs mean, move, between, now; /* of E, M, O^-1/2 B O^-1/2 with O the former G, and G */
    double *root, *moved, *d_root;       /* in lanes: E^1/2, exp(M), the derivative by E^1/2 */
    double *old_root, *old_inverse;      /* in lanes: O^1/2, O^-1/2 */
    double *m[3];
    double *inverse[2]; /* (subjects, d, d): E^-1/2 and G^-1/2 */
    double *slope[2];   /* (subjects, row): derivatives by the means of rows */
    past kept, fresh;   /* of earlier steps, and as this step leaves it */
    bool *is_fresh;     /* (subjects) */
    size_t step;        /* of what is fresh */
} domains;

static const congru_function root = {CONGRU_FUNCTION_SQRT, 0.0, 0.0},
                             inverse_root = {CONGRU_FUNCTION_INVSQRT, 0.0, 0.0};

static void domains_plan(const congru_node *node, domains *s)
{
    const congru_graph *graph = node->graph;
    const size_t row = congru_vector(congru_spd_tangent_size(node->out.rows)).size, size = node->out.size;
    eigenpairs *pairs[] = {&s->mean, &s->move, &s->between, &s->now};
    double **in_lanes[] = {&s->root,        &s->moved, &s->d_root, &s->old_root,
                           &s->old_inverse, &s->m[0],  &s->m[1],   &s->m[2]};
    double **matrices[] = {&s->inverse[0],   &s->inverse[1], &s->kept.root,
                           &s->kept.inverse, &s->fresh.root, &s->fresh.inverse};
    lanes_plan(node, graph->subjects < graph->capacity ? graph->subjects : graph->capacity, &s->lanes);
    s->domain = congru_arena_take(graph->arena, s->lanes.count, sizeof(size_t));
    s->subjects = graph->subjects;
    s->step = SIZE_MAX;
    s->is_fresh = congru_arena_take(graph->arena, s->subjects, sizeof(bool));
    for (size_t k = 0; k < sizeof pairs / sizeof pairs[0]; k++)
        *pairs[k] = pairs_take(&s->lanes);
    for (size_t k = 0; k < sizeof in_lanes / sizeof in_lanes[0]; k++)
        *in_lanes[k] = lanes_take(&s->lanes);
    for (size_t k = 0; k < sizeof matrices / sizeof matrices[0]; k++)
        *matrices[k] = congru_take_doubles(node, s->subjects * size);
    for (size_t k = 0; k < 2; k++)
        s->slope[k] = congru_take_doubles(node, s->subjects * row);
    s->kept.v = congru_take_doubles(node, s->subjects);
    s->fresh.v = congru_take_doubles(node, s->subjects);
}

/* ---- Over steps -------------------------------------------------------------------------------------- */

/* The share of this step, by the schedule of momentum batch normalisation: 1 - least^(what is left) + least, 1 at first and
 * falling to `least` over 5/6 of the steps. */
static double share_of(const congru_graph *graph, double least)
{
    const size_t steps = graph->options->steps > 0 ? (size_t)graph->options->steps : 0;
    const size_t last = steps * 5 / 6 > 2 ? steps * 5 / 6 : 2;
    if (graph->resting)
        return 1.0;
    const double left = graph->step + 1 < last ? (double)(last - 1 - graph->step) / (double)(last - 1) : 0.0;
    return 1.0 - congru_scalar_exp(left * congru_scalar_log(least)) + least;
}

/* Before the first step every G is the identity and every v is 1. */
static void begin(const domains *s)
{
    const size_t d = s->lanes.d;
    memset(s->kept.root, 0, s->subjects * d * d * sizeof(double));
    memset(s->is_fresh, 0, s->subjects * sizeof(bool));
    for (size_t k = 0; k < s->subjects; k++) {
        s->kept.v[k] = 1.0;
        for (size_t i = 0; i < d; i++)
            s->kept.root[k * d * d + i * (d + 1)] = 1.0;
    }
    memcpy(s->kept.inverse, s->kept.root, s->subjects * d * d * sizeof(double));
}

/* What the last step has left becomes what is kept, once a step. */
static void settle(domains *s)
{
    const size_t size = s->lanes.d * s->lanes.d, step = s->lanes.graph->step;
    if (s->step == SIZE_MAX)
        begin(s);
    if (s->lanes.graph->resting)
        return;
    for (size_t k = 0; k < s->subjects && s->step != step; k++) {
        if (!s->is_fresh[k])
            continue;
        memcpy(s->kept.root + k * size, s->fresh.root + k * size, size * sizeof(double));
        memcpy(s->kept.inverse + k * size, s->fresh.inverse + k * size, size * sizeof(double));
        s->kept.v[k] = s->fresh.v[k];
        s->is_fresh[k] = false;
    }
    s->step = step;
}

/* ---- Between plain matrices, rows and lanes ---------------------------------------------------------- */

/* Lanes of the means of the rows of each subject of the batch, as matrices, and their eigenvalues and vectors. */
static congru_status decompose_means(const domains *s, const congru_rows *rows, const eigenpairs *pairs)
{
    const lanes *at = &s->lanes;
    for (size_t k = 0; k < at->count; k++)
        congru_row_to_matrix(at->d, rows->subject.mean + s->domain[k] * rows->stride,
                             at->plain + k * at->d * at->d);
    pack(at, s->m[0]);
    return decompose(at, s->m[0], pairs);
}

/* The matrices (subjects, d, d) of the subjects of the batch into lanes, and back. */
static void load(const domains *s, const double *table, double *to)
{
    const size_t size = s->lanes.d * s->lanes.d;
    for (size_t k = 0; k < s->lanes.count; k++)
        memcpy(s->lanes.plain + k * size, table + s->domain[k] * size, size * sizeof(double));
    pack(&s->lanes, to);
}

static void store(const domains *s, const double *from, double *table)
{
    const size_t size = s->lanes.d * s->lanes.d;
    unpack(&s->lanes, from);
    for (size_t k = 0; k < s->lanes.count; k++)
        memcpy(table + s->domain[k] * size, s->lanes.plain + k * size, size * sizeof(double));
}

/* The derivative by the mean of each subject's rows, which each of its rows gets a share of. */
static void add_slopes(const domains *s, const double *from, double *slope, congru_rows *rows)
{
    const size_t d = s->lanes.d;
    unpack(&s->lanes, from);
    for (size_t k = 0; k < s->lanes.count; k++)
        congru_row_of_matrix(d, rows->stride, s->lanes.plain + k * d * d, rows->subject.count[s->domain[k]],
                             slope + s->domain[k] * rows->stride);
    congru_rows_add_term(rows, (congru_term){CONGRU_TERM_SUBJECT, 1.0, slope, NULL});
}

/* Lanes of the derivative by P = P^T of Y = P X P: a node's sums of X P dY over trials and their transpose. */
static void load_sums(const congru_node *node, const domains *s, double *to)
{
    const size_t d = s->lanes.d, size = d * d;
    double *plain = s->lanes.plain;
    memset(plain, 0, s->lanes.count * size * sizeof(double));
    for (size_t chunk = 0; chunk < congru_graph_used_chunks(node->graph); chunk++) {
        for (size_t k = 0; k < s->lanes.count; k++) {
            const double *sum = node->sum[0] + (chunk * s->subjects + s->domain[k]) * size;
            for (size_t e = 0; e < size; e++)
                plain[k * size + e] += sum[e] + sum[e % d * d + e / d];
        }
    }
    pack(&s->lanes, to);
}

/* ---- Y = P X P, P of the trial's subject ------------------------------------------------------------- */

static void domain_plan(congru_node *node)
{
    const size_t size = node->out.size;
    node->saved_size[0] = node->need.lanes[0] = node->need.lanes[1] = node->need.lanes[2] = size;
    node->sum_size[0] = node->graph->subjects * size;
}

/* P of each trial, in lanes. */
static congru_operand load_inverse(const congru_call *call, const double *inverse)
{
    const size_t d = call->node->out.rows, size = d * d;
    double *plain = call->work.lanes[0];
    for (size_t m = 0; m < call->count; m++)
        memcpy(plain + m * size, inverse + (size_t)call->batch->subject[call->first + m] * size,
               size * sizeof(double));
    call->kernel->pack(call->vectors, call->count, d, d, plain, call->work.lanes[1]);
    return congru_per_lane(call->work.lanes[1], d);
}

/* dX = P dY P, and X P dY added up by subject. */
static void domain_backward(const congru_call *call, const double *inverse)
{
    const size_t d = call->node->out.rows, size = d * d;
    if (call->d_x[0] != NULL)
        whiten_backward(call, load_inverse(call, inverse), call->work.lanes[2]);
    call->kernel->product(call->vectors, d, d, d, congru_per_lane(call->saved[0], d),
                          congru_per_lane(call->d_y, d), CONGRU_PRODUCT_SET, call->work.lanes[0]);
    call->kernel->unpack(call->vectors, call->count, d, d, call->work.lanes[0], call->work.lanes[1]);
    congru_call_clear(call);
    for (size_t m = 0; m < call->count; m++) {
        double *sum = call->sum[0] + (size_t)call->batch->subject[call->first + m] * size;
        for (size_t e = 0; e < size; e++)
            sum[e] += call->work.lanes[1][m * size + e];
    }
}

/* ---- At E -------------------------------------------------------------------------------------------- */

/* Its state points to that of the layer behind it, which sets it. */
static domains *centre_of(const congru_node *node)
{
    return *(domains *const *)node->state;
}

static congru_status centre_meet(congru_node *node)
{
    domains *s = centre_of(node);
    lanes *at = &s->lanes;
    const congru_rows *rows = congru_node_source(node, 1)->rows;
    at->count = 0;
    for (size_t k = 0; k < s->subjects; k++)
        if (rows->subject.count[k] > 0.0)
            s->domain[at->count++] = k;
    at->vectors = congru_kernel_vectors(at->kernel, at->count);
    CONGRU_TRY(decompose_means(s, rows, &s->mean));
    map(at, root, &s->mean, s->root);
    map(at, inverse_root, &s->mean, s->m[1]);
    store(s, s->m[1], s->inverse[0]);
    return CONGRU_OK;
}

static void centre_part(congru_node *node)
{
    const domains *s = centre_of(node);
    const lanes *at = &s->lanes;
    load_sums(node, s, s->m[0]);
    map_backward(at, inverse_root, &s->mean, s->m[0], s->m[1]);
    map_backward(at, root, &s->mean, s->d_root, s->m[2]);
    at->kernel->combine(congru_lane_doubles(at->kernel, at->vectors, at->d * at->d), 1.0, s->m[2], 1.0,
                        s->m[1]);
    add_slopes(s, s->m[1], s->slope[0], congru_node_source(node, 1)->rows);
}

static void centre_forward(const congru_call *call)
{
    whiten(call, load_inverse(call, centre_of(call->node)->inverse[0]));
}

static void centre_backward(const congru_call *call)
{
    domain_backward(call, centre_of(call->node)->inverse[0]);
}

const congru_layer congru_layer_domain_centre = {
    .name = "centre by domain",
    .traits = CONGRU_TRAIT_LATE,
    .state = sizeof(domains *),
    .plan = domain_plan,
    .trials = {centre_forward, centre_backward},
    .batch = {centre_meet, centre_part},
};

/* ---- At G -------------------------------------------------------------------------------------------- */

/* The next node with that layer on the way back by first inputs. */
static congru_node *find_source(const congru_node *node, size_t k, const congru_layer *layer)
{
    congru_node *source = congru_node_source(node, k);
    while (source->layer != layer)
        source = congru_node_source(source, 0);
    return source;
}

/* Its second input is the triangle of the logarithm of what domain_centre gives. number[0]: the least share. */
static void mean_plan(congru_node *node)
{
    domain_plan(node);
    domains_plan(node, node->state);
    *(domains **)find_source(node, 1, &congru_layer_domain_centre)->state = node->state;
}

static congru_status mean_prepare(congru_node *node)
{
    domains *s = node->state;
    s->share = share_of(node->graph, node->number[0]);
    settle(s);
    return CONGRU_OK;
}

static congru_function part_of_the_way(const domains *s)
{
    return (congru_function){CONGRU_FUNCTION_POWER, s->share, 0.0};
}

/* B = E^1/2 exp(M) E^1/2, and G = O^1/2 (O^-1/2 B O^-1/2)^g O^1/2. */
static congru_status mean_meet(congru_node *node)
{
    const domains *s = node->state;
    const lanes *at = &s->lanes;
    double *a = s->m[0], *b = s->m[1];
    CONGRU_TRY(decompose_means(s, congru_node_source(node, 1)->rows, &s->move));
    map(at, exponential(1.0), &s->move, s->moved);
    between(at, s->moved, s->root, a);
    load(s, s->kept.root, s->old_root);
    load(s, s->kept.inverse, s->old_inverse);
    between(at, a, s->old_inverse, b);
    CONGRU_TRY(decompose(at, b, &s->between));
    map(at, part_of_the_way(s), &s->between, a);
    between(at, a, s->old_root, b);
    CONGRU_TRY(decompose(at, b, &s->now));
    map(at, inverse_root, &s->now, a);
    store(s, a, s->inverse[1]);
    if (node->graph->resting)
        return CONGRU_OK;
    store(s, a, s->fresh.inverse);
    map(at, root, &s->now, a);
    store(s, a, s->fresh.root);
    for (size_t k = 0; k < at->count; k++)
        s->is_fresh[s->domain[k]] = true;
    return CONGRU_OK;
}

/* dB = O^-1/2 dA O^-1/2 with A^g between them; dM from E^1/2 dB E^1/2, and the derivative by E^1/2 for E's own. */
static void mean_part(congru_node *node)
{
    const domains *s = node->state;
    const lanes *at = &s->lanes;
    const size_t d = at->d;
    double *a = s->m[0], *b = s->m[1];
    load_sums(node, s, a);
    map_backward(at, inverse_root, &s->now, a, b);
    between(at, b, s->old_root, a);
    map_backward(at, part_of_the_way(s), &s->between, a, b);
    between(at, b, s->old_inverse, a);
    at->kernel->product(at->vectors, d, d, d, congru_per_lane(a, d), congru_per_lane(s->root, d),
                        CONGRU_PRODUCT_SET, b); /* dB E^1/2 */
    at->kernel->product(at->vectors, d, d, d, congru_per_lane(b, d), congru_per_lane(s->moved, d),
                        CONGRU_PRODUCT_SET, s->d_root);
    at->kernel->product(at->vectors, d, d, d, congru_per_lane(s->moved, d), congru_per_lane_transposed(b, d),
                        CONGRU_PRODUCT_ADD, s->d_root);
    between(at, a, s->root, s->m[2]);
    map_backward(at, exponential(1.0), &s->move, s->m[2], b);
    add_slopes(s, b, s->slope[1], congru_node_source(node, 1)->rows);
}

static void mean_forward(const congru_call *call)
{
    whiten(call, load_inverse(call, ((const domains *)call->node->state)->inverse[1]));
}

static void mean_backward(const congru_call *call)
{
    domain_backward(call, ((const domains *)call->node->state)->inverse[1]);
}

const congru_layer congru_layer_domain_mean = {
    .name = "mean by domain",
    .traits = CONGRU_TRAIT_LATE,
    .state = sizeof(domains),
    .plan = mean_plan,
    .prepare = mean_prepare,
    .trials = {mean_forward, mean_backward},
    .batch = {mean_meet, mean_part},
};

/* ---- Over the dispersion ------------------------------------------------------------------------------ */

/* One number by subject. */
typedef struct scale {
    congru_given_values given;
    domains *means;
    double *factor, *inverse, *slope; /* (subjects): spread / sqrt(v + eps), 1 / sqrt(v + eps), of rows */
    double d_spread;
} scale;

static void scale_plan(congru_node *node)
{
    scale *s = node->state;
    const size_t subjects = node->graph->subjects;
    node->need.lanes[0] = 1;
    if (node->graph->batch == NULL)
        return;
    node->sum_size[0] = subjects;
    s->factor = congru_take_doubles(node, subjects);
    s->inverse = congru_take_doubles(node, subjects);
    s->slope = congru_take_doubles(node, subjects);
    s->means = find_source(node, 0, &congru_layer_domain_mean)->state;
}

/* v of each subject of the batch and what comes of it. */
static congru_status scale_meet(congru_node *node)
{
    const scale *s = node->state;
    const congru_graph *graph = node->graph;
    const domains *means = s->means;
    const congru_rows *rows = congru_node_source(node, 1)->rows;
    const double spread = congru_node_value(node, 0)[0];
    for (size_t k = 0; k < means->lanes.count; k++) {
        const size_t subject = means->domain[k];
        double sum = 0.0;
        for (size_t i = 0; i < graph->batch->count; i++)
            sum += (size_t)graph->batch->subject[i] == subject ? rows->norm[i] : 0.0;
        const double v = (1.0 - means->share) * (graph->resting ? 0.0 : means->kept.v[subject]) +
                         means->share * sum / rows->subject.count[subject];
        s->inverse[subject] = 1.0 / sqrt(v + node->number[0]);
        s->factor[subject] = spread * s->inverse[subject];
        if (!graph->resting)
            means->fresh.v[subject] = v;
    }
    return CONGRU_OK;
}

/* The number that a trial is multiplied by. */
static double factor_of(const congru_call *call, size_t m)
{
    const scale *s = call->node->state;
    if (m >= call->count)
        return 1.0;
    if (s->given.value != NULL)
        return call->weight[0][0] * s->given.value[s->given.count == 1 ? 0 : call->first + m];
    return s->factor[call->batch->subject[call->first + m]];
}

static void scale_forward(const congru_call *call)
{
    congru_call_scale(call, factor_of, call->x[0], call->y);
}

/* dL = factor dY; <dY, L> added up by subject. */
static void scale_backward(const congru_call *call)
{
    double *products = call->work.lanes[0];
    if (call->d_x[0] != NULL)
        congru_call_scale(call, factor_of, call->d_y, call->d_x[0]);
    call->kernel->dots(call->vectors, call->node->out.size, call->d_y, call->x[0], products);
    congru_call_clear(call);
    for (size_t m = 0; m < call->count; m++)
        call->sum[0][call->batch->subject[call->first + m]] += products[m];
}

/* Each trial moves v by 2 L share / count, and v the factor by -factor / (2 (v + eps)). */
static void scale_part(congru_node *node)
{
    scale *s = node->state;
    const domains *means = s->means;
    congru_rows *rows = congru_node_source(node, 1)->rows;
    s->d_spread = 0.0;
    for (size_t k = 0; k < means->lanes.count; k++) {
        const size_t subject = means->domain[k];
        double d_factor = 0.0;
        for (size_t chunk = 0; chunk < congru_graph_used_chunks(node->graph); chunk++)
            d_factor += node->sum[0][chunk * means->subjects + subject];
        s->d_spread += d_factor * s->inverse[subject];
        s->slope[subject] = -d_factor * s->factor[subject] * s->inverse[subject] * s->inverse[subject] *
                            means->share / rows->subject.count[subject];
    }
    congru_rows_add_term(rows, (congru_term){CONGRU_TERM_OWN, 1.0, s->slope, NULL});
}

static congru_status scale_finish(congru_node *node)
{
    congru_node_gradient(node, 0)[0] = ((const scale *)node->state)->d_spread;
    return CONGRU_OK;
}

const congru_layer congru_layer_domain_scale = {
    .name = "scale by domain",
    .traits = CONGRU_TRAIT_LATE | CONGRU_TRAIT_READS_X,
    .state = sizeof(scale),
    .plan = scale_plan,
    .trials = {scale_forward, scale_backward},
    .batch = {scale_meet, scale_part},
    .finish = scale_finish,
};
