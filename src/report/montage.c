/* Where electrodes are, and what lies between them. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/report_internal.h"

#include "base/number_text.h"

extern const char congru_report_montage[]; /* share/montage/ten_ten.csv */

/* Case does not matter, nor "EEG-" or "EEG " in front, nor dots behind: "Fc5." is FC5. */
bool congru_report_electrode(const char *channel, double place[2])
{
    if (congru_same_letters(channel, "eeg", 3) && (channel[3] == '-' || channel[3] == ' '))
        channel += 4;
    size_t size = strlen(channel);
    while (size > 0 && channel[size - 1] == '.')
        size--;
    const char *line = strchr(congru_report_montage, '\n') + 1;
    while (*line != '\0') {
        size_t name = strcspn(line, ",");
        if (name == size && congru_same_letters(line, channel, size)) {
            char *end;
            place[0] = congru_number_read(line + name + 1, &end);
            place[1] = congru_number_read(end + 1, NULL);
            return true;
        }
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    return false;
}

/* Solves a x = b in place, a (n, n); false when it is singular. The answer is in b. */
static bool solve(size_t n, double *a, double *b)
{
    for (size_t k = 0; k < n; k++) {
        size_t pivot = k;
        for (size_t i = k + 1; i < n; i++)
            if (fabs(a[i * n + k]) > fabs(a[pivot * n + k]))
                pivot = i;
        if (!(fabs(a[pivot * n + k]) > 1e-9))
            return false;
        for (size_t j = 0; j < n && pivot != k; j++) {
            double kept = a[k * n + j];
            a[k * n + j] = a[pivot * n + j];
            a[pivot * n + j] = kept;
        }
        double kept = b[k];
        b[k] = b[pivot];
        b[pivot] = kept;
        for (size_t i = k + 1; i < n; i++) {
            double factor = a[i * n + k] / a[k * n + k];
            for (size_t j = k; j < n; j++)
                a[i * n + j] -= factor * a[k * n + j];
            b[i] -= factor * b[k];
        }
    }
    for (size_t k = n; k-- > 0;) {
        for (size_t j = k + 1; j < n; j++)
            b[k] -= a[k * n + j] * b[j];
        b[k] /= a[k * n + k];
    }
    return true;
}

static double cube_of_distance(const double *a, const double *b)
{
    double x = a[0] - b[0], y = a[1] - b[1], square = x * x + y * y;
    return square * sqrt(square);
}

/* The spline of |r|^3 with a plane, the smoothest surface through the values that needs no logarithm. */
static void set_up(size_t count, const double *place, const double *value, double *a, double *b)
{
    size_t n = count + 3;
    memset(a, 0, n * n * sizeof *a);
    memset(b, 0, n * sizeof *b);
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < count; j++)
            a[i * n + j] = cube_of_distance(place + 2 * i, place + 2 * j);
        const double plane[3] = {1, place[2 * i], place[2 * i + 1]};
        for (size_t k = 0; k < 3; k++)
            a[i * n + count + k] = a[(count + k) * n + i] = plane[k];
        b[i] = value[i];
    }
}

/* NaN off the head, and where no electrode is near: a spline that is not held runs away. */
static double surface(size_t count, const double *place, const double *b, const double at[2])
{
    const double reach = 0.25;
    double sum = b[count] + b[count + 1] * at[0] + b[count + 2] * at[1], nearest = INFINITY;
    for (size_t i = 0; i < count; i++) {
        double cube = cube_of_distance(at, place + 2 * i);
        sum += b[i] * cube;
        nearest = cube < nearest ? cube : nearest;
    }
    bool known = at[0] * at[0] + at[1] * at[1] <= 1 && nearest <= reach * reach * reach;
    return known ? sum : NAN;
}

bool congru_report_scalp(size_t count, const double *place, const double *value, double *grid)
{
    size_t n = count + 3;
    if (count < 4 || count > 1000)
        return false;
    double *a = malloc(n * n * sizeof *a), *b = malloc(n * sizeof *b);
    bool done = a != NULL && b != NULL;
    if (done) {
        set_up(count, place, value, a, b);
        done = solve(n, a, b);
    }
    for (size_t row = 0; done && row < REPORT_GRID; row++)
        for (size_t column = 0; column < REPORT_GRID; column++) {
            double at[2] = {((double)column + 0.5) * 2 / REPORT_GRID - 1,
                            1 - ((double)row + 0.5) * 2 / REPORT_GRID};
            grid[row * REPORT_GRID + column] = surface(count, place, b, at);
        }
    free(a);
    free(b);
    return done;
}
