/* A test program: named tests, checks that go on after a failure, TAP on standard output. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_TESTS_HARNESS_H
#define CONGRU_TESTS_HARNESS_H

#include <stdbool.h>
#include <stddef.h>

/* A test that runs with all others of its file, in their order:
 * TEST(adds) { CHECK(1 + 1 == 2); }
 * int main(void) { harness_run_all(); return harness_end(); } */
#define TEST(name) \
    static void name(void); \
    __attribute__((constructor)) static void add_##name(void) \
    { \
        static harness_test harness_entry = {#name, name, NULL}; \
        harness_add(&harness_entry); \
    } \
    static void name(void)

/* Runs one that is to run at another place, or not always. */
#define RUN(test) harness_run(#test, test)

/* A failed check is printed with its place, fails its test, and lets it go on. */
#define CHECK(condition) harness_check((condition), __FILE__, __LINE__, "%s", #condition)
#define CHECK_SAYING(condition, ...) harness_check((condition), __FILE__, __LINE__, __VA_ARGS__)

/* |actual - expected| <= tolerance; NaN fails. */
#define CHECK_NEAR(actual, expected, tolerance) \
    harness_near((actual), (expected), (tolerance), __FILE__, __LINE__, #actual)

/* Whether ThreadSanitizer looks on: a race shows in the first steps of a training, each of which takes many times as long. */
#if defined(__SANITIZE_THREAD__)
enum { HARNESS_RACES = 1 };
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
enum { HARNESS_RACES = 1 };
#else
enum { HARNESS_RACES = 0 };
#endif
#else
enum { HARNESS_RACES = 0 };
#endif

/* Ends the test as skipped, with the reason in the output: use as SKIP("no scipy"); return; */
#define SKIP(reason) harness_skip(reason)

typedef struct harness_test {
    const char *name;
    void (*run)(void);
    struct harness_test *next;
} harness_test;

void harness_add(harness_test *test);
void harness_run_all(void);
void harness_run(const char *name, void (*test)(void));
bool harness_check(bool passed, const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
bool harness_near(double actual, double expected, double tolerance, const char *file, int line,
                  const char *what);
void harness_skip(const char *reason);

/* Prints the plan; returns the exit code of the program (1 when a test failed). */
int harness_end(void);

#endif
