#!/bin/bash
# Replays the corpus of every fuzz target, and mutations of it. SPDX-License-Identifier: Apache-2.0
#
# TAP. BUILD and SOURCE are set by Meson. A target that crashes, hangs or aborts fails.
set -u

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
number=0

# mutations TARGET: cuts each small file of its corpus at three places.
mutations()
{
    for file in "$SOURCE/fuzz/corpus/$1"/*; do
        size=$(stat -c %s "$file")
        for part in 1 2 3; do
            head -c $((size * part / 4)) "$file" >"$scratch/$(basename "$file").$part"
        done
    done
}

for target in brainvision edf eeglab fif gdf json mat npy npz safetensors state stream text xdf; do
    number=$((number + 1))
    rm -f "$scratch"/*
    mutations "$target"
    if output=$(timeout 60 "$BUILD/fuzz/fuzz_$target" "$SOURCE/fuzz/corpus/$target"/* "$scratch"/* 2>&1); then
        echo "ok $number - $target: $output"
    else
        echo "not ok $number - $target"
        printf '%s\n' "$output" | tail -20 | sed 's/^/# /'
    fi
done
echo "1..$number"
