#!/bin/sh
# Fuzzes every file format for a while, two at a time, from the corpus in fuzz/corpus. SPDX-License-Identifier: Apache-2.0
#
# usage: tools/fuzz.sh BUILD SECONDS
#
# What it finds is left in BUILD/findings; without a finding each line ends with the number of runs.
set -eu

build=$1
seconds=$2
source=$(dirname "$0")/..
findings=$build/findings
mkdir -p "$findings"

run()
{
    target=$1
    mkdir -p "$build/corpus/$target"
    if "$build/fuzz/fuzz_$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -malloc_limit_mb=512 \
        -artifact_prefix="$findings/$target-" -print_final_stats=1 \
        "$build/corpus/$target" "$source/fuzz/corpus/$target" >"$build/$target.log" 2>&1; then
        echo "$target: no finding, $(sed -n 's/^stat::number_of_executed_units: *//p' "$build/$target.log") runs"
    else
        echo "$target: FOUND something: see $build/$target.log and $findings"
        return 1
    fi
}

status=0
set -- brainvision edf eeglab fif gdf json mat npy npz safetensors state stream text xdf
ninja -C "$build" $(printf 'fuzz/fuzz_%s ' "$@")
while [ $# -gt 0 ]; do
    run "$1" & first=$!
    shift
    if [ $# -gt 0 ]; then
        run "$1" & second=$!
        shift
        wait $second || status=1
    fi
    wait $first || status=1
done
exit $status
