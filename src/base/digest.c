/* Mixes bytes into 64 bits. SPDX-License-Identifier: Apache-2.0 */
#include "base/digest.h"

#include <string.h>

#include "base/mapped_memory.h"

enum { PASSED = 1 << 20 }; /* bytes between two calls of mapped memory */

uint64_t congru_digest(uint64_t digest, const void *data, size_t bytes)
{
    const unsigned char *byte = data;
    for (size_t i = 0; i < bytes; i += sizeof(uint64_t)) {
        uint64_t word = 0;
        memcpy(&word, byte + i, bytes - i < sizeof word ? bytes - i : sizeof word);
        digest = (digest ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        digest ^= digest >> 29;
        if (i % PASSED == PASSED - sizeof word)
            congru_mapped_pass(PASSED);
    }
    return digest;
}
