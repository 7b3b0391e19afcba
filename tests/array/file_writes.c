/* Writing files: whole or not at all; links and devices stay. SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "array/npz.h"
#include "congru/npy.h"
#include "context_main.h"
#include "harness.h"
#include "scratch.h"

enum { PATH_SIZE = 512, PATHS = 4 };

static congru_context *context;

static congru_status write_number(const char *path, double number)
{
    return congru_npy_write(context, path, 0, NULL, &number);
}

/* The number a file written by write_number() holds, or -1. */
static double read_number(const char *path)
{
    congru_array array;
    double number = -1;
    if (congru_npy_read(context, path, &array) == CONGRU_OK && array.count == 1)
        number = array.data[0];
    congru_array_clear(&array);
    return number;
}

static void check_unwritten(const char *path, const char *words)
{
    size_t before = files_in_directory();
    CHECK(write_number(path, 1) == CONGRU_ERROR_IO);
    const char *error = congru_context_error(context);
    CHECK_SAYING(strncmp(error, path, strlen(path)) == 0 && strncmp(error + strlen(path), ": ", 2) == 0,
                 "does not begin with the file: %s", error);
    CHECK_SAYING(strstr(error, words) != NULL, "no '%s' in: %s", words, error);
    CHECK(files_in_directory() == before);
}

TEST(failed_writes_leave_nothing)
{
    check_unwritten(scratch_folder(), "is a directory");
    check_unwritten("/dev/full", "No space left");
    CHECK(symlink("nowhere", path_in("dangling")) == 0);
    check_unwritten(path_in("dangling"), "No such file");
    CHECK(write_number(path_in("file"), 1) == CONGRU_OK);
    check_unwritten(path_in("file/out.npy"), "Not a directory");
}

/* As above a folder of results; for a file that comes to nothing they go again. */
TEST(missing_folders_are_made)
{
    congru_npz_writer *writer;
    CHECK(write_number(path_in("made/deep/out.npy"), 3) == CONGRU_OK);
    CHECK(read_number(path_in("made/deep/out.npy")) == 3);
    CHECK(congru_npz_create(context, path_in("made/deeper/still/out.npz"), &writer) == CONGRU_OK);
    CHECK(access(path_in("made/deeper/still"), F_OK) == 0);
    congru_npz_abandon(&writer);
    CHECK(access(path_in("made/deeper"), F_OK) != 0 && access(path_in("made/deep/out.npy"), F_OK) == 0);
    CHECK(write_number("/proc/none/deep/out.npy", 1) == CONGRU_ERROR_IO);
    CHECK(strstr(congru_context_error(context), "/proc/none: cannot make the folder: ") != NULL);
}

TEST(impossible_arguments_are_refused)
{
    const double value = 1;
    const size_t many[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1}, huge[2] = {SIZE_MAX, SIZE_MAX};
    const char *path = path_in("out.npy");
    CHECK(congru_npy_write(context, path, 9, many, &value) == CONGRU_ERROR_ARGUMENT);
    CHECK(congru_npy_write(context, path, 2, huge, &value) == CONGRU_ERROR_ARGUMENT);
    CHECK(congru_npy_write(context, path, 1, many, NULL) == CONGRU_ERROR_ARGUMENT);
    CHECK(congru_npy_write(context, path, 1, NULL, &value) == CONGRU_ERROR_ARGUMENT);
    CHECK(congru_npy_write(context, NULL, 1, many, &value) == CONGRU_ERROR_ARGUMENT);
    CHECK(access(path, F_OK) != 0);
}

TEST(a_full_disk_keeps_the_old_file)
{
    static const double values[4096];
    const size_t many = 4096;
    CHECK(write_number(path_in("kept.npy"), 42) == CONGRU_OK);
    size_t before = files_in_directory();
    disk_fill();
    congru_status status = congru_npy_write(context, path_in("kept.npy"), 1, &many, values);
    disk_empty();
    CHECK(status == CONGRU_ERROR_IO && files_in_directory() == before);
    CHECK(read_number(path_in("kept.npy")) == 42);
}

TEST(the_longest_name_can_be_written)
{
    char name[256];
    memset(name, 'n', sizeof name);
    name[255] = '\0';
    CHECK(write_number(path_in(name), 3) == CONGRU_OK && read_number(path_in(name)) == 3);
}

TEST(a_name_without_a_folder_is_written_here)
{
    char here[PATH_SIZE];
    CHECK(getcwd(here, sizeof here) != NULL && chdir(scratch_folder()) == 0);
    CHECK(write_number("here.npy", 5) == CONGRU_OK);
    CHECK(chdir(here) == 0);
    CHECK(read_number(path_in("here.npy")) == 5);
}

TEST(new_files_obey_the_umask_and_old_ones_keep_their_mode)
{
    struct stat about;
    mode_t mask = umask(027);
    CHECK(write_number(path_in("mode.npy"), 1) == CONGRU_OK);
    umask(mask);
    CHECK(stat(path_in("mode.npy"), &about) == 0 && (about.st_mode & 07777) == 0640);
    CHECK(chmod(path_in("mode.npy"), 0604) == 0 && write_number(path_in("mode.npy"), 2) == CONGRU_OK);
    CHECK(stat(path_in("mode.npy"), &about) == 0 && (about.st_mode & 07777) == 0604);
}

TEST(a_link_stays_and_its_file_is_replaced)
{
    struct stat about;
    CHECK(write_number(path_in("real.npy"), 7) == CONGRU_OK);
    CHECK(symlink("real.npy", path_in("link.npy")) == 0);
    size_t before = files_in_directory();
    CHECK(write_number(path_in("link.npy"), 8) == CONGRU_OK);
    CHECK(lstat(path_in("link.npy"), &about) == 0 && S_ISLNK(about.st_mode));
    CHECK(read_number(path_in("real.npy")) == 8 && files_in_directory() == before);
}

TEST(devices_and_pipes_are_written_to)
{
    struct stat about;
    int ends[2];
    char path[PATH_SIZE], bytes[256];
    const double value = 7;
    CHECK(write_number("/dev/null", value) == CONGRU_OK);
    CHECK(stat("/dev/null", &about) == 0 && S_ISCHR(about.st_mode));
    CHECK(pipe(ends) == 0);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[1]);
    CHECK(write_number(path, value) == CONGRU_OK);
    close(ends[1]); /* so that reading an empty pipe ends */
    CHECK(read(ends[0], bytes, sizeof bytes) == 128 + 8 && memcmp(bytes + 128, &value, 8) == 0);
    close(ends[0]);
}

/* As with "-o /dev/stdout >>file": what the file held before stays in it. */
TEST(an_open_descriptor_is_appended_to)
{
    struct stat about;
    char path[PATH_SIZE];
    FILE *file = fopen(path_in("appended"), "ab");
    if (!CHECK(file != NULL && fputs("before\n", file) >= 0 && fflush(file) == 0))
        return;
    snprintf(path, sizeof path, "/dev/fd/%d", fileno(file));
    CHECK(write_number(path, 1) == CONGRU_OK);
    CHECK(fstat(fileno(file), &about) == 0 && about.st_size == 7 + 128 + 8);
    fclose(file);
}

int main(void)
{
    return scratch_main(&context, NULL);
}
