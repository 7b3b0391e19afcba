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

/* A net of points over the head and beyond its edge: where no electrode is near, a spline that is not held there runs away,
 * and shows what was not recorded. */
enum { NET_HALF = 5, NET = (2 * NET_HALF + 1) * (2 * NET_HALF + 1) };
static const double net_step = 0.23, net_clear = 0.2;

/* Adds the points of the net that are clear of all electrodes, each with the mean of the electrodes by nearness. Returns
 * how many points there are then. */
static size_t add_net(size_t count, double *place, double *value)
{
    size_t all = count;
    for (int k = 0; k < NET; k++) {
        const double at[2] = {net_step * (k % (2 * NET_HALF + 1) - NET_HALF),
                              net_step * (k / (2 * NET_HALF + 1) - NET_HALF)};
        double sum = 0, weights = 0;
        bool clear = true;
        for (size_t i = 0; i < count; i++) {
            double cube = cube_of_distance(at, place + 2 * i);
            clear = clear && cube > net_clear * net_clear * net_clear;
            sum += value[i] / cube;
            weights += 1 / cube;
        }
        if (!clear)
            continue;
        memcpy(place + 2 * all, at, sizeof at);
        value[all++] = sum / weights;
    }
    return all;
}

/* NaN off the head; a cell's width more is known, so that a circle can be cut out of it. */
static double surface(size_t count, const double *place, const double *b, const double at[2])
{
    const double edge = 1 + 2.0 / REPORT_GRID;
    double sum = b[count] + b[count + 1] * at[0] + b[count + 2] * at[1];
    if (at[0] * at[0] + at[1] * at[1] > edge * edge)
        return NAN;
    for (size_t i = 0; i < count; i++)
        sum += b[i] * cube_of_distance(at, place + 2 * i);
    return sum;
}

static bool are_on_a_line(size_t count, const double *place)
{
    double far[2] = {0, 0}, most = 0;
    for (size_t i = 1; i < count; i++) {
        double x = place[2 * i] - place[0], y = place[2 * i + 1] - place[1];
        if (x * x + y * y > far[0] * far[0] + far[1] * far[1]) {
            far[0] = x;
            far[1] = y;
        }
    }
    for (size_t i = 1; i < count; i++)
        most = fmax(most, fabs((place[2 * i] - place[0]) * far[1] - (place[2 * i + 1] - place[1]) * far[0]));
    return most < 1e-6;
}

bool congru_report_scalp(size_t count, const double *place, const double *value, double *grid)
{
    if (count < 4 || count > 1000 || are_on_a_line(count, place))
        return false;
    size_t most = count + NET, room = (most + 3) * (most + 3) + (most + 3) + 3 * most;
    double *a = malloc(room * sizeof *a);
    if (a == NULL)
        return false;
    double *b = a + (most + 3) * (most + 3), *held = b + most + 3, *height = held + 2 * most;
    memcpy(held, place, 2 * count * sizeof *held);
    memcpy(height, value, count * sizeof *height);
    size_t all = add_net(count, held, height);
    set_up(all, held, height, a, b);
    bool done = solve(all + 3, a, b);
    for (size_t row = 0; done && row < REPORT_GRID; row++)
        for (size_t column = 0; column < REPORT_GRID; column++) {
            double at[2] = {((double)column + 0.5) * 2 / REPORT_GRID - 1,
                            1 - ((double)row + 0.5) * 2 / REPORT_GRID};
            grid[row * REPORT_GRID + column] = surface(all, held, b, at);
        }
    free(a);
    return done;
}
