#!/bin/bash
# What the tools that count tests make of checks that pass, fail, end early or say nothing. SPDX-License-Identifier: Apache-2.0
set -u

scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
count=0
failed=0

# expect NAME STATUS LAST: whether the last command's output, in scratch/out, ended with LAST, and it with STATUS.
expect()
{
    local last
    count=$((count + 1))
    last=$(tail -n 1 "$scratch/out")
    if [ "$status" = "$2" ] && [ "$last" = "$3" ]; then
        echo "ok $count - $1"
    else
        echo "# expected exit code $2 and '$3', found $status and '$last'"
        echo "not ok $count - $1"
        failed=$((failed + 1))
    fi
}

tap()
{
    status=0
    printf "$1" | "$SOURCE/tools/count-tap.sh" >"$scratch/out" 2>&1 || status=$?
}

# In place of make: says what the name of the target asks for.
cat >"$scratch/make" <<'END'
#!/bin/sh
case $2 in
good) echo '3 passed, 0 failed' ;;
skips) echo '2 passed, 0 failed, 4 skipped' ;;
bad) echo '1 passed, 2 failed'; echo 'make: *** [bad] Error 1' >&2; exit 1 ;;
lies) echo '5 passed, 0 failed'; exit 2 ;;
silent) echo 'all is well' ;;
dies) kill -9 $$ ;;
esac
END
chmod +x "$scratch/make"

checks()
{
    status=0
    MAKE=$scratch/make "$SOURCE/tools/run-checks.sh" "$@" >"$scratch/out" 2>&1 || status=$?
}

tap 'ok 1 - a\nok 2 - b # SKIP why\n1..2\n'
expect tap_counts_passed_and_skipped 0 '1 passed, 0 failed, 1 skipped'
tap '1..2\nok 1 - a\nnot ok 2 - b\n'
expect tap_counts_failed 1 '1 passed, 1 failed'
tap 'ok 1 - a\n'
expect tap_without_a_plan_fails 1 '1 passed, 1 failed'
tap 'ok 1 - a\n1..3\n'
expect tap_that_ends_early_fails 1 '1 passed, 1 failed'
tap ''
expect tap_of_nothing_fails 1 '0 passed, 1 failed'

checks good good
expect sums_are_of_all 0 '6 passed, 0 failed'
checks good skips
expect skipped_are_summed 0 '5 passed, 0 failed, 4 skipped'
checks good bad good
expect failures_are_summed_and_do_not_stop 1 '7 passed, 2 failed'
checks lies
expect an_exit_code_counts_where_no_failure_does 1 '5 passed, 1 failed'
checks silent good
expect saying_nothing_is_a_failure 1 '3 passed, 1 failed'
checks dies good
expect being_killed_is_a_failure 1 '3 passed, 1 failed'

echo "1..$count"
[ "$failed" = 0 ]
