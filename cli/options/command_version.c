/* congru version: what this program is and what it runs on. SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "commands.h"
#include "congru/congru.h"
#include "process_group_transport.h"
#include "session.h"
#include "terminal.h"

static int run(const arguments *parsed)
{
    if (parsed->operand_count > 0)
        return terminal_fail(EXIT_USAGE, "version: unexpected '%s'", parsed->operands[0]);
    congru_context *context;
    int code = session_open(0, &context);
    if (code != EXIT_DONE)
        return code;
    char available[256];
    session_cpu_names(available, sizeof available);
    printf("congru %s\n", congru_version());
    printf("commit: %s\n", congru_version_commit());
    printf("compiler: %s\n", congru_version_compiler());
    printf("cpu: %s (available: %s)\n", congru_context_cpu(context), available);
    printf("threads: %d\n", congru_context_threads(context));
    printf("mpi: %s\n", process_group_transport_name());
    congru_context_destroy(&context);
    return EXIT_DONE;
}

const command command_version = {
    .name = "version",
    .summary = "Print the version, the compiler and the instruction set in use",
    .usage = "",
    .description = "Prints the version and the commit this program was built from, the compiler, the "
                   "instruction set in use with those this machine has, the number of threads, and the MPI "
                   "by which processes share work, if this program was built with one. CONGRU_CPU "
                   "in the environment chooses an instruction set; results are the same bits with all of them.",
    .run = run,
};
