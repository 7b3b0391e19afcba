#!/bin/bash
# Four views of a trial, leaving out each of 49 subjects, against an independent reading, timed in one run. SPDX-License-Identifier: Apache-2.0
#
# It reads SOURCE and BUILD; CONGRU_VIEWS_ORACLE, the path of a Python script that does the same and prints a line
# "all four ACCURACY ..."; CONGRU_DATA, where eegmmidb/epochs22 is; and REPEATS (1). Seconds on the wall are of one after
# the other, and processor seconds beside them, which other work on the machine changes less. What congru takes to import
# the files is given apart: the oracle reads them too.
set -u -o pipefail
export LC_ALL=C

oracle=${CONGRU_VIEWS_ORACLE:-}
data=${CONGRU_DATA:-$SOURCE/../shared/data}/eegmmidb/epochs22
bar=8      # the oracle takes at least as many times as long
nested=120 # seconds for the choice of C and weights
python=/usr/bin/python3
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

skip()
{
    echo "bench_views: skipped: $1"
    exit 77
}

[ -z "${QUICK:-}" ] || skip "it takes minutes"
[ -f "$oracle" ] || skip "CONGRU_VIEWS_ORACLE names no script"
[ -d "$data" ] || skip "$data is absent"

# timed NAME COMMAND...: seconds on the wall and of the processor go to $wall and $own, what it prints to NAME.txt.
timed()
{
    local name=$1 TIMEFORMAT='%R %U %S'
    shift
    read -r wall user system < <({ time "$@" >"$scratch/$name.txt" 2>"$scratch/$name.err"; } 2>&1) || exit 1
    own=$(awk -v a="$user" -v b="$system" 'BEGIN { print a + b }')
    printf 'bench_views: %-8s %7.1f s on the wall, %7.1f s of processors\n' "$name" "$wall" "$own"
}

accuracy()
{
    awk -v name="$2" 'index($0, name) == 1 { $0 = substr($0, length(name) + 1); print $column; exit }' column="$3" "$scratch/$1.txt"
}

for ((i = 0; i < ${REPEATS:-1}; i++)); do
    timed import "$BUILD/congru" import "$data"/S*.npz --band off --notch off --window all --keep-signals -o "$scratch/wide.npz"
    rm -rf "$scratch/four"
    timed congru "$BUILD/congru" loso "$scratch/wide.npz" --pipeline-file "$SOURCE/tests/data/views_fixed.txt" -p four --jobs 2 \
        -o "$scratch/four"
    ours=$wall ours_own=$own
    timed oracle "$python" "$oracle"
    ratio=$(awk -v a="$wall" -v b="$ours" 'BEGIN { printf "%.1f", a / b }')
    ratio_own=$(awk -v a="$own" -v b="$ours_own" 'BEGIN { printf "%.1f", a / b }')
    echo "bench_views: ratio $ratio on the wall, $ratio_own of processors (at least $bar on the wall is asked)"
    echo "bench_views: accuracies $(accuracy congru four 2) and $(accuracy oracle 'all four' 1) %"
done
rm -rf "$scratch/nested"
timed nested "$BUILD/congru" loso "$scratch/wide.npz" -p motor+slow --jobs 2 -o "$scratch/nested"
echo "bench_views: C and weights chosen: $(accuracy nested motor+slow 2) %, $wall s (at most $nested are asked)"
