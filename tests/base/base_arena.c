/* The arena: measuring and placing agree, sizes that overflow fail. SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <string.h>

#include "base/workspace.h"
#include "congru/context.h"
#include "harness.h"

typedef struct pieces {
    double *matrix;
    char *byte;
    double *none;
    int *numbers;
} pieces;

enum { MATRIX_COUNT = 22 * 22, NUMBER_COUNT = 17 };

static void pieces_layout(congru_arena *arena, pieces *p)
{
    p->matrix = congru_arena_take(arena, MATRIX_COUNT, sizeof(double));
    p->byte = congru_arena_take(arena, 1, 1);
    p->none = congru_arena_take(arena, 0, sizeof(double));
    p->numbers = congru_arena_take(arena, NUMBER_COUNT, sizeof(int));
}

static bool is_aligned(const void *pointer)
{
    return (uintptr_t)pointer % CONGRU_ARENA_ALIGNMENT == 0;
}

TEST(measuring_gives_no_memory)
{
    congru_arena measure = {0};
    pieces p;

    pieces_layout(&measure, &p);
    CHECK(p.matrix == NULL && p.byte == NULL && p.none == NULL && p.numbers == NULL);
    CHECK(measure.used >= MATRIX_COUNT * sizeof(double) + 1 + NUMBER_COUNT * sizeof(int));
}

TEST(placing_uses_what_was_measured)
{
    congru_arena measure = {0}, arena = {0};
    pieces p;

    pieces_layout(&measure, &p);
    CHECK(congru_arena_reserve(&arena, measure.used) == CONGRU_OK);
    pieces_layout(&arena, &p);
    CHECK(arena.used == measure.used);
    CHECK(p.none != NULL);
    congru_arena_free(&arena);
}

TEST(a_piece_without_room_is_an_error)
{
    congru_context *context = NULL;
    CHECK(congru_context_create(&context, &(congru_context_options){.threads = 2}) == CONGRU_OK);
    congru_arena arena = {0};
    CHECK(congru_arena_reserve(&arena, 128) == CONGRU_OK);
    congru_arena_take(&arena, 128, 1);
    CHECK(congru_workspace_check(context, &arena) == CONGRU_OK);
    for (int k = 0; k < 3; k++) {
        char *piece = congru_arena_take(&arena, 1000, 1);
        CHECK(piece != NULL && is_aligned(piece));
        memset(piece, 1, 1000);
    }
    CHECK(congru_workspace_check(context, &arena) == CONGRU_ERROR_MEMORY);
    CHECK(strstr(congru_context_error(context), "of 128 bytes is too small by 3072 bytes") != NULL);
    congru_arena_reset(&arena);
    CHECK(congru_workspace_check(context, &arena) == CONGRU_ERROR_MEMORY);
    CHECK(congru_workspace_free(context, &arena, CONGRU_ERROR_IO) == CONGRU_ERROR_IO && arena.base == NULL);
    CHECK(congru_arena_reserve(&arena, 1) == CONGRU_OK && congru_arena_take(&arena, 65, 1) != NULL);
    CHECK(congru_workspace_free(context, &arena, CONGRU_OK) == CONGRU_ERROR_MEMORY);

    CHECK(congru_scratch_reserve(context, 64) == CONGRU_OK && congru_scratch_check(context) == CONGRU_OK);
    CHECK(congru_arena_take(&context->scratch[1], 65, 1) != NULL);
    CHECK(congru_scratch_check(context) == CONGRU_ERROR_MEMORY);
    CHECK(congru_scratch_reserve(context, 64) == CONGRU_OK && congru_scratch_check(context) == CONGRU_OK);
    congru_context_destroy(&context);
}

TEST(pieces_are_aligned_and_apart)
{
    congru_arena measure = {0}, arena = {0};
    pieces p;

    pieces_layout(&measure, &p);
    CHECK(congru_arena_reserve(&arena, measure.used) == CONGRU_OK);
    pieces_layout(&arena, &p);
    CHECK(is_aligned(p.matrix) && is_aligned(p.byte) && is_aligned(p.none) && is_aligned(p.numbers));
    memset(p.matrix, 1, MATRIX_COUNT * sizeof(double));
    memset(p.byte, 2, 1);
    memset(p.numbers, 3, NUMBER_COUNT * sizeof(int));
    CHECK(((char *)p.matrix)[MATRIX_COUNT * sizeof(double) - 1] == 1);
    CHECK(*p.byte == 2);
    CHECK(((char *)p.numbers)[0] == 3);
    congru_arena_free(&arena);
}

TEST(reserving_less_keeps_the_memory)
{
    congru_arena arena = {0};

    CHECK(congru_arena_reserve(&arena, 10000) == CONGRU_OK);
    char *base = arena.base;
    CHECK(congru_arena_take(&arena, 5000, 1) == base);
    CHECK(congru_arena_reserve(&arena, 100) == CONGRU_OK);
    CHECK(arena.base == base && arena.used == 0 && arena.size >= 10000);
    CHECK(congru_arena_take(&arena, 100, 1) == base);
    congru_arena_reset(&arena);
    CHECK(congru_arena_take(&arena, 100, 1) == base);
    congru_arena_free(&arena);
    CHECK(arena.base == NULL && arena.used == 0 && arena.size == 0);
}

TEST(an_empty_layout_can_be_placed)
{
    congru_arena arena = {0};

    CHECK(congru_arena_reserve(&arena, 0) == CONGRU_OK);
    CHECK(arena.base != NULL);
    CHECK(congru_arena_take(&arena, 0, 8) != NULL);
    congru_arena_free(&arena);
    congru_arena_free(&arena);
}

TEST(overflow_saturates)
{
    const struct {
        size_t count, size;
    } cases[] = {{SIZE_MAX, 8}, {SIZE_MAX / 8 + 1, 8}, {SIZE_MAX, 1}, {SIZE_MAX - 5, 1}, {SIZE_MAX / 2, 3}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        congru_arena measure = {0}, arena = {0};
        congru_arena_take(&measure, cases[i].count, cases[i].size);
        CHECK_SAYING(measure.used == SIZE_MAX, "case %zu measures %zu", i, measure.used);
        congru_arena_take(&measure, 1, 1);
        CHECK(measure.used == SIZE_MAX);
        CHECK(congru_arena_reserve(&arena, measure.used) == CONGRU_ERROR_MEMORY);
        CHECK(arena.base == NULL && arena.size == 0);
        congru_arena_free(&arena);
    }
}

TEST(sums_that_overflow_saturate)
{
    congru_arena measure = {0};

    congru_arena_take(&measure, SIZE_MAX / 2, 1);
    CHECK(measure.used < SIZE_MAX);
    congru_arena_take(&measure, SIZE_MAX / 2, 1);
    congru_arena_take(&measure, SIZE_MAX / 2, 1);
    CHECK(measure.used == SIZE_MAX);
}

TEST(a_failed_reserve_leaves_an_empty_arena)
{
    congru_arena arena = {0};

    CHECK(congru_arena_reserve(&arena, 1000) == CONGRU_OK);
    CHECK(congru_arena_reserve(&arena, SIZE_MAX) == CONGRU_ERROR_MEMORY);
    CHECK(arena.base == NULL && arena.used == 0 && arena.size == 0);
    CHECK(congru_arena_reserve(&arena, 1000) == CONGRU_OK);
    congru_arena_free(&arena);
}

int main(void)
{
    harness_run_all();
    return harness_end();
}
