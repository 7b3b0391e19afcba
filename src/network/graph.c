/* Nodes put together, planned and laid out. SPDX-License-Identifier: Apache-2.0 */
#include "network/graph.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"

void congru_graph_clear(congru_graph *graph)
{
    for (size_t n = 0; n < graph->count; n++) {
        congru_memory_give(graph->node[n].state);
        congru_memory_give(graph->node[n].rows);
    }
    graph->count = 0;
}

int congru_graph_add(congru_graph *graph, const congru_layer *layer, int first, int second, congru_extent out,
                     double jitter, double floor)
{
    graph->full = graph->full || graph->count == CONGRU_NODES_MAX;
    graph->count -= graph->count == CONGRU_NODES_MAX;
    congru_node *node = &graph->node[graph->count];
    *node = (congru_node){.graph = graph,
                          .layer = layer,
                          .inputs = (size_t)(first >= 0) + (size_t)(second >= 0),
                          .input = {first, second},
                          .out = out,
                          .weight = {-1, -1, -1},
                          .number = {jitter, floor}};
    for (size_t k = 0; k < node->inputs; k++) {
        node->in[k] = graph->node[node->input[k]].out;
        if (graph->node[node->input[k]].depth > node->depth)
            node->depth = graph->node[node->input[k]].depth;
    }
    return (int)graph->count++;
}

int congru_graph_weights(congru_graph *graph, const char *name, size_t rows, size_t cols, bool head)
{
    congru_parameters *p = graph->parameters;
    graph->full = graph->full || p->segments == CONGRU_SEGMENTS_MAX;
    p->segments -= p->segments == CONGRU_SEGMENTS_MAX;
    congru_segment *segment = &p->segment[p->segments];
    *segment = (congru_segment){.rows = rows, .cols = cols, .offset = p->size, .head = head};
    snprintf(segment->name, sizeof segment->name, "%s", name);
    p->size += rows * cols;
    return (int)p->segments++;
}

int congru_graph_layer(congru_graph *graph, const congru_layer *layer, int x, congru_extent out, int first,
                       int second)
{
    const int y = congru_graph_add(graph, layer, x, -1, out, 0.0, 0.0);
    graph->node[y].weight[0] = first;
    graph->node[y].weight[1] = second;
    graph->node[y].depth += first >= 0;
    return y;
}

int congru_graph_input(congru_graph *graph, size_t d)
{
    return congru_graph_add(graph, &congru_layer_input, -1, -1, congru_matrix(d), 0.0, 0.0);
}

int congru_graph_congruence(congru_graph *graph, int x, size_t width, double jitter)
{
    char name[16];
    const int y = congru_graph_add(graph, &congru_layer_congruence, x, -1, congru_matrix(width), jitter, 0.0);
    congru_node *node = &graph->node[y];
    snprintf(name, sizeof name, "w%zu", graph->parameters->segments + 1);
    node->weight[0] = congru_graph_weights(graph, name, node->in[0].rows, width, false);
    node->depth++;
    return y;
}

int congru_graph_logarithm(congru_graph *graph, int x, double jitter, double floor)
{
    const int y = congru_graph_add(graph, &congru_layer_logarithm, x, -1, graph->node[x].out, jitter, floor);
    graph->node[y].watched = graph->node[x].layer != &congru_layer_input;
    return y;
}

int congru_graph_exponential(congru_graph *graph, int x)
{
    const int y = congru_graph_add(graph, &congru_layer_exponential, x, -1, graph->node[x].out, 1.0, 0.0);
    graph->node[y].watched = true;
    return y;
}

int congru_graph_merge(congru_graph *graph, int a, int b, double floor)
{
    const int log_a = congru_graph_logarithm(graph, a, 0.0, floor),
              log_b = congru_graph_logarithm(graph, b, 0.0, floor);
    return congru_graph_exponential(
        graph, congru_graph_add(graph, &congru_layer_merge, log_a, log_b, graph->node[a].out, 0.0, 0.0));
}

int congru_graph_euclidean_merge(congru_graph *graph, int a, int b)
{
    return congru_graph_add(graph, &congru_layer_merge, a, b, graph->node[a].out, 0.0, 0.0);
}

int congru_graph_block(congru_graph *graph, int x, size_t width)
{
    return congru_graph_add(graph, &congru_layer_block, x, -1, congru_matrix(width), 0.0, 0.0);
}

void congru_graph_begin_at(congru_graph *graph, int node)
{
    graph->first = (size_t)node;
    graph->node[node].layer = &congru_layer_input;
    graph->node[node].inputs = 0;
}

/* ---- Plan -------------------------------------------------------------------------------------------- */

