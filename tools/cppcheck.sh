#!/bin/sh
# Runs cppcheck on all C files; prints TAP. SPDX-License-Identifier: Apache-2.0
#
# usage: tools/cppcheck.sh
#
# What is not reported, and why, is in tools/cppcheck.txt and in comments "cppcheck-suppress" with their reasons.
set -eu
cd "$(dirname "$0")/.."

if found=$(cppcheck -q -j "${JOBS:-$(nproc)}" --std=c11 --enable=warning,style,performance,portability --inline-suppr \
    --suppressions-list=tools/cppcheck.txt --error-exitcode=1 --template='{file}:{line}: {severity} {id}: {message}' \
    -Iinclude -Isrc -Itests/support src cli python tests bench fuzz examples 2>&1); then
    echo "ok 1 - cppcheck finds nothing"
else
    printf '%s\n' "$found" | sed 's/^/# /'
    echo "not ok 1 - cppcheck finds nothing"
fi
echo 1..1
