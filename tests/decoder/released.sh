#!/bin/bash
# Models and results folders of versions that were released are read as they were. SPDX-License-Identifier: Apache-2.0
#
# tests/data/released/VERSION holds models, what they predicted of subject S03 of a made-up set, a results folder, and
# what 'congru show' printed of it.
source "$SOURCE/tests/support/cli_session.sh" || exit 1

cd "$scratch/work" || exit 1
congru synth --stage orientation --slow 3 --subjects 3 --trials 2 --channels 4 --rate 100 --signals 300 --seed 5 \
    -o set.npz >/dev/null || exit 1
for version in "$SOURCE"/tests/data/released/*; do
    name=${version##*/}
    problems=
    for model in "$version"/*.safetensors; do
        congru predict "$model" set.npz --subjects S03 -o p.csv >/dev/null 2>err.txt || problems+=$(cat err.txt)
        cmp p.csv "${model%.safetensors}.csv" >/dev/null || python3 - p.csv "${model%.safetensors}.csv" "$model" >>differs.txt <<'END'
# 0.2 made logarithms of the probabilities of one described block, and probabilities of these: the last place alone differs.
import csv, sys
own, there = ([row for row in csv.reader(open(name))] for name in sys.argv[1:3])
network = "eegnet" in sys.argv[3]
same = len(own) == len(there) and all(a[:6] == b[:6] for a, b in zip(own, there))
worst = max((abs(float(x) - float(y)) for a, b in zip(own[1:], there[1:]) for x, y in zip(a[6:], b[6:])), default=1)
if not (network and same and worst <= 3e-16):
    print(sys.argv[3].rsplit("/", 1)[-1], "predicts otherwise")
END
    done
    result "models of $name predict what they did" "$problems$(cat differs.txt 2>/dev/null)"
    congru show "$version/loso" >shown.txt 2>&1
    result "a results folder of $name is shown as it was" "$(diff shown.txt "$version/loso.txt")"
    cp -r "$version/loso" loso && rm -f loso/results.csv loso/predictions.csv loso/folds/eegnet/2.csv
    congru show loso 2>&1 | found 'not finished, 8 of 9 folds are there' && problems= || problems="not shown"
    result "an unfinished folder of $name is shown" "$problems"
    congru loso set.npz -p ra+tslr,eegnet,dct-e2e --C 0.1 --steps 3 -o loso >out.txt 2>err.txt && problems="it went on" ||
        problems=$(grep -v '^congru: loso: holds results of another version of congru' err.txt)
    result "a run of $name is not gone on with by another version, in one line" "$problems"
    rm -rf loso
done
echo "1..$count"
exit $((failed > 0))
