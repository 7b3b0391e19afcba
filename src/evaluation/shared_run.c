/* The beginning and end of a shared run. SPDX-License-Identifier: Apache-2.0 */
#include "evaluation/shared_run.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "evaluation/settings.h"
#include "model/method_options.h"

/* Everything on which results or the list of jobs depend, one thing to a line. */
static void describe(const congru_context *context, const congru_set *set,
                     const congru_evaluation_options *options, congru_text *text)
{
    congru_settings_text(context, set, options, text);
    congru_method_options_write(&options->method, true, text);
    for (size_t i = 0; i < options->pipeline_count; i++) {
        congru_text_add(text, "\n  \"pipeline\": ");
        congru_text_add_json(text, options->pipelines[i]);
    }
    for (size_t i = 0; options->subjects != NULL && i < options->subject_count; i++)
        congru_text_add(text, "\n  \"subject\": %d", (int)options->subjects[i]);
    congru_text_add(text, "\n  \"data_parallel\": %s", options->data_parallel ? "true" : "false");
    congru_text_add(text, "\n  \"folder\": %s\n", options->folder != NULL ? "true" : "false");
    congru_text_add_bytes(text, "", 1);
}

static int line_size(const char *line)
{
    size_t size = strcspn(line, "\n");
    size -= size > 0 && line[size - 1] == ',';
    return (int)(size < 200 ? size : 200);
}

/* `own` and `theirs` end with '\0'. */
static congru_status compare(congru_context *context, int from, int size, const char *own, const char *theirs)
{
    while (*own != '\0' && strncmp(own, theirs, strcspn(own, "\n") + 1) == 0) {
        theirs += strcspn(own, "\n") + 1;
        own += strcspn(own, "\n") + 1;
    }
    if (*own == '\0' && *theirs == '\0')
        return CONGRU_OK;
    return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                       "process %d of %d has %.*s where the first has %.*s; all must read the same set with "
                       "the same options",
                       from + 1, size, line_size(theirs), theirs, line_size(own), own);
}

congru_status congru_share_begin(congru_context *context, const congru_set *set,
                                 const congru_evaluation_options *options, congru_status status)
{
    congru_process_group *processes = options->processes;
    congru_text text = {0};
    if (!congru_process_group_shares(processes))
        return status;
    const int rank = congru_process_group_rank(processes), size = congru_process_group_size(processes);
    char error[CONGRU_ERROR_TEXT_SIZE];
    strcpy(error, congru_context_error(context));
    if (status == CONGRU_OK)
        describe(context, set, options, &text);
    else if (rank > 0)
        congru_fail(context, status, "process %d of %d: %s", rank + 1, size, error);
    status = congru_process_group_hear(processes, context, status, 0, &text);
    for (int r = 1; rank == 0 && status == CONGRU_OK && r < size; r++) {
        size_t bytes;
        const char *theirs = congru_process_group_given(processes, r, CONGRU_ROUND_HEAR, &bytes);
        if (theirs != NULL && bytes > 0)
            status = compare(context, r, size, text.data, theirs);
    }
    congru_text_clear(&text);
    return status;
}

congru_status congru_share_end(congru_context *context, congru_process_group *processes, congru_status status)
{
    congru_text notes = {0};
    const char *note;
    if (!congru_process_group_shares(processes))
        return status;
    for (size_t i = 0; (note = congru_context_note(context, i)) != NULL; i++)
        congru_text_add_bytes(&notes, note, strlen(note) + 1);
    status = congru_process_group_hear(processes, context, status, 0, &notes);
    for (int r = 1; congru_process_group_rank(processes) == 0 && r < congru_process_group_size(processes);
         r++) {
        size_t size;
        const char *at = congru_process_group_given(processes, r, CONGRU_ROUND_HEAR, &size);
        for (const char *end = at != NULL ? at + size : NULL; at < end; at += strlen(at) + 1)
            congru_note(context, "%s", at);
    }
    congru_text_clear(&notes);
    return status;
}

congru_status congru_share_waiting(congru_context *context, congru_process_group *processes,
                                   congru_status status, size_t most, size_t *waiting, size_t *count)
{
    congru_text list = {0};
    if (!congru_process_group_shares(processes))
        return status;
    const bool leads = congru_process_group_rank(processes) == 0;
    for (size_t i = 0; leads && status == CONGRU_OK && i < *count; i++)
        congru_text_add(&list, "%zu ", waiting[i]);
    congru_text_add_bytes(&list, "", 1);
    status = congru_process_group_tell(processes, context, status, &list);
    congru_text_clear(&list);
    if (leads || status != CONGRU_OK)
        return status;
    size_t size;
    const char *at = congru_process_group_given(processes, 0, CONGRU_ROUND_TELL, &size);
    char *end;
    for (*count = 0; *count < most; (*count)++, at = end + 1) {
        const size_t job = strtoull(at, &end, 10);
        if (end == at || job >= most)
            break;
        waiting[*count] = job;
    }
    return CONGRU_OK;
}
