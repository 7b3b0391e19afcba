/* Makes folders that are missing. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "array/folder.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
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
