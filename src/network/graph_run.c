/* A graph run over the chunks of a batch: forward, what looks at the whole batch, backward. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/mapped_memory.h"
#include "base/process_group.h"
#include "base/scalar_math.h"
#include "base/workspace.h"
#include "network/graph.h"

/* ---- Calls ------------------------------------------------------------------------------------------- */

void congru_work_layout(congru_arena *arena, const congru_kernel *kernel, size_t vectors,
                        const congru_need *need, congru_work *work)
{
    if (need->spectral > 0)
        congru_spectral_layout(arena, kernel, vectors, need->spectral, &work->spectral);
    for (size_t k = 0; k < CONGRU_LANES_MAX && need->lanes[k] > 0; k++)
        work->lanes[k] = congru_take_lanes(arena, kernel, vectors, need->lanes[k]);
    for (size_t k = 0; k < CONGRU_WEIGHTS_MAX && need->chains[k] > 0; k++)
        work->chains[k] = congru_arena_take(arena, CONGRU_GROUP * need->chains[k], sizeof(double));
    for (size_t k = 0; k < CONGRU_PLAIN_MAX && need->plain[k] > 0; k++)
        work->plain[k] = congru_arena_take(arena, congru_real_step(need->plain[k]), sizeof(congru_real));
}

void congru_call_eigen(const congru_call *call, size_t d, double *a, double *values, double *z)
{
    const size_t width = call->kernel->width;
    bool converged = call->kernel->eigen(call->vectors, d, a, values, z, call->work.spectral.eigen);
    if (converged || call->marks->depth > 0)
        return;
    size_t position = 0;
    for (size_t m = call->count; m-- > 0;) {
        for (size_t i = 0; i < d; i++) {
            if (!isfinite(values[((m / width) * d + i) * width + m % width]))
                position = m;
        }
    }
    call->marks->depth = call->node->depth > 0 ? call->node->depth : 1;
    call->marks->position = call->first + position;
}

void congru_call_watch(const congru_call *call, size_t d, const double *values, bool exponential)
{
    const size_t width = call->kernel->width;
    if (!call->watched || !call->node->watched)
        return;
    double low = INFINITY, high = -INFINITY;
    for (size_t m = 0; m < call->count; m++) {
        for (size_t i = 0; i < d; i++) {
            double x = values[((m / width) * d + i) * width + m % width];
            low = x < low ? x : low;
            high = x > high ? x : high;
        }
    }
    congru_marks_widen(call->marks, exponential ? congru_scalar_exp(low) : low,
                       exponential ? congru_scalar_exp(high) : high);
}

void congru_call_clear(const congru_call *call)
{
    for (size_t k = 0; k < CONGRU_WEIGHTS_MAX && call->sum[k] != NULL; k++)
        memset(call->sum[k], 0, call->node->sum_size[k] * sizeof(double));
}

double *congru_call_chains(const congru_call *call, size_t k)
{
    memset(call->work.chains[k], 0, CONGRU_GROUP * call->node->need.chains[k] * sizeof(double));
    return call->work.chains[k];
}

void congru_call_fold(const congru_call *call, size_t k)
{
    call->kernel->fold(call->node->need.chains[k], call->work.chains[k], call->sum[k]);
}

void congru_call_sum(const congru_call *call, size_t k, size_t rows, size_t cols, size_t inner,
                     congru_operand a, congru_operand b)
{
    call->kernel->add_product(call->vectors, rows, cols, inner, a, b, congru_call_chains(call, k));
    congru_call_fold(call, k);
}

/* ---- A chunk ----------------------------------------------------------------------------------------- */

/* A chunk's way through a stage. */
typedef struct passage {
    congru_graph *graph;
    congru_chunk chunk;
    size_t stage;
    double *own; /* the worker's slots, then what it saves */
    congru_marks *marks;
    bool contributed[CONGRU_NODES_MAX]; /* something has been added to the derivative */
} passage;

static double *slot(const passage *p, size_t number)
{
    return p->own + congru_lane_doubles(p->chunk.kernel, p->chunk.vectors, p->graph->own.start[number]);
}

static double *in_lanes(const passage *p, const congru_place *place, size_t size)
{
    return place->batch != NULL ? place->batch + p->chunk.first * size : slot(p, place->local);
}

