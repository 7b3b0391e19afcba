/* A layer and a loss that the library does not have, in graphs of its own layers: their adjoints against differences. SPDX-License-Identifier: Apache-2.0 */
#include "harness.h"
#include "layer_bench.h"
#include "toys.h"

static int add_toy(bench *b, int x)
{
    return congru_graph_layer(&b->graph, &toy_layer, x, b->graph.node[x].out,
                              congru_graph_weights(&b->graph, "g", 1, 1, false), -1);
}

TEST(a_layer_out_of_the_tree)
{
    bench *b = bench_begin(false);
    bench_loss(b, &bench_probe, add_toy(b, bench_source(b, BENCH_D)), -1);
    bench_check(b, "a toy of a layer");
}

TEST(a_loss_out_of_the_tree)
{
    bench *b = bench_begin(false);
    bench_loss(b, &toy_loss, bench_source(b, BENCH_D), -1);
    bench_check(b, "a toy of a loss");
}

TEST(both_between_layers_of_the_library)
{
    bench *b = bench_begin(false);
    const int y = congru_graph_congruence(&b->graph, bench_source(b, BENCH_D), 3, 1e-2);
    bench_loss(b, &toy_loss, congru_graph_logarithm(&b->graph, add_toy(b, y), 0.0, 1e-5), -1);
    bench_check(b, "toys between layers");
}

int main(void)
{
    if (!bench_start())
        return 1;
    harness_run_all();
    bench_end();
    return harness_end();
}
