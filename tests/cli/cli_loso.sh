#!/bin/bash
# congru loso, within and show: sessions, killed runs, bits, real files. SPDX-License-Identifier: Apache-2.0
source "$SOURCE/tests/support/cli_session.sh"

data=${CONGRU_DATA:-$SOURCE/../shared/data}
ln -s "$BUILD/tests/make_set" "$scratch/bin/make_set"

run_sessions "$SOURCE"/tests/cli/loso/*.txt

# without_times FOLDER: what must be the same in two runs.
without_times()
{
    cut -d, -f1,3- "$1/results.csv"
    cat "$1/predictions.csv"
}

# Killed at random moments and taken up again, a run ends as if nothing had happened.
killed_runs_end_the_same()
{
    local kills=0 round problems=
    mkdir "$scratch/work/killed" && cd "$scratch/work/killed" || exit 1
    make_set set.npz --subjects 10 --trials 40 --d 22 || exit 1
    local start=${EPOCHREALTIME/./}
    congru loso set.npz --pipelines ra+mdm,ra+tslr,ra+tsa-lda,none+csp-lda --jobs 1 -o whole >whole.txt 2>&1 ||
        problems+=$(cat whole.txt)
    local took=$((${EPOCHREALTIME/./} - start)) # in microseconds
    for ((round = 0; round < 20; round++)); do
        [ $((round % 4)) -ne 0 ] || rm -rf broken
        congru loso set.npz --pipelines ra+mdm,ra+tslr,ra+tsa-lda,none+csp-lda --jobs $((round % 3 + 1)) -o broken \
            >/dev/null 2>&1 &
        local process=$!
        sleep "$(printf '%d.%06d' $((took * (RANDOM % 1000) / 4000 / 1000000)) $((took * (RANDOM % 1000) / 4000 % 1000000)))"
        # A machine that is faster now than when the whole run was timed is not given more time than it needs.
        if kill -KILL $process 2>/dev/null; then kills=$((kills + 1)); else took=$((took / 2)); fi
        wait $process 2>/dev/null
        if [ $((round % 4)) -eq 3 ]; then
            congru loso set.npz --pipelines ra+mdm,ra+tslr,ra+tsa-lda,none+csp-lda -o broken >again.txt 2>&1 ||
                problems+=$(cat again.txt)
            diff <(without_times whole) <(without_times broken) >/dev/null || problems+="round $round differs"$'\n'
            [ -z "$(find broken -name '*.tmp')" ] || problems+="drafts are left"$'\n'
        fi
    done
    [ $kills -ge 15 ] || problems+="only $kills runs were killed in time"
    result "runs killed at 20 moments end with the same results" "$problems"
}

# The same of pipelines of branches, whose constants are chosen before the first fold.
killed_branches_end_the_same()
{
    local kills=0 round problems= took process start
    mkdir "$scratch/work/killed_branches" && cd "$scratch/work/killed_branches" || exit 1
    congru synth --stage shift --slow 1 --subjects 5 --trials 5 --channels 5 --rate 100 --signals 450 -o set.npz >/dev/null || exit 1
    start=${EPOCHREALTIME/./}
    congru loso set.npz --pipelines motor,slow,motor+slow,ra+tslr --jobs 1 -o whole >whole.txt 2>&1 || problems+=$(cat whole.txt)
    took=$((${EPOCHREALTIME/./} - start))
    for ((round = 0; round < 12; round++)); do
        [ $((round % 4)) -ne 0 ] || rm -rf broken
        congru loso set.npz --pipelines motor,slow,motor+slow,ra+tslr --jobs $((round % 2 + 1)) -o broken >/dev/null 2>&1 &
        process=$!
        sleep "$(printf '%d.%06d' $((took * (RANDOM % 1000) / 4000 / 1000000)) $((took * (RANDOM % 1000) / 4000 % 1000000)))"
        if kill -KILL $process 2>/dev/null; then kills=$((kills + 1)); else took=$((took / 2)); fi
        wait $process 2>/dev/null
        [ $((round % 4)) -eq 3 ] || continue
        congru loso set.npz --pipelines motor,slow,motor+slow,ra+tslr -o broken >again.txt 2>&1 || problems+=$(cat again.txt)
        diff <(without_times whole) <(without_times broken) >/dev/null || problems+="round $round differs"$'\n'
        [ -z "$(find broken -name '*.tmp')" ] || problems+="drafts are left"$'\n'
    done
    [ $kills -ge 6 ] || problems+="only $kills runs were killed in time"
    result "runs of branches killed at 12 moments end with the same results" "$problems"
}

# Of a run that was interrupted: what is there is shown, what is missing is named.
interrupted_runs_are_shown()
{
    local problems= command
    mkdir "$scratch/work/unfinished" && cd "$scratch/work/unfinished" || exit 1
    make_set set.npz --subjects 3 --trials 20 --d 3 --effect 4 || exit 1
    congru loso set.npz --pipelines ra+mdm,ra+tslr -o run >/dev/null || problems+="failed"$'\n'
    rm run/results.csv run/predictions.csv run/folds/ra+tslr/1.csv
    congru show run >show.txt 2>&1 || problems+="show: $(cat show.txt)"$'\n'
    found '^ra+tslr  *2  100.00' show.txt || problems+="show: $(cat show.txt)"$'\n'
    congru report run -o page.html >report.txt 2>&1 || problems+="report: $(cat report.txt)"$'\n'
    found 'Not finished, 5 of 6 folds' page.html || problems+="the page does not say it"$'\n'
    congru compare run --no-save >compare.txt 2>&1 || problems+="compare: $(cat compare.txt)"$'\n'
    found '^ra+tslr .* 2 ' compare.txt || problems+="compare: $(cat compare.txt)"$'\n'
    for command in show report compare; do
        tr '\n' ' ' <$command.txt | tr -s ' ' |
            found 'not finished, 5 of 6 folds are there (its command goes on); missing: ra+tslr of S02' ||
            problems+="$command does not name what is missing: $(cat $command.txt)"$'\n'
    done
    rm run/run.json
    congru show run >show.txt 2>&1
    found 'no results.csv and no run.json: 5 finished folds' show.txt || problems+="$(cat show.txt)"$'\n'
    result "show, report and compare on an interrupted run" "${problems%$'\n'}"
}

# One subject with one trial, one without a class: scored where possible, marked, named.
few_trials_are_marked()
{
    local problems= name="subjects with few trials are marked"
    if ! /usr/bin/python3 -c 'import numpy' 2>/dev/null; then
        skip "$name" "no numpy for /usr/bin/python3"
        return
    fi
    mkdir "$scratch/work/few" && cd "$scratch/work/few" || exit 1
    make_set set.npz --subjects 4 --classes 3 --trials 18 --d 3 --effect 4 || exit 1
    /usr/bin/python3 - <<'END' || exit 1
import numpy
kept = {}
with numpy.load("set.npz") as arrays:
    subject, y = arrays["subject"], arrays["y"]
    names, classes = sorted(set(subject.tolist())), sorted(set(y.tolist()))
    keep = ~((subject == names[2]) & (y == classes[0]))
    keep[numpy.flatnonzero(subject == names[1])[1:]] = False
    for key in arrays.files:
        kept[key] = arrays[key][keep] if arrays[key].shape[:1] == keep.shape else arrays[key]
numpy.savez("few.npz", **kept)
END
    congru loso few.npz --pipelines ra+mdm -o loso >loso.txt 2>&1 || problems+="$(cat loso.txt)"$'\n'
    found '^ra+mdm  *4 \*' loso.txt || problems+="loso does not mark: $(cat loso.txt)"$'\n'
    found '"subject": "S02", "trials": 1, "classes": 1, "scored": true' loso/run.json ||
        problems+="run.json does not tell"$'\n'
    congru show loso --per-subject >show.txt
    [ "$(grep -c '^S0[23] \*' show.txt)" = 2 ] || problems+="show does not mark: $(cat show.txt)"$'\n'
    found '(marked \*): S02, S03$' <(tr '\n' ' ' <show.txt | sed 's/  */ /g; s/ $//') ||
        problems+="show does not name: $(cat show.txt)"$'\n'
    congru within few.npz --pipelines ra+mdm -o within >within.txt 2>&1 || problems+="$(cat within.txt)"$'\n'
    found '^ra+mdm  *3 \*' within.txt || problems+="within: $(cat within.txt)"$'\n'
    found 'to score: S02 (1 trial of 1 class)' <(tr '\n' ' ' <within.txt | sed 's/  */ /g') ||
        problems+="within does not name: $(cat within.txt)"$'\n'
    result "$name" "${problems%$'\n'}"
}

