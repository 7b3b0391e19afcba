/* Stored numbers read, and random products of tensors compared with them. SPDX-License-Identifier: Apache-2.0 */
#include "stored_values.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "congru/random.h"
#include "harness.h"

size_t stored_values(const char *stored_in, const char *name, double *values)
{
    char path[1024], word[64];
    size_t count = 0;
    const char *source = getenv("SOURCE");
    snprintf(path, sizeof path, "%s/tests/data/%s", source != NULL ? source : ".", stored_in);
    FILE *file = fopen(path, "r");
    bool found = false;
    while (file != NULL && !found && fscanf(file, "%63s %zu", word, &count) == 2) {
        found = strcmp(word, name) == 0;
        for (size_t i = 0; i < count; i++) {
            double ignored;
            if (fscanf(file, "%lf", found ? &values[i] : &ignored) != 1)
                found = false;
        }
    }
    if (file != NULL)
        fclose(file);
    CHECK_SAYING(found, "%s has no %s", path, name);
    return found ? count : 0;
}

void stored_draw(uint64_t seed, size_t count, uint32_t a, uint32_t b, uint32_t c, double *out)
{
    congru_random random = congru_random_stream(seed, a, b, c);
    for (size_t i = 0; i < count; i++)
        out[i] = congru_random_uniform(&random) - 0.5;
}

double stored_distance(uint64_t seed, size_t tensor, size_t count, const double *a, const double *numbers)
{
    static double vector[1 << 18];
    double gap = 0.0, norm = 0.0;
    if (numbers[0] != (double)count || count > sizeof vector / sizeof vector[0])
        return INFINITY;
    for (size_t i = 0; i < count; i++)
        norm += a[i] * a[i];
    for (uint32_t p = 0; p < STORED_PROJECTIONS; p++) {
        double product = 0.0;
        stored_draw(seed, count, 5, (uint32_t)tensor, p, vector);
        for (size_t i = 0; i < count; i++)
            product += vector[i] * a[i];
        gap += 12.0 * (product - numbers[2 + p]) * (product - numbers[2 + p]) / STORED_PROJECTIONS;
    }
    return fmax(sqrt(gap), fabs(sqrt(norm) - numbers[1])) / (numbers[1] > 0.0 ? numbers[1] : 1.0);
}
