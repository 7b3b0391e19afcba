/* Runs a command and tells how much memory it had at most: peak_memory COMMAND... SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE /* wait4 */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* The last line of standard error: "peak_memory: N KB, S s of processor time". Its pages of mapped files count. */
int main(int count, char **words)
{
    int state;
    struct rusage usage;
    if (count < 2)
        return 2;
    pid_t child = fork();
    if (child == 0) {
        execvp(words[1], words + 1);
        perror(words[1]);
        _exit(127);
    }
    if (child < 0 || wait4(child, &state, 0, &usage) != child) {
        perror("peak_memory");
        return 1;
    }
    double seconds = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                     1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
    fprintf(stderr, "peak_memory: %ld KB, %.1f s of processor time\n", usage.ru_maxrss, seconds);
    return WIFEXITED(state) ? WEXITSTATUS(state) : 1;
}
