/* FIF files put together in memory, for tests. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_TESTS_FIF_WRITER_H
#define CONGRU_TESTS_FIF_WRITER_H

#include <stddef.h>
#include <stdint.h>

typedef struct fif_writer {
    unsigned char *bytes; /* zeros where nothing was written */
    size_t size;
} fif_writer;

/* The identity that a file begins with; `room` bytes are all it can have. */
void fif_begin(fif_writer *writer, size_t room);
void fif_end(fif_writer *writer);

/* The head of a tag, and what its data can be made of. */
void fif_tag(fif_writer *writer, uint32_t kind, uint32_t type, size_t size);
void fif_real(fif_writer *writer, float value);
void fif_bytes(fif_writer *writer, const void *bytes, size_t size);

/* A tag of one whole number: 104 and 105 begin and end a block. */
void fif_number(fif_writer *writer, uint32_t kind, uint32_t number);

/* The block of what was measured: EEG channels E1, E2, ... in volts, and, where `bad` is not NULL, which of them are bad. */
void fif_info(fif_writer *writer, float rate, size_t channels, const char *bad);

/* The block of raw data: `size` bytes of 16-bit numbers; NULL: zeros. */
void fif_raw(fif_writer *writer, size_t size, const int16_t *samples);

#endif
