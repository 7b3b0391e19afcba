#!/bin/sh
# Counts TAP on standard input, shows what failed, ends with "N passed, N failed". SPDX-License-Identifier: Apache-2.0
#
# usage: COMMAND | tools/count-tap.sh
#
# Comment lines (#) are shown. A plan that is missing or wrong is one more failure: a check that ended early has not
# passed.
exec awk '
/^#/ { print; next }
/^ok/ { if (/# SKIP/) { skipped++; print "skipped:" substr($0, 3) } else passed++; next }
/^not ok/ { failed++; print; next }
/^1\.\.[0-9]+$/ { planned = 1; plan = substr($0, 4) + 0 }
END {
    if (!planned || plan != passed + failed + skipped) {
        printf "not ok - planned %s, ran %d\n", planned ? plan : "nothing", passed + failed + skipped
        failed++
    }
    printf "\n%d passed, %d failed", passed, failed
    if (skipped) printf ", %d skipped", skipped
    printf "\n"
    exit failed > 0
}'
