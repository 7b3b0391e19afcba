/* Writes GDF files for shell tests and the corpus of the fuzzer, without the library. SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gdf_writer.h"

/*
 * make_gdf --bci2a SEED OUT.gdf   a recording in the shape of BCI Competition IV 2a
 * make_gdf --corpus DIR           small files of every version, type and mode, in a folder that exists
 */

static double count_up(void *user, size_t signal, size_t index)
{
    (void)user;
    return (double)((signal * 50 + index * 7) % 120);
}

static bool make_one(const char *folder, unsigned version, unsigned type, unsigned mode, bool records_unknown)
{
    gdf_signal signal[] = {
        {"EEG-C3", "uV", GDF_UNIT_MICROVOLT, type, 3, -100, 100, -128, 127},
        {"Cz", "mV", GDF_UNIT_MILLIVOLT, 3, 1, -1, 1, -32768, 32767},
    };
    gdf_mark mark[] = {{1, 1, 0, 20}, {9, 769, 2, 0}, {6, 2, 0, 30}, {4, 0x8000 + 769, 0, 3}};
    static const char names[] = "\0rest\0left hand\0";
    gdf_file file = {.version = version,
                     .signals = mode == 1 ? 2 : 1,
                     .signal = signal,
                     .records = 4,
                     .records_unknown = records_unknown,
                     .seconds = {3, 250},
                     .sample = count_up,
                     .mode = mode,
                     .mark_rate = 250,
                     .marks = 4,
                     .mark = mark,
                     .names = version >= 210 ? names : NULL,
                     .names_size = sizeof names};
    char path[4096];
    snprintf(path, sizeof path, "%s/gdf-%u-%u-%u%s.gdf", folder, version, type, mode,
             records_unknown ? "-open" : "");
    size_t size;
    unsigned char *bytes = gdf_writer_make(&file, &size);
    bool written = gdf_writer_save(path, bytes, size);
    free(bytes);
    return written;
}

static bool make_corpus(const char *folder)
{
    static const unsigned versions[] = {125, 200, 251};
    static const unsigned types[] = {1, 2, 3, 4, 5, 6, 7, 8, 16, 17, 279, 535};
    bool written = true;
    for (size_t v = 0; v < sizeof versions / sizeof versions[0]; v++) {
        for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
            written = written && make_one(folder, versions[v], types[i],
                                          i % 3 == 0   ? 1
                                          : i % 3 == 1 ? 3
                                                       : 7,
                                          false);
        written = written && make_one(folder, versions[v], 3, 0, true);
    }
    return written;
}

int main(int count, char **words)
{
    bool written = false;
    if (count == 4 && strcmp(words[1], "--bci2a") == 0)
        written = gdf_writer_bci2a(words[3], strtoull(words[2], NULL, 10));
    else if (count == 3 && strcmp(words[1], "--corpus") == 0)
        written = make_corpus(words[2]);
    else
        fprintf(stderr, "usage: make_gdf --bci2a SEED OUT.gdf | make_gdf --corpus DIR\n");
    return written ? 0 : 1;
}
