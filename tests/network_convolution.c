/* Layers of signals and images alone, compiled in double precision: adjoints against differences. SPDX-License-Identifier: Apache-2.0 */
#include "harness.h"
#include "layer_bench.h"
#include "network/models/parts.h"

static void matrix_as_image(void)
{
    bench *b = bench_begin(false);
    const int x = bench_source(b, BENCH_D);
    bench_loss(b, &bench_probe,
               congru_graph_layer(&b->graph, &congru_layer_image, x, congru_image(BENCH_D, 1), -1, -1), -1);
    bench_check(b, "image");
}

/* To as many channels as fill vectors, and to some that do not; from one channel and from several. */
static void image_convolution(void)
{
    static const size_t channels[][2] = {{1, 16}, {1, 5}, {3, 16}, {16, 7}, {17, 4}};
    for (size_t k = 0; k < sizeof channels / sizeof channels[0]; k++) {
        bench *b = bench_begin(false);
        const int x = bench_plain_source(b, congru_image(5, channels[k][0]));
        bench_loss(b, &bench_probe, congru_part_image_convolution(&b->graph, x, channels[k][1]), -1);
        bench_check(b, "image convolution");
    }
}

/* Two readers of one image: their derivatives are added. */
static void image_read_twice(void)
{
    bench *b = bench_begin(false);
    int x = congru_part_image_convolution(&b->graph, bench_plain_source(b, congru_image(4, 2)), 6);
    bench_loss(b, &bench_probe, congru_part_image_convolution(&b->graph, x, 3), -1);
    x = congru_graph_layer(&b->graph, &congru_layer_image_mean, x, congru_vector(6), -1, -1);
    bench_loss(b, &bench_probe, congru_part_scores(&b->graph, x, 3), -1);
    bench_check(b, "an image read twice");
}

static void readout(void)
{
    bench *b = bench_begin(false);
    bench_loss(b, &bench_probe, congru_part_scores(&b->graph, bench_plain_source(b, congru_image(4, 5)), 7),
               -1);
    bench_check(b, "readout of an image");
    b = bench_begin(false);
    bench_loss(b, &bench_probe, congru_part_scores(&b->graph, bench_plain_source(b, congru_signal(9, 5)), 3),
               -1);
    bench_check(b, "readout of a signal");
}

int main(void)
{
    if (!bench_start())
        return 1;
    RUN(matrix_as_image);
    RUN(image_convolution);
    RUN(image_read_twice);
    RUN(readout);
    bench_end();
    return harness_end();
}
