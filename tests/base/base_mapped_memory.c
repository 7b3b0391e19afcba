/* Memory that is a file: what is written stays, what is resident is bounded, what fails says why. SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700
#include "base/mapped_memory.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "context_main.h"
#include "harness.h"
#include "scratch.h"

enum { MB = 1 << 20 };

static congru_context *context;

/* Pages of files that are resident now, in bytes; 0 where the system does not tell. */
static size_t resident_of_files(void)
{
    unsigned long size = 0, resident = 0, shared = 0;
    FILE *stream = fopen("/proc/self/statm", "r");
    if (stream == NULL || fscanf(stream, "%lu %lu %lu", &size, &resident, &shared) != 3)
        shared = 0;
    if (stream != NULL)
        fclose(stream);
    return shared * (size_t)sysconf(_SC_PAGESIZE);
}

TEST(what_is_written_stays)
{
    congru_mapped_set_limit(MB);
    const size_t count = 8 * MB / sizeof(size_t);
    size_t *numbers = congru_mapped_take(count * sizeof *numbers), wrong = 0;
    if (!CHECK(numbers != NULL))
        return;
    for (size_t i = 0; i < count; i++)
        wrong += numbers[i] != 0;
    CHECK_SAYING(wrong == 0, "%zu numbers of a new region are not 0", wrong);
    for (size_t i = 0; i < count; i++) {
        numbers[i] = i * i;
        congru_mapped_pass(sizeof *numbers);
    }
    for (size_t i = 0; i < count; i++) {
        wrong += numbers[i] != i * i;
        congru_mapped_pass(sizeof *numbers);
    }
    CHECK_SAYING(wrong == 0, "%zu numbers are lost", wrong);
    size_t *more = congru_mapped_grow(numbers, 16 * MB);
    if (CHECK(more != NULL)) {
        for (size_t i = 0; i < 2 * count; i++)
            wrong += more[i] != (i < count ? i * i : 0);
        CHECK_SAYING(wrong == 0, "%zu numbers of the larger region are wrong", wrong);
        numbers = more;
    }
    CHECK(congru_mapped_give(numbers));
    CHECK(!congru_mapped_give(numbers));
}

TEST(little_is_resident)
{
    const size_t size = 64 * MB, limit = 2 * MB;
    size_t before = resident_of_files(), most = 0;
    if (before == 0) {
        SKIP("no /proc/self/statm");
        return;
    }
    congru_mapped_set_limit(limit);
    char *memory = congru_memory_take(size);
    if (!CHECK(memory != NULL))
        return;
    for (int walk = 0; walk < 2; walk++)
        for (size_t i = 0; i < size; i += MB) {
            memset(memory + i, walk + 1, MB);
            congru_mapped_pass(MB);
            size_t now = resident_of_files();
            most = now > most ? now : most;
        }
    CHECK_SAYING(most < before + limit + 2 * MB, "%zu MB of it were resident at a time", (most - before) / MB);
    congru_memory_give(memory);
}

TEST(memory_is_a_file_where_it_is_large)
{
    congru_mapped_set_limit(MB);
    char *small = congru_memory_take(MB), *large = congru_memory_take(MB + 1), *plain = malloc(10);
    CHECK(small != NULL && large != NULL && plain != NULL);
    CHECK(!congru_mapped_give(small));
    memset(small, 7, MB);
    char *grown = congru_memory_grow(small, MB, 3 * MB);
    if (CHECK(grown != NULL)) {
        size_t sevens = 0;
        for (size_t i = 0; i < 3 * MB; i++)
            sevens += grown[i] == 7;
        CHECK(sevens == MB);
    }
    CHECK(congru_mapped_give(large));
    CHECK(congru_mapped_give(grown));
    congru_memory_give(plain);
    congru_memory_give(NULL);
    void *first = congru_memory_grow(NULL, 0, 100);
    CHECK(first != NULL);
    congru_memory_give(first);
}

/* The reason is in the one line that the failed function leaves. */
static void check_reason(const char *words)
{
    CHECK(congru_memory_take(4 * MB) == NULL);
    CHECK(congru_fail(context, CONGRU_ERROR_MEMORY, "no memory for 7 trials") == CONGRU_ERROR_MEMORY);
    const char *error = congru_context_error(context);
    CHECK_SAYING(strncmp(error, "no memory for 7 trials: no room for 5 MB in a temporary file in '", 64) == 0,
                 "%s", error);
    CHECK_SAYING(strstr(error, words) != NULL && strstr(error, "TMPDIR") != NULL, "no '%s' in: %s", words,
                 error);
    CHECK(strpbrk(error, "\n\r") == NULL);
    congru_fail(context, CONGRU_ERROR_MEMORY, "something else");
    CHECK(strcmp(congru_context_error(context), "something else") == 0);
}

TEST(no_folder_and_no_room_are_told)
{
    congru_mapped_set_limit(MB);
    setenv("TMPDIR", path_in("absent"), 1);
    check_reason("No such file or directory");
    setenv("TMPDIR", scratch_folder(), 1);
    struct rlimit limit, small;
    CHECK(getrlimit(RLIMIT_FSIZE, &limit) == 0);
    small = limit;
    small.rlim_cur = 1000; /* as if the disk were full */
    signal(SIGXFSZ, SIG_IGN);
    size_t before = files_in_directory();
    CHECK(setrlimit(RLIMIT_FSIZE, &small) == 0);
    check_reason("File too large");
    CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    void *memory = congru_memory_take(4 * MB);
    CHECK(memory != NULL);
    CHECK(files_in_directory() == before); /* it has no name */
    congru_memory_give(memory);
    unsetenv("TMPDIR");
}

TEST(the_environment_sets_the_limit)
{
    static const struct {
        const char *text;
        size_t limit;
    } cases[] = {{"8", 8 * MB}, {"0.5", MB / 2}, {"0", 1}, {"", 0}, {"much", 0}, {"-1", 0}}; /* 0: by default */
    const double memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    const size_t usual = memory / 32 > 64 * MB ? (size_t)(memory / 32) : 64 * MB;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        setenv("CONGRU_LARGE", cases[i].text, 1);
        congru_mapped_set_limit(0);
        CHECK_SAYING(congru_mapped_limit() == (cases[i].limit > 0 ? cases[i].limit : usual), "'%s' gives %zu",
                     cases[i].text, congru_mapped_limit());
    }
    unsetenv("CONGRU_LARGE");
    congru_mapped_set_limit(0);
    CHECK(congru_mapped_limit() == usual);
}

int main(void)
{
    return scratch_main(&context, NULL);
}