static bool has(const congru_node *node, unsigned trait)
{
    return (node->layer->traits & trait) != 0;
}

/* Whether the node reads that input by trial: of vectors, a layer that meets looks at the rows of the batch. */
static bool reads_lanes(const congru_graph *graph, const congru_node *node, size_t k)
{
    const bool by_trial = node->layer->trials.forward != NULL ||
                          (has(node, CONGRU_TRAIT_LOSS) && node->layer->trials.backward != NULL);
    return by_trial &&
           !(node->layer->batch.meet != NULL && graph->node[node->input[k]].out.kind == CONGRU_VECTOR);
}

static void mark_wanted(congru_graph *graph)
{
    for (size_t k = 0; k < CONGRU_OUTPUT_COUNT; k++)
        if (graph->output[k] >= 0)
            graph->node[graph->output[k]].wanted = graph->node[graph->output[k]].lanes = true;
    for (size_t n = graph->count; n-- > graph->first;) {
        congru_node *node = &graph->node[n];
        node->wanted = node->wanted || has(node, CONGRU_TRAIT_LOSS) || has(node, CONGRU_TRAIT_WEIGHTS);
        for (size_t k = 0; k < node->inputs && node->wanted; k++) {
            congru_node *source = congru_node_source(node, k);
            source->wanted = true;
            source->lanes = source->lanes || reads_lanes(graph, node, k);
        }
    }
}

/* Zeroed memory for a node, unless it has it already. */
static congru_status take(const congru_graph *graph, size_t bytes, void *pointer)
{
    void *memory;
    memcpy(&memory, pointer, sizeof memory); /* whatever it points to */
    if (memory != NULL || bytes == 0)
        return CONGRU_OK;
    memory = congru_memory_take(bytes);
    if (memory == NULL)
        return congru_fail_memory(graph->context, "a network");
    memset(memory, 0, bytes);
    memcpy(pointer, &memory, sizeof memory);
    return CONGRU_OK;
}

/* Stages, shapes and states, and whose rows are looked at, in the order of the list. */
static congru_status plan_node(congru_graph *graph, congru_node *node)
{
    node->learns = node->weight[0] >= 0;
    for (size_t k = 0; k < node->inputs; k++) {
        congru_node *source = congru_node_source(node, k);
        node->in[k] = source->out;
        node->learns = node->learns || source->learns;
        node->stage = source->stage > node->stage ? source->stage : node->stage;
    }
    node->stage += has(node, CONGRU_TRAIT_LATE) && node->layer->batch.meet != NULL && graph->batch != NULL;
    CONGRU_TRY(take(graph, node->layer->state, &node->state));
    if (node->layer->plan != NULL)
        node->layer->plan(node);
    for (size_t k = 0; k < node->inputs && node->layer->batch.meet != NULL && graph->batch != NULL; k++) {
        congru_node *source = congru_node_source(node, k);
        if (source->out.kind == CONGRU_VECTOR)
            CONGRU_TRY(take(graph, sizeof *source->rows, &source->rows));
    }
    graph->stages = node->stage + 1 > graph->stages ? node->stage + 1 : graph->stages;
    return CONGRU_OK;
}

congru_status congru_graph_plan(congru_graph *graph)
{
    if (graph->full)
        return congru_fail(graph->context, CONGRU_ERROR_ARGUMENT,
                           "a network of more than %d layers or %d weights", CONGRU_NODES_MAX,
                           CONGRU_SEGMENTS_MAX);
    congru_arena measure = {0};
    graph->arena = &measure;
    mark_wanted(graph);
    graph->stages = 1;
    congru_status status = CONGRU_OK;
    for (size_t n = 0; status == CONGRU_OK && n < graph->count; n++)
        if (graph->node[n].wanted)
            status = plan_node(graph, &graph->node[n]);
    graph->arena = NULL;
    CONGRU_TRY(status);
    graph->turns = graph->batch != NULL;
    for (size_t n = 0; n < graph->count; n++) {
        const congru_node *node = &graph->node[n];
        if (node->wanted && node->layer->batch.meet != NULL &&
            node->stage + 1 == graph->stages + has(node, CONGRU_TRAIT_LATE))
            graph->turns = false;
    }
    return CONGRU_OK;
}

double *congru_take_doubles(const congru_node *node, size_t count)
{
    return congru_arena_take(node->graph->arena, count, sizeof(double));
}

congru_real *congru_take_reals(const congru_node *node, size_t count)
{
    return congru_arena_take(node->graph->arena, count, sizeof(congru_real));
}

/* ---- Layout ------------------------------------------------------------------------------------------ */

