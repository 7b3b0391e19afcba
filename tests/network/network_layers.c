/* Each layer and each loss alone: its adjoint against differences. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "harness.h"
#include "layer_bench.h"
#include "network/layers/layers.h"
#include "network/models/model.h"

enum { D = BENCH_D, CLASSES = BENCH_CLASSES };

/* ---- Layers --------------------------------------------------------------------------------------------- */

static void congruence(void)
{
    static const size_t widths[] = {3, 4, 6};
    for (size_t k = 0; k < 3; k++) {
        bench *b = bench_begin(false);
        bench_loss(b, &bench_probe, congru_graph_congruence(&b->graph, bench_source(b, D), widths[k], 1e-2),
                   -1);
        bench_check(b, "congruence");
    }
}

static void affine_congruence(void)
{
    bench *b = bench_begin(false);
    int x = congru_graph_input(&b->graph, D);
    x = congru_graph_congruence(&b->graph, x, 6, 1e-2);
    x = congru_graph_congruence(&b->graph, x, 5, 1e-2);
    b->graph.output[CONGRU_OUTPUT_MATRIX] = congru_graph_congruence(&b->graph, x, 3, 1e-2);
    bench_loss(b, &bench_probe, b->graph.output[CONGRU_OUTPUT_MATRIX], -1);
    b->rewritings = CONGRU_REWRITE_CHAIN;
    bench_check(b, "affine congruence");
}

static void wide_logarithm(void)
{
    bench *b = bench_begin(false);
    const int y = congru_graph_congruence(&b->graph, bench_source(b, D), 7, 1e-2);
    bench_loss(b, &bench_probe, congru_graph_logarithm(&b->graph, y, 0.0, 1e-5), -1);
    b->rewritings = CONGRU_REWRITE_WIDE;
    bench_check(b, "wide logarithm");
}

static void logarithm_and_exponential(void)
{
    bench *b = bench_begin(false);
    bench_loss(b, &bench_probe, congru_graph_logarithm(&b->graph, bench_source(b, D), 1e-2, 1e-5), -1);
    bench_check(b, "logarithm");
    b = bench_begin(false);
    bench_loss(b, &bench_probe, congru_graph_exponential(&b->graph, bench_source(b, D)), -1);
    bench_check(b, "exponential");
}

/* Half of the eigenvalues are below the floor, and stay on their side of it. */
static void rectification(void)
{
    bench *b = bench_begin(false);
    const int x = bench_source(b, D);
    bench_loss(b, &bench_probe,
               congru_graph_add(&b->graph, &congru_layer_rectify, x, -1, congru_matrix(D), 0.0, 1.5), -1);
    bench_check(b, "rectification");
}

static void merge(void)
{
    bench *b = bench_begin(false);
    const int x = bench_source(b, D), y = bench_source(b, D);
    bench_loss(b, &bench_probe, congru_graph_merge(&b->graph, x, y, 1e-5), -1);
    bench_check(b, "merge");
    b = bench_begin(false);
    const int p = bench_source(b, D), q = bench_source(b, D);
    bench_loss(b, &bench_probe, congru_graph_euclidean_merge(&b->graph, p, q), -1);
    bench_check(b, "Euclidean merge");
}

/* On the way back what is outside of the block gets nothing. */
static void block(void)
{
    for (size_t width = 1; width <= D; width++) {
        bench *b = bench_begin(false);
        const int y = congru_graph_block(&b->graph, bench_source(b, D), width);
        bench_loss(b, &bench_probe, congru_graph_logarithm(&b->graph, y, 0.0, 1e-5), -1);
        bench_check(b, "block");
    }
}

static void rotation_and_dispersion(void)
{
    bench *b = bench_begin(true);
    int x = congru_graph_dispersion(&b->graph, bench_source(b, D), true);
    x = congru_graph_rotation(&b->graph, x);
    b->graph.node[x].weight[0] = congru_graph_weights(&b->graph, "a", D, D, false);
    bench_loss(b, &bench_probe, x, -1);
    bench_check(b, "rotation and dispersion");
}

