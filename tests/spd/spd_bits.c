/* The same bits on any instruction set, any threads, any company. SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "operation_table.h"
#include "spd_samples.h"

static const size_t SHAPES[][2] = {{1, 1},   {3, 1},    {8, 1},   {37, 1},  {100, 1}, {1, 2},   {3, 2},
                                   {8, 2},   {37, 2},   {100, 2}, {1, 3},   {3, 3},   {8, 3},   {37, 3},
                                   {100, 3}, {1, 5},    {3, 5},   {8, 5},   {37, 5},  {100, 5}, {1, 8},
                                   {3, 8},   {8, 8},    {37, 8},  {100, 8}, {1, 16},  {3, 16},  {8, 16},
                                   {37, 16}, {100, 16}, {1, 22},  {3, 22},  {8, 22},  {37, 22}, {100, 22},
                                   {1, 33},  {3, 33},   {8, 33},  {1, 44},  {3, 44},  {8, 44}};
enum { SHAPE_COUNT = sizeof SHAPES / sizeof *SHAPES, OPERATIONS_MAX = 64, HARD_COUNT = 67, SOME_COUNT = 29 };

/* The first instruction set has no lanes to speak of and an emulated fused multiply-add where the machine
 * has none: with more than one thread it does the smaller shapes only, or this would take minutes. */
static const size_t SLOW_DIMENSION_MAX = 16;

static const int THREADS[] = {1, 2, 3, 7};

/* What the first run of all found; 0 where there is nothing yet. */
static uint64_t reference[SHAPE_COUNT][OPERATIONS_MAX];

/* The run under test. */
static const char *cpu_name;
static int thread_count;
static bool slow;

static uint64_t hash_bytes(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * 0x100000001b3u; /* FNV-1a */
    return hash;
}

static congru_context *make_context(void)
{
    congru_context *context = NULL;
    congru_context_options options = {.threads = thread_count, .cpu = cpu_name};
    congru_status status = congru_context_create(&context, &options);
    CHECK_SAYING(status == CONGRU_OK, "no context for %s with %d threads: %s", cpu_name, thread_count,
                 congru_status_name(status));
    if (context != NULL) {
        CHECK(strcmp(congru_context_cpu(context), cpu_name) == 0);
        CHECK(congru_context_threads(context) == thread_count);
    }
    return context;
}

static uint64_t hash_operation(const operation *op, congru_context *context, const operands *in)
{
    double *out[OPERATION_OUTPUTS];
    uint64_t hash = 0xcbf29ce484222325u;
    congru_status status = operation_run(op, context, in, out);
    CHECK_SAYING(status == CONGRU_OK, "%s, n %zu, d %zu: %s: %s", op->name, in->n, in->d,
                 congru_status_name(status), congru_context_error(context));
    for (size_t k = 0; k < OPERATION_OUTPUTS; k++) {
        size_t count = in->n * operation_size(op, k, in->d);
        CHECK_SAYING(dense_finite(count, out[k]), "%s, n %zu, d %zu: not finite", op->name, in->n, in->d);
        hash = hash_bytes(hash, out[k], count * sizeof *out[k]);
    }
    operation_free(out);
    return hash;
}

static void hashes_are_the_same(void)
{
    congru_context *context = make_context();
    for (size_t s = 0; s < SHAPE_COUNT && context != NULL; s++) {
        if (slow && thread_count > 1 && SHAPES[s][1] > SLOW_DIMENSION_MAX)
            continue;
        congru_random random = congru_random_stream(61, (uint32_t)s, 0, 0);
        operands easy = operands_make(&random, SHAPES[s][0], SHAPES[s][1], false);
        operands hard = operands_make(&random, SHAPES[s][0], SHAPES[s][1], true);
        for (size_t o = 0; o < OPERATION_COUNT; o++) {
            /* In turn; a mean over scales from 1e-100 to 1e100 is no use to anyone. */
            const operands *in = OPERATIONS[o].batch || s % 2 == 0 ? &easy : &hard;
            uint64_t hash = hash_operation(&OPERATIONS[o], context, in);
            if (reference[s][o] == 0)
                reference[s][o] = hash;
            CHECK_SAYING(hash == reference[s][o], "%s, n %zu, d %zu: other bits than the first run",
                         OPERATIONS[o].name, in->n, in->d);
        }
        operands_free(&easy);
        operands_free(&hard);
    }
    congru_context_destroy(&context);
}

