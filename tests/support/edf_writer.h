/* Puts EDF and BDF files together in memory, right or wrong, for tests. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_TESTS_EDF_WRITER_H
#define CONGRU_TESTS_EDF_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { EDF_FILE_MAX = 1 << 23, EDF_SIGNALS_MAX = 16 };

/* Fields as they go into the header; NULL for blanks. */
typedef struct edf_field_set {
    const char *label, *unit, *physical_min, *physical_max, *digital_min, *digital_max;
    size_t samples;
} edf_field_set;

typedef struct edf_writer {
    unsigned char *bytes; /* EDF_FILE_MAX */
    size_t size;
    bool bdf;
    size_t signals;
    edf_field_set signal[EDF_SIGNALS_MAX];
} edf_writer;

/* Begin, add signals, end the header, write the records: edf_sample or edf_text for each signal in turn. */
void edf_begin(edf_writer *writer, bool bdf, const char *reserved, const char *records, const char *duration);
void edf_signal(edf_writer *writer, edf_field_set signal);
void edf_end_header(edf_writer *writer);
void edf_sample(edf_writer *writer, int32_t digital);

/* The bytes of an annotation signal in one record, filled up with NULs. */
void edf_text(edf_writer *writer, size_t signal, const char *text, size_t size);

/* Overwrites a field of `width` bytes with the text and blanks. */
void edf_overwrite(edf_writer *writer, size_t offset, size_t width, const char *text);

/* A byte string whose length is that of the literal, NULs inside it and all. */
#define EDF_TEXT(literal) literal, sizeof(literal) - 1

/* One file of each kind. All have 20 samples a record and channel, of the values edf_digital gives; texts are
 * where the implementation says. Times of the records of EDF_GAPS: 0.5, 1.5, 4.5, 5.5 and 9.5 s. */
typedef enum edf_kind { EDF_PLAIN, EDF_PLUS, EDF_GAPS, BDF_PLAIN, BDF_PLUS, EDF_KINDS } edf_kind;
enum { EDF_EXAMPLE_RECORDS = 5, EDF_EXAMPLE_SAMPLES = 20 };
void edf_example(edf_writer *writer, edf_kind kind);

/* Anything that fits into 16 or 24 bits, the extremes among it; a function of its arguments. */
int32_t edf_digital(bool bdf, size_t signal, size_t sample);

void edf_free(edf_writer *writer);

#endif