static congru_call call_of(const passage *p, const congru_node *node)
{
    congru_graph *graph = p->graph;
    congru_call call = {.kernel = p->chunk.kernel,
                        .node = node,
                        .batch = graph->batch,
                        .block = p->chunk.block,
                        .first = p->chunk.first,
                        .count = p->chunk.count,
                        .vectors = p->chunk.vectors,
                        .watched = graph->watched,
                        .step = graph->step,
                        .resting = graph->resting || graph->batch == NULL,
                        .marks = p->marks};
    for (size_t k = 0; k < node->inputs; k++) {
        const congru_node *source = &graph->node[node->input[k]];
        call.x[k] = source->lanes ? in_lanes(p, &source->value, source->out.size) : NULL;
    }
    for (size_t k = 0; k < CONGRU_WEIGHTS_MAX; k++) {
        call.weight[k] = node->weight[k] >= 0 ? congru_node_value(node, k) : NULL;
        call.sum[k] = node->sum[k] != NULL ? node->sum[k] + p->chunk.block * node->sum_size[k] : NULL;
    }
    for (size_t k = 0; k < CONGRU_SAVED_MAX && node->saved_size[k] > 0; k++)
        call.saved[k] = node->saved[k].batch != NULL
                            ? node->saved[k].batch + p->chunk.first * node->saved_size[k]
                            : slot(p, graph->own.count) +
                                  congru_lane_doubles(call.kernel, call.vectors, node->saved[k].local);
    call.scalar = node->scalar != NULL ? node->scalar + p->chunk.first : NULL;
    congru_work_layout(p->chunk.arena, call.kernel, call.vectors, &node->need, &call.work);
    return call;
}

/* Whether a node has anything to do for each trial. */
static bool works(const congru_node *node)
{
    return node->wanted && (node->lanes || (node->layer->traits & CONGRU_TRAIT_LOSS) != 0 ||
                            (node->rows != NULL && !node->rows->constant));
}

/* Rows of the batch and their norms, from lanes. */
static void keep_rows(const passage *p, const congru_node *node, const double *y)
{
    p->chunk.kernel->unpack(p->chunk.vectors, p->chunk.count, node->out.size, 1, y,
                            node->rows->data + p->chunk.first * node->out.size);
}

static void forward_node(const passage *p, const congru_node *node)
{
    const size_t mark = p->chunk.arena->used;
    congru_call call = call_of(p, node);
    call.y = node->out.size > 0 ? in_lanes(p, &node->value, node->out.size) : NULL;
    node->layer->trials.forward(&call);
    if (node->rows != NULL && !node->rows->constant)
        keep_rows(p, node, call.y);
    p->chunk.arena->used = mark;
}

/* The derivative by the node's value: of its rows, or what the nodes behind it have added up. */
static const double *derivative_of(passage *p, const congru_node *node)
{
    const congru_kernel *kernel = p->chunk.kernel;
    if (node->out.size == 0)
        return NULL;
    double *d_y = in_lanes(p, &node->derivative, node->out.size);
    if (node->rows != NULL) {
        double *plain = slot(p, 0);
        congru_rows_backward(node->rows, kernel, p->graph->batch, p->chunk.first, p->chunk.count, plain);
        kernel->pack(p->chunk.vectors, p->chunk.count, node->out.size, 1, plain, d_y);
    } else if (!p->contributed[node - p->graph->node]) {
        memset(d_y, 0, congru_lane_doubles(kernel, p->chunk.vectors, node->out.size) * sizeof(double));
    }
    return d_y;
}

/* A second contribution to the derivative by a value. */
static void add_second(const congru_call *call, const congru_extent *extent, const double *more, double *sum)
{
    if (!congru_extent_plain(extent)) {
        call->kernel->combine(congru_call_doubles(call, extent->size), 1.0, more, 1.0, sum);
        return;
    }
    congru_real *to = congru_trial_reals(sum, extent, 0);
    call->kernel->real->add(call->count * congru_extent_reals(extent), to, congru_trial_reals(more, extent, 0),
                            to);
}

