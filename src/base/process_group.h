/* What processes that share a run say to each other. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_BASE_PROCESS_GROUP_H
#define CONGRU_BASE_PROCESS_GROUP_H

#include "base/bytes.h"
#include "congru/process_group.h"

/* A call of the library is a round: all but rank 0 say hello, with what they are about to do; rank 0 compares and starts
 * the round or refuses it; work; rank 0 ends the round, with what came of it. */
typedef enum congru_message {
    CONGRU_MESSAGE_HELLO = 1, /* to rank 0: status, text of an error or of the settings */
    CONGRU_MESSAGE_START,     /* from rank 0: status, error, what there is to do */
    CONGRU_MESSAGE_READY,     /* to rank 0: status, error, how many jobs at a time */
    CONGRU_MESSAGE_JOB,       /* from rank 0: which */
    CONGRU_MESSAGE_DONE,      /* to rank 0: which, status, error, what came of it */
    CONGRU_MESSAGE_HALT,      /* either way: let go of everything */
    CONGRU_MESSAGE_STOP,      /* from rank 0: no more jobs */
    CONGRU_MESSAGE_NOTES,     /* to rank 0: the context's notes */
    CONGRU_MESSAGE_END,       /* from rank 0: status, error, results */
    CONGRU_MESSAGE_SHARE,     /* to all others: its part of a step of training */
    CONGRU_MESSAGE_LEAVE,     /* to rank 0: error or "" */
    CONGRU_MESSAGE_BYE        /* from rank 0: all have left */
} congru_message;

int congru_process_group_rank(const congru_process_group *processes);
int congru_process_group_size(const congru_process_group *processes);

/* Whether there is more than one process. `processes` may be NULL. */
bool congru_process_group_shares(const congru_process_group *processes);

/* Whether a process is alive and has not left. */
bool congru_process_group_present(const congru_process_group *processes, int rank);

/* What a process said that left with an error, "process 2 of 4: ..."; "" when none did. */
const char *congru_process_group_complaint(const congru_process_group *processes);

/* Begins a message, to be added to and then sent; sending clears it. */
congru_bytes congru_process_group_begin(congru_message message);
void congru_process_group_send(congru_process_group *processes, int to, congru_bytes *bytes);
/* To every other process that is present. */
void congru_process_group_send_all(congru_process_group *processes, congru_bytes *bytes);

/* The next message, if there is one. Those that leave are noted and not passed on. */
bool congru_process_group_receive(congru_process_group *processes, int *from, congru_message *message,
                                  congru_parcel *parcel);

/* On ranks other than 0: waits for a message from rank 0. false: it is no more. */
bool congru_process_group_await(congru_process_group *processes, congru_message *message,
                                congru_parcel *parcel);

/* On rank 0: one such message from every other process that is present, in any order. */
typedef void (*congru_process_group_listener)(void *user, int from, congru_parcel *parcel);
void congru_process_group_gather(congru_process_group *processes, congru_message message,
                                 congru_process_group_listener take, void *user);

/* The next message of one process, waited for with little delay; what others say meanwhile is kept for when they are
 * asked. For processes that work in step; false: it is not present any more. Only after the last such message may the
 * functions above be called again. */
bool congru_process_group_take(congru_process_group *processes, int from, congru_message *message,
                               congru_parcel *parcel);

/* Puts a message that was taken back, to be the next of that process; drops all that are kept. */
void congru_process_group_put_back(congru_process_group *processes, int from, congru_message message,
                                   const congru_parcel *parcel);
void congru_process_group_forget(congru_process_group *processes);

/* Adds a status with the context's error text; takes them, failing the context likewise. */
void congru_bytes_add_status(congru_bytes *bytes, congru_status status, const congru_context *context);
congru_status congru_parcel_status(congru_parcel *parcel, congru_context *context);

#endif
