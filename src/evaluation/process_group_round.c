/* The beginning and end of a shared evaluation. SPDX-License-Identifier: Apache-2.0 */
#include "evaluation/process_group_round.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
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
}

typedef struct roll_call {
    congru_context *context;
    int size;
    const char *own;
    congru_status status;
} roll_call;

static size_t line_size(const char *line)
{
    size_t size = strcspn(line, "\n");
    return size > 0 && line[size - 1] == ',' ? size - 1 : size;
}

static congru_status compare(const roll_call *call, int from, const char *theirs)
{
    const char *own = call->own;
    while (*own != '\0' && strncmp(own, theirs, strcspn(own, "\n") + 1) == 0) {
        theirs += strcspn(own, "\n") + 1;
        own += strcspn(own, "\n") + 1;
    }
    if (*own == '\0' && *theirs == '\0')
        return CONGRU_OK;
    size_t own_size = line_size(own), their_size = line_size(theirs);
    return congru_fail(
        call->context, CONGRU_ERROR_ARGUMENT,
        "process %d of %d has %.*s where the first has %.*s; all must read the same set with the "
        "same options",
        from + 1, call->size, (int)(their_size < 200 ? their_size : 200), theirs,
        (int)(own_size < 200 ? own_size : 200), own);
}

/* Its own failure counts first, then that of the lowest rank that was heard. */
static void hear(void *user, int from, congru_parcel *parcel)
{
    roll_call *call = user;
    if (call->status != CONGRU_OK)
        return;
    call->status = congru_parcel_status(parcel, call->context);
    if (call->status == CONGRU_OK) {
        call->status = compare(call, from, congru_parcel_text(parcel));
    } else {
        char text[CONGRU_ERROR_TEXT_SIZE];
        strcpy(text, congru_context_error(call->context));
        congru_fail(call->context, call->status, "process %d of %d: %.950s", from + 1, call->size, text);
    }
}

congru_status congru_round_open(congru_context *context, const congru_set *set,
                                const congru_evaluation_options *options, congru_status status)
{
    congru_process_group *processes = options->processes;
    congru_text text = {0};
    if (!congru_process_group_shares(processes))
        return status;
    if (status == CONGRU_OK)
        describe(context, set, options, &text);
    if (text.failed)
        status = congru_fail(context, CONGRU_ERROR_MEMORY, "not enough memory");
    if (congru_process_group_rank(processes) == 0) {
        roll_call call = {context, congru_process_group_size(processes), text.data, status};
        congru_process_group_gather(processes, CONGRU_MESSAGE_HELLO, hear, &call);
        status = call.status;
        if (status == CONGRU_OK && congru_process_group_complaint(processes)[0] != '\0')
            status = congru_fail(context, CONGRU_ERROR_IO, "%s", congru_process_group_complaint(processes));
    } else {
        congru_bytes bytes = congru_process_group_begin(CONGRU_MESSAGE_HELLO);
        congru_bytes_add_status(&bytes, status, context);
        congru_bytes_add_text(&bytes, status == CONGRU_OK ? text.data : "");
        congru_process_group_send(processes, 0, &bytes);
        status = CONGRU_OK;
    }
    congru_text_clear(&text);
    return status;
}

static congru_status begin(congru_context *context, congru_process_group *processes, size_t most,
                           size_t *waiting, size_t *count)
{
    congru_message message = CONGRU_MESSAGE_HELLO;
    congru_parcel parcel;
    while (message != CONGRU_MESSAGE_START)
        if (!congru_process_group_await(processes, &message, &parcel))
            return congru_fail(context, CONGRU_ERROR_IO, "the process that hands out the work is gone");
    congru_status status = congru_parcel_status(&parcel, context);
    *count = status == CONGRU_OK ? congru_parcel_count(&parcel) : 0;
    *count = *count <= most ? *count : most;
    for (size_t i = 0; i < *count; i++) {
        size_t job = congru_parcel_count(&parcel);
        waiting[i] = job < most ? job : 0;
    }
    return status;
}

congru_status congru_round_start(congru_context *context, congru_process_group *processes, congru_status status,
                                 size_t most, size_t *waiting, size_t *count)
{
    if (!congru_process_group_shares(processes))
        return status;
    if (congru_process_group_rank(processes) > 0)
        return begin(context, processes, most, waiting, count);
    congru_bytes bytes = congru_process_group_begin(CONGRU_MESSAGE_START);
    congru_bytes_add_status(&bytes, status, context);
    congru_bytes_add_count(&bytes, *count);
    for (size_t i = 0; i < *count; i++)
        congru_bytes_add_count(&bytes, waiting[i]);
    congru_process_group_send_all(processes, &bytes);
    return status;
}

static void hear_notes(void *user, int from, congru_parcel *parcel)
{
    (void)from;
    size_t count = congru_parcel_count(parcel);
    for (size_t i = 0; i < count && !parcel->failed; i++) {
        const char *note = congru_parcel_text(parcel);
        if (!parcel->failed)
            congru_note(user, "%s", note);
    }
}

void congru_round_notes(congru_context *context, congru_process_group *processes)
{
    if (!congru_process_group_shares(processes))
        return;
    if (congru_process_group_rank(processes) == 0) {
        congru_process_group_gather(processes, CONGRU_MESSAGE_NOTES, hear_notes, context);
        return;
    }
    size_t count = 0;
    while (congru_context_note(context, count) != NULL)
        count++;
    congru_bytes bytes = congru_process_group_begin(CONGRU_MESSAGE_NOTES);
    congru_bytes_add_count(&bytes, count);
    for (size_t i = 0; i < count; i++)
        congru_bytes_add_text(&bytes, congru_context_note(context, i));
    congru_process_group_send(processes, 0, &bytes);
}
