#!/bin/bash
# congru import, info and presets: sessions, bits, presets, real files. SPDX-License-Identifier: Apache-2.0
source "$SOURCE/tests/support/cli_session.sh"

${CC:-cc} -O1 -o "$scratch/bin/make_gdf" "$SOURCE/tests/support/make_gdf.c" "$SOURCE/tests/support/gdf_writer.c" -lm || exit 1
${CC:-cc} -O1 -o "$scratch/bin/make_mat" "$SOURCE/tests/support/make_mat.c" "$SOURCE/tests/support/mat_writer.c" -lm -lz || exit 1
data=${CONGRU_DATA:-$SOURCE/../shared/data}

run_sessions "$SOURCE"/tests/cli/import/*.txt

# ---- What does not fit in a session --------------------------------------------------------------------

presets_are_listed_and_parse()
{
    local name said problems=
    mkdir "$scratch/work/presets" && cd "$scratch/work/presets" || exit 1
    for name in bnci2014-001 bnci2014-002 bnci2014-004 bnci2015-004 eegmmidb ofner2017; do
        congru presets | found -x "$name" || problems+="$name is not listed"$'\n'
        congru presets "$name" | found 'source.*' || problems+="$name has no source"$'\n'
        # Far enough to look at the file's name means that every line was understood.
        said=$(congru import '#' --preset "$name" -o out.npz 2>&1)
        [[ $said == 'congru: #: '* ]] || problems+="$name: $said"$'\n'
    done
    [ "$(congru presets | grep -c '^[a-z]')" = 6 ] || problems+="not as many are listed as there are"
    result "presets are listed and can be read" "${problems%$'\n'}"
    result "presets fit 30 columns" "$(COLUMNS=30 congru presets | awk 'length > 30 && NF > 1')"
}

# A file in the shape of the competition's: channels without names, codes, two runs, rejected trials.
preset_takes_channels_by_position()
{
    local said problems=
    mkdir "$scratch/work/position" && cd "$scratch/work/position" || exit 1
    make_gdf --bci2a 1 A01T.gdf && make_gdf --bci2a 2 A02T.gdf || exit 1
    said=$(congru import A01T.gdf A02T.gdf --preset bnci2014-001 -o set.npz 2>&1)
    grep -q '^set.npz: 6[0-4] trials, 2 subjects, 4 classes, 22 x 22$' <<<"$said" || problems+="$said"
    congru info set.npz | tr -s '\n ' ' ' | found -F 'channels 22: Fz FC3 FC1 FCz FC2 FC4 C5 C3 C1 Cz C2 C4' ||
        problems+=$'\n'$(congru info set.npz)
    congru info set.npz | found -E '^ +01 +1 ' || problems+=$'\nsession T is not number 1'
    said=$(congru import A01T.gdf --preset bnci2014-001 --rejected drop -o dropped.npz 2>&1)
    grep -q 'rejected' <<<"$said" || problems+=$'\n'"no trial was rejected: $said"
    said=$(congru import A01T.gdf --preset bnci2014-001 --channels C4,Cz -o two.npz 2>&1)
    grep -q ' 2 x 2$' <<<"$said" || problems+=$'\n'"$said"
    result "channels without names are taken by position" "$problems"
}

# same_bits NAME ARGUMENT...: one set for any number of jobs and any instruction set.
same_bits()
{
    local name=$1 jobs cpu problems=
    shift
    mkdir -p "$scratch/work/bits" && cd "$scratch/work/bits" || exit 1
    congru import "$@" --jobs 1 -o first.npz >first.txt || problems+="import failed"$'\n'
    for jobs in 2 3 0; do
        congru import "$@" --jobs $jobs -o again.npz >again.txt
        cmp first.npz again.npz >/dev/null || problems+="--jobs $jobs gives other bits"$'\n'
        diff first.txt <(sed 's/^again/first/' again.txt) >/dev/null ||
            problems+="--jobs $jobs prints another table"$'\n'
    done
    for cpu in $(congru version | sed -n 's/^cpu: .*available: \(.*\))/\1/p'); do
        CONGRU_CPU=$cpu congru import "$@" -o again.npz >/dev/null
        cmp first.npz again.npz >/dev/null || problems+="CONGRU_CPU=$cpu gives other bits"$'\n'
    done
    result "$name: the same bits for any --jobs and CONGRU_CPU" "${problems%$'\n'}"
}

made_files_same_bits()
{
    local i
    mkdir "$scratch/work/made" && cd "$scratch/work/made" || exit 1
    for i in 1 2 3 4 5 6 7; do
        make_recording "S$i.edf" 160 $((40 + 5 * i)) C3,Cz,C4,Pz,Oz T1@5,T2@15,T1@25,T2@33
    done
    same_bits "made files" "$PWD"/S*.edf --events T1=left,T2=right --resample 128 --keep-signals
}

# Stopped at any instant, most of them while it writes, the output is not there or whole, and nothing beside it.
interrupted_import_leaves_nothing()
{
    local events start i files problems=
    mkdir "$scratch/work/interrupted" && cd "$scratch/work/interrupted" || exit 1
    events=$(seq 4 4 590 | sed 's/^/T1@/' | paste -s -d,)
    for i in 1 2 3 4; do
        make_recording "S$i.edf" 160 600 C3,Cz,C4,Pz,Oz,F3,Fz,F4 "$events"
    done
    files=$(ls -A)
    start=$(date +%s%N)
    congru import S*.edf --events T1=left --keep-signals -o out.npz >/dev/null
    start=$((($(date +%s%N) - start) / 1000)) # microseconds
    rm out.npz
    for i in 5 20 40 50 60 65 70 75 80 85 90 95 100; do
        timeout -s TERM "$(awk -v t=$start -v i=$i 'BEGIN { print t * i / 1e8 }')" \
            congru import S*.edf --events T1=left --keep-signals -o out.npz \
            >/dev/null 2>"$scratch/stderr"
        [ -s "$scratch/stderr" ] && problems+="after $i %: $(cat "$scratch/stderr")"$'\n'
        [ ! -e out.npz ] || congru info out.npz >/dev/null || problems+="after $i %: the set is not whole"$'\n'
        rm -f out.npz
        [ "$(ls -A)" = "$files" ] || problems+="after $i %: $(ls -A | tr '\n' ' ')"$'\n'
    done
    result "an interrupted import leaves no half file" "${problems%$'\n'}"
}

bar_is_for_terminals()
{
    local name="a progress bar on a terminal, and nowhere else" problems=
    if ! command -v script >/dev/null; then
        skip "$name" "no script"
        return
    fi
    cd "$scratch/work/made" || exit 1
    script -qec "congru import S*.edf --events T1=left,T2=right -o $scratch/bar.npz" /dev/null </dev/null |
        tr '\r' '\n' | found ' of 7 files' || problems+="no bar on a terminal"$'\n'
    congru import S*.edf --events T1=left,T2=right -o "$scratch/bar.npz" 2>&1 >/dev/null | found . &&
        problems+="something on standard error that is no terminal"
    result "$name" "$problems"
}

numpy_opens_sets_and_writes_trials()
{
    local python name="numpy opens what import writes, and writes what it reads"
    if ! find_numpy; then
        skip "$name" "no numpy"
        return
    fi
    cd "$scratch/work/made" || exit 1
    congru import S*.edf --events T1=left,T2=right --keep-signals --subject-from 'S{subject}' \
        -o "$scratch/numpy.npz" >/dev/null
    congru import S*.edf --events T1=left,T2=right --trace-normalise on -o "$scratch/unit.npz" >/dev/null
    result "$name" "$("$python" - "$scratch" 2>&1 <<'END'
import json, subprocess, sys
import numpy as np
scratch = sys.argv[1]
a = np.load(scratch + "/numpy.npz", allow_pickle=False)
meta = json.loads(str(a["meta"]))
if meta["band"] != [8, 35] or meta["notch"] != 50 or meta["window"] != [0.5, 3.5] or len(meta["files"]) != 7:
    print("meta", meta)
if "jobs" in meta:
    print("meta tells the number of jobs")
if list(a["classes"]) != ["left", "right"] or sorted(set(a["subject"])) != list("1234567"):
    print(a["classes"], a["subject"])
expected = np.array([np.cov(trial) for trial in a["signals"].astype(float)])
if abs(a["X"] - expected).max() > 1e-5 * abs(expected).max():
    print("covariances are not those of the signals", abs(a["X"] - expected).max())
unit = np.load(scratch + "/unit.npz")["X"]
if "signals" in np.load(scratch + "/unit.npz") or abs(np.trace(unit, axis1=1, axis2=2) - 1).max() > 1e-12:
    print("--trace-normalise on makes traces 1, and by default no signals are kept")
# Trials as numpy writes them: integers with a scale; labels that are neither from 0 nor without gaps.
x = np.random.default_rng(0).integers(-1000, 1000, (6, 3, 500)).astype("<i2")
np.savez(scratch + "/trials.npz", X=x, scale=0.1, fs=100, tmin=-1.0, y=[3, 7, 3, 7, 3, 9],
         ch_names=["C3", "Cz", "C4"])
plain = ["--band", "off", "--notch", "off", "--trace-normalise", "off"]
def run(*arguments):
    done = subprocess.run(["congru", "import", scratch + "/trials.npz", "-o", scratch + "/made.npz", *arguments],
                          capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr
code, said = run(*plain, "--channels", "C4,C3", "--window", "0.5:2.5")
made = np.load(scratch + "/made.npz")
expected = np.array([np.cov(0.1 * t[[2, 0], 150:350]) for t in x])
if code or made["X"].shape != (6, 2, 2) or abs(made["X"] - expected).max() > 1e-10 * abs(expected).max():
    print("trials", code, said)
code, said = run(*plain, "--events", "3=left,7=right")
made = np.load(scratch + "/made.npz")
if code or list(made["y"]) != [0, 1, 0, 1, 0] or list(made["classes"]) != ["left", "right"]:
    print("events", code, said, made["y"])
for arguments, words in [(["--window", "0:6"], "the window 0:6 s leaves its trials, which last from -1 to 4 s"),
                         (["--channels", "Oz"], "no channel 'Oz': it has C3, Cz, C4"),
                         (["--events", "1=one"], "no trial is of a class in --events: it has 3, 7, 9")]:
    code, said = run(*arguments)
    if code != 1 or words not in said or not said.startswith("congru: " + scratch + "/trials.npz: "):
        print(arguments, code, said)
END
    )"
}

# In the .mat edition of 2a a trial's mark is 2 s before its cue; there the sine of each trial fills its window.
mat_runs_are_cut_at_the_cue()
{
    local name="runs in a .mat are cut at the cue, their channels named by position"
    if ! /usr/bin/python3 -c 'import scipy' 2>/dev/null; then
        skip "$name" "no scipy"
        return
    fi
    mkdir "$scratch/work/mat" && cd "$scratch/work/mat" || exit 1
    result "$name" "$(/usr/bin/python3 - 2>&1 <<'END'
import subprocess
import numpy as np, scipy.io
rng = np.random.default_rng(0)
rate, runs, seconds = 250, np.empty((1, 2), object), np.arange(750) / 250
for r in range(2):
    x = rng.standard_normal((70 * rate, 25))
    trial = 1 + rate * (4 + 8 * np.arange(8.0))[:, None]
    for k, mark in enumerate(trial[:, 0].astype(int)):
        cue = mark - 1 + 2 * rate
        x[cue + rate // 2 : cue + rate // 2 + 750, 7] = 100 * (1 + k % 4) * np.sin(20 * np.pi * seconds)
    names = np.empty((1, 4), object)
    names[0] = ["left hand", "right hand", "feet", "tongue"]
    runs[0, r] = {"X": x, "trial": trial, "y": 1.0 + np.arange(8)[:, None] % 4, "fs": float(rate), "classes": names,
                  "artifacts": (np.arange(8) == 3).astype(float)[:, None]}
scipy.io.savemat("A07E.mat", {"data": runs})
said = subprocess.run(["congru", "import", "A07E.mat", "--preset", "bnci2014-001", "--trace-normalise", "off",
                       "-o", "set.npz"], capture_output=True, text=True)
a = np.load("set.npz")
c3 = list(a["channels"]).index("C3")
power = a["X"][:, c3, c3] / (1 + a["y"]) ** 2
if list(a["y"]) != 4 * [0, 1, 2, 3] or a["X"].shape != (16, 22, 22) or abs(power / 5000 - 1).max() > 0.15:
    print(said.stdout + said.stderr, a["y"], power)
if list(a["run"]) != 8 * [0] + 8 * [1] or set(a["session"]) != {2} or set(a["subject"]) != {"07"}:
    print(a["run"], a["session"], a["subject"])
if "0 (2 rejected kept)" not in said.stdout:
    print(said.stdout)
END
    )"
}

# ---- Real files ----------------------------------------------------------------------------------------

real_recordings()
{
    local name="the original EDF files" expected said
    if [ ! -d "$data/eegmmidb/original" ]; then
        skip "$name: trials by class" "$data/eegmmidb/original is absent"
        skip "$name: the same bits" "$data/eegmmidb/original is absent"
        return
    fi
    mkdir "$scratch/work/real" && cd "$scratch/work/real" || exit 1
    said=$(congru import "$data"/eegmmidb/original/*/*.edf --preset eegmmidb -o set.npz 2>&1)
    expected='file         subject     left_fist  right_fist  both_fists  both_feet  dropped
