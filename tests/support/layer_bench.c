/* One layer or loss alone in a graph, and its adjoint against differences. SPDX-License-Identifier: Apache-2.0 */
#include "layer_bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "congru/random.h"
#include "harness.h"
#include "network/models/model.h"
#include "network_samples.h"

enum { N = BENCH_TRIALS, D = BENCH_D, CLASSES = BENCH_CLASSES, SUBJECTS = 3, DIRECTIONS = 5 };

congru_context *bench_context;
congru_trials bench_trials;

bool bench_start(void)
{
    if (congru_context_create(&bench_context, NULL) != CONGRU_OK)
        return false;
    bench_trials = sample_trials(bench_context, N, D, CLASSES, SUBJECTS, 5);
    return true;
}

void bench_end(void)
{
    sample_free(&bench_trials);
    congru_context_destroy(&bench_context);
}

/* ---- A layer whose parameters are the activations themselves, and a loss that is linear ----------------- */

typedef struct table {
    double *gradient;
    double value[N * BENCH_SIZE]; /* of a plain activation: reals */
} table;

static void source_plan(congru_node *node)
{
    node->need.lanes[0] = 2;
}

static congru_status source_prepare(congru_node *node)
{
    ((table *)node->state)->gradient = congru_node_gradient(node, 0);
    return CONGRU_OK;
}

/* The numbers of a plain activation, without padding, into it; and back, where they are added. */
static void spread_reals(const congru_extent *e, const double *values, congru_real *reals)
{
    memset(reals, 0, e->size * sizeof(double));
    for (size_t p = 0; p < congru_extent_places(e); p++)
        for (size_t c = 0; c < e->cols; c++)
            reals[congru_extent_place(e, p) + c] = (congru_real)*values++;
}

static void gather_reals(const congru_extent *e, const congru_real *reals, double *values)
{
    for (size_t p = 0; p < congru_extent_places(e); p++)
        for (size_t c = 0; c < e->cols; c++)
            *values++ = (double)reals[congru_extent_place(e, p) + c];
}

static void source_forward(const congru_call *call)
{
    const congru_extent out = call->node->out;
    const size_t numbers = congru_extent_places(&out) * out.cols;
    for (size_t m = 0; m < call->count && congru_extent_plain(&out); m++)
        spread_reals(&out, call->weight[0] + (call->first + m) * numbers, congru_trial_reals(call->y, &out, m));
    if (congru_extent_plain(&out))
        return;
    call->kernel->pack(call->vectors, call->count, out.rows, out.cols, call->weight[0] + call->first * out.size,
                       call->y);
    call->kernel->symmetrise(call->vectors, out.rows, call->y, call->work.lanes[0],
                             call->work.lanes[0] + call->vectors * call->kernel->width);
}

static void source_backward(const congru_call *call)
{
    const table *t = call->node->state;
    const congru_extent out = call->node->out;
    const size_t numbers = congru_extent_places(&out) * out.cols;
    for (size_t m = 0; m < call->count && congru_extent_plain(&out); m++)
        gather_reals(&out, congru_trial_reals(call->d_y, &out, m), t->gradient + (call->first + m) * numbers);
    if (congru_extent_plain(&out))
        return;
    call->kernel->unpack(call->vectors, call->count, out.rows, out.cols, call->d_y,
                         t->gradient + call->first * out.size);
}

static const congru_layer source_layer = {
    .name = "source",
    .plan = source_plan,
    .state = sizeof(table),
    .prepare = source_prepare,
    .trials = {source_forward, source_backward},
};

