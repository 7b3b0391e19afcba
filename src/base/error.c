/* Error texts and notes. SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/number_text.h"
#include "base/store.h"

congru_status congru_fail(congru_context *context, congru_status status, const char *format, ...)
{
    if (context != NULL) {
        va_list arguments;
        va_start(arguments, format);
        congru_format_list(context->error, sizeof context->error, format, arguments);
        va_end(arguments);
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
