/* Reads text files without believing that they end. SPDX-License-Identifier: Apache-2.0 */
#include "array/text_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static congru_status read_bytes(congru_context *context, const char *path, FILE *from, size_t most,
                                const char *what, char **text)
{
    size_t room = 1 << 14, size = 0;
    for (;;) {
        char *more = realloc(*text, room + 1);
        if (more == NULL)
            return congru_fail(context, CONGRU_ERROR_MEMORY, "%s: not enough memory to read it", path);
        *text = more;
        size += fread(*text + size, 1, room - size, from);
        (*text)[size] = '\0';
        if (ferror(from))
            return congru_fail(context, CONGRU_ERROR_IO, "%s: cannot read: %s", path, strerror(errno));
        if (strlen(*text) < size)
            return congru_fail(context, CONGRU_ERROR_FORMAT, "%s: holds a NUL byte; not %s", path, what);
        if (size > most)
            return congru_fail(context, CONGRU_ERROR_FORMAT, "%s: larger than %zu MiB; not %s", path,
                               most >> 20, what);
        if (size < room)
            return CONGRU_OK;
        room *= 2;
    }
}

congru_status congru_text_file_read(congru_context *context, const char *path, size_t most, const char *what,
                                    char **text)
{
    FILE *from = fopen(path, "r");
    *text = NULL;
    if (from == NULL)
        return congru_fail(context, CONGRU_ERROR_IO, "%s: cannot read: %s", path, strerror(errno));
    congru_status status = read_bytes(context, path, from, most, what, text);
    fclose(from);
    if (status != CONGRU_OK) {
        free(*text);
        *text = NULL;
    }
    return status;
}
