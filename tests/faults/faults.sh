#!/bin/bash
# A sample of the campaign of faults. SPDX-License-Identifier: Apache-2.0
#
# It reads SOURCE, BUILD and SANITIZE; see tests/meson.build. 'make check-faults' runs all of it.
set -u

if [ ! -e "$BUILD/tests/faults/libfault_shim.so" ]; then
    echo '1..0 # SKIP the shim is for Linux on x86-64 and 64-bit ARM'
    exit 0
fi
mode=
[ "${SANITIZE:-none}" = none ] || mode=--sanitized
exec python3 "$SOURCE/tests/faults/campaign.py" --build "$BUILD" --sample --tap $mode
