/* A folder of its own for a test program's files. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "scratch.h"

#include <dirent.h>
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

void scratch_close(void)
{
    DIR *listing = opendir(directory);
    for (struct dirent *entry = readdir(listing); entry != NULL; entry = readdir(listing))
        unlink(path_in(entry->d_name));
    closedir(listing);
    rmdir(directory);
}
