/* A folder of its own for a test program's files. SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700 /* nftw */
#include "scratch.h"

#include <dirent.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "harness.h"

enum { PATHS = 8, PATH_SIZE = 512 };

static char directory[] = "/tmp/congru-test-XXXXXX";

bool scratch_open(void)
{
    if (mkdtemp(directory) != NULL)
        return true;
    perror(directory);
    return false;
}

const char *scratch_folder(void)
{
    return directory;
}

const char *path_in(const char *name)
{
    static char paths[PATHS][PATH_SIZE];
    static size_t next;
    char *path = paths[next++ % PATHS];
    snprintf(path, PATH_SIZE, "%s/%s", directory, name);
    return path;
}

size_t files_in_directory(void)
{
    size_t count = 0;
    DIR *listing = opendir(directory);
    for (struct dirent *entry = readdir(listing); entry != NULL; entry = readdir(listing))
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(listing);
    return count;
}

void put_file(const char *folder, const char *name, const char *text)
{
    char path[PATH_SIZE + 100];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    CHECK_SAYING(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0, "cannot write %s", path);
}

static struct rlimit whole;

void disk_fill(void)
{
    CHECK(getrlimit(RLIMIT_FSIZE, &whole) == 0);
    struct rlimit small = whole;
    small.rlim_cur = 1000;
    signal(SIGXFSZ, SIG_IGN);
    CHECK(setrlimit(RLIMIT_FSIZE, &small) == 0);
}

void disk_empty(void)
{
    CHECK(setrlimit(RLIMIT_FSIZE, &whole) == 0);
}

FILE *corpus_file(const char *name)
{
    char path[PATH_SIZE + 100];
    const char *folder = getenv("CONGRU_CORPUS");
    if (folder == NULL)
        return NULL;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    if (file == NULL)
        perror(path);
    return file;
}

static int remove_entry(const char *path, const struct stat *about, int kind, struct FTW *place)
{
    (void)about, (void)kind, (void)place;
    return remove(path);
}

void remove_folder(const char *path)
{
    nftw(path, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

void scratch_close(void)
{
    remove_folder(directory);
}
