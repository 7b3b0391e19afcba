/* Puts EDF and BDF files together in memory. SPDX-License-Identifier: Apache-2.0 */
#include "edf_writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void edf_overwrite(edf_writer *writer, size_t offset, size_t width, const char *text)
{
    memset(writer->bytes + offset, ' ', width);
    if (text != NULL)
        memcpy(writer->bytes + offset, text, strlen(text) < width ? strlen(text) : width);
}

static void append_field(edf_writer *writer, size_t width, const char *text)
{
    edf_overwrite(writer, writer->size, width, text);
    writer->size += width;
}

void edf_begin(edf_writer *writer, bool bdf, const char *reserved, const char *records, const char *duration)
{
    if (writer->bytes == NULL)
        writer->bytes = malloc(EDF_FILE_MAX);
    writer->size = 0;
    writer->signals = 0;
    writer->bdf = bdf;
    append_field(writer, 8,
                 bdf ? "\xff"
                       "BIOSEMI"
                     : "0");
    append_field(writer, 80, "X X X X");
    append_field(writer, 80, "Startdate 12-AUG-2009 X X X");
    append_field(writer, 16, "12.08.0916.15.00");
    append_field(writer, 8, NULL);
    append_field(writer, 44, reserved);
    append_field(writer, 8, records);
    append_field(writer, 8, duration);
    append_field(writer, 4, NULL);
}

void edf_signal(edf_writer *writer, edf_field_set signal)
{
    writer->signal[writer->signals++] = signal;
}

void edf_end_header(edf_writer *writer)
{
    char text[24];
    snprintf(text, sizeof text, "%zu", 256 * (writer->signals + 1));
    edf_overwrite(writer, 184, 8, text);
    snprintf(text, sizeof text, "%zu", writer->signals);
    edf_overwrite(writer, 252, 4, text);
    for (size_t i = 0; i < writer->signals; i++)
        append_field(writer, 16, writer->signal[i].label);
    for (size_t i = 0; i < writer->signals; i++)
        append_field(writer, 80, "electrode");
    for (size_t i = 0; i < writer->signals; i++)
        append_field(writer, 8, writer->signal[i].unit);
    for (size_t i = 0; i < writer->signals; i++)
        append_field(writer, 8, writer->signal[i].physical_min);
    for (size_t i = 0; i < writer->signals; i++)
        append_field(writer, 8, writer->signal[i].physical_max);
    for (size_t i = 0; i < writer->signals; i++)
        append_field(writer, 8, writer->signal[i].digital_min);
    for (size_t i = 0; i < writer->signals; i++)
        append_field(writer, 8, writer->signal[i].digital_max);
    for (size_t i = 0; i < writer->signals; i++)
        append_field(writer, 80, "HP:0Hz LP:0Hz");
    for (size_t i = 0; i < writer->signals; i++) {
        snprintf(text, sizeof text, "%zu", writer->signal[i].samples);
        append_field(writer, 8, text);
    }
    append_field(writer, 32 * writer->signals, NULL);
}

void edf_sample(edf_writer *writer, int32_t digital)
{
    for (int shift = 0; shift < (writer->bdf ? 24 : 16); shift += 8)
        writer->bytes[writer->size++] = (unsigned char)((uint32_t)digital >> shift & 0xff);
}

void edf_text(edf_writer *writer, size_t signal, const char *text, size_t size)
{
    size_t width = writer->signal[signal].samples * (writer->bdf ? 3 : 2);
    memset(writer->bytes + writer->size, 0, width);
    memcpy(writer->bytes + writer->size, text, size < width ? size : width);
    writer->size += width;
}

void edf_free(edf_writer *writer)
{
    free(writer->bytes);
    writer->bytes = NULL;
}

/* ---- Examples ------------------------------------------------------------------------------------- */

int32_t edf_digital(bool bdf, size_t signal, size_t sample)
{
    int32_t half = bdf ? 0x800000 : 0x8000;
    uint64_t mix = (sample * 16 + signal + 1) * 0x9e3779b97f4a7c15U;
    mix ^= mix >> 29;
    if (sample == 3)
        return -half;
    return sample == 4 ? half - 1 : (int32_t)(mix % (uint64_t)(2 * half)) - half;
}

static void write_channel(edf_writer *writer, size_t signal, size_t record)
{
    for (size_t i = 0; i < EDF_EXAMPLE_SAMPLES; i++)
        edf_sample(writer, edf_digital(writer->bdf, signal, record * EDF_EXAMPLE_SAMPLES + i));
}

