/* Each layer and each loss alone: its adjoint against differences. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bank.h"
#include "congru/random.h"
#include "harness.h"
#include "network/constants.h"
#include "network/layers/rotation_layer.h"
#include "network/layers/softmax_layer.h"
#include "network/models/model.h"
#include "network/rewrite.h"
#include "network_samples.h"

enum { N = 41, D = 4, CLASSES = 3, SUBJECTS = 3, DIRECTIONS = 5 };

static congru_context *context;
static congru_trials trials;

/* ---- A layer whose parameters are the activations themselves, and a loss that is linear ----------------- */

typedef struct table {
    double *gradient;
    double value[N * 64];
} table;

static void source_plan(congru_graph *graph, congru_node *node)
{
    (void)graph;
    node->need.lanes[0] = 2;
}

static congru_status source_prepare(congru_graph *graph, congru_node *node)
{
    ((table *)node->state)->gradient = congru_graph_gradient(graph, node, 0);
    return CONGRU_OK;
}

static void source_forward(const congru_call *call)
{
    const congru_extent out = call->node->out;
    call->kernel->pack(call->vectors, call->count, out.rows, out.cols, call->weight[0] + call->first * out.size,
                       call->y);
    call->kernel->symmetrise(call->vectors, out.rows, call->y, call->work.lanes[0],
                             call->work.lanes[0] + call->vectors * call->kernel->width);
}

static void source_backward(const congru_call *call)
{
    const table *t = call->node->state;
    const congru_extent out = call->node->out;
    call->kernel->unpack(call->vectors, call->count, out.rows, out.cols, call->d_y,
                         t->gradient + call->first * out.size);
}

static const congru_layer source_layer = {
    .name = "source",
    .plan = source_plan,
    .prepare = source_prepare,
    .forward = source_forward,
    .backward = source_backward,
    .state = sizeof(table),
};

/* sum over trials of <G, x>, G random and symmetric, nothing in what is padding. */
static void probe_plan(congru_graph *graph, congru_node *node)
{
    (void)graph;
    table *t = node->state;
    const congru_extent in = node->in[0];
    congru_random random = congru_random_stream(4, 1, 0, 0);
    for (size_t i = 0; i < N; i++)
        for (size_t r = 0; r < in.rows; r++)
            for (size_t s = 0; s < in.cols; s++) {
                double *g = t->value + i * in.size;
                const double x = congru_random_normal(&random);
                g[r * in.cols + s] = in.kind == CONGRU_MATRIX && s < r ? g[s * in.cols + r] : x;
            }
    node->has_scalar = true;
    node->need.lanes[0] = in.size;
}

static void probe_lanes(const congru_call *call, double *lanes)
{
    const table *t = call->node->state;
    const size_t size = call->node->in[0].size, width = call->kernel->width;
    memset(lanes, 0, congru_call_doubles(call, size) * sizeof(double));
    for (size_t m = 0; m < call->count; m++)
        for (size_t e = 0; e < size; e++)
            lanes[(m / width * size + e) * width + m % width] = t->value[(call->first + m) * size + e];
}

static void probe_forward(const congru_call *call)
{
    probe_lanes(call, call->work.lanes[0]);
    call->kernel->dots(call->vectors, call->node->in[0].size, call->x[0], call->work.lanes[0], call->scalar);
}

static void probe_backward(const congru_call *call)
{
    if (call->d_x[0] != NULL)
        probe_lanes(call, call->d_x[0]);
}

static congru_status probe_finish(congru_graph *graph, congru_node *node)
{
    for (size_t i = 0; i < graph->batch->count; i++)
        graph->series[CONGRU_SERIES_LOSS] += node->scalar[i];
    return CONGRU_OK;
}

static const congru_layer probe_loss = {
    .name = "probe",
    .traits = CONGRU_TRAIT_LOSS,
    .plan = probe_plan,
    .forward = probe_forward,
    .backward = probe_backward,
    .finish = probe_finish,
    .state = sizeof(table),
};

/* ---- A graph to put one layer into ---------------------------------------------------------------------- */

typedef struct bench {
    congru_graph graph;
    congru_parameters parameters;
    congru_constants constants;
    congru_network_options options;
    congru_batch batch;
    size_t index[64];
    int32_t label[64], subject[64];
    double series[CONGRU_SERIES_COUNT];
    congru_arena arena;
    unsigned rewritings;
} bench;

