/* Makes folders that are missing. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "array/folder.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

#include "array/source.h"
#include "base/error.h"
#include "base/number_text.h"
#include "base/text.h"

static congru_status make_one(congru_context *context, const char *path)
{
    struct stat about;
    if (mkdir(path, 0777) == 0)
        return CONGRU_OK;
    int cause = errno;
    if (cause == EEXIST) {
        if (stat(path, &about) != 0)
            cause = errno;
        else if (S_ISDIR(about.st_mode))
            return CONGRU_OK;
        else
            cause = ENOTDIR;
    }
    return congru_fail(context, CONGRU_ERROR_IO, "%s: cannot make the folder: %s", path, strerror(cause));
}

congru_status congru_folder_make(congru_context *context, const char *folder, const char *name)
{
    congru_text path = {0};
    congru_text_add(&path, "%s%s%s", folder, name[0] != '\0' ? "/" : "", name);
    if (path.failed || path.data == NULL)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "%s: not enough memory", folder);
    congru_status status = CONGRU_OK;
    size_t given = name[0] != '\0' ? strlen(folder) : 0; /* what must be there */
    for (char *slash = strchr(path.data + given + 1, '/'); status == CONGRU_OK && slash != NULL;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        status = make_one(context, path.data);
        *slash = '/';
    }
    if (status == CONGRU_OK)
        status = make_one(context, path.data);
    congru_text_clear(&path);
    return status;
}

/* ---- What is in them ------------------------------------------------------------------------------------- */

enum { NAME_SIZE = 256 };

static congru_status look(congru_context *context, const char *folder, congru_text *path, bool *exists,
                          const char *format, va_list arguments)
{
    char name[NAME_SIZE];
    *exists = false;
    congru_format_list(name, sizeof name, format, arguments);
    congru_text_add(path, "%s/%s", folder, name);
    return path->failed ? congru_fail(context, CONGRU_ERROR_MEMORY, "%s: not enough memory", folder)
                        : congru_source_exists(context, path->data, exists);
}

congru_status congru_folder_look(congru_context *context, const char *folder, bool *exists, const char *name,
                                 ...)
{
    congru_text path = {0};
    va_list arguments;
    va_start(arguments, name);
    const congru_status status = look(context, folder, &path, exists, name, arguments);
    va_end(arguments);
    congru_text_clear(&path);
    return status;
}

congru_status congru_folder_table(congru_context *context, const char *folder, congru_csv *csv, bool *found,
                                  const char *name, ...)
{
    congru_text path = {0};
    va_list arguments;
    va_start(arguments, name);
    congru_status status = look(context, folder, &path, found, name, arguments);
    va_end(arguments);
    *csv = (congru_csv){0};
    if (status == CONGRU_OK && *found)
        status = congru_csv_read(context, path.data, csv);
    congru_text_clear(&path);
    return status;
}

congru_status congru_folder_text(congru_context *context, const char *folder, size_t most, const char *what,
                                 char **text, const char *name, ...)
{
    congru_text path = {0};
    size_t size;
    bool exists;
    va_list arguments;
    va_start(arguments, name);
    congru_status status = look(context, folder, &path, &exists, name, arguments);
    va_end(arguments);
    *text = NULL;
    if (status == CONGRU_OK && exists)
        status = congru_source_text(context, path.data, most, what, text, &size);
    congru_text_clear(&path);
    return status;
}
