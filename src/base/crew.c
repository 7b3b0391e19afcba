/* Messages between the processes of a crew. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "base/crew.h"

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

struct congru_crew {
    congru_transport transport;
    bool *left;  /* (size) */
    bool *heard; /* (size): while gathering */
    kept_message *kept, *taken;
    char complaint[CONGRU_ERROR_TEXT_SIZE];
};

congru_status congru_crew_create(congru_crew **crew, const congru_transport *transport)
{
    if (crew == NULL)
        return CONGRU_ERROR_ARGUMENT;
    *crew = NULL;
    if (transport == NULL || transport->send == NULL || transport->receive == NULL || transport->size < 1 ||
        transport->rank < 0 || transport->rank >= transport->size)
        return CONGRU_ERROR_ARGUMENT;
    congru_crew *made = calloc(1, sizeof *made);
    if (made == NULL)
        return CONGRU_ERROR_MEMORY;
    made->transport = *transport;
    made->left = calloc((size_t)transport->size, sizeof *made->left);
    made->heard = calloc((size_t)transport->size, sizeof *made->heard);
    if (made->left == NULL || made->heard == NULL)
        congru_crew_destroy(&made);
    *crew = made;
    return made != NULL ? CONGRU_OK : CONGRU_ERROR_MEMORY;
}

/* The oldest message of a process that was kept, or NULL; good until the next is asked for. */
static const kept_message *take_kept(congru_crew *crew, int from)
{
    kept_message **at = &crew->kept;
    free(crew->taken);
    while (*at != NULL && (*at)->from != from)
        at = &(*at)->next;
    crew->taken = *at;
    if (*at != NULL)
        *at = (*at)->next;
    return crew->taken;
}

void congru_crew_destroy(congru_crew **crew)
{
    if (crew == NULL || *crew == NULL)
        return;
    congru_crew_forget(*crew);
    free((*crew)->taken);
    free((*crew)->left);
    free((*crew)->heard);
    free(*crew);
    *crew = NULL;
}

int congru_crew_rank(const congru_crew *crew)
{
    return crew != NULL ? crew->transport.rank : 0;
}

int congru_crew_size(const congru_crew *crew)
{
    return crew != NULL ? crew->transport.size : 1;
}

bool congru_crew_shares(const congru_crew *crew)
{
    return congru_crew_size(crew) > 1;
}

static bool is_alive(const congru_crew *crew, int rank)
{
    return crew->transport.alive == NULL || crew->transport.alive(crew->transport.user, rank);
}

bool congru_crew_present(const congru_crew *crew, int rank)
{
    return !crew->left[rank] && is_alive(crew, rank);
}

int congru_crew_lost(const congru_crew *crew)
{
    int lost = 0;
    for (int rank = 0; crew != NULL && rank < crew->transport.size; rank++)
        lost += rank != crew->transport.rank && !is_alive(crew, rank);
    return lost;
}

const char *congru_crew_complaint(const congru_crew *crew)
{
    return crew->complaint;
}

congru_bytes congru_crew_begin(congru_message message)
{
    congru_bytes bytes = {0};
    congru_bytes_add_count(&bytes, (size_t)message);
    return bytes;
}

/* A message that memory did not suffice for goes out as far as it came: whoever takes it apart finds it too short. */
static void send_one(congru_crew *crew, int to, const congru_bytes *bytes)
{
    if (congru_crew_present(crew, to))
        crew->transport.send(crew->transport.user, to, bytes->data, bytes->size);
}

void congru_crew_send(congru_crew *crew, int to, congru_bytes *bytes)
{
    send_one(crew, to, bytes);
    congru_bytes_clear(bytes);
}

void congru_crew_send_all(congru_crew *crew, congru_bytes *bytes)
{
    for (int rank = 0; rank < crew->transport.size; rank++)
        if (rank != crew->transport.rank)
            send_one(crew, rank, bytes);
    congru_bytes_clear(bytes);
}

static void note_leaving(congru_crew *crew, int rank, const char *error)
{
    crew->left[rank] = true;
    if (error[0] != '\0' && crew->complaint[0] == '\0')
        snprintf(crew->complaint, sizeof crew->complaint, "process %d of %d: %.950s", rank + 1,
                 crew->transport.size, error);
}

bool congru_crew_receive(congru_crew *crew, int *from, congru_message *message, congru_parcel *parcel)
{
    const void *data;
    size_t size;
    while (crew->transport.receive(crew->transport.user, from, &data, &size)) {
        *parcel = (congru_parcel){.data = data, .size = size};
        *message = (congru_message)congru_parcel_count(parcel);
        if (*message != CONGRU_MESSAGE_LEAVE)
            return true;
        note_leaving(crew, *from, congru_parcel_text(parcel));
    }
    return false;
}

static void pause_shortly(void)
{
    nanosleep(&(struct timespec){.tv_nsec = PAUSE_NANOSECONDS}, NULL);
}

