#!/bin/bash
# congru explain: patterns against numpy, the same bits however folds are run, and what is refused. SPDX-License-Identifier: Apache-2.0
source "$SOURCE/tests/support/cli_session.sh"

pipelines=line,ra+tslr,ra+tsa-lda,ra+csp-lda,ra+mdm
own="--pipeline-file $SOURCE/tests/data/explain_pipelines.txt"

cd "$scratch/work" || exit 1
if ! find_numpy; then
    echo "1..0 # SKIP no Python with numpy"
    exit 0
fi
"$python" "$SOURCE/tests/oracle/oracle_explain.py" make set.npz || exit 1

# A model's patterns are weights times covariances, mapped back through each subject's reference.
patterns_are_those_of_numpy()
{
    local said broken
    # shellcheck disable=SC2086
    said=$(congru train set.npz $own -p line -o line.safetensors 2>&1 >train.txt)
    said+=$(congru explain line.safetensors --csv -o model.csv 2>&1)
    said+=$("$python" "$SOURCE/tests/oracle/oracle_explain.py" compare set.npz line.safetensors model.csv 2>&1)
    result "the patterns of a model are those of numpy" "$said"
    broken=$("$python" "$SOURCE/tests/oracle/oracle_explain.py" compare set.npz line.safetensors model.csv break)
    result "a mapping without the whitening is found out" "$([ "$(wc -l <<<"$broken")" -ge 2 ] || echo "it is not: $broken")"
}

# loso FOLDER OPTION...
loso()
{
    local folder=$1
    shift
    # shellcheck disable=SC2086
    congru loso set.npz $own -p "$pipelines" -o "$folder" "$@" >/dev/null 2>said.txt || cat said.txt
}

same_bits_however_run()
{
    local problems victim try
    problems=$(loso one -j 1; loso two -j 3; CONGRU_CPU=base loso base)
    cmp one/patterns.csv two/patterns.csv || problems+="other patterns with three threads"
    cmp one/patterns.csv base/patterns.csv || problems+="other patterns with plain instructions"
    result "patterns are the same for threads and instruction sets" "$problems"
    problems=
    # Where this shell had to wait for a processor the run may be over: then again.
    for ((try = 0; try < 10; try++)); do
        rm -rf killed
        # shellcheck disable=SC2086
        congru loso set.npz $own -p "$pipelines" -o killed -j 1 >/dev/null 2>&1 &
        victim=$!
        while [ ! -f killed/folds/line/1.csv ] && kill -0 $victim 2>/dev/null; do sleep 0.02; done
        kill -KILL $victim 2>/dev/null
        wait $victim 2>/dev/null
        [ -f killed/patterns.csv ] || break
    done
    [ ! -f killed/patterns.csv ] || problems+="it was over before it was killed; "
    problems+=$(loso killed)
    cmp one/patterns.csv killed/patterns.csv || problems+="other patterns after a kill"
    result "a run that was killed goes on to the same patterns" "$problems"
    problems=$(congru explain one 2>&1 | grep -c 'mean over 5 subjects')
    result "linear pipelines have patterns, others have none" "$([ "$problems" = 4 ] || echo "$problems pipelines")"
}

# The strongest channels are those that the set was made with.
found_where_it_was_put()
{
    local problems=
    congru explain one -p line >said.txt 2>&1
    grep -q "slow branch's weight lies before 1 s, most at Fz, .*: gaze or evoked response" <(tr -s '\n ' ' ' <said.txt) ||
        problems+="the potential; "
    grep -q 'most at C4, C3, .*: rhythms over the motor cortex' <(tr -s '\n ' ' ' <said.txt) || problems+="the rhythm; "
    grep -q '^ *a *C4 -' said.txt || problems+="class a; "
    grep -q '^ *b *C3 -' said.txt || problems+="class b; "
    congru explain one --json >said.json 2>&1
    "$python" -c '
import json, sys
made = json.load(open("said.json"))["branches"]
for one in made:
    for part in "times", "bands":
        shares = [each["share"] for each in one[part]]
        if shares and abs(sum(shares) - 1) > 1e-4:
            print(one["branch"], part, sum(shares))
parts = [one["part"] for one in made if one["pipeline"] == "line"]
if abs(sum(parts) - 1) > 1e-4 or min(parts) < 0.1:
    print("parts", parts)
' >json.txt 2>&1
    problems+=$(cat json.txt)
    [ -z "$problems" ] || problems+=$(cat said.txt)
    result "patterns are strongest where the sources are" "$problems"
}

# Dipoles at 10 Hz under C3 and C4 and a slow one under Fz, spread over 22 electrodes.
dipoles_are_found()
{
    local problems
    "$python" "$SOURCE/tests/oracle/oracle_explain.py" dipoles dipoles.npz "$SOURCE/share/montage/ten_ten.csv" || exit 1
    problems=$(congru loso dipoles.npz -p motor,slow -o dipoles 2>&1 >/dev/null | without_progress)
    congru explain dipoles --json >dipoles.json || problems+="no patterns"
    problems+=$("$python" "$SOURCE/tests/oracle/oracle_explain.py" found dipoles.json 2>&1)
    result "simulated dipoles are found where they were put" "$problems"
}

patterns_are_those_of_numpy
dipoles_are_found
same_bits_however_run
found_where_it_was_put
run_sessions "$SOURCE"/tests/cli/explain/*.txt
manual_has_options explain
help_fits explain
echo "1..$count"
[ "$failed" = 0 ]
