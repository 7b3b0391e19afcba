#!/bin/bash
# congru compare, ablate and reproduce: sessions. SPDX-License-Identifier: Apache-2.0
source "$SOURCE/tests/cli_session.sh"

ln -s "$BUILD/tests/make_set" "$scratch/bin/make_set"

run_sessions "$SOURCE"/tests/cli/experiments/*.txt

help_fits ablate compare reproduce
echo "1..$count"
exit $((failed > 0))