static bench *begun(bool by_log)
{
    bench *b = calloc(1, sizeof *b);
    b->options = sample_axis_options().network;
    b->options.reconstruction = 0.3;
    b->constants = (congru_constants){.trials = &trials,
                                      .out = D,
                                      .stride = congru_vector(congru_spd_tangent_size(D)).size,
                                      .by_log = by_log,
                                      .by_subject = true,
                                      .floor = 1e-5};
    b->batch = (congru_batch){N, b->index, b->label, b->subject};
    for (size_t i = 0; i < 64; i++) {
        b->index[i] = i < N ? N - 1 - i : b->index[0];
        b->label[i] = trials.label[b->index[i]];
        b->subject[i] = trials.subject[b->index[i]];
    }
    b->graph = (congru_graph){.context = context,
                              .options = &b->options,
                              .constants = &b->constants,
                              .parameters = &b->parameters,
                              .batch = &b->batch,
                              .capacity = N,
                              .classes = CLASSES,
                              .subjects = SUBJECTS,
                              .rotation = -1,
                              .dispersion = -1,
                              .series = b->series};
    for (size_t k = 0; k < CONGRU_OUTPUT_COUNT; k++)
        b->graph.output[k] = -1;
    return b;
}

static int add(bench *b, const congru_layer *layer, int first, int second, congru_extent out, double number)
{
    return congru_graph_add(&b->graph, layer, first, second, out, number, 1e-5);
}

static int add_loss(bench *b, const congru_layer *loss, int first, int second)
{
    return add(b, loss, first, second, (congru_extent){CONGRU_NOTHING, 0, 0, 0}, 0.0);
}

/* Symmetric matrices about the identity, which can be moved. */
static int add_source(bench *b, size_t d)
{
    const int x = add(b, &source_layer, -1, -1, congru_matrix(d), 0.0);
    b->graph.node[x].weight[0] = congru_graph_weights(&b->graph, "x", N, d * d, false);
    return x;
}

static void layout(congru_arena *arena, bench *b)
{
    b->parameters.value = congru_arena_take(arena, b->parameters.size, sizeof(double));
    b->parameters.gradient = congru_arena_take(arena, b->parameters.size, sizeof(double));
    congru_constants_layout(arena, true, &b->constants);
    congru_graph_layout(arena, &b->graph);
}

/* Plans, lays out and fills in first parameters. */
static void ready(bench *b)
{
    congru_arena measure = {0};
    CHECK(congru_graph_rewrite(&b->graph, b->rewritings) == CONGRU_OK);
    for (size_t k = 0; k < CONGRU_OUTPUT_COUNT; k++)
        b->graph.output[k] = -1;
    CHECK(congru_graph_plan(&b->graph) == CONGRU_OK);
    layout(&measure, b);
    CHECK(congru_arena_reserve(&b->arena, measure.used) == CONGRU_OK);
    layout(&b->arena, b);
    CHECK(congru_constants_fill(context, &b->constants) == CONGRU_OK);
    congru_random random = congru_random_stream(8, 0, 0, 0);
    for (size_t s = 0; s < b->parameters.segments; s++) {
        congru_segment *segment = &b->parameters.segment[s];
        const bool source = strcmp(segment->name, "x") == 0;
        const size_t d = (size_t)sqrt((double)segment->cols);
        segment->value = b->parameters.value + segment->offset;
        for (size_t i = 0; i < segment->rows * segment->cols; i++)
            b->parameters.value[segment->offset + i] =
                0.2 * congru_random_normal(&random) +
                (source ? (i % segment->cols % (d + 1) == 0 ? 1.5 : 0.0)
                        : (i / segment->cols == i % segment->cols ? 0.8 : 0.0));
    }
}

static double loss_at(bench *b, const double *origin, const double *e, double h)
{
    for (size_t i = 0; i < b->parameters.size; i++)
        b->parameters.value[i] = origin[i] + h * e[i];
    if (congru_graph_step(&b->graph) != CONGRU_OK)
        return NAN;
    return b->series[CONGRU_SERIES_LOSS];
}

