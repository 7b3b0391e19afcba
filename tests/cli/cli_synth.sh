#!/bin/bash
# congru synth on the command line: sessions, help, the manual, bits. SPDX-License-Identifier: Apache-2.0
source "$SOURCE/tests/support/cli_session.sh"

run_sessions "$SOURCE"/tests/cli/synth/*.txt

manual_has_stages()
{
    result "the manual has the stages of help" "$(diff \
        <(COLUMNS=80 congru help synth | sed -n '/^Stages:/,/^Options:/s/^  \([a-z][a-z]*\).*/\1/p') \
        <(congru help --man synth | sed -n 's/^\.It Cm \([a-z]*\).*/\1/p'))"
}

# Defaults are told in help, and are those of the library, which every set repeats.
defaults_are_told_right()
{
    local name value problems=
    mkdir "$scratch/work/defaults" && cd "$scratch/work/defaults" || exit 1
    congru synth --stage shift --trials 1 -o set.npz >/dev/null
    for name in separation background shift-noise noise warp alpha dispersion rotation gamma1 gamma2 delta rho jitter slow; do
        value=$(unzip -p set.npz meta.npy | tr -d '\0' | grep -aoE "\"$name\": [0-9.e-]+" | sed 's/.*: //; s/e-0/e-/')
        COLUMNS=100 congru help synth | tr -s '\n ' ' ' | sed 's/ --/\n--/g' |
            grep -qE -- "^--$name X .*Default: $value\.( |$)" ||
            problems+="help tells another default of $name than $value"$'\n'
    done
    result "defaults are told right" "${problems%$'\n'}"
}

same_bits()
{
    local cpu problems=
    mkdir "$scratch/work/bits" && cd "$scratch/work/bits" || exit 1
    congru synth --stage fusion --trials 3 --signals 50 --threads 1 -o first.npz >/dev/null
    for cpu in $(congru version | sed -n 's/^cpu: .*available: \(.*\))/\1/p'); do
        CONGRU_CPU=$cpu congru synth --stage fusion --trials 3 --signals 50 --threads 3 -o again.npz >/dev/null
        cmp first.npz again.npz >/dev/null || problems+="CONGRU_CPU=$cpu gives other bits"$'\n'
    done
    congru synth --stage shift --slow 0.3 --trials 3 --threads 1 -o first.npz >/dev/null
    congru synth --stage shift --slow 0.3 --trials 3 --threads 3 -o again.npz >/dev/null
    cmp first.npz again.npz >/dev/null || problems+="--slow gives other bits with other threads"$'\n'
    result "the same bits for any --threads and CONGRU_CPU" "${problems%$'\n'}"
}

manual_has_stages
manual_has_options synth
help_fits synth
if command -v unzip >/dev/null; then
    defaults_are_told_right
else
    skip "defaults are told right" "no unzip"
fi
same_bits

echo "1..$count"
exit $((failed > 0))
