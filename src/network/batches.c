/* Batches taken, and drawn by step. SPDX-License-Identifier: Apache-2.0 */
#include "network/batches.h"

#include "base/mapped_memory.h"
#include "congru/random.h"

enum { STREAM_BATCH = 0x6201, STREAM_SUBJECTS = 0x6203, STREAM_HELD_OUT = 0x6204, STREAM_PASS = 0x6207 };

void congru_batches_layout(congru_arena *arena, congru_batches *b, congru_batch *batch)
{
    batch->index = congru_arena_take(arena, b->padded, sizeof(size_t));
    batch->label = congru_arena_take(arena, b->padded, sizeof(int32_t));
    batch->subject = congru_arena_take(arena, b->padded, sizeof(int32_t));
    b->order = congru_arena_take(arena, b->trials->count, sizeof(size_t));
    b->start = congru_arena_take(arena, b->trials->subjects + 1, sizeof(size_t));
    b->pool = congru_arena_take(arena, b->trials->subjects, sizeof(size_t));
    b->held_out = congru_arena_take(arena, b->trials->subjects, sizeof(bool));
    b->pass = congru_arena_take(arena, b->trials->count, sizeof(size_t));
}

/* The first `wanted` of the list become a random choice of all of it. */
static void choose(congru_random *random, size_t count, size_t wanted, size_t *list)
{
    for (size_t k = 0; k < wanted; k++) {
        size_t other = k + congru_random_index(random, count - k), swap = list[k];
        list[k] = list[other];
        list[other] = swap;
    }
}

/* Subjects that have trials; those held out or not. */
static size_t list_subjects(const congru_batches *b, bool with_held_out, size_t *list)
{
    size_t count = 0;
    for (size_t s = 0; s < b->trials->subjects; s++) {
        if (b->start[s + 1] > b->start[s] && (with_held_out || !b->held_out[s]))
            list[count++] = s;
    }
    return count;
}

void congru_batches_start(congru_batches *b)
{
    size_t next = 0;
    for (size_t s = 0; s < b->trials->subjects; s++) {
        b->start[s] = next;
        b->held_out[s] = false;
        for (size_t i = 0; i < b->trials->count; i++) {
            if (b->trials->subject[i] == (int32_t)s)
                b->order[next++] = i;
        }
    }
    b->start[b->trials->subjects] = next;
    congru_random random = congru_random_stream(b->seed, STREAM_HELD_OUT, 0, 0);
    const size_t subjects = list_subjects(b, true, b->pool), wanted = (size_t)b->options->validation_subjects;
    const size_t held = wanted < subjects ? wanted : subjects - 1;
    choose(&random, subjects, held, b->pool);
    for (size_t k = 0; k < held; k++)
        b->held_out[b->pool[k]] = true;
}

void congru_batches_take(const congru_batches *b, size_t count, const size_t *index, congru_batch *batch)
{
    batch->count = count;
    /* trials, logarithms and vectors of a step */
    congru_mapped_pass(4 * count * b->trials->d * b->trials->d * sizeof(double));
    for (size_t i = 0; i < b->padded; i++) {
        size_t trial = i < count ? (index != NULL ? index[i] : i) : batch->index[0];
        batch->index[i] = trial;
        batch->label[i] = b->trials->label[trial];
        batch->subject[i] = b->trials->subject[trial];
    }
}

void congru_batches_take_subject(const congru_batches *b, size_t subject, congru_batch *batch)
{
    const size_t first = b->start[subject], all = b->start[subject + 1] - first;
    const size_t count = all < b->capacity ? all : b->capacity;
    for (size_t i = 0; i < count; i++)
        batch->index[i] = b->order[first + i * all / count];
    congru_batches_take(b, count, batch->index, batch);
}

static size_t subject_size(const congru_batches *b, size_t subject)
{
    return b->start[subject + 1] - b->start[subject];
}

/* A trial of the pool's subjects: the one at this place of all their trials in a row. */
static size_t trial_at(const congru_batches *b, size_t place)
{
    size_t k = 0;
    for (; place >= subject_size(b, b->pool[k]); k++)
        place -= subject_size(b, b->pool[k]);
    return b->order[b->start[b->pool[k]] + place];
}

