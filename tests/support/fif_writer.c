/* Writes FIF files as far as tests need them. SPDX-License-Identifier: Apache-2.0 */
#include "fif_writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put_word(fif_writer *writer, uint32_t word)
{
    for (int shift = 24; shift >= 0; shift -= 8)
        writer->bytes[writer->size++] = (unsigned char)(word >> shift);
}

void fif_tag(fif_writer *writer, uint32_t kind, uint32_t type, size_t size)
{
    put_word(writer, kind);
    put_word(writer, type);
    put_word(writer, (uint32_t)size);
    put_word(writer, 0);
}

void fif_real(fif_writer *writer, float value)
{
    uint32_t word;
    memcpy(&word, &value, sizeof word);
    put_word(writer, word);
}

void fif_bytes(fif_writer *writer, const void *bytes, size_t size)
{
    memcpy(writer->bytes + writer->size, bytes, size);
    writer->size += size;
}

void fif_number(fif_writer *writer, uint32_t kind, uint32_t number)
{
    fif_tag(writer, kind, 3, 4);
    put_word(writer, number);
}

void fif_begin(fif_writer *writer, size_t room)
{
    *writer = (fif_writer){.bytes = calloc(1, room)};
    fif_tag(writer, 100, 31, 20);
    writer->size += 20;
}

void fif_end(fif_writer *writer)
{
    free(writer->bytes);
    *writer = (fif_writer){0};
}

/* The record of 96 bytes: its kind is EEG, range and calibration are 1 and a microvolt, its unit is the volt. */
static void put_channel(fif_writer *writer, size_t number)
{
    fif_tag(writer, 203, 30, 96);
    size_t begin = writer->size;
    writer->size += 8;
    put_word(writer, 2);
    fif_real(writer, 1);
    fif_real(writer, 1e-6F);
    writer->size = begin + 72;
    put_word(writer, 107);
    snprintf((char *)writer->bytes + begin + 80, 16, "E%u", (unsigned)number);
    writer->size = begin + 96;
}

void fif_info(fif_writer *writer, float rate, size_t channels, const char *bad)
{
    fif_number(writer, 104, 101);
    fif_tag(writer, 201, 4, 4);
    fif_real(writer, rate);
    for (size_t i = 0; i < channels; i++)
        put_channel(writer, i + 1);
    if (bad != NULL) {
        fif_number(writer, 104, 359);
        fif_tag(writer, 3507, 10, strlen(bad));
        fif_bytes(writer, bad, strlen(bad));
        fif_number(writer, 105, 359);
    }
    fif_number(writer, 105, 101);
}

void fif_raw(fif_writer *writer, size_t size, const int16_t *samples)
{
    fif_number(writer, 104, 102);
    fif_tag(writer, 300, 2, size);
    for (size_t i = 0; samples != NULL && i < size / 2; i++) {
        writer->bytes[writer->size + 2 * i] = (unsigned char)((uint16_t)samples[i] >> 8);
        writer->bytes[writer->size + 2 * i + 1] = (unsigned char)samples[i];
    }
    writer->size += size;
    fif_number(writer, 105, 102);
}
