/* Bytes for the .npy reader: a libFuzzer target. SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <stdlib.h>

#include "array/npy_internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    congru_array array;
    congru_status status = congru_npy_parse(NULL, "fuzz", bytes, size, &array);
    /* What is accepted has bytes behind every value; what is refused leaves nothing behind. */
    if (status == CONGRU_OK ? array.data == NULL || array.count > size / 4
                            : array.data != NULL || array.count != 0)
        abort();
    congru_array_clear(&array);
    return 0;
}