/* Messages that came before it ended are still to be had of a process that is no more. */
bool congru_crew_await(congru_crew *crew, congru_message *message, congru_parcel *parcel)
{
    int from;
    for (;;) {
        bool present = congru_crew_present(crew, 0);
        if (congru_crew_receive(crew, &from, message, parcel))
            return true;
        if (!present)
            return false;
        pause_shortly();
    }
}

/* Without memory to keep it, a message is as good as lost: the sender is counted as gone. */
static void keep(congru_crew *crew, kept_message **at, int from, congru_message message,
                 const congru_parcel *parcel)
{
    kept_message *made = malloc(sizeof *made + parcel->size);
    if (made == NULL) {
        crew->left[from] = true;
        return;
    }
    *made = (kept_message){.next = *at, .from = from, .message = message, .size = parcel->size};
    memcpy(made->data, parcel->data, parcel->size);
    *at = made;
}

void congru_crew_put_back(congru_crew *crew, int from, congru_message message, const congru_parcel *parcel)
{
    keep(crew, &crew->kept, from, message, parcel);
}

void congru_crew_forget(congru_crew *crew)
{
    while (crew->kept != NULL)
        take_kept(crew, crew->kept->from);
}

bool congru_crew_take(congru_crew *crew, int from, congru_message *message, congru_parcel *parcel)
{
    int sender;
    const kept_message *kept = take_kept(crew, from);
    if (kept != NULL) {
        *message = kept->message;
        *parcel = (congru_parcel){.data = kept->data, .size = kept->size};
        return true;
    }
    for (unsigned looks = 0;; looks++) {
        bool present = congru_crew_present(crew, from);
        if (congru_crew_receive(crew, &sender, message, parcel)) {
            if (sender == from)
                return true;
            kept_message **last = &crew->kept;
            while (*last != NULL)
                last = &(*last)->next;
            keep(crew, last, sender, *message, parcel);
        } else if (!present) {
            return false;
        } else if (looks < LOOKS_AT_ONCE) {
            sched_yield();
        } else {
            nanosleep(&(struct timespec){.tv_nsec = SHORT_NANOSECONDS}, NULL);
        }
    }
}

static bool all_heard(const congru_crew *crew)
{
    for (int rank = 1; rank < crew->transport.size; rank++)
        if (!crew->heard[rank] && congru_crew_present(crew, rank))
            return false;
    return true;
}

void congru_crew_gather(congru_crew *crew, congru_message message, congru_crew_listener take, void *user)
{
    int from;
    congru_message heard;
    congru_parcel parcel;
    memset(crew->heard, 0, (size_t)crew->transport.size * sizeof *crew->heard);
    while (!all_heard(crew)) {
        if (!congru_crew_receive(crew, &from, &heard, &parcel)) {
            pause_shortly();
        } else if (heard == message) {
            crew->heard[from] = true;
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
static bool all_left(const congru_crew *crew)
{
    for (int rank = 1; rank < crew->transport.size; rank++)
        if (congru_crew_present(crew, rank))
            return false;
    return true;
}

/* Whoever says hello meanwhile has gone further than rank 0 and is sent away; it will leave too. */
static void see_off(congru_crew *crew, const char *error)
{
    int from;
    congru_message message;
    congru_parcel parcel;
    while (!all_left(crew)) {
        if (!congru_crew_receive(crew, &from, &message, &parcel)) {
            pause_shortly();
        } else if (message == CONGRU_MESSAGE_HELLO) {
            congru_bytes refusal = congru_crew_begin(CONGRU_MESSAGE_START);
            congru_bytes_add_count(&refusal, CONGRU_ERROR_CANCELLED);
            congru_bytes_add_text(&refusal, error != NULL ? error : "the first process has ended");
            congru_crew_send(crew, from, &refusal);
        }
    }
    for (int rank = 1; rank < crew->transport.size; rank++) {
        congru_bytes bye = congru_crew_begin(CONGRU_MESSAGE_BYE);
        crew->transport.send(crew->transport.user, rank, bye.data, bye.size);
        congru_bytes_clear(&bye);
    }
}

const char *congru_crew_leave(congru_crew *crew, const char *error)
{
    if (!congru_crew_shares(crew))
        return NULL;
    if (crew->transport.rank == 0) {
        see_off(crew, error);
        return crew->complaint[0] != '\0' ? crew->complaint : NULL;
    }
    congru_bytes bytes = congru_crew_begin(CONGRU_MESSAGE_LEAVE);
    congru_message message = CONGRU_MESSAGE_LEAVE;
    congru_parcel parcel;
    congru_bytes_add_text(&bytes, error != NULL ? error : "");
    congru_crew_send(crew, 0, &bytes);
    while (message != CONGRU_MESSAGE_BYE && congru_crew_await(crew, &message, &parcel))
        continue;
    return NULL;
}
