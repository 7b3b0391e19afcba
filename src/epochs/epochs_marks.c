/* Which trials of a recording were marked as rejected, and which run each is of. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "epochs/epochs_internal.h"

/* BCI Competition IV 2a marks a rejected trial with an event 1023 at the onset of the trial's start event 768,
 * two seconds before its cue. A mark therefore belongs to the trial with the last start before it, and not to
 * the last cue. Where a file has no start events a trial starts up to this many seconds before its cue. */
static const double lead_in = 3;

typedef struct onsets {
    size_t count;
    size_t *onset; /* in order */
} onsets;

/* The onsets of all events of a code. */
static bool collect(const congru_recording *recording, int32_t code, onsets *found)
{
    found->count = 0;
    found->onset = malloc((recording->events + 1) * sizeof *found->onset);
    for (size_t i = 0; i < recording->events && found->onset != NULL; i++)
        if (recording->event[i].code == code)
            found->onset[found->count++] = recording->event[i].onset;
    return found->onset != NULL;
}

/* How many are before `sample`. */
static size_t count_before(const onsets *list, size_t sample)
{
    size_t low = 0, high = list->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (list->onset[middle] < sample)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_cue(const congru_cue *cue, size_t cues, size_t onset)
{
    size_t low = 0, high = cues;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (cue[middle].onset < onset)
            low = middle + 1;
        else
            high = middle;
    }
    return low < cues && cue[low].onset == onset;
}

/* Without start events, a mark at the onset of an event that is no cue of ours is about that event: a class
 * that was not asked for. */
static void drop_foreign_marks(const congru_recording *recording, const congru_cue *cue, size_t cues,
                               onsets *marks)
{
    size_t kept = 0, event = 0;
    for (size_t i = 0; i < marks->count; i++) {
        size_t onset = marks->onset[i];
        while (event < recording->events && recording->event[event].onset < onset)
            event++;
        bool shared = false;
        for (size_t k = event; k < recording->events && recording->event[k].onset == onset; k++)
            shared = shared || (recording->event[k].code != CONGRU_EVENT_REJECTED &&
                                recording->event[k].code != CONGRU_EVENT_NEW_RUN);
        if (!shared || is_cue(cue, cues, onset))
            marks->onset[kept++] = onset;
        while (i + 1 < marks->count && marks->onset[i + 1] == onset)
            i++; /* so that many marks at one onset cost one look */
    }
    marks->count = kept;
}

/* The first sample of the i-th trial. */
static size_t trial_start(const onsets *starts, const congru_cue *cue, size_t i, size_t lead)
{
    size_t least = i > 0 ? cue[i - 1].onset + 1 : 0, onset = cue[i].onset;
    size_t before = count_before(starts, onset + 1);
    if (before > 0 && starts->onset[before - 1] >= least)
        return starts->onset[before - 1];
    if (starts->count > 0)
        return onset;
    return onset > lead && onset - lead > least ? onset - lead : least;
}

/* The first sample after the i-th trial. */
static size_t trial_end(const onsets *starts, const congru_cue *cue, size_t cues, size_t i, size_t lead)
{
    size_t next = i + 1 < cues ? trial_start(starts, cue, i + 1, lead) : SIZE_MAX;
    size_t before = count_before(starts, cue[i].onset + 1);
    return before < starts->count && starts->onset[before] < next ? starts->onset[before] : next;
}

congru_status congru_epochs_mark(congru_context *context, const congru_recording *recording, congru_cue *cue,
                                 size_t cues)
{
    onsets starts = {0}, marks = {0}, runs = {0};
    congru_status status = CONGRU_OK;
    if (!collect(recording, CONGRU_EVENT_TRIAL_START, &starts) ||
        !collect(recording, CONGRU_EVENT_REJECTED, &marks) || !collect(recording, CONGRU_EVENT_NEW_RUN, &runs))
        status = congru_fail_memory(context, "%zu events", recording->events);
    if (status == CONGRU_OK) {
        double samples = (double)recording->samples;
        size_t lead = (size_t)fmin(lead_in * recording->rate, samples);
        if (starts.count == 0)
            drop_foreign_marks(recording, cue, cues, &marks);
        /* A run that begins the recording is number 0, whether or not an event says that it begins. */
        size_t first_runs = count_before(&runs, 1);
        for (size_t i = 0; i < cues; i++) {
            size_t start = trial_start(&starts, cue, i, lead), end = trial_end(&starts, cue, cues, i, lead);
            cue[i].rejected = count_before(&marks, start) < count_before(&marks, end);
            size_t run = count_before(&runs, cue[i].onset + 1);
            cue[i].run = (int32_t)(run > first_runs ? run - first_runs : 0);
        }
    }
    free(starts.onset);
    free(marks.onset);
    free(runs.onset);
    return status;
}
