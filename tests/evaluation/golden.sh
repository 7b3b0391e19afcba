#!/bin/bash
# Every pipeline by every way that predictions are made: their digests are those that are stored. SPDX-License-Identifier: Apache-2.0
#
# tests/data/golden.csv has a row for each way and pipeline: way,pipeline,predictions,decisions. The first digest is of
# what predictions.csv says, to the last bit, the second of its decisions alone. GOLDEN=FILE writes the rows that are
# found into FILE; a change that means to move bits brings them along, and says why.
source "$SOURCE/tests/support/cli_session.sh" || exit 1
source "$SOURCE/tests/support/stream_server.sh"

cd "$scratch/work" || exit 1
found=$scratch/found.csv
stored=$SOURCE/tests/data/golden.csv

digest()
{
    sha256sum | cut -c1-16
}

# keep WAY PIPELINE: the rows of predictions on standard input become one row of what was found.
keep()
{
    cat >"$scratch/rows"
    [ -s "$scratch/rows" ] || problems+="$1 $2 has no predictions"$'\n'
    echo "$1,$2,$(digest <"$scratch/rows"),$(sed 's/,"p":.*//' "$scratch/rows" | cut -d, -f1-6 | digest)" >>"$found"
}

# run WAY COMMAND WORD...: one run of an evaluation, of which every pipeline is a row. Steps are few: bits are meant here,
# and not accuracies.
run()
{
    local way=$1 pipeline
    shift
    if ! congru "$@" --no-record -o "$way" >"$way.txt" 2>&1; then
        problems+="$way: $(tail -1 "$way.txt")"$'\n'
        return
    fi
    for predictions in "$way"/predictions.csv "$way"/*/predictions.csv; do
        [ -e "$predictions" ] || continue
        local part=${predictions%/predictions.csv}
        for pipeline in $(cut -d, -f4 "$predictions" | tail -n +2 | sort -u); do
            awk -F, -v p="$pipeline" '$4 == p' "$predictions" | keep "${part//\//-}" "$pipeline"
        done
    done
}

signals=tsmnet,shallow,deep,eegnet,conformer,inception,conv-dldct,conv-ddct-unet
views=ra+tslr,ra+ridge,ea+bins,motor,slow,motor+slow
some=none+mdm,ra+tslr,rpa+mdm,ra+ridge,dct-e2e

evaluations_are_those_stored()
{
    local problems=
    congru synth --stage orientation --subjects 4 --trials 6 --channels 6 --signals 300 --seed 7 -o cov.npz >/dev/null
    congru synth --stage orientation --slow 3 --subjects 4 --trials 6 --channels 8 --seed 8 -o wide.npz >/dev/null
    printf '%s\n' 'pipeline = mine' 'choose = C, weights' 'branches = motor+slow' 'branch = eegnet' 'method = eegnet' \
        'windows = inside' 'ensemble = 2' 'band = 4:38' 'window = 0:2' 'pipeline = two' 'choose = C' \
        'branch = mu' 'method = ra+ridge' 'band = 8:13' 'window = 0:1, 1:2' 'branch = plain' 'method = ra+tslr' >mine.txt
    run loso loso cov.npz -p all --steps 20
    run signals loso wide.npz -p $signals,$views --steps 4
    run file loso wide.npz --pipeline-file mine.txt -p mine,two --steps 4
    run groups loso cov.npz -p $some --steps 10 --groups 2
    run groups-signals loso wide.npz -p eegnet,motor+slow --steps 4 --groups 2
    run calibration loso cov.npz -p none+mdm,ra+tslr,dct-e2e --steps 10 --calibration 0,2
    run calibration-signals loso wide.npz -p eegnet,motor --steps 4 --calibration 1
    run within within cov.npz -p $some --steps 10 --folds 3
    run within-signals within wide.npz -p eegnet,motor+slow --steps 4 --folds 3
    run labels loso cov.npz -p rpa+mdm,rpa+tslr --rpa-labels 2
    run stopped loso cov.npz -p ddct-unet-e2e,dldct+tslr --steps 20 --validation 1
    for target in none 20p 50p online; do
        run target-$target loso cov.npz -p $some --steps 10 --target $target
        run target-$target-signals loso wide.npz -p eegnet,motor,ea+bins --steps 2 --target $target
    done
    run fixed loso cov.npz -p ra+tslr,ra+ridge,ra+lda+tslr --C 0.1
    result "loso and within predict what is stored" "$problems"
}

# What was fitted without a subject, asked about it: by the fold and by a model.
models_are_those_stored()
{
    local problems= set pipelines steps pipeline
    while read -r set steps pipelines; do
        for pipeline in ${pipelines//,/ }; do
            congru train $set -p $pipeline --steps $steps --without S04 --no-record -o model >said.txt 2>&1 &&
                congru predict model $set --subjects S04 -o p.csv >said.txt 2>&1 || problems+="$pipeline: $(tail -1 said.txt)"$'\n'
            tail -n +2 p.csv | keep "model-${set%.npz}" "$pipeline"
        done
    done <<END
cov.npz 10 none+csp-lda,ra+tsa-lda,ra+lda+tslr,rpa+mdm,dct+tslr,dldct+mdm,ddct-unet+tslr,dct-e2e,dldct-e2e,ddct-unet-e2e,spd-cnn,ts-spd-cnn,spdnet
wide.npz 4 $signals,$views
END
    result "models predict what is stored" "$problems"
}

streams_are_those_stored()
{
    local problems= pipeline
    for pipeline in none+mdm ra+mdm ra+tslr ra+tsa-lda dldct-e2e; do
        prepare stream-$pipeline $pipeline
        congru stream m frames.f32 2>said.txt | keep stream $pipeline
    done
    cd "$scratch/work" || exit 1
    mkdir markers && cd markers || exit 1
    make_stream set.npz frames.f32 3 wide
    python3 - >frames.csv <<'END'
import array
frames = array.array("f", open("frames.f32", "rb").read())
print("!marker name=a sample=400\n!marker name=b sample=1000\n!marker name=c sample=2100")
for at in range(0, len(frames), 3):
    print(",".join(f"{value:.9g}" for value in frames[at : at + 3]))
END
    for pipeline in motor motor+slow eegnet; do
        congru train set.npz -p $pipeline --steps 4 --without S03 --no-record -o m >/dev/null 2>said.txt || problems+=$(cat said.txt)
        congru stream m frames.csv --input csv --rate 0 2>said.txt | keep markers $pipeline || problems+=$(cat said.txt)
    done
    cd .. || exit 1
    result "streams decide what is stored" "$problems"
}

evaluations_are_those_stored
models_are_those_stored
streams_are_those_stored
[ -z "${GOLDEN:-}" ] || (echo way,pipeline,predictions,decisions; cat "$found") >"$GOLDEN"
result "the ways and pipelines are those stored" "$(diff <(cut -d, -f1,2 "$found") <(tail -n +2 "$stored" | cut -d, -f1,2))"
result "decisions are those stored" "$(diff <(cut -d, -f1,2,4 "$found") <(tail -n +2 "$stored" | cut -d, -f1,2,4))"
result "predictions are those stored, to the bit" "$(diff "$found" <(tail -n +2 "$stored"))"
echo "1..$count"
exit $((failed > 0))
