/* Collects the blocks of an experiment. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/number_text.h"
#include "paper/paper_job.h"

enum { FIRST_ROOM = 16, LINE_SIZE = 4096 };

static void clear(congru_paper_block *block)
{
    free(block->text);
    free(block->claim);
    free(block->id);
    free(block->place);
    congru_table_clear(&block->table);
}

congru_status congru_paper_drop(const congru_paper_job *job, congru_paper_block *block)
{
    clear(block);
    return congru_paper_no_memory(job);
}

congru_status congru_paper_add(const congru_paper_job *job, congru_paper_block *block)
{
    congru_paper_result *result = job->result;
    if (result->count == result->room) {
        size_t room = result->room > 0 ? 2 * result->room : FIRST_ROOM;
        congru_paper_block *grown = realloc(result->block, room * sizeof *grown);
        if (grown == NULL)
            return congru_paper_drop(job, block);
        result->block = grown;
        result->room = room;
    }
    result->block[result->count++] = *block;
    if (job->request->found != NULL)
        job->request->found(job->request->user, &result->block[result->count - 1]);
    return CONGRU_OK;
}

congru_status congru_paper_say(const congru_paper_job *job, congru_paper_kind kind, bool apart,
                               const char *format, ...)
{
    char text[LINE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    congru_format_list(text, sizeof text, format, arguments);
    va_end(arguments);
    congru_paper_block block = {.kind = kind, .apart = apart, .text = strdup(text)};
    return block.text != NULL ? congru_paper_add(job, &block) : congru_paper_no_memory(job);
}

congru_status congru_paper_table(const congru_paper_job *job, bool apart, congru_table *table,
                                 congru_text *plain)
{
    congru_paper_block block = {.kind = CONGRU_PAPER_TABLE, .apart = apart, .table = *table};
    bool failed = table->failed || (plain != NULL && plain->failed);
    if (plain != NULL) {
        block.text = plain->data;
        *plain = (congru_text){0};
    }
    *table = (congru_table){0};
    return failed ? congru_paper_drop(job, &block) : congru_paper_add(job, &block);
}

void congru_paper_result_destroy(congru_paper_result **result)
{
    if (result == NULL || *result == NULL)
        return;
    for (size_t i = 0; i < (*result)->count; i++)
        clear(&(*result)->block[i]);
    free((*result)->block);
    free(*result);
    *result = NULL;
}
