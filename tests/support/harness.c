/* The test harness: counts checks, prints TAP. SPDX-License-Identifier: Apache-2.0 */
#include "harness.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

static int tests_run, tests_failed, checks_failed, checks_made;
static const char *skip_reason;

enum { FAILURES_SHOWN = 20 };

void harness_run(const char *name, void (*test)(void))
{
    checks_failed = 0;
    checks_made = 0;
    skip_reason = NULL;
    test();
    tests_run++;
    if (skip_reason != NULL && checks_failed == 0) {
        printf("ok %d - %s # SKIP %s\n", tests_run, name, skip_reason);
        return;
    }
    if (checks_made == 0) {
        printf("# %s made no check\n", name);
        checks_failed++;
    }
    if (checks_failed > FAILURES_SHOWN)
        printf("# ... and %d more\n", checks_failed - FAILURES_SHOWN);
    if (checks_failed > 0)
        tests_failed++;
    printf("%s %d - %s\n", checks_failed > 0 ? "not ok" : "ok", tests_run, name);
    fflush(stdout);
}

static harness_test *first_test, **test_end = &first_test;

void harness_add(harness_test *test)
{
    *test_end = test;
    test_end = &test->next;
}

void harness_run_all(void)
{
    for (const harness_test *test = first_test; test != NULL; test = test->next)
        harness_run(test->name, test->run);
}

static bool count_check(bool passed)
{
    checks_made++;
    if (!passed)
        checks_failed++;
    return !passed && checks_failed <= FAILURES_SHOWN;
}

bool harness_check(bool passed, const char *file, int line, const char *format, ...)
{
    if (count_check(passed)) {
        va_list arguments;
        va_start(arguments, format);
        printf("# %s:%d: ", file, line);
        vprintf(format, arguments);
        printf("\n");
        va_end(arguments);
    }
    return passed;
}

bool harness_near(double actual, double expected, double tolerance, const char *file, int line,
                  const char *what)
{
    bool passed = fabs(actual - expected) <= tolerance;
    if (count_check(passed))
        printf("# %s:%d: %s is %.17g, expected %.17g within %g\n", file, line, what, actual, expected,
               tolerance);
    return passed;
}

void harness_skip(const char *reason)
{
    skip_reason = reason;
}

int harness_end(void)
{
    printf("1..%d\n", tests_run);
    return tests_failed > 0;
}