size_t congru_batches_epoch(const congru_batches *b)
{
    size_t trials = 0;
    for (size_t s = 0; s < b->trials->subjects; s++)
        trials += b->held_out[s] ? 0 : subject_size(b, s);
    return trials / b->capacity > 0 ? trials / b->capacity : 1;
}

/* The batch of a step of its epoch. All of an epoch's order comes of its number: what a step draws depends on no step before. */
static void draw_pass(const congru_batches *b, size_t step, congru_batch *batch)
{
    const size_t steps = congru_batches_epoch(b), first = step % steps * b->capacity;
    congru_random random = congru_random_stream(b->seed, STREAM_PASS, (uint32_t)(step / steps), 0);
    size_t trials = 0;
    for (size_t i = 0; i < b->trials->count; i++)
        if (!b->held_out[b->trials->subject[i]])
            b->pass[trials++] = i;
    const size_t count = trials < b->capacity ? trials : b->capacity;
    choose(&random, trials, first + count, b->pass);
    congru_batches_take(b, count, b->pass + first, batch);
}

/* As many trials of each of some subjects: how many in all. A subject's are different ones, of those there are (Floyd). */
static size_t draw_grouped(const congru_batches *b, congru_random *random, size_t subjects, size_t *index)
{
    const size_t wanted = (size_t)b->options->batch_subjects, groups = wanted < subjects ? wanted : subjects;
    const size_t each = b->capacity / groups > 0 ? b->capacity / groups : 1;
    size_t drawn = 0;
    choose(random, subjects, groups, b->pool);
    for (size_t g = 0; g < groups && drawn < b->capacity; g++) {
        const size_t size = subject_size(b, b->pool[g]), count = each < size ? each : size, first = drawn;
        const size_t *own = b->order + b->start[b->pool[g]];
        for (size_t k = size - count; k < size; k++) {
            size_t trial = own[congru_random_index(random, k + 1)];
            for (size_t i = first; i < drawn; i++)
                trial = index[i] == trial ? own[k] : trial;
            index[drawn++] = trial;
        }
    }
    return drawn;
}

void congru_batches_draw(const congru_batches *b, size_t step, congru_batch *batch)
{
    const congru_network_options *o = b->options;
    if (o->epochs > 0 && o->batch_subjects == 0) {
        draw_pass(b, step, batch);
        return;
    }
    congru_random random = congru_random_stream(b->seed, STREAM_SUBJECTS, (uint32_t)step, 0);
    size_t subjects = list_subjects(b, false, b->pool), trials = 0;
    if (o->subject_dropout > 0.0) {
        const size_t dropped = (size_t)(o->subject_dropout * (double)subjects);
        choose(&random, subjects, subjects - dropped, b->pool);
        subjects -= dropped;
    }
    for (size_t k = 0; k < subjects; k++)
        trials += subject_size(b, b->pool[k]);
    if (o->batch_subjects > 0) {
        const size_t drawn = draw_grouped(b, &random, subjects, batch->index);
        congru_batches_take(b, drawn, batch->index, batch);
        return;
    }
    const bool all = trials <= b->capacity && !o->balanced_batches;
    const bool everyone = trials == b->trials->count;
    random = congru_random_stream(b->seed, STREAM_BATCH, (uint32_t)step, 0);
    for (size_t i = 0; i < (all ? trials : b->capacity); i++) {
        if (o->balanced_batches) {
            /* NOLINTNEXTLINE(clang-analyzer-core.DivideZero): less than all subjects are dropped. */
            const size_t subject = b->pool[i % subjects];
            batch->index[i] =
                b->order[b->start[subject] + congru_random_index(&random, subject_size(b, subject))];
        } else {
            const size_t place = all ? i : congru_random_index(&random, trials);
            batch->index[i] = everyone ? place : trial_at(b, place);
        }
    }
    congru_batches_take(b, all ? trials : b->capacity, batch->index, batch);
}
