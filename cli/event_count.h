/* The kinds of events in a recording, counted. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLI_EVENT_COUNT_H
#define CONGRU_CLI_EVENT_COUNT_H

#include "congru/recording.h"

typedef struct event_kind {
    int32_t code;     /* -1 where there is only a text */
    const char *text; /* or NULL; the recording's */
    size_t count;
    double seconds; /* mean duration */
} event_kind;

/* The kinds by code, then by text: *kinds is allocated, for the caller to free. Returns false without memory.
 * */
bool event_kinds_count(const congru_recording *recording, event_kind **kinds, size_t *count);

/* How an event is called on the command line: its text, or its code. `buffer` holds the latter. */
const char *event_kind_name(const event_kind *kind, char buffer[16]);

#endif
