#!/bin/sh
# The paper's synthetic table in small: five kinds of made-up sets, one seed, few steps. SPDX-License-Identifier: Apache-2.0
#
# usage: tools/demo.sh BUILD [FOLDER]
set -eu

build=$1
demo=${2:-demo}
congru=$build/congru

# Prints a command line, then runs it.
show()
{
    echo "\$ $*"
    "$@"
}

say()
{
    printf '\n%s\n' "$*"
}

echo 'Made-up people who imagine four movements; each stage adds one way in which they differ. Every decoder'
echo 'is fitted on eight of them and decides about the ninth. The paper trains networks for 1000 steps and'
echo "this for 100: leave out --seeds and --steps, or read 'congru help reproduce', for all of it."
show "$congru" reproduce synthetic --seeds 50..50 --steps 100 -o "$demo"

say 'Is the difference under nonlinear fusion more than chance?'
show "$congru" compare "$demo/synthetic/fusion-50" --baseline ra+tslr

if "$congru" help report >/dev/null 2>&1; then
    say 'All of it as one page:'
    set --
    for stage in shift dispersion orientation distortion fusion; do
        set -- "$@" "$demo/synthetic/$stage-50"
    done
    show "$congru" report "$@" -o "$demo/report.html"
    echo "Open $demo/report.html in a browser; it needs no network."
fi