void congru_graph_share(congru_graph *graph, size_t phase, void *data, size_t size)
{
    graph->share[graph->shares++] = (congru_share){phase, data, size, congru_graph_chunks(graph) * size};
}

static double *take_batch(congru_arena *arena, const congru_graph *graph, size_t size)
{
    return congru_arena_take(arena, congru_graph_chunks(graph) * CONGRU_STEP_CHUNK * size, sizeof(double));
}

static bool turns(const congru_graph *graph, const congru_node *node)
{
    return graph->batch == NULL || (graph->turns && node->stage + 1 == graph->stages);
}

/* Whether the value, and its derivative, outlive a run over a stage. */
static void find_lifetime(const congru_graph *graph, int n, bool *value, bool *derivative)
{
    *value = has(&graph->node[n], CONGRU_TRAIT_READS_Y) && !turns(graph, &graph->node[n]);
    *derivative = false;
    for (size_t m = (size_t)n + 1; m < graph->count; m++) {
        const congru_node *reader = &graph->node[m];
        for (size_t k = 0; k < reader->inputs && reader->wanted; k++) {
            if (reader->input[k] != n || !reads_lanes(graph, reader, k))
                continue;
            const bool later = reader->stage != graph->node[n].stage;
            *value = *value || later || (has(reader, CONGRU_TRAIT_READS_X) && !turns(graph, reader));
            *derivative = *derivative || later;
        }
    }
}

/* What is kept for the whole batch; a worker's own arrays get places in `own`. */
static void layout_node(congru_arena *arena, congru_graph *graph, int n)
{
    congru_node *node = &graph->node[n];
    bool value, derivative;
    find_lifetime(graph, n, &value, &derivative);
    node->value.batch = value && graph->batch != NULL ? take_batch(arena, graph, node->out.size) : NULL;
    node->derivative.batch =
        derivative && node->learns && graph->batch != NULL ? take_batch(arena, graph, node->out.size) : NULL;
    const size_t back = turns(graph, node) ? node->stage : CONGRU_NODES_MAX + node->stage;
    for (size_t k = 0; k < CONGRU_SAVED_MAX && node->saved_size[k] > 0; k++) {
        node->saved[k] = (congru_place){NULL, graph->own.saved};
        if (turns(graph, node))
            graph->own.saved += node->saved_size[k];
        else
            node->saved[k].batch = take_batch(arena, graph, node->saved_size[k]);
    }
    if (graph->batch == NULL)
        return;
    for (size_t k = 0; k < CONGRU_WEIGHTS_MAX && node->sum_size[k] > 0; k++) {
        node->sum[k] = congru_arena_take(arena, congru_graph_chunks(graph) * node->sum_size[k], sizeof(double));
        congru_graph_share(graph, back, node->sum[k], node->sum_size[k] * sizeof(double));
    }
    if (node->has_scalar) {
        node->scalar = take_batch(arena, graph, 1);
        congru_graph_share(graph,
                           node->layer->trials.forward != NULL && !turns(graph, node) ? node->stage : back,
                           node->scalar, CONGRU_STEP_CHUNK * sizeof(double));
    }
    if (node->rows != NULL) {
        congru_rows_layout(arena, graph->classes, graph->subjects, node->out.size, node->rows);
        const size_t size = node->inputs > 0 ? congru_spd_tangent_size(node->in[0].rows) : node->out.rows;
        node->rows->scale =
            graph->rotation >= 0 ? 1.0 : 1.0 / (double)size; /* DCT's ratio is of printed scatters */
        if (!node->rows->constant) {
            node->rows->data = take_batch(arena, graph, node->out.size);
            node->rows->norm = take_batch(arena, graph, 1);
            congru_graph_share(graph, node->stage, node->rows->data,
                               CONGRU_STEP_CHUNK * node->out.size * sizeof(double));
            congru_graph_share(graph, node->stage, node->rows->norm, CONGRU_STEP_CHUNK * sizeof(double));
        }
    }
}

/* A slot of a worker: the smallest free one that is large enough, or else the largest, which grows; or a new one. */
static size_t take_slot(congru_graph *graph, size_t size, bool *busy)
{
    congru_slots *own = &graph->own;
    size_t best = own->count;
    for (size_t slot = 0; slot < own->count; slot++) {
        if (busy[slot])
            continue;
        const size_t room = own->size[slot], held = best < own->count ? own->size[best] : 0;
        if (best == own->count || (held < size ? room > held : room >= size && room < held))
            best = slot;
    }
    if (best == own->count)
        own->size[own->count++] = 0;
    own->size[best] = size > own->size[best] ? size : own->size[best];
    busy[best] = true;
    return best;
}

