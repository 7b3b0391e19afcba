/* Writes JSON files under another name first. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "json_draft.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "terminal.h"

int json_begin(json_draft *draft, const char *folder, const char *name)
{
    int size = snprintf(draft->path, sizeof draft->path, "%s/%s", folder, name);
    if (size < 0 || (size_t)size >= sizeof draft->path - 16)
        return terminal_fail(EXIT_FAILED, "%s: too long a name", folder);
    snprintf(draft->draft, sizeof draft->draft, "%.*s.tmp", size, draft->path);
    draft->file = fopen(draft->draft, "w");
    if (draft->file == NULL)
        return terminal_fail(EXIT_FAILED, "%s: cannot write: %s", draft->path, strerror(errno));
    return EXIT_DONE;
}

int json_end(json_draft *draft)
{
    errno = 0;
    int failed = fflush(draft->file) != 0 || ferror(draft->file) || fsync(fileno(draft->file)) != 0;
    failed |= fclose(draft->file) != 0;
    if (!failed && rename(draft->draft, draft->path) == 0)
        return EXIT_DONE;
    int reason = errno;
    remove(draft->draft);
    return terminal_fail(EXIT_FAILED, "%s: cannot write: %s", draft->path, strerror(reason));
}

void json_drop(json_draft *draft)
{
    fclose(draft->file);
    remove(draft->draft);
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
