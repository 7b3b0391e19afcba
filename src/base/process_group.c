/* Counters and rounds of the processes of a process group. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "base/process_group.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"

/* Training meets thousands of times a second: who waits looks many times before it sleeps, and then longer and longer. */
enum { LOOKS_AT_ONCE = 200, LOOKS_SHORTLY = 2000, SHORT_NANOSECONDS = 50000, LONG_NANOSECONDS = 1000000 };

enum { HEAD_SIZE = CONGRU_ERROR_TEXT_SIZE + 64 };

struct congru_process_group {
    congru_transport transport;
    pthread_mutex_t mutex; /* over calls of the transport */
    uint64_t base[CONGRU_COUNTERS];
    congru_text block;
    const void **data; /* (size) of the last round */
    size_t *sizes;     /* (size) */
    void (*meanwhile)(void *user);
    void *meanwhile_user;
    char complaint[HEAD_SIZE];
};

congru_status congru_process_group_create(congru_process_group **processes, const congru_transport *transport)
{
    if (processes == NULL)
        return CONGRU_ERROR_ARGUMENT;
    *processes = NULL;
    if (transport == NULL || transport->count == NULL || transport->gather == NULL || transport->size < 1 ||
        transport->rank < 0 || transport->rank >= transport->size)
        return CONGRU_ERROR_ARGUMENT;
    congru_process_group *made = calloc(1, sizeof *made);
    if (made == NULL)
        return CONGRU_ERROR_MEMORY;
    made->transport = *transport;
    pthread_mutex_init(&made->mutex, NULL); /* with default attributes it cannot fail on Linux */
    made->data = calloc((size_t)transport->size, sizeof *made->data);
    made->sizes = calloc((size_t)transport->size, sizeof *made->sizes);
    if (made->data == NULL || made->sizes == NULL)
        congru_process_group_destroy(&made);
    *processes = made;
    return made != NULL ? CONGRU_OK : CONGRU_ERROR_MEMORY;
}

void congru_process_group_destroy(congru_process_group **processes)
{
    if (processes == NULL || *processes == NULL)
        return;
    pthread_mutex_destroy(&(*processes)->mutex);
    congru_text_clear(&(*processes)->block);
    free((*processes)->data);
    free((*processes)->sizes);
    free(*processes);
    *processes = NULL;
}

int congru_process_group_rank(const congru_process_group *processes)
{
    return processes != NULL ? processes->transport.rank : 0;
}

int congru_process_group_size(const congru_process_group *processes)
{
    return processes != NULL ? processes->transport.size : 1;
}

bool congru_process_group_shares(const congru_process_group *processes)
{
    return congru_process_group_size(processes) > 1;
}

uint64_t congru_process_group_count(congru_process_group *processes, congru_counter counter, uint64_t add)
{
    pthread_mutex_lock(&processes->mutex);
    const uint64_t before = processes->transport.count(processes->transport.user, (int)counter, add);
    pthread_mutex_unlock(&processes->mutex);
    return before == UINT64_MAX ? before : before - processes->base[counter];
}

/* ---- Rounds -------------------------------------------------------------------------------------- */

congru_text *congru_process_group_begin(congru_process_group *processes, congru_round round)
{
    const char kind = (char)round;
    if (processes->block.failed)
        congru_text_clear(&processes->block);
    processes->block.size = 0;
    congru_text_add_bytes(&processes->block, &kind, 1);
    return &processes->block;
}

static void pause_shortly(unsigned looks)
{
    if (looks < LOOKS_AT_ONCE)
        sched_yield();
    else
        nanosleep(&(struct timespec){.tv_nsec = looks < LOOKS_SHORTLY ? SHORT_NANOSECONDS : LONG_NANOSECONDS},
                  NULL);
}

static void gather(congru_process_group *processes, const void *own, size_t size)
{
    const congru_transport *transport = &processes->transport;
    for (unsigned looks = 0;; looks += looks < LOOKS_SHORTLY) {
        pthread_mutex_lock(&processes->mutex);
        const bool all = transport->gather(transport->user, own, size, processes->data, processes->sizes);
        pthread_mutex_unlock(&processes->mutex);
        if (all)
            return;
        if (processes->meanwhile != NULL)
            processes->meanwhile(processes->meanwhile_user);
        pause_shortly(looks);
    }
}

congru_status congru_process_group_meet(congru_process_group *processes, congru_context *context)
{
    const bool failed = processes->block.failed;
    gather(processes, failed ? "" : processes->block.data, failed ? 0 : processes->block.size);
    return failed ? congru_fail_memory(context, "what processes give each other") : CONGRU_OK;
}

void congru_process_group_meanwhile(congru_process_group *processes, void (*call)(void *user), void *user)
{
    processes->meanwhile = call;
    processes->meanwhile_user = user;
}

/* ---- How processes fared ------------------------------------------------------------------------- */

/* The first byte, the status and a number, the error text with its '\0', and then anything. */
typedef struct account {
    congru_status status;
    uint64_t number;
    const char *error, *more;
    size_t more_size;
} account;

static bool is_of(const congru_process_group *processes, int rank, congru_round round)
{
    return processes->data[rank] != NULL && processes->sizes[rank] > 0 &&
           *(const char *)processes->data[rank] == (char)round;
}

static bool read_account(const congru_process_group *processes, int rank, congru_round round, account *of)
{
    const char *data = processes->data[rank];
    const char *end = is_of(processes, rank, round) ? memchr(data, '\0', processes->sizes[rank]) : NULL;
    char *at;
    if (end == NULL)
        return false;
    of->status = (congru_status)strtol(data + 1, &at, 10);
    of->number = strtoull(at, &at, 10);
    of->error = at + (*at == ' ');
    of->more = end + 1;
    of->more_size = processes->sizes[rank] - (size_t)(end + 1 - data);
    return true;
}