S001R04.edf  001                 8           7           0          0        0
S001R06.edf  001                 0           0           7          8        0
S001R08.edf  001                 8           7           0          0        0
S001R12.edf  001                 7           8           0          0        0
S007R04.edf  007                 8           7           0          0        0
S007R06.edf  007                 0           0           7          8        0
S007R08.edf  007                 8           7           0          0        0
S007R12.edf  007                 7           8           0          0        0
S042R04.edf  042                 7           8           0          0        0
S042R06.edf  042                 0           0           8          7        0
total        3 subjects         53          52          22         23        0
subjects: by S{subject}R{run} and others of the preset in the file names
signals: 8 to 35 Hz (Butterworth of order 4, zero phase), notch 60 Hz, 0.5 to
  3.5 s after the cue, scm
set.npz: 150 trials, 3 subjects, 4 classes, 22 x 22'
    result "$name: trials by class" "$(diff <(echo "$expected") <(echo "$said"))"
    same_bits "$name" "$data"/eegmmidb/original/*/*.edf --preset eegmmidb
}

real_trials()
{
    local said name="the real files of trials" problems=
    if [ ! -d "$data/eegmmidb/epochs22" ] || [ ! -d "$data/bci_iv_2b" ]; then
        skip "$name" "$data/eegmmidb/epochs22 or bci_iv_2b is absent"
        return
    fi
    mkdir "$scratch/work/trials" && cd "$scratch/work/trials" || exit 1
    said=$(congru import "$data"/eegmmidb/epochs22/S00[12].npz --preset eegmmidb -o mm.npz 2>&1)
    grep -q '^mm.npz: 174 trials, 2 subjects, 4 classes, 22 x 22$' <<<"$said" || problems+="$said"$'\n'
    said=$(congru import "$data"/bci_iv_2b/epochs/B0[12].npz --preset bnci2014-004 -o 2b.npz 2>&1)
    grep -q 'B01.npz: it does not say where the cue of its trials of 4 s is (import it with --start, or with --window all)$' \
        <<<"$said" || problems+="$said"$'\n'
    said=$(congru import "$data"/bci_iv_2b/epochs/B0[12].npz --preset bnci2014-004 --window all -o 2b.npz 2>&1)
    grep -q '^2b.npz: 1200 trials, 2 subjects, 2 classes, 3 x 3$' <<<"$said" || problems+="$said"$'\n'
    said=$(congru import "$data"/bci_iv_2b/original/B0401T.mat --preset bnci2014-004 --window all -o mat.npz 2>&1)
    grep -qE '^B0401T.mat +04 +60 +60 +0$' <<<"$said" || problems+="$said"$'\n'
    grep -q 'left_hand' <<<"$said" || problems+="classes are not named"$'\n'
    congru info mat.npz | found 'channels     3: C3 Cz C4' || problems+="channels are not named"
    result "$name" "${problems%$'\n'}"
}

# Covariances that someone else made, with the classes that --events chooses and names.
real_covariances()
{
    local said name="the real file of covariances" problems=
    if [ ! -f "$data/bci_iv_2a/A09_covariances.mat" ]; then
        skip "$name" "$data/bci_iv_2a/A09_covariances.mat is absent"
        return
    fi
    mkdir "$scratch/work/covariances" && cd "$scratch/work/covariances" || exit 1
    said=$(congru import "$data"/bci_iv_2a/A09_covariances.mat --events 1=left,2=right -o two.npz 2>&1)
    grep -qE '^A09_covariances.mat +A09_covariances +144 +144 +0$' <<<"$said" || problems+="$said"$'\n'
    grep -q '^signals: covariances as they are$' <<<"$said" || problems+="$said"$'\n'
    said=$(congru import "$data"/bci_iv_2a/A09_covariances.mat --channels C3,C4 -o out.npz 2>&1) && problems+="channels are chosen"$'\n'
    grep -q 'of which no channels can be chosen' <<<"$said" || problems+="$said"
    result "$name" "${problems%$'\n'}"
}

presets_are_listed_and_parse
preset_takes_channels_by_position
made_files_same_bits
interrupted_import_leaves_nothing
bar_is_for_terminals
numpy_opens_sets_and_writes_trials
mat_runs_are_cut_at_the_cue
manual_has_options import
manual_has_options info
manual_has_options presets
help_fits import info presets
real_recordings
real_trials
real_covariances
echo "1..$count"
exit $((failed > 0))
