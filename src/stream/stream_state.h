/* What is known of a subject before a stream begins, and kept when it ends. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_STREAM_STREAM_STATE_H
#define CONGRU_STREAM_STREAM_STATE_H

#include "stream/stream_sink.h"

enum { CONGRU_STREAM_PATH_SIZE = 4096 };

/* Where the state of a session is in the folder options.state: NAME.state. */
congru_status congru_stream_state_path(const congru_stream_settings *settings, const char *name,
                                       char path[CONGRU_STREAM_PATH_SIZE]);

/* Restores a decoder from a file; *known is false, and nothing done, where there is none. */
congru_status congru_stream_state_restore(const congru_stream_settings *settings, const char *path,
                                          congru_decoder *decoder, bool *known);

#endif
