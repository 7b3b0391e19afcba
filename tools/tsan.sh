#!/bin/bash
# Runs the tests that start threads under ThreadSanitizer, and looks whether it works at all. SPDX-License-Identifier: Apache-2.0
#
# usage: tools/tsan.sh BUILD TEST...
#
# BUILD is configured with -Db_sanitize=thread. A report of a race ends the test with exit code 66.
set -u

build=$1
shift
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

# A sanitizer that misses a plain race would find nothing elsewhere either.
cat >"$scratch/race.c" <<'END'
#include <pthread.h>
static int shared;
static void *count(void *unused)
{
    for (int i = 0; i < 1000; i++)
        shared++;
    return unused;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, count, 0);
    pthread_create(&b, 0, count, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
END
if ! ${CC:-cc} -g -fsanitize=thread "$scratch/race.c" -o "$scratch/race" -pthread ||
    "$scratch/race" 2>"$scratch/said" || ! grep -q 'data race' "$scratch/said"; then
    echo 'ThreadSanitizer does not find a plain race on this machine'
    echo '0 passed, 1 failed'
    exit 1
fi

export TSAN_OPTIONS="halt_on_error=1 second_deadlock_stack=1 suppressions=$PWD/tools/tsan.txt"
"$(dirname "$0")/run-tests.sh" "$build" --timeout-multiplier 4 "$@"
