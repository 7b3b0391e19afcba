/* Mailboxes between threads. SPDX-License-Identifier: Apache-2.0 */
#include "process_group_threads.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct letter {
    struct letter *next;
    int from;
    size_t size;
    unsigned char data[];
} letter;

typedef struct post_office {
    const process_group_plan *plan;
    void (*body)(void *user, int rank, congru_process_group *processes);
    pthread_mutex_t mutex;
    letter *box[PROCESS_GROUP_THREADS_MAX]; /* oldest first */
    int sent[PROCESS_GROUP_THREADS_MAX];    /* to each */
    bool gone[PROCESS_GROUP_THREADS_MAX];
} post_office;

typedef struct member {
    post_office *office;
    int rank;
    letter *open;
    pthread_t thread;
} member;

static void send(void *user, int to, const void *data, size_t size)
{
    member *own = user;
    post_office *office = own->office;
    letter *made = malloc(sizeof *made + size);
    if (made == NULL)
        abort();
    *made = (letter){.from = own->rank, .size = size};
    memcpy(made->data, data, size);
    pthread_mutex_lock(&office->mutex);
    office->sent[to]++;
    if (to == office->plan->lost && office->plan->lost > 0 && office->sent[to] >= office->plan->messages)
        office->gone[to] = true;
    if (office->gone[own->rank] || office->gone[to]) {
        free(made);
    } else {
        letter **last = &office->box[to];
        while (*last != NULL)
            last = &(*last)->next;
        *last = made;
    }
    pthread_mutex_unlock(&office->mutex);
}

static bool receive(void *user, int *from, const void **data, size_t *size)
{
    member *own = user;
    post_office *office = own->office;
    free(own->open);
    pthread_mutex_lock(&office->mutex);
    own->open = office->gone[own->rank] ? NULL : office->box[own->rank];
    if (own->open != NULL)
        office->box[own->rank] = own->open->next;
    pthread_mutex_unlock(&office->mutex);
    if (own->open == NULL)
        return false;
    *from = own->open->from;
    *data = own->open->data;
    *size = own->open->size;
    return true;
}

/* To one that is gone, all others are. */
static bool alive(void *user, int rank)
{
    member *own = user;
    pthread_mutex_lock(&own->office->mutex);
    bool gone = own->office->gone[rank] || (rank != own->rank && own->office->gone[own->rank]);
    pthread_mutex_unlock(&own->office->mutex);
    return !gone;
}

static void *take_part(void *user)
{
    member *own = user;
    congru_process_group *processes = NULL;
    congru_transport transport = {own, own->rank, own->office->plan->size, send, receive, alive};
    if (congru_process_group_create(&processes, &transport) != CONGRU_OK)
        abort();
    own->office->body(own->office->plan->user, own->rank, processes);
    congru_process_group_destroy(&processes);
    free(own->open);
    return NULL;
}

void process_group_threads_run(const process_group_plan *plan,
                               void (*body)(void *user, int rank, congru_process_group *processes))
{
    post_office office = {.plan = plan, .body = body};
    member members[PROCESS_GROUP_THREADS_MAX];
    pthread_mutex_init(&office.mutex, NULL);
    for (int rank = 1; rank < plan->size; rank++) {
        members[rank] = (member){.office = &office, .rank = rank};
        if (pthread_create(&members[rank].thread, NULL, take_part, &members[rank]) != 0)
            abort();
    }
    members[0] = (member){.office = &office};
    take_part(&members[0]);
    for (int rank = 1; rank < plan->size; rank++)
        pthread_join(members[rank].thread, NULL);
    for (int rank = 0; rank < plan->size; rank++)
        while (office.box[rank] != NULL) {
            letter *old = office.box[rank];
            office.box[rank] = old->next;
            free(old);
        }
    pthread_mutex_destroy(&office.mutex);
}