static void backward_node(passage *p, const congru_node *node)
{
    const congru_graph *graph = p->graph;
    const size_t mark = p->chunk.arena->used;
    congru_call call = call_of(p, node);
    bool second[CONGRU_INPUTS_MAX] = {false, false};
    call.d_y = derivative_of(p, node);
    if ((node->layer->traits & CONGRU_TRAIT_READS_Y) != 0)
        call.y = in_lanes(p, &node->value, node->out.size);
    for (size_t k = 0; k < node->inputs; k++) {
        const congru_node *source = &graph->node[node->input[k]];
        if (!source->learns || call.x[k] == NULL || source->rows != NULL)
            continue;
        second[k] = p->contributed[node->input[k]];
        call.d_x[k] = second[k] ? slot(p, k) : in_lanes(p, &source->derivative, source->out.size);
        p->contributed[node->input[k]] = true;
    }
    node->layer->trials.backward(&call);
    for (size_t k = 0; k < node->inputs; k++) {
        const congru_node *source = &graph->node[node->input[k]];
        if (second[k])
            add_second(&call, &source->out, call.d_x[k], in_lanes(p, &source->derivative, source->out.size));
    }
    p->chunk.arena->used = mark;
}

static void pass_forward(passage *p)
{
    for (size_t n = 0; n < p->graph->count; n++) {
        const congru_node *node = &p->graph->node[n];
        if (works(node) && node->layer->trials.forward != NULL &&
            (node->stage == p->stage || p->graph->batch == NULL))
            forward_node(p, node);
    }
}

static void pass_backward(passage *p)
{
    congru_graph *graph = p->graph;
    for (size_t n = 0; n < graph->count; n++) {
        const congru_node *node = &graph->node[n];
        for (size_t k = 0; k < node->inputs && node->wanted; k++)
            if (node->stage > p->stage && graph->node[node->input[k]].derivative.batch != NULL)
                p->contributed[node->input[k]] = true;
    }
    for (size_t n = graph->count; n-- > 0;) {
        const congru_node *node = &graph->node[n];
        if (works(node) && node->learns && node->layer->trials.backward != NULL && node->stage == p->stage)
            backward_node(p, node);
    }
}

/* ---- A phase ----------------------------------------------------------------------------------------- */

typedef struct phase {
    congru_graph *graph;
    size_t stage, first; /* of this process's chunks */
    bool forward, backward;
} phase;

static double *take_own(const congru_graph *graph, congru_arena *arena)
{
    return congru_arena_take(arena, CONGRU_STEP_CHUNK * (graph->own.start[graph->own.count] + graph->own.saved),
                             sizeof(double));
}

/* The scratch of a worker: its own arrays, and the largest work of a call. */
static size_t scratch_size(const congru_graph *graph)
{
    size_t largest = 0;
    congru_arena own = {0};
    take_own(graph, &own);
    for (size_t n = 0; n < graph->count; n++) {
        congru_arena measure = {0};
        congru_work work;
        congru_work_layout(&measure, graph->context->kernel,
                           congru_kernel_vectors(graph->context->kernel, CONGRU_STEP_CHUNK),
                           &graph->node[n].need, &work);
        largest = graph->node[n].wanted && measure.used > largest ? measure.used : largest;
    }
    return own.used + CONGRU_ARENA_ALIGNMENT + largest;
}

static void run_block(void *user, size_t block, int worker)
{
    /* Trials are drawn from anywhere, and with each the system brings what it keeps in one piece: up to 2 MB of a file. */
    enum { PIECE = 1 << 21 };
    const phase *f = user;
    congru_graph *graph = f->graph;
    passage p = {.graph = graph, .stage = f->stage};
    p.chunk = (congru_chunk){.kernel = graph->context->kernel, .block = f->first + block};
    p.chunk.first = p.chunk.block * CONGRU_STEP_CHUNK;
    const size_t left = graph->batch->count - p.chunk.first;
    p.chunk.count = left < CONGRU_STEP_CHUNK ? left : CONGRU_STEP_CHUNK;
    p.chunk.vectors = congru_kernel_vectors(p.chunk.kernel, p.chunk.count);
    p.chunk.arena = &graph->context->scratch[worker];
    congru_arena_reset(p.chunk.arena);
    p.own = take_own(graph, p.chunk.arena);
    p.marks = &graph->marks[p.chunk.block];
    const congru_extent *read =
        &graph->node[0].out; /* signals lie side by side; the first stage alone reads them */
    if (read->kind != CONGRU_SIGNAL)
        congru_mapped_pass(p.chunk.count * PIECE);
    else if (f->stage == 0)
        congru_mapped_pass(p.chunk.count * read->size * sizeof(double));
    if (f->forward)
        pass_forward(&p);
    if (f->backward)
        pass_backward(&p);
}

