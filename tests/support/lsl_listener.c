/* Prints what an LSL stream of doubles says, until it ends: lsl_listener LIBRARY NAME. SPDX-License-Identifier: Apache-2.0 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHANNELS_MAX = 256, SECONDS = 30 };

/* The library is called through pointers that dlsym gives. */
static void *library;
static void find(const char *name, void *place)
{
    void *symbol = dlsym(library, name);
    if (symbol == NULL) {
        fprintf(stderr, "lsl_listener: no %s\n", name);
        exit(1);
    }
    memcpy(place, &symbol, sizeof symbol);
}

static int fail(const char *what)
{
    fprintf(stderr, "lsl_listener: %s\n", what);
    return 1;
}

/* One line of the channels' labels once the stream is open, then a line for each sample: its stamp and its numbers. */
int main(int count, char **words)
{
    int (*resolve)(void **, unsigned, const char *, const char *, int, double), (*channel_count)(void *);
    void *(*create_inlet)(void *, int, int, int), *(*full_info)(void *, double, int *), *(*description)(void *),
        *(*child)(void *, const char *), *(*next)(void *, const char *), *info = NULL, *full, *inlet;
    const char *(*value)(void *, const char *);
    void (*open_stream)(void *, double, int *), (*destroy)(void *);
    double (*pull)(void *, double *, int, double, int *), sample[CHANNELS_MAX];
    int error = 0;
    if (count < 3 || (library = dlopen(words[1], RTLD_NOW)) == NULL)
        return fail(count < 3 ? "usage" : dlerror());
    find("lsl_resolve_byprop", &resolve);
    find("lsl_create_inlet", &create_inlet);
    find("lsl_get_fullinfo", &full_info);
    find("lsl_open_stream", &open_stream);
    find("lsl_get_channel_count", &channel_count);
    find("lsl_get_desc", &description);
    find("lsl_child", &child);
    find("lsl_next_sibling_n", &next);
    find("lsl_child_value_n", &value);
    find("lsl_pull_sample_d", &pull);
    find("lsl_destroy_inlet", &destroy);
    if (resolve(&info, 1, "name", words[2], 1, SECONDS) < 1)
        return fail("there is no such stream");
    inlet = create_inlet(info, 360, 0, 0);
    full = full_info(inlet, SECONDS, &error);
    if (full == NULL || error != 0 || channel_count(full) < 1 || channel_count(full) > CHANNELS_MAX)
        return fail("the stream does not say what it is");
    open_stream(inlet, SECONDS, &error);
    if (error != 0)
        return fail("the stream cannot be opened");
    const int channels = channel_count(full);
    void *channel = child(child(description(full), "channels"), "channel");
    for (int i = 0; i < channels; i++, channel = next(channel, "channel"))
        printf("%s%c", value(channel, "label"), i + 1 < channels ? ' ' : '\n');
    fflush(stdout);
    while (error == 0) {
        double stamp = pull(inlet, sample, channels, 0.5, &error);
        if (stamp == 0 || error != 0)
            continue;
        printf("%.17g", stamp);
        for (int i = 0; i < channels; i++)
            printf(" %.17g", sample[i]);
        printf("\n");
    }
    destroy(inlet);
    return 0;
}
