/* Writes JSON files under another name first. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "json_draft.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "standard_files.h"
#include "terminal.h"

int json_begin(json_draft *draft, const char *folder, const char *name)
{
    *draft = (json_draft){.file = NULL};
    int size = snprintf(draft->path, sizeof draft->path, "%s/%s", folder, name);
    /* Named as the library names its own, which the next run in the folder clears away. */
    int other = snprintf(draft->draft, sizeof draft->draft, "%s/.congru-%ld-0.tmp", folder, (long)getpid());
    if (size < 0 || other < 0 || (size_t)size >= sizeof draft->path || (size_t)other >= sizeof draft->draft)
        return terminal_fail(EXIT_FAILED, "%s: too long a name", folder);
    if (!memory_file_open(&draft->memory))
        return terminal_fail(EXIT_FAILED, "%s: cannot write: %s", draft->path, strerror(errno));
    draft->file = draft->memory.file;
    return EXIT_DONE;
}

/* Into the file beside, which then takes the name; 0, or why not. */
static int write_beside(const json_draft *draft)
{
    int descriptor = open(draft->draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (descriptor < 0)
        return errno;
    int cause = 0;
    if (!standard_files_write(descriptor, draft->memory.text, draft->memory.size) || fsync(descriptor) != 0)
        cause = errno;
    if (close(descriptor) != 0 && errno != EINTR && cause == 0)
        cause = errno;
    if (cause == 0 && rename(draft->draft, draft->path) != 0)
        cause = errno;
    if (cause != 0)
        unlink(draft->draft);
    return cause;
}

int json_end(json_draft *draft)
{
    int cause = memory_file_close(&draft->memory) ? write_beside(draft) : errno;
    free(draft->memory.text);
    return cause == 0 ? EXIT_DONE
                      : terminal_fail(EXIT_FAILED, "%s: cannot write: %s", draft->path, strerror(cause));
}

void json_drop(json_draft *draft)
{
    memory_file_close(&draft->memory);
    free(draft->memory.text);
}

void json_text(FILE *file, const char *text)
{
    fputc('"', file);
    for (; *text != '\0'; text++) {
        if ((unsigned char)*text < ' ')
            fprintf(file, "\\u%04x", (unsigned)*text);
        else
            fprintf(file, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
    }
    fputc('"', file);
}

void json_number(FILE *file, double number)
{
    if (isfinite(number))
        fprintf(file, "%.17g", number);
    else
        fprintf(file, "null");
}

void json_rounded(FILE *file, double number)
{
    if (isfinite(number))
        fprintf(file, "%.6g", number);
    else
        fprintf(file, "null");
}
