#!/bin/bash
# Branches on 49 real subjects, against accuracies that an independent reading in numpy has found. SPDX-License-Identifier: Apache-2.0
#
# CONGRU_VIEWS=all asks about the grid of blocks and the sums too, which takes about half a minute of two processors.
source "$SOURCE/tests/support/cli_session.sh"

data=${CONGRU_DATA:-$SOURCE/../shared/data}
reason=
[ -d "$data/eegmmidb/epochs22" ] || reason="$data/eegmmidb/epochs22 is absent"
[ "$SANITIZE" = none ] || reason="the build is instrumented with $SANITIZE"

# The stored mean accuracy over subjects, %, of each pipeline of data/views_fixed.txt.
declare -A stored=([ts1]=45.47 [ts2]=44.61 [lf]=53.44 [tf]=45.85 [three]=48.7 [four]=62.14)

# within_of PIPELINE: tells a mean that is not there, or more than 0.3 points from the stored one.
within_of()
{
    awk -v name="$1" -v stored="${stored[$1]}" '$1 == name {
            found = 1
            far = $3 - stored
            if (far > 0.3 || far < -0.3) print name ": " $3 " %, stored are " stored
        }
        END { if (!found) print name ": not in the table" }' table.txt
}

# compare PIPELINE...: all in one run.
compare()
{
    local name list
    list=$(IFS=,; echo "$*")
    congru loso wide.npz --pipeline-file "$SOURCE/tests/data/views_fixed.txt" -p "$list" -o results >table.txt 2>&1
    for name; do
        result "$name is as accurate as stored" "$(within_of "$name")"
    done
}

# skip_all REASON PIPELINE...
skip_all()
{
    local name why=$1
    shift
    for name; do
        skip "$name is as accurate as stored" "$why"
    done
}

cd "$scratch/work" || exit 1
if [ -n "$reason" ]; then
    skip_all "$reason" ts1 ts2 lf tf three four
else
    congru import "$data"/eegmmidb/epochs22/S*.npz --band off --notch off --window all --keep-signals -o wide.npz \
        >said.txt 2>&1
    result "49 subjects are imported" "$(grep -q '^wide.npz: 4182 trials, 49 subjects' said.txt || cat said.txt)"
    if [ "${CONGRU_VIEWS:-}" = all ]; then
        compare ts1 ts2 lf tf three four
    else
        compare ts1 ts2 lf
        skip_all "takes long; CONGRU_VIEWS=all asks for it" tf three four
    fi
fi
echo "1..$count"
[ "$failed" = 0 ]
