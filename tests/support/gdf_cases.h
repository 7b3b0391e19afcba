/* What the tests of the GDF reader share. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_TESTS_GDF_CASES_H
#define CONGRU_TESTS_GDF_CASES_H

#include "congru/recording.h"
#include "gdf_writer.h"

/* Reads bytes as if they were a file called "test.gdf". */
congru_status gdf_case_read(congru_context *context, const unsigned char *bytes, size_t size,
                            const congru_recording_options *options, congru_recording **recording);

/* Writes the file to memory and reads it; a failure is printed, and NULL. */
congru_recording *gdf_case_load(congru_context *context, const gdf_file *file,
                                const congru_recording_options *options);

/* A small file with all that a GDF file can have: 2.51, three types, fields, names, events of mode 7; the other
 * is 1.25, with mode 3. To be freed. */
unsigned char *gdf_case_new(size_t *size);
unsigned char *gdf_case_old(size_t *size);

/* The bytes of a real file in gdf_samples of CONGRU_DATA, or of ../shared/data beside SOURCE; NULL when it is
 * not there. To be freed. */
unsigned char *gdf_case_real(const char *name, size_t *size);

/* Whether what was read keeps the promises of congru_recording, and has bytes behind each sample. */
bool gdf_case_is_sound(const congru_recording *recording, size_t size);

#endif
