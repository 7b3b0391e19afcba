/* Batches taken, and drawn by step. SPDX-License-Identifier: Apache-2.0 */
#include "base/mapped_memory.h"
#include "congru/random.h"
#include "network/train.h"

enum { STREAM_BATCH = 0x6201, STREAM_SUBJECTS = 0x6203, STREAM_HELD_OUT = 0x6204, STREAM_PASS = 0x6207 };

/* Rounded up to whole chunks. */
static size_t padded(const congru_training *t)
{
    return congru_graph_chunks(&t->graph) * CONGRU_STEP_CHUNK;
}

void congru_batches_layout(congru_arena *arena, congru_training *t)
{
    const size_t trials = t->trials->count, subjects = t->trials->subjects;
    t->batch.index = congru_arena_take(arena, padded(t), sizeof(size_t));
    t->batch.label = congru_arena_take(arena, padded(t), sizeof(int32_t));
    t->batch.subject = congru_arena_take(arena, padded(t), sizeof(int32_t));
    t->batches.order = congru_arena_take(arena, trials, sizeof(size_t));
    t->batches.start = congru_arena_take(arena, subjects + 1, sizeof(size_t));
    t->batches.pool = congru_arena_take(arena, subjects, sizeof(size_t));
    t->batches.held_out = congru_arena_take(arena, subjects, sizeof(bool));
    t->batches.pass = congru_arena_take(arena, trials, sizeof(size_t));
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
static size_t list_subjects(const congru_training *t, bool with_held_out, size_t *list)
{
    const congru_batches *b = &t->batches;
    size_t count = 0;
    for (size_t s = 0; s < t->trials->subjects; s++) {
        if (b->start[s + 1] > b->start[s] && (with_held_out || !b->held_out[s]))
            list[count++] = s;
    }
    return count;
}

void congru_batches_start(congru_training *t)
{
    congru_batches *b = &t->batches;
    size_t next = 0;
    for (size_t s = 0; s < t->trials->subjects; s++) {
        b->start[s] = next;
        b->held_out[s] = false;
        for (size_t i = 0; i < t->trials->count; i++) {
            if (t->trials->subject[i] == (int32_t)s)
                b->order[next++] = i;
        }
    }
    b->start[t->trials->subjects] = next;
    congru_random random = congru_random_stream(t->seed, STREAM_HELD_OUT, 0, 0);
    const size_t subjects = list_subjects(t, true, b->pool), wanted = (size_t)t->options.validation_subjects;
    const size_t held = wanted < subjects ? wanted : subjects - 1;
    choose(&random, subjects, held, b->pool);
    for (size_t k = 0; k < held; k++)
        b->held_out[b->pool[k]] = true;
}

void congru_training_take(congru_training *t, size_t count, const size_t *index)
{
    congru_batch *batch = &t->batch;
    batch->count = count;
    /* trials, logarithms and vectors of a step */
    congru_mapped_pass(4 * count * t->trials->d * t->trials->d * sizeof(double));
    for (size_t i = 0; i < padded(t); i++) {
        size_t trial = i < count ? (index != NULL ? index[i] : i) : batch->index[0];
        batch->index[i] = trial;
        batch->label[i] = t->trials->label[trial];
        batch->subject[i] = t->trials->subject[trial];
    }
}

void congru_training_take_subject(congru_training *t, size_t subject)
{
    const congru_batches *b = &t->batches;
    const size_t first = b->start[subject], all = b->start[subject + 1] - first;
    const size_t count = all < t->graph.capacity ? all : t->graph.capacity;
    for (size_t i = 0; i < count; i++)
        t->batch.index[i] = b->order[first + i * all / count];
    congru_training_take(t, count, t->batch.index);
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

size_t congru_batches_epoch(const congru_training *t)
{
    const congru_batches *b = &t->batches;
    size_t trials = 0;
    for (size_t s = 0; s < t->trials->subjects; s++)
        trials += b->held_out[s] ? 0 : subject_size(b, s);
    return trials / t->graph.capacity > 0 ? trials / t->graph.capacity : 1;
}

/* The batch of a step of its epoch. All of an epoch's order comes of its number: what a step draws depends on no step before. */
static void draw_pass(congru_training *t)
{
    congru_batches *b = &t->batches;
    const size_t steps = congru_batches_epoch(t), first = t->step % steps * t->graph.capacity;
    congru_random random = congru_random_stream(t->seed, STREAM_PASS, (uint32_t)(t->step / steps), 0);
    size_t trials = 0;
    for (size_t i = 0; i < t->trials->count; i++)
        if (!b->held_out[t->trials->subject[i]])
            b->pass[trials++] = i;
    const size_t count = trials < t->graph.capacity ? trials : t->graph.capacity;
    choose(&random, trials, first + count, b->pass);
    congru_training_take(t, count, b->pass + first);
}

/* As many trials of each of some subjects: how many in all. A subject's are different ones, of those there are (Floyd). */
static size_t draw_grouped(congru_training *t, congru_random *random, size_t subjects, size_t *index)
{
    const congru_batches *b = &t->batches;
    const size_t wanted = (size_t)t->options.batch_subjects, groups = wanted < subjects ? wanted : subjects;
    const size_t each = t->graph.capacity / groups > 0 ? t->graph.capacity / groups : 1;
    size_t drawn = 0;
    choose(random, subjects, groups, b->pool);
    for (size_t g = 0; g < groups && drawn < t->graph.capacity; g++) {
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

void congru_training_draw(congru_training *t)
{
    const congru_batches *b = &t->batches;
    const congru_network_options *o = &t->options;
    size_t *index = t->batch.index;
    if (o->epochs > 0 && o->batch_subjects == 0) {
        draw_pass(t);
        return;
    }
    congru_random random = congru_random_stream(t->seed, STREAM_SUBJECTS, (uint32_t)t->step, 0);
    size_t subjects = list_subjects(t, false, b->pool), trials = 0;
    if (o->subject_dropout > 0.0) {
        const size_t dropped = (size_t)(o->subject_dropout * (double)subjects);
        choose(&random, subjects, subjects - dropped, b->pool);
        subjects -= dropped;
    }
    for (size_t k = 0; k < subjects; k++)
        trials += subject_size(b, b->pool[k]);
    if (o->batch_subjects > 0) {
        congru_training_take(t, draw_grouped(t, &random, subjects, index), index);
        return;
    }
    const bool all = trials <= t->graph.capacity && !o->balanced_batches;
    const bool everyone = trials == t->trials->count;
    random = congru_random_stream(t->seed, STREAM_BATCH, (uint32_t)t->step, 0);
    for (size_t i = 0; i < (all ? trials : t->graph.capacity); i++) {
        if (o->balanced_batches) {
            /* NOLINTNEXTLINE(clang-analyzer-core.DivideZero): less than all subjects are dropped. */
            const size_t subject = b->pool[i % subjects];
            index[i] = b->order[b->start[subject] + congru_random_index(&random, subject_size(b, subject))];
        } else {
            const size_t place = all ? i : congru_random_index(&random, trials);
            index[i] = everyone ? place : trial_at(b, place);
        }
    }
    congru_training_take(t, all ? trials : t->graph.capacity, index);
}
