#!/bin/sh
# The Python package as it is in the build folder, by its own tests. SPDX-License-Identifier: Apache-2.0
#
# It reads SOURCE, BUILD and SANITIZE; see tests/meson.build. Debian's own Python runs it, whatever other python3 is first
# on the path.
set -u

python=/usr/bin/python3
package=$BUILD/python

skip()
{
    echo "1..0 # SKIP $1"
    exit 0
}

[ "${SANITIZE:-none}" = none ] || skip "a module built with a sanitizer cannot be loaded into python"
command -v "$python" >/dev/null || skip "there is no $python (install python3)"
[ -e "$package/congru/_native.abi3.so" ] || skip "the package was not built (install python3-dev, then build again)"
for module in numpy pytest sklearn pandas; do
    "$python" -c "import $module" 2>/dev/null || skip "there is no module $module (install python3-$module)"
done
cd "$SOURCE" || exit 1
CONGRU_COMMAND=$BUILD/congru PYTHONPATH=$package PYTHONDONTWRITEBYTECODE=1 \
    exec "$python" tests/python_tap.py python/tests