/* Whether a value is read after this node, or on the way back of a stage that turns. */
static bool read_later(const congru_graph *graph, int n, size_t after, size_t stage, bool turning)
{
    for (size_t m = 0; m < graph->count; m++)
        for (size_t k = 0; k < graph->node[m].inputs; k++)
            if (graph->node[m].wanted && graph->node[m].stage == stage && graph->node[m].input[k] == n &&
                (m > after || (turning && has(&graph->node[m], CONGRU_TRAIT_READS_X))))
                return true;
    for (size_t k = 0; k < CONGRU_OUTPUT_COUNT; k++)
        if (graph->output[k] == n)
            return true;
    return turning && has(&graph->node[n], CONGRU_TRAIT_READS_Y);
}

/* Slots of the values of a stage, each until it has been read. */
static void place_values(congru_graph *graph, size_t stage, bool *busy)
{
    const bool turning = graph->turns && stage + 1 == graph->stages;
    for (size_t n = 0; n < graph->count; n++) {
        congru_node *node = &graph->node[n];
        if (!node->wanted || (node->stage != stage && graph->batch != NULL) ||
            node->layer->trials.forward == NULL)
            continue;
        node->spends = false;
        if (node->value.batch == NULL && node->out.size > 0)
            node->value.local = take_slot(graph, node->out.size, busy);
        for (size_t k = 0; k < node->inputs; k++) {
            congru_node *source = congru_node_source(node, k);
            const bool own = source->value.batch == NULL && source->lanes && source->out.size > 0 &&
                             (source->stage == stage || graph->batch == NULL);
            if (own && !read_later(graph, node->input[k], n, stage, turning)) {
                busy[source->value.local] = false;
                node->spends = node->spends || k == 0;
            }
        }
    }
}

/* Slots of the derivatives of a stage: from the first that adds to one until it has been taken further. */
static void place_derivatives(congru_graph *graph, size_t stage, bool *busy)
{
    bool placed[CONGRU_NODES_MAX] = {false};
    for (size_t n = graph->count; n-- > 0;) {
        congru_node *node = &graph->node[n];
        if (!node->wanted || node->stage != stage || !node->learns)
            continue;
        if (node->rows != NULL && !placed[n]) {
            node->derivative.local = take_slot(graph, node->out.size, busy);
            placed[n] = true;
        }
        for (size_t k = 0; k < node->inputs; k++) {
            congru_node *source = congru_node_source(node, k);
            if (source->learns && source->derivative.batch == NULL && !placed[node->input[k]] &&
                reads_lanes(graph, node, k)) {
                source->derivative.local = take_slot(graph, source->out.size, busy);
                placed[node->input[k]] = true;
            }
        }
        if (placed[n] && node->derivative.batch == NULL)
            busy[node->derivative.local] = false;
    }
}

void congru_graph_layout(congru_arena *arena, congru_graph *graph)
{
    graph->arena = arena;
    graph->shares = 0;
    /* The first two are for second contributions to derivatives. */
    graph->own = (congru_slots){.count = 2, .size = {CONGRU_GROUP, CONGRU_GROUP}};
    if (graph->batch != NULL)
        graph->marks = congru_arena_take(arena, congru_graph_chunks(graph), sizeof *graph->marks);
    for (size_t phase = 0; phase < graph->stages && graph->batch != NULL; phase++) {
        congru_graph_share(graph, phase, graph->marks, sizeof *graph->marks);
        congru_graph_share(graph, CONGRU_NODES_MAX + phase, graph->marks, sizeof *graph->marks);
    }
    for (size_t n = 0; n < graph->count; n++) {
        congru_node *node = &graph->node[n];
        if (!node->wanted)
            continue;
        layout_node(arena, graph, (int)n);
        if (node->out.size > graph->own.size[0])
            graph->own.size[0] = graph->own.size[1] = node->out.size;
        if (node->layer->plan != NULL)
            node->layer->plan(node);
    }
    graph->arena = NULL;
    for (size_t stage = 0; stage < graph->stages; stage++) {
        bool busy[CONGRU_SLOTS_MAX] = {true, true};
        const bool turning = graph->turns && stage + 1 == graph->stages;
        place_values(graph, stage, busy);
        if (graph->batch == NULL)
            break;
        if (!turning)
            memset(busy + 2, 0, sizeof busy - 2 * sizeof busy[0]);
        place_derivatives(graph, stage, busy);
    }
    for (size_t slot = 0; slot < graph->own.count; slot++)
        graph->own.start[slot + 1] =
            graph->own.start[slot] + (graph->own.size[slot] + CONGRU_GROUP - 1) / CONGRU_GROUP * CONGRU_GROUP;
}
