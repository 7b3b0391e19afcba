#!/bin/bash
# congru loso against NumPy with scikit-learn, and pyRiemann, timed in one run. SPDX-License-Identifier: Apache-2.0
#
# It reads SOURCE and BUILD, and REPEATS (3); QUICK=1 takes a small set and one repeat, and judges decisions alone. pyRiemann is raced when /usr/bin/python3 can import it (put its source
# tree on PYTHONPATH). Peers' times are those of the steps alone; congru's are those of the whole command, which also
# reads the set and writes its results. Peers run in four ways, one or two folds at a time with a BLAS of one or two
# threads, and the fastest counts, which is named; ways other than two folds with one thread are tried once. Seconds
# are medians; processor time is given beside them, which other work on the machine hardly changes.
set -u -o pipefail
export LC_ALL=C

quick=${QUICK:-}
repeats=${quick:-${REPEATS:-3}}
shape=${quick:+4 24 8 2}
bar=5 # the fastest peer takes at least as many times as long
python=/usr/bin/python3
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
set=$scratch/set.npz

skip()
{
    echo "bench_loso: skipped: $1"
    exit 77
}

"$python" -c 'import numpy, sklearn' 2>/dev/null || skip "$python has no scikit-learn (Debian: python3-sklearn)"
"$BUILD/congru" loso --help >/dev/null 2>&1 || skip "this congru has no loso"
"$python" "$SOURCE/bench/make_loso_set.py" "$set" $shape || exit 1
peers=numpy
if "$python" -c 'import pyriemann.classification, pyriemann.tangentspace' 2>/dev/null; then
    peers="numpy pyriemann"
else
    echo "bench_loso: $python has no pyRiemann (or not what it needs): NumPy alone"
fi

# Lines "SECONDS PROCESSOR-SECONDS" to one: the medians of each.
medians()
{
    awk 'NF == 2 { print }' >"$scratch/times"
    echo "$(awk '{ print $1 }' "$scratch/times" | middle) $(awk '{ print $2 }' "$scratch/times" | middle)"
}

middle()
{
    sort -g | awk '{ time[NR] = $1 } END { print time[int((NR + 1) / 2)] }'
}

# time_congru CLASSIFIER: with the ridge that scikit-learn has.
time_congru()
{
    local i
    TIMEFORMAT='%R %U %S'
    for ((i = 0; i < repeats; i++)); do
        rm -rf "$scratch/congru-$1"
        { time "$BUILD/congru" loso "$set" --pipelines "ra+$1" --C 1 --jobs 2 -o "$scratch/congru-$1" \
            >/dev/null 2>"$scratch/errors"; } 2>&1 || { cat "$scratch/errors" >&2 && return 1; }
    done | awk '{ print $1, $2 + $3 }' | medians
}

# time_peer CLASSIFIER PEER JOBS BLAS-THREADS REPEATS
time_peer()
{
    OPENBLAS_NUM_THREADS=$4 OMP_NUM_THREADS=$4 "$python" "$SOURCE/bench/loso_numpy.py" "$set" "$1" "$2" \
        --jobs "$3" --repeat "$5" --predictions "$scratch/$2-$1.npy" >"$scratch/said" || return 1
    grep -v accuracy "$scratch/said" | medians
}

# compare CLASSIFIER PEER: the same decisions, but for those that hang on where an iteration was stopped.
compare()
{
    "$python" - "$set" "$scratch/congru-$1/predictions.csv" "$scratch/$2-$1.npy" "$1" "$2" <<'END'
import csv
import sys
import numpy as np
data = np.load(sys.argv[1])
names = list(data["classes"])
rows = list(csv.DictReader(open(sys.argv[2])))
ours, theirs = np.array([names.index(row["y_pred"]) for row in rows]), np.load(sys.argv[3])
differ, hits = int(np.sum(ours != theirs)), [100 * np.mean(x == data["y"]) for x in (ours, theirs)]
print(f"ra+{sys.argv[4]}: accuracy {hits[0]:.2f} by congru, {hits[1]:.2f} by {sys.argv[5]}; "
      f"{differ} of {len(ours)} decisions differ")
if differ > max(1, len(ours) // 100):
    sys.exit("bench_loso: the decisions differ")
END
}

failed=0
for classifier in mdm tslr; do
    ours=$(time_congru $classifier) || exit 1
    echo "ra+$classifier: congru, 2 jobs: $ours"
    best=
    for peer in $peers; do
        for way in "2 1 $repeats" "1 2 1" "2 2 1" "1 1 1"; do
            read -r folds threads times <<<"$way"
            took=$(time_peer $classifier $peer $folds $threads "$times") || exit 1
            echo "ra+$classifier: $peer, folds at a time: $folds, BLAS threads: $threads: $took"
            best=$(printf '%s\n%s\n' "$took $peer/$folds/$threads" "$best" | sed '/^$/d' | sort -g | head -n 1)
        done
        compare $classifier $peer || exit 1
    done
    echo "$ours $best" | awk -v name="ra+$classifier" -v bar=$bar -v quick="$quick" '{
        printf "%s: ratio to the fastest peer (%s: peer/folds/BLAS threads) %.1f in seconds, %.1f in processor time " \
            "(at least %g is wanted)\n", name, $5, $3 / $1, $4 / $2, bar
        exit quick == "" && $3 / $1 < bar
    }' || failed=1
done
exit $failed
