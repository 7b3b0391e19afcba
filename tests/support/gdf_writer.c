/* Writes GDF files for tests. SPDX-License-Identifier: Apache-2.0 */
#include "gdf_writer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 256, VERSION_2 = 190, VERSION_EVENTS_2 = 194, VERSION_DOUBLE_DURATION = 221 };

enum { TRIAL_SECONDS = 8, TRIAL_EVENT = 1875, CUE_EVENT = 313, CUE_AFTER = 500, RUN_LEAD = 1000 };

/* Bytes that grow at the end. */
typedef struct output {
    unsigned char *bytes;
    size_t size;
    size_t room;
} output;

static void put_bytes(output *out, const void *bytes, size_t size)
{
    if (out->size + size > out->room) {
        out->room = 2 * (out->size + size);
        out->bytes = realloc(out->bytes, out->room);
        if (out->bytes == NULL)
            abort();
    }
    if (size > 0)
        memcpy(out->bytes + out->size, bytes, size);
    out->size += size;
}

static void put_integer(output *out, uint64_t value, size_t size)
{
    unsigned char bytes[8];
    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)(value >> (8 * i));
    put_bytes(out, bytes, size);
}

static void put_double(output *out, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_integer(out, bits, sizeof bits);
}

static void put_float(output *out, double value)
{
    float narrow = (float)value;
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof bits);
    put_integer(out, bits, sizeof bits);
}

static void put_zeros(output *out, size_t size)
{
    for (size_t i = 0; i < size; i++)
        put_integer(out, 0, 1);
}

/* Padded with blanks in old files, with NULs in new ones. */
static void put_text(output *out, const char *text, size_t size, char padding)
{
    size_t length = strlen(text);
    for (size_t i = 0; i < size; i++)
        put_bytes(out, i < length ? &text[i] : &padding, 1);
}

static void put_fixed_header(output *out, const gdf_file *file, size_t blocks)
{
    char version[16];
    bool old = file->version < VERSION_2;
    snprintf(version, sizeof version, "GDF %u.%02u", file->version / 100 % 10, file->version % 100);
    put_bytes(out, version, 8);
    put_text(out, "X", 80, ' ');
    put_text(out, "X", 80, ' ');
    if (old) {
        put_text(out, "2007030212075900", 16, ' ');
        put_integer(out, blocks * BLOCK, 8);
    } else {
        put_zeros(out, 16);
        put_integer(out, blocks, 2);
        put_zeros(out, 6);
    }
    put_zeros(out, 236 - out->size);
    put_integer(out, file->records_unknown ? UINT64_MAX : file->records, 8);
    if (file->version >= VERSION_DOUBLE_DURATION) {
        put_double(out, (double)file->seconds[0] / file->seconds[1]);
    } else {
        put_integer(out, file->seconds[0], 4);
        put_integer(out, file->seconds[1], 4);
    }
    put_integer(out, file->signals, 4);
}

static void put_digital(output *out, double value, bool old)
{
    if (old)
        put_integer(out, (uint64_t)(int64_t)value, 8);
    else
        put_double(out, value);
}

static void put_signal_headers(output *out, const gdf_file *file)
{
    const gdf_signal *signal = file->signal;
    size_t n = file->signals;
    bool old = file->version < VERSION_2;
    for (size_t i = 0; i < n; i++)
        put_text(out, signal[i].label, 16, old ? ' ' : '\0');
    put_zeros(out, 80 * n);
    for (size_t i = 0; i < n; i++)
        put_text(out, signal[i].unit, old ? 8 : 6, ' ');
    for (size_t i = 0; i < n && !old; i++)
        put_integer(out, signal[i].unit_code, 2);
    for (size_t i = 0; i < n; i++)
        put_double(out, signal[i].physical_minimum);
    for (size_t i = 0; i < n; i++)
        put_double(out, signal[i].physical_maximum);
    for (size_t i = 0; i < n; i++)
        put_digital(out, signal[i].digital_minimum, old);
    for (size_t i = 0; i < n; i++)
        put_digital(out, signal[i].digital_maximum, old);
    put_zeros(out, 80 * n);
    for (size_t i = 0; i < n; i++)
        put_integer(out, signal[i].per_record, 4);
    for (size_t i = 0; i < n; i++)
        put_integer(out, signal[i].type, 4);
    put_zeros(out, 32 * n);
}

