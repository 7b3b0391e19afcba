/* Keeps what is printed, and notices when it cannot. SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* fopencookie */
#include "memory_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#ifdef __linux__
enum { ROOM_FIRST = 1024 };

/* open_memstream of the GNU C library loses text when memory is short, and sets no error. */
static ssize_t keep(void *user, const char *bytes, size_t size)
{
    memory_file *memory = user;
    size_t room = memory->room > 0 ? memory->room : ROOM_FIRST;
    while (room - memory->size <= size)
        room *= 2;
    if (room != memory->room) {
        char *grown = realloc(memory->text, room);
        if (grown == NULL) {
            memory->failed = true;
            return 0;
        }
        memory->text = grown;
        memory->room = room;
    }
    memcpy(memory->text + memory->size, bytes, size);
    memory->size += size;
    memory->text[memory->size] = '\0';
    return (ssize_t)size;
}

bool memory_file_open(memory_file *memory)
{
    *memory = (memory_file){.text = NULL};
    memory->file = fopencookie(memory, "w", (cookie_io_functions_t){.write = keep});
    return memory->file != NULL;
}
#else
bool memory_file_open(memory_file *memory)
{
    *memory = (memory_file){.text = NULL};
    memory->file = open_memstream(&memory->text, &memory->size);
    return memory->file != NULL;
}
#endif

bool memory_file_close(memory_file *memory)
{
    bool whole = !ferror(memory->file);
    whole &= fclose(memory->file) == 0 && !memory->failed && memory->text != NULL;
    memory->file = NULL;
    if (whole)
        return true;
    free(memory->text);
    memory->text = NULL;
    errno = ENOMEM;
    return false;
}
