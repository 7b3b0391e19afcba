/* Writes EDF+ recordings for shell tests, without the library. SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * make_recording OUT.edf RATE SECONDS CHANNELS EVENTS
 *
 * CHANNELS is C3,Cz,...: noise of 164 uV from its least to its largest sample, another in each; "Cz!" is flat, "C4=" equal to
 * the one before it, "Pz*30" thirty times as large, "Pz*1e6" in volts what should be
 * microvolts. EVENTS is T1@5,T2@12.5: texts with their seconds; in the second of
 * "burst@15" all samples are twenty times as large, and no event is written. RATE and SECONDS are whole numbers.
 */

enum { CHANNELS_MAX = 64, EVENTS_MAX = 256, TEXT_SAMPLES = 128, BURST = 20 };

typedef struct channel {
    char name[17];
    int flat, same;
    double gain;
    uint64_t state;
} channel;

typedef struct event {
    char text[32];
    double seconds;
} event;

static void put(FILE *file, int width, const char *text)
{
    fprintf(file, "%-*.*s", width, width, text);
}

static void put_number(FILE *file, int width, long number)
{
    char text[32];
    snprintf(text, sizeof text, "%ld", number);
    put(file, width, text);
}

static size_t parse_channels(char *list, channel *channels)
{
    size_t count = 0;
    for (char *name = strtok(list, ","); name != NULL && count < CHANNELS_MAX; name = strtok(NULL, ",")) {
        channel *made = &channels[count];
        *made = (channel){.state = 77 + 1000 * count};
        size_t size = strcspn(name, "!=*");
        made->gain = name[size] == '*' ? atof(name + size + 1) : 1;
        made->flat = name[size] == '!';
        made->same = name[size] == '=' && count > 0;
        snprintf(made->name, sizeof made->name, "%.*s", (int)(size < 16 ? size : 16), name);
        count++;
    }
    return count;
}

static size_t parse_events(char *list, event *events)
{
    size_t count = 0;
    for (char *word = strtok(list, ","); word != NULL && count < EVENTS_MAX; word = strtok(NULL, ",")) {
        char *at = strrchr(word, '@');
        if (at == NULL)
            continue;
        *at = '\0';
        snprintf(events[count].text, sizeof events[count].text, "%s", word);
        events[count++].seconds = atof(at + 1);
    }
    return count;
}

/* A field of the header for each signal, that of the annotations last. */
static void put_fields(FILE *file, size_t channels, int width, const char *text, const char *last)
{
    for (size_t i = 0; i < channels; i++)
        put(file, width, text);
    put(file, width, last);
}

/* The physical range of each channel, which the gain is in. */
static void put_range(FILE *file, size_t count, const channel *channels, double end, int bursts,
                      const char *last)
{
    char text[32];
    for (size_t i = 0; i < count; i++) {
        double gain = channels[i].gain >= 1e6 ? channels[i].gain / 1e6 : channels[i].gain;
        snprintf(text, sizeof text, "%.7g", end * gain * (bursts ? BURST : 1));
        put(file, 8, text);
    }
    put(file, 8, last);
}

static void put_header(FILE *file, int bursts, long rate, long seconds, size_t count, const channel *channels)
{
    put(file, 8, "0");
    put(file, 80, "X X X X");
    put(file, 80, "Startdate X X X X");
    put(file, 8, "01.01.20");
    put(file, 8, "00.00.00");
    put_number(file, 8, 256 * (long)(count + 2));
    put(file, 44, "EDF+C");
    put_number(file, 8, seconds);
    put(file, 8, "1");
    put_number(file, 4, (long)count + 1);
    for (size_t i = 0; i < count; i++)
        put(file, 16, channels[i].name);
    put(file, 16, "EDF Annotations");
    put_fields(file, count, 80, "", "");
    for (size_t i = 0; i < count; i++)
        put(file, 8, channels[i].gain >= 1e6 ? "V" : "uV");
    put(file, 8, "");
    put_range(file, count, channels, -327.68, bursts, "-1");
    put_range(file, count, channels, 327.67, bursts, "1");
    put_fields(file, count, 8, "-32768", "-32768");
    put_fields(file, count, 8, "32767", "32767");
    put_fields(file, count, 80, "", "");
    for (size_t i = 0; i < count; i++)
        put_number(file, 8, rate);
    put_number(file, 8, TEXT_SAMPLES);
    put_fields(file, count, 32, "", "");
}

static void put_samples(FILE *file, channel *channels, size_t index, long rate, int part, int16_t *last)
{
    channel *from = &channels[index];
    for (long i = 0; i < rate; i++) {
        from->state = from->state * 6364136223846793005u + 1442695040888963407u;
        if (!from->same)
            last[i] = from->flat ? 0 : (int16_t)((int)(from->state >> 50) / part);
        fputc(last[i] & 0xff, file);
        fputc(last[i] >> 8 & 0xff, file);
    }
}

static int is_burst(const event *about)
{
    return strcmp(about->text, "burst") == 0;
}

static int bursts_in(const event *events, size_t count, long second)
{
    int found = 0;
    for (size_t i = 0; i < count; i++)
        found += is_burst(&events[i]) && (second < 0 || (long)events[i].seconds == second);
    return found;
}

static void put_annotations(FILE *file, long second, const event *events, size_t count)
{
    char bytes[2 * TEXT_SAMPLES] = {0};
    size_t used = (size_t)snprintf(bytes, sizeof bytes, "+%ld\x14\x14", second) + 1;
    for (size_t i = 0; i < count; i++)
        if ((long)events[i].seconds == second && !is_burst(&events[i]) && used < sizeof bytes - 64)
            used += (size_t)snprintf(bytes + used, sizeof bytes - used, "+%.3f\x15%d\x14%s\x14",
                                     events[i].seconds, 4, events[i].text) +
                    1;
    fwrite(bytes, 1, sizeof bytes, file);
}

int main(int count, char **words)
{
    static channel channels[CHANNELS_MAX];
    static event events[EVENTS_MAX];
    if (count != 6)
        return 2;
    long rate = atol(words[2]), seconds = atol(words[3]);
    size_t channel_count = parse_channels(words[4], channels), event_count = parse_events(words[5], events);
    int16_t *last = calloc((size_t)rate + 1, sizeof *last);
    FILE *file = fopen(words[1], "wb");
    if (file == NULL || last == NULL) {
        perror(words[1]);
        exit(1); /* which gives back what there is */
    }
    const int bursts = bursts_in(events, event_count, -1);
    put_header(file, bursts, rate, seconds, channel_count, channels);
    for (long second = 0; second < seconds; second++) {
        for (size_t i = 0; i < channel_count; i++)
            put_samples(file, channels, i, rate, bursts && !bursts_in(events, event_count, second) ? BURST : 1,
                        last);
        put_annotations(file, second, events, event_count);
    }
    free(last);
    return fclose(file) == 0 ? 0 : 1;
}