/* Directional derivatives of the loss by all parameters, against the gradient; frees the bench. */
static void check(bench *b, const char *what)
{
    ready(b);
    const size_t size = b->parameters.size;
    double *origin = malloc(3 * size * sizeof(double)), *gradient = origin + size, *e = gradient + size;
    memcpy(origin, b->parameters.value, size * sizeof(double));
    CHECK_SAYING(congru_graph_step(&b->graph) == CONGRU_OK, "%s: %s", what, congru_context_error(context));
    memcpy(gradient, b->parameters.gradient, size * sizeof(double));
    double wrong = 0.0, all = 0.0;
    for (uint32_t k = 0; k < DIRECTIONS; k++) {
        congru_random random = congru_random_stream(77, k, 0, 0);
        double slope = 0.0;
        const double h = 1e-3;
        for (size_t i = 0; i < size; i++) {
            e[i] = congru_random_normal(&random) / sqrt((double)size);
            slope += e[i] * gradient[i];
        }
        const double near = loss_at(b, origin, e, h) - loss_at(b, origin, e, -h),
                     far = loss_at(b, origin, e, 2 * h) - loss_at(b, origin, e, -2 * h),
                     difference = (8.0 * near - far) / (12.0 * h) - slope;
        wrong += difference * difference;
        all += slope * slope;
    }
    CHECK_SAYING(all > 0.0 && sqrt(wrong / all) < 1e-8, "%s: off by %.2g", what, sqrt(wrong / all));
    free(origin);
    congru_graph_clear(&b->graph);
    congru_arena_free(&b->arena);
    free(b);
}

/* ---- Layers --------------------------------------------------------------------------------------------- */

static void congruence(void)
{
    static const size_t widths[] = {3, 4, 6};
    for (size_t k = 0; k < 3; k++) {
        bench *b = begun(false);
        add_loss(b, &probe_loss, congru_graph_congruence(&b->graph, add_source(b, D), widths[k], 1e-2), -1);
        check(b, "congruence");
    }
}

static void affine_congruence(void)
{
    bench *b = begun(false);
    int x = congru_graph_input(&b->graph, D);
    x = congru_graph_congruence(&b->graph, x, 6, 1e-2);
    x = congru_graph_congruence(&b->graph, x, 5, 1e-2);
    b->graph.output[CONGRU_OUTPUT_MATRIX] = congru_graph_congruence(&b->graph, x, 3, 1e-2);
    add_loss(b, &probe_loss, b->graph.output[CONGRU_OUTPUT_MATRIX], -1);
    b->rewritings = CONGRU_REWRITE_CHAIN;
    check(b, "affine congruence");
}

static void wide_logarithm(void)
{
    bench *b = begun(false);
    const int y = congru_graph_congruence(&b->graph, add_source(b, D), 7, 1e-2);
    add_loss(b, &probe_loss, congru_graph_logarithm(&b->graph, y, 0.0, 1e-5), -1);
    b->rewritings = CONGRU_REWRITE_WIDE;
    check(b, "wide logarithm");
}

static void logarithm_and_exponential(void)
{
    bench *b = begun(false);
    add_loss(b, &probe_loss, congru_graph_logarithm(&b->graph, add_source(b, D), 1e-2, 1e-5), -1);
    check(b, "logarithm");
    b = begun(false);
    add_loss(b, &probe_loss, congru_graph_exponential(&b->graph, add_source(b, D)), -1);
    check(b, "exponential");
}

static void merge(void)
{
    bench *b = begun(false);
    const int x = add_source(b, D), y = add_source(b, D);
    add_loss(b, &probe_loss, congru_graph_merge(&b->graph, x, y, 1e-5), -1);
    check(b, "merge");
    b = begun(false);
    const int p = add_source(b, D), q = add_source(b, D);
    add_loss(b, &probe_loss, congru_graph_euclidean_merge(&b->graph, p, q), -1);
    check(b, "Euclidean merge");
}

/* On the way back what is outside of the block gets nothing. */
static void block(void)
{
    for (size_t width = 1; width <= D; width++) {
        bench *b = begun(false);
        const int y = congru_graph_block(&b->graph, add_source(b, D), width);
        add_loss(b, &probe_loss, congru_graph_logarithm(&b->graph, y, 0.0, 1e-5), -1);
        check(b, "block");
    }
}

