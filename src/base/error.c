/* Error texts and notes. SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/number_text.h"
#include "base/store.h"

enum { WHOLE_SIZE = 8192, BEGINNING = 400 };

/* A text that does not fit, as one about a very long path, loses its middle: the reason comes at the end. */
static void keep_both_ends(const char *whole, char error[CONGRU_ERROR_TEXT_SIZE])
{
    size_t size = strlen(whole), end = CONGRU_ERROR_TEXT_SIZE - 1 - BEGINNING - 3;
    if (size < CONGRU_ERROR_TEXT_SIZE) {
        memcpy(error, whole, size + 1);
        return;
    }
    memcpy(error, whole, BEGINNING);
    memcpy(error + BEGINNING, "...", 3);
    memcpy(error + BEGINNING + 3, whole + size - end, end + 1);
}

congru_status congru_fail(congru_context *context, congru_status status, const char *format, ...)
{
    if (context != NULL) {
        va_list arguments;
        char whole[WHOLE_SIZE];
        va_start(arguments, format);
        congru_format_list(whole, sizeof whole, format, arguments);
        va_end(arguments);
        keep_both_ends(whole, context->error);
        const char *reason = status == CONGRU_ERROR_MEMORY ? congru_store_reason() : "";
        size_t size = strlen(context->error);
        if (reason[0] != '\0')
            snprintf(context->error + size, sizeof context->error - size, ": %s", reason);
    }
    return status;
}

const char *congru_context_error(const congru_context *context)
{
    return context != NULL ? context->error : "";
}

void congru_note(congru_context *context, const char *format, ...)
{
    if (context == NULL || context->notes == CONGRU_NOTES_MAX)
        return;
    char *text = context->note[context->notes];
    va_list arguments;
    va_start(arguments, format);
    congru_format_list(text, CONGRU_NOTE_SIZE, format, arguments);
    va_end(arguments);
    for (size_t i = 0; i < context->notes; i++)
        if (strcmp(context->note[i], text) == 0)
            return;
    context->notes++;
}

const char *congru_context_note(const congru_context *context, size_t index)
{
    return context != NULL && index < context->notes ? context->note[index] : NULL;
}
