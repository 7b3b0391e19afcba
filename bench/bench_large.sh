#!/bin/bash
# congru loso over 100,000 covariances of 64 channels: time and the most memory it had. SPDX-License-Identifier: Apache-2.0
#
# It reads BUILD, and TRIALS (5000, of each of 20 subjects), PIPELINES, SUBJECTS (scored; S01,S02), MEANS (logeuclid;
# riemann takes some ten times as long) and OPTIONS of loso, such as "--steps 10" for networks. The set takes 3.3 GB in
# TMPDIR (/var/tmp), and ra+tslr and ra+tsa-lda as much again in temporary files. Fails when a run had more than 1 GB.
# QUICK=1 is a set of 20 x 8 trials of 16 channels.
set -u -o pipefail
export LC_ALL=C

quick=${QUICK:-}
trials=${quick:+8}
trials=${trials:-${TRIALS:-5000}}
channels=${quick:+16}
subjects=${SUBJECTS:-S01,S02}
means=${MEANS:-logeuclid}
limit=1048576 # KB
export CONGRU_LARGE=${CONGRU_LARGE:-64} # whatever memory the machine has
scratch=$(mktemp -d "${TMPDIR:-/var/tmp}/congru-large-XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT
failed=0

# measured NAME COMMAND...
measured()
{
    local name=$1 start=$SECONDS peak
    shift
    "$BUILD/tests/peak_memory" "$@" >"$scratch/out" 2>"$scratch/err" || {
        cat "$scratch/err" >&2
        exit 1
    }
    peak=$(sed -n 's/^peak_memory: \([0-9]*\) KB.*/\1/p' "$scratch/err")
    echo "$name: $((SECONDS - start)) s, $(tail -n 1 "$scratch/err")"
    [ "$peak" -le $limit ] || failed=1
}

measured synth "$BUILD/congru" synth --stage orientation --subjects 20 --trials $((trials / 4)) --channels "${channels:-64}" \
    -o "$scratch/set.npz"
for pipeline in ${PIPELINES:-ra+mdm ra+tslr ra+tsa-lda ra+csp-lda}; do
    measured "$pipeline" "$BUILD/congru" loso "$scratch/set.npz" --pipelines "$pipeline" --subjects "$subjects" \
        --ra-mean "$means" --mdm-mean "$means" --mdm-metric "$means" --tangent-mean "$means" ${OPTIONS:-} -o "$scratch/$pipeline"
done
exit $failed
