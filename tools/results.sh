#!/bin/bash
# Prints the tables of docs/results.md anew, and draws its figures, each into a file. SPDX-License-Identifier: Apache-2.0
#
# usage: tools/results.sh CONGRU DATA FOLDER [2a] [left-right] [2b] [2b-raw] [eegmmidb] [networks] [synthetic]
#
# DATA has the folders bci_iv_2a, bci_iv_2b and eegmmidb; what is in FOLDER already is not run again, fold by fold, so the
# same line goes on after an interruption. JOBS=1 has one fold at a time. Processor time: 2a an hour, 2b a quarter of an hour,
# eegmmidb two hours, networks of other authors five hours, synthetic an hour and a quarter.
set -eu -o pipefail

if [ $# -lt 3 ]; then
    echo "usage: tools/results.sh CONGRU DATA FOLDER [2a] [left-right] [2b] [2b-raw] [eegmmidb] [networks] [synthetic]" >&2
    exit 2
fi
congru=$(realpath "$1") data=$(realpath "$2")
mkdir -p "$3" && cd "$3"
shift 3
[ $# -gt 0 ] || set -- 2a left-right 2b 2b-raw eegmmidb networks synthetic

# table NAME WORD...: the command and what it prints, in NAME.txt when that is whole; names are those of docs/results.
table()
{
    local name=$1
    shift
    [ -e "$name.txt" ] && return
    echo "$name: congru $*"
    echo "\$ congru $*" >"$name.part"
    "$congru" "$@" --jobs "${JOBS:-0}" >>"$name.part" 2>"$name.err" || { tail -1 "$name.err" >&2 && return 1; }
    mv "$name.part" "$name.txt"
}

# figure NAME WORD...: what 'congru report' draws of a folder that is whole, in NAME.svg.
figure()
{
    local name=$1
    shift
    [ -e "$name.svg" ] || "$congru" report "$@" -o "$name.svg"
}

import()
{
    local set=$1
    shift
    [ -e "$set" ] || "$congru" import "$@" -o "$set"
}

tables_2a()
{
    import 2a.npz "$data"/bci_iv_2a/trials/*.npz --window all --band 8:35 --notch off --keep-signals
    import 2a_wide.npz "$data"/bci_iv_2a/trials/*.npz --window all --band off --notch off --keep-signals
    table 2a-end-to-end reproduce table-e2e 2a.npz
    table 2a-aligners reproduce table-prealigners 2a.npz
    table 2a-gap reproduce gap 2a.npz
    table 2a-silhouette reproduce silhouette 2a.npz
    figure 2a-accuracy reproduced/2a
    table 2a-recipes reproduce recipes 2a.npz
    table 2a-geometry reproduce geometry 2a.npz
    figure 2a-geometry reproduced/2a-geometry/ddct-unet-e2e reproduced/2a-geometry/ddct-unet-e2e-unconstrained --figure scatters
    table 2a-ablation reproduce ablation 2a.npz
    table 2a-views loso 2a_wide.npz --band 8:35 -p ra+tslr,motor,slow,motor+slow -o views2a
    table 2a-runtime reproduce runtime 2a.npz
    table 2a-conformer loso 2a_wide.npz --dataset 2a --band 8:35 -p conformer,inception -o comparison/2a_wide
    table 2a-comparison reproduce comparison 2a_wide.npz --dataset 2a --band 8:35 -o comparison -p \
        none+mdm,none+tslr,none+tsa-lda,none+csp-lda,ra+mdm,ra+tslr,ra+tsa-lda,rpa+mdm,ddct-unet+tslr,ddct-unet-e2e,spd-cnn,ts-spd-cnn,shallow,eegnet,deep
    figure 2a-views views2a
    figure 2a-comparison comparison/2a_wide
    figure 2a-comparison-within comparison/2a_wide-within
}

# All 288 left and right trials of both sessions of 2a, as covariances. A name apart from 2a: the paper has four classes.
tables_left_right()
{
    import left_right.npz "$data"/bci_iv_2a/left_right_cov/*.npz
    table left-right loso left_right.npz --align-by session -o left_right -p \
        none+mdm,none+tslr,ra+mdm,ra+tslr,ra+tsa-lda,rpa+mdm,dct+tslr,dldct+tslr,ddct-unet+tslr,dct-e2e,dldct-e2e,ddct-unet-e2e
    figure left-right-accuracy left_right
    table left-right-sessions within left_right.npz --sessions --align-by session -o left_right_sessions -p \
        none+mdm,none+tslr,ra+mdm,ra+tslr,ra+tsa-lda,dct-e2e,dldct-e2e,ddct-unet-e2e
}

tables_2b()
{
    import 2b.npz "$data"/bci_iv_2b/epochs/*.npz --window all --band 8:30 --notch off
    import 2b_wide.npz "$data"/bci_iv_2b/epochs/*.npz --window all --start 0 --band off --notch off --keep-signals
    table 2b-views loso 2b_wide.npz --band 8:30 -p ra+tslr,motor,slow,motor+slow -o views2b
    local whose protocol experiment
    for whose in paper ours; do
        protocol="--keep-sessions 1,2,3"
        [ $whose = paper ] || protocol="--align-by session"
        # shellcheck disable=SC2086
        for experiment in table-e2e table-prealigners gap silhouette ablation; do
            table 2b-$whose-${experiment#table-} reproduce $experiment 2b.npz $protocol -o ${whose}2b
        done
    done
    figure 2b-accuracy paper2b/2b
    figure 2b-views views2b
}

# 2b as recorded: session 4 of each subject, with the model that the others' sessions 1 to 3 give; all four sessions, each
# subject left out; and each subject's session 4 with its own first three. The files have a step and a beginning for each session.
tables_2b_raw()
{
    local subject pipeline
    if [ ! -e parts/B09_session4.npz ] && [ -e "$data/bci_iv_2b/raw/B01.npz" ]; then
        mkdir -p parts
        "${PYTHON:-/usr/bin/python3}" - "$data"/bci_iv_2b/raw/*.npz <<'END'
import pathlib, sys, numpy
for name in sys.argv[1:]:
    arrays = dict(numpy.load(name))
    for session in numpy.unique(arrays["session"]):
        chosen = arrays["session"] == session
        part = {key: value[chosen] if value.shape[:1] == chosen.shape else value for key, value in arrays.items()}
        part |= {key: arrays[key][session - 1] for key in ("scale", "tmin")}
        numpy.savez(f"parts/{pathlib.Path(name).stem}_session{session}.npz", **part)
END
    fi
    local how="--subject-from {subject}_session{session} --window 1.252:4.5 --band 8:30 --notch off --keep-signals"
    # shellcheck disable=SC2086
    {
        import 2b_raw.npz parts/*_session[1234].npz $how
        import 2b_raw123.npz parts/*_session[123].npz $how
        import 2b_raw4.npz parts/*_session4.npz $how
    }
    for pipeline in ra+mdm ra+tslr ra+tsa-lda dldct-e2e ddct-unet-e2e; do
        for subject in B01 B02 B03 B04 B05 B06 B07 B08 B09; do
            [ -e session4-$pipeline-$subject.txt ] && continue
            "$congru" train 2b_raw123.npz --without $subject --align-by session -p $pipeline -o raw-$pipeline.safetensors
            table session4-$pipeline-$subject predict raw-$pipeline.safetensors 2b_raw4.npz --subjects $subject
        done
    done
    table 2b-raw loso 2b_raw.npz --align-by session -o raw_left_out -p \
        none+tslr,ra+mdm,ra+tslr,ra+tsa-lda,dct-e2e,dldct-e2e,ddct-unet-e2e
    figure 2b-raw raw_left_out
}

tables_eegmmidb()
{
    import eegmmidb.npz "$data"/eegmmidb/epochs22/*.npz --preset eegmmidb --band 8:30 --keep-signals
    import wide.npz "$data"/eegmmidb/epochs22/*.npz --window all --band off --notch off --keep-signals
    table eegmmidb-comparison reproduce comparison eegmmidb.npz -p \
        none+mdm,none+tslr,none+tsa-lda,none+csp-lda,ra+mdm,ra+tslr,ra+tsa-lda
    table eegmmidb-left-right loso eegmmidb.npz --classes left_fist,right_fist -p ra+mdm,ra+tslr -o leftright
    table eegmmidb-views loso wide.npz --band 8:30 -p ra+tslr,motor,slow,motor+slow -o views49
    table eegmmidb-recipes reproduce recipes eegmmidb.npz
    figure eegmmidb-comparison reproduced/eegmmidb
    figure eegmmidb-views views49
}

# motor+slow with weights of 1 and with learned ones, and networks beside it.
views_text()
{
    local network
    printf '%s\n' 'pipeline = stated' 'choose = C' 'branches = motor+slow' \
        'pipeline = learned' 'choose = C, weights' 'branches = motor+slow' \
        'pipeline = learned-eegnet' 'choose = C, weights' 'branches = motor+slow, eegnet' \
        'pipeline = learned-streams' 'choose = C, weights' 'branches = motor+slow' \
        'branch = eegnet' 'method = eegnet' 'windows = inside' 'ensemble = 3' 'band = 4:38' 'window = 0:4' \
        'branch = eegnet-slow' 'method = eegnet' 'windows = inside' 'ensemble = 3' 'baseline = all' 'band = 0:12' \
        'order = 3' 'window = 0:1.5'
    for network in tsmnet eegnet shallow deep conformer inception; do
        printf '%s\n' "pipeline = with-$network" 'choose = C' "branches = motor+slow, $network"
    done
    for network in spdnet spd-cnn ts-spd-cnn; do
        printf '%s\n' "pipeline = with-$network" 'choose = C' 'branches = motor+slow' "branch = $network" \
            "method = $network" 'band = 8:30' 'window = 0.5:3.5'
    done
}

# Across subjects, seed by seed; all nine on EEGMMIDB with its subjects left out in groups. 4 s of 2b begin at its cue.
tables_networks()
{
    local seed covariances=ra+tslr,spdnet,spd-cnn,ts-spd-cnn
    local nine=spdnet,spd-cnn,ts-spd-cnn,tsmnet,eegnet,shallow,deep,conformer,inception
    import 2a_wide.npz "$data"/bci_iv_2a/trials/*.npz --window all --band off --notch off --keep-signals
    import 2b_wide.npz "$data"/bci_iv_2b/epochs/*.npz --window all --start 0 --band off --notch off --keep-signals
    import wide.npz "$data"/eegmmidb/epochs22/*.npz --window all --band off --notch off --keep-signals
    for seed in 50 51 52; do
        table networks-2a-$seed loso 2a_wide.npz --band 8:35 -p $covariances,tsmnet,eegnet --seed $seed \
            -o networks2a-$seed
        table networks-2a-signals-$seed loso 2a_wide.npz -p shallow,deep --seed $seed -o networks2a-signals-$seed
    done
    table networks-2a-large loso 2a_wide.npz -p conformer,inception -o networks2a-large
    table networks-eegmmidb loso wide.npz --band 8:30 --window 0.5:3.5 -p $covariances,eegnet -o networks49
    table networks-eegmmidb-signals loso wide.npz --band 8:30 --window 0.5:3.5 -p ra+tslr,tsmnet \
        -o networks49-signals
    views_text >views.txt
    table networks-eegmmidb-views loso wide.npz --pipeline-file views.txt -p stated,with-eegnet -o views
    table networks-eegmmidb-groups loso wide.npz --band 8:30 --window 0.5:3.5 --groups 7 --pipeline-file views.txt \
        -p "ra+tslr,motor,motor+slow,$nine,stated,with-${nine//,/,with-}" -o groups49
    table networks-eegmmidb-weights loso wide.npz --band 8:30 --window 0.5:3.5 --groups 7 --pipeline-file views.txt \
        -p learned,learned-eegnet -o weights49
    figure networks-eegmmidb groups49
    table networks-eegmmidb-streams loso wide.npz --band 8:30 --window 0.5:3.5 --groups 7 --pipeline-file views.txt \
        -p learned,learned-streams -o streams49
    table networks-2b loso 2b_wide.npz --band 8:30 -p $covariances,eegnet -o networks2b
    table networks-2b-signals loso 2b_wide.npz --band 8:30 -p ra+tslr,tsmnet,shallow,deep,inception \
        -o networks2b-signals
    table networks-2b-groups loso 2b_wide.npz --band 8:30 --groups 3 -p ra+tslr,conformer -o groups2b
    figure networks-2a networks2a-50
    figure networks-2b networks2b
    table networks-within within 2a_wide.npz --band 8:35 -p "ra+tslr,$nine" -o networks-within
}

tables_synthetic()
{
    table synthetic reproduce synthetic
}

for part in "$@"; do
    case $part in
    2a | left-right | 2b | 2b-raw | eegmmidb | networks | synthetic) "tables_${part//-/_}" ;;
    *) echo "tools/results.sh: no part '$part'" >&2 && exit 2 ;;
    esac
done
