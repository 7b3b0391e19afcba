/* Messages between the processes of a process group. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "base/process_group.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"

/* Training exchanges thousands of messages a second: who waits for one looks many times before it sleeps. */
enum { PAUSE_NANOSECONDS = 500000, SHORT_NANOSECONDS = 50000, LOOKS_AT_ONCE = 200 };

/* A message that came while another was waited for. */
typedef struct kept_message {
    struct kept_message *next;
    int from;
    congru_message message;
    size_t size;
    unsigned char data[];
} kept_message;

struct congru_process_group {
    congru_transport transport;
    bool *left;  /* (size) */
    bool *heard; /* (size): while gathering */
    kept_message *kept, *taken;
    char complaint[CONGRU_ERROR_TEXT_SIZE];
};

congru_status congru_process_group_create(congru_process_group **processes, const congru_transport *transport)
{
    if (processes == NULL)
        return CONGRU_ERROR_ARGUMENT;
    *processes = NULL;
    if (transport == NULL || transport->send == NULL || transport->receive == NULL || transport->size < 1 ||
        transport->rank < 0 || transport->rank >= transport->size)
        return CONGRU_ERROR_ARGUMENT;
    congru_process_group *made = calloc(1, sizeof *made);
    if (made == NULL)
        return CONGRU_ERROR_MEMORY;
    made->transport = *transport;
    made->left = calloc((size_t)transport->size, sizeof *made->left);
    made->heard = calloc((size_t)transport->size, sizeof *made->heard);
    if (made->left == NULL || made->heard == NULL)
        congru_process_group_destroy(&made);
    *processes = made;
    return made != NULL ? CONGRU_OK : CONGRU_ERROR_MEMORY;
}

/* The oldest message of a process that was kept, or NULL; good until the next is asked for. */
static const kept_message *take_kept(congru_process_group *processes, int from)
{
    kept_message **at = &processes->kept;
    free(processes->taken);
    while (*at != NULL && (*at)->from != from)
        at = &(*at)->next;
    processes->taken = *at;
    if (*at != NULL)
        *at = (*at)->next;
    return processes->taken;
}

void congru_process_group_destroy(congru_process_group **processes)
{
    if (processes == NULL || *processes == NULL)
        return;
    congru_process_group_forget(*processes);
    free((*processes)->taken);
    free((*processes)->left);
    free((*processes)->heard);
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

static bool is_alive(const congru_process_group *processes, int rank)
{
    return processes->transport.alive == NULL || processes->transport.alive(processes->transport.user, rank);
}

bool congru_process_group_present(const congru_process_group *processes, int rank)
{
    return !processes->left[rank] && is_alive(processes, rank);
}

int congru_process_group_lost(const congru_process_group *processes)
{
    int lost = 0;
    for (int rank = 0; processes != NULL && rank < processes->transport.size; rank++)
        lost += rank != processes->transport.rank && !is_alive(processes, rank);
    return lost;
}

const char *congru_process_group_complaint(const congru_process_group *processes)
{
    return processes->complaint;
}

congru_bytes congru_process_group_begin(congru_message message)
{
    congru_bytes bytes = {0};
    congru_bytes_add_count(&bytes, (size_t)message);
    return bytes;
}

/* A message that memory did not suffice for goes out as far as it came: its receiver finds it too short. */
static void send_one(congru_process_group *processes, int to, const congru_bytes *bytes)
{
    if (congru_process_group_present(processes, to))
        processes->transport.send(processes->transport.user, to, bytes->data, bytes->size);
}

void congru_process_group_send(congru_process_group *processes, int to, congru_bytes *bytes)
{
    send_one(processes, to, bytes);
    congru_bytes_clear(bytes);
}

void congru_process_group_send_all(congru_process_group *processes, congru_bytes *bytes)
{
    for (int rank = 0; rank < processes->transport.size; rank++)
        if (rank != processes->transport.rank)
            send_one(processes, rank, bytes);
    congru_bytes_clear(bytes);
}

static void note_leaving(congru_process_group *processes, int rank, const char *error)
{
    processes->left[rank] = true;
    if (error[0] != '\0' && processes->complaint[0] == '\0')
        snprintf(processes->complaint, sizeof processes->complaint, "process %d of %d: %.950s", rank + 1,
                 processes->transport.size, error);
}

bool congru_process_group_receive(congru_process_group *processes, int *from, congru_message *message,
                                  congru_parcel *parcel)
{
    const void *data;
    size_t size;
    while (processes->transport.receive(processes->transport.user, from, &data, &size)) {
        *parcel = (congru_parcel){.data = data, .size = size};
        *message = (congru_message)congru_parcel_count(parcel);
        if (*message != CONGRU_MESSAGE_LEAVE)
            return true;
        note_leaving(processes, *from, congru_parcel_text(parcel));
    }
    return false;
}

static void pause_shortly(void)
{
    nanosleep(&(struct timespec){.tv_nsec = PAUSE_NANOSECONDS}, NULL);
}

/* Messages that came before it ended are still to be had of a process that is no more. */
bool congru_process_group_await(congru_process_group *processes, congru_message *message, congru_parcel *parcel)
{
    int from;
    for (;;) {
        bool present = congru_process_group_present(processes, 0);
        if (congru_process_group_receive(processes, &from, message, parcel))
            return true;
        if (!present)
            return false;
        pause_shortly();
    }
}

/* Without memory to keep it, a message is as good as lost: the sender is counted as gone. */
static void keep(congru_process_group *processes, kept_message **at, int from, congru_message message,
                 const congru_parcel *parcel)
{
    kept_message *made = malloc(sizeof *made + parcel->size);
    if (made == NULL) {
        processes->left[from] = true;
        return;
    }
    *made = (kept_message){.next = *at, .from = from, .message = message, .size = parcel->size};
    memcpy(made->data, parcel->data, parcel->size);
    *at = made;
}

void congru_process_group_put_back(congru_process_group *processes, int from, congru_message message,
                                   const congru_parcel *parcel)
{
    keep(processes, &processes->kept, from, message, parcel);
}

void congru_process_group_forget(congru_process_group *processes)
{
    while (processes->kept != NULL)
        take_kept(processes, processes->kept->from);
}

bool congru_process_group_take(congru_process_group *processes, int from, congru_message *message,
                               congru_parcel *parcel)
{
    int sender;
    const kept_message *kept = take_kept(processes, from);
    if (kept != NULL) {
        *message = kept->message;
        *parcel = (congru_parcel){.data = kept->data, .size = kept->size};
        return true;
    }
    for (unsigned looks = 0;; looks++) {
        bool present = congru_process_group_present(processes, from);
        if (congru_process_group_receive(processes, &sender, message, parcel)) {
            if (sender == from)
                return true;
            kept_message **last = &processes->kept;
            while (*last != NULL)
                last = &(*last)->next;
            keep(processes, last, sender, *message, parcel);
        } else if (!present) {
            return false;
        } else if (looks < LOOKS_AT_ONCE) {
            sched_yield();
        } else {
            nanosleep(&(struct timespec){.tv_nsec = SHORT_NANOSECONDS}, NULL);
        }
    }
}

static bool all_heard(const congru_process_group *processes)
{
    for (int rank = 1; rank < processes->transport.size; rank++)
        if (!processes->heard[rank] && congru_process_group_present(processes, rank))
            return false;
    return true;
}

void congru_process_group_gather(congru_process_group *processes, congru_message message,
                                 congru_process_group_listener take, void *user)
{
    int from;
    congru_message heard;
    congru_parcel parcel;
    memset(processes->heard, 0, (size_t)processes->transport.size * sizeof *processes->heard);
    while (!all_heard(processes)) {
        if (!congru_process_group_receive(processes, &from, &heard, &parcel)) {
            pause_shortly();
        } else if (heard == message) {
            processes->heard[from] = true;
            take(user, from, &parcel);
        }
    }
}

void congru_bytes_add_status(congru_bytes *bytes, congru_status status, const congru_context *context)
{
    congru_bytes_add_count(bytes, (size_t)status);
    congru_bytes_add_text(bytes, status != CONGRU_OK ? congru_context_error(context) : "");
}

congru_status congru_parcel_status(congru_parcel *parcel, congru_context *context)
{
    congru_status status = (congru_status)congru_parcel_count(parcel);
    const char *error = congru_parcel_text(parcel);
    if (parcel->failed)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "a message between processes is cut short");
    return status != CONGRU_OK ? congru_fail(context, status, "%s", error) : CONGRU_OK;
}

