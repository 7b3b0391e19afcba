/* JSON files of the command's own, whole or not at all. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLI_JSON_DRAFT_H
#define CONGRU_CLI_JSON_DRAFT_H

#include "memory_file.h"

enum { JSON_PATH_SIZE = 4096 };

/* A file that is being put together in memory, and written under another name first. */
typedef struct json_draft {
    FILE *file;
    memory_file memory;
    char path[JSON_PATH_SIZE], draft[JSON_PATH_SIZE];
} json_draft;

/* Begins FOLDER/NAME. Each returns EXIT_DONE, or prints one line and returns EXIT_FAILED. */
int json_begin(json_draft *draft, const char *folder, const char *name);

/* Gives the file its name. */
int json_end(json_draft *draft);

/* Leaves what is there instead. */
void json_drop(json_draft *draft);

/* A text in quotes; a number to all its digits, null where it is not finite. */
void json_text(FILE *file, const char *text);
void json_number(FILE *file, double number);

/* The same to six digits. */
void json_rounded(FILE *file, double number);

#endif