# Removed while it is written to.
removed_folders_end_runs()
{
    local problems= code i
    mkdir "$scratch/work/removed" && cd "$scratch/work/removed" || exit 1
    make_set set.npz --subjects 6 --trials 40 --d 12 || exit 1
    congru loso set.npz --pipelines dct-e2e --steps 400 --jobs 1 -o run >out.txt 2>&1 &
    local process=$!
    for ((i = 0; i < 1000; i++)); do
        [ ! -e run/folds/dct-e2e/0.csv ] || break
        sleep 0.02
    done
    rm -rf run
    wait $process
    code=$?
    [ $code = 1 ] || problems+="exit code $code"$'\n'
    found 'run: was removed or replaced during the run (run the same command again)' out.txt ||
        problems+="$(cat out.txt)"$'\n'
    [ ! -e run ] || problems+="the folder came back"$'\n'
    result "a results folder removed during a run is an error" "${problems%$'\n'}"
}

jobs_and_paths_change_nothing()
{
    local jobs cpu problems=
    mkdir "$scratch/work/bits" && cd "$scratch/work/bits" || exit 1
    make_set set.npz --subjects 4 --trials 24 --d 6 || exit 1
    congru loso set.npz --pipelines classical --jobs 1 -o first >/dev/null || problems+="failed"
    for jobs in 2 3 7; do
        congru loso set.npz --pipelines classical --jobs $jobs -o jobs$jobs >/dev/null
        diff <(without_times first) <(without_times jobs$jobs) >/dev/null || problems+="--jobs $jobs differs"$'\n'
    done
    for cpu in $(congru version | sed -n 's/^cpu: .*available: \(.*\))/\1/p'); do
        CONGRU_CPU=$cpu congru loso set.npz --pipelines classical -o cpu$cpu >/dev/null
        diff <(without_times first) <(without_times cpu$cpu) >/dev/null || problems+="$cpu differs"$'\n'
    done
    result "the same results for any number of jobs and instruction set" "${problems%$'\n'}"
}