static void rotation_and_dispersion(void)
{
    bench *b = begun(true);
    int x = congru_graph_dispersion(&b->graph, add_source(b, D), true);
    x = congru_graph_rotation(&b->graph, x);
    b->graph.node[x].weight[0] = congru_graph_weights(&b->graph, "a", D, D, false);
    add_loss(b, &probe_loss, x, -1);
    check(b, "rotation and dispersion");
}

static const congru_extent row = {CONGRU_VECTOR, D *(D + 1) / 2, 1, 16};

static void triangle_and_diagonal(void)
{
    bench *b = begun(false);
    add_loss(b, &probe_loss, add(b, &congru_layer_triangle, add_source(b, D), -1, row, 0.0), -1);
    check(b, "triangle");
    b = begun(false);
    add_loss(b, &probe_loss, add(b, &congru_layer_diagonal, add_source(b, D), -1, congru_vector(D), 0.0), -1);
    check(b, "diagonal");
}

/* By the mean of the batch's logarithms, which all trials move. */
static void recentre(void)
{
    bench *b = begun(false);
    const int x = add_source(b, D), logarithm = congru_graph_logarithm(&b->graph, x, 0.0, 1e-5);
    const int rows = add(b, &congru_layer_triangle, logarithm, -1, row, 0.0);
    add_loss(b, &probe_loss, add(b, &congru_layer_recentre, x, rows, congru_matrix(D), 0.0), -1);
    check(b, "recentre");
}

static int add_scores(bench *b, size_t classes)
{
    const int x = add(b, &congru_layer_triangle, add_source(b, D), -1, row, 0.0),
              y = add(b, &congru_layer_dense, x, -1, congru_scores(classes), 0.0);
    b->graph.node[y].weight[0] = congru_graph_weights(&b->graph, "head", classes, row.rows, true);
    b->graph.node[y].weight[1] = congru_graph_weights(&b->graph, "bias", 1, classes, true);
    return y;
}

static void dense_and_softmax(void)
{
    bench *b = begun(false);
    add_loss(b, &probe_loss, add_scores(b, 5), -1);
    check(b, "dense");
    static const double present[] = {1.0, 1.0, 0.0, 1.0, 1.0};
    b = begun(false);
    const int y = add(b, &congru_layer_softmax, add_scores(b, 5), -1, congru_scores(5), 0.0);
    congru_softmax *softmax = congru_memory_take(sizeof *softmax);
    softmax->present = present;
    b->graph.node[y].state = softmax;
    add_loss(b, &probe_loss, y, -1);
    check(b, "softmax");
}

/* Behind a rotation of constants: the diagonal; recentring, which gamma alone moves; dense with its weights turned. */
static bench *turned(int *rotation, int *rows)
{
    bench *b = begun(true);
    const int x = congru_graph_input(&b->graph, D), logarithm = congru_graph_logarithm(&b->graph, x, 0.0, 1e-5);
    *rotation = congru_graph_rotation(&b->graph, congru_graph_dispersion(&b->graph, logarithm, true));
    b->graph.node[*rotation].weight[0] = congru_graph_weights(&b->graph, "a", D, D, false);
    *rows = add(b, &congru_layer_triangle, *rotation, -1, row, 0.0);
    b->rewritings = CONGRU_REWRITE_CONSTANT | CONGRU_REWRITE_ROTATION;
    return b;
}

static void behind_a_rotation(void)
{
    int x, rows;
    bench *b = turned(&x, &rows);
    add_loss(b, &probe_loss, add(b, &congru_layer_diagonal, x, -1, congru_vector(D), 0.0), -1);
    check(b, "turned diagonal");
    b = turned(&x, &rows);
    const int out = congru_graph_exponential(&b->graph, x);
    add_loss(b, &probe_loss, add(b, &congru_layer_recentre, out, rows, congru_matrix(D), 0.0), -1);
    check(b, "turned recentre");
    b = turned(&x, &rows);
    const congru_design design = {.d = D, .head_jitter = 1e-4, .floor = 1e-5, .classes = CLASSES};
    add_loss(b, &probe_loss,
             congru_design_head(&design, &b->graph, congru_graph_exponential(&b->graph, x), rows), -1);
    check(b, "turned dense");
}

/* ---- Losses --------------------------------------------------------------------------------------------- */

