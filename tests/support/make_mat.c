/* Writes trials as a MATLAB file, for shell tests, without the library. SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "mat_writer.h"

/*
 * make_mat OUT.mat SAMPLES CHANNELS TRIALS
 *
 * Noise, with labels 1, 2, 1, 2, ... and neither a sampling rate nor names of channels, as many files are.
 */

enum { CLASS_DOUBLE = 6, TYPE_DOUBLE = 9 };

int main(int count, char **words)
{
    if (count != 5)
        return 2;
    size_t shape[3], size = 1;
    for (size_t i = 0; i < 3; i++)
        size *= shape[i] = strtoul(words[2 + i], NULL, 10);
    double *data = calloc(size + 1, sizeof *data), *label = calloc(shape[2] + 1, sizeof *label);
    FILE *file = fopen(words[1], "wb");
    if (data == NULL || label == NULL || file == NULL)
        exit(1); /* which gives back what there is */
    uint64_t state = 5;
    for (size_t i = 0; i < size; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        data[i] = (double)(state >> 11) / (double)(1ull << 52) - 1;
    }
    for (size_t i = 0; i < shape[2]; i++)
        label[i] = (double)(1 + i % 2);
    mat_writer writer;
    mat_begin(&writer, false);
    mat_numbers(&writer, "data", CLASS_DOUBLE, TYPE_DOUBLE, 3, shape, data);
    mat_matrix(&writer, "label", shape[2], 1, label);
    size_t written = fwrite(writer.bytes, 1, writer.size, file);
    int failed = fclose(file) != 0 || written != writer.size;
    mat_end(&writer);
    free(data);
    free(label);
    return failed;
}
