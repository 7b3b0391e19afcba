#!/bin/bash
# Sets larger than the memory a command is given: how much it takes, and that the results are the same. SPDX-License-Identifier: Apache-2.0
source "$SOURCE/tests/support/cli_session.sh"

peak_memory=$BUILD/tests/peak_memory
cd "$scratch/work" || exit 1
export TMPDIR=$scratch

# 2,400 covariances of 64 channels, 79 MB, with arrays beyond 8 MB in files. A second copy in memory, or the set
# loaded, is beyond any of the limits below.
make()
{
    CONGRU_LARGE=8 congru synth --stage orientation --subjects 5 --trials 120 --channels 64 -o set.npz >/dev/null
}

# within MB COMMAND...: fails, telling by how much, when the command takes more.
within()
{
    local limit=$1 peak
    shift
    CONGRU_LARGE=8 "$peak_memory" "$@" >out.txt 2>err.txt || {
        cat err.txt
        return
    }
    peak=$(sed -n 's/^peak_memory: \([0-9]*\) KB.*/\1/p' err.txt)
    [ "$SANITIZE" != none ] || [ "${peak:-9999999}" -le $((limit * 1024)) ] || echo "$*: $peak KB where $limit MB are allowed"
}

runs_stay_within_their_memory()
{
    local problems= logeuclid='--ra-mean logeuclid --mdm-mean logeuclid --mdm-metric logeuclid'
    # shellcheck disable=SC2086
    {
        problems+=$(within 64 congru info set.npz)
        problems+=$(within 64 congru loso set.npz -p ra+mdm --subjects S02 $logeuclid -o loso)
        problems+=$(within 64 congru loso set.npz -p ra+csp-lda --subjects S02 $logeuclid -o csp)
        problems+=$(within 64 congru train set.npz -p ra+mdm $logeuclid -o model.safetensors)
        problems+=$(within 64 congru predict model.safetensors set.npz -o answers.csv)
        problems+=$(within 64 congru align model.safetensors set.npz -o aligned.npz)
        CONGRU_LARGE=10000 congru loso set.npz -p ra+mdm --subjects S02 $logeuclid -o loaded >/dev/null 2>&1
    }
    cmp -s loso/predictions.csv loaded/predictions.csv || problems+="predictions are others than those of a loaded set"
    result "a set of 79 MB is evaluated, trained on, aligned and asked about within 64 MB" "$problems"
}

# What NumPy writes is not aligned and goes through a temporary file; what congru writes NumPy reads, and maps.
numpy_and_congru_agree()
{
    if ! /usr/bin/python3 -c 'import numpy' 2>/dev/null; then
        skip "numpy reads what is written and writes what is read" "no numpy"
        return
    fi
    local problems=
    problems+=$(/usr/bin/python3 - <<'END' 2>&1
import struct
import numpy as np
data = np.load("set.npz")
assert data["X"].shape == (2400, 64, 64)
raw = open("set.npz", "rb").read(64)
name, extra = struct.unpack("<HH", raw[26:30])
start = 30 + name + extra
assert start % 64 == 0, start
assert open("set.npz", "rb").read(start + 6)[-6:] == b"\x93NUMPY"
some = data["X"][:400]
np.savez("numpy.npz", X=some, y=data["y"][:400], subject=np.arange(400) // 100)
END
)
    problems+=$(within 64 congru loso numpy.npz -p ra+mdm --ra-mean logeuclid --mdm-mean logeuclid --mdm-metric logeuclid -o numpy1)
    CONGRU_LARGE=10000 congru loso numpy.npz -p ra+mdm --ra-mean logeuclid --mdm-mean logeuclid --mdm-metric logeuclid -o numpy2 >/dev/null 2>&1
    cmp -s numpy1/predictions.csv numpy2/predictions.csv || problems+="predictions of a set by numpy differ"
    result "numpy reads what is written and writes what is read" "$problems"
}

# One line that says where there was no room.
no_room_is_one_line()
{
    local problems=
    TMPDIR=$scratch/absent CONGRU_LARGE=8 congru loso numpy.npz -p ra+mdm -o none >out.txt 2>err.txt && problems+="it succeeded"
    [ "$(wc -l <err.txt)" = 1 ] || problems+="more than one line"
    grep -q "^congru: .*no room for .* MB in a temporary file in '.*absent': No such file" err.txt || problems+=$(cat err.txt)
    [ -z "$(find "$scratch" -maxdepth 1 -name 'congru-*')" ] || problems+="temporary files are left"
    result "a folder for temporary files that is not there is told in one line" "$problems"
}

if ! make; then
    echo "Bail out! no set"
    exit 1
fi
runs_stay_within_their_memory
numpy_and_congru_agree
no_room_is_one_line
echo "1..$count"
exit $((failed > 0))
