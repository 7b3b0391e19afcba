/* Restores what was learned of a subject. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "stream/stream_state.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"

congru_status congru_stream_state_path(const congru_stream_settings *settings, const char *name,
                                       char path[CONGRU_STREAM_PATH_SIZE])
{
    const int size = snprintf(path, CONGRU_STREAM_PATH_SIZE, "%s/%s.state", settings->options.state, name);
    return size > 0 && size < CONGRU_STREAM_PATH_SIZE
               ? CONGRU_OK
               : congru_fail(settings->context, CONGRU_ERROR_ARGUMENT, "stream: the folder's name is too long");
}

congru_status congru_stream_state_restore(const congru_stream_settings *settings, const char *path,
                                          congru_decoder *decoder, bool *known)
{
    struct stat about;
    *known = stat(path, &about) == 0;
    if (!*known && errno != ENOENT)
        return congru_fail(settings->context, CONGRU_ERROR_IO, "%s: cannot open: %s", path, strerror(errno));
    return *known ? congru_decoder_state_load(settings->context, decoder, path) : CONGRU_OK;
}
