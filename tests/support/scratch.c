/* A folder of its own for a test program's files. SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700 /* nftw */
#include "scratch.h"

#include <dirent.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
