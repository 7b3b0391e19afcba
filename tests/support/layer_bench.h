/* A graph to put one layer into: a source whose parameters are the activations, and a linear loss. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_TESTS_LAYER_BENCH_H
#define CONGRU_TESTS_LAYER_BENCH_H

#include "network/constants.h"
#include "network/graph.h"

enum { BENCH_TRIALS = 41, BENCH_D = 4, BENCH_CLASSES = 3, BENCH_SIZE = 4096 };

extern congru_context *bench_context;
extern congru_trials bench_trials;

bool bench_start(void);
void bench_end(void);

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
    size_t first_step; /* a step with the number before it is taken first, where it is not 0 */
} bench;

bench *bench_begin(bool by_log);
int bench_add(bench *b, const congru_layer *layer, int first, int second, congru_extent out, double number);
int bench_loss(bench *b, const congru_layer *loss, int first, int second);

/* Nodes whose parameters are the activations: symmetric matrices about the identity; signals or images. */
int bench_source(bench *b, size_t d);
int bench_plain_source(bench *b, congru_extent extent);

/* The sum over trials of <G, x>, G random. */
extern const congru_layer bench_probe;

/* Plans, lays out and fills in first parameters. */
void bench_ready(bench *b);

/* Directional derivatives of the loss by all parameters, against the gradient; frees the bench. */
void bench_check(bench *b, const char *what);

#endif