/* A field of a maker's before the names, so that a reader has to step over one. */
static void put_fields(output *out, const gdf_file *file, size_t blocks)
{
    put_integer(out, 3, 1);
    put_integer(out, 5, 3);
    put_bytes(out, "maker", 5);
    put_integer(out, 1, 1);
    put_integer(out, file->names_size, 3);
    put_bytes(out, file->names, file->names_size);
    put_zeros(out, blocks * BLOCK - out->size);
}

static void put_sample(output *out, unsigned type, double value)
{
    static const struct {
        unsigned type;
        size_t bytes;
    } integers[] = {{1, 1}, {2, 1}, {3, 2}, {4, 2}, {5, 4}, {6, 4}, {7, 8}, {8, 8}, {279, 3}, {535, 3}};
    if (type == 16)
        put_float(out, value);
    else if (type == 17)
        put_double(out, value);
    for (size_t i = 0; i < sizeof integers / sizeof integers[0]; i++)
        if (integers[i].type == type)
            put_integer(out, value < 0 ? (uint64_t)(int64_t)value : (uint64_t)value, integers[i].bytes);
}

static void put_records(output *out, const gdf_file *file)
{
    for (size_t record = 0; record < file->records; record++)
        for (size_t i = 0; i < file->signals; i++)
            for (size_t k = 0; k < file->signal[i].per_record; k++)
                put_sample(out, file->signal[i].type,
                           file->sample(file->user, i, record * file->signal[i].per_record + k));
}

static void put_events(output *out, const gdf_file *file)
{
    put_integer(out, file->mode, 1);
    if (file->version < VERSION_EVENTS_2) {
        put_integer(out, (uint64_t)file->mark_rate, 3);
        put_integer(out, file->marks, 4);
    } else {
        put_integer(out, file->marks, 3);
        put_float(out, file->mark_rate);
    }
    for (size_t i = 0; i < file->marks; i++)
        put_integer(out, file->mark[i].position, 4);
    for (size_t i = 0; i < file->marks; i++)
        put_integer(out, file->mark[i].type, 2);
    for (size_t i = 0; i < file->marks && file->mode > 1; i++)
        put_integer(out, file->mark[i].channel, 2);
    for (size_t i = 0; i < file->marks && file->mode > 1; i++)
        put_integer(out, file->mark[i].duration, 4);
    for (size_t i = 0; i < file->marks && file->mode == 7; i++)
        put_integer(out, UINT64_C(0x000b332dad555555) + i, 8);
}

unsigned char *gdf_writer_make(const gdf_file *file, size_t *size)
{
    output out = {0};
    size_t blocks = file->signals + 1;
    if (file->names != NULL)
        blocks += (4 + 5 + 4 + file->names_size + BLOCK) / BLOCK;
    put_fixed_header(&out, file, blocks);
    put_signal_headers(&out, file);
    if (file->names != NULL)
        put_fields(&out, file, blocks);
    put_records(&out, file);
    if (file->mode != 0 && !file->records_unknown)
        put_events(&out, file);
    *size = out.size;
    return out.bytes;
}

bool gdf_writer_save(const char *path, const unsigned char *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    if (file == NULL)
        return false;
    bool written = fwrite(bytes, 1, size, file) == size;
    return fclose(file) == 0 && written;
}

/* SplitMix64. */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

void gdf_bci2a_truth(uint64_t seed, gdf_bci2a *truth)
{
    uint64_t state = seed;
    size_t in_run = GDF_BCI2A_TRIALS / GDF_BCI2A_RUNS;
    size_t run_samples = RUN_LEAD + in_run * TRIAL_SECONDS * GDF_BCI2A_RATE;
    *truth = (gdf_bci2a){.samples = GDF_BCI2A_RUNS * run_samples + GDF_BCI2A_GAP, .gap = run_samples};
    truth->phase = (double)(next_random(&state) % 6283) / 1000;
    for (size_t i = 0; i < GDF_BCI2A_TRIALS; i++) {
        size_t run = i / in_run;
        truth->cue[i] = run * (run_samples + GDF_BCI2A_GAP) + RUN_LEAD +
                        i % in_run * TRIAL_SECONDS * GDF_BCI2A_RATE + CUE_AFTER;
        truth->label[i] = (int)(i % 4);
        truth->rejected[i] = next_random(&state) % 8 == 0;
    }
    for (size_t i = GDF_BCI2A_TRIALS - 1; i > 0; i--) {
        size_t j = next_random(&state) % (i + 1);
        int label = truth->label[i];
        truth->label[i] = truth->label[j];
        truth->label[j] = label;
    }
}

