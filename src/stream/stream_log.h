/* What a server tells its operator: connects, drops and refusals, as lines of JSON in a file. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_STREAM_STREAM_LOG_H
#define CONGRU_STREAM_STREAM_LOG_H

#include <stdint.h>

#include "congru/status.h"

/* Nothing here waits for whoever reads the file: what a pipe does not take is kept until it does. Beyond what is kept, lines
 * are counted, and the number is told when there is room again. {.descriptor = -1} is no file, and takes everything. */
enum { CONGRU_STREAM_LOG_KEPT = 1 << 20, CONGRU_STREAM_LOG_LINE = 2048 };

typedef struct congru_stream_log {
    int descriptor;
    char *kept; /* (CONGRU_STREAM_LOG_KEPT) owned */
    size_t size;
    uint64_t lost; /* lines */
} congru_stream_log;

/* Opens a file to add to; NULL: none. A pipe need not have a reader yet. */
congru_status congru_stream_log_open(congru_context *context, const char *path, congru_stream_log *log);
void congru_stream_log_close(congru_stream_log *log);

/* A line: the time, the event, the client's number where it is not 0, and further members, each with its comma before it. */
void congru_stream_log_add(congru_stream_log *log, const char *event, uint64_t client, const char *members, ...)
    __attribute__((format(printf, 4, 5)));

/* Writes what was kept, as far as it is taken. */
void congru_stream_log_flush(congru_stream_log *log);

/* A text as it can stand between quotes in JSON, cut off where `room` ends. */
void congru_stream_quote(const char *text, char *quoted, size_t room);

#endif