const char *congru_process_group_given(const congru_process_group *processes, int rank, congru_round round,
                                       size_t *size)
{
    account of = {0};
    if (round == CONGRU_ROUND_HEAR || round == CONGRU_ROUND_TELL) {
        const bool there = read_account(processes, rank, round, &of);
        *size = there ? of.more_size : 0;
        return there ? of.more : NULL;
    }
    const bool there = is_of(processes, rank, round);
    *size = there ? processes->sizes[rank] - 1 : 0;
    return there ? (const char *)processes->data[rank] + 1 : NULL;
}

/* `error` NULL: the context's, of a failure. Without memory for all of it the others hear of that instead. */
static congru_status give_account(congru_process_group *processes, congru_context *context, congru_round round,
                                  congru_status status, uint64_t number, const char *error,
                                  const congru_text *more)
{
    char head[HEAD_SIZE];
    congru_text *block = congru_process_group_begin(processes, round);
    if (error == NULL)
        error = status != CONGRU_OK ? congru_context_error(context) : "";
    congru_text_add(block, "%d %llu %s", (int)status, (unsigned long long)number, error);
    congru_text_add_bytes(block, "", 1);
    if (more != NULL && more->size > 0)
        congru_text_add_bytes(block, more->data, more->size);
    if (!block->failed && (more == NULL || !more->failed)) {
        gather(processes, block->data, block->size);
        return status;
    }
    if (status == CONGRU_OK) {
        status = congru_fail_memory(context, "what processes give each other");
        error = congru_context_error(context);
    }
    snprintf(head, sizeof head, "%c%d %llu %s", (char)round, (int)status, (unsigned long long)number, error);
    gather(processes, head, strlen(head) + 1);
    return status;
}

bool congru_process_group_came(const congru_process_group *processes, int rank)
{
    return processes->data[rank] != NULL;
}

/* One that is in the middle of something else finds the others here, fails of it and comes too. */
static bool all_are_here(const congru_process_group *processes)
{
    for (int rank = 0; rank < processes->transport.size; rank++)
        if (processes->data[rank] != NULL && !is_of(processes, rank, CONGRU_ROUND_HEAR) &&
            !is_of(processes, rank, CONGRU_ROUND_LEAVE))
            return false;
    return true;
}

congru_status congru_process_group_hear(congru_process_group *processes, congru_context *context,
                                        congru_status status, uint64_t place, const congru_text *more)
{
    account of;
    if (!congru_process_group_shares(processes))
        return status;
    do
        status = give_account(processes, context, CONGRU_ROUND_HEAR, status, place, NULL, more);
    while (!all_are_here(processes));
    if (processes->transport.rank > 0)
        return CONGRU_OK;
    for (int rank = 1; rank < processes->transport.size; rank++)
        if ((read_account(processes, rank, CONGRU_ROUND_HEAR, &of) ||
             read_account(processes, rank, CONGRU_ROUND_LEAVE, &of)) &&
            of.status != CONGRU_OK && (status == CONGRU_OK || of.number < place)) {
            place = of.number;
            status = congru_fail(context, of.status, "%s", of.error);
        }
    return status;
}

congru_status congru_process_group_tell(congru_process_group *processes, congru_context *context,
                                        congru_status status, const congru_text *more)
{
    account of;
    if (!congru_process_group_shares(processes))
        return status;
    const bool leads = processes->transport.rank == 0;
    for (int k = 0; leads && k < CONGRU_COUNTERS; k++)
        processes->base[k] += congru_process_group_count(processes, (congru_counter)k, 0);
    status = give_account(processes, context, CONGRU_ROUND_TELL, leads ? status : CONGRU_OK,
                          processes->base[CONGRU_COUNTER_JOBS], NULL, more);
    if (leads)
        return status;
    if (read_account(processes, 0, CONGRU_ROUND_TELL, &of)) {
        processes->base[CONGRU_COUNTER_JOBS] = of.number;
        return of.status != CONGRU_OK ? congru_fail(context, of.status, "%s", of.error) : CONGRU_OK;
    }
    const bool left = read_account(processes, 0, CONGRU_ROUND_LEAVE, &of) && of.status != CONGRU_OK;
    return congru_fail(context, CONGRU_ERROR_IO, "%s", left ? of.error : "the first process is gone");
}

/* ---- Leaving ------------------------------------------------------------------------------------- */

const char *congru_process_group_leave(congru_process_group *processes, const char *error)
{
    char text[HEAD_SIZE] = "";
    bool all = false;
    if (!congru_process_group_shares(processes))
        return NULL;
    const int own = processes->transport.rank, size = processes->transport.size;
    const congru_status status = error != NULL ? CONGRU_ERROR_IO : CONGRU_OK;
    if (own > 0 && error != NULL)
        snprintf(text, sizeof text, "process %d of %d: %.*s", own + 1, size, CONGRU_ERROR_TEXT_SIZE, error);
    else if (error != NULL)
        snprintf(text, sizeof text, "%.*s", CONGRU_ERROR_TEXT_SIZE, error);
    while (!all) {
        account of;
        give_account(processes, NULL, CONGRU_ROUND_LEAVE, status, 0, text, NULL);
        all = true;
        for (int rank = 0; rank < size; rank++) {
            const bool leaves = read_account(processes, rank, CONGRU_ROUND_LEAVE, &of);
            all = all && (leaves || processes->data[rank] == NULL);
            if (leaves && rank > 0 && of.status != CONGRU_OK && processes->complaint[0] == '\0')
                snprintf(processes->complaint, sizeof processes->complaint, "%s", of.error);
        }
    }
    return own == 0 && processes->complaint[0] != '\0' ? processes->complaint : NULL;
}
