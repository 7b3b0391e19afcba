#!/bin/bash
# congru import against the same steps in MNE and NumPy, timed in one run. SPDX-License-Identifier: Apache-2.0
#
# It reads SOURCE and BUILD, and CONGRU_DATA where the data is elsewhere than SOURCE/../shared/data; QUICK=1 takes two
# files and one repeat, and judges the numbers alone. MNE's time is that of the steps alone, in a process that has done
# them once already, with a BLAS of one thread and of two, of which the faster counts; congru's is that of the whole
# command.
set -u -o pipefail
export LC_ALL=C

quick=${QUICK:-}
repeats=${quick:-5}
bar=5 # MNE takes at least as many times as long
data=${CONGRU_DATA:-$SOURCE/../shared/data}/eegmmidb/original
python=/usr/bin/python3
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

skip()
{
    echo "bench_import: skipped: $1"
    exit 77
}

shopt -s nullglob
files=("$data"/*/*.edf)
[ ${#files[@]} -gt 0 ] || skip "$data has no EDF files"
[ -z "$quick" ] || files=("${files[@]:0:2}")
"$python" -c 'import mne, scipy' 2>/dev/null || skip "$python has no MNE (Debian: python3-mne)"

median()
{
    sort -g | awk '{ time[NR] = $1 } END { print time[int((NR + 1) / 2)] }'
}

# time_congru JOBS: the median seconds of the command.
time_congru()
{
    local i start end
    for ((i = 0; i < repeats; i++)); do
        start=$(date +%s.%N)
        "$BUILD/congru" import "${files[@]}" --preset eegmmidb --jobs "$1" -o "$scratch/congru.npz" >/dev/null ||
            exit 1
        end=$(date +%s.%N)
        echo "$start $end" | awk '{ printf "%.6f\n", $2 - $1 }'
    done | median
}

one=$(time_congru 1) || exit 1
all=$(time_congru 0) || exit 1
# time_mne BLAS-THREADS: the first of MNE's turns warms it up and is not counted.
time_mne()
{
    OPENBLAS_NUM_THREADS=$1 OMP_NUM_THREADS=$1 "$python" "$SOURCE/bench/import_mne.py" --repeat $((repeats + 1)) \
        "$scratch/mne.npz" "${files[@]}" | tail -n "$repeats" | median
}

mne=
for threads in 1 2; do
    took=$(time_mne $threads) || exit 1
    mne=$(printf '%s %s\n%s\n' "$took" $threads "$mne" | sed '/^$/d' | sort -g | head -n 1)
done
threads=${mne#* } mne=${mne% *}

"$python" - "$scratch/congru.npz" "$scratch/mne.npz" <<'END' || exit 1
import sys
import numpy as np
ours, theirs = (np.load(path) for path in sys.argv[1:])
if ours["X"].shape != theirs["X"].shape or list(ours["y"]) != list(theirs["y"]):
    sys.exit(f"bench_import: not the same trials: {ours['X'].shape} and {theirs['X'].shape}")
difference = abs(ours["X"] - theirs["X"]).max() / abs(theirs["X"]).max()
print(f"{len(ours['X'])} covariances of {ours['X'].shape[1]} channels, largest relative difference {difference:.1e}")
if difference > 1e-9:
    sys.exit("bench_import: the covariances differ")
END
echo "${#files[@]} EDF files to covariances, median of $repeats, seconds:"
echo "congru, 1 job:   $one"
echo "congru, default: $all"
echo "MNE and NumPy:   $mne (BLAS threads: $threads, the faster of 1 and 2)"
echo "$one $all $mne $bar" | awk -v quick="$quick" '{
    printf "ratio: %.1f with 1 job, %.1f by default (at least %g is wanted)\n", $3 / $1, $3 / $2, $4
    exit quick == "" && $3 / $2 < $4
}'
