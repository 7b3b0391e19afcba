#!/bin/sh
# The command against scipy's matrix functions, through .npy files. SPDX-License-Identifier: Apache-2.0
#
# It reads SOURCE and BUILD; see tests/meson.build. The comparison is oracle_scipy.py; this looks for what that
# needs.
set -u

python=/usr/bin/python3 # Debian's own, which is where its numpy and scipy packages are
command=${BUILD:-build}/congru

if [ ! -x "$command" ]; then
    echo "1..0 # SKIP the command is not built"
elif ! "$python" -c 'import numpy, scipy.linalg' 2>/dev/null; then
    echo "1..0 # SKIP $python has no numpy or no scipy"
else
    unset CONGRU_CPU
    exec "$python" "${SOURCE:-$(dirname "$0")/..}/tests/oracle/oracle_scipy.py" "$command"
fi
