#!/bin/bash
# mpirun congru: any number of processes, killed or not, ends with the same results. SPDX-License-Identifier: Apache-2.0
source "$SOURCE/tests/support/cli_session.sh"
source "$SOURCE/tests/support/mpi.sh"

if ! has_mpi; then
    echo "1..0 # SKIP no mpirun, or congru was built without MPI (install openmpi-bin and libopenmpi-dev, then build again)"
    exit 0
fi
ln -s "$BUILD/tests/make_set" "$scratch/bin/make_set"
ln -s "$BUILD/tests/congru_plain" "$scratch/bin/congru_plain"

# without_times FOLDER: what must be the same in two runs.
without_times()
{
    cut -d, -f1,3- "$1/results.csv"
    cat "$1/predictions.csv" "$1"/training/*.json
}

without_training()
{
    cut -d, -f1,3- "$1/results.csv"
    cat "$1/predictions.csv"
}

pipelines=ra+mdm,ra+tslr,none+csp-lda,dct+tslr,dct+mdm,ddct-unet-e2e
cd "$scratch/work" || exit 1
make_set set.npz --subjects 8 --trials 40 --d 8 || exit 1
congru loso set.npz -p $pipelines --steps 40 -o whole >whole.txt || exit 1

processes_change_nothing()
{
    local n problems=
    for n in 1 2 3 4; do
        mpi -n $n congru loso set.npz -p $pipelines --steps 40 -o group$n --jobs $((n % 2 + 1)) >out.txt 2>err.txt ||
            problems+="$n processes: $(cat err.txt)"$'\n'
        diff <(without_times whole) <(without_times group$n) >/dev/null || problems+="$n processes differ"$'\n'
        problems+=$(grep -v 'folds, .* left' err.txt)
        ! grep -q $'\033' out.txt err.txt || problems+="$n processes print codes of a terminal"$'\n'
        [ "$(grep -c 'Results in' out.txt)" = 1 ] || problems+="$n processes print: $(cat out.txt)"$'\n'
        [ "$(sed -n 's/^"processes": \(.*\),/\1/p' group$n/run.json)" = $n ] || problems+="run.json of $n"$'\n'
    done
    result "1, 2, 3 and 4 processes end with the same results as none" "${problems%$'\n'}"
}

# Branches, whose constants are chosen on the sources before the first fold.
branches_change_nothing()
{
    local n problems=
    congru synth --stage shift --slow 1 --subjects 5 --trials 5 --channels 5 --rate 100 --signals 450 -o slow.npz >/dev/null || exit 1
    congru loso slow.npz -p motor,slow,motor+slow,ra+mdm -o views >/dev/null || exit 1
    for n in 2 3; do
        mpi -n $n congru loso slow.npz -p motor,slow,motor+slow,ra+mdm -o views$n --jobs 1 >out.txt 2>err.txt ||
            problems+="$n processes: $(cat err.txt)"$'\n'
        diff <(without_training views) <(without_training views$n) >/dev/null || problems+="$n processes differ"$'\n'
    done
    result "pipelines of branches end with the same results" "${problems%$'\n'}"
}

shared_batches_change_nothing()
{
    local n problems=
    congru loso set.npz -p dct-e2e,dldct+mdm,ddct-unet-e2e --subjects S02,S05 --steps 10 -o single >/dev/null || exit 1
    for n in 2 3; do
        mpi -n $n congru loso set.npz -p dct-e2e,dldct+mdm,ddct-unet-e2e --subjects S02,S05 --steps 10 --data-parallel \
            -o together$n --jobs 1 >out.txt 2>err.txt || problems+="$n processes: $(cat err.txt)"$'\n'
        diff <(without_times single) <(without_times together$n) >/dev/null || problems+="$n processes differ"$'\n'
    done
    result "processes that share batches end with the same results" "${problems%$'\n'}"
}

# find_process RANK STARTER: the number of that process below the launcher, in $victim.
find_process()
{
    local parent process
    for parent in $(pgrep -P "$2") $(pgrep -P "$2" | xargs -r -n 1 pgrep -P); do
        for process in $(pgrep -P "$parent" congru); do
            tr '\0' '\n' 2>/dev/null <"/proc/$process/environ" | found -x "OMPI_COMM_WORLD_RANK=$1" && victim=$process
        done
    done
    [ -n "$victim" ]
}

# How many folds are in a results folder.
folds_in()
{
    local done=("$1"/folds/*/*.csv)
    [ -e "${done[0]}" ] && echo ${#done[@]} || echo 0
}

