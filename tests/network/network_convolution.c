/* Layers of signals and images alone, compiled in double precision: adjoints against differences. SPDX-License-Identifier: Apache-2.0 */
#include "congru/random.h"
#include "harness.h"
#include "layer_bench.h"
#include "network/models/model.h"

static void matrix_as_image(void)
{
    bench *b = bench_begin(false);
    const int x = bench_source(b, BENCH_D);
    bench_loss(b, &bench_probe,
               congru_graph_layer(&b->graph, &congru_layer_image, x, congru_image(BENCH_D, 1), -1, -1), -1);
    bench_check(b, "image");
}

/* To as many channels as fill vectors, and to some that do not; from one channel and from several; images of more tiles than are
 * convolved at a time. */
static void image_convolution(void)
{
    static const struct {
        size_t side, in, out;
    } shape[] = {{5, 1, 16}, {5, 1, 5}, {5, 3, 16}, {5, 16, 7}, {5, 17, 4}, {13, 2, 3}, {14, 2, 3}};
    for (size_t k = 0; k < sizeof shape / sizeof shape[0]; k++) {
        bench *b = bench_begin(false);
        const int x = bench_plain_source(b, congru_image(shape[k].side, shape[k].in));
        bench_loss(b, &bench_probe, congru_part_image_convolution(&b->graph, x, shape[k].out), -1);
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

/* From channels that fill vectors and that do not, with one tap and with several. */
static void convolution_in_time(void)
{
    static const size_t sizes[][3] = {{3, 5, 4}, {16, 3, 1}, {5, 17, 3}};
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        bench *b = bench_begin(false);
        const int x = bench_plain_source(b, congru_signal(9, sizes[k][0]));
        bench_loss(b, &bench_probe, congru_part_convolution(&b->graph, x, sizes[k][1], sizes[k][2]), -1);
        bench_check(b, "convolution");
    }
}

static void time_and_space(void)
{
    bench *b = bench_begin(false);
    bench_loss(b, &bench_probe,
               congru_part_time_space(&b->graph, bench_plain_source(b, congru_signal(11, 3)), 4, 6, 5), -1);
    bench_check(b, "time and space");
}

static void depthwise(void)
{
    for (size_t taps = 1; taps <= 6; taps++) {
        bench *b = bench_begin(false);
        bench_loss(b, &bench_probe,
                   congru_part_depthwise(&b->graph, bench_plain_source(b, congru_signal(11, 5)), taps), -1);
        bench_check(b, "depthwise");
    }
}

static void pointwise(void)
{
    bench *b = bench_begin(false);
    bench_loss(
        b, &bench_probe,
        congru_part_elu(&b->graph, congru_part_elu(&b->graph, bench_plain_source(b, congru_signal(7, 3)))), -1);
    bench_loss(b, &bench_probe, congru_part_square(&b->graph, bench_plain_source(b, congru_signal(7, 3))), -1);
    bench_check(b, "square");
    b = bench_begin(false);
    const int x = congru_part_square(&b->graph, bench_plain_source(b, congru_signal(7, 3)));
    bench_loss(b, &bench_probe, congru_part_logarithm(&b->graph, congru_part_mean_pool(&b->graph, x, 4, 1)),
               -1);
    bench_check(b, "logarithm of a mean of squares");
}

static void pools(void)
{
    bench *b = bench_begin(false);
    bench_loss(b, &bench_probe,
               congru_part_mean_pool(&b->graph, bench_plain_source(b, congru_signal(14, 3)), 5, 3), -1);
    bench_check(b, "mean pool");
    b = bench_begin(false);
    bench_loss(b, &bench_probe,
               congru_part_max_pool(&b->graph, bench_plain_source(b, congru_signal(7, 1)), 3, 3), -1);
    bench_check(b, "max pool");
}

/* The statistics of the batch are moved by every trial. */
static void normalisation(void)
{
    bench *b = bench_begin(false);
    int x = congru_part_normalise(&b->graph, bench_plain_source(b, congru_signal(7, 3)), 1e-3, 0.1);
    bench_loss(b, &bench_probe, congru_part_square(&b->graph, x), -1);
    bench_check(b, "normalisation");
    b = bench_begin(false);
    x = congru_part_convolution(&b->graph, bench_plain_source(b, congru_signal(7, 3)), 4, 2);
    x = congru_part_elu(&b->graph, congru_part_normalise(&b->graph, x, 1e-3, 0.1));
    x = congru_part_normalise(&b->graph, congru_part_convolution(&b->graph, x, 2, 3), 1e-3, 0.1);
    bench_loss(b, &bench_probe, congru_part_square(&b->graph, x), -1);
    bench_check(b, "two normalisations");
}

static void dropout(void)
{
    bench *b = bench_begin(false);
    const int x = congru_part_dropout(&b->graph, bench_plain_source(b, congru_signal(7, 3)), 0.4, 5);
    bench_loss(b, &bench_probe, congru_part_square(&b->graph, x), -1);
    bench_check(b, "dropout");
}

static void gelu(void)
{
    bench *b = bench_begin(false);
    bench_loss(b, &bench_probe, congru_part_gelu(&b->graph, bench_plain_source(b, congru_signal(7, 3))), -1);
    bench_check(b, "GELU");
}

/* Each sample by itself, and several joined. */
static void linear(void)
{
    static const size_t sizes[][2] = {{1, 4}, {3, 5}, {9, 17}};
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        bench *b = bench_begin(false);
        const int x = bench_plain_source(b, congru_signal(9, 3));
        bench_loss(b, &bench_probe, congru_part_linear(&b->graph, x, sizes[k][0], sizes[k][1]), -1);
        bench_check(b, "linear");
    }
}

