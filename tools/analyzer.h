/* What clang-tidy is told of functions whose source it does not see. SPDX-License-Identifier: Apache-2.0
 *
 * tools/tidy.sh includes this before each file. The analyzer reads one file at a time: it does not know that these
 * functions return what they are given, and would follow every failure as if the function had gone on. The
 * file that defines one of them is looked at without. */
#if __has_include("base/error.h")
#include "base/error.h"
#define congru_fail(context, status, ...) (congru_fail((context), (status), __VA_ARGS__), (status))
#endif

#if __has_include("spd/batch.h")
#include "spd/batch.h"
#define congru_check_argument(context, valid, what) \
    (congru_check_argument((context), (valid), (what)) == CONGRU_OK && (valid) ? CONGRU_OK \
                                                                               : CONGRU_ERROR_ARGUMENT)
#endif

#if __has_include("array/mat_internal.h")
#include "array/mat_internal.h"
#define congru_mat_fail(stream, status, ...) (congru_mat_fail((stream), (status), __VA_ARGS__), (status))
#endif

#if __has_include("harness.h")
#include "harness.h"
static inline bool analyzer_same(bool passed)
{
    return passed;
}
static inline void analyzer_say(const char *file, ...)
{
    (void)file;
}
#define harness_check(passed, ...) (analyzer_say(__VA_ARGS__), analyzer_same(passed))
#endif

#if __has_include("cli/process/terminal.h")
#include "cli/process/terminal.h"
#define terminal_fail(exit_code, ...) (terminal_fail((exit_code), __VA_ARGS__), (exit_code))
#endif
