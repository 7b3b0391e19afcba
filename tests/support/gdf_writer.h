/* Writes GDF files for tests, from the format's description and not with the library. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_TESTS_GDF_WRITER_H
#define CONGRU_TESTS_GDF_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GDF_UNIT_MICROVOLT = 4275, GDF_UNIT_MILLIVOLT = 4274, GDF_UNIT_CELSIUS = 6048 };

typedef struct gdf_signal {
    const char *label;
    const char *unit;   /* text, in versions before 1.90 all there is */
    unsigned unit_code; /* from 1.90 on */
    unsigned type;      /* 1 int8, 2 uint8, 3 int16 ... 8 uint64, 16 float, 17 double, 279 int24, 535 uint24 */
    uint32_t per_record;
    double physical_minimum, physical_maximum, digital_minimum, digital_maximum;
} gdf_signal;

typedef struct gdf_mark {
    uint32_t position; /* from 1 */
    uint16_t type;
    uint16_t channel;
    uint32_t duration;
} gdf_mark;

typedef struct gdf_file {
    unsigned version; /* 125 for 1.25 */
    size_t signals;
    const gdf_signal *signal;
    size_t records;
    bool records_unknown;                                      /* -1 in the header, and no event table */
    uint32_t seconds[2];                                       /* of a record: a fraction */
    double (*sample)(void *user, size_t signal, size_t index); /* as stored in the file */
    void *user;
    unsigned mode; /* 1, 3, 7; 0: no event table */
    double mark_rate;
    size_t marks;
    const gdf_mark *mark;
    const char *names; /* of event types: the field with tag 1, with its NULs; NULL: none */
    size_t names_size;
} gdf_file;

/* The bytes of the file, to be freed. */
unsigned char *gdf_writer_make(const gdf_file *file, size_t *size);

bool gdf_writer_save(const char *path, const unsigned char *bytes, size_t size);

/*
 * A recording in the shape of BCI Competition IV 2a: 22 EEG and 3 EOG channels named as there ("EEG-Fz", then
 * "EEG" for the electrodes without a name, which a reader numbers "EEG-0" ...), 250 Hz, int16, two runs with
 * 100 missing samples between. Events: 32766 run, 768 trial (7.5 s), 1023 beside it when rejected, 769 to 772
 * cue 2 s into the trial. EEG channel c is a sine at (36 + c)/3 Hz, of gdf_bci2a_amplitude(class, c) microvolts
 * from 0 to 4 s after a cue, of GDF_BCI2A_REST from 3.5 to 0.5 s before it: over any 3 s of these the channels
 * are orthogonal, and the variance of each is amplitude^2 / 2. To that come a drift at 0.11 Hz and rounding to
 * 0.003 microvolts.
 */
enum {
    GDF_BCI2A_RUNS = 2,
    GDF_BCI2A_TRIALS = 32,
    GDF_BCI2A_EEG = 22,
    GDF_BCI2A_CHANNELS = 25,
    GDF_BCI2A_RATE = 250,
    GDF_BCI2A_GAP = 100,
    GDF_BCI2A_REST = 5
};

typedef struct gdf_bci2a {
    size_t samples;
    size_t gap; /* the first missing sample */
    size_t cue[GDF_BCI2A_TRIALS];
    int label[GDF_BCI2A_TRIALS]; /* 0 to 3: codes 769 to 772 */
    bool rejected[GDF_BCI2A_TRIALS];
    double phase; /* of the sine of channel 0 at the start; channel c adds c */
} gdf_bci2a;

/* What gdf_writer_bci2a writes for this seed. */
void gdf_bci2a_truth(uint64_t seed, gdf_bci2a *truth);

double gdf_bci2a_amplitude(int label, size_t channel);

/* As the file holds it, before rounding, microvolts; NaN in the gap. */
double gdf_bci2a_value(const gdf_bci2a *truth, size_t channel, size_t sample);

bool gdf_writer_bci2a(const char *path, uint64_t seed);

#endif