/* Whether a stage has anything to do for each trial. */
static bool stage_works(const congru_graph *graph, const phase *f)
{
    for (size_t n = 0; n < graph->count; n++) {
        const congru_node *node = &graph->node[n];
        if (works(node) && node->stage == f->stage &&
            ((f->forward && node->layer->trials.forward != NULL && node->layer != &congru_layer_input) ||
             (f->backward && node->learns && node->layer->trials.backward != NULL)))
            return true;
    }
    return false;
}

/* What the chunks met, the first of them that met anything. */
static congru_status report(const congru_graph *graph)
{
    for (size_t chunk = 0; chunk < congru_graph_used_chunks(graph); chunk++) {
        const congru_marks *marks = &graph->marks[chunk];
        if (marks->depth > 0)
            return congru_fail(graph->context, CONGRU_ERROR_NOT_FINITE,
                               "step %zu: trial %zu has no eigenvalues at layer %zu, its numbers are no longer "
                               "finite (a smaller rate, or a smaller clip, keeps them in range)",
                               graph->step, congru_batch_trial(graph->batch, marks->position) + 1,
                               marks->depth);
    }
    return CONGRU_OK;
}

static congru_status run_phase(congru_graph *graph, size_t stage, bool forward, bool backward)
{
    phase f = {.graph = graph, .stage = stage, .forward = forward, .backward = backward};
    if (!stage_works(graph, &f))
        return CONGRU_OK;
    congru_process_group *processes = graph->options->processes;
    size_t end;
    congru_graph_own_chunks(graph, congru_process_group_rank(processes), &f.first, &end);
    congru_thread_pool_run(graph->context->pool, end - f.first, run_block, &f);
    CONGRU_TRY(congru_scratch_check(graph->context));
    if (congru_process_group_shares(processes))
        CONGRU_TRY(congru_graph_exchange(graph, forward ? stage : CONGRU_NODES_MAX + stage));
    return report(graph);
}

/* ---- A step ------------------------------------------------------------------------------------------ */

void congru_blocks_run(congru_context *context, size_t elements, size_t blocks, congru_thread_pool_task task,
                       void *user)
{
    enum { WORTH_IT = 16384 }; /* below it waking a thread takes longer than the work */
    if (elements >= WORTH_IT) {
        congru_thread_pool_run(context->pool, blocks, task, user);
        return;
    }
    for (size_t block = 0; block < blocks; block++)
        task(user, block, 0);
}

void congru_graph_add_sums(const congru_graph *graph, size_t size, double factor, const double *sums,
                           double *sum)
{
    for (size_t chunk = 0; chunk < congru_graph_used_chunks(graph); chunk++) {
        for (size_t e = 0; e < size; e++)
            sum[e] += factor * sums[chunk * size + e];
    }
}

void congru_node_add_rows(const congru_node *node, size_t k, size_t cols, size_t step, double *sum)
{
    const size_t rows = node->sum_size[k] / step;
    for (size_t row = 0; row < congru_graph_used_chunks(node->graph) * rows; row++) {
        for (size_t c = 0; c < cols; c++)
            sum[row % rows * cols + c] += node->sum[k][row * step + c];
    }
}

congru_status congru_node_sum_gradients(congru_node *node)
{
    for (size_t k = 0; k < CONGRU_WEIGHTS_MAX && node->sum_size[k] > 0; k++)
        congru_node_add_sums(node, k, 1.0, congru_node_gradient(node, k));
    return CONGRU_OK;
}

/* The stage after which a node meets. */
static bool meets_after(const congru_node *node, size_t stage)
{
    return node->wanted && node->stage == stage + ((node->layer->traits & CONGRU_TRAIT_LATE) != 0);
}

static congru_status meet(congru_graph *graph, size_t stage)
{
    for (size_t n = 0; n < graph->count; n++) {
        const congru_node *node = &graph->node[n];
        if (node->wanted && node->rows != NULL && node->stage == stage)
            congru_rows_sum(graph->context->pool, graph->context->kernel, graph->batch, node->rows);
    }
    for (size_t n = 0; n < graph->count; n++) {
        congru_node *node = &graph->node[n];
        if (node->layer->batch.meet != NULL && meets_after(node, stage))
            CONGRU_TRY(node->layer->batch.meet(node));
    }
    return CONGRU_OK;
}

static congru_status go_back(congru_graph *graph, size_t stage)
{
    for (size_t n = graph->count; n-- > 0;) {
        congru_node *node = &graph->node[n];
        if (node->layer->batch.part != NULL && meets_after(node, stage))
            node->layer->batch.part(node);
    }
    return run_phase(graph, stage, false, true);
}

