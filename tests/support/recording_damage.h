/* Damaged copies of recordings, soundness, a limit on memory. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_TESTS_RECORDING_DAMAGE_H
#define CONGRU_TESTS_RECORDING_DAMAGE_H

#include <stdint.h>

#include "congru/recording.h"

enum { DAMAGE_TRUNCATIONS = 200, DAMAGE_CHANGES = 2000 };

/* NULL for a recording that keeps what congru/recording.h promises, else what it breaks. Reads every sample. */
const char *damage_unsound(const congru_recording *recording);

/* Reads bytes[0..size) as the format at hand; must set *recording on CONGRU_OK alone. */
typedef congru_status (*damage_read)(congru_context *context, void *user, const unsigned char *bytes,
                                     size_t size, congru_recording **recording);

/* Checks that every one of DAMAGE_TRUNCATIONS cuts and DAMAGE_CHANGES changes of one byte gives a sound
 * recording, or an error of one line that begins with the name of a file. `bytes` is left as it was. */
void damage_all(congru_context *context, damage_read read, void *user, unsigned char *bytes, size_t size);

/* Lets the process have no more than `bytes` of memory beyond what it has; false where this cannot be done, as
 * under a sanitizer. damage_unlimit ends it. */
bool damage_limit(size_t bytes);
void damage_unlimit(void);

/* A file of the shared data, by CONGRU_DATA or SOURCE; NULL where it is absent. Valid until the next call. */
const char *damage_data_file(const char *name);

#endif