# The first process hands out nothing: the others take jobs while it stands still. It may be stopped just where it holds what
# they wait for, and is then let go and stopped again. Without shared memory MPI counts in its calls, for which it has time.
the_first_may_stand_still()
{
    local starter victim= try i before problems=
    mpi -n 3 congru loso set.npz -p $pipelines --steps 40 -o still --jobs 1 >out.txt 2>err.txt &
    starter=$!
    for ((i = 0; i < 3000; i++)); do
        [ -n "$victim" ] || find_process 0 $starter
        [ -z "$victim" ] || [ "$(folds_in still)" -lt 2 ] || break
        sleep 0.01
    done
    for ((try = 0; try < 4; try++)); do
        kill -STOP "$victim"
        before=$(folds_in still)
        for ((i = 0; i < 1000 && $(folds_in still) < before + 12; i++)); do
            sleep 0.01
        done
        [ "$(folds_in still)" -lt $((before + 12)) ] || break
        kill -CONT "$victim"
        sleep 0.05
    done
    [ "$(folds_in still)" -ge $((before + 12)) ] || problems+="$before folds, then $(folds_in still)"$'\n'
    [ ! -e still/results.csv ] || problems+="it was stopped too late"$'\n'
    kill -CONT "$victim"
    wait $starter || problems+=$(cat err.txt)
    diff <(without_times whole) <(without_times still) >/dev/null || problems+="results differ"$'\n'
    if ompi_info 2>/dev/null | found 'MCA osc: pt2pt'; then
        mpi --mca osc pt2pt -n 3 congru loso set.npz -p $pipelines --steps 40 -o calls --jobs 1 >out.txt 2>err.txt ||
            problems+=$(cat err.txt)
        diff <(without_times whole) <(without_times calls) >/dev/null || problems+="in calls: results differ"$'\n'
    fi
    result "the others take jobs while the first process stands still" "${problems%$'\n'}"
}

# kill_one RANK FOLDS OPTION...: starts three processes and kills one when so many folds are done, in another run if it
# came too late. What mpirun says goes to err.txt, its exit code to $code. False when none was killed.
kill_one()
{
    local rank=$1 folds=$2 try starter victim i
    shift 2
    for ((try = 0; try < 4; try++)); do
        rm -rf broken
        victim=
        mpi "$@" -n 3 congru loso set.npz -p $pipelines --steps 40 -o broken --jobs 1 >out.txt 2>err.txt &
        starter=$!
        for ((i = 0; i < 3000; i++)); do
            [ -n "$victim" ] || find_process $rank $starter
            [ -z "$victim" ] || [ "$(folds_in broken)" -lt $folds ] || break
            kill -0 $starter 2>/dev/null || break
            sleep 0.01
        done
        [ -n "$victim" ] && [ ! -e broken/results.csv ] && kill -KILL "$victim" 2>/dev/null && i=-1
        wait $starter
        code=$?
        [ $i -ge 0 ] || return 0
    done
    return 1
}

# Open MPI ends the others as well; the same command goes on, with any number of processes.
killed_processes_lose_nothing()
{
    local rank problems= kills=0
    for rank in 1 0 2; do
        kill_one $rank $((rank * 4 + 2)) || problems+="process $rank was not there"$'\n'
        [ $code -eq 0 ] || kills=$((kills + 1))
        if [ $rank = 1 ]; then
            mpi -n 2 congru loso set.npz -p $pipelines --steps 40 -o broken >again.txt 2>&1
        else
            congru loso set.npz -p $pipelines --steps 40 -o broken >again.txt 2>&1
        fi || problems+=$(cat again.txt)
        grep -q 'there from before' again.txt || problems+="nothing was kept: $(cat again.txt)"$'\n'
        diff <(without_times whole) <(without_times broken) >/dev/null || problems+="rank $rank: results differ"$'\n'
        [ -z "$(find broken -name '*.tmp')" ] || problems+="drafts are left"$'\n'
    done
    [ $kills -eq 3 ] || problems+="only $kills runs were ended"$'\n'
    result "runs of which a process is killed are taken up and end with the same results" "${problems%$'\n'}"
}

# Where mpirun lets the others live they do its work again.
survivors_go_on()
{
    local folds problems=
    for folds in 1 9; do
        kill_one 1 $folds --enable-recovery || problems+="process 1 was not there"$'\n'
        [ $code -eq 0 ] || problems+="exit code $code: $(cat err.txt)"$'\n'
        diff <(without_times whole) <(without_times broken) >/dev/null || problems+="after $folds: results differ"$'\n'
    done
    kill_one 0 3 --enable-recovery || problems+="process 0 was not there"$'\n'
    grep -q '^congru: the first process is gone' err.txt || problems+="without process 0: $(cat err.txt)"$'\n'
    result "with --enable-recovery the others do the work of a killed process" "${problems%$'\n'}"
}

interrupted_processes_say_how_to_go_on()
{
    local starter problems=
    rm -rf broken
    mpi -n 2 congru loso set.npz -p ddct-unet-e2e --steps 100000 -o broken >out.txt 2>err.txt &
    starter=$!
    for ((i = 0; i < 1000; i++)); do
        [ ! -e broken/run.json ] || break
        sleep 0.02
    done
    sleep 0.5
    kill -INT "$(pgrep -P $(pgrep -f -P $starter timeout || echo $starter) 'mpirun|prterun' || pgrep -P $starter 'mpirun|prterun')"
    wait $starter
    [ $? -ne 0 ] || problems+="exit code 0"$'\n'
    [ "$(grep -c '^congru: interrupted; what is done is in broken' err.txt)" = 1 ] || problems+=$(cat err.txt)
    result "interrupted processes say once how to go on" "$problems"
}

