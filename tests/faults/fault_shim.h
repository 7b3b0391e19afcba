/* What the driver tells the shim, by environment, and what it hears back. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_FAULT_SHIM_H
#define CONGRU_FAULT_SHIM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * LD_PRELOAD=libfault_shim.so with
 *
 *   FAULT_COUNTS=FILE   counts of allocations and of calls by kind, kept in FILE while they happen
 *   FAULT_ALLOC=N       the Nth allocation fails, from 1
 *   FAULT_LATER=1       and all after it; likewise for FAULT_CALL
 *   FAULT_CALL=KIND     system calls of this kind (below), or "any"
 *   FAULT_NTH=N         of which the Nth, from 1,
 *   FAULT_ERRNO=E       fails with this error number, or
 *   FAULT_KILL=1        is the moment of SIGKILL, in the midst of a write
 *   FAULT_SHORT=SEED    reads and writes are of random lengths
 *   FAULT_EINTR=SEED    one call in eight is interrupted
 *
 * System calls are caught by a seccomp filter that raises SIGSYS, so that calls from inside of the C library,
 * which interposing functions does not reach, are caught too. Descriptor 2 is left alone but for short and
 * interrupted writes: the line that tells of the fault goes there.
 */
enum call_kind {
    CALL_READ,
    CALL_WRITE,
    CALL_OPEN,
    CALL_CLOSE,
    CALL_SYNC,
    CALL_RENAME,
    CALL_REMOVE,
    CALL_MKDIR,
    CALL_MAP,
    CALL_STAT,
    CALL_SEEK,
    CALL_LIST,
    CALL_LOCK,
    CALL_CHANGE, /* of mode or length */
    CALL_KINDS
};

/* The file of FAULT_COUNTS, eight bytes each. */
typedef struct fault_counts {
    _Atomic uint64_t ready; /* the filter is in place */
    _Atomic uint64_t fired; /* faults made */
    _Atomic uint64_t allocations;
    _Atomic uint64_t call[CALL_KINDS];
    _Atomic uint64_t any; /* all calls */
} fault_counts;

extern fault_counts *fault_count;

/* The environment's number, or `missing`. */
long fault_number(const char *name, long missing);

/* Starts the half that catches system calls. */
void fault_calls_start(void);

/* A system call that is not caught; the result or minus the error number. */
long fault_gate(long number, long a, long b, long c, long d, long e, long f);

#endif
