/* What the tests of the GDF reader share. SPDX-License-Identifier: Apache-2.0 */
#include "gdf_cases.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recording/reader.h"

congru_status gdf_case_read(congru_context *context, const unsigned char *bytes, size_t size,
                            const congru_recording_options *options, congru_recording **recording)
{
    congru_source source = congru_source_memory("test.gdf", bytes, size);
    return congru_reader_gdf.read(context, "test.gdf", &source, options, recording);
}

congru_recording *gdf_case_load(congru_context *context, const gdf_file *file,
                                const congru_recording_options *options)
{
    static const congru_recording_options all = {0};
    size_t size;
    unsigned char *bytes = gdf_writer_make(file, &size);
    congru_recording *recording;
    if (gdf_case_read(context, bytes, size, options != NULL ? options : &all, &recording) != CONGRU_OK)
        printf("# %s\n", congru_context_error(context));
    free(bytes);
    return recording;
}

static double count_up(void *user, size_t signal, size_t index)
{
    (void)user;
    return (double)((signal + 1) * (index % 40));
}

unsigned char *gdf_case_new(size_t *size)
{
    static const gdf_signal signal[] = {
        {"EEG-C3", "uV", GDF_UNIT_MICROVOLT, 3, 5, -100, 100, -32768, 32767},
        {"Cz", "mV", GDF_UNIT_MILLIVOLT, 16, 5, -1, 1, -1000, 1000},
        {"EOG", "uV", GDF_UNIT_MICROVOLT, 279, 5, -1000, 1000, -8388608, 8388607},
    };
    static const gdf_mark mark[] = {{1, 1, 0, 20}, {60, 769, 2, 0}, {60, 2, 0, 30}, {21, 1023, 0, 3}};
    static const char names[] = "\0rest\0left hand\0";
    gdf_file file = {.version = 251,
                     .signals = 3,
                     .signal = signal,
                     .records = 20,
                     .seconds = {1, 50},
                     .sample = count_up,
                     .mode = 7,
                     .mark_rate = 250,
                     .marks = 4,
                     .mark = mark,
                     .names = names,
                     .names_size = sizeof names};
    return gdf_writer_make(&file, size);
}

unsigned char *gdf_case_old(size_t *size)
{
    static const gdf_signal signal[] = {
        {"Channel 1", "\xb5V", 0, 5, 2, -100, 100, -2147483647, 2147483647},
        {"Channel 2", "V", 0, 2, 2, 0, 1, 0, 255},
    };
    static const gdf_mark mark[] = {{1, 768, 0, 100}, {30, 770, 0, 0}};
    gdf_file file = {.version = 125,
                     .signals = 2,
                     .signal = signal,
                     .records = 40,
                     .seconds = {1, 100},
                     .sample = count_up,
                     .mode = 3,
                     .mark_rate = 0,
                     .marks = 2,
                     .mark = mark};
    return gdf_writer_make(&file, size);
}

unsigned char *gdf_case_real(const char *name, size_t *size)
{
    const char *data = getenv("CONGRU_DATA"), *source = getenv("SOURCE");
    char path[4096];
    if (data != NULL)
        snprintf(path, sizeof path, "%s/gdf_samples/%s", data, name);
    else
        snprintf(path, sizeof path, "%s/../shared/data/gdf_samples/%s", source != NULL ? source : ".", name);
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return NULL;
    enum { ROOM = 1 << 23 }; /* the real ones are smaller */
    unsigned char *bytes = malloc(ROOM);
    *size = bytes != NULL ? fread(bytes, 1, ROOM, file) : 0;
    fclose(file);
    return bytes;
}

bool gdf_case_is_sound(const congru_recording *recording, size_t size)
{
    bool sound = recording->channels > 0 && recording->samples > 0 && recording->samples <= size &&
                 recording->rate > 0 && isfinite(recording->rate) && strncmp(recording->format, "GDF ", 4) == 0;
    if (recording->data != NULL) {
        sound = sound && recording->channels <= size / recording->samples;
        for (size_t i = 0; sound && i < recording->channels * recording->samples; i++)
            sound = !isinf(recording->data[i]);
    }
    for (size_t i = 0; sound && i < recording->channels; i++) {
        const congru_channel *channel = &recording->channel[i];
        sound = channel->name[0] != '\0' && memchr(channel->name, '\0', sizeof channel->name) != NULL &&
                memchr(channel->unit, '\0', sizeof channel->unit) != NULL && channel->rate > 0;
    }
    for (size_t i = 0; sound && i < recording->events; i++) {
        const congru_event *event = &recording->event[i];
        sound = event->onset < recording->samples && event->duration <= recording->samples &&
                (i == 0 || event[-1].onset <= event->onset) && event->code >= 0 && event->code < 65536 &&
                (event->text == NULL || strlen(event->text) <= 510);
    }
    return sound;
}
