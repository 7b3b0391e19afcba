/* Writes the log of a server without waiting. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "stream/stream_log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/number_text.h"

void congru_stream_quote(const char *text, char *quoted, size_t room)
{
    size_t used = 0;
    for (; *text != '\0' && used + 1 < room; text++)
        quoted[used++] =
            *text == '"' || *text == '\\' || (unsigned char)*text < ' ' || (unsigned char)*text > '~' ? '\''
                                                                                                      : *text;
    quoted[used] = '\0';
}

/* A pipe is opened for both ways: it then keeps what nobody reads yet, and its reader's end is no error. */
congru_status congru_stream_log_open(congru_context *context, const char *path, congru_stream_log *log)
{
    struct stat about;
    *log = (congru_stream_log){.descriptor = -1};
    if (path == NULL)
        return CONGRU_OK;
    const bool pipe = stat(path, &about) == 0 && S_ISFIFO(about.st_mode);
    log->kept = malloc(CONGRU_STREAM_LOG_KEPT);
    if (log->kept == NULL)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "stream: not enough memory for a log");
    log->descriptor =
        open(path, (pipe ? O_RDWR : O_WRONLY | O_CREAT | O_APPEND) | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0666);
    if (log->descriptor >= 0)
        return CONGRU_OK;
    const int reason = errno;
    congru_stream_log_close(log);
    return congru_fail(context, CONGRU_ERROR_IO, "%s: cannot write a log: %s", path, strerror(reason));
}

void congru_stream_log_close(congru_stream_log *log)
{
    congru_stream_log_flush(log);
    if (log->descriptor >= 0)
        close(log->descriptor);
    free(log->kept);
    *log = (congru_stream_log){.descriptor = -1};
}

/* Whole lines at a time as far as the system does: POSIX has it so up to PIPE_BUF. */
void congru_stream_log_flush(congru_stream_log *log)
{
    size_t done = 0;
    while (log->descriptor >= 0 && done < log->size) {
        const char *end = memchr(log->kept + done, '\n', log->size - done);
        const size_t line = end != NULL ? (size_t)(end + 1 - (log->kept + done)) : log->size - done;
        const ssize_t written = write(log->descriptor, log->kept + done, line);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            break;
        done += (size_t)written;
    }
    log->size -= done;
    if (done > 0)
        memmove(log->kept, log->kept + done, log->size);
}

static void keep(congru_stream_log *log, const char *line, size_t size)
{
    if (log->size + size > CONGRU_STREAM_LOG_KEPT) {
        log->lost++;
        return;
    }
    memcpy(log->kept + log->size, line, size);
    log->size += size;
}

/* "2026-11-19T04:30:00.250Z". */
enum { TIME_SIZE = 96 }; /* whatever the system says */
static void write_time(char text[TIME_SIZE])
{
    struct timespec now;
    struct tm parts;
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &parts);
    snprintf(text, TIME_SIZE, "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", parts.tm_year + 1900, parts.tm_mon + 1,
             parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec, (int)(now.tv_nsec / 1000000));
}

void congru_stream_log_add(congru_stream_log *log, const char *event, uint64_t client, const char *members, ...)
{
    char line[CONGRU_STREAM_LOG_LINE], time[TIME_SIZE];
    va_list arguments;
    if (log->descriptor < 0)
        return;
    congru_stream_log_flush(log);
    write_time(time);
    if (log->lost > 0 && log->size + 2 * sizeof line < CONGRU_STREAM_LOG_KEPT) {
        const int size = snprintf(line, sizeof line, "{\"time\":\"%s\",\"event\":\"lost\",\"lines\":%llu}\n",
                                  time, (unsigned long long)log->lost);
        log->lost = 0;
        keep(log, line, (size_t)size);
    }
    size_t used = (size_t)snprintf(line, sizeof line, "{\"time\":\"%s\",\"event\":\"%s\"", time, event);
    if (client > 0)
        used +=
            (size_t)snprintf(line + used, sizeof line - used, ",\"client\":%llu", (unsigned long long)client);
    va_start(arguments, members);
    const int size = congru_format_list(line + used, sizeof line - used - 3, members, arguments);
    va_end(arguments);
    used += size > 0 && (size_t)size < sizeof line - used - 3 ? (size_t)size : 0;
    used += (size_t)snprintf(line + used, sizeof line - used, "}\n");
    keep(log, line, used);
    congru_stream_log_flush(log);
}
