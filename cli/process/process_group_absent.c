/* The build without MPI: processes cannot reach each other. SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "session.h"
#include "terminal.h"

static long number_in(const char *const *names)
{
    const char *text = NULL;
    for (; text == NULL && *names != NULL; names++)
        text = getenv(*names);
    return text != NULL ? strtol(text, NULL, 10) : 0;
}

/* One of them says so; the others end without a word, and without a code that would end the one that speaks. */
int process_group_transport_open(congru_transport *transport, int *neighbours)
{
    static const char *const sizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS", NULL},
                             *const ranks[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", NULL};
    long size = number_in(sizes);
    *transport = (congru_transport){.size = 1};
    *neighbours = 1;
    if (size <= 1)
        return EXIT_DONE;
    if (number_in(ranks) > 0)
        exit(EXIT_DONE);
    return terminal_fail(
        EXIT_FAILED,
        "started as %ld processes, but this congru was built without MPI and cannot share work "
        "(start it once, with --jobs; or build it where libopenmpi-dev is installed)",
        size);
}

void process_group_transport_close(int code)
{
    (void)code;
}

const char *process_group_transport_name(void)
{
    return "none";
}
