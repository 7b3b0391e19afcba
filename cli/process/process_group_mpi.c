/* The counters and rounds of processes, by MPI. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <limits.h>
#include <mpi.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "session.h"
#include "terminal.h"

enum { TAG_BLOCK = 1, HOST_SIZE = 64 };

static const double look_seconds = 0.1;

/* A process, as it is known on this machine, and what it gives in a round. */
typedef struct member {
    long process;
    bool watched; /* runs on this machine, where its number can be asked for */
    bool lost;

    MPI_Request sending[2], receiving; /* the former of each outgoing block */
    bool arriving, arrived;
    unsigned char *data; /* (size), of which there is room for more; NULL: nothing came */
    size_t size, room;
} member;

static struct {
    int rank, size;
    member *members;
    MPI_Win window; /* the counters, in the memory of rank 0 */
    bool meets;     /* a round has begun */
    unsigned turn;  /* which outgoing block is that of this round */
    void *outgoing[2];
    size_t room[2];
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

static bool runs(long process)
{
    return kill((pid_t)process, 0) == 0 || errno != ESRCH;
}

static void look_around(void)
{
    const double now = seconds_now();
    if (now < mpi.looked + look_seconds)
        return;
    mpi.looked = now;
    for (int rank = 0; rank < mpi.size; rank++) {
        member *one = &mpi.members[rank];
        one->lost = one->lost || (one->watched && !runs(one->process));
    }
}

/* One-sided, so that rank 0 need not be doing anything. Where the network cannot do that MPI itself does it, whenever rank 0
 * calls anything of it: of that rank 0, which counts as often as it looks at anything, makes sure. */
static uint64_t count(void *user, int counter, uint64_t add)
{
    uint64_t before = 0;
    int found;
    (void)user;
    look_around();
    if (mpi.members[0].lost)
        return UINT64_MAX;
    if (MPI_Fetch_and_op(&add, &before, MPI_UINT64_T, 0, counter, MPI_SUM, mpi.window) != MPI_SUCCESS ||
        MPI_Win_flush(0, mpi.window) != MPI_SUCCESS)
        give_up("MPI cannot count");
    if (mpi.rank == 0)
        MPI_Iprobe(MPI_ANY_SOURCE, TAG_BLOCK, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
    return before;
}

/* Nobody waits until what it gives has gone out, so there are two blocks: who has given the one has received the other. */
static void begin_round(const void *own, size_t size)
{
    const unsigned turn = mpi.turn = 1 - mpi.turn;
    if (size > INT_MAX)
        give_up("processes would give each other more than 2 GB");
    for (int rank = 0; rank < mpi.size; rank++)
        if (!mpi.members[rank].lost)
            MPI_Wait(&mpi.members[rank].sending[turn], MPI_STATUS_IGNORE);
    if (size + 1 > mpi.room[turn]) {
        free(mpi.outgoing[turn]);
        mpi.outgoing[turn] = malloc(size + 1);
        if (mpi.outgoing[turn] == NULL)
            give_up("not enough memory for what processes give each other");
        mpi.room[turn] = size + 1;
    }
    memcpy(mpi.outgoing[turn], own, size);
    for (int rank = 0; rank < mpi.size; rank++) {
        member *one = &mpi.members[rank];
        one->arriving = false;
        one->arrived = rank == mpi.rank;
        one->sending[turn] = MPI_REQUEST_NULL;
        if (rank != mpi.rank && !one->lost &&
            MPI_Isend(mpi.outgoing[turn], (int)size, MPI_BYTE, rank, TAG_BLOCK, MPI_COMM_WORLD,
                      &one->sending[turn]) != MPI_SUCCESS)
            one->sending[turn] = MPI_REQUEST_NULL; /* there is nothing to wait for */
    }
}

/* Begins to receive a block, if it is announced. */
static bool begin_receiving(int rank, member *from)
{
    int found = 0, size = 0;
    MPI_Message message;
    MPI_Status status;
    if (MPI_Improbe(rank, TAG_BLOCK, MPI_COMM_WORLD, &found, &message, &status) != MPI_SUCCESS || !found)
        return false;
    MPI_Get_count(&status, MPI_BYTE, &size);
    if ((size_t)size + 1 > from->room) {
        unsigned char *larger = realloc(from->data, (size_t)size + 1);
        if (larger == NULL)
            give_up("not enough memory for what processes give each other");
        from->data = larger;
        from->room = (size_t)size + 1;
    }
    from->size = (size_t)size;
    return MPI_Imrecv(from->data, size, MPI_BYTE, &message, &from->receiving) == MPI_SUCCESS;
}

/* Whether what a process gives has come, or it is no more. A block may be announced and its sender lost before the rest of it
 * has come: MPI then keeps the memory. */
static bool has_come(int rank, member *from)
{
    const bool lost = from->lost; /* what came before is still to be had */
    int done = 0;
    if (from->arrived)
        return true;
    from->arriving = from->arriving || begin_receiving(rank, from);
    if (from->arriving && MPI_Test(&from->receiving, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && done)
        return from->arrived = true;
    if (!lost)
        return false;
    from->data = from->arriving ? NULL : from->data;
    from->room = from->arriving ? 0 : from->room;
    return true;
}

static bool gather(void *user, const void *own, size_t size, const void **data, size_t *sizes)
{
    bool all = true;
    (void)user;
    if (!mpi.meets)
        begin_round(own, size);
    mpi.meets = true;
    look_around();
    for (int rank = 0; rank < mpi.size; rank++) {
        const bool came = has_come(rank, &mpi.members[rank]);
        all = all && came;
    }
    if (!all)
        return false;
    for (int rank = 0; rank < mpi.size; rank++) {
        const member *one = &mpi.members[rank];
        data[rank] = rank == mpi.rank ? own : one->arrived ? one->data : NULL;
        sizes[rank] = rank == mpi.rank ? size : one->size;
    }
    mpi.meets = false;
    return true;
}

/* Who is where. A process of the same machine that cannot be seen from here runs in a container of its own. */
static void meet(int *neighbours)
{
    struct {
        char host[HOST_SIZE];
        long process;
    } own = {.process = (long)getpid()}, *all = calloc((size_t)mpi.size, sizeof *all);
    gethostname(own.host, sizeof own.host - 1);
    mpi.members = calloc((size_t)mpi.size, sizeof *mpi.members);
    if (mpi.members == NULL || all == NULL)
        give_up("not enough memory");
    MPI_Allgather(&own, (int)sizeof own, MPI_BYTE, all, (int)sizeof own, MPI_BYTE, MPI_COMM_WORLD);
    *neighbours = 0;
    for (int rank = 0; rank < mpi.size; rank++) {
        const bool here = strcmp(all[rank].host, own.host) == 0;
        mpi.members[rank].sending[0] = mpi.members[rank].sending[1] = MPI_REQUEST_NULL;
        mpi.members[rank].process = all[rank].process;
        mpi.members[rank].watched = here && runs(all[rank].process);
        *neighbours += here;
    }
    free(all);
}

/* Nobody counts, nor ends, before all are here. */
static void make_counters(void)
{
    uint64_t *counters = NULL;
    const MPI_Aint size = mpi.rank == 0 ? CONGRU_COUNTERS * (MPI_Aint)sizeof *counters : 0;
    if (MPI_Win_allocate(size, (int)sizeof *counters, MPI_INFO_NULL, MPI_COMM_WORLD, &counters, &mpi.window) !=
        MPI_SUCCESS)
        give_up("this MPI has no memory that processes share");
    MPI_Win_set_errhandler(mpi.window, MPI_ERRORS_RETURN);
    for (int k = 0; mpi.rank == 0 && k < CONGRU_COUNTERS; k++)
        counters[k] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, mpi.window);
}

int process_group_transport_open(congru_transport *transport, int *neighbours)
{
    int level = MPI_THREAD_SINGLE;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &level) != MPI_SUCCESS)
        return terminal_fail(EXIT_FAILED, "MPI cannot be started");
    MPI_Comm_rank(MPI_COMM_WORLD, &mpi.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &mpi.size);
    if (level < MPI_THREAD_SERIALIZED)
        give_up("this MPI does not allow threads");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    meet(neighbours);
    make_counters();
    *transport = (congru_transport){NULL, mpi.rank, mpi.size, count, gather};
    return EXIT_DONE;
}

/* The first that is left speaks for rank 0. */
void process_group_transport_close(int code)
{
    int first = 0;
    bool lost = false;
    mpi.looked = 0;
    look_around();
    for (int rank = 0; rank < mpi.size; rank++) {
        lost = lost || mpi.members[rank].lost;
        first += first == rank && mpi.members[rank].lost;
    }
    if (lost && first > 0 && first == mpi.rank)
        fprintf(stderr, "congru: the first process is gone; the same command goes on from what is done\n");
    if (lost)
        _exit(code);
    for (int rank = 0; rank < mpi.size; rank++)
        MPI_Waitall(2, mpi.members[rank].sending, MPI_STATUSES_IGNORE);
    MPI_Win_unlock_all(mpi.window);
    MPI_Win_free(&mpi.window);
    MPI_Finalize();
    for (int rank = 0; rank < mpi.size; rank++)
        free(mpi.members[rank].data);
    free(mpi.members);
    free(mpi.outgoing[0]);
    free(mpi.outgoing[1]);
}

const char *process_group_transport_name(void)
{
    static char name[MPI_MAX_LIBRARY_VERSION_STRING];
    int size = 0;
    MPI_Get_library_version(name, &size);
    name[strcspn(name, ",\n")] = '\0';
    return name;
}
