#!/bin/bash
# A sample of the attack by hostile files, folders, words and clients. SPDX-License-Identifier: Apache-2.0
#
# It reads SOURCE, BUILD and SANITIZE; see tests/meson.build. 'make check-hostile' runs all of it.
set -u

for tool in python3 prlimit setpriv; do
    if ! command -v $tool >/dev/null; then
        echo "1..0 # SKIP $tool is not installed"
        exit 0
    fi
done
mode=
[ "${SANITIZE:-none}" = none ] || mode=--sanitized
exec python3 "$SOURCE/tests/hostile/attack.py" --build "$BUILD" --sample --tap --jobs 1 $mode