# Until the run that was started has begun to write.
wait_for_folder()
{
    for ((i = 0; i < 600; i++)); do
        [ ! -e folder/run.json ] || break
        sleep 0.05
    done
}

# A second run in a folder that is being written to is refused.
one_run_at_a_time()
{
    local said problems=
    mkdir "$scratch/work/twice" && cd "$scratch/work/twice" || exit 1
    make_set set.npz --subjects 8 --trials 60 --d 22 || exit 1
    congru loso set.npz --pipelines ra+tslr --C auto -o folder >/dev/null 2>&1 &
    local process=$!
    wait_for_folder
    said=$(congru loso set.npz --pipelines ra+tslr --C auto -o folder 2>&1)
    kill -KILL $process 2>/dev/null
    wait $process 2>/dev/null
    [[ $said == 'congru: folder: another run is writing to it '* ]] || problems=$said
    result "a folder takes one run at a time" "$problems"
}

# The interrupt key ends a run with one line that says what is done and how to go on.
interrupted_runs_say_how_to_go_on()
{
    local problems= signal process
    mkdir "$scratch/work/interrupted" && cd "$scratch/work/interrupted" || exit 1
    make_set set.npz --subjects 12 --trials 60 --d 22 || exit 1
    for signal in TERM INT; do
        rm -rf folder
        congru loso set.npz --pipelines ra+tslr --C auto -o folder >out.txt 2>err.txt &
        process=$!
        wait_for_folder
        kill -$signal $process
        wait $process
        [ $? -eq $((128 + $(kill -l $signal))) ] || problems+="exit code after $signal"$'\n'
        [[ $(without_progress <err.txt) =~ ^'congru: interrupted; what is done is in folder ('[0-9]+' of 12 folds), and the same command goes on from there'$ ]] ||
            problems+=$(cat err.txt)
    done
    result "an interrupted run says how to go on" "$problems"
}

