/* Makes and prints .npy files for shell tests, without the library. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * make_npy OUT.npy DESCR SHAPE [VALUE...]   DESCR and SHAPE go into the header as they are: '<f8' '(2, 2)'.
 *                                           The values are float32 for '<f4', texts for '<U8', else float64;
 *                                           "1:9" is nine ones, "noise:9:2" the noise of seed 2 (1 without),
 *                                           nine numbers between -1 and 1.
 *                                           ORDER=True in the environment is for Fortran order.
 * make_npy --show IN.npy                    Prints the shape and, in one line, the float64 values rounded to
 *                                           10 digits, so that last bits do not matter.
 */

static void write_value(FILE *file, double value, int narrow)
{
    float narrowed = (float)value;
    if (narrow)
        fwrite(&narrowed, sizeof narrowed, 1, file);
    else
        fwrite(&value, sizeof value, 1, file);
}

/* As NumPy stores ASCII: four bytes for each of `size` characters. */
static void write_text(FILE *file, const char *text, long size)
{
    for (; size > 0; size--) {
        fputc(*text, file);
        fwrite("\0\0", 1, 3, file);
        text += *text != '\0';
    }
}

static void write_noise(FILE *file, const char *text, int narrow)
{
    char *end;
    long count = strtol(text, &end, 10);
    uint64_t state = *end == ':' ? strtoul(end + 1, NULL, 10) : 1;
    for (; count > 0; count--) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        write_value(file, (double)(state >> 11) / (double)(1ull << 52) - 1, narrow);
    }
}

static int make(int count, char **words)
{
    char header[512];
    const char *order = getenv("ORDER");
    int size = snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }\n",
                        words[2], order != NULL ? order : "False", words[3]);
    FILE *file = fopen(words[1], "wb");
    if (file == NULL || size >= (int)sizeof header) {
        perror(words[1]);
        return 1;
    }
    fwrite("\x93NUMPY\x01\x00", 1, 8, file);
    fputc(size & 0xff, file);
    fputc(size >> 8, file);
    fwrite(header, 1, (size_t)size, file);
    for (int i = 4; i < count; i++) {
        char *end;
        int narrow = strcmp(words[2], "<f4") == 0;
        double value = strtod(words[i], &end);
        if (strncmp(words[2], "<U", 2) == 0)
            write_text(file, words[i], atol(words[2] + 2));
        else if (strncmp(words[i], "noise:", 6) == 0)
            write_noise(file, words[i] + 6, narrow);
        else
            for (long times = *end == ':' ? atol(end + 1) : 1; times > 0; times--)
                write_value(file, value, narrow);
    }
    return fclose(file) == 0 ? 0 : 1;
}

static int show(const char *path)
{
    FILE *file = fopen(path, "rb");
    unsigned char preamble[10];
    char header[512] = "";
    if (file == NULL || fread(preamble, 1, 10, file) != 10) {
        perror(path);
        return 1;
    }
    size_t size = preamble[8] + 256u * preamble[9];
    const char *shape;
    if (size >= sizeof header || fread(header, 1, size, file) != size || (10 + size) % 64 != 0 ||
        strstr(header, "'descr': '<f8', 'fortran_order': False") == NULL ||
        (shape = strchr(header, '(')) == NULL) {
        fprintf(stderr, "%s: not what congru writes\n", path);
        return 1;
    }
    printf("%.*s", (int)strcspn(shape, ")") + 1, shape);
    double value;
    while (fread(&value, sizeof value, 1, file) == 1)
        printf(" %.10g", fabs(value) < 1e-12 ? 0.0 : value);
    printf("\n");
    fclose(file);
    return 0;
}

int main(int count, char **words)
{
    if (count == 3 && strcmp(words[1], "--show") == 0)
        return show(words[2]);
    return count >= 4 ? make(count, words) : 2;
}
