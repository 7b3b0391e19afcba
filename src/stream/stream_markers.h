/* Markers that wait for their decision. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_STREAM_STREAM_MARKERS_H
#define CONGRU_STREAM_STREAM_MARKERS_H

#include "stream/stream_protocol.h"

/* A decision that was asked for. `cue` and `due` are by one clock, which is the caller's choice: frames for a client that
 * counts them, seconds for LSL. */
typedef struct congru_stream_marker {
    char name[CONGRU_PROTOCOL_NAME_SIZE];
    double cue, due;
    bool trial; /* it asks about the trial of its cue, not about the window that ends when it is due */
} congru_stream_marker;

/* In the order they are due, those of one time in the order they came; {0} is empty. */
typedef struct congru_stream_markers {
    congru_stream_marker item[CONGRU_STREAM_MARKERS_MAX];
    size_t count;
} congru_stream_markers;

/* False when there are CONGRU_STREAM_MARKERS_MAX already. */
bool congru_markers_add(congru_stream_markers *markers, const congru_stream_marker *marker);

/* Takes the first away, when it is due at this time. */
bool congru_markers_take(congru_stream_markers *markers, double time, congru_stream_marker *marker);

#endif
