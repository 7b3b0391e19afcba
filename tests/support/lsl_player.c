/* Plays frames of 32-bit floats through a real LSL outlet: lsl_player LIBRARY NAME FILE CHANNELS RATE SPEED [LABELS]. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FORMAT_FLOAT = 1, CHANNELS_MAX = 256 };

/* The library is called through pointers that dlsym gives. */
static void *library;
static void find(const char *name, void *place)
{
    void *symbol = dlsym(library, name);
    if (symbol == NULL) {
        fprintf(stderr, "no %s\n", name);
        exit(1);
    }
    memcpy(place, &symbol, sizeof symbol);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void pause_for(double seconds)
{
    struct timespec pause = {(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};
    if (seconds > 0)
        nanosleep(&pause, NULL);
}

/* Frame k has the stamp 1000 + k / RATE: the stream's own clock. Ends two seconds after the last frame. */
int main(int count, char **words)
{
    void *(*create_info)(const char *, const char *, int, double, int, const char *), *(*description)(void *),
        *(*append)(void *, const char *), *(*append_value)(void *, const char *, const char *),
        *(*create_outlet)(void *, int, int);
    int (*push)(void *, const float *, double, int), (*wait)(void *, double);
    void (*destroy)(void *);
    float frame[CHANNELS_MAX];
    if (count < 7 || (library = dlopen(words[1], RTLD_NOW)) == NULL) {
        fprintf(stderr, "%s\n", count < 7 ? "usage" : dlerror());
        return 1;
    }
    find("lsl_create_streaminfo", &create_info);
    find("lsl_get_desc", &description);
    find("lsl_append_child", &append);
    find("lsl_append_child_value", &append_value);
    find("lsl_create_outlet", &create_outlet);
    find("lsl_push_sample_ftp", &push);
    find("lsl_wait_for_consumers", &wait);
    find("lsl_destroy_outlet", &destroy);
    size_t channels = strtoul(words[4], NULL, 10), sent = 0;
    double rate = strtod(words[5], NULL), speed = strtod(words[6], NULL);
    FILE *file = fopen(words[3], "rb");
    if (file == NULL || channels == 0 || channels > CHANNELS_MAX)
        return 1;
    void *info = create_info(words[2], "EEG", (int)channels, rate, FORMAT_FLOAT, "lsl_player");
    void *list = append(description(info), "channels");
    for (char *label = count > 7 ? strtok(words[7], ",") : NULL; label != NULL; label = strtok(NULL, ","))
        append_value(append(list, "channel"), "label", label);
    void *outlet = create_outlet(info, 0, 360);
    if (wait(outlet, 20) == 0) {
        fprintf(stderr, "nobody came\n");
        return 1;
    }
    double begin = now();
    for (; fread(frame, sizeof frame[0], channels, file) == channels; sent++) {
        pause_for(begin + (double)sent / rate / speed - now());
        push(outlet, frame, 1000.0 + (double)sent / rate, 1);
    }
    pause_for(2);
    destroy(outlet);
    fclose(file);
    fprintf(stderr, "%zu frames in %.2f s\n", sent, now() - begin - 2);
    return 0;
}
