#!/bin/bash
# Runs clang-tidy on all C files, or on those named, with the checks of .clang-tidy. SPDX-License-Identifier: Apache-2.0
#
# usage: tools/tidy.sh BUILD [FILE...]
#
# Prints TAP, one point for each file. A kernel, which is compiled for several instruction sets, is looked at once.
set -u -o pipefail

build=$1
shift
jobs=${JOBS:-$(nproc)}
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

# Debian's clang-tidy reads the flags of the build, of which it does not know those of gcc alone. The system's interfaces
# are asked for first, since analyzer.h stands before what a file says of them.
/usr/bin/env python3 - "$build/compile_commands.json" "$scratch/compile_commands.json" <<'END' || exit 1
import json, os, sys
told = os.path.realpath("tools/analyzer.h")
defining = ("src/base/error.c", "src/spd/batch.c", "src/array/mat_inflate.c", "cli/process/terminal.c",
            "tests/support/harness.c")
seen, kept = set(), []
for entry in json.load(open(sys.argv[1])):
    path = os.path.realpath(os.path.join(entry["directory"], entry["file"]))
    emulated = "CONGRU_LANES_EMULATED" in entry["command"] or "AVX512" in entry["command"]
    if path in seen or emulated or not path.endswith(".c"):
        continue
    seen.add(path)
    if os.path.relpath(path) not in defining:
        entry["command"] += f" -D_GNU_SOURCE= -Wno-macro-redefined -include {told}"
    kept.append(entry)
json.dump(kept, open(sys.argv[2], "w"))
END

if [ $# = 0 ]; then
    mapfile -t files < <(git ls-files 'src/*.c' 'cli/*.c' 'tests/*.c' 'bench/*.c' 'fuzz/*.c' 'examples/*.c')
else
    files=("$@")
fi

look_at()
{
    local found status=0
    found=$(clang-tidy --quiet -p "$1" "$2" 2>"$1/errors.$$") || status=$?
    if [ $status = 0 ] && [ -z "$found" ]; then
        echo "ok - $2"
    else
        printf '%s\n' "$found" | sed 's/^/# /'
        [ -n "$found" ] || sed 's/^/# /' "$1/errors.$$"
        echo "not ok - $2"
    fi >"$1/said.$$"
    cat "$1/said.$$"
}
export -f look_at
printf '%s\n' "${files[@]}" | xargs -P "$jobs" -I {} bash -c 'look_at "$@"' look_at "$scratch" {}
echo "1..${#files[@]}"
