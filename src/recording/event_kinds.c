/* Counts the events of a recording by kind. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "congru/recording.h"

static int compare(const void *a, const void *b)
{
    const congru_event_kind *left = a, *right = b;
    if (left->code != right->code)
        return left->code < right->code ? -1 : 1;
    if (left->text == NULL || right->text == NULL)
        return (left->text != NULL) - (right->text != NULL);
    return strcmp(left->text, right->text);
}

bool congru_event_kinds(const congru_recording *recording, congru_event_kind **kinds, size_t *count)
{
    if (recording == NULL || kinds == NULL || count == NULL)
        return false;
    congru_event_kind *kind = calloc(recording->events + 1, sizeof *kind);
    *kinds = kind;
    *count = 0;
    if (kind == NULL)
        return false;
    for (size_t i = 0; i < recording->events; i++) {
        const congru_event *event = &recording->event[i];
        const double seconds = recording->rate > 0 ? (double)event->duration / recording->rate : (double)NAN;
        kind[i] = (congru_event_kind){event->code, event->text, 1, seconds};
    }
    qsort(kind, recording->events, sizeof *kind, compare);
    size_t last = 0;
    for (size_t i = 1; i < recording->events; i++) {
        if (compare(&kind[last], &kind[i]) != 0) {
            kind[++last] = kind[i];
            continue;
        }
        kind[last].count++;
        kind[last].seconds += kind[i].seconds;
    }
    *count = recording->events > 0 ? last + 1 : 0;
    for (size_t i = 0; i < *count; i++)
        kind[i].seconds /= (double)kind[i].count;
    return true;
}

const char *congru_event_kind_name(const congru_event_kind *kind, char buffer[16])
{
    if (kind == NULL || buffer == NULL)
        return "";
    if (kind->text != NULL)
        return kind->text;
    snprintf(buffer, 16, "%d", (int)kind->code);
    return buffer;
}
