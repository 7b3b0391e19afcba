/* Markers that wait for their decision. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLI_STREAM_MARKERS_H
#define CONGRU_CLI_STREAM_MARKERS_H

#include "stream_protocol.h"

enum { MARKERS_MAX = 16 };

/* A decision that was asked for. `cue` and `due` are by one clock, which is the caller's choice: frames for a client that
 * counts them, seconds for LSL. */
typedef struct stream_marker {
    char name[PROTOCOL_NAME_SIZE];
    double cue, due;
    bool trial; /* it asks about the trial of its cue, not about the window that ends when it is due */
} stream_marker;

/* In the order they are due, those of one time in the order they came; {0} is empty. */
typedef struct stream_markers {
    stream_marker item[MARKERS_MAX];
    size_t count;
} stream_markers;

/* False when there are MARKERS_MAX already. */
bool markers_add(stream_markers *markers, const stream_marker *marker);

/* Takes the first away, when it is due at this time. */
bool markers_take(stream_markers *markers, double time, stream_marker *marker);

#endif