static const congru_extent row = {CONGRU_VECTOR, D *(D + 1) / 2, 1, 16, 0};

static void triangle_and_diagonal(void)
{
    bench *b = bench_begin(false);
    bench_loss(b, &bench_probe, bench_add(b, &congru_layer_triangle, bench_source(b, D), -1, row, 0.0), -1);
    bench_check(b, "triangle");
    b = bench_begin(false);
    bench_loss(b, &bench_probe,
               bench_add(b, &congru_layer_diagonal, bench_source(b, D), -1, congru_vector(D), 0.0), -1);
    bench_check(b, "diagonal");
}

/* By the mean of the batch's logarithms, which all trials move. */
static void recentre(void)
{
    bench *b = bench_begin(false);
    const int x = bench_source(b, D), logarithm = congru_graph_logarithm(&b->graph, x, 0.0, 1e-5);
    const int rows = bench_add(b, &congru_layer_triangle, logarithm, -1, row, 0.0);
    bench_loss(b, &bench_probe, bench_add(b, &congru_layer_recentre, x, rows, congru_matrix(D), 0.0), -1);
    bench_check(b, "recentre");
}

static int add_scores(bench *b, size_t classes)
{
    const int x = bench_add(b, &congru_layer_triangle, bench_source(b, D), -1, row, 0.0),
              y = bench_add(b, &congru_layer_dense, x, -1, congru_class_extent(classes), 0.0);
    b->graph.node[y].weight[0] = congru_graph_weights(&b->graph, "head", classes, row.rows, true);
    b->graph.node[y].weight[1] = congru_graph_weights(&b->graph, "bias", 1, classes, true);
    return y;
}

static void dense_and_softmax(void)
{
    bench *b = bench_begin(false);
    bench_loss(b, &bench_probe, add_scores(b, 5), -1);
    bench_check(b, "dense");
    static const double present[] = {1.0, 1.0, 0.0, 1.0, 1.0};
    b = bench_begin(false);
    const int y = bench_add(b, &congru_layer_softmax, add_scores(b, 5), -1, congru_class_extent(5), 0.0);
    congru_softmax *softmax = congru_memory_take(sizeof *softmax);
    softmax->present = present;
    b->graph.node[y].state = softmax;
    bench_loss(b, &bench_probe, y, -1);
    bench_check(b, "softmax");
}

/* Behind a rotation of constants: the diagonal; recentring, which gamma alone moves; dense with its weights turned. */
static bench *turned(int *rotation, int *rows)
{
    bench *b = bench_begin(true);
    const int x = congru_graph_input(&b->graph, D), logarithm = congru_graph_logarithm(&b->graph, x, 0.0, 1e-5);
    *rotation = congru_graph_rotation(&b->graph, congru_graph_dispersion(&b->graph, logarithm, true));
    b->graph.node[*rotation].weight[0] = congru_graph_weights(&b->graph, "a", D, D, false);
    *rows = bench_add(b, &congru_layer_triangle, *rotation, -1, row, 0.0);
    b->rewritings = CONGRU_REWRITE_CONSTANT | CONGRU_REWRITE_ROTATION;
    return b;
}

static void behind_a_rotation(void)
{
    int x, rows;
    bench *b = turned(&x, &rows);
    bench_loss(b, &bench_probe, bench_add(b, &congru_layer_diagonal, x, -1, congru_vector(D), 0.0), -1);
    bench_check(b, "turned diagonal");
    b = turned(&x, &rows);
    const int out = congru_graph_exponential(&b->graph, x);
    bench_loss(b, &bench_probe, bench_add(b, &congru_layer_recentre, out, rows, congru_matrix(D), 0.0), -1);
    bench_check(b, "turned recentre");
    b = turned(&x, &rows);
    const congru_design design = {.d = D, .head_jitter = 1e-4, .floor = 1e-5, .classes = CLASSES};
    bench_loss(b, &bench_probe,
               congru_design_head(&design, &b->graph, congru_graph_exponential(&b->graph, x), rows), -1);
    bench_check(b, "turned dense");
}

