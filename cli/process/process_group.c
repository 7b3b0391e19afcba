/* Joins and leaves the processes that share a command. SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* sched_getaffinity */
#include "session.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "terminal.h"

static congru_process_group *processes;
static congru_transport transport = {.size = 1};
static int neighbours = 1;
static bool joined;

int process_group_begin(void)
{
    if (!terminal_is_launched())
        return EXIT_DONE;
    int code = process_group_transport_open(&transport, &neighbours);
    joined = code == EXIT_DONE;
    if (code != EXIT_DONE || transport.size == 1)
        return code;
    if (congru_process_group_create(&processes, &transport) != CONGRU_OK)
        return terminal_fail(EXIT_FAILED, "not enough memory for %d processes", transport.size);
    if (transport.rank > 0) {
        terminal_mute();
        if (!standard_files_silence())
            return terminal_fail(EXIT_FAILED, "/dev/null: cannot open: %s", strerror(errno));
    }
    return EXIT_DONE;
}

congru_process_group *process_group_of_command(void)
{
    return processes;
}

bool process_group_leads(void)
{
    return transport.rank == 0;
}

/* A launcher that binds processes to processors has dealt them out already; one that does not leaves each with all. */
int process_group_threads(int wanted)
{
    cpu_set_t set;
    long processors = sysconf(_SC_NPROCESSORS_ONLN), share = processors / neighbours;
    if (wanted > 0 || processes == NULL)
        return wanted;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) < share)
        share = CPU_COUNT(&set);
    return share > 1 ? (int)share : 1;
}

int process_group_end(int code)
{
    const char *complaint =
        congru_process_group_leave(processes, code != EXIT_DONE ? terminal_last_error() : NULL);
    if (complaint != NULL && code == EXIT_DONE)
        code = terminal_fail(EXIT_FAILED, "%s", complaint);
    congru_process_group_destroy(&processes);
    if (joined) {
        fflush(NULL);
        process_group_transport_close(code);
    }
    return code;
}
