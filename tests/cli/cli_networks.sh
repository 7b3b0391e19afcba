#!/bin/bash
# Options of training networks: killed runs, processes, instruction sets, models. SPDX-License-Identifier: Apache-2.0
source "$SOURCE/tests/support/cli_session.sh"
source "$SOURCE/tests/support/mpi.sh"

training="--epochs 6 --batch 8 --schedule cosine --warmup 2 --validation 1 --patience 2 --crops 2 --crop-count 3 --zscore"
pipelines=eegnet,shallow,tsmnet

# without_times FOLDER: what must be the same in two runs.
without_times()
{
    cut -d, -f1,3- "$1/results.csv"
    cat "$1/predictions.csv" "$1"/training/*.json
}

# same FOLDER WHAT: a line where it differs from the undisturbed run.
same()
{
    diff <(without_times whole) <(without_times "$1") >/dev/null || echo "$2 differs"
}

cd "$scratch/work" || exit 1
congru synth --stage shift --slow 1 --subjects 4 --trials 5 --channels 4 --rate 100 --signals 450 -o set.npz >/dev/null || exit 1
start=${EPOCHREALTIME/./}
congru loso set.npz -p $pipelines $training --jobs 1 -o whole >whole.txt 2>&1 || exit 1
took=$((${EPOCHREALTIME/./} - start))

# They are in run.json, and another value of one is another run.
options_are_recorded()
{
    local problems= line
    for line in '"epochs": 6' '"schedule": "cosine"' '"warmup": 2' '"patience": 2' '"crops": 2' '"crop-count": 3' '"zscore": true'; do
        found -F "$line" whole/run.json || problems+="run.json lacks $line"$'\n'
    done
    ! congru loso set.npz -p $pipelines ${training/--crops 2/--crops 2.5} -o whole >out.txt 2>&1 || problems+="crops of 2.5 s went on"$'\n'
    found -F -e '--crops 2 there, --crops 2.5 here' out.txt || problems+=$(cat out.txt)
    for line in '--crops 2' --zscore; do
        congru loso set.npz -p eegnet ${training/$line/} --jobs 1 -o without >/dev/null 2>&1 || problems+="fails without $line"$'\n'
        ! diff <(grep ,eegnet, whole/predictions.csv) <(grep ,eegnet, without/predictions.csv) >/dev/null || problems+="$line changes nothing"$'\n'
        rm -rf without
    done
    result "options of training are recorded, and change what is predicted" "$problems"
}

paths_change_nothing()
{
    local problems= cpu
    for cpu in $(congru version | sed -n 's/^cpu: .*available: \(.*\))/\1/p'); do
        CONGRU_CPU=$cpu congru loso set.npz -p $pipelines $training --jobs 2 -o "on-$cpu" >out.txt 2>&1 || problems+="$cpu: $(cat out.txt)"$'\n'
        problems+=$(same "on-$cpu" "$cpu, two jobs")
    done
    result "jobs and instruction sets end with the same results" "$problems"
}

killed_runs_end_the_same()
{
    local kills=0 round problems= process wait
    for ((round = 0; round < 6; round++)); do
        [ $((round % 3)) -ne 0 ] || rm -rf broken
        congru loso set.npz -p $pipelines $training --jobs 1 -o broken >/dev/null 2>&1 &
        process=$!
        wait=$((took * (1 + RANDOM % 9) / 36))
        sleep "$(printf '%d.%06d' $((wait / 1000000)) $((wait % 1000000)))"
        # As in cli_loso: the machine may be faster now than when the whole run was timed.
        if kill -KILL $process 2>/dev/null; then kills=$((kills + 1)); else took=$((took / 2)); fi
        wait $process 2>/dev/null
        [ $((round % 3)) -eq 2 ] || continue
        congru loso set.npz -p $pipelines $training -o broken >again.txt 2>&1 || problems+=$(cat again.txt)
        problems+=$(same broken "round $round")
        [ -z "$(find broken -name '*.tmp')" ] || problems+="drafts are left"$'\n'
    done
    [ $kills -ge 3 ] || problems+="only $kills runs were killed in time"
    result "runs killed at 6 moments end with the same results" "$problems"
}

processes_change_nothing()
{
    local n problems= way
    if ! has_mpi; then
        skip "processes end with the same results" "no mpirun, or congru was built without MPI"
        return
    fi
    for n in 2 3; do
        for way in '' --data-parallel; do
            mpi -n $n congru loso set.npz -p $pipelines $training $way --jobs 1 -o "group$n$way" >out.txt 2>err.txt ||
                problems+="$n processes $way: $(cat err.txt)"$'\n'
            problems+=$(same "group$n$way" "$n processes $way")
        done
    done
    result "2 and 3 processes, sharing folds or batches, end with the same results" "$problems"
}

# A model without the subject is the fold: its options are its own, not those of the caller.
models_predict_what_folds_do()
{
    local problems= name subject
    subject=$(sed -n 2p whole/predictions.csv | cut -d, -f2)
    for name in ${pipelines//,/ }; do
        congru train set.npz -p "$name" $training --without "$subject" -o model >out.txt 2>&1 || problems+=$(cat out.txt)
        congru predict model set.npz --subjects "$subject" -o p.csv >out.txt 2>&1 || problems+=$(cat out.txt)
        diff <(tail -n +2 p.csv | cut -d, -f2-) <(grep ",$subject,.*,$name," whole/predictions.csv | cut -d, -f2-) >/dev/null ||
            problems+="$name: the model predicts otherwise"$'\n'
    done
    result "models predict what their folds did" "$problems"
}

# The table of docs/pipelines.md says of every network what help does.
docs_and_help_agree()
{
    result "docs and help agree about numbers of training" "$(
        python3 - "$SOURCE/docs/pipelines.md" <<'END'
import re, subprocess, sys
lines = open(sys.argv[1]).read().splitlines()
first = next(i for i, line in enumerate(lines) if line.startswith("| network |"))
options = re.findall(r"`(--[a-z-]+)`", lines[first])
seen = 0
for line in lines[first + 2:]:
    if not line.startswith("|"):
        break
    cells = [cell.strip() for cell in line.strip("|").split("|")]
    for name in re.findall(r"`([a-z0-9-]+)`", cells[0]):
        for pipeline in [name] if name not in ("dct", "dldct", "ddct-unet") else [name + "+tslr", name + "-e2e"]:
            text = subprocess.run(["congru", "help", pipeline], capture_output=True, text=True).stdout
            own = dict(re.findall(r"(--[a-z-]+) ([0-9.e-]+)", text.partition("own numbers of training:")[2].partition("Options")[0]))
            said = dict(zip(options, cells[1:]))
            differ = [o for o in options if o in own and (said[o] == "" or float(said[o]) != float(own[o]))]
            if differ or "--steps" not in own:
                print(pipeline, differ, own)
            seen += 1
if seen < 17:
    print(seen, "pipelines were compared")
END
    )"
}

# A network as a branch: its log-probabilities are added to those of the others, by the weights that are stated or learned
# on the sources; a model without the subject is the fold.
networks_are_branches()
{
    local problems= subject
    printf '%s\n' 'pipeline = stated' 'choose = C' 'branches = slow, eegnet' '' \
        'pipeline = learned' 'choose = C, weights' 'branches = slow, eegnet' >views.txt
    congru loso set.npz --pipeline-file views.txt -p slow,eegnet,stated,learned --steps 5 -o views >out.txt 2>&1 || problems+=$(cat out.txt)
    problems+=$(
        python3 - <<'END'
import csv, math
said = {}
for row in csv.DictReader(open("views/predictions.csv")):
    said.setdefault((row["subject"], row["trial"]), {})[row["pipeline"]] = [float(v) for k, v in row.items() if k.startswith("p_")]
worst = 0
for p in said.values():
    product = [a ** 1.75 * b for a, b in zip(p["slow"], p["eegnet"])]
    worst = max([worst] + [abs(a / sum(product) - b) for a, b in zip(product, p["stated"])])
if not worst < 1e-6 or len(said) < 40 or all(p["stated"] == p["learned"] for p in said.values()):
    print("they differ by", worst, "in", len(said), "trials")
END
    )
    subject=$(sed -n 2p views/predictions.csv | cut -d, -f2)
    congru train set.npz --pipeline-file views.txt -p learned --steps 5 --without "$subject" -o model >out.txt 2>&1 || problems+=$(cat out.txt)
    congru predict model set.npz --subjects "$subject" -o p.csv >out.txt 2>&1 || problems+=$(cat out.txt)
    diff <(tail -n +2 p.csv | cut -d, -f2-) <(grep ",$subject,.*,learned," views/predictions.csv | cut -d, -f2-) >/dev/null ||
        problems+="the model predicts otherwise"
    result "a network is a branch like others" "$problems"
}

# --band and --window are of covariances; networks on signals have options of their own, which say what a definition says.
signals_are_chosen()
{
    local problems= subject line
    printf '%s\n' 'pipeline = mine' 'windows = inside' 'branch = mine' 'method = eegnet' 'band = 8:30' 'window = 0.5:3.5' \
        'pipeline = fixed' 'branch = fixed' 'method = eegnet' 'band = 4:38' 'window = 0:4' 'signal-band = 8:30' 'signal-window = 0.5:3.5' >mine.txt
    # run NAME OPTION...: a run in its own folder, its predictions without the pipeline's name in NAME.csv.
    run()
    {
        congru loso set.npz --steps 5 --jobs 1 -o "$1" "${@:2}" >"$1.txt" 2>&1 || problems+="$1: $(cat "$1.txt")"$'\n'
        cut -d, -f2,3,5- "$1/predictions.csv" >"$1.csv"
    }
    run own -p eegnet
    run covariances -p eegnet --band 8:30 --window 0.5:3.5
    run said -p eegnet --signal-band 4:38 --signal-window 0:4
    run chosen -p eegnet --signal-band 8:30 --signal-window 0.5:3.5
    run defined -p mine --pipeline-file mine.txt
    run over -p mine --pipeline-file mine.txt --signal-band 4:38 --signal-window 0:4
    run fixed -p fixed --pipeline-file mine.txt --signal-band 4:38 --signal-window 0:4
    run all -p eegnet --signal-band off --signal-window all
    for line in 'own covariances' 'own said' 'chosen defined' 'own over' 'chosen fixed'; do
        cmp -s ${line% *}.csv ${line#* }.csv || problems+="$line differ"$'\n'
    done
    for line in 'own chosen' 'own all' 'chosen all'; do
        ! cmp -s ${line% *}.csv ${line#* }.csv || problems+="$line are the same"$'\n'
    done
    # The header says it.
    for line in 'own.txt:eegnet: 4 to 38 Hz, 0 to 4 s after the cue' 'covariances.txt:eegnet: 4 to 38 Hz, 0 to 4 s after the cue' \
        'chosen.txt:eegnet: 8 to 30 Hz, 0.5 to 3.5 s after the cue' 'all.txt:eegnet: all frequencies of the set, whole trials'; do
        tr -s '\n ' ' ' <"${line%%:*}" | found -F "signals of ${line#*:} (see --signal-band, --signal-window)" || problems+="${line%%:*}: $(cat "${line%%:*}")"$'\n'
    done
    # run.json has what was given, and nothing where nothing was: runs from before these options are taken up.
    ! found signal- own/run.json || problems+="own/run.json names them"$'\n'
    found -F '"signal-band": "8:30"' chosen/run.json && found -F '"signal-window": "0.5:3.5"' chosen/run.json || problems+="run.json lacks them"$'\n'
    ! congru loso set.npz --steps 5 -p eegnet -o chosen >out.txt 2>&1 || problems+="another band went on"$'\n'
    found -F -e '--signal-band 8:30 there, --signal-band own here; --signal-window 0.5:3.5 there, --signal-window own here' out.txt || problems+=$(cat out.txt)
    # A model has them, whoever asks it.
    subject=$(sed -n 2p chosen/predictions.csv | cut -d, -f2)
    congru train set.npz -p eegnet --steps 5 --signal-band 8:30 --signal-window 0.5:3.5 --without "$subject" -o model >out.txt 2>&1 || problems+=$(cat out.txt)
    found -F 'signals of eegnet: 8 to 30 Hz, 0.5 to 3.5 s after the cue' out.txt || problems+="train: $(cat out.txt)"
    congru predict model set.npz --subjects "$subject" -o p.csv >out.txt 2>&1 || problems+=$(cat out.txt)
    diff <(tail -n +2 p.csv | cut -d, -f2-) <(grep ",$subject,.*,eegnet," chosen/predictions.csv | cut -d, -f2-) >/dev/null ||
        problems+="the model predicts otherwise"$'\n'
    congru within set.npz -p eegnet --steps 2 --folds 2 --signal-window 1:3 -o inside >out.txt 2>&1 || problems+=$(cat out.txt)
    found -F 'signals of eegnet: 4 to 38 Hz, 1 to 3 s after the cue' out.txt || problems+="within: $(cat out.txt)"
    # What cannot be is one line.
    ! congru loso set.npz -p eegnet --signal-band 30:8 -o wrong >out.txt 2>&1 || problems+="30:8 is a band"$'\n'
    [ "$(cat out.txt)" = "congru: loso: --signal-band is 30:8; the second number must be the larger" ] || problems+=$(cat out.txt)
    ! congru loso set.npz -p eegnet --signal-window 4.4:9 -o wrong >out.txt 2>&1 || problems+="4.4:9 is a window"$'\n'
    [ "$(wc -l <out.txt)" = 1 ] && found -F 'holds too little of any window' out.txt || problems+=$(cat out.txt)
    [ ! -e wrong ] || problems+="a folder is left"
    result "networks on signals have a band and window of their own" "$problems"
}

docs_and_help_agree
signals_are_chosen
networks_are_branches
options_are_recorded
paths_change_nothing
killed_runs_end_the_same
processes_change_nothing
models_predict_what_folds_do
echo "1..$count"
[ "$failed" = 0 ]