static void layer_normalisation(void)
{
    bench *b = bench_begin(false);
    bench_loss(b, &bench_probe,
               congru_part_layer_normalise(&b->graph, bench_plain_source(b, congru_signal(7, 5)), 1e-3), -1);
    bench_check(b, "layer normalisation");
}

/* Fewer samples than a vector has, and more; with weights left out, and without. */
static void attention(void)
{
    for (size_t tokens = 7; tokens <= 18; tokens += 11) {
        for (int k = 0; k < 2; k++) {
            bench *b = bench_begin(false);
            const int x = bench_plain_source(b, congru_signal(tokens, 18));
            bench_loss(b, &bench_probe, congru_part_attention(&b->graph, x, 3, k == 0 ? 0.0 : 0.4, 5), -1);
            bench_check(b, "attention");
        }
    }
}

static void joined_signals(void)
{
    bench *b = bench_begin(false);
    int x = bench_plain_source(b, congru_signal(6, 3));
    x = congru_part_add(&b->graph, congru_part_square(&b->graph, x), x);
    bench_loss(b, &bench_probe, congru_part_beside(&b->graph, x, congru_part_square(&b->graph, x)), -1);
    bench_check(b, "addition and concatenation");
    b = bench_begin(false);
    x = congru_part_pad(&b->graph, bench_plain_source(b, congru_signal(6, 3)), 2, 1);
    bench_loss(b, &bench_probe, congru_part_convolution(&b->graph, x, 5, 4), -1);
    bench_check(b, "zeros at the ends");
}

/* EEGNet's front: statistics come of moments of the windows, and spatial filters go first. Its signals are constants; even
 * and odd numbers of taps pad differently. */
static void filter_bank(void)
{
    enum { CHANNELS = 3, SAMPLES = 15 };
    static double plain[BENCH_TRIALS * CHANNELS * SAMPLES];
    const congru_signals signals = {.plain = plain, .channels = CHANNELS, .samples = SAMPLES, .rate = 10.0};
    congru_random random = congru_random_stream(6, 0, 0, 0);
    for (size_t e = 0; e < sizeof plain / sizeof plain[0]; e++)
        plain[e] = 0.3 + congru_random_normal(&random);
    for (size_t taps = 4; taps <= 5; taps++) {
        bench *b = bench_begin(false);
        congru_trials trials = bench_trials;
        trials.signals = &signals;
        b->constants.trials = &trials;
        b->constants.signals = true;
        b->constants.taps = taps;
        int x = congru_part_signal(&b->graph, SAMPLES, CHANNELS, 0);
        x = congru_part_filter_bank(&b->graph, x, 4, 2, taps, 1e-3, 0.01);
        bench_loss(b, &bench_probe, congru_part_square(&b->graph, x), -1);
        bench_check(b, "filter bank");
    }
}
/* Plain, shrunk, with a jitter; from channels that fill vectors and that do not. */
static void covariance(void)
{
    static const double numbers[][2] = {{0.0, 0.0}, {0.3, 0.0}, {0.2, 0.1}};
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
        bench *b = bench_begin(false);
        const int x = bench_plain_source(b, congru_signal(12, k == 1 ? 8 : 5));
        bench_loss(b, &bench_probe, congru_part_covariance(&b->graph, x, numbers[k][0], numbers[k][1]), -1);
        bench_check(b, "covariance");
    }
}

/* Behind filters it is the covariance of fewer signals when a congruence follows. */
static void covariance_of_filters(void)
{
    for (unsigned rewritings = 0; rewritings <= CONGRU_REWRITE_SPACE; rewritings += CONGRU_REWRITE_SPACE) {
        bench *b = bench_begin(false);
        int x = congru_part_time_space(&b->graph, bench_plain_source(b, congru_signal(14, 3)), 2, 6, 3);
        x = congru_graph_congruence(&b->graph, congru_part_covariance(&b->graph, x, 0.0, 0.0), 4, 0.0);
        bench_loss(b, &bench_probe, x, -1);
        b->rewritings = rewritings;
        bench_check(b, rewritings == 0 ? "covariance of filters" : "covariance of fewer filters");
    }
}

/* Every trial of a subject moves its mean and dispersion; of earlier steps nothing is kept at first, some later. */
static void domains(void)
{
    for (size_t step = 0; step < 3; step++) {
        bench *b = bench_begin(false);
        int x = bench_source(b, BENCH_D);
        x = congru_part_domain_normalise(&b->graph, x, false, 0.25);
        bench_loss(b, &bench_probe, congru_graph_logarithm(&b->graph, x, 0.0, 0.0), -1);
        b->rewritings = step == 2 ? CONGRU_REWRITE_LOG_OF_EXP : 0;
        b->options.steps = 12;
        b->first_step = 3 * step;
        bench_check(b, step == 0 ? "domains" : "domains with a past");
    }
}

int main(void)
{
    if (!bench_start())
        return 1;
    RUN(matrix_as_image);
    RUN(image_convolution);
    RUN(image_read_twice);
    RUN(readout);
    RUN(convolution_in_time);
    RUN(time_and_space);
    RUN(depthwise);
    RUN(pointwise);
    RUN(pools);
    RUN(normalisation);
    RUN(dropout);
    RUN(gelu);
    RUN(linear);
    RUN(layer_normalisation);
    RUN(attention);
    RUN(joined_signals);
    RUN(filter_bank);
    RUN(covariance);
    RUN(covariance_of_filters);
    RUN(domains);
    bench_end();
    return harness_end();
}
