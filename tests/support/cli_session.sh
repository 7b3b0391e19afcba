#!/bin/bash
# What tests of the command share: a scratch folder, TAP lines, sessions. SPDX-License-Identifier: Apache-2.0
#
# Sourced by the scripts beside it. It reads SOURCE, BUILD and CC; see tests/meson.build. A session is commands
# and what they print:
#
#   $ command               run by bash in a scratch folder that the session keeps
#   standard output, then
#   ! standard error
#   [exit code]             when it is not 0
#
# "..." stands for anything. Lines that begin with "# " are comments. A command that ends with 1 must also
# have printed nothing but one line "congru: ..." on standard error, and left no new file behind.
set -u -o pipefail

scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
count=0
failed=0

# found ...: grep that reads to the end. With -q it leaves at the first match, and what writes to it may then fail.
found()
{
    grep "$@" >/dev/null
}

# result NAME PROBLEMS: one TAP line, after the problems as comments.
result()
{
    count=$((count + 1))
    if [ -z "$2" ]; then
        echo "ok $count - ${1//\#/}"
    else
        failed=$((failed + 1))
        printf '%s\n' "$2" | sed 's/^/# /'
        echo "not ok $count - ${1//\#/}"
    fi
}

skip()
{
    count=$((count + 1))
    echo "ok $count - $1 # SKIP $2"
}

if [ ! -x "$BUILD/congru" ]; then
    echo "Bail out! $BUILD/congru is not there"
    exit 1
fi
mkdir "$scratch/bin" "$scratch/work"
ln -s "$BUILD/congru" "$scratch/bin/congru"
for tool in make_npy make_recording; do
    ${CC:-cc} -O1 -o "$scratch/bin/$tool" "$SOURCE/tests/support/$tool.c" -lm || exit 1
done
export PATH=$scratch/bin:$PATH LC_ALL=C
unset COLUMNS CONGRU_CPU

# without_progress: what it reads, without the lines that long work tells every ten seconds, which short work has too where the
# machine is busy.
without_progress()
{
    sed -E '/^[0-9]+ of [0-9]+ (folds|steps)(, .*)?$/d'
}

# ---- Sessions ------------------------------------------------------------------------------------------

# matches ACTUAL EXPECTED: equal, where "..." in what is expected stands for anything.
matches()
{
    local pattern
    pattern=$(sed 's/[^A-Za-z0-9 ]/\\&/g; s/\\\.\\\.\\\./*/g' <<<"$2")
    # shellcheck disable=SC2053
    [[ $1 == $pattern ]]
}

# run_step NAME COMMAND EXPECTED: runs one command of a session in the current folder.
run_step()
{
    local code actual before problems=
    before=$(ls -A)
    bash -o pipefail -c "$2" >"$scratch/stdout" 2>"$scratch/said" </dev/null
    code=$?
    without_progress <"$scratch/said" >"$scratch/stderr"
    actual=$(
        cat "$scratch/stdout"
        sed 's/^/! /' "$scratch/stderr"
        [ $code -eq 0 ] || echo "[$code]"
    )
    matches "$actual" "$3" ||
        problems=$(diff <(echo "$3") <(echo "$actual") | sed '/^[<>]/!d; s/^</expected/; s/^>/     got/')
    if [ $code -eq 1 ]; then
        [ -s "$scratch/stdout" ] && problems+=$'\nit failed but printed to standard output'
        [ "$(grep -c '^congru: ' "$scratch/stderr")/$(wc -l <"$scratch/stderr")" = 1/1 ] ||
            problems+=$'\nstandard error is not one line "congru: ..."'
        [ "$(ls -A)" = "$before" ] || problems+=$'\nit failed but left a file'
    fi
    result "$1: $2" "$problems"
}

run_session()
{
    local name line command='' expected=''
    name=$(basename "$1" .txt)
    mkdir "$scratch/work/$name" && cd "$scratch/work/$name" || exit 1
    while IFS= read -r line; do
        case $line in
        '$ '* | '# '*)
            [ -z "$command" ] || run_step "$name" "$command" "${expected%%*($'\n')}"
            command= expected=
            [[ $line == '# '* ]] || command=${line#'$ '}
            ;;
        *) [ -z "$command" ] || expected+=${expected:+$'\n'}$line ;;
        esac
    done < <(cat "$1"; echo '# end')
}

# run_sessions FILE...: every session in a folder of its own below $scratch/work.
run_sessions()
{
    local session
    shopt -s extglob
    for session in "$@"; do
        run_session "$session"
    done
}

# Every option that help lists for a command is in its manual page, and the other way round; mandoc has nothing to warn of.
manual_has_options()
{
    local help=$scratch/help manual=$scratch/manual
    congru help "$1" >"$help"
    congru help --man "$1" >"$manual"
    if command -v mandoc >/dev/null; then
        result "the manual of $1 is mdoc" "$(mandoc -T lint -W warning <"$manual" 2>&1)"
    else
        skip "the manual of $1 is mdoc" "no mandoc"
    fi
    result "the manual of $1 has the options of help" "$(diff \
        <(grep -oE '^  (-., )?--[A-Za-z0-9-]+' "$help" | sed 's/.*--//' | sort) \
        <(grep -oE '^\.It Fl .*' "$manual" | grep -oE 'Fl -[A-Za-z0-9-]+' | sed 's/Fl -//' | sort))"
}

# help_fits COMMAND...: help of each is no wider than it is told.
help_fits()
{
    local columns problems=
    for columns in 30 80; do
        problems+=$(for about in "$@"; do
            COLUMNS=$columns congru help $about | awk -v most=$columns 'length > most'
        done)
    done
    result "help of $* fits 30 and 80 columns" "$problems"
}

# The Python that has numpy, in $python; false when there is none.
find_numpy()
{
    for python in python3 /usr/bin/python3; do
        "$python" -c 'import numpy' 2>/dev/null && return
    done
    return 1
}
