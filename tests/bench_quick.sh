#!/bin/bash
# Every benchmark runs, small and once; the numbers are judged, the speed is not. SPDX-License-Identifier: Apache-2.0
#
# It reads SOURCE and BUILD. A benchmark whose peer or data is missing says so and is skipped.
set -u -o pipefail
export LC_ALL=C QUICK=1

scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
export TMPDIR=$scratch
count=0
failed=0

# bench FILE COMMAND...
bench()
{
    local name=${1##*/} code why
    shift
    count=$((count + 1))
    "$@" >"$scratch/out" 2>&1 </dev/null
    code=$?
    why=$(sed -n 's/^bench_[a-z]*: skipped: //p' "$scratch/out")
    if [ $code = 77 ]; then
        echo "ok $count - $name # SKIP ${why:-no reason given}"
    elif [ $code = 0 ] && ! grep -E '(^|[^a-z])-?(nan|inf)([^a-z]|$)' "$scratch/out" >"$scratch/numbers"; then
        grep '^bench_[a-z]*: ' "$scratch/out" | sed 's/^/# /'
        echo "ok $count - $name"
    else
        failed=$((failed + 1))
        tail -n 20 "$scratch/out" | sed 's/^/# /'
        echo "not ok $count - $name ends with $code"
    fi
}

for script in "$SOURCE"/bench/bench_*.sh; do
    bench "$script" "$script"
done
for source in "$SOURCE"/bench/bench_*.c; do
    program=$BUILD/bench/$(basename "$source" .c)
    case $program in
        */bench_spd)
            if [ ! -x "$program" ]; then
                count=$((count + 1))
                echo "ok $count - bench_spd.c # SKIP LAPACKE is not installed"
                continue
            fi
            bench "$source" "$program" quick
            "$program" quick 2>/dev/null | python3 "$SOURCE/bench/plot_speed.py" >"$scratch/speed.svg"
            code=$?
            count=$((count + 1))
            if [ $code = 0 ] && grep -q '^</svg>' "$scratch/speed.svg"; then
                echo "ok $count - plot_speed.py"
            else
                failed=$((failed + 1))
                echo "not ok $count - plot_speed.py"
            fi
            ;;
        */bench_network | */bench_networks) bench "$source" "$program" "$SOURCE/bench/${program##*/bench_}_torch.py" quick ;;
        *) bench "$source" "$program" quick ;;
    esac
done
echo "1..$count"
exit $((failed > 0))