# Ten subjects of real imagery, four classes: above chance by a distance that noise does not give.
real_imagery()
{
    local name="real imagery is decoded above chance" accuracy
    if [ ! -d "$data/eegmmidb/epochs22" ]; then
        skip "$name" "no real data (CONGRU_DATA)"
        return
    fi
    mkdir "$scratch/work/real" && cd "$scratch/work/real" || exit 1
    # shellcheck disable=SC2012
    congru import $(ls "$data"/eegmmidb/epochs22/*.npz | head -10) --preset eegmmidb --band 8:30 -o set.npz >/dev/null || exit 1
    congru loso set.npz --pipelines ra+mdm -o folder >out.txt || exit 1
    accuracy=$(awk '$1 == "ra+mdm" {print $3}' out.txt)
    result "$name" "$(awk -v a="$accuracy" 'BEGIN {if (!(a > 34 && a < 60)) print "accuracy " a}')"
}

# A terminal gets bold type and a bar; a pipe gets neither.
colours_are_for_terminals()
{
    local problems=
    cd "$scratch/work/bits" || exit 1
    congru show first | found $'\033' && problems+="escape codes in a pipe"$'\n'
    if command -v script >/dev/null; then
        local -x TERM=xterm
        unset NO_COLOR
        script -qec "congru show first" /dev/null </dev/null | found $'\033\\[1m' || problems+="no bold on a terminal"$'\n'
        script -qec "NO_COLOR=1 congru show first" /dev/null </dev/null | found $'\033' && problems+="NO_COLOR is ignored"$'\n'
        script -qec "congru loso set.npz -p ra+mdm,ra+tslr -o bar" /dev/null </dev/null | tr '\r' '\n' |
            found '[0-9] of 8 folds, .* left' || problems+="no bar on a terminal"$'\n'
        script -qec "NO_COLOR=1 COLUMNS=30 congru show first" /dev/null </dev/null | tr -d '\r' | awk 'length > 30' | found . &&
            problems+="wider than 30 columns on a terminal"$'\n'
    fi
    COLUMNS=30 congru show first | found '^pipeline  *subjects  *accuracy' || problems+="folded in a pipe"$'\n'
    result "colours are for terminals, and tables fit 30 columns" "${problems%$'\n'}"
}

numpy_and_pandas_style()
{
    local name="python reads the results as they are"
    if ! find_numpy; then
        skip "$name" "no numpy"
        return
    fi
    cd "$scratch/work/bits" || exit 1
    result "$name" "$("$python" - 2>&1 <<'END'
import csv, json, collections
rows = list(csv.DictReader(open("first/results.csv")))
head = list(rows[0])
if head[:9] != "score time samples subject session channels n_sessions dataset pipeline".split():
    print(head)
answers = list(csv.DictReader(open("first/predictions.csv")))
right = collections.Counter(); all_ = collections.Counter()
for a in answers:
    all_[a["pipeline"], a["subject"]] += 1
    right[a["pipeline"], a["subject"]] += a["y_true"] == a["y_pred"]
for r in rows:
    key = r["pipeline"], r["subject"]
    if abs(right[key] / all_[key] - float(r["score"])) > 1e-12:
        print(key, right[key] / all_[key], r["score"])
run = json.load(open("first/run.json"))
if run["settings"]["seed"] != 50 or run["program"]["name"] != "congru" or "loso" not in run["command"]:
    print(run)
END
    )"
}

killed_runs_end_the_same
killed_branches_end_the_same
interrupted_runs_are_shown
few_trials_are_marked
removed_folders_end_runs
jobs_and_paths_change_nothing
one_run_at_a_time
interrupted_runs_say_how_to_go_on
colours_are_for_terminals
numpy_and_pandas_style
real_imagery
for name in loso within show; do
    manual_has_options $name
done
help_fits loso within show
echo "1..$count"
exit $((failed > 0))
