/* Threads that read files ahead of the one who takes them in order. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLI_IMPORT_POOL_H
#define CONGRU_CLI_IMPORT_POOL_H

#include "import_file.h"

typedef struct import_pool import_pool;

/* Starts `jobs` threads, each with a context of one thread, that read the files in order with import_file_read,
 * no further ahead of import_pool_wait than memory for two files each. Returns EXIT_DONE, or prints one line.
 * */
int import_pool_start(const import_settings *settings, import_file *files, size_t count, int jobs,
                      import_pool **pool);

/* Waits until file `index` was read; calls come for 0, 1, 2, ... */
void import_pool_wait(import_pool *pool, size_t index);

/* Lets the threads end after the file each is at, and frees the pool; NULL is allowed. */
void import_pool_stop(import_pool **pool);

#endif
