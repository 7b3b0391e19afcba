/* Runs a fuzz target over files, in place of libFuzzer: make check replays the corpus with it. SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int main(int count, char **paths)
{
    static uint8_t room[1 << 24];
    for (int i = 1; i < count; i++) {
        FILE *file = fopen(paths[i], "rb");
        if (file == NULL) {
            perror(paths[i]);
            return 1;
        }
        size_t size = fread(room, 1, sizeof room, file);
        fclose(file);
        /* A copy of the exact size, so that a sanitizer sees a read past its end. */
        uint8_t *bytes = malloc(size > 0 ? size : 1);
        if (bytes == NULL)
            return 1;
        for (size_t k = 0; k < size; k++)
            bytes[k] = room[k];
        LLVMFuzzerTestOneInput(bytes, size);
        free(bytes);
    }
    printf("%d files\n", count - 1);
    return 0;
}
