#!/bin/bash
# Runs make targets one after another and ends with the sum of what they counted. SPDX-License-Identifier: Apache-2.0
#
# usage: tools/run-checks.sh TARGET...
#
# Every target ends with "N passed, N failed" or "N passed, N failed, N skipped", behind which make may complain, and its
# exit code agrees. One that says neither, or fails without a failure to its name, counts as a failure more. The last line
# here is that of the sum.
set -u -o pipefail

scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
passed=0
failed=0
skipped=0
summary=

for target in "$@"; do
    started=$SECONDS
    echo "== make $target"
    status=0
    ${MAKE:-make} --no-print-directory "$target" </dev/null 2>&1 | tee "$scratch/log" || status=$?
    line=$(grep -E '^[0-9]+ passed, [0-9]+ failed(, [0-9]+ skipped)?$' "$scratch/log" | tail -n 1)
    if [[ $line =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed(,\ ([0-9]+)\ skipped)?$ ]]; then
        passed=$((passed + BASH_REMATCH[1]))
        failed=$((failed + BASH_REMATCH[2]))
        skipped=$((skipped + ${BASH_REMATCH[4]:-0}))
        if [ "$status" != 0 ] && [ "${BASH_REMATCH[2]}" = 0 ]; then
            line="$line, but it ended with exit code $status"
            failed=$((failed + 1))
        fi
    else
        line="ended with exit code $status and counted nothing"
        failed=$((failed + 1))
    fi
    summary+=$(printf '%-10s %4d s   %s' "$target" $((SECONDS - started)) "$line")$'\n'
done

printf '\n%s\n' "$summary"
if [ "$skipped" = 0 ]; then
    echo "$passed passed, $failed failed"
else
    echo "$passed passed, $failed failed, $skipped skipped"
fi
[ "$failed" = 0 ]
