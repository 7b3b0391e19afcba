/* Reads text files without believing that they end. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L /* fmemopen, getc_unlocked */
#include "text_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "terminal.h"

static int read_bytes(const char *path, FILE *from, size_t most, const char *what, char **text, size_t *size)
{
    size_t room = 1 << 14;
    *size = 0;
    *text = NULL;
    for (;;) {
        char *more = realloc(*text, room);
        if (more == NULL)
            return terminal_fail(EXIT_FAILED, "%s: not enough memory to read it", path);
        *text = more;
        *size += fread(*text + *size, 1, room - *size, from);
        if (ferror(from))
            return terminal_fail(EXIT_FAILED, "%s: cannot read: %s", path, strerror(errno));
        if (*size > 0 && memchr(*text, '\0', *size) != NULL)
            return terminal_fail(EXIT_FAILED, "%s: holds a NUL byte; not %s", path, what);
        if (*size > most)
            return terminal_fail(EXIT_FAILED, "%s: larger than %zu MiB; not %s", path, most >> 20, what);
        if (*size < room)
            return EXIT_DONE;
        room *= 2;
    }
}

text_line text_line_read(FILE *file, size_t room, char *line)
{
    size_t size = 0;
    int c;
    while ((c = getc_unlocked(file)) != EOF && c != '\n') {
        if (c == '\0')
            return TEXT_LINE_BINARY;
        if (size + 1 == room)
            return TEXT_LINE_LONG;
        line[size++] = (char)c;
    }
    if (ferror(file) || (c == EOF && size == 0))
        return TEXT_LINE_NONE;
    while (size > 0 && line[size - 1] == '\r')
        size--;
    line[size] = '\0';
    return TEXT_LINE_WHOLE;
}

int text_file_open(const char *path, size_t most, const char *what, FILE **file, char **text)
{
    size_t size;
    FILE *from = fopen(path, "r");
    *file = NULL;
    *text = NULL;
    if (from == NULL)
        return terminal_fail(EXIT_FAILED, "%s: cannot read: %s", path, strerror(errno));
    int code = read_bytes(path, from, most, what, text, &size);
    fclose(from);
    /* fmemopen refuses an empty text; one blank line says the same. */
    if (code == EXIT_DONE && size == 0)
        (*text)[size++] = '\n';
    if (code == EXIT_DONE && (*file = fmemopen(*text, size, "r")) == NULL)
        code = terminal_fail(EXIT_FAILED, "%s: cannot read: %s", path, strerror(errno));
    if (code != EXIT_DONE) {
        free(*text);
        *text = NULL;
    }
    return code;
}
