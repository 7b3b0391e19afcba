#!/bin/bash
# The command line: the sessions of tests/cli, help, the manual, NumPy. SPDX-License-Identifier: Apache-2.0
#
# It reads SOURCE, BUILD and CC; see tests/meson.build. A session is commands and what they print:
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
${CC:-cc} -O1 -o "$scratch/bin/make_npy" "$SOURCE/tests/make_npy.c" || exit 1
export PATH=$scratch/bin:$PATH LC_ALL=C
unset COLUMNS CONGRU_CPU

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
    bash -o pipefail -c "$2" >"$scratch/stdout" 2>"$scratch/stderr" </dev/null
    code=$?
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

shopt -s extglob
for session in "$SOURCE"/tests/cli/*.txt; do
    run_session "$session"
done

# ---- What does not fit in a session --------------------------------------------------------------------

# An unwritable folder is writable to root, so this one needs another user.
unwritable_folder()
{
    local name="an unwritable folder is an error" problems=
    if [ "$(id -u)" -eq 0 ]; then
        skip "$name" "root may write everywhere"
        return
    fi
    mkdir "$scratch/locked" && chmod a-w "$scratch/locked"
    problems=$(congru spd log "$scratch/work/shapes/one.npy" -o "$scratch/locked/out.npy" 2>&1)
    matches "$problems" "congru: $scratch/locked/out.npy: cannot write: Permission denied" && problems=
    result "$name" "$problems"
}

# Every option and operation that help lists is in the manual page, and the other way round.
manual_agrees_with_help()
{
    local help=$scratch/help manual=$SOURCE/man/congru-spd.1
    congru help spd >"$help"
    result "the manual has the options of help" "$(diff \
        <(grep -oE '^  (-., )?--[a-z]+' "$help" | grep -oE '[a-z]+$' | sort) \
        <(grep -oE '^\.It Fl .*-[a-z]+' "$manual" | grep -oE '[a-z]+$' | sort))"
    result "the manual has the operations of help" "$(diff \
        <(sed -n '/^Operations:/,/^Options:/s/^  \([a-z][a-z]*\).*/\1/p' "$help") \
        <(sed -n 's/^\.It Cm \([a-z]*\).*/\1/p' "$manual"))"
}

help_fits_its_columns()
{
    local columns problems=
    for columns in 30 80; do
        problems+=$(for about in '' spd version help; do
            COLUMNS=$columns congru help $about | awk -v most=$columns 'length > most'
        done)
    done
    result "help fits 30 and 80 columns" "$problems"
}

numpy_reads_what_is_written()
{
    local python name="numpy reads what congru writes, and the other way round"
    for python in python3 /usr/bin/python3 ''; do
        [ -n "$python" ] && "$python" -c 'import numpy' 2>/dev/null && break
    done
    if [ -z "$python" ]; then
        skip "$name" "no numpy"
        return
    fi
    cd "$scratch/work" || exit 1
    result "$name" "$("$python" - 2>&1 <<'END'
import subprocess, numpy as np
a = np.random.default_rng(1).standard_normal((5, 3, 4))
c = a @ a.transpose(0, 2, 1) + np.eye(3)
w, v = np.linalg.eigh(c)
expected = (v * np.log(w)[:, None, :]) @ v.transpose(0, 2, 1)
for name, array, tolerance in [("c", c, 1e-12), ("fortran", np.asfortranarray(c), 1e-12),
                               ("narrow", c.astype("<f4"), 1e-4), ("version2", c, 1e-12)]:
    with open("numpy.npy", "wb") as file:
        np.lib.format.write_array(file, array, version=(2, 0) if name == "version2" else (1, 0))
    subprocess.run(["congru", "spd", "log", "numpy.npy", "-o", "congru.npy"], check=True)
    log = np.load("congru.npy", allow_pickle=False)
    if log.shape != (5, 3, 3) or log.dtype != "<f8" or abs(log - expected).max() > tolerance:
        print(name, log.shape, log.dtype, abs(log - expected).max())
END
    )"
}

unwritable_folder
manual_agrees_with_help
help_fits_its_columns
numpy_reads_what_is_written
echo "1..$count"
exit $((failed > 0))
