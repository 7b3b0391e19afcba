/* Bytes for the .npy reader: a libFuzzer target, or a replay program. SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <stdlib.h>

#include "dataset/npy_internal.h"

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

/* Build with -fsanitize=fuzzer and this macro, the usual name, for libFuzzer; without both to replay. */
#ifndef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
#include <stdio.h>

int main(int count, char **paths)
{
    static uint8_t bytes[1 << 24];
    for (int i = 1; i < count; i++) {
        FILE *file = fopen(paths[i], "rb");
        if (file == NULL) {
            perror(paths[i]);
            return 1;
        }
        LLVMFuzzerTestOneInput(bytes, fread(bytes, 1, sizeof bytes, file));
        fclose(file);
    }
    return 0;
}
#endif
