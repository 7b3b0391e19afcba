#!/bin/sh
# Null pointers and enums that are none, in every exported function. SPDX-License-Identifier: Apache-2.0
#
# It reads SOURCE, BUILD and SANITIZE; see tests/meson.build. The work is api_misuse.py's; this looks for what that needs.
set -u

python=/usr/bin/python3

if [ "${SANITIZE:-none}" != none ]; then
    echo "1..0 # SKIP a library built with a sanitizer cannot be loaded into python"
elif ! "$python" -c 'import ctypes' 2>/dev/null; then
    echo "1..0 # SKIP there is no $python"
elif ! command -v nm >/dev/null; then
    echo "1..0 # SKIP there is no nm to list what the library exports"
else
    exec "$python" "${SOURCE:-$(dirname "$0")/..}/tests/api/api_misuse.py"
fi