static void losses_of_rows(void)
{
    bench *b = begun(false);
    const int x = add(b, &congru_layer_triangle, add_source(b, D), -1, row, 0.0);
    add_loss(b, &congru_loss_reconstruction, x, -1);
    add_loss(b, &congru_loss_scatters, x, -1);
    check(b, "reconstruction and scatters");
    b = begun(false);
    add_loss(b, &congru_loss_affine_reconstruction, add_source(b, D), -1);
    check(b, "affine reconstruction");
}

static void fisher_ratio(void)
{
    for (int axis = 0; axis < 2; axis++) {
        bench *b = begun(true);
        int x = congru_graph_dispersion(&b->graph, add_source(b, D), true);
        x = congru_graph_rotation(&b->graph, x);
        b->graph.node[x].weight[0] = congru_graph_weights(&b->graph, "a", D, D, false);
        const int rows = add(b, &congru_layer_triangle, x, -1, row, 0.0),
                  axes = axis ? add(b, &congru_layer_diagonal, x, -1, congru_vector(D), 0.0) : -1;
        add_loss(b, &congru_loss_fisher_ratio, rows, axes);
        b->options.centre_penalty = 0.4; /* of a size to be seen */
        check(b, axis ? "Fisher ratio by axes" : "Fisher ratio");
    }
}

static void cross_entropy(void)
{
    bench *b = begun(false);
    b->options.label_smoothing = 0.1;
    add_loss(b, &congru_loss_cross_entropy, add_scores(b, CLASSES), -1);
    check(b, "cross-entropy");
}

/* ---- Scratch -------------------------------------------------------------------------------------------- */

static congru_status grow(congru_graph *graph, congru_node *node)
{
    (void)graph;
    node->need.lanes[1] = 1 << 16;
    return CONGRU_OK;
}

static congru_status shrink(congru_graph *graph, congru_node *node)
{
    (void)graph;
    node->need.lanes[1] = 0;
    return CONGRU_OK;
}

/* A layer that asks for more once the scratch has been measured is an error, not a fault. */
static void scratch_that_is_too_small_is_an_error(void)
{
    congru_layer greedy = probe_loss;
    greedy.prepare = shrink;
    greedy.meet = grow;
    bench *b = begun(false);
    add_loss(b, &greedy, add_source(b, D), -1);
    ready(b);
    const congru_status status = congru_graph_step(&b->graph);
    CHECK_SAYING(status == CONGRU_ERROR_MEMORY, "status %d", (int)status);
    CHECK(strstr(congru_context_error(context), "too small by") != NULL);
    congru_graph_clear(&b->graph);
    congru_arena_free(&b->arena);
    free(b);
}

static void a_graph_that_is_full_is_an_error(void)
{
    bench *b = begun(false);
    int x = add_source(b, D);
    for (int k = 0; k < CONGRU_NODES_MAX; k++)
        x = congru_graph_exponential(&b->graph, x);
    CHECK(congru_graph_plan(&b->graph) == CONGRU_ERROR_ARGUMENT);
    CHECK(strstr(congru_context_error(context), "more than 64 layers") != NULL);
    congru_graph_clear(&b->graph);
    free(b);
    b = begun(false);
    x = congru_graph_input(&b->graph, D);
    for (int k = 0; k <= CONGRU_SEGMENTS_MAX; k++)
        x = congru_graph_congruence(&b->graph, x, D, 0.0);
    CHECK(congru_graph_plan(&b->graph) == CONGRU_ERROR_ARGUMENT);
    congru_graph_clear(&b->graph);
    free(b);
}

int main(void)
{
    if (congru_context_create(&context, NULL) != CONGRU_OK)
        return 1;
    trials = sample_trials(context, N, D, CLASSES, SUBJECTS, 5);
    RUN(congruence);
    RUN(affine_congruence);
    RUN(wide_logarithm);
    RUN(logarithm_and_exponential);
    RUN(merge);
    RUN(block);
    RUN(rotation_and_dispersion);
    RUN(triangle_and_diagonal);
    RUN(recentre);
    RUN(dense_and_softmax);
    RUN(behind_a_rotation);
    RUN(losses_of_rows);
    RUN(fisher_ratio);
    RUN(cross_entropy);
    RUN(scratch_that_is_too_small_is_an_error);
    RUN(a_graph_that_is_full_is_an_error);
    sample_free(&trials);
    congru_context_destroy(&context);
    return harness_end();
}
