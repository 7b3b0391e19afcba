/* A queue in the order of time. SPDX-License-Identifier: Apache-2.0 */
#include "stream/stream_markers.h"

#include <string.h>

bool congru_markers_add(congru_stream_markers *m, const congru_stream_marker *marker)
{
    size_t at = m->count;
    if (m->count == CONGRU_STREAM_MARKERS_MAX)
        return false;
    for (; at > 0 && m->item[at - 1].due > marker->due; at--)
        m->item[at] = m->item[at - 1];
    m->item[at] = *marker;
    m->count++;
    return true;
}

bool congru_markers_take(congru_stream_markers *m, double time, congru_stream_marker *marker)
{
    if (m->count == 0 || m->item[0].due > time)
        return false;
    *marker = m->item[0];
    m->count--;
    memmove(m->item, m->item + 1, m->count * sizeof *m->item);
    return true;
}
