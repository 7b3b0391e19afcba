/* Which trials each step looks at. SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/store.h"
#include "congru/random.h"
#include "layer/training.h"

enum { STREAM_BATCH = 0x6201, STREAM_SUBJECTS = 0x6203, STREAM_HELD_OUT = 0x6204 };

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
    size_t count = 0;
    for (size_t s = 0; s < t->subjects; s++) {
        if (t->subject_start[s + 1] > t->subject_start[s] && (with_held_out || !t->held_out[s]))
            list[count++] = s;
    }
    return count;
}

void congru_training_start_batches(congru_training *t)
{
    size_t next = 0;
    for (size_t s = 0; s < t->subjects; s++) {
        t->subject_start[s] = next;
        t->held_out[s] = false;
        for (size_t i = 0; i < t->trials->count; i++) {
            if (t->trials->subject[i] == (int32_t)s)
                t->by_subject_order[next++] = i;
        }
    }
    t->subject_start[t->subjects] = next;
    congru_random random = congru_random_stream(t->seed, STREAM_HELD_OUT, 0, 0);
    const size_t subjects = list_subjects(t, true, t->pool), wanted = (size_t)t->options.validation_subjects;
    const size_t held = wanted < subjects ? wanted : subjects - 1;
    choose(&random, subjects, held, t->pool);
    for (size_t k = 0; k < held; k++)
        t->held_out[t->pool[k]] = true;
}

void congru_training_take(congru_training *t, size_t count, const size_t *index)
{
    t->count = count;
    congru_store_pass(4 * count * t->d * t->d * sizeof(double)); /* trials, logarithms and vectors of a step */
    for (size_t i = 0; i < t->chunks * CONGRU_STEP_CHUNK; i++) {
        size_t trial = i < count ? (index != NULL ? index[i] : i) : t->index[0];
        t->index[i] = trial;
        t->label[i] = t->trials->label[trial];
        t->subject[i] = t->trials->subject[trial];
    }
}

void congru_training_take_subject(congru_training *t, size_t subject)
{
    const size_t first = t->subject_start[subject], all = t->subject_start[subject + 1] - first;
    const size_t count = all < t->capacity ? all : t->capacity;
    for (size_t i = 0; i < count; i++)
        t->index[i] = t->by_subject_order[first + i * all / count];
    congru_training_take(t, count, t->index);
}

static size_t subject_size(const congru_training *t, size_t subject)
{
    return t->subject_start[subject + 1] - t->subject_start[subject];
}

/* A trial of the pool's subjects: the one at this place of all their trials in a row. */
static size_t trial_at(const congru_training *t, size_t place)
{
    size_t k = 0;
    for (; place >= subject_size(t, t->pool[k]); k++)
        place -= subject_size(t, t->pool[k]);
    return t->by_subject_order[t->subject_start[t->pool[k]] + place];
}

void congru_training_draw(congru_training *t)
{
    const congru_network_options *o = &t->options;
    congru_random random = congru_random_stream(t->seed, STREAM_SUBJECTS, (uint32_t)t->step, 0);
    size_t subjects = list_subjects(t, false, t->pool), trials = 0;
    if (o->subject_dropout > 0.0) {
        const size_t dropped = (size_t)(o->subject_dropout * (double)subjects);
        choose(&random, subjects, subjects - dropped, t->pool);
        subjects -= dropped;
    }
    for (size_t k = 0; k < subjects; k++)
        trials += subject_size(t, t->pool[k]);
    const bool all = trials <= t->capacity && !o->balanced_batches;
    const bool everyone = trials == t->trials->count;
    random = congru_random_stream(t->seed, STREAM_BATCH, (uint32_t)t->step, 0);
    for (size_t i = 0; i < (all ? trials : t->capacity); i++) {
        if (o->balanced_batches) {
            /* NOLINTNEXTLINE(clang-analyzer-core.DivideZero): less than all subjects are dropped. */
            const size_t subject = t->pool[i % subjects];
            t->index[i] = t->by_subject_order[t->subject_start[subject] +
                                              congru_random_index(&random, subject_size(t, subject))];
        } else {
            const size_t place = all ? i : congru_random_index(&random, trials);
            t->index[i] = everyone ? place : trial_at(t, place);
        }
    }
    congru_training_take(t, all ? trials : t->capacity, t->index);
}
