/* Opens the library's context and explains why that failed. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "session.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "terminal.h"

void session_cpu_names(char *names, size_t size)
{
    size_t used = 0;
    names[0] = '\0';
    for (size_t i = 0; congru_cpu_name(i) != NULL && used < size; i++)
        if (congru_cpu_available(congru_cpu_name(i)))
            used +=
                (size_t)snprintf(names + used, size - used, "%s%s", used > 0 ? " " : "", congru_cpu_name(i));
}

static bool cpu_known(const char *name)
{
    for (size_t i = 0; congru_cpu_name(i) != NULL; i++)
        if (strcmp(congru_cpu_name(i), name) == 0)
            return true;
    return false;
}

static sigset_t before; /* what was held already */

void session_hold_interrupts(const char *path)
{
    struct stat about;
    sigset_t interrupts;
    sigemptyset(&interrupts);
    if (path != NULL && (stat(path, &about) != 0 || S_ISREG(about.st_mode) || S_ISDIR(about.st_mode))) {
        sigaddset(&interrupts, SIGINT);
        sigaddset(&interrupts, SIGTERM);
        sigaddset(&interrupts, SIGHUP);
    }
    pthread_sigmask(SIG_BLOCK, &interrupts, &before);
}

void session_release_interrupts(void)
{
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static volatile sig_atomic_t interrupted;

static void interrupt(int number)
{
    interrupted = number;
}

void session_catch_interrupts(void)
{
    struct sigaction action = {.sa_handler = interrupt};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

bool session_interrupted(void)
{
    return interrupted != 0;
}

int session_interrupted_code(void)
{
    return 128 + (int)interrupted;
}

int session_open(int threads, congru_context **context)
{
    return session_open_with(&(congru_context_options){.threads = threads}, context);
}

int session_open_with(const congru_context_options *options, congru_context **context)
{
    congru_status status = congru_context_create(context, options);
    if (status == CONGRU_OK)
        return EXIT_DONE;
    /* Without a context there is no error text: say here what the one thing that can be chosen wrongly is. */
    const char *cpu = getenv("CONGRU_CPU");
    if (status != CONGRU_ERROR_CPU || cpu == NULL)
        return terminal_fail(EXIT_FAILED, "cannot start: %s", congru_status_text(status));
    char available[256];
    session_cpu_names(available, sizeof available);
    return terminal_fail(EXIT_FAILED, "CONGRU_CPU=%s: %s (available: %s)", cpu,
                         cpu_known(cpu) ? "this machine does not have it" : "no such instruction set",
                         available);
}