static congru_status finish(congru_graph *graph)
{
    for (int last = 0; last < 2; last++) {
        for (size_t n = 0; n < graph->count; n++) {
            congru_node *node = &graph->node[n];
            if (node->wanted && node->layer->finish != NULL &&
                ((node->layer->traits & CONGRU_TRAIT_WEIGHTS) != 0) == (last == 1))
                CONGRU_TRY(node->layer->finish(node));
        }
    }
    return CONGRU_OK;
}

static congru_status prepare(congru_graph *graph)
{
    for (size_t n = 0; n < graph->count; n++)
        if (graph->node[n].wanted && graph->node[n].layer->prepare != NULL)
            CONGRU_TRY(graph->node[n].layer->prepare(&graph->node[n]));
    return CONGRU_OK;
}

static congru_status start(congru_graph *graph)
{
    CONGRU_TRY(congru_scratch_reserve(graph->context, scratch_size(graph)));
    for (size_t series = 0; series < CONGRU_SERIES_COUNT; series++)
        graph->series[series] = NAN;
    graph->series[CONGRU_SERIES_LOSS] = 0.0;
    for (size_t chunk = 0; chunk < congru_graph_chunks(graph); chunk++)
        graph->marks[chunk] = (congru_marks){.low = INFINITY, .high = -INFINITY};
    memset(graph->parameters->gradient, 0, graph->parameters->size * sizeof(double));
    return prepare(graph);
}

congru_status congru_graph_step(congru_graph *graph)
{
    CONGRU_TRY(start(graph));
    for (size_t stage = 0; stage < graph->stages; stage++) {
        CONGRU_TRY(run_phase(graph, stage, true, graph->turns && stage + 1 == graph->stages));
        CONGRU_TRY(meet(graph, stage));
    }
    for (size_t stage = graph->stages - graph->turns; stage-- > 0;)
        CONGRU_TRY(go_back(graph, stage));
    return finish(graph);
}

/* ---- Forward alone ----------------------------------------------------------------------------------- */

typedef struct application {
    congru_graph *graph;
    const double *x;
    double *const *out;
} application;

static congru_failure apply_chunk(void *user, const congru_chunk *chunk)
{
    const application *a = user;
    congru_graph *graph = a->graph;
    congru_marks marks = {.depth = 0};
    passage p = {.graph = graph, .chunk = *chunk, .marks = &marks};
    p.own = take_own(graph, chunk->arena);
    const congru_node *input = &graph->node[graph->first];
    congru_failure failure = congru_no_failure;
    if (input->out.kind == CONGRU_MATRIX)
        failure = congru_load_symmetric(chunk, input->out.rows, a->x, false,
                                        in_lanes(&p, &input->value, input->out.size), slot(&p, 0));
    if (failure.status != CONGRU_OK)
        return failure;
    pass_forward(&p);
    if (marks.depth > 0)
        return (congru_failure){CONGRU_ERROR_NOT_CONVERGED, marks.position, 0.0, 0.0};
    for (size_t k = 0; k < CONGRU_OUTPUT_COUNT; k++) {
        if (a->out[k] == NULL || graph->output[k] < 0)
            continue;
        const congru_node *node = &graph->node[graph->output[k]];
        const size_t size = node->out.rows * node->out.cols;
        const double *y = in_lanes(&p, &node->value, node->out.size);
        failure = congru_check_finite(chunk, node->out.size, y);
        if (failure.status != CONGRU_OK)
            return failure;
        double *plain = node->out.kind == CONGRU_VECTOR ? slot(&p, 0) : a->out[k] + chunk->first * size;
        chunk->kernel->unpack(chunk->vectors, chunk->count, node->out.size, 1, y, plain);
        for (size_t m = 0; m < chunk->count && node->out.kind == CONGRU_VECTOR; m++)
            memcpy(a->out[k] + (chunk->first + m) * size, plain + m * node->out.size, size * sizeof(double));
    }
    return congru_no_failure;
}

congru_status congru_graph_apply(congru_graph *graph, size_t count, const double *x,
                                 double *const out[CONGRU_OUTPUT_COUNT])
{
    application a = {graph, x, out};
    CONGRU_TRY(prepare(graph));
    return congru_batch_run(graph->context, count, graph->node[graph->first].out.cols, scratch_size(graph),
                            apply_chunk, &a);
}
