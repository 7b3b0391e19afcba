#!/bin/bash
# Two processes of one thread against one process of two threads, on 106 made-up subjects. SPDX-License-Identifier: Apache-2.0
#
# It reads BUILD, and SUBJECTS (106), SCORED (how many of them are left out in turn; all), STEPS (10) and REPEATS (3);
# QUICK=1 is a small run that judges the bits alone.
# Runs alternate; seconds are medians, with the processor time of all processes beside them, which other work on the
# machine hardly changes. The results must be the same bits.
set -u -o pipefail
export LC_ALL=C OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

quick=${QUICK:-}
repeats=${quick:-${REPEATS:-3}}
subjects=${quick:+4}
subjects=${subjects:-${SUBJECTS:-106}}
steps=${quick:-${STEPS:-10}}
channels=${quick:+6}
bar=0.9
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

command -v mpirun >/dev/null || { echo "bench_cluster: skipped: no mpirun"; exit 77; }
[ "$("$BUILD/congru" version | sed -n 's/^mpi: //p')" != none ] ||
    { echo "bench_cluster: skipped: congru was built without MPI"; exit 77; }

# All classical pipelines, and three networks; four classes of 23 make 92 trials of a subject.
"$BUILD/congru" synth --stage fusion --subjects "$subjects" --trials 23 --channels "${channels:-22}" -o "$scratch/set.npz" >/dev/null || exit 1
scored=$(for ((i = 1; i <= ${SCORED:-$subjects}; i++)); do printf 'S%02d\n' $i; done | paste -sd,)
classical=$(printf '%s,' {none,ra,rpa}+{mdm,tslr,tsa-lda,csp-lda})
pipelines=${classical}dct-e2e,dldct-e2e,ddct-unet-e2e

run()
{
    local name=$1
    shift
    rm -rf "$scratch/$name"
    TIMEFORMAT='%R %U %S'
    { time "$@" "$BUILD/congru" loso "$scratch/set.npz" --pipelines "$pipelines" --subjects "$scored" --steps "$steps" -o "$scratch/$name" \
        --jobs "$jobs" >/dev/null 2>"$scratch/errors"; } 2>>"$scratch/$name.times" ||
        { cat "$scratch/errors" >&2; exit 1; }
}

median()
{
    awk -v column="$2" '{ print column == 1 ? $1 : $2 + $3 }' "$scratch/$1.times" | sort -g |
        awk '{ time[NR] = $1 } END { printf "%.2f", time[int((NR + 1) / 2)] }'
}

for ((i = 0; i < repeats; i++)); do
    jobs=2 run threads env
    jobs=1 run ranks mpirun --oversubscribe --bind-to none -n 2
done
cmp "$scratch/threads/predictions.csv" "$scratch/ranks/predictions.csv" || exit 1

folds=$(($(wc -l <"$scratch/threads/results.csv") - 1))
echo "$folds folds: $subjects subjects x 92 trials x ${channels:-22} channels, $(tr ',' '\n' <<<"$pipelines" | wc -l) pipelines, $steps steps"
echo "                      seconds  processor seconds"
printf '1 process, 2 threads  %7s  %17s\n' "$(median threads 1)" "$(median threads 2)"
printf '2 processes           %7s  %17s\n' "$(median ranks 1)" "$(median ranks 2)"
awk -v threads="$(median threads 1)" -v ranks="$(median ranks 1)" -v bar=$bar -v quick="$quick" 'BEGIN {
    printf "efficiency %.2f (wanted: %.1f or more)\n", threads / ranks, bar; exit quick == "" && threads / ranks < bar }'