/* sum over trials of <G, x>, G random and symmetric, nothing in what is padding. */
static void probe_plan(congru_node *node)
{
    table *t = node->state;
    const congru_extent in = node->in[0];
    congru_random random = congru_random_stream(4, 1, 0, 0);
    for (size_t i = 0; i < N && !congru_extent_plain(&in); i++)
        for (size_t r = 0; r < in.rows; r++)
            for (size_t s = 0; s < in.cols; s++) {
                double *g = t->value + i * in.size;
                const double x = congru_random_normal(&random);
                g[r * in.cols + s] = in.kind == CONGRU_MATRIX && s < r ? g[s * in.cols + r] : x;
            }
    for (size_t i = 0; i < N && congru_extent_plain(&in); i++) {
        double numbers[BENCH_SIZE];
        for (size_t e = 0; e < congru_extent_places(&in) * in.cols; e++)
            numbers[e] = congru_random_normal(&random);
        spread_reals(&in, numbers, congru_trial_reals(t->value, &in, i));
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
    const table *t = call->node->state;
    const congru_extent *in = &call->node->in[0];
    for (size_t m = 0; m < call->count && congru_extent_plain(in); m++) {
        const congru_real *x = congru_trial_reals(call->x[0], in, m),
                          *g = congru_trial_reals(t->value, in, call->first + m);
        call->scalar[m] = 0.0;
        for (size_t e = 0; e < congru_extent_reals(in); e++)
            call->scalar[m] += (double)x[e] * (double)g[e];
    }
    if (congru_extent_plain(in))
        return;
    probe_lanes(call, call->work.lanes[0]);
    call->kernel->dots(call->vectors, call->node->in[0].size, call->x[0], call->work.lanes[0], call->scalar);
}

static void probe_backward(const congru_call *call)
{
    const table *t = call->node->state;
    const congru_extent *in = &call->node->in[0];
    if (call->d_x[0] != NULL && congru_extent_plain(in))
        memcpy(call->d_x[0], t->value + call->first * in->size, call->count * in->size * sizeof(double));
    else if (call->d_x[0] != NULL)
        probe_lanes(call, call->d_x[0]);
}

static congru_status probe_finish(congru_node *node)
{
    for (size_t i = 0; i < node->graph->batch->count; i++)
        node->graph->series[CONGRU_SERIES_LOSS] += node->scalar[i];
    return CONGRU_OK;
}

const congru_layer bench_probe = {
    .name = "probe",
    .traits = CONGRU_TRAIT_LOSS,
    .plan = probe_plan,
    .state = sizeof(table),
    .trials = {probe_forward, probe_backward},
    .finish = probe_finish,
};

/* ---- A graph to put one layer into ---------------------------------------------------------------------- */

bench *bench_begin(bool by_log)
{
    bench *b = calloc(1, sizeof *b);
    congru_method_options options;
    congru_method_options_init(&options);
    b->options = options.network;
    b->options.reconstruction = 0.3;
    b->constants = (congru_constants){.trials = &bench_trials,
                                      .out = D,
                                      .stride = congru_vector(congru_spd_tangent_size(D)).size,
                                      .by_log = by_log,
                                      .by_subject = true,
                                      .floor = 1e-5};
    b->batch = (congru_batch){N, b->index, b->label, b->subject};
    for (size_t i = 0; i < 64; i++) {
        b->index[i] = i < N ? N - 1 - i : b->index[0];
        b->label[i] = bench_trials.label[b->index[i]];
        b->subject[i] = bench_trials.subject[b->index[i]];
    }
    b->graph = (congru_graph){.context = bench_context,
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

int bench_add(bench *b, const congru_layer *layer, int first, int second, congru_extent out, double number)
{
    return congru_graph_add(&b->graph, layer, first, second, out, number, 1e-5);
}

int bench_loss(bench *b, const congru_layer *loss, int first, int second)
{
    return bench_add(b, loss, first, second, congru_nothing(), 0.0);
}

int bench_plain_source(bench *b, congru_extent extent)
{
    const int x = bench_add(b, &source_layer, -1, -1, extent, 0.0);
    const size_t numbers = congru_extent_places(&extent) * extent.cols;
    b->graph.node[x].weight[0] = congru_graph_weights(&b->graph, "p", N, numbers, false);
    return x;
}

/* Symmetric matrices about the identity, which can be moved. */
int bench_source(bench *b, size_t d)
{
    const int x = bench_add(b, &source_layer, -1, -1, congru_matrix(d), 0.0);
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
void bench_ready(bench *b)
{
    congru_arena measure = {0};
    CHECK(congru_graph_rewrite(&b->graph, b->rewritings) == CONGRU_OK);
    for (size_t k = 0; k < CONGRU_OUTPUT_COUNT; k++)
        b->graph.output[k] = -1;
    CHECK(congru_graph_plan(&b->graph) == CONGRU_OK);
    layout(&measure, b);
    CHECK(congru_arena_reserve(&b->arena, measure.used) == CONGRU_OK);
    layout(&b->arena, b);
    CHECK(congru_constants_fill(bench_context, &b->constants) == CONGRU_OK);
    congru_random random = congru_random_stream(8, 0, 0, 0);
    for (size_t s = 0; s < b->parameters.segments; s++) {
        congru_segment *segment = &b->parameters.segment[s];
        const bool source = strcmp(segment->name, "x") == 0;
        const size_t d = (size_t)sqrt((double)segment->cols);
        segment->value = b->parameters.value + segment->offset;
        for (size_t i = 0; i < segment->rows * segment->cols; i++)
            b->parameters.value[segment->offset + i] =
                0.2 * congru_random_normal(&random) +
                (segment->name[0] == 'b' ? (i % 2 == 0 ? 8.0 : -8.0) : 0.0) + /* no ReLU is near its bend */
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
void bench_check(bench *b, const char *what)
{
    bench_ready(b);
    const size_t size = b->parameters.size;
    double *origin = malloc(3 * size * sizeof(double)), *gradient = origin + size, *e = gradient + size;
    memcpy(origin, b->parameters.value, size * sizeof(double));
    if (b->first_step > 0) { /* elsewhere, so that what is kept of it is not what the next finds */
        b->graph.step = b->first_step - 1;
        for (size_t i = 0; i < size; i++)
            e[i] = i % 7 == 0 ? 0.1 : 0.0;
        CHECK(isfinite(loss_at(b, origin, e, 1.0)));
        memcpy(b->parameters.value, origin, size * sizeof(double));
        b->graph.step = b->first_step;
    }
    CHECK_SAYING(congru_graph_step(&b->graph) == CONGRU_OK, "%s: %s", what,
                 congru_context_error(bench_context));
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