/* Low bits: 5 at the beginning, 0 from sample 10, 1 at 30 to 33, 2 at 34, 65535 at 60 to 61; flags above. */
static void write_status(edf_writer *writer, size_t record)
{
    for (size_t i = 0; i < EDF_EXAMPLE_SAMPLES; i++) {
        size_t at = record * EDF_EXAMPLE_SAMPLES + i;
        int32_t code = at < 10 ? 5 : at >= 30 && at < 34 ? 1 : at == 34 ? 2 : at == 60 || at == 61 ? 65535 : 0;
        edf_sample(writer, code | (at % 7 == 0 ? 0x100000 : -0x800000));
    }
}

static void write_notes(edf_writer *writer, size_t signal, size_t record)
{
    switch (record) {
    case 0:
        edf_text(writer, signal,
                 EDF_TEXT("+0.5\x14\x14\0+0.5\x15"
                          "4.1\x14T0\x14\0"));
        break;
    case 1:
        edf_text(writer, signal, EDF_TEXT("+1.5\x14\x14\0+2.028\x14T1\x14left\x14\0"));
        break;
    default:
        edf_text(writer, signal, EDF_TEXT("+2.5\x14\x14\0"));
    }
}

static void write_times(edf_writer *writer, size_t signal, size_t record)
{
    static const char *const times[EDF_EXAMPLE_RECORDS] = {"+0.5", "+1.5", "+4.5", "+5.5", "+9.5"};
    char text[64];
    int size = snprintf(text, sizeof text, "%s\x14\x14", times[record]);
    if (record == 2)
        size = snprintf(text, sizeof text, "%s\x14\x14%c+3.1\x14gap\x14", times[record], '\0');
    edf_text(writer, signal, text, (size_t)size);
}

static void write_more_notes(edf_writer *writer, size_t signal, size_t record)
{
    if (record == 2)
        edf_text(writer, signal,
                 EDF_TEXT("+1\x15"
                          "1\x14\xc3\xa4ugen zu\x14\0+3.2\x14\xe4ugen auf\x14\0+99\x14late\x14\0"));
    else
        edf_text(writer, signal, "", 0);
}

/* The second channel's maximum is below its minimum; the third gives millivolts. */
static void example_signals(edf_writer *writer, edf_kind kind)
{
    static const edf_field_set eeg[3] = {{"Fc5.", "uV", "-3276.8", "3276.7", "-32768", "32767", 20},
                                         {"C3", "uV", "100", "-100", "-2048", "2047", 20},
                                         {"EOG left", "mV", "-1,5", "1,5", "-32768", "32767", 20}};
    static const edf_field_set biosemi[2] = {{"A1", "uV", "-262144", "262143", "-8388608", "8388607", 20},
                                             {"A2", "uV", "-262144", "262143", "-8388608", "8388607", 20}};
    bool bdf = kind == BDF_PLAIN || kind == BDF_PLUS;
    for (size_t i = 0; i < (bdf ? 2 : 3); i++)
        edf_signal(writer, bdf ? biosemi[i] : eeg[i]);
    if (bdf)
        edf_signal(writer,
                   (edf_field_set){"Status", "Boolean", "-8388608", "8388607", "-8388608", "8388607", 20});
    edf_field_set notes = {bdf ? "BDF Annotations" : "EDF Annotations", "", "-1", "1", "-32768", "32767", 40};
    if (kind != EDF_PLAIN && kind != BDF_PLAIN)
        edf_signal(writer, notes);
    if (kind == EDF_PLUS)
        edf_signal(writer, notes);
}

void edf_example(edf_writer *writer, edf_kind kind)
{
    static const char *const reserved[EDF_KINDS] = {"", "EDF+C", "EDF+D", "24BIT", "BDF+C"};
    bool bdf = kind == BDF_PLAIN || kind == BDF_PLUS;
    edf_begin(writer, bdf, reserved[kind], "5", kind == EDF_PLAIN ? "0.3125" : "1");
    example_signals(writer, kind);
    edf_end_header(writer);
    for (size_t record = 0; record < EDF_EXAMPLE_RECORDS; record++) {
        write_channel(writer, 0, record);
        write_channel(writer, 1, record);
        if (bdf)
            write_status(writer, record);
        else
            write_channel(writer, 2, record);
        if (kind == EDF_PLUS || kind == BDF_PLUS)
            write_notes(writer, 3, record);
        if (kind == EDF_PLUS)
            write_more_notes(writer, 4, record);
        if (kind == EDF_GAPS)
            write_times(writer, 3, record);
    }
}
