/* Error texts. SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

congru_status congru_fail(congru_context *context, congru_status status, const char *format, ...)
{
    if (context != NULL) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(context->error, sizeof context->error, format, arguments);
        va_end(arguments);
    }
    return status;
}

const char *congru_context_error(const congru_context *context)
{
    return context != NULL ? context->error : "";
}