/* Compares what `part`, made of the matrices order[0], ... of a batch, gives with what the batch gave. */
static void compare_part(const operation *op, congru_context *context, const operands *part,
                         const size_t *order, double *const whole[OPERATION_OUTPUTS])
{
    double *out[OPERATION_OUTPUTS];
    congru_status status = operation_run(op, context, part, out);
    CHECK_SAYING(status == CONGRU_OK, "%s, n %zu, d %zu: %s: %s", op->name, part->n, part->d,
                 congru_status_name(status), congru_context_error(context));
    for (size_t k = 0; k < OPERATION_OUTPUTS; k++) {
        size_t size = operation_size(op, k, part->d);
        for (size_t i = 0; i < part->n; i++)
            CHECK_SAYING(memcmp(out[k] + i * size, whole[k] + order[i] * size, size * sizeof **out) == 0,
                         "%s, d %zu: matrix %zu differs as number %zu of %zu", op->name, part->d, order[i], i,
                         part->n);
    }
    operation_free(out);
}

/* In a batch of hard neighbours, alone, in a batch in another order, and with some of the neighbours gone. */
static void compare_companies(congru_context *context, const operands *in)
{
    size_t backwards[HARD_COUNT], some[SOME_COUNT], single[HARD_COUNT];
    operands alone[HARD_COUNT];
    for (size_t i = 0; i < HARD_COUNT; i++) {
        backwards[i] = (4 * i + 7) % HARD_COUNT;
        single[i] = i;
        alone[i] = operands_gather(in, 1, &single[i]);
    }
    for (size_t i = 0; i < SOME_COUNT; i++)
        some[i] = 2 * i + 1;
    operands permuted = operands_gather(in, HARD_COUNT, backwards);
    operands fewer = operands_gather(in, SOME_COUNT, some);
    for (size_t o = 0; o < OPERATION_COUNT; o++) {
        double *whole[OPERATION_OUTPUTS];
        if (OPERATIONS[o].batch)
            continue;
        congru_status status = operation_run(&OPERATIONS[o], context, in, whole);
        CHECK_SAYING(status == CONGRU_OK, "%s, d %zu: %s: %s", OPERATIONS[o].name, in->d,
                     congru_status_name(status), congru_context_error(context));
        /* Every one of the small matrices, and some of the large, in the interest of time. */
        for (size_t i = 0; i<HARD_COUNT; i += in->d> 8 ? 7 : 1)
            compare_part(&OPERATIONS[o], context, &alone[i], &single[i], whole);
        compare_part(&OPERATIONS[o], context, &permuted, backwards, whole);
        compare_part(&OPERATIONS[o], context, &fewer, some, whole);
        operation_free(whole);
    }
    for (size_t i = 0; i < HARD_COUNT; i++)
        operands_free(&alone[i]);
    operands_free(&permuted);
    operands_free(&fewer);
}

static void company_does_not_matter(void)
{
    static const size_t DIMENSIONS[] = {1, 2, 3, 5, 8, 16, 22, 33};
    congru_context *context = make_context();
    for (size_t i = 0; i < sizeof DIMENSIONS / sizeof *DIMENSIONS && context != NULL; i++) {
        if (slow && DIMENSIONS[i] > SLOW_DIMENSION_MAX)
            continue;
        congru_random random = congru_random_stream(62, (uint32_t)i, 0, 0);
        /* More than one worker takes at a time. */
        operands in = operands_make(&random, HARD_COUNT, DIMENSIONS[i], true);
        compare_companies(context, &in);
        operands_free(&in);
    }
    congru_context_destroy(&context);
}

static void not_on_this_machine(void)
{
    SKIP("this machine does not have the instruction set");
}

/* Every instruction set the library was built with is a test of its own, so that a missing one is seen. */
int main(void)
{
    char name[100];
    for (size_t i = 0; congru_cpu_name(i) != NULL; i++) {
        cpu_name = congru_cpu_name(i);
        slow = i == 0;
        bool available = congru_cpu_available(cpu_name);
        for (size_t t = 0; t < sizeof THREADS / sizeof *THREADS; t++) {
            thread_count = THREADS[t];
            snprintf(name, sizeof name, "same_bits_%s_%d_threads", cpu_name, thread_count);
            harness_run(name, available ? hashes_are_the_same : not_on_this_machine);
        }
        thread_count = 2;
        snprintf(name, sizeof name, "company_does_not_matter_%s", cpu_name);
        harness_run(name, available ? company_does_not_matter : not_on_this_machine);
    }
    return harness_end();
}