double gdf_bci2a_amplitude(int label, size_t channel)
{
    /* Each class is strong in a fifth of the channels of its own, weak in the next. */
    size_t place = (channel + 22 - 5 * (size_t)label) % 22;
    return place < 5 ? 20 : place < 10 ? 6 : 10;
}

/* 0 before `from`, 1 after `to`, half a cosine between. */
static double ramp(double t, double from, double to)
{
    return t <= from ? 0 : t >= to ? 1 : 0.5 - 0.5 * cos(acos(-1) * (t - from) / (to - from));
}

double gdf_bci2a_value(const gdf_bci2a *truth, size_t channel, size_t sample)
{
    if (sample >= truth->gap && sample < truth->gap + GDF_BCI2A_GAP)
        return NAN;
    double pi = acos(-1), seconds = (double)sample / GDF_BCI2A_RATE;
    double drift = 12 * sin(2 * pi * 0.11 * seconds + (double)channel);
    if (channel >= GDF_BCI2A_EEG)
        return 3 * drift + 30 * sin(2 * pi * 3 * seconds);
    size_t trial = 0;
    while (trial + 1 < GDF_BCI2A_TRIALS && truth->cue[trial + 1] - CUE_AFTER <= sample)
        trial++;
    double t = ((double)sample - (double)truth->cue[trial]) / GDF_BCI2A_RATE;
    double strength = ramp(t, -0.5, 0) * (1 - ramp(t, 4, 4.5));
    double amplitude =
        GDF_BCI2A_REST + (gdf_bci2a_amplitude(truth->label[trial], channel) - GDF_BCI2A_REST) * strength;
    return drift +
           amplitude * sin(2 * pi * (36 + (double)channel) / 3 * seconds + truth->phase + (double)channel);
}

static double bci2a_sample(void *user, size_t channel, size_t index)
{
    double value = gdf_bci2a_value(user, channel, index);
    return isnan(value) ? -32768 : floor((value + 100) / 200 * 65535 - 32768 + 0.5);
}

/* Marks of one trial; returns how many. */
static size_t mark_trial(const gdf_bci2a *truth, size_t trial, gdf_mark *mark)
{
    size_t count = 0;
    uint32_t start = (uint32_t)(truth->cue[trial] - CUE_AFTER + 1);
    if (trial % (GDF_BCI2A_TRIALS / GDF_BCI2A_RUNS) == 0)
        mark[count++] = (gdf_mark){start - RUN_LEAD, 32766, 0, 0};
    mark[count++] = (gdf_mark){start, 768, 0, TRIAL_EVENT};
    if (truth->rejected[trial])
        mark[count++] = (gdf_mark){start, 1023, 0, TRIAL_EVENT};
    mark[count++] = (gdf_mark){start + CUE_AFTER, (uint16_t)(769 + truth->label[trial]), 0, CUE_EVENT};
    return count;
}

bool gdf_writer_bci2a(const char *path, uint64_t seed)
{
    static const char *const labels[GDF_BCI2A_CHANNELS] = {
        "EEG-Fz", "EEG",    "EEG",    "EEG", "EEG",      "EEG",         "EEG",      "EEG-C3", "EEG",
        "EEG-Cz", "EEG",    "EEG-C4", "EEG", "EEG",      "EEG",         "EEG",      "EEG",    "EEG",
        "EEG",    "EEG-Pz", "EEG",    "EEG", "EOG-left", "EOG-central", "EOG-right"};
    gdf_bci2a truth;
    gdf_bci2a_truth(seed, &truth);
    gdf_signal signal[GDF_BCI2A_CHANNELS];
    for (size_t i = 0; i < GDF_BCI2A_CHANNELS; i++)
        signal[i] = (gdf_signal){labels[i], "uV", GDF_UNIT_MICROVOLT, 3, 1, -100, 100, -32768, 32767};
    gdf_mark mark[4 * GDF_BCI2A_TRIALS];
    size_t marks = 0;
    for (size_t i = 0; i < GDF_BCI2A_TRIALS; i++)
        marks += mark_trial(&truth, i, mark + marks);
    gdf_file file = {.version = 210,
                     .signals = GDF_BCI2A_CHANNELS,
                     .signal = signal,
                     .records = truth.samples,
                     .seconds = {1, GDF_BCI2A_RATE},
                     .sample = bci2a_sample,
                     .user = &truth,
                     .mode = 3,
                     .mark_rate = GDF_BCI2A_RATE,
                     .marks = marks,
                     .mark = mark};
    size_t size;
    unsigned char *bytes = gdf_writer_make(&file, &size);
    bool written = gdf_writer_save(path, bytes, size);
    free(bytes);
    return written;
}
