#!/bin/sh
# Runs all tests of a build folder and ends with "N passed, N failed". SPDX-License-Identifier: Apache-2.0
#
# usage: tools/run-tests.sh BUILD [meson test arguments, for example the names of tests]
set -eu

build=$1
shift

# Meson's exit code is not asked: the log is counted, point by point, by stricter rules. With a --wrapper its name has that
# of the wrapper in it.
rm -f "$build"/meson-logs/testlog*.json
meson test -C "$build" "$@" || true
exec python3 "$(dirname "$0")/count_tests.py" "$build"/meson-logs/testlog*.json
