/* Messages over MPI. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <limits.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "session.h"
#include "terminal.h"

enum { TAG_MESSAGE = 1, HOST_SIZE = 64 };

static const double look_seconds = 0.1;

/* A message on its way out. */
typedef struct outgoing {
    struct outgoing *next;
    MPI_Request request;
    unsigned char data[];
} outgoing;

/* Another process, as it is known on this machine. */
typedef struct mate {
    char host[HOST_SIZE];
    long process;
    bool watched; /* runs on this machine, where its number can be asked for */
    bool lost;
} mate;

static struct {
    int rank, size;
    mate *mates;
    outgoing *pending;
    unsigned char *incoming; /* the message that is arriving, or has arrived last */
    size_t room, count;
    int sender;
    bool arriving;
    MPI_Request request;
    double looked;
} mpi;

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* MPI gives no way on from here: the other processes would wait for ever. */
static void give_up(const char *why)
{
    fprintf(stderr, "congru: process %d of %d: %s\n", mpi.rank + 1, mpi.size, why);
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILED);
    exit(EXIT_FAILED);
}

static void drop_sent(void)
{
    for (outgoing **at = &mpi.pending; *at != NULL;) {
        outgoing *one = *at;
        int sent = 0;
        if (MPI_Test(&one->request, &sent, MPI_STATUS_IGNORE) == MPI_SUCCESS && !sent) {
            at = &one->next;
            continue;
        }
        *at = one->next;
        free(one);
    }
}

static void send(void *user, int to, const void *data, size_t size)
{
    (void)user;
    if (mpi.mates[to].lost)
        return;
    outgoing *one = size <= INT_MAX ? malloc(sizeof *one + size) : NULL;
    if (one == NULL)
        give_up("not enough memory for a message, or it has more than 2 GB");
    memcpy(one->data, data, size);
    if (MPI_Isend(one->data, (int)size, MPI_BYTE, to, TAG_MESSAGE, MPI_COMM_WORLD, &one->request) !=
        MPI_SUCCESS)
        one->request = MPI_REQUEST_NULL; /* nothing to wait for: it is dropped with those that were sent */
    one->next = mpi.pending;
    mpi.pending = one;
}

/* Begins to receive the next message, if one is announced. */
static bool begin_receiving(void)
{
    int found = 0, count = 0;
    MPI_Message message;
    MPI_Status status;
    if (MPI_Improbe(MPI_ANY_SOURCE, TAG_MESSAGE, MPI_COMM_WORLD, &found, &message, &status) != MPI_SUCCESS ||
        !found)
        return false;
    MPI_Get_count(&status, MPI_BYTE, &count);
    if ((size_t)count > mpi.room) {
        unsigned char *larger = realloc(mpi.incoming, (size_t)count);
        if (larger == NULL)
            give_up("not enough memory for a message");
        mpi.incoming = larger;
        mpi.room = (size_t)count;
    }
    mpi.sender = status.MPI_SOURCE;
    mpi.count = (size_t)count;
    return MPI_Imrecv(mpi.incoming, count, MPI_BYTE, &message, &mpi.request) == MPI_SUCCESS;
}

/* A message may be announced and its sender lost before the rest of it has come. MPI then keeps the memory. */
static bool receive(void *user, int *from, const void **data, size_t *size)
{
    int arrived = 0;
    (void)user;
    if (mpi.pending != NULL)
        drop_sent();
    mpi.arriving = mpi.arriving || begin_receiving();
    if (!mpi.arriving)
        return false;
    if (MPI_Test(&mpi.request, &arrived, MPI_STATUS_IGNORE) != MPI_SUCCESS || !arrived) {
        if (mpi.mates[mpi.sender].lost) {
            mpi.incoming = NULL;
            mpi.room = 0;
            mpi.arriving = false;
        }
        return false;
    }
    mpi.arriving = false;
    *from = mpi.sender;
    *data = mpi.incoming;
    *size = mpi.count;
    return true;
}

static bool runs(long process)
{
    return kill((pid_t)process, 0) == 0 || errno != ESRCH;
}

static void look_around(void)
{
    double now = seconds_now();
    if (now < mpi.looked + look_seconds)
        return;
    mpi.looked = now;
    for (int rank = 0; rank < mpi.size; rank++) {
        mate *one = &mpi.mates[rank];
        one->lost = one->lost || (one->watched && !runs(one->process));
    }
}

static bool alive(void *user, int rank)
{
    (void)user;
    look_around();
    return !mpi.mates[rank].lost;
}

/* Who is where. A process of the same machine that cannot be seen from here runs in a container of its own. */
static void meet(int *neighbours)
{
    mate own = {.process = (long)getpid()};
    gethostname(own.host, sizeof own.host - 1);
    mpi.mates = calloc((size_t)mpi.size, sizeof *mpi.mates);
    if (mpi.mates == NULL)
        give_up("not enough memory");
    MPI_Allgather(&own, (int)sizeof own, MPI_BYTE, mpi.mates, (int)sizeof own, MPI_BYTE, MPI_COMM_WORLD);
    *neighbours = 0;
    for (int rank = 0; rank < mpi.size; rank++) {
        bool here = strcmp(mpi.mates[rank].host, own.host) == 0;
        mpi.mates[rank].watched = here && runs(mpi.mates[rank].process);
        *neighbours += here;
    }
    MPI_Barrier(MPI_COMM_WORLD); /* nobody ends before all have looked */
}

int process_group_transport_open(congru_transport *transport, int *neighbours)
{
    int level = MPI_THREAD_SINGLE;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS)
        return terminal_fail(EXIT_FAILED, "MPI cannot be started");
    MPI_Comm_rank(MPI_COMM_WORLD, &mpi.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &mpi.size);
    if (level < MPI_THREAD_FUNNELED)
        give_up("this MPI does not allow threads");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    meet(neighbours);
    *transport = (congru_transport){NULL, mpi.rank, mpi.size, send, receive, alive};
    return EXIT_DONE;
}

void process_group_transport_close(bool lost, int code)
{
    while (mpi.pending != NULL && !lost)
        drop_sent();
    if (lost)
        _exit(code);
    MPI_Finalize();
    free(mpi.mates);
    free(mpi.incoming);
}

const char *process_group_transport_name(void)
{
    static char name[MPI_MAX_LIBRARY_VERSION_STRING];
    int size = 0;
    MPI_Get_library_version(name, &size);
    name[strcspn(name, ",\n")] = '\0';
    return name;
}
