/* Which library this is, as fixed when it was built. SPDX-License-Identifier: Apache-2.0 */
#include "congru/version.h"

#include "version_commit.h"

#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)
#define DOTTED(major, minor, patch) TEXT(major) "." TEXT(minor) "." TEXT(patch)

/* Clang also defines __GNUC__, so it is asked first. */
#if defined(__clang__)
#define COMPILER "clang " DOTTED(__clang_major__, __clang_minor__, __clang_patchlevel__)
#elif defined(__GNUC__)
#define COMPILER "gcc " DOTTED(__GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__)
#else
#define COMPILER "unknown"
#endif

const char *congru_version(void)
{
    return CONGRU_VERSION;
}

const char *congru_version_commit(void)
{
    return CONGRU_COMMIT;
}

const char *congru_version_compiler(void)
{
    return COMPILER;
}
