/* Checks of the errors of calls. SPDX-License-Identifier: Apache-2.0 */
#include "refusal.h"

#include <string.h>

#include "harness.h"

void check_error(const congru_context *context, congru_status status, congru_status expected, const char *words)
{
    check_error_at(context, status, expected, "", words);
}

void check_error_at(const congru_context *context, congru_status status, congru_status expected,
                    const char *begin, const char *words)
{
    const char *error = congru_context_error(context);
    CHECK_SAYING(status == expected, "status %d, not %d, for '%s': %s", (int)status, (int)expected, words,
                 error);
    CHECK_SAYING(strncmp(error, begin, strlen(begin)) == 0, "does not begin with %s: %s", begin, error);
    CHECK_SAYING(strstr(error, words) != NULL, "no '%s' in: %s", words, error);
    CHECK_SAYING(strpbrk(error, "\n\r") == NULL, "more than one line: %s", error);
}