/* ---- Leaving ------------------------------------------------------------------------------------- */

/* Those that are no more count as having left. */
static bool all_left(const congru_process_group *processes)
{
    for (int rank = 1; rank < processes->transport.size; rank++)
        if (congru_process_group_present(processes, rank))
            return false;
    return true;
}

/* A process that says hello meanwhile has gone further than rank 0 and is sent away; it will leave too. */
static void see_off(congru_process_group *processes, const char *error)
{
    int from;
    congru_message message;
    congru_parcel parcel;
    while (!all_left(processes)) {
        if (!congru_process_group_receive(processes, &from, &message, &parcel)) {
            pause_shortly();
        } else if (message == CONGRU_MESSAGE_HELLO) {
            congru_bytes refusal = congru_process_group_begin(CONGRU_MESSAGE_START);
            congru_bytes_add_count(&refusal, CONGRU_ERROR_CANCELLED);
            congru_bytes_add_text(&refusal, error != NULL ? error : "the first process has ended");
            congru_process_group_send(processes, from, &refusal);
        }
    }
    for (int rank = 1; rank < processes->transport.size; rank++) {
        congru_bytes bye = congru_process_group_begin(CONGRU_MESSAGE_BYE);
        processes->transport.send(processes->transport.user, rank, bye.data, bye.size);
        congru_bytes_clear(&bye);
    }
}

const char *congru_process_group_leave(congru_process_group *processes, const char *error)
{
    if (!congru_process_group_shares(processes))
        return NULL;
    if (processes->transport.rank == 0) {
        see_off(processes, error);
        return processes->complaint[0] != '\0' ? processes->complaint : NULL;
    }
    congru_bytes bytes = congru_process_group_begin(CONGRU_MESSAGE_LEAVE);
    congru_message message = CONGRU_MESSAGE_LEAVE;
    congru_parcel parcel;
    congru_bytes_add_text(&bytes, error != NULL ? error : "");
    congru_process_group_send(processes, 0, &bytes);
    while (message != CONGRU_MESSAGE_BYE && congru_process_group_await(processes, &message, &parcel))
        continue;
    return NULL;
}
