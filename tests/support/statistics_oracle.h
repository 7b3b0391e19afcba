/* Reads tests/data/statistics.txt, and makes the points it is about. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_TESTS_STATISTICS_ORACLE_H
#define CONGRU_TESTS_STATISTICS_ORACLE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Calls take(stream, words) for every case of this kind, with the rest of its first line; take reads its
 * numbers. */
static inline size_t oracle_cases(const char *kind, void (*take)(FILE *stream, const char *words))
{
    char path[512], line[256];
    const char *source = getenv("SOURCE");
    snprintf(path, sizeof path, "%s/tests/data/statistics.txt", source != NULL ? source : ".");
    FILE *stream = fopen(path, "r");
    size_t found = 0;
    /* Lines of numbers are longer than the buffer; their pieces begin with no kind. */
    while (stream != NULL && fgets(line, sizeof line, stream) != NULL)
        if (strncmp(line, kind, strlen(kind)) == 0 && line[strlen(kind)] == ' ') {
            take(stream, line + strlen(kind));
            found++;
        }
    if (stream != NULL)
        fclose(stream);
    return found;
}

static inline double *oracle_numbers(FILE *stream, size_t count)
{
    double *numbers = malloc((count > 0 ? count : 1) * sizeof *numbers);
    for (size_t i = 0; i < count; i++)
        if (fscanf(stream, "%lf", &numbers[i]) != 1)
            numbers[i] = 1e300;
    return numbers;
}

/* make_points of tests/oracle/oracle_statistics.py. */
static inline double *oracle_points(size_t n, size_t d, size_t kinds, int distance, uint64_t seed)
{
    double *x = malloc(n * d * sizeof *x);
    for (size_t i = 0; i < n * d; i++) {
        int64_t sum = 0;
        for (int k = 0; k < 4; k++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            sum += (int64_t)((seed >> 33) % 1001) - 500;
        }
        x[i] = (double)sum / 512.0 + (i % d % kinds == i / d % kinds ? distance : 0);
    }
    return x;
}

#endif
