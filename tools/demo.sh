#!/bin/sh
# The command on made-up matrices: mean, distances, tangent vectors. SPDX-License-Identifier: Apache-2.0
#
# usage: tools/demo.sh BUILD
set -eu

LC_ALL=C # sort reads numbers with a point
export LC_ALL

build=$1
demo=$build/demo
congru=$build/congru

say()
{
    printf '\n%s\n' "$*"
}

# Prints a command line, then runs it.
show()
{
    echo "\$ $*"
    "$@"
}

mkdir -p "$demo"

say 'A session of made-up EEG: 288 trials, the covariance of 22 channels in each.'
show "$build/examples/spd_geometry" "$demo/covariances.npy"

say 'Their affine-invariant mean: the matrix that the trials of this person scatter around.'
show "$congru" spd mean "$demo/covariances.npy" -o "$demo/mean.npy"

say 'How far each trial is from it; here the smallest, the middle and the largest.'
echo "\$ $congru spd distance $demo/covariances.npy $demo/mean.npy | sort -g | sed -n '1p; 144p; 288p'"
"$congru" spd distance "$demo/covariances.npy" "$demo/mean.npy" | sort -g | sed -n '1p; 144p; 288p'

say 'The trials as vectors in the tangent space at the mean, which any linear classifier can take.'
show "$congru" spd tangent "$demo/covariances.npy" --base "$demo/mean.npy" -o "$demo/tangent.npy"
echo "$demo/tangent.npy: 288 vectors of 253 numbers, $(wc -c <"$demo/tangent.npy") bytes, for numpy.load()"

say 'The same once more on one thread and without vector instructions: the files are the same, bit for bit.'
show env CONGRU_CPU=base "$congru" spd tangent "$demo/covariances.npy" --base "$demo/mean.npy" --threads 1 \
    -o "$demo/tangent-base.npy"
show cmp "$demo/tangent.npy" "$demo/tangent-base.npy"