errors_are_told_once()
{
    local problems=
    mpi -n 3 congru loso nothing.npz >out.txt 2>err.txt && problems+="a set that is not there: exit code"$'\n'
    [ "$(grep '^congru:' err.txt)" = 'congru: nothing.npz: cannot open: No such file or directory' ] ||
        problems+=$(cat err.txt)$'\n'
    mpi -n 3 congru loso set.npz --stepz 3 >out.txt 2>err.txt && problems+="an unknown option: exit code"$'\n'
    [ "$(grep -c '^congru: loso: unknown option --stepz' err.txt)" = 1 ] || problems+=$(cat err.txt)$'\n'
    # Each of the two reads a set of its own. The mpirun of Open MPI 5.0.7 takes no list of programs: it crashes.
    make_set other.npz --subjects 8 --trials 40 --d 8 --seed 2
    printf '%s\n' '#!/bin/sh' 'shift $OMPI_COMM_WORLD_RANK' 'exec congru loso "$1" --dataset set -o mixed' >each.sh
    chmod +x each.sh
    mpi -n 2 ./each.sh set.npz other.npz >out.txt 2>err.txt &&
        problems+="another set: exit code"$'\n'
    grep -q '^congru: process 2 of 2 has "data": .* where the first has "data": ' < <(sed 's/has   */has /g' err.txt) ||
        problems+=$(cat err.txt)$'\n'
    mpi -n 2 ./each.sh set.npz nothing.npz >out.txt 2>err.txt &&
        problems+="one without a set: exit code"$'\n'
    grep -q '^congru: process 2 of 2: nothing.npz: cannot open' err.txt || problems+=$(cat err.txt)$'\n'
    # A folder that each has to itself.
    printf '%s\n' '#!/bin/sh' 'mkdir -p own$OMPI_COMM_WORLD_RANK && cd own$OMPI_COMM_WORLD_RANK || exit 1' \
        'exec congru loso ../set.npz -o mine' >each.sh
    mpi -n 2 ./each.sh >out.txt 2>err.txt && problems+="a folder for each: exit code"$'\n'
    [ "$(grep -c '^congru: process 2 of 2: mine: cannot open' err.txt)" = 1 ] || problems+=$(cat err.txt)$'\n'
    mpi -n 2 congru_plain loso set.npz -o plain >out.txt 2>err.txt && problems+="without MPI: exit code"$'\n'
    [ "$(grep -c '^congru: started as 2 processes, but this congru was built without MPI' err.txt)" = 1 ] ||
        problems+=$(cat err.txt)$'\n'
    [ ! -e plain ] || problems+="without MPI a folder is made"$'\n'
    result "errors are told once, whichever process finds them" "${problems%$'\n'}"
}

# What takes many runs prints the same tables.
experiments_print_the_same()
{
    local problems=
    congru ablate set.npz -p dct-e2e,dldct-e2e --steps 5 -o parts >alone.txt || problems+="ablate"
    mpi -n 2 congru ablate set.npz -p dct-e2e,dldct-e2e --steps 5 -o parts2 2>&1 | tr -d '\r' |
        sed 's/\x1b\[[0-9]*m//g; s/parts2/parts/' >shared.txt
    problems+=$(diff alone.txt shared.txt)
    cmp parts/baseline/ablation.json parts2/baseline/ablation.json || problems+="ablation.json differs"
    congru reproduce table-e2e set.npz --steps 5 -o tables >alone.txt || problems+="reproduce"
    mpi -n 2 congru reproduce table-e2e set.npz --steps 5 -o tables2 2>&1 | tr -d '\r' |
        sed 's/\x1b\[[0-9]*m//g; s/tables2/tables/' >shared.txt
    problems+=$(diff alone.txt shared.txt)
    # One of them does what is not shared.
    congru reproduce silhouette set.npz --steps 2 --subjects S01 -o alone >alone.txt || problems+="silhouette"
    mpi -n 2 congru reproduce silhouette set.npz --steps 2 --subjects S01 -o shared 2>&1 | tr -d '\r' |
        sed 's/\x1b\[[0-9]*m//g' >shared.txt
    problems+=$(diff alone.txt shared.txt)
    result "ablate and reproduce print the same tables" "$problems"
}

processes_change_nothing
branches_change_nothing
shared_batches_change_nothing
the_first_may_stand_still
killed_processes_lose_nothing
survivors_go_on
interrupted_processes_say_how_to_go_on
errors_are_told_once
experiments_print_the_same
echo "1..$count"
exit $((failed > 0))
