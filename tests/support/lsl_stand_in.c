/* Stands in for liblsl: a stream 'Player' of frames from $LSL_FRAMES and one 'Markers' of $LSL_MARKERS. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Three channels at 100 Hz; frame k has the stamp 1000 + k / 100. A marker "NAME@SECONDS" comes once the frames of its
 * time have come, by a clock that is 7 s behind. Both end with the frames. */
enum { CHANNELS = 3, CHUNK = 20, LOST = -2 };
static const double behind = 7;

static char player = 'p', markers = 'm'; /* known by their addresses */
static FILE *frames;
static char *marks;
static double last_stamp;
static size_t sent;
static const char *const labels[CHANNELS] = {"C1", "C2", "C3"};

/* Everything that the command looks for by name; none of it is declared anywhere else. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

int lsl_library_version(void)
{
    return 116;
}

int lsl_resolve_byprop(void **found, unsigned room, const char *property, const char *value, int least,
                       double seconds)
{
    (void)room, (void)property, (void)least;
    *found = strcmp(value, "Player") == 0 ? &player : strcmp(value, "Markers") == 0 ? &markers : NULL;
    struct timespec pause = {(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};
    if (*found == NULL)
        nanosleep(&pause, NULL);
    return *found != NULL;
}

void *lsl_create_inlet(void *info, int seconds_kept, int chunk, int recover)
{
    (void)seconds_kept, (void)chunk, (void)recover;
    const char *path = getenv("LSL_FRAMES"), *list = getenv("LSL_MARKERS");
    if (info == &player)
        frames = path != NULL ? fopen(path, "rb") : NULL;
    else
        marks = strdup(list != NULL ? list : "");
    return info;
}

void lsl_destroy_inlet(const void *inlet)
{
    if (inlet == &player && frames != NULL)
        fclose(frames);
}

void lsl_open_stream(const void *inlet, double seconds, int *error)
{
    (void)seconds;
    *error = inlet == &player && frames == NULL ? -1 : 0;
}

void *lsl_get_fullinfo(void *inlet, double seconds, int *error)
{
    (void)seconds;
    *error = 0;
    return inlet;
}

unsigned long lsl_pull_chunk_f(void *inlet, float *samples, double *stamps, unsigned long room,
                               unsigned long stamps_room, double seconds, int *error)
{
    unsigned long count = 0;
    (void)inlet, (void)seconds, (void)room;
    *error = 0;
    for (; count < CHUNK && count < stamps_room; count++) {
        if (fread(samples + CHANNELS * count, sizeof *samples, CHANNELS, frames) != CHANNELS)
            break;
        stamps[count] = last_stamp = 1000 + (double)sent++ / 100;
    }
    return count * CHANNELS;
}

double lsl_pull_sample_f(void *inlet, float *sample, int room, double seconds, int *error)
{
    double stamp = 0;
    if (lsl_pull_chunk_f(inlet, sample, &stamp, (unsigned long)room, 1, seconds, error) == 0)
        *error = LOST;
    return stamp;
}

double lsl_pull_sample_str(void *inlet, char **texts, int room, double seconds, int *error)
{
    char *at = strchr(marks, '@'), *end;
    (void)inlet, (void)room, (void)seconds;
    *error = 0;
    if (at == NULL)
        return 0;
    double stamp = 1000 + strtod(at + 1, &end);
    if (stamp > last_stamp)
        return 0;
    texts[0] = strndup(marks, (size_t)(at - marks));
    marks = end + (*end == ' ');
    return stamp - behind;
}

void lsl_destroy_string(char *text)
{
    free(text);
}

double lsl_time_correction(const void *inlet, double seconds, int *error)
{
    (void)seconds;
    *error = 0;
    return inlet == &markers ? behind : 0;
}

void lsl_destroy_streaminfo(void *info)
{
    (void)info;
}

int lsl_get_channel_count(const void *info)
{
    return info == &player ? CHANNELS : 1;
}

double lsl_get_nominal_srate(const void *info)
{
    return info == &player ? 100 : 0;
}

/* An element of the description is the label's place. */
void *lsl_get_desc(void *info)
{
    (void)info;
    return (void *)labels;
}

void *lsl_child(void *element, const char *name)
{
    (void)name;
    return element;
}

void *lsl_next_sibling_n(void *element, const char *name)
{
    (void)name;
    return (const char **)element + 1;
}

const char *lsl_child_value_n(void *element, const char *name)
{
    (void)name;
    return *(const char **)element;
}

int lsl_empty(const void *element)
{
    return element == (const void *)(labels + CHANNELS);
}

/* No outlets. */
void *lsl_create_streaminfo(const char *name, const char *type, int channels, double rate, int format,
                            const char *source)
{
    (void)name, (void)type, (void)channels, (void)rate, (void)format, (void)source;
    return NULL;
}

void *lsl_create_outlet(void *info, int chunk, int seconds_kept)
{
    (void)info, (void)chunk, (void)seconds_kept;
    return NULL;
}

void lsl_destroy_outlet(void *outlet)
{
    (void)outlet;
}

int lsl_push_sample_dtp(void *outlet, const double *sample, double stamp, int through)
{
    (void)outlet, (void)sample, (void)stamp, (void)through;
    return 0;
}

void *lsl_append_child(void *element, const char *name)
{
    (void)name;
    return element;
}

void *lsl_append_child_value(void *element, const char *name, const char *value)
{
    (void)name, (void)value;
    return element;
}
