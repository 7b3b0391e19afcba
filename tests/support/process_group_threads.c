/* Counters and rounds of threads. SPDX-License-Identifier: Apache-2.0 */
#include "process_group_threads.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* What a rank gave in its last two rounds: the others may still read the one before. */
typedef struct place {
    size_t round; /* how many it has begun */
    unsigned char *data[2];
    size_t size[2];
    int numbers; /* that it has taken */
    bool meets, gone;
} place;

typedef struct shared_memory {
    process_group_plan *plan;
    void (*body)(void *user, int rank, congru_process_group *processes);
    pthread_mutex_t mutex;
    uint64_t counter[CONGRU_COUNTERS];
    place place[PROCESS_GROUP_THREADS_MAX];
} shared_memory;

typedef struct member {
    shared_memory *memory;
    int rank;
    pthread_t thread;
} member;

static uint64_t count(void *user, int counter, uint64_t add)
{
    member *own = user;
    shared_memory *memory = own->memory;
    place *at = &memory->place[own->rank];
    pthread_mutex_lock(&memory->mutex);
    uint64_t before = UINT64_MAX;
    if (!at->gone && !memory->place[0].gone) {
        before = memory->counter[counter];
        memory->counter[counter] += add;
        at->numbers += counter == 0 && add == 1;
    }
    if (own->rank == memory->plan->lost && own->rank > 0 && at->numbers == memory->plan->numbers) {
        at->gone = true;
        before = UINT64_MAX;
    }
    pthread_mutex_unlock(&memory->mutex);
    return before;
}

static void give(const member *own, const void *data, size_t size)
{
    const process_group_plan *plan = own->memory->plan;
    place *at = &own->memory->place[own->rank];
    at->meets = true;
    at->round++;
    if (own->rank == plan->lost && own->rank > 0 && at->round == (size_t)plan->rounds)
        at->gone = true;
    free(at->data[at->round % 2]);
    at->size[at->round % 2] = size;
    unsigned char *copy = at->data[at->round % 2] = malloc(size + 1);
    if (copy == NULL)
        abort();
    memcpy(copy, data, size);
}

/* To one that is gone, all others are. */
static bool gather(void *user, const void *given, size_t size, const void **data, size_t *sizes)
{
    member *own = user;
    shared_memory *memory = own->memory;
    place *at = &memory->place[own->rank];
    bool all = true;
    pthread_mutex_lock(&memory->mutex);
    if (!at->meets)
        give(own, given, size);
    for (int rank = 0; rank < memory->plan->size; rank++) {
        const place *one = &memory->place[rank];
        const bool came = one->round >= at->round && (rank == own->rank || (!one->gone && !at->gone));
        data[rank] = came ? one->data[at->round % 2] : NULL;
        sizes[rank] = came ? one->size[at->round % 2] : 0;
        all = all && (came || one->gone || at->gone);
    }
    at->meets = !all;
    pthread_mutex_unlock(&memory->mutex);
    return all;
}

static void *take_part(void *user)
{
    member *own = user;
    congru_process_group *processes = NULL;
    const congru_transport transport = {own, own->rank, own->memory->plan->size, count, gather};
    if (congru_process_group_create(&processes, &transport) != CONGRU_OK)
        abort();
    own->memory->body(own->memory->plan->user, own->rank, processes);
    congru_process_group_destroy(&processes);
    return NULL;
}

void process_group_threads_run(process_group_plan *plan,
                               void (*body)(void *user, int rank, congru_process_group *processes))
{
    shared_memory memory = {.plan = plan, .body = body};
    member members[PROCESS_GROUP_THREADS_MAX];
    pthread_mutex_init(&memory.mutex, NULL);
    for (int rank = 1; rank < plan->size; rank++) {
        members[rank] = (member){.memory = &memory, .rank = rank};
        if (pthread_create(&members[rank].thread, NULL, take_part, &members[rank]) != 0)
            abort();
    }
    members[0] = (member){.memory = &memory};
    take_part(&members[0]);
    for (int rank = 1; rank < plan->size; rank++)
        pthread_join(members[rank].thread, NULL);
    for (int rank = 0; rank < plan->size; rank++) {
        free(memory.place[rank].data[0]);
        free(memory.place[rank].data[1]);
        plan->was_lost = plan->was_lost || memory.place[rank].gone;
    }
    pthread_mutex_destroy(&memory.mutex);
}
