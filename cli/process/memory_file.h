/* Text printed into memory. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLI_MEMORY_FILE_H
#define CONGRU_CLI_MEMORY_FILE_H

#include <stdbool.h>
#include <stdio.h>

typedef struct memory_file {
    FILE *file;  /* to print to; NULL when there is not enough memory */
    char *text;  /* after closing: ended by '\0', to be freed */
    size_t size; /* of the text */
    size_t room;
    bool failed;
} memory_file;

/* The struct must stay where it is until it is closed. False with errno set. */
bool memory_file_open(memory_file *memory);

/* Whether all that was printed is in the text; if not, there is none. */
bool memory_file_close(memory_file *memory);

#endif