/* ---- Losses --------------------------------------------------------------------------------------------- */

static void losses_of_rows(void)
{
    bench *b = bench_begin(false);
    const int x = bench_add(b, &congru_layer_triangle, bench_source(b, D), -1, row, 0.0);
    bench_loss(b, &congru_loss_reconstruction, x, -1);
    bench_loss(b, &congru_loss_scatters, x, -1);
    bench_check(b, "reconstruction and scatters");
    b = bench_begin(false);
    bench_loss(b, &congru_loss_affine_reconstruction, bench_source(b, D), -1);
    bench_check(b, "affine reconstruction");
}

static void fisher_ratio(void)
{
    for (int axis = 0; axis < 2; axis++) {
        bench *b = bench_begin(true);
        int x = congru_graph_dispersion(&b->graph, bench_source(b, D), true);
        x = congru_graph_rotation(&b->graph, x);
        b->graph.node[x].weight[0] = congru_graph_weights(&b->graph, "a", D, D, false);
        const int rows = bench_add(b, &congru_layer_triangle, x, -1, row, 0.0),
                  axes = axis ? bench_add(b, &congru_layer_diagonal, x, -1, congru_vector(D), 0.0) : -1;
        bench_loss(b, &congru_loss_fisher_ratio, rows, axes);
        b->options.centre_penalty = 0.4; /* of a size to be seen */
        bench_check(b, axis ? "Fisher ratio by axes" : "Fisher ratio");
    }
}

static void cross_entropy(void)
{
    bench *b = bench_begin(false);
    b->options.label_smoothing = 0.1;
    bench_loss(b, &congru_loss_cross_entropy, add_scores(b, CLASSES), -1);
    bench_check(b, "cross-entropy");
}

/* ---- Scratch -------------------------------------------------------------------------------------------- */

static congru_status grow(congru_node *node)
{
    node->need.lanes[1] = 1 << 16;
    return CONGRU_OK;
}

static congru_status shrink(congru_node *node)
{
    node->need.lanes[1] = 0;
    return CONGRU_OK;
}

/* A layer that asks for more once the scratch has been measured is an error, not a fault. */
static void scratch_that_is_too_small_is_an_error(void)
{
    congru_layer greedy = bench_probe;
    greedy.prepare = shrink;
    greedy.batch.meet = grow;
    bench *b = bench_begin(false);
    bench_loss(b, &greedy, bench_source(b, D), -1);
    bench_ready(b);
    const congru_status status = congru_graph_step(&b->graph);
    CHECK_SAYING(status == CONGRU_ERROR_MEMORY, "status %d", (int)status);
    CHECK(strstr(congru_context_error(bench_context), "too small by") != NULL);
    congru_graph_clear(&b->graph);
    congru_arena_free(&b->arena);
    free(b);
}

static void a_graph_that_is_full_is_an_error(void)
{
    bench *b = bench_begin(false);
    int x = bench_source(b, D);
    for (int k = 0; k < CONGRU_NODES_MAX; k++)
        x = congru_graph_exponential(&b->graph, x);
    CHECK(congru_graph_plan(&b->graph) == CONGRU_ERROR_ARGUMENT);
    CHECK(strstr(congru_context_error(bench_context), "more than 128 layers") != NULL);
    congru_graph_clear(&b->graph);
    free(b);
    b = bench_begin(false);
    x = congru_graph_input(&b->graph, D);
    for (int k = 0; k <= CONGRU_SEGMENTS_MAX; k++)
        x = congru_graph_congruence(&b->graph, x, D, 0.0);
    CHECK(congru_graph_plan(&b->graph) == CONGRU_ERROR_ARGUMENT);
    congru_graph_clear(&b->graph);
    free(b);
}

int main(void)
{
    if (!bench_start())
        return 1;
    RUN(congruence);
    RUN(affine_congruence);
    RUN(wide_logarithm);
    RUN(logarithm_and_exponential);
    RUN(rectification);
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
    bench_end();
    return harness_end();
}
